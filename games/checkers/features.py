"""What a checkers position looks like to a linear player: twenty counts, compiled.

The list is that of Piotrowski (2004), section 4.3; he took the terms behind the piece counts from
A. L. Samuel, "Some studies in machine learning using the game of checkers", IBM Journal of
Research and Development 3 (1959), appendix C. Each is counted for the active side, the one whose
value is asked for (0), and for the passive side (1). All depend on the board alone, not on who is
to move: what a side can do is what it could do if it were its turn.

===============  =================================================================================
feature          what is counted
===============  =================================================================================
pieceCount[0-3]  men and kings of the active side, then men and kings of the passive side
thretend         complete captures that the side could make, as moves are counted: two ways on
                 from one jump are two, and a jump over three pieces is one
cent             centre squares with a man of the side
kcent            centre squares with a king of the side
cntr             centre squares on which any piece of the side stands, or to which one can step
thret            squares to which a piece can step from where it could then capture something
mob              squares to which a piece can step
deny             squares of mob on which every piece that can step there could then be captured
                 without an exchange: by a capture after which the side could not capture at all
mobil            mob - deny: squares that can be taken up safely
===============  =================================================================================

The text leaves several things open. Here to *step* is to make a move without a capture, even where
a capture would be compulsory, since Samuel's mobility disregards jumps. The centre is his as well:
squares 10, 11, 14, 15, 18, 19, 22 and 23. A threat is made by the piece that stepped, which counts
as a king if it was crowned by its step, and not by others for which it made room; every such
capture is new, for a step changes the row by one and so leaves all neighbours behind. A piece is
captured too if it is not the first that a longer capture takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.games.checkers.board import (
    BOARD,
    FAR_ROWS,
    MOST_MOVES,
    captured_pieces,
    capturing_pieces,
    count_moves,
    list_moves,
    movable_kinds,
    move_piece,
)
from evolve_arena.games.checkers.position import Position
from evolve_arena.genomes.simd import poke

FEATURE_NAMES = (
    *(f"pieceCount[{number}]" for number in range(4)),
    *(
        f"{name}[{side}]"
        for name in ("thretend", "cent", "kcent", "cntr", "thret", "mob", "deny", "mobil")
        for side in (0, 1)
    ),
)
"""All features, in the order in which they are counted."""
FEATURE_WORDS = (
    *("own men", "own kings", "other's men", "other's kings"),
    *(
        f"{whose} {word}"
        for word in (
            "captures",
            "men in the centre",
            "kings in the centre",
            "centre squares in reach",
            "steps that threaten",
            "squares in reach",
            "squares in reach, but covered",
            "squares safely in reach",
        )
        for whose in ("own", "other's")
    ),
)
"""The same in words, for pictures."""
FEATURE_SETS = (4, 14, 20)
"""How many of them players use, always the first ones."""

CENTRE = np.uint64(0x0198CC00)
"""Squares 10, 11, 14, 15, 18, 19, 22 and 23."""

NONE, ONE, FOUR, FIVE = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(5)


def see_features(position: Position, count: int) -> NDArray[np.int64]:
    """The first *count* features of a *position*, as who is to move counts them."""
    counts, moves = np.zeros(count, dtype=np.int64), np.zeros(MOST_MOVES, dtype=np.uint64)
    pieces = np.uint64(position.dark), np.uint64(position.light)
    own, other = pieces if position.side == 0 else pieces[::-1]
    kings = np.uint64(position.kings)
    count_features(counts, 0, count, own, other, kings, position.side, moves, 0)
    return counts


@inlined
def count_features(
    features: Any,
    at: int,
    count: int,
    active: Any,
    passive: Any,
    kings: Any,
    side: int,
    moves: Any,
    moves_at: int,
) -> None:
    """Counts the first features of a position.

    Args:
        features: Where they are written (``int64``), from place *at* on.
        at: See there.
        count: How many: one of :data:`FEATURE_SETS`.
        active: The pieces of the side that asks, as bits.
        passive: Those of the other side.
        kings: Which of all of them are kings.
        side: The colour of the active side: 0 dark, 1 light.
        moves: Scratch (``uint64``), :data:`evolve_arena.games.checkers.board.MOST_MOVES` places
            from *moves_at* on.
        moves_at: See there.
    """
    poke(features, at, count_bits(active & ~kings))
    poke(features, at + 1, count_bits(active & kings))
    poke(features, at + 2, count_bits(passive & ~kings))
    poke(features, at + 3, count_bits(passive & kings))
    if count > 4:
        _count_terms(features, at, count, active, passive, kings, side, moves, moves_at)


@compiled
def _count_terms(
    features: Any,
    at: int,
    count: int,
    active: Any,
    passive: Any,
    kings: Any,
    side: int,
    moves: Any,
    moves_at: int,
) -> None:
    """Writes all but the piece counts."""
    _count_position(features, at + 4, active, passive, kings, side, moves, moves_at)
    _count_position(features, at + 5, passive, active, kings, 1 - side, moves, moves_at)
    if count > 14:
        _count_mobility(features, at + 14, active, passive, kings, side, moves, moves_at)
        _count_mobility(features, at + 15, passive, active, kings, 1 - side, moves, moves_at)


@inlined
def _count_position(
    features: Any, at: int, own: Any, other: Any, kings: Any, side: int, moves: Any, moves_at: int
) -> None:
    """Writes thretend, cent, kcent, cntr and thret of the side with *own*, two places apart."""
    by_men, by_kings = _reach(own, other, kings, side)
    reached = by_men | by_kings
    ups, downs = movable_kinds(reached, by_kings | (by_men & FAR_ROWS), side)
    threats = _can_jump(ups, downs, own, other)
    captures = _count_captures(own, other, kings, side, moves, moves_at)
    poke(features, at, captures)
    poke(features, at + 2, count_bits(own & ~kings & CENTRE))
    poke(features, at + 4, count_bits(own & kings & CENTRE))
    poke(features, at + 6, count_bits((own | reached) & CENTRE))
    poke(features, at + 8, count_bits(threats))


@inlined
def _count_captures(own: Any, other: Any, kings: Any, side: int, moves: Any, moves_at: int) -> Any:
    """How many complete captures there are; all are listed only if one may be of several pieces."""
    empty = BOARD & ~(own | other)
    ups, downs = movable_kinds(own, kings, side)
    up_by_4, up_by_5 = ((ups << FOUR) & other) << FOUR, ((ups << FIVE) & other) << FIVE
    down_by_4, down_by_5 = ((downs >> FOUR) & other) >> FOUR, ((downs >> FIVE) & other) >> FIVE
    ends = (up_by_4 | up_by_5 | down_by_4 | down_by_5) & empty
    if not ends:
        return 0
    if _may_go_on(ends, ups, downs, other, empty):
        return count_moves(own, other, kings, side, moves, moves_at)
    up = count_bits(up_by_4 & empty) + count_bits(up_by_5 & empty)
    return up + count_bits(down_by_4 & empty) + count_bits(down_by_5 & empty)


@inlined
def _count_mobility(
    features: Any, at: int, own: Any, other: Any, kings: Any, side: int, moves: Any, moves_at: int
) -> None:
    """Writes mob, deny and mobil of the side with *own*, two places apart."""
    by_men, by_kings = _reach(own, other, kings, side)
    reached = by_men | by_kings
    left = _squares_in_danger(own, other, kings, side, reached)
    denied = 0
    while left:
        rest = left & (left - ONE)
        denied += _is_denied(left ^ rest, own, other, kings, side, moves, moves_at)
        left = rest
    mobility = count_bits(reached)
    poke(features, at, mobility)
    poke(features, at + 2, denied)
    poke(features, at + 4, mobility - denied)


@inlined
def _reach(own: Any, other: Any, kings: Any, side: int) -> Any:
    """The squares to which men can step, and those to which kings can."""
    empty = BOARD & ~(own | other)
    men, crowned = own & ~kings, own & kings
    by_men = (men << FOUR) | (men << FIVE) if side == 0 else (men >> FOUR) | (men >> FIVE)
    by_kings = (crowned << FOUR) | (crowned << FIVE) | (crowned >> FOUR) | (crowned >> FIVE)
    return by_men & empty, by_kings & empty


@inlined
def _can_jump(ups: Any, downs: Any, own: Any, other: Any) -> Any:
    """The squares among *ups* and *downs* from which a piece could jump up or down.

    The square that it came from counts as taken, which makes no difference: it lies an odd number
    of rows away, so that no jump could end there.
    """
    empty = BOARD & ~(own | other)
    up = (((empty >> FOUR) & other) >> FOUR) | (((empty >> FIVE) & other) >> FIVE)
    down = (((empty << FOUR) & other) << FOUR) | (((empty << FIVE) & other) << FIVE)
    return (ups & up) | (downs & down)


@inlined
def _squares_in_danger(own: Any, other: Any, kings: Any, side: int, reached: Any) -> Any:
    """Among the squares *reached*, all on which a piece could be captured, and perhaps some more.

    Most steps bring no danger, which this finds out for all of them together.
    """
    empty = BOARD & ~(own | other)
    ups, downs = movable_kinds(own, kings, side)
    their_ups, their_downs = movable_kinds(other, kings, 1 - side)
    # By the first jump, which ends on an empty square or where the piece came from.
    danger = (their_downs >> FOUR) & ((empty | ups) << FOUR)
    danger |= (their_downs >> FIVE) & ((empty | ups) << FIVE)
    danger |= (their_ups << FOUR) & ((empty | downs) >> FOUR)
    danger |= (their_ups << FIVE) & ((empty | downs) >> FIVE)
    # By a later one: the first is then over another piece. Among men no jump over another piece
    # that ends where one stood that stepped goes on over that one, which is behind.
    landing = empty | own if kings else empty
    ends = _jump_over(own, their_ups, their_downs) & landing
    while ends:
        onwards_up, onwards_down = ends if their_ups else NONE, ends if their_downs else NONE
        danger |= (onwards_up << FOUR) | (onwards_up << FIVE)
        danger |= (onwards_down >> FOUR) | (onwards_down >> FIVE)
        landing &= ~ends
        ends = _jump_over(own, onwards_up, onwards_down) & landing
    return danger & reached


@inlined
def _may_go_on(ends: Any, ups: Any, downs: Any, others: Any, empty: Any) -> Any:
    """Whether a piece of *ups* or *downs* might jump on over *others* from one of the *ends*.

    Where it started need not count as empty: no second jump comes back there.
    """
    onwards_up, onwards_down = ends if ups else NONE, ends if downs else NONE
    return (_jump_over(others, onwards_up, onwards_down) & empty) != NONE


@inlined
def _jump_over(others: Any, ups: Any, downs: Any) -> Any:
    """Where jumps of *ups* and *downs* over *others* end, taken or not."""
    up = (((ups << FOUR) & others) << FOUR) | (((ups << FIVE) & others) << FIVE)
    down = (((downs >> FOUR) & others) >> FOUR) | (((downs >> FIVE) & others) >> FIVE)
    return up | down


@compiled
def _is_denied(
    target: Any, own: Any, other: Any, kings: Any, side: int, moves: Any, moves_at: int
) -> Any:
    """1 if every piece that can step to *target* could be captured there for nothing, else 0."""
    ups, downs = movable_kinds(own, kings, side)
    for direction in range(4):
        step = FOUR + np.uint64(direction & 1)
        origin = (target >> step) & ups if direction < 2 else (target << step) & downs
        if origin:
            after = own ^ origin ^ target
            if not _is_lost(target, after, other, kings, side, moves, moves_at):
                return 0
    return 1


@inlined
def _is_lost(
    piece: Any, own: Any, other: Any, kings: Any, side: int, moves: Any, moves_at: int
) -> Any:
    """Whether *piece* of *own* can be captured in a way that nothing can be captured back.

    Whether it is among the *kings* does not matter, nor whether the piece that captures it is
    crowned: neither takes part in what is captured back.
    """
    empty = BOARD & ~(own | other)
    ups, downs = movable_kinds(other, kings, 1 - side)
    ends = _jump_over(own, ups, downs) & empty
    if not ends:
        return False
    if _may_go_on(ends, ups, downs, own, empty):
        return _is_lost_in_chain(piece, own, other, kings, side, moves, moves_at)
    for direction in range(4):
        step = FOUR + np.uint64(direction & 1)
        start, end = (piece >> step) & ups, (piece << step) & empty
        if direction >= 2:
            start, end = (piece << step) & downs, (piece >> step) & empty
        if not start or not end:
            continue
        if not capturing_pieces(own ^ piece, other ^ start ^ end, kings, side):
            return True
    return False


@compiled
def _is_lost_in_chain(
    piece: Any, own: Any, other: Any, kings: Any, side: int, moves: Any, moves_at: int
) -> Any:
    """The same where a capture may be of several pieces."""
    end = moves_at + list_moves(moves, moves_at, other, own, kings, 1 - side)
    for place in range(moves_at, end):
        if captured_pieces(moves[place]) & piece:
            yours, mine, crowned = move_piece(other, own, kings, moves[place])
            if not capturing_pieces(mine, yours, crowned, side):
                return True
    return False
