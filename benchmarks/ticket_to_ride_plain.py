"""Ticket to Ride as a student would write it: objects, lists and dictionaries, nothing compiled.

The compiled rules are compared with this reference move by move, and `benchmarks.ticket_to_ride`
measures their speed-up. Only the map is shared by both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from evolve_arena.games.ticket_to_ride import board

__all__ = ["Line", "Options", "Player", "Randomness", "Table", "payments"]

LOCOMOTIVE = 8
DRAW_DECK, DRAW_OPEN, DRAW_TICKETS, KEEP, PASS = 900, 901, 910, 910, 918
KEEPING_FIRST, TURN, SECOND_CARD, KEEPING, OVER = "first", "turn", "second", "keeping", "over"
MAX_SWEEPS = 10
"""Most times in a row that three open locomotives cause all five open cards to be replaced: with
the last ten cards it could go on for ever."""
WORTH = {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 15}


@dataclass(frozen=True)
class Options:
    """Options of the game."""

    players: int = 4
    longest_path: bool = False


class Randomness:
    """SplitMix64 in Python's own integers (Steele, Lea, Flood, OOPSLA 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def below(self, count: int) -> int:
        """Return a random integer from 0 to *count* - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        word = self.state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        word ^= word >> 31
        return (word >> 32) * count >> 32

    def shuffle(self, items: list[int]) -> None:
        """Shuffle as Fisher and Yates do, from the last place to the second."""
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]


@dataclass(eq=False)
class Line:
    """One line of the map: trains between two cities."""

    number: int
    route: int
    cities: tuple[int, int]
    length: int
    colour: int
    twin: Line | None = field(default=None, repr=False)
    owner: Player | None = field(default=None, repr=False)


@dataclass(eq=False)
class Player:
    """Everything that one player holds."""

    seat: int
    trains: int = 45
    points: int = 0
    hand: list[int] = field(default_factory=lambda: [0] * 9)
    tickets: list[int] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list, repr=False)

    def joins(self, start: int, goal: int) -> bool:
        """Test whether the player's own lines lead from one city to the other."""
        reached, waiting = {start}, [start]
        while waiting:
            city = waiting.pop()
            for line in self.lines:
                if city in line.cities:
                    other = line.cities[0] + line.cities[1] - city
                    if other not in reached:
                        reached.add(other)
                        waiting.append(other)
        return goal in reached

    def has_done(self, ticket: int) -> bool:
        """Test whether the ticket's cities are joined."""
        return self.joins(int(board.TICKET_FROM[ticket]), int(board.TICKET_TO[ticket]))


def payments(hand: list[int], line: Line) -> list[int]:
    """Return the colours in which the line can be paid; 8 stands for locomotives alone."""
    colours = []
    for colour in range(8) if line.colour == 8 else [line.colour]:
        if hand[colour] > 0 and hand[colour] + hand[LOCOMOTIVE] >= line.length:
            colours.append(colour)
    if hand[LOCOMOTIVE] >= line.length:
        colours.append(LOCOMOTIVE)
    return colours


class Table:
    """A game under way."""

    def __init__(self, options: Options, seed: int) -> None:
        self.options = options
        self.randomness = Randomness(seed)
        self.lines = _lay_out_the_map()
        self.players = [Player(seat) for seat in range(options.players)]
        self.deck = [colour for colour in range(8) for _ in range(12)]
        self.deck += [LOCOMOTIVE] * 14
        self.ticket_deck = list(range(30))
        self.randomness.shuffle(self.deck)
        self.randomness.shuffle(self.ticket_deck)
        self.discards: list[int] = []
        self.open: list[int] = []
        self.round, self.last_seat, self.passes = 0, -1, 0
        for player in self.players:
            for _ in range(4):
                player.hand[self._top_card()] += 1
        self._fill_open()
        self.to_move, self.phase = 0, KEEPING_FIRST
        self.offered = self._top_tickets()

    @property
    def mover(self) -> Player:
        """The player to move."""
        return self.players[self.to_move]

    def moves(self) -> list[int]:
        """Return the numbers of all legal moves, in ascending order."""
        if self.phase in (KEEPING_FIRST, KEEPING):
            least = 2 if self.phase == KEEPING_FIRST else 1
            masks = range(1, 2 ** len(self.offered))
            return [KEEP + mask for mask in masks if mask.bit_count() >= least]
        if self.phase == SECOND_CARD:
            return self._card_moves(second=True)
        if self.phase == OVER:
            return []
        moves = []
        for line in self.lines:
            if self.can_claim(self.mover, line):
                moves += [9 * line.number + colour for colour in payments(self.mover.hand, line)]
        moves += self._card_moves(second=False)
        if self.ticket_deck:
            moves.append(DRAW_TICKETS)
        return moves or [PASS]

    def can_claim(self, player: Player, line: Line) -> bool:
        """Test whether the line is free for that player and the trains suffice, ignoring cards."""
        if line.owner is not None or line.length > player.trains:
            return False
        if line.twin is None or line.twin.owner is None:
            return True
        return len(self.players) > 3 and line.twin.owner is not player

    def play(self, move: int) -> None:
        """Play a legal move."""
        if self.phase == TURN:
            self.passes = self.passes + 1 if move == PASS else 0
        if self.phase in (KEEPING_FIRST, KEEPING):
            self._keep(move - KEEP)
        elif move < DRAW_DECK:
            self._claim(self.lines[move // 9], move % 9)
            self._end_turn()
        elif move < DRAW_TICKETS:
            self._take_card(move)
        elif move == DRAW_TICKETS:
            self.offered = self._top_tickets()
            self.phase = KEEPING
        else:
            self._end_turn()

    def points(self) -> list[int]:
        """Return all players' points: routes, tickets, and the longest path if chosen."""
        points = []
        for player in self.players:
            total = sum(WORTH[line.length] for line in player.lines)
            for ticket in player.tickets:
                worth = int(board.TICKET_POINTS[ticket])
                total += worth if player.has_done(ticket) else -worth
            points.append(total)
        if self.options.longest_path:
            lengths = [longest_path(player) for player in self.players]
            points = [
                total + 10 * (length == max(lengths))
                for total, length in zip(points, lengths, strict=True)
            ]
        return points

    def _card_moves(self, *, second: bool) -> list[int]:
        colours = set(self.open)
        if second:
            colours.discard(LOCOMOTIVE)
        deck = [DRAW_DECK] if self.deck else []
        return deck + [DRAW_OPEN + colour for colour in sorted(colours)]

    def _take_card(self, move: int) -> None:
        if move == DRAW_DECK:
            card = self._top_card()
        else:
            card = move - DRAW_OPEN
            self.open.remove(card)
        self.mover.hand[card] += 1
        self._fill_open()
        ends = self.phase == SECOND_CARD or move == DRAW_OPEN + LOCOMOTIVE
        if not ends and self._card_moves(second=True):
            self.phase = SECOND_CARD
        else:
            self._end_turn()

    def _claim(self, line: Line, colour: int) -> None:
        player = self.mover
        paid = min(player.hand[colour], line.length)
        for card, count in ((colour, paid), (LOCOMOTIVE, line.length - paid)):
            player.hand[card] -= count
            self.discards += [card] * count
        line.owner = player
        player.lines.append(line)
        player.trains -= line.length
        player.points += WORTH[line.length]
        self._reshuffle()
        self._fill_open()

    def _keep(self, mask: int) -> None:
        for place, ticket in enumerate(self.offered):
            if mask >> place & 1:
                self.mover.tickets.append(ticket)
            else:
                self.ticket_deck.append(ticket)
        self.offered = []
        if self.phase == KEEPING:
            self._end_turn()
        elif self.to_move + 1 < len(self.players):
            self.to_move += 1
            self.offered = self._top_tickets()
        else:
            self.to_move, self.phase, self.round = 0, TURN, 1

    def _end_turn(self) -> None:
        if self.to_move == self.last_seat or self.passes == len(self.players):
            self.phase = OVER
            return
        if self.last_seat < 0 and self.mover.trains <= 2:
            self.last_seat = self.to_move
        self.to_move = (self.to_move + 1) % len(self.players)
        self.phase = TURN
        self.round += self.to_move == 0

    def _top_card(self) -> int:
        card = self.deck.pop()
        self._reshuffle()
        return card

    def _top_tickets(self) -> list[int]:
        offered, self.ticket_deck = self.ticket_deck[:3], self.ticket_deck[3:]
        return offered

    def _reshuffle(self) -> None:
        if not self.deck and self.discards:
            self.deck, self.discards = sorted(self.discards), []
            self.randomness.shuffle(self.deck)

    def _fill_open(self) -> None:
        sweeps = 0
        while self.deck and len(self.open) < 5:
            while self.deck and len(self.open) < 5:
                self.open.append(self._top_card())
            if sweeps < MAX_SWEEPS and self._must_sweep():
                sweeps += 1
                self.discards += self.open
                self.open = []
                self._reshuffle()

    def _must_sweep(self) -> bool:
        cards = self.deck + self.discards + self.open
        others = sum(card != LOCOMOTIVE for card in cards)
        return self.open.count(LOCOMOTIVE) >= 3 and others >= 3


def longest_path(player: Player) -> int:
    """Return the trains on the longest path over the player's lines that uses no line twice."""

    def walk(city: int, used: frozenset[int]) -> int:
        best = 0
        for line in player.lines:
            if city in line.cities and line.number not in used:
                other = line.cities[0] + line.cities[1] - city
                best = max(best, line.length + walk(other, used | {line.number}))
        return best

    return max(
        (walk(city, frozenset()) for line in player.lines for city in line.cities), default=0
    )


def _lay_out_the_map() -> list[Line]:
    lines = []
    for number in range(board.LINES):
        route = int(board.LINE_ROUTE[number])
        ends = int(board.ROUTE_FROM[route]), int(board.ROUTE_TO[route])
        length = int(board.ROUTE_LENGTH[route])
        lines.append(Line(number, route, ends, length, int(board.LINE_COLOUR[number])))
    for line in lines:
        twin = int(board.LINE_TWIN[line.number])
        line.twin = lines[twin] if twin >= 0 else None
    return lines
