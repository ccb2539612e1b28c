"""Learning of value networks from games of any compiled board game.

After a game the value of each position, for the player who moved to it, is moved towards its
λ-return, see `evolve_arena.evolve.learning.returns`, from the last position to the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array, Floats, Number, Position, Record
from evolve_arena.evolve.learning import backprop, layers
from evolve_arena.evolve.learning.backprop import (
    add_changes,
    apply_tanh,
    output_after,
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
from evolve_arena.evolve.learning.returns import end_game, find_return, find_sign
from evolve_arena.evolve.learning.tuple_learning import ERROR, TDSettings, start_randomly
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import (
    FEATURE_COUNT,
    GOES_ON,
    HAS_CHANGES,
    HAS_WINS,
    LONGEST,
    SEATS,
    SEEN,
    adjudicate,
    adjudicate_move,
    advance,
    begin,
    count_features,
    features_at,
    find_changes,
    find_mover,
    follow,
    has_won,
    list_changes,
    list_moves,
    list_seen,
    list_wins,
    look,
    may_exhaust,
    note_move,
    settle,
    value_exhausting,
)

COUNTS_FEATURES = False
"""True if inputs are the features of the game's file; this module is compiled for both cases."""
HAS_LAYERS = False
"""True if the network is a `layers.Layers`, with any number of layers, False if it is a
`backprop.Network`, with one hidden layer."""
READS_ALL = COUNTS_FEATURES or HAS_LAYERS
"""True if all inputs are read anew for each value, False if only their changes are."""
ONE = np.float32(1.0)


class NetworkWorkspace(NamedTuple):
    """Work space for one game."""

    inputs_of_bits: NDArray[np.int64]
    """The input that each bit of the planes raises, shape ``(bits,)``."""
    factors: NDArray[np.float32]
    """Number by which each bit raises that input, shape ``(bits,)``."""
    sums: NDArray[np.float32]
    """Pre-activations of the hidden units for the latest view of each seat, flat."""
    sources: NDArray[np.int64]
    """Indices of the inputs of a state that are not 0; all indices if inputs are features."""
    inputs: NDArray[np.float32]
    """Values of these inputs."""
    seen: NDArray[np.uint64]
    """Words that the player who moved saw after each ply; then those of a move that is tried, and
    spare words."""
    values: NDArray[np.float32]
    """The value of the position after each ply, for its sequence in `returns`."""
    explored: NDArray[np.uint8]
    """1 for each ply that was played at random."""
    movers: NDArray[np.int64]
    """The seat that played each ply."""
    ends: NDArray[np.float32]
    """Numbers of the sequences of positions; see `returns.FIELDS`."""
    moves: NDArray[np.int64]
    wins: NDArray[np.int64]
    planes: NDArray[np.uint64]
    changes: NDArray[np.int64]
    states: Array
    """As in :class:`~evolve_arena.evolve.learning.tuple_learning.TupleWorkspace`."""
    counted: NDArray[np.float64]
    """Space for the features of a state, see `evolve_arena.players.board.workspace`."""
    features: NDArray[np.float32]
    """Features for the player who moved after each ply; then those for a move that is tried."""
    notes: NDArray[np.int64]
    """Notes that the game's file keeps for its own use."""


@compiled
def teach(
    learning: TDSettings,
    rates: Floats,
    network: Record,
    genes: Floats,
    rng: Stream,
    workspace: NetworkWorkspace,
    figures: Array,
    opponents: Opponents,
) -> None:
    """Play games and change *genes* after each of them.

    Args:
        learning: Settings of play and learning; ``step`` is not used.
        rates: Learning rate of each layer (``float32``).
        network: A `layers.Layers` with its weights, changed in place; or an empty
            `backprop.Network`.
        genes: Weights of a `backprop.Network`, shape ``(genes,)`` (``float32``), changed in place;
            not used for a `layers.Layers`.
        rng: Random stream.
        workspace: Work space for a game.
        figures: The statistics of `tuple_learning.FIGURES`, shape ``(4,)``, to which those of the
            games are added.
        opponents: Fixed opponents, as in `opponents.seat_opponents`; None for self-play.
    """
    if not HAS_LAYERS:
        read_genes(network, genes)
    for game in range(learning.games):
        own = seat_opponents(opponents, game, rng)
        plies = _play(learning, network, rng, workspace, opponents, own, figures)
        figures[ERROR] += _learn(learning, rates, network, plies, workspace, own)
    if not HAS_LAYERS:
        write_genes(network, genes)


@inlined
def _play(
    learning: TDSettings,
    network: Record,
    rng: Stream,
    workspace: NetworkWorkspace,
    opponents: Opponents,
    own: Number,
    figures: Array,
) -> Number:
    """Play one game; return its number of plies."""
    states = workspace.states
    for seat in range(SEATS):
        if not READS_ALL:
            start_sums(network, workspace.sums, seat * network.width)
        for word in range(SEEN):
            poke(workspace.planes, seat * SEEN + word, np.uint64(0))
    state, ply = settle(states, begin(states), rng), 0
    outcome = adjudicate(states, state)
    opening = start_randomly(learning, rng)
    while outcome == GOES_ON and ply < LONGEST:
        seat = find_mover(states, state)
        winning = list_wins(states, state, workspace.wins)
        explores = False
        if HAS_OPPONENTS and own >= 0 and seat != own:
            move = ask_opponent(opponents, seat, state, ply, winning)
        else:
            count = list_moves(states, state, workspace.moves, 0)
            explores = count > 1 and (ply < opening or chance(rng) < learning.exploration)
            if explores or count == 1:
                move = peek(workspace.moves, below(rng, count) if count > 1 else 0)
            else:
                if not READS_ALL:
                    _see(network, seat, state, workspace)
                move = _choose(network, seat, state, ply, count, winning, workspace)
        note_move(states, move)
        state = advance(states, state, move, ply + 1)
        if READS_ALL:
            total = _read(network, seat, state, ply, workspace)
        else:
            _see(network, seat, state, workspace)
            total = _value(network, seat, 0, workspace)
            for word in range(SEEN):
                poke(workspace.seen, ply * SEEN + word, peek(workspace.planes, seat * SEEN + word))
        poke(workspace.values, ply, find_sign(seat) * _squash(network, total))
        poke(workspace.explored, ply, np.uint8(explores))
        poke(workspace.movers, ply, seat)
        state = settle(states, state, rng)
        ply += 1
        outcome = adjudicate_move(states, state, move, ply, outcome, workspace.wins, winning)
    end_game(states, state, outcome if outcome != GOES_ON else np.int64(0), ply, workspace, figures)
    return ply


@inlined
def _choose(
    network: Record,
    seat: int,
    state: Position,
    ply: Number,
    count: int,
    winning: Number,
    workspace: NetworkWorkspace,
) -> Number:
    """Return the first move that wins at once, or leads to the state of the best value."""
    states = workspace.states
    if winning > 0:
        return peek(workspace.wins, 0)
    ends = may_exhaust(states, ply)
    best, best_value = np.int64(-1), np.float32(0.0)
    for place in range(count):
        move, trial = peek(workspace.moves, place), state
        if READS_ALL or not (HAS_WINS and HAS_CHANGES):
            trial = follow(states, 1, state, move)
        if not HAS_WINS and has_won(states, trial, adjudicate(states, trial), seat):
            return move
        if READS_ALL:
            value = _read(network, seat, trial, LONGEST, workspace)
        else:
            if HAS_CHANGES:
                changed = list_changes(states, state, move, seat, workspace.changes)
            else:
                changed = find_changes(
                    states, trial, workspace.planes, workspace.changes, seat, seat, False, False
                )
            value = _value(network, seat, changed, workspace)
        if ends:
            value = np.float32(value_exhausting(states, state, move, ply, seat, value))
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


@inlined
def _see(network: Record, seat: int, state: Position, workspace: NetworkWorkspace) -> None:
    """Update the hidden units' sums of a *seat* to its view of a *state*."""
    changes = workspace.changes
    count = find_changes(
        workspace.states, state, workspace.planes, changes, seat, seat, True, False
    )
    add_changes(
        *(
            network,
            workspace.sums,
            seat * network.width,
            workspace.inputs_of_bits,
            workspace.factors,
        ),
        *(changes, count),
    )


@inlined
def _value(network: Record, seat: int, count: Number, workspace: NetworkWorkspace) -> Number:
    """Return the output's pre-activation after *count* listed changes of the view of a *seat*."""
    return output_after(
        *(
            network,
            workspace.sums,
            seat * network.width,
            workspace.inputs_of_bits,
            workspace.factors,
        ),
        *(workspace.changes, count),
    )


@inlined
def _read(
    network: Record, seat: int, state: Position, ply: Number, workspace: NetworkWorkspace
) -> Number:
    """Return the output's pre-activation for the planes or features of a *seat* in a *state*.

    The planes or features are stored as those after this *ply*.
    """
    if COUNTS_FEATURES:
        counted = workspace.counted
        given = workspace.states, state, seat, counted, FEATURE_COUNT
        count_features(*given, workspace.notes, np.int64(0))
        for place in range(FEATURE_COUNT):
            number = np.float32(peek(counted, features_at(counted) + place))
            poke(workspace.features, ply * FEATURE_COUNT + place, number)
    else:
        look(workspace.states, state, seat, workspace.seen, ply * SEEN)
    return _run(network, _list_inputs(ply, seat, workspace), workspace)


@inlined
def _run(network: Record, count: Number, workspace: NetworkWorkspace) -> Number:
    """Return the output's pre-activation for the first *count* listed inputs."""
    if HAS_LAYERS:
        layers.forward(network, workspace.sources, workspace.inputs, count)
        return peek(network.units, network.places[-1])
    return backprop.forward(network, workspace.sources, workspace.inputs, 0, count)


@inlined
def _squash(network: Record, total: Number) -> Number:
    """Return the tanh of the output's pre-activation *total*."""
    return layers.squash(network, total) if HAS_LAYERS else apply_tanh(network, total)


@inlined
def _list_inputs(ply: int, seat: int, workspace: NetworkWorkspace) -> Number:
    """List the inputs of a *seat* for the state after its move at a *ply*; return their number."""
    if COUNTS_FEATURES:
        for place in range(FEATURE_COUNT):
            number = peek(workspace.features, ply * FEATURE_COUNT + place)
            poke(workspace.inputs, place, number)
        return np.int64(FEATURE_COUNT)
    count = list_seen(workspace.states, workspace.seen, ply * SEEN, workspace.changes, seat)
    for place in range(count):
        bit = peek(workspace.changes, place)
        poke(workspace.sources, place, peek(workspace.inputs_of_bits, bit))
        poke(workspace.inputs, place, peek(workspace.factors, bit))
    return count


@inlined
def _learn(
    learning: TDSettings,
    rates: Floats,
    network: Record,
    plies: int,
    workspace: NetworkWorkspace,
    own: Number,
) -> Number:
    """Move the values of a game's positions towards their returns, from the last to the first.

    Nothing is learned about the position after the last ply, nor from what followed a ply that was
    played at random, nor about positions to which an opponent moved. Return the sum of the absolute
    differences between values and returns.
    """
    error = 0.0
    for ply in range(plies - 2, -1, -1):
        learns, target = find_return(learning, ply, own, workspace)
        if learns:
            error += abs(np.float64(target) - np.float64(peek(workspace.values, ply)))
            seat = peek(workspace.movers, ply)
            count = _list_inputs(ply, seat, workspace)
            _step(learning, rates, network, find_sign(seat) * target, count, workspace)
    return error


@inlined
def _step(
    learning: TDSettings,
    rates: Floats,
    network: Record,
    target: Number,
    count: Number,
    workspace: NetworkWorkspace,
) -> None:
    """Take one gradient step for *count* listed inputs towards a *target*."""
    damped = np.float32(learning.damped)
    if HAS_LAYERS:
        value = layers.squash(network, _run(network, count, workspace))
        error = (target - value) * (ONE - damped * value * value)
        poke(network.deltas, network.places[-1], error)
        layers.backward(network, network.weights, rates, workspace.sources, workspace.inputs, count)
    else:
        backprop.learn(
            *(network, workspace.sources, workspace.inputs, 0, count),
            *(target, rates[0], rates[1], ONE, damped),
        )
