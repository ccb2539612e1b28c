"""Layout of a state of Ticket to Ride, and the numbers of its moves.

A state is one array of ``int64``, shape ``(STATE_FIELDS,)``. Cards are numbered by colour, 0 to 7,
and 8 for locomotives; seats from 0, in order of moving.
"""

from __future__ import annotations

from evolve_arena.core.compiled import compiled

MAX_PLAYERS = 5
TRAINS_AT_START, LAST_TRAINS = 45, 2
"""Trains of each player at the start, and the number that starts the last round."""
OPEN_CARDS, SWEPT_AT = 5, 3
"""Number of open cards, and the number of locomotives among them that sweeps all away."""
MAX_SWEEPS = 10
"""Maximum number of sweeps in a row: ten cards, six of them locomotives, might be swept forever."""
FIRST_CARDS, OFFERED_TICKETS = 4, 3
KEEP_AT_START, KEEP_LATER = 2, 1
"""Number of offered tickets that have to be kept."""
LONGEST_PATH_POINTS = 10

NUMBER_OF_PLAYERS = 0
TO_MOVE = 1
"""The seat that has to decide."""
PHASE = 2
ROUND = 3
"""Counts from 1, and up by one each time that seat 0 begins a turn; 0 while first tickets are kept.
"""
LAST_SEAT = 4
"""The seat whose next turn is the last of the game, or -1 before any player is down to two trains.
"""
PASSES = 5
"""Number of turns in a row in which players had to pass; as many as players end the game."""
STREAM = 6
"""State of the random stream that shuffles, as the bits of a ``uint64``."""
SECRETS = 7
"""Number of outcomes of chance that are still to come, for a deal or for cards hidden from a seat.
"""
DECK_SIZE = 8
DISCARD_SIZE = 9
TICKET_DECK_SIZE = 10
OFFERED_SIZE = 11
"""Number of tickets that the player to move chooses from, 0 to 3."""
OPEN_SIZE = 12
"""Number of open cards, 0 to 5."""
OPEN_AT = 13
"""Colours of the open cards, the oldest first; -1 beyond OPEN_SIZE."""
OFFERED_AT = OPEN_AT + OPEN_CARDS
"""Numbers of the offered tickets; -1 beyond OFFERED_SIZE."""
DISCARD_AT = OFFERED_AT + OFFERED_TICKETS
"""Number of discarded cards of each colour; 9 fields."""
DECK_AT = DISCARD_AT + 9
"""Cards of the deck by colour, the top one at ``DECK_AT + DECK_SIZE - 1``; -1 beyond."""
MAX_CARDS = 110
TICKET_DECK_AT = DECK_AT + MAX_CARDS
"""Tickets of the deck, the top one first; -1 beyond TICKET_DECK_SIZE. 30 fields."""
OWNER_AT = TICKET_DECK_AT + 30
"""The seat that has claimed each line, or -1; 100 fields."""
PLAYER_AT = OWNER_AT + 100
"""The first player's fields; those of seat s begin at ``PLAYER_AT + s * PLAYER_FIELDS``."""

TRAINS, POINTS, CARDS, HELD_TICKETS = 0, 1, 2, 3
"""Fields of a player: trains left, points of claimed routes, cards in hand, tickets held."""
HAND_AT = 4
"""Cards of each colour; 9 fields. Hidden from others, whose fields are 0 in a view."""
TICKETS_AT = HAND_AT + 9
"""Tickets held, in the order taken; -1 beyond HELD_TICKETS; 30 fields. Hidden from others, for whom
they are -1."""
PART_AT = TICKETS_AT + 30
"""For each city, the lowest city that the player's routes join it to; 36 fields."""
CLOSED_AT = PART_AT + 36
"""The lines that the player can't claim any more, as bits of two words: they are taken; or the
other line of a double route is, by the player or, in games of two or three, by anyone."""
PLAYER_FIELDS = CLOSED_AT + 2
STATE_FIELDS = PLAYER_AT + MAX_PLAYERS * PLAYER_FIELDS

KEEP_FIRST, TURN, SECOND_CARD, KEEP, OVER = 0, 1, 2, 3, 4
"""Phases: all players in turn keep first tickets; a player begins a turn; has taken one card and
may take another; keeps some of the tickets just drawn; the game has ended."""

CLAIM = 0
"""Moves ``CLAIM + 9 * line + colour`` claim a line with cards of a colour, filled up with
locomotives if these do not suffice; colour 8 pays with locomotives alone."""
DRAW_DECK = 900
"""The move that takes the top card of the deck."""
DRAW_OPEN = 901
"""Moves ``DRAW_OPEN + colour`` take an open card of that colour, or an open locomotive (8)."""
DRAW_TICKETS = 910
"""The move that asks for three tickets."""
KEEP_TICKETS = 910
"""Moves ``KEEP_TICKETS + mask``, mask 1 to 7, keep the offered tickets whose bits are set."""
PASS = 918
"""The move that does nothing, legal only if there is no other."""
MOVES = 919
FORBIDDEN = -1
"""The rule player's result in place of a move if a decision can't be carried out."""


@compiled
def player_at(seat: int) -> int:
    """Return the first field of a *seat*."""
    return PLAYER_AT + seat * PLAYER_FIELDS
