"""Views of every game for pages: they are JSON, tell moves apart, and show nothing hidden."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve_arena.core import registry
from evolve_arena.core.game import Game
from evolve_arena.core.registry import find_game, game_names, shipped_games
from evolve_arena.core.types import Json, Move, State
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.board_paths import find_path, tell_apart
from evolve_arena.players.page_board import PageBoard, find_page_board
from tests.players.test_file_players import HIDDEN
from tests.tracks import TRACKS, open_text

games = pytest.mark.parametrize("name", [*game_names(), "openspiel:tic_tac_toe"])
MAX_PLIES = 80


def walk(game: Game[State, Move], seed: int) -> Iterator[State]:
    """Yield the positions of a random game, its end included."""
    choices = random.Random(seed)
    position = game.initial(seed)
    for _ in range(MAX_PLIES):
        yield position
        moves = game.legal_moves(position)
        if not moves:
            return
        position = game.play(position, choices.choice(moves))


def make_view(name: str) -> PageBoard:
    return find_page_board(find_game(name).make())


def same(content: Json) -> bool:
    """Test whether the content survives a round trip through JSON."""
    return bool(json.loads(json.dumps(content, allow_nan=False)) == content)


@games
def test_layouts_say_where_all_cells_are(name: str) -> None:
    view = make_view(name)
    layout = view.layout()
    assert same(layout)
    assert layout["kind"] in {"cells", "map", "text"}
    assert len(layout["sides"]) == view.game.seats
    for cell in layout.get("cells", ()):
        if layout["kind"] == "cells":
            assert 0 <= cell["x"] <= layout["width"] - 1
            assert 0 <= cell["y"] <= layout["height"] - 1
            assert cell["shape"] in {"square", "round", "hex"}
            assert cell["shade"] in {0, 1}
        else:
            assert len(cell["line"]) >= 2
            assert cell["colour"].startswith("#")
    names = [cell["name"] for cell in layout.get("cells", ()) if cell["name"]]
    assert layout["kind"] == "map" or len(set(names)) == len(names)


@games
def test_drawings_are_of_the_layout(name: str) -> None:
    view = make_view(name)
    layout, game = view.layout(), view.game
    for position in walk(game, 1):
        for seat in range(game.seats):
            drawing = view.draw(position, seat)
            assert same(drawing)
            assert drawing["to_move"] == game.to_move(position)
            assert (layout["kind"] == "text") == bool(drawing.get("text"))
            taken = [piece[0] for piece in drawing["pieces"]]
            assert len(set(taken)) == len(taken)
            for cell, owner, kind in drawing["pieces"]:
                assert 0 <= cell < len(layout["cells"])
                assert f"{owner}:{kind}" in layout["signs"]
            for panel in drawing["panels"]:
                assert set(panel) == {"title", "lines"}


@games
def test_every_legal_move_is_there_once_and_can_be_told_apart(name: str) -> None:
    view = make_view(name)
    layout, game = view.layout(), view.game
    clickable = {place for place, cell in enumerate(layout.get("cells", ())) if cell["name"]}
    for position in walk(game, 2):
        moves = view.moves(position)
        assert same(moves)
        assert {name for move in moves for name in move} <= {"move", "name", "path", "paths"}
        read = [game.parse_move(move["move"]) for move in moves]
        legal = game.legal_moves(position)
        assert sorted(read) == sorted(legal)
        paths = []
        for move in moves:
            assert move["name"]
            ways = move.get("paths", [move["path"]] if move["path"] else [])
            assert move["path"] == (ways[0] if ways else [])
            paths += ways
        assert clickable.issuperset(cell for path in paths for cell in path)
        for place, path in enumerate(paths):
            others = paths[:place] + paths[place + 1 :]
            assert not [other for other in others if other[: len(path)] == path]


@games
def test_what_looks_the_same_to_a_seat_is_drawn_the_same(name: str) -> None:
    view = make_view(name)
    game = view.game
    for position in walk(game, 3):
        for seat in range(game.seats):
            assert view.draw(game.view(position, seat), seat) == view.draw(position, seat)


@pytest.mark.parametrize("cells", ["CELLS = 1\n", 'CELLS, SYMMETRY = 1, "none"\n'])
def test_files_with_secrets_keep_them(
    tmp_path: Path, cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "hidden.py"
    file.write_text(f"{HIDDEN}\n{cells}", encoding="utf-8")
    spec = load_game(file)
    monkeypatch.setitem(registry._registered, spec.name, spec)
    game = spec.make()
    assert spec.make_board is not None
    view, first = spec.make_board(game), game.initial()
    number, *rest = first.state[1:]
    second = first._replace(state=(first.state[0], 1 - number, *rest))
    assert view.draw(first, 1) == view.draw(second, 1)
    assert view.draw(first, 0) != view.draw(second, 0)


def test_games_are_played_by_cells_where_they_have_some() -> None:
    paths = {
        name: {len(move["path"]) for move in view.moves(view.game.initial())}
        for name, view in ((name, make_view(name)) for name in shipped_games())
    }
    assert paths.pop("pig") == paths.pop("kalah") == paths.pop("ticket-to-ride") == {0}
    assert paths.pop("breakthrough") == paths.pop("checkers") == paths.pop("draughts") == {2}
    assert set(map(tuple, paths.values())) == {(1,)}


def test_cells_that_suit_tuples_alone_are_not_drawn(tmp_path: Path) -> None:
    for shape, kind in (("square", "cells"), ("none", "text")):
        text = TRACKS.replace("CELLS = 12", f'CELLS = 12\nSYMMETRY = "none"\nSHAPE = "{shape}"')
        game = open_text(tmp_path, text, f"{shape}.py")
        assert find_page_board(game).layout()["kind"] == kind


def test_paths_follow_what_changes() -> None:
    assert find_path([], [[3, 0, 0]], 0) == [3]
    assert find_path([[1, 0, 0], [2, 1, 0]], [[2, 0, 0]], 0) == [1, 2]
    assert find_path([[1, 1, 0]], [[1, 0, 0], [5, 0, 0]], 0) == [5]
    assert find_path([[1, 0, 0]], [[1, 0, 0]], 0) == []
    assert tell_apart([[1], [1, 2], [3], [3]]) == [[], [1, 2], [], []]
