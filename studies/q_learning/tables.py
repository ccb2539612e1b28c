"""The tables of ``q-learning``: published rankings of configurations, and additions.

Additions are winners, equal rewards, corrections, other exploration and representations, and games
against minimax.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, variance
from typing import TYPE_CHECKING

import numpy as np

from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import Executor, make_executor
from evolve_arena.arena.intervals import Sample, mean_share, t_95
from evolve_arena.arena.pairings import gauntlet
from evolve_arena.arena.ranking import Ranked, meet_others, name_configuration, rank_configurations
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.many.parallel_runs import FAR
from evolve_arena.runs.run import Run
from evolve_arena.studies.drawing import add_legend
from evolve_arena.studies.q_learning.plan import (
    CORRECTED,
    EXPLORATION,
    REPRESENTATIONS,
    REWARDS,
    STAGES,
    Stage,
    configurations,
)
from evolve_arena.studies.study import (
    Material,
    Row,
    Table,
    format_csv,
    judge_interval,
    read_lines,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Agents = Mapping[str, Sample]
"""Games won by each agent, by its name."""
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
    " Nothing is random, so more games would be the same ones."
)
RANDOM = "Every agent plays 1000 games moving first and 1000 moving second, times the scale."


def measure_stage(
    name: str, title: str, stage: Stage, material: Material, *, mutual: bool
) -> Table:
    """Make the table of a stage's agents against each other, if *mutual*, or the random player.

    Args:
        name: Number of the published table, such as ``6.1``.
        title: Title of the table.
        stage: Stage whose configurations are ranked.
        material: Finished runs of the study.
        mutual: True if agents of different configurations meet, False if all meet the random
            player.
    """
    runs = _stage_runs(material, stage)
    won, note = (meet_each_other(runs), MUTUAL) if mutual else (meet_random(runs), RANDOM)
    notes = [SHARES, note, JUDGED, *tell_of_attempts(runs.values())]
    return make_ranking(name, title, won, find_published(name, stage), notes)


def choose_best(material: Material, stage: Stage) -> str:
    """Return the label of the configuration with the lowest sum of ranks in both rankings.

    Of equal sums, the configuration with the higher mean against the random player is chosen.
    """
    runs = _stage_runs(material, stage)
    mutual, random = rank(meet_each_other(runs)), rank(meet_random(runs))

    def judge(label: str) -> tuple[int, float]:
        name = stage.name(label)
        return mutual[name].rank + random[name].rank, -random[name].mean

    return min(stage.options, key=judge)


def rank(won: Agents) -> dict[str, Ranked]:
    """Return the rank and mean of each configuration by its name, the best mean first."""
    shares = {name: sample.share for name, sample in won.items()}
    return {ranked.name: ranked for ranked in rank_configurations(shares, name_configuration)}


def meet_each_other(runs: Mapping[str, Run]) -> dict[str, Sample]:
    """Play all agents against those of other configurations, once moving first and once second."""
    agents = [run.champion for run in runs.values()]
    tallies = meet_others(agents[0].game, agents, games=2)
    return {name: Sample(tally.won, tally.games) for name, tally in tallies.items()}


def meet_random(runs: Mapping[str, Run]) -> dict[str, Sample]:
    """Return the results of each agent in its run's last check."""
    checks = {name: run.checks()[-1] for name, run in runs.items()}
    return {name: Sample(check.wins, check.games) for name, check in checks.items()}


def make_ranking(
    name: str, title: str, won: Agents, published: Published, notes: list[str]
) -> Table:
    """Make the table *name* with a chart; configurations are in the order of *published*, if any.

    Args:
        name: Name of the table, and of its chart and its CSV file.
        title: Title of the table.
        won: Result of each agent by its name.
        published: By configuration, the published mean, best and worst share of games won; may be
            empty.
        notes: Comments on the table, in sentences.
    """
    groups = _group(won)
    ranked = rank(won)
    theirs = {key: values["mean"] for key, values in published.items()}
    rows = []
    for group in [*published, *(key for key in groups if key not in published)]:
        some = groups[group]
        best, worst = max(some, key=lambda s: s.share), min(some, key=lambda s: s.share)
        given = published.get(group, {})
        remark = f"rank {ranked[group].rank}"
        if given:
            place = 1 + sum(mean > theirs[group] for mean in theirs.values())
            remark += f", published {place}{_judge(groups, group, given['mean'])}"
        for column, samples, said in (
            ("mean", some, remark),
            ("best", [best], ""),
            ("worst", [worst], ""),
        ):
            rows.append(Row(name, group, column, given.get(column), *mean_share(samples), said))
    table = Table(name, title, rows, list(notes), {f"{name}.csv": _format_agents(won)})
    table.add_picture(name, draw_ranking(f"{name}: {title}", groups, published))
    return table


def tell_of_attempts(runs: Iterable[Run]) -> list[str]:
    """Return a sentence on the agents whose first attempts diverged, or nothing if none did."""
    again = [f"{run.path.name} ({run.recipe.run.seed // FAR})" for run in runs]
    again = [text for text in again if not text.endswith("(0)")]
    if not again:
        return []
    return [
        "The weights of some agents diverged, so that they were replaced by others;"
        f" how often, by the name of the one that stayed: {', '.join(again)}."
    ]


def _judge(groups: Mapping[str, Sequence[Sample]], group: str, published: float) -> str:
    """Return a remark: whether the means of a configuration differ by more than chance."""
    count = len(groups[group])
    if count < 2:
        return ""
    variances = [variance([s.share for s in some]) for some in groups.values()]
    apart = fmean(s.share for s in groups[group]) - published
    half = t_95(len(groups) * (count - 1)) * math.sqrt(2 * fmean(variances) / count)
    return f"; {judge_interval(apart - half, apart + half)}"


def _group(won: Agents) -> dict[str, list[Sample]]:
    groups: dict[str, list[Sample]] = {}
    for name, sample in won.items():
        groups.setdefault(name_configuration(name), []).append(sample)
    return groups


def _stage_runs(material: Material, stage: Stage) -> dict[str, Run]:
    return _runs_of(material, configurations(stage))


def _runs_of(material: Material, names: Iterable[str]) -> dict[str, Run]:
    return {run.path.name: run for name in names for run in material.list_runs(name)}


def find_published(name: str, stage: Stage) -> dict[str, dict[str, float]]:
    """Return a published ranking as shares, by our names of configurations, in its order."""
    ours = {theirs: mine for mine, theirs in configurations(stage).items()}
    table = read_published(name)
    return {
        ours[row]: {column: round(cells[key] / 100, 4) for column, key in COLUMNS.items()}
        for row, cells in table.items()
    }


def read_published(name: str) -> dict[str, dict[str, float]]:
    """Return a published table: by row, its cells by column."""
    table: dict[str, dict[str, float]] = {}
    for line in read_lines(__package__, "tables.csv"):
        if line["table"] == name:
            table.setdefault(line["row"], {})[line["column"]] = float(line["value"])
    return table


def _format_agents(won: Agents) -> bytes:
    return format_csv(
        ["agent", "configuration", "won", "games", "share"],
        [
            [name, name_configuration(name), sample.won, sample.games, round(sample.share, 6)]
            for name, sample in won.items()
        ],
    )


SIDE_GAMES = 500
"""Number of games that each agent plays on each side against each depth of minimax."""

EQUAL = ("2", "3", "6")
"""Sets of rewards that differ only in the reward for a loss, which is never paid."""
REWARD_COLUMNS = {"win": "win", "loss": "loss", "draw": "tie", "move": "each_move"}


def measure_rewards(material: Material) -> Table:
    """Make table 6.11: the sets of rewards."""
    published = read_published("6.11")
    rows = [
        Row("6.11", f"set {number}", key, published[number][column], value, value, value, 0)
        for number, rewards in REWARDS.items()
        for key, column in REWARD_COLUMNS.items()
        for value in (rewards[key],)
    ]
    notes = [
        "In the original program, and so in this study, the reward for a loss is never paid: it"
        " is looked up only after one's own move. So the sets 2, 3 and 6 are the same, and set 4"
        " rewards nothing at all."
    ]
    return Table("6.11", "the sets of rewards", rows, notes=notes)


def measure_winners(material: Material) -> Table:
    """Make a table of the best configuration of each stage here, and of the author's choice."""
    rows = []
    for stage in STAGES:
        table = find_published(f"6.{2 * stage.number + stage.number // len(STAGES)}", stage)
        for whose, label in (
            ("best here", choose_best(material, stage)),
            ("the author's choice", stage.chosen),
        ):
            name = stage.name(label)
            values = mean_share(list(meet_random(_runs_of(material, [name])).values()))
            remark = f"{label}: {_tell_places(material, stage, label)}"
            row = f"stage {stage.word}"
            rows.append(Row("winners", row, whose, table[name]["mean"], *values, remark))
    notes = [
        "Published and measured: the mean share won against random. Best here is the"
        " configuration with the best places in both rankings together, of equal ones the better"
        " one against random.",
        "The author chose by hand, from both rankings and what training costs; after stage six"
        " there was no choice, so that stands for the best set in games against each other.",
        "Where the best one here is not the author's, the difference is often within chance: see"
        " the intervals.",
    ]
    return Table("winners", "the best after each stage", rows, notes)


def measure_equal_sets(material: Material) -> Table:
    """Make a table of sets of rewards that are equal, and differ by chance alone."""
    stage = STAGES[-1]
    runs = _stage_runs(material, stage)
    rows, spreads = [], []
    for column, number, won in (
        ("won against each other", "6.12", meet_each_other(runs)),
        ("won against random", "6.13", meet_random(runs)),
    ):
        published = find_published(number, stage)
        groups = {label: _group(won)[stage.name(label)] for label in EQUAL}
        for label, samples in groups.items():
            given = published[stage.name(label)]["mean"]
            rows.append(Row("equal-sets", f"set {label}", column, given, *mean_share(samples)))
        everybody = [sample for samples in groups.values() for sample in samples]
        rows.append(Row("equal-sets", "all three", column, None, *mean_share(everybody)))
        theirs = [read_published(number)[f"stage_six_{label}"][COLUMNS["mean"]] for label in EQUAL]
        ours = [100 * fmean(s.share for s in samples) for samples in groups.values()]
        spreads.append(
            f"{column[0].upper()}{column[1:]}: the three published means are"
            f" {max(theirs) - min(theirs):.1f} points apart, ours {max(ours) - min(ours):.1f}."
        )
    notes = [
        "These sets differ only in the reward for a loss, which is never paid: with the same"
        " seed they give the same network, bit by bit. Here their seeds are different, so"
        " only chance tells them apart, in both studies.",
        *spreads,
    ]
    return Table("equal-sets", "equal sets of rewards", rows, notes=notes)


def measure_corrected(material: Material) -> Table:
    """Make a table of the two best sets of rewards, as in the original program and corrected."""
    faithful = [STAGES[-1].name(label) for label in CORRECTED]
    notes = [
        "The configurations of stage six with the sets 1 and 6 of rewards, as the original program"
        " learns (stage-six) and corrected (corrected): a reply that ends the game brings the"
        " reward for a loss or a draw, the last disc can win, and the output has a bias.",
        "Corrected, set 6 punishes a loss with 5 where a win brings 2.",
    ]
    title = "the program's bugs corrected, against each other and against random"
    return _rank_both("corrected", title, material, [*faithful, *CORRECTED.values()], notes)


def measure_exploration(material: Material) -> Table:
    """Make a table of exploration: ε-greedy, constant or falling, and Boltzmann's distribution."""
    title = "a share of random moves instead of Boltzmann's distribution"
    notes = [
        "All learn as stage six does with set 1 of rewards. stage-six-1: Boltzmann's distribution;"
        " epsilon-constant: a tenth of the moves at random; epsilon-falling: all of them at first,"
        " none in the end. Section 3.5.1 describes both; the author tried neither."
    ]
    names = [STAGES[-1].name("1"), *EXPLORATION]
    return _rank_both("exploration", title, material, names, notes)


def measure_representations(material: Material) -> Table:
    """Make a table of inputs: 0, 1 and 2; 0, 1 and -1; or a plane for each player."""
    notes = [
        "Configuration stage-six-1 has an input for each cell: 0, 1 for one's own disc, and 2 for"
        " the opponent's; with one-plane-signed -1 in place of 2; with two-planes an input of 0 or"
        " 1 for each cell and player. All else is the same."
    ]
    title = "representations of the board, against each other and against random"
    names = [STAGES[-1].name("1"), *REPRESENTATIONS]
    return _rank_both("representations", title, material, names, notes)


def measure_minimax(material: Material) -> Table:
    """Make a table of the wins of stage six's agents against minimax, on each side."""
    game = make_game("connect-four")
    stage = STAGES[-1]
    groups: dict[str, list[Player]] = {
        name: [run.champion for run in material.list_runs(name)] for name in configurations(stage)
    }
    groups["random"] = [make_player("random", game)]
    games = material.settings.scaled(SIDE_GAMES)
    rows: list[Row] = []
    with make_executor(None, material.workers) as executor:
        for name, players in groups.items():
            sides: dict[str, list[Row]] = {"first": [], "second": []}
            for depth in (1, 2, 3, 4):
                opponent = make_player(f"minimax:depth={depth}", game)
                for side, samples in _win_by_side(game, [*players, opponent], games, executor):
                    label, column = f"{name}, moving {side}", f"depth {depth}"
                    row = Row("minimax", label, column, None, *_mean_share(samples))
                    sides[side].append(row)
            rows += sides["first"] + sides["second"]
    notes = [
        f"Shares of games won, a draw being none: {games} games of each agent on each side. Minimax"
        " plays no random moves, but draws among equal ones. The mean over agents, with Student's"
        " interval, or Wilson's of all games where that is wider.",
        "They stand in for section 6.7, in which the author won all his games against agents of"
        " the sets 1 and 6.",
    ]
    return Table("minimax", "stage six against minimax", rows, notes=notes)


def _win_by_side(
    game: AnyGame, players: Sequence[Player], games: int, executor: Executor
) -> list[tuple[str, list[Sample]]]:
    """Return the wins of all other *players* against the last, moving first and moving second."""
    packed = combine_players([p.packed for p in players if isinstance(p, CompiledPlayer)])
    rows = np.arange(len(players), dtype=np.int32)
    pairings = np.repeat(gauntlet(rows[:-1], rows[-1:]), games, axis=0)
    samples = []
    for side, pairs, win in (("first", pairings, 1), ("second", pairings[:, ::-1].copy(), -1)):
        seeds = derive_seeds(1, 0, f"moving {side}", len(pairs))
        outcomes = executor.play(make_batch(game, packed, pairs, seeds)).outcomes
        wins = (outcomes == win).reshape(len(players) - 1, games).sum(axis=1)
        samples.append((side, [Sample(int(count), games) for count in wins]))
    return samples


def _mean_share(samples: Sequence[Sample]) -> tuple[float, float, float, int]:
    """Return the mean over agents; its interval is never narrower than that of the games."""
    mean, low, high, games = mean_share(samples)
    least, most = wilson_interval(sum(sample.won for sample in samples), games)
    return mean, min(low, least), max(high, most), games


def _rank_both(
    name: str, title: str, material: Material, names: list[str], notes: list[str]
) -> Table:
    """Rank some configurations against each other and against random, in one table."""
    runs = _runs_of(material, names)
    table = make_ranking(name, "against each other", meet_each_other(runs), {}, [])
    random = make_ranking(f"{name}-random", "against random", meet_random(runs), {}, [])
    rows = [
        replace(row, table=name, column=f"{row.column}, against {against}", remark="")
        for against, part in (("each other", table), ("random", random))
        for row in part.rows
    ]
    return Table(name, title, rows, notes=notes, files=table.files | random.files)


def _tell_places(material: Material, stage: Stage, label: str) -> str:
    runs = _stage_runs(material, stage)
    mutual, random = (
        rank(won)[stage.name(label)].rank for won in (meet_each_other(runs), meet_random(runs))
    )
    return f"rank {mutual} against each other, {random} against random"


APART = 0.17
"""Vertical distance of a configuration's two lines from its tick, where 1 is a row."""


def draw_ranking(
    title: str,
    groups: Mapping[str, Sequence[Sample]],
    published: Mapping[str, Mapping[str, float]],
) -> Figure:
    """Draw a pair of lines for each configuration: from the worst to the best, with the mean.

    Args:
        title: The heading.
        groups: By configuration, the results of its agents; each is a dot.
        published: By configuration, the published mean, best and worst share.
    """
    from matplotlib.ticker import MultipleLocator

    from evolve_arena.runs.plots.style import GREY, OKABE_ITO, new_figure, set_title, style_axes

    names = list(groups)
    figure = new_figure(8.0, 1.5 + 0.42 * len(names), dpi=100)
    set_title(figure, title)
    axes = figure.subplots()
    style_axes(axes)
    # Measured: the range of agents, each agent and the mean.
    for place, name in enumerate(names):
        shares = [sample.share for sample in groups[name]]
        y = place + APART
        axes.plot([min(shares), max(shares)], [y, y], color=OKABE_ITO[0], linewidth=1.2)
        hue = OKABE_ITO[0]
        dots = [y] * len(shares)
        axes.plot(shares, dots, "o", color=hue, markersize=3.0, alpha=0.6, clip_on=False)
        label = "measured: mean, and every agent" if place == 0 else None
        axes.plot(fmean(shares), y, "D", color=hue, markersize=6.0, label=label, clip_on=False)
    # Published: the range and the mean.
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
    add_legend(figure, axes, 2)
    return figure
