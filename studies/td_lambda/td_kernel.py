"""Temporal-difference learning by playing, compiled: games, targets, training.

A game gives two episodes, one for each player: the positions that this player moved to, from that
player's view. Nothing is learned before the game is over. Then every position gets a target by
TD(λ), from the values that the network had while it played, and the network is trained towards the
targets, one position after the other; in a game against an opponent, only those of the learner.
After Löfroth and Dalenius (2011), chapters 2.3 and 3. The module is for two-player games in which
each move adds a disc, and is copied for each game; see
`evolve_arena.players.board.kernel.specialise_board`.

A learner values the positions that its moves lead to. Exploration, the choice of another move than
the best, uses the learner's stream of random numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array, Floats, Number, Position
from evolve_arena.evolve.learning.backprop import (
    Network,
    add_input,
    apply_tanh,
    learn,
    output_with,
    read_genes,
    start_sums,
    write_genes,
)
from evolve_arena.evolve.learning.opponents import (
    HAS_OPPONENTS,
    Opponents,
    ask_opponent,
    seat_opponents,
)
from evolve_arena.evolve.learning.tuple_learning import DRAWS, ERROR, FIRST_WINS, PLIES
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import ACTIVATIONS, activate
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    adjudicate,
    advance,
    begin,
    list_changes,
    list_moves,
    list_wins,
)

EPSILON, GREEDY, SOFTMAX = 0, 1, 2
EXPLORATIONS = {"epsilon": EPSILON, "greedy": GREEDY, "softmax": SOFTMAX}
"""Code of each way to choose moves while learning."""

PLAYED, BEST, NOTHING = 0, 1, 2
RANDOM_LESSONS = {"played": PLAYED, "best": BEST, "nothing": NOTHING}
"""Code of each kind of target for the position before a random move."""

SIGMOID = ACTIVATIONS["sigmoid"]


class TDLambdaSettings(NamedTuple):
    """The settings of the method as numbers."""

    games: int
    played: int
    """Number of games played before."""
    exploration: int
    """One of :data:`EXPLORATIONS`."""
    any_move: bool
    """True if a random move may be the best one as well."""
    random_lesson: int
    """One of :data:`RANDOM_LESSONS`."""
    epsilon_start: float
    epsilon_end: float
    epsilon_games: float
    """Number of games after which the probability of a random move is ``epsilon_end``."""
    temperature: float
    take_wins: bool
    """True if a move that wins at once counts as the best, whatever the values."""
    step: float
    discount: float
    trace: float
    """λ."""
    exact_end: bool
    """True if the end of a game counts as its reward for the position before, not as the network's
    value of it."""
    backward: bool
    """True if positions are trained from the last to the first."""
    mixed: bool
    """True if the positions of both players are trained in the order of the game, not one player's
    after the other's."""
    hidden_rate: float
    output_rate: float
    biases: bool


class TDLambdaWorkspace(NamedTuple):
    """Memory for one game, reused for the next."""

    inputs_of_bits: NDArray[np.int64]
    """Index of the network's input for each bit of the observation, shape ``(bits,)``."""
    factors: NDArray[np.float32]
    """Value that each bit gives to its input, shape ``(bits,)``."""
    sums: NDArray[np.float32]
    """Sums of the hidden units, for the first player's view, then for the other's."""
    outputs: NDArray[np.float32]
    """The network's output for each legal move, in their order."""
    chances: NDArray[np.float64]
    """Unnormalised probability of each legal move, used by softmax."""
    sources: NDArray[np.int64]
    """Index of the input of each disc, in the order of the moves: in the first player's view, and
    in the second half in the other's."""
    values: NDArray[np.float32]
    """Value of each of these inputs."""
    estimates: NDArray[np.float64]
    """Value of the position after each ply, for the player who moved."""
    rivals: NDArray[np.float64]
    """Value of the best move where a random one was played instead; nan elsewhere."""
    targets: NDArray[np.float64]
    moves: NDArray[np.int64]
    wins: NDArray[np.int64]
    changes: NDArray[np.int64]
    states: NDArray[np.int64]
    """Memory of the rules for states; like the three before, as in
    `evolve_arena.evolve.learning.network_learning.NetworkWorkspace`."""


@compiled
def epsilon_at(learning: TDLambdaSettings, game: int) -> Number:
    """Return the probability of a random move in a game, counted from 0."""
    done = min(1.0, game / learning.epsilon_games)
    return learning.epsilon_start + (learning.epsilon_end - learning.epsilon_start) * done


@compiled
def compute_targets(
    values: Array,
    rivals: Array,
    targets: Array,
    last: int,
    over: bool,
    reward: float,
    learning: TDLambdaSettings,
) -> None:
    """Write the *targets* of one episode, at the indices *last*, *last* - 2 and so on.

    The target of a position is its value plus ``step`` times the correction by TD(λ) in one pass
    over the episode: the sum of the temporal differences r + γ V(next) - V(this) of this and all
    later positions, each times (γλ)^k for the k-th position after this one (Löfroth and Dalenius
    2011, equation 2.12). All are taken from *values*, so the sum is made from the end. Unless
    ``random_lesson`` is ``played``, the position before a random move learns from the best move
    there, or not at all, and no later difference reaches it.

    Args:
        values: The value of each position, for the player who moved to it, shape ``(plies,)``.
        rivals: The value of the best move where another was made at random; nan elsewhere.
        targets: The targets, which are written.
        last: The index of the episode's last position.
        over: True if the game was over there; if not, the opponent ended it.
        reward: The result for the episode's player: 1, 0 or -1.
        learning: Settings: step, discount, λ, ``random_lesson`` and ``exact_end``.
    """
    # The last position learns from the reward.
    carried = learning.discount * learning.trace
    surprise = reward - values[last]
    targets[last] = values[last] + learning.step * surprise
    total = surprise
    # Each earlier one from the next position, and from the differences carried back.
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
    network: Network,
    learning: TDLambdaSettings,
    workspace: TDLambdaWorkspace,
    rng: Stream,
    genes: Floats,
    figures: Array,
    opponents: Opponents,
) -> None:
    """Play games, train the network after each of them, and write its weights to *genes*.

    Args:
        network: Memory for the network.
        learning: Settings of play and learning.
        workspace: Memory that is reused in each game.
        rng: The stream of random numbers.
        genes: The genes of the network, ``float32``, changed in place.
        figures: Counters of `evolve_arena.evolve.learning.tuple_learning`, shape ``(FIGURES,)``,
            which are increased.
        opponents: Fixed opponents, as in `opponents.seat_opponents`; None for self-play.
    """
    read_genes(network, genes)
    for game in range(learning.games):
        epsilon = epsilon_at(learning, learning.played + game)
        own = seat_opponents(opponents, game, rng)
        plies, outcome = _play(network, learning, workspace, rng, epsilon, opponents, own)
        figures[ERROR] += _learn_from(network, learning, workspace, plies, outcome, own)
        figures[PLIES] += plies
        figures[FIRST_WINS] += outcome > 0
        figures[DRAWS] += outcome == 0
    write_genes(network, genes)


@inlined
def _play(
    network: Network,
    learning: TDLambdaSettings,
    workspace: TDLambdaWorkspace,
    rng: Stream,
    epsilon: float,
    opponents: Opponents,
    own: Number,
) -> tuple[int, Number]:
    """Play a game of the network in the seat *own*; against itself if that is -1.

    Returns:
        The number of plies, and 1, 0 or -1 for a win of the first player, a draw or a loss.
    """
    states = workspace.states
    start_sums(network, workspace.sums, 0)
    start_sums(network, workspace.sums, network.width)
    state, ply = begin(states), 0
    outcome = adjudicate(states, state)
    while outcome == GOES_ON and ply < LONGEST:
        poke(workspace.rivals, ply, np.nan)
        if HAS_OPPONENTS and own >= 0 and ply & 1 != own:
            winning = list_wins(states, state, workspace.wins)
            move = ask_opponent(opponents, ply & 1, state, ply, winning)
        else:
            place = choose_move(network, learning, workspace, rng, epsilon, ply, state)
            value = apply_tanh(network, peek(workspace.outputs, place))
            poke(workspace.estimates, ply, np.float64(value))
            move = peek(workspace.moves, place)
        # The move is one more input for either player's view.
        for viewer in range(2):
            source, value = find_input(workspace, state, move, viewer)
            poke(workspace.sources, viewer * LONGEST + ply, source)
            poke(workspace.values, viewer * LONGEST + ply, value)
            add_input(network, workspace.sums, viewer * network.width, source, value)
        ply += 1
        state = advance(states, state, move, ply)
        outcome = adjudicate(states, state)
    return ply, outcome if outcome != GOES_ON else np.int64(0)


@inlined
def _learn_from(
    network: Network,
    learning: TDLambdaSettings,
    workspace: TDLambdaWorkspace,
    plies: int,
    outcome: int,
    own: Number,
) -> Number:
    """Train the network on the game just played; return the sum of |target - value|."""
    # Targets: the last ply of either player ends its episode; an opponent's has none.
    for side in range(min(2, plies)):
        if HAS_OPPONENTS and own >= 0 and side != own:
            continue
        last = plies - 1 if (plies - 1) & 1 == side else plies - 2
        reward = np.float64(outcome if side == 0 else -outcome)
        given = workspace.estimates, workspace.rivals, workspace.targets
        compute_targets(*given, last, last == plies - 1, reward, learning)
    hidden_rate, output_rate = np.float32(learning.hidden_rate), np.float32(learning.output_rate)
    bias_factor = np.float32(1.0 if learning.biases else 0.0)
    begun_with = (plies + 1) // 2
    error = 0.0
    # Training: the plies in the order of the settings.
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
        if HAS_OPPONENTS and own >= 0 and ply & 1 != own:
            continue
        target = peek(workspace.targets, ply)
        error += abs(target - peek(workspace.estimates, ply))
        learn(
            *(network, workspace.sources, workspace.values, (ply & 1) * LONGEST, ply + 1),
            *(np.float32(target), hidden_rate, output_rate, bias_factor),
        )
    return error


@inlined
def find_input(
    workspace: TDLambdaWorkspace, state: Position, move: int, seat: int
) -> tuple[Number, Number]:
    """Return the index and the value of the input for the disc of a *move*, as a *seat* sees it.

    Args:
        workspace: Workspace of the game, with the input of each bit of an observation.
        state: State before the move.
        move: Number of a legal move.
        seat: Seat whose view of the board the input belongs to, 0 or 1.
    """
    list_changes(workspace.states, state, move, seat, workspace.changes)
    bit = peek(workspace.changes, 0)
    return peek(workspace.inputs_of_bits, bit), peek(workspace.factors, bit)


@inlined
def choose_move(
    network: Network,
    learning: TDLambdaSettings,
    workspace: TDLambdaWorkspace,
    rng: Stream,
    epsilon: float,
    ply: int,
    state: Position,
) -> Number:
    """Return the index of the chosen move among the legal ones; at least its output is written.

    Args:
        network: Network that values the moves.
        learning: Settings, such as the kind of exploration.
        workspace: Workspace of the game, with the sums of the hidden units; legal moves, outputs,
            and the value of a best move that is not played are written.
        rng: Stream of random numbers.
        epsilon: Probability of a random move, 0 to 1.
        ply: Number of moves made before; even if the first player is to move.
        state: State in which the move is chosen.
    """
    side, moves = ply & 1, workspace.moves
    at_random = learning.exploration == EPSILON and chance(rng) < epsilon
    count = list_moves(workspace.states, state, moves, 0)
    # A random move among all needs no other outputs.
    only = -1
    if at_random and learning.any_move and learning.random_lesson == PLAYED:
        only = below(rng, count)
    for place in range(count):
        if only < 0 or place == only:
            source, value = find_input(workspace, state, peek(moves, place), side)
            output = output_with(network, workspace.sums, side * network.width, source, value)
            poke(workspace.outputs, place, output)
    if only >= 0:
        return only
    # A win at once is taken, unless this move is random.
    wins = workspace.wins
    if learning.take_wins and not at_random and list_wins(workspace.states, state, wins) > 0:
        place = 0
        while peek(moves, place) != peek(wins, 0):
            place += 1
        return place
    if learning.exploration == SOFTMAX:
        return _draw_by_value(network, learning, workspace, rng, count)
    best = _draw_best(workspace, rng, count)
    if not at_random:
        return best
    # A random move; the value of the best one is noted if it is another.
    place = best
    if learning.any_move:
        place = below(rng, count)
    elif count > 1:
        place = below(rng, count - 1)
        place += place >= best
    if place != best:
        poke(workspace.rivals, ply, np.float64(apply_tanh(network, peek(workspace.outputs, best))))
    return place


@inlined
def _draw_best(workspace: TDLambdaWorkspace, rng: Stream, count: int) -> Number:
    """Return the index of the move with the highest output; of several, a random one."""
    best, ties = 0, 1
    for place in range(1, count):
        if peek(workspace.outputs, place) > peek(workspace.outputs, best):
            best, ties = place, 1
        elif peek(workspace.outputs, place) == peek(workspace.outputs, best):
            ties += 1
    left = below(rng, ties) if ties > 1 else 0
    place = best
    while left > 0:
        place += 1
        left -= peek(workspace.outputs, place) == peek(workspace.outputs, best)
    return place


@inlined
def _draw_by_value(
    network: Network,
    learning: TDLambdaSettings,
    workspace: TDLambdaWorkspace,
    rng: Stream,
    count: int,
) -> Number:
    """Draw the index of a move, with probability proportional to exp(value / temperature)."""
    highest = -1.0
    for place in range(count):
        value = np.float64(apply_tanh(network, peek(workspace.outputs, place)))
        poke(workspace.chances, place, value)
        highest = max(highest, value)
    # Weights relative to the highest value, which can't overflow.
    total = 0.0
    for place in range(count):
        below_highest = (peek(workspace.chances, place) - highest) / learning.temperature
        weight = _exponential(network, below_highest)
        poke(workspace.chances, place, weight)
        total += weight
    # Draw from their cumulated sum.
    left = chance(rng) * total
    chosen = 0
    for place in range(count):
        chosen = place
        left -= peek(workspace.chances, place)
        if left < 0.0:
            break
    return chosen


@inlined
def _exponential(network: Network, number: float) -> Number:
    """Return e to the power of a *number* that is at most 0, the same on every machine."""
    simd.store(network.hidden, network.width, activate(simd.spread(np.float32(number)), SIGMOID))
    share = np.float64(peek(network.hidden, network.width))
    return share / (1.0 - share)
