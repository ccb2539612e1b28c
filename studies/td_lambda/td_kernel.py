"""Temporal-difference learning by self-play of Connect Four, compiled: games, targets, training.

A game gives two episodes, one for each player: the positions that this player moved to, as that
player sees them. Nothing is learned before the game is over. Then every position gets a target
by TD(λ), from the values that the network had while it played, and the network is trained
towards the targets, one position after the other. After Löfroth and Dalenius (2011), chapters
2.3 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.evolve.learning.backprop import (
    Pupil,
    add_input,
    apply_tanh,
    learn,
    new_pupil,
    read_genes,
    start_sums,
    write_genes,
)
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    all_cells,
    cell_of,
    column_height,
    drop,
    has_line,
    make_rules,
    mark_if_full,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.studies.td_lambda.td_moves import (
    BEST,
    MOST_CELLS,
    PLAYED,
    LearningSettings,
    Workspace,
    choose_move,
    make_workspace,
)

ERROR, PLIES, FIRST_WINS, DRAWS = 0, 1, 2, 3
"""Sums over games: of |target - value| over all positions, of plies, of games that who began
won, of draws."""
FIGURES = 4


def teach_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """Lets some learners play and learn: a kernel of `evolve_arena.arena.work`.

    Args:
        options: ``rules``, ``units`` (hidden ones), ``inputs``, and the fields of the
            :class:`LearningSettings` as ``learning``.
        inputs: Genes, shape ``(learners, genes)``; a seed for each learner (``uint64``); the
            input that each feature of the board raises and by how much (``float32``).
        outputs: Genes afterwards, and sums over the games (``float64``), shape
            ``(learners, FIGURES)``.
        part: Which learners.
    """
    population, seeds, index, factor = inputs
    pupil = new_pupil(options["inputs"], options["units"])
    learning = LearningSettings(**options["learning"])
    outputs[0][part] = population[part]
    outputs[1][part] = 0.0
    streams = seeds[part].copy()  # they go on as numbers are drawn
    arrays = streams, outputs[0][part], outputs[1][part]
    _teach(
        make_rules(*options["rules"]),
        pupil,
        learning,
        index,
        factor,
        make_workspace(pupil),
        *arrays,
    )


@compiled
def epsilon_at(learning: LearningSettings, game: int) -> Any:
    """The probability of a random move in the game with that number, the first being 0."""
    done = min(1.0, game / learning.epsilon_games)
    return learning.epsilon_start + (learning.epsilon_end - learning.epsilon_start) * done


@compiled
def compute_targets(
    values: Any,
    rivals: Any,
    targets: Any,
    last: int,
    over: bool,
    reward: Any,
    learning: LearningSettings,
) -> None:
    """Fills in the *targets* of one episode: places *last*, *last* - 2 and so on.

    The target of a position is its value plus ``step`` times what TD(λ) adds to it in one pass
    over the episode: the sum of all later surprises r + γ V(next) - V(this), each times (γλ) to
    the number of positions between (Löfroth and Dalenius 2011, equation 2.12). All are taken
    from *values*, so the sum is made from the end. Unless random moves count like others, a
    position before one learns from the best move there, or nothing; and nothing from later.

    Args:
        values: The value of each position, for who moved to it.
        rivals: What the best move was worth where another was made at random; elsewhere no
            number.
        targets: Where the targets go.
        last: The place of the episode's last position.
        over: Whether the game was over there; if not, the opponent ended it.
        reward: What came in the end: 1, 0 or -1.
        learning: Has step, discount, λ, what random moves teach, and whether ends are exact.
    """
    carried = learning.discount * learning.trace
    surprise = reward - values[last]
    targets[last] = values[last] + learning.step * surprise
    total = surprise
    following = values[last]
    for place in range(last - 2, -1, -2):
        surprise = learning.discount * following - values[place]
        if learning.exact_end and over and place == last - 2:
            surprise = reward - values[place]
            total = 0.0
        rival = rivals[place + 2]
        if learning.random_lesson != PLAYED and rival == rival:  # noqa: PLR0124 - else it is no number
            surprise = (
                learning.discount * rival - values[place] if learning.random_lesson == BEST else 0.0
            )
            total = 0.0
        total = surprise + carried * total
        targets[place] = values[place] + learning.step * total
        following = values[place]


@compiled
def _teach(
    rules: Rules,
    pupil: Pupil,
    learning: LearningSettings,
    index: Any,
    factor: Any,
    workspace: Workspace,
    streams: Any,
    population: Any,
    figures: Any,
) -> None:
    for learner in range(population.shape[0]):
        read_genes(pupil, population[learner])
        stream = streams[learner : learner + 1]
        for game in range(learning.games):
            epsilon = epsilon_at(learning, learning.played + game)
            plies, outcome = _play(
                rules, pupil, learning, index, factor, workspace, stream, epsilon
            )
            figures[learner, ERROR] += _learn_from(pupil, learning, workspace, plies, outcome)
            figures[learner, PLIES] += plies
            figures[learner, FIRST_WINS] += outcome > 0
            figures[learner, DRAWS] += outcome == 0
        write_genes(pupil, population[learner])


@inlined
def _play(
    rules: Rules,
    pupil: Pupil,
    learning: LearningSettings,
    index: Any,
    factor: Any,
    workspace: Workspace,
    stream: Any,
    epsilon: Any,
) -> Any:
    """A game of the network against itself.

    Returns:
        How many plies it took, and 1, 0 or -1 if who began won, nobody, or the other.
    """
    own = other = full = np.uint64(0)
    bits = rules.columns * column_height(rules)
    start_sums(pupil, workspace.sums, 0)
    start_sums(pupil, workspace.sums, pupil.width)
    for ply in range(all_cells(rules)):
        side = ply & 1
        poke(workspace.rivals, ply, np.nan)
        column = choose_move(
            rules, pupil, learning, index, factor, workspace, stream, epsilon, ply, own, other, full
        )
        bit = drop(own | other, column, rules)
        cell = cell_of(bit)
        poke(
            workspace.estimates, ply, np.float64(apply_tanh(pupil, peek(workspace.outputs, column)))
        )
        for viewer in range(2):
            feature = cell if viewer == side else bits + cell
            source, value = peek(index, feature), peek(factor, feature)
            poke(workspace.sources, viewer * MOST_CELLS + ply, source)
            poke(workspace.values, viewer * MOST_CELLS + ply, value)
            add_input(pupil, workspace.sums, viewer * pupil.width, source, value)
        full = mark_if_full(full, bit, column, rules)
        own |= bit
        if has_line(own, rules):
            return ply + 1, 1 - 2 * side
        own, other = other, own
    return all_cells(rules), 0


@inlined
def _learn_from(
    pupil: Pupil, learning: LearningSettings, workspace: Workspace, plies: int, outcome: int
) -> Any:
    """Trains the network on the game just played; gives the sum of |target - value|."""
    for side in range(min(2, plies)):
        last = plies - 1 if (plies - 1) & 1 == side else plies - 2
        reward = np.float64(outcome if side == 0 else -outcome)
        compute_targets(
            workspace.estimates,
            workspace.rivals,
            workspace.targets,
            last,
            last == plies - 1,
            reward,
            learning,
        )
    begun_with = (plies + 1) // 2
    error = 0.0
    for number in range(plies):
        ply = number
        if not learning.mixed:
            side = 0 if number < begun_with else 1
            place = number - side * begun_with
            if learning.backward:
                place = (begun_with if side == 0 else plies - begun_with) - 1 - place
            ply = 2 * place + side
        elif learning.backward:
            ply = plies - 1 - number
        target = peek(workspace.targets, ply)
        error += abs(target - peek(workspace.estimates, ply))
        learn(
            pupil,
            workspace.sources,
            workspace.values,
            (ply & 1) * MOST_CELLS,
            ply + 1,
            np.float32(target),
            np.float32(learning.hidden_rate),
            np.float32(learning.output_rate),
            np.float32(1.0 if learning.biases else 0.0),
        )
    return error
