"""What champions of all recipes become when they are exported: size, speed, and the same moves."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import evolve_arena as ea
from benchmarks.line import Line
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import recipe_files
from evolve_arena.core.stream import new_stream
from evolve_arena.players.dialects import Limits
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from evolve_arena.runs.recipe import load_recipe
from evolve_arena.runs.targets import TARGETS
from tests.bred import random_positions

ALIKE: dict[str, Any] = {
    "run.generations": 2,
    "run.checkpoint_every": 1,
    "check.every": 1,
    "check.games": 4,
    "check.opponents": ["random"],
}
SMALL: dict[str, dict[str, Any]] = {
    "tournament": {"method.individuals": 10},
    "neat": {"neat.pop_size": 20},
    "evolutionary-programming": {"method.individuals": 4, "method.opponents": 2},
    "td": {"method.games": 100},
    "q-learning": {"method.games": 100},
    "td-tuples": {"method.games": 2000},
    "td-linear": {"method.games": 20},
    "imitation": {"method.games": 4, "method.batches": 20},
}
"""Short runs, by method."""
GAMES, POSITIONS = 200, 2000
LONGEST = 120.0
"""Seconds for the positions of a file: those that search far answer fewer."""
PATIENT = Limits(time_bank=60_000, per_move=60_000)


def measure() -> Iterator[Line]:
    """A line for each recipe and target: how large the file is, and how it moves."""
    for name in recipe_files():
        with tempfile.TemporaryDirectory() as folder:
            yield from _measure_recipe(name, Path(folder))


def _measure_recipe(name: str, folder: Path) -> Iterator[Line]:
    recipe = load_recipe(name)
    changes = ALIKE | SMALL[recipe.method["name"]]
    champion = ea.start(name, run=folder / "run", changes=changes, progress=False).champion
    for target in [target for target in ("python", "c", "html") if target in TARGETS]:
        try:
            content = export_player(champion, target)
        except BadValueError as error:
            print(f"{name}, {target}: {error}")
            continue
        file = folder / f"champion.{target}"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        size = file.stat().st_size / 1000
        if target == "html":
            yield Line(f"{name} as {target}", size, "kB")
            continue
        command = f"{sys.executable} {file}" if target == "python" else _compile(file)
        yield _play(f"{name} as {target}", size, champion, command)


def _compile(file: Path) -> str:
    source, program = file.with_suffix(".source.c"), file.with_suffix(".program")
    file.rename(source)
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(program), "-lm"], check=True)
    return str(program)


def _play(what: str, size: float, champion: Any, command: str) -> Line:
    """Whole games against chance, then single positions, in which the arena's player moves too."""
    game = champion.game
    programs = [ProcessPlayer(game, command, limits=PATIENT) for _ in range(game.seats)]
    result = ea.duel(programs[0], "random", games=GAMES, opening_plies=2, seed=5, game=game)
    broken = sum(forfeit.games for forfeit in result.forfeits)
    began, same, asked = time.perf_counter(), 0, 0
    for seat, program in enumerate(programs):  # hosts say once where a program sits
        program.begin(seat)
    for number, position in enumerate(random_positions(game, POSITIONS, 7)):
        if time.perf_counter() - began > LONGEST:
            break
        seat = game.to_move(position)
        seen = game.view(position, seat)
        move = programs[seat].choose(seen, new_stream(number))
        own = champion.choose(seen, new_stream(number))
        same += move == own or _is_as_good(champion, seen, move)
        asked += 1
    seconds = time.perf_counter() - began
    for program in programs:
        program.close()
    return Line(
        what,
        size,
        "kB",
        f"forfeited of {GAMES} games: {broken}; {1e3 * seconds / asked:.1f} ms a move;"
        f" the arena's moves in {asked:,} positions",
        same / asked,
        "no forfeit, 1",
        broken == 0 and same == asked,
    )


def _is_as_good(champion: Any, position: Any, move: Any) -> bool:
    """Whether the champion finds no move better: between equals chance chooses."""
    try:
        values = champion.values(position)
    except BadValueError:
        return False
    return bool(values[move] == max(values.values()))
