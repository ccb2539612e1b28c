"""Inputs of networks of moves: ways and needs, by hand and against plain Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import board, facts, layout, rules
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.notes import Room
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.games.ticket_to_ride.ways import FAR, measure_tree, way_after, way_of
from tests.games.ticket_to_ride.states import (
    HOUSTON,
    SHORT,
    find_claim,
    give,
    list_legal,
    make_notes,
    make_room,
    make_state,
    offer,
    play_game,
    take,
)

HELENA = ("Helena", "Los Angeles")
"""Helena-Salt Lake City 3 pink, -Las Vegas 3 orange, -Los Angeles 2 grey: eight points."""


def look(state: Array, seat: int, room: Room) -> None:
    """Note all that is known of a state, which may be another one than before."""
    room.known[0] = 0
    rules.look(state, seat, room, 0)


@compiled
def find_way(room: Room, seat: int, ticket: int, route: int) -> tuple[float, float]:
    """Return the way of a ticket, before and after a route is claimed."""
    return way_of(room, seat, ticket), way_after(room, seat, ticket, route)


@compiled
def find_tree(room: Room, seat: int, count: int) -> int:
    return measure_tree(room, seat, count)


def measure_plainly(state: Array, seat: int, players: int) -> NDArray[np.float64]:
    """Return all ways by the algorithm of Floyd and Warshall, with own rules of double routes."""
    ways = np.full((board.CITIES, board.CITIES), FAR)
    np.fill_diagonal(ways, 0.0)
    for route in range(board.ROUTES):
        first = layout.OWNER_AT + board.LINE_OF_ROUTE[route]
        owners = state[first : first + board.ROUTE_LINES[route]].tolist()
        free = owners.count(-1) == len(owners) if players <= 3 else -1 in owners
        cost = 0.0 if seat in owners else float(board.ROUTE_LENGTH[route]) if free else FAR
        one, other = board.ROUTE_FROM[route], board.ROUTE_TO[route]
        ways[one, other] = ways[other, one] = cost
    for city in range(board.CITIES):
        ways = np.minimum(ways, ways[:, city : city + 1] + ways[city : city + 1, :])
    return np.minimum(ways, FAR)


def list_open(room: Room) -> list[int]:
    found: list[int] = room.facts[facts.OPEN_AT :][: room.facts[facts.OPEN_TICKETS]].tolist()
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_ways_are_the_shortest(players: int) -> None:
    """One room for the whole game: what it keeps from turn to turn must still hold."""
    room = make_room()
    checked = blocked = 0
    for number, (state, _) in enumerate(play_game(players, players, claims=0.7)):
        if number % 7:
            continue
        route = number % board.ROUTES
        for seat in range(players):
            look(state, seat, room)
            ways = measure_plainly(state, seat, players)
            for ticket in list_open(room):
                one, other = board.TICKET_FROM[ticket], board.TICKET_TO[ticket]
                found, after = find_way(room, seat, ticket, route)
                assert found == ways[one, other] > 0
                near, far = board.ROUTE_FROM[route], board.ROUTE_TO[route]
                way = ways[one, near] + ways[far, other]
                back = ways[one, far] + ways[near, other]
                assert after == min(ways[one, other], way, back)
                checked += 1
                blocked += ways[one, other] >= FAR
    assert checked > 50
    assert players != 3 or blocked > 0


def test_trees_are_the_least() -> None:
    """Against Kruskal's algorithm over the ways between all cities of the tickets."""
    room = make_room()
    for number, (state, _) in enumerate(play_game(3, 8, claims=0.7)):
        if number % 11 or state[layout.PHASE] == layout.KEEP:
            continue
        look(state, 0, room)
        ways = measure_plainly(state, 0, 3)
        tickets = list_open(room)
        room.facts[facts.SUBSET_AT : facts.SUBSET_AT + len(tickets)] = tickets
        reached = [t for t in tickets if ways[board.TICKET_FROM[t], board.TICKET_TO[t]] < FAR]
        cities = {int(c) for t in reached for c in (board.TICKET_FROM[t], board.TICKET_TO[t])}
        part = {city: city for city in cities}
        total = 0.0
        for one, other in sorted(combinations(cities, 2), key=lambda pair: ways[pair]):
            if part[one] != part[other] and ways[one, other] < FAR:
                total += ways[one, other]
                old = part[one]
                part = {city: part[other] if at == old else at for city, at in part.items()}
        assert find_tree(room, 0, len(tickets)) == total


def describe(state: Array, move: int | None = None) -> dict[str, float]:
    """Return the features that are not 0, of the situation or of a *move*, from empty notes."""
    names = rules.SITUATION_NAMES if move is None else rules.MOVE_FEATURES
    out, notes = np.full(28 + len(names), np.nan, dtype=np.float32), make_notes()
    if move is None:
        rules.features(state, 0, out, notes, 0)
    else:
        rules.describe_move(state, move, 0, out[28:], notes, 0)
    return {n: float(v) for n, v in zip(names, out[28:], strict=True) if v != 0}


def test_a_situation_by_hand() -> None:
    state = make_state(4, HELENA, pink=2, locomotive=1)
    assert describe(state) == {
        "trains to open tickets": 8 / 32,
        "tree of open tickets": 8 / 32,
        "trains beyond that tree": 37 / 32,
        "points of open tickets": 8 / 32,
        "trains to the nearest ticket": 8 / 16,
        "locomotives": 1 / 4,
        "most cards of a colour": 2 / 8,
        "cards that the plan lacks": 3 / 16,
        "wanted routes that can be paid": 2 / 4,
        "most cards of another": 4 / 16,
    }


def test_claims_by_hand() -> None:
    state = make_state(4, HELENA, pink=2, locomotive=1)
    claim = find_claim("Helena", "Salt Lake City", "pink")
    assert describe(state, claim) == {
        "claims": 1,
        "route: length": 3 / 8,
        "route: points": 4 / 16,
        "route: wanted by the plan": 1,
        "route: tickets that it brings nearer": 1 / 4,
        "route: trains that it saves on the way to tickets": 3 / 8,
        "route: trains left to the nearest of its tickets": 5 / 16,
        "route: locomotives paid": 1 / 4,
        "route: trains left": 42 / 32,
        "route: trains left beyond the way to tickets": 37 / 32,
        "route: closed for others as soon as taken": 1,
    }
    apply_move(state, claim)
    state[layout.TO_MOVE] = 0
    give(state, 0, pink=5)
    take(state, 2, ("Portland", "Salt Lake City"))
    assert describe(state, find_claim("Las Vegas", "Los Angeles", "pink")) == {
        "claims": 1,
        "route: length": 2 / 8,
        "route: points": 2 / 16,
        "route: wanted by the plan": 1,
        "route: tickets that it brings nearer": 1 / 4,
        "route: trains that it saves on the way to tickets": 2 / 8,
        "route: trains left to the nearest of its tickets": 3 / 16,
        "route: cards of that colour left": 3 / 8,
        "route: trains left": 40 / 32,
        "route: trains left beyond the way to tickets": 37 / 32,
        "route: closed for others as soon as taken": 1,
        "route: grey": 1,
    }
    take(state, 0, ("Las Vegas", "Los Angeles"))
    told = describe(state, find_claim("Las Vegas", "Salt Lake City", "orange"))
    assert told["route: points of tickets that it completes"] == 8 / 16
    assert told["route: ends that own routes touch"] == 1
    assert told["route: others who touch its ends"] == 1 / 4


def test_cards_by_hand() -> None:
    """A fourth card for pink pays for a route of four, worth 7 instead of 4."""
    state = make_state(4, HELENA, pink=2, locomotive=1)
    assert describe(state, layout.DRAW_OPEN + board.COLOURS.index("pink")) == {
        "takes an open card": 1,
        "card: lacking in the plan": 1 / 8,
        "card: held": 2 / 8,
        "card: points of a longer route that it pays": 3 / 16,
    }
    wild = describe(state, layout.DRAW_OPEN + board.LOCOMOTIVE)
    assert wild == {
        "takes an open locomotive": 1,
        "card: held": 1 / 8,
        "card: how near to a wanted route": 0.5,
        "card: points of a longer route that it pays": 3 / 16,
    }
    deck = describe(state, layout.DRAW_DECK)
    assert deck["takes from the deck"] == 1
    assert deck["card: lacking in the plan"] == pytest.approx((1 + 3) / 8 * 12 / 110)
    assert deck["card: held"] == pytest.approx(2 / 8 * 12 / 110 + 1 / 8 * 14 / 110)
    assert deck["card: how near to a wanted route"] == pytest.approx(0.5 * 26 / 110)
    assert describe(state, layout.DRAW_TICKETS) == {"asks for tickets": 1}


def test_tickets_by_hand() -> None:
    """Denver-El Paso 4, Denver-Helena 4 and El Paso-Los Angeles 6 make the tree: 14."""
    state = offer(make_state(4, HELENA), layout.KEEP, SHORT, ("Los Angeles", "Seattle"))
    assert describe(state, layout.KEEP_TICKETS + 1) == pytest.approx(
        {
            "keeps tickets": 1,
            "tickets: how many kept": 1 / 4,
            "tickets: points kept": 4 / 32,
            "tickets: trains to those kept": 4 / 32,
            "tickets: tree of all open ones": 14 / 32,
            "tickets: trains beyond that tree": 31 / 32,
            "tickets: points per train": 4 / 7 / 4,
        }
    )
    state[layout.player_at(0) + layout.TRAINS] = 3
    told = describe(state, layout.KEEP_TICKETS + 3)
    assert told["tickets: out of reach"] == 2 / 2
    assert "tickets: trains to those kept" not in told


def list_weighed(state: Array) -> set[int]:
    """Return the claims that networks weigh; they must keep all other legal moves, too."""
    moves = np.zeros(layout.MOVES, dtype=np.int64)
    count = list_moves(state, moves)
    listed = set(moves[:count].tolist())
    kept = set(moves[: rules.prune(state, 0, moves, count, make_notes(), 0)].tolist())
    assert {move for move in listed if move >= layout.DRAW_DECK} <= kept <= listed
    return {move for move in kept if move < layout.DRAW_DECK}


def test_claims_that_are_hardly_ever_better_are_left_out() -> None:
    """Wanted routes without needless locomotives, and one long other route for each colour.

    Dallas-Oklahoma City, grey, double and wanted, could be claimed with two red cards, or with a
    blue one and the locomotive, on either line.
    """
    state = make_state(4, HOUSTON, red=2, blue=1, locomotive=1)
    longest = {
        find_claim("Calgary", "Vancouver", "red"),
        find_claim("Kansas City", "Saint Louis", "blue"),
    }
    wanted = {
        find_claim("Dallas", "Houston", "red"),
        find_claim("Dallas", "Houston", "blue"),
        find_claim("Dallas", "Oklahoma City", "red"),
        find_claim("Kansas City", "Oklahoma City", "red"),
    }
    assert list_weighed(state) == wanted | longest
    take(state, 1, ("Dallas", "Oklahoma City"))
    assert find_claim("Dallas", "Oklahoma City", "red", True) in list_weighed(state)


@pytest.mark.parametrize("line", [0, 6, board.LINES - 1])
def test_the_only_route_left_is_weighed(line: int) -> None:
    """Line 0 is grey, and has no twin; the others are grey second lines of their routes."""
    state = make_state(4, deck="", **dict.fromkeys(board.COLOURS, 6))
    state[layout.TICKET_DECK_SIZE] = 0
    open_lines = {line, max(line - 1, 0)}
    for word in range(2):
        closed = sum(1 << n for n in range(64) if 64 * word + n not in open_lines)
        at = layout.player_at(0) + layout.CLOSED_AT + word
        state[at] = np.uint64(closed).astype(np.int64)
    assert {move // 9 for move in list_legal(state)} == open_lines
    assert {move // 9 for move in list_weighed(state)} == {min(open_lines)}


def test_features_say_as_much_as_networks_ask_for() -> None:
    """The first 26 are those of Łabno's table; all beyond 28 take a survey."""
    state = make_state(3, HELENA, pink=2)
    every = np.zeros(len(rules.FEATURES), dtype=np.float32)
    rules.features(state, 0, every, make_notes(), 0)
    for count in (26, 28):
        out, notes = np.zeros(count, dtype=np.float32), make_notes()
        rules.features(state, 0, out, notes, 0)
        assert out.tolist() == every[:count].tolist()
        assert notes[0] == rules.PLANNED
