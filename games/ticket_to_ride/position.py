"""A state of Ticket to Ride for people: a value that can be compared and printed."""

from __future__ import annotations

from dataclasses import dataclass, field

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    LINES,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    LAST_SEAT,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PHASE,
    POINTS,
    ROUND,
    SECOND_CARD,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.scoring import is_done

_TASKS = {
    KEEP_FIRST: "keeps at least two of",
    TURN: "begins a turn",
    SECOND_CARD: "may take a second card",
    KEEP: "keeps at least one of",
    OVER: "the game has ended",
}


@dataclass(frozen=True, eq=False)
class Position:
    """A state, or what one seat may know of it. It is a value and hashable."""

    rules: TicketRules
    array: State = field(repr=False)
    """The fields of :mod:`evolve_arena.games.ticket_to_ride.layout`, shape ``(STATE_FIELDS,)``,
    read-only.

    Copy it before it goes into compiled code, which is compiled for arrays that can be written.
    """
    seen_by: int | None = None
    """The seat whose view this is, or None for the whole state."""

    def __post_init__(self) -> None:
        self.array.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.rules, self.seen_by, self.array.tobytes()

    @property
    def players(self) -> int:
        """How many play."""
        return int(self.array[NUMBER_OF_PLAYERS])

    @property
    def to_move(self) -> int:
        """The seat whose decision is asked for."""
        return int(self.array[TO_MOVE])

    @property
    def phase(self) -> int:
        """KEEP_FIRST, TURN, SECOND_CARD, KEEP or OVER of the layout."""
        return int(self.array[PHASE])

    @property
    def round(self) -> int:
        """Counts from 1; 0 while the first tickets are kept."""
        return int(self.array[ROUND])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == OVER

    @property
    def open_cards(self) -> tuple[str, ...]:
        """The colours of the cards that lie open, those that lie there longest first."""
        cards = self.array[OPEN_AT : OPEN_AT + self.array[OPEN_SIZE]]
        return tuple(COLOURS[card] for card in cards)

    @property
    def offered(self) -> tuple[int, ...]:
        """The tickets offered to who is to move; -1 for each that is hidden."""
        return tuple(self.array[OFFERED_AT : OFFERED_AT + self.array[OFFERED_SIZE]].tolist())

    @property
    def owners(self) -> tuple[int, ...]:
        """The seat that has claimed each line, or -1."""
        return tuple(self.array[OWNER_AT : OWNER_AT + LINES].tolist())

    def trains(self, seat: int) -> int:
        """The trains that a seat has left."""
        return self._of(seat, TRAINS)

    def points(self, seat: int) -> int:
        """The points of the routes that a seat has claimed."""
        return self._of(seat, POINTS)

    def cards(self, seat: int) -> int:
        """How many cards a seat has in hand."""
        return self._of(seat, CARDS)

    def hand(self, seat: int) -> dict[str, int]:
        """The cards of a seat by colour, only those it has; empty where hidden."""
        at = player_at(seat) + HAND_AT
        counts = self.array[at : at + len(COLOURS)].tolist()
        return {COLOURS[colour]: count for colour, count in enumerate(counts) if count}

    def tickets(self, seat: int) -> tuple[int, ...]:
        """The tickets that a seat holds, in the order taken; -1 for each that is hidden."""
        at = player_at(seat)
        held = self.array[at + HELD_TICKETS]
        return tuple(self.array[at + TICKETS_AT : at + TICKETS_AT + held].tolist())

    def is_done(self, seat: int, ticket: int) -> bool:
        """Whether the routes of a seat join the cities of a ticket."""
        return bool(is_done(self.array, seat, ticket))

    def __str__(self) -> str:
        lines = [self._headline()]
        for seat in range(self.players):
            held = self._of(seat, HELD_TICKETS)
            lines.append(
                f"player {seat + 1}: {self.trains(seat)} trains, {self.cards(seat)} cards,"
                f" {held} tickets, {self.points(seat)} points"
            )
            if hand := self.hand(seat):
                lines.append("  cards: " + _list_cards(hand))
            known = [ticket for ticket in self.tickets(seat) if ticket >= 0]
            if known:
                texts = [
                    describe_ticket(ticket) + (" done" if self.is_done(seat, ticket) else "")
                    for ticket in known
                ]
                lines.append("  tickets: " + ", ".join(texts))
        lines.append("open: " + (" ".join(self.open_cards) or "nothing"))
        state = self.array
        lines.append(
            f"{state[DECK_SIZE]} cards in the deck, {state[DISCARD_SIZE]} discarded,"
            f" {state[TICKET_DECK_SIZE]} tickets left"
        )
        return "\n".join(lines)

    def _headline(self) -> str:
        if self.is_over:
            return f"round {self.round}: {_TASKS[OVER]}"
        last = " (the last round)" if self.array[LAST_SEAT] >= 0 else ""
        text = f"round {self.round}{last}: player {self.to_move + 1} {_TASKS[self.phase]}"
        if self.phase in (KEEP_FIRST, KEEP):
            offered = [
                f"{number} {describe_ticket(ticket) if ticket >= 0 else 'hidden'}"
                for number, ticket in enumerate(self.offered, start=1)
            ]
            text += ": " + ", ".join(offered)
        return text

    def _of(self, seat: int, what: int) -> int:
        return int(self.array[player_at(seat) + what])


def describe_ticket(ticket: int) -> str:
    """The two cities of a ticket, and its points.

    >>> describe_ticket(0)
    'Atlanta-Montreal (9)'
    """
    ends = f"{CITY_NAMES[TICKET_FROM[ticket]]}-{CITY_NAMES[TICKET_TO[ticket]]}"
    return f"{ends} ({TICKET_POINTS[ticket]})"


def _list_cards(hand: dict[str, int]) -> str:
    return ", ".join(f"{count} {colour}" for colour, count in hand.items())
