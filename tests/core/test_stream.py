"""The random stream of a match: SplitMix64, and what is made of its words."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evolve_arena.core.stream import below, chance, fill_words, gaussian, mix, new_stream, next_word

WORD = 2**64 - 1


def reference(state: int) -> tuple[int, int]:
    """Return SplitMix64's state after a draw, and the number drawn, in plain integers."""
    state = (state + 0x9E3779B97F4A7C15) & WORD
    word = state
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return state, word ^ (word >> 31)


def test_published_outputs() -> None:
    """The outputs for seed 1234567 that implementations are commonly checked with."""
    rng = new_stream(1234567)
    assert [int(next_word(rng)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.integers(-(2**70), 2**70))
@settings(max_examples=100)
def test_agrees_with_plain_integers(seed: int) -> None:
    rng = new_stream(seed)
    assert rng.shape == (1,)
    assert rng.dtype == np.uint64
    state = seed & WORD
    for _ in range(20):
        state, expected = reference(state)
        assert int(next_word(rng)) == expected
        assert int(rng[0]) == state


@given(st.integers(0, WORD))
@settings(max_examples=100)
def test_mix_is_the_scrambling_alone(word: int) -> None:
    assert int(mix(np.uint64(word))) == reference((word - 0x9E3779B97F4A7C15) & WORD)[1]


@given(st.integers(0, WORD), st.integers(1, 2**32))
@settings(max_examples=200)
def test_below_is_the_high_half_of_a_product(seed: int, count: int) -> None:
    rng = new_stream(seed)
    state = seed
    for _ in range(10):
        state, word = reference(state)
        number = int(below(rng, count))
        assert number == (word >> 32) * count >> 32
        assert 0 <= number < count


def test_chance_has_53_bits() -> None:
    rng = new_stream(0)
    state = 0
    for _ in range(100):
        state, word = reference(state)
        assert chance(rng) == (word >> 11) / 2**53


@given(st.integers(0, WORD), st.integers(0, 50))
@settings(max_examples=50)
def test_fill_words_takes_the_next_ones(seed: int, count: int) -> None:
    rng = new_stream(seed)
    words = np.zeros(count, dtype=np.uint64)
    fill_words(rng, words)
    again = new_stream(seed)
    assert words.tolist() == [int(next_word(again)) for _ in range(count)]
    assert rng[0] == again[0]


def test_gaussian_numbers_are_normally_distributed() -> None:
    rng = new_stream(1)
    draws = np.array([gaussian(rng) for _ in range(40_000)])
    assert stats.kstest(draws, "norm").pvalue > 0.001
    assert abs(draws.mean()) < 4 / np.sqrt(len(draws))
    assert abs(draws.var() - 1) < 4 * np.sqrt(2 / len(draws))
    assert abs(stats.kurtosis(draws)) < 4 * np.sqrt(24 / len(draws))
    far = int(np.sum(np.abs(draws) > 3))
    assert stats.binomtest(far, len(draws), 2 * stats.norm.sf(3)).pvalue > 0.001
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / np.sqrt(len(draws))
