"""Networks over what a game's file counts: their values and moves, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate_slots
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer
from tests.evolved import make_evolved, random_positions

KINDS: dict[str, tuple[str, Settings]] = {
    "linear": ("mlp", {"hidden": ()}),
    "one hidden layer": ("mlp", {"hidden": (8,)}),
    "more layers": ("mlp", {"hidden": (20, 5), "activation": "tanh"}),
    "policy": ("mlp", {"hidden": (9,), "head": "policy"}),
    "linear policy": ("mlp", {"hidden": (), "head": "policy"}),
    "moves": ("mlp", {"hidden": (8, 3), "head": "action"}),
    "linear in moves": ("mlp", {"hidden": (), "head": "action"}),
    "moves beside planes": ("mlp", {"head": "action", "encoding": "planes"}),
    "moves beside signs": ("mlp", {"head": "action", "encoding": "signed", "hidden": (9, 17)}),
    "linear beside numbers": ("mlp", {"head": "action", "encoding": "numbered", "hidden": ()}),
    "graph": ("graph", {}),
    "graph of a policy": ("graph", {"head": "policy"}),
    "graph of moves": ("graph", {"head": "action"}),
    "graph of moves beside planes": ("graph", {"head": "action", "encoding": "planes"}),
}
WEIGHED = ("linear in moves", "moves", "moves beside planes", "graph of moves")
"""Kinds of players of a game without values of the state after a move."""
BESIDE = ("moves beside planes", "moves beside signs", "linear beside numbers")
"""Kinds of players of a game that counts nothing of moves."""
CASES = [("kalah", kind) for kind in KINDS if kind not in BESIDE[1:]]
CASES += [("othello", kind) for kind in KINDS]
CASES += [("connect-four", kind) for kind in BESIDE]
CASES += [("ticket-to-ride", kind) for kind in WEIGHED]


def make(game: str, kind: str, **more: object) -> EvolvedPlayer:
    network, settings = KINDS[kind]
    return make_evolved(game, network, 3, **{"encoding": "features", **settings, **more})


def run(player: EvolvedPlayer, inputs: np.ndarray) -> np.ndarray:
    """Return the outputs, in NumPy and 64 bits."""
    decoder = player.decoder
    if isinstance(player, NeatPlayer):
        graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, True)
        slots = evaluate_slots(graphs, 0, inputs)
        return slots[decoder.inputs : decoder.inputs + decoder.outputs]
    return np.asarray(decoder.mlp.evaluate(player.genome, inputs[None])[0])


def find_value(player: EvolvedPlayer, position: Board, move: int) -> float:
    """Return the value of a move, from features counted in Python."""
    decoder, game = player.decoder, player.decoder.game
    if decoder.head == "policy":
        return float(run(player, decoder.encode(position))[move])
    if decoder.head == "action":
        return float(run(player, decoder.encode_move(position, move))[0])
    after, seat = game.follow(position, "play", move), game.to_move(position)
    return float(run(player, game.count("features", after, seat).astype(np.float64))[0])


@pytest.mark.parametrize(("game", "kind"), CASES)
def test_values_are_those_of_the_numbers_that_python_counts(game: str, kind: str) -> None:
    player = make(game, kind, **({"size": 6} if game == "othello" else {}))
    compared = set()
    for position in random_positions(player.game, 30):
        ratings = rate_moves(player, position)
        legal = player.game.legal_moves(position)
        assert list(ratings) == legal or game == "ticket-to-ride"  # which weighs only some
        assert set(ratings) <= set(legal)
        for move, rating in ratings.items():
            if np.isfinite(rating):  # else it wins at once
                assert rating == pytest.approx(
                    find_value(player, position, move), rel=1e-6, abs=1e-5
                )
                compared.add(rating)
        best = max(ratings.values())
        chosen = next(move for move, rating in ratings.items() if rating == best)
        assert player.choose(position, new_stream(1)) == chosen
    assert len(compared) > 5


def test_what_is_counted_of_kalah() -> None:
    game = find_game("kalah").make()
    names = game.name_features("FEATURES")
    position = game.initial()
    told = dict(zip(names, game.count("features", position, 0).tolist(), strict=True))
    assert told["own pit 1"] == told["the other's pit 6"] == pytest.approx(4 / 12)
    assert (told["own store"], told["own turn"]) == (0.0, 1.0)
    assert told["pits to move again from"] == told["the other's"] == 1.0  # the third of each
    moves = [game.count("describe_move", position, move, 0).tolist() for move in range(6)]
    assert [move[1] for move in moves] == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert all(move[2] == 0.0 for move in moves)
    position = game.parse_position("6 6")  # five seeds lie in south's first pit, none in its last
    told = game.count("describe_move", position, 0, 0).tolist()
    assert told == pytest.approx([5 / 12, 0.0, 5 / 12])
    assert game.play(position, 0).state[6] == position.state[6] + 6


def test_what_is_counted_of_othello() -> None:
    game = find_game("othello").make()
    position = game.initial()
    told = dict(
        zip(game.name_features("FEATURES"), game.count("features", position, 0), strict=True)
    )
    assert told["own moves"] == told["the other's moves"] == 4 / 16
    assert told["own discs"] == 2 / 64
    assert told["own open discs"] == 2 / 32
    assert told["discs on the board"] == 4 / 64
    assert told["own corners"] == 0
    for move in game.legal_moves(position):
        after = game.play(position, move)
        answers = len(game.legal_moves(after)) / 16
        assert game.count("describe_move", position, move, 0).tolist() == [1 / 16, 0, 0, 0, answers]


@pytest.mark.parametrize("kind", ["one hidden layer", "graph"])
def test_searches_value_leaves_by_features(kind: str) -> None:
    """A search of two plies, against plain minimax in Python."""
    player = make("kalah", kind, depth=2)
    game = player.game

    def value(position: Board, side: int) -> float:
        told = game.count("features", position, side).astype(np.float64)
        return float(run(player, told)[0])

    def look_ahead(position: Board, side: int, depth: int) -> float:
        if outcome := game.outcome(position):
            return 0.0 if outcome.winner is None else 1e6 * (1 if outcome.winner == side else -1)
        if depth == 0:
            return value(position, side)
        values = [
            look_ahead(game.play(position, move), side, depth - 1)
            for move in game.legal_moves(position)
        ]
        return max(values) if game.to_move(position) == side else min(values)

    different = 0
    near = make("kalah", kind)
    for position in random_positions(game, 40, 4):
        seat = game.to_move(position)
        values = {
            move: look_ahead(game.play(position, move), seat, 1)
            for move in game.legal_moves(position)
        }
        chosen = player.choose(position, new_stream(1))
        assert values[chosen] == pytest.approx(max(values.values()), abs=1e-4)
        different += chosen != near.choose(position, new_stream(1))
    assert different > 3


@pytest.mark.parametrize(
    ("game", "settings", "sentence"),
    [
        ("hex", {"encoding": "features"}, "encoding is 'features': .* function features; that of"),
        ("hex", {"head": "action"}, "head is 'action': .* function describe_move; that of hex has"),
        (
            "kalah",
            {"head": "action", "depth": 2},
            "depth: a network that values moves has no values for",
        ),
    ],
)
def test_what_no_file_counts_is_refused(game: str, settings: Settings, sentence: str) -> None:
    with pytest.raises(BadValueError, match=sentence):
        make_evolved(game, "mlp", **settings)


def test_inputs_are_named() -> None:
    labels = make("othello", "moves").labels
    assert labels is not None
    assert labels.names[0] == "own corners"
    assert labels.names[-1] == "moves left to him"
    assert [plane[1] for plane in labels.planes] == [11, 5]
    seen = make("othello", "moves").see(find_game("othello").make().initial())
    assert seen is not None
    assert seen.values[11:].tolist() == [1 / 16, 0, 0, 0, 3 / 16]
