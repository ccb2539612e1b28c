"""Triangles of covariance matrices: draws and updates are those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.genomes.covariance import add_directions, transform


@pytest.mark.parametrize("genes", [1, 2, 7])
def test_updates_are_those_of_the_matrix(genes: int) -> None:
    rng = np.random.default_rng(genes)
    triangle = np.tril(rng.normal(size=(genes, genes))) + 2 * np.eye(genes)
    directions, weights = rng.normal(size=(5, genes)), rng.random(5)
    directions[1] = 0.0
    kept = directions.copy()
    updated = add_directions(triangle, 0.7, directions, weights)
    expected = 0.7 * triangle @ triangle.T + (directions.T * weights) @ directions
    assert updated @ updated.T == pytest.approx(expected)
    assert (updated == np.tril(updated)).all()
    assert (directions == kept).all()


def test_draws_are_products_with_the_triangle() -> None:
    rng = np.random.default_rng(0)
    triangle, normal = np.tril(rng.normal(size=(6, 6))), rng.normal(size=(4, 6))
    assert transform(triangle, normal) == pytest.approx(normal @ triangle.T)
