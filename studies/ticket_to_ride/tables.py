"""The tables of ``ticket-to-ride`` about games of one kind of player.

These are 3.1, 4.3, 5.1 and 5.2, 6.1 of a network while it learns, and the rule player's readings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.self_play import MirrorResult, play_mirror, pool
from evolve_arena.arena.statistics import Z_95
from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride.options import OPTIONS
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.many.parallel_runs import watch_parts
from evolve_arena.runs.run import Run
from evolve_arena.studies.study import Grid, Material, Row, Table, judge_interval
from evolve_arena.studies.ticket_to_ride.chart import draw_points, draw_progress, draw_ranges
from evolve_arena.studies.ticket_to_ride.imitation import DecisionImitation
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
from evolve_arena.studies.ticket_to_ride.plan import ITERATIONS, PROOF, UNIVERSAL, specific

GAME = "ticket-to-ride"
GAMES = 10_000
"""Number of games of each number of players that a column is measured on."""
MIRROR_SEED = 20180912
ENDINGS = ("completed games", "forbidden moves")
"""Rows that count games."""
RECOMMENDED = {2: "universal", 3: "specific", 4: "specific", 5: "universal"}
"""Model that section 5.3 recommends, by number of players."""

Games = Mapping[int, MirrorResult]
"""Games of a player against itself, by number of players."""

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
    """Measure table 3.1, with figures 3.3 to 3.5."""
    games = [play_counts(material, dict.fromkeys(COUNTS, make_rule_player("code")))]
    table = compare("3.1", "the rule player, all seats", games)
    table.notes.append(
        "Measured is the reading `code`, the program's last form, of which the published points"
        " are; the table `readings` has the others. The printed tickets are of other games, in"
        " which routes of five trains counted as long; those games were logged as result_10, done"
        "_10 and fail_10, and the games of the printed points as result_10nn, done_10nn and"
        " fail_10nn."
    )
    return _add_figure(table, "3.3-3.5", "the rule player", games)


def measure_network(material: Material, optimiser: str = "") -> Table:
    """Measure table 4.3, with figures 4.1 to 4.3; *optimiser* is the suffix of the setting."""
    games = _play_networks(material, dict.fromkeys(COUNTS, UNIVERSAL + optimiser))
    table = compare("4.3", "the imitating network, all seats", games, optimiser)
    table.notes.append(
        "Games that a forbidden move ended count for nothing else. The published columns are of"
        " 250, 250, 240 and 260 games."
    )
    return _add_figure(table, f"4.1-4.3{optimiser}", "the imitating network", games)


def measure_specific(material: Material) -> Table:
    """Measure table 5.1, with figure 5.1."""
    games = _play_networks(material, {count: specific(count) for count in COUNTS})
    table = compare("5.1", "models for one number of players", games)
    other = _play_networks(material, dict.fromkeys(COUNTS, UNIVERSAL))
    models = {"specific": games, "universal": other}
    picture = draw_ranges("Figure 5.1: ranges of points", models, _published_ranges())
    table.add_picture("figure-5.1", picture)
    return table


def measure_universal(material: Material) -> Table:
    """Measure table 5.2, and the model to recommend for each number of players."""
    games = _play_networks(material, dict.fromkeys(COUNTS, UNIVERSAL))
    table = compare("5.2", "the model for all numbers of players", games)
    others = _play_networks(material, {count: specific(count) for count in COUNTS})
    table.rows.extend(_recommend(games, others))
    table.notes.append(
        "The last rows: how many points more the universal model makes, as the recommendations of"
        " section 5.3 compare them; a recommendation is open if 0 lies in the interval."
    )
    return table


def make_rule_player(reading: str) -> Player:
    """Return the rule player with a *reading* of Łabno's description, for any number of players."""
    return make_player(f"rule:{reading}", make_game(GAME))


def play_counts(
    material: Material, players: Mapping[int, Player], games: int = GAMES
) -> dict[int, MirrorResult]:
    """Play games of each number of players, all seats taken by the same player.

    Args:
        material: Scale of the study, and processes that play.
        players: By number of players, the player that takes all seats.
        games: Games of each number of players, before they are multiplied by the scale.
    """
    games = material.settings.scaled(games, least=10)
    with make_executor(None, material.workers) as executor:
        return {
            count: play_mirror(
                make_game(GAME, seats=count),
                player,
                games=games,
                seed=MIRROR_SEED + count,
                executor=executor,
            )
            for count, player in players.items()
        }


def compare(name: str, title: str, players: Sequence[Games], suffix: str = "") -> Table:
    """Return a table of the published form, from the games of one player or of several.

    Args:
        name: Number of the published table, such as ``3.1``.
        title: Title of the table.
        players: Games of each player, by number of players.
        suffix: End of our table's name, where several are compared with the same published one.
    """
    rows = []
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
                rows.append(compare_cell(place, cell, ours))
    return Table(name + suffix, title, rows, [READ, AGREES, EXTREMES])


def compare_cell(place: tuple[str, str, str], cell: Cell, ours: Estimate) -> Row:
    """Return the row at a *place* (table, row, column), with a remark.

    Args:
        place: Table, row and column of our number.
        cell: Published number, and its correction by the logs.
        ours: Measured number and its interval.
    """
    printed = None if cell.printed is None else round(cell.printed, 4)
    words = [] if cell.corrected is None else [f"by the logs {cell.corrected:g}"]
    if cell.value is not None:
        apart = "lower here" if ours.value < cell.value else "higher here"
        words.append("agrees" if ours.agrees(cell.value) else apart)
    return Row(*place, printed, ours.value, ours.low, ours.high, ours.games, "; ".join(words))


def _column(games: Games, column: str | int) -> MirrorResult:
    return pool(list(games.values())) if column == ALL else games[int(column)]


def _play_networks(material: Material, names: Mapping[int, str]) -> list[dict[int, MirrorResult]]:
    """Play games of each seed's networks; *names* are their settings by number of players."""
    runs = {count: material.list_runs(name) for count, name in names.items()}
    return [
        play_counts(material, {count: some[seed].champion for count, some in runs.items()})
        for seed in range(material.settings.seeds)
    ]


def _recommend(universal: Sequence[Games], specific: Sequence[Games]) -> list[Row]:
    """Return rows of the universal model's lead in points, for each number of players."""
    rows = []
    for count in COUNTS:
        ours, theirs = (_known_mean(model, count) for model in (universal, specific))
        if ours is None or theirs is None:
            continue
        half = math.hypot(ours.high - ours.value, theirs.high - theirs.value)
        value = ours.value - theirs.value
        ends = value - half, value + half
        better = judge_interval(*ends, "universal", "specific", "open")
        column, games = column_name(count), ours.games + theirs.games
        values = RECOMMENDED[count], value, *ends, games, f"recommended: {better}"
        rows.append(Row("5.2", "universal minus specific", column, *values))
    return rows


def _known_mean(players: Sequence[Games], count: int) -> Estimate | None:
    """Return the mean points with *count* players, over those networks that completed a game."""
    published = games_of("5.2", count)
    means = [MEASURES["mean"].estimate(games[count], published) for games in players]
    known = [mean for mean in means if not math.isnan(mean.value)]
    return combine(known) if known else None


def _published_ranges() -> dict[str, dict[int, tuple[float, float, float]]]:
    """Return the published minimum, mean and maximum, by model and number of players."""
    rows = [MEASURES[name].published for name in ("minimum", "mean", "maximum")]
    ranges: dict[str, dict[int, tuple[float, float, float]]] = {}
    for model, table in (("specific", "5.1"), ("universal", "5.2")):
        ranges[model] = {}
        for count in COUNTS:
            low, mean, high = (read_cell(table, row, count).value or math.nan for row in rows)
            ranges[model][count] = low, mean, high
    return ranges


def _add_figure(table: Table, figure: str, who: str, players: Sequence[Games]) -> Table:
    """Add the histograms as a picture, and their numbers as a grid."""
    results = {count: pool([games[count] for games in players]) for count in COUNTS}
    picture = draw_points(f"Figures {figure}: points of {who}", results)
    table.add_picture(f"figure-{figure}", picture)
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
    return Grid("Seats of 100 with this many points", ["points", *map(column_name, results)], rows)


PROOF_GAMES = 2500
"""Games with each number of players, after each iteration."""
PUBLISHED_GAMES, PUBLISHED_SEATS, PRINTED = 240, 840, 5
"""Games (60 of each number of players) and seats behind the numbers of an iteration, and number of
iterations that were printed."""
EXAMINED = 100
"""Number of random rows on which loss and accuracy were measured (section 6.2)."""
NOT_HIS = " The optimiser is Adam; the table `6.1-adagrad` has his."

LOSS, ACCURACY, FINISHED = "loss", "accuracy", "seats that finished"
ROWS = {
    LOSS: "Srednie odchylenie od próbki",
    ACCURACY: "Srednia pewnosc klasyfikacji",
    "forbidden moves": "Liczba gier zakończonych przerwaniem (ruchem zabronionym)",
    "maximum": "Maksymalna liczba punktów",
    "minimum": "Minimalna liczba punktów",
    FINISHED: "Liczba graczy która ukończyła rozgrywki",
    "mean": "Srednia zdobycz punktowa",
    "rounds": "Srednia liczba tur potrzebnych do zakonczenia rozgrywki",
    "tickets done": "Srednia liczba ukonczonych biletów",
    "tickets failed": "Srednia liczba nieukonczonych biletów",
}
"""Published names of the rows of table 6.1, by our names."""
MOST = {ACCURACY: 1.0, "forbidden moves": PUBLISHED_GAMES, FINISHED: PUBLISHED_SEATS}
"""Upper bounds of the numbers in some rows."""


@dataclass(frozen=True)
class _Stage:
    """The measurements of a network after an iteration."""

    games: MirrorResult
    loss: Estimate
    accuracy: Estimate

    def estimate(self, row: str) -> Estimate:
        """Return the estimate of a *row*."""
        if row in (LOSS, ACCURACY):
            return self.loss if row == LOSS else self.accuracy
        if row == FINISHED:
            share = float(self.games.counted.sum() / (self.games.pairings >= 0).sum())
            ended = MEASURES["completed games"].estimate(self.games, PUBLISHED_SEATS)
            value = PUBLISHED_SEATS * share
            low, high = value + ended.low - ended.value, value + ended.high - ended.value
            return Estimate(value, low, high, ended.scatter, ended.games)
        return MEASURES[row].estimate(self.games, PUBLISHED_GAMES)


def measure_proof(material: Material, optimiser: str = "") -> Table:
    """Measure table 6.1, continued to the tenth iteration, with figure 6.1.

    *optimiser* is the suffix of the names of the setting and the table.
    """
    runs = material.list_runs(PROOF + optimiser)
    name = f"6.1{optimiser}"
    stages = [
        [_examine(material, run, iteration) for run in runs] for iteration in range(ITERATIONS + 1)
    ]
    rows = []
    for title, theirs in ROWS.items():
        for iteration, some in enumerate(stages):
            estimates = [stage.estimate(title) for stage in some]
            estimates = [estimate for estimate in estimates if not math.isnan(estimate.value)]
            if estimates:
                ours = combine(estimates, MOST.get(title, math.inf))
                cell = read_cell("6.1", theirs, iteration)
                place = name, title, f"iteration {iteration}"
                rows.append(compare_cell(place, cell, ours))
    drawn = ("mean", "maximum", "minimum", "loss")
    measured = {title: [_value(title, some) for some in stages] for title in drawn}
    picture = draw_progress(
        "Figure 6.1: points while a network learns",
        measured,
        {title: [_published(title, place) for place in range(PRINTED)] for title in drawn},
    )
    table = Table(
        name=name,
        title="a network while it learns",
        rows=rows,
        notes=[
            f"An iteration is {runs[0].recipe.method['batches']:,} steps of 100 rows. After each,"
            f" {stages[0][0].games.games // len(COUNTS):,} games of each number of players are"
            " played; forbidden moves, seats that finished and extremes are given for as many games"
            " as the publication has, 240. Where no game is completed there are no points.",
            f"Loss (natural logarithm) and accuracy are means over the {stages[0][0].loss.games:,}"
            f" rows that are learnt, which the column of games counts there. Published are those of"
            f" {EXAMINED} random rows, which the remarks allow for."
            + ("" if optimiser else NOT_HIS),
        ],
    )
    table.add_picture(f"figure-{name}", picture)
    return table


def _examine(material: Material, run: Run, iteration: int) -> _Stage:
    """Play games of the network as it was after an *iteration*, and measure what it has learnt."""
    method = run.method
    assert isinstance(method, DecisionImitation)
    genome = run.state(iteration).population[0]
    player = method.decoder.player(genome, f"{run.path.name}@{iteration}")
    results = play_counts(material, dict.fromkeys(COUNTS, player), PROOF_GAMES)
    rows, _ = method.find_rows(run.recipe.run.seed)
    chances = method.find_chances(genome, rows)
    right = chances[np.arange(len(rows)), rows.kinds]
    return _Stage(
        pool(list(results.values())),
        _estimate_mean(-np.log(np.maximum(right, 1e-12))),
        _estimate_mean((chances.argmax(axis=1) == rows.kinds).astype(np.float64)),
    )


def _estimate_mean(values: NDArray[np.float64]) -> Estimate:
    """Return the mean over all rows, with the scatter of a mean over :data:`EXAMINED` rows."""
    value = float(values.mean())
    scatter = Z_95 * float(values.std()) / math.sqrt(EXAMINED)
    return Estimate(value, value, value, scatter, len(values))


def _value(title: str, some: Sequence[_Stage]) -> float:
    values = [stage.estimate(title).value for stage in some]
    known = [value for value in values if not math.isnan(value)]
    return fmean(known) if known else math.nan


def _published(title: str, iteration: int) -> float:
    value = read_cell("6.1", ROWS[title], iteration).value
    return math.nan if value is None else value


TUNING_GAMES = 250
NOT_VARIED = "players", "goal_count", "blocks"
"""Options that affect features of networks only, and the one that is no reading of the text."""
LONG_5 = "code,long=5"
LOGGED = {2: (92.94, 20.01), 3: (86.74, 17.87), 4: (86.27, 17.97), 5: (83.02, 18.44)}
"""Mean and standard deviation of the games that Łabno logged as result_10: not printed, but the
tickets of table 3.1 are theirs."""
NEAR_MEAN, NEAR_DEVIATION = 2.0, 3.0
"""Largest distance from the published numbers at which a reading could be Łabno's."""


def measure_readings(material: Material) -> Table:
    """Measure mean and deviation of points for ``text``, ``code``, and each option changed."""
    rows, lines = [], []
    watched = material.folder, material.progress
    for reading in watch_parts(list_readings(), "readings", *watched):
        games = play_counts(material, dict.fromkeys(COUNTS, make_rule_player(reading)))
        near = _is_near(reading, games)
        said = "near for all numbers of players" if near else ""
        rows += [_row(reading, count, games[count], said * (count == COUNTS[0])) for count in games]
        lines.append([reading, *map(_report, games.values()), "yes" if near else ""])
    title = "Mean ± standard deviation, tickets done/failed, and whether the reading is near"
    return Table(
        name="readings",
        title="mean points of the rule player, by reading",
        rows=rows,
        notes=[
            "Published beside `code` are the means of table 3.1 (by the logs), beside"
            f" `{LONG_5}` those of the games logged as result_10, whose tickets are printed in"
            " table 3.1.",
            "Each other reading differs from `text` or `code` in one option; see"
            " `games/ticket_to_ride/options.py` for their meaning.",
            f"A reading is near if for every number of players the mean is within {NEAR_MEAN:g} and"
            f" the standard deviation within {NEAR_DEVIATION:g} of the published one.",
        ],
        grids=[Grid(title, ["reading", *map(column_name, COUNTS), "near"], lines)],
    )


def list_readings() -> list[str]:
    """Return ``code`` and ``text``, and each of them with one option changed."""
    return [*_vary("code"), *_vary("text")]


def _vary(base: str) -> Iterator[str]:
    yield base
    for option in OPTIONS:
        if option.name not in NOT_VARIED:
            other = 1 - option.code if base == "code" else 1
            yield f"{base},{option.name}={option.values[other]}"


def _row(reading: str, count: int, result: MirrorResult, remark: str) -> Row:
    known = _published_reading(reading, count)[0] if reading in ("code", LONG_5) else None
    mean = MEASURES["mean"].estimate(result, TUNING_GAMES)
    values = known, mean.value, mean.low, mean.high, mean.games, remark
    return Row("readings", reading, column_name(count), *values)


def _report(result: MirrorResult) -> str:
    tickets = f"{result.mean_of('tickets_done'):.2f}/{result.mean_of('tickets_failed'):.2f}"
    return f"{result.mean:.2f} ± {result.deviation:.2f}, {tickets}"


def _is_near(reading: str, games: Mapping[int, MirrorResult]) -> bool:
    return all(
        abs(result.mean - mean) <= NEAR_MEAN and abs(result.deviation - deviation) <= NEAR_DEVIATION
        for count, result in games.items()
        for mean, deviation in [_published_reading(reading, count)]
    )


def _published_reading(reading: str, count: int) -> tuple[float, float]:
    if reading == LONG_5:
        return LOGGED[count]
    values = [
        read_cell("3.1", MEASURES[name].published, count).value
        for name in ("mean", "standard deviation")
    ]
    return values[0] or 0.0, values[1] or 0.0
