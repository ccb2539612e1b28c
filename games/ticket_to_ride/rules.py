"""Ticket to Ride on the map of the United States: claim routes, and complete tickets with them.

A state is an array whose fields, like the numbers of moves, are explained in
:mod:`evolve_arena.games.ticket_to_ride.layout`. The decks follow from two outcomes of chance, and
later shuffles from the state's own stream. Source: the published rules (Days of Wonder, 2004).
"""

import re

import numpy as np

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.board import COLOURS, LINES
from evolve_arena.games.ticket_to_ride.cards import can_draw_cards
from evolve_arena.games.ticket_to_ride.features import (
    FEATURE_NAMES,
    FEATURE_SCALES,
    fill_features,
)
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_SIZE,
    DRAW_DECK,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PASS,
    PHASE,
    ROUND,
    SECRETS,
    STATE_FIELDS,
    STREAM,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import can_claim, list_moves
from evolve_arena.games.ticket_to_ride.move_features import INPUTS, MOVE_NAMES, write_move
from evolve_arena.games.ticket_to_ride.moves import format_move, parse_move
from evolve_arena.games.ticket_to_ride.notes import (
    COUNTS_AT,
    EDGES_AT,
    FACTS_AT,
    INPUTS_AT,
    KEYS_AT,
    NEAREST_AT,
    PLAN_AT,
    ROOM_SIZE,
    SEATS_AT,
    STREAM_AT,
    WAYS_AT,
    Room,
)
from evolve_arena.games.ticket_to_ride.options import describe_variant, parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.pruning import prune_moves
from evolve_arena.games.ticket_to_ride.rule import rule_move
from evolve_arena.games.ticket_to_ride.scoring import (
    count_points,
    count_tickets,
    is_done,
    path_points,
)
from evolve_arena.games.ticket_to_ride.show import describe, draw_map, list_panels
from evolve_arena.games.ticket_to_ride.situation import (
    MOVES_AT,
    SITUATION_NAMES,
    describe_situation,
)
from evolve_arena.games.ticket_to_ride.survey import survey
from evolve_arena.games.ticket_to_ride.turns import apply_move, deal
from evolve_arena.games.ticket_to_ride.views import deal_hidden, hide

SEATS = 4
"""Number of players."""
LONGEST_PATH = 0
"""1: the longest path is worth ten points more."""
OPTIONS = {"SEATS": range(2, 6), "LONGEST_PATH": (0, 1)}
MOVES = PASS + 1
LONGEST = 2000
CELLS = LINES
PLANE_NAMES = (
    *("own lines", "others' lines"),
    *(f"own {colour} cards" for colour in COLOURS),
    *("open cards, five for each colour", "own tickets, done tickets, those on offer"),
    *("own trains, and fewest of another", "cards in the deck; phase"),
)
PLANES = len(PLANE_NAMES)
PLAYERS = ("rule",)
OPPONENTS = ("rule", "random")
LADDER = ("rule", "rule:code", "random")
SIDES = tuple(f"player {seat + 1}" for seat in range(SEATS))
KINDS = ("pass", "draw cards", "draw tickets", "claim")
PASS_KIND, DRAW_CARDS_KIND, DRAW_TICKETS_KIND, CLAIM_KIND = range(4)
FEATURES = (*FEATURE_NAMES, *SITUATION_NAMES)
MOVE_FEATURES = MOVE_NAMES
LIMITS = (110, 120, 140)
TALLIES = ("tickets done", "tickets failed", "rounds")
ENDINGS = ("trains have run out", "trains have run out")
NOTES = ROOM_SIZE
PLANNED, SURVEYED = 1, 2
"""Bits of the first note: the parts of the notes that hold for the current state."""
OUTCOMES = 1 << 16


def start():
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    state[SECRETS] = 2
    return state


def to_move(state):
    return state[TO_MOVE]


def chance(state):
    """Return the number of outcomes: two numbers of 16 bits decide the decks."""
    return OUTCOMES if state[SECRETS] > 0 else 0


def resolve(state, outcome):
    state[STREAM] = state[STREAM] * OUTCOMES + outcome
    state[SECRETS] -= 1
    if state[SECRETS] == 0:
        deal(SEATS, state)


def legal(state, moves):
    return list_moves(state, moves)


def play(state, move):
    apply_move(state, move)


def is_over(state):
    return state[PHASE] == OVER


def points(state, seat):
    own = count_points(state, seat)
    if LONGEST_PATH:
        own += path_points(state, seat)
    return own


def tally(state, seat, out):
    out[0], out[1] = count_tickets(state, seat)
    out[2] = state[ROUND]


def view(state, seat):
    """Hide others' hands and tickets, the decks, and tickets offered to others."""
    hide(state, seat)


def guesses(state, seat):
    return OUTCOMES if state[SECRETS] > 0 else 0


def guess(state, seat, number):
    """Deal the hidden cards and tickets anew, from two numbers as at the start."""
    state[STREAM] = state[STREAM] * OUTCOMES + number
    state[SECRETS] -= 1
    if state[SECRETS] == 0:
        deal_hidden(state, seat)


def see(state, seat, planes):
    """Set bits for lines, cards, tickets and trains; a number sets as many bits."""
    for line in range(LINES):
        if state[OWNER_AT + line] >= 0:
            put(planes, state[OWNER_AT + line] != seat, line)
    own = player_at(seat)
    for colour in range(9):
        fill(planes, 2 + colour, 0, state[own + HAND_AT + colour])
    seen = 0  # number of open cards of each colour, four bits each
    for place in range(state[OPEN_SIZE]):
        colour = state[OPEN_AT + place]
        if colour >= 0:
            shift = 4 * colour
            put(planes, 11, 5 * colour + (seen >> shift & 7))
            seen += 1 << shift
    for place in range(state[own + HELD_TICKETS]):
        ticket = state[own + TICKETS_AT + place]
        put(planes, 12, ticket + 30 * is_done(state, seat, ticket))
    for place in range(state[OFFERED_SIZE] if state[TO_MOVE] == seat else 0):
        put(planes, 12, 60 + state[OFFERED_AT + place])
    # The opponent closest to ending the game.
    fewest = 45
    for other in range(SEATS):
        if other != seat:
            fewest = min(fewest, state[player_at(other) + TRAINS])
    fill(planes, 13, 0, state[own + TRAINS])
    fill(planes, 13, 50, fewest)
    fill(planes, 14, 0, (state[DECK_SIZE] + 9) // 10)
    put(planes, 14, 20 + state[PHASE])


def put(planes, plane, bit):
    planes[2 * plane + (bit >> 6)] |= np.uint64(1) << np.uint64(bit & 63)


def fill(planes, plane, first, count):
    for bit in range(first, first + count):
        put(planes, plane, bit)


def kinds(state):
    """Return the kinds of moves at the beginning of a turn; other phases have one kind."""
    if state[PHASE] in (KEEP, KEEP_FIRST):
        return 1 << DRAW_TICKETS_KIND
    drawable = can_draw_cards(state) << DRAW_CARDS_KIND
    if state[PHASE] != TURN:
        return drawable
    found = drawable | (state[TICKET_DECK_SIZE] > 0) << DRAW_TICKETS_KIND
    found |= can_claim(state) << CLAIM_KIND
    return found if found else 1 << PASS_KIND


def read_notes(notes):
    """Return views of the parts of a state's notes, an array of ``int64``, as a `Room`."""
    return Room(
        notes[:1],
        notes[PLAN_AT:COUNTS_AT].view(np.uint64),
        notes[COUNTS_AT:STREAM_AT],
        notes[STREAM_AT:SEATS_AT].view(np.uint64),
        notes[SEATS_AT:KEYS_AT].view(np.uint64),
        notes[KEYS_AT:EDGES_AT].view(np.uint64),
        notes[EDGES_AT:FACTS_AT],
        notes[FACTS_AT:INPUTS_AT],
        notes[INPUTS_AT:NEAREST_AT].view(np.float32),
        notes[NEAREST_AT:WAYS_AT].view(np.float32),
        notes[WAYS_AT:ROOM_SIZE].view(np.float32),
    )


def plan(state, seat, room, setting):
    """Compute the rule player's plan, unless the notes have it."""
    if not room.known[0] & PLANNED:
        prepare_turn(state, seat, setting, room)
        room.known[0] |= PLANNED


def look(state, seat, room, setting):
    """Compute the survey of the map and the situation, too, unless the notes have them."""
    plan(state, seat, room, setting)
    if not room.known[0] & SURVEYED:
        survey(state, seat, room)
        describe_situation(state, seat, room)
        room.known[0] |= SURVEYED


def features(state, seat, out, notes, setting):
    """Write the features of Łabno (2018), table 4.1, two of his program, then the situation."""
    room = read_notes(notes)
    plan(state, seat, room, setting)
    fill_features(state, seat, setting, room)
    if len(out) > 28:
        look(state, seat, room, setting)
    for place in range(len(out)):
        scale = FEATURE_SCALES[place] if place < 28 else np.float32(1.0)
        out[place] = room.inputs[place] * scale


def describe_move(state, move, seat, out, notes, setting):
    room = read_notes(notes)
    look(state, seat, room, setting)
    write_move(state, seat, move, room)
    for place in range(MOVES_AT, INPUTS):
        out[place - MOVES_AT] = room.inputs[place]


def prune(state, seat, moves, count, notes, setting):
    """Leave out claims that are hardly ever better than others."""
    room = read_notes(notes)
    look(state, seat, room, setting)
    return prune_moves(state, seat, moves, count, room)


def rule(state, random, notes, setting, kind):
    """Play as the rule player of Łabno (2018), read as its options say: rule:text,early=always."""
    room = read_notes(notes)
    room.streams[0] = np.uint64(random)
    planned = (room.known[0] & PLANNED) != 0
    return rule_move(state, state[TO_MOVE], setting, kind, planned, room)


def read_setting(text):
    return parse_variant(text)


def name_setting(setting):
    return describe_variant(setting) if setting else ""


def name_move(move):
    """Return the text of a move with underscores: claim_Dallas-Houston_red, draw_deck, keep_1_3."""
    try:
        return format_move(move).replace(" ", "_")
    except IllegalMoveError:  # a line with cards that never pay for it
        return f"move_{move}"


def read_move(text):
    number = text.removeprefix("move_")
    return int(number) if number.isdecimal() else parse_move(text.replace("_", " "))


def read_position(text):
    """Return the state after a seed of the decks and moves: seed 7: keep 1 2; draw deck."""
    found = re.match(r"seed\s+(\d{1,9})\s*(?::|;|$)", text, re.IGNORECASE)
    if not found:
        raise ValueError("write a seed of the decks, then moves: seed 7: keep 1 2; keep 1 3")
    state, moves = start(), np.zeros(MOVES, dtype=np.int64)
    for outcome in divmod(int(found[1]), OUTCOMES):
        resolve(state, outcome)
    for part in filter(str.strip, re.split(r"[;\n]", text[found.end() :])):
        try:
            move = read_move(part.strip())
        except IllegalMoveError as error:
            raise ValueError(f"{part.strip()[:40]!r}: {error}") from None
        if is_over(state) or move not in moves[: legal(state, moves)]:
            raise ValueError(f"{part.strip()[:40]!r} can't be played there")
        play(state, move)
    return state


def show(state):
    return describe(state)


def draw():
    """Return the map of the United States, whose cells are the lines."""
    return draw_map()


def find_owner(state, cell):
    return state[OWNER_AT + cell]


def find_cell(move):
    """Return the line that a move claims, or -1."""
    return move // 9 if move < DRAW_DECK else -1


def tell(state, seat):
    """Return the panels of information that a seat gets beside the map."""
    return list_panels(state, seat)
