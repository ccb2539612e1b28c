"""What selection looks at: who met in a generation's tournaments and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.compiled import compiled
from games.stream import below, new_stream

__all__ = ["Contest", "draw_members"]


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


@compiled
def _draw(deck: Any, stream: Any, members: Any) -> None:
    """Shuffles the front of *deck* (Fisher and Yates) once for each row."""
    for row in range(members.shape[0]):
        for place in range(members.shape[1]):
            other = place + below(stream, deck.shape[0] - place)
            deck[place], deck[other] = deck[other], deck[place]
            members[row, place] = deck[place]
