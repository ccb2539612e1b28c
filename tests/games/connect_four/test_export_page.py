"""Connect Four as a page: the moves of the exported file, and the board as servers draw it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.stream import new_stream
from evolve_arena.players.board_view import find_board_view
from evolve_arena.runs.export.page import run_source, write_python, write_source
from tests.bred import grow, make_bred, random_positions
from tests.games.connect_four.test_export_graph import EVERYTHING
from tests.pages import ask_page, with_node

GAME = "connect-four"
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "value": ("mlp", {"head": "value"}),
    "value, deep, tanh": (
        "mlp",
        {"head": "value", "hidden": (20, 9), "activation": "tanh", "encoding": "two-planes"},
    ),
    "policy": ("mlp", {"head": "policy"}),
    "policy, relu": ("mlp", {"head": "policy", "hidden": (33,), "activation": "relu"}),
    "action": ("mlp", {"head": "action"}),
    "graph, value": ("graph", {"head": "value"}),
    "graph, policy": ("graph", {"head": "policy", "encoding": "two-planes"}),
    "tuples": ("tuples", {"tuples": 30, "length": 6}),
    "tuples on another board": ("tuples", {"columns": 9, "rows": 5, "tuples": 9, "length": 5}),
}


def flat(position: Any) -> list[int]:
    return [int(cell) for cell in position.cells().ravel()]


@with_node
@pytest.mark.parametrize("kind", KINDS)
def test_pages_choose_the_arenas_moves(kind: str, tmp_path: Path) -> None:
    network, settings = KINDS[kind]
    player = make_bred(GAME, network, 4, **settings)
    positions = random_positions(player.game, 700)
    found, _ = ask_page(
        player,
        [flat(position) for position in positions],
        tmp_path,
        "return bot.ask_bot(position);",
    )
    assert found == [player.choose(position, new_stream(0)) for position in positions]


@with_node
@pytest.mark.parametrize("head", ["value", "policy"])
def test_graphs_of_all_functions_choose_the_arenas_moves(head: str, tmp_path: Path) -> None:
    decoder = make_bred(GAME, "graph", head=head).decoder
    for seed in range(5):
        player = decoder.player(grow(decoder, seed, EVERYTHING), "everything")
        positions = random_positions(player.game, 150, seed)
        given = [flat(position) for position in positions]
        found, _ = ask_page(player, given, tmp_path, "return bot.ask_bot(position);")
        assert found == [player.choose(position, new_stream(0)) for position in positions]


@with_node
@pytest.mark.parametrize("head", ["value", "policy"])
def test_recurrent_graphs_remember_a_game_even_if_values_are_asked(
    head: str, tmp_path: Path
) -> None:
    settings = {"head": head, "feed_forward": False}
    player = make_bred(GAME, "graph", 6, **settings)
    games, game = [], player.game
    for seed in range(30):
        positions, position = [], game.initial()
        others = iter(random_positions(game, 40, seed))
        while game.outcome(position) is None:
            positions.append(position)
            move = next(others).first % len(game.legal_moves(position))
            position = game.play(position, game.legal_moves(position)[move])
        games.append([flat(position) for position in positions])
    space = run_source(write_python(player))
    wanted = [
        [space["choose"](board, 1 + sum(map(bool, board)) % 2) for board in boards]
        for boards in games
    ]
    body = "return position.map((board) => { bot.ask_values(board); return bot.ask_bot(board); });"
    assert ask_page(player, games, tmp_path, body)[0] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_draws_what_the_view_draws(kind: str) -> None:
    network, settings = KINDS[kind]
    player = make_bred(GAME, network, 4, **settings)
    game, view, page = (
        player.game,
        find_board_view(player.game),
        run_source(write_source(player)[0]),
    )
    positions = random_positions(game, 100)
    positions += [game.play(p, m) for p in positions for m in game.legal_moves(p)[:1]]
    assert page["begin_page"]() == flat(game.initial())
    for position in positions:
        board = flat(position)
        moves = view.moves(position)
        assert page["ask_seat"](board) == game.to_move(position)
        assert page["ask_moves"](board) == game.legal_moves(position)
        assert page["ask_pieces"](board) == view.draw(position, 0)["pieces"]
        assert page["ask_names"](board) == [move["name"] for move in moves]
        outcome = game.outcome(position)
        if outcome:
            assert page["ask_places"](board) == list(outcome.places)
        else:
            assert page["ask_paths"](board) == [move["paths"] for move in moves]
            played = [flat(game.play(position, move)) for move in game.legal_moves(position)]
            assert [page["play_on_page"](board, m) for m in page["ask_moves"](board)] == played
            for wrong in (-1, 99, -6.8e16):
                with pytest.raises(ValueError, match=re.escape(f"{wrong}")):
                    page["play_on_page"](board, wrong)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "policy" not in kind])
def test_values_are_the_arenas(kind: str) -> None:
    network, settings = KINDS[kind]
    player: Any = make_bred(GAME, network, 4, **settings)
    page = run_source(write_source(player)[0])
    for position in random_positions(player.game, 30):
        values = player.value_columns(position)
        wanted = [values[column] for column in player.game.legal_moves(position)]
        assert page["ask_values"](flat(position)) == pytest.approx(wanted, rel=1e-6)
