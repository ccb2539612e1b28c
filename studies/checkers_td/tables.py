"""The crosstables of ``checkers-td``, published beside measured: shares, ranks, correlations."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Mapping, Sequence
from statistics import fmean

from evolve_arena.studies.checkers_td.chart import draw_tournament
from evolve_arena.studies.checkers_td.fit import measure_fit
from evolve_arena.studies.checkers_td.games import Meeting
from evolve_arena.studies.checkers_td.plan import trained
from evolve_arena.studies.checkers_td.published import (
    PLAYERS,
    Crosstable,
    Score,
    join_rounds,
    read_published,
    sum_up,
)
from evolve_arena.studies.checkers_td.ranks import (
    correlate,
    kendall,
    kendall_interval,
    place_values,
    spearman,
    spearman_interval,
)
from evolve_arena.studies.checkers_td.tournaments import Tournament, play_tournament
from evolve_arena.studies.intervals import Sample, mean_interval, mean_share, t_95
from evolve_arena.studies.study import Grid, Material, Row, Table

Results = Sequence[Mapping[tuple[int, int], Meeting]]
"""Seed by seed, the meetings by the numbers of who moves first and of the other."""

COEFFICIENTS = {
    "Spearman": (spearman, spearman_interval),
    "Kendall": (kendall, kendall_interval),
}
LARGEST = 2048
"""A search takes weights beyond this for this; see
`evolve_arena.games.checkers.linear.LinearDesign.pack`."""
SHARES = (
    "Points of all games of a player, of its own row and of the others' rows; a draw counts half."
    " Measured is the mean over seeds, with Student's interval (of a single seed Wilson's); each"
    " seed has players of its own. A remark gives the rank here and in the publication, and, of"
    " several seeds, whether the published share lies where one more of our tournaments would with"
    " 95 %. How much a player's share differs from seed to seed is estimated from all of them"
    " together."
)
FIRST = "Who moves first: the points of the row's players in all games."
RANKS = (
    "Correlations compare the shares here with the published ones, over all players: first those of"
    " each seed alone, then those of the mean over seeds. The intervals (Bonett and Wright 2000)"
    " say how far so few players tell."
)


def measure_tournament(tournament: Tournament, material: Material) -> Table:
    """The table of *tournament*, with a picture."""
    from evolve_arena.runs.plots.style import render

    results = play_tournament(material, tournament)
    table = compare_tournaments(tournament, results)
    published = join_rounds(read_published(tournament.name))
    seeds = [_join_meetings(meetings) for meetings in results]
    heading = f"Table {table.name}: {table.title}"
    picture = draw_tournament(heading, tournament.players, published, seeds)
    table.files[f"{table.name}.png"] = render(picture, ".png")
    table.notes.extend(_tell_of_runaways(material, tournament))
    return table


def compare_tournaments(tournament: Tournament, results: Results) -> Table:
    """The table of *tournament*, with both crosstables as grids and all games as a file."""
    published = join_rounds(read_published(tournament.name))
    seeds = [_join_meetings(meetings) for meetings in results]
    rows, remarks = _compare_shares(tournament.name, published, seeds)
    rows += _correlate_shares(tournament.name, published, seeds)
    return Table(
        name=tournament.name,
        title=tournament.title,
        rows=rows,
        remarks=remarks,
        notes=[
            *(SHARES, FIRST, RANKS, *_tell_more(published, seeds), _tell_fit(published, seeds)),
            *_tell_of_lost(results),
        ],
        files={f"{tournament.name}.csv": _format_games(tournament.name, results).encode()},
        grids=[
            _make_grid("Published: wins-losses of the row's player", tournament, [published]),
            _make_grid("Measured: the same, mean over seeds", tournament, seeds),
        ],
    )


def _compare_shares(
    name: str, published: Crosstable, seeds: Sequence[Crosstable]
) -> tuple[list[Row], dict[tuple[str, str], str]]:
    """A row for each player, and one for whoever moves first."""
    theirs = {number: score.share for number, score in sum_up(published).items()}
    ours = {number: [sum_up(cells)[number] for cells in seeds] for number in theirs}
    means = {number: fmean(score.share for score in some) for number, some in ours.items()}
    places, known = (
        dict(zip(theirs, place_values(list(shares.values())), strict=True))
        for shares in (means, theirs)
    )
    spread = _spread([[score.share for score in some] for some in ours.values()])
    rows, remarks = [], {}
    for number, some in ours.items():
        label = f"{number} {PLAYERS[number]}"
        rows.append(Row(name, label, "points", round(theirs[number], 4), *_mean(some)))
        remark = f"rank {places[number]}, published {known[number]}"
        remarks[label, "points"] = remark + _judge(means[number] - theirs[number], spread)
    first = [sum(cells.values(), Score()) for cells in (published, *seeds)]
    row = Row(name, "all players", "who moves first", round(first[0].share, 4), *_mean(first[1:]))
    return [*rows, row], remarks


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
    """Yardsticks for the correlations, in sentences."""
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
    """How well all players together foretell the published cells."""
    fit = measure_fit(published, seeds)
    return (
        f"Gain on the published cells, as in the table of readings: {fit.gain:.3f}"
        f" ({fit.low:.3f} to {fit.high:.3f}; by chance less than {fit.chance:.3f})."
        f" {fit.inside} of {fit.cells} cells"
        f" are where ten more of our games would be with 95 %, by chance {fit.inside_chance:.0f}."
    )


def _tell_mean(published: Crosstable, shares: Sequence[Sequence[float]]) -> str:
    """The mean over seeds of Spearman's correlation, with Student's interval."""
    theirs = [score.share for score in sum_up(published).values()]
    values = [spearman(theirs, some) for some in shares]
    low, high = mean_interval(values)
    return f"{fmean(values):.2f} ({max(-1.0, low):.2f} to {min(1.0, high):.2f})"


def _tell_of_runaways(material: Material, tournament: Tournament) -> list[str]:
    """Whose weights grew so large in training that a search can't tell them apart."""
    names = []
    for seed in range(1, material.settings.seeds + 1):
        for run in trained(material, seed, tournament.players):
            if abs(run.state().population).max() > LARGEST:
                names.append(run.path.name)
    if not names:
        return []
    return [
        f"Weights of these players ran away in training, beyond {LARGEST}: a search can't tell such"
        f" values apart: {', '.join(names)}."
    ]


def _tell_of_lost(results: Results) -> list[str]:
    lost = sum(meeting.lost for meetings in results for meeting in meetings.values())
    if not lost:
        return []
    return [
        f"In {lost} cases a player's weights grew beyond all bounds while it learned; it went on"
        " with those that it had before."
    ]


def _judge(apart: float, spread: float | None) -> str:
    """Whether a published share is as far from ours as chance takes one."""
    if spread is None:
        return ""
    if abs(apart) <= spread:
        return "; agrees"
    return "; higher here" if apart > 0 else "; lower here"


def _mean(scores: Sequence[Score]) -> tuple[float, float, float, int]:
    return mean_share([Sample(score.points, score.games) for score in scores])


def _spread(groups: Sequence[Sequence[float]]) -> float | None:
    """How far one more share lies from the mean of a group, at most, with 95 %.

    All groups are taken to have the same variance. None if there is but one seed.
    """
    count = len(groups[0])
    if count < 2:
        return None
    variance = fmean(statistics.variance(group) for group in groups)
    return t_95(len(groups) * (count - 1)) * math.sqrt(variance * (1 + 1 / count))


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


def _format_games(name: str, results: Results) -> str:
    """Every cell of every seed, and the published ones."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["seed", "first", "second", "round", "wins", "losses", "draws"])
    sources: list[tuple[str | int, Mapping[tuple[int, int], Sequence[Score]]]] = [
        ("published", read_published(name))
    ]
    for seed, meetings in enumerate(results, start=1):
        sources.append((seed, {place: meeting.rounds for place, meeting in meetings.items()}))
    for source, cells in sources:
        for place, rounds in sorted(cells.items()):
            for number, score in enumerate(rounds, start=1):
                counts = score.wins, score.losses, score.draws
                writer.writerow([source, *place, number, *counts])
    return text.getvalue()
