"""Common look of all pictures, and writing them: in one piece, with the same bytes each time.

Names and titles come from files by anybody, so no text is read as a formula.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

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
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.typing import ColorType

    from evolve_arena.runs.run import Run

FORMATS = (".png", ".svg", ".pdf")
"""Formats of pictures, by the suffix of the file's name."""

GREY = "#666666"
LINES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that are distinct with any kind of colour vision (Okabe and Ito, 2002)."""
Look: TypeAlias = dict[str, Any]
"""Keyword arguments of matplotlib's artists: colour, line width, position."""

LETTERS = 100
"""Maximum letters in a line of a title."""

METADATA: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_render_lock = threading.Lock()


def colours(count: int) -> list[ColorType]:
    """Return a colour for each of *count* runs; more than seven are taken from a colour map."""
    if count <= len(OKABE_ITO):
        return list(OKABE_ITO[:count])
    scale = matplotlib.colormaps["viridis"]
    return [scale(0.95 * number / (count - 1)) for number in range(count)]


def check_format(path: Path) -> None:
    """Check that *path* ends in one of :data:`FORMATS`.

    Raises:
        BadValueError: It has another suffix, or none.
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
    """Make an empty figure of this size that notebooks show, independent of pyplot.

    Args:
        width: Width in inches.
        height: Height in inches.
        dpi: Resolution in dots per inch.
    """
    figure = ShownFigure(figsize=(width, height), dpi=dpi)
    FigureCanvasAgg(figure)
    figure.set_layout_engine("constrained", h_pad=0.07)
    return figure


def new_page(width: float, height: float, title: str, subtitle: Sequence[str] = ()) -> Figure:
    """Make a figure of that size, in inches, with a title, and without automatic layout.

    Args:
        width: Width in inches.
        height: Height in inches.
        title: Title, at the upper left corner.
        subtitle: Lines below the title.
    """
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    set_title(figure, title, subtitle, place={"x": 0.1 / width, "y": 1 - 0.12 / height})
    return figure


def draw_scale(
    figure: Figure,
    place: tuple[float, float],
    scale: Normalize,
    colours: Colormap,
    *,
    clipped: bool,
) -> None:
    """Draw the colour bar of a *scale*, at a *place* in inches from the page's lower left corner.

    Args:
        figure: Page to draw on.
        place: Lower left corner of the bar, in inches from the page's lower left corner.
        scale: Range of values that the colours cover.
        colours: Colour map.
        clipped: True if some values are beyond the range, so that the bar has pointed ends.
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
    """Set a light frame, the panel's *title* on the left and a grey *remark* on the right.

    Args:
        axes: Axes of the panel.
        title: Title of the panel, in bold type.
        remark: Smaller text above the panel, in italics.
        label: Label of the vertical axis.
    """
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
    """Write the figure's *title*, and smaller lines below it.

    Args:
        figure: Figure to write on.
        title: The title.
        subtitle: Lines below the title.
        place: Upper left corner of the title, as shares ``x`` and ``y`` of the figure; above
            everything else if None.
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
    r"""Return *name* as a legend shows it: in one line, and not beginning with an underscore.

    A legend of matplotlib leaves out names that begin with one.

    >>> as_label("_mine"), as_label("two\nlines")
    (' _mine', 'two lines')
    """
    label = one_line(name, most)
    return f" {label}" if label.startswith("_") else label


def say(axes: Axes, text: str) -> None:
    """Write *text* into the middle of axes that have nothing to show."""
    axes.grid(visible=False)
    axes.tick_params(labelleft=False, left=False)
    axes.text(
        0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=GREY, fontsize=10
    )


def find_place(run: Run, name: str) -> Path:
    """Return the default path of a picture of a *run*, and make its folder.

    Raises:
        StorageError: The folder can't be made.
    """
    folder = run.directory.plots
    with explain_storage_errors(folder):
        folder.mkdir(exist_ok=True)
    return folder / f"{name}.png"


def save(figure: Figure, path: Path) -> Path:
    """Write *figure* to *path* in the format of its suffix.

    Raises:
        BadValueError: The suffix is no known format.
        StorageError: The file can't be written.
    """
    check_format(path)
    write_whole(path, render(figure, path.suffix.lower()))
    return path


def render(figure: Figure, format_: str) -> bytes:
    """Return *figure* as a file in one of :data:`FORMATS`.

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
                assert isinstance(text, Text)
                _take_as_it_is(text)
            figure.savefig(buffer, format=format_[1:], metadata=METADATA[format_])
    return buffer.getvalue()


def _take_as_it_is(text: Text) -> None:
    """Prevent matplotlib from parsing *text* as a formula or TeX."""
    text.set_parse_math(False)
    text.set_usetex(False)
    lines = [one_line(line) for line in text.get_text().split("\n")]
    text.set_text("\n".join(lines))
