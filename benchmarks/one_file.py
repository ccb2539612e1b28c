"""Speed of one-file games on arrays of cells, against the same games on bitboards."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.line import Line
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import Batch, make_batch
from evolve_arena.arena.pairings import both_colours, round_robin
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.networks import GraphDecoder, NetworkDecoder
from evolve_arena.players.packed import (
    PackedPlayers,
)

GAMES = Path(__file__).with_name("games")
PLAYERS = 60
ROUNDS = 9
SMALL = {"PLAYERS": 4, "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """Yield all lines about games in one file."""
    fast, cells = make_game("connect-four"), make_game(str(GAMES / "connect_four_cells.py"))
    for hidden in (16, 64):
        batches = []
        for game in (fast, cells):
            decoder = _decoder(game, hidden=(hidden,))
            genomes = decoder.initialise(PLAYERS, "uniform", np.random.default_rng(1))
            batches.append(_batch(game, decoder.pack(genomes)))
        speeds = _compare(batches)
        name = f"Connect Four, cells, 84-{hidden}-1 value networks"
        yield _report(name, speeds[1], "bits", speeds[0], 0.33)
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


def _decoder(
    game: BoardGame, kind: str = "mlp", **settings: object
) -> NetworkDecoder | GraphDecoder:
    settings = settings or {"hidden": (32,)}
    return find_game(game.name).networks[kind].decoder_type(**settings)


def _batch(game: BoardGame, packed: PackedPlayers) -> Batch:
    pairings = both_colours(round_robin(PLAYERS))
    return make_batch(game, packed, pairings, derive_seeds(1, 0, "benchmark", len(pairings)))


def _compare(batches: list[Batch], alike: int | None = None) -> list[NDArray[np.float64]]:
    """Return plies a second of each batch in some rounds, the batches by turns.

    The first *alike* of them must play the same games; all must if it is None.
    """
    speeds = np.zeros((len(batches), ROUNDS))
    hashes = [run_kernel(batch).game_hashes for batch in batches]
    for turn in range(ROUNDS):
        for place, batch in enumerate(batches):
            begun = time.process_time()
            results = run_kernel(batch)
            speeds[place, turn] = results.plies.sum() / (time.process_time() - begun)
    for other in hashes[1:alike]:
        assert np.array_equal(hashes[0], other), "the same players play other games"
    return list(speeds)


def _report(
    name: str,
    speeds: NDArray[np.float64],
    other: str,
    others: NDArray[np.float64],
    target: float,
) -> Line:
    """Make the line of a game in one file; its ratio is the median of the ratios of all rounds."""
    ratio = float(np.median(speeds / others))
    return Line(
        name,
        float(np.median(speeds)) / 1e6,
        "million plies/s",
        other,
        ratio,
        f"{target}x",
        ratio >= target,
    )
