"""Strength as one number per player, from all games among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rating", "rate_players"]

ELO_PER_UNIT = 400.0 / np.log(10.0)
PRIOR_DRAWS = 1.0
STEPS = 100


@dataclass(frozen=True)
class Rating:
    """How strong a player is among those it met."""

    elo: float
    """Elo points above the mean of all players."""
    error: float
    """Half the width of the 95 % interval of :attr:`elo`."""


def rate_players(points: NDArray[np.float64], games: NDArray[np.float64]) -> list[Rating]:
    """Bradley-Terry ratings by Newton's method, on Elo's scale.

    Every two players who met count as having drawn one more game than they did, so that who
    won everything, or nothing, gets a finite rating. Players of separate groups, who met
    nobody in common, can't be compared: each group's mean is 0.

    Args:
        points: ``points[i, j]`` is what i won against j, a draw being half a point.
        games: ``games[i, j]`` is how often they met, symmetric.

    Source: Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
    Statistics 32 (2004), equation 3, for the likelihood.
    """
    met = (games > 0).astype(np.float64)
    won = points + PRIOR_DRAWS / 2 * met
    total = games + PRIOR_DRAWS * met
    strength = np.zeros(len(points))
    information = np.zeros_like(total)
    for _ in range(STEPS):
        expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
        gradient = (won - total * expected).sum(axis=1)
        curvature = total * expected * (1.0 - expected)
        information = np.diag(curvature.sum(axis=1)) - curvature
        step = np.linalg.pinv(information, hermitian=True) @ gradient
        strength += np.clip(step, -2.0, 2.0)
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    variance = np.diag(np.linalg.pinv(information, hermitian=True))
    errors = 1.959963984540054 * np.sqrt(np.maximum(variance, 0.0))
    return [
        Rating(float(s * ELO_PER_UNIT), float(e * ELO_PER_UNIT))
        for s, e in zip(strength, errors, strict=True)
    ]
