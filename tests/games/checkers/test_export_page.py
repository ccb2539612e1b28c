"""Checkers as a page: the moves of the exported file, and the board as servers draw it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve_arena.games.checkers.spec import CheckersDialect
from evolve_arena.players.board_view import find_board_view
from evolve_arena.runs.export.page import run_source, write_source
from tests.bred import make_bred, random_positions
from tests.pages import ask_page, with_node

GAME = "checkers"
KINDS: dict[str, tuple[str, dict[str, Any], int]] = {
    "four features": ("linear", {"features": 4, "depth": 4}, 150),
    "fourteen features": ("linear", {"features": 14, "depth": 3}, 150),
    "twenty features, quiet": ("linear", {"features": 20, "depth": 2, "quiet": True}, 150),
    "light first": ("linear", {"features": 14, "depth": 1, "turned": 1}, 150),
    "a graph": ("graph", {"depth": 2}, 60),
    "a network": ("network", {"depth": 2}, 40),
    "a network of two layers": (
        "network",
        {"depth": 1, "hidden": (9, 5), "activation": "relu", "quiet": True},
        60,
    ),
}


def tell(page: dict[str, Any], position: Any) -> Any:
    """The position as the page has it, with those before."""
    return page["set_up"](CheckersDialect().show(position).split()[1:])


@with_node
@pytest.mark.parametrize("kind", KINDS)
def test_pages_choose_the_moves_of_the_exported_file(kind: str, tmp_path: Path) -> None:
    network, settings, count = KINDS[kind]
    player = make_bred(GAME, network, 1, **settings)
    page = run_source(write_source(player)[0])
    given, wanted = [], []
    for number, position in enumerate(random_positions(player.game, count)):
        told = tell(page, position)
        page["CHANCE"].state = number
        given.append([number, *told])
        wanted.append(list(page["ask_bot"](told)))
    body = "bot.CHANCE.state = position[0]; return bot.ask_bot(bot.Position(...position.slice(1)));"
    found, _ = ask_page(player, given, tmp_path, body, ("CHANCE", "Position"))
    assert found == wanted


@with_node
def test_the_page_knows_rules_and_repetitions(tmp_path: Path) -> None:
    player = make_bred(GAME, "linear", 1, features=4, depth=1)
    page = run_source(write_source(player)[0])
    positions = [tell(page, position) for position in random_positions(player.game, 200)]
    body = """
    const now = bot.Position(...position), moves = bot.ask_moves(now);
    return [moves, bot.ask_names(now), bot.ask_pieces(now), bot.ask_paths(now), bot.ask_seat(now),
      moves.map((move) => bot.play_on_page(now, move))];"""
    names = ("Position",)
    found, _ = ask_page(player, [list(told) for told in positions], tmp_path, body, names)
    for told, answer in zip(positions, found, strict=True):
        moves = page["ask_moves"](told)
        asked = ("ask_moves", "ask_names", "ask_pieces", "ask_paths", "ask_seat")
        wanted = [page[name](told) for name in asked]
        assert answer == plain([*wanted, [page["play_on_page"](told, move) for move in moves]])


def plain(value: Any) -> Any:
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("turned", [0, 1])
def test_the_page_draws_what_the_view_draws(turned: int) -> None:
    player = make_bred(GAME, "linear", 1, features=4, depth=1, turned=turned)
    game, view = player.game, find_board_view(player.game)
    page = run_source(write_source(player)[0])
    assert page["begin_page"]()[:4] == tell(page, game.initial())[:4]
    positions = random_positions(game, 200)
    positions += [game.play(p, m) for p in positions for m in game.legal_moves(p)[:1]]
    for position in positions:
        told, moves = tell(page, position), view.moves(position)
        assert page["ask_seat"](told) == game.to_move(position)
        assert sorted(page["ask_pieces"](told)) == sorted(view.draw(position, 0)["pieces"])
        drawn = dict(zip(page["ask_names"](told), page["ask_paths"](told), strict=True))
        assert drawn == {move["name"]: move["paths"] for move in moves}
        if outcome := game.outcome(position):
            assert page["ask_places"](told) == list(outcome.places)


def test_values_are_best_for_the_moves_that_are_chosen() -> None:
    player = make_bred(GAME, "linear", 1, features=14, depth=3)
    page = run_source(write_source(player)[0])
    for position in random_positions(player.game, 20):
        told = tell(page, position)
        values, moves = page["ask_values"](told), page["ask_moves"](told)
        chosen = page["ask_bot"](told)
        assert values[moves.index(chosen)] == max(values)
