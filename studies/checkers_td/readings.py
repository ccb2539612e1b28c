"""Readings of Piotrowski's text, each tried by training fourteen players and a tournament of them.

The text leaves open the search depth, the learning rate, the number of games, and the rule for
draws. A reading assumes a value for each. Players 15 and 16, whose depth is known and takes most of
the time, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from evolve_arena.arena.executors import Executor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.files import explain_storage_errors, write_whole
from evolve_arena.studies.checkers_td.claims import CLAIMS
from evolve_arena.studies.checkers_td.fit import Fit, measure_fit, spearman_interval
from evolve_arena.studies.checkers_td.games import (
    FOLDER,
    Meeting,
    Series,
    fingerprint,
    play_series,
)
from evolve_arena.studies.checkers_td.plan import (
    Reading,
    estimate_cost,
    make_beginners,
    read_scores,
    recipe_name,
)
from evolve_arena.studies.checkers_td.published import (
    Crosstable,
    Score,
    join_rounds,
    mean_points,
    meet,
    read_published,
)
from evolve_arena.studies.checkers_td.td_linear import (
    Participants,
    make_meetings,
    read_weights,
)
from evolve_arena.studies.checkers_td.tournaments import GAMES
from evolve_arena.studies.study import Grid, Material, Row, Settings, Table

NUMBERS = tuple(range(1, 15))
"""Numbers of the participants."""
PAIRINGS = sorted(
    ((first, second) for first in NUMBERS for second in NUMBERS if first != second),
    key=lambda pair: 11 not in pair,
)
"""First and second player of each meeting. Player 11, which is slowest, comes first: long meetings
must not be left for the end."""
STEP = 100
"""Games of each player against itself between two calls of the progress function."""
SHORT, LONG = 500, 2000
"""Games of training after which the tournament is played."""
TABLES = ("5.8", "5.9")
NOTES = [
    "Players 1 to 14, trained anew for each reading and seed, play the tournament without learning."
    " Rates are a tenth of the recipes', times what is said. Players 15 and 16 look seven plies"
    " ahead in any reading, and stay out.",
    "Gain: log-likelihood of a published cell (natural logarithm, mean over cells) above that if"
    " all players were equals, once our shares, drawn towards one half as far as fits best, are"
    " known. 0 means no information. The interval leaves out one player at a time"
    " (jackknife). By chance: 95 of 100 tables whose players have exchanged names gain less.",
    "A reading is chosen by its gain on table 5.8 alone. The games are also compared with table"
    " 5.9, which is of the same published players, but not used to choose.",
    "Cells inside: published points in the 95 % range of ten more games of ours, if"
    " nobody trained anew. Players trained anew differ by more, so that fewer than 95 % can be"
    " expected.",
    "Weights lost: times that a player's diverged in 100 games of training; it"
    " continues with the previous ones.",
]


@dataclass(frozen=True)
class Variant:
    """A reading, and the settings of its trial."""

    reading: Reading
    lengths: tuple[int, ...] = (SHORT, LONG)
    most_seeds: int = 3
    """Most seeds; fewer for deep searches: five plies take fifty times as long as one ply."""

    @property
    def steps(self) -> list[int]:
        """Games of training of each step; 0 for the tournament."""
        steps: list[int] = []
        for before, length in zip((0, *self.lengths), self.lengths, strict=False):
            steps += [STEP] * ((length - before) // STEP) + [0]
        return steps

    def seeds(self, settings: Settings) -> int:
        """Return the number of seeds with which the reading is tried."""
        return min(settings.seeds, self.most_seeds)


@dataclass(frozen=True)
class Result:
    """The tournament of one reading after some games of training."""

    reading: Reading
    length: int
    """Number of games that each player has learned from."""
    tables: list[Crosstable]
    """Crosstables seed by seed."""
    lost: int
    """Number of times that weights diverged, so that a player continued with the previous ones."""

    @property
    def name(self) -> str:
        """Name such as ``depth 3, rates x 3, 500 games``."""
        return f"{self.reading.name}, {self.length} games"

    @property
    def total(self) -> Score:
        """Sum of the scores of all cells, over all seeds."""
        return sum((score for table in self.tables for score in table.values()), Score())


def list_variants() -> list[Variant]:
    """Return all readings, those that take longest last."""
    shallow = [Reading(depth, rate) for depth in (1, 2, 3) for rate in (1.0, 3.0, 10.0)]
    for depth, rate in ((1, 3.0), (3, 10.0)):
        shallow += [Reading(depth, rate, draws) for draws in ("forty-moves", "pieces")]
        shallow.append(Reading(depth, rate, states="before"))
    shallow.sort(key=lambda reading: reading.depth)
    variants = [Variant(reading) for reading in shallow]
    for depth, most in ((4, 2), (5, 1)):
        variants.append(Variant(Reading(depth), most_seeds=most))
        more = Reading(depth, 3.0), Reading(depth, 10.0), Reading(depth, 10.0, "forty-moves")
        variants += [Variant(reading, (SHORT,), most) for reading in more]
    return variants


def measure_readings(material: Material) -> Table:
    """Measure how well the tournament of each reading predicts the published ones."""
    return tell_readings(play_variants(material, list_variants()))


def tell_readings(results: Sequence[Result]) -> Table:
    """Make the table: rows and a grid on the fit of each reading, and a grid of the conclusions."""
    published = {name: _without_others(join_rounds(read_published(name))) for name in TABLES}
    fits = [
        {name: measure_fit(cells, result.tables) for name, cells in published.items()}
        for result in results
    ]
    best = max(range(len(results)), key=lambda place: fits[place]["5.8"].gain)
    rows = []
    for place, (result, fit) in enumerate(zip(results, fits, strict=True)):
        rows += _make_rows(result, fit, "; fits best" if place == best else "")
    yardstick = measure_fit(published["5.8"], [published["5.9"]])
    return Table(
        name="readings",
        title="readings of details that the text leaves open, and their fit",
        rows=rows,
        notes=[*NOTES, _tell_yardstick(yardstick), f"Of {len(results)} readings"
               f" {results[best].name} fits table 5.8 best."],
        grids=[_make_fit_grid(results, fits), _make_claims_grid(results, published["5.8"])],
    )  # fmt: skip


def _make_rows(result: Result, fits: Mapping[str, Fit], best: str) -> list[Row]:
    games = result.total.games
    rows = []
    for name, fit in fits.items():
        said = f"{fit.inside} of {fit.cells} cells inside{best}" if name == "5.8" else ""
        gain = None, fit.gain, fit.low, fit.high, games, said
        ends = spearman_interval(fit.spearman, len(NUMBERS))
        rows += [
            Row("readings", result.name, f"gain, {name}", *gain),
            Row("readings", result.name, f"Spearman, {name}", None, fit.spearman, *ends, games),
        ]
    return rows


def _make_fit_grid(results: Sequence[Result], fits: Sequence[Mapping[str, Fit]]) -> Grid:
    columns = ["reading", "seeds", *(f"gain, {name}" for name in TABLES), "gain by chance, 5.8"]
    columns += [f"Spearman, {name}" for name in TABLES]
    columns += ["cells inside, 5.8", "by chance", "drawn", "weights lost"]
    lines = []
    for result, fit in zip(results, fits, strict=True):
        one, two = (fit[name] for name in TABLES)
        total = result.total
        cells = [
            *(f"{one.gain:.3f}", f"{two.gain:.3f}", f"{one.chance:.3f}"),
            *(f"{one.spearman:.2f}", f"{two.spearman:.2f}"),
            *(str(one.inside), f"{one.inside_chance:.0f}"),
            *(f"{total.draws / total.games:.3f}", str(result.lost)),
        ]
        lines.append([result.name, str(len(result.tables)), *cells])
    return Grid(f"Fit of readings, {fits[0]['5.8'].cells} cells of table 5.8", columns, lines)


def _make_claims_grid(results: Sequence[Result], published: Crosstable) -> Grid:
    """Return a grid of the conclusions about these players and table 5.8."""
    claims = [
        claim
        for claim in CLAIMS
        if "5.8" in claim.tables and {*claim.heroes, *claim.others} <= {*NUMBERS}
    ]
    shares = [meet(published, claim.heroes, claim.others).share for claim in claims]
    lines = [["published", *(f"{share:.2f}" for share in shares)]]
    for result in results:
        line = [result.name]
        for claim in claims:
            scores = [meet(table, claim.heroes, claim.others) for table in result.tables]
            share, low, high, _ = mean_points(scores)
            line.append(f"{share:.2f} {claim.judge(low, high)}")
        lines.append(line)
    title = "Points of the player named first, and the verdict on the conclusion"
    return Grid(title, ["reading", *(claim.label for claim in claims)], lines)


def _tell_yardstick(fit: Fit) -> str:
    return (
        "As a yardstick, the published table 5.9, taken for one more reading, gains"
        f" {fit.gain:.3f} on table 5.8, with a rank correlation of {fit.spearman:.2f} and"
        f" {fit.inside} of {fit.cells} cells inside: more can hardly be expected."
    )


def _without_others(cells: Crosstable) -> Crosstable:
    return {pair: score for pair, score in cells.items() if {*pair} <= {*NUMBERS}}


# The games


def play_variants(material: Material, variants: Sequence[Variant]) -> list[Result]:
    """Play all variants, and return a result for each variant and number of training games."""
    all_series = [
        [
            _make_series(material, variant, seed)
            for seed in range(1, variant.seeds(material.settings) + 1)
        ]
        for variant in variants
    ]
    played = iter(play_series(material, [series for some in all_series for series in some]))
    results = []
    for variant, some in zip(variants, all_series, strict=True):
        seeds = [next(played) for _ in some]
        for length in variant.lengths:
            at = [place for place, step in enumerate(variant.steps) if step == 0]
            end = at[variant.lengths.index(length)]
            tables: list[Crosstable] = [
                dict(zip(PAIRINGS, steps[end].rounds, strict=True)) for steps in seeds
            ]
            lost = sum(meeting.lost for steps in seeds for meeting in steps[:end])
            results.append(Result(variant.reading, length, tables, lost))
    return results


def _make_series(material: Material, variant: Variant, seed: int) -> Series:
    """Return the series of a variant with one seed, whose meetings are the variant's steps.

    A step of training has no rounds; a tournament has one for each pairing.
    """
    recipes = [variant.reading.apply(load_recipe(recipe_name(number))) for number in NUMBERS]
    participants = make_beginners(recipes, [seed] * len(recipes))
    step = material.settings.scaled(STEP, least=1)
    games = material.settings.scaled(GAMES, least=1)
    draws = variant.reading.draws
    identity = fingerprint(participants.identity, draws, str(variant.steps), seed, step, games)
    name = re.sub("[^a-z0-9.]+", "-", f"reading {variant.reading.name} seed {seed}")
    path = material.folder / FOLDER / f"{name}.safetensors" if material.folder else None
    costs = [estimate_cost(r.network["depth"], r.network["features"]) for r in recipes]
    slowest_first = np.argsort(costs)[::-1].astype(np.int32)
    trainee = _Trainee(participants, variant, seed, (step, games), slowest_first, path, identity)
    training, tournament = step * sum(costs), games * len(PAIRINGS) * fmean(costs)
    weights = tuple(training if length else tournament for length in variant.steps)
    return Series(name, weights, identity, trainee.play, at_a_time=1)


@dataclass
class _Trainee:
    """The players of a variant and one seed, and the step that they have reached.

    Their weights are stored in a file after each step. Without that file they are trained anew up
    to the requested step, with the same result.
    """

    beginners: Participants
    variant: Variant
    seed: int
    games: tuple[int, int]
    """Games of each player in a step of training, and of each pairing in the tournament."""
    order: NDArray[np.int32]
    """Rows of the players in the order in which they train."""
    path: Path | None
    identity: str

    def __post_init__(self) -> None:
        self._participants, self._at = self.beginners, 0

    def play(self, numbers: Sequence[int], executor: Executor) -> list[Meeting]:
        """Play the steps with these consecutive *numbers*."""
        meetings = []
        for number in numbers:
            if self._at != number:
                self._read(number)
            while self._at < number:
                self._advance(executor)
            meetings.append(self._advance(executor))
            self._write()
        return meetings

    def _advance(self, executor: Executor) -> Meeting:
        """Play the next step: all players train alone, or the tournament is played."""
        trains, players, at = self.variant.steps[self._at] > 0, self._participants, self._at
        if trains:
            pairs = np.stack([self.order, self.order], axis=1)
            seeds = derive_seeds(self.seed, at, "reading", len(NUMBERS))[self.order]
        else:
            pairs = np.array(PAIRINGS, dtype=np.int32) - NUMBERS[0]
            seeds = derive_seeds(self.seed, at, "reading-tournament", len(pairs))
            players = players.without_exploration()
        games, draws = self.games[0 if trains else 1], self.variant.reading.draws
        work = make_meetings(players, pairs, seeds, games=games, learn=trains, draws=draws)
        outputs = executor.run(work)
        self._at += 1
        if not trains:
            return Meeting(tuple(read_scores(outputs[1])))
        weights = players.weights.copy()
        weights[self.order] = read_weights(outputs)[:, 0]
        self._participants, lost = players.keep_learned(weights)
        return Meeting((), int(lost.sum()))

    def _read(self, number: int) -> None:
        """Read the weights of step *number* from the file, if they are of this variant."""
        self._participants, self._at = self.beginners, 0
        if self.path is None:
            return
        with explain_storage_errors(self.path):
            content = self.path.read_bytes() if self.path.is_file() else b""
        try:
            kept = load(content).get(f"{self.identity}-{number}")
        except SafetensorError:  # incomplete
            return
        if kept is not None and kept.shape == self._participants.weights.shape:
            self._participants = replace(self._participants, weights=kept)
            self._at = number

    def _write(self) -> None:
        if self.path is None:
            return
        with explain_storage_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, save({f"{self.identity}-{self._at}": self._participants.weights}))
