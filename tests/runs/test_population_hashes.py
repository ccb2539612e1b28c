"""The population of every shipped recipe after three generations, bit for bit, as it was recorded.

A hash changes only if what is evolved changes: then runs made before would go on otherwise. What is
meant to change is recorded anew by ``RENEW_HASHES=1 pytest tests/runs/test_population_hashes.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.registry import find_game, recipe_files
from evolve_arena.players.board.game import BoardGame

FILE = Path(__file__).with_name("population_hashes.json")
GROWN = [
    "method.individuals=20",
    "growth.stages=[{generations=2, network={straight=2, squares=false},"
    " method={name='cma-es', individuals=20}}]",
]
FEWER = {
    "checkers-15-rafalmmored": ["method.games=10"],
    "checkers-16-rafalmored": ["method.games=10"],
    "checkers-tuples": ["method.games=1000"],
    "othello": ["method.games=1000"],
    "othello-evolved": GROWN,
    "othello-evolved-long": GROWN,
    "ticket-to-ride-imitation": ["method.data.players=[4]"],
    "ticket-to-ride-imitation-faithful": ["method.data.players=[4]"],
    "pig-evolved": ["matches.multiplayer.preliminary_deals=2", "matches.multiplayer.final_deals=2"],
}
"""A part of the games will do of those that look several plies ahead or learn from many; or it
takes long to find a champion."""
SOME = {"checkers", "connect-four", "othello", "pig", "ticket-to-ride", "tic-tac-toe"}
"""Of the games in one file, whose matches are compiled of the same sources, these will do."""


def is_recorded(recipe: str) -> bool:
    table = tomllib.loads(recipe_files()[recipe].read_text("utf-8"))
    spec = find_game(table.get("game", {}).get("name", "connect-four"))
    return spec.name in SOME or not issubclass(spec.game, BoardGame)


@pytest.mark.parametrize("name", list(filter(is_recorded, ea.recipe_names())))
def test_populations_are_what_they_were(name: str, tmp_path: Path) -> None:
    changes = ["run.generations=3", "check.games=2", *FEWER.get(name, [])]
    if issubclass(ea.load_recipe(name).spec.game, BoardGame):  # checks change no population
        changes.append("check.opponents=['random']")
    run = ea.start(name, run=tmp_path / "run", seed=1, executor="serial", changes=changes)
    recorded = json.loads(FILE.read_text("utf-8"))
    if "RENEW_HASHES" in os.environ:
        recorded[name] = run.population_sha256
        FILE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", "utf-8")
    assert run.population_sha256 == recorded[name]


def test_a_population_is_the_same_on_another_processor(tmp_path: Path) -> None:
    """Keep NumPy and OpenBLAS from what newer processors have; the network is large enough."""
    features = " ".join(np.show_config("dicts")["SIMD Extensions"]["found"])
    code = (
        "import evolve_arena as ea\n"
        "run = ea.start('ticket-to-ride-imitation', run='run', seed=1, executor='serial',"
        " changes=['run.generations=3', 'check.games=2', 'check.opponents=[\"random\"]',"
        " 'method.data.players=[4]'])\n"
        "print(run.population_sha256)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": features},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    recorded = json.loads(FILE.read_text("utf-8"))
    assert done.stdout.split()[-1:] == [recorded["ticket-to-ride-imitation"]], done.stderr
