"""The hall of fame: who enters, when, and who has to leave."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy import stats

from evolve_arena.evolve.matches import HallOfFame, remember


def run_generations(config: HallOfFame, last: int, seed: int = 1) -> NDArray[np.float32]:
    """The hall after generations 0 to *last*, if the fittest of each is its number."""
    hall = np.zeros((0, 2), np.float32)
    for generation in range(last + 1):
        fittest = np.full(2, generation, np.float32)
        hall = remember(config, hall, fittest, seed, generation)
    return hall


def test_the_fittest_enters_every_so_many_generations() -> None:
    hall = run_generations(HallOfFame(size=50, every=4, opponents=1), last=17)
    assert hall.dtype == np.float32
    assert hall[:, 0].tolist() == [0, 4, 8, 12, 16]


def test_a_hall_without_opponents_stays_empty() -> None:
    assert run_generations(HallOfFame(size=50, every=1, opponents=0), last=20).shape == (0, 2)


def test_the_hall_never_outgrows_its_size_and_keeps_the_newest() -> None:
    config = HallOfFame(size=5, every=1, opponents=1)
    for last in range(30):
        hall = run_generations(config, last)[:, 0].tolist()
        assert len(hall) == min(5, last + 1)
        assert hall[-1] == last
        assert hall == sorted(set(hall))


def test_a_hall_of_one_holds_the_newest() -> None:
    hall = run_generations(HallOfFame(size=1, every=3, opponents=1), last=20)
    assert hall[:, 0].tolist() == [18]


def test_who_leaves_is_drawn_uniformly() -> None:
    config = HallOfFame(size=6, every=1, opponents=1)
    full = np.arange(6, dtype=np.float32)[:, None]
    left: Counter[float] = Counter()
    for seed in range(3000):
        hall = remember(config, full, np.full(1, 6, np.float32), seed, 7)
        (gone,) = set(range(6)) - set(hall[:, 0].tolist())
        left[gone] += 1
    assert stats.chisquare([left[number] for number in range(6)]).pvalue > 0.001


def test_remembering_changes_no_input_and_repeats_itself() -> None:
    config = HallOfFame(size=3, every=1, opponents=1)
    hall = np.arange(6, dtype=np.float32).reshape(3, 2)
    before = hall.copy()
    one = remember(config, hall, np.zeros(2, np.float32), 1, 5)
    assert np.array_equal(one, remember(config, hall, np.zeros(2, np.float32), 1, 5))
    assert np.array_equal(hall, before)


@pytest.mark.parametrize("wrong", [{"size": 0}, {"every": 0}, {"opponents": -1}, {"sise": 3}])
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        HallOfFame.model_validate(wrong)
