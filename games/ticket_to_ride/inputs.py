"""How the features of a state reach networks: the numbers by which they are multiplied."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled

FEATURE_SETS = (26, 28)
"""How many features a player may see."""

FEATURE_SCALES = np.array(
    [
        *(1 / 64, 1 / 32, 1 / 8, 1 / 128, 1 / 128),
        *(1 / 8, 1 / 32, 1 / 64, 1 / 128, 1 / 128),
        *(1 / 32, 1 / 16, 1 / 16, 1 / 16),
        1 / 8,
        *(1 / 64, 1 / 64, 1 / 64, 1 / 64),
        *(1 / 8, 1 / 8, 1 / 8, 1 / 8),
        *(1 / 4, 1 / 8, 1 / 128),
        *(1 / 16, 1 / 8),
    ],
    dtype=np.float32,
)
"""By what each of the 28 features is multiplied to lie in about 0 to 1, shape ``(28,)``.

Powers of two, so that nothing is rounded and the first layer's weights can be multiplied instead.
In the order of :data:`evolve_arena.games.ticket_to_ride.features.FEATURE_NAMES`: round, cards in
hand, open, in the deck, discarded; own tickets, ticket deck, own trains, own points, deck and open;
routes possible, matching, of the goal, lacking; players; trains four times; tickets four times;
open and done tickets, points of routes; capacity and number of colours.
"""


@compiled
def scale_of(feature: int) -> float:
    """By what a *feature*, 0 to 27, is multiplied."""
    return np.float64(FEATURE_SCALES[feature])
