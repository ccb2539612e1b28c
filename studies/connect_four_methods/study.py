"""The study ``connect-four-methods``: players of five methods meet, at equal games and equal time.

Nothing was published to compare with. The methods are those of the publications that this project
repeats (TD(λ), Q-learning, tournaments of weight vectors), with NEAT and population-based training
beside them. Each run breeds for longer than is compared; its players are the champions of those
checks before which it had played about as many games, or had bred for as many seconds on one core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean

from evolve_arena.core.registry import make_game
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.studies.meetings import meet
from evolve_arena.studies.study import Material, Settings, Study, Table, TableKind

BUDGET = 1_000_000
"""Games that each run has played at equal games."""
SECONDS = 60.0
"""Most seconds that each run has bred at equal time; fewer if some run took less in all."""
STEP = 10
"""Checks, whose champions can meet, in the equal number of games."""
GAMES = 200
"""Games of each player against each player of another method, and against each scripted one."""
PLIES = 4
"""Random plies at the beginning of these games."""
SCRIPTED = ("test-bot", "minimax:depth=4,noise=0.2")


@dataclass(frozen=True)
class Arm:
    """A method with its recipe, and the games that a run plays."""

    name: str
    recipe: str
    each: int
    """Approximate number of games in a generation."""
    games: int
    """Number of games of a run, which take a minute or more on one core."""
    changes: Mapping[str, object] = field(default_factory=dict)


ARMS = (
    Arm(
        "td-lambda",
        "td-lambda",
        10_000,
        5_000_000,
        {"method.individuals": 1, "method.policy.epsilon_games": 5_000_000},
    ),
    Arm("q-learning", "q-learning", 10_000, 2_500_000, {"method.games": 10_000}),
    Arm("evolved", "four-in-a-row-2", 4_200, 60_000_000),
    Arm("neat", "connect-four-neat", 3_000, 6_000_000),
    Arm(
        "population-based",
        "connect-four-td",
        20_000,
        2_000_000,
        {
            "method.name": "population-based-training",
            "method.individuals": 2,
            "method.games": 10_000,
            "method.schedule.generations": 200,
            "method.start_plies": 8,
        },
    ),
)


def plan(settings: Settings) -> list[Job]:
    """Return the jobs of all methods for each seed."""
    jobs = []
    for seed in settings.each_seed:
        for arm in ARMS:
            games = settings.scaled(arm.games, least=2 * arm.each)
            every = max(1, settings.scaled(BUDGET, least=1) // STEP // arm.each)
            changes = {
                **arm.changes,
                "run.seed": seed,
                "run.generations": games // arm.each,
                "run.champion": "last",
                "run.checkpoint_every": every,  # keeps each check's champion, however large
                "run.keep_every": 1,
                "check.every": every,
                "check.games": 2,
                "check.opponents": ["random"],
            }
            jobs.append(Job(f"{arm.name}-{seed}", load_recipe(arm.recipe).change(changes)))
    return jobs


def measure(axis: str, material: Material) -> Table:
    """Make the table of players at equal games or equal time.

    Args:
        axis: ``games`` or ``seconds``.
        material: Finished runs of the study.
    """
    runs = {arm.name: material.list_runs(arm.name) for arm in ARMS}
    limit = float(material.settings.scaled(BUDGET, least=1))
    if axis == "seconds":
        spent = [run.history()["seconds"].sum() for some in runs.values() for run in some]
        limit = min(SECONDS, *spent)
    groups: dict[str, list[Player]] = {name: [] for name in runs}
    costs = []
    for name, some in runs.items():
        found = [find_generation(run, axis, limit) for run in some]
        for run, generation in zip(some, found, strict=True):
            groups[name].append(run.champion_at(generation))
        games, seconds = (
            fmean(
                float(run.history()[column][:generation].sum())
                for run, generation in zip(some, found, strict=True)
            )
            for column in ("games", "seconds")
        )
        costs.append(f"{name}: {games:,.0f} games in {seconds:.1f} s")
    game = make_game("connect-four")
    for specification in SCRIPTED:
        groups[specification] = [make_player(specification, game)]
    played = material.settings.scaled(GAMES)
    rows = meet(axis, groups, [*runs], games=played, plies=PLIES, purpose="connect-four-methods")
    notes = [
        f"Points, a draw counting half: {played} games of every player with every player of the"
        f" other method, from random openings of {PLIES} plies, each played with both colours. The"
        " interval takes the runs in the first column as a sample, their opponents as given.",
        f"Means over runs: {'; '.join(costs)}. Seconds are of one core, without checks.",
    ]
    limits = {"games": f"after {limit:,.0f} games", "seconds": f"after {limit:.1f} s on one core"}
    return Table(axis, f"players of five methods, {limits[axis]}", rows, notes)


def find_generation(run: Run, axis: str, limit: float) -> int:
    """Return the generation of the last check before which a *run* had spent no more than *limit*.

    If its first check came later, that is returned.

    Args:
        run: Finished run.
        axis: ``games`` or ``seconds``.
        limit: Most games or seconds before the check.
    """
    checks = run.checks()
    spent = run.history().over(axis).checks
    within = [c.generation for c, s in zip(checks, spent, strict=True) if s.generation <= limit]
    return max(within, default=checks[0].generation)


CONNECT_FOUR_METHODS = Study(
    name="connect-four-methods",
    summary="Players of five methods of Connect Four meet, at equal games and at equal time.",
    source="a comparison of this project's own",
    plan=plan,
    seeds=3,
    tables=(
        TableKind("games", "at equal games", partial(measure, "games")),
        TableKind("seconds", "at equal time", partial(measure, "seconds")),
    ),
)
