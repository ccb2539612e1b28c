"""Normal distributions with a covariance matrix, as a lower triangle: draws, updates, constants.

All sums have a fixed order and nothing comes from BLAS, so results are the same on all processors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array

Matrix = NDArray[np.float64]


def transform(triangle: Matrix, normal: Matrix) -> Matrix:
    """Return draws from the distribution with the covariance ``triangle @ triangle.T``.

    Args:
        triangle: Lower triangle, shape ``(genes, genes)``, row by row.
        normal: Standard normal numbers, shape ``(draws, genes)``.
    """
    drawn = np.zeros_like(normal)
    _transform(np.ascontiguousarray(triangle.T), normal, drawn)
    return drawn


@compiled
def _transform(columns: Array, normal: Array, drawn: Array) -> None:
    """Add up columns of the triangle, each times one number, for one draw after the other."""
    genes = columns.shape[0]
    for draw in range(normal.shape[0]):
        for column in range(genes):
            factor = normal[draw, column]
            for row in range(column, genes):
                drawn[draw, row] += columns[column, row] * factor


def add_directions(
    triangle: Matrix, share: float, directions: Matrix, weights: NDArray[np.float64]
) -> Matrix:
    """Return the triangle of ``share`` times the covariance plus outer products of *directions*.

    Args:
        triangle: Lower triangle of the covariance before, shape ``(genes, genes)``.
        share: Share of that covariance that stays, above 0.
        directions: Shape ``(count, genes)``.
        weights: Factor of each outer product, at least 0, shape ``(count,)``.

    Source: rank-one updates of Cholesky factors, as in Krause and Igel, "A more efficient rank-one
    covariance matrix update for evolution strategies", FOGA 2015.
    """
    columns = math.sqrt(share) * np.ascontiguousarray(triangle.T)
    scaled = np.sqrt(weights)[:, None] * directions
    _add_directions(columns, scaled)
    return np.ascontiguousarray(columns.T)


@compiled
def _add_directions(columns: Array, directions: Array) -> None:
    """Update the factor by a Givens rotation for each column and direction."""
    genes = columns.shape[0]
    for number in range(directions.shape[0]):
        rest = directions[number]
        for column in range(genes):
            pivot, value = columns[column, column], rest[column]
            if value == 0.0:
                continue
            length = math.sqrt(pivot * pivot + value * value)
            cosine, sine = length / pivot, value / pivot
            columns[column, column] = length
            for row in range(column + 1, genes):
                changed = (columns[column, row] + sine * rest[row]) / cosine
                rest[row] = cosine * rest[row] - sine * changed
                columns[column, row] = changed


@dataclass(frozen=True, eq=False)
class Rates:
    """The constants of the method, by the names that Hansen (2016) gives in table 1."""

    weights: NDArray[np.float64]
    """w: weights of the selected individuals, the fittest first; their sum is 1."""
    effective: float
    """μ_eff: number of equally weighted individuals with the same variance of the mean."""
    step_path: float
    """c_σ."""
    damping: float
    """d_σ."""
    path: float
    """c_c."""
    one: float
    """c_1."""
    many: float
    """c_μ."""


def find_rates(individuals: int, genes: int) -> Rates:
    """Return the constants for so many *individuals* of so many *genes*."""
    selected = individuals // 2
    raw = np.log((individuals + 1) / 2) - np.log(np.arange(1, selected + 1))
    weights: Any = (raw / raw.sum()).astype(np.float32).astype(np.float64)  # as in `CmaEs.move`
    effective = float(1.0 / (weights**2).sum())
    step_path = (effective + 2) / (genes + effective + 5)
    damping = 1 + 2 * max(0.0, np.sqrt((effective - 1) / (genes + 1)) - 1) + step_path
    path = (4 + effective / genes) / (genes + 4 + 2 * effective / genes)
    one = 2 / ((genes + 1.3) ** 2 + effective)
    many = 2 * (effective - 2 + 1 / effective) / ((genes + 2) ** 2 + effective)
    return Rates(
        weights, effective, step_path, float(damping), path, one, min(1 - one, float(many))
    )
