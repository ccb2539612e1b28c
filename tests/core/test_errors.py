"""The exceptions: one base, and texts that help."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

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
from evolve_arena.core.registry import game_names, make_game
from evolve_arena.runs.recipes.recipe import RecipeError, load_recipe


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
    assert str(error) == "unknown game 'backgammon' (known: connect-four)"
    assert error.nearest is None


def test_a_form_is_recognised_by_its_name() -> None:
    known = ["file:PATH", "minimax:depth=4,noise=0.2", "random", "rule:text,early=always"]
    assert UnknownNameError("player", "rulee", known).nearest == "rule:text,early=always"
    assert UnknownNameError("player", "minmax:depth=3", known).nearest == known[1]
    assert UnknownNameError("player", "xyz", known).nearest is None


def test_a_bad_value_is_a_value_error_with_the_same_text() -> None:
    with pytest.raises(ValueError, match=r"^columns is 99: it must be from 1 to 32$") as caught:
        make_game("connect-four", columns=99)
    assert type(caught.value) is BadValueError
    assert isinstance(caught.value, ArenaError)
    assert not isinstance(caught.value, LookupError)


def test_an_unknown_name_is_a_lookup_error_whose_text_is_not_quoted() -> None:
    with pytest.raises(LookupError) as caught:
        make_game("conect-four")
    assert type(caught.value) is UnknownNameError
    assert isinstance(caught.value, ArenaError)
    assert not isinstance(caught.value, KeyError | IndexError | ValueError)
    assert str(caught.value).startswith("unknown game 'conect-four': did you mean 'connect-four'?")


@pytest.mark.parametrize(
    "error",
    [
        ArenaError("a text"),
        BadValueError("seed is -1: it must be at least 0"),
        UnknownNameError("game", "hexx", ["hex", "pig"]),
        UnknownNameError("colour", "blue", ["red", "yellow"]),
    ],
)
def test_errors_can_be_sent_to_another_process(error: ArenaError) -> None:
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is type(error)
        assert str(same) == str(error)
        assert vars(same) == vars(error)


def test_a_bad_value_is_reported_by_its_own_class_where_value_errors_are_wrapped(
    tmp_path: Path,
) -> None:
    """Pydantic and the reader of TOML make other errors of a ``ValueError``."""
    file = tmp_path / "recipe.toml"
    file.write_text('[game]\nname = "connect-four"\ncolumns = 99\n')
    with pytest.raises(RecipeError) as caught:
        load_recipe(str(file))
    assert str(caught.value) == f"{file}: columns is 99: it must be from 1 to 32"


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
