"""What people see of a table of Ticket to Ride, checked against a game worked out by hand."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from evolve_arena.core.stream import new_stream
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LINE_OF_ROUTE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_TO,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
    TICKETS,
)
from evolve_arena.games.ticket_to_ride.drawing import (
    draw_table,
    list_claimed,
    list_claims,
    name_route,
)
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import OWNER_AT, TRAINS, player_at
from evolve_arena.games.ticket_to_ride.missing import find_missing, open_lines
from evolve_arena.games.ticket_to_ride.text_ui import tell_move
from evolve_arena.players.human import HumanPlayer
from evolve_arena.players.player import Forfeit, ForfeitError

GAME = TicketToRide(players=4)
KEEPS = "keep 1 2; keep 1 2; keep 1 2; keep 1 2"


def find_ticket(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(t for t in range(TICKETS) if {TICKET_FROM[t], TICKET_TO[t]} == ends)


def find_route(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(r for r in range(78) if {ROUTE_FROM[r], ROUTE_TO[r]} == ends)


def test_a_free_map_takes_as_many_trains_as_the_shortest_way() -> None:
    """25 tickets are worth their shortest way; the others are told in games' own tests."""
    state = GAME.initial().array
    lengths = []
    for ticket in range(TICKETS):
        way = find_missing(GAME.rules, state, 0, ticket)
        assert way is not None
        assert way[0].start == TICKET_FROM[ticket]
        assert way[-1].end == TICKET_TO[ticket]
        assert [leg.end for leg in way[:-1]] == [leg.start for leg in way[1:]]
        lengths.append(sum(int(ROUTE_LENGTH[leg.route]) for leg in way))
    assert int(np.count_nonzero(np.array(lengths) == TICKET_POINTS)) == 25
    assert sum(lengths) == 349 - 6  # five tickets are worth 1, 1, 1, 2 and 1 more


def test_own_routes_cost_nothing_and_those_of_others_are_closed() -> None:
    state = GAME.initial().array.copy()
    ticket = find_ticket("Dallas", "New York")

    def claim(seat: int, one: str, other: str, line: int = 0) -> None:
        state[OWNER_AT + LINE_OF_ROUTE[find_route(one, other)] + line] = seat

    def missing(seat: int = 0) -> list[tuple[str, str]] | None:
        way = find_missing(GAME.rules, state, seat, ticket)
        if way is None:
            return None
        return [(CITY_NAMES[leg.start], CITY_NAMES[leg.end]) for leg in way]

    claim(0, "Dallas", "Little Rock")
    claim(0, "Little Rock", "Saint Louis")
    assert missing() == [("Saint Louis", "Pittsburgh"), ("Pittsburgh", "New York")]
    claim(1, "Pittsburgh", "Saint Louis")
    assert missing() == [
        ("Saint Louis", "Chicago"),
        ("Chicago", "Pittsburgh"),
        ("Pittsburgh", "New York"),
    ]
    claim(0, "New York", "Pittsburgh")
    claim(0, "Chicago", "Pittsburgh", line=1)
    assert missing() == [("Saint Louis", "Chicago")]
    claim(0, "Chicago", "Saint Louis")
    assert missing() == []
    # With four players the second line of a double route is still open to another.
    other = find_missing(GAME.rules, state, 2, find_ticket("Dallas", "New York"))
    assert other is not None
    for one, two in (("Boston", "New York"), ("Montreal", "New York")):
        claim(1, one, two)
    claim(1, "Boston", "New York", line=1)
    for line in (0, 1):
        claim(1, "New York", "Washington", line)
    claim(1, "New York", "Pittsburgh", line=1)
    assert missing(seat=2) is None
    assert missing() == []


def test_the_table_shows_what_the_seat_knows() -> None:
    position = GAME.parse_position(f"seed 7: {KEEPS}; claim dallas-houston red; draw deck")
    view = GAME.view(position, 1)
    shown = draw_table(GAME.rules, view.array, 1, ["a", "you", "b", "c"])
    lines = shown.splitlines()
    assert lines[0] == "Round 1"
    assert lines[1].split() == ["points", "trains", "cards", "tickets", "routes"]
    assert lines[2].split() == ["a", "1", "44", "3", "2", "1"]
    assert lines[3].split() == [">", "you", "0", "45", "5", "2", "0"]
    assert "  open     [locomotive] [white] [green] [pink] [pink]" in lines
    assert "  decks    88 cards, 1 discarded; 22 tickets" in lines
    hand = view.hand(1)
    (own,) = [line for line in lines if line.startswith("  hand")]
    found = {name: int(count) for count, name in re.findall(r"\[(\d+) (\w+)\]", own)}
    assert found == hand
    assert sum(found.values()) == 5
    for ticket in view.tickets(1):
        assert f"({TICKET_POINTS[ticket]})" in shown
    hidden = position.tickets(0)[0]
    assert f"{CITY_NAMES[TICKET_FROM[hidden]]} – {CITY_NAMES[TICKET_TO[hidden]]}" not in shown


def test_colours_say_what_the_words_say() -> None:
    array = GAME.initial(7).array
    plain = draw_table(GAME.rules, array, 0)
    coloured = draw_table(GAME.rules, array, 0, colour=True)
    assert "\x1b[48;5;160;38;5;231m 1 red \x1b[0m" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m ([^\x1b]*) \x1b\[0m", r"[\1]", coloured)
    assert bare == plain
    assert max(map(len, plain.splitlines())) <= 100


def test_a_ticket_that_needs_too_many_trains_is_marked() -> None:
    array = GAME.parse_position(f"seed 7: {KEEPS}").array.copy()
    array[player_at(0) + TRAINS] = 9
    shown = draw_table(GAME.rules, array, 0)
    assert shown.count("lacks 20, more than you have:") == 1  # New York - Seattle
    assert shown.count("lacks 10, more than you have:") == 1  # Duluth - El Paso
    array[player_at(0) + TRAINS] = 10
    assert draw_table(GAME.rules, array, 0).count("more than you have") == 1


def test_claims_are_listed_by_length_with_their_cards() -> None:
    position = GAME.parse_position(f"seed 7: {KEEPS}")
    text = list_claims(position.array, GAME.legal_moves(position))
    assert " ".join(text.split()).endswith(
        " Seattle – Vancouver 1 train, 1 point [red] [black] [pink] [locomotive]"
    )
    assert all(len(line) <= 80 for line in text.splitlines())
    lengths = [int(length) for length in re.findall(r"(\d) train", text)]
    assert lengths == sorted(lengths, reverse=True)
    assert list_claims(position.array, [900]) == "You have the cards for no route."


def test_claimed_routes_are_listed_by_player() -> None:
    position = GAME.parse_position(f"seed 7: {KEEPS}; claim dallas-houston red")
    assert list_claimed(position.array, ["a", "b"]) == "  a: Dallas – Houston 1\n  b: no route"


@pytest.mark.parametrize(
    ("moves", "move", "told"),
    [
        (KEEPS, "claim dallas-houston red", "claims Dallas – Houston with 1 red (1 point)"),
        (
            KEEPS,
            "claim kansas-saint louis pink",
            "claims Kansas City – Saint Louis with 1 pink and 1 locomotive (2 points)",
        ),
        (KEEPS, "claim dal-hou locomotive", "claims Dallas – Houston with 1 locomotive (1 point)"),
        (KEEPS, "draw deck", "draws from the deck"),
        (KEEPS, "draw pink", "takes pink"),
        (KEEPS, "tickets", "draws tickets"),
        ("", "keep 1 3", "keeps 2 of 3 tickets"),
    ],
)
def test_moves_are_told_as_others_see_them(moves: str, move: str, told: str) -> None:
    position = GAME.parse_position(f"seed 7: {moves}" if moves else "seed 7")
    assert tell_move(position.array, GAME.parse_move(move)) == told


def test_a_person_is_asked_until_the_move_is_legal() -> None:
    said = io.StringIO()
    person = HumanPlayer(GAME, reads=io.StringIO("keep 4\n1 3\ndeck\nq\n"), writes=said)
    position = GAME.initial(7)
    person.begin(0)
    assert person.choose(GAME.view(position, 0), new_stream(0)) == GAME.parse_move("keep 1 3")
    shown = said.getvalue()
    assert "You sit at seat 1 of 4." in shown
    assert "Not possible: keep from 2 to 3 of the tickets 1 to 3." in shown
    begun = GAME.parse_position(f"seed 7: {KEEPS}")
    assert person.choose(GAME.view(begun, 0), new_stream(0)) == GAME.parse_move("draw deck")
    with pytest.raises(ForfeitError) as caught:
        person.choose(GAME.view(begun, 0), new_stream(0))
    assert caught.value.kind is Forfeit.RESIGNED


def test_names_of_routes() -> None:
    assert name_route(find_route("Boston", "New York")) == "Boston – New York"


@pytest.mark.parametrize(("players", "left"), [(3, []), (4, [1])])
def test_second_lines_are_open_at_larger_tables_only(players: int, left: list[int]) -> None:
    game = TicketToRide(players=players)
    state = game.initial().array.copy()
    route = find_route("Boston", "New York")
    first = int(LINE_OF_ROUTE[route])
    assert open_lines(game.rules, state, 0, route) == [first, first + 1]
    state[OWNER_AT + first] = 1
    assert open_lines(game.rules, state, 0, route) == [first + line for line in left]
    assert open_lines(game.rules, state, 1, route) == []  # nobody claims both
