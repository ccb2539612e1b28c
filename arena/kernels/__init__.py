"""The compiled match loops, one file per game, and the way into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Batch, Results, make_batch, new_results
from evolve_arena.arena.seating import (
    SEATS,
    SeatedBatch,
    SeatedResults,
    make_seated_batch,
    new_seated_results,
)
from evolve_arena.core import compiled
from evolve_arena.core.registry import make_game
from evolve_arena.games.checkers.board import CheckersRules
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.kernel import draw_openings as draw_checkers
from evolve_arena.games.checkers.kernel import play_matches as play_checkers
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.kernel import draw_openings as draw_connect_four
from evolve_arena.games.connect_four.kernel import play_matches as play_connect_four
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.kernel import new_table
from evolve_arena.games.ticket_to_ride.kernel import play_matches as play_ticket_to_ride
from evolve_arena.games.ticket_to_ride.layout import TicketRules
from evolve_arena.players.decider import DECIDERS
from evolve_arena.players.lineup import RANDOM, Lineup, simple_lineup

__all__ = [
    "KERNELS",
    "SEATED_KERNELS",
    "MatchKernel",
    "SeatedKernel",
    "is_compiled",
    "play_part",
    "run_kernel",
    "run_seated_kernel",
    "seat_part",
    "warm_up",
]


@dataclass(frozen=True)
class MatchKernel:
    """What compiled matches of one game for two need."""

    rules: type[Any]
    """The named tuple of the game's options."""
    play: Callable[..., None]
    """Plays all pairings; see :func:`evolve_arena.games.connect_four.kernel.play_matches`."""
    draw_openings: Callable[..., None]
    """Fills rows with random moves; see
    :func:`evolve_arena.games.connect_four.kernel.draw_openings`."""
    moves: type[Any]
    """The type of a move's number in an opening."""
    longest_opening: Callable[[Any], int]
    """How many plies an opening may have, by the rules."""


@dataclass(frozen=True)
class SeatedKernel:
    """What compiled matches of one game for two or more, with scores, need."""

    rules: type[Any]
    """The named tuple of the game's options."""
    play: Callable[..., None]
    """Plays all seatings; see :func:`evolve_arena.games.ticket_to_ride.kernel.play_matches`."""
    make_table: Callable[[], Any]
    """Room for the state of a match."""


LONGEST_CHECKERS_OPENING = 20

KERNELS: dict[str, MatchKernel] = {
    Checkers.name: MatchKernel(
        rules=CheckersRules,
        play=play_checkers,
        draw_openings=draw_checkers,
        moves=np.int64,
        longest_opening=lambda rules: LONGEST_CHECKERS_OPENING,
    ),
    ConnectFour.name: MatchKernel(
        rules=Rules,
        play=play_connect_four,
        draw_openings=draw_connect_four,
        moves=np.int8,
        longest_opening=lambda rules: rules.columns * rules.rows // 2,
    ),
}
"""By the game's name, games for two."""

SEATED_KERNELS: dict[str, SeatedKernel] = {
    TicketToRide.name: SeatedKernel(
        rules=TicketRules,
        play=play_ticket_to_ride,
        make_table=new_table,
    ),
}
"""By the game's name, those for two or more."""


def run_kernel(batch: Batch, results: Results | None = None, part: slice | None = None) -> Results:
    """Plays a *batch*, or the *part* of it, in compiled code.

    Args:
        batch: The matches.
        results: Where the results go; new arrays if None.
        part: Which matches; all if None.

    Returns:
        *results*, complete for the part that was played.
    """
    kernel = KERNELS[batch.game]
    results = results or new_results(len(batch))
    part = part or slice(0, len(batch))
    kernel.play(
        batch.rules,
        batch.lineup,
        batch.pairings[part],
        batch.seeds[part],
        batch.openings[part].astype(kernel.moves, copy=False),
        DECIDERS[batch.game].make_scratch(batch.lineup),
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
    """The same as a kernel of `evolve_arena.arena.work`; see `Batch.work`."""
    players = len(Lineup._fields)
    rules = KERNELS[options["game"]].rules(*options["rules"])
    batch = Batch(options["game"], rules, Lineup(*inputs[:players]), *inputs[players:])
    run_kernel(batch, Results(*outputs), part)


def run_seated_kernel(
    batch: SeatedBatch, results: SeatedResults | None = None, part: slice | None = None
) -> SeatedResults:
    """The same for seats; arguments as in :func:`run_kernel`."""
    kernel = SEATED_KERNELS[batch.game]
    results = results or new_seated_results(len(batch))
    part = part or slice(0, len(batch))
    kernel.play(
        batch.rules,
        batch.lineup,
        batch.seatings[part],
        batch.seeds[part],
        DECIDERS[batch.game].make_scratch(batch.lineup),
        kernel.make_table(),
        results.points[part],
        results.places[part],
        results.done[part],
        results.failed[part],
        results.rounds[part],
        results.offenders[part],
        results.games[part],
    )
    return results


def seat_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """The same as a kernel of `evolve_arena.arena.work`; see `SeatedBatch.work`."""
    players = len(Lineup._fields)
    rules = SEATED_KERNELS[options["game"]].rules(*options["rules"])
    batch = SeatedBatch(options["game"], rules, Lineup(*inputs[:players]), *inputs[players:])
    run_seated_kernel(batch, SeatedResults(*outputs), part)


def is_compiled(game: str = ConnectFour.name) -> bool:
    """Whether the machine code of a game's match kernel lies in the cache."""
    return any(compiled.cache_folder().rglob(f"{game.replace('-', '_')}.play_matches*.nbi"))


def warm_up(game: str = ConnectFour.name) -> None:
    """Compiles a game's kernels, or reads them from the cache, so that nobody waits later."""
    rules = make_game(game)
    seeds = np.zeros(0, dtype=np.uint64)
    lineup = simple_lineup(RANDOM)
    if game in SEATED_KERNELS:
        nobody = np.zeros((0, SEATS), dtype=np.int32)
        run_seated_kernel(make_seated_batch(rules, lineup, nobody, seeds))
        return
    kernel = KERNELS[game]
    run_kernel(make_batch(rules, lineup, np.zeros((0, 2), dtype=np.int32), seeds))
    kernel.draw_openings(rules.rules, seeds, np.zeros((0, 1), dtype=kernel.moves))
