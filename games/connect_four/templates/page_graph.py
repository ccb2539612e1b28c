"""What exported bots that are NEAT graphs think of each move; see `page`."""

from __future__ import annotations

from collections.abc import Mapping

from evolve_arena.games.connect_four.templates.graph import (
    BOARDS,
    HEAD,
    INPUTS,
    PLANES,
    see,
    show_disc,
)
from evolve_arena.runs.export.templates.graph import activate

# --- What it thinks -----------------------------------------------------------------------


def weigh(board: list[int], mark: int, cells: Mapping[int, int]) -> list[float]:
    """The values of the open columns; what a recurrent network remembers stays as it is."""
    boards, planes = dict(BOARDS), dict(PLANES)
    seen = see(board, mark)
    BOARDS.clear()
    BOARDS.update(boards)
    PLANES.clear()
    PLANES.update(planes)
    if HEAD == "policy":
        outputs = activate(seen)
        return [outputs[INPUTS + column] for column in cells]
    values = []
    for cell in cells.values():
        after = list(seen)
        show_disc(after, cell, mark, mark)
        values.append(activate(after)[INPUTS])
    return values
