"""How fast games in one file are: against a kernel written by hand, and bits against cells."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.line import Line
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import Batch, make_batch
from evolve_arena.arena.pairings import both_colours, round_robin
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.players.board.workspace import HEAD, RECORD_FIELDS, TAKES_WINS, VALUE
from evolve_arena.players.packed import (
    COLUMNS_AT,
    KIND,
    NETWORK,
    WEIGHTS_AT,
    PackedPlayers,
)

GAMES = Path(__file__).with_name("games")
PLAYERS = 60
ROUNDS = 9
SMALL = {"PLAYERS": 4, "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """All lines about games in one file."""
    files = {name: make_game(str(GAMES / f"{name}.py")) for name in ("connect_four_bits",)}
    cells = make_game(str(GAMES / "connect_four_cells.py"))
    for hidden, target in ((16, 0.6), (64, 0.75)):
        decoder = NetworkDecoder(head="value", encoding="two-planes", hidden=(hidden,))
        genomes = decoder.initialise(PLAYERS, "uniform", np.random.default_rng(1))
        by_hand = _batch(ConnectFour(), decoder.pack(genomes))
        bits = files["connect_four_bits"]
        places = [(cell % 7) * 7 + cell // 7 for cell in range(42)]
        batches = [
            by_hand,
            _batch(bits, _pack(decoder, genomes, list(range(49)))),
            _batch(cells, _pack(decoder, genomes, places)),
        ]
        hand, own, naive = _compare(batches)
        name = f"84-{hidden}-1 value networks"
        yield Line(
            f"Connect Four in one file, bits, {name}",
            own / 1e6,
            "million plies/s",
            "by hand",
            own / hand,
            f"{target}x",
            own >= target * hand,
        )
        yield Line(
            f"Connect Four in one file, cells, {name}",
            naive / 1e6,
            "million plies/s",
            "bits",
            naive / own,
            "0.33x",
            3 * naive >= own,
        )
    othello = make_game("othello")
    plain = [make_game(str(GAMES / "othello_cells.py"), passes=passes) for passes in (0, 1)]
    batches = []
    for game in (othello, *plain):
        decoder = _decoder(game)
        genomes = decoder.initialise(PLAYERS, "fan-in", np.random.default_rng(1))
        batches.append(_batch(game, decoder.pack(genomes)))
    bits, *naive = _compare(batches, alike=2)  # the last has two passes more in a game
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


def _decoder(game: Any) -> Any:
    from evolve_arena.core.registry import find_game

    return find_game(game.name).networks["mlp"].decoder_type(hidden=(32,))


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
    seats = np.zeros((len(genomes), RECORD_FIELDS), dtype=np.int64)
    order = np.arange(len(genomes))
    seats[:, KIND], seats[:, HEAD], seats[:, TAKES_WINS] = NETWORK, VALUE, 1
    seats[:, COLUMNS_AT], seats[:, WEIGHTS_AT] = order * columns[0].size, order * weights.shape[1]
    numbers = np.zeros(0, dtype=np.float64)
    return PackedPlayers(
        seats, decoder.mlp.shape[None, :], columns.ravel(), weights.ravel(), numbers
    )


def _compare(batches: list[Batch], alike: int | None = None) -> list[float]:
    """Plies a second of each batch, by turns, the best of some rounds.

    The first ones play *alike*: the same games; all do if it is None.
    """
    best = [0.0] * len(batches)
    hashes = []
    for batch in batches:
        hashes.append(run_kernel(batch).games)
    for _ in range(ROUNDS):
        for place, batch in enumerate(batches):
            begun = time.process_time()
            results = run_kernel(batch)
            spent = time.process_time() - begun
            best[place] = max(best[place], int(results.plies.sum()) / spent)
    for other in hashes[1:alike]:
        assert np.array_equal(hashes[0], other), "the same networks play other games"
    return best
