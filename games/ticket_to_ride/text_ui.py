"""How people at a terminal see Ticket to Ride and talk about its moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.match import Match
from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.games.ticket_to_ride.board import (
    COLOURS,
    LINE_ROUTE,
    LOCOMOTIVE,
    ROUTE_LENGTH,
    ROUTE_POINTS,
)
from evolve_arena.games.ticket_to_ride.drawing import (
    describe_card,
    draw_table,
    list_claimed,
    list_claims,
    name_route,
    name_ticket,
)
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_AT_START,
    KEEP_FIRST,
    KEEP_LATER,
    KEEP_TICKETS,
    OFFERED_SIZE,
    PASS,
    PHASE,
    POINTS,
    ROUND,
    SECOND_CARD,
    TICKETS_AT,
    TO_MOVE,
    player_at,
)
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.reading import read_move
from evolve_arena.games.ticket_to_ride.scoring import is_done, ticket_points
from evolve_arena.players.text_ui import TextUI

PICTURE = Path("ticket-to-ride.png")

GREETING = """\
Type a move, whole or in part:
  draw deck                a card from the deck; so does deck
  draw red                 an open card; so does red
  tickets                  three more tickets, of which you keep one at least
  claim dallas-houston red a route, paid in red as far as it goes, then with
                           locomotives; the colour may be left out where there
                           is no choice
  keep 1 3                 which of the offered tickets you keep"""


class TicketText(TextUI):
    """Moves are words: ``draw deck``, ``claim Dallas-Houston red``, ``keep 1 3``."""

    is_open = False
    greeting = GREETING
    meanings: ClassVar[Mapping[str, str]] = {
        "hint": "what the first of the others, or that of --hint, would play here",
        "board": "the table again",
        "moves": "all moves that you can make now, as they are typed",
    }
    extras: ClassVar[Mapping[str, str]] = {
        "routes": "the routes that you can claim now, and with which cards",
        "claimed": "who has claimed what",
        "map": "the map as a picture, written to ticket-to-ride.png",
    }
    game: TicketToRide

    def read(self, text: str, position: Position) -> int:
        """The legal move that *text* names; see :mod:`.reading`."""
        legal = self.game.legal_moves(position)
        return read_move(position.rules, position.array, legal, text)

    def name(self, move: int, position: Position) -> str:
        """The move as it is typed."""
        return self.game.format_move(move)

    def question(self, position: Position) -> str:
        """What is asked for, by the phase of the turn."""
        phase = position.array[PHASE]
        if phase == SECOND_CARD:
            return "the second card: deck or COLOUR"
        if phase in (KEEP_FIRST, KEEP):
            fewest = KEEP_AT_START if phase == KEEP_FIRST else KEEP_LATER
            return f"tickets to keep, {fewest} at least (such as keep 1 2)"
        return "such as deck, COLOUR, tickets or claim CITY-CITY"

    def list_moves(self, position: Position) -> str:
        """All legal moves, by kind."""
        moves = self.game.legal_moves(position)
        claims = [self.game.format_move(move) for move in moves if move < DRAW_DECK]
        others = [self.game.format_move(move) for move in moves if move >= DRAW_DECK]
        lines = [
            f"You can play {' or '.join(filter(None, [', '.join(others[:-1]), *others[-1:]]))}"
        ]
        return "\n".join([*lines, *(f"  {claim}" for claim in claims)])

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """Nothing: errors say what is possible."""
        return ""

    def draw(
        self,
        position: Position,
        last: int | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """See :func:`draw_table`, as who is to move sees it."""
        seat = int(position.array[TO_MOVE])
        called = list(names) or None
        return draw_table(position.rules, position.array, seat, called, colour=colour)

    def read_games(self, text: str) -> list[tuple[str, tuple[int, ...]]]:
        """None can be read: moves alone say nothing of the cards.

        Raises:
            BadValueError: Always; it says what to open instead.
        """
        log = text.startswith("game,seat,player,")
        what = "a log of decisions has no moves in it" if log else "moves alone leave out the cards"
        raise BadValueError(f"{what}: keep games with --keep-games, and open that file")

    def is_turn_begun(self, position: Position) -> bool:
        """Whether a second card is to be drawn."""
        return bool(position.array[PHASE] == SECOND_CARD)

    def heading(self, position: Position) -> str:
        """The number of the round."""
        number = int(position.array[ROUND])
        return f"Round {number}" if number else ""

    def tell_turn(self, turn: Sequence[tuple[Position, int]]) -> str:
        """What everybody at the table sees of it."""
        return _join([tell_move(position.array, move) for position, move in turn])

    def tell_gain(self, before: Position, after: Position, seat: int, *, colour: bool) -> str:
        """The cards that a *seat* has now and had not before."""
        at = player_at(seat) + HAND_AT
        hands = [position.array[at : at + LOCOMOTIVE + 1] for position in (before, after)]
        new = np.maximum(hands[1] - hands[0], 0)
        cards = [card for card, count in enumerate(new) for _ in range(int(count))]
        drawn = " ".join(describe_card(card, colour=colour) for card in cards)
        return f"You have drawn {drawn}." if drawn else ""

    def describe_result(self, position: Position, match: Match, names: Sequence[str]) -> str:
        """Places, points, where these come from; and everybody's tickets."""
        state = position.array.copy()  # compiled code takes no array that is read-only
        order = sorted(range(len(names)), key=lambda seat: (match.places[seat], seat))
        width = max(6, *(len(name) for name in names))
        lines = []
        points = match.columns["points"]
        bonuses = [
            points[seat] - int(state[player_at(seat) + POINTS]) - int(ticket_points(state, seat))
            for seat in range(len(names))
        ]
        longest = " + longest path" * any(bonuses)
        lines.append(f"  place  {'':{width}}  points = routes + tickets{longest}")
        for seat in order:
            routes = int(state[player_at(seat) + POINTS])
            tickets = int(ticket_points(state, seat))
            forfeit = "  forfeited" * (match.offender == seat)
            lines.append(
                f"  {match.places[seat]:5}  {names[seat]:{width}}  {points[seat]:6}"
                f"   {routes:6}   {tickets:+7}   {bonuses[seat] or '':>12}{forfeit}".rstrip()
            )
        lines += ["", "Tickets:"]
        for seat in order:
            texts = []
            at = player_at(seat)
            for ticket in state[at + TICKETS_AT :][: state[at + HELD_TICKETS]]:
                done = is_done(state, seat, ticket)
                texts.append(f"{name_ticket(int(ticket))} {'done' if done else 'NOT done'}")
            lines.append(f"  {names[seat]:{width}}  {texts[0] if texts else 'none'}")
            lines += [f"  {'':{width}}  {text}" for text in texts[1:]]
        return "\n".join(lines)

    def obey(self, command: str, position: Position, names: Sequence[str], *, colour: bool) -> str:
        """Shows routes or the map."""
        if command == "routes":
            return list_claims(position.array, self.game.legal_moves(position), colour=colour)
        if command == "claimed":
            return list_claimed(position.array, names)
        from evolve_arena.games.ticket_to_ride.plot_board_game import plot_table

        return f"The map is in {plot_table(position, names, PICTURE)}."


def _join(actions: Sequence[str]) -> str:
    """The actions of a turn in one sentence.

    >>> _join(["takes red", "takes red"]), _join(["draws tickets", "keeps 1 of 3 tickets"])
    ('takes 2 red', 'draws tickets and keeps 1 of 3 tickets')
    >>> _join(["takes red", "takes blue"])
    'takes red and blue'
    """
    if len(actions) == 2 and actions[0] == actions[1]:
        verb, _, rest = actions[0].partition(" ")
        return f"{verb} 2 cards {rest}" if verb == "draws" else f"{verb} 2 {rest}"
    first, *others = actions
    verb = first.partition(" ")[0]
    return " and ".join([first, *(action.removeprefix(f"{verb} ") for action in others)])


def tell_move(state: NDArray[np.int64], move: int) -> str:
    """What who is to move does, after his name: "claims Boston – New York with 2 red (2 points)".

    Args:
        state: The state before the move, with the mover's hand.
        move: Its number.
    """
    if move < DRAW_DECK:
        line, colour = divmod(move, 9)
        points = count_points(int(ROUTE_POINTS[LINE_ROUTE[line]]))
        paid = list_payment(state, int(state[TO_MOVE]), line, colour)
        return f"claims {name_route(int(LINE_ROUTE[line]))} with {paid} ({points})"
    if move == DRAW_DECK:
        return "draws from the deck"
    if move < DRAW_TICKETS:
        return f"takes {COLOURS[move - DRAW_OPEN]}"
    if move == DRAW_TICKETS:
        return "draws tickets"
    if move == PASS:
        return "passes"
    kept = (move - KEEP_TICKETS).bit_count()
    return f"keeps {kept} of {state[OFFERED_SIZE]} tickets"


def list_payment(state: NDArray[np.int64], seat: int, line: int, colour: int) -> str:
    """The cards that pay for a *line*: "2 red and 1 locomotive"."""
    length = int(ROUTE_LENGTH[LINE_ROUTE[line]])
    held = int(state[player_at(seat) + HAND_AT + colour])
    paid = length if colour == LOCOMOTIVE else min(length, held)
    parts = [(paid, colour), (length - paid, LOCOMOTIVE)]
    texts = [f"{count} {COLOURS[card]}" for count, card in parts if count]
    plural = (paid if colour == LOCOMOTIVE else length - paid) > 1
    return " and ".join(texts) + "s" * plural


def count_points(points: int) -> str:
    """Such as "1 point" or "15 points"."""
    return f"{points} point{'s' * (abs(points) != 1)}"
