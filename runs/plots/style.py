"""The look of all pictures, and how they are written: whole, and the same bytes each time.

Names and titles in them come from files of anybody, so no text is read as a formula.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import MaxNLocator

from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.runs.store.files import explain_storage_errors, write_whole

if TYPE_CHECKING:
    from evolve_arena.runs.run import Run

FORMATS = (".png", ".svg", ".pdf")
"""What a picture can be, by the end of its name."""

GREY = "#666666"
LINES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that people with any kind of colour vision tell apart (Okabe and Ito, 2002)."""

LETTERS = 100
"""How many letters of a title stand in a line."""

METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_render_lock = threading.Lock()


def colours(count: int) -> list[Any]:
    """A colour for each of *count* runs; beyond seven they are neighbours on a scale."""
    if count <= len(OKABE_ITO):
        return list(OKABE_ITO[:count])
    scale = matplotlib.colormaps["viridis"]
    return [scale(0.95 * number / (count - 1)) for number in range(count)]


def check_format(path: Path) -> None:
    """Makes sure that *path* ends in one of :data:`FORMATS`.

    Raises:
        BadValueError: It does not.
    """
    if path.suffix.lower() not in FORMATS:
        ending = repr(path.suffix) if path.suffix else "no ending"
        raise BadValueError(f"{path} has {ending}: a picture's name ends in {', '.join(FORMATS)}")


class ShownFigure(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_png_(self) -> bytes:
        with io.BytesIO() as file:
            self.savefig(file, format="png", dpi=100)
            return file.getvalue()


def new_figure(width: float, height: float, *, dpi: float = 150) -> Figure:
    """An empty figure, in inches, which knows nothing of pyplot, and which notebooks show."""
    figure = ShownFigure(figsize=(width, height), dpi=dpi)
    FigureCanvasAgg(figure)
    figure.set_layout_engine("constrained", h_pad=0.07)
    return figure


def new_page(width: float, height: float, title: str, subtitle: Sequence[str] = ()) -> Figure:
    """A figure of that size, in inches, with a title; what is on it stands where it is put."""
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    set_title(figure, title, subtitle, place={"x": 0.1 / width, "y": 1 - 0.12 / height})
    return figure


def draw_scale(
    figure: Figure, place: tuple[float, float], scale: Any, colours: Any, *, clipped: bool
) -> None:
    """The colours of a *scale*, from a *place* on a page, in inches from its lower left corner.

    It has pointed ends if colours are *clipped*.
    """
    width, height = figure.get_size_inches()
    bar = figure.colorbar(
        ScalarMappable(scale, colours),
        cax=figure.add_axes((place[0] / width, place[1] / height, 1.7 / width, 0.12 / height)),
        orientation="horizontal",
        extend="both" if clipped else "neither",
        ticks=MaxNLocator(4),
    )
    bar.ax.tick_params(labelsize=7.5, length=2)
    bar.outline.set_linewidth(0.4)


def style_axes(axes: Axes, *, title: str = "", remark: str = "", label: str = "") -> None:
    """A light frame; the panel's *title* on the left, a grey *remark* on the right."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#AAAAAA")
    axes.tick_params(colors="#444444", labelsize=9)
    axes.grid(visible=True, color="#E6E6E6", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold")
    axes.set_title(remark, loc="right", fontsize=8.5, color=GREY, style="italic")
    axes.set_ylabel(label, fontsize=9)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10, steps=[1, 2, 5, 10]))


def set_title(
    figure: Figure,
    title: str,
    subtitle: Sequence[str] = (),
    *,
    place: dict[str, float] | None = None,
) -> None:
    """The figure's *title*, and smaller lines below it.

    Args:
        figure: Where they stand.
        title: The title.
        subtitle: The lines.
        place: Where the title's upper left corner is, as shares ``x`` and ``y`` of the figure;
            above everything else if None.
    """
    workspace = "\n" * len(subtitle)
    heading = figure.suptitle(
        one_line(title, LETTERS) + workspace,
        **(place or {"x": 0.01}),
        ha="left",
        fontsize=12,
        fontweight="bold",
    )
    figure.add_artist(
        Annotation(
            "\n".join(subtitle), xy=(0, 0), xycoords=heading, va="bottom", fontsize=9.5, color=GREY
        )
    )


def as_label(name: str, most: int = LETTERS // 2) -> str:
    r"""*name* as a legend shows it: in one line; it would leave out those that begin with _.

    >>> as_label("_mine"), as_label("two\nlines")
    (' _mine', 'two lines')
    """
    label = one_line(name, most)
    return f" {label}" if label.startswith("_") else label


def say(axes: Axes, text: str) -> None:
    """Writes *text* into the middle of axes that have nothing to show."""
    axes.grid(visible=False)
    axes.tick_params(labelleft=False, left=False)
    axes.text(
        0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=GREY, fontsize=10
    )


def find_place(run: Run, name: str) -> Path:
    """Where a picture of a *run* called so lies unless somebody says more; makes the folder.

    Raises:
        StorageError: It can't be made.
    """
    folder = run.directory.plots
    with explain_storage_errors(folder):
        folder.mkdir(exist_ok=True)
    return folder / f"{name}.png"


def save(figure: Figure, path: Path) -> Path:
    """Writes *figure* to *path* in the format that its name asks for.

    Raises:
        BadValueError: The name ends in no known format.
        StorageError: It can't be written.
    """
    check_format(path)
    write_whole(path, render(figure, path.suffix.lower()))
    return path


def render(figure: Figure, format_: str) -> bytes:
    """*figure* in one of :data:`FORMATS`.

    The same figure gives the same bytes: no date, and no random names inside SVG. Letters that
    the font lacks are boxes.
    """
    buffer = io.BytesIO()
    with _render_lock, warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from")
        warnings.filterwarnings("ignore", "Matplotlib currently does not support")
        with matplotlib.rc_context(
            {"svg.hashsalt": "evolve-arena", "text.parse_math": False, "text.usetex": False}
        ):
            for text in figure.findobj(Text):
                _take_as_it_is(text)
            figure.savefig(buffer, format=format_[1:], metadata=METADATA[format_])
    return buffer.getvalue()


def _take_as_it_is(text: Any) -> None:
    """Lets no formula or code be seen in *text*, however it came into the figure."""
    text.set_parse_math(False)
    text.set_usetex(False)
    lines = [one_line(line) for line in text.get_text().split("\n")]
    text.set_text("\n".join(lines))
