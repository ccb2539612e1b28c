"""The rankings of ``q-learning``: configurations by what their agents win."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evolve_arena.arena.intervals import Sample, mean_share, t_95
from evolve_arena.arena.ranking import Ranked, meet_others, name_configuration, rank_configurations
from evolve_arena.runs.many.parallel_runs import FAR
from evolve_arena.runs.run import Run
from evolve_arena.studies.q_learning.plan import Stage, agents, configurations
from evolve_arena.studies.study import Material, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Agents = Mapping[str, Sample]
"""What each agent won, by its name."""
Published = Mapping[str, Mapping[str, float]]
"""By configuration, the published mean, best and worst share."""

COLUMNS = {"mean": "mean_percent_won", "best": "max_percent_won", "worst": "min_percent_won"}
SHARES = (
    "Shares of games won, mean, best and worst over the agents of a configuration; a draw is no"
    " win. The interval of the mean is Student's, over agents; that of the best and the worst is"
    " Wilson's, and knows only the luck of the games."
)
JUDGED = (
    "A remark gives the rank here and in the publication, and whether the means differ by more than"
    " chance (95 %). How much agents of one configuration differ is estimated from all of ours"
    " in the table, and taken to be the same there."
)
MUTUAL = (
    "Every agent meets all agents of the other configurations, once moving first and once second."
    " Nobody draws lots, so more games would be the same ones."
)
RANDOM = "Every agent plays 1000 games moving first and 1000 moving second, times the scale."


def measure_mutual(name: str, title: str, stage: Stage, material: Material) -> Table:
    """Everybody against everybody else of a stage."""
    runs = _stage_runs(material, stage)
    notes = [SHARES, MUTUAL, JUDGED, *tell_of_attempts(runs.values())]
    return make_ranking(name, title, meet_each_other(runs), _find_published(name, stage), notes)


def measure_random(name: str, title: str, stage: Stage, material: Material) -> Table:
    """Everybody of a stage against the random player."""
    runs = _stage_runs(material, stage)
    notes = [SHARES, RANDOM, JUDGED, *tell_of_attempts(runs.values())]
    return make_ranking(name, title, meet_random(runs), _find_published(name, stage), notes)


def choose_best(material: Material, stage: Stage) -> str:
    """The label of the configuration with the best places in both rankings together.

    Of equal ones the better one against the random player.
    """
    runs = _stage_runs(material, stage)
    mutual, random = (rank(won) for won in (meet_each_other(runs), meet_random(runs)))
    means = {ranked.name: ranked.mean for ranked in random}
    places = {name: place_of(mutual, name) + place_of(random, name) for name in means}
    return min(
        stage.options, key=lambda label: (places[stage.name(label)], -means[stage.name(label)])
    )


def place_of(ranking: Sequence[Ranked], name: str) -> int:
    """The place of a configuration, from 1; equal means share the better one."""
    return next(ranked.rank for ranked in ranking if ranked.name == name)


def rank(won: Agents) -> list[Ranked]:
    """The configurations, the best mean first."""
    return rank_configurations(
        {name: sample.share for name, sample in won.items()}, name_configuration
    )


def meet_each_other(runs: Mapping[str, Run]) -> dict[str, Sample]:
    """All agents against those of other configurations, once moving first and once second."""
    agents = [run.champion for run in runs.values()]
    tallies = meet_others(agents[0].game, agents, games=2)
    return {name: Sample(tally.won, tally.games) for name, tally in tallies.items()}


def meet_random(runs: Mapping[str, Run]) -> dict[str, Sample]:
    """What each run's last check says of its agent."""
    won = {}
    for name, run in runs.items():
        check = run.checks()[-1]
        won[name] = Sample(check.wins, check.games)
    return won


def make_ranking(
    name: str, title: str, won: Agents, published: Published, notes: list[str]
) -> Table:
    """The table *name*, with a chart; configurations in the order of *published*, if any."""
    from evolve_arena.runs.plots.style import render

    groups = _group(won)
    places = partial(place_of, rank(won))
    theirs = {key: values["mean"] for key, values in published.items()}
    rows, remarks = [], {}
    for group in [*published, *(key for key in groups if key not in published)]:
        some = groups[group]
        best, worst = max(some, key=lambda s: s.share), min(some, key=lambda s: s.share)
        given = published.get(group, {})
        for column, samples in (("mean", some), ("best", [best]), ("worst", [worst])):
            rows.append(Row(name, group, column, given.get(column), *mean_share(samples)))
        remark = f"rank {places(group)}"
        if given:
            place = 1 + sum(mean > theirs[group] for mean in theirs.values())
            remark += f", published {place}{_judge(groups, group, given['mean'])}"
        remarks[group, "mean"] = remark
    return Table(
        name=name,
        title=title,
        rows=rows,
        remarks=remarks,
        notes=list(notes),
        files={
            f"{name}.csv": _format_agents(won).encode(),
            f"{name}.png": render(draw_ranking(f"{name}: {title}", groups, published), ".png"),
        },
    )


def tell_of_attempts(runs: Iterable[Run]) -> list[str]:
    """Which agents are not the first attempt, in a sentence; nothing if all are."""
    again = [f"{run.path.name} ({run.recipe.run.seed // FAR})" for run in runs]
    again = [text for text in again if not text.endswith("(0)")]
    if not again:
        return []
    return [
        "The weights of some agents grew beyond all bounds, so that they were replaced by others;"
        f" how often, by the name of the one that stayed: {', '.join(again)}."
    ]


def _judge(groups: Mapping[str, Sequence[Sample]], group: str, published: float) -> str:
    """Whether the means of a configuration differ, there and here, by more than chance."""
    count = len(groups[group])
    if count < 2:
        return ""
    variances = [statistics.variance([s.share for s in some]) for some in groups.values()]
    apart = statistics.fmean(s.share for s in groups[group]) - published
    half = t_95(len(groups) * (count - 1)) * math.sqrt(2 * statistics.fmean(variances) / count)
    verdict = "agrees" if abs(apart) <= half else "higher here" if apart > 0 else "lower here"
    return f"; {verdict}"


def _group(won: Agents) -> dict[str, list[Sample]]:
    groups: dict[str, list[Sample]] = {}
    for name, sample in won.items():
        groups.setdefault(name_configuration(name), []).append(sample)
    return groups


def _stage_runs(material: Material, stage: Stage) -> dict[str, Run]:
    return {run.path.name: run for name in configurations(stage) for run in agents(material, name)}


def _find_published(name: str, stage: Stage) -> dict[str, dict[str, float]]:
    """A published ranking as shares, by our names of configurations, in its order."""
    ours = {theirs: mine for mine, theirs in configurations(stage).items()}
    table = read_published(name)
    return {
        ours[row]: {column: round(cells[key] / 100, 4) for column, key in COLUMNS.items()}
        for row, cells in table.items()
    }


@cache
def read_published(name: str) -> dict[str, dict[str, float]]:
    """A published table: by row, its cells by column."""
    file = resources.files(__package__).joinpath("data/tables.csv")
    table: dict[str, dict[str, float]] = {}
    for line in csv.DictReader(io.StringIO(file.read_text("utf-8"))):
        if line["table"] == name:
            table.setdefault(line["row"], {})[line["column"]] = float(line["value"])
    return table


def _format_agents(won: Agents) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["agent", "configuration", "won", "games", "share"])
    for name, sample in won.items():
        share = round(sample.share, 6)
        writer.writerow([name, name_configuration(name), sample.won, sample.games, share])
    return text.getvalue()


APART = 0.17
"""How far a configuration's two lines are from its middle."""


def draw_ranking(
    title: str,
    groups: Mapping[str, Sequence[Sample]],
    published: Mapping[str, Mapping[str, float]],
) -> Figure:
    """A pair of lines for each configuration: from the worst to the best, with the mean.

    Args:
        title: What stands above.
        groups: By configuration, what each of its agents won; each is a dot.
        published: By configuration, the published mean, best and worst share.
    """
    from matplotlib.ticker import MultipleLocator

    from evolve_arena.runs.plots.style import GREY, OKABE_ITO, new_figure, set_title, style_axes

    names = list(groups)
    figure = new_figure(8.0, 1.5 + 0.42 * len(names), dpi=100)
    set_title(figure, title)
    axes = figure.subplots()
    style_axes(axes)
    for place, name in enumerate(names):
        shares = [sample.share for sample in groups[name]]
        y = place + APART
        axes.plot([min(shares), max(shares)], [y, y], color=OKABE_ITO[0], linewidth=1.2)
        look: dict[str, Any] = {"color": OKABE_ITO[0], "clip_on": False}
        axes.plot(shares, [y] * len(shares), "o", markersize=3.0, alpha=0.6, **look)
        label = "measured: mean, and every agent" if place == 0 else None
        axes.plot(fmean(shares), y, "D", markersize=6.0, label=label, **look)
    for place, name in enumerate(names):
        if name in published:
            cells, y = published[name], place - APART
            axes.plot([cells["worst"], cells["best"]], [y, y], color=GREY, linewidth=1.2)
            axes.plot([cells["worst"], cells["best"]], [y, y], "|", color=GREY, markersize=6.0)
            label = "published: mean, worst and best" if name == next(iter(published)) else None
            axes.plot(cells["mean"], y, "s", color=GREY, markersize=5.5, label=label)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0.0, 1.0)
    axes.xaxis.set_major_locator(MultipleLocator(0.1))
    axes.set_xlabel("share of games won", fontsize=9)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=9, frameon=False)
    return figure
