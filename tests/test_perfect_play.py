"""The judge from outside that benchmarks measure against: a perfect solver of Connect Four."""

from __future__ import annotations

from benchmarks.perfect_play import Perfect, play
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import make_random

GAME = make_game("connect-four")


def key(moves: list[int]) -> tuple[int, int]:
    own, other, discs = GAME.parse_position("".join(map(str, moves))).state
    return (other, own) if discs % 2 else (own, other)


def test_it_begins_in_the_middle_and_takes_and_blocks_lines() -> None:
    perfect = Perfect(seed=1)
    assert perfect.choose([], key([])) == 3
    assert perfect.choose([0, 6, 0, 6, 0, 6], key([0, 6, 0, 6, 0, 6])) == 0
    assert perfect.choose([3, 0, 3, 0, 3], key([3, 0, 3, 0, 3])) == 3


def test_it_decides_among_equal_moves_by_chance() -> None:
    moves = [4, 0, 4, 0, 6, 3, 2, 4]
    chosen = {Perfect(seed).choose(moves, key(moves)) for seed in range(12)}
    scores = Perfect(0)
    scores.choose(moves, key(moves))
    assert chosen == set(scores.known[key(moves)])


def test_nobody_wins_by_chance() -> None:
    assert play(make_random(GAME), games=5, seed=1) == (0, 0)
