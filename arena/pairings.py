"""Pairings, as arrays of rows of packed players; the first of each pair moves first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Openings, Pairings
from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, below
from evolve_arena.core.types import Array


def round_robin(players: int) -> Pairings:
    """Pair every two of *players* once, shape ``(players * (players - 1) / 2, 2)``.

    >>> round_robin(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    first, second = np.triu_indices(players, k=1)
    return np.stack([first, second], axis=1).astype(np.int32)


def tournaments(members: NDArray[np.int32]) -> Pairings:
    """Pair the members of each row of *members*, shape ``(tournaments, size)``, in a round robin.

    All pairs of the first row come first. In each pair, the player further left in the row moves
    first.
    """
    rows, size = members.shape
    pairings = np.empty((rows * (size * (size - 1) // 2), 2), dtype=np.int32)
    _pair_members(members, pairings)
    return pairings


def gauntlet(players: NDArray[np.int32], opponents: NDArray[np.int32]) -> Pairings:
    """Pair each of *players* with each of *opponents*, the player moving first.

    >>> gauntlet(np.array([0, 1]), np.array([5, 6])).tolist()
    [[0, 5], [0, 6], [1, 5], [1, 6]]
    """
    first = np.repeat(players, len(opponents))
    second = np.tile(opponents, len(players))
    return np.stack([first, second], axis=1).astype(np.int32)


def random_opponents(players: int, opponents: int, rng: Stream) -> Pairings:
    """Pair each player with the same number of random opponents.

    No two players meet twice.

    Args:
        players: Number of players.
        opponents: Number of opponents of each player, rounded up to an even number; if that is all
            others or more, the result is a round robin.
        rng: Source of random numbers.
    """
    shifts = -(-opponents // 2)
    if 2 * shifts >= players - 1:
        return round_robin(players)
    # Players in a random circle meet those at some random distances.
    order = np.arange(players, dtype=np.int32)
    distances = np.arange(1, (players - 1) // 2 + 1, dtype=np.int32)
    _shuffle(order, rng)
    _shuffle(distances, rng)
    first = np.tile(order, shifts)
    second = np.concatenate([np.roll(order, int(shift)) for shift in distances[:shifts]])
    return np.stack([first, second], axis=1)


def inside_groups(groups: NDArray[np.int32]) -> Pairings:
    """Pair every two players of the same group once; *groups* has shape ``(players,)``.

    >>> inside_groups(np.array([0, 1, 0, 0])).tolist()
    [[0, 2], [0, 3], [2, 3]]
    """
    parts = [np.zeros((0, 2), dtype=np.int32)]
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group).astype(np.int32)
        parts.append(members[round_robin(len(members))])
    return np.concatenate(parts)


def both_colours(pairings: Pairings) -> Pairings:
    """Repeat each pairing, the second time with the other player moving first.

    >>> both_colours(round_robin(2)).tolist()
    [[0, 1], [1, 0]]
    """
    return np.stack([pairings, pairings[:, ::-1]], axis=1).reshape(-1, 2)


def over_openings(pairings: Pairings, openings: Openings) -> tuple[Pairings, Openings]:
    """Repeat each pairing for each opening: all openings of the first pairing come first."""
    return (
        np.repeat(pairings, len(openings), axis=0),
        np.tile(openings, (len(pairings), 1)),
    )


@compiled
def _pair_members(members: Array, pairings: Array) -> None:
    match = 0
    for row in range(members.shape[0]):
        for one in range(members.shape[1]):
            for other in range(one + 1, members.shape[1]):
                pairings[match, 0] = members[row, one]
                pairings[match, 1] = members[row, other]
                match += 1


@compiled
def _shuffle(numbers: Array, rng: Stream) -> None:
    for place in range(numbers.shape[0] - 1):
        other = place + below(rng, numbers.shape[0] - place)
        numbers[place], numbers[other] = numbers[other], numbers[place]


def random_openings(
    game: AnyGame, plies: int, count: int, seed: int, *, generation: int = 0
) -> Openings:
    """Draw random legal openings that do not end the game, shape ``(count, plies)``.

    Args:
        game: The rules.
        plies: Number of moves in each opening.
        count: Number of openings.
        seed: Seed of the openings; at least 0.
        generation: Number of the generation, as each has openings of its own.

    Raises:
        BadValueError: There may be no such opening, as *plies* is negative or above
            :func:`longest_opening`.
    """
    check_plies(game, plies)
    kernel = find_game(game.name).kernel
    openings = np.zeros((count, plies), dtype=np.int64)
    if plies and kernel.draw_openings:
        kernel.draw_openings(
            game.rules, derive_seeds(seed, generation, "openings", count), openings
        )
    return openings


def longest_opening(game: AnyGame) -> int:
    """Return the most random plies of an opening; 0 in games of chance, which differ anyway."""
    return find_game(game.name).kernel.longest_opening(game.rules)


def check_plies(game: AnyGame, plies: int) -> None:
    """Make sure that a *game* may begin with so many random *plies*.

    Raises:
        BadValueError: The number is out of range.
    """
    most = longest_opening(game)
    if not 0 <= plies <= most:
        where = "on this board from 0 to" if most else "games of chance begin with"
        raise BadValueError(f"openings of {plies} plies: {where} {most}")
