"""The panels of a picture of runs, one function each; one colour per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from evolve_arena.arena.duel_result import describe_repeats
from evolve_arena.runs.plots.style import GREY, LINES, MARKERS, as_label, colours, say, style_axes
from evolve_arena.runs.store.history import Check
from evolve_arena.runs.store.record import Record, blocks

MOST_BANDS = 3
"""Of more runs than these, overlaid bands of quartiles could not be told apart."""
MOST_MARKERS = 60
FORFEIT = "#b00020"
"""The colour of a cross on a check in which games were forfeited."""
LINE_LETTERS, KEY_LETTERS = 115, 8
"""How many letters of a legend stand in one line of a panel, and the room of an entry's line."""


def draw_fitness(axes: Axes, records: Sequence[Record], hues: Sequence[Any]) -> None:
    """Best, median and the middle half, by generation; long runs as means over stretches."""
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
    banded = len(records) <= MOST_BANDS
    for record, hue in zip(records, hues, strict=True):
        if record not in told:
            continue
        columns = {key: blocks(column) for key, column in record.statistics.items()}
        x = columns["generation"]
        look: dict[str, Any] = {"color": hue, "marker": _dot(x), "clip_on": False}
        axes.plot(x, columns["best"], linewidth=1.0, **look)
        axes.plot(x, columns["median"], linewidth=1.5, linestyle="--", **look)
        if banded:
            edges = columns["lower_quartile"], columns["upper_quartile"]
            axes.fill_between(x, *edges, color=hue, alpha=0.25, linewidth=0)
    hue = hues[0] if len(records) == 1 else GREY
    handles: list[Artist] = [
        Line2D([], [], color=hue, linewidth=1.0, label="best individual"),
        Line2D([], [], color=hue, linewidth=1.5, linestyle="--", label="median"),
    ]
    if banded:
        handles.append(Patch(color=hue, alpha=0.25, linewidth=0, label="middle half"))
    if any(_counts_points(record) for record in told):
        axes.set_ylabel("fitness\ninside the population", fontsize=9)
    else:
        axes.set_ylim(0.0, 1.0)
    _legend(axes, handles, "lower left")


def draw_ratings(axes: Axes, records: Sequence[Record], hues: Sequence[Any]) -> None:
    """How strong each run's champions are among each other, by generation."""
    firsts = {min(record.ratings) for record in records if record.ratings}  # of branches, not 0
    first = f"generation {max(firsts, default=0)}" if len(firsts) < 2 else "each one's first"
    style_axes(
        axes,
        title="Strength: the run's champions against each other",
        remark="bands: 95 % intervals",
        label=f"Elo above\n{first}",
    )
    axes.axhline(0.0, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
    for record, hue in zip(records, hues, strict=True):
        if not record.ratings:
            continue
        x = [*record.ratings]
        low, high = np.array([each.interval for each in record.ratings.values()]).T
        elo = [each.elo for each in record.ratings.values()]
        marker = "" if len(x) > MOST_MARKERS else MARKERS[0]
        axes.plot(x, elo, color=hue, linewidth=1.4, marker=marker, markersize=3.5)
        axes.fill_between(x, low, high, color=hue, alpha=0.25, linewidth=0)


def draw_checks(axes: Axes, records: Sequence[Record], hues: Sequence[Any]) -> None:
    """Share of games won against each opponent from outside, with Wilson's intervals."""
    style_axes(
        axes,
        title="Checks: the champion against opponents from outside",
        remark="bands: 95 % Wilson intervals",
        label="share of games won",
    )
    opponents = sorted({name for record in records for name in record.opponents})
    if not opponents:
        say(axes, _why_empty(records, "no check yet"))
        return
    axes.set_ylim(0.0, 1.0)
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
    alone = len(records) == 1
    handles: list[Artist] = []
    by_opponent = colours(len(opponents))
    crowded = max(len(record.checks) for record in records) > MOST_MARKERS * len(opponents)
    for place, opponent in enumerate(opponents):
        look: dict[str, Any] = {
            "linestyle": LINES[place % len(LINES)],
            "marker": "" if crowded else MARKERS[place % len(MARKERS)],
        }
        met: list[Check] = []
        for record, hue in zip(records, hues, strict=True):
            checks = [check for check in record.checks if check.opponent == opponent]
            _draw_series(axes, checks, by_opponent[place] if alone else hue, look)
            met += checks
        hue = by_opponent[place] if alone else GREY
        label = f"{as_label(opponent)}, {_count_games(met)}"
        handles.append(Line2D([], [], color=hue, markersize=4, label=label, **look))
    _legend(axes, handles, "best")


def draw_statistic(
    axes: Axes,
    records: Sequence[Record],
    hues: Sequence[Any],
    name: str,
    title: str,
    remark: str,
    label: str = "in units of genes",
) -> None:
    """One line per run of the statistic called *name*."""
    style_axes(axes, title=title, remark=remark, label=label)
    for record, hue in zip(records, hues, strict=True):
        if name in record.statistics:
            x, y = blocks(record.statistics["generation"]), blocks(record.statistics[name])
            axes.plot(x, y, color=hue, linewidth=1.4, marker=_dot(x))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    if not axes.lines:
        say(axes, _why_empty(records, f"the method tells no {title.lower()}"))
        return
    columns = [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines]
    highest = max(float(np.nanmax(column, initial=0.0)) for column in columns)
    axes.set_ylim(0.0, 1.1 * highest or 1.0)


def _draw_series(axes: Axes, checks: Sequence[Check], hue: Any, look: dict[str, Any]) -> None:
    if not checks:
        return
    x = [check.generation for check in checks]
    won = np.array([check.won for check in checks])  # not a number where nothing is known
    low, high = np.array([check.wilson_95 for check in checks]).T
    axes.plot(x, won, color=hue, linewidth=1.3, markersize=3.5, clip_on=False, **look)
    if len(checks) == 1:
        axes.errorbar(x, won, [won - low, high - won], color=hue, linewidth=1.3, capsize=3)
    else:
        axes.fill_between(x, low, high, color=hue, alpha=0.25, linewidth=0)
    marked = [check for check in checks if check.forfeits]
    if marked:  # at the bottom if no game counts
        heights = [check.won if check.counted else 0.0 for check in marked]
        look = {"marker": "x", "linestyle": "", "color": FORFEIT, "markersize": 7}
        axes.plot([check.generation for check in marked], heights, clip_on=False, **look)


def _counts_points(record: Record) -> bool:
    """Whether the fitness is no share, as in games of points."""
    columns = [record.statistics[name] for name in ("best", "median") if len(record.statistics)]
    return any(
        np.nanmax(column, initial=0.0) > 1.0 or np.nanmin(column, initial=0.0) < 0.0
        for column in columns
    )


def _count_games(checks: Sequence[Check]) -> str:
    """How many games stand behind each point, and a warning if they were the same games."""
    fewest, most = min(check.games for check in checks), max(check.games for check in checks)
    text = f"{most:,} games per point" if fewest == most else f"{fewest:,} to {most:,} per point"
    least = min(checks, key=lambda check: check.distinct_games / max(check.finished, 1))
    if describe_repeats(least.distinct_games, least.finished):
        text += f" (only {least.distinct_games:,} different ones at generation {least.generation})"
    forfeits = [check for check in checks if check.forfeits]
    if forfeits:
        worst = max(forfeits, key=lambda check: (check.games - check.finished) / check.games)
        text += (
            f"; ×: games forfeited, at generation {worst.generation}"
            f" {worst.games - worst.finished:,} of {worst.games:,}"
        )
    return text


def _why_empty(records: Sequence[Record], reason: str) -> str:
    if any(record.generations for record in records):
        return reason
    return "no generation has been played yet"


def _dot(x: NDArray[np.float64]) -> str:
    """A marker for a line of one point, which would not be seen."""
    return "." if len(x) == 1 else ""


def _legend(axes: Axes, handles: Sequence[Artist], place: Literal["lower left", "best"]) -> None:
    letters = sum(len(str(handle.get_label())) + KEY_LETTERS for handle in handles)
    columns = 3 if letters <= LINE_LETTERS else 1
    axes.legend(
        handles=handles, loc=place, fontsize=8.5, ncols=columns, framealpha=0.85, edgecolor="none"
    )
