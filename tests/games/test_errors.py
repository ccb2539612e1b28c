"""The exceptions: one base, and texts that help."""

from __future__ import annotations

import pytest

from games.errors import (
    ArenaError,
    BadValueError,
    GameOverError,
    IllegalMoveError,
    PositionError,
    UnknownNameError,
)
from games.registry import GAMES, make_game


@pytest.mark.parametrize(
    "kind", [BadValueError, GameOverError, IllegalMoveError, PositionError, UnknownNameError]
)
def test_all_have_one_base(kind: type[Exception]) -> None:
    assert issubclass(kind, ArenaError)


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


def test_games_are_made_by_name() -> None:
    assert sorted(GAMES) == ["checkers", "connect-four", "ticket-to-ride"]
    assert make_game("connect-four", columns=9, rows=6, connect=5).rules == (9, 6, 5)


def test_unknown_games_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown game 'connect4': did you mean"):
        make_game("connect4")


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(BadValueError, match="connect is 9"):
        make_game("connect-four", connect=9)


def test_a_form_is_recognised_by_its_name() -> None:
    known = ["file:PATH", "minimax:depth=4,noise=0.2", "random", "rule:text,early=always"]
    assert UnknownNameError("player", "rulee", known).nearest == "rule:text,early=always"
    assert UnknownNameError("player", "minmax:depth=3", known).nearest == known[1]
    assert UnknownNameError("player", "xyz", known).nearest is None
