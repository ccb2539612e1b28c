"""How a learner of values chooses its moves, compiled; and its settings.

It values the positions that its moves lead to. Whether it plays the best, and what instead, is
drawn from the stream of its games. It is copied for a game; see
`evolve_arena.players.board.kernel.specialise_board`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import below, chance
from evolve_arena.evolve.learning.backprop import Pupil, apply_tanh, output_with
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import ACTIVATIONS, activate
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import list_changes, list_moves, list_wins

EPSILON, GREEDY, SOFTMAX = 0, 1, 2
EXPLORATIONS = {"epsilon": EPSILON, "greedy": GREEDY, "softmax": SOFTMAX}
"""The code of each way to choose moves while learning."""

PLAYED, BEST, NOTHING = 0, 1, 2
RANDOM_LESSONS = {"played": PLAYED, "best": BEST, "nothing": NOTHING}
"""The code of each thing that a random move may teach about the position before."""

SIGMOID = ACTIVATIONS["sigmoid"]


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

    inputs_of_bits: NDArray[np.int64]
    """The input that each bit which is seen raises."""
    factors: NDArray[np.float32]
    """The value of that input."""
    sums: NDArray[np.float32]
    """The sums of the hidden units, as who began sees the board, then as the other does."""
    outputs: NDArray[np.float32]
    """The network's output for each legal move, in their order."""
    chances: NDArray[np.float64]
    """The probability of each of them."""
    sources: NDArray[np.int64]
    """The inputs that the discs raise, in the order in which they fell, for the one player; in the
    second half for the other."""
    values: NDArray[np.float32]
    """Their values."""
    estimates: NDArray[np.float64]
    """The value of the position after each ply, for who moved."""
    rivals: NDArray[np.float64]
    """Where a move at random was not the best: what the best was worth; elsewhere no number."""
    targets: NDArray[np.float64]
    moves: NDArray[np.int64]
    wins: NDArray[np.int64]
    changes: NDArray[np.int64]
    states: NDArray[np.int64]
    """As in `evolve_arena.evolve.learning.network_learning.NetworkWorkspace`."""


@inlined
def find_input(workspace: Workspace, state: Any, move: Any, seat: int) -> Any:
    """The input that a *move* raises for a *seat*, and its value: a disc is all that it adds."""
    list_changes(workspace.states, state, move, seat, workspace.changes)
    bit = peek(workspace.changes, 0)
    return peek(workspace.inputs_of_bits, bit), peek(workspace.factors, bit)


@inlined
def choose_move(
    pupil: Pupil,
    learning: LearningSettings,
    workspace: Workspace,
    stream: Any,
    epsilon: Any,
    ply: int,
    state: Any,
) -> Any:
    """The place of the next move among the legal ones; its output at least is then known."""
    side, moves = ply & 1, workspace.moves
    at_random = learning.exploration == EPSILON and chance(stream) < epsilon
    count = list_moves(workspace.states, state, moves, 0)
    only = -1
    if at_random and learning.any_move and learning.random_lesson == PLAYED:
        only = below(stream, count)
    for place in range(count):
        if only < 0 or place == only:
            source, value = find_input(workspace, state, peek(moves, place), side)
            output = output_with(pupil, workspace.sums, side * pupil.width, source, value)
            poke(workspace.outputs, place, output)
    if only >= 0:
        return only
    wins = workspace.wins
    if learning.take_wins and not at_random and list_wins(workspace.states, state, wins) > 0:
        place = 0
        while peek(moves, place) != peek(wins, 0):
            place += 1
        return place
    if learning.exploration == SOFTMAX:
        return _draw_by_value(pupil, learning, workspace, stream, count)
    best = _draw_best(workspace, stream, count)
    if not at_random:
        return best
    place = best
    if learning.any_move:
        place = below(stream, count)
    elif count > 1:
        place = below(stream, count - 1)
        place += place >= best
    if place != best:
        poke(workspace.rivals, ply, np.float64(apply_tanh(pupil, peek(workspace.outputs, best))))
    return place


@inlined
def _draw_best(workspace: Workspace, stream: Any, count: int) -> Any:
    """The place of the move with the highest output; of several one, each as likely."""
    best, ties = 0, 1
    for place in range(1, count):
        if peek(workspace.outputs, place) > peek(workspace.outputs, best):
            best, ties = place, 1
        elif peek(workspace.outputs, place) == peek(workspace.outputs, best):
            ties += 1
    left = below(stream, ties) if ties > 1 else 0
    place = best
    while left > 0:
        place += 1
        left -= peek(workspace.outputs, place) == peek(workspace.outputs, best)
    return place


@inlined
def _draw_by_value(
    pupil: Pupil, learning: LearningSettings, workspace: Workspace, stream: Any, count: int
) -> Any:
    """The place of a move, with probability proportional to exp(value / temperature)."""
    highest = -1.0
    for place in range(count):
        value = np.float64(apply_tanh(pupil, peek(workspace.outputs, place)))
        poke(workspace.chances, place, value)
        highest = max(highest, value)
    total = 0.0
    for place in range(count):
        below_highest = (peek(workspace.chances, place) - highest) / learning.temperature
        weight = _exponential(pupil, below_highest)
        poke(workspace.chances, place, weight)
        total += weight
    left = chance(stream) * total
    chosen = 0
    for place in range(count):
        chosen = place
        left -= peek(workspace.chances, place)
        if left < 0.0:
            break
    return chosen


@inlined
def _exponential(pupil: Pupil, number: Any) -> Any:
    """Euler's number to a *number* that is at most 0, the same on every machine."""
    simd.store(pupil.hidden, pupil.width, activate(simd.spread(np.float32(number)), SIGMOID))
    share = np.float64(peek(pupil.hidden, pupil.width))
    return share / (1.0 - share)
