"""Pruning of tuple networks: fewer weights, of few digits, that choose the same moves.

The loop, from the weights that a network's games read down to as many as are wanted:

1. Games: the smaller network plays the whole one, which makes random moves now and then. What the
   smaller one chooses from is noted, with the values that the whole network gives it.
2. Pruning: those weights are dropped that say least: by size, and by how often they are read.
3. Fitting: the others are moved until values are as before and the same moves are the best, while
   values are computed by weights that are rounded; go to 1.

Sources: Han, Pool, Tran and Dally, "Learning both weights and connections for efficient neural
networks", NeurIPS 2015, for pruning and fitting in turns; Ross, Gordon and Bagnell, "A reduction of
imitation learning and structured prediction to no-regret online learning", AISTATS 2011, for the
smaller network's own games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import Floats
from evolve_arena.evolve.learning.lessons import RETURNS, make_lesson
from evolve_arena.evolve.learning.tuple_learning import fit_decisions, sum_rows
from evolve_arena.evolve.learning.tuple_lessons import LESSONS, make_workspace
from evolve_arena.genomes.tuple_entries import READINGS
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.tuples import TuplePlayer

GAMES, PARTS = 2000, 5
"""Games of a round for each of :data:`EXPLORATION`, if there is room for their decisions, and the
parts in which they are played."""
EXPLORATION, NOISE = (0.05, 0.1, 0.2, 0.4), 0.1
"""Shares of random moves of the whole network; and how much better by its values, within -1 and 1,
a move may be than the one that it plays otherwise."""
ROOM = 2**27
"""Maximum number of readings of all decisions, which take 4 bytes each."""
ROUNDS, EPOCHS = 4, 3
"""Rounds of games, pruning and fitting; and how often a round passes over all decisions."""
LAST_ROUNDS = 6
"""Further rounds of fitting, each with half the step of the one before; every other has games."""
STEP, PUSH = 0.3, 3.0
"""Learning rate of a value, and by how much more the right move and a wrong one move apart."""
REPEATS = 100
"""Maximum number of times that a pass takes up one decision."""
UNREAD = 0.01
"""Number that is added to how often a weight was read, so that more are kept if there is room."""
FIRST_UNIT = 2.0**-16
"""The unit of weights as players read them, to which all are rounded anyway."""


class Decisions(NamedTuple):
    """Positions, and the moves that a network chose from there, in any order."""

    entries: NDArray[np.int32]
    """Indices of the weights that each move's afterstate reads, shape ``(rows, readings)``."""
    starts: NDArray[np.int64]
    """First row of each decision, then the number of rows, shape ``(decisions + 1,)``."""
    counts: NDArray[np.int64]
    """Number of times that each decision was met, shape ``(decisions,)``."""


class TuplePruning:
    """A tuple network that becomes smaller.

    Args:
        player: Player with the whole network.
        seed: Seed of the games.
        report: Is told the share that is done, from 0 to 1.
    """

    def __init__(
        self, player: TuplePlayer, seed: int = 0, report: Callable[[float], object] = float
    ) -> None:
        self.player = player
        self.seed = seed
        self.report = report
        self.whole: Floats = player.arrays["tables"]
        self.weights = self.whole.copy()
        self.unit = FIRST_UNIT
        self._structure = player.decoder.table(player.genome.cells[0]).structure
        self._lesson = make_lesson(cast("BoardGame", player.game), (), RETURNS, LESSONS)
        self._rounds = 0
        readings = int(self._structure[READINGS])
        self._decisions = Decisions(
            np.zeros((0, readings), np.int32), np.zeros(1, np.int64), np.zeros(0, np.int64)
        )
        self._kept = self.whole != 0.0

    @property
    def size(self) -> int:
        """Number of weights that are kept."""
        return int(self._kept.sum())

    def shrink(self, measure: Callable[[TuplePlayer], int], limit: int) -> TuplePlayer | None:
        """Return the player with so many weights that its measure is at most *limit*.

        Args:
            measure: Returns the length of a player's file, which grows with its weights.
            limit: Maximum length.

        Returns:
            None if there is room for no weights.
        """
        least = measure(self._make(np.zeros_like(self.weights)))
        rounds, steps = ROUNDS, ROUNDS + LAST_ROUNDS
        while least < limit:
            for left in range(rounds, 0, -1):
                self.report(1.0 - (left + LAST_ROUNDS) / steps)
                if left == ROUNDS:
                    self._play()
                aim = self._find_size(measure, limit, least)
                if not aim:
                    return None
                # Each round drops the same share of the weights that games read.
                before = min(self.size, max(aim, self._count_read()))
                self._drop(max(1, int(before ** (1.0 - 1.0 / left) * aim ** (1.0 / left))))
                if left < ROUNDS:
                    self._play()
                self._fit(STEP)
            for number in range(LAST_ROUNDS):
                self.report((ROUNDS + number) / steps)
                if number % 2:
                    self._play()
                self._fit(STEP / 2**number)
            player = self._make(self.weights)
            if measure(player) <= limit:
                self.report(1.0)
                return player
            rounds = 1
        return None

    def _find_size(self, measure: Callable[[TuplePlayer], int], limit: int, least: int) -> int:
        """Return how many weights have room; after fitting they take a little less."""
        keep = self.size
        for _ in range(4):
            weights = self._choose(keep)
            self.unit = _find_unit(weights)
            length = measure(self._make(weights))
            keep = min(self.size, keep * (limit - least) // max(1, length - least))
        return keep

    def _drop(self, keep: int) -> None:
        """Drop all but the most important weights."""
        self.weights = self._choose(keep)
        self.unit = _find_unit(self.weights)
        self._kept = self.weights != 0.0

    def _count_read(self) -> int:
        """Return how many of the weights that are kept the listed games read."""
        read = np.zeros(len(self.whole), np.bool_)
        read[self._decisions.entries.ravel()] = True
        return int((read & self._kept).sum())

    def _choose(self, keep: int) -> Floats:
        """Return the weights with all but the most important ones set to 0."""
        found, reads = self._decisions, np.zeros(len(self.whole))
        times = np.repeat(found.counts, np.diff(found.starts))
        for column in found.entries.T:
            reads += np.bincount(column, times, len(self.whole))
        important = abs(self.weights) * np.sqrt(reads + UNREAD) * self._kept
        places = np.argsort(-important, kind="stable")[:keep]
        chosen = np.zeros_like(self.weights)
        chosen[places] = self.weights[places]
        return chosen

    def _make(self, weights: Floats) -> TuplePlayer:
        """Return the player with other weights, rounded."""
        return self.player.with_tables(self._round(weights))

    def _round(self, weights: Floats) -> Floats:
        unit = np.float32(self.unit)
        rounded: Floats = np.rint(weights / unit) * unit
        return rounded

    def _play(self) -> None:
        """Add decisions of games of the rounded network, as many as a round has room for."""
        self._rounds += 1
        lesson, readings = self._lesson, int(self._structure[READINGS])
        workspace = make_workspace(lesson, self._structure)
        tables = np.concatenate([self._round(self.weights), self.whole])
        rows = ROOM // (ROUNDS + LAST_ROUNDS // 2) // PARTS // readings
        entries, numbers = np.zeros((rows, readings), np.int32), np.zeros(rows, np.int64)
        most = len(self._decisions.entries) + (PARTS - 1) * rows
        most = min(most, ROOM // readings - rows)
        streams = derive_seeds(self.seed, self._rounds, "pruning", len(EXPLORATION))
        for _ in range(PARTS):
            for place, share in enumerate(EXPLORATION):
                if len(self._decisions.entries) > most:
                    return
                games = GAMES // PARTS
                count = lesson.lessons.list_decisions(
                    *(games, share, NOISE, self._structure, tables, streams[place : place + 1]),
                    *(workspace, entries.ravel(), numbers),
                )
                lesson.refuse_faults(workspace.states, workspace.planes)
                self._decisions = _join(self._decisions, entries[:count], numbers[:count])

    def _fit(self, step: float) -> None:
        """Fit the weights that are kept to the values of the whole network."""
        self._rounds += 1
        found, rng = self._decisions, derive_generator(self.seed, self._rounds, "order")
        rounded, targets = self._round(self.weights), np.zeros(len(found.entries), np.float32)
        sum_rows(found.entries, self.whole, targets)
        # Only weights that are kept are read.
        kept = self._kept[found.entries]
        entries, ends = found.entries[kept], np.cumsum([0, *kept.sum(axis=1)])
        # Frequent decisions are taken up more often, within limits.
        times = np.minimum(found.counts, REPEATS)
        urgency = np.ones(len(times), np.float32)
        totals = np.zeros(np.diff(found.starts).max(initial=0), np.float32)
        for _ in range(EPOCHS):
            order = rng.permutation(np.repeat(np.arange(len(times)), times))
            fit_decisions(
                *(entries, ends, found.starts, order, targets, urgency),
                *(self.weights, rounded, totals),
                *(self.unit, step / found.entries.shape[1], PUSH),
            )


def _find_unit(weights: Floats) -> float:
    """Return a power of two whose multiples weights can be, up to two thirds of their mean size."""
    sizes = abs(weights[weights != 0.0])
    mean = float(sizes.mean()) if len(sizes) else 1.0
    return max(FIRST_UNIT, float(2.0 ** np.floor(np.log2(mean / 1.5))))


def _join(known: Decisions, entries: NDArray[np.int32], numbers: NDArray[np.int64]) -> Decisions:
    """Return the decisions with others added; those that read the same weights become one.

    Args:
        known: Decisions so far.
        entries: Indices of weights that the other decisions' afterstates read, a row each.
        numbers: The number of each row's decision, from 0, shape ``(rows,)``.
    """
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    entries = np.concatenate([known.entries, entries])
    starts = np.concatenate([known.starts[:-1], starts + known.starts[-1], [len(entries)]])
    counts = np.concatenate([known.counts, np.ones(len(starts) - 1 - len(known.counts), int)])

    # Decisions are told apart by a random sum of what their first move reads.
    factors = derive_generator(0, 0, "keys").integers(1, 2**63, entries.shape[1])
    keys = entries[starts[:-1]] @ factors
    _, first, same = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) == len(keys):
        return Decisions(entries, starts, counts)
    sizes = np.diff(starts)[first]
    ends = np.cumsum(sizes)
    rows = np.repeat(starts[first] - ends + sizes, sizes) + np.arange(sizes.sum())
    counts = np.bincount(same, counts).astype(np.int64)
    return Decisions(entries[rows], np.concatenate([[0], ends]), counts)
