"""Measures of how well our crosstables predict a published one, and rank correlations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.intervals import mean_interval
from evolve_arena.arena.statistics import Z_95
from evolve_arena.core.extras import import_extra
from evolve_arena.core.seeding import derive_generator
from evolve_arena.studies.checkers_td.published import Crosstable, Score, sum_up

Values = NDArray[np.float64]
Vector = Sequence[float] | Values
EXCHANGES = 100
"""Number of random permutations of the players' names that show the effect of chance."""
HALF = 0.5
"""Points added to both sides, so that no share is 0 or 1 (Jeffreys' prior)."""
STEEPNESS = np.linspace(0.0, 1.5, 16)
"""Candidate factors of the log-odds of our share; at 0 all players are equal."""
SCATTER = np.exp(np.linspace(-1.0, 3.5, 13))
"""Candidate concentrations: the sum of both parameters of a cell's beta-binomial distribution."""


@dataclass(frozen=True)
class Fit:
    """A measure of how well measured cells predict published ones."""

    spearman: float
    """Rank correlation of the players' shares of points."""
    gain: float
    """Gain in the log-likelihood of a published cell (natural logarithm, mean over cells) over the
    assumption that all players are equal. The published points of a cell are modelled as
    beta-binomial (Skellam 1948), a drawn game as half a point. The mean is our share, shrunk
    towards one half; the amount, and the scatter of cells, are the :data:`STEEPNESS` and
    :data:`SCATTER` with the highest likelihood. So a crosstable without information gives 0."""
    low: float
    """Lower end of the 95 % interval of :attr:`gain`, by the jackknife over players."""
    high: float
    """Upper end of that interval."""
    chance: float
    """95th percentile of the gain after random permutations of the players' names."""
    inside: int
    """Number of cells whose published points lie in the 95 % range of ten more games of ours."""
    inside_chance: float
    """Mean of :attr:`inside` over these permutations."""
    cells: int


def measure_fit(published: Crosstable, seeds: Sequence[Crosstable]) -> Fit:
    """Measure how well the crosstables of *seeds* predict the published cells that all have."""
    cells = [place for place in published if all(place in table for table in seeds)]
    pooled = {place: sum((table[place] for table in seeds), Score()) for place in seeds[0]}
    known = {place: published[place] for place in cells}
    players = sorted({number for place in cells for number in place})
    gain = _gain(known, pooled)
    low, high = _leave_out(known, pooled, players, gain)
    # Exchanged names give the gain of chance.
    rng = derive_generator(0, 0, "names")
    exchanged = []
    for _ in range(EXCHANGES):
        other = dict(zip(players, rng.permutation(players).tolist(), strict=True))
        exchanged.append({(a, b): pooled.get((other[a], other[b]), Score()) for a, b in cells})
    gains = sorted(_gain(known, some) for some in exchanged)
    theirs = sum_up(known)
    ours = [sum_up({place: table[place] for place in cells}) for table in seeds]
    return Fit(
        spearman=spearman(
            [theirs[number].share for number in players],
            [fmean(table[number].share for table in ours) for number in players],
        ),
        gain=gain,
        low=low,
        high=high,
        chance=gains[math.ceil(0.95 * EXCHANGES) - 1],
        inside=_count_inside(known, pooled),
        inside_chance=fmean(_count_inside(known, some) for some in exchanged),
        cells=len(cells),
    )


def _gain(published: Crosstable, measured: Crosstable) -> float:
    points, games, shares = _as_arrays(published, measured)
    special = import_extra("scipy.special", "studies")
    # Axes: steepness, scatter, cell.
    drawn = special.expit(STEEPNESS[:, None, None] * special.logit(shares))
    own, others = SCATTER[:, None] * drawn, SCATTER[:, None] * (1.0 - drawn)
    # Binomial coefficients are left out: they cancel in differences.
    betaln = special.betaln
    cells = betaln(points + own, games - points + others) - betaln(own, others)
    likelihoods = cells.mean(axis=2)
    return float(likelihoods.max() - likelihoods[0].max())


def _leave_out(
    published: Crosstable, measured: Crosstable, players: Sequence[int], gain: float
) -> tuple[float, float]:
    """Return Student's interval of the jackknife pseudo-values over players (Tukey 1958)."""
    count = len(players)
    values = []
    for player in players:
        some = {place: score for place, score in published.items() if player not in place}
        values.append(count * gain - (count - 1) * _gain(some, measured))
    low, high = mean_interval(values)
    return min(low, gain), max(high, gain)


def _count_inside(published: Crosstable, measured: Crosstable) -> int:
    points, games, shares = _as_arrays(published, measured)
    # Cumulated beta-binomial probabilities of 0, 1, 2 ... points in each cell.
    weight = np.array([measured[place].games + 2 * HALF for place in published])[:, None]
    own, others, most = shares[:, None] * weight, (1.0 - shares[:, None]) * weight, games[:, None]
    wins = np.arange(games.max() + 1.0)
    lost = np.maximum(most - wins, 0.0)
    betaln = import_extra("scipy.special", "studies").betaln
    chances = betaln(wins + own, lost + others) - betaln(own, others) - betaln(wins + 1, lost + 1)
    below = np.cumsum(np.where(wins <= most, np.exp(chances) / (most + 1.0), 0.0), axis=1)
    low, high = (below < 0.025).sum(axis=1), (below < 0.975).sum(axis=1)
    return int(np.count_nonzero((low <= points) & (points <= high)))


def _as_arrays(
    published: Crosstable, measured: Mapping[tuple[int, int], Score]
) -> tuple[Values, Values, Values]:
    """Return published points and games of all cells, and our shares there."""
    points = np.array([score.points for score in published.values()])
    games = np.array([float(score.games) for score in published.values()])
    ours = [measured[place] for place in published]
    shares = np.array([(score.points + HALF) / (score.games + 2 * HALF) for score in ours])
    return points, games, shares


LEAST = 5
"""Fewest values for which an interval is computed."""


def place_values(values: Sequence[float]) -> list[int]:
    """Return the rank of each value, 1 for the largest; equal values share the better rank.

    >>> place_values([0.3, 0.9, 0.3, 0.1])
    [2, 1, 2, 4]
    """
    return [1 + sum(other > value for other in values) for value in values]


def correlate(values: Vector, others: Vector) -> float:
    """Return Pearson's correlation, -1 to 1; 0 if one side is constant.

    >>> round(correlate([1.0, 2.0, 3.0], [2.0, 4.0, 3.0]), 6)
    0.5
    """
    if np.ptp(values) == 0.0 or np.ptp(others) == 0.0:
        return 0.0
    return float(np.corrcoef(values, others)[0, 1])


def spearman(values: Vector, others: Vector) -> float:
    """Return Spearman's rank correlation: Pearson's of the ranks, with mean ranks for ties.

    >>> round(spearman([1.0, 2.0, 3.0, 4.0], [10.0, 30.0, 20.0, 90.0]), 6)
    0.8
    """
    ranks = import_extra("scipy.stats", "studies").rankdata
    return correlate(ranks(values), ranks(others))


def kendall(values: Vector, others: Vector) -> float:
    """Return Kendall's τ, in the form for ties (τ-b); 0 if one side is constant.

    Source: Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).

    >>> round(kendall([1.0, 2.0, 3.0, 4.0], [10.0, 30.0, 20.0, 90.0]), 6)
    0.666667
    """
    found = import_extra("scipy.stats", "studies").kendalltau(values, others)
    return float(np.nan_to_num(found.statistic))


def spearman_interval(value: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of Spearman's correlation of *count* pairs of values.

    Source: Bonett and Wright, "Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations", Psychometrika 65 (2000).

    >>> [round(bound, 3) for bound in spearman_interval(0.5, 28)]
    [0.133, 0.747]
    """
    return _around(value, count, lambda: math.sqrt((1 + value * value / 2) / (count - 3)))


def kendall_interval(value: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of Kendall's τ of *count* pairs of values.

    Source as for :func:`spearman_interval`.

    >>> [round(bound, 3) for bound in kendall_interval(0.5, 28)]
    [0.277, 0.672]
    """
    return _around(value, count, lambda: math.sqrt(0.437 / (count - 4)))


def _around(value: float, count: int, error: Callable[[], float]) -> tuple[float, float]:
    """Return the interval by Fisher's z-transformation; -1 to 1 if there are too few values."""
    if count < LEAST:
        return -1.0, 1.0
    if abs(value) >= 1.0:
        return value, value
    middle, half = math.atanh(value), Z_95 * error()
    return math.tanh(middle - half), math.tanh(middle + half)
