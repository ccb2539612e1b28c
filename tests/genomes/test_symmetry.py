"""Symmetric networks: mirrored boards, mirrored opinions."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.genomes.mlp import MLP, share_genes


def test_genes_are_shared_as_worked_out_by_hand() -> None:
    """Inputs a b (mirrored into b a), hidden units u v (a pair), one output."""
    mlp = MLP(inputs=2, hidden=(2,), outputs=1)
    shared, places = share_genes(mlp, np.array([[0, 1], [1, 0]]), np.zeros((2, 1), dtype=int))
    # au av bu bv, biases u v, uo vo, bias o
    assert shared.tolist() == [0, 1, 1, 0, 2, 2, 3, 3, 4]
    assert places.tolist() == [0, 1, 4, 6, 8]


@pytest.mark.parametrize("hidden", [(), (8,), (7,), (6, 5)])
@pytest.mark.parametrize("encoding", ["0/1/2", "0/1/-1", "two-planes"])
def test_a_mirrored_position_has_mirrored_values(hidden: tuple[int, ...], encoding: str) -> None:
    decoder = NetworkDecoder(head="value", encoding=encoding, hidden=hidden, symmetric=True)
    whole = NetworkDecoder(head="value", encoding=encoding, hidden=hidden)
    assert decoder.genes < whole.genes * 0.6 + 2
    generator = np.random.default_rng(5)
    player = decoder.player(decoder.initialise(1, "uniform", generator)[0], "symmetric")
    other = whole.player(whole.initialise(1, "uniform", generator)[0], "whole")
    differences = []
    for moves in ("", "0", "3345", "1122334", "65601"):
        position = decoder.game.parse_position(moves)
        values = player.value_columns(position)
        np.testing.assert_allclose(player.value_columns(position.mirror()), values[::-1], atol=1e-4)
        difference = other.value_columns(position.mirror()) - other.value_columns(position)[::-1]
        differences.append(np.abs(difference).max())
    assert max(differences) > 0.1  # what is not symmetric does not pass


def test_a_symmetric_policy_prefers_the_mirrored_column() -> None:
    decoder = NetworkDecoder(head="policy", hidden=(12,), symmetric=True)
    generator = np.random.default_rng(2)
    for genome in decoder.initialise(20, "uniform", generator):
        player = decoder.player(genome, "symmetric")
        for moves in ("0", "01", "1122", "65601"):
            position = decoder.game.parse_position(moves)
            chosen = player.choose(position, new_stream(0))
            assert player.choose(position.mirror(), new_stream(0)) == 6 - chosen
