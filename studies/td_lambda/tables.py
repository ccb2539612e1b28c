"""The tables of ``td-lambda`` about learners: the results of all individuals, and their curves.

Results are points against five opponents, and shares of solved concept states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING

from evolve_arena.arena.intervals import Sample, difference_interval, mean_interval, mean_share
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.players.player import Player
from evolve_arena.runs.positions import find_own_positions, read_positions, solve_positions
from evolve_arena.runs.run import Run
from evolve_arena.studies.study import (
    Grid,
    Material,
    Row,
    Table,
    format_csv,
    judge_interval,
    read_lines,
)
from evolve_arena.studies.td_lambda.plan import CHECKS, LADDER, OPPONENTS, Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Finals = Mapping[str, Sequence[Mapping[str, Sample]]]
"""By setting, the results of each individual, by column."""
Labelled = Mapping[str, Setting]

LAST = 5
"""Number of last checks of a run whose mean is its level."""
OWN_STATES = "concept states"
"""Name of the game's own positions that are the concept states."""
RECENT = 3
"""Number of consecutive checks whose mean is compared to see if a curve falls."""
POINTS = (
    "Shares are points of games, a draw counting half, in the last check of each individual: with"
    " colours balanced, against random and against minimax of depth 1 to 4 (MM1 to MM4), of whose"
    " moves a fifth are random."
)
MEANS = (
    "Published and measured are means over individuals, the interval is Student's. A remark tells"
    " whether 0 lies in the 95 % interval of the difference of both means (Welch); one comparison"
    " in twenty is off by chance."
)
STATES = (
    "A F R D K: shares of the concept states solved, in attack, defence, rows, diagonals and"
    " columns. The original 60 states are lost; ours are others of the same kinds, so these"
    " columns can be compared only roughly."
)
CHOSEN = (
    "The chart shows the individual with the best final result, the mean over opponents, of each"
    " setting, smoothed by the mean of three neighbours. It was chosen by its last points, which"
    " therefore flatter."
)
DOTS = (
    " The dots on the right are the published final results of all four individuals; published"
    " curves exist only as pictures."
)


ELSEWHERE = {
    "R1-G4-L1": ("A.1", "G4"),
    "R1-G4-L1 as written": ("A.1", "G4"),
    "R2-G3-L1": ("A.2", "G3"),
    "ε-greedy": ("A.1", "G4"),
    "self-play": ("A.1", "G4"),
}
"""Table and row in which the results of these settings were published."""
CONCEPTS = {"A": "attack", "F": "defence", "R": "rows", "D": "diagonals", "K": "columns"}
"""Groups of concept states."""
COLUMNS = {"Slump": "random"}
"""Names of opponents in the publication that differ from ours."""


@dataclass(frozen=True)
class Curve:
    """The results of a run's individual at its checks."""

    games: list[int]
    """Training games before each check."""
    points: dict[str, list[Sample]]
    """Points at each check, by opponent; a draw counts half."""

    @property
    def final(self) -> float:
        """Mean over opponents of the points at the last check."""
        return fmean(samples[-1].share for samples in self.points.values())

    def smoothed(self, opponent: str) -> list[float]:
        """Return the shares of points against *opponent*, smoothed as in the publication."""
        return smooth([sample.share for sample in self.points[opponent]])


def read_curve(run: Run) -> Curve:
    """Return the results of the checks of *run*."""
    names = {specification: name for name, specification in OPPONENTS.items()}
    points: dict[str, list[Sample]] = {name: [] for name in OPPONENTS}
    generations: dict[int, None] = {}
    for check in run.checks():
        generations[check.generation] = None
        points[names[check.opponent]].append(Sample(check.wins + check.draws / 2, check.games))
    each = run.recipe.method["games"]
    return Curve([generation * each for generation in generations], points)


def smooth(values: Sequence[float]) -> list[float]:
    """Return each value's mean with its neighbours; the first and the last stay as they are.

    >>> smooth([1.0, 2.0, 6.0, 1.0])
    [1.0, 3.0, 3.0, 1.0]
    """
    inner = [fmean(values[place - 1 : place + 2]) for place in range(1, len(values) - 1)]
    return [*values[:1], *inner, *values[1:][-1:]]


def pick_best(curves: Sequence[Curve]) -> int:
    """Return the index of the individual with the best final result; of equals the first."""
    return max(range(len(curves)), key=lambda place: (curves[place].final, -place))


def measure_concepts(run: Run, generation: int | None = None) -> dict[str, Sample]:
    """Test the champion of a check, by default of the last one, on the concept states."""
    return concept_samples(run.champion_at(generation), run.method.decoder.game)


def concept_samples(player: Player, game: AnyGame, times: int = 100) -> dict[str, Sample]:
    """Return the number of states of each group that *player* solves, out of how many.

    Args:
        player: Player that is tested.
        game: Game on whose board the concept states are.
        times: Number of answers in each state, if the player's choice is random.

    Raises:
        BadValueError: The concept states are not for the board of *game*.
    """
    path = find_own_positions(game).get(OWN_STATES)
    if path is None:
        raise BadValueError(f"concept states are not for {game.describe()}")
    solved = solve_positions(player, game, read_positions(game, path), times=times)["solved"]
    return {
        name[0]: Sample(group["share"] * group["count"], group["count"])
        for name, group in solved["by_group"].items()
    }


@cache
def published(table: str) -> dict[tuple[str, str], list[float]]:
    """Return a published table: by row and column, a value for each individual."""
    cells: dict[tuple[str, str], list[float]] = {}
    for line in read_lines(__package__, "tables.csv"):
        if line["table"] == table:
            row, column = (COLUMNS.get(line[key], line[key]) for key in ("row", "column"))
            cells.setdefault((row, column), []).append(float(line["value"]))
    return cells


def compare_individuals(material: Material, labelled: Labelled) -> Table:
    """Make table 4.1: the differences among individuals of one setting."""
    finals = {
        label: [_last_points(curve) for curve in some]
        for label, some in _read(material, labelled).items()
    }
    table = _compare("4.1", "individuals after 300,000 games (R1-G1-L1)", finals, [POINTS, MEANS])
    table.notes.append(
        "ε falls to 0.1 within the 300,000 games; the publication does not give its final value."
    )
    return table


def compare_settings(
    material: Material, labelled: Labelled, *, name: str, title: str, figure: str
) -> Table:
    """Make a table of appendix A with its figure: all individuals of some settings.

    Args:
        material: Finished runs of the study.
        labelled: Settings to compare, by the labels of their rows.
        name: Name of the table: its published number, such as ``A.1``, if it has one.
        title: Title of table and picture.
        figure: Number of the published figure, such as ``4.2``, or a name if there is none.
    """
    curves = _read(material, labelled)
    finals = _find_finals(material, labelled, curves)
    table = _compare(name, title, finals, [POINTS, MEANS, STATES, CHOSEN + DOTS])
    heading = f"Figure {figure}: {title}" if figure[0].isdigit() else title
    ends = {label: _find_published(name, label) for label in finals}
    picture = draw_curves(heading, _best(curves), ends)
    table.add_picture(f"figure-{figure}", picture)
    return table


def measure_ends(material: Material, labelled: Labelled) -> Table:
    """Make figure 4.1: learning with other final values of ε, and its rise or fall at the end."""
    curves = _read(material, labelled)
    rows = []
    for label, some in curves.items():
        for opponent in OPPONENTS:
            levels = [Sample.pool(_pairs(curve.points[opponent][-LAST:])) for curve in some]
            rows.append(Row("figure-4.1", label, opponent, None, *mean_share(levels)))
        falls = [fmean(_rise(curve, opponent) for opponent in OPPONENTS) for curve in some]
        mean, low, high = _mean(falls)
        games = sum(
            sample.games for curve in some for each in curve.points.values() for sample in each
        )
        claim = "falls" if label == "ε to 0" else "does not fall"
        values = claim, mean, low, high, games, judge_interval(low, high, "rises", "falls", "open")
        rows.append(Row("figure-4.1", label, "rise at the end", *values))
    title = "final values of ε (R1-G3-L1)"
    picture = draw_curves(f"Figure 4.1: {title}", _best(curves), {})
    notes = [
        f"Against each opponent: the points in the last {LAST} of {CHECKS} checks.",
        f"Rise at the end: the mean over opponents of the points in the last {RECENT} checks,"
        f" minus those in the {RECENT} in the middle of the run. Claim: results fall towards"
        " the end if ε falls to 0, and only then.",
        CHOSEN,
    ]
    table = Table("figure-4.1", title, rows, notes)
    table.add_picture("figure-4.1", picture)
    return table


def measure_long(material: Material, labelled: Labelled) -> Table:
    """Make table A.5 and figure 4.7: the long run, with concept states at each check."""
    curves = _read(material, labelled)
    finals = _find_finals(material, labelled, curves)
    title = "the long run, 5,000,000 games (R1-G4-L1)"
    table = _compare("A.5", title, finals, [POINTS, MEANS, STATES, CHOSEN])
    ((label, setting),) = labelled.items()
    best = pick_best(curves[label])
    curve, run = curves[label][best], material.list_runs(setting.name)[best]
    each = run.recipe.method["games"]
    concepts = [measure_concepts(run, games // each) for games in curve.games]
    picture = draw_long_run(
        f"Figure 4.7: {title}",
        curve,
        {name: [state[name].share for state in concepts] for name in CONCEPTS},
    )
    table.add_picture("figure-4.7", picture)
    return table


def _read(material: Material, labelled: Labelled) -> dict[str, list[Curve]]:
    return {
        label: [read_curve(run) for run in material.list_runs(setting.name)]
        for label, setting in labelled.items()
    }


def _find_finals(
    material: Material, labelled: Labelled, curves: Mapping[str, Sequence[Curve]]
) -> Finals:
    """Return the final results of each individual: points, and concept states."""
    return {
        label: [
            _last_points(curve) | measure_concepts(run)
            for curve, run in zip(curves[label], material.list_runs(setting.name), strict=True)
        ]
        for label, setting in labelled.items()
    }


def _best(curves: Mapping[str, Sequence[Curve]]) -> dict[str, Curve]:
    return {label: some[pick_best(some)] for label, some in curves.items()}


def _compare(name: str, title: str, finals: Finals, notes: list[str]) -> Table:
    """Make the table *name*: means of every column, and all individuals in a grid and a file."""
    rows = []
    for label, some in finals.items():
        given = _find_published(name, label)
        for column in some[0]:
            samples = [final[column] for final in some]
            mean = round(fmean(given[column]), 4) if column in given else None
            remark = _judge([sample.share for sample in samples], given.get(column))
            rows.append(Row(name, label, column, mean, *mean_share(samples), remark))
    files = {f"{name}.csv": _format_individuals(name, finals)}
    return Table(name, title, rows, list(notes), files, [_make_grid(name, finals)])


def _find_published(name: str, label: str) -> dict[str, list[float]]:
    """Return the published results of a setting: by column, a value for each individual."""
    source, row = ELSEWHERE.get(label, (name, label))
    return {key[1]: values for key, values in published(source).items() if key[0] == row}


def _judge(ours: Sequence[float], theirs: Sequence[float] | None) -> str:
    """Return a remark: whether the means differ by more than chance."""
    if theirs is None or min(len(ours), len(theirs)) < 2:
        return ""
    verdict = judge_interval(*difference_interval(ours, theirs))
    return f"{verdict}; {_span(theirs)}, here {_span(ours)}"


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.2f}-{max(values):.2f}"


def _make_grid(name: str, finals: Finals) -> Grid:
    """Return the grid of individuals, published / measured, which are paired by number alone."""
    columns = list(next(iter(finals.values()))[0])
    rows = []
    for label, some in finals.items():
        given = _find_published(name, label)
        for number, final in enumerate(some):
            cells = []
            for column in columns:
                values = given.get(column, [])
                before = f"{values[number]:.2f}" if number < len(values) else "-"
                cells.append(f"{before} / {final[column].share:.2f}")
            rows.append([f"{label}, {number + 1}", *cells])
    return Grid("All individuals, published / measured", ["individual", *columns], rows)


def _format_individuals(name: str, finals: Finals) -> bytes:
    lines: list[list[object]] = []
    for label, some in finals.items():
        given = _find_published(name, label)
        for number, final in enumerate(some):
            for column, sample in final.items():
                before = dict(enumerate(given.get(column, []))).get(number)
                share = round(sample.share, 6)
                lines.append([label, number + 1, column, before, share, sample.games])
    columns = ["setting", "individual", "column", "published", "measured", "count"]
    return format_csv(columns, lines)


def _last_points(curve: Curve) -> dict[str, Sample]:
    return {opponent: samples[-1] for opponent, samples in curve.points.items()}


def _pairs(samples: Sequence[Sample]) -> list[tuple[float, int]]:
    return [(sample.won, sample.games) for sample in samples]


def _rise(curve: Curve, opponent: str) -> float:
    """Return the last checks' share minus that of the checks in the middle."""
    shares = [sample.share for sample in curve.points[opponent]]
    middle = len(shares) // 2
    return fmean(shares[-RECENT:]) - fmean(shares[middle - RECENT // 2 :][:RECENT])


def _mean(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its interval, which is unbounded for a single value."""
    if len(values) == 1:
        return values[0], -1.0, 1.0
    return fmean(values), *mean_interval(values)


Ends = Mapping[str, Mapping[str, Sequence[float]]]
"""By setting and opponent, the published final result of each individual."""


def draw_curves(title: str, curves: Mapping[str, Curve], ends: Ends) -> Figure:
    """Draw a panel for each opponent, with a curve for each setting's best individual.

    Args:
        title: The heading.
        curves: The curve of each setting.
        ends: The published final results, drawn as dots on the right.
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
    """Draw three panels: random player, attack and defence; kinds of lines; minimax.

    Args:
        title: The heading.
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
    """Return the unit of games, and its name, for an axis that ends at *games*."""
    return (1e6, "millions") if games >= 200_000 else (1e3, "thousands")


def _pick(groups: Mapping[str, list[float]], *names: str) -> dict[str, list[float]]:
    return {name: groups[name] for name in names}
