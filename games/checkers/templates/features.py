"""What exported checkers bots count on the board, be they sums of features or graphs; see `bot`.

It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from evolve_arena.games.checkers.templates.rules import (
    BOARD,
    DIRECTIONS,
    FAR_ROWS,
    can_capture,
    find_jumpers,
    follow_jumps,
    list_moves,
)

# --- The player ---------------------------------------------------------------------------
FEATURES = 4
# --- What it counts -----------------------------------------------------------------------

# Features are counted for the player who looks ahead, and for the opponent. What a side can do
# is what it could do if it were its turn, whoever is to move. To step is to move without a
# capture, also where a capture would be compulsory.

CENTRE = 0x0198CC00
count_bits = getattr(int, "bit_count", lambda bits: bin(bits).count("1"))


def count_features(active: int, passive: int, kings: int, side: int) -> list[int]:
    """The features of a position; side is the colour of the active side."""
    counts = [
        count_bits(active & ~kings),
        count_bits(active & kings),
        count_bits(passive & ~kings),
        count_bits(passive & kings),
    ]
    if FEATURES > 4:
        first = count_terms(active, passive, kings, side)
        second = count_terms(passive, active, kings, 1 - side)
        for number, term in enumerate(first):
            counts += (term, second[number])
    return counts


def count_terms(own: int, other: int, kings: int, side: int) -> list[int]:
    """What is counted for one side: captures, centre, threats, and perhaps mobility."""
    ups, downs = (own & kings, own) if side else (own, own & kings)
    empty = BOARD & ~(own | other)
    crowned = own & kings
    men = own ^ crowned
    by_men = (men >> 4 | men >> 5) & empty if side else (men << 4 | men << 5) & empty
    by_kings = (crowned << 4 | crowned << 5 | crowned >> 4 | crowned >> 5) & empty
    reached = by_men | by_kings
    going = by_kings | by_men & FAR_ROWS
    threats = find_jumpers(*((going, reached) if side else (reached, going)), other, empty)
    captures = 0
    if find_jumpers(ups, downs, other, empty):
        captures = len(list_moves(own, other, kings, side))
    terms = [
        captures,
        count_bits(men & CENTRE),
        count_bits(crowned & CENTRE),
        count_bits((own | reached) & CENTRE),
        count_bits(threats),
    ]
    if FEATURES > 14:
        mobility = count_bits(reached)
        danger = find_danger(own, other, kings, side, ups, downs, empty)
        denied = count_denied(own, other, kings, side, ups, downs, reached & danger)
        terms += [mobility, denied, mobility - denied]
    return terms


def find_danger(
    own: int, other: int, kings: int, side: int, ups: int, downs: int, empty: int
) -> int:
    """All squares where a piece that steps there could be captured, and perhaps some more.

    Most are found to be safe here, all together.
    """
    crowned = other & kings
    their_ups, their_downs = (other, crowned) if side else (crowned, other)
    # The first jump may end where the piece came from.
    up, down = empty | downs, empty | ups
    danger = (their_ups << 4 & up >> 4) | (their_ups << 5 & up >> 5)
    danger |= (their_downs >> 4 & down << 4) | (their_downs >> 5 & down << 5)
    # Later jumps begin where one over another piece ended, and end anywhere.
    landing = empty | own
    while True:
        ends = (their_ups << 4 & own) << 4 | (their_ups << 5 & own) << 5
        ends = (ends | (their_downs >> 4 & own) >> 4 | (their_downs >> 5 & own) >> 5) & landing
        if not ends:
            return danger
        their_ups, their_downs = (ends if their_ups else 0), (ends if their_downs else 0)
        danger |= their_ups << 4 | their_ups << 5 | their_downs >> 4 | their_downs >> 5
        landing &= ~ends


def count_denied(
    own: int, other: int, kings: int, side: int, ups: int, downs: int, targets: int
) -> int:
    """How many of the targets every piece that can step there would be lost on."""
    denied = 0
    while targets:
        target = targets & -targets
        targets ^= target
        origins = (target >> 4 & ups, target >> 5 & ups, target << 4 & downs, target << 5 & downs)
        denied += all(
            not origin or is_lost(target, own ^ origin ^ target, other, kings, side)
            for origin in origins
        )
    return denied


def is_lost(piece: int, own: int, other: int, kings: int, side: int) -> bool:
    """Whether a piece can be captured so that nothing can be captured back."""
    empty = BOARD & ~(own | other)
    crowned = other & kings
    ups, downs = (other, crowned) if side else (crowned, other)
    jumpers = find_jumpers(ups, downs, own, empty)
    while jumpers:
        jumper = jumpers & -jumpers
        jumpers ^= jumper
        ways = DIRECTIONS if jumper & kings else DIRECTIONS[2 - 2 * side : 4 - 2 * side]
        captures: list[tuple[int, ...]] = []
        follow_jumps(captures, (0, jumper), own, empty | jumper, ways)
        for capture in captures:
            if capture[0] & piece:
                after = other ^ jumper ^ capture[-1]
                if not can_capture(own & ~capture[0], after, kings, side):
                    return True
    return False
