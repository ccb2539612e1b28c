"""The runs of a study: made, resumed or found finished, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from games.errors import ArenaError, BadValueError
from runs.api import prepare
from runs.directory import RunDirectory
from runs.files import explain_storage_errors
from runs.journey import Progress
from runs.run import Run
from runs.studies.study import Job

__all__ = ["StudyProgress", "StudyStoppedError", "breed"]


class StudyStoppedError(ArenaError):
    """A study that was told to stop; the same call goes on with it."""


@dataclass(frozen=True)
class StudyProgress:
    """How far a study is."""

    run: str
    """The run that is going on."""
    number: int
    """Its place among all runs, from 1."""
    runs: int
    generation: int
    """How far that run is."""
    generations: int
    seconds: float
    """Since this call began."""
    seconds_left: float
    """What the rest takes if it goes on as so far."""


def breed(
    jobs: Sequence[Job],
    folder: Path,
    workers: int | None = None,
    progress: Callable[[StudyProgress], bool] | None = None,
) -> dict[str, Run]:
    """The finished runs of all *jobs*, in *folder*, by name.

    Raises:
        BadValueError: A run in *folder* has another recipe.
        StudyStoppedError: *progress* gave False.
    """
    with explain_storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    runs = {job.name: _open(job, folder / job.name) for job in jobs}
    reached = {name: _reached(run) for name, run in runs.items()}
    ends = {job.name: job.recipe.run.generations for job in jobs}
    left = sum(max(0, ends[name] - reached[name]) for name in runs)
    start, done = time.perf_counter(), 0
    for number, (name, run) in enumerate(runs.items(), start=1):
        if reached[name] >= ends[name]:
            continue
        told, going = reached[name], True

        def watch(now: Progress, name: str = name, number: int = number) -> bool:
            nonlocal told, going, done
            if now.generation != told:
                done += now.generation - told
                told = now.generation
                seconds = time.perf_counter() - start
                rest = seconds * max(0, left - done) / max(1, done)
                place = (name, number, len(runs), now.generation, now.generations)
                going = progress is None or progress(StudyProgress(*place, seconds, rest))
            return going

        run.advance(workers=workers, watch=watch)
        if not going:
            raise StudyStoppedError(f"stopped in {run.path}; the same command goes on")
    return runs


def _open(job: Job, path: Path) -> Run:
    """The run of *job*: the one at *path*, if it is that, else a new one."""
    directory = RunDirectory(path)
    if not directory.recipe.is_file():
        _remove_empty(directory)
        return prepare(job.recipe, run=path)
    run = Run.open(path)
    if run.recipe != job.recipe:
        raise BadValueError(
            f"{path} is a run of other settings: repeat them, or choose another folder"
        )
    return run


def _remove_empty(directory: RunDirectory) -> None:
    """Removes what a process that died at once may have left: folders with nothing in them."""
    for folder in (directory.checkpoints, directory.plots, directory.path):
        with suppress(OSError):
            folder.rmdir()


def _reached(run: Run) -> int:
    """The newest generation of which there is a checkpoint."""
    return max(run.directory.generations(), default=0)
