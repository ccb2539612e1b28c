"""The rule player of Ticket to Ride, after Łabno (2018), chapter 3; compiled.

At the beginning of a turn it takes the *general decision* (figure 3.1) for one of four classes;
one sub-decision for each of these, and one for the tickets offered, carries it out. Networks that
replace the general decision use the same sub-decisions. What his text leaves open or his program
does otherwise is a matter of reading; see :mod:`evolve_arena.games.ticket_to_ride.options`.
Beyond that:

- where routes are equally good, the one with the lowest number is claimed, and of two lines the
  first; of colours equally often held or wanted, the lowest number counts;
- the plan is made anew before the second card, too, with the hand as it is then;
- the second card is never an open locomotive;
- who could claim a route, but none that is possible by its plan, claims the one with most points
  before it passes, because passing is not allowed then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LOCOMOTIVE,
    ROUTE_LENGTH,
    ROUTE_LINES,
    TICKET_POINTS,
)
from evolve_arena.games.ticket_to_ride.cards import can_draw_cards
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    CLAIM,
    DECK_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    FORBIDDEN,
    HAND_AT,
    KEEP,
    KEEP_AT_START,
    KEEP_FIRST,
    KEEP_LATER,
    KEEP_TICKETS,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    PASS,
    PHASE,
    ROUND,
    TICKET_DECK_SIZE,
    TRAINS,
    TURN,
    player_at,
)
from evolve_arena.games.ticket_to_ride.notes import (
    AFFORDABLE,
    CAPACITY_AT,
    FREE_FIRST,
    FREE_SECOND,
    LACKING,
    MATCHING,
    NEEDS_AT,
    OPEN_TICKETS,
    PATHS_AT,
    POSSIBLE,
    seat_at,
)
from evolve_arena.games.ticket_to_ride.options import (
    CLAIM_IF,
    COLOUR,
    EARLY,
    INFEASIBLE,
    LACKING_KEPT,
    LATE_CLAIM,
    NEEDED,
    OPEN_CARD,
    OPPONENTS,
    SAME_COLOUR,
    TICKET_LIMIT,
)
from evolve_arena.games.ticket_to_ride.paths import (
    LENGTH_SETS,
    know_path,
    know_routes,
    routes_cost,
)
from evolve_arena.games.ticket_to_ride.plan import is_empty, prepare_turn

DO_NOTHING, DRAW_CARDS, TAKE_TICKETS, CLAIM_ROUTE = 0, 1, 2, 3
"""The classes of decisions (table 4.2)."""

CARDS_FOR_TICKETS = TRAINS_FOR_TICKETS = 8
"""So many cards in hand and trains left are needed to draw tickets (figure 3.1)."""
MANY_COLOURS = 3
"""Who lacks more colours than this draws blind (section 3.2.3)."""
FEW_CARDS = 4
"""Who lacks fewer cards than this takes open ones (section 3.2.3)."""
LESS_EARLY = 40
"""From this round on the chance to draw cards sinks faster (program)."""
SUBSETS = np.array([1, 2, 4, 3, 5, 6, 7], dtype=np.int64)
"""The sets of up to three tickets as bits, smaller ones first, as the program tries them."""
SUBSET_SIZES = np.array([1, 1, 1, 2, 2, 2, 3], dtype=np.int64)

JOKER = np.int64(LOCOMOTIVE)
"""As NumPy's number: a function called with a plain one is compiled for it alone."""
NONE, ONE = np.uint64(0), np.uint64(1)


@compiled
def rule_move(state: Any, seat: int, variant: int, decision: int, planned: bool, room: Any) -> int:
    """The number of the rule player's move, in any phase of the game but its end.

    It is ``FORBIDDEN`` if a *decision* was taken for it that it can't carry out.

    Args:
        state: The state, or what *seat* may know of it; it is this seat's turn.
        seat: Whose move it is.
        variant: How the description is read, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        decision: The class of decisions at the beginning of a turn, or -1 if it is to decide.
        planned: True if :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` was called.
        room: See :class:`evolve_arena.games.ticket_to_ride.notes.Room`; where
            chance decides, it comes from ``room.streams``.
    """
    phase = state[PHASE]
    if phase in (KEEP_FIRST, KEEP):
        return choose_tickets(state, seat, variant, room)
    if not planned and (phase == TURN or not variant & LACKING_KEPT):
        prepare_turn(state, seat, variant, room)
    if phase != TURN:
        decision = DRAW_CARDS
    elif decision < 0:
        decision = rule_decision(state, seat, variant, room)
    return carry_out(state, seat, variant, decision, room)


@inlined
def rule_decision(state: Any, seat: int, variant: int, room: Any) -> int:
    """The general decision: one of the four classes (figure 3.1).

    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has to be called before. The
    arguments are those of :func:`rule_move`.
    """
    plan = room.plan
    if room.counts[OPEN_TICKETS] == 0:
        decision = _decide_without_tickets(state, seat, variant, room)
        if decision != DO_NOTHING:
            return int(decision)
    if not is_empty(plan, MATCHING if variant & CLAIM_IF else POSSIBLE):
        return CLAIM_ROUTE
    if can_draw_cards(state):
        return DRAW_CARDS
    if is_empty(plan, POSSIBLE) and state[TICKET_DECK_SIZE] > 0:
        return TAKE_TICKETS
    return DO_NOTHING if is_empty(plan, AFFORDABLE) else CLAIM_ROUTE


@inlined
def carry_out(state: Any, seat: int, variant: int, decision: int, room: Any) -> int:
    """The move that a class of *decision* comes to, or ``FORBIDDEN`` if it can't be carried out.

    It is the beginning of a turn, and
    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has been called. The other
    arguments are those of :func:`rule_move`.
    """
    if decision == CLAIM_ROUTE:
        return choose_claim(state, seat, variant, room)
    drawable, tickets = can_draw_cards(state), state[TICKET_DECK_SIZE] > 0
    if decision == DRAW_CARDS and drawable:
        return choose_card(state, seat, variant, room)
    if decision == TAKE_TICKETS and tickets:
        return DRAW_TICKETS
    stuck = not drawable and not tickets and is_empty(room.plan, AFFORDABLE)
    return PASS if decision == DO_NOTHING and stuck else FORBIDDEN


@inlined
def choose_tickets(state: Any, seat: int, variant: int, room: Any) -> int:
    """Which of the offered tickets are kept (figure 3.2): those that cost the fewest trains.

    The arguments are those of :func:`rule_move`. A set of tickets costs what all routes of its
    paths cost together. Of equal costs more points are better, then the smaller set, and then the
    tickets offered first. Tickets already held do not count.
    """
    seats = room.seats
    know_routes(state, seat, seats)
    offered = state[OFFERED_SIZE]
    for place in range(offered):
        know_path(seat, state[OFFERED_AT + place], variant, seats, room.counts)
    limit = state[player_at(seat) + TRAINS] + (1 if variant & TICKET_LIMIT else 0)
    least = KEEP_AT_START if state[PHASE] == KEEP_FIRST else KEEP_LATER
    cheapest = lowest = 1 << 62
    best = makeshift = best_points = 0
    for number in range(SUBSETS.shape[0]):
        subset = SUBSETS[number]
        if SUBSET_SIZES[number] < least or subset >> offered:
            continue
        cost, points = _weigh_tickets(state, seat, subset, seats)
        if cost < limit:
            if cost < cheapest or (cost == cheapest and points > best_points):
                best, cheapest, best_points = subset, cost, points
            continue
        worth = points if variant & INFEASIBLE else cost
        if worth < lowest:
            makeshift, lowest = subset, worth
    return int(KEEP_TICKETS + (best if best else makeshift))


@inlined
def choose_card(state: Any, seat: int, variant: int, room: Any) -> int:
    """Which card is drawn (section 3.2.3): from the deck, or an open one that is lacking.

    The arguments are those of :func:`rule_move`; some card can be drawn, and
    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has been called unless the
    reading is that nothing is ever lacking.
    """
    counts = room.counts
    deck = state[DECK_SIZE] > 0
    first = state[PHASE] == TURN
    if not variant & LACKING_KEPT and not is_empty(room.plan, LACKING):
        total = _count_needs(state, seat, variant, room.plan, counts, room.seats)
        wanted, colours = 0, 0
        for colour in range(9):
            if counts[NEEDS_AT + colour] > counts[NEEDS_AT + wanted]:
                wanted = colour
            if counts[NEEDS_AT + colour] > 0:
                colours += 1
        if deck and colours > MANY_COLOURS:
            return DRAW_DECK
        if total < FEW_CARDS and _is_open(state, wanted) and (wanted != LOCOMOTIVE or first):
            return int(DRAW_OPEN + wanted)
        if total == 1 and first and _is_open(state, JOKER):
            return DRAW_OPEN + LOCOMOTIVE
    if deck:
        return DRAW_DECK
    return int(_choose_open_card(state, variant, room.streams))


@inlined
def choose_claim(state: Any, seat: int, variant: int, room: Any) -> int:
    """Which route is claimed with which cards (section 3.2.4), or ``FORBIDDEN`` if none can be.

    The shortest matching one; if none matches the possible one with most points. The arguments are
    those of :func:`rule_move`; :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has
    been called.
    """
    plan = room.plan
    if not is_empty(plan, MATCHING):
        route = _pick_route(plan, MATCHING, 1, 7, 1)
    elif not is_empty(plan, POSSIBLE):
        route = _pick_route(plan, POSSIBLE, 6, 0, -1)
    elif not is_empty(plan, AFFORDABLE):
        route = _pick_route(plan, AFFORDABLE, 6, 0, -1)
    else:
        return FORBIDDEN
    line = _choose_line(state, seat, route, variant, room)
    hand = player_at(seat) + HAND_AT
    colour = LINE_COLOUR[line]
    if colour == GREY:
        colour = _most_held(state, hand)
    if state[hand + colour] == 0:
        colour = LOCOMOTIVE
    return int(CLAIM + 9 * line + colour)


@inlined
def _decide_without_tickets(state: Any, seat: int, variant: int, room: Any) -> Any:
    """What who has no open ticket does first (figure 3.1, counts 1 to 3), or ``DO_NOTHING``."""
    claimable = not is_empty(room.plan, POSSIBLE)
    if _wants_tickets(state, seat, variant):
        return TAKE_TICKETS
    if claimable and _has_same_colour(state, seat, variant):
        return CLAIM_ROUTE
    if can_draw_cards(state) and _is_early(state[ROUND], variant, room.streams):
        return DRAW_CARDS
    return CLAIM_ROUTE if claimable and variant & LATE_CLAIM else DO_NOTHING


@compiled
def _wants_tickets(state: Any, seat: int, variant: int) -> Any:
    """Whether it is time for new tickets: cards, trains and time enough (figure 3.1, note 1)."""
    player = player_at(seat)
    if state[player + CARDS] < CARDS_FOR_TICKETS or state[player + TRAINS] < TRAINS_FOR_TICKETS:
        return False
    least = 7 if variant & OPPONENTS else 6
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other != seat and state[player_at(other) + TRAINS] < least:
            return False
    return state[TICKET_DECK_SIZE] > 0


@compiled
def _has_same_colour(state: Any, seat: int, variant: int) -> Any:
    """Whether there are many cards of one colour, locomotives being one (figure 3.1, note 2)."""
    hand = player_at(seat) + HAND_AT
    most = max(state[hand + _most_held(state, hand)], state[hand + LOCOMOTIVE])
    return most >= (6 if variant & SAME_COLOUR else 5)


@compiled
def _is_early(turn: int, variant: int, streams: Any) -> Any:
    """Whether it is still the beginning of the game, in which cards are drawn."""
    if variant & EARLY:
        return turn < 100
    number = below(streams, 20 + turn)
    if turn < LESS_EARLY:
        return 5 * number < 500 - 4 * turn
    return number < 100 - turn


@inlined
def _weigh_tickets(state: Any, seat: int, subset: int, seats: Any) -> tuple[Any, Any]:
    """What a *subset* of the offered tickets costs and brings."""
    low = high = NONE
    points = 0
    for place in range(3):
        if subset >> place & 1:
            ticket = state[OFFERED_AT + place]
            path = seat_at(seat) + PATHS_AT + 2 * ticket
            low |= seats[path]
            high |= seats[path + 1]
            points += TICKET_POINTS[ticket]
    return routes_cost(seat, low, high, seats), points


@compiled
def _count_needs(state: Any, seat: int, variant: int, plan: Any, counts: Any, seats: Any) -> Any:
    """Counts the cards wanted of each colour for all lacking routes; gives their total."""
    for colour in range(9):
        counts[NEEDS_AT + colour] = 0
    total = 0
    for word in range(2):
        left = plan[LACKING + word]
        while left:
            route = 64 * word + lowest_bit(left)
            left &= left - ONE
            if variant & NEEDED:
                total += ROUTE_LENGTH[route]
                for place in range(ROUTE_LINES[route]):
                    colour = LINE_COLOUR[LINE_OF_ROUTE[route] + place]
                    counts[NEEDS_AT + colour] += ROUTE_LENGTH[route]
            else:
                total += _count_missing(state, seat, route, counts, seats)
    return total


@compiled
def _count_missing(state: Any, seat: int, route: int, counts: Any, seats: Any) -> Any:
    """Adds the cards that are missing for a *route*, in the colour of which most are held."""
    colour = LINE_COLOUR[_held_line(state, seat, route, seats)]
    missing = ROUTE_LENGTH[route] - counts[CAPACITY_AT + colour]
    if colour == GREY:
        colour = _most_held(state, player_at(seat) + HAND_AT)
    counts[NEEDS_AT + colour] += missing
    return missing


@compiled
def _held_line(state: Any, seat: int, route: int, seats: Any) -> Any:
    """The free line of a *route* of whose colour the seat holds more cards."""
    at, word = seat_at(seat), route >> 6
    bit = ONE << np.uint64(route & 63)
    line = LINE_OF_ROUTE[route]
    if not seats[at + FREE_SECOND + word] & bit:
        return line
    if not seats[at + FREE_FIRST + word] & bit:
        return line + 1
    one, other = LINE_COLOUR[line], LINE_COLOUR[line + 1]
    hand = player_at(seat) + HAND_AT
    if one != GREY and state[hand + other] > state[hand + one]:
        return line + 1
    return line


@inlined
def _choose_line(state: Any, seat: int, route: int, variant: int, room: Any) -> Any:
    """Which line of a *route* that can be paid is claimed."""
    if not variant & COLOUR:
        return _held_line(state, seat, route, room.seats)
    at, word = seat_at(seat), route >> 6
    bit = ONE << np.uint64(route & 63)
    line, length = LINE_OF_ROUTE[route], ROUTE_LENGTH[route]
    one = _can_take(line, length, room.seats[at + FREE_FIRST + word] & bit, room.counts)
    other = _can_take(line + 1, length, room.seats[at + FREE_SECOND + word] & bit, room.counts)
    if not (one and other):
        return line if one else line + 1
    _count_needs(state, seat, variant, room.plan, room.counts, room.seats)
    counts = room.counts
    first = counts[NEEDS_AT + LINE_COLOUR[line]] > counts[NEEDS_AT + LINE_COLOUR[line + 1]]
    return line if first else line + 1


@inlined
def _can_take(line: int, length: int, free: Any, counts: Any) -> Any:
    """Whether a line of that *length* is *free* and the hand pays for it."""
    return free != NONE and counts[CAPACITY_AT + LINE_COLOUR[line]] >= length


@compiled
def _pick_route(plan: Any, place: Any, first: int, end: int, step: int) -> Any:
    """The first route of a set by lengths from *first* to before *end*, then by number."""
    for length in range(first, end, step):
        low = plan[place] & LENGTH_SETS[length, 0]
        if low:
            return lowest_bit(low)
        high = plan[place + 1] & LENGTH_SETS[length, 1]
        if high:
            return 64 + lowest_bit(high)
    return -1


@compiled
def _most_held(state: Any, hand: int) -> Any:
    """The colour, no locomotives, of which most cards are in the hand at *hand*."""
    best = 0
    for colour in range(1, LOCOMOTIVE):
        if state[hand + colour] > state[hand + best]:
            best = colour
    return best


@compiled
def _is_open(state: Any, colour: Any) -> Any:
    """Whether a card of a *colour* lies open."""
    found = False
    for place in range(state[OPEN_SIZE]):
        found |= state[OPEN_AT + place] == colour
    return found


@compiled
def _choose_open_card(state: Any, variant: int, streams: Any) -> Any:
    """Any of the open cards that may be taken now, or the first of them."""
    joker = state[PHASE] == TURN
    count = 0
    for place in range(state[OPEN_SIZE]):
        if joker or state[OPEN_AT + place] != LOCOMOTIVE:
            count += 1
    if count == 0:
        return FORBIDDEN
    skipped = 0 if variant & OPEN_CARD else below(streams, count)
    for place in range(state[OPEN_SIZE]):
        if joker or state[OPEN_AT + place] != LOCOMOTIVE:
            if skipped == 0:
                return DRAW_OPEN + state[OPEN_AT + place]
            skipped -= 1
    return FORBIDDEN
