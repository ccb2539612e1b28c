"""Trial of a game's file in a process of its own, which may crash or hang.

The rules are compiled with bounds checks: an index out of bounds is reported, where in matches it
would change other numbers, or crash. All moves are tried in random games.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from evolve_arena.core.children import PYTHON
from evolve_arena.core.compiled import cache_folder
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import open_file
from evolve_arena.players.board import watch
from evolve_arena.players.board.game import GameFileError
from evolve_arena.players.board.kernel import load_timing, play_timed
from evolve_arena.players.board.self_check import check_plain, explaining, follow_all
from evolve_arena.players.board.timing import ALL
from evolve_arena.players.board.workspace import make_workspace
from evolve_arena.players.player import make_random

SECONDS = 2.0
"""Maximum seconds of random games by plain rules, and minimum seconds by compiled ones."""
MAX_GAMES = 50_000
LONGEST = 600.0
"""Seconds after which the process is ended."""
CHECKED = "bounds-checked"
"""Folder of the cache for code with bounds checks."""


def try_apart(path: Path, games: int, patience: float = watch.SECONDS) -> int:
    """Play random games by the file at *path* in another process.

    Args:
        path: Game in one file.
        games: Minimum number of games.
        patience: Seconds that one call into the file may take.

    Returns:
        Number of games played by compiled rules.

    Raises:
        GameFileError: The file is no game, fails, never ends, crashes, or goes out of bounds.
    """
    checks = {"NUMBA_BOUNDSCHECK": "1", "EVOLVE_ARENA_CACHE": str(cache_folder() / CHECKED)}
    words = [*PYTHON, "-m", __name__, str(path), str(games), str(patience)]
    try:
        told = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=os.environ | checks,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GameFileError(f"{path}: trying it takes more than {LONGEST:.0f} seconds") from None
    lines = told.stdout.decode(errors="replace").splitlines()
    if told.returncode < 0:
        name = signal.Signals(-told.returncode).name
        raise GameFileError(f"{path}: random games by its rules crash ({name})")
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError):
        raise GameFileError(f"{path}: random games by its rules end the process") from None
    if isinstance(answer, str):
        raise GameFileError(answer)
    return int(answer)


class _Trial:
    """Random games by the rules in the file *path*; a call may take *patience* seconds."""

    def __init__(self, path: Path, patience: float) -> None:
        self.path, self.patience = path, patience
        self.game: Any = None
        self.seed = 0
        """Seed of the current compiled game."""

    def play(self, games: int) -> int:
        """Play at least *games* games; return the number played by compiled rules.

        Raises:
            ArenaError: The rules are wrong.
        """
        self.game = open_file(self.path).make()
        check_plain(self.game, games, SECONDS)
        timing = load_timing(self.game)
        workspace = make_workspace(self.game.code, make_random(self.game).packed)
        ends = math.inf
        with explaining(self.game):
            while self.seed < games or (self.seed < MAX_GAMES and time.monotonic() < ends):
                self.seed += 1
                try:
                    play_timed(self.game, timing, ALL, self.seed, workspace)
                except IndexError:
                    follow_all(self.game, self.seed)
                    raise GameFileError(
                        f"{self.path}: compiled, an index is out of bounds in a random game"
                    ) from None
                ends = min(ends, time.monotonic() + SECONDS)  # without what compiling took
        return self.seed

    def tell_stuck(self, sentence: str, name: str) -> NoReturn:
        """End the process with a *sentence*; for compiled code, find where the plain rules hang."""
        if not name:
            try:
                with watch.Watch(self.path, _end, self.patience):
                    follow_all(self.game, self.seed)
            except ArenaError as error:
                sentence = str(error)
        _end(sentence)


def _end(answer: str | int, name: str = "") -> NoReturn:
    sys.stdout.write(f"\n{json.dumps(answer)}\n")
    sys.stdout.flush()
    os._exit(0)


def main() -> None:
    """Play by the file named on the command line; print the number of games, or the fault."""
    trial = _Trial(Path(sys.argv[1]), float(sys.argv[3]))
    try:
        with watch.Watch(trial.path, trial.tell_stuck, trial.patience):
            answer: str | int = trial.play(int(sys.argv[2]))
    except ArenaError as error:
        answer = str(error)
    _end(answer)


if __name__ == "__main__":
    main()
