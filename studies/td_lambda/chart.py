"""The figures of ``td-lambda``: learning curves of the best individuals, over training games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evolve_arena.studies.td_lambda.curves import CONCEPTS, Curve, smooth
from evolve_arena.studies.td_lambda.plan import LADDER, OPPONENTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ends = Mapping[str, Mapping[str, Sequence[float]]]
"""By setting and opponent, the published final result of each individual."""


def draw_curves(title: str, curves: Mapping[str, Curve], ends: Ends) -> Figure:
    """A panel for each opponent, a curve for each setting's best individual.

    Args:
        title: What stands above.
        curves: By setting.
        ends: What was published, as dots on the right.
    """
    from evolve_arena.runs.plots.style import LINES, OKABE_ITO, new_figure, set_title, style_axes

    figure = new_figure(10.5, 6.4, dpi=100)
    set_title(figure, title)
    panels = list(figure.subplots(2, 3, sharex=True).flat)
    last = max(curve.games[-1] for curve in curves.values())
    unit, word = _unit(last)
    for axes, opponent in zip(panels, OPPONENTS, strict=False):
        style_axes(axes, title=f"Against {opponent}")
        for place, (label, curve) in enumerate(curves.items()):
            x = [games / unit for games in curve.games]
            hue, line = OKABE_ITO[place], LINES[place % len(LINES)]
            axes.plot(x, curve.smoothed(opponent), line, color=hue, linewidth=1.5, label=label)
            given = ends.get(label, {}).get(opponent, [])
            at = last / unit * (1.03 + 0.025 * place)
            axes.plot([at] * len(given), given, "o", color=hue, markersize=3.5, alpha=0.75)
        _set_range(axes)
    for axes in (panels[0], panels[3]):
        axes.set_ylabel("points, share", fontsize=9)
    for axes in panels[2:5]:
        axes.set_xlabel(f"training games, {word}", fontsize=9)
        axes.xaxis.set_tick_params(labelbottom=True)
    panels[5].set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    remark = "dots: published final results\nof all individuals" if ends else ""
    panels[5].legend(
        handles, labels, title=remark, loc="center", fontsize=10, title_fontsize=9, frameon=False
    )
    return figure


def draw_long_run(title: str, curve: Curve, concepts: Mapping[str, Sequence[float]]) -> Figure:
    """Three panels: chance and attack and defence; kinds of lines; the ladder.

    Args:
        title: What stands above.
        curve: The individual's checks.
        concepts: By group, the share of states solved at each check.
    """
    from evolve_arena.runs.plots.style import new_figure, set_title, style_axes

    figure = new_figure(11.0, 4.2, dpi=100)
    set_title(figure, title)
    first, second, third = figure.subplots(1, 3)
    groups = {CONCEPTS[name]: smooth(shares) for name, shares in concepts.items()}
    panels: tuple[tuple[Axes, str, dict[str, list[float]]], ...] = (
        (
            first,
            "Random player, attack and defence",
            {"random": curve.smoothed("random")} | _pick(groups, "attack", "defence"),
        ),
        (second, "Kinds of lines", _pick(groups, "rows", "diagonals", "columns")),
        (third, "Minimax", {name: curve.smoothed(name) for name in LADDER}),
    )
    for axes, heading, lines in panels:
        style_axes(axes, title=heading)
        _draw_lines(axes, curve, lines)
    first.set_ylabel("points, or states solved; share", fontsize=9)
    return figure


def _draw_lines(axes: Axes, curve: Curve, lines: Mapping[str, Sequence[float]]) -> None:
    from evolve_arena.runs.plots.style import LINES, OKABE_ITO

    unit, word = _unit(curve.games[-1])
    x = [games / unit for games in curve.games]
    for place, (label, shares) in enumerate(lines.items()):
        hue = OKABE_ITO[place]
        axes.plot(x, shares, LINES[place], color=hue, linewidth=1.5, label=label)
    axes.set_xlabel(f"training games, {word}", fontsize=9)
    axes.legend(loc="lower right", fontsize=9, framealpha=0.85, edgecolor="none")
    _set_range(axes)


def _set_range(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(left=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6))


def _unit(games: int) -> tuple[float, str]:
    """In what games are counted on an axis that reaches to so many."""
    return (1e6, "millions") if games >= 200_000 else (1e3, "thousands")


def _pick(groups: Mapping[str, list[float]], *names: str) -> dict[str, list[float]]:
    return {name: groups[name] for name in names}
