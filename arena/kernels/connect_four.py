"""The compiled arena of Connect Four: whole matches between packed players."""

from __future__ import annotations

from typing import Any

import numpy as np

from games.compiled import compiled, inlined
from games.connect_four import Rules, all_cells, cell_of, drop, has_line, mark_if_full
from games.stream import below
from genomes.network import add_column, start_sums
from players.connect_four import choose_move, column_base
from players.lineup import COLUMNS_AT, first_width

__all__ = ["draw_openings", "play_matches"]

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)


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
        scratch: Room for one match.
        outcomes: 1 if the player who began won, 0 for a draw, -1 if the other won (``int8``).
        plies: The length of each match, the opening included (``int16``).
        games: A hash of the moves (``uint64``): equal games have equal hashes.
    """
    for match in range(pairings.shape[0]):
        scratch.stream[0] = seeds[match]
        outcome, length, game = _play_match(
            rules, lineup, pairings[match, 0], pairings[match, 1], openings, match, scratch
        )
        outcomes[match] = outcome
        plies[match] = length
        games[match] = game


@inlined
def _play_match(
    rules: Rules, lineup: Any, first: int, second: int, openings: Any, match: int, scratch: Any
) -> Any:
    half = scratch.sums.shape[0] // 2
    first_units = first_width(lineup, first)
    second_units = first_width(lineup, second)
    columns = lineup.columns
    start_sums(scratch.sums, 0, columns, lineup.seats[first, COLUMNS_AT], first_units)
    start_sums(scratch.sums, half, columns, lineup.seats[second, COLUMNS_AT], second_units)
    own = other = full = np.uint64(0)
    game = FNV_START
    ply = 0
    while True:
        side = ply & 1
        column: Any = -1
        if ply < openings.shape[1]:
            column = np.int64(openings[match, ply])
        if column < 0:
            seat = second if side else first
            at = half if side else 0
            column = choose_move(rules, lineup, seat, side, own, other, full, scratch, at)
        bit = drop(own | other, column, rules)
        own |= bit
        full = mark_if_full(full, bit, column, rules)
        game = (game ^ np.uint64(column + 1)) * FNV_PRIME
        ply += 1
        if has_line(own, rules):
            return 1 - 2 * side, ply, game
        if ply == all_cells(rules):
            return 0, ply, game
        cell = cell_of(bit)
        if first_units:
            base = column_base(rules, lineup, first, 0, side, cell)
            add_column(scratch.sums, 0, columns, base, first_units)
        if second_units:
            base = column_base(rules, lineup, second, 1, side, cell)
            add_column(scratch.sums, half, columns, base, second_units)
        own, other = other, own


@compiled
def draw_openings(rules: Rules, seeds: Any, openings: Any) -> None:
    """Fills each row of *openings* with random moves after which the game still goes on.

    Row k is drawn from the stream of ``seeds[k]``, which is used up.
    """
    for row in range(openings.shape[0]):
        stream = seeds[row : row + 1]
        while not _draw_opening(rules, stream, openings, row):
            pass


@inlined
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
