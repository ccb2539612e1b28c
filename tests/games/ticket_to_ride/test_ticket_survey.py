"""What networks of moves are told: ways, needs and inputs, by hand and against plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    CITY_NAMES,
    COLOURS,
    LINE_OF_ROUTE,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
    TICKETS,
)
from evolve_arena.games.ticket_to_ride.facts import (
    MISSING_AT,
    NO_CARD_HELPS,
    OPEN_AT,
    OPEN_TICKETS,
    SUBSET_AT,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_TICKETS,
    MOVES,
    OFFERED_AT,
    OFFERED_SIZE,
    OVER,
    OWNER_AT,
    PHASE,
    ROUND,
    STATE_FIELDS,
    TICKETS_AT,
    TO_MOVE,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.move_features import INPUTS, MOVE_NAMES, describe_move
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.pruning import prune_moves
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.situation import (
    MOVES_AT,
    SITUATION_NAMES,
    STATE_FEATURES,
    describe_situation,
)
from evolve_arena.games.ticket_to_ride.survey import survey
from evolve_arena.games.ticket_to_ride.ways import FAR, measure_tree, way_after, way_of
from evolve_arena.games.ticket_to_ride.workspace import (
    SEAT_FIELDS,
    TicketWorkspace,
    make_ticket_workspace,
)
from evolve_arena.players.packed import simple_player

RULES = TicketRules()
State = NDArray[np.int64]


def make_workspace() -> TicketWorkspace:
    return make_ticket_workspace(simple_player(SEAT_FIELDS))


@compiled
def look(rules: Any, state: Any, seat: int, workspace: Any) -> None:
    prepare_turn(rules, state, seat, 0, workspace)
    survey(state, seat, workspace)
    describe_situation(state, seat, workspace)


@compiled
def find_way(network: Any, seat: int, ticket: int, route: int) -> tuple[float, float]:
    """The way of a ticket, before and after a route is claimed."""
    return way_of(network, seat, ticket), way_after(network, seat, ticket, route)


@compiled
def find_tree(network: Any, seat: int, count: int) -> Any:
    return measure_tree(network, seat, count)


@compiled
def tell_move(state: Any, seat: int, move: int, network: Any) -> int:
    return describe_move(state, seat, move, network)


@compiled
def prune(rules: Any, state: Any, seat: int, workspace: Any) -> int:
    count = list_moves(rules, state, workspace.moves)
    return prune_moves(state, seat, workspace.moves, count, workspace.network)


def route_between(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(r for r in range(ROUTES) if {int(ROUTE_FROM[r]), int(ROUTE_TO[r])} == ends)


def ticket_between(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(t for t in range(TICKETS) if {int(TICKET_FROM[t]), int(TICKET_TO[t])} == ends)


def start(tickets: list[int], hand: dict[str, int]) -> State:
    """Four players; seat 0 begins a turn with these tickets and cards."""
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(RULES, 4, np.uint64(11), state)
    state[PHASE], state[TO_MOVE], state[ROUND], state[OFFERED_SIZE] = TURN, 0, 1, 0
    state[OFFERED_AT : OFFERED_AT + 3] = -1
    base = player_at(0)
    for place, ticket in enumerate(tickets):
        state[base + TICKETS_AT + place] = ticket
    state[base + HELD_TICKETS] = len(tickets)
    for colour, name in enumerate(COLOURS):
        state[base + HAND_AT + colour] = hand.get(name, 0)
    state[base + CARDS] = sum(hand.values())
    return state


def random_states(players: int, seed: int) -> Iterator[State]:
    """States of a game of random moves, in which routes are claimed whenever one can be."""
    generator = np.random.default_rng(seed)
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    moves = np.zeros(MOVES, dtype=np.int64)
    deal(RULES, players, np.uint64(seed), state)
    while state[PHASE] != OVER:
        yield state
        listed = moves[: list_moves(RULES, state, moves)]
        claims = listed[listed < DRAW_DECK]
        some = claims if len(claims) and generator.random() < 0.7 else listed
        apply_move(RULES, state, int(generator.choice(some)))


def measure_plainly(state: State, seat: int, players: int) -> NDArray[np.float64]:
    """All ways by the algorithm of Floyd and Warshall; the rules of double routes told anew."""
    ways = np.full((CITIES, CITIES), FAR)
    np.fill_diagonal(ways, 0.0)
    for route in range(ROUTES):
        first = OWNER_AT + LINE_OF_ROUTE[route]
        owners = state[first : first + ROUTE_LINES[route]].tolist()
        free = owners.count(-1) == len(owners) if players <= 3 else -1 in owners
        cost = 0.0 if seat in owners else float(ROUTE_LENGTH[route]) if free else FAR
        one, other = ROUTE_FROM[route], ROUTE_TO[route]
        ways[one, other] = ways[other, one] = cost
    for city in range(CITIES):
        ways = np.minimum(ways, ways[:, city : city + 1] + ways[city : city + 1, :])
    return np.minimum(ways, FAR)


def list_open(workspace: TicketWorkspace) -> list[int]:
    facts = workspace.network.facts
    return [int(ticket) for ticket in facts[OPEN_AT : OPEN_AT + facts[OPEN_TICKETS]]]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_ways_are_the_shortest(players: int) -> None:
    """One workspace for the whole game: what it keeps from turn to turn must still hold."""
    workspace = make_workspace()
    checked = blocked = 0
    for number, state in enumerate(random_states(players, players)):
        if number % 7:
            continue
        for seat in range(players):
            look(RULES, state, seat, workspace)
            ways = measure_plainly(state, seat, players)
            for ticket in list_open(workspace):
                one, other = TICKET_FROM[ticket], TICKET_TO[ticket]
                found, after = find_way(workspace.network, seat, ticket, number % ROUTES)
                assert found == ways[one, other] > 0
                near, far = ROUTE_FROM[number % ROUTES], ROUTE_TO[number % ROUTES]
                way = ways[one, near] + ways[far, other]
                back = ways[one, far] + ways[near, other]
                assert after == min(ways[one, other], way, back)
                checked += 1
                blocked += ways[one, other] >= FAR
    assert checked > 50
    assert players != 3 or blocked > 0


def test_ways_by_hand() -> None:
    houston, dallas = ticket_between("Houston", "Kansas City"), route_between("Dallas", "Houston")
    state = start([houston], {"red": 3})
    workspace = make_workspace()
    look(RULES, state, 0, workspace)
    assert find_way(workspace.network, 0, houston, dallas) == (5, 4)
    kansas = route_between("Kansas City", "Oklahoma City")
    assert find_way(workspace.network, 0, houston, kansas) == (5, 3)
    assert find_way(workspace.network, 0, houston, route_between("Boston", "Montreal")) == (5, 5)
    apply_move(RULES, state, int(9 * LINE_OF_ROUTE[dallas] + COLOURS.index("red")))
    look(RULES, state, 0, workspace)
    assert find_way(workspace.network, 0, houston, kansas) == (4, 2)
    look(RULES, state, 1, workspace)
    assert list_open(workspace) == []


def test_a_tree_of_tickets_by_hand() -> None:
    """Dallas-Houston 1, Dallas-Kansas City 4, Kansas City-New York 9 by way of Saint Louis."""
    tickets = [ticket_between("Houston", "Kansas City"), ticket_between("Dallas", "New York")]
    workspace = make_workspace()
    look(RULES, start(tickets, {}), 0, workspace)
    workspace.network.facts[SUBSET_AT : SUBSET_AT + 2] = tickets
    assert find_tree(workspace.network, 0, 2) == 14
    assert find_tree(workspace.network, 0, 1) == 5
    assert find_tree(workspace.network, 0, 0) == 0


def test_trees_are_the_least() -> None:
    """Against Kruskal's algorithm over the ways between all cities of the tickets."""
    workspace = make_workspace()
    for number, state in enumerate(random_states(3, 8)):
        if number % 11 or state[PHASE] == KEEP:
            continue
        look(RULES, state, 0, workspace)
        ways = measure_plainly(state, 0, 3)
        tickets = list_open(workspace)
        workspace.network.facts[SUBSET_AT : SUBSET_AT + len(tickets)] = tickets
        reached = [t for t in tickets if ways[TICKET_FROM[t], TICKET_TO[t]] < FAR]
        cities = {int(c) for t in reached for c in (TICKET_FROM[t], TICKET_TO[t])}
        part = {city: city for city in cities}
        total = 0.0
        for one, other in sorted(combinations(cities, 2), key=lambda pair: ways[pair]):
            if part[one] != part[other] and ways[one, other] < FAR:
                total += ways[one, other]
                old = part[one]
                part = {city: part[other] if at == old else at for city, at in part.items()}
        assert find_tree(workspace.network, 0, len(tickets)) == total


def test_how_near_a_card_brings_wanted_routes() -> None:
    """Helena-Salt Lake City 3 pink, -Las Vegas 3 orange, -Los Angeles 2 grey."""
    ticket = ticket_between("Helena", "Los Angeles")
    workspace = make_workspace()

    def count(state: State) -> dict[str, int]:
        look(RULES, state, 0, workspace)
        missing = workspace.network.facts[MISSING_AT : MISSING_AT + 9].tolist()
        return {n: m for n, m in zip(COLOURS, missing, strict=True) if m < NO_CARD_HELPS}

    assert count(start([ticket], {"pink": 2, "locomotive": 1})) == {"orange": 2, "locomotive": 2}
    assert count(start([ticket], {"pink": 1})) == {
        **dict.fromkeys(COLOURS, 2),
        "pink": 1,
        "locomotive": 1,
    }
    # Denver-Kansas City 4 black or orange, -Saint Louis 2 blue or pink, -Pittsburgh 5 green
    denver = ticket_between("Denver", "Pittsburgh")
    state = start([denver], {"black": 1, "orange": 2, "blue": 3})
    assert count(state) == {"black": 3, "orange": 2, "green": 5, "locomotive": 2}


def describe(state: State, move: int | None, workspace: TicketWorkspace) -> dict[str, float]:
    """The inputs by name that are not 0: of the situation, or of a *move*."""
    inputs = workspace.network.inputs
    inputs[:] = np.nan
    look(RULES, state, 0, workspace)
    if move is None:
        values = inputs[STATE_FEATURES:MOVES_AT]
        return {n: float(v) for n, v in zip(SITUATION_NAMES, values, strict=True) if v != 0}
    told = tell_move(state, 0, move, workspace.network)
    places = workspace.network.places[:told].tolist()
    assert places == [MOVES_AT + p for p in np.flatnonzero(inputs[MOVES_AT:INPUTS])]
    return {MOVE_NAMES[place - MOVES_AT]: float(inputs[place]) for place in places}


def test_a_situation_by_hand() -> None:
    state = start([ticket_between("Helena", "Los Angeles")], {"pink": 2, "locomotive": 1})
    assert describe(state, None, make_workspace()) == {
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
    state = start([ticket_between("Helena", "Los Angeles")], {"pink": 2, "locomotive": 1})
    workspace = make_workspace()
    route = route_between("Helena", "Salt Lake City")
    pink = COLOURS.index("pink")
    assert describe(state, int(9 * LINE_OF_ROUTE[route] + pink), workspace) == {
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
    apply_move(RULES, state, int(9 * LINE_OF_ROUTE[route] + pink))
    state[TO_MOVE] = 0
    state[player_at(0) + HAND_AT + pink] = 5
    end = LINE_OF_ROUTE[route_between("Portland", "Salt Lake City")]
    state[OWNER_AT + end] = 2
    last = LINE_OF_ROUTE[route_between("Las Vegas", "Los Angeles")]
    assert describe(state, int(9 * last + pink), workspace) == {
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
    vegas = LINE_OF_ROUTE[route_between("Las Vegas", "Salt Lake City")]
    state[OWNER_AT + last] = 0
    told = describe(state, int(9 * vegas + COLOURS.index("orange")), workspace)
    assert told["route: points of tickets that it completes"] == 8 / 16
    assert told["route: ends that own routes touch"] == 1
    assert told["route: others who touch its ends"] == 1 / 4


def test_cards_by_hand() -> None:
    """A fourth card for pink pays for a route of four, worth 7 instead of 4."""
    state = start([ticket_between("Helena", "Los Angeles")], {"pink": 2, "locomotive": 1})
    workspace = make_workspace()
    assert describe(state, DRAW_OPEN + COLOURS.index("pink"), workspace) == {
        "takes an open card": 1,
        "card: lacking in the plan": 1 / 8,
        "card: held": 2 / 8,
        "card: points of a longer route that it pays": 3 / 16,
    }
    wild = describe(state, DRAW_OPEN + LOCOMOTIVE, workspace)
    assert wild == {
        "takes an open locomotive": 1,
        "card: held": 1 / 8,
        "card: how near to a wanted route": 0.5,
        "card: points of a longer route that it pays": 3 / 16,
    }
    deck = describe(state, DRAW_DECK, workspace)
    assert deck["takes from the deck"] == 1
    assert deck["card: lacking in the plan"] == pytest.approx((1 + 3) / 8 * 12 / 110)
    assert deck["card: held"] == pytest.approx(2 / 8 * 12 / 110 + 1 / 8 * 14 / 110)
    assert deck["card: how near to a wanted route"] == pytest.approx(0.5 * 26 / 110)
    assert describe(state, DRAW_TICKETS, workspace) == {"asks for tickets": 1}


def test_tickets_by_hand() -> None:
    """Denver-El Paso 4, Denver-Helena 4 and El Paso-Los Angeles 6 make the tree: 14."""
    state = start([ticket_between("Helena", "Los Angeles")], {})
    state[PHASE], state[OFFERED_SIZE] = KEEP, 2
    state[OFFERED_AT] = ticket_between("Denver", "El Paso")
    state[OFFERED_AT + 1] = ticket_between("Los Angeles", "Seattle")
    workspace = make_workspace()
    assert describe(state, KEEP_TICKETS + 1, workspace) == pytest.approx(
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
    state[player_at(0)] = 3
    told = describe(state, KEEP_TICKETS + 3, workspace)
    assert told["tickets: out of reach"] == 2 / 2
    assert "tickets: trains to those kept" not in told


def test_claims_that_are_hardly_ever_better_are_left_out() -> None:
    """Wanted routes without needless locomotives, and one long other route for each colour.

    Dallas-Oklahoma City, grey, double and wanted, could be claimed with two red cards, or with a
    blue one and the locomotive, on either line.
    """
    state = start(
        [ticket_between("Houston", "Kansas City")], {"red": 2, "blue": 1, "locomotive": 1}
    )
    workspace = make_workspace()

    def left() -> list[int]:
        look(RULES, state, 0, workspace)
        count = list_moves(RULES, state, workspace.moves)
        listed = set(workspace.moves[:count].tolist())
        kept: list[int] = workspace.moves[: prune(RULES, state, 0, workspace)].tolist()
        assert set(kept) <= listed
        assert {m for m in listed - set(kept) if m >= DRAW_DECK} == set()
        return [move for move in kept if move < DRAW_DECK]

    def claim(one: str, other: str, colour: str, second: bool = False) -> int:
        line = LINE_OF_ROUTE[route_between(one, other)] + second
        return int(9 * line + COLOURS.index(colour))

    longest = {claim("Calgary", "Vancouver", "red"), claim("Kansas City", "Saint Louis", "blue")}
    wanted = {
        claim("Dallas", "Houston", "red"),
        claim("Dallas", "Houston", "blue"),
        claim("Dallas", "Oklahoma City", "red"),
        claim("Kansas City", "Oklahoma City", "red"),
    }
    assert wanted <= set(left())
    assert claim("Dallas", "Oklahoma City", "blue") not in left()
    assert claim("Dallas", "Oklahoma City", "red", True) not in left()
    assert set(left()) - wanted == longest
    state[OWNER_AT + LINE_OF_ROUTE[route_between("Dallas", "Oklahoma City")]] = 1
    assert claim("Dallas", "Oklahoma City", "red", True) in left()


def test_every_input_has_a_name() -> None:
    assert STATE_FEATURES + len(SITUATION_NAMES) + len(MOVE_NAMES) == INPUTS
    names: list[Any] = [*SITUATION_NAMES, *MOVE_NAMES]
    assert len(set(names)) == len(names)
