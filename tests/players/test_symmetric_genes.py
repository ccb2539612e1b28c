"""Networks that share genes under the SYMMETRY of a game's file: images are worth the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.networks import find_symmetries
from evolve_arena.players.evolved import Decoder
from evolve_arena.runs.export import export_player
from tests.evolved import make_evolved, random_positions
from tests.tracks import HANDS, open_text

DESIGNS: list[tuple[str, Settings, int]] = [
    ("tic-tac-toe", {"hidden": (8,)}, 8),
    ("tic-tac-toe", {"hidden": (19, 9), "activation": "tanh", "encoding": "signed"}, 8),
    ("tic-tac-toe", {"hidden": ()}, 8),
    ("breakthrough", {"hidden": (7,)}, 2),
    ("hex", {"hidden": (6, 4), "size": 4, "activation": "tanh"}, 2),
    ("othello", {"hidden": (16,), "size": 6}, 8),
    ("connect-four", {"hidden": (7,), "encoding": "numbered"}, 2),
    ("hands", {"hidden": (8,)}, 8),
    ("connect-four", {"hidden": (6, 5), "columns": 8, "rows": 8, "activation": "sigmoid"}, 2),
]


def turn(decoder: Decoder, inputs: np.ndarray) -> list[np.ndarray]:
    """Return the inputs that show the same in each view of the board."""
    grid = decoder.game.grid
    views = find_symmetries(grid.size, grid.shape[1], decoder.game.symmetry)
    planes = inputs.reshape(len(inputs), -1, grid.size)
    numbers = np.count_nonzero(decoder.game.plain.get("PLANE_NUMBERS", ()))
    cells, beside = np.split(planes, [planes.shape[1] - numbers], axis=1)
    turned = [np.concatenate([cells[:, :, view], beside], axis=1) for view in views]
    return [each.reshape(inputs.shape) for each in turned]


@pytest.fixture(scope="module", autouse=True)
def _games(tmp_path_factory: pytest.TempPathFactory) -> None:
    open_text(tmp_path_factory.mktemp("games"), HANDS, "hands.py")


@pytest.mark.parametrize(("game", "settings", "views"), DESIGNS, ids=str)
def test_images_of_a_position_are_worth_the_same(game: str, settings: Settings, views: int) -> None:
    player = make_evolved(game, "mlp", 1, symmetric=True, **settings)
    whole = make_evolved(game, "mlp", 1, **settings)
    decoder = player.decoder
    genes = decoder.expand(player.genome[None])[0]
    assert len(player.genome) < len(genes) == len(whole.genome)
    inputs = (np.random.default_rng(2).random((20, decoder.inputs)) < 0.3).astype(float)
    images = turn(decoder, inputs)
    assert len(images) == views
    values = decoder.mlp.evaluate(genes, inputs)
    others = [decoder.mlp.evaluate(whole.genome, each) for each in images]
    for image in images:
        np.testing.assert_allclose(decoder.mlp.evaluate(genes, image), values, atol=1e-9)
    if decoder.hidden:
        assert np.ptp(values) > 0.01
    assert np.ptp(others, axis=0).max() > 0.01  # what is not symmetric does not pass


def test_genes_are_counted_by_hand() -> None:
    """Two planes of nine cells, eight hidden units that are images of one another."""
    decoder = make_evolved("tic-tac-toe", "mlp", symmetric=True, hidden=(8,)).decoder
    assert decoder.genes == 2 * 9 + 1 + 1 + 1
    # A ninth unit is its own image: it sees corners, edges and the middle, of either player.
    decoder = make_evolved("tic-tac-toe", "mlp", symmetric=True, hidden=(9,)).decoder
    assert decoder.genes == 2 * 9 + 2 * 3 + 2 + 2 + 1


@pytest.mark.parametrize("game", ["tic-tac-toe", "breakthrough", "connect-four"])
def test_matches_searches_and_exports_know_whole_networks(game: str) -> None:
    player = make_evolved(game, "mlp", 3, symmetric=True, hidden=(8,))
    decoder = player.decoder
    whole = find_game(game).networks["mlp"].decoder_type(hidden=(8,))
    same = whole.player(decoder.expand(player.genome[None])[0], "whole")
    for one, other in zip(player.packed, same.packed, strict=True):
        assert np.array_equal(one, other)
    for target in ("python", "c"):
        texts = [str(export_player(each, target)) for each in (player, same)]
        parts = [text.partition("FIRST_LAYER")[2].replace("whole", "weights") for text in texts]
        assert parts[0] == parts[1] != ""
    space = {"__name__": "champion"}
    exec(str(export_player(player, "python")), space)
    for position in random_positions(player.game, 20):
        assert space["choose"](list(position.state)) == player.choose(position, new_stream(1))
        rated = rate_moves(player, position)
        assert list(rated) == player.game.legal_moves(position)


@pytest.mark.parametrize(
    ("game", "settings", "sentence"),
    [
        ("kalah", {}, "symmetric is true, but the file of kalah declares no SYMMETRY"),
        ("tic-tac-toe", {"head": "policy"}, "symmetric is for networks that value the cells"),
        ("othello", {"encoding": "features"}, "symmetric is for networks that value the cells"),
        ("tic-tac-toe", {"symmetric": 1}, "symmetric is 1: it must be true or false"),
    ],
)
def test_who_has_no_images_refuses(game: str, settings: Settings, sentence: str) -> None:
    with pytest.raises(BadValueError, match=sentence):
        make_evolved(game, "mlp", **{"symmetric": True, **settings})


def test_runs_breed_shared_genes_and_come_back(tmp_path: Path) -> None:
    changes = {
        **{"method.name": "tournament", "method.individuals": 6, "method.tournament_size": 2},
        **{"network.symmetric": True, "network.hidden": [8], "check.games": 10},
    }

    def breed(generations: int) -> ea.Run:
        given = {**changes, "run.generations": generations}
        folder = tmp_path / str(generations)
        return ea.start("tic-tac-toe", run=folder, changes=given, executor="serial")

    run, short = breed(2), breed(1)
    assert ea.resume(short.directory.path, generations=2).population_sha256 == run.population_sha256
    assert run.champion.genome.shape == (21,)
    read = ea.load_player(f"file:{run.directory.path / 'champion.safetensors'}")
    assert np.array_equal(read.genome, run.champion.genome)
