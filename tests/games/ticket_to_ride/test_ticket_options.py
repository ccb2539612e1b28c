"""The readings of the rule player: names, bits, and texts that are no reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.games.ticket_to_ride.options import LONG, OPTIONS, describe_variant, parse_variant


@given(st.integers(0, 2 ** len(OPTIONS) - 1))
def test_every_variant_can_be_written_and_read_again(bits: int) -> None:
    assert parse_variant(describe_variant(bits)) == bits


def test_each_option_is_one_bit() -> None:
    for bit, option in enumerate(OPTIONS):
        assert parse_variant(f"text,{option.name}={option.values[0]}") == 0
        assert parse_variant(f"{option.name}={option.values[1]}") == 1 << bit
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)


def test_the_named_variants() -> None:
    assert parse_variant("text") == parse_variant("") == 0
    assert describe_variant(0) == "text"
    assert describe_variant(parse_variant("code")) == "code"
    assert describe_variant(parse_variant("code,long=5,early=draw")) == "code,long=5,early=draw"
    assert describe_variant(parse_variant(" text , long = 6 ")) == "text,long=6"


def test_the_program_differs_from_the_text_in_all_but_two_options() -> None:
    same = [option.name for option in OPTIONS if option.code == 0]
    assert same == ["goal", "ticket_limit"]


def test_long_is_the_second_option() -> None:
    assert parse_variant("long=6") & LONG
    assert not parse_variant("code,long=5") & LONG


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("txt", "unknown variant 'txt': did you mean 'text'? (known: code, text)"),
        ("long=6,text", "unknown variant 'text': did you mean 'text'? (known: code, text)"),
        ("text,lng=6", "unknown option 'lng': did you mean 'long'?"),
    ],
)
def test_unknown_names_are_told(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_variant(text)
    assert str(caught.value).startswith(message)


def test_wrong_values_are_told() -> None:
    with pytest.raises(BadValueError, match=r"^long=7: expected 5 or 6$"):
        parse_variant("code,long=7")
