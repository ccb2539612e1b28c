"""The rules of English checkers, compiled, on bitboards.

Squares are numbered 1 to 32 as in books; square s is bit ``s - 1 + (s - 1) // 8``, so that bits
8, 17 and 26 stay empty. Every step of a piece is then a shift by 4 or 5, and one that would
leave the board lands on an empty bit or beyond bit 34: no masks for the edges. (Samuel numbered
his board so, in 1959.)

A position is three words, *own* (the pieces of the player to move), *other* and *kings* (of
both), and the *side* to move: 0 is dark, whose men go to higher squares, 1 is light. A move is
one word too, which names the whole path:

======  ==============================================================================
bits    what
======  ==============================================================================
0-5     the bit from which the piece starts
6-11    the bit on which it ends
12-38   the captured pieces: bits 4 to 30 of the board, for no other can be jumped over
39-56   two bits for each jump in turn: over 4, 5 bits up, 4, 5 bits down
======  ==============================================================================
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.game import Option
from evolve_arena.core.stream import Stream, below

BOARD = np.uint64(0x7FBFDFEFF)
"""The bits that are squares."""
FAR_ROWS = np.uint64(0x78000000F)
"""Squares 1 to 4 and 29 to 32, where men are crowned: each side's can only reach the other's."""

MOST_MOVES = 192
"""More than any position with up to twelve pieces a side has.

A piece that jumps keeps to eight squares, with nine between them to jump over. From none of the
eight do more than 16 complete paths begin, whichever of the nine are taken; twelve pieces have
at most 192. Without a capture they have at most 48.
"""
DRAW_PLIES = 80
"""A draw after so many plies (40 moves of each side) without a capture or a man's move."""

NONE, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
FOUR, FIVE = np.uint64(4), np.uint64(5)
TO, CAPTURED, JUMPS, BOARD_TO_WORD = np.uint64(6), np.uint64(12), np.uint64(39), np.uint64(8)
PLACE = EDGE = np.uint64(63)
CAPTURED_WORD = np.uint64(0x7FFFFFF)


class CheckersRules(NamedTuple):
    """The options of the game, as compiled code takes them."""

    turned: Annotated[int, Option()] = 0
    """1 if light moves first, on a board that is drawn turned round."""


@compiled
def list_moves(moves: Any, at: int, own: Any, other: Any, kings: Any, side: int) -> Any:
    """Writes all moves into *moves*, from place *at* on.

    Args:
        moves: Words (``uint64``), with room for :data:`MOST_MOVES` from *at* on.
        at: See there.
        own: The pieces of the player to move.
        other: Those of the opponent.
        kings: Which of all of them are kings.
        side: 0 if dark is to move, 1 if light.

    Returns:
        How many there are; 0 means that the player to move has lost.
    """
    ups, downs = movable_kinds(own, kings, side)
    empty = BOARD & ~(own | other)
    jumpers = _jumpers(ups, downs, other, empty)
    if jumpers:
        return _list_captures(moves, at, jumpers, other, kings, side, empty) - at
    end = at
    end = _list_steps(moves, end, ups & (empty >> FOUR), FOUR)
    end = _list_steps(moves, end, ups & (empty >> FIVE), FIVE)
    end = _list_steps_down(moves, end, downs & (empty << FOUR), FOUR)
    end = _list_steps_down(moves, end, downs & (empty << FIVE), FIVE)
    return end - at


@compiled
def count_moves(own: Any, other: Any, kings: Any, side: int, moves: Any, at: int) -> Any:
    """How many moves :func:`list_moves` would write; *moves* from *at* on is scratch."""
    ups, downs = movable_kinds(own, kings, side)
    empty = BOARD & ~(own | other)
    jumpers = _jumpers(ups, downs, other, empty)
    if jumpers:
        return _list_captures(moves, at, jumpers, other, kings, side, empty) - at
    up = count_bits((ups << FOUR) & empty) + count_bits((ups << FIVE) & empty)
    return up + count_bits((downs >> FOUR) & empty) + count_bits((downs >> FIVE) & empty)


@inlined
def movable_kinds(own: Any, kings: Any, side: int) -> Any:
    """The pieces among *own* that may go to higher squares, and those that may go to lower."""
    if side == 0:
        return own, own & kings
    return own & kings, own


@inlined
def capturing_pieces(own: Any, other: Any, kings: Any, side: int) -> Any:
    """The pieces among *own* that can capture; if there is one, nothing else may be played."""
    ups, downs = movable_kinds(own, kings, side)
    return _jumpers(ups, downs, other, BOARD & ~(own | other))


@inlined
def pack_position(own: Any, other: Any, kings: Any, side: int) -> Any:
    """The position in two words, the same only for the same position.

    The first is not 0 as long as the player to move has a piece.
    For tables of positions: a single word of 64 bits cannot tell all of them apart.
    """
    first = own | (kings << np.uint64(35))
    second = other | ((kings >> np.uint64(29)) << np.uint64(35)) | (np.uint64(side) << EDGE)
    return first, second


@inlined
def move_piece(own: Any, other: Any, kings: Any, move: Any) -> Any:
    """*own*, *other* and *kings* after the *move*; the opponent is then to move."""
    start = start_bit(move)
    end = end_bit(move)
    origin = ONE << start
    captured = captured_pieces(move)
    crown = ((kings >> start) | (FAR_ROWS >> end)) & ONE
    kings = (kings & ~(captured | origin)) | (crown << end)
    return own ^ origin ^ (ONE << end), other ^ captured, kings


@inlined
def start_bit(move: Any) -> Any:
    """The number of the bit from which a *move* starts."""
    return move & PLACE


@inlined
def end_bit(move: Any) -> Any:
    """The number of the bit on which a *move* ends."""
    return (move >> TO) & PLACE


@inlined
def captured_pieces(move: Any) -> Any:
    """The pieces that a *move* captures, as bits."""
    return ((move >> CAPTURED) & CAPTURED_WORD) << FOUR


@inlined
def is_reversible(kings: Any, move: Any) -> Any:
    """Whether a king moves and nothing is captured; *kings* are those before the *move*."""
    return (move >> CAPTURED) == NONE and ((kings >> start_bit(move)) & ONE) == ONE


@inlined
def repetition_key(own: Any, other: Any, kings: Any, side: int) -> Any:
    """Where the kings stand, as one word: dark's in the low half, light's in the high one.

    Between moves that cannot be taken back nothing but kings moves, so there it tells positions
    apart, except for the side to move.
    """
    dark, light = own & kings, other & kings
    if side == 1:
        dark, light = light, dark
    return _squeeze(dark) | (_squeeze(light) << np.uint64(32))


@inlined
def note_position(past: Any, quiet: int, own: Any, other: Any, kings: Any, side: int) -> None:
    """Notes a position for :func:`is_draw`.

    Args:
        past: Scratch of a game (``uint64``), at least ``DRAW_PLIES + 1`` long.
        quiet: The plies since the last move that can't be taken back (:func:`is_reversible`).
        own: The position, as everywhere.
        other: See there.
        kings: See there.
        side: See there.
    """
    past[quiet] = repetition_key(own, other, kings, side)


@inlined
def is_draw(past: Any, quiet: int) -> Any:
    """Whether the position noted last is a draw, if the player to move can move at all.

    It is if it stands for the third time with the same side to move, or if *quiet* is
    :data:`DRAW_PLIES`.
    """
    if quiet >= DRAW_PLIES:
        return True
    seen = 0
    place = quiet - 4  # kings need two moves each to come back
    while place >= 0:
        if past[place] == past[quiet]:
            seen += 1
        place -= 2
    return seen >= 2


@compiled
def count_sequences(
    own: Any, other: Any, kings: Any, side: int, depth: int, moves: Any, at: int
) -> Any:
    """The number of move sequences of *depth* plies from a position; draws are not looked for.

    Captures along different paths count as different moves. At the last ply moves are counted,
    not made. *moves* from *at* on is workspace, with ``depth * MOST_MOVES`` places.
    """
    if depth == 0:
        return 1
    if depth == 1:
        return count_moves(own, other, kings, side, moves, at)
    end = at + list_moves(moves, at, own, other, kings, side)
    total = 0
    for place in range(at, end):
        mine, yours, crowned = move_piece(own, other, kings, moves[place])
        total += count_sequences(yours, mine, crowned, 1 - side, depth - 1, moves, end)
    return total


@compiled
def play_randomly(
    own: Any, other: Any, kings: Any, side: int, stream: Stream, moves: Any, past: Any
) -> Any:
    """Plays random moves to the end of the game.

    *moves* is workspace for :data:`MOST_MOVES`, *past* for ``DRAW_PLIES + 1``.

    Returns:
        The side that won, or 2 for a draw, and the number of plies.
    """
    quiet = 0
    plies = 0
    note_position(past, quiet, own, other, kings, side)
    while True:
        count = list_moves(moves, 0, own, other, kings, side)
        if count == 0:
            return 1 - side, plies
        if is_draw(past, quiet):
            return 2, plies
        move = moves[below(stream, count)]
        quiet = quiet + 1 if is_reversible(kings, move) else 0
        mine, yours, kings = move_piece(own, other, kings, move)
        own, other = yours, mine
        side = 1 - side
        plies += 1
        note_position(past, quiet, own, other, kings, side)


@inlined
def _jumpers(ups: Any, downs: Any, other: Any, empty: Any) -> Any:
    """The pieces that can capture."""
    up = (((empty >> FOUR) & other) >> FOUR) | (((empty >> FIVE) & other) >> FIVE)
    down = (((empty << FOUR) & other) << FOUR) | (((empty << FIVE) & other) << FIVE)
    return (ups & up) | (downs & down)


@inlined
def _list_steps(moves: Any, end: int, starts: Any, step: Any) -> Any:
    while starts:
        start = np.uint64(lowest_bit(starts))
        moves[end] = start | ((start + step) << TO)
        end += 1
        starts &= starts - ONE
    return end


@inlined
def _list_steps_down(moves: Any, end: int, starts: Any, step: Any) -> Any:
    while starts:
        start = np.uint64(lowest_bit(starts))
        moves[end] = start | ((start - step) << TO)
        end += 1
        starts &= starts - ONE
    return end


@compiled
def _list_captures(
    moves: Any, end: int, jumpers: Any, other: Any, kings: Any, side: int, empty: Any
) -> Any:
    """Writes all complete captures from place *end* on and gives the place after the last."""
    while jumpers:
        rest = jumpers & (jumpers - ONE)
        piece = jumpers ^ rest
        jumpers = rest
        first, last = 0, 4
        if not piece & kings:
            first, last = (0, 2) if side == 0 else (2, 4)
        end = _follow_jumps(
            *(moves, end, piece, other, empty | piece, first, last),
            *(np.uint64(lowest_bit(piece)), JUMPS),
        )
    return end


@compiled
def _follow_jumps(
    moves: Any,
    end: int,
    piece: Any,
    other: Any,
    empty: Any,
    first: int,
    last: int,
    move: Any,
    shift: Any,
) -> Any:
    """Writes the captures that begin with *move* and go on from where the *piece* stands now.

    *other* are the pieces not captured yet, *first* to *last* the directions, *shift* the place
    in the word for the next jump. What was captured is not empty yet, but no jump could end
    there: jumps change rows by two. A man that is crowned stops by itself, since as a man it
    could only go on over the edge.
    """
    ends_here = True
    for direction in range(first, last):
        over = _shift(piece, direction) & other
        target = _shift(over, direction) & empty
        if target:
            ends_here = False
            word = move | (over << BOARD_TO_WORD) | (np.uint64(direction) << shift)
            end = _follow_jumps(
                *(moves, end, target, other ^ over, empty, first, last, word, shift + TWO)
            )
    if ends_here:
        moves[end] = move | (np.uint64(lowest_bit(piece)) << TO)
        end += 1
    return end


@inlined
def _shift(bits: Any, direction: int) -> Any:
    """The squares next to *bits*: 0 and 1 are up, 2 and 3 down, by 4 and 5."""
    step = np.uint64(4 + (direction & 1))
    return bits << step if direction < 2 else bits >> step


@inlined
def _squeeze(bits: Any) -> Any:
    """The same squares without the empty bits between: square s is bit s - 1."""
    low = (bits & np.uint64(0xFF)) | ((bits >> ONE) & np.uint64(0xFF00))
    high = ((bits >> TWO) & np.uint64(0xFF0000)) | ((bits >> THREE) & np.uint64(0xFF000000))
    return low | high
