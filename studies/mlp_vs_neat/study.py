"""The study ``mlp-vs-neat``: weight vectors against growing graphs, at the same budget.

There are no published results to compare with. Three ways to evolve a value network for Connect
Four have the same number of training games, the same checks and the same conditions of training
(noise, openings, hall of fame): the default recipe; the same with 16 hidden units and without the
board's symmetry, which NEAT does not use; and NEAT.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve_arena.arena.duel import duel
from evolve_arena.arena.intervals import Sample, mean_share
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.neat import Neat
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import Check, History
from evolve_arena.studies.drawing import add_legend, draw_runs
from evolve_arena.studies.meetings import meet
from evolve_arena.studies.study import Material, Row, Settings, Study, Table, TableKind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Record = dict[str, list[tuple[float, Check]]]

BUDGET = 6_000_000
"""Approximate number of training games of each run."""
CHECKS = 25
"""Number of checks of a run."""
LAST = 5
"""Number of last checks of a run whose mean is its level."""
OPPONENTS = ("test-bot", "random")
SPECIES = 20
"""Approximate number of species that are assessed in each generation."""
GAMES = 4000
"""Games of each champion against each opponent."""
DUEL_GAMES = 400
"""Games of each champion against each champion of another arm."""
DUEL_PLIES = 4
"""Random plies at the beginning of these games."""


@dataclass(frozen=True)
class Arm:
    """One arm of the comparison: a recipe and changes of it."""

    name: str
    label: str
    recipe: str
    changes: Mapping[str, object]


OPENINGS = {"matches.openings.count": 2}
"""Change that gives each pair of individuals as many openings as in NEAT's recipe."""
ARMS = (
    Arm("mlp", "MLP 84-48-1, symmetric (recipe connect-four)", "connect-four", OPENINGS),
    Arm(
        "mlp-16",
        "MLP 84-16-1",
        "connect-four",
        {"network.hidden": [16], "network.symmetric": False, **OPENINGS},
    ),
    Arm("neat", "NEAT (recipe connect-four-neat)", "connect-four-neat", {}),
)


def plan(settings: Settings) -> list[Job]:
    """Return the jobs of all arms for each seed, ordered by seed."""
    jobs = []
    for seed in settings.each_seed:
        for arm in ARMS:
            recipe = load_recipe(arm.recipe).change(arm.changes)
            generations = count_generations(recipe, settings.scaled(BUDGET, least=100_000))
            changes = {
                "run.seed": seed,
                "run.generations": generations,
                "run.champion": "best-check",
                "check.every": max(1, generations // CHECKS),
                "check.games": settings.scaled(1000),
                "check.share": 1.0,
                "check.opponents": list(OPPONENTS),
            }
            jobs.append(Job(f"{arm.name}-seed-{seed}", recipe.change(changes)))
    return jobs


def count_generations(recipe: Recipe, budget: int) -> int:
    """Return the number of generations of *recipe* with about *budget* games.

    The games by which species are assessed are counted for :data:`SPECIES` species; the true number
    is not known in advance.
    """
    config: Any = recipe.make_config()
    # Games within the population, the same in each generation.
    matches = config.matches
    openings = matches.openings.count if matches.openings.plies else 1
    if recipe.kind is Neat:
        individuals = config.neat.pop_size
        pairs = individuals * matches.opponents // 2
        judging = 0 if config.stagnation.criterion == "rank" else SPECIES * config.stagnation.games
    else:
        individuals = config.individuals
        judging = 0
        pairs = 2 * individuals * math.comb(config.tournament_size, 2)
    each = matches.games * openings
    among = pairs * each * (2 if matches.colours == "both" else 1) + judging
    # Members of the hall of fame become opponents one by one, so generations grow longer.
    hall = matches.hall_of_fame
    generation = 0
    while budget > 0:
        entered = -(-generation // hall.every)
        members = min(hall.opponents, hall.size, entered)
        budget -= among + 2 * individuals * members * each
        generation += 1
    return generation


def measure_curves(material: Material) -> Table:
    """Make the table of each arm's level, with notes on its games and seconds, and a chart."""
    rows, curves = [], {}
    for arm in ARMS:
        records = [_read(run) for run in _runs(material, arm)]
        curves[arm.label] = records
        for opponent in OPPONENTS:
            samples = [
                Sample.pool((check.wins, check.games) for _, check in record[opponent][-LAST:])
                for record in records
            ]
            column = f"won against {opponent}"
            rows.append(Row("curves", arm.name, column, None, *mean_share(samples)))
    costs = []
    for arm in ARMS:
        totals = [_totals(run) for run in _runs(material, arm)]
        games, seconds = (fmean(total[place] for total in totals) for place in (0, 1))
        costs.append(
            f"{arm.name}: {games / 1e6:.2f} million training games and {seconds:.0f} s of"
            " evolution per run."
        )
    notes = [*costs, "Checks are games against players that took no part in training."]
    table = Table("curves", f"share won in the last {LAST} checks", rows, notes)
    table.add_picture("curves", draw_progress(curves))
    return table


def measure_champions(material: Material) -> Table:
    """Make the table of all runs' champions, in additional games."""
    game = make_game("connect-four")
    opponents: list[Player] = [make_player("test-bot", game), make_random(game)]
    games = material.settings.scaled(GAMES)
    seeds = derive_seeds(0, 0, "mlp-vs-neat", len(opponents))
    rows = []
    for arm in ARMS:
        for opponent, seed in zip(opponents, seeds, strict=True):
            samples = []
            for run in _runs(material, arm):
                result = duel(game, run.champion, opponent, games=games, seed=int(seed))
                samples.append(Sample(result.wins, result.games))
            column = f"won against {opponent.name}"
            rows.append(Row("champions", arm.name, column, None, *mean_share(samples)))
    return Table(
        name="champions",
        title="the best champion of each run, in additional games",
        rows=rows,
        notes=[
            "The best champion was chosen by the checks against test-bot; the games here"
            " are different ones."
        ],
    )


def measure_duels(material: Material) -> Table:
    """Make the table of the champions of two arms against each other."""
    groups = {arm.name: [run.champion for run in _runs(material, arm)] for arm in ARMS}
    games = material.settings.scaled(DUEL_GAMES)
    purpose = "mlp-vs-neat duels"
    rows = meet("duels", groups, [*groups], games=games, plies=DUEL_PLIES, purpose=purpose)
    return Table(
        name="duels",
        title="champions of two arms against each other",
        rows=rows,
        notes=[
            f"Every champion meets every one of the other arm from random openings of {DUEL_PLIES}"
            " plies, each played with both colours; a draw is half a point. The interval takes the"
            " champions in the first column as a sample, their opponents as given."
        ],
    )


MLP_VS_NEAT = Study(
    name="mlp-vs-neat",
    summary="Weight vectors against growing graphs for Connect Four, at the same budget of games.",
    source="a comparison of this project's own",
    plan=plan,
    tables=(
        TableKind("curves", "the level of each arm, with a chart over games", measure_curves),
        TableKind("champions", "the best champions against test-bot and random", measure_champions),
        TableKind("duels", "champions of two arms against each other", measure_duels),
    ),
)


def _read(run: Run) -> Record:
    """Return the checks of *run* by opponent, each with the number of training games before it."""
    record: Record = {}
    for check, over in zip(run.checks(), run.history().over("games").checks, strict=True):
        record.setdefault(check.opponent, []).append((over.generation, check))
    return record


def _totals(run: Run) -> tuple[int, float]:
    with History(run.directory.history) as history:
        _, games, seconds = history.totals()
    return games, seconds


def _runs(material: Material, arm: Arm) -> list[Run]:
    return material.list_runs(f"{arm.name}-seed")


def draw_progress(curves: Mapping[str, Sequence[Record]]) -> Figure:
    """Draw a panel for each opponent: the mean of each arm and the range over its seeds.

    A record holds, by opponent, each check with the training games that came before it.
    """
    from evolve_arena.runs.plots.style import LINES, OKABE_ITO, new_figure, set_title, style_axes

    figure = new_figure(10.0, 4.4, dpi=110)
    set_title(figure, "Weight vectors and NEAT at the same budget of games")
    panels = figure.subplots(1, len(OPPONENTS))
    for axes, opponent in zip(panels, OPPONENTS, strict=True):
        style_axes(axes, title=f"Won against {opponent}")
        for place, (label, records) in enumerate(curves.items()):
            some = [record[opponent] for record in records]
            games = np.array([[before for before, _ in checks] for checks in some]) / 1e6
            shares = [[check.won for _, check in checks] for checks in some]
            look = {"hue": OKABE_ITO[place], "line": LINES[place]}
            draw_runs(axes, games.mean(axis=0), shares, alpha=0.18, label=label, **look)
        axes.set_xlabel("training games, millions", fontsize=9)
        axes.set_xlim(left=0.0)
        axes.set_ylim(0.0 if opponent == "test-bot" or axes.dataLim.ymin < 0.5 else 0.5, 1.0)
    panels[0].set_ylabel("share of games won by the current champion", fontsize=9)
    add_legend(figure, panels[0], len(curves))
    return figure
