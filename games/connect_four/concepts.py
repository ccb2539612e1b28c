"""Whether a player has understood wins at once: sixty positions with one right answer each.

After Löfroth and Dalenius, "Själv-inläring av fyra-i-rad" (2011), section 3.4.2:
in thirty states a disc wins, in the other thirty, the same with the colours exchanged, it
keeps the opponent from winning; ten of each by a column, a diagonal, a row. Their own states
were pictures that are lost; these are others of the same kinds. The disc that defends does
hold: the opponent has no win in the four plies that begin with it, and any other disc loses at
once. So a search of two to four plies solves all sixty, as theirs did (section 5.1.1).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.players.player import ForfeitError, Player

CONCEPTS: Mapping[str, tuple[str, str]] = {
    "A": ("category", "attack"),
    "F": ("category", "defence"),
    "R": ("win_type", "row"),
    "D": ("win_type", "diagonal"),
    "K": ("win_type", "column"),
}
"""The groups by the letters of the paper's tables, each a column of the file and what stands
there: of attack and defence there are 30 states, of rows, diagonals and columns 20."""

BOARD = ConnectFour()
"""The board of all states."""


class State(NamedTuple):
    """A position, its only right answer, and the groups that it belongs to."""

    position: Position
    answer: int
    groups: frozenset[str]


@dataclass(frozen=True)
class ConceptShare:
    """How well a player solves a group of states."""

    share: float
    """The share solved; where chance decides, the share expected."""
    states: int
    """How many states there are."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`share`, for a single answer to each of so many states.

        To ask again and again tells more of these states, but not of others like them.
        """
        return wilson_interval(self.share * self.states, self.states)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {"share": self.share, "states": self.states, "wilson_95": list(self.interval)}


def concept_groups(
    player: Player, game: ConnectFour | None = None, *, times: int = 100, seed: int = 0
) -> dict[str, ConceptShare]:
    """What share of each group of :data:`CONCEPTS` *player* solves.

    A player is asked once in each state. One who drew a random number for its answer (it plays
    random moves, or chooses among equal ones) is asked *times* times, so that the share is
    what is to be expected. A bot that fails to answer has not solved the state.

    Args:
        player: Who is asked.
        game: What it plays; ordinary Connect Four if None.
        times: How often those are asked whose answers are drawn.
        seed: Seeds what they draw.

    Raises:
        BadValueError: The game has another board: see :func:`fits_concepts`.

    >>> from evolve_arena.games.connect_four.column_player import MinimaxPlayer
    >>> groups = concept_groups(MinimaxPlayer(ConnectFour(), 1))
    >>> groups["A"].share, groups["F"].share < 0.4, groups["K"].states
    (1.0, True, 20)
    """
    game = game or BOARD
    if not fits_concepts(game):
        raise BadValueError("concept states are for a board of 7 by 6, 4 in a row")
    states = _read_states()
    seeds = derive_seeds(seed, 0, "concepts", len(states) * times).reshape(-1, times)
    solved = [_solve(player, game, state, own) for state, own in zip(states, seeds, strict=True)]
    groups = {}
    for name in CONCEPTS:
        shares = [
            share for state, share in zip(states, solved, strict=True) if name in state.groups
        ]
        groups[name] = ConceptShare(sum(shares) / len(shares), len(shares))
    return groups


def fits_concepts(game: ConnectFour) -> bool:
    """Whether *game* is played on the board of the states."""
    return game.rules == BOARD.rules


def _solve(player: Player, game: ConnectFour, state: State, seeds: NDArray[np.uint64]) -> float:
    """How often the player finds the answer, 0 to 1."""
    solved = 0
    for asked, seed in enumerate(seeds.tolist(), start=1):
        stream = new_stream(seed)
        player.begin(game.to_move(state.position))
        try:
            solved += player.choose(state.position, stream) == state.answer
        except ForfeitError:
            pass
        finally:
            player.end()
        if int(stream[0]) == seed:  # nothing was drawn: it would answer the same again
            return solved / asked
    return solved / len(seeds)


@cache
def _read_states() -> tuple[State, ...]:
    path = resources.files(__package__).joinpath("data/concept_states.csv")
    return tuple(
        State(
            BOARD.parse_position(row["board_top_to_bottom_x_to_move"]),
            int(row["correct_column_0based"]),
            frozenset(name for name, (key, value) in CONCEPTS.items() if row[key] == value),
        )
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    )
