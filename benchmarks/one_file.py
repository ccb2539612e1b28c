"""How fast games in one file are: against a kernel written by hand, and bits against cells."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.line import Line
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import Batch, make_batch
from evolve_arena.arena.pairings import both_colours, round_robin
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.workspace import (
    HEAD,
    POLICY,
    RECORD_FIELDS,
    TAKES_WINS,
    VALUE,
)
from evolve_arena.players.packed import (
    COLUMNS_AT,
    KIND,
    NETWORK,
    WEIGHTS_AT,
    PackedPlayers,
    combine_players,
)
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import make_player

GAMES = Path(__file__).with_name("games")
PLAYERS = 60
ROUNDS = 9
SEARCHES = ((4, 400), (10, 20))
"""Depths, and how many games are played at each."""
SMALL = {"PLAYERS": 4, "ROUNDS": 1, "SEARCHES": ((4, 2),)}


def measure() -> Iterator[Line]:
    """All lines about games in one file."""
    bits_file, cells, fast = (
        make_game(str(GAMES / f"connect_four_{name}.py"))
        for name in ("bits", "cells", "accelerated")
    )
    hand = ConnectFour()
    # First, so that either is compiled for players at random alone.
    randoms = [combine_players([make_random(game).packed] * PLAYERS) for game in (hand, fast)]
    speeds = _compare([_batch(hand, randoms[0]), _batch(fast, randoms[1])], alike=1)
    yield _tell("accelerated, random games", speeds[1], "by hand", speeds[0], 0.9)
    for hidden, target in ((16, 0.92), (64, 0.95)):
        decoder = NetworkDecoder(head="value", encoding="two-planes", hidden=(hidden,))
        genomes = decoder.initialise(PLAYERS, "uniform", np.random.default_rng(1))
        places = [(cell % 7) * 7 + cell // 7 for cell in range(42)]
        packed = _pack(decoder, genomes, list(range(49)))
        speeds = _compare(
            [
                _batch(hand, decoder.pack(genomes)),
                _batch(fast, packed),
                _batch(bits_file, packed),
                _batch(cells, _pack(decoder, genomes, places)),
            ]
        )
        name = f"84-{hidden}-1 value networks"
        yield _tell(f"accelerated, {name}", speeds[1], "by hand", speeds[0], target)
        yield _tell(f"bits, {name}", speeds[2], "by hand", speeds[0], 0.6)
        yield _tell(f"cells, {name}", speeds[3], "bits", speeds[2], 0.33)
    decoder = NetworkDecoder(head="policy", encoding="0/1/-1", hidden=(10,))
    genomes = decoder.initialise(PLAYERS, "uniform", np.random.default_rng(1))
    packed = _pack(decoder, genomes, list(range(49)))
    packed.seats[:, HEAD] = POLICY
    speeds = _compare([_batch(hand, decoder.pack(genomes)), _batch(fast, packed)])
    yield _tell("accelerated, 42-10-7 policies", speeds[1], "by hand", speeds[0], 0.95)
    tuples = _draw_tuples(hand, 60, 6), _draw_tuples(fast, 120, 10)
    speeds = _compare([_batch(hand, tuples[0]), _batch(fast, tuples[1])], alike=1)
    name = "accelerated, 120 tuples of 10 bits"
    yield _tell(name, speeds[1], "by hand, 60 of 6 cells, mirrored", speeds[0], 0.9)
    for depth, games in SEARCHES:
        batches = []
        for game in (hand, fast):
            player: Any = make_player(f"minimax:depth={depth}", game)
            two = combine_players([player.packed] * 2)
            seats = np.tile(np.array([[0, 1]], dtype=np.int32), (games, 1))
            batches.append(make_batch(game, two, seats, derive_seeds(1, 0, "benchmark", games)))
        speeds = _compare(batches)
        yield _tell(f"accelerated, minimax:depth={depth}", speeds[1], "by hand", speeds[0], 0.5)
    othello = make_game("othello")
    plain = [make_game(str(GAMES / "othello_cells.py"), passes=passes) for passes in (0, 1)]
    batches = []
    for game in (othello, *plain):
        decoder = _decoder(game)
        genomes = decoder.initialise(PLAYERS, "fan-in", np.random.default_rng(1))
        batches.append(_batch(game, decoder.pack(genomes)))
    bits, *naive = (float(np.median(speed)) for speed in _compare(batches, alike=2))
    # The last has two passes more in a game.
    yield Line(
        "Othello, bits, 128-32-1 value networks",
        bits / 1e6,
        "million plies/s",
        "1.2 million",
        bits / 1.2e6,
        "1.2 million",
        bits >= 1.2e6,
    )
    for ending, speed in zip(
        ("over when nobody can move", "over after two passes"), naive, strict=True
    ):
        yield Line(
            f"Othello, cells, {ending}, 128-32-1 value networks",
            speed / 1e6,
            "million plies/s",
            "bits",
            speed / bits,
            "0.33x",
            3 * speed >= bits,
        )


def _decoder(game: Any, kind: str = "mlp", **settings: Any) -> Any:
    settings = settings or {"hidden": (32,)}
    return find_game(game.name).networks[kind].decoder_type(**settings)


def _draw_tuples(game: Any, tuples: int, length: int) -> PackedPlayers:
    """Tuple networks with random numbers.

    By hand a cell has four states, and each tuple is read in the mirror, too; in the file each bit
    is a cell. So networks that read as often, and have as many numbers, have other tuples.
    """
    decoder = _decoder(game, "tuples", tuples=tuples, length=length)
    generator = np.random.default_rng(1)
    cells = np.stack([decoder.draw(generator) for _ in range(PLAYERS)])
    numbers = max(decoder.table(each).numbers for each in cells)
    drawn = generator.normal(0.0, 0.1, (PLAYERS, numbers)).astype(np.float32)
    packed: PackedPlayers = decoder.pack(TuplePopulation(cells, drawn))
    return packed


def _batch(game: Any, packed: PackedPlayers) -> Batch:
    pairings = both_colours(round_robin(PLAYERS))
    return make_batch(game, packed, pairings, derive_seeds(1, 0, "benchmark", len(pairings)))


def _pack(decoder: Any, genomes: Any, places: list[int]) -> PackedPlayers:
    """The networks of the game by hand, for a file that has its cells at other bits.

    Args:
        decoder: That of the game by hand.
        genomes: The networks.
        places: For each bit of the file which cell it is there.
    """
    encoding = decoder.board
    index = np.full(128, -1, dtype=np.int64)
    factor = np.zeros(128, dtype=np.int64)
    for plane in range(2):
        for bit, place in enumerate(places):
            index[64 * plane + bit] = encoding.index[49 * plane + place]
            factor[64 * plane + bit] = encoding.factor[49 * plane + place]
    columns, weights = decoder.mlp.pack(
        decoder.expand(genomes), Encoding(encoding.inputs, index, factor, encoding.active)
    )
    return _join(decoder.mlp, columns, weights)


def _join(mlp: MLP, columns: NDArray[np.int32], weights: NDArray[np.float32]) -> PackedPlayers:
    """The players that packed value networks make in a file."""
    seats = np.zeros((len(weights), RECORD_FIELDS), dtype=np.int64)
    order = np.arange(len(weights))
    seats[:, KIND], seats[:, HEAD], seats[:, TAKES_WINS] = NETWORK, VALUE, 1
    seats[:, COLUMNS_AT], seats[:, WEIGHTS_AT] = order * columns[0].size, order * weights.shape[1]
    numbers = np.zeros(0, dtype=np.float64)
    return PackedPlayers(seats, mlp.shape[None, :], columns.ravel(), weights.ravel(), numbers)


def _compare(batches: list[Batch], alike: int | None = None) -> list[NDArray[np.float64]]:
    """Plies a second of each batch, by turns, in some rounds.

    The first ones play *alike*: the same games; all do if it is None.
    """
    speeds = np.zeros((len(batches), ROUNDS))
    hashes = [run_kernel(batch).games for batch in batches]
    for turn in range(ROUNDS):
        for place, batch in enumerate(batches):
            begun = time.process_time()
            results = run_kernel(batch)
            speeds[place, turn] = results.plies.sum() / (time.process_time() - begun)
    for other in hashes[1:alike]:
        assert np.array_equal(hashes[0], other), "the same players play other games"
    return list(speeds)


def _tell(
    name: str,
    speeds: NDArray[np.float64],
    other: str,
    others: NDArray[np.float64],
    target: float,
) -> Line:
    """A line about a game in one file; its ratio is the median of those of all rounds."""
    ratio = float(np.median(speeds / others))
    return Line(
        f"Connect Four in one file, {name}",
        float(np.median(speeds)) / 1e6,
        "million plies/s",
        other,
        ratio,
        f"{target}x",
        ratio >= target,
    )
