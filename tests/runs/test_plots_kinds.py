"""Networks of every kind and game are drawn, with what their inputs are; and so are positions."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from evolve_arena.core.errors import BadValueError, PositionError
from evolve_arena.core.registry import find_game, make_game, shipped_games
from evolve_arena.core.types import Settings
from evolve_arena.games.ticket_to_ride.rules import FEATURES, MOVE_FEATURES
from evolve_arena.games.ticket_to_ride.rules import KINDS as DECISIONS
from evolve_arena.players.specification import make_player
from evolve_arena.runs.plots.cards import SIGNS
from evolve_arena.runs.plots.network import draw_player
from evolve_arena.runs.plots.network_layout import lay_out_board, sketch_player
from evolve_arena.runs.plots.position import draw_position, find_position
from tests.evolved import make_evolved

TUPLES = {"tuples": 5, "length": 3}
OWN = {"own pieces", "the opponent's"}
SIGNED = "own men as 1, the opponent's as −1"
WEIGHTED = {"encoding": "features", "hidden": ()}
MOVES = {"head": "action", "encoding": "features"}
DECIDES = {"head": "kinds", "encoding": "features", "features": 26}
COUNTED: list[str] = make_game("checkers").name_features("FEATURES")
KINDS: list[tuple[str, str, Settings, set[str]]] = [
    ("connect-four", "mlp", {"head": "policy"}, {*OWN, "6"}),
    ("connect-four", "graph", {"encoding": "planes"}, {"own pieces", "the opponent's"}),
    ("connect-four", "tuples", TUPLES, {*OWN, "next to be filled"}),
    ("connect-four", "tuples", {"columns": 12, "rows": 4}, OWN),
    ("connect-four", "tuples", {"columns": 2, "rows": 8, "by_seat": True, **TUPLES}, OWN),
    ("connect-four", "graph", {"encoding": "numbered"}, {"own pieces as 1, the opponent's as 2"}),
    ("connect-four", "mlp", {"columns": 16, "rows": 3, "hidden": (5,)}, OWN),
    ("connect-four", "mlp", {"columns": 1, "rows": 4, "hidden": (2,), "head": "value"}, OWN),
    ("connect-four", "mlp", {"columns": 8, "rows": 7, "hidden": (50,), "head": "action"}, OWN),
    ("connect-four", "mlp", {"columns": 4, "rows": 4, "hidden": (), "head": "action"}, OWN),
    ("checkers", "mlp", {}, {"value", "own men", "other's kings"}),
    ("checkers", "mlp", {"encoding": "signed", "shortcut": True}, {SIGNED, "known features"}),
    ("checkers", "mlp", WEIGHTED, {*COUNTED, "bias"}),
    ("checkers", "mlp", {**WEIGHTED, "features": 4, "bins": 8}, {*COUNTED[:4], "7 or more"}),
    ("checkers", "graph", {"encoding": "features", "features": 14}, {"value", COUNTED[5]}),
    ("othello", "mlp", {"hidden": (4,)}, {*OWN, "h", "8"}),
    ("othello", "graph", {}, OWN),
    ("othello", "tuples", TUPLES, {*OWN, "empty", "a"}),
    ("checkers", "tuples", TUPLES, {"own men", "other's kings", "32"}),
    ("draughts", "tuples", TUPLES, {"own men", "other's kings", "50"}),
    ("tic-tac-toe", "mlp", {"head": "policy", "hidden": (4,)}, {*OWN, "a1", "c3"}),
    ("tic-tac-toe", "graph", {"encoding": "signed"}, {"own pieces as 1, the opponent's as −1"}),
    ("hex", "mlp", {"hidden": (4,)}, {*OWN, "g", "7"}),
    ("hex", "tuples", TUPLES, OWN),
    ("gomoku", "mlp", {"hidden": (2,)}, OWN),
    ("breakthrough", "mlp", {"head": "policy", "hidden": (2,)}, OWN),
    ("chomp", "mlp", {"hidden": (4,)}, {"pieces that are left"}),
    ("kalah", "mlp", {"hidden": (2,)}, {"own store", "the other's pit 6", "own turn"}),
    ("kalah", "graph", {}, {"own pit 1"}),
    ("kalah", "mlp", {"encoding": "features", "head": "action"}, {"own store", "moves again"}),
    ("kalah", "mlp", {"head": "action", "hidden": (3,)}, {"own store", "the move"}),
    ("kalah", "graph", {"encoding": "features"}, {"own pit 2"}),
    ("pig", "mlp", {"hidden": (2,)}, {"own points", "points, 1 behind", "points of this turn"}),
    ("ticket-to-ride", "mlp", {**MOVES, "hidden": ()}, {*FEATURES, *MOVE_FEATURES, "bias"}),
    ("ticket-to-ride", "mlp", {**DECIDES, "hidden": (30, 20)}, {*FEATURES[:26], *DECISIONS}),
    ("ticket-to-ride", "graph", DECIDES, {"own cards", *DECISIONS}),
    ("ticket-to-ride", "graph", MOVES, {"deck", "value"}),
    ("openspiel:tic_tac_toe", "mlp", {"hidden": (4,)}, {"plane 3", "own seat"}),
    ("openspiel:tic_tac_toe", "graph", {}, {"plane 1", "own seat"}),
]


def texts(figure: Figure) -> set[str]:
    return {text.get_text().strip() for text in figure.findobj(Text)} - {""}  # type: ignore[attr-defined]


def all_fit(figure: Figure) -> bool:
    figure.draw_without_rendering()
    written = [*figure.texts]
    for axes in figure.axes:
        low, high = sorted(axes.get_ylim())
        written += axes.texts
        for place, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True):
            if axes.axison and axes.yaxis.get_visible() and low <= place <= high:
                written.append(label)
    boxes = [text.get_window_extent() for text in written if text.get_text()]
    whole = figure.bbox
    return all(whole.x0 <= box.x0 and box.x1 <= whole.x1 for box in boxes)


def test_no_kind_is_left_out() -> None:
    games = {game for game, _, _, _ in KINDS}
    assert games >= set(shipped_games())


@pytest.mark.parametrize(("game", "kind", "settings", "expected"), KINDS)
def test_every_kind_is_drawn(game: str, kind: str, settings: Settings, expected: set[str]) -> None:
    if game.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    figure = draw_player(make_evolved(game, kind, 3, **settings), "a run")
    assert expected <= texts(figure)
    assert figure.get_suptitle().strip() == "a run"
    assert all_fit(figure)


def test_cells_stand_where_the_game_draws_them() -> None:
    for game, kind, square, place in (
        ("checkers", "mlp", 0, (1, 7)),  # square 1 is the second cell of the top row
        ("checkers", "mlp", 31, (6, 0)),
        ("hex", "mlp", 8, (1.5, 6 * 0.866 + 1 - 1 - 0.866)),  # b2, half a cell to the right
    ):
        player = make_evolved(game, kind)
        labels = player.labels
        assert labels is not None
        plane = lay_out_board(labels, player.game).planes[0]
        assert plane.places[square] == pytest.approx(place, abs=0.002)


def test_bars_and_matrices_are_the_weights() -> None:
    player = make_evolved("checkers", "mlp", features=4, **WEIGHTED)
    player.genome[:] = (1.0, 1.5, -1.0, -1.5, 0.25)
    (axes,) = draw_player(player).axes
    assert [bar.get_width() for bar in axes.patches] == [1.0, 1.5, -1.0, -1.5, 0.25]
    assert [label.get_text() for label in axes.get_yticklabels()] == [*COUNTED[:4], "bias"]
    assert "−1.50" in {text.get_text() for text in axes.texts}
    player = make_evolved("ticket-to-ride", "mlp", hidden=(3,), **DECIDES)
    arrays = player.network()
    first, second = draw_player(player).axes[:2]
    order = np.argsort(-np.abs(arrays["weights_2"]).sum(axis=1))
    assert [label.get_text() for label in first.get_xticklabels()] == list(map(str, order))
    drawn = np.asarray(first.collections[0].get_array()).reshape(27, 3)
    assert drawn[:26] == pytest.approx(arrays["weights_1"][:, order])
    assert drawn[26] == pytest.approx(arrays["biases_1"][order])
    drawn = np.asarray(second.collections[0].get_array()).reshape(4, 4)
    assert drawn[:, :3] == pytest.approx(arrays["weights_2"][order].T)


def test_named_inputs_of_graphs_are_nodes_at_the_left() -> None:
    sketch = sketch_player(make_evolved("ticket-to-ride", "graph", 3, **DECIDES))
    assert sketch.turned
    assert not sketch.board.planes
    read = {sketch.nodes[node].name for node in sketch.layers[0]}
    assert read <= set(FEATURES[:26])
    assert {edge.source for edge in sketch.edges} >= set(sketch.layers[0])
    assert all(sketch.nodes[node].bias is None for node in sketch.layers[0])


def test_what_can_not_be_drawn() -> None:
    player = make_player("random", find_game("tic-tac-toe").make())
    with pytest.raises(BadValueError, match="random has no network"):
        draw_player(player)
    with pytest.raises(BadValueError, match="random has no network"):
        draw_player(player, position="")
    player = make_evolved("connect-four", "mlp")
    with pytest.raises(PositionError, match="the game is over in position"):
        draw_player(player, position="0101010")
    with pytest.raises(PositionError, match="9"):
        draw_player(player, position="9")


POSITIONS: list[tuple[str, str, Settings, str, set[str]]] = [
    ("connect-four", "mlp", {"head": "value"}, "3321", {*OWN, "3"}),
    ("connect-four", "tuples", TUPLES, "33", {"0", "units", "next to be filled"}),
    ("checkers", "tuples", TUPLES, "11-15 23-19", {"own men", "units", "32"}),
    ("checkers", "mlp", WEIGHTED, "11-15 23-19", {"own men  12", "outputs"}),
    ("openspiel:tic_tac_toe", "graph", {}, "4 0", {"x(2,2)", "plane 2"}),
]


@pytest.mark.parametrize(("game", "kind", "settings", "position", "expected"), POSITIONS)
def test_positions_are_drawn(
    game: str, kind: str, settings: Settings, position: str, expected: set[str]
) -> None:
    if game.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    player = make_evolved(game, kind, 3, **settings)
    figure = draw_player(player, "it", position)
    assert expected <= texts(figure)
    assert all_fit(figure)


def test_bars_are_the_values_of_moves_the_best_first() -> None:
    player = make_evolved("connect-four", "mlp", head="policy")
    position = find_position(player, "self-play", 1)
    assert position == find_position(player, "self-play", 1)
    assert position.plies > 2
    axes = draw_position(player, position).axes[1]
    values = player.values(position)
    assert [bar.get_width() for bar in axes.patches] == sorted(values.values(), reverse=True)
    best = max(values, key=lambda move: values[move])
    assert axes.get_yticklabels()[0].get_text() == f"{best}"


def test_the_board_has_the_pieces() -> None:
    player = make_evolved("connect-four", "mlp")
    axes = draw_player(player, "it", "3332").axes[0]
    cells, *discs = [each for each in axes.collections if isinstance(each, PolyCollection)]
    assert (len(cells.get_paths()), len(discs)) == (42, 4)
    middles = sorted(tuple(disc.get_paths()[0].vertices[:24].mean(axis=0)) for disc in discs)
    assert middles[0] == pytest.approx((2.5, 5.5), abs=0.05)
    assert [round(x - 0.5) for x, _ in middles] == [2, 3, 3, 3]
    player = make_evolved("connect-four", "mlp", encoding="planes")
    axes = draw_player(player, "it", "333").axes[-1]
    coloured = [
        len(each.get_paths())
        for each in axes.collections
        if isinstance(each, PolyCollection) and each.get_cmap() is SIGNS
    ]
    assert coloured == [1, 2], "own discs, and the opponent's"
