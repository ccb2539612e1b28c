"""How a learner of values chooses its moves of Connect Four, compiled; and its settings.

It values the positions that its moves lead to. Whether it plays the best, and what instead, is
drawn from the stream of its games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import below, chance
from evolve_arena.evolve.learning.backprop import Pupil, apply_tanh, output_with
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    column_of,
    drop,
    landing_cells,
    winning_cells,
)
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import ACTIVATIONS, activate
from evolve_arena.genomes.simd import peek, poke

EPSILON, GREEDY, SOFTMAX = 0, 1, 2
EXPLORATIONS = {"epsilon": EPSILON, "greedy": GREEDY, "softmax": SOFTMAX}
"""The code of each way to choose moves while learning."""

PLAYED, BEST, NOTHING = 0, 1, 2
RANDOM_LESSONS = {"played": PLAYED, "best": BEST, "nothing": NOTHING}
"""The code of each thing that a random move may teach about the position before."""

SIGMOID = ACTIVATIONS["sigmoid"]
ONE = np.uint64(1)
MOST_CELLS = 64


class LearningSettings(NamedTuple):
    """How a learner plays and learns: the settings of the method as numbers."""

    games: int
    played: int
    """How many games it has played before."""
    exploration: int
    """One of :data:`EXPLORATIONS`."""
    any_move: bool
    """Whether a random move may be the best one as well."""
    random_lesson: int
    """One of :data:`RANDOM_LESSONS`."""
    epsilon_start: float
    epsilon_end: float
    epsilon_games: float
    """After how many games the probability of a random move has come down to its end."""
    temperature: float
    take_wins: bool
    """Whether a move that wins at once counts as the best, whatever the values."""
    step: float
    discount: float
    trace: float
    """λ."""
    exact_end: bool
    """Whether the end of a game counts as its reward for the position before, not as what the
    network thinks of it."""
    backward: bool
    """Whether positions are trained from the last to the first."""
    mixed: bool
    """Whether the positions of both players are trained in the order of the game, and not the
    one player's after the other's."""
    hidden_rate: float
    output_rate: float
    biases: bool


class Workspace(NamedTuple):
    """Room for one game, used again and again."""

    sums: NDArray[np.float32]
    """The sums of the hidden units, as who began sees the board, then as the other does."""
    outputs: NDArray[np.float32]
    """What the network thinks of each column."""
    chances: NDArray[np.float64]
    """How likely each column is."""
    sources: NDArray[np.int64]
    """The inputs that the discs raise, in the order in which they fell, for the one player;
    from :data:`MOST_CELLS` on for the other."""
    values: NDArray[np.float32]
    """By how much."""
    estimates: NDArray[np.float64]
    """The value of the position after each ply, for who moved."""
    rivals: NDArray[np.float64]
    """Where a move at random was not the best: what the best was worth; elsewhere no number."""
    targets: NDArray[np.float64]


def make_workspace(pupil: Pupil) -> Workspace:
    """Room for games of *pupil*."""
    return Workspace(
        np.zeros(2 * pupil.width, dtype=np.float32),
        np.zeros(MOST_CELLS, dtype=np.float32),
        np.zeros(MOST_CELLS, dtype=np.float64),
        np.zeros(2 * MOST_CELLS, dtype=np.int64),
        np.zeros(2 * MOST_CELLS, dtype=np.float32),
        np.zeros(MOST_CELLS, dtype=np.float64),
        np.zeros(MOST_CELLS, dtype=np.float64),
        np.zeros(MOST_CELLS, dtype=np.float64),
    )


@inlined
def choose_move(
    rules: Rules,
    pupil: Pupil,
    learning: LearningSettings,
    index: Any,
    factor: Any,
    workspace: Workspace,
    stream: Any,
    epsilon: Any,
    ply: int,
    own: Any,
    other: Any,
    full: Any,
) -> Any:
    """The column of the next move; its output at least is then known."""
    side = ply & 1
    at_random = learning.exploration == EPSILON and chance(stream) < epsilon
    only = -1
    if at_random and learning.any_move and learning.random_lesson == PLAYED:
        only = _draw_open(rules, stream, full, -1)
    for column in range(rules.columns):
        if (only < 0 or column == only) and not (full >> np.uint64(column)) & ONE:
            cell = cell_of(drop(own | other, column, rules))
            source, value = peek(index, cell), peek(factor, cell)
            output = output_with(pupil, workspace.sums, side * pupil.width, source, value)
            poke(workspace.outputs, column, output)
    if only >= 0:
        return only
    if learning.take_wins:
        wins = winning_cells(own, rules) & landing_cells(own | other, rules)
        if wins and not at_random:
            return column_of(wins, rules)
    if learning.exploration == SOFTMAX:
        return _draw_by_value(rules, pupil, learning, workspace, stream, full)
    best = _draw_best(rules, workspace, stream, full)
    if not at_random:
        return best
    column = _draw_open(rules, stream, full, -1 if learning.any_move else best)
    if column != best:
        poke(workspace.rivals, ply, np.float64(apply_tanh(pupil, peek(workspace.outputs, best))))
    return column


@inlined
def _draw_open(rules: Rules, stream: Any, full: Any, without: int) -> Any:
    """A column that is not full, each as likely; not *without*, unless no other is left."""
    count = 0
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE and column != without:
            count += 1
    if count == 0:
        return without
    left = below(stream, count)
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE and column != without:
            if left == 0:
                return column
            left -= 1
    return without


@inlined
def _draw_best(rules: Rules, workspace: Workspace, stream: Any, full: Any) -> Any:
    """The column with the highest output; of several one, each as likely."""
    best, ties = -1, 0
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            if best < 0 or peek(workspace.outputs, column) > peek(workspace.outputs, best):
                best, ties = column, 1
            elif peek(workspace.outputs, column) == peek(workspace.outputs, best):
                ties += 1
    left = below(stream, ties) if ties > 1 else 0
    column = best
    while left > 0:
        column += 1
        closed = (full >> np.uint64(column)) & ONE
        if not closed and peek(workspace.outputs, column) == peek(workspace.outputs, best):
            left -= 1
    return column


@inlined
def _draw_by_value(
    rules: Rules,
    pupil: Pupil,
    learning: LearningSettings,
    workspace: Workspace,
    stream: Any,
    full: Any,
) -> Any:
    """A column with probability proportional to exp(value / temperature)."""
    highest = -1.0
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            value = np.float64(apply_tanh(pupil, peek(workspace.outputs, column)))
            poke(workspace.chances, column, value)
            highest = max(highest, value)
    total = 0.0
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            below_highest = (peek(workspace.chances, column) - highest) / learning.temperature
            weight = _exponential(pupil, below_highest)
            poke(workspace.chances, column, weight)
            total += weight
    left = chance(stream) * total
    chosen = -1
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            chosen = column
            left -= peek(workspace.chances, column)
            if left < 0.0:
                break
    return chosen


@inlined
def _exponential(pupil: Pupil, number: Any) -> Any:
    """Euler's number to a *number* that is at most 0, the same on every machine."""
    simd.store(pupil.hidden, pupil.width, activate(simd.spread(np.float32(number)), SIGMOID))
    share = np.float64(peek(pupil.hidden, pupil.width))
    return share / (1.0 - share)
