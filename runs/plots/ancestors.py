"""Champions of a run against earlier ones, as a picture: does later mean stronger?"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from evolve_arena.arena.batch import check_games
from evolve_arena.arena.crosstable import play_tournament
from evolve_arena.arena.pairings import longest_opening
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import one_line
from evolve_arena.runs.plots.style import (
    GREY,
    OKABE_ITO,
    Look,
    check_format,
    find_place,
    new_figure,
    save,
    say,
    set_title,
    style_axes,
)
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import History

MAX_CHAMPIONS = 25
MAX_PLIES = 4


@dataclass(frozen=True, eq=False)
class Ancestors:
    """Results of a run's champions against each other."""

    name: str
    title: str
    generations: list[int]
    """Generations of the champions, the earliest first."""
    points: NDArray[np.float64]
    """Points of champion i against j, ``points[i, j]``, shape ``(champions, champions)``."""
    games: NDArray[np.float64]
    """Number of games between them, of the same shape."""
    opening_plies: int

    @property
    def scores(self) -> NDArray[np.float64]:
        """Share of the points of champion i against j, of the same shape; NaN without games."""
        with np.errstate(invalid="ignore"):
            return self.points / self.games

    def against_earlier(self) -> list[tuple[int, float, tuple[float, float]]]:
        """Return each champion's generation, score against all earlier ones, and 95 % interval."""
        rows = []
        for place in range(1, len(self.generations)):
            points, games = self.points[place, :place].sum(), int(self.games[place, :place].sum())
            rows.append((self.generations[place], points / games, wilson_interval(points, games)))
        return rows


def plot_ancestors(run: Run, to: Path | None = None, *, games: int = 200) -> Path:
    """Draw the results of champions of a run's checks against the champions before them.

    Args:
        run: The run.
        to: A file that ends in ``.png``, ``.svg`` or ``.pdf``; ``plots/ancestors.png`` in the
            run's directory if None.
        games: Games for every two champions, from random openings, each played twice with
            colours swapped.

    Returns:
        Path of the picture.

    Raises:
        BadValueError: *games* is out of range, or the file's name ends in no known format.
        StorageError: The history is damaged, or the picture can't be written.
    """
    check_games(games)
    to = to or find_place(run, "ancestors")
    check_format(to)
    return save(draw_ancestors(meet_ancestors(run, games=games)), to)


def meet_ancestors(run: Run, *, games: int = 200) -> Ancestors:
    """Play up to 25 champions of *run*, evenly spaced, against each other."""
    chosen = _choose(_champions(run))
    game = run.method.decoder.game
    plies = min(MAX_PLIES, longest_opening(game) // 2)
    points = met = np.zeros((len(chosen), len(chosen)))
    if len(chosen) > 1:
        table = play_tournament(
            game,
            [run.champion_at(generation) for generation in chosen],
            games=games,
            opening_plies=plies,
            seed=run.recipe.run.seed,
        )
        points, met = table.points, table.games
    return Ancestors(run.path.resolve().name, run.recipe.title, chosen, points, met, plies)


def draw_ancestors(table: Ancestors) -> Figure:
    """Draw the picture of :func:`plot_ancestors`; its axes are the matrix, the line, the scale."""
    figure = new_figure(7.6, 9.2)
    hint = ["Purple below the diagonal: later champions beat earlier ones."]
    hint *= len(table.generations) > 1
    set_title(figure, table.name, [*textwrap.wrap(one_line(table.title), 85), *hint])

    # Above the matrix with its colour bar, below the line, on the same horizontal axis
    grid = figure.add_gridspec(2, 2, height_ratios=[3, 1.25], width_ratios=[1, 0.03])
    matrix = figure.add_subplot(grid[0, 0])
    line = figure.add_subplot(grid[1, 0], sharex=matrix)
    style_axes(matrix, title="Champions against each other")
    style_axes(line, title="Mean score against all earlier champions shown")
    if len(table.generations) < 2:
        count = len(table.generations)
        for axes in (matrix, line):
            say(axes, f"two champions are needed: there {'is one' if count else 'are none'} so far")
            axes.set_xticks([])
        return figure
    image = _draw_matrix(matrix, table)
    bar = figure.colorbar(image, cax=figure.add_subplot(grid[0, 1]))
    bar.set_label("the row's share of the points", fontsize=9)
    bar.ax.tick_params(labelsize=9, colors="#444444")
    bar.outline.set_visible(False)
    _draw_line(line, table)
    return figure


def _draw_matrix(axes: Axes, table: Ancestors) -> AxesImage:
    colours = colormaps["PuOr"].with_extremes(bad="#DDDDDD")
    image = axes.imshow(table.scores, cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    axes.grid(visible=False)
    each = int(table.games.max())
    remark = f"{each:,} games each from random openings of {table.opening_plies} plies"
    axes.set_title(remark, loc="right", fontsize=8.5, color=GREY, style="italic")
    places = _ticks(len(table.generations))
    labels = [str(table.generations[place]) for place in places]
    axes.set_yticks(places, labels)
    axes.set_xticks(places, labels)
    axes.tick_params(labelbottom=False)
    axes.set_ylabel("champion of generation", fontsize=9)
    return image


def _draw_line(axes: Axes, table: Ancestors) -> None:
    rows = table.against_earlier()
    x = np.arange(1, len(table.generations))
    low, high = np.array([interval for _, _, interval in rows]).T
    mean = [score for _, score, _ in rows]
    axes.fill_between(x, low, high, color=OKABE_ITO[0], alpha=0.25, linewidth=0)
    look: Look = {"marker": "o", "markersize": 3.5, "clip_on": False}
    axes.plot(x, mean, color=OKABE_ITO[0], linewidth=1.4, **look)
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.set_ylim(0.0, 1.0)
    axes.set_title(
        "band: 95 % Wilson interval", loc="right", fontsize=8.5, color=GREY, style="italic"
    )
    axes.set_ylabel("share of points", fontsize=9)
    places = _ticks(len(table.generations))
    axes.set_xticks(places, [str(table.generations[place]) for place in places])
    axes.set_xlabel("generation", fontsize=9)


def _ticks(count: int) -> list[int]:
    """Return about nine evenly spaced indices below *count*, for labels of an axis."""
    return list(range(0, count, max(1, -(-count // 9))))


def _champions(run: Run) -> list[int]:
    if not run.directory.history.is_file():
        return []
    with History(run.directory.history) as history:
        return history.kept_champions()


def _choose(generations: list[int], most: int = MAX_CHAMPIONS) -> list[int]:
    """Return up to *most* of *generations*, evenly spaced, including the first and the last."""
    if len(generations) <= most:
        return generations
    places = np.linspace(0, len(generations) - 1, most).round().astype(int)
    return [generations[place] for place in places]
