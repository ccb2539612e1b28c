"""Ticket to Ride, for people and for everything above: states as values, texts, outcomes.

The rules themselves are in :mod:`evolve_arena.games.ticket_to_ride.rules` and
:mod:`evolve_arena.games.ticket_to_ride.legality`, compiled; how moves are numbered in
:mod:`evolve_arena.games.ticket_to_ride.layout`, how they are written in
:mod:`evolve_arena.games.ticket_to_ride.moves`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.game import Game, Outcome
from evolve_arena.games.ticket_to_ride.board import COLOURS, LINE_ROUTE, LINE_TWIN, LINES, TICKETS
from evolve_arena.games.ticket_to_ride.cards import players_word
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_AT,
    DISCARD_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    LAST_SEAT,
    MOST_PLAYERS,
    MOVES,
    NUMBER_OF_PLAYERS,
    OPEN_AT,
    OPEN_SIZE,
    OWNER_AT,
    PASS,
    PASSES,
    PHASE,
    POINTS,
    ROUND,
    STATE_FIELDS,
    TICKET_DECK_SIZE,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import can_claim, is_legal, list_moves
from evolve_arena.games.ticket_to_ride.moves import format_move, parse_move, route_name
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.scoring import count_tickets, place, score
from evolve_arena.games.ticket_to_ride.views import hide


class TicketToRide(Game[Position, int]):
    """The rules of Ticket to Ride on the map of the United States.

    Args:
        players: How many play, 2 to 5.
        cards: 110, or 92: ten of each colour and twelve locomotives, as Łabno's (2018) glossary.
        longest_path: 1: who has the longest path gets ten points more.
        tie_breaks: 1: equal points are told apart by tickets done, then by the longest path.
        sweep_first: 0: the first five open cards stay, whatever they are.
        second_locomotive: 1: an open locomotive may be taken as the second card, too.
        pink_line: 0: the pink line from Los Angeles to San Francisco is missing.

    Raises:
        BadValueError: One of them is out of range.

    >>> game = TicketToRide(players=2)
    >>> position = game.initial(seed=7)
    >>> for text in ("keep 1 2", "keep 2 3", "draw deck", "draw deck"):
    ...     position = game.play(position, game.parse_move(text))
    >>> position.to_move, position.cards(0), position.cards(1)
    (1, 6, 4)
    >>> game.outcome(position) is None
    True
    """

    name = "ticket-to-ride"
    rules_type = TicketRules
    rules: TicketRules

    def __init__(self, **options: int) -> None:
        super().__init__(**options)
        self.seats = self.rules.players

    def describe(self) -> str:
        """The map, how many play, and with what."""
        notes = {
            "longest_path": "with points for the longest path",
            "tie_breaks": "with tie-breaks",
            "second_locomotive": "with open locomotives as second cards",
            "sweep_first": "whatever cards lie open first",
            "pink_line": "without the pink line from Los Angeles to San Francisco",
        }
        usual, options = TicketRules()._asdict(), self.options
        parts = [f"the map of the United States, {self.seats} players, {self.rules.cards} cards"]
        parts += [note for key, note in notes.items() if options[key] != usual[key]]
        return ", ".join(parts)

    def initial(self, seed: int = 0) -> Position:
        """The state before seat 0 keeps its first tickets, with decks that follow from *seed*.

        Of the seed the lowest 64 bits count.
        """
        state = np.zeros(STATE_FIELDS, dtype=np.int64)
        deal(self.rules, self.seats, np.uint64(seed & 0xFFFFFFFFFFFFFFFF), state)
        return Position(self.rules, state)

    def to_move(self, state: Position) -> int:
        """The seat whose decision is asked for."""
        return state.to_move

    def legal_moves(self, state: Position) -> list[int]:
        """The numbers of the moves that may be played, ascending; none once the game is over."""
        moves = np.empty(MOVES, dtype=np.int64)
        count = list_moves(self.rules, state.array.copy(), moves)
        return [int(move) for move in moves[:count]]

    def play(self, state: Position, move: int) -> Position:
        """The state after *move*.

        Raises:
            IllegalMoveError: The rules do not allow it, or *state* is only what one seat sees.
            GameOverError: The game has ended.
        """
        if state.is_over:
            raise GameOverError(f"{name_of(move)!r} is played after the end of the game")
        if state.seen_by is not None:
            raise IllegalMoveError("what one seat sees can't be played on: the decks are hidden")
        array = state.array.copy()
        if not is_legal(self.rules, array, move):
            raise IllegalMoveError(find_fault(self.rules, state, move))
        apply_move(self.rules, array, move)
        return Position(self.rules, array)

    def outcome(self, state: Position) -> Outcome | None:
        """How the game ended, or None while it goes on.

        Places are by points, and by the tie-breaks if the options have some.
        """
        if not state.is_over:
            return None
        points = self.points(state)
        texts = [str(number) for number in points]
        reason = f"{', '.join(texts[:-1])} and {texts[-1]} points after {state.round} rounds"
        return Outcome(self.places(state), reason, points)

    def points(self, state: Position) -> tuple[int, ...]:
        """What each seat has if the game ends now; of a view only the own is right."""
        points = np.zeros(MOST_PLAYERS, dtype=np.int64)
        score(self.rules, state.array.copy(), points)
        return tuple(int(number) for number in points[: state.players])

    def places(self, state: Position) -> tuple[int, ...]:
        """The place of each seat if the game ends now, from 1; equal seats share the better."""
        points, places = np.zeros((2, MOST_PLAYERS), dtype=np.int64)
        array = state.array.copy()
        score(self.rules, array, points)
        place(self.rules, array, points, places)
        return tuple(int(number) for number in places[: state.players])

    def tally(self, state: Position) -> tuple[tuple[int, ...], dict[str, Any]]:
        """Places by points, and what else is counted."""
        tickets = [count_tickets(state.array.copy(), seat) for seat in range(state.players)]
        done, failed = zip(*tickets, strict=True)
        columns = {
            "points": self.points(state),
            "tickets_done": done,
            "tickets_failed": failed,
            "rounds": state.round,
        }
        return self.places(state), columns

    def stream_seed(self, seed: int) -> int:
        """Another than the decks'."""
        return int(players_word(np.uint64(seed)))

    def view(self, state: Position, seat: int) -> Position:
        """What *seat* may know of a state; see :func:`.views.hide`."""
        view = np.empty(STATE_FIELDS, dtype=np.int64)
        hide(state.array.copy(), seat, view)
        return Position(self.rules, view, seat)

    def observe(self, state: Position, seat: int) -> NDArray[np.int16]:
        """What *seat* may know, in numbers; see :mod:`.observation`."""
        return observe(self.view(state, seat), seat)

    def parse_move(self, text: str) -> int:
        """The number of the move that *text* names: ``claim Dallas-Houston red``, ``draw deck``.

        Raises:
            IllegalMoveError: It names none.
        """
        return parse_move(text)

    def format_move(self, move: int, state: Position | None = None) -> str:
        """The text that :meth:`parse_move` reads; it is the same in every *state*."""
        return format_move(move)

    def parse_position(self, text: str) -> Position:
        """The state that arises from a seed and moves: ``seed 7: keep 1 2; keep 1 3; draw deck``.

        Moves are divided by semicolons or line breaks. Without a seed it is 0; no text at all is
        the state of :meth:`initial`.

        Raises:
            PositionError: It describes none, or a move is illegal.

        >>> game = TicketToRide(players=2)
        >>> game.parse_position("seed 3") == game.initial(3)
        True
        """
        found = re.match(r"\s*seed\s+(-?\d{1,20})\s*(?::|;|$)", text, re.IGNORECASE)
        if text.lstrip().lower().startswith("seed") and not found:
            raise PositionError(
                f"{text.strip()[:40]!r}: a seed is a number, as in seed 7: keep 1 2"
            )
        position = self.initial(int(found[1]) if found else 0)
        rest = text[found.end() :] if found else text
        moves = [part for part in re.split(r"[;\n]", rest) if part.strip()]
        for number, part in enumerate(moves, start=1):
            try:
                position = self.play(position, self.parse_move(part))
            except IllegalMoveError as error:
                raise PositionError(f"move {number}, {part.strip()[:40]!r}: {error}") from None
        return position


_COUNTS = (NUMBER_OF_PLAYERS, ROUND, PHASE, PASSES, DECK_SIZE, DISCARD_SIZE, TICKET_DECK_SIZE)
_PUBLIC = (TRAINS, POINTS, CARDS, HELD_TICKETS)
OBSERVED = len(_COUNTS) + 2 + 3 * len(COLOURS) + 2 * TICKETS + LINES + MOST_PLAYERS * len(_PUBLIC)
"""How many numbers there are."""


def observe(view: Position, seat: int) -> NDArray[np.int16]:
    """The numbers of a *view* of *seat*, shape ``(OBSERVED,)``.

    In order: players; round; phase; passes in a row; cards in the deck; discarded; tickets in
    their deck; who is to move and whose next turn is the last, as seats counted on from the own,
    -1 for nobody (2); open cards by colour (9); discarded cards by colour (9); the own hand by
    colour (9); for each ticket 1 if it is offered (30), 1 if it is held and 2 if it is done, too
    (30); for each line its owner as a seat counted on from the own, -1 if it is free (100); for
    each seat, the own first, trains, points of routes, cards and tickets held, 0 for seats that
    nobody has (5 x 4).
    """
    state, players = view.array, view.players
    own = player_at(seat)
    parts = [
        state[list(_COUNTS)],
        _count_on(state[[TO_MOVE, LAST_SEAT]], seat, players),
        np.bincount(state[OPEN_AT : OPEN_AT + state[OPEN_SIZE]], minlength=len(COLOURS)),
        state[DISCARD_AT : DISCARD_AT + len(COLOURS)],
        state[own + HAND_AT : own + HAND_AT + len(COLOURS)],
        _tickets(view, seat),
        _count_on(state[OWNER_AT : OWNER_AT + LINES], seat, players),
    ]
    for step in range(MOST_PLAYERS):
        at = player_at((seat + step) % players)
        parts.append(state[[at + field for field in _PUBLIC]] * (step < players))
    return np.concatenate(parts).astype(np.int16)


def _count_on(seats: NDArray[np.int64], seat: int, players: int) -> NDArray[np.int64]:
    return np.where(seats < 0, -1, (seats - seat) % players)


def _tickets(view: Position, seat: int) -> NDArray[np.int64]:
    marks = np.zeros((2, TICKETS), dtype=np.int64)
    if view.to_move == seat:
        marks[0, list(view.offered)] = 1
    for ticket in view.tickets(seat):
        marks[1, ticket] = 2 if view.is_done(seat, ticket) else 1
    return marks.ravel()


def find_fault(rules: TicketRules, state: Position, move: int) -> str:
    """What is wrong with *move*, which may be any number, in a *state* that is not over."""
    name = name_of(move)
    if name != f"{move}" and 0 <= move < MOVES:
        return f"{name!r}: {_find_fault(rules, state, move)}"
    return f"no move has the number {move}"


def name_of(move: int) -> str:
    """The text of a move, or its number if it has none."""
    try:
        return format_move(move)
    except IllegalMoveError:
        return f"{move}"


def _find_fault(rules: TicketRules, state: Position, move: int) -> str:  # noqa: PLR0911
    if state.phase in (KEEP_FIRST, KEEP):
        least = "two" if state.phase == KEEP_FIRST else "one"
        return f"at least {least} of {len(state.offered)} offered tickets must be kept"
    if move == DRAW_DECK:
        return "the deck is empty"
    if DRAW_OPEN <= move < DRAW_TICKETS:
        if COLOURS[move - DRAW_OPEN] in state.open_cards:
            return "an open locomotive can't be the second card"
        return f"the open cards are {' '.join(state.open_cards) or 'all taken'}"
    if state.phase != TURN:
        return "the turn goes on with a second card"
    if move < DRAW_DECK:
        return _find_fault_of_claim(rules, state, move)
    if move == DRAW_TICKETS:
        return "no tickets are left"
    return "there is something else to do" if move == PASS else "no tickets are offered"


def _find_fault_of_claim(rules: TicketRules, state: Position, move: int) -> str:
    line, colour = divmod(move, 9)
    array = state.array.copy()
    if can_claim(rules, array, state.to_move, line):
        hand = ", ".join(f"{count} {name}" for name, count in state.hand(state.to_move).items())
        return f"the cards do not suffice: {hand or 'there are none'}"
    owner, twin = state.owners[line], int(LINE_TWIN[line])
    if owner < 0:
        return f"{route_name(int(LINE_ROUTE[line]))} is closed, or there are too few trains"
    taken = f"player {owner + 1} has claimed it"
    if twin >= 0 and is_legal(rules, array, 9 * twin + colour):
        return f"{taken}, but {format_move(9 * twin + colour)!r} is possible"
    return taken
