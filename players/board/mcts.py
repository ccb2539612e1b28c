"""Monte Carlo tree search (UCT) for compiled board games, with any number of seats and chance.

Each rollout descends the tree, always to the child with the highest upper confidence bound for the
player to move (max-n), expands a leaf that was visited before, simulates random moves to the end,
and adds the shares of the win to all nodes on its path. Source: Kocsis and Szepesvári, "Bandit
based Monte-Carlo planning", ECML 2006. A value network replaces the simulation.

A node keeps the sum of the shares of the player that moved to it, the only one that compares it. A
chance node has a child for each outcome that was drawn, found in a hash table, so that the subtree
may depend on it: a tree without chance nodes (open-loop) would mix the legal moves and values after
different dice.

Wins of a single seat are proven backwards from the ends of games (MCTS-Solver; Winands, Björnsson
and Saito, 2008); proven nodes are not searched further.

The maximum number of nodes follows from the number of rollouts, up to a limit. A full tree grows no
further, but its leaves are still visited.

A policy network guides the search (PUCT): the softmax of its outputs over the legal moves gives
their priors P, and the child is selected for which

    Q + exploration * P * sqrt(visits of the node) / (1 + visits of the child)

is highest, where Q is the mean share; for a child without visits that of its visited siblings.
Leaves are simulated at random. Sources: Rosin, "Multi-armed bandits with episode context", 2011;
Silver et al., "Mastering the game of Go without human knowledge", Nature 2017.
"""

from __future__ import annotations

import math

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, mix
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.simd import peek, poke, refer
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_CHANCE,
    HAS_GUESS,
    LONGEST,
    MOVES,
    MOVES_STAY,
    SEATS,
    STAKE,
    adjudicate,
    adjudicate_at,
    advance,
    count_outcomes,
    count_points,
    duplicate,
    find_mover,
    follow,
    happen,
    has_won,
    keep_move,
    list_moves,
    remove_move,
    settle,
)
from evolve_arena.players.board.values import (
    HAS_DEEP_VALUES,
    MIRROR,
    take_mirror,
    value_leaf,
    write_policy,
)
from evolve_arena.players.board.workspace import (
    COUNT,
    DENSE,
    EXPLORATION,
    FIRST,
    HEAD,
    MCTS,
    MOVE,
    NODE_FIELDS,
    NODES,
    PARENT,
    POLICY,
    ROLLOUTS,
    SEAT,
    VISITS,
    WINNER,
    BoardWorkspace,
)
from evolve_arena.players.packed import GRAPH, KIND, NETWORK, PackedPlayers

HAS_MCTS = True
HAS_PRIORS = True
"""True if any player uses this search, and if policies guide it; False in copies compiled for other
players."""

MIRRORS = HAS_DEEP_VALUES and HAS_CHANCE and not HAS_GUESS
"""True if leaves are valued before chance events, from the seat of the player that moved last:
players are trained to value such afterstates."""
LEVEL = np.int64(1)
"""Level (row of ``states``) of the state that a rollout changes."""
LOST = -1.0
"""Value below any bound."""
LAST = 1 << 32
"""Number above any count of visits."""


@compiled
def choose_by_rollouts(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Search, and return a proven win, or the most visited move; ties go to the better value.

    Args:
        players: Packed players.
        slot: Slot of the searching player: the number of its seat.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        count: Number of legal moves, the first ones in ``workspace.moves``.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
    """
    states, tree, totals = workspace.states, workspace.tree, workspace.totals
    # A move that wins at once needs no search.
    for place in range(count):
        move = peek(workspace.moves, place)
        trial = follow(states, LEVEL, state, move)
        settled = STAKE == 0 and count_outcomes(states, trial) == 0
        if settled and has_won(states, trial, adjudicate(states, trial), slot):
            return move
    if MIRRORS and _has_values(players, slot, workspace):
        take_mirror(players, slot, state, workspace)
    # Settings of the search, and an empty hash table of chance outcomes
    record = players.seats[peek(workspace.players, slot)]
    exploration = record[EXPLORATION] * 2.0**-32
    if HAS_CHANCE:
        for place in range(workspace.outcomes.shape[0]):
            poke(workspace.outcomes, place, 0)
    # Rollouts from the root, node 0
    used = start_node(tree, totals, np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    for _ in range(record[ROLLOUTS]):
        if get_field(tree, 0, WINNER) > 0:
            break
        used = _run(players, slot, state, used, record[NODES], exploration, workspace)
    return _pick_root(tree, totals, slot)


@inlined
def _run(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    used: Integer,
    limit: Integer,
    exploration: float,
    workspace: BoardWorkspace,
) -> Integer:
    """Run one rollout; return the number of nodes *used* afterwards, at most *limit*."""
    tree, totals, shares = workspace.tree, workspace.totals, workspace.shares
    now = duplicate(workspace.states, LEVEL, state)
    player = peek(workspace.players, slot)
    guided = HAS_PRIORS and has_policy(players, player)
    valued = MIRRORS and _has_values(players, slot, workspace)
    # Selection and expansion
    node, now, ply, used, sure = _descend(
        players, player, guided, valued, now, used, limit, exploration, workspace
    )
    # Simulation or evaluation, then backpropagation
    over = value_end(players, slot, now, node, ply, workspace)
    if sure and over:
        _prove(tree, shares, node)
    add_shares(tree, totals, shares, node)
    return used


@inlined
def add_shares(tree: Array, totals: Array, shares: Array, node: Integer) -> None:
    """Add a rollout with these *shares* to a *node* and all its ancestors (backpropagation).

    Args:
        tree: Fields of all nodes, node by node (``int32``), shape ``(nodes * NODE_FIELDS,)``.
        totals: Sum of the shares of the win for each node (``float64``), shape ``(nodes,)``.
        shares: Share of the win of each seat, 0 to 1 (``float64``), shape ``(seats,)``.
        node: Number of the rollout's leaf.
    """
    while True:
        set_field(tree, node, VISITS, get_field(tree, node, VISITS) + 1)
        poke(totals, node, peek(totals, node) + peek(shares, get_field(tree, node, SEAT)))
        if node == 0:
            break
        node = get_field(tree, node, PARENT)


@inlined
def _descend(
    players: PackedPlayers,
    player: Integer,
    guided: bool,
    valued: bool,
    now: Position,
    used: Integer,
    limit: Integer,
    exploration: float,
    workspace: BoardWorkspace,
) -> tuple[Integer, Position, Integer, Integer, Number]:
    """Descend the tree to a leaf, which may be new (selection and expansion).

    Args:
        players: Packed players.
        player: Row of the searching player.
        guided: True if its policy gives priors.
        valued: True if leaves are valued before chance events; a chance outcome is no leaf then.
        now: State at the root; it is changed.
        used: Number of nodes used.
        limit: Maximum number of nodes.
        exploration: Constant of the upper confidence bound.
        workspace: See `evolve_arena.players.board.workspace`.

    Returns:
        Node, state, number of moves made, number of nodes used, and True if an end of the game here
        holds wherever the node is reached.
    """
    states, moves, rng = workspace.states, workspace.moves, workspace.streams
    tree, totals, table = workspace.tree, workspace.totals, workspace.outcomes
    node, ply, sure, drawn = np.int64(0), peek(workspace.plies, 0), True, False
    while get_field(tree, node, WINNER) == 0:
        if get_field(tree, node, COUNT) == 0:
            if node > 0 and get_field(tree, node, VISITS) == 0 and not (valued and drawn):
                break
            # Chance node: draw an outcome, and find or make its child.
            if HAS_CHANCE:
                outcomes = count_outcomes(states, now)
                if outcomes > 0:
                    outcome = below(rng, outcomes)
                    now = happen(states, LEVEL, now, outcome)
                    place = find_outcome(tree, table, node, outcome)
                    if peek(table, place) == 0:
                        if used == limit:  # the tree is full: the outcome has no node
                            sure = False
                            break
                        poke(table, place, used)
                        mover = get_field(tree, node, SEAT)
                        used = start_node(tree, totals, used, node, outcome, mover)
                    node, drawn = np.int64(peek(table, place)), True
                    continue
            # Expansion: a child for each legal move
            if adjudicate_at(states, now, ply) != GOES_ON or ply >= LONGEST or used + MOVES > limit:
                break
            count = list_moves(states, now, moves, MOVES)
            set_field(tree, node, FIRST, used)
            set_field(tree, node, COUNT, count)
            mover, first = find_mover(states, now), used
            for place in range(count):  # in random order, as they will be visited in turn
                other = first + below(rng, place + 1)
                used = start_node(tree, totals, used, node, get_field(tree, other, MOVE), mover)
                set_field(tree, other, MOVE, peek(moves, MOVES + place))
            if HAS_PRIORS and guided:
                write_policy(players, player, mover, now, workspace)
                _fill_priors(first, count, workspace)
        # Selection
        if HAS_PRIORS and guided:
            node = _pick_guided(tree, totals, workspace.priors, node, exploration)
        else:
            node = _pick_child(tree, totals, node, exploration)
        ply, drawn = ply + 1, False
        now = advance(states, now, get_field(tree, node, MOVE), ply)
    sure = sure and count_outcomes(states, now) == 0
    return node, now, ply, used, sure


@inlined
def value_end(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    node: Integer,
    ply: Integer,
    workspace: BoardWorkspace,
) -> Number:
    """Write the result of a leaf into ``shares``: proven, by value, or by simulation.

    Args:
        players: Packed players.
        slot: Seat of the searching player.
        state: State of the node; it is changed.
        node: Leaf, or a node that is proven.
        ply: Number of moves made.
        workspace: See `evolve_arena.players.board.workspace`.

    Returns:
        True if the game is over at the node.
    """
    states, rng, shares = workspace.states, workspace.streams, workspace.shares
    # Proven nodes
    winner = get_field(workspace.tree, node, WINNER)
    if winner > 0:
        for seat in range(SEATS):
            poke(shares, seat, np.float64(seat == winner - 1))
        return False
    # Values by a network, of afterstates before chance events where there are some
    if MIRRORS and node > 0 and _has_values(players, slot, workspace):
        goes_on = adjudicate_at(states, state, ply) == GOES_ON and ply < LONGEST
        if goes_on or count_outcomes(states, state) > 0:
            side = get_field(workspace.tree, node, SEAT)
            _share_value(players, slot, side, state, workspace)
            return False
    # Chance events, and the end of the game
    state = settle(states, state, rng)
    verdict = adjudicate_at(states, state, ply)
    over = verdict != GOES_ON or ply >= LONGEST
    if HAS_DEEP_VALUES and not over and _has_values(players, slot, workspace):
        _share_value(players, slot, np.int64(slot), state, workspace)
        return False
    # Simulation by random moves
    moves, count = workspace.moves, 0
    while verdict == GOES_ON and ply < LONGEST:
        if not MOVES_STAY or count == 0:
            count = list_moves(states, state, moves, MOVES)
        place = MOVES + below(rng, count)
        move = peek(moves, place)
        if MOVES_STAY:
            count -= 1
            remove_move(moves, place, MOVES + count)
        ply += 1
        state = settle(states, advance(states, state, move, ply), rng)
        verdict = adjudicate_at(states, state, ply)
    _share(states, state, verdict, shares)
    return over


@inlined
def _share_value(
    players: PackedPlayers, slot: Integer, side: Integer, state: Position, workspace: BoardWorkspace
) -> None:
    """Write the searching player's value of a *state*, as observed by seat *side*, into shares."""
    seen = np.int64(slot)
    if MIRRORS and side != slot:
        seen = MIRROR + side
    # Any value is squashed into a share from 0 to 1; the opponent has the rest.
    value = value_leaf(refer((players, workspace)), seen, state) * (1.0 / RESOLUTION)
    share = 0.5 + 0.5 * value / (1.0 + abs(value))
    poke(workspace.shares, side, share)
    poke(workspace.shares, 1 - side, 1.0 - share)


@inlined
def _has_values(players: PackedPlayers, slot: Integer, workspace: BoardWorkspace) -> Number:
    """Test whether the searching player in a *slot* values leaves, in place of simulations."""
    player = peek(workspace.players, slot)
    if HAS_PRIORS and has_policy(players, player):
        return False
    return players.seats[player, KIND] != MCTS


@inlined
def has_policy(players: PackedPlayers, player: Integer) -> Number:
    """Test whether a player has an output for each move."""
    kind = players.seats[player, KIND]
    return kind in (NETWORK, GRAPH, DENSE) and players.seats[player, HEAD] == POLICY


@inlined
def _fill_priors(first: Integer, count: Integer, workspace: BoardWorkspace) -> None:
    """Write the priors of *count* nodes from *first* on, by the policy's outputs."""
    highest, scale = scale_policy(workspace.outputs, workspace.moves, count)
    for child in range(first, first + count):
        move = keep_move(get_field(workspace.tree, child, MOVE))
        prior = math.exp(np.float64(peek(workspace.outputs, move)) - highest) * scale
        poke(workspace.priors, child, np.float32(prior))


@inlined
def scale_policy(outputs: Array, moves: Array, count: Integer) -> tuple[float, float]:
    """Compute the softmax of *outputs* over *count* legal *moves*, from index MOVES on.

    Args:
        outputs: Output of the policy for each move (``float32``), at least MOVES of them.
        moves: Array of ``int64`` that holds the legal moves from index MOVES on.
        count: Number of legal moves, at least 1.

    Returns:
        Highest output, and the factor of ``exp(output - highest)`` for which the sum is 1.
    """
    highest, total = -np.inf, 0.0
    for place in range(count):
        highest = max(highest, np.float64(peek(outputs, keep_move(peek(moves, MOVES + place)))))
    for place in range(count):
        output = peek(outputs, keep_move(peek(moves, MOVES + place)))
        total += math.exp(np.float64(output) - highest)
    return highest, 1.0 / total


@inlined
def get_field(tree: Array, node: Integer, field: Integer) -> Integer:
    """Return a *field* of a *node*.

    Args:
        tree: Fields of all nodes, node by node (``int32``), shape ``(nodes * NODE_FIELDS,)``.
        node: Number of the node; the root is 0.
        field: Field, such as `workspace.VISITS`, below NODE_FIELDS.
    """
    return np.int64(peek(tree, NODE_FIELDS * node + field))


@inlined
def set_field(tree: Array, node: Integer, field: Integer, number: Integer) -> None:
    """Set a *field* of a *node* to a *number*.

    Args:
        tree: Fields of all nodes, node by node (``int32``), shape ``(nodes * NODE_FIELDS,)``.
        node: Number of the node; the root is 0.
        field: Field, such as `workspace.VISITS`, below NODE_FIELDS.
        number: New value, within the range of ``int32``.
    """
    poke(tree, NODE_FIELDS * node + field, number)


@inlined
def start_node(
    tree: Array, totals: Array, node: Integer, parent: Integer, move: Integer, seat: Integer
) -> Integer:
    """Create a *node* without visits; return the number of the next one.

    Args:
        tree: Fields of all nodes, node by node (``int32``), shape ``(nodes * NODE_FIELDS,)``.
        totals: Sum of the shares of the win for each node (``float64``), shape ``(nodes,)``.
        node: Number of the new node; 0 for the root.
        parent: Number of its parent; 0 for the root.
        move: Move or chance outcome that leads to it; with hidden information the key of a move.
        seat: Seat that made the move; after a chance event that of the parent.
    """
    for field in range(NODE_FIELDS):
        set_field(tree, node, field, np.int64(0))
    set_field(tree, node, PARENT, parent)
    set_field(tree, node, MOVE, move)
    set_field(tree, node, SEAT, seat)
    poke(totals, node, 0.0)
    return node + 1


@inlined
def find_outcome(tree: Array, table: Array, node: Integer, outcome: Integer) -> Integer:
    """Return the index in the hash table of a *node*'s child by an *outcome*; it may be free.

    Args:
        tree: Fields of all nodes, node by node (``int32``), shape ``(nodes * NODE_FIELDS,)``.
        table: Numbers of nodes (``int32``), 0 where a place is free; the length is a power of two.
        node: Number of the parent.
        outcome: Chance outcome; with hidden information the key of a move.
    """
    # Open addressing with linear probing; node 0 is the root, so 0 marks a free place.
    mask = np.uint64(table.shape[0] - 1)
    place = mix((np.uint64(node) << np.uint64(32)) ^ np.uint64(outcome)) & mask
    while True:
        child = np.int64(peek(table, np.int64(place)))
        if child == 0:
            break
        same = get_field(tree, child, MOVE) == np.int32(outcome)
        if same and get_field(tree, child, PARENT) == node:
            break
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@inlined
def _pick_child(tree: Array, totals: Array, node: Integer, exploration: float) -> Integer:
    """Select the first child without visits, or the one with the highest UCB1 bound."""
    # UCB1; proven nodes, which are no wins of the player to move, come last
    first = get_field(tree, node, FIRST)
    spread = exploration * math.sqrt(math.log(np.float64(get_field(tree, node, VISITS))))
    best, highest = first, 2.0 * LOST
    for child in range(first, first + get_field(tree, node, COUNT)):
        visits = get_field(tree, child, VISITS)
        if visits == 0:  # children stand in random order
            return child
        bound = LOST
        if get_field(tree, child, WINNER) == 0:
            mean = peek(totals, child) / visits
            bound = mean + spread / math.sqrt(np.float64(visits))
        if bound > highest:
            best, highest = child, bound
    return best


@inlined
def _pick_guided(
    tree: Array, totals: Array, priors: Array, node: Integer, exploration: float
) -> Integer:
    """Select the child with the highest PUCT bound."""
    first, count = get_field(tree, node, FIRST), get_field(tree, node, COUNT)
    # The value of children without visits: the mean of those visited
    visited, gained = 0.0, 0.0
    for child in range(first, first + count):
        visited += get_field(tree, child, VISITS)
        gained += peek(totals, child)
    unknown = gained / visited if visited > 0 else 0.5
    # The bound: mean and prior
    spread = exploration * math.sqrt(max(1.0, visited))
    best, highest = first, 2.0 * LOST
    for child in range(first, first + count):
        bound = LOST
        if get_field(tree, child, WINNER) == 0:
            visits = get_field(tree, child, VISITS)
            mean = peek(totals, child) / visits if visits > 0 else unknown
            bound = mean + spread * np.float64(peek(priors, child)) / (1.0 + visits)
        if bound > highest:
            best, highest = child, bound
    return best


@inlined
def _pick_root(tree: Array, totals: Array, slot: Integer) -> Integer:
    """Return the most visited move; proven wins come first, proven losses last."""
    first = get_field(tree, 0, FIRST)
    chosen, most, best = np.int64(-1), np.int64(0), 0.0
    for child in range(first, first + get_field(tree, 0, COUNT)):
        move, winner = get_field(tree, child, MOVE), get_field(tree, child, WINNER)
        if winner == slot + 1:
            return move
        visits = get_field(tree, child, VISITS) - (LAST if winner > 0 else 0)
        total = peek(totals, child)
        better = visits > most or (visits == most and total > best)
        if chosen < 0 or better or (visits == most and total == best and move < chosen):
            chosen, most, best = move, visits, total
    return chosen


@inlined
def _share(states: Array, state: Position, verdict: Integer, shares: Array) -> None:
    """Write each seat's share of the win; seats that are first together share it equally.

    With a STAKE, the share grows with the points, from 0 to 1.
    """
    if STAKE > 0:
        for seat in range(SEATS):
            part = 0.5 + count_points(states, state, verdict, seat) / (2.0 * STAKE)
            poke(shares, seat, min(max(part, 0.0), 1.0))
        return
    # The points of each seat, the maximum, and the number of seats that have it
    most, winners = np.int64(0), 0
    for seat in range(SEATS):
        own = count_points(states, state, verdict, seat)
        if winners == 0 or own > most:
            most, winners = own, 0
        winners += own == most
        poke(shares, seat, np.float64(own))
    # Then the share of the win.
    for seat in range(SEATS):
        poke(shares, seat, 1.0 / winners if peek(shares, seat) == most else 0.0)


@inlined
def _prove(tree: Array, shares: Array, node: Integer) -> None:
    """Record the sole winner at a *node* where the game is over, and at ancestors that this proves.

    The player to move wins if one move wins; another seat wins if it wins after all moves.
    """
    winner = 0
    for seat in range(SEATS):
        if peek(shares, seat) == 1.0:
            winner = seat + 1
    # Go up while the proof holds: a winning move of the mover, or the same winner for all moves.
    proven = winner > 0
    while proven:
        set_field(tree, node, WINNER, winner)
        mover = get_field(tree, node, SEAT)
        node = get_field(tree, node, PARENT)
        first = get_field(tree, node, FIRST)
        count = get_field(tree, node, COUNT)
        proven = count > 0 and get_field(tree, node, WINNER) == 0
        if proven and mover + 1 != winner:  # all siblings must have that winner
            for child in range(first, first + count):
                if get_field(tree, child, WINNER) != winner:
                    proven = False
                    break
