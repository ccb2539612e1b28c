"""Where a population plays: a design that turns genomes into players, and an executor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Openings, Results, Seatings, make_batch
from evolve_arena.arena.executors import Executor
from evolve_arena.players.bred import Design
from evolve_arena.players.lineup import Lineup, combine_lineups, with_noise


class Arena:
    """Plays matches among genomes, and between genomes and others.

    Args:
        design: Turns a genome into a player.
        executor: Plays the matches.
    """

    def __init__(self, design: Design, executor: Executor) -> None:
        self.design = design
        self.executor = executor
        self.games = 0
        """How many matches were played so far."""

    def play(
        self,
        genomes: Any,
        seatings: Seatings,
        seeds: NDArray[np.uint64],
        openings: Openings | None = None,
        others: Sequence[Lineup] = (),
        noise: float = 0.0,
    ) -> Results:
        """Plays matches in which row k is the k-th genome, or after them one of *others*.

        Args:
            genomes: A population, as the design packs it.
            seatings: Who sits where, shape ``(matches, slots)``.
            seeds: Shape ``(matches,)``.
            openings: How the matches begin, shape ``(matches, plies)``.
            others: Players beside the genomes.
            noise: How often everybody plays a random move instead of the chosen one.
        """
        lineup = combine_lineups([self.design.pack(genomes), *others])
        lineup = with_noise(lineup, noise) if noise else lineup
        batch = make_batch(self.design.game, lineup, seatings, seeds, openings)
        self.games += len(batch)
        return self.executor.play(batch)
