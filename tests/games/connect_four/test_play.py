"""Connect Four at the terminal: columns and boards, and what networks think of each column."""

from __future__ import annotations

import re

import numpy as np
import pytest

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.graph import GraphDecoder
from evolve_arena.games.connect_four.network import NetworkDecoder, NetworkPlayer
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.games.connect_four.text_ui import (
    ConnectFourText,
    describe_values,
    draw_board,
    find_lines,
    find_values,
)
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.players.player import make_random
from evolve_arena.runs.play import Plan
from evolve_arena.runs.play.prompt import Command, read_input
from tests.terminal import sit

GAME = ConnectFour()
YOU = None
"""A person, in the list of players."""


def read(game: ConnectFour, text: str) -> list[int] | Command:
    """What somebody means at the beginning of a game who types *text*."""
    entry: list[int] | Command = read_input(ConnectFourText(game), text, game.initial())
    return entry


# --- what is typed -------------------------------------------------------------------------


def test_on_wide_boards_letters_are_columns_and_words_are_commands() -> None:
    wide = ConnectFour(32, 1, 4)
    assert read(wide, "q") == [25]
    assert read(wide, "qu") == Command("quit")
    assert read(ConnectFour(12, 4, 4), "b") == [11]
    assert read(GAME, "b") == Command("board")


@pytest.mark.parametrize(
    "text", ["7", "-1", "3 4", "2.5", "\x1b[A", "\N{REPLACEMENT CHARACTER}", "z"]
)
def test_what_is_no_column(text: str) -> None:
    with pytest.raises(IllegalMoveError, match="column"):
        read(GAME, text)


# --- drawing -------------------------------------------------------------------------------


def test_the_last_disc_is_bracketed_and_a_line_is_in_upper_case() -> None:
    position = GAME.parse_position("0101010")
    assert draw_board(GAME, position, 0) == (
        "  . . . . . . .\n"
        "  . . . . . . .\n"
        " [X]. . . . . .\n"
        "  X o . . . . .\n"
        "  X o . . . . .\n"
        "  X o . . . . .\n"
        "  0 1 2 3 4 5 6"
    )
    assert draw_board(GAME, GAME.parse_position("6"), 6).splitlines()[5] == "  . . . . . .[x]"
    unmarked = draw_board(GAME, GAME.parse_position("3321"), None)
    assert unmarked.replace("\n  ", "\n")[2:] == str(GAME.parse_position("3321"))


def test_colours_say_what_the_marks_say() -> None:
    position = GAME.parse_position("0101010")
    coloured = draw_board(GAME, position, 0, colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_board(GAME, position, 0)
    assert "\x1b[31;1;7mX\x1b[0m" in coloured
    assert "\x1b[33mo\x1b[0m" in coloured


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("0011223", [(5, 0), (5, 1), (5, 2), (5, 3)]),
        ("01122323363", [(5, 0), (4, 1), (3, 2), (2, 3)]),
        ("65544343303", [(5, 6), (4, 5), (3, 4), (2, 3)]),
        ("0011224455" + "3", [(5, 0), (5, 1), (5, 2), (5, 3), (5, 4), (5, 5)]),
        ("001122", []),
    ],
)
def test_lines_are_found_whole(moves: str, line: list[tuple[int, int]]) -> None:
    position = GAME.parse_position(moves)
    assert find_lines(GAME, position) == set(line)
    assert (GAME.outcome(position) is not None) == bool(line)


# --- values --------------------------------------------------------------------------------


def network(head: str, **options: object) -> NetworkPlayer:
    decoder = NetworkDecoder(head=head, hidden=(6,), **options)  # type: ignore[arg-type]
    genome = decoder.initialise(1, "normal", np.random.default_rng(3))[0]
    return decoder.player(genome, "net")


@pytest.mark.parametrize("head", ["policy", "value", "action"])
@pytest.mark.parametrize("encoding", ["0/1/2", "0/1/-1", "two-planes"])
@pytest.mark.parametrize(("viewpoint", "symmetric"), [("mover", True), ("absolute", False)])
def test_the_best_opinion_is_the_move(
    head: str, encoding: str, viewpoint: str, symmetric: bool
) -> None:
    symmetric = symmetric and head != "action"
    player = network(head, encoding=encoding, viewpoint=viewpoint, symmetric=symmetric)
    for moves in ("", "3", "33", "0123", "3333332", "0123012"):
        position = GAME.parse_position(moves)
        opinions = find_values(player, position, ())
        chosen = opinions[player.choose(position, new_stream(0))]
        assert chosen == pytest.approx(np.nanmax(opinions), abs=1e-4)
        assert np.nanmin(opinions) < chosen - 0.01
        assert np.isnan(opinions[3]) == (moves == "3333332")


def test_opinions_of_moves_are_called_so() -> None:
    text = describe_values(network("action"), GAME.parse_position("010101"), ())
    assert text.startswith("net's values of each column:")


def test_values_say_which_column_wins_at_once_and_tell_near_ones_apart() -> None:
    player = network("value")
    text = describe_values(player, GAME.parse_position("010101"), ())
    assert text.startswith(
        "net's values of the positions after each column; column 0 wins at once:"
    )
    values = player.value_columns(GAME.initial())
    shown = dict(re.findall(r"(\d): (-?[\d.]+)", describe_values(player, GAME.initial(), ())))
    for column in range(7):
        assert float(shown[str(column)]) == pytest.approx(values[column], abs=0.0006)
    near = player.decoder.player(player.genome * np.float32(0.01), "near")
    texts = re.findall(r"\d: (-?[\d.]+)", describe_values(near, GAME.initial(), ()))
    assert len(set(texts)) == len(texts) == 7
    assert all(len(text.partition(".")[2]) > 3 for text in texts)
    config = NeatConfig(pop_size=2, feed_forward=False)
    decoder = GraphDecoder(head="value", feed_forward=False)
    genome, _ = create(config, decoder.inputs, 1, seed=1)
    recurrent = decoder.player(genome.take([0]), "graph")
    assert "without what it remembers" in describe_values(recurrent, GAME.initial(), ())


def test_values_on_request_and_always() -> None:
    player = network("value")
    _, shown = sit(GAME, "v\nq\n", [YOU, player])
    assert "net's values" in shown
    _, shown = sit(GAME, "q\n", [YOU, player], Plan(seed=1, values=True))
    assert shown.count("net's values") == 1
    _, shown = sit(GAME, "v\nq\n", [YOU, make_test_bot(GAME)], advisor=lambda: player)
    assert "net's values" in shown
    session, shown = sit(GAME, "", [player, make_random(GAME)], Plan(seed=1, values=True, games=1))
    moves = len(session.matches[0].moves)
    assert shown.count("net's values") == (moves + 1) // 2


def test_what_can_be_played_and_what_help_says() -> None:
    _, shown = sit(GAME, "m\nhelp\nq\n", [YOU, None], Plan(seed=1, moves=(3,) * 6))
    assert "Open are 0, 1, 2, 4, 5 and 6.\nMoves: 333333\n" in shown
    assert "The number of a column drops a disc there. Or say, whole or in part:\n" in shown
    assert "\n  values  what a network thinks of each column\n" in shown
