"""Layout of the facts that a survey gathers for a seat about the map and its hand."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.genomes.simd import peek, poke

OPEN_TICKETS = 0
"""Index in ``facts`` of the number of open tickets: those held and not yet completed. Their numbers
follow from :data:`OPEN_AT` on."""
OPEN_AT = 1
LANE_AT = OPEN_AT + 30
"""For each ticket whose distances are known, the first of the two lanes that hold them."""
REACHED_AT = LANE_AT + 30
"""For each seat, the cities that its routes touch, as bits."""
NEED_AT = REACHED_AT + MAX_PLAYERS
"""Number of cards of each colour that the routes of the plan take; field 8 is for grey routes."""
LENGTHS_AT = NEED_AT + 9
"""For each colour, the lengths of the lines that it may pay for, as bits."""
WANTED_AT = LENGTHS_AT + 9
"""Routes of the plan that can be claimed, as bits of two words."""
MISSING_AT = WANTED_AT + 2
"""For each colour, the number of missing cards; see
:func:`evolve_arena.games.ticket_to_ride.survey.count_missing`."""
GAIN_AT = MISSING_AT + 9
"""For each colour, the points that one more card of it brings at once."""
SUBSET_AT = GAIN_AT + 9
"""Space for a list of tickets."""
BEST_AT = SUBSET_AT + 33
"""Space for a move of each colour."""

NO_CARD_HELPS = 99
ONE = np.int64(1)


@inlined
def is_wanted(facts: Array, route: int) -> bool:
    """Return True if the plan contains a *route* that can be claimed."""
    return bool((peek(facts, WANTED_AT + (route >> 6)) >> (route & 63)) & ONE)


@compiled
def collect_open(facts: Array) -> Number:
    """Copy the open tickets to :data:`SUBSET_AT`, for `measure_tree`, and return their number."""
    count = peek(facts, OPEN_TICKETS)
    for place in range(count):
        poke(facts, SUBSET_AT + place, peek(facts, OPEN_AT + place))
    return count
