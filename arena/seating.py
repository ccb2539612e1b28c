"""Work of games for more than two: who sits where, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve_arena.arena.work import Work
from evolve_arena.core.game import AnyGame
from evolve_arena.players.lineup import Lineup

__all__ = [
    "EMPTY",
    "SEATS",
    "SeatedBatch",
    "SeatedResults",
    "Seatings",
    "join_results",
    "make_seated_batch",
    "new_seated_results",
    "rotations",
    "seat_players",
]

SEATS = 5
"""Seats of the largest table."""

EMPTY = -1
"""Stands for nobody in a seating."""

Seatings = NDArray[np.int32]
"""Rows of a lineup by seat, shape ``(matches, SEATS)``; :data:`EMPTY` beyond the seats taken, of
which a match has at least two."""

OUTPUTS = (
    ("int16", (SEATS,)),
    ("int8", (SEATS,)),
    ("int8", (SEATS,)),
    ("int8", (SEATS,)),
    ("int16", ()),
    ("int8", ()),
    ("uint64", ()),
)
"""The types and shapes of the fields of :class:`SeatedResults`, for one match."""


@dataclass(frozen=True, eq=False)
class SeatedBatch:
    """Matches to be played. Those of the same seed have the same decks, whoever sits where."""

    game: str
    """The game's name."""
    rules: tuple[int, ...]
    """Its options, as compiled code takes them. How many play is told by the seatings."""
    lineup: Lineup
    seatings: Seatings
    seeds: NDArray[np.uint64]
    """The seed of each match, shape ``(matches,)``."""

    def __len__(self) -> int:
        return len(self.seatings)

    def work(self) -> Work:
        """The same as an executor takes it; its outputs are the fields of `SeatedResults`."""
        return Work(
            kernel="evolve_arena.arena.kernels:seat_part",
            inputs=(*self.lineup, self.seatings, self.seeds),
            outputs=tuple((kind, (len(self), *shape)) for kind, shape in OUTPUTS),
            options={"game": self.game, "rules": list(self.rules)},
            fewest=8,
        )


@dataclass(frozen=True, eq=False)
class SeatedResults:
    """What came of a batch, match by match in the order asked, and there seat by seat."""

    points: NDArray[np.int16]
    """Final points, shape ``(matches, SEATS)``; 0 at empty seats. If somebody made a forbidden
    move, as they stood then."""
    places: NDArray[np.int8]
    """1 for the most points, equals sharing the better place, shape ``(matches, SEATS)``; 0 at
    empty seats. Who made a forbidden move has the last place."""
    done: NDArray[np.int8]
    """Tickets done, shape ``(matches, SEATS)``."""
    failed: NDArray[np.int8]
    """Tickets not done, shape ``(matches, SEATS)``."""
    rounds: NDArray[np.int16]
    """How many rounds each match took, shape ``(matches,)``."""
    offenders: NDArray[np.int8]
    """The seat whose forbidden move ended the match, or -1, shape ``(matches,)``."""
    games: NDArray[np.uint64]
    """A hash of the moves, shape ``(matches,)``: equal games have equal hashes."""

    def __len__(self) -> int:
        return len(self.points)

    @property
    def distinct_games(self) -> int:
        """How many different games were played."""
        return len(np.unique(self.games))

    @property
    def completed(self) -> NDArray[np.bool_]:
        """Which matches ended by the rules, shape ``(matches,)``."""
        return self.offenders < 0


def make_seated_batch(
    game: AnyGame, lineup: Lineup, seatings: Seatings, seeds: NDArray[np.uint64]
) -> SeatedBatch:
    """A batch, after checking that the shapes fit together.

    Raises:
        ValueError: They do not, or a seating names a row that the lineup does not have, has
            fewer than two players, or an empty seat between them.
    """
    count = len(seatings)
    if seatings.shape != (count, SEATS) or seeds.shape != (count,):
        raise ValueError(
            f"seatings {seatings.shape} and seeds {seeds.shape} must agree in their first"
            f" dimension, and seatings have {SEATS} seats"
        )
    taken = seatings != EMPTY
    if count and not 0 <= seatings[taken].min(initial=0) <= seatings.max() < len(lineup.seats):
        raise ValueError(f"a seating names a player outside 0 to {len(lineup.seats) - 1}")
    if not taken[:, :2].all() or (taken[:, 1:] > taken[:, :-1]).any():
        raise ValueError("a seating has fewer than two players, or an empty seat before one")
    return SeatedBatch(
        game.name,
        game.rules,
        lineup,
        np.ascontiguousarray(seatings, dtype=np.int32),
        np.ascontiguousarray(seeds, dtype=np.uint64),
    )


def new_seated_results(matches: int) -> SeatedResults:
    """Room for the results of so many *matches*."""
    return SeatedResults(*(np.zeros((matches, *shape), dtype=kind) for kind, shape in OUTPUTS))


def join_results(parts: Sequence[SeatedResults]) -> SeatedResults:
    """The results of several batches, as if they had been one."""
    columns = [[getattr(part, field.name) for part in parts] for field in fields(SeatedResults)]
    return SeatedResults(*(np.concatenate(column) for column in columns))


def seat_players(tables: ArrayLike) -> Seatings:
    """Seatings of *tables* with two to five seats each, shape ``(matches, seats)``.

    >>> seat_players([[3, 1, 2]]).tolist()
    [[3, 1, 2, -1, -1]]
    """
    rows = np.asarray(tables, dtype=np.int32)
    seatings = np.full((len(rows), SEATS), EMPTY, dtype=np.int32)
    seatings[:, : rows.shape[1]] = rows
    return seatings


def rotations(tables: ArrayLike) -> NDArray[np.int32]:
    """Each of *tables* as often as it has seats, everybody moving up one seat each time.

    Args:
        tables: Shape ``(tables, seats)``.

    Returns:
        Shape ``(tables * seats, seats)``, the rotations of one table behind one another. Seeds
        for them are ``np.repeat(seeds, seats)``, so that all have the same decks.

    >>> rotations([[7, 8, 9]]).tolist()
    [[7, 8, 9], [9, 7, 8], [8, 9, 7]]
    """
    rows = np.asarray(tables, dtype=np.int32)
    seats = rows.shape[1]
    turned = [np.roll(rows, shift, axis=1) for shift in range(seats)]
    return np.stack(turned, axis=1).reshape(-1, seats)
