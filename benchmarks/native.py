"""The match kernel in hand-tuned C, compiled when it is measured: a baseline of compiled Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import Batch, make_batch
from evolve_arena.arena.pairings import both_colours, round_robin
from evolve_arena.core.registry import find_game
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.packed import COLUMNS_AT, WEIGHTS_AT

__all__ = ["measure", "measure_stages", "measure_value"]

Decoder = find_game("connect-four").networks["mlp"].decoder_type
POLICY = Decoder(head="policy", encoding="numbered", hidden=(10,), activation="sigmoid")
VALUE = Decoder(hidden=(16,), activation="sigmoid")
TABLES = (1, 2, 3, 4)
ROUNDS, REPEATS = 15, 3
SMALL = {"TABLES": (1,), "ROUNDS": 1, "REPEATS": 1}
OPTIONS = ["-O3", "-march=native", "-ffp-contract=off", "-Wno-psabi", "-fPIC", "-shared"]


class Played(NamedTuple):
    """Results of matches; see `evolve_arena.arena.batch.Results`."""

    outcomes: NDArray[np.int8]
    plies: NDArray[np.int16]
    games: NDArray[np.uint64]


def measure() -> float | None:
    """Return nanoseconds per ply of 42-10-7 policy networks in C; None without a C compiler.

    The fastest number of simultaneous matches counts. The games are those of the kernel.
    """
    return _measure_best(POLICY, "-DVALUE=0")


def measure_value() -> float | None:
    """Return the nanoseconds per ply of 84-16-1 value networks in C; None without a compiler."""
    return _measure_best(VALUE, "-DVALUE=1")


def measure_stages() -> dict[str, float]:
    """Return nanoseconds per ply in C, whole and with stages left out; empty without a compiler."""
    if _compiler() is None:
        return {}
    batch = _make_batch(POLICY)
    stages = {f"{tables} at a time": [f"-DTABLES={tables}"] for tables in TABLES}
    stages["without activation"] = ["-DWITHOUT_ACTIVATION"]
    stages["without output layer"] = ["-DWITHOUT_OUTPUT"]
    stages["without either"] = ["-DWITHOUT_ACTIVATION", "-DWITHOUT_OUTPUT"]
    return {name: _time(_build("-DVALUE=0", *flags), batch) for name, flags in stages.items()}


def _measure_best(decoder: NetworkDecoder, head: str) -> float | None:
    if _compiler() is None:
        return None
    batch = _make_batch(decoder)
    expected = run_kernel(batch)
    best = float("inf")
    for tables in TABLES:
        library = _build(head, f"-DTABLES={tables}")
        found = _play(library, batch)
        for ours, theirs in (
            (expected.game_hashes, found.games),
            (expected.outcomes, found.outcomes),
            (expected.plies, found.plies),
        ):
            if not np.array_equal(ours, theirs):
                raise RuntimeError("the C kernel plays other games than ours")
        best = min(best, _time(library, batch))
    return best


def _make_batch(decoder: NetworkDecoder) -> Batch:
    """Make the kernel's batch: every pair of 100 networks, in both colours."""
    genomes = decoder.initialise(100, "uniform", np.random.default_rng(1))
    pairings = both_colours(round_robin(len(genomes)))
    pairings = np.tile(pairings, (REPEATS, 1))
    seeds = np.zeros(len(pairings), dtype=np.uint64)
    return make_batch(decoder.game, decoder.pack(genomes), pairings, seeds)


def _time(library: ctypes.CDLL, batch: Batch) -> float:
    """Return nanoseconds per ply, the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        played = _play(library, batch)
        best = min(best, time.perf_counter() - start)
    return best / int(played.plies.sum()) * 1e9


def _play(library: ctypes.CDLL, batch: Batch) -> Played:
    count = len(batch)
    played = Played(
        np.zeros(count, dtype=np.int8),
        np.zeros(count, dtype=np.int16),
        np.zeros(count, dtype=np.uint64),
    )
    packed = batch.packed
    players = np.ascontiguousarray(packed.seats[:, [COLUMNS_AT, WEIGHTS_AT]])
    arrays: list[NDArray[np.generic]] = [
        players,
        packed.columns,
        packed.weights,
        batch.pairings,
        *played,
    ]
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
    library.play_matches(ctypes.c_long(count), *pointers)
    return played


@cache
def _build(*flags: str) -> ctypes.CDLL:
    compiler = _compiler()
    assert compiler is not None
    with tempfile.TemporaryDirectory(prefix="evolve-benchmark-") as folder:
        library = Path(folder) / "matches.so"
        source = Path(__file__).with_name("matches.c")
        command = [compiler, *OPTIONS, *flags, "-o", str(library), str(source)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library))


@cache
def _compiler() -> str | None:
    if sys.platform == "win32":
        return None
    return shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
