"""Łabno's rule player of Ticket to Ride (2018), on the plain objects, nothing compiled.

The reference for `evolve_arena.games.ticket_to_ride.rule`, written independently after the same
description and with the same readings of it: paths are found anew each time, sets of routes are
Python sets.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.ticket_to_ride_plain import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    KEEP,
    KEEPING,
    KEEPING_FIRST,
    LOCOMOTIVE,
    PASS,
    SECOND_CARD,
    TURN,
    WORTH,
    Line,
    Options,
    Player,
    Randomness,
    Table,
    payments,
)
from evolve_arena.games.ticket_to_ride import board

__all__ = ["CODE", "TEXT", "Reading", "choose_move", "play_game"]


@dataclass(frozen=True)
class Reading:
    """Reading of the description, with the names and values of the compiled player's options."""

    possible: str = "goal"
    long: str = "5"
    long_match: str = "no"
    lacking: str = "goal"
    path_limit: str = "trains"
    goal: str = "whole"
    path_points: str = "new"
    same_colour: str = "5"
    opponents: str = "6"
    claim_if: str = "possible"
    early: str = "draw"
    late_claim: str = "no"
    ticket_limit: str = "below"
    infeasible: str = "cost"
    colour: str = "held"
    needs: str = "missing"
    open_card: str = "random"
    players: str = "others"
    goal_count: str = "goal"
    blocks: str = "no"


TEXT = Reading()
CODE = Reading(
    possible="all",
    long="6",
    long_match="yes",
    lacking="none",
    path_limit="none",
    path_points="all",
    same_colour="6",
    opponents="7",
    claim_if="matching",
    early="always",
    late_claim="yes",
    infeasible="points",
    colour="needs",
    needs="lengths",
    open_card="first",
    players="all",
    goal_count="last",
)


def play_game(options: Options, seed: int, reading: Reading, luck: Randomness) -> Table:
    """Play a game among rule players to its end."""
    table = Table(options, seed)
    while table.moves():
        table.play(choose_move(table, reading, luck))
    return table


def choose_move(table: Table, reading: Reading, luck: Randomness) -> int:
    """Return the rule player's move for the player to move."""
    if table.phase in (KEEPING_FIRST, KEEPING):
        return _keep_tickets(table, reading)
    plan = Plan(table, table.mover, reading)
    if table.phase == SECOND_CARD:
        return _draw_card(table, plan, reading, luck)
    decision = _decide(table, plan, reading, luck)
    if decision == "claim":
        return _claim(table, plan, reading)
    if decision == "cards":
        return _draw_card(table, plan, reading, luck)
    return DRAW_TICKETS if decision == "tickets" else PASS


class Plan:
    """Goals and possibilities of a player (Łabno's section 3.2.5), as sets of routes."""

    def __init__(self, table: Table, player: Player, reading: Reading) -> None:
        self.table, self.player = table, player
        self.lines: dict[int, list[Line]] = {}
        for line in table.lines:
            self.lines.setdefault(line.route, []).append(line)
        self.goal: set[int] = set()
        for ticket in player.tickets:
            path = find_path(self, ticket, reading)
            if reading.path_limit == "none" or self.cost(path) < player.trains:
                self.goal |= path
        if reading.goal == "open":
            self.goal = {route for route in self.goal if not self.is_own(route)}
        self.affordable = {route for route in self.lines if self.payable(route)}
        least = int(reading.long)
        long = {route for route in self.lines if board.ROUTE_LENGTH[route] >= least}
        self.possible = self.affordable
        if reading.possible == "goal" and self.goal:
            self.possible = self.affordable & (self.goal | long)
        wanted = self.goal | long if reading.long_match == "yes" else self.goal
        self.matching = self.possible & wanted
        self.lacking = {
            route
            for route in self.goal - self.possible
            if self.free(route) and reading.lacking == "goal"
        }
        self.blocking = {route for route in self.affordable if self.blocks(route)}
        if reading.blocks == "no":
            self.blocking = set()

    def is_own(self, route: int) -> bool:
        """Test whether the player has claimed a line of the route."""
        return any(line.owner is self.player for line in self.lines[route])

    def free(self, route: int) -> list[Line]:
        """Return the lines of the route that the player may claim."""
        return [line for line in self.lines[route] if self.table.can_claim(self.player, line)]

    def payable(self, route: int) -> list[Line]:
        """Return the lines of the route that the hand pays for."""
        return [line for line in self.free(route) if payments(self.player.hand, line)]

    def blocks(self, route: int) -> bool:
        """Test whether a claim closes the route to an opponent whose own routes it would join."""
        one, other = self.lines[route][0].cities
        length = board.ROUTE_LENGTH[route]
        closes = len(self.table.players) <= 3 or len(self.lines[route]) == 1
        closes = closes or any(line.owner is not None for line in self.lines[route])
        return closes and any(
            rival is not self.player
            and rival.trains >= length
            and all(any(city in line.cities for line in rival.lines) for city in (one, other))
            and not rival.joins(one, other)
            for rival in self.table.players
        )

    def cost_of(self, route: int) -> int:
        """Return the trains that the route costs: 0 if the player owns it, many if it is lost."""
        if self.is_own(route):
            return 0
        player, trains = self.player, self.player.trains
        player.trains = 45
        lost = not self.free(route)
        player.trains = trains
        return 1000 if lost else int(board.ROUTE_LENGTH[route])

    def cost(self, routes: set[int]) -> int:
        """Return the trains that a set of routes costs."""
        return sum(self.cost_of(route) for route in routes)


def find_path(plan: Plan, ticket: int, reading: Reading) -> set[int]:
    """Return the routes of the cheapest path of a ticket, by Dijkstra's algorithm."""
    start, goal = int(board.TICKET_FROM[ticket]), int(board.TICKET_TO[ticket])
    distances = {start: (0, 0, 0)}
    paths: dict[int, set[int]] = {start: set()}
    settled: set[int] = set()
    ends = {route: lines[0].cities for route, lines in plan.lines.items()}
    weights = {route: _weigh(plan, route, reading) for route in ends}
    while True:
        here = min((city for city in distances if city not in settled), key=_by(distances))
        if here == goal:
            return paths[goal]
        settled.add(here)
        for route, cities in ends.items():
            other = sum(cities) - here
            if here in cities and other not in settled:
                pairs = zip(distances[here], weights[route], strict=True)
                cost, points, number = (done + more for done, more in pairs)
                if other not in distances or (cost, points, number) < distances[other]:
                    distances[other] = (cost, points, number)
                    paths[other] = paths[here] | {route}


def _by(
    distances: dict[int, tuple[int, int, int]],
) -> Callable[[int], tuple[tuple[int, int, int], int]]:
    return lambda city: (distances[city], city)


def _weigh(plan: Plan, route: int, reading: Reading) -> tuple[int, int, int]:
    """Return cost, points (more are better), and an arbitrary number that tells paths apart."""
    points = int(board.ROUTE_POINTS[route])
    if reading.path_points == "new" and plan.is_own(route):
        points = 0
    return plan.cost_of(route), -points, pow(route + 1, 5, 2**24 - 3)


def _decide(table: Table, plan: Plan, reading: Reading, luck: Randomness) -> str:
    """Make the general decision (figure 3.1)."""
    drawable = bool(table.deck or table.open)
    decision = "claim" if plan.blocking and not plan.matching else None
    if decision is None and all(table.mover.has_done(ticket) for ticket in table.mover.tickets):
        decision = _decide_without_tickets(table, plan, reading, luck)
    if decision is None:
        if plan.matching if reading.claim_if == "matching" else plan.possible:
            decision = "claim"
        elif drawable:
            decision = "cards"
        elif plan.possible:
            decision = "claim"
        elif table.ticket_deck:
            decision = "tickets"
        else:
            decision = "claim" if plan.affordable else "pass"
    return decision


def _decide_without_tickets(
    table: Table, plan: Plan, reading: Reading, luck: Randomness
) -> str | None:
    """Decide for a player without open tickets; None leaves it to the general decision."""
    player = table.mover
    rivals = [other.trains for other in table.players if other is not player]
    many = sum(player.hand) >= 8 and player.trains >= 8
    if many and min(rivals) >= int(reading.opponents) and table.ticket_deck:
        return "tickets"
    if plan.possible and max(player.hand) >= int(reading.same_colour):
        return "claim"
    if (table.deck or table.open) and _is_early(table.round, reading, luck):
        return "cards"
    return "claim" if plan.possible and reading.late_claim == "yes" else None


def _is_early(turn: int, reading: Reading, luck: Randomness) -> bool:
    if reading.early == "always":
        return turn < 100
    limit = 100 - 0.8 * turn if turn < 40 else 100 - turn
    return luck.below(20 + turn) < limit


def _keep_tickets(table: Table, reading: Reading) -> int:
    """Choose the tickets to keep (figure 3.2)."""
    plan = Plan(table, table.mover, Reading(lacking="none", path_limit="none"))
    limit = table.mover.trains + (reading.ticket_limit == "equal")
    paths = [find_path(plan, ticket, reading) for ticket in table.offered]
    feasible, others = [], []
    for size in range(2 if table.phase == KEEPING_FIRST else 1, len(table.offered) + 1):
        for places in itertools.combinations(range(len(table.offered)), size):
            cost = plan.cost(set().union(*(paths[place] for place in places)))
            points = sum(int(board.TICKET_POINTS[table.offered[place]]) for place in places)
            mask = sum(1 << place for place in places)
            if cost < limit:
                feasible.append((cost, -points, mask))
            else:
                others.append((points if reading.infeasible == "points" else cost, 0, mask))
    best = min(feasible or others, key=lambda choice: choice[:2])
    return KEEP + best[2]


def _draw_card(table: Table, plan: Plan, reading: Reading, luck: Randomness) -> int:
    """Choose the card to take (section 3.2.3)."""
    first = table.phase == TURN
    joker = first
    allowed = [card for card in table.open if joker or card != LOCOMOTIVE]
    if plan.lacking:
        needs, total = _count_needs(plan, reading)
        wanted = min(needs, key=lambda colour: (-needs[colour], colour))
        if table.deck and len(needs) > 3:
            return DRAW_DECK
        if total < 4 and wanted in allowed:
            return DRAW_OPEN + wanted
        if total == 1 and first and LOCOMOTIVE in allowed:
            return DRAW_OPEN + LOCOMOTIVE
    if table.deck:
        return DRAW_DECK
    return DRAW_OPEN + allowed[0 if reading.open_card == "first" else luck.below(len(allowed))]


def _count_needs(plan: Plan, reading: Reading) -> tuple[Counter[int], int]:
    """Count the cards wanted of each colour, and in all."""
    needs: Counter[int] = Counter()
    total = 0
    hand = plan.player.hand
    for route in plan.lacking:
        length = int(board.ROUTE_LENGTH[route])
        if reading.needs == "lengths":
            total += length
            for line in plan.lines[route]:
                needs[line.colour] += length
            continue
        line = _most_held_line(plan.free(route), hand)
        colour = _most_held(hand) if line.colour == 8 else line.colour
        missing = length - hand[colour] - hand[LOCOMOTIVE]
        needs[colour] += missing
        total += missing
    return needs, total


def _claim(table: Table, plan: Plan, reading: Reading) -> int:
    """Choose the route to claim, and the cards to pay with (section 3.2.4)."""
    hand = table.mover.hand
    if plan.matching:
        route = min(plan.matching, key=lambda route: (board.ROUTE_LENGTH[route], route))
    else:
        others = plan.blocking or plan.possible or plan.affordable
        route = min(others, key=lambda route: (-_worth(route), route))
    lines = plan.payable(route)
    line = _most_held_line(lines, hand)
    if reading.colour == "needs" and len(lines) == 2:
        needs, _ = _count_needs(plan, reading)
        line = lines[0] if needs[lines[0].colour] > needs[lines[1].colour] else lines[1]
    colour = _most_held(hand) if line.colour == 8 else line.colour
    return 9 * line.number + (colour if hand[colour] else LOCOMOTIVE)


def _worth(route: int) -> int:
    return WORTH[int(board.ROUTE_LENGTH[route])]


def _most_held_line(lines: list[Line], hand: list[int]) -> Line:
    return max(lines, key=lambda line: (hand[line.colour] if line.colour < 8 else 0, -line.number))


def _most_held(hand: list[int]) -> int:
    return max(range(8), key=lambda colour: (hand[colour], -colour))
