"""Trial of a game of pyspiel in a process of its own, which may crash.

pyspiel checks few of its parameters: some sizes end the process, or fill the memory. Nothing else
is imported here, so that the process starts fast.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeAlias

Pyspiel: TypeAlias = Any
"""An object of pyspiel, which declares no types: a kind of game, a game, a state or an observer."""
FAILURES = (RuntimeError, ValueError, IndexError, MemoryError, OverflowError)
"""Errors of pyspiel; its own SpielError is a RuntimeError."""
GAMES = 4
LONGEST = 2000
"""Maximum plies to play in each game."""
SECONDS, MEMORY = 20, 4 << 30
"""Limits of time and bytes of the process."""


def try_apart(name: str, parameters: Mapping[str, Any]) -> str:
    """Return the fault of a game, as found by another process; empty if it has none."""
    words = [sys.executable, "-P", __file__, name, json.dumps(dict(parameters))]
    try:
        told = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"it takes more than {SECONDS} seconds to try"
    if told.returncode:
        return "pyspiel crashes"
    return told.stdout.strip()


def try_games(source: Pyspiel) -> int:
    """Play some random games, the same each time; return the length of the shortest.

    Raises:
        ValueError: There is no legal move, and the game is not over.
        RuntimeError: pyspiel fails.
    """
    choices, shortest = random.Random(1), LONGEST
    for _ in range(GAMES):
        state, plies = source.new_initial_state(), 0
        while not state.is_terminal() and plies < LONGEST:
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choices.choices(actions, weights)[0])
                continue
            legal = state.legal_actions()
            if not legal:
                raise ValueError("there is no legal move, but the game is not over")
            state.observation_tensor(state.current_player())
            state.apply_action(choices.choice(legal))
            plies += 1
        shortest = min(shortest, plies)
    return shortest


def main() -> None:
    """Try the game named on the command line, and print its fault."""
    with suppress(ImportError):  # Windows limits no memory
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import pyspiel

    try:
        try_games(pyspiel.load_game(sys.argv[1], json.loads(sys.argv[2])))
    except FAILURES as error:
        print(error or type(error).__name__)


if __name__ == "__main__":
    main()
