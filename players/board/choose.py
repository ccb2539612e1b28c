"""Choice of a move by each kind of compiled player.

The match kernel and the Python classes call the same functions, so a player moves alike in both.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.network import pick_output
from evolve_arena.genomes.simd import LANES, peek
from evolve_arena.players.board.alpha_beta import HAS_SEARCHES, choose_by_search, value_moves
from evolve_arena.players.board.hidden_mcts import choose_by_guesses
from evolve_arena.players.board.mcts import HAS_MCTS, choose_by_rollouts
from evolve_arena.players.board.rules import (
    HAS_CHANGES,
    HAS_GUESS,
    HAS_KINDS,
    HAS_LEGAL_BITS,
    HAS_PAST,
    HAS_WINS,
    KIND_COUNT,
    MOVES,
    adjudicate,
    ask_script,
    find_allowed,
    find_kinds,
    find_mover,
    follow,
    has_won,
    keep_move,
    list_changes,
    list_moves,
    list_wins,
    look_as,
    may_exhaust,
    needs_list,
    note_move,
    prune_moves,
    turn_page,
    value_exhausting,
)
from evolve_arena.players.board.values import (
    HAS_DENSE,
    HAS_DENSE_VALUES,
    HAS_GRAPHS,
    HAS_KIND_PLAYERS,
    HAS_LAYERS,
    HAS_OUTPUTS,
    HAS_POLICIES,
    HAS_SUMS,
    HAS_TUPLES,
    HAS_VALUES,
    WEIGHS_MOVES,
    find_last_inputs,
    find_layers,
    is_shallow,
    is_tuple_network,
    look_before,
    run_player_graph,
    see_state,
    sum_seen,
    take_slot,
    value_changes,
    value_listed,
    value_move,
    value_state,
    weigh_bit,
    weigh_move,
    weighs_moves,
    write_outputs,
)
from evolve_arena.players.board.workspace import (
    ACTION,
    DEPTH,
    FORFEIT,
    HEAD,
    INPUTS,
    KINDS_HEAD,
    POLICY,
    ROLLOUTS,
    SCRIPT,
    SCRIPTED,
    SEARCH,
    SETTING,
    TAKES_WINS,
    UNMASKED,
    BoardWorkspace,
)
from evolve_arena.players.packed import (
    GRAPH,
    KIND,
    NETWORK,
    NOISE,
    RANDOM,
    TUPLES,
    PackedPlayers,
)
from evolve_arena.players.search import WIN

HAS_SCRIPTS = True
HAS_FORFEITS = True
HAS_OWN_VALUES = True
"""True if there are scripted players, players that may choose illegal kinds of moves, and players
that value afterstates without a search; see `kernel.FLAGS`."""
search_tree = choose_by_guesses if HAS_GUESS else choose_by_rollouts
COMPARES_CHANGES = HAS_WINS and HAS_CHANGES
"""True if the file has ``wins`` and ``changes``, so that moves are valued without being played."""
ONLY_SHALLOW = (COMPARES_CHANGES and HAS_VALUES and not HAS_PAST) and not (
    HAS_LAYERS or HAS_TUPLES or HAS_DENSE_VALUES
)
"""True if, in addition, earlier positions do not count, and all players that value states are
networks with one hidden layer."""

ONE = np.uint64(1)
KNOWN_LEVEL = np.int64(3)
"""Level (row of ``states``) of the player's view of the state, in games of hidden information."""


@inlined
def choose_move(  # noqa: PLR0911
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    winning: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the number of the move that the player to move, in *slot*, chooses.

    Args:
        players: Packed players.
        slot: Slot of the player to move: the number of its seat.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        winning: Number of moves that win at once, the first ones in ``workspace.wins``; 0 if the
            file has no ``wins``.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
    """
    # An unsigned index needs no check for negative values.
    player: Number = np.uint64(peek(workspace.players, slot))
    noise, kind = players.seats[player, NOISE], players.seats[player, KIND]
    if HAS_GUESS and _tries_moves(players, player):
        state = look_as(workspace.states, KNOWN_LEVEL, state, slot)
    # Random moves, by noise or by a random player
    strays = noise > 0 and np.int64(next_word(workspace.streams) >> np.uint64(32)) < noise
    if HAS_LEGAL_BITS and (strays or kind == RANDOM):
        allowed = find_allowed(workspace.states, state, workspace.moves)
        if allowed == np.uint64(2**MOVES - 1):
            return below(workspace.streams, MOVES)
    # Players that need no list of moves
    if HAS_KIND_PLAYERS and HAS_KINDS and _chooses_kinds(players, player) and not strays:
        if HAS_SUMS and kind == NETWORK:
            see_state(players, player, slot, state, workspace)
        return _choose_by_kind(players, player, slot, state, workspace)
    if HAS_SCRIPTS and kind >= SCRIPTED and not strays and not needs_list(kind - SCRIPTED):
        turn_page(workspace.notes)
        return _ask_script(players, player, slot, state, kind - SCRIPTED, -1, workspace)
    # All others choose from the list.
    count = list_moves(workspace.states, state, workspace.moves, 0)
    if count == 1:
        return peek(workspace.moves, 0)
    if strays or kind == RANDOM:
        return peek(workspace.moves, below(workspace.streams, count))
    if HAS_SCRIPTS and kind >= SCRIPTED:
        turn_page(workspace.notes)
        return _ask_script(players, player, slot, state, kind - SCRIPTED, -1, workspace)
    if HAS_SUMS and kind in (NETWORK, TUPLES):
        see_state(players, player, slot, state, workspace)
    return _choose_own(players, player, slot, state, count, winning, workspace)


@inlined
def _tries_moves(players: PackedPlayers, player: Integer) -> bool:
    """Test whether a player evaluates afterstates, which would reveal hidden information.

    Other players only observe what the file shows to their seat.
    """
    head, searches = players.seats[player, HEAD], players.seats[player, ROLLOUTS] > 0
    return searches or head not in (POLICY, ACTION, KINDS_HEAD)


@inlined
def _chooses_kinds(players: PackedPlayers, player: Integer) -> Number:
    """Test whether a player chooses kinds of moves."""
    kind = players.seats[player, KIND]
    return players.seats[player, HEAD] == KINDS_HEAD and kind != TUPLES and kind < SEARCH


@inlined
def _ask_script(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    number: Integer,
    kind: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the choice of scripted player *number*: a move of a *kind*, if that is not -1."""
    setting, count = players.seats[player, SETTING], np.int64(0)
    if needs_list(number):
        count = list_moves(workspace.states, state, workspace.moves, 0)
    given = workspace.states, state, slot, number, workspace.moves, count, workspace.streams
    return ask_script(*given, workspace.notes, setting, np.int64(kind))


@inlined
def _choose_own(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    winning: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the move that a player chooses by its own search or values."""
    # Searches, then heads of networks, then values of afterstates
    kind = players.seats[player, KIND]
    if HAS_MCTS and players.seats[player, ROLLOUTS] > 0:
        return search_tree(players, slot, state, count, workspace)
    if HAS_SEARCHES and players.seats[player, DEPTH] > 0:
        return choose_by_search(players, slot, state, count, winning, workspace)
    if WEIGHS_MOVES and weighs_moves(players, player):
        return _choose_by_action(players, player, slot, state, count, workspace)
    head = players.seats[player, HEAD]
    if HAS_OUTPUTS and head == POLICY and kind != TUPLES:
        return _choose_by_outputs(players, player, slot, state, count, workspace)
    if HAS_OWN_VALUES and kind < SEARCH:
        return _choose_by_value(players, player, slot, state, count, winning, workspace)
    return np.int64(-1)


@compiled
def decide(players: PackedPlayers, state: Position, workspace: BoardWorkspace) -> Integer:
    """Return the number of the move that the first of *players* chooses in a *state*.

    Args:
        players: Packed players, of which only the first one plays.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        workspace: Arrays in which players compute; ``plies`` holds the number of moves made, and
            ``states`` the earlier positions if they count.
    """
    # The player sits down at the seat to move, as in a match.
    slot = find_mover(workspace.states, state)
    take_slot(players, 0, slot, workspace)
    winning = list_wins(workspace.states, state, workspace.wins)
    move = np.int64(choose_move(players, slot, state, winning, workspace))
    if not (HAS_FORFEITS and move == FORFEIT):
        note_move(workspace.states, move)
    return move


@compiled
def rate_moves(
    players: PackedPlayers, state: Position, workspace: BoardWorkspace, ratings: Array
) -> Integer:
    """Write the value that the first of *players* gives to each legal move into *ratings*.

    Immediate wins are infinite for players that take them.

    Args:
        players: Packed players, of which only the first one gives values.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        workspace: Arrays in which players compute; ``plies`` holds the number of moves made, and
            ``states`` the earlier positions if they count. The moves are listed in ``moves``.
        ratings: Array for the values (``float64``), in the order of the moves, shape ``(MOVES,)``.
            Those of a tuple network without a search are in units of ``1 / RESOLUTION``.

    Returns:
        Number of moves; 0 for players that do not value single moves: random and scripted players,
        tree search, and networks that choose kinds of moves.
    """
    slot = find_mover(workspace.states, state)
    take_slot(players, 0, slot, workspace)
    kind, head = players.seats[0, KIND], players.seats[0, HEAD]
    count = list_moves(workspace.states, state, workspace.moves, 0)
    # Players without values of single moves
    searches_tree = HAS_MCTS and players.seats[0, ROLLOUTS] > 0
    if kind == RANDOM or kind >= SCRIPTED or searches_tree or head == KINDS_HEAD:
        return np.int64(0)
    if HAS_SUMS and kind in (NETWORK, TUPLES):
        see_state(players, 0, slot, state, workspace)
    # Values in the order of _choose_own
    if HAS_SEARCHES and players.seats[0, DEPTH] > 0:
        _rate_by_search(players, slot, state, count, workspace, ratings)
    elif WEIGHS_MOVES and weighs_moves(players, 0):
        look_before(players, 0, slot, state, workspace)
        count = _prune(players, 0, slot, state, count, workspace)
        for place in range(count):
            move = peek(workspace.moves, place)
            ratings[place] = weigh_move(players, 0, slot, state, move, workspace)
    elif HAS_OUTPUTS and head == POLICY and kind != TUPLES:
        _rate_by_outputs(players, slot, state, count, workspace, ratings)
    elif HAS_OWN_VALUES:  # each afterstate is valued, unless it is a win
        ply = peek(workspace.plies, 0)
        ends = HAS_PAST and may_exhaust(workspace.states, ply)
        for place in range(count):
            move = peek(workspace.moves, place)
            trial = follow(workspace.states, 1, state, move)  # as in _choose_by_value
            verdict = adjudicate(workspace.states, trial)
            if players.seats[0, TAKES_WINS] and has_won(workspace.states, trial, verdict, slot):
                ratings[place] = np.inf
            else:
                value = value_state(players, 0, slot, trial, workspace)
                if HAS_PAST and ends:
                    value = value_exhausting(workspace.states, state, move, ply, slot, value)
                ratings[place] = value
    return np.int64(count)


@inlined
def _rate_by_outputs(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
    ratings: Array,
) -> None:
    """Write the outputs of a policy into *ratings*."""
    if HAS_GRAPHS and players.seats[0, KIND] == GRAPH:
        run_player_graph(players, 0, slot, state, workspace)
        for place in range(count):
            at = players.seats[0, INPUTS] + keep_move(peek(workspace.moves, place))
            ratings[place] = peek(workspace.values, at)
    elif HAS_POLICIES or HAS_DENSE:
        shape, base, inputs = find_last_inputs(players, 0, slot, state, workspace)
        outputs = write_outputs(players, shape, base, inputs, workspace.outputs)
        for place in range(count):
            ratings[place] = peek(outputs, keep_move(peek(workspace.moves, place)))


@inlined
def _rate_by_search(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
    ratings: Array,
) -> None:
    """Write the values of alpha-beta into *ratings*; proven wins and losses are infinite."""
    winning = list_wins(workspace.states, state, workspace.wins)
    value_moves(players, slot, state, count, True, workspace)
    for place in range(count):
        value = peek(workspace.ratings, place)
        ratings[place] = np.inf if value >= WIN else -np.inf if value <= -WIN else value
        for number in range(winning):
            if peek(workspace.wins, number) == peek(workspace.moves, place):
                ratings[place] = np.inf


@inlined
def _choose_by_outputs(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the legal move with the highest output of a policy, the first one of equals."""
    if HAS_GRAPHS and (not (HAS_POLICIES or HAS_DENSE) or players.seats[player, KIND] == GRAPH):
        run_player_graph(players, player, slot, state, workspace)
        return _pick_strongest(workspace.values, players.seats[player, INPUTS], count, workspace)
    shape, base, inputs = find_last_inputs(players, player, slot, state, workspace)
    if MOVES <= LANES:  # all outputs fit into one vector
        allowed = np.uint64(0)
        for place in range(count):
            allowed |= ONE << np.uint64(peek(workspace.moves, place))
        return np.int64(pick_output(shape, players.weights, base, inputs, allowed))
    outputs = write_outputs(players, shape, base, inputs, workspace.outputs)
    return _pick_strongest(outputs, 0, count, workspace)


@inlined
def _choose_by_kind(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> Integer:
    """Return a scripted player's choice among moves of the kind with the highest output.

    Return FORFEIT if a player without masking chooses a kind that is not legal.
    """
    turn_page(workspace.notes)
    number, allowed = players.seats[player, SCRIPT], find_kinds(workspace.states, state)
    chosen = np.int64(lowest_bit(allowed))
    if allowed & (allowed - ONE):  # more than one bit: there is a choice
        free = HAS_FORFEITS and players.seats[player, UNMASKED] > 0
        among = np.uint64(2**KIND_COUNT - 1) if free else allowed
        chosen = _pick_kind(players, player, slot, state, among, workspace)
        if not (allowed >> np.uint64(chosen)) & ONE:
            return np.int64(FORFEIT)
    return _ask_script(players, player, slot, state, number, chosen, workspace)


@inlined
def _pick_kind(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    allowed: Number,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the kind with the highest output among *allowed*, a word with a bit for each."""
    if HAS_GRAPHS and (not (HAS_POLICIES or HAS_DENSE) or players.seats[player, KIND] == GRAPH):
        run_player_graph(players, player, slot, state, workspace)
        # The outputs of a graph follow its inputs.
        first, best = players.seats[player, INPUTS], np.int64(-1)
        for kind in range(LANES):
            if (allowed >> np.uint64(kind)) & ONE and (
                best < 0
                or peek(workspace.values, first + kind) > peek(workspace.values, first + best)
            ):
                best = np.int64(kind)
        return best
    shape, base, inputs = find_last_inputs(players, player, slot, state, workspace)
    return np.int64(pick_output(shape, players.weights, base, inputs, allowed))


@inlined
def _prune(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Move the moves worth evaluating to the front of the list; return their number."""
    setting, notes = players.seats[player, SETTING], workspace.notes
    return prune_moves(workspace.states, state, slot, workspace.moves, count, notes, setting)


@inlined
def _pick_strongest(
    outputs: Array, at: Integer, count: Integer, workspace: BoardWorkspace
) -> Integer:
    best = peek(workspace.moves, 0)
    for place in range(1, count):
        move = peek(workspace.moves, place)
        if peek(outputs, at + keep_move(move)) > peek(outputs, at + keep_move(best)):
            best = move
    return best


@inlined
def _choose_by_action(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the move with the highest value by its features, the first one of equals."""
    look_before(players, player, slot, state, workspace)
    count = _prune(players, player, slot, state, count, workspace)
    best, best_value = np.int64(-1), 0.0
    for place in range(count):
        move = peek(workspace.moves, place)
        value = weigh_move(players, player, slot, state, move, workspace)
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


@inlined
def _choose_by_value(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    winning: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return a move that wins at once, or the first one with the highest afterstate value."""
    takes_wins = players.seats[player, TAKES_WINS]
    if takes_wins and winning > 0:
        return peek(workspace.wins, 0)
    # Faster paths, by the changes that the file lists
    if ONLY_SHALLOW:
        return _choose_shallow(players, player, slot, state, count, workspace)
    ply = peek(workspace.plies, 0)
    ends = HAS_PAST and may_exhaust(workspace.states, ply)
    if COMPARES_CHANGES and HAS_VALUES and is_shallow(players, player) and not ends:
        return _choose_shallow(players, player, slot, state, count, workspace)
    if COMPARES_CHANGES and HAS_TUPLES and is_tuple_network(players, player) and not ends:
        return _choose_by_tuples(players, player, slot, state, count, workspace)
    # One ply of look-ahead: play each move, take a win, else compare the values
    best, best_value = np.int64(-1), 0.0
    for place in range(count):
        move = peek(workspace.moves, place)
        if not HAS_WINS and takes_wins:
            trial = follow(workspace.states, 1, state, move)
            verdict = adjudicate(workspace.states, trial)
            if has_won(workspace.states, trial, verdict, slot):
                return move
            if not HAS_CHANGES:
                value = value_state(players, player, slot, trial, workspace)
        if HAS_WINS or HAS_CHANGES or not takes_wins:
            value = value_move(players, player, slot, state, move, workspace)
        # A move that ends the game by repetition or lack of progress is worth its result.
        if HAS_PAST and ends:
            value = value_exhausting(workspace.states, state, move, ply, slot, value)
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


@inlined
def _choose_shallow(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the move of the highest value to a shallow network, where the file lists changes."""
    layers = find_layers(players, player, slot, workspace)
    return pick_shallow(players, layers, slot, state, count, workspace)


@inlined
def pick_shallow(
    players: PackedPlayers,
    layers: tuple[int, ...],
    seat: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the first of *count* moves with the highest value to a network with *layers*.

    Args:
        players: Packed players.
        layers: Activation, sizes and indices of the network, as `values.find_layers` returns them.
        seat: Seat to move, that of the network.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        count: Number of legal moves, the first ones in ``workspace.moves``; at least 1.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
    """
    best, best_value = np.int64(-1), 0.0
    for place in range(count):
        move = peek(workspace.moves, place)
        listed = list_changes(workspace.states, state, move, seat, workspace.changes)
        value = value_listed(players, layers, listed, workspace)
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


@inlined
def _choose_by_tuples(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return the move of the highest value to a tuple network.

    If a move changes one bit, only the tuples that read it are summed anew.
    """
    changes, noted, total = workspace.changes, False, np.int64(0)
    best, best_value = np.int64(-1), 0.0
    for place in range(count):
        move = peek(workspace.moves, place)
        listed = list_changes(workspace.states, state, move, slot, changes)
        if listed == 1:  # add the difference to the sum of the position, computed once
            if not noted:
                total, noted = sum_seen(players, player, slot, workspace), True
            bit = peek(changes, 0)
            value = np.float64(weigh_bit(players, player, slot, bit, total, workspace))
        else:  # several changes overwrite the recorded entries
            value, noted = value_changes(players, player, slot, state, listed, workspace), False
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best
