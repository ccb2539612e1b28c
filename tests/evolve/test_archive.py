"""The hall of fame: who enters, when, and who has to leave."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from evolve_arena.evolve.matches import HallOfFame, remember


def run_generations(config: HallOfFame, last: int, seed: int = 1) -> NDArray[np.float32]:
    """The hall after generations 0 to *last*, if the fittest of each is its number."""
    hall = np.zeros((0, 2), np.float32)
    for generation in range(last + 1):
        fittest = np.full(2, generation, np.float32)
        hall = remember(config, hall, fittest, seed, generation)
    return hall


@pytest.mark.parametrize(
    ("size", "every", "opponents", "expected"),
    [(50, 4, 1, [0, 4, 8, 12, 16]), (50, 1, 0, []), (1, 3, 1, [15])],
)
def test_the_fittest_enters_every_so_many_generations(
    size: int, every: int, opponents: int, expected: list[int]
) -> None:
    hall = run_generations(HallOfFame(size=size, every=every, opponents=opponents), last=17)
    assert hall.dtype == np.float32
    assert hall[:, 0].tolist() == expected


def test_the_hall_never_outgrows_its_size_and_keeps_the_newest() -> None:
    config = HallOfFame(size=5, every=1, opponents=1)
    for last in range(30):
        hall = run_generations(config, last)[:, 0].tolist()
        assert len(hall) == min(5, last + 1)
        assert hall[-1] == last
        assert hall == sorted(set(hall))


def test_who_leaves_is_drawn_uniformly() -> None:
    config = HallOfFame(size=6, every=1, opponents=1)
    full = np.arange(6, dtype=np.float32)[:, None]
    left: Counter[float] = Counter()
    for seed in range(3000):
        hall = remember(config, full, np.full(1, 6, np.float32), seed, 7)
        (gone,) = set(range(6)) - set(hall[:, 0].tolist())
        left[gone] += 1
    assert stats.chisquare([left[number] for number in range(6)]).pvalue > 0.001
