"""Repeats studies: published results, printed beside what is measured here.

A new study is a folder with a :class:`~evolve_arena.studies.study.Study`, and a line here.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from evolve_arena.arena.executors import check_executor, default_workers
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.runs.api import prepare
from evolve_arena.runs.directory import RunDirectory
from evolve_arena.runs.files import explain_storage_errors
from evolve_arena.runs.output import format_seconds, print_line, print_table
from evolve_arena.runs.run import Run
from evolve_arena.runs.training import Progress
from evolve_arena.studies.checkers_td.study import CHECKERS_TD
from evolve_arena.studies.four_in_a_row.study import FOUR_IN_A_ROW
from evolve_arena.studies.mlp_vs_neat.study import MLP_VS_NEAT
from evolve_arena.studies.q_learning.study import Q_LEARNING, Q_LEARNING_OWN
from evolve_arena.studies.report import COLUMNS, ProgressTracker, cells, write_report
from evolve_arena.studies.side_by_side import StudyFailedError, breed_side_by_side
from evolve_arena.studies.study import (
    Job,
    Material,
    Settings,
    Study,
    StudyProgress,
    StudyResult,
    StudyStoppedError,
)
from evolve_arena.studies.td_lambda.study import TD_LAMBDA
from evolve_arena.studies.ticket_to_ride.study import TICKET_TO_RIDE

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        FOUR_IN_A_ROW,
        MLP_VS_NEAT,
        TD_LAMBDA,
        Q_LEARNING,
        Q_LEARNING_OWN,
        CHECKERS_TD,
        TICKET_TO_RIDE,
    )
}


def find_study(name: str) -> Study:
    """The study called *name*.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES)
    return STUDIES[name]


def reproduce_study(
    name: str,
    *,
    out: Path | str,
    seeds: int | None = None,
    scale: float = 1.0,
    only: str | None = None,
    workers: int | None = None,
    progress: Callable[[StudyProgress], bool] | None = None,
) -> StudyResult:
    """Repeats a published study.

    Its runs lie in *out*. Those that are finished are not run again, one that was interrupted
    goes on where it was, and more *seeds* add runs to those that are there. Beside them are
    then written ``rows.csv``, ``report.md`` and what the tables bring along, such as charts.

    Args:
        name: One of :data:`STUDIES`.
        out: The folder.
        seeds: How many runs of each setting; as many as the study has by itself if None.
        scale: Shortens the study (below 1) or lengthens it.
        only: The name of one table, for which only the runs that it needs are run; all tables
            if None.
        workers: How many processes play; one per core if None. Each breeds a run of its own, as
            long as there are enough of them.
        progress: Is told of each generation, and stops the study by giving False.

    Raises:
        UnknownNameError: There is no such study, or no such table in it.
        BadValueError: *seeds* or *scale* is not positive, or *out* holds runs of other settings.
        StudyStoppedError: *progress* gave False.
        StudyFailedError: Runs that went on side by side failed; the others are finished.
        ArenaError: Whatever a run says; see `evolve_arena.runs.run.Run.advance`.
    """
    study = find_study(name)
    tables = study.choose_tables(only)
    settings = Settings(study.seeds if seeds is None else seeds, scale)
    folder = Path(out)
    runs: dict[str, Run] = {}
    for plan in (lambda material: study.plan(material.settings), *study.later):
        jobs = plan(Material(settings, runs, workers, folder, progress))
        needed = [job for job in jobs if any(table.needs(job) for table in tables)]
        runs |= breed(needed, folder, workers, progress)
    material = Material(settings, runs, workers, folder, progress)
    result = StudyResult(study, settings, folder, [table.measure(material) for table in tables])
    write_report(result)
    return result


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
    tracker = ProgressTracker(jobs, {name: _reached(run) for name, run in runs.items()}, progress)
    team = workers or default_workers()
    while todo := {name: runs[name] for name in tracker.unfinished()}:
        if min(team, len(todo)) > 1 and hasattr(os, "fork"):
            lost = breed_side_by_side(todo, team, tracker)
        else:
            lost = _breed_in_turn(todo, workers, tracker)
        if not tracker.going:
            raise StudyStoppedError(f"stopped in {folder}; the same command goes on")
        for job in jobs:
            if job.name in lost:
                runs[job.name] = _open_again(job, runs[job.name], lost[job.name])
                tracker.restart(job.name)
    return runs


def _breed_in_turn(
    runs: Mapping[str, Run], workers: int | None, tracker: ProgressTracker
) -> dict[str, str]:
    """One run after the other, each with all *workers*; gives what was lost, and why."""
    lost = {}
    for name, run in runs.items():

        def watch(now: Progress, name: str = name) -> bool:
            return tracker.tell(name, now.generation)

        tracker.begin(name)
        try:
            run.advance(workers=workers, watch=watch)
        except DivergedError as error:
            lost[name] = str(error)
        tracker.end(name)
        if not tracker.going:
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


EVERY = 10
"""Generations between two changes of the line."""


class StudyScreen:
    """Shows how far a study is, and stops it cleanly on Ctrl-C. Use it in a ``with``.

    Args:
        quiet: Whether to show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.interrupted = False
        """Whether Ctrl-C was pressed."""
        self._previous: Any = None

    def __enter__(self) -> StudyScreen:
        self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        signal.signal(signal.SIGINT, self._previous)
        if kind is not None and not self.quiet and sys.stderr.isatty():
            print(file=sys.stderr)  # the line that changes has no end yet

    def show(self, progress: StudyProgress) -> bool:
        """Shows *progress*; False if the study is to stop."""
        if not self.quiet:
            show_progress(progress)
        return not self.interrupted

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        print("\nstopping after these generations (again: at once) ...", file=sys.stderr)


def show_progress(progress: StudyProgress) -> bool:
    """Tells of *progress* on standard error: a line that changes, or one line per run.

    Never stops the study.
    """
    ended = progress.generation >= progress.generations
    if sys.stderr.isatty():
        if ended or progress.generation % EVERY == 0:
            width = shutil.get_terminal_size().columns - 1
            end = "\n" if progress.finished == progress.runs else ""
            print(f"\r\x1b[K{_describe(progress)[:width]}", end=end, file=sys.stderr, flush=True)
    elif ended:
        print(
            f"{progress.run} finished, {progress.finished} of {progress.runs} {progress.unit}"
            f", {format_seconds(progress.seconds_left)} left",
            file=sys.stderr,
        )
    return True


def print_study(result: StudyResult) -> None:
    """Prints all tables, and where the report lies."""
    for table in result.tables:
        rows = [cells(row, table.remarks.get((row.row, row.column), "")) for row in table.rows]
        print_table(f"{table.name}: {table.title}", COLUMNS, rows, left=2)
        for note in table.notes:
            print_line(f"- {note}")
        print_line()
    print_line(result.out / "report.md")


def _describe(progress: StudyProgress) -> str:
    going = ", ".join(f"{name} at {generation}" for name, generation in progress.going.items())
    return (
        f"{progress.finished} of {progress.runs} {progress.unit} finished"
        f", {format_seconds(progress.seconds_left)} left: {going or progress.run}"
    )
