"""The tables of ``ticket-to-ride`` about games of one kind of player: 3.1, 4.3, 5.1 and 5.2."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.mirror import MirrorResult, play_mirror, pool
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.run import Run
from evolve_arena.studies.study import Grid, Material, Row, Table
from evolve_arena.studies.ticket_to_ride.chart import draw_points, draw_ranges
from evolve_arena.studies.ticket_to_ride.measures import (
    ALL,
    COUNTS,
    MEASURES,
    Cell,
    Estimate,
    column_name,
    combine,
    games_of,
    read_cell,
)
from evolve_arena.studies.ticket_to_ride.plan import UNIVERSAL, specific, trained

GAME = "ticket-to-ride"
GAMES = 10_000
"""How many games of each number of players a column is measured on."""
MIRROR_SEED = 20180912
ENDINGS = ("completed games", "forbidden moves")
"""Rows that count games."""
RECOMMENDED = {2: "universal", 3: "specific", 4: "specific", 5: "universal"}
"""Section 5.3, by number of players."""

Games = Mapping[int, MirrorResult]
"""The games of a player, by how many of it play."""

READ = (
    "Published are the printed numbers; where Łabno's logs give another, the remark has it, and"
    " the comparison is with that one. Measured: the mean, of several networks the mean over them,"
    " with a 95 % interval (Student's over networks; of one player from whole games)."
)
AGREES = (
    "A remark says whether the published number is as far from ours as chance takes numbers from"
    " as few games as his, and of networks from one network."
)
EXTREMES = (
    "Minimum and maximum are means over sets of as many games as were published, since the largest"
    " of more games is larger."
)


def measure_rule_player(material: Material) -> Table:
    """Table 3.1, with figures 3.3 to 3.5."""
    games = [play_counts(material, lambda count: make_rule_player("code"))]
    table = compare("3.1", "the rule player, all seats", games)
    table.notes.append(
        "Measured is the reading `code`, the program's last form, of which the published points"
        " are; the table `readings` has the others. The printed tickets are of other games, in"
        " which routes of five trains counted as long; those games were logged as result_10, done"
        "_10 and fail_10, and the games of the printed points as result_10nn, done_10nn and"
        " fail_10nn."
    )
    return _with_figure(table, "3.3-3.5", "the rule player", games)


def measure_network(material: Material, optimiser: str = "") -> Table:
    """Table 4.3, with figures 4.1 to 4.3; *optimiser* is the end of the setting's name."""
    games = _play_networks(material, dict.fromkeys(COUNTS, UNIVERSAL + optimiser))
    table = compare("4.3", "the imitating network, all seats", games, optimiser)
    table.notes.append(
        "Games that a forbidden move ended count for nothing else. The published columns are of"
        " 250, 250, 240 and 260 games."
    )
    return _with_figure(table, f"4.1-4.3{optimiser}", "the imitating network", games)


def measure_specific(material: Material) -> Table:
    """Table 5.1, with figure 5.1."""
    from evolve_arena.runs.plots.style import render

    games = _play_networks(material, {count: specific(count) for count in COUNTS})
    table = compare("5.1", "models for one number of players", games)
    other = _play_networks(material, dict.fromkeys(COUNTS, UNIVERSAL))
    models = {"specific": games, "universal": other}
    picture = draw_ranges("Figure 5.1: ranges of points", models, _published_ranges())
    table.files["figure-5.1.png"] = render(picture, ".png")
    return table


def measure_universal(material: Material) -> Table:
    """Table 5.2, and which model is to be recommended for each number of players."""
    games = _play_networks(material, dict.fromkeys(COUNTS, UNIVERSAL))
    table = compare("5.2", "the model for all numbers of players", games)
    others = _play_networks(material, {count: specific(count) for count in COUNTS})
    rows, remarks = _recommend(games, others)
    table.rows.extend(rows)
    table.remarks.update(remarks)
    table.notes.append(
        "The last rows: how many points more the universal model makes, as the recommendations of"
        " section 5.3 compare them; a recommendation is open if 0 lies in the interval."
    )
    return table


def make_rule_player(reading: str) -> Player:
    """The rule player with a *reading* of Łabno's description, for tables of any size."""
    return make_player(f"rule:{reading}", make_game(GAME))


def play_counts(
    material: Material, choose: Callable[[int], Player], games: int = GAMES
) -> dict[int, MirrorResult]:
    """Games of each number of players; *choose* tells who takes all seats."""
    games = material.settings.scaled(games, least=10)
    with make_executor(None, material.workers) as executor:
        return {
            count: play_mirror(
                make_game(GAME, seats=count),
                choose(count),
                games=games,
                seed=MIRROR_SEED + count,
                executor=executor,
            )
            for count in COUNTS
        }


def compare(name: str, title: str, players: Sequence[Games], suffix: str = "") -> Table:
    """A table of the published form, from the games of one player or of several bred alike.

    Its name is that of the published one and the *suffix*.
    """
    rows, remarks = [], {}
    for measure in MEASURES.values():
        cells = {column: read_cell(name, measure.published, column) for column in (*COUNTS, ALL)}
        if measure.published and all(cell.printed is None for cell in cells.values()):
            continue
        for column, cell in cells.items():
            results = [_column(games, column) for games in players]
            estimates = [measure.estimate(result, games_of(name, column)) for result in results]
            estimates = [some for some in estimates if not math.isnan(some.value)]
            if estimates:
                most = games_of(name, column) if measure.title in ENDINGS else math.inf
                ours = combine(estimates, most)
                place = name + suffix, measure.title, column_name(column)
                row, remarks[place[1:]] = compare_cell(place, cell, ours)
                rows.append(row)
    notes = [READ, AGREES, EXTREMES]
    return Table(name + suffix, title, rows, remarks, notes)


def compare_cell(place: tuple[str, str, str], cell: Cell, ours: Estimate) -> tuple[Row, str]:
    """The row at a *place* (table, row, column), and the remark."""
    printed = None if cell.printed is None else round(cell.printed, 4)
    row = Row(*place, printed, ours.value, ours.low, ours.high, ours.games)
    words = [] if cell.corrected is None else [f"by the logs {cell.corrected:g}"]
    if cell.value is not None:
        apart = "lower here" if ours.value < cell.value else "higher here"
        words.append("agrees" if ours.agrees(cell.value) else apart)
    return row, "; ".join(words)


def _column(games: Games, column: str | int) -> MirrorResult:
    return pool(list(games.values())) if column == ALL else games[int(column)]


def _play_networks(material: Material, names: Mapping[int, str]) -> list[dict[int, MirrorResult]]:
    """The games of the networks of each seed; *names* are their settings by number of players."""
    runs = {count: trained(material, name) for count, name in names.items()}
    return [
        play_counts(material, _champions({count: some[seed] for count, some in runs.items()}))
        for seed in range(material.settings.seeds)
    ]


def _champions(runs: Mapping[int, Run]) -> Callable[[int], Player]:
    return lambda count: runs[count].champion


def _recommend(
    universal: Sequence[Games], specific: Sequence[Games]
) -> tuple[list[Row], dict[tuple[str, str], str]]:
    """How many points more the universal model makes, for each number of players."""
    rows, remarks = [], {}
    for count in COUNTS:
        ours, theirs = (_known_mean(model, count) for model in (universal, specific))
        if ours is None or theirs is None:
            continue
        half = math.hypot(ours.high - ours.value, theirs.high - theirs.value)
        value = ours.value - theirs.value
        games = ours.games + theirs.games
        title, column = "universal minus specific", column_name(count)
        ends = value - half, value + half
        rows.append(Row("5.2", title, column, RECOMMENDED[count], value, *ends, games))
        better = "universal" if ends[0] > 0 else "specific" if ends[1] < 0 else "open"
        remarks[title, column] = f"recommended: {better}"
    return rows, remarks


def _known_mean(players: Sequence[Games], count: int) -> Estimate | None:
    """The mean points with so many players, of those networks that completed a game."""
    published = games_of("5.2", count)
    means = [MEASURES["mean"].estimate(games[count], published) for games in players]
    known = [mean for mean in means if not math.isnan(mean.value)]
    return combine(known) if known else None


def _published_ranges() -> dict[str, dict[int, tuple[float, float, float]]]:
    """By model and number of players, the published minimum, mean and maximum."""
    rows = [MEASURES[name].published for name in ("minimum", "mean", "maximum")]
    ranges: dict[str, dict[int, tuple[float, float, float]]] = {}
    for model, table in (("specific", "5.1"), ("universal", "5.2")):
        ranges[model] = {}
        for count in COUNTS:
            low, mean, high = (read_cell(table, row, count).value or math.nan for row in rows)
            ranges[model][count] = low, mean, high
    return ranges


def _with_figure(table: Table, figure: str, who: str, players: Sequence[Games]) -> Table:
    """Adds the histograms as a picture, and their numbers as a grid."""
    from evolve_arena.runs.plots.style import render

    results = {count: pool([games[count] for games in players]) for count in COUNTS}
    picture = draw_points(f"Figures {figure}: points of {who}", results)
    table.files[f"figure-{figure}.png"] = render(picture, ".png")
    table.grids.append(_histogram(results))
    return table


def _histogram(results: Games) -> Grid:
    rows = []
    for low in range(-20, 200, 10):
        shares = [
            np.sum((result.points >= low) & (result.points < low + 10)) / max(1, len(result.points))
            for result in results.values()
        ]
        if any(shares):
            rows.append([f"{low} to {low + 9}", *(f"{100 * share:.2f}" for share in shares)])
    return Grid(
        "How many of 100 seats have so many points", ["points", *map(column_name, results)], rows
    )
