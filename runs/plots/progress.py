"""Progress of runs in one picture: strength, fitness or lessons, checks, diversity."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter

from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.runs.plots.panels import (
    count_panels,
    draw_checks,
    draw_fitness,
    draw_genes,
    draw_islands,
    draw_lessons,
    draw_migrations,
    draw_points,
    draw_positions,
    draw_ratings,
    draw_sizes,
    draw_species,
    draw_statistic,
)
from evolve_arena.runs.plots.style import (
    LETTERS,
    as_label,
    check_format,
    colours,
    find_place,
    new_figure,
    save,
    set_title,
)
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.record import Record, average, stretch

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

Draw: TypeAlias = Callable[[Axes, Sequence[Record], "Sequence[ColorType]"], None]
"""Function that draws a panel: the axes, histories of the runs, and the colour of each."""
SIZES = {"connections": "Connections that are enabled", "hidden_nodes": "Hidden nodes"}
"""Titles of the panels of networks' sizes, by statistic."""


def plot_runs(
    runs: Sequence[Run], to: Path | None = None, *, x: str = "generation", mean: bool = False
) -> Path:
    """Draw fitness, checks and diversity of one or more *runs*.

    Works while a run is being written, and before it has begun.

    Args:
        runs: The runs; several are overlaid, one colour each.
        to: A file that ends in ``.png``, ``.svg`` or ``.pdf``. If None, ``plots/fitness.png``
            in the run's directory; of several, ``plots/comparison.png`` in that of the first.
        x: Horizontal axis: ``generation``, or ``games`` or ``seconds`` of breeding.
        mean: True to draw one line for all runs whose recipes differ in the seed alone: their mean,
            with the range over runs.

    Returns:
        Path of the picture.

    Raises:
        BadValueError: There are no runs, the file's name ends in no known format, or there is no
            such axis.
        StorageError: A history is damaged, or the picture can't be written.
    """
    if not runs:
        raise BadValueError("there are no runs to plot")
    to = to or find_place(runs[0], "fitness" if len(runs) == 1 else "comparison")
    check_format(to)
    names = distinct_names(runs)
    records = [replace(run.history(), name=name) for run, name in zip(runs, names, strict=True)]
    if mean:
        records = _average_seeds(runs, records)
    return save(draw_runs([record.over(x) for record in records]), to)


def _average_seeds(runs: Sequence[Run], records: Sequence[Record]) -> list[Record]:
    """Return the mean of each group of runs whose recipes differ in the seed alone."""
    groups: list[tuple[Recipe, list[Record]]] = []
    for run, record in zip(runs, records, strict=True):
        recipe = run.recipe.with_run(seed=0, id=None)
        for other, members in groups:
            if recipe.steps_like(other):
                members.append(record)
                break
        else:
            groups.append((recipe, [record]))
    return [average(members, _name_group(members)) for _, members in groups]


def _name_group(records: Sequence[Record]) -> str:
    """Return a name of several runs: what theirs have before the numbers, and their count."""
    if len(records) == 1:
        return records[0].name
    stems = {re.sub(r"[-_. ]*\d+$", "", record.name) for record in records}
    count = f"{len(records)} runs"
    return f"{stems.pop()}, {count}" if len(stems) == 1 else f"{records[0].name}, ... ({count})"


def draw_runs(records: Sequence[Record]) -> Figure:
    """Draw the picture of :func:`plot_runs`; its axes are fitness, checks, diversity, and more.

    Above them is the rating of champions among each other, if a run has one. Below the checks are
    points, of games that count some, and positions with known answers. Next come the islands of a
    single run; the step size of mutation if it adapts itself in some run; and if networks grow in
    some run, the number of species, connections and hidden nodes, and of a single run the sizes of
    its species. If all runs are of learners, their games against themselves take the place of the
    fitness, and their errors and the length of games that of the diversity; if only some are, these
    come last. Genes of learning come after them.
    """
    parts, hues = _choose_panels(records), colours(len(records))
    heights = [height for height, _ in parts]
    names = 0.0 if len(records) == 1 else 0.2 * len(records)
    figure = new_figure(9.0, sum(heights) + 1.1 + names)
    panels = list(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
    for axes, (_, draw) in zip(panels, parts, strict=True):
        draw(axes, records, hues)
    if not any(record.generations or record.checks for record in records):
        panels[-1].set_xlim(0, 1)
        panels[-1].set_xticks([0])
    if records[0].axis != "generation":
        panels[-1].xaxis.set_major_formatter(EngFormatter(sep=""))
    panels[-1].set_xlabel(_label_axis(records), fontsize=9)
    _name_runs(figure, records, hues)
    return figure


def _choose_panels(records: Sequence[Record]) -> list[tuple[float, Draw]]:
    """Return the height in inches and the function of each panel, from the top."""
    learns = any(record.learns for record in records)
    breeds = not learns or any(not record.learns for record in records if record.generations)
    grows = any(record.grows for record in records)
    alone, mean = len(records) == 1, any(record.ranges for record in records)

    # Strength
    parts: list[tuple[float, Draw]] = []
    parts += [(2.8, draw_ratings)] * any(record.ratings for record in records)
    parts += [(3.0, draw_fitness) if breeds else (2.4, draw_lessons), (3.4, draw_checks)]
    parts += [(2.6, draw_points)] * any(record.scores for record in records)
    parts += [(2.8, draw_positions)] * any(record.positions for record in records)
    parts += [(1.7, _draw_diversity)] * breeds

    # The population
    if alone and (islands := records[0].islands):
        first, second = count_panels(islands)
        parts.append((first, lambda axes, some, _: draw_islands(axes, some[0], islands)))
        if records[0].axis == "generation":  # migrations have no other place
            parts.append(
                (
                    second,
                    lambda axes, some, _: draw_migrations(axes, some[0], islands, some[0].seed),
                )
            )
    if any(record.adapts for record in records):
        remark = "population's median"
        parts.append((1.7, _statistic("mutation_strength", "Step size of mutation", remark)))
    if grows:
        parts.append((1.4, _statistic("species", "Number of species", label="living")))
        for name, title in SIZES.items():
            parts.append((1.6, partial(draw_sizes, name=name, title=title)))
    if grows and alone and not mean:
        parts.append((2.6, lambda axes, some, _: draw_species(axes, some[0])))

    # Learning
    parts += [(2.4, draw_lessons)] * (learns and breeds)
    if learns:
        remark, label = "mean distance of values from their targets", "in units of values"
        parts.append((1.7, _statistic("error", "Errors", remark, label)))
        parts.append((1.4, _statistic("plies", "Length of games", label="plies")))
    return parts + [(2.2, draw_genes)] * any(record.tunes for record in records)


def _statistic(name: str, title: str, remark: str = "", label: str = "in units of genes") -> Draw:
    """Return a function that draws a statistic; see `draw_statistic`."""

    def draw(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
        draw_statistic(axes, records, hues, name, title, remark, label)

    return draw


def _draw_diversity(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the diversity, whose measure depends on the kind of genome."""
    kinds = {record.grows for record in records if record.generations}
    remark, label = "mean standard deviation of a gene", "in units of genes"
    if kinds == {True}:
        remark, label = "mean distance between genomes", "NEAT's distance"
    elif len(kinds) > 1:
        remark, label = "spread of genes, but NEAT's distance where networks grow", "two units"
    draw_statistic(axes, records, hues, "diversity", "Diversity", remark, label)


def _label_axis(records: Sequence[Record]) -> str:
    if (axis := records[0].axis) != "generation":
        return f"{axis} so far, without checks"
    widths = {stretch(record.generations) for record in records if record.generations}
    if not widths or widths == {1}:
        return "generation"
    most = f"up to {max(widths)}" if len(widths) > 1 else str(max(widths))
    return f"generation (all but the checks: means over {most} generations)"


def _name_runs(figure: Figure, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Write the title; for several runs, a legend of their colours."""
    if len(records) == 1:
        set_title(figure, records[0].name, textwrap.wrap(one_line(records[0].title), 100))
        return
    titles = {record.title for record in records}
    alike = titles.pop() if len(titles) == 1 else ""
    labels = [
        as_label(record.name if alike else _shorten(f"{record.name}: {record.title}"), LETTERS)
        for record in records
    ]
    handles = [
        Line2D([], [], color=hue, linewidth=3, label=label)
        for hue, label in zip(hues, labels, strict=True)
    ]
    means = any(record.ranges for record in records)
    heading = ("Means over runs" if means else f"{len(records)} runs") + (
        f": {alike}" if alike else ""
    )
    legend = figure.legend(
        handles=handles,
        title=_shorten(heading),
        loc="outside upper left",
        alignment="left",
        fontsize=9,
        frameon=False,
        ncols=1 if max(map(len, labels)) > 35 else 3,
    )
    legend.get_title().set(fontsize=12, fontweight="bold")


def _shorten(text: str) -> str:
    """Cut *text* to one line of the figure."""
    return textwrap.shorten(one_line(text), LETTERS, placeholder=" …")


def distinct_names(runs: Sequence[Run]) -> list[str]:
    """Return the runs' folder names, with as many parent folders as make them distinct."""
    paths = [run.path.resolve() for run in runs]
    deepest = max((len(path.parts) for path in paths), default=0)
    for depth in range(1, deepest + 1):
        names = ["/".join(path.parts[-depth:]) for path in paths]
        if len(set(names)) == len(set(paths)):
            return names
    return [str(path) for path in paths]
