"""The runs of a study: made, resumed or found finished, and bred side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evolve_arena.arena.executors import check_executor, default_workers
from evolve_arena.core.errors import BadValueError
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.runs.api import prepare
from evolve_arena.runs.directory import RunDirectory
from evolve_arena.runs.files import explain_storage_errors
from evolve_arena.runs.journey import Progress
from evolve_arena.runs.run import Run
from evolve_arena.studies.ledger import Ledger
from evolve_arena.studies.side_by_side import StudyFailedError, breed_side_by_side
from evolve_arena.studies.study import Job, StudyProgress, StudyStoppedError


def breed(
    jobs: Sequence[Job],
    folder: Path,
    workers: int | None = None,
    progress: Callable[[StudyProgress], bool] | None = None,
) -> dict[str, Run]:
    """The finished runs of all *jobs*, in *folder*, by name.

    As many runs as there are *workers* go on at a time, each in a process of its own; where
    fewer runs than workers are left to do, each has its share of the workers. No run depends on
    another or on the number of workers, so the results don't either.

    Args:
        jobs: The runs that are needed.
        folder: Where they lie, each in a folder of its job's name.
        workers: How many processes play; one per core if None.
        progress: Is told of each generation, and stops all runs by giving False.

    Raises:
        BadValueError: A run in *folder* has another recipe.
        StudyStoppedError: *progress* gave False.
        StudyFailedError: A run ended with an error; all others were finished first, unless one
            run went on at a time.
    """
    check_executor(None, workers)
    with explain_storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    runs = {job.name: _open(job, folder / job.name) for job in jobs}
    ledger = Ledger(jobs, {name: _reached(run) for name, run in runs.items()}, progress)
    team = workers or default_workers()
    while todo := {name: runs[name] for name in ledger.unfinished()}:
        if min(team, len(todo)) > 1 and hasattr(os, "fork"):
            lost = breed_side_by_side(todo, team, ledger)
        else:
            lost = _breed_in_turn(todo, workers, ledger)
        if not ledger.going:
            raise StudyStoppedError(f"stopped in {folder}; the same command goes on")
        for job in jobs:
            if job.name in lost:
                runs[job.name] = _open_again(job, runs[job.name], lost[job.name])
                ledger.restart(job.name)
    return runs


def _breed_in_turn(runs: Mapping[str, Run], workers: int | None, ledger: Ledger) -> dict[str, str]:
    """One run after the other, each with all *workers*; gives what was lost, and why."""
    lost = {}
    for name, run in runs.items():

        def watch(now: Progress, name: str = name) -> bool:
            return ledger.tell(name, now.generation)

        ledger.begin(name)
        try:
            run.advance(workers=workers, watch=watch)
        except DivergedError as error:
            lost[name] = str(error)
        ledger.end(name)
        if not ledger.going:
            break
    return lost


def _open(job: Job, path: Path) -> Run:
    """The run of *job*: the one at *path*, if it is that, else a new one."""
    directory = RunDirectory(path)
    if not directory.recipe.is_file():
        return prepare(job.recipe, run=path)
    run = Run.open(path)
    if not any(run.recipe.breeds_like(job.attempt(number)) for number in range(job.attempts)):
        raise BadValueError(
            f"{path} is a run of other settings: repeat them, or choose another folder"
        )
    return run


def _open_again(job: Job, run: Run, reason: str) -> Run:
    """The next attempt at a run that was lost, in its place."""
    for number in range(1, job.attempts):
        if run.recipe.breeds_like(job.attempt(number - 1)):
            return prepare(job.attempt(number), run=run.path, force=True)
    raise StudyFailedError(f"{job.name}: {reason}")


def _reached(run: Run) -> int:
    """The newest generation of which there is a checkpoint."""
    return max(run.directory.generations(), default=0)
