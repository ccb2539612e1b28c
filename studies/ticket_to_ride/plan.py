"""The runs of ``ticket-to-ride``: networks that imitate the rule player, and evolved players."""

from __future__ import annotations

from collections.abc import Mapping

from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.study import Settings
from evolve_arena.studies.ticket_to_ride.measures import COUNTS

UNIVERSAL, PROOF = "universal", "proof"
"""Settings: a model for all numbers of players, and one that is examined while it learns."""
ADAGRAD = "-adagrad"
"""Suffix of the names of these settings if trained with Łabno's optimiser, on all rows."""
EVOLVED = {"evolved": "ticket-to-ride", "evolved-graphs": "ticket-to-ride-neat"}
"""Recipes of evolved players, by setting."""

Changes = Mapping[str, object]
NOTHING: Changes = {}
EPOCHS, STEPS = 40, 250
"""Sections 4.4 and 5.2: 40 epochs of 250 steps of 250 rows each."""
ITERATIONS, FEW_STEPS = 10, 100
"""Chapter 6: iterations, each of 100 steps of 100 rows."""
AS_PUBLISHED = {
    "network.features": 26,
    "network.hidden": [180, 160],
    "network.activation": "relu",
    "network.masked": False,
    "network.script": "rule:code",
    "method.data.scaling": "raw",
    "method.data.best": 30,
    "method.data.minimum_points": 120,
    "method.data.rows": "winner",
}
"""Settings of sections 4.2 to 4.4, which override those of the recipe."""
HIS_OPTIMISER = {
    "method.solver": "adagrad",
    "method.learning_rate": 0.05,
    "method.data.held_out": 0.0,
}
"""Section 4.4: AdaGrad, with TensorFlow's rate, on all decisions of the winners of 120 games."""
CHECK_GAMES = 100
NETWORK_WEIGHT, EVOLVED_WEIGHT = 1.0, 5.0


def plan(settings: Settings) -> list[Job]:
    """Return the jobs of all settings for each seed, the longest ones (evolved players) first."""
    evolved = [
        _evolved_job(name, seed, settings) for seed in settings.each_seed for name in EVOLVED
    ]
    all_counts = list(COUNTS)
    imitating = []
    for seed in settings.each_seed:
        for end, more in (("", NOTHING), (ADAGRAD, HIS_OPTIMISER)):
            imitating.append(_imitate(UNIVERSAL + end, all_counts, seed, settings, more))
            imitating.append(_imitate(PROOF + end, all_counts, seed, settings, more))
        for count in COUNTS:
            imitating.append(_imitate(specific(count), [count], seed, settings))
    return evolved + imitating


def specific(count: int) -> str:
    """Return the name of the setting of a model for *count* players."""
    return f"specific-{count}"


def _imitate(
    name: str, counts: list[int], seed: int, settings: Settings, more: Changes = NOTHING
) -> Job:
    """Return the job of a network that imitates the rule player ``code``, as in the publication."""
    if name.startswith(PROOF):
        rows, steps, generations = 100, FEW_STEPS, ITERATIONS
        kept = {"run.checkpoint_every": 1, "run.keep_every": 1}
    else:
        rows, steps, generations, kept = 250, STEPS, settings.scaled(EPOCHS, least=2), {}
    changes = {
        **AS_PUBLISHED,
        "method.data.games": settings.scaled(1000, least=100),
        "check.games": settings.scaled(CHECK_GAMES, least=2),
        "run.seed": seed,
        "check.share": 1.0,
        "run.champion": "last",
        **more,
        "method.data.players": counts,
        "method.batch_size": rows,
        "method.batches": settings.scaled(steps, least=4),
        "run.generations": generations,
        **kept,
        "check.every": generations,
    }
    recipe = load_recipe("ticket-to-ride-imitation").change(changes)
    return Job(f"{name}-{seed}", recipe, NETWORK_WEIGHT)


def _evolved_job(name: str, seed: int, settings: Settings) -> Job:
    recipe = load_recipe(EVOLVED[name])
    generations = settings.scaled(recipe.run.generations, least=2)
    changes = {
        "run.seed": seed,
        "run.generations": generations,
        "check.every": generations,
        "check.games": settings.scaled(CHECK_GAMES, least=2),
        "check.share": 1.0,
        "run.champion": "best-check",
    }
    return Job(f"{name}-{seed}", recipe.change(changes), EVOLVED_WEIGHT)
