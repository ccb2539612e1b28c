"""Strength as one number per player, from all games among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.statistics import Z_95

ELO_PER_UNIT = 400.0 / np.log(10.0)
PRIOR_DRAWS = 1.0
STEPS = 500


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
    anchor = _same_group(met)
    strength = np.zeros(len(points))
    for _ in range(STEPS):
        gradient, information = _differentiate(strength, won, total)
        step = _solve(information, anchor, gradient)
        strength, moved = _climb(strength, step, won)
        if moved < 1e-12:
            break
    strength -= anchor @ strength / anchor.sum(axis=1)
    _, information = _differentiate(strength, won, total)
    variance = np.diag(np.linalg.pinv(information, hermitian=True))
    errors = Z_95 * np.sqrt(np.maximum(variance, 0.0))
    return [
        Rating(float(s * ELO_PER_UNIT), float(e * ELO_PER_UNIT))
        for s, e in zip(strength, errors, strict=True)
    ]


def _differentiate(
    strength: NDArray[np.float64], won: NDArray[np.float64], total: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient of the log-likelihood, and its negative second derivative."""
    ahead = np.clip(strength[:, None] - strength[None, :], -500.0, 500.0)
    expected = 1.0 / (1.0 + np.exp(-ahead))
    gradient = (won - total * expected).sum(axis=1)
    curvature = total * expected * expected.T
    return gradient, np.diag(curvature.sum(axis=1)) - curvature


def _solve(
    information: NDArray[np.float64], anchor: NDArray[np.float64], gradient: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Newton's step, scaled so that far-apart players do no harm; *anchor* holds the means."""
    diagonal = np.diag(information)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))  # 0: who met nobody
    matrix = scale[:, None] * information * scale[None, :] + anchor * scale[:, None] * scale
    step, *_ = np.linalg.lstsq(matrix, scale * gradient, rcond=None)
    return np.asarray(scale * step)


def _climb(
    strength: NDArray[np.float64], step: NDArray[np.float64], won: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Goes along *step*, or a half of it and so on, as soon as that makes the data likelier."""
    before = _log_likelihood(strength, won)
    for halvings in range(60):
        shorter = step * 0.5**halvings
        if _log_likelihood(strength + shorter, won) > before:
            return strength + shorter, float(np.abs(shorter).max())
    return strength, 0.0


def _log_likelihood(strength: NDArray[np.float64], won: NDArray[np.float64]) -> float:
    return -float((won * np.logaddexp(0.0, strength[None, :] - strength[:, None])).sum())


def _same_group(met: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where two players are tied together by games, perhaps through others."""
    reach = np.eye(len(met)) + met
    for _ in range(max(1, len(met).bit_length())):
        reach = np.minimum(reach @ reach, 1.0)
    return (reach > 0).astype(np.float64)
