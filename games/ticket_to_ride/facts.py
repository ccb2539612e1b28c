"""Where the facts of a survey stand that tell what a seat sees on the map and in its hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.genomes.simd import peek, poke

OPEN_TICKETS = 0
"""Fields of ``facts``: how many tickets in hand are not done; and from :data:`OPEN_AT` on which."""
OPEN_AT = 1
LANE_AT = OPEN_AT + 30
"""For each ticket, if ways from its cities are known, where among these."""
REACHED_AT = LANE_AT + 30
"""For each seat the cities that its routes touch, as bits."""
NEED_AT = REACHED_AT + MOST_PLAYERS
"""How many cards of each colour the routes of the plan take; in field 8 for grey routes."""
LENGTHS_AT = NEED_AT + 9
"""For each colour the lengths of the lines that may be paid with it, as bits."""
WANTED_AT = LENGTHS_AT + 9
"""The routes that the plan wants and that can be claimed, as bits of two words."""
MISSING_AT = WANTED_AT + 2
"""For each colour how many cards are missing; see
:func:`evolve_arena.games.ticket_to_ride.survey.count_missing`."""
GAIN_AT = MISSING_AT + 9
"""For each colour the points that a card of it brings at once."""
SUBSET_AT = GAIN_AT + 9
"""Room for a list of tickets."""
BEST_AT = SUBSET_AT + 33
"""Room for a move of each colour."""

NO_CARD_HELPS = 99
ONE = np.int64(1)


@inlined
def is_wanted(facts: Any, route: int) -> Any:
    """Whether the plan wants a *route* that can be claimed."""
    return ((peek(facts, WANTED_AT + (route >> 6)) >> (route & 63)) & ONE) != 0


@compiled
def collect_open(facts: Any) -> Any:
    """Copies the open tickets to where a tree is measured, and gives their number."""
    count = peek(facts, OPEN_TICKETS)
    for place in range(count):
        poke(facts, SUBSET_AT + place, peek(facts, OPEN_AT + place))
    return count
