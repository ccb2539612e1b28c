"""Panels of a run on islands: how much each island's individuals differ, and who went where."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from evolve_arena.evolve.islands import IslandsConfig
from evolve_arena.runs.plots.style import GREY, colours, say, style_axes
from evolve_arena.runs.store.record import Record, blocks

MOST_MIGRATIONS = 16
"""Arrows of more than these could not be told apart."""
MOST_NAMED = 8


def draw_islands(axes: Axes, record: Record, islands: IslandsConfig) -> None:
    """The diversity of each island, a line each."""
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
            x, y = blocks(record.statistics["generation"]), blocks(record.statistics[name])
            axes.plot(x, y, color=hue, linewidth=1.1)
            handles.append(Line2D([], [], color=hue, label=f"island {number}"))
    axes.set_ylim(bottom=0.0)
    if not handles:
        say(axes, "no generation has been played yet")
    elif len(handles) <= MOST_NAMED:
        axes.legend(handles=handles, loc="lower left", fontsize=8.5, ncols=4, framealpha=0.85)


def draw_migrations(axes: Axes, record: Record, islands: IslandsConfig, seed: int) -> None:
    """A row for each island, and an arrow for each group that went from one to another."""
    apart, last = islands.interval, record.generations
    numbers = range(1, -(-last // apart) if last else 0)
    step = max(1, -(-len(numbers) // MOST_MIGRATIONS))
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
        say(axes, "nobody has migrated yet")
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    for number in numbers[::step]:
        for island, senders in enumerate(islands.find_senders(seed, number), start=1):
            for sender in senders:
                look = arrow | {"color": hues[sender] if len(senders) == 1 else GREY}
                begin = apart * number, sender + 1
                end = begin[0] + 0.02 * last, island  # steep enough to see where it comes from
                axes.annotate("", end, begin, arrowprops=look)


def count_panels(islands: IslandsConfig) -> list[float]:
    """The heights of both panels, in inches."""
    return [1.7, 0.6 + float(np.clip(0.25 * islands.count, 1.0, 4.0))]
