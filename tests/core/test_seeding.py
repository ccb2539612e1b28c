"""Where random numbers come from: the seed, the generation and the purpose, nothing else."""

from __future__ import annotations

import zlib
from itertools import product

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_generator, derive_seeds, derive_stream
from evolve_arena.core.stream import new_stream, next_word

SOURCES = list(product([0, 1, 2**63], [0, 1, 731], ["matches", "mutation", "crossover"]))


def test_different_sources_give_different_numbers() -> None:
    seeds = [int(derive_seeds(*source, 1)[0]) for source in SOURCES]
    draws = [float(derive_generator(*source).random()) for source in SOURCES]
    assert len(set(seeds)) == len(SOURCES)
    assert len(set(draws)) == len(SOURCES)


def test_numbers_stay_the_same_from_release_to_release() -> None:
    """Runs are repeatable for good, so these may never change."""
    assert derive_seeds(1, 0, "matches", 3).tolist() == [
        10914602067761938382,
        10352731944273761073,
        10659789119206232089,
    ]
    draws = derive_generator(1, 0, "mutation").integers(0, 1000, 5)
    assert draws.tolist() == [31, 374, 801, 358, 623]


def test_more_seeds_begin_with_the_fewer() -> None:
    many = derive_seeds(7, 3, "matches", 1000)
    assert many.shape == (1000,)
    assert many.dtype == np.uint64
    assert derive_seeds(7, 3, "matches", 10).tolist() == many[:10].tolist()
    assert len(np.unique(many)) == 1000


def word_number(start: int, number: int) -> int:
    """Return word *number*, counted from 0, of the stream that starts from *start*."""
    rng = new_stream(start + number * 0x9E3779B97F4A7C15)
    return int(next_word(rng))


def test_seeds_are_words_of_one_stream() -> None:
    run = int(np.random.SeedSequence(7).generate_state(1, np.uint64)[0])
    generation = word_number(run, 3)
    rng = new_stream(word_number(generation, zlib.crc32(b"matches")))
    words = [int(next_word(rng)) for _ in range(20)]
    assert derive_seeds(7, 3, "matches", 20).tolist() == words
    again = derive_stream(7, 3, "matches")
    assert [int(next_word(again)) for _ in range(20)] == words


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(BadValueError, match="seed is -1: it must be at least 0"):
        derive_seeds(-1, 0, "matches", 1)
    with pytest.raises(BadValueError, match="seed is -1"):
        derive_generator(-1, 0, "mutation")
