"""What selection looks at: who met in a generation's tournaments and what came of it.

The hall of fame: earlier champions, kept as opponents.

A population that only meets itself forgets what it has learnt to beat. The fitness with which
a champion entered says nothing in another generation, so members are not ranked: a new one
takes the place of a random old one, and the hall keeps players of all ages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evolve_arena.arena.batch import Pairings, Results
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.game import Config
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.stream import Stream, below


@dataclass(frozen=True, eq=False)
class Contest:
    """The tournaments of one generation."""

    members: NDArray[np.int32]
    """Who took part, shape ``(tournaments, size)``."""
    points: NDArray[np.float64]
    """What each won in its tournament, shape ``(tournaments, size)``."""
    fitness: NDArray[np.float64]
    """Each individual's share of the points in all its matches, shape ``(individuals,)``."""

    def winners(self, stream: Stream) -> NDArray[np.int64]:
        """The winner of each tournament, shape ``(tournaments,)``; ties are drawn."""
        winners = np.empty(len(self.members), dtype=np.int64)
        _find_winners(self.members, self.points, stream, winners)
        return winners


def draw_members(
    individuals: int, tournaments: int, size: int, stream: Stream
) -> NDArray[np.int32]:
    """Random tournaments, shape ``(tournaments, size)``; nobody is twice in the same one."""
    members = np.zeros((tournaments, size), dtype=np.int32)
    _draw(np.arange(individuals, dtype=np.int32), stream, members)
    return members


def sum_points(
    results: Results, pairings: Pairings, players: int, draw_points: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each player won in all its matches, and in how many; both of shape ``(players,)``."""
    points, played = np.zeros(players), np.zeros(players)
    _sum_points(results.outcomes, pairings, draw_points, points, played)
    return points, played


def sum_tournaments(
    results: Results, pairings: Pairings, members: NDArray[np.int32], draw_points: float
) -> NDArray[np.float64]:
    """What each member won in its tournament, shape ``(tournaments, size)``.

    The matches of each tournament stand together, in the order of the rows of *members*, and
    those of each pair as well, in the order of :func:`evolve_arena.arena.pairings.round_robin`.
    """
    points = np.zeros(members.shape)
    _sum_tournaments(results.outcomes, pairings, members, draw_points, points)
    return points


def sum_members(
    members: NDArray[np.int32], won: NDArray[np.float64], matches: int, players: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same as :func:`sum_points`, from what :func:`sum_tournaments` found in *matches*."""
    each = 2.0 * matches / members.size
    points = np.bincount(members.ravel(), weights=won.ravel(), minlength=players)
    played = each * np.bincount(members.ravel(), minlength=players)
    return points.astype(np.float64), played.astype(np.float64)


@compiled
def _sum_points(outcomes: Any, pairings: Any, draw_points: float, points: Any, played: Any) -> None:
    for match in range(outcomes.shape[0]):
        for side in range(2):
            player = pairings[match, side]
            points[player] += _points_of(outcomes[match], side, draw_points)
            played[player] += 1.0


@compiled
def _sum_tournaments(
    outcomes: Any, pairings: Any, members: Any, draw_points: float, points: Any
) -> None:
    tournaments, size = members.shape
    repeats = outcomes.shape[0] // (tournaments * (size * (size - 1) // 2))
    match = 0
    for row in range(tournaments):
        for one in range(size):
            for other in range(one + 1, size):
                for _ in range(repeats):
                    side = 0 if pairings[match, 0] == members[row, one] else 1
                    points[row, one] += _points_of(outcomes[match], side, draw_points)
                    points[row, other] += _points_of(outcomes[match], 1 - side, draw_points)
                    match += 1


@compiled
def _find_winners(members: Any, points: Any, stream: Any, winners: Any) -> None:
    for row in range(members.shape[0]):
        best = points[row, 0]
        equals = 1
        winners[row] = members[row, 0]
        for place in range(1, members.shape[1]):
            if points[row, place] > best:
                best = points[row, place]
                equals = 1
                winners[row] = members[row, place]
            elif points[row, place] == best:
                equals += 1
                if below(stream, equals) == 0:
                    winners[row] = members[row, place]


@inlined
def _points_of(outcome: int, side: int, draw_points: float) -> Any:
    """Without branches: outcomes are as good as random, and a wrong guess costs 20 cycles."""
    return np.float64(outcome == 1 - 2 * side) + draw_points * np.float64(outcome == 0)


@compiled
def _draw(deck: Any, stream: Any, members: Any) -> None:
    """Shuffles the front of *deck* (Fisher and Yates) once for each row."""
    for row in range(members.shape[0]):
        for place in range(members.shape[1]):
            other = place + below(stream, deck.shape[0] - place)
            deck[place], deck[other] = deck[other], deck[place]
            members[row, place] = deck[place]


class HallOfFame(Config):
    """The section ``[method.hall_of_fame]`` of a recipe."""

    size: int = Field(default=50, ge=1, le=10_000)
    """How many champions are kept."""
    every: int = Field(default=10, ge=1)
    """A generation's fittest enters every so many generations."""
    opponents: int = Field(default=0, ge=0, le=1000)
    """How many members every individual meets, both colours; 0 switches the hall off."""
    weight: float = Field(default=1.0, ge=0.0, le=100.0)
    """What a win against a member counts, a win in the tournament being 1."""


def keep_members(
    config: HallOfFame, members: int, seed: int, generation: int
) -> NDArray[np.int64] | None:
    """The rows of the hall that stay when this *generation*'s fittest enters; None if it doesn't.

    Args:
        config: The hall.
        members: How many are in there.
        seed: The run's seed.
        generation: The number of this generation.
    """
    if not config.opponents or generation % config.every:
        return None
    stay = np.arange(members)
    if members >= config.size:
        leaves = derive_generator(seed, generation, "leaves the hall").integers(members)
        stay = np.delete(stay, leaves)
    return stay


def remember(
    config: HallOfFame,
    hall: NDArray[np.float32],
    fittest: NDArray[np.float32],
    seed: int,
    generation: int,
) -> NDArray[np.float32]:
    """The hall after this *generation*, with its *fittest* if it is time for one to enter."""
    stay = keep_members(config, len(hall), seed, generation)
    return hall if stay is None else np.concatenate([hall[stay], fittest[None, :]])
