"""Uniform interface to the rules of any game file, for compiled players and matches.

A state is a tuple of numbers, or the index of a row of an array ``states``, which moves change. In
the latter case the state after a tentative move is in another row, its *level*.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import Stream, below, hash_word, mix, next_word
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.simd import (
    add_int,
    compare_bytes,
    load_int,
    load_word,
    peek,
    poke,
    scale_int,
    seldom,
    store_int,
    store_word,
)
from evolve_arena.players.board.example import (
    BOARD_PLANES,
    CELLS,
    DRAWING,
    FEATURE_COUNT,
    HAS_CHANCE,
    HAS_CHANGES,
    HAS_DESCRIBE_MOVE,
    HAS_ENDGAME,
    HAS_FEATURES,
    HAS_GAIN,
    HAS_GUESS,
    HAS_KEY,
    HAS_KINDS,
    HAS_LEGAL_BITS,
    HAS_ORDER,
    HAS_PAST,
    HAS_POINTS,
    HAS_PRUNE,
    HAS_QUIET,
    HAS_SAFE,
    HAS_WINS,
    IS_ARRAY,
    KIND_COUNT,
    LISTING,
    LONGEST,
    MOVE_FEATURE_COUNT,
    MOVES,
    MOVES_STAY,
    NO_PROGRESS,
    NOTES,
    ONLY_WINS,
    PIECES,
    PLANES,
    REPETITION,
    SCRIPTS,
    SEATS,
    SEES_CELLS,
    STACKS,
    STAKE,
    START,
    TALLY_COUNT,
    ask_describe_move,
    ask_features,
    ask_prune,
    cast_state,
    chance,
    changes,
    choose_scripted,
    endgame,
    endgame_state,
    evaluate,
    gain,
    guess,
    guesses,
    hash_state,
    is_over,
    key,
    kinds,
    legal,
    legal_bits,
    order,
    play,
    points,
    progress,
    quiet,
    resolve,
    result,
    safe,
    see,
    tally,
    to_move,
    view_state,
    wins,
)
from evolve_arena.players.board.workspace import (
    BAD_CELL,
    BAD_CHANGE,
    BAD_CHOICE,
    BAD_COUNT,
    BAD_DESCRIPTION,
    BAD_FEATURE,
    BAD_GUESSES,
    BAD_KIND,
    BAD_MOVE,
    BAD_OUTCOMES,
    BAD_PRUNING,
    BAD_SEAT,
    BAD_SIGHT,
    BAD_WINS,
    MAX_EXTRA,
    MAX_OUTCOMES,
    OCCURRED,
    PAST_FIELDS,
    PAST_SPARE,
    SINCE,
    SPARE_WORDS,
    TIMES,
)

GOES_ON = 2
SIZE = len(START)
ITEM_BYTES = START.itemsize if IS_ARRAY else 8
STATE_WORDS = (SIZE * ITEM_BYTES + 7) // 8
ROW_WORDS = (SIZE + 15) // 8 * ITEM_BYTES
"""Words of a state, and of a row of states; see `workspace.make_states`."""
FAULT_AT = ROW_WORDS - 1 if IS_ARRAY else 0
"""Word of ``states`` that notes a fault of the file; see `workspace.take_fault`."""
PLANE_WORDS = (CELLS + 63) // 64
"""Words of a plane."""
WORDS = PLANE_WORDS * PLANES
CELL_WORDS = (CELLS + 7) // 8
LAST_CELLS = np.uint64(2 ** (8 * (CELLS - 8 * (CELL_WORDS - 1))) - 1)
"""Mask of the bytes of the last word that are cells."""
LAST_CHANGED = np.uint64(2 ** ((CELLS - 1) % 64 + 1) - 1)
"""Mask of the bits of the last group of 64 cells that are cells."""
SEEN = CELL_WORDS if SEES_CELLS else WORDS
"""Words of an observation."""
OWNED = SEATS * PIECES
BITS = 64 * WORDS
"""Number of bits of an observation."""
COUNTED = FEATURE_COUNT + MOVE_FEATURE_COUNT + 2 * SPARE_WORDS
"""Number of features at the end of ``values``, spare ones included."""
LARGEST_FEATURE = 3e38
FAR = 2.0**30
"""A value above those of all positions that are not over."""
PAST_WORDS = PAST_FIELDS * (LONGEST + PAST_SPARE)
"""Words at the end of ``states`` that hold the earlier positions of a game."""
ONE, BYTE = np.uint64(1), np.uint64(255)


Vector: TypeAlias = Any
"""Some numbers in a register of the processor; see `evolve_arena.genomes.simd`."""


@inlined
def begin(states: Array) -> Position:
    """Return the state before the first move and before any chance event, in row 0."""
    if IS_ARRAY:
        for place in range(SIZE):
            states[0, place] = START[place]
        _note_position(states, np.int64(0), np.int64(0), True)
        return np.int64(0)
    state = cast_state(START)
    _note_position(states, state, np.int64(0), True)
    return state


@inlined
def _note(states: Array, fault: Integer, value: Number) -> None:
    """Record a *fault* and the invalid *value*, unless there is an earlier one."""
    if load_word(states, FAULT_AT) == 0:
        word = np.uint64(value) << np.uint64(8) | np.uint64(fault)
        store_word(states, FAULT_AT, word)


@inlined
def note_move(states: Array, move: Integer) -> None:
    """Record a fault if a *move* that was played is out of range."""
    if seldom(np.uint64(move) >= np.uint64(MOVES)):
        _note(states, BAD_MOVE, np.int64(move))


@inlined
def keep_move(move: Integer) -> Integer:
    """Return *move*, or 0 if it is out of range, so that it may be an index."""
    move = np.int64(move)  # one comparison, as negative numbers become large
    if seldom(np.uint64(move) >= np.uint64(MOVES)):
        return np.int64(0)
    return move


@inlined
def follow(states: Array, level: Integer, state: Position, move: Integer) -> Position:
    """Return the state after a *move*, at *level*; *state* itself changes only if it is there.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the new state.
        state: State before the move.
        move: Number of the move; one out of range counts as move 0.
    """
    move = keep_move(move)
    if IS_ARRAY:
        _copy(states, level, state)
        play(states[level, :SIZE], move)
        return np.int64(level)
    return cast_state(play(state, move))


@inlined
def happen(states: Array, level: Integer, state: Position, outcome: Integer) -> Position:
    """Return the state after an *outcome* of chance; like :func:`follow`.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the new state.
        state: State before the chance event.
        outcome: Number of the outcome, from 0.
    """
    if IS_ARRAY:
        _copy(states, level, state)
        resolve(states[level, :SIZE], outcome)
        return np.int64(level)
    return cast_state(resolve(state, outcome))


@inlined
def advance(states: Array, state: Position, move: Integer, ply: Integer) -> Position:
    """Play a *move* in place and return the new state; *ply* counts the game's moves from 1.

    The state is recorded as the game's position at that ply; see :func:`adjudicate_at`.

    Args:
        states: Array of states, one in each row.
        state: State before the move.
        move: Number of the move; one out of range counts as move 0.
        ply: Number of moves made in the game, this one included.
    """
    move = keep_move(move)
    progresses = _makes_progress(states, state, move)  # before the state changes
    if IS_ARRAY:
        play(states[state, :SIZE], move)
    else:
        state = cast_state(play(state, move))
    _note_position(states, state, ply, progresses)
    return state


@inlined
def follow_at(
    states: Array, level: Integer, state: Position, move: Integer, ply: Integer
) -> Position:
    """Return the state of :func:`follow`, recorded as the game's position at that ply.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the new state.
        state: State before the move, the game's position at the ply before.
        move: Number of the move; one out of range counts as move 0.
        ply: Number of moves made in the game, this one included.
    """
    progresses = _makes_progress(states, state, move)
    state = follow(states, level, state, move)
    _note_position(states, state, ply, progresses)
    return state


@inlined
def search_on(
    states: Array, level: Integer, state: Position, move: Integer, ply: Integer
) -> Position:
    """Return the state of :func:`follow`, recorded with only the past that a search needs.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the new state.
        state: State before the move.
        move: Number of the move; one out of range counts as move 0.
        ply: Number of moves from the beginning of the game, this one included.
    """
    progresses = _makes_progress(states, state, move)
    state = follow(states, level, state, move)
    if HAS_PAST:
        at = _find_past(states, ply)
        since = np.uint64(ply) if progresses else load_word(states, at - PAST_FIELDS + SINCE)
        store_word(states, at + SINCE, since)
    return state


@inlined
def settle(states: Array, state: Position, rng: Stream) -> Position:
    """Draw all chance events that come next, in place; return the new state.

    Args:
        states: Array of states, one in each row.
        state: State at the beginning of the game or after a move.
        rng: Random stream of the game's chance events, which advances.
    """
    if HAS_CHANCE:
        outcomes = count_outcomes(states, state)
        while outcomes > 0:
            outcome = below(rng, outcomes)
            if IS_ARRAY:
                resolve(states[state, :SIZE], outcome)
            else:
                state = cast_state(resolve(state, outcome))
            outcomes = count_outcomes(states, state)
    return state


@inlined
def _copy(states: Array, level: Integer, state: Position) -> None:
    for word in range(STATE_WORDS):
        store_word(states, level * ROW_WORDS + word, load_word(states, state * ROW_WORDS + word))


@inlined
def duplicate(states: Array, level: Integer, state: Position) -> Position:
    """Return a copy of *state* at *level*.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the copy.
        state: State to copy.
    """
    if IS_ARRAY:
        _copy(states, level, state)
        return np.int64(level)
    return state


@inlined
def count_outcomes(states: Array, state: Position) -> Integer:
    """Return the number of outcomes of the next chance event; 0 if a player is to move."""
    if HAS_CHANCE:
        outcomes = np.int64(chance(states[state, :SIZE] if IS_ARRAY else state))
        if seldom(np.uint64(outcomes) > np.uint64(MAX_OUTCOMES)):
            _note(states, BAD_OUTCOMES, outcomes)
            return np.int64(0)
        return outcomes
    return np.int64(0)


@inlined
def find_mover(states: Array, state: Position) -> Integer:
    """Return the seat to move."""
    seat = np.int64(to_move(states[state, :SIZE] if IS_ARRAY else state))
    if seldom(np.uint64(seat) >= np.uint64(SEATS)):
        _note(states, BAD_SEAT, seat)
        return np.int64(0)
    return seat


@inlined
def moves_again(states: Array, state: Position, seat: Integer) -> Number:
    """Test whether *seat* is to move; undefined once the game is over.

    Args:
        states: Array of states, one in each row.
        state: State after a move of that seat.
        seat: Number of the seat, from 0.
    """
    return np.int64(to_move(states[state, :SIZE] if IS_ARRAY else state)) == seat


@inlined
def list_moves(states: Array, state: Position, moves: Array, at: Integer) -> Integer:
    """Write the legal moves into *moves* from index *at* on; return their number.

    A match needs at least one; if the file gives an invalid number, move 0 replaces them.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        moves: Array for the list (``int64``), with room for MOVES from index *at* on.
        at: Index in *moves* at which the list begins.
    """
    return _list_moves(states, state, moves, at, 1)


@inlined
def find_allowed(states: Array, state: Position, moves: Array) -> Integer:
    """Return the legal moves as bits of a word, where MOVES <= 64; *moves* is a buffer.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        moves: Array for a list of moves (``int64``), with room for MOVES; overwritten unless the
            file has ``legal_bits``.
    """
    # By the file's accelerator, else by its list
    allowed = np.uint64(0)
    if HAS_LEGAL_BITS:
        allowed = np.uint64(legal_bits(states[state, :SIZE] if IS_ARRAY else state))
    else:
        for place in range(list_moves(states, state, moves, 0)):
            allowed |= ONE << np.uint64(peek(moves, place))
    if seldom(allowed - ONE >= np.uint64(2**MOVES - 1)):
        _note(states, BAD_MOVE if allowed else BAD_COUNT, np.int64(MOVES if allowed else 0))
        return ONE
    return allowed


@inlined
def list_deeper_moves(states: Array, state: Position, moves: Array, at: Integer) -> Integer:
    """Like :func:`list_moves`, for searches beyond LONGEST, where there may be no move.

    Args:
        states: Array of states, one in each row.
        state: State in the tree, which may be beyond LONGEST moves.
        moves: Array for the list (``int64``), with room for MOVES from index *at* on.
        at: Index in *moves* at which the list begins.
    """
    return _list_moves(states, state, moves, at, 0)


@inlined
def _list_moves(
    states: Array, state: Position, moves: Array, at: Integer, fewest: Integer
) -> Integer:
    room = moves[at : at + MOVES]
    count = np.int64(legal(states[state, :SIZE] if IS_ARRAY else state, room))
    if seldom(np.uint64(count - fewest) > np.uint64(MOVES - fewest)):
        _note(states, BAD_COUNT, count)
        poke(moves, at, np.int64(0))
        return np.int64(fewest)
    return count


@inlined
def remove_move(moves: Array, at: Integer, last: Integer) -> None:
    """Remove the move at index *at* from a list that ends at *last*, after which is room.

    Args:
        moves: Array with the list (``int64``), after which there is room for eight moves.
        at: Index of the move to remove.
        last: Index of the last move in the list.
    """
    for block in range(at, last, 8):  # eight 64-bit numbers make a vector
        store_int(moves, block, load_int(moves, block + 1))


@inlined
def adjudicate(states: Array, state: Position) -> Integer:
    """Return the result of a game of two for the first player, 1, 0 or -1, or GOES_ON."""
    if IS_ARRAY:
        return _adjudicate(states[state, :SIZE])
    return _adjudicate(state)


@inlined
def _adjudicate(state: Position) -> Integer:
    if HAS_POINTS:
        if not is_over(state):
            return np.int64(GOES_ON)
        return np.int64(np.sign(np.int64(points(state, 0)) - np.int64(points(state, 1))))
    return np.int64(result(state))


# The positions of a game, where its end depends on them. What was noted of earlier plies stays, so
# that a search overwrites nothing but its own line.


@inlined
def adjudicate_at(states: Array, state: Position, ply: Integer) -> Integer:
    """Return the verdict of :func:`adjudicate` on the *state* recorded last, at that *ply*.

    Args:
        states: Array of states, one in each row.
        state: State after a move or at the beginning of the game.
        ply: Number of moves made in the game.
    """
    verdict = adjudicate(states, state)
    if HAS_PAST and verdict == GOES_ON and is_exhausted(states, ply):
        return adjudicate_exhausted(states, state)
    return verdict


@inlined
def adjudicate_exhausted(states: Array, state: Position) -> Integer:
    """Return the verdict on a game ended in *state* by repetition or lack of progress."""
    if HAS_POINTS:
        ahead = count_points(states, state, 0, 0) - count_points(states, state, 0, 1)
        return np.int64(np.sign(ahead))
    return np.int64(0)


@inlined
def is_exhausted(states: Array, ply: Integer) -> bool:
    """Test whether repetition or lack of progress ends the game at that *ply*."""
    if HAS_PAST:
        times = load_word(states, _find_past(states, ply) + TIMES)
        if REPETITION > 0 and times >= np.uint64(REPETITION):
            return True
        return NO_PROGRESS > 0 and count_quiet_plies(states, ply) >= NO_PROGRESS
    return False


@inlined
def recurs(states: Array, state: Position, ply: Integer, root: Integer, marks: Number) -> bool:
    """Test whether a search counts a position as a draw: it recurs, or there is no progress.

    Args:
        states: Rows of states.
        state: State in the tree; see :func:`search_on`.
        ply: Number of moves before it.
        root: Number of moves before the root of the search.
        marks: Second word of :func:`mark_past`.
    """
    # Only positions of the game since the last progress can recur, if it was before the root.
    if REPETITION > 0:
        since = np.int64(load_word(states, _find_past(states, ply) + SINCE))
        if since <= root:
            word = identify(states, state)
            if marks >> (word & np.uint64(63)) & ONE:
                end = _find_past(states, root + 1)
                for earlier in range(_find_past(states, since), end, PAST_FIELDS):
                    if load_word(states, earlier + OCCURRED) == word:
                        return True
    return NO_PROGRESS > 0 and count_quiet_plies(states, ply) >= NO_PROGRESS


@inlined
def may_exhaust(states: Array, ply: Integer) -> bool:
    """Test whether the next move may end the game as in :func:`is_exhausted`."""
    if HAS_PAST and NO_PROGRESS > 0 and count_quiet_plies(states, ply) + 1 >= NO_PROGRESS:
        return True
    if HAS_PAST and REPETITION > 0:
        at = _find_past(states, ply)
        first = _find_past(states, load_word(states, at + SINCE))
        for earlier in range(first, at, PAST_FIELDS):
            if load_word(states, earlier + TIMES) + ONE >= np.uint64(REPETITION):
                return True
    return False


@inlined
def value_exhausting(
    states: Array, state: Position, move: Integer, ply: Integer, slot: Integer, value: Number
) -> Number:
    """Return the *value* of a *move*, corrected if it ends the game as in :func:`is_exhausted`.

    A draw is worth 0; where points decide, a win is worth more than any other move, and a loss less
    or, with more than two seats, 0.
    Row 1 of *states* is overwritten.

    Args:
        states: Rows of states.
        state: State before the move.
        move: Number of the move.
        ply: Number of moves before.
        slot: Seat of the player.
        value: Value of the afterstate to the player.
    """
    trial = follow_at(states, 1, state, move, ply + 1)
    if adjudicate(states, trial) != GOES_ON or not is_exhausted(states, ply + 1):
        return np.float64(value)
    verdict = adjudicate_exhausted(states, trial)
    if SEATS > 2:
        return FAR * np.float64(has_won(states, trial, verdict, slot))
    return FAR * np.float64(verdict * (1 - 2 * slot))


@inlined
def count_quiet_plies(states: Array, ply: Integer) -> Integer:
    """Return the number of moves in a row without progress, at that *ply*."""
    return np.int64(ply) - np.int64(load_word(states, _find_past(states, ply) + SINCE))


@inlined
def mark_past(states: Array, root: Integer) -> tuple[Integer, Integer]:
    """Return two words for the positions before *root* that :func:`recurs` compares.

    The first is a hash of all; the second is a Bloom filter with a bit for each, which rules out
    most other positions at once.
    """
    total, marks = np.uint64(0), np.uint64(0)
    if REPETITION > 0:
        end = _find_past(states, root + 1)
        first = _find_past(states, load_word(states, end - PAST_FIELDS + SINCE))
        for earlier in range(first, end, PAST_FIELDS):
            word = load_word(states, earlier + OCCURRED)
            total += mix(word)
            marks |= ONE << (word & np.uint64(63))
    return total, marks


@inlined
def find_quiet_key(
    states: Array, ply: Integer, depth: Integer, root: Integer, past: Number
) -> Integer:
    """Return a word to be mixed into table keys for the past that matters within *depth*, or 0.

    The past counts until a move since *root* makes progress.

    Args:
        states: Array of states, one in each row.
        ply: Number of moves before the position, from the beginning of the game.
        depth: Plies left to search.
        root: Number of moves before the root of the search.
        past: First word of :func:`mark_past` for that root (``uint64``).
    """
    quiet = count_quiet_plies(states, ply)
    total = past if quiet >= ply - root else np.uint64(0)
    if NO_PROGRESS > 0 and quiet + depth + MAX_EXTRA >= NO_PROGRESS:
        total ^= mix(~np.uint64(quiet))
    return total


@inlined
def _find_past(states: Array, ply: Integer) -> Integer:
    """Return the word of *states* where the record of the position at that *ply* begins."""
    return np.int64(states.size * ITEM_BYTES // 8 - PAST_WORDS) + PAST_FIELDS * np.int64(ply)


@inlined
def _makes_progress(states: Array, state: Position, move: Integer) -> bool:
    """Test whether a *move* makes progress."""
    if HAS_PAST:
        return bool(progress(states[state, :SIZE] if IS_ARRAY else state, keep_move(move)))
    return False


@inlined
def _note_position(states: Array, state: Position, ply: Integer, progresses: bool) -> None:
    """Record the position at that *ply*, if the game's end may depend on it."""
    if HAS_PAST:
        at = _find_past(states, ply)
        word, times, since = identify(states, state), ONE, np.uint64(ply)
        if not progresses:  # count earlier occurrences since the last progress
            since = load_word(states, at - PAST_FIELDS + SINCE)
            for earlier in range(_find_past(states, since), at, PAST_FIELDS):
                times += np.uint64(load_word(states, earlier + OCCURRED) == word)
        store_word(states, at + OCCURRED, word)
        store_word(states, at + SINCE, since)
        store_word(states, at + TIMES, times)


@inlined
def has_won(states: Array, state: Position, verdict: Integer, seat: Integer) -> Number:
    """Test whether *seat* has won, given the *verdict* of :func:`adjudicate`.

    Args:
        states: Array of states, one in each row.
        state: State after a move.
        verdict: Result for the first player, 1, 0 or -1, or GOES_ON.
        seat: Number of the seat, from 0.
    """
    if SEATS == 2:
        return verdict == 1 - 2 * seat
    if verdict == GOES_ON:
        return False
    own = count_points(states, state, verdict, seat)
    best = True
    for other in range(SEATS):
        if other != seat and count_points(states, state, verdict, other) >= own:
            best = False
    return best


@inlined
def list_wins(states: Array, state: Position, found: Array) -> Integer:
    """Write the immediately winning moves into *found*, if the file can; return their number.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        found: Array for the moves (``int64``), with room for MOVES; ascending.
    """
    if HAS_WINS:
        count = np.int64(wins(states[state, :SIZE] if IS_ARRAY else state, found))
        if seldom(np.uint64(count) > np.uint64(MOVES)):
            _note(states, BAD_WINS, count)
            return np.int64(0)
        return count
    return np.int64(0)


@inlined
def list_safe(states: Array, state: Position, moves: Array, at: Integer) -> Integer:
    """Like :func:`list_deeper_moves`, but without moves that let the opponent win at once.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        moves: Array for the list (``int64``), with room for MOVES from index *at* on.
        at: Index in *moves* at which the list begins.
    """
    count = np.int64(safe(states[state, :SIZE] if IS_ARRAY else state, moves[at : at + MOVES]))
    if seldom(np.uint64(count) > np.uint64(MOVES)):
        _note(states, BAD_WINS, count)
        return np.int64(0)
    return count


@inlined
def find_gain(states: Array, state: Position, move: Integer) -> Integer:
    """Return the change of the evaluation by a *move*, for the player that makes it.

    Args:
        states: Array of states, one in each row.
        state: State before the move.
        move: Number of the move; one out of range counts as move 0.
    """
    return np.int64(gain(states[state, :SIZE] if IS_ARRAY else state, keep_move(move)))


@inlined
def find_order(states: Array, state: Position, move: Integer) -> Integer:
    """Return a heuristic value by which to order *move*.

    Args:
        states: Array of states, one in each row.
        state: State before the move.
        move: Number of the move; one out of range counts as move 0.
    """
    return np.int64(order(states[state, :SIZE] if IS_ARRAY else state, keep_move(move)))


@inlined
def is_quiet(states: Array, state: Position) -> Number:
    """Test whether *state* is quiet, so that its static evaluation can be trusted."""
    return quiet(states[state, :SIZE] if IS_ARRAY else state)


@inlined
def find_key(states: Array, state: Position) -> Integer:
    """Return a well-mixed hash key of the position, unique if the file has ``key``."""
    return mix(identify(states, state))


@inlined
def identify(states: Array, state: Position) -> Integer:
    """Return a word that identifies the position, before mixing; see :func:`find_key`."""
    if HAS_KEY:
        return np.uint64(key(states[state, :SIZE] if IS_ARRAY else state))
    return _sum_numbers(states, state)


@inlined
def find_endgame(state: Position) -> Integer:
    """Return the number of a *state* that goes on among the file's endgames; -1 if it is none."""
    return np.int64(endgame(state)) if HAS_ENDGAME else np.int64(-1)


@inlined
def take_endgame(number: Integer) -> Position:
    """Return the state of the endgame with this *number*."""
    return cast_state(endgame_state(np.int64(number)))


@inlined
def _sum_numbers(states: Array, state: Position) -> Integer:
    """Hash all numbers of a state into a word."""
    if not IS_ARRAY:
        return hash_state(state)
    total = np.uint64(0)
    for word in range(STATE_WORDS):
        total += hash_word(load_word(states, state * ROW_WORDS + word), np.uint64(word + 1))
    return total


@inlined
def look_as(states: Array, level: Integer, state: Position, seat: Integer) -> Position:
    """Return a copy of the state, at *level*, as *seat* knows it.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the view.
        state: State with all that is hidden.
        seat: Seat whose knowledge remains.
    """
    if IS_ARRAY:
        _copy(states, level, state)
        view_state(states[level, :SIZE], seat)
        return np.int64(level)
    return cast_state(view_state(state, seat))


@inlined
def turn_page(notes: Array) -> None:
    """Invalidate the file's *notes*, as the next call is about another state."""
    if NOTES > 0:
        poke(notes, 0, np.int64(0))


@inlined
def clear_notes(notes: Array) -> None:
    """Clear all *notes*, so that a match is the same whatever was played before."""
    for place in range(NOTES):
        poke(notes, place, np.int64(0))


@inlined
def ask_script(
    states: Array,
    state: Position,
    seat: Integer,
    number: Integer,
    moves: Array,
    count: Integer,
    rng: Stream,
    notes: Array,
    setting: Integer,
    kind: Integer,
) -> Integer:
    """Return the choice of scripted player *number* among the first *count* of *moves*.

    The script gets copies, at level 1 of *states* and after MOVES in *moves*, so that it cannot
    change the originals. The choice of a script that takes no list of moves is not checked against
    the list.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        seat: Seat to move, whose view of the state the script gets.
        number: Number of the scripted player, from 0, in the order of the file's ``PLAYERS``.
        moves: Legal moves, then room for a copy (``int64``), shape ``(2 * MOVES,)`` or longer.
        count: Number of legal moves; may be 0 if the script takes no list.
        rng: Random stream of the player; it advances if the script takes a random number.
        notes: Notes of the game's file (``int64``), shape ``(NOTES + 1,)``.
        setting: Setting of the player, as the file's ``read_setting`` parses it.
        kind: Kind of move that is wanted, or -1.
    """
    # A random number, and copies of the state and of the moves
    random = np.int64(0)
    if DRAWING > 0 and (DRAWING >> number) & 1:
        random = np.int64(next_word(rng) >> np.uint64(2))
    known = look_as(states, 1, state, seat)
    for place in range(count):
        poke(moves, MOVES + place, peek(moves, place))
    room, told = moves[MOVES : 2 * MOVES], states[known, :SIZE] if IS_ARRAY else known
    given = told, number, room, np.int64(count), random
    chosen = np.int64(choose_scripted(*given, notes, setting, kind))
    # The choice must be one of the list.
    if not needs_list(number):
        return keep_move(chosen)
    for place in range(count):
        if peek(moves, place) == chosen:
            return chosen
    _note(states, BAD_CHOICE + number, chosen)
    return peek(moves, 0)


@inlined
def needs_list(number: Integer) -> Number:
    """Test whether scripted player *number* takes a list of moves."""
    return (LISTING >> number) & 1 != 0


@inlined
def ask_all_scripts(
    states: Array,
    state: Position,
    seat: Integer,
    moves: Array,
    count: Integer,
    rng: Stream,
    notes: Array,
) -> Integer:
    """Return the sum of the moves of all scripted players; restore the *rng*.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        seat: Seat to move.
        moves: Legal moves, then room for a copy (``int64``), shape ``(2 * MOVES,)`` or longer.
        count: Number of legal moves.
        rng: Random stream, which is as before at the end.
        notes: Notes of the game's file (``int64``), shape ``(NOTES + 1,)``; invalidated before each
            script.
    """
    word, total = rng[0], np.int64(0)
    for number in range(SCRIPTS):
        turn_page(notes)
        given = states, state, seat, number, moves, count, rng
        total += ask_script(*given, notes, np.int64(0), np.int64(-1))
    rng[0] = word
    return total


@inlined
def hash_view(states: Array, level: Integer, state: Position, seat: Integer) -> Integer:
    """Hash the state as *seat* knows it (an information set); overwrites *level*.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the view.
        state: State with all that is hidden.
        seat: Seat whose knowledge is hashed.
    """
    return mix(_sum_numbers(states, look_as(states, level, state, seat)))


@inlined
def draw_hidden(
    states: Array, level: Integer, state: Position, seat: Integer, rng: Stream
) -> Position:
    """Draw a state, at *level*, that is consistent with the knowledge of *seat* (determinization).

    It depends on the seat's view alone.

    Args:
        states: Array of states, one in each row.
        level: Row of *states* for the drawn state.
        state: State of the match, with all that is hidden.
        seat: Seat whose knowledge the drawn state fits.
        rng: Random stream from which each guess is drawn.
    """
    state = look_as(states, level, state, seat)
    count = _count_guesses(states, state, seat)
    while count > 0:
        number = below(rng, count)
        if IS_ARRAY:
            guess(states[state, :SIZE], seat, number)
        else:
            state = cast_state(guess(state, seat, number))
        count = _count_guesses(states, state, seat)
    return state


@inlined
def _count_guesses(states: Array, state: Position, seat: Integer) -> Integer:
    count = np.int64(guesses(states[state, :SIZE] if IS_ARRAY else state, seat))
    if seldom(np.uint64(count) > np.uint64(MAX_OUTCOMES)):
        _note(states, BAD_GUESSES, count)
        return np.int64(0)
    return count


@inlined
def adjudicate_move(
    states: Array,
    state: Position,
    move: Integer,
    ply: Integer,
    verdict: Integer,
    found: Array,
    winning: Integer,
) -> Integer:
    """Return the verdict on a *state* that a *move* led to.

    Args:
        states: Rows of states.
        state: State after the move and any chance events.
        move: Number of the move.
        ply: Number of moves so far, this one included.
        verdict: Verdict on the state before, which is GOES_ON.
        found: Moves that win at once, by :func:`list_wins` before the move.
        winning: Number of these.
    """
    # Only wins, LONGEST or earlier positions can end the game: no need to ask for the result.
    if HAS_WINS and ONLY_WINS:
        won = ply >= LONGEST or is_exhausted(states, ply)
        for place in range(winning):
            won |= peek(found, place) == move
        if not won:
            return verdict
    return adjudicate_at(states, state, ply)


@inlined
def count_points(states: Array, state: Position, verdict: Integer, seat: Integer) -> Integer:
    """Return the points of *seat*; in games without points 1, 0 or -1, and 0 before the end.

    Args:
        states: Array of states, one in each row.
        state: State at any time in a game with points, else a state at which *verdict* was given.
        verdict: Result for the first player, 1, 0 or -1, or GOES_ON; unused if the game counts
            points.
        seat: Number of the seat, from 0.
    """
    if HAS_POINTS:
        if IS_ARRAY:
            return np.int64(points(states[state, :SIZE], seat))
        return np.int64(points(state, seat))
    if verdict == GOES_ON:
        return np.int64(0)
    return np.int64(verdict * (1 - 2 * seat))


@inlined
def find_result(states: Array, state: Position, verdict: Integer, seat: Integer) -> Number:
    """Return the result of *seat*: 1 for the sole win, -1 for a loss, between for shared wins.

    Args:
        states: Array of states, one in each row.
        state: State at the end of the game.
        verdict: Result for the first player, 1, 0 or -1, or GOES_ON; unused if the game counts
            points.
        seat: Number of the seat, from 0.
    """
    # The share of the win, 1 / equals, scaled to -1 to 1
    own, ahead, equals = count_points(states, state, verdict, seat), 0, 0
    for other in range(SEATS):
        points = count_points(states, state, verdict, other)
        ahead += points > own
        equals += points == own
    return np.float32(0.0 if ahead > 0 else 2.0 / equals) - np.float32(1.0)


@inlined
def weigh(states: Array, state: Position, seat: Integer) -> Integer:
    """Evaluate a state that is not over for *seat*, by the file's ``evaluate``.

    Args:
        states: Array of states, one in each row.
        state: State to evaluate.
        seat: Seat for which higher values are better.
    """
    if IS_ARRAY:
        return np.int64(evaluate(states[state, :SIZE], seat))
    return np.int64(evaluate(state, seat))


@inlined
def look(states: Array, state: Position, seat: Integer, planes: Array, at: Integer) -> None:
    """Write the observation of *seat* into *planes* from index *at* on.

    It consists of bits; or of cells, eight to a word, if cells are all there is to see.

    Args:
        states: Array of states, one in each row.
        state: State to observe.
        seat: Seat that observes.
        planes: Array of observations (``uint64``), with room for SEEN words from *at* on.
        at: Index in *planes* at which the observation begins.
    """
    if SEES_CELLS:
        for word in range(CELL_WORDS):
            poke(planes, at + word, _load_cells(states, state, word))
    else:
        for word in range(WORDS):
            poke(planes, at + word, np.uint64(0))
        if IS_ARRAY:
            see(states[state, :SIZE], seat, planes[at : at + WORDS])
        else:
            see(state, seat, planes[at : at + WORDS])


@inlined
def features_at(values: Array) -> Integer:
    """Return the index in *values* where :func:`count_features` writes FEATURE_COUNT numbers."""
    return values.shape[0] - COUNTED


@inlined
def move_features_at(values: Array) -> Integer:
    """Return the index in *values* where :func:`count_of_move` writes its numbers."""
    return values.shape[0] - SPARE_WORDS - MOVE_FEATURE_COUNT


@inlined
def count_features(
    states: Array,
    state: Position,
    seat: Integer,
    values: Array,
    count: Integer,
    notes: Array,
    setting: Integer,
) -> None:
    """Write the features of a *state* for *seat* near the end of *values*.

    Only the first *count* are used, but there is room for all, as a file need not heed the length.

    Args:
        states: Array of states, one in each row.
        state: State to describe.
        seat: Seat for which it is described.
        values: Array of ``float64``; the numbers begin at index :func:`features_at`.
        count: Number of features that the player reads.
        notes: Notes of the game's file (``int64``), shape ``(NOTES + 1,)``; invalidated before the
            call.
        setting: Setting of the player, as the file's ``read_setting`` parses it.
    """
    turn_page(notes)
    at = features_at(values)
    for place in range(at, at + FEATURE_COUNT):
        poke(values, place, 0.0)
    out = values[at : at + count]
    ask_features(states[state, :SIZE] if IS_ARRAY else state, seat, out, notes, setting)
    _refuse_nonsense(states, out, count, BAD_FEATURE)


@inlined
def count_of_move(
    states: Array,
    state: Position,
    move: Integer,
    seat: Integer,
    values: Array,
    notes: Array,
    setting: Integer,
) -> None:
    """Write the features of a *move* near the end of *values*.

    Args:
        states: Array of states, one in each row.
        state: State before the move.
        move: Number of the move; one out of range counts as move 0.
        seat: Seat that moves.
        values: Array of ``float64``; the numbers begin at index :func:`move_features_at`.
        notes: Notes of the game's file (``int64``), shape ``(NOTES + 1,)``, which may be about this
            state.
        setting: Setting of the player, as the file's ``read_setting`` parses it.
    """
    at = move_features_at(values)
    out = values[at : at + MOVE_FEATURE_COUNT]
    for place in range(MOVE_FEATURE_COUNT):
        poke(out, place, 0.0)
    told = states[state, :SIZE] if IS_ARRAY else state
    ask_describe_move(told, keep_move(move), seat, out, notes, setting)
    _refuse_nonsense(states, out, MOVE_FEATURE_COUNT, BAD_DESCRIPTION)


@inlined
def prune_moves(
    states: Array,
    state: Position,
    seat: Integer,
    moves: Array,
    count: Integer,
    notes: Array,
    setting: Integer,
) -> Integer:
    """Move the *moves* worth evaluating to the front of the list; return their number.

    Args:
        states: Array of states, one in each row.
        state: State in which a player is to move.
        seat: Seat to move.
        moves: Legal moves (``int64``), reordered in place, with room for MOVES.
        count: Number of legal moves.
        notes: Notes of the game's file (``int64``), shape ``(NOTES + 1,)``.
        setting: Setting of the player, as the file's ``read_setting`` parses it.
    """
    if not HAS_PRUNE:
        return count
    told = states[state, :SIZE] if IS_ARRAY else state
    kept = np.int64(ask_prune(told, seat, moves[:MOVES], np.int64(count), notes, setting))
    if seldom(np.uint64(kept - 1) >= np.uint64(count)):
        _note(states, BAD_PRUNING, kept)
        return np.int64(1)
    return kept


@inlined
def find_kinds(states: Array, state: Position) -> Integer:
    """Return the kinds of legal moves as bits of a word, at least one of them set."""
    found = np.uint64(kinds(states[state, :SIZE] if IS_ARRAY else state))
    if seldom(found - ONE >= np.uint64(2**KIND_COUNT - 1)):
        _note(states, BAD_KIND, np.int64(found & BYTE))
        return ONE
    return found


@inlined
def write_tally(states: Array, state: Position, seat: Integer, out: Array) -> None:
    """Write the file's TALLIES of *seat* into *out*, when the game is over.

    Args:
        states: Array of states, one in each row.
        state: State at the end of the game.
        seat: Seat that is described.
        out: Array for the numbers, shape ``(TALLY_COUNT,)``.
    """
    tally(states[state, :SIZE] if IS_ARRAY else state, seat, out)


@inlined
def _refuse_nonsense(states: Array, out: Array, count: Integer, fault: Integer) -> None:
    """Replace numbers that ``float32`` cannot hold by 0, and record the fault."""
    for place in range(count):
        if seldom(not abs(peek(out, place)) < LARGEST_FEATURE):
            _note(states, fault, place)
            poke(out, place, 0.0)


@inlined
def find_changes(
    states: Array,
    state: Position,
    planes: Array,
    changes: Array,
    slot: Integer,
    seat: Integer,
    keep: bool,
    single: bool,
) -> Integer:
    """Write the bits that change in the observation of *slot* to *changes*; return their number.

    A bit that was set is listed as its index, a cleared one as the complement of its index.

    Args:
        states: Rows of states.
        state: State to observe.
        planes: Observations (``uint64``), SEEN words for each slot; slot SEATS gets the new one.
        changes: Array for the list (``int64``).
        slot: Slot of the previous observation.
        seat: Seat that observes.
        keep: True if the new observation replaces the previous one.
        single: True if each cell may show one content only, as tuples need it.
    """
    if SEES_CELLS:
        return _find_changed_cells(states, state, planes, changes, slot, seat, keep)
    count, before_at = 0, slot * SEEN
    look(states, state, seat, planes, SEATS * SEEN)
    if BOARD_PLANES and single:
        _keep_contents(states, planes)
    for word in range(SEEN):
        before, now = peek(planes, before_at + word), peek(planes, SEATS * SEEN + word)
        come, gone = now & ~before, before & ~now  # bits set, and bits cleared
        while come:
            poke(changes, count, 64 * word + lowest_bit(come))
            come &= come - ONE
            count += 1
        while gone:
            poke(changes, count, ~(64 * word + lowest_bit(gone)))
            gone &= gone - ONE
            count += 1
        if keep:
            poke(planes, before_at + word, now)
    return count


@inlined
def list_changes(
    states: Array, state: Position, move: Integer, seat: Integer, listed: Array
) -> Integer:
    """Write the bits that a *move* changes for *seat* into *listed*, as in :func:`find_changes`.

    The file computes them (HAS_CHANGES); the move is not played.

    Args:
        states: Array of states, one in each row.
        state: State before the move.
        move: Number of a legal move.
        seat: Seat that observes.
        listed: Array for the list (``int64``): indices of bits that are set, and complements of the
            indices of bits that are cleared.
    """
    if not HAS_CHANGES:
        return np.int64(0)
    before = states[state, :SIZE] if IS_ARRAY else state
    count = np.int64(changes(before, move, seat, listed))
    if seldom(np.uint64(count) > np.uint64(listed.shape[0])):
        _note(states, BAD_CHANGE, count)
        return np.int64(0)
    for place in range(count):
        change = peek(listed, place)
        if seldom(np.uint64(change ^ (change >> 63)) >= np.uint64(BITS)):
            _note(states, BAD_CHANGE, change)
            poke(listed, place, np.int64(0))
    return count


@inlined
def _keep_contents(states: Array, planes: Array) -> None:
    """Clear all but the first bit of each cell in the new observation; more are a fault."""
    for word in range(SEATS * SEEN, SEATS * SEEN + PLANE_WORDS):
        taken = peek(planes, word)
        for plane in range(1, BOARD_PLANES):
            at = word + plane * PLANE_WORDS
            if peek(planes, at) & taken:
                _note(states, BAD_SIGHT, 0)
                poke(planes, at, peek(planes, at) & ~taken)
            taken |= peek(planes, at)


@inlined
def _find_changed_cells(
    states: Array,
    state: Position,
    planes: Array,
    changes: Array,
    slot: Integer,
    seat: Integer,
    keep: bool,
) -> Integer:
    """Like :func:`find_changes`, for observed cells; one branch for each changed cell."""
    count, before_at, state_at = 0, slot * SEEN, state * ROW_WORDS
    if ITEM_BYTES > 1:  # then they are compared where they stand packed
        look(states, state, seat, planes, SEATS * SEEN)
    # 64 cells at a time: a mask of those that differ, then each of them
    for first in range(0, SEEN, 8):
        if ITEM_BYTES > 1:
            changed = compare_bytes(planes, SEATS * SEEN + first, planes, before_at + first)
        else:
            changed = compare_bytes(states, state_at + first, planes, before_at + first)
        if first + 8 >= SEEN:
            changed &= LAST_CHANGED
        while changed:
            cell = 8 * first + lowest_bit(changed)
            word, shift = cell >> 3, np.uint64(8 * (cell & 7))
            # The bits of the new and the old content; empty cells have none
            new = np.int64((_load_cells(states, state, word) >> shift) & BYTE)
            old = np.int64((peek(planes, before_at + word) >> shift) & BYTE)
            poke(changes, count, find_bit(states, new, cell, seat))
            count += new != 0
            poke(changes, count, ~find_bit(states, old, cell, seat))
            count += old != 0
            changed &= changed - ONE
    if keep:
        for word in range(SEEN):
            poke(planes, before_at + word, _load_cells(states, state, word))
    return count


@inlined
def add_columns(
    planes: Array, slot: Integer, columns: Array, base: Integer, width: Integer, total: Vector
) -> Vector:
    """Update a vector of sums, *total*, for the bits that differ from the observation of *slot*.

    This fuses :func:`find_changes` and the sums, without a list.

    Args:
        planes: Observations (``uint64``), SEEN words for each slot; slot SEATS holds the new one.
        slot: Slot of the previous observation.
        columns: Weights of the first layers (``int32``), a column for each bit.
        base: Index in *columns* of the vector to add for bit 0.
        width: Number of weights in a column.
        total: Sums for the previous observation, a vector of ``int32``.
    """
    for word in range(SEEN):
        before, now = peek(planes, slot * SEEN + word), peek(planes, SEATS * SEEN + word)
        come, gone = now & ~before, before & ~now
        at = base + 64 * width * word
        while come:
            total = add_int(total, load_int(columns, at + width * lowest_bit(come)))
            come &= come - ONE
        while gone:
            column = load_int(columns, at + width * lowest_bit(gone))
            total = add_int(total, scale_int(column, np.int32(-1)))
            gone &= gone - ONE
    return total


@inlined
def list_bits(
    states: Array, state: Position, planes: Array, changes: Array, slot: Integer
) -> Integer:
    """Write the indices of the bits that *slot* observes to *changes*; return their number.

    Args:
        states: Array of states, one in each row.
        state: State to observe.
        planes: Observations (``uint64``), SEEN words for each slot; those of slot SEATS are
            overwritten.
        changes: Array for the indices of the bits (``int64``).
        slot: Seat that observes.
    """
    look(states, state, slot, planes, SEATS * SEEN)
    return list_seen(states, planes, SEATS * SEEN, changes, slot)


@inlined
def list_seen(states: Array, planes: Array, at: Integer, changes: Array, slot: Integer) -> Integer:
    """Write the bits of the observation at index *at* of *planes*, as :func:`list_bits` does.

    Args:
        states: Array of states, in which faults are recorded.
        planes: Array of observations (``uint64``).
        at: Index in *planes* at which the observation begins.
        changes: Array for the indices of the bits (``int64``).
        slot: Seat that observes.
    """
    count = 0
    # Bits from the lowest to the highest; of cells the bytes that are not 0
    for word in range(SEEN):
        left = peek(planes, at + word)
        while left:
            if SEES_CELLS:
                shift = np.uint64(lowest_bit(left) & ~7)
                cell = 8 * word + np.int64(shift >> np.uint64(3))
                content = np.int64((left >> shift) & BYTE)
                poke(changes, count, find_bit(states, content, cell, slot))
                left &= ~(BYTE << shift)
            else:
                poke(changes, count, 64 * word + lowest_bit(left))
                left &= left - ONE
            count += 1
    return count


@inlined
def find_bit(states: Array, content: Integer, cell: Integer, seat: Integer) -> Integer:
    """Return the bit that shows *seat* that a *cell* has a *content* other than empty.

    Args:
        states: Array of states, in which faults are recorded.
        content: Number in the cell, from 1: pieces of each seat in turn, then neutral ones.
        cell: Index of the cell.
        seat: Seat that observes.
    """
    # Owners are numbered from the observing seat on; neutral pieces follow.
    kind = content - 1
    if kind < OWNED:
        owner = kind // PIECES - seat
        if owner < 0:
            owner += SEATS
        kind = owner * PIECES + kind % PIECES
    elif kind >= PLANES:
        _note(states, BAD_CELL, content)
        kind = np.int64(0)
    return 64 * PLANE_WORDS * kind + cell


@inlined
def _load_cells(states: Array, state: Position, word: Number) -> Integer:
    """Load eight cells into a word, the first in the lowest byte; larger contents become 255."""
    if ITEM_BYTES > 1:
        cells = np.uint64(0)
        for place in range(min(8, CELLS - 8 * word)):
            content = np.uint64(states[state, 8 * word + place])
            cells |= min(content, BYTE) << np.uint64(8 * place)
        return cells
    cells = load_word(states, state * ROW_WORDS + word)
    return cells & LAST_CELLS if word == CELL_WORDS - 1 else cells


__all__ = [
    "CELLS",
    "FEATURE_COUNT",
    "GOES_ON",
    "HAS_CHANCE",
    "HAS_CHANGES",
    "HAS_DESCRIBE_MOVE",
    "HAS_FEATURES",
    "HAS_GAIN",
    "HAS_GUESS",
    "HAS_KEY",
    "HAS_KINDS",
    "HAS_LEGAL_BITS",
    "HAS_ORDER",
    "HAS_PAST",
    "HAS_QUIET",
    "HAS_SAFE",
    "HAS_WINS",
    "KIND_COUNT",
    "LONGEST",
    "MOVES",
    "MOVES_STAY",
    "MOVE_FEATURE_COUNT",
    "ONLY_WINS",
    "PLANES",
    "SEATS",
    "SEEN",
    "SEES_CELLS",
    "SIZE",
    "STACKS",
    "STAKE",
    "TALLY_COUNT",
    "WORDS",
]
