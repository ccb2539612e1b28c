"""The compiled match loops, one file per game, and the way into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.batch import Batch, Results, make_batch, new_results
from arena.kernels.connect_four import draw_openings, play_matches
from games.bitboard import Rules
from games.compiled import cache_folder
from games.connect_four import ConnectFour
from players.lineup import RANDOM, Lineup, make_scratch, simple_lineup

__all__ = ["is_compiled", "play_part", "run_kernel", "warm_up"]


def run_kernel(batch: Batch, results: Results | None = None, part: slice | None = None) -> Results:
    """Plays a *batch*, or the *part* of it, in compiled code.

    Args:
        batch: The matches.
        results: Where the results go; new arrays if None.
        part: Which matches; all if None.

    Returns:
        *results*, complete for the part that was played.
    """
    results = results or new_results(len(batch))
    part = part or slice(0, len(batch))
    play_matches(
        batch.rules,
        batch.lineup,
        batch.pairings[part],
        batch.seeds[part],
        batch.openings[part],
        make_scratch(batch.lineup),
        results.outcomes[part],
        results.plies[part],
        results.games[part],
    )
    return results


def play_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """The same as a kernel of `arena.work`; see `Batch.work`."""
    players = len(Lineup._fields)
    batch = Batch(Rules(*options["rules"]), Lineup(*inputs[:players]), *inputs[players:])
    run_kernel(batch, Results(*outputs), part)


def is_compiled() -> bool:
    """Whether the machine code of the match kernel lies in the cache."""
    return any(cache_folder().rglob("connect_four.play_matches*.nbi"))


def warm_up() -> None:
    """Compiles the kernels, or reads them from the cache, so that nobody waits later."""
    game = ConnectFour()
    nobody = np.zeros((0, 2), dtype=np.int32)
    seeds = np.zeros(0, dtype=np.uint64)
    run_kernel(make_batch(game, simple_lineup(RANDOM), nobody, seeds))
    draw_openings(game.rules, seeds, np.zeros((0, 1), dtype=np.int8))
