"""The compiled arena of Connect Four: whole matches between packed players."""

from __future__ import annotations

from typing import Any

import numpy as np

from games.bitboard import Rules, all_cells, cell_of, drop, has_line, mark_if_full
from games.compiled import compiled, internal
from games.stream import below
from genomes.simd import peek, poke
from players.connect_four import choose_move, see_disc, take_seat
from players.lineup import BOARD_FIELDS, count_tables

__all__ = ["draw_openings", "play_matches"]

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)

OWN, OTHER, FULL, GAME = 0, 1, 2, 3
"""Fields of a table's board: the discs of whose turn it is, those of the other, the full
columns, and the hash of the moves so far."""
MATCH, PLY = 0, 1
"""Fields of a table's match: its number, and how many plies are played."""
NOBODY = -1
GOES_ON = 2


@compiled
def play_matches(
    rules: Rules,
    lineup: Any,
    pairings: Any,
    seeds: Any,
    openings: Any,
    scratch: Any,
    outcomes: Any,
    plies: Any,
    games: Any,
) -> None:
    """Plays every pairing and fills in *outcomes*, *plies* and *games*, all of shape ``(n,)``.

    Args:
        rules: The board.
        lineup: The players.
        pairings: Rows of the lineup, who begins first, shape ``(n, 2)``.
        seeds: The seed of each match's stream, shape ``(n,)``.
        openings: Columns that are played before the players decide, shape ``(n, plies)``;
            -1 ends an opening early.
        scratch: Room for the matches in hand.
        outcomes: 1 if the player who began won, 0 for a draw, -1 if the other won (``int8``).
        plies: The length of each match, the opening included (``int16``).
        games: A hash of the moves (``uint64``): equal games have equal hashes.
    """
    count = pairings.shape[0]
    tables = min(count, count_tables(lineup))
    for table in range(tables):
        _start_match(rules, lineup, pairings, seeds, scratch, table, table)
    started = playing = tables
    while playing > 0:
        for table in range(tables):
            match = peek(scratch.matches, table * BOARD_FIELDS + MATCH)
            if match < 0:
                continue
            outcome = _play_ply(rules, lineup, openings, scratch, table, match)
            if outcome == GOES_ON:
                continue
            outcomes[match] = outcome
            plies[match] = peek(scratch.matches, table * BOARD_FIELDS + PLY)
            games[match] = peek(scratch.boards, table * BOARD_FIELDS + GAME)
            if started < count:
                _start_match(rules, lineup, pairings, seeds, scratch, table, started)
                started += 1
            else:
                poke(scratch.matches, table * BOARD_FIELDS + MATCH, NOBODY)
                playing -= 1


@internal
def _start_match(
    rules: Rules, lineup: Any, pairings: Any, seeds: Any, scratch: Any, table: int, match: int
) -> None:
    for side in range(2):
        take_seat(rules, lineup, pairings[match, side], scratch, 2 * table + side)
    scratch.streams[table] = seeds[match]
    at = table * BOARD_FIELDS
    poke(scratch.boards, at + OWN, np.uint64(0))
    poke(scratch.boards, at + OTHER, np.uint64(0))
    poke(scratch.boards, at + FULL, np.uint64(0))
    poke(scratch.boards, at + GAME, FNV_START)
    poke(scratch.matches, at + MATCH, match)
    poke(scratch.matches, at + PLY, 0)


@internal
def _play_ply(
    rules: Rules, lineup: Any, openings: Any, scratch: Any, table: int, match: int
) -> Any:
    """Plays one ply at a table: the outcome of the match, or GOES_ON."""
    boards = scratch.boards
    at = table * BOARD_FIELDS
    own, other = peek(boards, at + OWN), peek(boards, at + OTHER)
    full = peek(boards, at + FULL)
    ply = peek(scratch.matches, at + PLY)
    side = ply & 1
    column: Any = -1
    if ply < openings.shape[1]:
        column = np.int64(openings[match, ply])
    if column < 0:
        column = choose_move(rules, lineup, 2 * table + side, own, other, full, scratch)
    bit = drop(own | other, column, rules)
    own |= bit
    poke(boards, at + OWN, other)
    poke(boards, at + OTHER, own)
    poke(boards, at + FULL, mark_if_full(full, bit, column, rules))
    poke(boards, at + GAME, (peek(boards, at + GAME) ^ np.uint64(column + 1)) * FNV_PRIME)
    poke(scratch.matches, at + PLY, ply + 1)
    if has_line(own, rules):
        return 1 - 2 * side
    if ply + 1 == all_cells(rules):
        return 0
    for chair in range(2 * table, 2 * table + 2):
        see_disc(lineup, scratch, chair, side, cell_of(bit))
    return GOES_ON


@compiled
def draw_openings(rules: Rules, seeds: Any, openings: Any) -> None:
    """Fills each row of *openings* with random moves after which the game still goes on.

    Row k is drawn from the stream of ``seeds[k]``, which is used up.
    """
    for row in range(openings.shape[0]):
        stream = seeds[row : row + 1]
        while not _draw_opening(rules, stream, openings, row):
            pass


@internal
def _draw_opening(rules: Rules, stream: Any, openings: Any, row: int) -> Any:
    own = other = full = np.uint64(0)
    for ply in range(openings.shape[1]):
        column = below(stream, rules.columns)
        while (full >> np.uint64(column)) & np.uint64(1):
            column = below(stream, rules.columns)
        bit = drop(own | other, column, rules)
        own |= bit
        if has_line(own, rules):
            return False
        full = mark_if_full(full, bit, column, rules)
        openings[row, ply] = column
        own, other = other, own
    return True
