"""What people type at a table of Ticket to Ride: understood as far as it is clear, or explained."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.text_ui import TicketText
from evolve_arena.players.text_ui import find_text_ui

GAME = TicketToRide(players=4)
KEEPS = "keep 1 2; keep 1 2; keep 1 2; keep 1 2"


@cache
def at(moves: str = KEEPS, game: TicketToRide = GAME, seed: int = 7) -> Position:
    position = game.parse_position(f"seed {seed}: {moves}" if moves else f"seed {seed}")
    return game.view(position, position.to_move)


def read(text: str, position: Position, game: TicketToRide = GAME) -> str:
    return game.format_move(TicketText(game).read(text, position))


def refuse(text: str, position: Position) -> str:
    with pytest.raises(IllegalMoveError) as caught:
        TicketText(GAME).read(text, position)
    return str(caught.value)


@pytest.mark.parametrize("players", [2, 5])
def test_every_legal_move_is_understood_as_it_is_written(players: int) -> None:
    """Of a random game, in what the player sees of it; the cards of others are hidden there."""
    game, chance, count = TicketToRide(players=players), random.Random(players), 0
    position = game.initial(players)
    while game.outcome(position) is None:
        view = game.view(position, position.to_move)
        legal = game.legal_moves(position)
        for move in legal:
            assert TicketText(game).read(game.format_move(move), view) == move
        count += len(legal)
        position = game.play(position, chance.choice(legal))
    assert count > 1000


# With seed 7 player 1 has a red, a black and a pink card and a locomotive; a locomotive, a white,
# a green and two pink cards lie open.
@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("deck", "draw deck"),
        ("Draw", "draw deck"),
        ("from the deck", "draw deck"),
        ("pink", "draw pink"),
        ("take the open pink card", "draw pink"),
        ("loco", "draw locomotive"),
        ("ticket", "tickets"),
        ("draw tickets", "tickets"),
        ("claim Dallas-Houston red", "claim Dallas-Houston red"),
        ("dal hou red", "claim Dallas-Houston red"),
        ("HOUSTON – DALLAS RED", "claim Dallas-Houston red"),
        ("houston to dallas with red", "claim Dallas-Houston red"),
        ("dallas houston red line 2", "claim Dallas-Houston red line 2"),
        ("new york boston", "claim Boston-New York red"),  # the yellow line can't be paid
        ("st louis-kansas", "claim Kansas City-Saint Louis pink"),  # nor can the blue one
    ],
)
def test_moves_may_be_written_in_many_ways(typed: str, meant: str) -> None:
    assert read(typed, at()) == meant


@pytest.mark.parametrize(
    ("typed", "explained"),
    [
        ("dallas-houston", "Dallas – Houston can be paid in red, black, pink or locomotive: say"),
        ("blue", "no blue card lies open"),
        ("pass", "only who can do nothing else may pass"),
        ("foo bar", "'foo bar' is neither a move nor a route"),
        ("claim dalas-houston red", "there is no city 'dalas': did you mean Dallas?"),
        ("denver-housten", "there is no city 'housten': did you mean Houston?"),
        ("dallas", "'dallas' is neither a move nor a route"),
        ("!", "'!' is no move"),
        ("calgary-helena", "Calgary – Helena takes 4 of any one colour, or locomotives: you have"),
        ("atlanta-miami blue", "Atlanta – Miami takes 5 of blue, or locomotives: you have 0 blue"),
        ("bos-new red line 2", "Boston – New York takes 2 of red or yellow, or locomotives"),
        ("d-ok", "'d-ok' could be Dallas – Oklahoma City or Denver – Oklahoma City"),
    ],
)
def test_what_cannot_be_is_explained(typed: str, explained: str) -> None:
    assert refuse(typed, at()).startswith(explained)


def test_tickets_are_kept_by_their_numbers() -> None:
    position = at("")
    for typed in ("keep 1 3", "1 3", "13", "keep 3 and 1", "1,3"):
        assert read(typed, position) == "keep 1 3"
    assert read("all", position) == "keep 1 2 3"
    for typed in ("keep 2", "1 4", "keep 0 1"):
        assert refuse(typed, position) == "keep from 2 to 3 of the tickets 1 to 3"
    assert "first say which tickets you keep" in refuse("deck", position)
    assert read("2", at(f"{KEEPS}; tickets")) == "keep 2"


def test_the_second_card_is_a_card() -> None:
    position = at(f"{KEEPS}; draw deck")
    assert read("deck", position) == "draw deck"
    assert refuse("dallas-houston red", position).startswith("you have drawn a card")
    assert refuse("tickets", position) == "you have drawn a card already"
    assert refuse("locomotive", position) == "an open locomotive may not be the second card"


def test_routes_of_others_are_taken() -> None:
    others = "draw deck; draw deck; " * 3
    position = at(f"{KEEPS}; claim Dallas-Houston red; {others}")
    assert position.to_move == 0
    assert refuse("dallas-houston pink", position) == "Dallas – Houston is yours already"
    three = TicketToRide(players=3)
    begun = three.parse_position(f"seed 7: {KEEPS[:-10]}; claim Dallas-Houston red")
    with pytest.raises(IllegalMoveError, match=r"^Dallas – Houston is taken$"):
        TicketText(three).read("dal hou", three.view(begun, 1))


@given(st.text(alphabet="abcdelnorstk0123 -", max_size=30) | st.text(max_size=30))
def test_whatever_is_typed_is_legal_or_explained(text: str) -> None:
    for position in (at(""), at(), at(f"{KEEPS}; draw deck")):
        try:
            move = TicketText(GAME).read(text, position)
        except IllegalMoveError as error:
            said = str(error)
        else:
            said = "a legal move"
            assert move in GAME.legal_moves(position)
        assert re.fullmatch(r"[^\n]{8,300}", said)


def test_how_people_talk_about_the_game() -> None:
    ui = find_text_ui(GAME)
    assert isinstance(ui, TicketText)
    begun = at()
    assert ui.greet(1) == "You sit at seat 2 of 4."
    assert ui.question(at("")) == "tickets to keep, 2 at least (such as keep 1 2)"
    assert "claim" in ui.question(begun)
    assert ui.question(at(f"{KEEPS}; draw deck")) == "the second card: deck or COLOUR"
    lines = ui.list_moves(begun).splitlines()
    cards = "draw deck, draw white, draw green, draw pink, draw locomotive or tickets"
    assert lines[0] == f"You can play {cards}"
    claims = [move for move in GAME.legal_moves(begun) if move < 900]
    assert [line.strip() for line in lines[1:]] == [GAME.format_move(move) for move in claims]
    assert ui.name(900, begun) == "draw deck"
