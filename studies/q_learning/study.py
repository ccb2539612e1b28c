"""The study ``q-learning``: Młokosiewicz (2016), six stages of comparing configurations.

``seeds`` is the number of agents of each configuration here: five, as in the publication. All
stages are run with the original program's bugs (``method.faithful``), which the table ``corrected``
removes. ``q-learning`` adopts the author's choice after each stage, so that the tables can be
compared; ``q-learning-own`` adopts the configuration that was best here. Games against minimax
replace those that the author himself played against his agents.
"""

from __future__ import annotations

from functools import partial

from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.studies.q_learning.plan import (
    REPRESENTATIONS,
    STAGES,
    Choose,
    choose_as_published,
    plan_extras,
    plan_stage,
)
from evolve_arena.studies.q_learning.tables import (
    choose_best,
    measure_corrected,
    measure_equal_sets,
    measure_exploration,
    measure_minimax,
    measure_representations,
    measure_rewards,
    measure_stage,
    measure_winners,
)
from evolve_arena.studies.study import Material, Need, Settings, Study, TableKind

SOURCE = (
    "Jakub Młokosiewicz, Zastosowanie uczenia ze wzmocnieniem w doborze strategii reprezentowanej"
    " przez sieć neuronową w grze planszowej Connect 4 (2016)"
)
LAST = len(STAGES)


def plan_as_published(settings: Settings) -> list[Job]:
    """Return the jobs of all stages, whose published choices are known in advance."""
    jobs = [job for stage in STAGES for job in plan_stage(stage, settings, choose_as_published)]
    return jobs + plan_extras(settings, choose_as_published)


def plan_first(settings: Settings) -> list[Job]:
    """Return the jobs of the first stage, which adopts nothing."""
    return plan_stage(STAGES[0], settings, choose_as_published)


def plan_next(number: int, material: Material) -> list[Job]:
    """Return the jobs of stage *number*, or the additional ones after the last stage.

    There are none if the stage before was not run.
    """
    before = STAGES[number - 2].name("")
    if not any(name.startswith(before) for name in material.runs):
        return []
    choose: Choose = partial(choose_best, material)
    if number > LAST:
        return plan_extras(material.settings, choose)
    return plan_stage(STAGES[number - 1], material.settings, choose)


def _need(first: int, last: int = LAST, *more: str) -> Need:
    """Return a predicate for runs of stages *first* to *last*, or whose names begin with *more*."""
    prefixes = *(stage.name("") for stage in STAGES[first - 1 : last]), *more
    return lambda job: job.name.startswith(prefixes)


def _make_tables(*, own: bool) -> tuple[TableKind, ...]:
    kinds = []
    for stage in STAGES:
        number = stage.number
        needed = _need(1 if own else number, number)
        title = f"stage {stage.word}, {stage.varied}"
        mutual, random = 2 * number - 1 + number // LAST, 2 * number + number // LAST
        if number == LAST:
            rewards = TableKind("6.11", "the sets of rewards", measure_rewards, lambda job: False)
            kinds.append(rewards)
        for place, against in ((mutual, "each other"), (random, "random")):
            name, heading = f"6.{place}", f"{title}: against {against}"
            measure = partial(measure_stage, name, heading, stage, mutual=place == mutual)
            kinds.append(TableKind(name, heading, measure, needed))
    sixth = 1 if own else LAST
    return (
        *kinds,
        TableKind("winners", "the best after each stage", measure_winners, _need(1)),
        TableKind("equal-sets", "equal sets of rewards", measure_equal_sets, _need(sixth)),
        TableKind(
            "corrected",
            "the program's bugs corrected",
            measure_corrected,
            _need(sixth, LAST, "corrected-"),
        ),
        TableKind(
            "exploration",
            "a share of random moves instead of Boltzmann's distribution",
            measure_exploration,
            _need(sixth, LAST, "epsilon-"),
        ),
        TableKind(
            "representations",
            "other representations of the board (chapter 7)",
            measure_representations,
            _need(sixth, LAST, *REPRESENTATIONS),
        ),
        TableKind("minimax", "stage six against minimax", measure_minimax, _need(sixth)),
    )


Q_LEARNING = Study(
    name="q-learning",
    summary="Q-learning by self-play for Connect Four: six stages, five agents per configuration.",
    source=SOURCE,
    plan=plan_as_published,
    tables=_make_tables(own=False),
    seeds=5,
)
Q_LEARNING_OWN = Study(
    name="q-learning-own",
    summary="The study q-learning, in which each stage adopts the best configuration found here.",
    source=SOURCE,
    plan=plan_first,
    tables=_make_tables(own=True),
    later=tuple(partial(plan_next, number) for number in range(2, LAST + 2)),
    seeds=5,
)
