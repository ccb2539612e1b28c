"""What a network thinks of each column of Connect Four, worked out by compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.games.connect_four.bitboard import Rules, cell_of, drop, full_columns
from evolve_arena.games.connect_four.graph_seat import value_disc
from evolve_arena.games.connect_four.network_seat import value_column, value_disc_by_network
from evolve_arena.games.connect_four.sitting import sit_down
from evolve_arena.games.connect_four.tuple_seat import value_disc_by_tuples
from evolve_arena.games.connect_four.workspace import ACTION, CARD_FIELDS, CARD_HEAD, CARD_KIND
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.simd import peek
from evolve_arena.players.lineup import GRAPH, TUPLES

ONE = np.uint64(1)


@compiled
def value_moves(
    rules: Rules, lineup: Any, side: int, own: Any, other: Any, scratch: Any, values: Any
) -> None:
    """Puts a network's opinion of each open column into *values* (``float64``).

    Its head is a value or an action.
    """
    full = full_columns(own | other, rules)
    sit_down(rules, lineup, side, own, other, scratch, False)
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            cell = cell_of(drop(own | other, column, rules))
            kind = peek(scratch.cards, side * CARD_FIELDS + CARD_KIND)
            if kind == GRAPH:
                values[column] = value_disc(lineup, side * CARD_FIELDS, cell, scratch)
            elif kind == TUPLES:
                whole = value_disc_by_tuples(lineup, side * CARD_FIELDS, cell, scratch)
                values[column] = whole / RESOLUTION
            elif peek(scratch.cards, side * CARD_FIELDS + CARD_HEAD) == ACTION:
                values[column] = value_column(lineup, side * CARD_FIELDS, column, scratch)
            else:
                values[column] = value_disc_by_network(lineup, side * CARD_FIELDS, cell, scratch)
