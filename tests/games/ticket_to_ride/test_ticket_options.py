"""The readings of the rule player: names, bits, and texts that are no reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride.options import OPTIONS, describe_variant, parse_variant
from evolve_arena.players.specification import make_player


@given(st.integers(0, 2 ** len(OPTIONS) - 1))
def test_every_variant_can_be_written_and_read_again(bits: int) -> None:
    assert parse_variant(describe_variant(bits)) == bits


def test_the_named_variants() -> None:
    assert parse_variant("text") == parse_variant("") == 0
    for text in ("text", "code", "code,long=5,early=draw", "text,long=6"):
        assert describe_variant(parse_variant(text)) == text
    assert describe_variant(parse_variant(" text , long = 6 ")) == "text,long=6"
    same = [option.name for option in OPTIONS if option.code == 0]
    assert same == ["goal", "ticket_limit", "blocks"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("txt", r"unknown variant 'txt': did you mean 'text'\? \(known: code, text\)"),
        ("long=6,text", "unknown variant 'text'"),
        ("text,lng=6", r"unknown option 'lng': did you mean 'long'\?"),
        ("code,long=7", "long=7: expected 5 or 6$"),
    ],
)
def test_what_is_no_reading_is_told(text: str, message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        make_player(f"rule:{text}", make_game("ticket-to-ride"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rule", "rule"),
        ("rule:text", "rule"),
        ("rule:code,early=draw", "rule:code,early=draw"),
        ("rule:noise=0.25,code", "rule:code,noise=0.25"),
    ],
)
def test_players_are_named_by_their_reading(text: str, name: str) -> None:
    assert make_player(text, make_game("ticket-to-ride")).name == name
