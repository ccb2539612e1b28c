"""The exceptions: one base, and texts that help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.errors import (
    ArenaError,
    BadValueError,
    UnknownNameError,
    one_line,
    quote,
)
from evolve_arena.core.registry import game_names


def test_the_nearest_name_is_suggested() -> None:
    error = UnknownNameError("encoding", "two-plane", ["two-planes", "0/1/2", "0/1/-1"])
    assert str(error) == (
        "unknown encoding 'two-plane': did you mean 'two-planes'?"
        " (known: 0/1/-1, 0/1/2, two-planes)"
    )
    assert error.name == "two-plane"
    assert error.nearest == "two-planes"


def test_a_name_like_nothing_gets_the_list_alone() -> None:
    error = UnknownNameError("game", "backgammon", ["connect-four"])
    assert str(error) == "unknown game 'backgammon': (known: connect-four)"
    assert error.nearest is None


def test_a_form_is_recognised_by_its_name() -> None:
    known = ["file:PATH", "minimax:depth=4,noise=0.2", "random", "rule:text,early=always"]
    assert UnknownNameError("player", "rulee", known).nearest == "rule:text,early=always"
    assert UnknownNameError("player", "minmax:depth=3", known).nearest == known[1]
    assert UnknownNameError("player", "xyz", known).nearest is None


def test_the_text_of_an_error_is_one_line_of_at_most_300_characters() -> None:
    text = str(ArenaError("head\n\x1b[31mred\x07\u2028\udc80" + "x" * 10_000 + "\ttail"))
    assert len(text) == 299
    assert text.startswith("head \\x1b[31mred\\x07 \\udc80xxx")
    assert text.endswith("xxx tail")
    assert " ... " in text
    assert text.isprintable()
    assert str(ArenaError("a" * 300)) == "a" * 300
    assert str(BadValueError("ä λ ± 'x'")) == "ä λ ± 'x'"


@given(st.text(st.characters(), max_size=700), st.integers(15, 400))
def test_whatever_is_in_a_text_it_becomes_one_line(text: str, most: int) -> None:
    line = one_line(text, most)
    assert line.isprintable()
    assert len(line) <= most
    if text.isprintable() and len(text) <= most:
        assert line == text


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("checkers", "'checkers'"),
        ("x" * 500, "'" + "x" * 27 + "..." + "x" * 28 + "'"),
        (10**5000, "an int too long to be written"),
        (7, "7"),
        (float("nan"), "nan"),
        (["x"] * 12, "[" + "'x', " * 10 + "...]"),
    ],
    ids=["text", "long text", "digits", "number", "nan", "list"],
)
def test_a_value_is_quoted_short(value: object, quoted: str) -> None:
    assert quote(value) == quoted
    assert len(quote(value)) <= 100


def test_a_name_of_thousands_of_letters_is_unknown_in_one_line() -> None:
    names = game_names()[:5]
    text = str(UnknownNameError("game", "checkers" * 5000, names))
    assert len(text) <= 300
    assert text.endswith(f"(known: {', '.join(names)})")
