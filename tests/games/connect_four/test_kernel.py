"""The compiled kernel plays the very games that the plain loop plays."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch, new_results
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.players.packed import combine_players, with_noise
from evolve_arena.players.player import CompiledPlayer, make_random

BOARDS = [(7, 6, 4), (4, 3, 3), (9, 6, 5), (16, 3, 4), (5, 10, 4), (2, 3, 2), (6, 5, 6)]


def make_players(game: ConnectFour) -> list[CompiledPlayer]:
    """One player of every kind: scripted, and networks of many structures."""
    decoders = [
        NetworkDecoder(**game.options, **options)
        for options in (
            {},
            {"hidden": (), "encoding": "0/1/-1", "viewpoint": "absolute"},
            {"hidden": (20, 5), "activation": "tanh", "encoding": "two-planes"},
            {"head": "value", "encoding": "two-planes", "hidden": (16,)},
            {"head": "value", "hidden": (40,), "activation": "relu", "viewpoint": "absolute"},
            {"head": "value", "hidden": (), "encoding": "0/1/-1"},
            {"head": "value", "hidden": (3, 17), "activation": "tanh"},
            {"head": "value", "hidden": (20,), "activation": "tanh", "take_wins": False},
            {"head": "action", "hidden": (20,)},
            {"head": "action", "hidden": (5, 4), "viewpoint": "absolute"},
        )
    ]
    networks = []
    for number, decoder in enumerate(decoders):
        generator = np.random.default_rng(number)
        genome = decoder.initialise(1, "normal", generator)[0]
        networks.append(decoder.player(genome, f"network {number}"))
    return [make_random(game), make_test_bot(game), *networks]


@pytest.mark.parametrize("plies", [0, 1, 3])
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_pairing_plays_the_same_game_in_both(board: tuple[int, int, int], plies: int) -> None:
    game = ConnectFour(*board)
    players = make_players(game)
    pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
    pairings = np.tile(pairings, (2, 1))
    seeds = derive_seeds(5, 0, "matches", len(pairings))
    openings = random_openings(game, plies, len(pairings), 6)
    packed = combine_players([player.packed for player in players])
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    for match, (first, second) in enumerate(pairings):
        played = play_match(
            game,
            [players[first], players[second]],
            seed=int(seeds[match]),
            opening=openings[match].tolist(),
        )
        assert results.games[match] == played.game
        assert results.outcomes[match] == played.outcome
        assert results.plies[match] == len(played.moves)
        assert played.moves[:plies] == tuple(openings[match].tolist())


def test_games_with_noise_are_the_same_in_both() -> None:
    game = ConnectFour()
    players = make_players(game)
    for player in players:
        player.packed = with_noise(player.packed, 0.3)
    pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
    seeds = derive_seeds(5, 0, "matches", len(pairings))
    packed = combine_players([player.packed for player in players])
    results = run_kernel(make_batch(game, packed, pairings, seeds))
    quiet = combine_players([player.packed for player in make_players(game)])
    without = run_kernel(make_batch(game, quiet, pairings, seeds))
    assert np.mean(without.games != results.games) > 0.5
    for match, (first, second) in enumerate(pairings):
        played = play_match(game, [players[first], players[second]], seed=int(seeds[match]))
        assert results.games[match] == played.game


def test_openings_may_end_early() -> None:
    game = ConnectFour()
    packed = make_random(game).packed
    openings = np.array([[3, 3, -1, -1], [3, 3, 4, -1], [3, 3, 4, 2], [-1, 0, 0, 0]], dtype=np.int8)
    seeds = np.full(4, 11, dtype=np.uint64)
    pairings = np.zeros((4, 2), dtype=np.int32)
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    player = make_random(game)
    for match, opening in enumerate([(3, 3), (3, 3, 4), (3, 3, 4, 2)]):
        played = play_match(game, [player, player], seed=11, opening=opening)
        assert played.game == results.games[match]


def test_a_match_depends_on_nothing_but_itself() -> None:
    """Results do not change with the order of matches, their number, or the company."""
    game = ConnectFour()
    players = make_players(game)
    packed = combine_players([player.packed for player in players])
    pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
    seeds = derive_seeds(1, 0, "matches", len(pairings))
    whole = run_kernel(make_batch(game, packed, pairings, seeds))
    order = np.random.default_rng(1).permutation(len(pairings))
    shuffled = run_kernel(make_batch(game, packed, pairings[order], seeds[order]))
    assert shuffled.games.tolist() == whole.games[order].tolist()
    assert shuffled.outcomes.tolist() == whole.outcomes[order].tolist()
    assert shuffled.plies.tolist() == whole.plies[order].tolist()
    alone = [
        run_kernel(make_batch(game, packed, pairings[k : k + 1], seeds[k : k + 1]))
        for k in range(len(pairings))
    ]
    assert [int(results.games[0]) for results in alone] == whole.games.tolist()


def test_a_part_of_a_batch_fills_its_part_of_the_results() -> None:
    game = ConnectFour()
    packed = make_random(game).packed
    pairings = np.zeros((10, 2), dtype=np.int32)
    batch = make_batch(game, packed, pairings, derive_seeds(1, 0, "matches", 10))
    whole = run_kernel(batch)
    results = new_results(game, 10)
    results.plies[:] = -7
    run_kernel(batch, results, slice(3, 6))
    assert results.games[3:6].tolist() == whole.games[3:6].tolist()
    assert results.plies[[0, 1, 2, 6, 7, 8, 9]].tolist() == [-7] * 7


def test_the_seed_decides_games_of_chance_and_no_others() -> None:
    game = ConnectFour()
    players = make_players(game)
    packed = combine_players([player.packed for player in players])
    for row, by_chance in ((0, True), (2, False), (5, False)):
        pairings = np.full((100, 2), row, dtype=np.int32)
        batch = make_batch(game, packed, pairings, derive_seeds(1, 0, "matches", 100))
        assert run_kernel(batch).distinct_games == (100 if by_chance else 1)
        again = make_batch(game, packed, pairings, derive_seeds(1, 0, "matches", 100))
        assert run_kernel(again).games.tolist() == run_kernel(batch).games.tolist()


def test_no_matches_give_no_results() -> None:
    game = ConnectFour()
    empty = np.zeros((0, 2), dtype=np.int32)
    batch = make_batch(game, make_random(game).packed, empty, np.zeros(0, dtype=np.uint64))
    results = run_kernel(batch)
    assert len(results) == 0
    assert results.distinct_games == 0


def test_equal_hashes_mean_equal_games() -> None:
    """Over all games of a small board there is no collision."""
    game = ConnectFour(4, 3, 3)
    packed = make_random(game).packed
    count = 20_000
    pairings = np.zeros((count, 2), dtype=np.int32)
    seeds = derive_seeds(3, 0, "matches", count)
    results = run_kernel(make_batch(game, packed, pairings, seeds))
    player = make_random(game)
    hashes = {}
    for match in range(0, count, 20):
        played = play_match(game, [player, player], seed=int(seeds[match]))
        assert hashes.setdefault(int(results.games[match]), played.moves) == played.moves
    assert len(hashes) == len(set(hashes.values()))


@pytest.mark.parametrize(
    ("pairings", "seeds", "openings"),
    [
        (np.zeros((3, 2), np.int32), np.zeros(2, np.uint64), np.zeros((3, 0), np.int64)),
        (np.zeros((3, 2), np.int32), np.zeros(3, np.uint64), np.zeros((4, 0), np.int64)),
        (np.zeros((3, 3), np.int32), np.zeros(3, np.uint64), np.zeros((3, 0), np.int64)),
        (np.zeros(3, np.int32), np.zeros(3, np.uint64), np.zeros((3, 0), np.int64)),
        (np.full((3, 2), 1, np.int32), np.zeros(3, np.uint64), np.zeros((3, 0), np.int64)),
        (np.full((3, 2), -1, np.int32), np.zeros(3, np.uint64), np.zeros((3, 0), np.int64)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    pairings: np.ndarray, seeds: np.ndarray, openings: np.ndarray
) -> None:
    game = ConnectFour()
    with pytest.raises(ValueError, match="seating"):
        make_batch(game, make_random(game).packed, pairings, seeds, openings)
