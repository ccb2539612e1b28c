"""A network's activations in a position as a picture: the board, moves, inputs and units.

The data are those that the page draws too (`evolve_arena.runs.plots.network_view`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import BadValueError, PositionError, one_line
from evolve_arena.core.types import JsonObject, Move, State
from evolve_arena.players.evolved import EvolvedPlayer, Labels
from evolve_arena.players.page_board import PageBoard, find_page_board
from evolve_arena.players.player import Player
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.plots.cards import (
    DISC,
    LINE,
    OUTLINES,
    SIGNS,
    draw_board,
    label_board,
    sign_colour,
    write_signed,
)
from evolve_arena.runs.plots.layout import board_width
from evolve_arena.runs.plots.network_layout import ACROSS, Board, Plane, lay_out_board, write_title
from evolve_arena.runs.plots.network_view import NetworkView, Unit, look_inside
from evolve_arena.runs.plots.style import GREY, OKABE_ITO, Look, new_page, style_axes

Numbers = NDArray[np.float64]

SELF_PLAY = "self-play"
"""Text that names a position from a game of the player against itself."""
PIECES = ("#3F3F3F", "#F5F0E1", "#D55E00", "#0072B2", "#009E73")
"""Colours of seats."""
NOBODY = "#C9A66B"
"""Colour of pieces that belong to no seat."""
SHADES = ("#FBFBFB", "#E3E3E3")
MAX_MOVES = 18
"""Maximum moves; of more, the best are listed."""
MAX_UNITS = 28
"""Maximum units of a layer; of more, those with the largest values are drawn."""
MAX_NAMED = 30
"""Maximum inputs with names; of more, those that are not 0 are drawn."""
MAX_BARS = 24
"""Maximum bars; of more inputs with names, those that add most are drawn."""
WIDTH, UPPER = 13.0, 4.4
"""Width of the picture and height of its upper part; all sizes are in inches."""
BOARD, MARGIN, HEAD = 4.0, 0.35, 0.75
"""Width of the board; free space at the sides, and above."""
STEP, ROW = 0.21, 0.19
"""Height of a unit, and of an input with a name."""
LETTER = 0.068


def find_position(player: Player, text: str, seed: int = 0) -> object:
    """Return the position that *text* names: a position or moves; see `Game.parse_position`.

    Args:
        player: Player whose game the position belongs to.
        text: A position or moves in the game's notation, or ``self-play`` for a position from the
            middle of a game of *player* against itself; an empty text is the start.
        seed: Seed of the game for ``self-play``.

    Raises:
        BadValueError: The player is not made for a game, or its self-play uses no network.
        PositionError: The text describes no position, or the game is over there.
    """
    game = player.game
    if game is None:
        raise BadValueError(f"{player.name} plays any game: there is no position to draw")
    position = _play_itself(player, seed) if text == SELF_PLAY else game.parse_position(text)
    if game.outcome(position) is not None:
        raise PositionError(f"the game is over in position {one_line(text, 60)!r}")
    return position


def _play_itself(player: Player, seed: int) -> object:
    """Return the middle one of the positions of a self-play game in which the network is used."""
    asked: list[object] = []

    def watch(position: object, move: object) -> None:
        if player.game.outcome(position) is None and look_inside(player, position):
            asked.append(position)

    play_match(player.game, [player] * player.game.seats, seed=seed, watch=watch)
    if not asked:
        raise BadValueError(f"{player.name} has no network whose inside could be drawn")
    return asked[len(asked) // 2]


def draw_position(player: Player, position: State, name: str | None = None) -> Figure:
    """Draw the activations of a *player*'s network in a *position*.

    Above: the board; the values of moves, the best one dark; each input's share of the output.
    Below: the inputs, the units with their values, and the strongest connections.

    Args:
        player: Player with the network.
        position: Position of its game; the game is not over.
        name: Beginning of the title, instead of the player's name.

    Raises:
        BadValueError: The player has no network, or does not use it in this position.
    """
    found = look_inside(player, position)
    if found is None or not isinstance(player, EvolvedPlayer):
        raise BadValueError(
            f"{player.name} has no network that is asked in this position: its inside can't be"
            " drawn"
        )

    # Measure the lower part first: the picture is as high as that needs
    labels = player.labels
    assert labels is not None
    board = lay_out_board(labels, player.game)
    legal_moves = player.game.legal_moves(position)
    legal: list[int] = []
    if player.decoder.head == "policy" and len(found["layers"][-1]) > MAX_UNITS:
        legal = list(map(player.game.number_of, legal_moves))
    network = _Inside(found, board, labels, legal)
    height = HEAD + UPPER + network.height + 1.0
    seat = player.game.to_move(position)
    view = find_page_board(player.game)
    subtitle = f"{player.game.name}: {view.sides()[seat]} to move"
    figure = new_page(WIDTH, height, write_title(player, name), [subtitle])
    bottom = network.height + 1.0

    def add(left: float, low: float, wide: float, high: float) -> Axes:
        return figure.add_axes((left / WIDTH, low / height, wide / WIDTH, high / height))

    # On the left the board, with the values of moves
    values = _find_values(player, position)
    _draw_table(add(MARGIN, bottom, BOARD, UPPER - 0.4), view, position, seat, values)

    # In the middle the moves, or the outputs where no move is valued
    names = _name_moves(player, position, values)
    more = f", the best {len(names)} of {len(legal_moves)}"
    what = f"Moves{more if len(names) < len(legal_moves) else ''}"
    if not values:
        what = "Outputs: no move is weighed"
        outputs = {unit["name"]: unit["value"] for unit in found["layers"][-1]}
        names, values = _list_best(outputs), dict(outputs.items())
    left = MARGIN + BOARD + 0.3 + LETTER * max(map(len, names), default=0)
    right = WIDTH - MARGIN - 3.9
    _draw_moves(add(left, bottom, max(right - left - 0.6, 1.2), UPPER - 0.4), values, names, what)

    # On the right each input's share: bars if inputs have names, else cells
    adds = np.array(found["adds"])
    heading = f"Contribution of each input to “{found['output']}”"
    if labels.names:
        order = [at for at in np.argsort(-np.abs(adds), kind="stable") if adds[at]][:MAX_BARS]
        adding = [labels.names[at] for at in order]
        widest = LETTER * max(map(len, adding), default=0)
        axes = add(right + widest, bottom, WIDTH - MARGIN - right - widest, UPPER - 0.4)
        _draw_adds(axes, adding, adds[order], heading)
    else:
        axes = add(right, bottom, WIDTH - MARGIN - right, UPPER - 0.4)
        _draw_added_board(axes, board, adds, heading)

    # Below, the network itself
    network.draw(add(0.0, 0.0, WIDTH, network.height + 0.6))
    return figure


def _find_values(player: EvolvedPlayer, position: State) -> dict[Hashable, float]:
    """Return the player's values of moves; an empty table if it does not value moves."""
    try:
        return dict(player.values(position))
    except BadValueError:
        return {}


def _name_moves(player: EvolvedPlayer, position: State, values: Mapping[Move, float]) -> list[str]:
    """Return the names of the moves to list, the best first."""
    ui = find_text_ui(player.game)
    return [one_line(ui.name(move, position), 34) for move in _list_best(values)]


def _list_best(values: Mapping[Move, float]) -> list[Move]:
    return sorted(values, key=lambda move: -values[move])[:MAX_MOVES]


def _draw_table(
    axes: Axes, view: PageBoard, position: State, seat: int, values: Mapping[Move, float]
) -> None:
    """Draw the board as a page does, and on it the values of moves that end on cells."""
    layout, drawing = view.layout(), view.draw(position, seat)
    axes.set_axis_off()
    axes.set_title("The position", loc="left", fontsize=9.5, fontweight="bold")
    if layout["kind"] == "text":
        lines = drawing["text"].splitlines()
        size = min(11.0, 72 * BOARD / (0.62 * max(map(len, lines), default=1)))
        look: Look = {"family": "monospace", "fontsize": size, "va": "top"}
        axes.text(0.0, 0.97, "\n".join(lines), transform=axes.transAxes, **look)
        return
    axes.set_aspect("equal", anchor="NW")
    axes.set(xlim=(-0.7, layout["width"] + 0.2), ylim=(layout["height"] + 0.7, -0.7))
    if layout["kind"] == "map":
        _draw_map(axes, layout, drawing)
        return

    # Cells, pieces with their marks, and labels
    cells = layout["cells"]
    middles = np.array([(cell["x"] + 0.5, cell["y"] + 0.5) for cell in cells])
    shapes = [OUTLINES[cell["shape"]] + middle for cell, middle in zip(cells, middles, strict=True)]
    shades = [SHADES[cell["shade"]] for cell in cells]
    axes.add_collection(PolyCollection(shapes, facecolors=shades, edgecolors=LINE, linewidths=0.6))
    for cell, owner, kind in drawing["pieces"]:
        colour = PIECES[owner % len(PIECES)] if owner >= 0 else NOBODY
        disc = [0.9 * DISC + middles[cell]]
        axes.add_collection(PolyCollection(disc, facecolors=colour, edgecolors="#3F3F3F"))
        if mark := layout["signs"].get(f"{owner}:{kind}", {}).get("mark", ""):
            x, y = middles[cell]
            axes.text(x, y, mark, fontsize=11, ha="center", va="center", color=NOBODY)
    for label in layout["labels"]:
        shift, size = (0.18, 5.5) if label.get("small") else (0.0, 8)
        x, y = label["x"] + shift, label["y"] + shift
        axes.text(x, y, label["text"], fontsize=size, ha="center", va="center", color=GREY)
    _write_values(axes, view, position, middles, values)


def _write_values(
    axes: Axes, view: PageBoard, position: State, middles: Numbers, values: Mapping[Move, float]
) -> None:
    """Write each move's value on the cell where the move ends, if all end on different cells."""
    ends: dict[int, float] = {}
    for move in view.moves(position):
        number = view.game.parse_move(move["move"])
        if number in values and move["path"]:
            ends.setdefault(move["path"][-1], values[number])
    if len(ends) < len(values) - 1 or not ends:  # one may be a pass
        return
    best = max(ends.values())
    for cell, value in ends.items():
        look: Look = {"fontweight": "bold"} if value == best else {}
        x, y = middles[cell]
        text = axes.text(x, y, _write_value(value), ha="center", va="center", **look)
        text.set(fontsize=min(8.0, 90.0 / axes.get_xlim()[1]), color=_colour(value))
        text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])


def _draw_map(axes: Axes, layout: JsonObject, drawing: JsonObject) -> None:
    """Draw the lines of a map in their colours; claimed ones are thick, in their owners'."""
    owners = {cell: owner for cell, owner, _ in drawing["pieces"]}
    for number, cell in enumerate(layout["cells"]):
        owned = number in owners
        colour = OKABE_ITO[owners[number]] if owned else cell["colour"]
        lines = [list(map(tuple, cell["line"]))]
        if not owned:
            axes.add_collection(LineCollection(lines, colors="#888888", linewidths=1.9))
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=3.6 if owned else 1.2))
    for point in layout["points"]:
        axes.plot(point["x"], point["y"], "o", color="#444444", markersize=2.5)
        look: Look = {"fontsize": 5, "va": "bottom", "ha": "center"}
        axes.text(point["x"], point["y"] - 0.12, point["name"], **look)


def _write_value(value: float) -> str:
    if not isfinite(value):
        return "wins" if value == inf else "loses"
    return write_signed(value) if abs(value) < 100 else f"{value:+.0f}".replace("-", "−")


def _colour(value: float) -> str:
    return sign_colour(value) if value else "#333333"


def _draw_moves(axes: Axes, values: Mapping[Move, float], names: Sequence[str], what: str) -> None:
    """Draw a bar for each move, the best one first; a move that wins or loses has no length."""
    shown = [values[move] for move in _list_best(values)]
    style_axes(axes)
    axes.set_title(what, loc="left", fontsize=9.5, fontweight="bold")
    lengths = [value if isfinite(value) else 0.0 for value in shown]
    rows = np.arange(len(shown))
    best = [value == shown[0] for value in shown]
    colours = [sign_colour(value) for value in shown]
    bars = axes.barh(rows, lengths, color=colours, height=0.7)
    for bar, is_best in zip(bars, best, strict=True):
        bar.set_alpha(1.0 if is_best else 0.45)
    widest = max(map(abs, lengths)) or 1.0
    for row, (value, length) in enumerate(zip(shown, lengths, strict=True)):
        side, shift = ("left", 0.02) if length >= 0 else ("right", -0.02)
        at = length + shift * widest, row
        axes.text(*at, _write_value(value), fontsize=7.5, va="center", ha=side)
    axes.set_yticks(rows, names, fontsize=8)
    _finish_bars(axes, len(rows))


def _finish_bars(axes: Axes, rows: int) -> None:
    axes.set_ylim(max(rows, 8) - 0.4, -0.6)
    axes.axvline(0.0, color="#666666", linewidth=0.8)
    axes.margins(x=0.25)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines[["left"]].set_visible(False)


def _draw_adds(axes: Axes, names: Sequence[str], adds: Numbers, heading: str) -> None:
    """Draw a bar for each input that adds something, the largest first."""
    style_axes(axes)
    axes.text(
        1.0, 1.02, heading, transform=axes.transAxes, fontsize=9.5, fontweight="bold", ha="right"
    )
    rows = np.arange(len(names))
    axes.barh(rows, adds, color=list(map(sign_colour, adds)), height=0.7)
    axes.set_yticks(rows, names, fontsize=7.5)
    _finish_bars(axes, len(rows))


def _draw_added_board(axes: Axes, board: Board, adds: Numbers, heading: str) -> None:
    """Draw each input's share on its cell; up to three planes are below one another."""
    axes.set_axis_off()
    axes.set_title(heading, loc="left", fontsize=9.5, fontweight="bold")
    place, figure = axes.get_position(), axes.get_figure(root=True)
    assert figure is not None
    wide, high = np.array([place.width, place.height]) * figure.get_size_inches()

    # Fit the planes into the space, with room for labels at the left
    label = LETTER * max((len(t) for p in board.planes for x, _, t in p.labels if x < 0), default=0)
    stacked, cell = _stack(board.planes, wide - label, high - 0.8)
    axes.set(xlim=(-label, wide - label), ylim=(0.0, high))
    corner = 0.0, high - 0.45 - stacked.height * cell

    # Inputs that add nothing are dots
    shown = np.where(adds[: board.inputs] != 0, adds[: board.inputs], np.nan)
    limit = float(np.abs(adds).max(initial=0.0)) or 1.0
    draw_board(axes, stacked, shown, corner, cell, SIGNS, Normalize(-limit, limit))
    label_board(axes, stacked, corner, cell)
    told = f"darkest: {limit:.2g}, blue for more, orange for less; dots: nothing"
    axes.text(-label, max(corner[1] - 0.35, 0.0), told, fontsize=7.5, color=GREY)


def _stack(planes: Sequence[Plane], wide: float, high: float) -> tuple[Board, float]:
    """Arrange *planes* in rows that fit into so many inches; return them and the size of a cell."""
    across = 1 if len(planes) <= 3 else ACROSS
    rows = -(-len(planes) // across)
    width, height = (max(getattr(p, side) for p in planes) for side in ("width", "height"))
    cell = (high - 0.5 * (rows - 1)) / (rows * height)
    cell = min(cell, (wide - 0.2 * (across - 1)) / (across * width), 0.4)
    placed = (
        replace(
            plane,
            left=(width + 0.2 / cell) * (at % across),
            bottom=(height + 0.5 / cell) * (rows - 1 - at // across),
        )
        for at, plane in enumerate(planes)
    )
    return Board(tuple(placed)), cell


def _choose_units(layer: Sequence[Unit]) -> list[int]:
    """Return the units of a *layer* with the largest values, in their order."""
    order = sorted(range(len(layer)), key=lambda unit: -abs(layer[unit]["value"]))
    return sorted(order[:MAX_UNITS])


class _Inside:
    """Lower part of the picture: inputs, units and connections.

    Args:
        found: Data from `look_inside`.
        board: Places of inputs that are cells.
        labels: Labels of inputs and outputs.
        legal: Outputs of legal moves, to which drawing is limited; empty for all outputs.
    """

    def __init__(
        self, found: NetworkView, board: Board, labels: Labels, legal: Sequence[int]
    ) -> None:
        self.found, self.board, self.labels = found, board, labels
        self.values = np.array([value for plane in found["planes"] for value in plane["values"]])
        self.shown = [_choose_units(layer) for layer in found["layers"]]
        if legal:
            outputs = found["layers"][-1]
            best = sorted(legal, key=lambda output: -outputs[output]["value"])
            self.shown[-1] = sorted(best[:MAX_UNITS])

        # Measure the inputs: cells of a board, or a row for each name
        self.cell = 0.0
        if board.planes:
            left = max((len(t) for p in board.planes for x, _, t in p.labels if x < 0), default=0)
            self.label = LETTER * left
            self.cell = min(0.24, (4.6 - self.label) / board.width)
            inputs = board.height * self.cell + 0.5
        else:
            self.label = LETTER * max(map(len, labels.names)) + 0.55
            self.rows = [at for at in range(len(labels.names)) if self.values[at]]
            if len(labels.names) <= MAX_NAMED:
                self.rows = list(range(len(labels.names)))
            inputs = ROW * (len(self.rows) + 1)
        units = max(len(units) for units in self.shown)
        self.height = max(inputs, min(STEP * units, 8.4), 1.8) + 0.3
        self.board_part = self.label + (board_width(board, self.cell) if self.cell else ROW)

    def draw(self, axes: Axes) -> None:
        """Draw on *axes* whose units are inches."""
        axes.set_axis_off()
        axes.set(xlim=(0.0, WIDTH), ylim=(0.0, self.height + 0.6))
        top = self.height + 0.1
        places = self._draw_inputs(axes, top)
        first, layers = self.found["inputs"], self.found["layers"]
        begin = MARGIN + self.board_part + 0.9
        end = WIDTH - MARGIN - 2.0
        for depth, layer in enumerate(layers):
            share = (depth + 1) / len(layers)
            x = begin + (end - begin) * share
            self._draw_layer(axes, depth, x, top, first, places)
            first += len(layer)
        self._draw_edges(axes, places)
        count = len(self.found["edges"])
        told = (
            f"Blue is positive, orange negative. Of the connections those {count} are drawn that"
            " carry most here."
        )
        axes.text(MARGIN, 0.12, told, fontsize=7.5, color=GREY)

    def _draw_inputs(self, axes: Axes, top: float) -> dict[int, tuple[float, float]]:
        """Draw the inputs in the colours of their values; return the place of each one."""
        heading = "Inputs of the network"
        axes.text(MARGIN, top + 0.25, heading, fontsize=9.5, fontweight="bold")
        limit = float(np.abs(self.values).max(initial=0.0)) or 1.0
        scale = Normalize(-limit, limit)
        if self.cell:
            height = self.board.height * self.cell
            low = min(top - 0.45 - height, 0.5 * (self.height - height))  # amid the units
            corner = MARGIN + self.label, low
            shown = np.where(self.values != 0, self.values, np.nan)[: self.board.inputs]
            draw_board(axes, self.board, shown, corner, self.cell, SIGNS, scale)
            label_board(axes, self.board, corner, self.cell)
            middles = np.concatenate(
                [plane.places + np.array([plane.left, plane.bottom]) for plane in self.board.planes]
            )
            middles = np.array(corner) + (middles + 0.5) * self.cell
            return {at: (float(x), float(y)) for at, (x, y) in enumerate(middles)}

        # Inputs with names: a row each, with the value and a coloured square
        places = {}
        for row, at in enumerate(self.rows):
            name, value = self.labels.names[at], self.values[at]
            x, y = MARGIN + self.label, top - ROW * (row + 0.5)
            grey = "#333333" if value else "#AAAAAA"
            text = f"{name}  {value:.3g}"
            axes.text(x - 0.06, y, text, fontsize=7.5, ha="right", va="center", color=grey)
            square = [(np.array(OUTLINES["square"]) * 0.8 * ROW + (x + ROW / 2, y)).tolist()]
            colour = SIGNS(scale(value))
            look: Look = {"facecolors": [colour], "edgecolors": LINE, "linewidths": 0.5}
            axes.add_collection(PolyCollection(square, **look))
            places[at] = (x + ROW, y)
        if left := len(self.labels.names) - len(self.rows):
            y = top - ROW * (len(self.rows) + 0.6)
            told = f"{left} other inputs are 0"
            axes.text(x - 0.06, y, told, fontsize=7.5, ha="right", va="center", color="#AAAAAA")
        return places

    def _draw_layer(
        self,
        axes: Axes,
        depth: int,
        x: float,
        top: float,
        first: int,
        places: dict[int, tuple[float, float]],
    ) -> None:
        """Draw units as discs in the colours of their values; outputs with their names."""
        layer, shown = self.found["layers"][depth], self.shown[depth]
        last = depth == len(self.found["layers"]) - 1
        limit = max((abs(unit["value"]) for unit in layer), default=0.0) or 1.0
        heading = "outputs" if last else "units"
        if len(shown) < len(layer):
            heading = f"{len(shown)} of {len(layer)} {heading}"
        axes.text(x, top + 0.25, heading, fontsize=9.5, ha="center", fontweight="bold")
        step = (self.height - 0.3) / len(shown)
        for row, unit in enumerate(shown):
            value = layer[unit]["value"]
            y = top - step * (row + 0.5)
            places[first + unit] = (x, y)
            colour = SIGNS(0.5 + 0.5 * value / limit)
            size = min(90.0, (60 * step) ** 2)
            axes.scatter(x, y, size, [colour], edgecolors="#666666", linewidths=0.6, zorder=4)
            chosen = layer[unit]["name"] == self.found["output"]
            if last or len(shown) <= MAX_UNITS // 2:
                text = f"{layer[unit]['name']}  {value:.3g}" if last else f"{value:.2g}"
                look: Look = {"fontweight": "bold"} if last and chosen else {}
                text = text.replace("-", "−") if not last else text
                size = 8.0 if last else 6.5
                axes.text(x + 0.12, y, text, fontsize=size, va="center", zorder=5, **look)

    def _draw_edges(self, axes: Axes, places: dict[int, tuple[float, float]]) -> None:
        """Draw straight lines, as wide as the values that they carry; the strongest uppermost."""
        edges = [edge for edge in self.found["edges"] if edge[0] in places and edge[1] in places]
        strongest = max((abs(carried) for *_, carried in edges), default=0.0) or 1.0
        edges.reverse()
        share = np.array([abs(carried) / strongest for *_, carried in edges])
        axes.add_collection(
            LineCollection(
                [[places[source], places[target]] for source, target, _ in edges],
                colors=[sign_colour(carried) for *_, carried in edges],
                linewidths=0.4 + 2.2 * share,
                alpha=list(0.15 + 0.6 * share) or None,
                zorder=1,
            )
        )
