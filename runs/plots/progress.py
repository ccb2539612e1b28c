"""Progress of runs in one picture: strength, fitness or lessons, checks, diversity."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

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
        BadValueError: There are no runs, the file's name ends in no known format, there is no such
            axis, or there is nothing of which to draw means.
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
    if len(groups) == len(runs):
        raise BadValueError("no two of these runs differ in their seed alone: there is no mean")
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
    points, of games that count some. Next come the islands of a single run; the step size of
    mutation if it adapts itself in some run; and if networks grow in some run, the number of
    species, connections and hidden nodes, and of a single run the sizes of its species. If all runs
    are of learners, their games against themselves take the place of the fitness, and their errors
    and the length of games that of the diversity; if only some are, these come last. Genes of
    learning come after them.
    """
    # Choose the panels
    learns = any(record.learns for record in records)
    breeds = not learns or any(not record.learns for record in records if record.generations)
    adapts = any(record.adapts for record in records)
    tunes = any(record.tunes for record in records)
    grows = any(record.grows for record in records)
    alone, mean = len(records) == 1, any(record.ranges for record in records)
    scores = any(record.scores for record in records)
    rated = any(record.ratings for record in records)

    # Their heights, in the order in which they are drawn
    heights = (
        [2.8] * rated + [3.0] * breeds + [2.4] * (learns and not breeds) + [3.4] + [2.6] * scores
    )
    heights += [1.7] * breeds
    islands = records[0].islands if alone else None
    heights += count_panels(islands) if islands else []
    heights += [1.7] * adapts + [1.4, 1.6, 1.6] * grows + [2.6] * (grows and alone and not mean)
    heights += [2.4] * (learns and breeds) + [1.7, 1.4] * learns + [2.2] * tunes

    # Draw them
    figure = new_figure(9.0, sum(heights) + 1.1 + (0.0 if alone else 0.2 * len(records)))
    panels = list(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
    left = iter(panels)
    hues = colours(len(records))
    if rated:
        draw_ratings(next(left), records, hues)
    (draw_fitness if breeds else draw_lessons)(next(left), records, hues)
    draw_checks(next(left), records, hues)
    if scores:
        draw_points(next(left), records, hues)
    if breeds:
        _draw_diversity(next(left), records, hues)
    if islands:
        draw_islands(next(left), records[0], islands)
        draw_migrations(next(left), records[0], islands, records[0].seed)
    if adapts:
        title, remark = "Step size of mutation", "population's median"
        draw_statistic(next(left), records, hues, "mutation_strength", title, remark)
    if grows:
        _draw_growth(left, records, hues)
    if grows and alone and not mean:
        draw_species(next(left), records[0])
    if learns and breeds:
        draw_lessons(next(left), records, hues)
    if learns:
        _draw_errors(left, records, hues)
    if tunes:
        draw_genes(next(left), records, hues)
    if not any(record.generations or record.checks for record in records):
        panels[-1].set_xlim(0, 1)
        panels[-1].set_xticks([0])
    if records[0].axis != "generation":
        panels[-1].xaxis.set_major_formatter(EngFormatter(sep=""))
    panels[-1].set_xlabel(_label_axis(records), fontsize=9)
    _name_runs(figure, records, hues)
    return figure


def _draw_diversity(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the diversity, whose measure depends on the kind of genome."""
    kinds = {record.grows for record in records if record.generations}
    remark, label = "mean standard deviation of a gene", "in units of genes"
    if kinds == {True}:
        remark, label = "mean distance between genomes", "NEAT's distance"
    elif len(kinds) > 1:
        remark, label = "spread of genes, but NEAT's distance where networks grow", "two units"
    draw_statistic(axes, records, hues, "diversity", "Diversity", remark, label)


def _draw_growth(
    panels: Iterator[Axes], records: Sequence[Record], hues: Sequence[ColorType]
) -> None:
    draw_statistic(next(panels), records, hues, "species", "Number of species", "", label="living")
    draw_sizes(next(panels), records, hues, "connections", "Connections that are enabled")
    draw_sizes(next(panels), records, hues, "hidden_nodes", "Hidden nodes")


def _draw_errors(
    panels: Iterator[Axes], records: Sequence[Record], hues: Sequence[ColorType]
) -> None:
    remark = "mean distance of values from their targets"
    draw_statistic(next(panels), records, hues, "error", "Errors", remark, "in units of values")
    draw_statistic(next(panels), records, hues, "plies", "Length of games", "", "plies")


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
