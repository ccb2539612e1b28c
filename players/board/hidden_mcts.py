"""Monte Carlo tree search for hidden information (ISMCTS), for any number of seats.

Each rollout draws the hidden part of the state from the player's view alone (determinization), and
descends one tree over information sets: a child is identified by the player's view at the node,
after chance events, and by the move. As legal moves depend on the determinization, the bound of a
child counts how often its move was available, instead of the visits of its parent:

    mean + exploration * sqrt(log(times available) / visits)

A legal move without a node is tried first, and its node is the leaf. Networks give values of leaves
or priors, as in `evolve_arena.players.board.mcts`; the policy at another seat observes the
determinization. Nothing is proven: a win in one determinization may be a loss in the next.

Source: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions
on Computational Intelligence and AI in Games, 2012, SO-ISMCTS. As there, moves of others are taken
as observed, and their information sets are not distinguished, so it bluffs and infers little.
"""

from __future__ import annotations

import math

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import GOLDEN, below, mix
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.mcts import (
    HAS_PRIORS,
    LEVEL,
    LOST,
    add_shares,
    find_outcome,
    get_field,
    has_policy,
    scale_policy,
    set_field,
    start_node,
    value_end,
)
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    MOVES,
    adjudicate,
    advance,
    draw_hidden,
    find_mover,
    hash_view,
    keep_move,
    list_moves,
    settle,
)
from evolve_arena.players.board.values import write_policy
from evolve_arena.players.board.workspace import (
    AVAILABLE,
    EXPLORATION,
    NODES,
    ROLLOUTS,
    VISITS,
    BoardWorkspace,
)
from evolve_arena.players.packed import PackedPlayers

VIEW_LEVEL = np.int64(2)
"""Level (row of ``states``) for a seat's view of a state, which is hashed there."""
UNTRIED = 2 * MOVES
"""Index in ``moves`` of the list of moves without a node."""


@compiled
def choose_by_guesses(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Search, and return the most visited move; ties go to the better value, then to the first.

    Args:
        players: Packed players.
        slot: Slot of the searching player: the number of its seat.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        count: Number of legal moves, the first ones in ``workspace.moves``.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
    """
    # An empty tree; children are found in the hash table only.
    tree, totals, table = workspace.tree, workspace.totals, workspace.outcomes
    player = peek(workspace.players, slot)
    exploration = players.seats[player, EXPLORATION] * 2.0**-32
    for place in range(table.shape[0]):
        poke(table, place, 0)
    used = start_node(tree, totals, np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    for _ in range(players.seats[player, ROLLOUTS]):
        used = _run(players, player, slot, state, used, exploration, workspace)
    # The most visited child of the root
    sight = hash_view(workspace.states, VIEW_LEVEL, state, slot)
    chosen, most, best = peek(workspace.moves, 0), np.int64(0), 0.0
    for place in range(count):
        move = peek(workspace.moves, place)
        child = _find_child(tree, table, np.int64(0), sight, move)[0]
        if child > 0:
            visits, total = get_field(tree, child, VISITS), peek(totals, child)
            if visits > most or (visits == most and total > best):
                chosen, most, best = move, visits, total
    return chosen


@inlined
def _run(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    used: Integer,
    exploration: float,
    workspace: BoardWorkspace,
) -> Integer:
    """Run one rollout; return the number of nodes *used* afterwards."""
    states, rng = workspace.states, workspace.streams
    tree, totals = workspace.tree, workspace.totals
    guided = HAS_PRIORS and has_policy(players, player)
    # Determinization
    now = draw_hidden(states, LEVEL, state, slot, rng)
    node, ply = np.int64(0), peek(workspace.plies, 0)
    while node == 0 or get_field(tree, node, VISITS) > 0:
        now = settle(states, now, rng)
        if adjudicate(states, now) != GOES_ON or ply >= LONGEST:
            break
        # Selection
        count = list_moves(states, now, workspace.moves, MOVES)
        mover = find_mover(states, now)
        sight = hash_view(states, VIEW_LEVEL, now, slot)
        if HAS_PRIORS and guided:
            write_policy(players, player, mover, now, workspace)
            move = _pick_guided(node, sight, count, exploration, workspace)
        else:
            move = _pick_available(node, sight, count, exploration, workspace)
        # Expansion
        child, key, place = _find_child(tree, workspace.outcomes, node, sight, move)
        if child == 0:
            if used == players.seats[player, NODES]:
                break
            child = used
            poke(workspace.outcomes, place, child)
            used = start_node(tree, totals, child, node, key, mover)
            set_field(tree, child, AVAILABLE, np.int64(1))
        now = advance(states, now, move, ply + 1)
        node, ply = child, ply + 1
    # Simulation or evaluation, then backpropagation
    value_end(players, slot, now, node, ply, workspace)
    add_shares(tree, totals, workspace.shares, node)
    return used


@inlined
def _find_child(
    tree: Array, table: Array, node: Integer, sight: Number, move: Integer
) -> tuple[Integer, Integer, Integer]:
    """Return a *node*'s child by a *move* (0 for none), its key, and its index in the *table*."""
    key = np.int64(mix(sight ^ (GOLDEN * np.uint64(move + 1))) >> np.uint64(33))
    place = find_outcome(tree, table, node, key)
    return np.int64(peek(table, place)), key, place


@inlined
def _pick_available(
    node: Integer, sight: Number, count: Integer, exploration: float, workspace: BoardWorkspace
) -> Integer:
    """Select a legal move without a node, or the one with the highest upper confidence bound."""
    tree, totals, table = workspace.tree, workspace.totals, workspace.outcomes
    moves, untried = workspace.moves, 0
    best, highest = peek(moves, MOVES), LOST
    for place in range(count):
        move = peek(moves, MOVES + place)
        child = _find_child(tree, table, node, sight, move)[0]
        if child == 0:  # no node yet
            poke(moves, UNTRIED + untried, move)
            untried += 1
            continue
        # UCB1 with the count of availability in place of the parent's visits
        times = get_field(tree, child, AVAILABLE)
        set_field(tree, child, AVAILABLE, times + 1)
        visits = np.float64(get_field(tree, child, VISITS))
        bound = peek(totals, child) / visits
        bound += exploration * math.sqrt(math.log(np.float64(times)) / visits)
        if bound > highest:
            best, highest = move, bound
    # Moves without a node come first, in random order.
    if untried > 0:
        return peek(moves, UNTRIED + below(workspace.streams, untried))
    return best


@inlined
def _pick_guided(
    node: Integer, sight: Number, count: Integer, exploration: float, workspace: BoardWorkspace
) -> Integer:
    """Select the legal move with the highest PUCT bound, by the policy's outputs."""
    tree, totals, table = workspace.tree, workspace.totals, workspace.outcomes
    moves, outputs = workspace.moves, workspace.outputs
    # The value of moves without visits: the mean of those visited
    visited, gained = 0.0, 0.0
    for place in range(count):
        child = _find_child(tree, table, node, sight, peek(moves, MOVES + place))[0]
        if child > 0:
            visited += get_field(tree, child, VISITS)
            gained += peek(totals, child)
    unknown = gained / visited if visited > 0 else 0.5
    spread = exploration * math.sqrt(max(1.0, visited))
    # The bound: mean and prior
    strongest, scale = scale_policy(outputs, moves, count)
    best, highest = peek(moves, MOVES), LOST
    for place in range(count):
        move = peek(moves, MOVES + place)
        child = _find_child(tree, table, node, sight, move)[0]
        prior = math.exp(np.float64(peek(outputs, keep_move(move))) - strongest) * scale
        visits, mean = np.int64(0), unknown  # of a move without a node
        if child > 0:
            visits = get_field(tree, child, VISITS)
            mean = peek(totals, child) / visits
        bound = mean + spread * prior / (1.0 + visits)
        if bound > highest:
            best, highest = move, bound
    return best
