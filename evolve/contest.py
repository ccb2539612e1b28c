"""What selection looks at: who met in a generation's tournaments and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.batch import Pairings, Results
from games.compiled import compiled, inlined
from games.stream import below, new_stream

__all__ = ["Contest", "draw_members", "sum_points", "sum_tournaments"]


@dataclass(frozen=True, eq=False)
class Contest:
    """The tournaments of one generation."""

    members: NDArray[np.int32]
    """Who took part, shape ``(tournaments, size)``."""
    points: NDArray[np.float64]
    """What each won in its tournament, shape ``(tournaments, size)``."""
    fitness: NDArray[np.float64]
    """Each individual's share of the points in all its matches, shape ``(individuals,)``."""

    def winners(self, generator: np.random.Generator) -> NDArray[np.int64]:
        """The winner of each tournament, shape ``(tournaments,)``; ties are drawn."""
        luck = generator.random(self.points.shape)
        best = self.points == self.points.max(axis=1, keepdims=True)
        places = np.argmax(np.where(best, luck, -1.0), axis=1)
        winners = self.members[np.arange(len(self.members)), places]
        return np.asarray(winners, dtype=np.int64)


def draw_members(individuals: int, tournaments: int, size: int, seed: int) -> NDArray[np.int32]:
    """Random tournaments, shape ``(tournaments, size)``; nobody is twice in the same one."""
    members = np.zeros((tournaments, size), dtype=np.int32)
    _draw(np.arange(individuals, dtype=np.int32), new_stream(seed), members)
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

    The matches of each tournament stand together, in the order of the rows of *members*.
    """
    points = np.zeros(members.shape)
    _sum_tournaments(results.outcomes, pairings, members, draw_points, points)
    return points


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
    matches = outcomes.shape[0] // members.shape[0]
    for match in range(outcomes.shape[0]):
        row = match // matches
        for side in range(2):
            for place in range(members.shape[1]):
                if members[row, place] == pairings[match, side]:
                    points[row, place] += _points_of(outcomes[match], side, draw_points)


@inlined
def _points_of(outcome: int, side: int, draw_points: float) -> Any:
    if outcome == 0:
        return draw_points
    return 1.0 if (outcome > 0) == (side == 0) else 0.0


@compiled
def _draw(deck: Any, stream: Any, members: Any) -> None:
    """Shuffles the front of *deck* (Fisher and Yates) once for each row."""
    for row in range(members.shape[0]):
        for place in range(members.shape[1]):
            other = place + below(stream, deck.shape[0] - place)
            deck[place], deck[other] = deck[other], deck[place]
            members[row, place] = deck[place]
