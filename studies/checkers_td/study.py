"""The study ``checkers-td``: Piotrowski (2004), sixteen learners of checkers and their games.

``seeds`` is the number of repetitions here: training of all players, and both tournaments with
them. The publication has one. The crosstables are compared, published with measured: shares, ranks,
correlations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean, variance
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.intervals import mean_interval, t_95
from evolve_arena.studies.checkers_td.claims import measure_claims
from evolve_arena.studies.checkers_td.fit import (
    correlate,
    kendall,
    kendall_interval,
    measure_fit,
    place_values,
    spearman,
    spearman_interval,
)
from evolve_arena.studies.checkers_td.games import Meeting
from evolve_arena.studies.checkers_td.plan import plan, recipe_name, trained
from evolve_arena.studies.checkers_td.published import (
    PLAYERS,
    Crosstable,
    Score,
    join_rounds,
    mean_points,
    read_published,
    sum_up,
)
from evolve_arena.studies.checkers_td.readings import measure_readings
from evolve_arena.studies.checkers_td.tournaments import (
    LEARNING,
    WITHOUT_LEARNING,
    Tournament,
    measure_rounds,
    play_tournament,
)
from evolve_arena.studies.study import (
    Grid,
    Material,
    Row,
    Study,
    Table,
    TableKind,
    format_csv,
    judge_interval,
    needs,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Results = Sequence[Mapping[tuple[int, int], Meeting]]
"""Seed by seed, the meetings by the numbers of the first player and the second."""

COEFFICIENTS = {
    "Spearman": (spearman, spearman_interval),
    "Kendall": (kendall, kendall_interval),
}
LARGEST = 16384
"""Limit to which a search clips values; see `evolve_arena.players.board.values.LARGEST`."""
SHARES = (
    "Points of all games of a player, of its own row and of the others' rows; a draw counts half."
    " Measured is the mean over seeds, with Student's interval (of a single seed Wilson's); each"
    " seed has players of its own. A remark gives the rank here and in the publication, and, of"
    " several seeds, whether the published share lies in the 95 % range of one more of our"
    " tournaments. How much a player's share differs from seed to seed is estimated from all of"
    " them together."
)
FIRST = "First player: the points of the row's players in all games."
RANKS = (
    "Correlations compare the shares here with the published ones, over all players: first those of"
    " each seed alone, then those of the mean over seeds. The intervals (Bonett and Wright 2000)"
    " show how little so few players tell."
)


def measure_tournament(tournament: Tournament, material: Material) -> Table:
    """Make the table of *tournament*, with a picture."""
    results = play_tournament(material, tournament)
    table = compare_tournaments(tournament, results)
    published = join_rounds(read_published(tournament.name))
    seeds = [_join_meetings(meetings) for meetings in results]
    heading = f"Table {table.name}: {table.title}"
    picture = draw_tournament(heading, tournament.players, published, seeds)
    table.add_picture(table.name, picture)
    table.notes.extend(_tell_of_runaways(material, tournament))
    return table


def compare_tournaments(tournament: Tournament, results: Results) -> Table:
    """Make the table of *tournament*, with both crosstables as grids and all games as a file."""
    published = join_rounds(read_published(tournament.name))
    seeds = [_join_meetings(meetings) for meetings in results]
    rows = _compare_shares(tournament.name, published, seeds)
    return Table(
        name=tournament.name,
        title=tournament.title,
        rows=rows + _correlate_shares(tournament.name, published, seeds),
        notes=[
            *(SHARES, FIRST, RANKS, *_tell_more(published, seeds), _tell_fit(published, seeds)),
            *_tell_of_lost(results),
        ],
        files={f"{tournament.name}.csv": _format_games(tournament.name, results)},
        grids=[
            _make_grid("Published: wins-losses of the row's player", tournament, [published]),
            _make_grid("Measured: the same, mean over seeds", tournament, seeds),
        ],
    )


def _compare_shares(name: str, published: Crosstable, seeds: Sequence[Crosstable]) -> list[Row]:
    """Return a row for each player, and one for the first player of all games."""
    theirs = {number: score.share for number, score in sum_up(published).items()}
    ours = {number: [sum_up(cells)[number] for cells in seeds] for number in theirs}
    means = {number: fmean(score.share for score in some) for number, some in ours.items()}
    places, known = (
        dict(zip(theirs, place_values(list(shares.values())), strict=True))
        for shares in (means, theirs)
    )
    spread = _spread([[score.share for score in some] for some in ours.values()])
    rows = []
    for number, some in ours.items():
        remark = f"rank {places[number]}, published {known[number]}"
        remark += _judge(means[number] - theirs[number], spread)
        values = round(theirs[number], 4), *mean_points(some), remark
        rows.append(Row(name, f"{number} {PLAYERS[number]}", "points", *values))
    first = [sum(cells.values(), Score()) for cells in (published, *seeds)]
    row = Row(name, "all players", "first mover", round(first[0].share, 4), *mean_points(first[1:]))
    return [*rows, row]


def _correlate_shares(name: str, published: Crosstable, seeds: Sequence[Crosstable]) -> list[Row]:
    theirs = [score.share for score in sum_up(published).values()]
    ours = [sum_up(cells) for cells in seeds]
    shares = [[score.share for score in sums.values()] for sums in ours]
    games = [sum(score.games for score in sums.values()) // 2 for sums in ours]
    labels = [f"seed {place}" for place in range(1, len(seeds) + 1)]
    if len(seeds) > 1:
        labels.append("mean of seeds")
        shares.append([fmean(some) for some in zip(*shares, strict=True)])
        games.append(sum(games))
    rows = []
    for label, some, count in zip(labels, shares, games, strict=True):
        for column, (measure, interval) in COEFFICIENTS.items():
            value = measure(theirs, some)
            rows.append(Row(name, label, column, None, value, *interval(value, len(some)), count))
    return rows


def _tell_more(published: Crosstable, seeds: Sequence[Crosstable]) -> list[str]:
    """Return yardsticks for the correlations, in sentences."""
    tables = [sum_up(join_rounds(read_published(name))) for name in ("5.8", "5.9")]
    both = [number for number in tables[0] if number in tables[1]]
    theirs = [[table[number].share for number in both] for table in tables]
    notes = [
        "The two published tournaments, in which the same players met, agree with one another by"
        f" {spearman(*theirs):.2f} (Spearman) and {kendall(*theirs):.2f} (Kendall)."
    ]
    shares = [[score.share for score in sum_up(cells).values()] for cells in seeds]
    pairs = [
        spearman(some, others) for place, some in enumerate(shares) for others in shares[:place]
    ]
    if pairs:
        notes.append(
            f"Our seeds agree with one another by {fmean(pairs):.2f} (Spearman, mean of all pairs),"
            f" each of them with the publication by {_tell_mean(published, shares)} in the mean."
        )
    common = [place for place in published if all(place in cells for cells in seeds)]
    value = correlate(
        [published[place].share for place in common],
        [fmean(cells[place].share for cells in seeds) for place in common],
    )
    notes.append(f"Cell by cell ({len(common)} of them) the shares are correlated by {value:.2f}.")
    return notes


def _tell_fit(published: Crosstable, seeds: Sequence[Crosstable]) -> str:
    """Return a sentence on how well all players together predict the published cells."""
    fit = measure_fit(published, seeds)
    return (
        f"Gain on the published cells, as in the table of readings: {fit.gain:.3f}"
        f" ({fit.low:.3f} to {fit.high:.3f}; by chance less than {fit.chance:.3f})."
        f" {fit.inside} of {fit.cells} cells"
        f" are in the 95 % range of ten more of our games, by chance {fit.inside_chance:.0f}."
    )


def _tell_mean(published: Crosstable, shares: Sequence[Sequence[float]]) -> str:
    """Return the mean over seeds of Spearman's correlation, with Student's interval."""
    theirs = [score.share for score in sum_up(published).values()]
    values = [spearman(theirs, some) for some in shares]
    low, high = mean_interval(values)
    return f"{fmean(values):.2f} ({max(-1.0, low):.2f} to {min(1.0, high):.2f})"


def _tell_of_runaways(material: Material, tournament: Tournament) -> list[str]:
    """Return a sentence on players whose weights are too large for a search to tell them apart."""
    names = []
    for seed in material.settings.each_seed:
        for run in trained(material, seed, tournament.players):
            if abs(run.state().population).max() > LARGEST:
                names.append(run.path.name)
    if not names:
        return []
    return [
        f"Weights of these players grew beyond {LARGEST} in training: a search can't tell such"
        f" values apart: {', '.join(names)}."
    ]


def _tell_of_lost(results: Results) -> list[str]:
    lost = sum(meeting.lost for meetings in results for meeting in meetings.values())
    if not lost:
        return []
    return [
        f"In {lost} cases a player's weights diverged while it learned; it continued"
        " with the previous ones."
    ]


def _judge(apart: float, spread: float | None) -> str:
    """Return a remark: whether a published share is within the range of chance."""
    return "" if spread is None else f"; {judge_interval(apart - spread, apart + spread)}"


def _spread(groups: Sequence[Sequence[float]]) -> float | None:
    """Return the half-width of the 95 % range of one more share around the mean of its group.

    All groups are assumed to have the same variance. None if there is only one seed.
    """
    count = len(groups[0])
    if count < 2:
        return None
    mean = fmean(variance(group) for group in groups)
    return t_95(len(groups) * (count - 1)) * math.sqrt(mean * (1 + 1 / count))


def _join_meetings(meetings: Mapping[tuple[int, int], Meeting]) -> dict[tuple[int, int], Score]:
    return join_rounds({place: meeting.rounds for place, meeting in meetings.items()})


def _make_grid(title: str, tournament: Tournament, tables: Sequence[Crosstable]) -> Grid:
    rows = []
    for first in tournament.players:
        cells = [_format_cell((first, second), tables) for second in tournament.players]
        rows.append([f"{first} {PLAYERS[first]}", *cells])
    return Grid(title, ["moves first", *(str(number) for number in tournament.players)], rows)


def _format_cell(place: tuple[int, int], tables: Sequence[Crosstable]) -> str:
    scores = [cells[place] for cells in tables if place in cells]
    if not scores:
        return ""
    means = fmean(score.wins for score in scores), fmean(score.losses for score in scores)
    return "-".join(f"{mean:.1f}".removesuffix(".0") for mean in means)


def _format_games(name: str, results: Results) -> bytes:
    """Return every cell of every seed, and the published ones, as CSV."""
    sources: list[tuple[str | int, Mapping[tuple[int, int], Sequence[Score]]]] = [
        ("published", read_published(name))
    ]
    for seed, meetings in enumerate(results, start=1):
        sources.append((seed, {place: meeting.rounds for place, meeting in meetings.items()}))
    return format_csv(
        ["seed", "first", "second", "round", "wins", "losses", "draws"],
        [
            [source, *place, number, score.wins, score.losses, score.draws]
            for source, cells in sources
            for place, rounds in sorted(cells.items())
            for number, score in enumerate(rounds, start=1)
        ],
    )


SCALE = "RdBu"
"""Colour map: red if the first player loses, blue if it wins; safe for colour-blind readers."""
STEEP = 5
"""Change of rank from which a line in the right panel has a colour."""


def draw_tournament(
    title: str, players: Sequence[int], published: Crosstable, seeds: Sequence[Crosstable]
) -> Figure:
    """Draw two heat maps, and on the right the ranks of each player in both.

    Args:
        title: The heading.
        players: The players' numbers, in the order of rows and columns.
        published: The published cells.
        seeds: The measured cells of each seed; their mean is shown.
    """
    from evolve_arena.runs.plots.style import new_figure, set_title

    figure = new_figure(15.0, 5.7, dpi=100)
    set_title(figure, title)
    panels = figure.subplots(1, 3, width_ratios=[1.0, 1.0, 0.75])
    count = "one seed" if len(seeds) == 1 else f"mean of {len(seeds)} seeds"
    _draw_map(panels[0], "Published", players, [published], names=True)
    image = _draw_map(panels[1], f"Measured, {count}", players, seeds, names=False)
    bar = figure.colorbar(image, ax=list(panels[:2]), shrink=0.75, pad=0.015, aspect=30)
    bar.set_label("points of the first mover, share", fontsize=9)
    bar.outline.set_visible(False)
    _draw_ranks(panels[2], published, seeds)
    return figure


def _draw_map(
    axes: Axes, title: str, players: Sequence[int], tables: Sequence[Crosstable], *, names: bool
) -> AxesImage:
    """Draw a square for each cell; those that were not played, or are illegible, stay empty."""
    shares = _average(players, tables)
    image = axes.imshow(shares, cmap=SCALE, vmin=0.0, vmax=1.0)
    for row, column in np.argwhere(np.isfinite(shares)).tolist():
        share = shares[row, column]
        hue = "white" if abs(share - 0.5) > 0.33 else "#333333"
        text = f"{10 * share:.0f}"
        label = axes.text(column, row, text, ha="center", va="center", fontsize=7.5, color=hue)
        label.set_in_layout(False)  # inside of the map anyway, and slow
    labels = [f"{PLAYERS[number]} {number}" if names else str(number) for number in players]
    axes.set_yticks(range(len(players)), labels, fontsize=8.5)
    axes.set_xticks(range(len(players)), [str(number) for number in players], fontsize=8.5)
    axes.set_xlabel("the other player", fontsize=9)
    if names:
        axes.set_ylabel("first mover", fontsize=9)
    axes.tick_params(length=0, colors="#444444")
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold")
    axes.set_title("points in ten games", loc="right", fontsize=8.5, color="#666666")
    return image


def _draw_ranks(axes: Axes, published: Crosstable, seeds: Sequence[Crosstable]) -> None:
    """Draw a line for each player from the published rank to ours, with a range over seeds."""
    from evolve_arena.runs.plots.style import GREY, OKABE_ITO

    theirs = sum_up(published)
    ours = [[score.share for score in sum_up(cells).values()] for cells in seeds]
    left = _spread_out([score.share for score in theirs.values()])
    right = _spread_out([fmean(some) for some in zip(*ours, strict=True)])
    ranks = [place_values(shares) for shares in ours]
    for place, number in enumerate(theirs):
        change = left[place] - right[place]
        hue = GREY if abs(change) < STEEP else OKABE_ITO[0] if change > 0 else OKABE_ITO[1]
        axes.plot([0, 1], [left[place], right[place]], color=hue, linewidth=1.4, marker="o", ms=3.5)
        axes.text(-0.04, left[place], f"{PLAYERS[number]} {number}", ha="right", va="center",
                  fontsize=8.5, color=hue)  # fmt: skip
        axes.text(1.04, right[place], str(number), va="center", fontsize=8.5, color=hue)
        some = [rank[place] for rank in ranks]
        low, high = min(some), max(some)
        text = f"{low}" if low == high else f"{low} to {high}"
        if len(seeds) > 1:
            axes.text(1.3, right[place], text, va="center", fontsize=8, color=GREY)
    axes.set_xlim(-0.95, 1.7)
    axes.set_ylim(len(theirs) + 0.6, 0.2)
    axes.set_xticks([0, 1], ["published", "measured"], fontsize=9)
    axes.set_yticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("Ranks by points", loc="left", fontsize=10.5, fontweight="bold")
    if len(seeds) > 1:
        axes.set_title("in single seeds", loc="right", fontsize=8.5, color=GREY)


def _average(players: Sequence[int], tables: Sequence[Crosstable]) -> NDArray[np.float64]:
    """Return each cell's mean share over *tables*, shape ``(players, players)``; nan if in none."""
    shares = np.full((len(players), len(players)), np.nan)
    for row, first in enumerate(players):
        for column, second in enumerate(players):
            some = [cells[first, second].share for cells in tables if (first, second) in cells]
            if some:
                shares[row, column] = fmean(some)
    return shares


def _spread_out(shares: Sequence[float]) -> list[int]:
    """Return ranks from 1 for the largest share; equal shares get different ranks."""
    order = sorted(range(len(shares)), key=lambda place: -shares[place])
    places = [0] * len(shares)
    for rank, place in enumerate(order, start=1):
        places[place] = rank
    return places


def _kind(tournament: Tournament) -> TableKind:
    measure = partial(measure_tournament, tournament)
    return TableKind(
        tournament.name, tournament.title, measure, needs(*map(recipe_name, tournament.players))
    )


CHECKERS_TD = Study(
    name="checkers-td",
    summary="Reinforcement learning of checkers: sixteen players, two tournaments.",
    source="Rafał Piotrowski, Warcaby i uczenie się ze wzmocnieniem (Wrocław, 2004)",
    plan=plan,
    seeds=3,
    tables=(
        TableKind(
            "readings", "readings of details that the text leaves open", measure_readings, needs()
        ),
        TableKind("5.2", "end of game against every move", measure_rounds, needs()),
        _kind(WITHOUT_LEARNING),
        _kind(LEARNING),
        TableKind("conclusions", "the conclusions, one by one", measure_claims),
    ),
)
