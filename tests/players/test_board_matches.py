"""Matches of the board games' kernel: they depend on themselves alone, and are those of Python."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch, new_results
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Settings
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.packed import PackedPlayers, combine_players, with_noise
from evolve_arena.players.player import CompiledPlayer, make_random
from evolve_arena.players.specification import make_player
from tests.evolved import make_evolved

GAME = make_game("connect-four")
SIZES = [(7, 6, 4), (8, 8, 4)]
NETWORKS: list[Settings] = [
    {"head": "policy", "encoding": "numbered"},
    {"head": "policy", "hidden": (20, 5), "activation": "tanh"},
    {"hidden": (40,)},
    {"hidden": (), "encoding": "signed", "take_wins": False},
    {"head": "action", "hidden": (5, 4), "encoding": "signed"},
]


def make_players(game: BoardGame) -> list[CompiledPlayer]:
    """Return players of every kind: scripted, networks, a graph, a tuple network, a search."""
    networks = [
        make_evolved(game.name, "mlp", number, **game.options, **network)
        for number, network in enumerate(NETWORKS)
    ]
    others = [make_evolved(game.name, kind, 1, **game.options) for kind in ("graph", "tuples")]
    scripted = [make_player(name, game) for name in ("random", "test-bot", "minimax:depth=2")]
    return [*scripted, *networks, *others]


def pair_all(players: list[CompiledPlayer]) -> tuple[PackedPlayers, np.ndarray, np.ndarray]:
    pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
    seeds = derive_seeds(5, 0, "matches", len(pairings))
    return combine_players([player.packed for player in players]), pairings, seeds


@pytest.mark.parametrize(
    ("sizes", "plies", "noise"), [*((sizes, 1, 0.0) for sizes in SIZES), (SIZES[0], 3, 0.3)]
)
def test_every_pairing_plays_the_same_game_in_python(
    sizes: tuple[int, int, int], plies: int, noise: float
) -> None:
    columns, rows, connect = sizes
    game = make_game("connect-four", columns=columns, rows=rows, connect=connect)
    players = make_players(game)
    for player in players:
        player.packed = with_noise(player.packed, noise)
    packed, pairings, seeds = pair_all(players)
    openings = random_openings(game, plies, len(pairings), 6)
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    for match, (first, second) in enumerate(pairings):
        sides = [players[first], players[second]]
        opening = openings[match].tolist()
        played = play_match(game, sides, seed=int(seeds[match]), opening=opening)
        assert results.game_hashes[match] == played.game_hash
        assert results.outcomes[match] == played.outcome
        assert results.plies[match] == len(played.moves)
        assert played.moves[:plies] == tuple(opening)


def test_openings_may_end_early() -> None:
    openings = np.array(
        [[3, 3, -1, -1], [3, 3, 4, -1], [3, 3, 4, 2], [-1, -1, -1, -1]], dtype=np.int8
    )
    seeds = np.full(4, 11, dtype=np.uint64)
    player = make_random(GAME)
    batch = make_batch(GAME, player.packed, np.zeros((4, 2), np.int32), seeds, openings)
    results = run_kernel(batch)
    for match, opening in enumerate([(3, 3), (3, 3, 4), (3, 3, 4, 2), ()]):
        played = play_match(GAME, [player, player], seed=11, opening=opening)
        assert played.game_hash == results.game_hashes[match]


def test_a_match_depends_on_nothing_but_itself() -> None:
    """Results do not change with the order of matches, their number, or the company."""
    packed, pairings, seeds = pair_all(make_players(GAME))
    whole = run_kernel(make_batch(GAME, packed, pairings, seeds))
    order = np.random.default_rng(1).permutation(len(pairings))
    shuffled = run_kernel(make_batch(GAME, packed, pairings[order], seeds[order]))
    for name in ("game_hashes", "outcomes", "plies"):
        assert np.array_equal(getattr(shuffled, name), getattr(whole, name)[order])
    parts = [slice(at, at + 1) for at in range(len(pairings))]
    alone = [run_kernel(make_batch(GAME, packed, pairings[at], seeds[at])) for at in parts]
    assert [int(results.game_hashes[0]) for results in alone] == whole.game_hashes.tolist()


def test_a_part_of_a_batch_fills_its_part_of_the_results() -> None:
    pairings, seeds = np.zeros((10, 2), dtype=np.int32), derive_seeds(1, 0, "matches", 10)
    batch = make_batch(GAME, make_random(GAME).packed, pairings, seeds)
    whole, results = run_kernel(batch), new_results(GAME, 10)
    results.plies[:] = -7
    run_kernel(batch, results, slice(3, 6))
    assert results.game_hashes[3:6].tolist() == whole.game_hashes[3:6].tolist()
    assert results.plies[[0, 1, 2, 6, 7, 8, 9]].tolist() == [-7] * 7
    empty = make_batch(GAME, batch.packed, pairings[:0], seeds[:0])
    assert len(run_kernel(empty)) == run_kernel(empty).distinct_games == 0


def test_the_seed_decides_games_of_chance_and_no_others() -> None:
    packed, _, _ = pair_all(make_players(GAME))
    for row, by_chance in ((0, True), (3, False), (5, False), (8, False)):
        pairings = np.full((100, 2), row, dtype=np.int32)
        batch = make_batch(GAME, packed, pairings, derive_seeds(1, 0, "matches", 100))
        assert run_kernel(batch).distinct_games == (100 if by_chance else 1)


def test_equal_hashes_mean_equal_games() -> None:
    """Over hundreds of games of a small board there is no collision."""
    game, count = make_game("connect-four", columns=4, rows=3, connect=3), 8_000
    player, seeds = make_random(game), derive_seeds(3, 0, "matches", count)
    results = run_kernel(make_batch(game, player.packed, np.zeros((count, 2), np.int32), seeds))
    hashes: dict[int, tuple[int, ...]] = {}
    for match in range(0, count, 20):
        moves = play_match(game, [player, player], seed=int(seeds[match])).moves
        assert hashes.setdefault(int(results.game_hashes[match]), moves) == moves
    assert len(hashes) == len(set(hashes.values()))


LISTED = """
import numpy as np
from numba.core import event
from evolve_arena.arena.arena import warm_up
from evolve_arena.core.registry import find_game, make_game
class Listener(event.Listener):
    def on_start(self, given): print(given.data["dispatcher"].py_func.__name__)
    def on_end(self, given): pass
event.register("numba:compile", Listener())
game = make_game("tic-tac-toe")
decoder = find_game(game.name).networks["mlp"].decoder_type(hidden=(4,), head="value")
warm_up(game, [decoder.pack(decoder.initialise(2, "uniform", np.random.default_rng(1)))])
"""


def test_what_no_player_needs_is_not_compiled(tmp_path: Path) -> None:
    chosen = {**os.environ, "EVOLVE_ARENA_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", LISTED]
    told = subprocess.run(
        command, env=chosen, capture_output=True, text=True, check=True, timeout=300
    )
    compiled = told.stdout.split()
    assert {"play_matches", "choose_move", "draw_openings"} < set(compiled)
    needless = {
        "weigh_move",
        "look_before",
        "run_dense",
        "fill_inputs",
        "ask_script",
        "write_policy",
    }
    assert not needless & set(compiled)
    assert compiled.count("choose_move") == compiled.count("_note") == 1, "for each constant"
