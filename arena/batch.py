"""Work for an executor, and what comes back: plain arrays and seeds, nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.work import Work
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.game import AnyGame
from evolve_arena.players.lineup import Lineup

__all__ = [
    "Batch",
    "Openings",
    "Pairings",
    "Results",
    "check_games",
    "make_batch",
    "new_results",
    "no_openings",
]

MOST_GAMES = 10_000_000
"""How many games can be asked for at a time: their seeds and results take some 400 MB."""

Pairings = NDArray[np.int32]
"""Rows of a lineup, who moves first first; shape ``(matches, 2)``."""

Openings = NDArray[np.signedinteger[Any]]
"""Moves played before the players decide, by their numbers
(:meth:`evolve_arena.core.game.Game.number_of`), shape ``(matches, plies)``; -1 ends one early."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Matches to be played."""

    game: str
    """The game's name."""
    rules: tuple[int, ...]
    """Its options, as compiled code takes them."""
    lineup: Lineup
    pairings: Pairings
    seeds: NDArray[np.uint64]
    """The seed of each match's stream, shape ``(matches,)``."""
    openings: Openings

    def __len__(self) -> int:
        return len(self.pairings)

    def work(self) -> Work:
        """The same as an executor takes it; its outputs are the fields of `Results`."""
        return Work(
            kernel="evolve_arena.arena.kernels:play_part",
            inputs=(*self.lineup, self.pairings, self.seeds, self.openings),
            outputs=tuple((kind, (len(self),)) for kind in ("int8", "int16", "uint64")),
            options={"game": self.game, "rules": list(self.rules)},
        )


@dataclass(frozen=True, eq=False)
class Results:
    """What came of a batch, match by match in the order asked."""

    outcomes: NDArray[np.int8]
    """1 if the player who moved first won, 0 for a draw, -1 if the other won."""
    plies: NDArray[np.int16]
    """The length of each match, its opening included."""
    games: NDArray[np.uint64]
    """A hash of the moves: equal games have equal hashes."""

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def distinct_games(self) -> int:
        """How many different games were played."""
        return len(np.unique(self.games))


def check_games(games: int) -> None:
    """Makes sure that so many games can be played at a time.

    Raises:
        BadValueError: They can't.
    """
    if not 1 <= games <= MOST_GAMES:
        raise BadValueError(f"games is {quote(games)}: it must be from 1 to {MOST_GAMES:,}")


def make_batch(
    game: AnyGame,
    lineup: Lineup,
    pairings: Pairings,
    seeds: NDArray[np.uint64],
    openings: Openings | None = None,
) -> Batch:
    """A batch, after checking that the shapes fit together.

    Raises:
        ValueError: They do not, or a pairing names a row that the lineup does not have.
    """
    count = len(pairings)
    if openings is None:
        openings = no_openings(count)
    if pairings.shape != (count, 2) or seeds.shape != (count,) or len(openings) != count:
        raise ValueError(
            f"pairings {pairings.shape}, seeds {seeds.shape} and openings {openings.shape}"
            " must agree in their first dimension, and pairings be pairs"
        )
    if count and not 0 <= pairings.min() <= pairings.max() < len(lineup.seats):
        raise ValueError(f"a pairing names a player outside 0 to {len(lineup.seats) - 1}")
    return Batch(
        game.name,
        game.rules,
        lineup,
        np.ascontiguousarray(pairings, dtype=np.int32),
        np.ascontiguousarray(seeds, dtype=np.uint64),
        np.ascontiguousarray(openings),
    )


def no_openings(matches: int) -> Openings:
    """Openings of no plies at all."""
    return np.zeros((matches, 0), dtype=np.int64)


def new_results(matches: int) -> Results:
    """Room for the results of so many *matches*."""
    return Results(
        np.zeros(matches, dtype=np.int8),
        np.zeros(matches, dtype=np.int16),
        np.zeros(matches, dtype=np.uint64),
    )
