"""Exported tuple networks: the same moves as in the arena, packed small, and soon ready."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.connect_four.export_python import export_python
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.tuple_network import TupleDecoder, TuplePlayer
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.runs.export.neat_python import export_neat_python

STREAM: Stream = new_stream(0)
DECODERS = {
    "walks": (TupleDecoder(), 6000),
    "lines": (TupleDecoder(shape="lines"), 1000),
    "single cells": (TupleDecoder(tuples=30, length=1), 500),
    "5x4": (TupleDecoder(5, 4, 3, tuples=12, length=7), 1200),
    "9x5": (TupleDecoder(9, 5, 4, tuples=12, length=5), 800),
    "3x8": (TupleDecoder(3, 8, 4, tuples=12, length=6), 500),
}


def make_player(decoder: TupleDecoder, seed: int, name: str = "champion") -> TuplePlayer:
    """Coarse tables, in which moves are often equal, if *seed* is odd."""
    generator = np.random.default_rng(seed)
    cells = decoder.draw(generator)
    numbers = generator.normal(0.0, 0.1, decoder.table(cells).numbers).astype(np.float32)
    if seed % 2:
        numbers = np.sign(np.rint(4 * numbers)).astype(np.float32)
    numbers[: len(numbers) // 20] *= 1e4  # some are so large that they are limited
    return decoder.player(TuplePopulation(cells[None], numbers[None]), name)


def random_positions(game: ConnectFour, count: int) -> list[Position]:
    chance = random.Random(4)
    positions: list[Position] = []
    while len(positions) < count:
        position = game.initial()
        while game.outcome(position) is None:
            positions.append(position)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    return positions[:count]


def run_source(source: str) -> dict[str, Any]:
    """What the file defines, if run as Kaggle runs it: in an empty dictionary."""
    names: dict[str, Any] = {}
    exec(compile(source, "bot.py", "exec"), names)
    return names


def flat(position: Position) -> list[int]:
    return [int(cell) for cell in position.cells().ravel()]


@pytest.mark.parametrize("name", DECODERS)
def test_exported_bot_chooses_the_same_moves(name: str) -> None:
    decoder, count = DECODERS[name]
    different = set()
    for seed in (2, 3):
        player = make_player(decoder, seed)
        choose = run_source(export_python(player))["choose"]
        for position in random_positions(decoder.game, count // 2):
            column = player.choose(position, STREAM)
            assert choose(flat(position), 1 + position.ply % 2) == column
            different.add(column)
    assert len(different) == decoder.columns
    assert sum(count for _, count in DECODERS.values()) == 10_000


def test_numbers_are_the_arenas() -> None:
    player = make_player(TupleDecoder(tuples=20, length=5), 2)
    bot = run_source(export_python(player))
    numbers = [*bot["TABLES"][0], *bot["TABLES"][1]]
    assert numbers == player.packed.columns[-len(numbers) :].tolist()
    assert min(numbers) == -(32767 // 40) * 65536 == -max(numbers)
    assert len(numbers) == len(player.arrays["tables"])


def test_it_takes_a_win_and_is_a_bot_for_kaggle() -> None:
    player = make_player(DECODERS["lines"][0], 2)
    names = run_source(export_python(player))
    agent = [value for value in names.values() if callable(value)][-1]
    assert agent.__name__ == "agent"
    board = [0] * 28 + [0, 0, 2, 2, 2, 0, 0] + [0, 1, 1, 1, 2, 0, 0]
    assert agent({"board": board, "mark": 1}) == 0
    assert agent(SimpleNamespace(board=board, mark=1), {"columns": 7}) == 0
    assert type(agent({"board": [0] * 42, "mark": 1})) is int


def test_the_file_is_plain_and_whole_on_its_own(tmp_path: Path) -> None:
    player = make_player(DECODERS["walks"][0], 2)
    source = export_python(player)
    assert source.isascii()
    assert max(len(line) for line in source.splitlines()) <= 100
    assert len(source) < 2_500_000
    tree = ast.parse(source, feature_version=(3, 8))
    told = ast.get_docstring(tree) or ""
    assert "60 tuples of 8 cells" in told
    assert "encoding" not in told
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
    modules = [node.module or "" for node in imports if isinstance(node, ast.ImportFrom)]
    modules += [
        name.name for node in imports if isinstance(node, ast.Import) for name in node.names
    ]
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names
    file = tmp_path / "bot.py"
    file.write_text(source)
    lines = [
        "settings your_botid 1",
        "settings field_columns 7",
        f"update game field {';'.join([','.join('0' * 7)] * 6)}",
        "action move 1000",
    ]
    said = subprocess.run(
        [sys.executable, "-I", "-S", str(file)],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    column = player.choose(ConnectFour().initial(), STREAM)
    assert (said.stdout, said.stderr) == (f"place_disc {column}\n", "")


def test_it_is_no_graph_for_neat_python() -> None:
    with pytest.raises(BadValueError, match=r"champion is a tuple network.*--to python"):
        export_neat_python(make_player(DECODERS["lines"][0], 2))
