"""Texts of moves: one for each, and what else is understood."""

from __future__ import annotations

import pytest

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.board import GREY, LINE_COLOUR
from evolve_arena.games.ticket_to_ride.layout import DRAW_DECK, MOVES
from evolve_arena.games.ticket_to_ride.moves import format_move, parse_move
from evolve_arena.games.ticket_to_ride.rules import name_move, read_move


def test_every_move_has_one_text_that_is_read_back() -> None:
    texts = {}
    for move in range(MOVES):
        line, colour = divmod(move, 9)
        if move < DRAW_DECK and LINE_COLOUR[line] not in (GREY, colour) and colour != 8:
            with pytest.raises(IllegalMoveError, match=f"no move has the number {move}"):
                format_move(move)
            assert read_move(name_move(move)) == move
            continue
        assert read_move(name_move(move)) == read_move(format_move(move)) == move
        assert " " not in name_move(move)
        texts[format_move(move)] = move
    assert len(texts) == 44 * 9 + 56 * 2 + 10 + 1 + 7 + 1
    assert {text: parse_move(text) for text in texts} == texts


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("CLAIM houston-dal RED", "claim Dallas-Houston red"),
        ("Claim Houston-Dallas Locomotives LINE 2", "claim Dallas-Houston locomotive line 2"),
        ("claim Dallas-Houston red line 1", "claim Dallas-Houston red"),
        ("claim dallas houston red line 2", "claim Dallas-Houston red line 2"),
        ("claim san los yel", "claim Los Angeles-San Francisco yellow"),
        ("claim New York-Boston red", "claim Boston-New York red"),
        ("claim Boston-New York yellow line 2", "claim Boston-New York yellow"),
        ("claim boston-new york locomotives", "claim Boston-New York locomotive"),
        ("claim sault ste marie - toronto blue", "claim Sault Ste. Marie-Toronto blue"),
        ("claim el paso–santa fe g", "claim El Paso-Santa Fe green"),
        ("Draw D", "draw deck"),
        ("draw tickets", "tickets"),
        ("t", "tickets"),
        ("keep 3, 1", "keep 1 3"),
        ("claim_Houston-Dallas_red_line_2", "claim Dallas-Houston red line 2"),
        ("p", "pass"),
    ],
)
def test_lenient_texts(text: str, meant: str) -> None:
    assert format_move(read_move(text)) == meant


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "say claim, draw, tickets, keep or pass"),
        ("kepe 1", "did you mean keep"),
        ("claim nowhere-dallas red", "there is no city 'nowhere': did you mean Vancouver?"),
        ("claim Dalas Houston red", "there is no city 'Dalas': did you mean Dallas?"),
        ("claim New Yrok Boston red", "there is no city 'New Yrok': did you mean New York?"),
        ("claim Dallas Houston blue red", "there is no city 'Houston blue': did you mean Houston?"),
        ("claim zzz-dallas red", "there is no city 'zzz': write Dallas-Houston"),
        ("claim -dallas red", "a city is missing: write Dallas-Houston"),
        ("claim san-los red", "'san' could be San Francisco or Santa Fe"),
        ("claim Seattle-Miami red", "no route joins Seattle and Miami: from Seattle they lead to"),
        (
            "claim s d red",
            "'s d' could be Denver-Salt Lake City or Denver-Santa Fe or Duluth-Sault Ste. Marie",
        ),
        ("claim Boston-New York green", "Boston-New York is red or yellow"),
        ("claim Dallas-El Paso red line 2", "no second line"),
        ("claim Boston-New York red line 2", "no second line for red"),
        ("claim Dallas-Houston red line 3", "there is no line 3"),
        ("claim Dallas-Houston b", "'b' could be blue or black"),
        ("claim red", "claims no route"),
        ("claim dallas red", "'dallas' names no route: write Dallas-Houston"),
        ("claim a b c d e f g red", "names no route: write Dallas-Houston"),
        ("draw", "draw what?"),
        ("draw purple", "there is no card 'purple'"),
        ("keep", "keep which tickets?"),
        ("keep 4", "their numbers, 1 to 3"),
        ("pass now", "'pass' stands alone"),
    ],
)
def test_texts_that_name_no_move(text: str, told: str) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        read_move(text)
    assert told in str(raised.value)
