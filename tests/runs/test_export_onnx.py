"""Networks exported as ONNX: onnxruntime finds the arena's values, and plays by them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from evolve_arena.core.extras import MissingPackageError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Array, Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.players.board.game import Board
from evolve_arena.players.evolved import EvolvedPlayer, VectorPlayer
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import export_player
from tests.evolved import grow, make_evolved, random_positions
from tests.tracks import HANDS, open_text

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

NEAR = 2e-4
"""Tolerance of values, relative to the largest one: both count with 32 bits, and the arena's first
layer in whole units of 1/65536."""


class Network:
    """A file's network, as onnxruntime runs it."""

    def __init__(self, player: EvolvedPlayer) -> None:
        content = export_player(player, "onnx")
        assert isinstance(content, bytes)
        self.model = onnx.load_from_string(content)
        self.session = onnxruntime.InferenceSession(content)
        self.about = json.loads(
            next(entry.value for entry in self.model.metadata_props if entry.key == "evolve_arena")
        )

    def run(self, inputs: ArrayLike) -> Array:
        """Return the outputs, a row for each of the inputs."""
        rows = np.asarray(inputs, dtype=np.float32)
        (values,) = self.session.run(["values"], {"inputs": rows})
        return np.asarray(values)


def look(player: EvolvedPlayer, after: Board, seat: int) -> Array:
    """Return the network's inputs for a position *after* a move of that *seat*."""
    game = player.game
    if getattr(player.decoder, "encoding", "") == "features":
        counts = game.count("features", after, seat, many=player.decoder.counted)
        bins = player.decoder.bins
        return np.eye(bins)[counts.clip(0, bins - 1).astype(int)].ravel() if bins else counts
    cells = game.grid.ravel() if isinstance(player, TuplePlayer) else game.drawn
    bits = game.observe(after, seat)[:, cells].astype(np.float64)
    factor = {"signed": -1, "numbered": 2}.get(getattr(player.decoder, "encoding", ""))
    if factor:
        own, other = np.split(bits, 2)
        return np.asarray(own + factor * other).ravel()
    return np.asarray(bits.ravel())


def find_values(player: EvolvedPlayer, network: Network, position: Board) -> dict[int, float]:
    """Return onnxruntime's value of each move."""
    game, decoder = player.game, player.decoder
    legal = game.legal_moves(position)
    if decoder.head == "policy":
        outputs = network.run([decoder.encode(position)])[0]
        return {move: float(outputs[move]) for move in legal}
    seat = game.to_move(position)
    reached = [game.play(position, move) for move in legal]
    rows = np.array([look(player, after, seat) for after in reached])
    if getattr(decoder, "turns", False):
        rows = np.column_stack([rows, [game.to_move(after) == seat for after in reached]])
    if getattr(decoder, "by_seat", False):
        rows = np.column_stack([rows, np.full(len(rows), seat)])
    drawn = [bool(getattr(after, "past", ()) and game.outcome(after)) for after in reached]
    return dict(zip(legal, np.where(drawn, 0.0, network.run(rows)[:, 0]).tolist(), strict=True))


def count_compared(player: EvolvedPlayer, positions: Sequence[Board]) -> int:
    """Count the values of moves that equal the arena's; the rest are those of wins."""
    network = Network(player)
    compared = chosen = 0
    for position in positions:
        values, wanted = find_values(player, network, position), player.values(position)
        assert values.keys() == wanted.keys()
        finite = [move for move in wanted if np.isfinite(wanted[move])]
        scale = max([1.0, *(abs(wanted[move]) for move in finite)])
        for move in finite:
            assert values[move] == pytest.approx(wanted[move], abs=NEAR * scale), (move, position)
        compared += len(finite)
        best = sorted(values.values())[-2:]
        sure = len(best) > 1 and best[1] - best[0] > 2 * NEAR * scale
        if sure and len(finite) == len(wanted) and not _wins(player, position):
            assert max(values, key=lambda move: values[move]) == player.choose(
                position, new_stream(0)
            )
            chosen += 1
    assert chosen > 0.15 * len(positions)
    return compared


def _wins(player: EvolvedPlayer, position: Board) -> bool:
    """Test whether a move ends the game, which the arena plays without asking the network."""
    game = player.game
    return any(game.outcome(game.play(position, move)) for move in game.legal_moves(position))


PLAYERS: list[tuple[str, str, Settings]] = [
    ("connect-four", "mlp", {"head": "policy", "hidden": (10, 10), "activation": "sigmoid"}),
    ("connect-four", "mlp", {"encoding": "numbered", "activation": "tanh"}),
    ("connect-four", "graph", {}),
    ("connect-four", "tuples", {"tuples": 9, "length": 4}),
    ("connect-four", "tuples", {"columns": 5, "rows": 5, "length": 5, "by_seat": True}),
    ("tic-tac-toe", "mlp", {"encoding": "signed"}),
    ("tic-tac-toe", "graph", {"head": "policy"}),
    ("tic-tac-toe", "tuples", {"tuples": 5, "length": 3}),
    ("kalah", "mlp", {"encoding": "features", "hidden": (6,)}),
    ("checkers", "mlp", {"encoding": "signed", "hidden": (6,), "shortcut": True}),
    ("checkers", "mlp", {"encoding": "features", "hidden": (), "features": 14, "bins": 8}),
    ("checkers", "graph", {"encoding": "features", "features": 14}),
    ("checkers", "tuples", {"tuples": 5, "length": 3}),
    ("kalah", "tuples", {"tuples": 5, "length": 3, "turns": True}),
    ("kalah", "tuples", {"tuples": 5, "length": 3, "by_seat": True}),
    (
        "connect-four",
        "tuples",
        {"tuples": 9, "length": 4, "by_seat": True, "stages": 4, "counts": True},
    ),
    (
        "tic-tac-toe",
        "tuples",
        {"tuples": 0, "length": 3, "systematic": True, "stages": 3, "counts": True},
    ),
    ("hands", "tuples", {"tuples": 9, "length": 3, "stages": 2, "counts": True}),
]


@pytest.fixture(scope="module", autouse=True)
def _games(tmp_path_factory: pytest.TempPathFactory) -> None:
    open_text(tmp_path_factory.mktemp("games"), HANDS, "hands.py")


@pytest.mark.parametrize(("game", "network", "settings"), PLAYERS)
def test_values_are_those_of_the_arena(game: str, network: str, settings: Settings) -> None:
    player = make_evolved(game, network, 5, **settings)
    assert count_compared(player, random_positions(player.game, 150)) > 300


def test_all_functions_of_graphs_are_those_of_neat_python() -> None:
    decoder = find_game("tic-tac-toe").networks["graph"].decoder_type(head="policy")
    config = NeatConfig(
        pop_size=2,
        num_hidden=30,
        activation_options=list(ACTIVATIONS),
        aggregation_options=list(AGGREGATIONS),
        activation_default="random",
        aggregation_default="random",
        activation_mutate_rate=0.5,
        aggregation_mutate_rate=0.5,
    )
    used: set[str] = set()
    for seed in range(12):
        genome = grow(decoder, seed, config)
        used |= {ACTIVATIONS[code] for code in genome.activation}
        used |= {AGGREGATIONS[code] for code in genome.aggregation}
        player = decoder.player(genome, "strange")
        inputs = np.random.default_rng(seed).integers(0, 2, (50, decoder.inputs))
        graphs = compile_graphs(genome, decoder.inputs, decoder.outputs, feed_forward=True)
        wanted = evaluate(graphs, 0, inputs.astype(np.float64))
        found = Network(player).run(inputs)
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-5, nan_ok=True)
    assert used == {*ACTIVATIONS, *AGGREGATIONS}


@pytest.mark.parametrize(
    ("network", "settings"),
    [("mlp", {"head": "kinds"}), ("mlp", {"head": "action"}), ("graph", {"head": "action"})],
)
def test_networks_of_ticket_to_ride_are_exported(network: str, settings: Settings) -> None:
    player = make_evolved("ticket-to-ride", network, 2, encoding="features", **settings)
    file, decoder = Network(player), player.decoder
    inputs = np.random.default_rng(1).uniform(0, 1, (50, file.session.get_inputs()[0].shape[1]))
    assert len(file.about["names"]) == inputs.shape[1]
    if isinstance(player, VectorPlayer):
        wanted = decoder.mlp.evaluate(player.genome, inputs)
    else:
        graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, feed_forward=True)
        wanted = evaluate(graphs, 0, inputs)
    assert file.run(inputs) == pytest.approx(wanted, rel=NEAR, abs=NEAR)


def test_the_file_says_what_it_is() -> None:
    player = make_evolved("connect-four", "mlp", 5, head="policy")
    network = Network(player)
    assert network.model.opset_import[0].version == 17
    assert network.about["game"] == "connect-four"
    assert network.about["options"] == {"columns": 7, "rows": 6, "connect": 4}
    assert network.about["head"] == "policy"
    assert network.about["planes"] == [["own pieces", 6, 7], ["the opponent's", 6, 7]]
    assert network.about["decoder"]["encoding"] == "planes"
    assert [entry.name for entry in network.session.get_inputs()] == ["inputs"]
    assert network.session.get_outputs()[0].shape == ["positions", 7]
    assert export_player(player, "onnx") == export_player(player, "onnx")


def test_what_is_missing_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'evolve-arena\[onnx\]'"):
        export_player(make_evolved("tic-tac-toe", "mlp"), "onnx")
