"""The board of CodinGame, STEAL, and bots that play there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.connect_four.column_player import MinimaxPlayer
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.graph import GraphDecoder
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.games.connect_four.tuple_network import TupleDecoder
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.packed import combine_players, with_noise
from evolve_arena.players.player import CompiledPlayer, make_random
from tests.games.connect_four.test_kernel import make_players

GAME = ConnectFour(9, 7, 4, 1)


def make_tuples(game: ConnectFour, seed: int) -> CompiledPlayer:
    decoder = TupleDecoder(**game.options, tuples=12, length=4)
    generator = np.random.default_rng(seed)
    cells = decoder.draw(generator)
    tables = generator.normal(0.0, 0.1, decoder.table(cells).numbers).astype(np.float32)
    return decoder.player(TuplePopulation(cells[None], tables[None]), f"tuples {seed}")


@pytest.mark.parametrize("board", [(9, 7, 4, 1), (8, 8, 4, 0), (7, 6, 4, 1)], ids=str)
def test_kernel(board):
    game = ConnectFour(*board)
    players = [
        *make_players(game),
        *(make_tuples(game, seed) for seed in range(4)),
        MinimaxPlayer(game, 1),
        MinimaxPlayer(game, 3),
        MinimaxPlayer(game, 6),
    ]
    for plies in (0, 1, 3):
        pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
        seeds = derive_seeds(5, 0, "matches", len(pairings))
        openings = random_openings(game, plies, len(pairings), 6)
        packed = combine_players([player.packed for player in players])
        results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
        stolen = {}
        for match, (first, second) in enumerate(pairings):
            played = play_match(
                game,
                [players[first], players[second]],
                seed=int(seeds[match]),
                opening=openings[match].tolist(),
            )
            assert results.games[match] == played.game, (
                players[first].name,
                players[second].name,
                played.moves,
            )
            assert results.outcomes[match] == played.outcome
            assert results.plies[match] == len(played.moves)
            if played.moves[1] == game.rules.columns and plies < 2:
                n = players[second].name
                stolen[n] = stolen.get(n, 0) + 1
        print(board, plies, stolen)
