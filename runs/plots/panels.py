"""Panels of a picture of runs, one function each, with one colour for each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from evolve_arena.arena.duel_result import describe_repeats
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.evolve.settings.population_based_training import GENES
from evolve_arena.runs.plots.stack import REST, Stack, colour_species, stack_species
from evolve_arena.runs.plots.style import (
    GREY,
    LINES,
    MARKERS,
    Look,
    as_label,
    colours,
    say,
    style_axes,
)
from evolve_arena.runs.store.history import Check
from evolve_arena.runs.store.record import Column, Record, blocks

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

GROUP = ": "
"""Separator of the names of a set of positions and of a group of it."""
MAX_BANDS = 3
"""Maximum runs with bands of quartiles; more would be hard to tell apart."""
MAX_MARKERS = 60
FORFEIT = "#b00020"
"""Colour of a cross on a check with forfeited games."""
MIDDLE: Look = {"color": GREY, "linewidth": 0.8, "linestyle": (0, (1, 2))}
"""Line at which neither side is better."""
LINE_LETTERS, KEY_LETTERS = 115, 8
"""Maximum letters of a legend in one line, and the width of an entry's sample line in letters."""
MAX_MIGRATIONS = 16
"""Maximum arrows; more would be hard to tell apart."""
MAX_NAMED = 8
MAX_OUTLINED = 100
"""Maximum species with white outlines; more outlines would hide the areas."""
MAX_MARKED = 30
"""Maximum species whose births and extinctions are marked."""
LABEL_HEIGHT, LABEL_WIDTH = 0.08, 0.035
"""Size of a species' number, as shares of the panel."""


def draw_fitness(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw best, median and interquartile range of the fitness by generation.

    Long runs are averaged over stretches of generations.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    style_axes(
        axes,
        title="Fitness inside the population",
        remark="relative: it says nothing about strength outside",
        label="share of points\ninside the population",
    )
    told = [record for record in records if "best" in record.statistics]
    if not any(record.generations for record in told):
        say(axes, _why_empty(records, "the method tells no fitness"))
        return
    banded, ranged = len(records) <= MAX_BANDS, any(record.ranges for record in told)
    for record, hue in zip(records, hues, strict=True):
        if record not in told:
            continue
        columns = {key: blocks(column) for key, column in record.statistics.items()}
        x = columns["generation"]
        look: Look = {"color": hue, "marker": _dot(x), "clip_on": False}
        axes.plot(x, columns["best"], linewidth=1.0, **look)
        axes.plot(x, columns["median"], linewidth=1.5, linestyle="--", **look)
        if banded:
            edges = columns["lower_quartile"], columns["upper_quartile"]
            if record.ranges:
                edges = _find_range(record, "best")
            axes.fill_between(x, *edges, color=hue, alpha=0.25, linewidth=0)
    hue = hues[0] if len(records) == 1 else GREY
    handles: list[Artist] = [
        Line2D([], [], color=hue, linewidth=1.0, label="best individual"),
        Line2D([], [], color=hue, linewidth=1.5, linestyle="--", label="median"),
    ]
    if banded:
        label = "range of the best over runs" if ranged else "middle half"
        handles.append(Patch(color=hue, alpha=0.25, linewidth=0, label=label))
    if any(_counts_points(record) for record in told):
        axes.set_ylabel("fitness\ninside the population", fontsize=9)
    else:
        axes.set_ylim(0.0, 1.0)
    _legend(axes, handles, "lower left")


def draw_ratings(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the Elo ratings of each run's champions among each other, by generation.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    firsts = {min(record.ratings) for record in records if record.ratings}  # of branches, not 0
    first = f"generation {max(firsts, default=0)}" if len(firsts) < 2 else "each one's first"
    style_axes(
        axes,
        title="Strength: the run's champions against each other",
        remark="bands: 95 % intervals",
        label=f"Elo above\n{first}",
    )
    axes.axhline(0.0, **MIDDLE)
    for record, hue in zip(records, hues, strict=True):
        if not record.ratings:
            continue
        x = [*record.ratings]
        low, high = np.array([each.interval for each in record.ratings.values()]).T
        elo = [each.elo for each in record.ratings.values()]
        marker = "" if len(x) > MAX_MARKERS else MARKERS[0]
        axes.plot(x, elo, color=hue, linewidth=1.4, marker=marker, markersize=3.5)
        axes.fill_between(x, low, high, color=hue, alpha=0.25, linewidth=0)


def draw_checks(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the share of games won against each external opponent, with Wilson's intervals.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    style_axes(
        axes,
        title="Checks: the champion against opponents from outside",
        remark=_explain_bands(records, "95 % Wilson intervals"),
        label="share of games won",
    )
    if not any(record.checks for record in records):
        say(axes, _why_empty(records, "no check yet"))
        return
    axes.set_ylim(0.0, 1.0)
    axes.axhline(0.5, **MIDDLE)
    groups = [record.checks for record in records]
    count = partial(_count_games, axis=records[0].axis)
    _legend(axes, _draw_by_opponent(axes, groups, hues, _draw_shares, count), "best")


def draw_points(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the margin in points of the champion's seats over each opponent's.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    style_axes(
        axes,
        title="Points in checks: the champion's seats less the opponent's",
        remark=f"means per game; {_explain_bands(records, '95 % intervals')}",
        label="points",
    )
    groups = [[check for check in record.checks if check.scores] for record in records]
    if not any(groups):
        say(axes, "no check yet")
        return
    axes.axhline(0.0, **MIDDLE)
    handles = _draw_by_opponent(axes, groups, hues, _draw_margins)
    _legend(axes, handles, "best", columns=3)


def draw_positions(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the share of known positions that champions solved, with Wilson's intervals.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    style_axes(
        axes,
        title="Positions with known answers that the champion solved",
        remark="bands of whole sets: 95 % Wilson intervals",
        label="share",
    )
    axes.set_ylim(0.0, 1.0)
    alone = len(records) == 1
    counts = {each.positions: each.count for record in records for each in record.positions}
    if not alone:  # groups of positions would be too many lines
        counts = {name: count for name, count in counts.items() if GROUP not in name}
    own, handles = colours(len(counts)), list[Artist]()
    for place, (name, count) in enumerate(counts.items()):
        line = LINES[place % len(LINES)]
        for record, hue in zip(records, hues, strict=True):
            found = [each for each in record.positions if each.positions == name]
            x, shares = [each.generation for each in found], [each.share for each in found]
            colour = own[place] if alone else hue
            look: Look = {"color": colour, "marker": _dot(np.array(x))}
            axes.plot(x, shares, linewidth=1.4, linestyle=line, clip_on=False, **look)
            if GROUP not in name and found:
                low, high = zip(*(each.wilson_95 for each in found), strict=True)
                axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        look = {"color": own[place] if alone else GREY, "linestyle": line, "linewidth": 1.4}
        handles.append(Line2D([], [], label=as_label(f"{name}, {count}"), **look))
    _legend(axes, handles, "best")


def _draw_by_opponent(
    axes: Axes,
    groups: Sequence[Sequence[Check]],
    hues: Sequence[ColorType],
    draw: Callable[[Axes, Sequence[Check], Look], None],
    describe: Callable[[Sequence[Check]], str] | None = None,
) -> list[Artist]:
    """Draw a line for each run and opponent; return the legend's entries of the opponents.

    Args:
        axes: Axes to draw on.
        groups: Checks of each run.
        hues: Colour of each run; a single run has one for each opponent instead.
        draw: Function that draws a line of the checks against one opponent.
        describe: Function that adds a remark on these checks to the opponent's name.
    """
    opponents = sorted({check.opponent for checks in groups for check in checks})
    alone, by_opponent = len(groups) == 1, colours(len(opponents))
    crowded = max(map(len, groups)) > MAX_MARKERS * len(opponents)
    handles: list[Artist] = []
    for place, opponent in enumerate(opponents):
        marker = "" if crowded else MARKERS[place % len(MARKERS)]
        look: Look = {"linestyle": LINES[place % len(LINES)], "marker": marker}
        met = [[check for check in checks if check.opponent == opponent] for checks in groups]
        for checks, hue in zip(met, hues, strict=True):
            if checks:
                draw(axes, checks, {**look, "color": by_opponent[place] if alone else hue})
        label = as_label(opponent)
        label += f", {describe([each for checks in met for each in checks])}" if describe else ""
        hue = by_opponent[place] if alone else GREY
        handles.append(Line2D([], [], color=hue, markersize=4, label=label, **look))
    return handles


def _draw_shares(axes: Axes, checks: Sequence[Check], look: Look) -> None:
    won = [check.won for check in checks]  # not a number where nothing is known
    _draw_band(axes, checks, won, [check.band for check in checks], look)
    marked = [check for check in checks if check.forfeits]
    if marked:  # at the bottom if no game counts
        heights = [check.won if check.counted else 0.0 for check in marked]
        cross: Look = {"marker": "x", "linestyle": "", "color": FORFEIT, "markersize": 7}
        axes.plot([check.generation for check in marked], heights, clip_on=False, **cross)


def _draw_margins(axes: Axes, checks: Sequence[Check], look: Look) -> None:
    scores = [check.scores for check in checks if check.scores]
    margin = [each.margin for each in scores]
    ends = np.array([(each.low, each.high) for each in scores])
    ends = np.where(np.isfinite(ends), ends, np.array(margin)[:, None])
    _draw_band(axes, checks, margin, ends, look)


def _draw_band(
    axes: Axes, checks: Sequence[Check], means: Sequence[float], ends: ArrayLike, look: Look
) -> None:
    """Draw a line with its intervals as a band; a single check as a point with an error bar."""
    x, y, (low, high) = [check.generation for check in checks], np.array(means), np.array(ends).T
    axes.plot(x, y, linewidth=1.3, markersize=3.5, clip_on=False, **look)
    if len(checks) == 1:
        axes.errorbar(x, y, [y - low, high - y], color=look["color"], linewidth=1.3, capsize=3)
    else:
        axes.fill_between(x, low, high, color=look["color"], alpha=0.25, linewidth=0)


def draw_statistic(
    axes: Axes,
    records: Sequence[Record],
    hues: Sequence[ColorType],
    name: str,
    title: str,
    remark: str,
    label: str = "in units of genes",
) -> None:
    """Draw the statistic called *name*, one line for each run.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
        name: Key of the statistic in the records.
        title: Title of the panel, in bold type.
        remark: Grey text to the right of the title.
        label: Label of the vertical axis, such as the statistic's unit.
    """
    style_axes(axes, title=title, remark=remark, label=label)
    for record, hue in zip(records, hues, strict=True):
        _draw_line(axes, record, name, color=hue)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    if axes.lines:
        _begin_at_zero(axes)
    else:
        say(axes, _why_empty(records, f"the method tells no {title.lower()}"))


def _begin_at_zero(axes: Axes) -> None:
    columns = [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines]
    highest = max((float(np.nanmax(column, initial=0.0)) for column in columns), default=0.0)
    axes.set_ylim(0.0, 1.1 * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))


def _draw_line(axes: Axes, record: Record, name: str, **look: Any) -> None:
    """Draw the statistic called *name*, if the run has it; a single value is a dot."""
    if name in record.statistics:
        x, y = blocks(record.statistics["generation"]), blocks(record.statistics[name])
        axes.plot(x, y, **{"linewidth": 1.4, "marker": _dot(x), **look})
        if name in record.ranges:
            edges = _find_range(record, name)
            axes.fill_between(x, *edges, color=look.get("color"), alpha=0.18, linewidth=0)


def _find_range(record: Record, name: str) -> tuple[Column, Column]:
    """Return the ends of the range over runs of the statistic called *name*, as points."""
    low, high = record.ranges[name]
    return blocks(low), blocks(high)


def _explain_bands(records: Sequence[Record], intervals: str) -> str:
    return f"bands: {'ranges over runs' if any(each.ranges for each in records) else intervals}"


LESSONS: dict[str, tuple[str, Literal["-", "--", ":"]]] = {
    "first_wins": ("games won by the first player", "-"),
    "draws": ("draws", "--"),
    "epsilon": ("moves at random (ε)", ":"),
}
"""Statistics of learners that are shares: their labels and line styles."""


def draw_lessons(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw results of the learners' games against themselves and the share of random moves.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    style_axes(
        axes,
        title="The learners' games against themselves",
        remark="means over all learners; they say nothing about strength outside",
        label="share",
    )
    alone = len(records) == 1
    told = []
    for name, (label, line) in LESSONS.items():
        for record, hue in zip(records, hues, strict=True):
            _draw_line(axes, record, name, color=hue, linestyle=line, clip_on=False)
        if any(name in record.statistics for record in records):
            hue = hues[0] if alone else GREY
            told.append(Line2D([], [], color=hue, linewidth=1.4, linestyle=line, label=label))
    if not axes.lines:
        say(axes, "no generation has been played yet")
        return
    axes.set_ylim(0.0, 1.0)
    _legend(axes, told, "best", columns=3)


def draw_genes(axes: Axes, records: Sequence[Record], hues: Sequence[ColorType]) -> None:
    """Draw the genes of learning, as multiples of what they were at first, with a line style each.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
    """
    style_axes(
        axes,
        title="Genes",
        remark="population's medians, in multiples of the first generation's",
        label="multiple",
    )
    told = []
    lines: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
    for name, line in zip(GENES, lines, strict=True):
        for record, hue in zip(records, hues, strict=True):
            values = record.statistics.get(name, np.zeros(0))
            if len(values):
                x, y = blocks(record.statistics["generation"]), blocks(values) / values[0]
                axes.plot(x, y, color=hue, linestyle=line, linewidth=1.4, marker=_dot(x))
        hue = hues[0] if len(records) == 1 else GREY
        label = name.replace("_", " ")
        told.append(Line2D([], [], color=hue, linewidth=1.4, linestyle=line, label=label))
    if not axes.lines:
        say(axes, "no generation has been played yet")
        return
    _begin_at_zero(axes)
    _legend(axes, told, "best", columns=4)


def draw_islands(axes: Axes, record: Record, islands: IslandsConfig) -> None:
    """Draw the diversity of each island, a line each.

    Args:
        axes: Axes to draw on.
        record: History of the run.
        islands: Section ``[islands]`` of its recipe.
    """
    style_axes(
        axes,
        title="Diversity of each island",
        remark="it falls as an island's individuals become alike, and rises when others arrive",
        label="as above",
    )
    handles = []
    for number, hue in enumerate(colours(islands.count), start=1):
        name = f"diversity of island {number}"
        if name in record.statistics:
            _draw_line(axes, record, name, color=hue, linewidth=1.1, marker="")
            handles.append(Line2D([], [], color=hue, label=f"island {number}"))
    axes.set_ylim(bottom=0.0)
    if not handles:
        say(axes, "no generation has been played yet")
    elif len(handles) <= MAX_NAMED:
        axes.legend(handles=handles, loc="lower left", fontsize=8.5, ncols=4, framealpha=0.85)


def draw_migrations(axes: Axes, record: Record, islands: IslandsConfig, seed: int) -> None:
    """Draw a row for each island, and an arrow for each group of migrants.

    Args:
        axes: Axes to draw on.
        record: History of the run.
        islands: Section ``[islands]`` of its recipe.
        seed: Seed of the run, from which random neighbours follow.
    """
    apart, last = islands.interval, record.generations
    numbers = range(1, -(-last // apart) if last else 0)
    step = max(1, -(-len(numbers) // MAX_MIGRATIONS))
    some = f"; every {step}th is drawn" if step > 1 else ""
    style_axes(
        axes,
        title="Migrations",
        remark=f"{islands.migrants} individuals each, every {apart} generations{some}",
        label="island",
    )
    hues = colours(islands.count)
    axes.set_ylim(islands.count + 0.5, 0.5)
    axes.set_yticks(range(1, islands.count + 1))
    for island, hue in enumerate(hues, start=1):
        axes.axhline(island, color=hue, linewidth=1.4, alpha=0.7)
    if not numbers or not islands.migrants:
        say(axes, "no migration yet")
    arrow: Look = {"arrowstyle": "-|>", "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    for number in numbers[::step]:
        for island, senders in enumerate(islands.find_senders(seed, number), start=1):
            for sender in senders:
                look = arrow | {"color": hues[sender] if len(senders) == 1 else GREY}
                begin = apart * number, sender + 1
                end = begin[0] + 0.02 * last, island  # steep enough to see where it comes from
                axes.annotate("", end, begin, arrowprops=look)


def count_panels(islands: IslandsConfig) -> list[float]:
    """Return the heights of both panels of *islands*, in inches."""
    return [1.7, 0.6 + float(np.clip(0.25 * islands.count, 1.0, 4.0))]


def draw_species(axes: Axes, record: Record) -> None:
    """Draw an area for each species, as high as the species is large, the oldest at the bottom."""
    stack = stack_species(record)
    style_axes(
        axes, title="Sizes of species", remark=_count_species(record, stack), label="individuals"
    )
    if not len(stack.generations):
        say(axes, "no generation has been played yet")
        return
    _draw_areas(axes, stack)
    for row, number in enumerate(stack.species):
        _write_number(axes, stack, row, colour_species(number))
    if len(stack.species) <= MAX_MARKED:
        _mark_lives(axes, stack)
    axes.set_ylim(0.0, float(stack.edges[-1].max(initial=1.0)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def draw_sizes(
    axes: Axes, records: Sequence[Record], hues: Sequence[ColorType], name: str, title: str
) -> None:
    """Draw the statistic called *name*: the population's mean, and the best individual's.

    Args:
        axes: Axes to draw on.
        records: Histories of the runs.
        hues: Colour of each run.
        name: Key in the records of the population's mean; with ``_of_best`` appended, that of the
            best individual.
        title: Title of the panel.
    """
    style_axes(axes, title=title, label="per network")
    hue = hues[0] if len(records) == 1 else GREY
    lines: list[tuple[str, str, Look]] = [
        (name, "mean of the population", {"linewidth": 1.5}),
        (f"{name}_of_best", "best individual", {"linewidth": 1.0, "linestyle": (0, (1, 1))}),
    ]
    for record, colour in zip(records, hues, strict=True):
        for key, _, look in lines:
            _draw_line(axes, record, key, color=colour, **look)
    handles: list[Artist] = [
        Line2D([], [], color=hue, label=text, **look) for _, text, look in lines
    ]
    axes.legend(handles=handles, loc="best", fontsize=8.5, ncols=2, edgecolor="none")
    _begin_at_zero(axes)


def _count_species(record: Record, stack: Stack) -> str:
    last = max((max(sizes) for sizes in record.species.values()), default=0)
    living = sum(last in sizes for sizes in record.species.values())
    text = f"{len(record.species):,} so far, {living:,} of them living"
    if len(stack.species) < len(record.species):
        return f"{text}; grey: all but the largest {len(stack.species):,}"
    if len(stack.species) <= MAX_MARKED:
        return f"{text}; dots: births, crosses: extinctions"
    return text


def _draw_areas(axes: Axes, stack: Stack) -> None:
    """Draw an area for each species, one column longer at both ends than the species lives."""
    edges, x = stack.edges, stack.generations
    shapes, faces = [], []
    for row, colour in enumerate([*map(colour_species, stack.species), REST]):
        first, last = stack.span(row)
        if last >= first:
            here = slice(max(first - 1, 0), last + 2)
            low = np.column_stack([x[here], edges[row, here]])
            high = np.column_stack([x[here], edges[row + 1, here]])
            shapes.append(np.concatenate([low, high[::-1]]))
            faces.append(colour)
    outlined = len(shapes) <= MAX_OUTLINED
    areas = PolyCollection(
        shapes,
        facecolors=faces,
        edgecolors="white" if outlined else "face",
        linewidths=0.5 if outlined else 0.1,
    )
    axes.add_collection(areas)
    axes.autoscale_view()


def _write_number(axes: Axes, stack: Stack, row: int, colour: tuple[float, ...]) -> None:
    """Write a species' number into the middle of its area, where the area can hold it."""
    edges, half = stack.edges, int(np.ceil(LABEL_WIDTH / 2 * len(stack.generations)))
    first, last = stack.span(row)
    if last - first < 2 * half:
        return

    # The place where the area is highest over the width of a number
    sizes = stack.sizes[row, first : last + 1]
    workspace = np.lib.stride_tricks.sliding_window_view(sizes, 2 * half + 1).min(axis=1)
    if workspace.max() < LABEL_HEIGHT * edges[-1].max():
        return

    # A colour that stands out from the area's
    column = first + half + int(workspace.argmax())
    middle = (edges[row, column] + edges[row + 1, column]) / 2
    red, green, blue = colour
    ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.55 else "white"
    look: Look = {"fontsize": 7.5, "ha": "center", "va": "center", "color": ink}
    axes.text(stack.generations[column], middle, str(stack.species[row]), **look)


def _mark_lives(axes: Axes, stack: Stack) -> None:
    """Mark births by dots and extinctions by crosses, halfway between the area's edges."""
    middles = (stack.edges[:-1] + stack.edges[1:]) / 2
    born, died = [], []
    for row in range(len(stack.species)):
        first, last = stack.span(row)
        if first > 0:
            born.append((stack.generations[first], middles[row, first]))
        if last < len(stack.generations) - 1:
            died.append((stack.generations[last], middles[row, last]))
    for points, marker in ((born, "o"), (died, "x")):
        x, y = np.array(points).reshape(-1, 2).T
        axes.scatter(x, y, 9, "black", marker=marker, linewidths=0.8, zorder=3)


def _counts_points(record: Record) -> bool:
    """Return True if the fitness is not a share, as in games of points."""
    columns = [record.statistics[name] for name in ("best", "median") if len(record.statistics)]
    return any(
        np.nanmax(column, initial=0.0) > 1.0 or np.nanmin(column, initial=0.0) < 0.0
        for column in columns
    )


def _count_games(checks: Sequence[Check], axis: str) -> str:
    """Describe the number of games behind each point, with warnings of repeats and forfeits.

    Args:
        checks: Checks against one opponent.
        axis: What their generations count, as in `Record.axis`.
    """

    def place(check: Check) -> str:
        if axis == "generation":
            return f"at generation {check.generation}"
        return f"after {check.generation:,.0f} {axis}"

    fewest, most = min(check.games for check in checks), max(check.games for check in checks)
    text = f"{most:,} games per point" if fewest == most else f"{fewest:,} to {most:,} per point"
    least = min(checks, key=lambda check: check.distinct_games / max(check.finished, 1))
    if describe_repeats(least.distinct_games, least.finished):
        text += f" (only {least.distinct_games:,} different ones {place(least)})"
    forfeits = [check for check in checks if check.forfeits]
    if forfeits:
        worst = max(forfeits, key=lambda check: (check.games - check.finished) / check.games)
        text += (
            f"; ×: games forfeited, {place(worst)}"
            f" {worst.games - worst.finished:,} of {worst.games:,}"
        )
    return text


def _why_empty(records: Sequence[Record], reason: str) -> str:
    if any(record.generations for record in records):
        return reason
    return "no generation has been played yet"


def _dot(x: NDArray[np.float64]) -> str:
    """Return a marker for a line of one point, which would be invisible without one."""
    return "." if len(x) == 1 else ""


def _legend(
    axes: Axes,
    handles: Sequence[Artist],
    place: Literal["lower left", "best"],
    columns: int = 0,
) -> None:
    """Draw a legend; 0 *columns* means three if the texts fit into a line, else one."""
    letters = sum(len(str(handle.get_label())) + KEY_LETTERS for handle in handles)
    columns = columns or (3 if letters <= LINE_LETTERS else 1)
    axes.legend(
        handles=handles, loc=place, fontsize=8.5, ncols=columns, framealpha=0.85, edgecolor="none"
    )
