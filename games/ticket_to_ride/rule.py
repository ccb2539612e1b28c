"""The compiled rule player of Ticket to Ride, after Łabno (2018), chapter 3.

At the beginning of a turn it takes the *general decision* (figure 3.1) for one of four classes; one
sub-decision for each of these, and one for the tickets offered, carries it out. Networks that
replace the general decision use the same sub-decisions. Where his text leaves details open or his
program differs, an option decides; see :mod:`evolve_arena.games.ticket_to_ride.options`. Beyond
that:

- of equally good routes, the one with the lowest number is claimed, and of two lines the first; of
  colours equally often held or wanted, the lowest number counts;
- the plan is made anew before the second card, too, with the hand of that moment;
- the second card is never an open locomotive;
- a player that can claim routes, but none that is possible by its plan, claims the one with most
  points instead of passing, which is illegal then.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below
from evolve_arena.core.types import Array, Number
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LOCOMOTIVE,
    ROUTE_LENGTH,
    ROUTE_LINES,
    TICKET_POINTS,
)
from evolve_arena.games.ticket_to_ride.cards import State, can_draw_cards
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
    BLOCKING,
    CAPACITY_AT,
    FREE_FIRST,
    FREE_SECOND,
    LACKING,
    MATCHING,
    NEEDS_AT,
    OPEN_TICKETS,
    PATHS_AT,
    POSSIBLE,
    Room,
    seat_at,
)
from evolve_arena.games.ticket_to_ride.options import (
    BLOCKS,
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
"""Classes of decisions (table 4.2)."""

CARDS_FOR_TICKETS = TRAINS_FOR_TICKETS = 8
"""Cards in hand and trains left that are needed to draw tickets (figure 3.1)."""
MANY_COLOURS = 3
"""Number of lacking colours above which the deck is drawn from (section 3.2.3)."""
FEW_CARDS = 4
"""Number of lacking cards below which open ones are taken (section 3.2.3)."""
LESS_EARLY = 40
"""Round from which the chance to draw cards sinks faster (program)."""
SUBSETS = np.array([1, 2, 4, 3, 5, 6, 7], dtype=np.int64)
"""Sets of up to three tickets as bits, smaller ones first, in the order in which the program tries
them."""
SUBSET_SIZES = np.array([1, 1, 1, 2, 2, 2, 3], dtype=np.int64)

JOKER = np.int64(LOCOMOTIVE)
"""The locomotive as a NumPy scalar: a function called with a plain constant is compiled for it
alone."""
NONE, ONE = np.uint64(0), np.uint64(1)


@compiled
def rule_move(
    state: State, seat: int, variant: int, decision: int, planned: bool, room: Room
) -> int:
    """Return the number of the rule player's move, in any phase but the end of the game.

    Return ``FORBIDDEN`` if the given *decision* can't be carried out.

    Args:
        state: The state, or the part of it that *seat* may know; it is this seat's turn.
        seat: The player to move.
        variant: The reading of the description, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        decision: General decision for the beginning of a turn, 0 to 3, such as a network's; -1 to
            let the rule player decide.
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
def rule_decision(state: State, seat: int, variant: int, room: Room) -> int:
    """Return the general decision: one of the four classes (figure 3.1).

    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has to be called before.

    Args:
        state: State, or the part of it that *seat* may know; this seat begins a turn.
        seat: Player to move.
        variant: Reading of the description, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        room: Plan of the turn, and random stream for decisions by chance; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    # A player that blocks does so rather than draw, if no route of its plan can be claimed.
    plan = room.plan
    if variant & BLOCKS and is_empty(plan, MATCHING) and not is_empty(plan, BLOCKING):
        return CLAIM_ROUTE
    # Then new tickets, but only once all of those held are done.
    if room.counts[OPEN_TICKETS] == 0:
        decision = _decide_without_tickets(state, seat, variant, room)
        if decision != DO_NOTHING:
            return int(decision)
    # Then a route of the plan, cards, and more tickets, in this order.
    if not is_empty(plan, MATCHING if variant & CLAIM_IF else POSSIBLE):
        return CLAIM_ROUTE
    if can_draw_cards(state):
        return DRAW_CARDS
    if is_empty(plan, POSSIBLE) and state[TICKET_DECK_SIZE] > 0:
        return TAKE_TICKETS
    return DO_NOTHING if is_empty(plan, AFFORDABLE) else CLAIM_ROUTE


@inlined
def carry_out(state: State, seat: int, variant: int, decision: int, room: Room) -> int:
    """Return the move that carries out a *decision*, or ``FORBIDDEN`` if none does.

    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has to be called before.

    Args:
        state: State, or the part of it that *seat* may know; this seat begins a turn.
        seat: Player to move.
        variant: Reading of the description, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        decision: General decision: ``DO_NOTHING``, ``DRAW_CARDS``, ``TAKE_TICKETS`` or
            ``CLAIM_ROUTE``.
        room: Plan of the turn, and random stream for decisions by chance; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
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
def choose_tickets(state: State, seat: int, variant: int, room: Room) -> int:
    """Return the move that keeps the offered tickets that cost the fewest trains (figure 3.2).

    A set of tickets costs what all routes of its paths cost together. Of equal costs more points
    are better, then the smaller set, and then the tickets offered first. Tickets already held do
    not count.

    Args:
        state: State, or the part of it that *seat* may know; tickets are offered to this seat.
        seat: Player to move.
        variant: Reading of the description, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        room: Routes and paths of the seat, which are brought up to date; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    seats = room.seats
    know_routes(state, seat, seats)
    offered = state[OFFERED_SIZE]
    for place in range(offered):
        know_path(seat, state[OFFERED_AT + place], variant, seats, room.counts)
    limit = state[player_at(seat) + TRAINS] + (1 if variant & TICKET_LIMIT else 0)
    least = KEEP_AT_START if state[PHASE] == KEEP_FIRST else KEEP_LATER
    # The best feasible set, and a makeshift if none is feasible.
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
def choose_card(state: State, seat: int, variant: int, room: Room) -> int:
    """Return the draw of a card (section 3.2.3): from the deck, or an open one that is lacking.

    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has to be called before, unless the
    reading is that nothing is ever lacking.

    Args:
        state: State, or the part of it that *seat* may know; this seat can draw a card, the first
            or the second of its turn.
        seat: Player to move.
        variant: Reading of the description, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        room: Plan of the seat, and random stream that chooses among open cards; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    counts = room.counts
    deck = state[DECK_SIZE] > 0
    first = state[PHASE] == TURN
    # Lacking few cards, take the most wanted colour if it lies open; lacking many colours, draw
    # blind.
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
def choose_claim(state: State, seat: int, variant: int, room: Room) -> int:
    """Return the claim of a route and its payment (section 3.2.4), or ``FORBIDDEN`` if none.

    It is the shortest matching route; if none matches, the blocking one with most points for a
    player that blocks, else the possible one with most points.
    :func:`~evolve_arena.games.ticket_to_ride.plan.prepare_turn` has to be called before.

    Args:
        state: State, or the part of it that *seat* may know; this seat begins a turn.
        seat: Player to move.
        variant: Reading of the description, as bits of
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        room: Plan of the turn; see :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    plan = room.plan
    if not is_empty(plan, MATCHING):
        route = _pick_route(plan, MATCHING, 1, 7, 1)
    elif variant & BLOCKS and not is_empty(plan, BLOCKING):
        route = _pick_route(plan, BLOCKING, 6, 0, -1)
    elif not is_empty(plan, POSSIBLE):
        route = _pick_route(plan, POSSIBLE, 6, 0, -1)
    elif not is_empty(plan, AFFORDABLE):
        route = _pick_route(plan, AFFORDABLE, 6, 0, -1)
    else:
        return FORBIDDEN
    # Pay with the line's colour, on a grey line with the colour held most.
    line = _choose_line(state, seat, route, variant, room)
    hand = player_at(seat) + HAND_AT
    colour: Number = LINE_COLOUR[line]
    if colour == GREY:
        colour = _most_held(state, hand)
    if state[hand + colour] == 0:
        colour = LOCOMOTIVE
    return int(CLAIM + 9 * line + colour)


@inlined
def _decide_without_tickets(state: State, seat: int, variant: int, room: Room) -> Number:
    """Return the first decision without open tickets (figure 3.1), or ``DO_NOTHING``."""
    claimable = not is_empty(room.plan, POSSIBLE)
    if _wants_tickets(state, seat, variant):
        return TAKE_TICKETS
    if claimable and _has_same_colour(state, seat, variant):
        return CLAIM_ROUTE
    if can_draw_cards(state) and _is_early(state[ROUND], variant, room.streams):
        return DRAW_CARDS
    return CLAIM_ROUTE if claimable and variant & LATE_CLAIM else DO_NOTHING


@compiled
def _wants_tickets(state: State, seat: int, variant: int) -> bool:
    """Return True if cards, trains and time suffice for new tickets (figure 3.1, note 1)."""
    player = player_at(seat)
    if state[player + CARDS] < CARDS_FOR_TICKETS or state[player + TRAINS] < TRAINS_FOR_TICKETS:
        return False
    least = 7 if variant & OPPONENTS else 6
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other != seat and state[player_at(other) + TRAINS] < least:
            return False
    return bool(state[TICKET_DECK_SIZE] > 0)


@compiled
def _has_same_colour(state: State, seat: int, variant: int) -> bool:
    """Return True if there are many cards of a colour, or locomotives (figure 3.1, note 2)."""
    hand = player_at(seat) + HAND_AT
    most = max(state[hand + _most_held(state, hand)], state[hand + LOCOMOTIVE])
    return bool(most >= (6 if variant & SAME_COLOUR else 5))


@compiled
def _is_early(turn: int, variant: int, streams: Stream) -> bool:
    """Return True at the beginning of the game, when cards are drawn without tickets."""
    if variant & EARLY:
        return turn < 100
    number = below(streams, 20 + turn)
    if turn < LESS_EARLY:
        return bool(5 * number < 500 - 4 * turn)
    return bool(number < 100 - turn)


@inlined
def _weigh_tickets(state: State, seat: int, subset: int, seats: Array) -> tuple[Number, Number]:
    """Return the cost of a *subset* of the offered tickets in trains, and its points."""
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
def _count_needs(
    state: State, seat: int, variant: int, plan: Array, counts: Array, seats: Array
) -> Number:
    """Count the cards wanted of each colour for all lacking routes, and return their total."""
    for colour in range(9):
        counts[NEEDS_AT + colour] = 0
    total = 0
    for word in range(2):
        left = plan[LACKING + word]
        while left:
            route = 64 * word + lowest_bit(left)
            left &= left - ONE
            # The program counts whole lengths for all lines, the text only the missing cards.
            if variant & NEEDED:
                total += ROUTE_LENGTH[route]
                for place in range(ROUTE_LINES[route]):
                    colour = LINE_COLOUR[LINE_OF_ROUTE[route] + place]
                    counts[NEEDS_AT + colour] += ROUTE_LENGTH[route]
            else:
                total += _count_missing(state, seat, route, counts, seats)
    return total


@compiled
def _count_missing(state: State, seat: int, route: int, counts: Array, seats: Array) -> Number:
    """Add the cards missing for a *route* in the colour held most; return their number."""
    colour = LINE_COLOUR[_held_line(state, seat, route, seats)]
    missing = ROUTE_LENGTH[route] - counts[CAPACITY_AT + colour]
    if colour == GREY:
        colour = _most_held(state, player_at(seat) + HAND_AT)
    counts[NEEDS_AT + colour] += missing
    return missing


@compiled
def _held_line(state: State, seat: int, route: int, seats: Array) -> Number:
    """Return the free line of a *route* whose colour the seat holds more cards of."""
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
def _choose_line(state: State, seat: int, route: int, variant: int, room: Room) -> Number:
    """Return the line of an affordable *route* to claim."""
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
def _can_take(line: int, length: int, free: Number, counts: Array) -> bool:
    """Return True if a line of that *length* is *free* and the hand can pay for it."""
    return bool(free != NONE and counts[CAPACITY_AT + LINE_COLOUR[line]] >= length)


@compiled
def _pick_route(plan: Array, place: Number, first: int, end: int, step: int) -> Number:
    """Return the first route of a set by length, from *first* until *end*, then by number."""
    for length in range(first, end, step):
        low = plan[place] & LENGTH_SETS[length, 0]
        if low:
            return lowest_bit(low)
        high = plan[place + 1] & LENGTH_SETS[length, 1]
        if high:
            return 64 + lowest_bit(high)
    return -1


@compiled
def _most_held(state: State, hand: int) -> Number:
    """Return the colour, locomotives excepted, with most cards in the hand at *hand*."""
    best = 0
    for colour in range(1, LOCOMOTIVE):
        if state[hand + colour] > state[hand + best]:
            best = colour
    return best


@compiled
def _is_open(state: State, colour: Number) -> bool:
    """Return True if a card of a *colour* lies open."""
    found = False
    for place in range(state[OPEN_SIZE]):
        found |= state[OPEN_AT + place] == colour
    return bool(found)


@compiled
def _choose_open_card(state: State, variant: int, streams: Stream) -> Number:
    """Return a random open card that may be taken now, or the first one, as the variant says."""
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
