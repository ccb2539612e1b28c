"""Alpha-beta search in compiled board games, with a transposition table.

Negamax: a node's value is that of the player to move. The same player may move again, and the value
of a chance node is the mean. Accelerators of the file are used where given: a move that wins at
once is not searched (``wins``), nor is one after which the opponent has such a move (``safe``), and
the evaluation is updated move by move (``gain``). They change no value.

Values depend only on the position, the plies left and the player that searches: neither the table,
nor the order of moves, nor the window changes which moves are best.

Where repetition ends a game, a position that occurred in the game before counts as a draw at once,
as is usual: a player who can repeat it once can repeat it again. A position that only the search
reaches twice is no draw, or values would depend on the line. So until a move makes progress, values
also depend on the game's positions since the last progress, and node keys include these.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, mix
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.simd import follow_reference, peek, poke, refer, seldom
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_CHANCE,
    HAS_CHANGES,
    HAS_GAIN,
    HAS_ORDER,
    HAS_PAST,
    HAS_QUIET,
    HAS_SAFE,
    HAS_WINS,
    LONGEST,
    MOVES,
    ONLY_WINS,
    SEATS,
    adjudicate,
    adjudicate_exhausted,
    count_outcomes,
    find_endgame,
    find_gain,
    find_key,
    find_mover,
    find_order,
    find_quiet_key,
    happen,
    is_quiet,
    list_deeper_moves,
    list_safe,
    list_wins,
    mark_past,
    recurs,
    search_on,
    weigh,
)
from evolve_arena.players.board.values import (
    HAS_DEEP_VALUES,
    MIRROR,
    change_deeper,
    see_deeper,
    sees_levels,
    slot_at,
    take_mirror,
    value_leaf,
    value_summed,
)
from evolve_arena.players.board.workspace import (
    DEPTH,
    ENDGAMES,
    MAX_EXTRA,
    SEARCH,
    TABLE_DEPTH,
    BoardWorkspace,
)
from evolve_arena.players.packed import KIND, PackedPlayers
from evolve_arena.players.search import INFINITE as FARTHEST
from evolve_arena.players.search import (
    NODES,
    UNKNOWN,
    WIN,
    count_node,
    find_slot,
    probe,
    remembered_move,
    store,
)

HAS_SEARCHES = True
"""True if any player searches by alpha-beta; False in copies compiled for other players."""

HAS_ENDGAMES = True
"""True if any searching player knows endgames; False in copies compiled for other players."""

GAINS = HAS_GAIN and not HAS_CHANCE
SAFE = HAS_SAFE and HAS_WINS and not HAS_CHANCE and not HAS_PAST
SKIPS_ADJUDICATION = HAS_WINS and ONLY_WINS and not HAS_CHANCE
LAST_BY_GAIN = SKIPS_ADJUDICATION and GAINS and not HAS_QUIET and not HAS_PAST and not HAS_ENDGAMES
"""True if the last ply is valued by gains alone, without playing the moves. Like the three flags
above, this is a shortcut that accelerators of the file allow."""
INFINITE = np.int64(FARTHEST)
SURE = np.float64(WIN - 128)
"""Maximum value of a leaf in games of chance, below that of a proven win."""
FIRST, MAX_GAIN, GAIN_BITS = np.int64(2**62), np.int64(2**29), np.int64(32)
"""Priority of the move to try first; the limit of a gain; and the bits by which gains are shifted
in a priority, so that they outweigh the history of cutoffs."""
PLIES, LIMIT, PAST, MARKS, HISTORY_AT = 0, 1, 2, 3, 4
WINS_AT = HISTORY_AT + SEATS * MOVES
LISTS_AT = WINS_AT + MOVES
LIST = 2 * MOVES
"""Layout of ``workspace.room``, the array of a search: number of moves made in the match; limit of
nodes, 0 for none; two words for earlier positions, see `rules.mark_past`; the history of cutoffs
for each seat and move; moves that win at once; and for each level LIST numbers: the moves, then
their priorities."""
VALUED_DEPTH = 3
"""Fewest plies left at which moves are ordered by the searching player's values."""
KEPT = np.int64(1023)
"""Mask of the bits of a move that the table keeps; lost bits only make a hint worse."""
DRAW, DRAWN = 0, 1 / 16
"""Value in tables of a drawn endgame; and the factor of its evaluation, so that a search prefers
draws that are hard for the opponent, but almost any advantage elsewhere."""


Asked: TypeAlias = Any
"""Reference to the players and the workspace, and the seat of the searching player, which may give
the values of leaves or know endgames; None if no player of this compiled copy does."""


@inlined
def choose_by_search(
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    count: Integer,
    winning: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Return one of the best moves at random; the first one if a network gives the values.

    Args:
        players: Packed players.
        slot: Slot of the searching player: the number of its seat.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        count: Number of legal moves, the first ones in ``workspace.moves``.
        winning: Number of moves that win at once, the first ones in ``workspace.wins``; 0 if the
            file has no ``wins``.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
    """
    # Evolved players take the first of equal moves, so that they are deterministic.
    values, moves = workspace.ratings, workspace.moves
    equals: Number = np.int64(0)
    draws = players.seats[peek(workspace.players, slot), KIND] == SEARCH
    if winning > 0:
        many = draws and winning > 1
        return peek(workspace.wins, below(workspace.streams, winning) if many else 0)
    # Values, then one of the best moves
    best = value_moves(players, slot, state, count, False, workspace)
    for place in range(count):
        equals += peek(values, place) == best
    left = below(workspace.streams, equals) if draws and equals > 1 else np.int64(0)
    for place in range(count):
        if peek(values, place) == best:
            if left == 0:
                return peek(moves, place)
            left -= 1
    return np.int64(-1)


@compiled
def value_moves(  # noqa: PLR0912  (a function that is called there would not find `_value`)
    players: PackedPlayers,
    slot: Integer,
    state: Position,
    count: Integer,
    exact: bool,
    workspace: BoardWorkspace,
) -> Integer:
    """Write the values of the listed moves in a *state* into ``ratings``; return the best.

    If the file has ``wins``, moves that win at once are not valued as wins, as the caller knows
    them already.

    Args:
        players: Packed players.
        slot: Slot of the searching player, with its depth: the number of its seat.
        state: State before the move: a tuple, or its row in ``workspace.states``.
        count: Number of moves to value, the first ones in ``workspace.moves``.
        exact: True if all values must be exact; if not, those below the best may be bounds.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
    """
    # The evaluation at the root, and the list of its moves
    states, room, values = workspace.states, workspace.room, workspace.ratings
    side, depth = np.int64(slot), players.seats[peek(workspace.players, slot), DEPTH]
    asked = (refer((players, workspace)), side) if HAS_DEEP_VALUES or HAS_ENDGAMES else None
    if _is_asked(asked):
        take_mirror(players, side, state, workspace)
    own = np.int64(0)
    if GAINS and not _is_asked(asked):
        own = weigh(states, state, side)
    _begin(states, room, peek(workspace.plies, 0))
    for place in range(count):
        poke(room, LISTS_AT + place, peek(workspace.moves, place))
    # The table and the order of moves
    memory, key, table, hint = workspace.memory, np.uint64(0), np.int64(-1), np.int64(-1)
    if not HAS_CHANCE and depth >= TABLE_DEPTH:
        key = _find_node_key(asked, states, state, room, peek(room, PLIES), depth)
        table = np.int64(find_slot(memory, key))
        hint = np.int64(remembered_move(memory, table, key))
    promise_all(states, state, side, room, np.int64(LISTS_AT), count, hint)
    if _is_ordered_by_values(asked, depth):
        for place in range(LISTS_AT, LISTS_AT + count):
            move = peek(room, place)
            if move & KEPT != hint:
                trial = _try_move(asked, states, np.int64(1), state, move, peek(room, PLIES) + 1)
                value = _value(
                    *(asked, trial, side, own, np.int64(0), -INFINITE, INFINITE, np.int64(1)),
                    *(states, room, memory),
                )
                poke(room, place + MOVES, value)
    lost = 2 - WIN - depth
    # Moves that are not safe lose at once; UNKNOWN marks the others.
    if SAFE and depth > 1:
        listed = LISTS_AT + LIST
        safe, at = list_safe(states, state, room, listed), 0
        for place in range(count):
            poke(values, place, lost)
            if at < safe and peek(room, listed + at) == peek(room, LISTS_AT + place):
                poke(values, place, UNKNOWN)
                at += 1
    # The search, the move of the highest priority first
    best, best_move, promises = -INFINITE, np.int64(0), LISTS_AT + MOVES
    for _ in range(count):
        place = _find_most(room, promises, promises + count) - promises
        poke(room, promises + place, -FIRST)
        if not (SAFE and depth > 1) or peek(values, place) == UNKNOWN:
            move = peek(room, LISTS_AT + place)
            gained = own + find_gain(states, state, move) if GAINS else own
            low = -INFINITE if exact else best - 1  # tells equals from worse
            trial = _try_move(asked, states, np.int64(1), state, move, peek(room, PLIES) + 1)
            # All arguments have the types that the recursion passes on: a function compiled for two
            # combinations of types would not find calls of itself in the cache.
            value = _value(
                *(asked, trial, side, gained, depth - 1, low, INFINITE, np.int64(1)),
                *(states, room, memory),
            )
            poke(values, place, value)
        if peek(values, place) > best:
            best, best_move = peek(values, place), peek(room, LISTS_AT + place)
    if table >= 0 and not is_aborted(room, memory):
        store(memory, table, key, depth, -INFINITE, INFINITE, best, best_move & KEPT)
    return best


@inlined
def _begin(states: Array, room: Array, plies: Integer) -> None:
    """Store the number of moves made in the match, and the two words for earlier positions."""
    poke(room, PLIES, plies)
    if HAS_PAST:
        past, marks = mark_past(states, plies)
        poke(room, PAST, np.int64(past))
        poke(room, MARKS, np.int64(marks))


@inlined
def is_aborted(room: Array, memory: Array) -> Number:
    """Test whether a search has exceeded its limit of nodes, and so has no result."""
    return seldom(peek(room, LIMIT) > 0) and peek(memory, NODES) > peek(room, LIMIT)


@compiled
def _value(  # noqa: PLR0911, PLR0912, PLR0915  (one function, as it calls itself)
    asked: Asked,
    state: Position,
    side: Integer,
    score: Number,
    depth: Integer,
    low: Number,
    high: Number,
    level: Integer,
    states: Array,
    room: Array,
    memory: Array,
) -> Integer:
    """Return the value to a *side* of the *state* to which it has moved.

    Args:
        asked: See :data:`Asked`.
        state: State at that *level*.
        side: Seat that moved last.
        score: The game's evaluation for *side*, if it is updated by gains.
        depth: Plies left; below 0 in the search for a quiet state.
        low: Lower end of the window: values up to it are bounds.
        high: Upper end of the window: values from it on are bounds.
        level: Number of moves and chance events since the root.
        states: Rows of states.
        room: See :data:`LISTS_AT`.
        memory: Transposition table.
    """
    # Chance nodes
    if HAS_CHANCE:
        if level + 2 > states.shape[0]:
            return _value_leaf(asked, state, side, score, level, states)
        outcomes = count_outcomes(states, state)
        if outcomes > 0 and depth <= 0 and _is_asked(asked):
            return _value_leaf(asked, state, side, score, level, states)
        if outcomes > 0:  # the mean needs exact values, so the window is open
            total = np.int64(0)
            for outcome in range(outcomes):
                trial = happen(states, level + 1, state, np.int64(outcome))
                total += _value(
                    *(asked, trial, side, score, depth, -INFINITE, INFINITE, level + 1),
                    *(states, room, memory),
                )
            return np.int64(total // outcomes)
    # The end of the game
    ply = peek(room, PLIES) + level
    if not SKIPS_ADJUDICATION or ply >= LONGEST:
        verdict = adjudicate(states, state)
        if verdict != GOES_ON:
            return np.int64((1 - 2 * side) * verdict * (WIN + depth))
    if HAS_PAST and recurs(states, state, ply, peek(room, PLIES), np.uint64(peek(room, MARKS))):
        return np.int64((1 - 2 * side) * adjudicate_exhausted(states, state) * (WIN + depth))
    # Solved endgames: the sooner a win and the later a loss, the better
    if HAS_ENDGAMES:
        known = _look_up(asked, state)
        if known == DRAW:
            return np.int64(DRAWN * _value_leaf(asked, state, side, score, level, states))
        if known != UNKNOWN:
            worth = WIN + depth - abs(known)
            return np.int64(worth if (known > 0) == (find_mover(states, state) == side) else -worth)
    # Leaves
    if depth <= 0 and (not HAS_QUIET or depth <= -MAX_EXTRA or is_quiet(states, state)):
        return _value_leaf(asked, state, side, score, level, states)
    mover = find_mover(states, state)
    # From here on values are those of the player to move; the sign is restored at the end.
    sign = np.int64(1 if mover == side else -1)
    if sign < 0:
        low, high, score = -high, -low, -score
    if HAS_WINS and (sign > 0 or not SAFE) and wins_at_once(states, state, room):
        return np.int64(sign * (WIN + depth - 1))
    # Moves
    at = np.int64(LISTS_AT + level * LIST)
    if SAFE and depth > 1:
        count = list_safe(states, state, room, at)
        if count == 0:
            return np.int64(sign * (2 - WIN - depth))
    else:
        count = list_deeper_moves(states, state, room, at)
        if count == 0:  # beyond LONGEST
            return np.int64(0)
    if LAST_BY_GAIN and depth == 1 and ply + 1 < LONGEST and not _is_asked(asked):
        return np.int64(sign * (score + _find_most_gain(states, state, room, at, count)))
    # The transposition table
    key, place, hint = np.uint64(0), np.int64(-1), np.int64(-1)
    if not HAS_CHANCE and depth >= TABLE_DEPTH:
        key = _find_node_key(asked, states, state, room, ply, depth)
        place = np.int64(find_slot(memory, key))
        known = np.int64(probe(memory, place, key, depth, low, high))
        if known != UNKNOWN:
            return np.int64(sign * known)
        hint = np.int64(remembered_move(memory, place, key))
    count_node(memory)
    if is_aborted(room, memory):
        return np.int64(0)
    # The search
    ordered = depth > 1 or HAS_ORDER
    if ordered:
        promise_all(states, state, mover, room, at, count, hint)
    _see_deeper(asked, state, level)
    if _is_ordered_by_values(asked, depth):
        for number in range(at, at + count):
            move = peek(room, number)
            if move & KEPT != hint:
                trial = _try_move(asked, states, level + 1, state, move, ply + 1)
                value = _value(
                    *(asked, trial, mover, score, np.int64(0), -INFINITE, INFINITE, level + 1),
                    *(states, room, memory),
                )
                poke(room, number + MOVES, value)
    best, best_move, floor = -INFINITE, np.int64(0), low
    for number in range(at, at + count):
        if ordered:
            bring_forward(room, number, at + count)
        move = peek(room, number)
        gained = score
        if GAINS:
            gained = score + find_gain(states, state, move)
        trial = _try_move(asked, states, level + 1, state, move, ply + 1)
        value = _value(
            *(asked, trial, mover, gained, depth - 1, floor, high, level + 1),
            *(states, room, memory),
        )
        if value > best:  # raise alpha; at beta, cut off
            best, best_move = value, move
            floor = max(floor, best)
            if best >= high:
                if ordered and depth > 0:
                    note_cutoff(room, mover, move, depth)
                break
    if place >= 0 and not is_aborted(room, memory):
        store(memory, place, key, depth, low, high, best, best_move & KEPT)
    return np.int64(sign * best)


@inlined
def _is_ordered_by_values(asked: Asked, depth: Integer) -> Number:
    """Test whether moves at a node are ordered by the searching player's values.

    Gains or the file's ``order`` need less time and are about as good.
    """
    if HAS_CHANCE or HAS_ORDER or GAINS:
        return False
    return depth >= VALUED_DEPTH and _is_asked(asked)


@inlined
def _is_asked(asked: Asked) -> Number:
    """Test whether the searching player gives the values of leaves itself."""
    if HAS_DEEP_VALUES:
        reference, slot = asked
        players, workspace = follow_reference(reference)
        return players.seats[peek(workspace.players, slot), KIND] != SEARCH
    return False


@inlined
def _is_summed(asked: Asked) -> Number:
    """Test whether the searching player values leaves by sums that are updated level by level."""
    if HAS_DEEP_VALUES:
        reference, slot = asked
        players, workspace = follow_reference(reference)
        return sees_levels(players, peek(workspace.players, slot))
    return False


@inlined
def _see_deeper(asked: Asked, state: Position, level: Integer) -> None:
    """Update the searching player's sums for a *state*, before its moves are tried."""
    if HAS_DEEP_VALUES and not HAS_CHANGES and _is_summed(asked):
        reference, slot = asked
        players, workspace = follow_reference(reference)
        see_deeper(players, peek(workspace.players, slot), slot, level, state, workspace)


@inlined
def _try_move(
    asked: Asked, states: Array, level: Integer, state: Position, move: Integer, ply: Integer
) -> Position:
    """Return the state after a *move*, at *level*; update sums if the file lists changes."""
    if HAS_DEEP_VALUES and HAS_CHANGES and _is_summed(asked):
        reference, slot = asked
        players, workspace = follow_reference(reference)
        change_deeper(players, peek(workspace.players, slot), slot, level, state, move, workspace)
    return search_on(states, level, state, move, ply)


@inlined
def _look_up(asked: Asked, state: Position) -> Integer:
    """Return what the searching player knows of a *state*: plies to a win, minus those to a loss.

    DRAW for a draw; UNKNOWN if the player does not know this endgame.
    """
    reference, slot = asked
    players, workspace = follow_reference(reference)
    many = np.int64(players.seats[peek(workspace.players, slot), ENDGAMES])
    number = find_endgame(state) if many > 0 else np.int64(-1)
    return np.int64(peek(workspace.endgames, number)) if 0 <= number < many else UNKNOWN


@inlined
def wins_at_once(states: Array, state: Position, room: Array) -> Number:
    """Test whether the player to move has a move that wins at once.

    Args:
        states: Rows of states.
        state: State in which a player is to move.
        room: See :data:`LISTS_AT`.
    """
    return list_wins(states, state, room[WINS_AT : WINS_AT + MOVES]) > 0


@inlined
def _value_leaf(
    asked: Asked, state: Position, side: Integer, score: Number, level: Integer, states: Array
) -> Integer:
    """Return the value, to a *side*, of a leaf at a *level* of the search."""
    # By the searching player, from sums where they are kept, else by the game's evaluation
    if HAS_DEEP_VALUES and _is_asked(asked):
        reference, slot = asked
        if HAS_CHANCE:
            seen = slot if side == slot else MIRROR + side
            return _expect(value_leaf(reference, seen, state))
        if not _is_summed(asked):  # dense networks and graphs
            value = value_leaf(reference, slot, state)
        elif HAS_CHANGES:
            value = value_summed(reference, slot_at(slot, level), state)
        else:
            value = value_leaf(reference, slot_at(slot, level - 1), state)
        return value if side == slot else -value
    if GAINS:
        return score
    return weigh(states, state, side)


@inlined
def _expect(value: Number) -> Integer:
    """Map a leaf's *value* to an expected result, from -SURE to SURE.

    Chance nodes average values and wins, which need a common scale: learners take the tanh of a
    network's output as the expected result. This is 1 - 2 / (1 + exp(2 x)) by the first five terms
    of exp, so that it still grows where tanh is 1 in floating point.
    """
    x = np.float64(abs(value)) * (1.0 / RESOLUTION)
    terms = 1.0 + x * (1.0 + x * (1.0 + x * (2.0 / 3.0 + x * (1.0 / 3.0))))
    expected = np.int64((1.0 - 1.0 / terms) * SURE)
    return expected if value > 0 else -expected


@inlined
def _find_most_gain(
    states: Array, state: Position, room: Array, at: Integer, count: Integer
) -> Integer:
    """Return the largest gain of the evaluation by a listed move."""
    most = -INFINITE
    for place in range(at, at + count):
        most = max(most, find_gain(states, state, peek(room, place)))
    return most


@inlined
def _find_node_key(
    asked: Asked, states: Array, state: Position, room: Array, ply: Integer, depth: Integer
) -> Integer:
    """Return the key of a node: a hash of all that determines its value but the plies left."""
    # Also the player, its endgames, plies near the maximum and earlier positions, where they matter
    key = find_key(states, state)
    if HAS_DEEP_VALUES and _is_asked(asked):
        reference, slot = asked
        _, workspace = follow_reference(reference)
        key ^= mix(np.uint64(2 * peek(workspace.players, slot) + slot + 1))
    if HAS_ENDGAMES:
        reference, slot = asked
        players, workspace = follow_reference(reference)
        key ^= mix(~np.uint64(players.seats[peek(workspace.players, slot), ENDGAMES]))
    if SKIPS_ADJUDICATION and ply + depth >= LONGEST:
        key ^= mix(~np.uint64(ply))
    if HAS_PAST:
        past = np.uint64(peek(room, PAST))
        key ^= find_quiet_key(states, ply, depth, peek(room, PLIES), past)
    return key | (np.uint64(1) << np.uint64(63))


# Move ordering: by the file's ``order``, else by gains, else by the values of the player that
# searches, where some plies are left; and by the history of cutoffs


@inlined
def promise_all(
    states: Array,
    state: Position,
    mover: Integer,
    room: Array,
    at: Integer,
    count: Integer,
    hint: Integer,
) -> None:
    """Write the priority of each listed move; the table's best move comes first.

    Args:
        states: Rows of states.
        state: State before the moves.
        mover: Seat to move.
        room: See :data:`LISTS_AT`.
        at: Index in *room* at which the list begins.
        count: Number of moves.
        hint: Best move by the table, or -1.
    """
    for place in range(at, at + count):
        move = peek(room, place)
        if HAS_ORDER:
            promise = max(1 - FIRST, find_order(states, state, move))
        else:
            promise = peek(room, HISTORY_AT + mover * MOVES + move)
            if GAINS:
                gained = min(MAX_GAIN, max(-MAX_GAIN, find_gain(states, state, move)))
                promise += gained << GAIN_BITS
        poke(room, place + MOVES, FIRST if move & KEPT == hint else promise)


@inlined
def _find_most(room: Array, first: Integer, end: Integer) -> Integer:
    """Return the index of the maximum from *first* to *end*, the first one of equals."""
    best, most = np.int64(first), peek(room, first)
    for place in range(first + 1, end):
        other = peek(room, place)
        if other > most:
            best, most = np.int64(place), other
    return best


@inlined
def bring_forward(room: Array, place: Integer, end: Integer) -> None:
    """Swap the move of the highest priority with the one at *place*.

    Args:
        room: See :data:`LISTS_AT`.
        place: Index in *room* of a move in a list.
        end: Index in *room* at which the list ends.
    """
    best = _find_most(room, place + MOVES, end + MOVES)
    move = peek(room, best - MOVES)
    poke(room, best - MOVES, peek(room, place))
    poke(room, best, peek(room, place + MOVES))
    poke(room, place, move)


@inlined
def note_cutoff(room: Array, mover: Integer, move: Integer, depth: Integer) -> None:
    """Raise the priority of a move that caused a cutoff (history heuristic).

    Args:
        room: See :data:`LISTS_AT`.
        mover: Seat that moved.
        move: Number of the move.
        depth: Plies that were left to search.
    """
    if not HAS_ORDER:
        at = HISTORY_AT + mover * MOVES + move
        poke(room, at, peek(room, at) + depth * depth)
