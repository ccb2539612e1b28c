"""Matches in hand at the same time, a move of each in turn: they are those played one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.packed import NOISE, PackedPlayers, combine_players
from evolve_arena.players.player import make_random

FILE = Path(__file__).parents[2] / "benchmarks" / "games" / "connect_four_accelerated.py"
MATCHES = 300


def make_policies(game: Any, hidden: tuple[int, ...], count: int, **more: Any) -> PackedPlayers:
    decoder: Any = (
        find_game(game.name).networks["mlp"].decoder_type(head="policy", hidden=hidden, **more)
    )
    genomes = decoder.initialise(count, "uniform", np.random.default_rng(3))
    packed: PackedPlayers = decoder.pack(genomes)
    return packed


def play(game: Any, packed: PackedPlayers, seatings: Any, openings: Any = None) -> Any:
    seeds = derive_seeds(1, 0, "turns", len(seatings))
    return run_kernel(make_batch(game, packed, seatings, seeds, openings))


@pytest.mark.parametrize("hidden", [(10,), (40,), (), (12, 20)])
def test_matches_in_turns_are_those_one_by_one(hidden: tuple[int, ...]) -> None:
    game = make_game(str(FILE))
    policies = make_policies(game, hidden, 6)
    policies.seats[4:, NOISE] = 2**29  # an eighth of their moves
    packed = combine_players([policies, make_random(game).packed])
    value = find_game(game.name).networks["mlp"].decoder_type(hidden=(4,))
    other = value.pack(value.initialise(1, "uniform", np.random.default_rng(1)))
    more = combine_players([packed, other])  # who values states plays one match after the other
    assert find_variant(find_game(game.name), game.rules, packed)["matches"].PLAYS_IN_TURNS
    assert not find_variant(find_game(game.name), game.rules, more)["matches"].PLAYS_IN_TURNS
    seatings = np.random.default_rng(2).integers(0, len(packed.seats), (MATCHES, 2))
    seatings = seatings.astype(np.int32)
    openings = np.full((MATCHES, 3), -1, dtype=np.int64)
    openings[::2] = np.random.default_rng(4).integers(0, 7, (MATCHES // 2, 3))
    for given in (None, openings):
        in_turns, one_by_one = (play(game, each, seatings, given) for each in (packed, more))
        for name in ("places", "plies", "offenders", "games"):
            assert np.array_equal(getattr(in_turns, name), getattr(one_by_one, name)), name
    assert len(set(in_turns.games.tolist())) > MATCHES // 3
    for count in (1, 2, 5):  # fewer than are in hand at a time, and one more
        few = play(game, packed, seatings[:count])
        assert np.array_equal(few.games, play(game, more, seatings[:count]).games)
