"""Table 6.1 of ``ticket-to-ride``: what a network is worth while it learns, untrained at first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.mirror import MirrorResult, pool
from evolve_arena.arena.statistics import Z_95
from evolve_arena.games.ticket_to_ride.options import OPTIONS
from evolve_arena.players.player import Player
from evolve_arena.runs.run import Run
from evolve_arena.studies.study import Grid, Material, Row, Table
from evolve_arena.studies.ticket_to_ride.chart import draw_progress
from evolve_arena.studies.ticket_to_ride.imitation import DecisionImitation
from evolve_arena.studies.ticket_to_ride.measures import (
    COUNTS,
    MEASURES,
    Estimate,
    column_name,
    combine,
    read_cell,
)
from evolve_arena.studies.ticket_to_ride.plan import ITERATIONS, PROOF, trained
from evolve_arena.studies.ticket_to_ride.tables import compare_cell, make_rule_player, play_counts

GAMES = 2500
"""With each number of players, after each iteration."""
PUBLISHED_GAMES, PUBLISHED_SEATS, PRINTED = 240, 840, 5
"""Of each iteration 60 games of each number of players; five iterations were printed."""
EXAMINED = 100
"""Section 6.2: random rows of which loss and accuracy were measured."""
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
"""The rows of the table here, and what they are called in the publication."""
MOST = {ACCURACY: 1.0, "forbidden moves": PUBLISHED_GAMES, FINISHED: PUBLISHED_SEATS}
"""What numbers in some rows can't be above."""


@dataclass(frozen=True)
class _Stage:
    """A network after an iteration."""

    games: MirrorResult
    loss: Estimate
    accuracy: Estimate

    def estimate(self, row: str) -> Estimate:
        """What stands in a *row*."""
        if row in (LOSS, ACCURACY):
            return self.loss if row == LOSS else self.accuracy
        if row == FINISHED:
            share = float(self.games.counted.sum() / (self.games.seatings >= 0).sum())
            ended = MEASURES["completed games"].estimate(self.games, PUBLISHED_SEATS)
            value = PUBLISHED_SEATS * share
            low, high = value + ended.low - ended.value, value + ended.high - ended.value
            return Estimate(value, low, high, ended.scatter, ended.games)
        return MEASURES[row].estimate(self.games, PUBLISHED_GAMES)


def measure_proof(material: Material, optimiser: str = "") -> Table:
    """Table 6.1, continued to the tenth iteration, with figure 6.1.

    *optimiser* is the end of the setting's name, and of the table's.
    """
    from evolve_arena.runs.plots.style import render

    runs = trained(material, PROOF + optimiser)
    name = f"6.1{optimiser}"
    stages = [
        [_examine(material, run, iteration) for run in runs] for iteration in range(ITERATIONS + 1)
    ]
    rows, remarks = [], {}
    for title, theirs in ROWS.items():
        for iteration, some in enumerate(stages):
            estimates = [stage.estimate(title) for stage in some]
            estimates = [estimate for estimate in estimates if not math.isnan(estimate.value)]
            if estimates:
                ours = combine(estimates, MOST.get(title, math.inf))
                cell = read_cell("6.1", theirs, iteration)
                place = name, title, f"iteration {iteration}"
                row, remarks[place[1:]] = compare_cell(place, cell, ours)
                rows.append(row)
    drawn = ("mean", "maximum", "minimum", "loss")
    measured = {title: [_value(title, some) for some in stages] for title in drawn}
    picture = draw_progress(
        "Figure 6.1: points while a network learns",
        measured,
        {title: [_published(title, place) for place in range(PRINTED)] for title in drawn},
    )
    return Table(
        name=name,
        title="a network while it learns",
        rows=rows,
        remarks=remarks,
        notes=[
            f"An iteration is 100 steps of 100 rows. After each, {GAMES:,} games of each number of"
            " players; forbidden moves, seats that finished and extremes are given for as many"
            " games as the publication has, 240. Where no game is completed there are no points.",
            f"Loss (natural logarithm) and accuracy are means over the {stages[0][0].loss.games:,}"
            f" rows that are learnt, which the column of games counts there. Published are those of"
            f" {EXAMINED} random rows, which the remarks allow for."
            + ("" if optimiser else NOT_HIS),
        ],
        files={f"figure-{name}.png": render(picture, ".png")},
    )


def _examine(material: Material, run: Run, iteration: int) -> _Stage:
    """Plays games of the network as it was after an *iteration*, and looks at what it learnt."""
    method = run.method
    assert isinstance(method, DecisionImitation)
    genome = run.state(iteration).population[0]
    player = method.decoder.player(genome, f"{run.path.name}@{iteration}")
    results = play_counts(material, partial(_give, player), GAMES)
    rows, _ = method.find_rows(run.recipe.run.seed)
    chances = method.find_chances(genome, rows)
    right = chances[np.arange(len(rows)), rows.kinds]
    return _Stage(
        pool(list(results.values())),
        _estimate_mean(-np.log(np.maximum(right, 1e-12))),
        _estimate_mean((chances.argmax(axis=1) == rows.kinds).astype(np.float64)),
    )


def _estimate_mean(values: NDArray[np.float64]) -> Estimate:
    """The mean over all rows, and how far one of as many as were examined may lie off."""
    value = float(values.mean())
    scatter = Z_95 * float(values.std()) / math.sqrt(EXAMINED)
    return Estimate(value, value, value, scatter, len(values))


def _give(player: Player, count: int) -> Player:
    return player


def _value(title: str, some: Sequence[_Stage]) -> float:
    values = [stage.estimate(title).value for stage in some]
    known = [value for value in values if not math.isnan(value)]
    return fmean(known) if known else math.nan


def _published(title: str, iteration: int) -> float:
    value = read_cell("6.1", ROWS[title], iteration).value
    return math.nan if value is None else value


TUNING_GAMES = 250
ONLY_FEATURES = ("players", "goal_count")
"""Options that change nothing but features of networks."""
LONG_5 = "code,long=5"
LOGGED = {2: (92.94, 20.01), 3: (86.74, 17.87), 4: (86.27, 17.97), 5: (83.02, 18.44)}
"""Mean and standard deviation of the games that Łabno logged as result_10: not printed, but the
tickets of table 3.1 are theirs."""
NEAR_MEAN, NEAR_DEVIATION = 2.0, 3.0
"""A reading that is no farther from the published numbers than this could be Łabno's."""


def measure_readings(material: Material) -> Table:
    """Mean and deviation of points for ``text`` and ``code``, and each of them changed."""
    rows, remarks, lines = [], {}, []
    for reading in material.watch(list_readings(), "readings"):
        games = play_counts(material, partial(_give, make_rule_player(reading)))
        near = _is_near(reading, games)
        rows += [_row(reading, count, result) for count, result in games.items()]
        if near:
            remarks[reading, column_name(COUNTS[0])] = "near for all numbers of players"
        lines.append([reading, *map(_tell, games.values()), "yes" if near else ""])
    title = "Mean ± standard deviation, tickets done/failed, and whether the reading is near"
    return Table(
        name="readings",
        title="mean points of the rule player, by reading",
        rows=rows,
        remarks=remarks,
        notes=[
            "Published beside `code` are the means of table 3.1 (by the logs), beside"
            f" `{LONG_5}` those of the games logged as result_10, whose tickets are printed in"
            " table 3.1.",
            "Each other reading differs from `text` or `code` in one option; see"
            " `games/ticket_to_ride/options.py` for what they mean.",
            f"A reading is near if for every number of players the mean is within {NEAR_MEAN:g} and"
            f" the standard deviation within {NEAR_DEVIATION:g} of the published one.",
        ],
        grids=[Grid(title, ["reading", *map(column_name, COUNTS), "near"], lines)],
    )


def list_readings() -> list[str]:
    """``code`` and ``text``, and each of them with one option changed."""
    return [*_vary("code"), *_vary("text")]


def _vary(base: str) -> Iterator[str]:
    yield base
    for option in OPTIONS:
        if option.name not in ONLY_FEATURES:
            other = 1 - option.code if base == "code" else 1
            yield f"{base},{option.name}={option.values[other]}"


def _row(reading: str, count: int, result: MirrorResult) -> Row:
    known = _published_reading(reading, count)[0] if reading in ("code", LONG_5) else None
    mean = MEASURES["mean"].estimate(result, TUNING_GAMES)
    column = column_name(count)
    return Row("readings", reading, column, known, mean.value, mean.low, mean.high, mean.games)


def _tell(result: MirrorResult) -> str:
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
