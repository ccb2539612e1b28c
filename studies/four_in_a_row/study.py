"""The study ``four-in-a-row``: the six runs of Dragan and Izert (2016) and their claims.

According to their text each learning curve has 100 points; that of run 2 has 103. All of them are
used: its "last 50 points" are the points 54 to 103.

The publication does not say who moves first. Checks here balance colours; additional tables measure
the same champions, and the round robins of the populations, with the first move in every game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.intervals import Sample, mean_share, next_interval
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.method import State
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.board.scripted import ScriptedPlayer
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import CompiledPlayer, Player, make_random
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import History
from evolve_arena.studies.drawing import add_legend, draw_runs
from evolve_arena.studies.study import (
    Material,
    Row,
    Settings,
    Study,
    Table,
    TableKind,
    format_csv,
    judge_interval,
    read_lines,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAST = 50
"""Number of last points of a curve whose mean is its level."""
LEVEL, BEST = "mean of last 50 points", "best point"
NUMBERS = (1, 2, 3, 4, 5, 6)
EVERY = 10
"""Generations between two published points."""
FIRST = 5
"""Number of first checks, before much has been learnt."""
MATCHES = 99
"""Matches of an individual in the round robin of the population."""
WINS = f"wins in {MATCHES} duels"
SCRIPTED_GAMES = 10_000


_judge = partial(judge_interval, above="holds", below="fails", between="open")
"""Verdict on the claim that a difference is above 0, by its interval."""


def plan(settings: Settings) -> list[Job]:
    """Return the jobs of the six runs for each seed, ordered by seed."""
    jobs = []
    for seed in settings.each_seed:
        for number in NUMBERS:
            recipe = load_recipe(f"four-in-a-row-{number}")
            changes = {
                "run.seed": seed,
                "run.generations": settings.scaled(recipe.run.generations),
                "check.games": settings.scaled(recipe.check.games),
                "run.keep_every": 1,
            }
            jobs.append(Job(f"run-{number}-seed-{seed}", recipe.change(changes)))
    return jobs


def measure_curves(material: Material) -> Table:
    """Make the table of level and best point of each learning curve, and a picture of all."""
    return compare(
        "curves",
        "share of games won against the test bot",
        {
            number: [
                [Point(check.wins, check.games, check.generation) for check in run.checks()]
                for run in _runs(material, number)
            ]
            for number in NUMBERS
        },
        [
            "Run 2 has 103 published points where the text promises 100; all are used.",
            "An interval of several seeds is Student's, for the mean; that of one seed is Wilson's"
            " and knows only the luck of the games, not that of evolution.",
            "A published curve is one run, so it is to be compared with where one more run of ours"
            " would fall (95 %), not with the interval of our mean.",
            "The best point is the largest of many noisy ones: it flatters, here as there.",
        ],
    )


def measure_diversity(material: Material) -> Table:
    """Make the table of the best individual's wins in the round robin of its population."""
    columns = {WINS: slice(-LAST, None), f"{WINS}, first {FIRST} checks": slice(FIRST)}
    samples: dict[str, dict[int, list[Sample]]] = {
        column: {number: [] for number in NUMBERS} for column in columns
    }
    for number in NUMBERS:
        for run in _runs(material, number):
            with History(run.directory.history) as history:
                champions = history.champions()
            for column, checks in columns.items():
                results = ((won, round(games)) for _, won, games in champions[checks])
                samples[column][number].append(Sample.pool(results))
    return _table_of_wins(
        "diversity",
        "wins of the best individual in a round robin of its population",
        samples,
        [
            "Published for all runs together: the best individual won 95-99 of 99 on average.",
            "Measured: the mean over the last 50 checks, and over the first five; a draw is no win."
            " Each two individuals meet once; the first player is random.",
        ],
    )


def measure_moving_first(material: Material) -> Table:
    """Make the table of curves with the evolved player moving first in every game."""
    table = compare(
        "moving-first",
        "share won if the evolved player always moves first",
        {number: [begin_each_check(run) for run in _runs(material, number)] for number in NUMBERS},
        [
            "The publication does not say who moves first. These are the very champions of the"
            " table curves, but they begin all games of their checks.",
        ],
    )
    game = cast(BoardGame, make_game("connect-four"))
    games = material.settings.scaled(SCRIPTED_GAMES)
    seeds = derive_seeds(0, 0, "four-in-a-row moving first", games)
    sample = move_first(make_random(game), ScriptedPlayer(game, "test_bot"), seeds)
    column = "won against test-bot"
    table.rows.append(Row("moving-first", "random", column, None, *mean_share([sample])))
    return table


def measure_winning_first(material: Material) -> Table:
    """Make the table of the best individual's round robin, moving first in all its matches."""
    return _table_of_wins(
        "diversity-first",
        "wins of the best individual if it moves first in all its matches",
        {
            WINS: {
                number: [begin_round_robins(run) for run in _runs(material, number)]
                for number in NUMBERS
            }
        },
        [
            "Every individual meets all 99 others, moving first; the best of the population"
            " counts. The mean over the checkpoints of the second half.",
        ],
    )


def measure_opponents(material: Material) -> Table:
    """Make the table of the last champions, a random player and the test bot against each other."""
    game = cast(BoardGame, make_game("connect-four"))
    chance, bot = make_random(game), ScriptedPlayer(game, "test_bot")
    games = material.settings.scaled(SCRIPTED_GAMES)
    seeds = [int(seed) for seed in derive_seeds(0, 0, "four-in-a-row", 2)]
    weak = _report("random", None, duel(game, chance, bot, games=games, seed=seeds[0]))
    strong = _report("test-bot", "most", duel(game, bot, chance, games=games, seed=seeds[1]))
    rows = [weak, replace(strong, remark=_judge(strong.low - 0.5, strong.high - 0.5))]
    for number in NUMBERS:
        runs = _runs(material, number)
        evolved = _meet(number, runs, bot, "more than random")
        verdict = _judge(evolved.low - weak.high, evolved.high - weak.low)
        rows += [replace(evolved, remark=verdict), _meet(number, runs, chance, None)]
    return Table(
        name="opponents",
        title="evolved players, a random one and the test bot",
        rows=rows,
        notes=[
            "Claims: an evolved player wins more against the test bot than a random player does,"
            " and the test bot wins most games against a random player.",
            "A claim holds or fails if the intervals do not overlap; if they do, it is open.",
            "Measured with the champion of each run's last generation, colours balanced, in"
            " additional games.",
        ],
    )


def _runs(material: Material, number: int) -> list[Run]:
    return material.list_runs(f"run-{number}-seed")


def _table_of_wins(
    name: str, title: str, samples: dict[str, dict[int, list[Sample]]], notes: list[str]
) -> Table:
    """Return a table of wins in 99 duels, by column and run."""
    rows = []
    for column, runs in samples.items():
        for number, seeds in runs.items():
            *shares, games = mean_share(seeds)
            wins, low, high = (MATCHES * share for share in shares)
            place = "inside" if 95 <= wins <= 99 else "outside"
            rows.append(Row(name, f"run {number}", column, "95-99", wins, low, high, games, place))
    return Table(name, title, rows, notes)


def _meet(number: int, runs: Sequence[Run], opponent: Player, published: str | None) -> Row:
    """Play the last champions of *runs* against *opponent*."""
    samples = []
    for run in runs:
        recipe = run.recipe
        result = duel(
            run.method.decoder.game,
            run.champion_at(recipe.run.generations),
            opponent,
            games=recipe.check.games,
            seed=int(derive_seeds(recipe.run.seed, number, f"final {opponent.name}", 1)[0]),
        )
        samples.append(Sample(result.wins, result.games))
    column = f"won against {opponent.name}"
    return Row("opponents", f"run {number}", column, published, *mean_share(samples))


def _report(name: str, published: str | None, result: DuelResult) -> Row:
    values = mean_share([Sample(result.wins, result.games)])
    return Row("opponents", name, f"won against {result.names[1]}", published, *values)


def begin_each_check(run: Run) -> list[Point]:
    """Play the champion of each check against the test bot, moving first in all games."""
    bot, games = ScriptedPlayer(run.method.decoder.game, "test_bot"), run.recipe.check.games
    curve = []
    for generation in dict.fromkeys(check.generation for check in run.checks()):
        seeds = derive_seeds(run.recipe.run.seed, generation, "moves first", games)
        sample = move_first(run.champion_at(generation), bot, seeds)
        curve.append(Point(sample.won, sample.games, generation))
    return curve


def move_first(player: CompiledPlayer, other: CompiledPlayer, seeds: NDArray[np.uint64]) -> Sample:
    """Return the wins of *player*, moving first, against *other*: a game for each seed.

    Args:
        player: Player that moves first in all games.
        other: Its opponent.
        seeds: Seed of each game, shape ``(games,)``.
    """
    packed = combine_players([player.packed, other.packed])
    pairings = np.tile(np.array([[0, 1]], dtype=np.int32), (len(seeds), 1))
    results = SerialExecutor().play(make_batch(player.game, packed, pairings, seeds))
    return Sample(int(np.count_nonzero(results.outcomes == 1)), len(seeds))


def begin_round_robins(run: Run) -> Sample:
    """Play the best individual's matches against all others, moving first, at late checkpoints.

    Late checkpoints are the regular ones within the last 50 checks, without those written because
    the run was stopped. The best individual of a checkpoint is the one that wins most.
    """
    last = run.recipe.run.generations
    begin = max(0, last - LAST * run.recipe.check.every)
    late = [*range(0, last, run.recipe.run.checkpoint_every), last]
    results = []
    for generation in (at for at in late if at > begin):
        state = run.state(generation)
        wins = _wins_as_first(run.method.decoder, state)
        results.append((float(wins.max()), len(state.population) - 1))
    return Sample.pool(results)


def _wins_as_first(decoder: NetworkDecoder, state: State) -> NDArray[np.int64]:
    """Count each individual's wins, moving first against every other; shape ``(individuals,)``."""
    count = len(state.population)
    first, second = np.nonzero(~np.eye(count, dtype=bool))
    pairings = np.stack([first, second], axis=1).astype(np.int32)
    seeds = derive_seeds(state.seed, state.generation, "all move first", len(pairings))
    packed = decoder.pack(state.population)
    results = SerialExecutor().play(make_batch(decoder.game, packed, pairings, seeds))
    return np.bincount(first[results.outcomes == 1], minlength=count)


# The curves


@dataclass(frozen=True)
class Point(Sample):
    """The result of a champion against the test bot."""

    generation: int


Curves = Mapping[int, Sequence[Sequence[Point]]]
"""Curves of all seeds, by the number of the run."""


@dataclass(frozen=True)
class Published:
    """One of the six published curves."""

    crossover_probability: str
    hidden_layers: str
    inputs: str
    points: list[float]
    """Shares of 1000 games won against the test bot, one every ten generations."""

    @property
    def level(self) -> float:
        """Mean of the last 50 points."""
        return fmean(self.points[-LAST:])

    @property
    def best(self) -> float:
        """The best point."""
        return max(self.points)

    @property
    def label(self) -> str:
        """The settings that distinguish the run."""
        layers = "one hidden layer" if self.hidden_layers == "1" else "two hidden layers"
        inputs = self.inputs.replace(",", "/")
        return f"{layers}, {inputs}, p_c = {self.crossover_probability}"


def read_published() -> dict[int, Published]:
    """Return the six published curves by number."""
    curves: dict[int, Published] = {}
    for line in read_lines(__package__, "curves.csv"):
        given = (line["p_c"], line["hidden_layers"], line["input_encoding"])
        curve = curves.setdefault(int(line["run"]), Published(*given, []))
        curve.points.append(float(line["fraction_won_vs_test_bot"]))
    return curves


def compare(name: str, title: str, measured: Curves, notes: list[str]) -> Table:
    """Make the table *name*: level and best point of each curve, with a picture and the points.

    Args:
        name: Name of the table, and of its picture and its CSV file.
        title: Title of table and picture.
        measured: By the number of the published run, our curve of each seed.
        notes: Comments on the table, in sentences.
    """
    published, rows = read_published(), []
    for number, curves in measured.items():
        for column, value, samples in (
            (LEVEL, published[number].level, [_pick_last(curve) for curve in curves]),
            (BEST, published[number].best, [_pick_best(curve) for curve in curves]),
        ):
            values = round(value, 4), *mean_share(samples)
            rows.append(Row(name, f"run {number}", column, *values, _place(value, samples)))
    table = Table(name, title, rows, notes, {f"{name}.csv": _format_curves(measured)})
    table.add_picture(name, draw_curves(title, published, measured))
    return table


def _pick_last(curve: Sequence[Point]) -> Sample:
    return Sample.pool((point.won, point.games) for point in curve[-LAST:])


def _pick_best(curve: Sequence[Point]) -> Sample:
    return max(curve, key=lambda point: point.share)


def _place(published: float, samples: Sequence[Sample]) -> str:
    """Return a remark: the 95 % range of one more run, and whether it holds the published value."""
    if len(samples) == 1:
        return ""
    low, high = next_interval([sample.share for sample in samples])
    verdict = "inside" if low <= published <= high else "outside"
    return f"one more run: {max(0.0, low):.3f} to {min(1.0, high):.3f}; published is {verdict}"


def _format_curves(measured: Curves) -> bytes:
    """Return all measured points as CSV."""
    return format_csv(
        ["run", "seed", "generation", "wins", "games", "fraction_won"],
        [
            [number, seed, point.generation, round(point.won), point.games, round(point.share, 6)]
            for number, curves in measured.items()
            for seed, curve in enumerate(curves, start=1)
            for point in curve
        ],
    )


def draw_curves(title: str, published: Mapping[int, Published], measured: Curves) -> Figure:
    """Draw one panel per run: the published curve, the mean of ours and their range over seeds.

    Args:
        title: Title of the picture, after the game's name.
        published: Published curves by the number of the run.
        measured: By the same numbers, our curve of each seed.
    """
    from evolve_arena.runs.plots.style import OKABE_ITO, new_figure, set_title, style_axes

    figure = new_figure(10.5, 6.4, dpi=100)
    set_title(figure, f"Four-in-a-row: {title}")
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    for axes, number in zip(panels.flat, measured, strict=True):
        style_axes(axes, title=f"Run {number}", remark=published[number].label)
        points = published[number].points
        x = EVERY * np.arange(1, len(points) + 1)
        axes.plot(x, points, color="#333333", linewidth=0.8, linestyle="--", label="published")
        curves = measured[number]
        count = "" if len(curves) == 1 else f", mean of {len(curves)} seeds"
        draw_runs(
            *(axes, [point.generation for point in curves[0]]),
            ([point.share for point in curve] for curve in curves),
            hue=OKABE_ITO[0],
            alpha=0.22,
            label=f"measured{count}",
            range_label="their range",
        )
    highest = max(axes.dataLim.ymax for axes in panels.flat)
    panels[0, 0].set_ylim(0.0, 0.8 if highest <= 0.8 else 1.0)  # of all panels
    for axes in panels[:, 0]:
        axes.set_ylabel("share of games won", fontsize=9)
    for axes in panels[1]:
        axes.set_xlabel("generation", fontsize=9)
    add_legend(figure, panels[0, 0], 3)
    return figure


FOUR_IN_A_ROW = Study(
    name="four-in-a-row",
    summary="Neuroevolution for Connect Four: six runs, checked against a test bot.",
    source="Łukasz Dragan and Piotr Izert, MSI2 Four-in-a-row (2016)",
    plan=plan,
    tables=(
        TableKind("curves", "level and best point of the six learning curves", measure_curves),
        TableKind("diversity", "wins of the best individual in a round robin", measure_diversity),
        TableKind("moving-first", "the curves, ours moving first always", measure_moving_first),
        TableKind("diversity-first", "the round robin, moving first", measure_winning_first),
        TableKind("opponents", "evolved, random and scripted players", measure_opponents),
    ),
)
