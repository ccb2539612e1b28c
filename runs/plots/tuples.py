"""A tuple network as a picture: the average effect of each cell, and the strongest entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from evolve_arena.core.types import Array
from evolve_arena.genomes.tuples import Cells
from evolve_arena.players.board.stacks import NEXT
from evolve_arena.players.evolved import Labels
from evolve_arena.players.tuples import TupleDecoder, TuplePlayer
from evolve_arena.runs.plots.cards import (
    LINE,
    OUTLINES,
    SIGNS,
    draw_board,
    label_board,
    make_scale,
    sign_colour,
    write_signed,
)
from evolve_arena.runs.plots.layout import Point
from evolve_arena.runs.plots.network_layout import Board, lay_out_board, write_title
from evolve_arena.runs.plots.style import (
    GREY,
    OKABE_ITO,
    Look,
    draw_scale,
    new_figure,
    new_page,
    set_title,
)

Numbers = NDArray[np.float64]

PIECES = (*OKABE_ITO[:2], "#333333", *OKABE_ITO[2:6])
"""Colours of cells' states: those of a board's first two planes, then others."""
MAX_BOARDS = 6
"""Maximum boards of mean contributions in a row; of more sides the first, the last and some between
are drawn."""
MAX_TUPLES, TUPLES_IN_A_ROW = 12, 4
EDGE = 0.4
"""Free space at the sides; all sizes are in inches."""
SMALL, LARGE = 1.05, 1.6
"""Maximum width of the small boards and of the large ones."""
SMALL_CELL, LARGE_CELL = 0.13, 0.2
"""Maximum size of their cells."""
LEAST_OF_SMALL, LEAST_OF_LARGE = 0.7, 1.3
NOTE = 0.42
"""Height of the text above a board."""
GREATER_GAP, GAP = 0.45, 0.2
LEAST = 9.2
"""Minimum width of all boards together, for the texts."""


@dataclass(frozen=True, eq=False)
class Tuple:
    """A tuple of cells, and the entries of its table of learned values."""

    cells: Cells
    states: NDArray[np.int64]
    """State of each cell in each entry, shape ``(entries, cells)``."""
    numbers: Numbers
    """Learned values, shape ``(sides, entries)``, by the side that has just moved."""

    @property
    def weight(self) -> float:
        """Standard deviation of the learned values that are not 0."""
        used = self.numbers[self.numbers != 0]
        return float(used.std()) if len(used) else 0.0


def draw_tuples(player: TuplePlayer, name: str | None = None) -> Figure:
    """Draw *player*'s tuple network; the title begins with *name*, or with the player's name."""
    # Average the entries over cells
    decoder = player.decoder
    if not decoder.has_board:
        return _draw_numbers(player, name)
    board = lay_out_board(Labels([("", *decoder.planes[0][1:])]), player.game)
    tuples = read_tuples(player)
    values = value_cells(tuples, decoder)

    # Fit the boards into lines
    strongest = sorted(tuples, key=lambda one: -one.weight)[:MAX_TUPLES]
    small = min(SMALL_CELL, SMALL / board.width)
    large = min(LARGE_CELL, LARGE / board.width)
    small_slot = max(board.width * small, LEAST_OF_SMALL)
    large_slot = max(board.width * large, LEAST_OF_LARGE)
    block = 2 * small_slot + GAP, board.height * small + NOTE
    sides, states = values.shape[:2]
    shown = np.arange(sides)
    if sides * states > MAX_BOARDS:
        shown = np.linspace(0, sides - 1, max(1, MAX_BOARDS // states)).astype(int)
    boards = len(shown) * (states * (large_slot + GAP) + GREATER_GAP - GAP) - GREATER_GAP
    blocks = TUPLES_IN_A_ROW * (block[0] + GREATER_GAP) - GREATER_GAP
    width = max(boards, blocks, LEAST) + 2 * EDGE
    lines = -(-len(strongest) // TUPLES_IN_A_ROW)
    lower = lines * block[1] + 0.75
    height = 0.6 + board.height * large + 2.1 + lower

    # Draw
    figure = new_page(width, height, write_title(player, name), [_describe(tuples, decoder)])
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(-EDGE, width - EDGE), ylim=(0.0, height))
    some = {int(side): values[side] for side in shown}
    _draw_values(figure, axes, decoder, board, some, (large, large_slot), lower)
    _draw_strongest(axes, decoder, board, strongest, (small, small_slot), lower)
    return figure


def read_tuples(player: TuplePlayer) -> list[Tuple]:
    """Return the tuples of *player*, with their parts of its tables."""
    decoder = player.decoder
    numbers = player.arrays["tables"].astype(np.float64).reshape(len(decoder.sides), -1)
    tuples, at = [], 0
    for cells in player.arrays["cells"]:
        states = decoder.list_entries(cells)
        tuples.append(Tuple(cells, states, numbers[:, at : at + len(states)]))
        at += len(states)
    return tuples


def name_place(place: int) -> str:
    """Return the name of a side's *place*, from 0.

    >>> name_place(0), name_place(7)
    ('1st', '8th')
    """
    return ("1st", "2nd", "3rd")[place] if place < 3 else f"{place + 1}th"


def value_cells(tuples: list[Tuple], decoder: TupleDecoder) -> Numbers:
    """Return the average effect of each cell's state on the network's output.

    Each tuple contributes the mean of its values with that state, minus the mean of all its values.
    Values of 0 do not count; all others have the same weight, however often they occur.

    Returns:
        Shape ``(sides, states, cells)``, in the order of the cells of the game's `PageBoard`,
        without the first state; NaN where no tuple has a value for the state.
    """
    states, places = len(decoder.states), list(map(decoder.find_cell, range(decoder.cells)))
    total = np.full((len(decoder.sides), states - 1, 1 + max(places)), np.nan)
    for one in tuples:
        for side, numbers in enumerate(one.numbers):
            used = numbers != 0
            mean = numbers[used].mean() if used.any() else 0.0
            for place, cell in enumerate(one.cells.tolist()):
                # The mean with a state, less that of all, counts for each image of the cell
                for state in range(1, states):
                    chosen = numbers[used & (one.states[:, place] == state)]
                    if len(chosen):
                        for where in (places[image] for image in decoder.views[:, cell]):
                            if where < 0:
                                continue
                            before = np.nan_to_num(total[side, state - 1, where])
                            total[side, state - 1, where] = before + chosen.mean() - mean
    return total


def _draw_numbers(player: TuplePlayer, name: str | None) -> Figure:
    """Draw a row for each plane of inputs: the average effect of each number, or of each bit."""
    decoder, tuples = player.decoder, read_tuples(player)
    worths = np.full((len(decoder.planes), max(size for *_, size in decoder.planes)), np.nan)
    values = value_cells(tuples, decoder)
    figure = new_figure(3.0 + 5.0 * len(values), 1.6 + 0.25 * len(worths))
    set_title(figure, write_title(player, name), [_describe(tuples, decoder)])
    limit = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0

    # One panel for each side, in the same colours
    edges = 0.5, worths.shape[1] + 0.5, len(worths) - 0.5, -0.5
    look: Look = {"aspect": "auto", "interpolation": "none", "extent": edges}
    look |= {"cmap": SIGNS, "norm": Normalize(-limit, limit)}
    panels = np.ravel(figure.subplots(1, len(values), sharey=True))
    for axes, side, numbers in zip(panels, decoder.sides, values, strict=True):
        for (state, cell), worth in np.ndenumerate(numbers):
            worths.flat[decoder.find_input(cell, state + 1)] = worth
        picture = axes.imshow(worths.copy(), **look)
        axes.set_yticks(range(len(worths)), [plane for plane, *_ in decoder.planes])
        axes.set_title(side, fontsize=9)
        axes.set_xlabel("number" if len(decoder.states) > 2 else "bit")
        axes.tick_params(labelsize=8)
    figure.colorbar(picture, ax=list(panels), label="mean contribution to the sum")
    return figure


def _describe(tuples: list[Tuple], decoder: TupleDecoder) -> str:
    count = sum(one.numbers.size for one in tuples)
    used = sum(int(np.count_nonzero(one.numbers)) for one in tuples)
    views = len(decoder.views)
    read = {1: "read as it stands", 2: "read as it stands and in the mirror"}
    how = read.get(views, f"read in {views} views of the board that are worth the same")
    if views == 2 and (decoder.views[1] == decoder.views[0][::-1]).all():
        how = "read as it stands and turned by half"
    return (
        f"{len(tuples)} tuples of {len(tuples[0].cells)} cells, each {how};"
        f" {count:,} numbers, of which {used / count:.0%} are in use"
    )


def _draw_values(
    figure: Figure,
    axes: Axes,
    decoder: TupleDecoder,
    board: Board,
    values: Mapping[int, Numbers],
    size: Point,
    bottom: float,
) -> None:
    """Draw a board for each state of some sides in a row, and their scale below."""
    cell, slot = size
    drawn = np.stack(list(values.values()))
    known = np.abs(drawn[~np.isnan(drawn)])
    scale = make_scale(known)
    base = bottom + 0.85
    top = base + board.height * cell
    heading = "Mean contribution of each cell to the sum"
    axes.text(0.0, top + 0.75, heading, fontsize=9, fontweight="bold")
    left = 0.0
    for side, boards in values.items():
        name = decoder.sides[side]
        named = f"{name_place(side)}: {name}" if len(decoder.sides) > 1 else name
        axes.text(left, top + 0.5, named, fontsize=8.5)
        for state, worths in zip(decoder.states[1:], boards, strict=True):
            axes.text(left, top + 0.26, state, fontsize=8, color=GREY)
            draw_board(axes, board, worths, (left, base), cell, SIGNS, scale)
            label_board(axes, board, (left, base), cell)
            left += slot + GAP
        left += GREATER_GAP - GAP
    clipped = bool(known.max(initial=0.0) > scale.vmax)
    draw_scale(figure, (EDGE, base - 0.4), scale, SIGNS, clipped=clipped)
    told = "above 0: good for the side that has moved"
    axes.text(2.0, base - 0.34, told, fontsize=8, color=GREY, va="center")


def _draw_strongest(
    axes: Axes,
    decoder: TupleDecoder,
    board: Board,
    tuples: list[Tuple],
    size: Point,
    top: float,
) -> None:
    """Draw a block for each of *tuples*: its entry furthest above 0, and that furthest below."""
    cell, slot = size
    heading = (
        "The tuples whose entries differ most, each with its entries furthest above and below 0"
    )
    axes.text(0.0, top - 0.12, heading, fontsize=9, fontweight="bold")
    _draw_key(axes, decoder, top - 0.33)
    for number, one in enumerate(tuples):
        line, place = divmod(number, TUPLES_IN_A_ROW)
        left = place * (2 * slot + GAP + GREATER_GAP)
        bottom = top - 0.5 - (line + 1) * (board.height * cell + NOTE) + NOTE / 2
        for extreme in (one.numbers.argmax(), one.numbers.argmin()):
            side, entry = divmod(int(extreme), one.numbers.shape[1])
            states = {
                place: state
                for cell, state in zip(one.cells.tolist(), one.states[entry].tolist(), strict=True)
                if (place := decoder.find_cell(cell)) >= 0
            }
            _draw_entry(axes, decoder, board, states, (left, bottom), cell)
            value = one.numbers[side, entry]
            y = bottom + board.height * cell + 0.06
            look: Look = {"color": sign_colour(value), "fontweight": "bold"}
            axes.text(left, y, write_signed(value), fontsize=8, **look)
            if len(decoder.sides) > 1:
                axes.text(left + slot, y, name_place(side), fontsize=7, color=GREY, ha="right")
            left += slot + GAP


def _draw_entry(
    axes: Axes,
    decoder: TupleDecoder,
    board: Board,
    states: dict[int, int],
    corner: Point,
    cell: float,
) -> None:
    """Draw a board with the states of a tuple's cells, without all others."""
    (plane,) = board.planes
    if plane.shape == "hex":
        _draw_outlines(axes, plane.places * cell + corner, plane.shape, cell, "#F4F4F4")
    else:
        size = board.width * cell, board.height * cell
        look: Look = {"facecolor": "#F4F4F4", "edgecolor": LINE, "linewidth": 0.6}
        axes.add_patch(Rectangle(corner, *size, **look))
    for place, state in states.items():
        x, y = plane.places[place] * cell + corner
        _draw_cell(axes, decoder, state, (x, y), plane.shape, cell)


def _draw_cell(
    axes: Axes, decoder: TupleDecoder, state: int, corner: Point, shape: str, cell: float
) -> None:
    """Draw a white cell with a disc, or with a dot where the next piece of a stack would be."""
    _draw_outlines(axes, np.array([corner]), shape, cell, "white")
    if state:
        is_next = decoder.game.stacks and state == NEXT
        size = 8 if is_next else (0.75 * cell * 72) ** 2
        middle = corner[0] + cell / 2, corner[1] + cell / 2
        axes.scatter(*middle, size, PIECES[(state - 1) % len(PIECES)], linewidths=0, zorder=5)


def _draw_outlines(axes: Axes, corners: Array, shape: str, cell: float, colour: str) -> None:
    shapes = corners[:, None] + cell / 2 + OUTLINES[shape] * cell
    look: Look = {"facecolors": colour, "edgecolors": LINE, "linewidths": 0.5}
    axes.add_collection(PolyCollection(shapes, zorder=2, **look))


def _draw_key(axes: Axes, decoder: TupleDecoder, y: float) -> None:
    left = 0.0
    for state in (*range(1, len(decoder.states)), 0):
        _draw_cell(axes, decoder, state, (left, y - SMALL_CELL / 2), "square", SMALL_CELL)
        text = decoder.states[state]
        axes.text(left + 0.2, y, text, fontsize=8, va="center", color=GREY)
        left += 0.4 + 0.07 * len(text)
