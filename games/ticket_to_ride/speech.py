"""How people at a terminal see Ticket to Ride and talk about its moves."""

from __future__ import annotations

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.drawing import draw_table, list_claims
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    KEEP,
    KEEP_AT_START,
    KEEP_FIRST,
    KEEP_LATER,
    PHASE,
    SECOND_CARD,
    TO_MOVE,
)
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.reading import read_move
from evolve_arena.players.speech import Speech

__all__ = ["TicketSpeech"]


class TicketSpeech(Speech):
    """Moves are words: ``draw deck``, ``claim Dallas-Houston red``, ``keep 1 3``."""

    is_open = False

    def __init__(self, game: TicketToRide) -> None:
        self._game = game

    def greet(self, seat: int) -> str:
        """Such as "You sit at seat 2 of 4."."""
        return f"You sit at seat {seat + 1} of {self._game.seats}."

    def read(self, text: str, position: Position) -> int:
        """The legal move that *text* names; see :mod:`.ticket_to_ride.reading`."""
        legal = self._game.legal_moves(position)
        return read_move(position.rules, position.array, legal, text)

    def name(self, move: int, position: Position) -> str:
        """The move as it is typed."""
        return self._game.format_move(move)

    def question(self, position: Position) -> str:
        """What is asked for, by the phase of the turn."""
        phase = position.array[PHASE]
        if phase == SECOND_CARD:
            return "second card (deck, or the colour of an open one)"
        if phase in (KEEP_FIRST, KEEP):
            fewest = KEEP_AT_START if phase == KEEP_FIRST else KEEP_LATER
            return f"tickets to keep, {fewest} at least (such as keep 1 2)"
        return "move (deck, COLOUR, claim CITY-CITY COLOUR, tickets)"

    def list_moves(self, position: Position) -> str:
        """All legal moves, by kind."""
        moves = self._game.legal_moves(position)
        claims = [self._game.format_move(move) for move in moves if move < DRAW_DECK]
        others = [self._game.format_move(move) for move in moves if move >= DRAW_DECK]
        lines = [
            f"You can play {' or '.join(filter(None, [', '.join(others[:-1]), *others[-1:]]))}"
        ]
        return "\n".join([*lines, *(f"  {claim}" for claim in claims)])

    def list_claims(self, position: Position, *, colour: bool = False) -> str:
        """The routes that can be claimed, and how each can be paid."""
        return list_claims(position.array, self._game.legal_moves(position), colour=colour)

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """Nothing: errors say what is possible."""
        return ""

    def draw(self, position: Position, last: int | None = None, *, colour: bool = False) -> str:
        """See :func:`draw_table`, as who is to move sees it."""
        seat = int(position.array[TO_MOVE])
        return draw_table(position.rules, position.array, seat, colour=colour)
