"""A tuple network as a picture: what each cell is worth on average, and the strongest entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.games.connect_four.tuple_table import show_entries
from evolve_arena.genomes.tuples import Cells
from evolve_arena.runs.plots.cards import LINE, NEGATIVE, POSITIVE, SIGNS, draw_boards
from evolve_arena.runs.plots.routes import Point
from evolve_arena.runs.plots.sketch import write_title
from evolve_arena.runs.plots.style import GREY, new_figure, set_title

Numbers = NDArray[np.float64]

FIRST, SECOND, NEXT = 1, 2, 3
"""States of a cell that tell something: a disc of either player, or next to be filled."""
SIDES = ("after a move of who began", "after a move of the other")
STATES = ("disc of who began", "disc of the other", "next to be filled")
MOST_TUPLES, TUPLES_IN_A_ROW = 12, 4
SMALL, LARGE, EDGE = 0.13, 0.2, 0.4
"""Sizes of cells, and what is free at the sides; all in inches."""
NOTE = 0.42
"""Height of what is written above a board."""
GREATER_GAP, GAP = 0.45, 0.2
LEAST = 9.2
"""The least width of all boards, for the texts."""
LEAST_OF_BOARD = {SMALL: 0.7, LARGE: 1.15}
"""The least width that a board of such cells takes, for what stands above it."""


@dataclass(frozen=True, eq=False)
class Tuple:
    """A tuple, and what was learned about it."""

    cells: Cells
    states: NDArray[np.int8]
    """What each entry stands for, shape ``(entries, cells)``."""
    numbers: Numbers
    """Shape ``(2, entries)``: after moves of who began, and of the other."""

    @property
    def weight(self) -> float:
        """How far the numbers in use are apart: their standard deviation."""
        used = self.numbers[self.numbers != 0]
        return float(used.std()) if len(used) else 0.0


def draw_tuples(player: TuplePlayer, name: str | None = None) -> Figure:
    """The picture of *player*, whose title begins with *name*, or with the player's."""
    decoder = player.decoder
    tuples = read_tuples(player)
    strongest = sorted(tuples, key=lambda one: -one.weight)[:MOST_TUPLES]
    block = 2 * _slot(decoder.columns, SMALL) + GAP, decoder.rows * SMALL + NOTE
    lines = -(-len(strongest) // TUPLES_IN_A_ROW)
    boards = 6 * _slot(decoder.columns, LARGE) + 4 * GAP + GREATER_GAP
    width = max(boards, TUPLES_IN_A_ROW * (block[0] + GREATER_GAP) - GREATER_GAP, LEAST) + 2 * EDGE
    upper, lower = decoder.rows * LARGE + 1.9, lines * block[1] + 0.75
    height = 0.6 + upper + lower
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    place = {"x": 0.1 / width, "y": 1 - 0.12 / height}
    set_title(figure, write_title(player, name), [_describe(tuples)], place=place)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(-EDGE, width - EDGE), ylim=(0.0, height))
    _draw_values(figure, axes, value_cells(tuples, decoder.columns, decoder.rows), lower)
    _draw_strongest(axes, player, strongest, lower)
    return figure


def read_tuples(player: TuplePlayer) -> list[Tuple]:
    """The tuples of *player*, with their parts of its tables."""
    numbers = player.arrays["tables"].astype(np.float64).reshape(2, -1)
    tuples, at = [], 0
    for cells in player.arrays["cells"]:
        states = show_entries(cells, player.decoder.game.rules)
        tuples.append(Tuple(cells, states, numbers[:, at : at + len(states)]))
        at += len(states)
    return tuples


def value_cells(tuples: list[Tuple], columns: int, rows: int) -> Numbers:
    """What a cell's state adds to the sum on average: to a tuple's mean, for all tuples together.

    Only numbers that are in use count, and all of these the same, however often they are met.

    Returns:
        Shape ``(sides, states, rows, columns)``, the top row first: after a move of who began,
        and of the other; for a disc of who began, of the other, and a cell that is next. Not a
        number where no tuple knows.
    """
    total = np.full((2, 3, columns, rows), np.nan)
    for one in tuples:
        for side, numbers in enumerate(one.numbers):
            used = numbers != 0
            mean = numbers[used].mean() if used.any() else 0.0
            for place, cell in enumerate(one.cells.tolist()):
                column, row = divmod(cell, rows)
                for number, state in enumerate((FIRST, SECOND, NEXT)):
                    chosen = numbers[used & (one.states[:, place] == state)]
                    if len(chosen):
                        for where in (column, columns - 1 - column):
                            before = np.nan_to_num(total[side, number, where, row])
                            total[side, number, where, row] = before + chosen.mean() - mean
    return total[..., ::-1].swapaxes(2, 3)


def _slot(columns: int, cell: float) -> float:
    """How much room a board takes from left to right."""
    return max(columns * cell, LEAST_OF_BOARD[cell])


def _describe(tuples: list[Tuple]) -> str:
    count = sum(one.numbers.size for one in tuples)
    used = sum(int(np.count_nonzero(one.numbers)) for one in tuples)
    cells = len(tuples[0].cells)
    return (
        f"{len(tuples)} tuples of {cells} cells, each read as it stands and in the mirror;"
        f" {count:,} numbers, of which {used / count:.0%} are in use"
    )


def _draw_values(figure: Figure, axes: Axes, values: Numbers, bottom: float) -> None:
    """Six boards in a row, and their scale below."""
    width, height = figure.get_size_inches()
    rows, columns = values.shape[2:]
    known = np.abs(values[~np.isnan(values)])
    limit = float(np.percentile(known, 98)) if len(known) else 0.0
    limit = float(f"{limit:.1g}") or 1.0
    scale = Normalize(-limit, limit)
    base = bottom + 0.75
    top = base + rows * LARGE
    heading = "What each cell adds to the sum on average"
    axes.text(0.0, top + 0.62, heading, fontsize=9, fontweight="bold")
    left = 0.0
    for side, boards in enumerate(values):
        axes.text(left, top + 0.36, SIDES[side], fontsize=8.5)
        for state, board in zip(STATES, boards, strict=True):
            axes.text(left, top + 0.09, state, fontsize=8, color=GREY)
            draw_boards(axes, board[None], (left, base), LARGE, SIGNS, scale)
            left += _slot(columns, LARGE) + GAP
        left += GREATER_GAP - GAP
    bar = figure.colorbar(
        ScalarMappable(scale, SIGNS),
        cax=figure.add_axes((EDGE / width, (base - 0.28) / height, 1.7 / width, 0.12 / height)),
        orientation="horizontal",
        extend="both" if known.max(initial=0.0) > limit else "neither",
        ticks=MaxNLocator(4),
    )
    bar.ax.tick_params(labelsize=7.5, length=2)
    bar.outline.set_linewidth(0.4)
    told = "above 0: good for who began; the sum of all entries is what tanh makes a value of"
    axes.text(2.0, base - 0.22, told, fontsize=8, color=GREY, va="center")


def _draw_strongest(axes: Axes, player: TuplePlayer, tuples: list[Tuple], top: float) -> None:
    """A block for each of *tuples*: the entry best for who began, and that best for the other."""
    decoder = player.decoder
    heading = (
        "The tuples whose entries differ most, each with its entries furthest above and below 0"
    )
    axes.text(0.0, top - 0.12, heading, fontsize=9, fontweight="bold")
    _draw_key(axes, top - 0.33)
    board = _slot(decoder.columns, SMALL)
    for number, one in enumerate(tuples):
        line, place = divmod(number, TUPLES_IN_A_ROW)
        left = place * (2 * board + GAP + GREATER_GAP)
        bottom = top - 0.5 - (line + 1) * (decoder.rows * SMALL + NOTE) + NOTE / 2
        for extreme in (one.numbers.argmax(), one.numbers.argmin()):
            side, entry = divmod(int(extreme), one.numbers.shape[1])
            states = dict(zip(one.cells.tolist(), one.states[entry].tolist(), strict=True))
            size = decoder.columns, decoder.rows
            _draw_entry(axes, states, size, (left, bottom))
            value = one.numbers[side, entry]
            text = f"{value:+.2f}".replace("-", "−")
            colour = POSITIVE if value >= 0 else NEGATIVE
            y = bottom + decoder.rows * SMALL + 0.06
            axes.text(left, y, text, fontsize=8, color=colour, fontweight="bold")
            mover = ("1st", "2nd")[side]
            axes.text(left + board, y, mover, fontsize=7, color=GREY, ha="right")
            left += board + GAP


def _draw_entry(axes: Axes, states: dict[int, int], size: tuple[int, int], corner: Point) -> None:
    """A board with what lies on the cells of a tuple; all others are left out."""
    columns, rows = size
    left, bottom = corner
    frame = Rectangle(
        corner, columns * SMALL, rows * SMALL, facecolor="#F4F4F4", edgecolor=LINE, linewidth=0.6
    )
    axes.add_patch(frame)
    for cell, state in states.items():
        column, row = divmod(cell, rows)
        _draw_cell(axes, state, (left + column * SMALL, bottom + row * SMALL))


def _draw_cell(axes: Axes, state: int, corner: Point) -> None:
    """A white square, on which lies a disc, or a dot if it is next to be filled."""
    square = Rectangle(corner, SMALL, SMALL, facecolor="white", edgecolor=LINE, linewidth=0.5)
    axes.add_patch(square)
    middle = corner[0] + SMALL / 2, corner[1] + SMALL / 2
    colour = {FIRST: POSITIVE, SECOND: NEGATIVE, NEXT: "#333333"}.get(state)
    if colour:
        size = 8 if state == NEXT else (0.82 * SMALL * 72) ** 2
        axes.scatter(*middle, size, colour, linewidths=0, zorder=3)


def _draw_key(axes: Axes, y: float) -> None:
    left = 0.0
    texts = {FIRST: STATES[0], SECOND: STATES[1], NEXT: STATES[2], 0: "empty, not yet in reach"}
    for state, text in texts.items():
        _draw_cell(axes, state, (left, y - SMALL / 2))
        axes.text(left + 0.2, y, text, fontsize=8, va="center", color=GREY)
        left += 0.4 + 0.07 * len(text)
    told = "1st, 2nd: after whose moves it counts"
    axes.text(left, y, told, fontsize=8, va="center", color=GREY)
