"""Exported Connect Four bots at the hosts that ask them in words of their own."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from evolve_arena.arena.match import play_match
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.page_board import find_page_board
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.export import export_player
from tests.evolved import make_evolved, random_positions
from tests.exported import Namespace

PLAYERS: list[tuple[str, Settings]] = [
    ("mlp", {"encoding": "numbered"}),
    ("graph", {}),
    ("tuples", {"tuples": 9, "length": 4, "by_seat": True}),
]
BOARDS = {"7x6": {}, "5x4": {"columns": 5, "rows": 4, "connect": 3}}


def run_source(player: EvolvedPlayer) -> Namespace:
    """Return the names that the file defines if run as Kaggle runs it: in an empty dictionary."""
    names: Namespace = {}
    exec(compile(str(export_player(player, "python")), "bot.py", "exec"), names)
    return names


def draw_rows(game: BoardGame, position: Board) -> list[list[int]]:
    """Return the board from the top: 1 is a disc of the first player, 2 one of the second."""
    first, second = game.observe(position, 0)[:, game.grid].astype(int)
    return (first + 2 * second).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(("network", "settings"), PLAYERS)
def test_kaggles_hosts_get_the_arenas_moves(network: str, settings: Settings, board: str) -> None:
    player = make_evolved("connect-four", network, 1, **settings, **BOARDS[board])
    game = player.game
    names = run_source(player)
    agent = [value for value in names.values() if callable(value)][-1]
    assert agent.__name__ == "agent"
    assert agent({"remainingOverageTime": 12, "step": 0}) == {"submission": -1}
    for position in random_positions(game, 60):
        rows, seat = draw_rows(game, position), game.to_move(position)
        wanted = player.choose(position, new_stream(0))
        board = [cell for row in rows for cell in row]
        seen = {"board": board, "mark": 1 + seat, "step": position.plies}
        assert agent(seen) == agent(SimpleNamespace(**seen), SimpleNamespace()) == wanted
        assert type(agent(seen)) is int
        shown = {"board": [[".xo"[cell] for cell in row] for row in rows[::-1]]}
        told = {"observationString": json.dumps(shown), "currentPlayer": seat, "playerId": seat}
        assert agent(told) == {"submission": wanted}
        assert agent(told | {"playerId": 1 - seat}) == {"submission": -1}


@pytest.mark.parametrize("dialect", ["ai-games", "plain"])
@pytest.mark.parametrize("board", BOARDS)
def test_the_file_plays_as_a_program_of_sites_and_of_the_arena(
    board: str, dialect: str, tmp_path: Path
) -> None:
    player = make_evolved("connect-four", "mlp", 1, **BOARDS[board])
    (tmp_path / "bot.py").write_text(str(export_player(player, "python")), encoding="utf-8")
    command = f"{shlex.quote(sys.executable)} -I -S {tmp_path}/bot.py"
    program = ProcessPlayer(player.game, command, dialect=dialect)
    wanted = play_match(player.game, (player, player), opening=(3, 3)).moves
    assert play_match(player.game, (program, player), opening=(3, 3)).moves == wanted
    assert play_match(player.game, (player, program), opening=(3, 3)).moves == wanted


@pytest.mark.parametrize(
    ("board", "mark", "complaint"),
    [
        ([0] * 41, 1, "41 cells"),
        ([0] * 42, 3, "mark 3"),
        ([0] * 41 + [3], 1, "a board of 0, 1 and 2"),
        ([1] + [0] * 41, 2, "no disc above an empty cell"),
        ([0] * 42, 2, "mark 2 is not to move"),
        ([1, 2] * 21, 1, "the game is over"),
    ],
)
def test_boards_that_cannot_be_are_refused(board: list[int], mark: int, complaint: str) -> None:
    names = run_source(make_evolved("connect-four", "graph"))
    with pytest.raises(ValueError, match=complaint):
        names["agent"]({"board": board, "mark": mark})


def test_columns_are_drawn_and_clicked() -> None:
    game = make_game("connect-four", columns=4, rows=3, connect=3)
    position = game.parse_position("0112")
    drawing = "  . . . .\n  . x . .\n  x o O .\n  0 1 2 3"
    assert find_text_ui(game).draw(position, 2) == drawing
    view = find_page_board(game)
    layout = view.layout()
    places = [(cell["x"], cell["y"]) for cell in layout["cells"][:5]]
    assert places == [*((x, 0) for x in range(4)), (0, 1)]
    labels = [(label["x"], label["text"]) for label in layout["labels"]]
    assert labels == [(x + 0.5, str(x)) for x in range(4)]
    assert sorted(view.draw(position, 0)["pieces"]) == [[5, 0, 0], [8, 0, 0], [9, 1, 0], [10, 1, 0]]
    paths = [move["paths"] for move in view.moves(position)]
    assert paths == [[[4], [0], [8]], [[1], [5], [9]], [[6], [2], [10]], [[11], [3], [7]]]
