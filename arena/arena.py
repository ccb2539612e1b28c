"""The arena: matches of a population's genomes among themselves and against others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import EMPTY, Batch, Openings, Pairings, Results, make_batch
from evolve_arena.arena.tasks import new_outputs
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.game import AnyGame, RulesTuple
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Array, Genome, Settings
from evolve_arena.players.evolved import Decoder
from evolve_arena.players.packed import PackedPlayers, combine_players, with_noise
from evolve_arena.players.player import make_random

if TYPE_CHECKING:
    from evolve_arena.arena.executors import Executor


class Arena:
    """Matches among genomes, and between genomes and other players.

    Args:
        decoder: Decoder of genomes into players.
        executor: Executor of the matches.
    """

    def __init__(self, decoder: Decoder, executor: Executor) -> None:
        self.decoder = decoder
        self.executor = executor
        self.games_played = 0
        """Number of matches played so far."""

    def play(
        self,
        genomes: Genome,
        pairings: Pairings,
        seeds: NDArray[np.uint64],
        openings: Openings | None = None,
        others: Sequence[PackedPlayers] = (),
        noise: float = 0.0,
    ) -> Results:
        """Play matches of genomes and *others*, which pairings number after the genomes.

        Args:
            genomes: A population, as the decoder packs it.
            pairings: The number of the player at each seat, shape ``(matches, seats)``.
            seeds: The seed of each match, shape ``(matches,)``.
            openings: The first moves of each match, shape ``(matches, plies)``; none if None.
            others: Players beside the genomes.
            noise: Probability that a player's move is replaced by a random one.
        """
        packed = combine_players([self.decoder.pack(genomes), *others])
        packed = with_noise(packed, noise) if noise else packed
        batch = make_batch(self.decoder.game, packed, pairings, seeds, openings)
        self.games_played += len(batch)
        return self.executor.play(batch)


def run_kernel(batch: Batch, results: Results | None = None, part: slice | None = None) -> Results:
    """Play a *batch*, or the *part* of it, in compiled code.

    Args:
        batch: The matches.
        results: Receives the results; new arrays if None.
        part: The matches to play; all if None.

    Returns:
        *results*, complete for the part that was played.
    """
    spec = find_game(batch.game)
    kernel = spec.kernel
    results = results or Results.of(batch.game, new_outputs(batch.work()))
    for rules, rows in list_tables(batch, part or slice(0, len(batch)), spec.seats_option):
        *_, module = find_variant(spec, rules, batch.packed).values()
        # Slices are views that the kernel fills in; selections are copies, written back below.
        played = [array[rows] for array in results.arrays]
        kernel.play(
            module,
            rules,
            batch.packed,
            batch.pairings[rows],
            batch.seeds[rows],
            batch.openings[rows].astype(np.int64, copy=False),
            kernel.make_workspace(rules, batch.packed),
            *played,
        )
        if not isinstance(rows, slice):
            for array, some in zip(results.arrays, played, strict=True):
                array[rows] = some
    return results


def list_tables(
    batch: Batch, part: slice, option: str | None
) -> list[tuple[RulesTuple, slice | NDArray[np.intp]]]:
    """Group the matches in *part* of a *batch* by number of seats; return each group's rules, too.

    Args:
        batch: The matches.
        part: The matches to group, with a start and a stop.
        option: Name of the option that sets the number of players, for each of which code is
            compiled; None if the game has no such option.
    """
    if option is None or part.start == part.stop:
        return [(batch.rules, part)]
    # Matches of each number of seats are played together.
    taken = np.count_nonzero(batch.pairings[part] != EMPTY, axis=1)
    sizes = np.unique(taken).tolist()
    tables = [(batch.rules._replace(**{option: size}), size) for size in sizes]  # type: ignore[attr-defined]
    if len(tables) == 1:
        return [(tables[0][0], part)]
    return [(rules, part.start + np.flatnonzero(taken == size)) for rules, size in tables]


def play_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Play a part of a batch: the kernel of the task that `Batch.work` returns.

    Args:
        options: The name of the game as ``game``, and as ``rules`` its options, as compiled code
            takes them.
        inputs: The arrays of the packed players, then the pairings, the seeds and the openings of
            the whole batch.
        outputs: Receive the results of the part, in the order of `Results.arrays`.
        part: The matches to play.
    """
    players, game = len(PackedPlayers._fields), options["game"]
    rules = find_game(game).game.make_rules(*options["rules"])
    batch = Batch(game, rules, PackedPlayers(*inputs[:players]), *inputs[players:])
    run_kernel(batch, Results.of(game, outputs), part)


def make_ready(batch: Batch) -> None:
    """Compile the code that plays a *batch*, or load it, so that workers need not."""
    spec = find_game(batch.game)
    for rules, _ in list_tables(batch, slice(0, len(batch)), spec.seats_option):
        *_, module = find_variant(spec, rules, batch.packed).values()
        if id(module) not in _ready:
            run_kernel(replace(batch, rules=rules), part=slice(0, 0))
            _ready.add(id(module))


def warm_up(game: AnyGame, players: Sequence[PackedPlayers] = ()) -> None:
    """Compile a game's kernels for some *players* in advance."""
    spec = find_game(game.name)
    seeds = np.zeros(0, dtype=np.uint64)
    nobody = np.zeros((0, spec.most_seats), dtype=np.int32)
    packed = combine_players([make_random(game).packed, *players])
    make_ready(make_batch(game, packed, nobody, seeds))
    if spec.kernel.draw_openings:
        openings = np.zeros((0, 1), dtype=np.int64)
        spec.kernel.draw_openings(game.rules, seeds, openings)


_ready: set[int] = set()
