"""Temporal-difference learning by self-play, compiled: games, targets, training.

A game gives two episodes, one for each player: the positions that this player moved to, as that
player sees them. Nothing is learned before the game is over. Then every position gets a target
by TD(λ), from the values that the network had while it played, and the network is trained
towards the targets, one position after the other. After Löfroth and Dalenius (2011), chapters
2.3 and 3. It is for games of two in which each move adds a disc, and is copied for one; see
`evolve_arena.players.board.kernel.specialise_board`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.evolve.learning.backprop import (
    Pupil,
    add_input,
    apply_tanh,
    learn,
    read_genes,
    start_sums,
    write_genes,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import GOES_ON, LONGEST, advance, begin, judge
from evolve_arena.studies.td_lambda.td_moves import (
    BEST,
    PLAYED,
    LearningSettings,
    Workspace,
    choose_move,
    find_input,
)

ERROR, PLIES, FIRST_WINS, DRAWS = 0, 1, 2, 3
"""Sums over games: of |target - value| over all positions, of plies, of games that who began
won, of draws."""
FIGURES = 4


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
def teach(
    pupil: Pupil,
    learning: LearningSettings,
    workspace: Workspace,
    stream: Any,
    genes: Any,
    figures: Any,
) -> None:
    """Plays games and changes *genes* after each of them.

    Args:
        pupil: Room for the network.
        learning: How to play and learn.
        workspace: Memory that is used again and again.
        stream: Chance.
        genes: Those of the network, ``float32``, changed in place.
        figures: :data:`FIGURES`, to which the games' are added.
    """
    read_genes(pupil, genes)
    for game in range(learning.games):
        epsilon = epsilon_at(learning, learning.played + game)
        plies, outcome = _play(pupil, learning, workspace, stream, epsilon)
        figures[ERROR] += _learn_from(pupil, learning, workspace, plies, outcome)
        figures[PLIES] += plies
        figures[FIRST_WINS] += outcome > 0
        figures[DRAWS] += outcome == 0
    write_genes(pupil, genes)


@inlined
def _play(
    pupil: Pupil, learning: LearningSettings, workspace: Workspace, stream: Any, epsilon: Any
) -> Any:
    """A game of the network against itself.

    Returns:
        How many plies it took, and 1, 0 or -1 if who began won, nobody, or the other.
    """
    states = workspace.states
    start_sums(pupil, workspace.sums, 0)
    start_sums(pupil, workspace.sums, pupil.width)
    state, ply = begin(states), 0
    outcome = judge(states, state)
    while outcome == GOES_ON and ply < LONGEST:
        poke(workspace.rivals, ply, np.nan)
        place = choose_move(pupil, learning, workspace, stream, epsilon, ply, state)
        value = apply_tanh(pupil, peek(workspace.outputs, place))
        poke(workspace.estimates, ply, np.float64(value))
        move = peek(workspace.moves, place)
        for viewer in range(2):
            source, value = find_input(workspace, state, move, viewer)
            poke(workspace.sources, viewer * LONGEST + ply, source)
            poke(workspace.values, viewer * LONGEST + ply, value)
            add_input(pupil, workspace.sums, viewer * pupil.width, source, value)
        ply += 1
        state = advance(states, state, move, ply)
        outcome = judge(states, state)
    return ply, outcome if outcome != GOES_ON else np.int64(0)


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
            (ply & 1) * LONGEST,
            ply + 1,
            np.float32(target),
            np.float32(learning.hidden_rate),
            np.float32(learning.output_rate),
            np.float32(1.0 if learning.biases else 0.0),
        )
    return error
