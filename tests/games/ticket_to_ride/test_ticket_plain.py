"""The compiled Ticket to Ride and its rule player, move by move beside the plain Python double."""

from __future__ import annotations

import random
import statistics

import numpy as np
import pytest

from benchmarks import ticket_to_ride_plain_player as plain_player
from benchmarks.ticket_to_ride_plain import MAX_SWEEPS, TURN, Options, Randomness, Table
from evolve_arena.core.stream import below, new_stream
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import layout, notes
from evolve_arena.games.ticket_to_ride.board import TICKET_POINTS
from evolve_arena.games.ticket_to_ride.features import LAST_ROUTE, fill_features
from evolve_arena.games.ticket_to_ride.layout import OVER, PHASE, ROUND
from evolve_arena.games.ticket_to_ride.notes import Room
from evolve_arena.games.ticket_to_ride.options import CODE, OPTIONS, TEXT, parse_variant
from evolve_arena.games.ticket_to_ride.paths import know_path, know_routes, routes_cost
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rule import rule_move
from evolve_arena.games.ticket_to_ride.scoring import count_points, path_points
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.games.ticket_to_ride.views import hide
from tests.games.ticket_to_ride.states import (
    deal_state,
    find_ticket,
    list_legal,
    list_routes,
    make_room,
    make_state,
)

CHOICES = random.Random(20180904)
DRAWN = [CHOICES.getrandbits(len(OPTIONS)) for _ in range(4)]
VARIANTS = [TEXT, CODE, *DRAWN, *(2 ** len(OPTIONS) - 1 - variant for variant in DRAWN)]
"""Of the last eight four have either value of each option."""


def reading_of(variant: int) -> plain_player.Reading:
    values = {option.name: option.values[variant >> bit & 1] for bit, option in enumerate(OPTIONS)}
    return plain_player.Reading(**values)


def test_both_draw_the_same_numbers() -> None:
    rng, randomness = new_stream(7), Randomness(7)
    drawn = [randomness.below(count) for count in range(1, 200)]
    assert drawn == [below(rng, count) for count in range(1, 200)]
    assert MAX_SWEEPS == layout.MAX_SWEEPS


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(6))
def test_random_games(players: int, seed: int) -> None:
    longest = seed % 3 == 0
    table = Table(Options(players=players, longest_path=longest), seed)
    state, chance = deal_state(players, seed), random.Random(seed)
    while moves := table.moves():
        assert list_legal(state) == moves
        move = chance.choice(moves)
        table.play(move)
        apply_move(state, move)
    assert state[PHASE] == OVER
    assert state[ROUND] == table.round
    assert [
        count_points(state, seat) + (path_points(state, seat) if longest else 0)
        for seat in range(players)
    ] == table.points()


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_games_of_rule_players(number: int) -> None:
    """Every reading decides alike, from the player's own view alone, whatever was known before."""
    variant, players, seed = VARIANTS[number], 2 + number % 4, 100 + number
    table, state = Table(Options(players=players), seed), deal_state(players, seed)
    room, luck, reading = make_room(), Randomness(seed), reading_of(variant)
    room.streams[0] = seed
    while legal := table.moves():
        seat, view, fresh = np.int64(table.to_move), state.copy(), make_room()
        hide(view, table.to_move)
        if table.phase == TURN:
            compare_plans(table, view, variant, room)
        fresh.streams[:] = room.streams
        move = rule_move(view, seat, variant, -1, False, room)
        assert move in legal
        assert move == plain_player.choose_move(table, reading, luck)
        assert move == rule_move(state, seat, variant, -1, False, fresh)
        table.play(move)
        apply_move(state, move)
    assert state[PHASE] == OVER


def compare_plans(table: Table, view: Array, variant: int, room: Room) -> None:
    """Compare sets of routes, a ticket's path and the features of the player to move."""
    seat, ticket, reading = table.to_move, table.round % 30, reading_of(variant)
    prepare_turn(view, seat, variant, room)
    plan = plain_player.Plan(table, table.mover, reading)
    assert list_routes(room.plan, notes.AFFORDABLE) == plan.affordable
    assert list_routes(room.plan, notes.GOAL) == plan.goal
    assert list_routes(room.plan, notes.POSSIBLE) == plan.possible
    assert list_routes(room.plan, notes.MATCHING) == plan.matching
    assert list_routes(room.plan, notes.LACKING) == plan.lacking
    if reading.blocks == "yes":
        assert list_routes(room.plan, notes.BLOCKING) == plan.blocking
    fill_features(view, seat, variant, room)
    assert room.inputs[:28].tolist() == pytest.approx(read_features(table, plan, reading), abs=1e-5)
    know_path(seat, ticket, variant, room.seats, room.counts)
    at = notes.seat_at(seat) + notes.PATHS_AT + 2 * ticket
    path = plain_player.find_path(plan, ticket, reading)
    assert list_routes(room.seats, at) == path
    assert routes_cost(seat, room.seats[at], room.seats[at + 1], room.seats) == plan.cost(path)


def read_features(
    table: Table, plan: plain_player.Plan, reading: plain_player.Reading
) -> list[float]:
    mover = table.mover
    others = [other for other in table.players if reading.players == "all" or other is not mover]
    trains, tickets = [p.trains for p in others], [len(p.tickets) for p in others]
    done = [ticket for ticket in mover.tickets if mover.has_done(ticket)]
    worth = [TICKET_POINTS[t] * (1 if t in done else -1) for t in mover.tickets]
    counted = reading.goal_count == "goal" or plan.free(LAST_ROUTE)
    goal = plan.goal if counted else set()
    wild, most = mover.hand[8], max(mover.hand[:8])
    capacities = [*(cards + wild for cards in mover.hand[:8]), most + wild]
    return [
        *(table.round, sum(mover.hand), len(table.open), len(table.deck), len(table.discards)),
        *(len(mover.tickets), len(table.ticket_deck), mover.trains, mover.points + sum(worth)),
        len(table.deck) + len(table.open),
        *map(len, (plan.possible, plan.matching, goal, plan.lacking)),
        len(table.players),
        *(min(trains), max(trains), statistics.mean(trains), statistics.median(trains)),
        *(min(tickets), max(tickets), statistics.mean(tickets), statistics.median(tickets)),
        *(len(mover.tickets) - len(done), len(done), mover.points),
        *(max(capacities), sum(capacity > 0 for capacity in capacities)),
    ]


def test_named_readings_are_the_same_on_both_sides() -> None:
    assert reading_of(parse_variant("text")) == plain_player.TEXT
    assert reading_of(parse_variant("code")) == plain_player.CODE


def test_on_the_empty_map_paths_cost_what_tickets_are_worth() -> None:
    """But for five, which are worth more."""
    costs, room = TICKET_POINTS.copy(), make_room()
    for one, other, more in (
        ("Chicago", "Los Angeles", 1),
        ("Los Angeles", "Miami", 1),
        ("Los Angeles", "New York", 1),
        ("New York", "Seattle", 2),
        ("Oklahoma City", "Sault Ste. Marie", 1),
    ):
        costs[find_ticket(one, other)] -= more
    know_routes(make_state(4), 0, room.seats)
    for ticket, cost in enumerate(costs):
        know_path(0, ticket, 0, room.seats, room.counts)
        at = notes.seat_at(0) + notes.PATHS_AT + 2 * ticket
        assert routes_cost(0, room.seats[at], room.seats[at + 1], room.seats) == cost
