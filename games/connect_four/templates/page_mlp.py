"""What exported bots that are multilayer perceptrons think of each move; see `page`."""

from __future__ import annotations

from collections.abc import Mapping
from operator import add

from evolve_arena.games.connect_four.templates.mlp import MOVES, disc_weights, see
from evolve_arena.runs.export.templates.mlp import HEAD, evaluate

# --- What it thinks -----------------------------------------------------------------------


def weigh(board: list[int], mark: int, cells: Mapping[int, int]) -> list[float]:
    """The values of the open columns; cells says where a disc in each of them comes to lie."""
    seen = see(board, mark)
    if HEAD == "policy":
        outputs = evaluate(seen)
        return [outputs[column] for column in cells]
    values = []
    for column, cell in cells.items():
        weights = MOVES[column] if HEAD == "action" else disc_weights(cell, mark, mark)
        values.append(evaluate(list(map(add, seen, weights)))[0])
    return values
