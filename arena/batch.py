"""Batches of matches for an executor, and their results, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Array
from evolve_arena.players.packed import PackedPlayers

MAX_GAMES = 10_000_000
"""Most games of a series: their seeds and results take some 400 MB."""

EMPTY = -1
"""An empty seat of a pairing."""

Pairings = NDArray[np.int32]
"""Rows of packed players in order of moving, shape ``(matches, seats)``; :data:`EMPTY` beyond the
seats taken, of which a match has at least two."""


Openings = NDArray[np.signedinteger[Any]]
"""Moves before the players' first decisions, by their numbers
(:meth:`evolve_arena.core.game.Game.number_of`), shape ``(matches, plies)``; -1 ends one early."""

OUTPUTS = (("int8", True), ("int16", False), ("int8", False), ("uint64", False))
"""The types of the first fields of :class:`Results`, and True for those with a number per seat."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Matches to play. In games of chance, matches of the same seed begin alike."""

    game: str
    """The game's name."""
    rules: tuple[int, ...]
    """Its options, as compiled code takes them. The pairings determine the number of players."""
    packed: PackedPlayers
    pairings: Pairings
    seeds: NDArray[np.uint64]
    """The seed of each match's stream, shape ``(matches,)``."""
    openings: Openings

    def __len__(self) -> int:
        return len(self.pairings)

    def work(self) -> Task:
        """Return the batch as a task for an executor; its outputs are the fields of `Results`."""
        return Task(
            kernel="evolve_arena.arena.arena:play_part",
            inputs=(*self.packed, self.pairings, self.seeds, self.openings),
            outputs=_outputs(self.game, len(self)),
            options={"game": self.game, "rules": list(self.rules)},
            fewest=find_game(self.game).kernel.fewest_matches,
        )


@dataclass(frozen=True, eq=False)
class Results:
    """The results of a batch, in the order of its matches."""

    places: NDArray[np.int8]
    """The rank of each seat, shape ``(matches, seats)``: 1 is the best, ties share the better rank,
    0 marks empty seats. A player who made a forbidden move has the last place."""
    plies: NDArray[np.int16]
    """The length of each match, its opening included, shape ``(matches,)``."""
    offenders: NDArray[np.int8]
    """The seat whose forbidden move ended the match, or -1, shape ``(matches,)``."""
    game_hashes: NDArray[np.uint64]
    """A hash of the moves, shape ``(matches,)``: equal games have equal hashes."""
    columns: Mapping[str, Array] = field(default_factory=dict)
    """The game's counts, by name; see `GameSpec.columns`. After a forbidden move they are those of
    the position before it."""

    def __len__(self) -> int:
        return len(self.game_hashes)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """In two-player games: 1 if the first player won, 0 for a draw, -1 for a loss."""
        return np.asarray(np.sign(self.places[:, 1] - self.places[:, 0]))

    @property
    def completed(self) -> NDArray[np.bool_]:
        """True for each match that ended by the rules, shape ``(matches,)``."""
        return self.offenders < 0

    @property
    def distinct_games(self) -> int:
        """Number of different games."""
        return len(np.unique(self.game_hashes))

    @property
    def arrays(self) -> list[Array]:
        """All arrays, in the order in which kernels take them."""
        return [self.places, self.plies, self.offenders, self.game_hashes, *self.columns.values()]

    @classmethod
    def of(cls, game: str, arrays: Sequence[Array]) -> Results:
        """Return the results that consist of these :attr:`arrays`."""
        places, plies, offenders, games, *rest = arrays
        columns = dict(zip(find_game(game).columns, rest, strict=True))
        return cls(places, plies, offenders, games, columns)


def check_games(games: int) -> None:
    """Make sure that a series can have this number of *games*.

    Raises:
        BadValueError: The number is out of range.
    """
    if not 1 <= games <= MAX_GAMES:
        raise BadValueError(f"games is {quote(games)}: it must be from 1 to {MAX_GAMES:,}")


def check_seats(game: AnyGame, seats: int | None) -> int:
    """Return the number of *seats* in a match of *game*; that of the game's options if None.

    Raises:
        BadValueError: The game is not for so many players.
    """
    if seats is None or seats == game.seats:
        return game.seats
    spec = find_game(game.name)
    if spec.seats_option is None:
        raise BadValueError(f"a table of {seats} seats: {game.name} has {game.seats}")
    most = spec.most_seats
    if not 2 <= seats <= most:
        raise BadValueError(f"a table of {seats} seats: there must be from 2 to {most}")
    return seats


def make_batch(
    game: AnyGame,
    packed: PackedPlayers,
    pairings: Pairings,
    seeds: NDArray[np.uint64],
    openings: Openings | None = None,
) -> Batch:
    """Make a batch, after checking that the shapes fit together.

    Args:
        game: The rules.
        packed: The players of all matches.
        pairings: The player at each seat as a row of *packed*, shape ``(matches, seats)``, with as
            many seats as the game has seats at most; :data:`EMPTY` beyond the seats taken.
        seeds: The seed of each match's stream, shape ``(matches,)``.
        openings: The first moves of each match, shape ``(matches, plies)``; no moves if None.

    Raises:
        ValueError: The shapes do not fit together, or a pairing has a player outside *packed*,
            fewer than two players, or an empty seat between them.
    """
    count, seats = len(pairings), find_game(game.name).most_seats
    if openings is None:
        openings = np.zeros((count, 0), dtype=np.int64)
    if pairings.shape != (count, seats) or seeds.shape != (count,) or len(openings) != count:
        raise ValueError(
            f"pairings {pairings.shape}, seeds {seeds.shape} and openings {openings.shape}"
            f" must agree in their first dimension, and pairings have {seats} seats"
        )
    if count:
        # Kernels do not check rows.
        taken = pairings != EMPTY
        if not 0 <= pairings[taken].min(initial=0) <= pairings.max() < len(packed.seats):
            raise ValueError(f"a pairing names a player outside 0 to {len(packed.seats) - 1}")
        if not taken[:, :2].all() or (taken[:, 1:] > taken[:, :-1]).any():
            raise ValueError("a pairing has fewer than two players, or an empty seat before one")
    return Batch(
        game.name,
        game.rules,
        packed,
        np.ascontiguousarray(pairings, dtype=np.int32),
        np.ascontiguousarray(seeds, dtype=np.uint64),
        np.ascontiguousarray(openings),
    )


def new_results(game: AnyGame, matches: int) -> Results:
    """Make arrays, filled with zeros, for the results of *matches* matches."""
    return Results.of(game.name, [np.zeros(s, kind) for kind, s in _outputs(game.name, matches)])


def join_results(parts: Sequence[Results]) -> Results:
    """Join the results of several batches of a game, as if they had been one."""
    joined = [np.concatenate(arrays) for arrays in zip(*(p.arrays for p in parts), strict=True)]
    places, plies, offenders, games, *rest = joined
    return Results(places, plies, offenders, games, dict(zip(parts[0].columns, rest, strict=True)))


def seat_players(tables: ArrayLike, seats: int) -> Pairings:
    """Return *tables*, shape ``(matches, players)``, filled up with empty seats to *seats* columns.

    >>> seat_players([[3, 1, 2]], 5).tolist()
    [[3, 1, 2, -1, -1]]
    """
    rows = np.asarray(tables, dtype=np.int32)
    pairings = np.full((len(rows), seats), EMPTY, dtype=np.int32)
    pairings[:, : rows.shape[1]] = rows
    return pairings


def rotations(tables: ArrayLike) -> NDArray[np.int32]:
    """Repeat each of *tables* as often as it has seats, moving all players up one seat each time.

    Args:
        tables: Shape ``(tables, seats)``.

    Returns:
        Shape ``(tables * seats, seats)``, the rotations of one table in a row. Seeds for them are
        ``np.repeat(seeds, seats)``, so that all have the same deals.

    >>> rotations([[7, 8, 9]]).tolist()
    [[7, 8, 9], [9, 7, 8], [8, 9, 7]]
    """
    rows = np.asarray(tables, dtype=np.int32)
    seats = rows.shape[1]
    turned = [np.roll(rows, shift, axis=1) for shift in range(seats)]
    return np.stack(turned, axis=1).reshape(-1, seats)


def _outputs(game: str, matches: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the types and shapes of the arrays of results."""
    spec = find_game(game)
    return tuple(
        (kind, (matches, spec.most_seats) if by_slot else (matches,))
        for kind, by_slot in (*OUTPUTS, *spec.columns.values())
    )
