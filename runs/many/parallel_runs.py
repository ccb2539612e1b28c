"""Runs in parallel: the jobs of a study, each in a process of its own, and their progress.

A child process starts after the kernels are compiled. It reports each generation through a pipe,
from which it also reads a request to stop. If the parent dies, the pipe ends, which means the same:
the run writes a checkpoint and stops.
"""

from __future__ import annotations

import shutil
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import multiprocess
from multiprocess.connection import Connection, wait

from evolve_arena.arena.executors import check_executor, default_workers
from evolve_arena.arena.executors.processes import find_start_method
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.logs import Interruptible, format_seconds
from evolve_arena.core.user_code import opened_files
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.runs.api import prepare
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run, compile_kernels
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.files import explain_storage_errors
from evolve_arena.runs.training.loop import Progress, during_checks

FAR = 1_000_000
"""Difference between the seeds of two attempts at a run."""
EVERY = 10
"""Generations between two updates of the line that displays progress."""


class RunsStoppedError(ArenaError):
    """Raised if a study is stopped; the same call continues it."""


class RunsFailedError(ArenaError):
    """Raised if runs of a study fail; names them, and the reasons."""


@dataclass(frozen=True)
class Job:
    """A run of a study."""

    name: str
    """Name of its directory."""
    recipe: Recipe
    weight: float = 1.0
    """Approximate duration of a generation, relative to other jobs of the study."""
    attempts: int = 1
    """Number of attempts, each with another seed, at a run whose method raises a
    :class:`~evolve_arena.evolve.learning.learner.DivergedError`."""

    def attempt(self, number: int) -> Recipe:
        """Return the recipe of an attempt, from 0; its seed is far from those of other jobs."""
        if number == 0:
            return self.recipe
        return self.recipe.change({"run.seed": self.recipe.run.seed + FAR * number})


@dataclass(frozen=True)
class RunsProgress:
    """Progress of a study."""

    run: str
    """Name of the run that has progressed."""
    number: int
    """Its place among all runs, from 1."""
    runs: int
    """Number of runs in the study."""
    generation: int
    """Generation of that run."""
    generations: int
    """Last generation of that run."""
    seconds: float
    """Seconds since this call began."""
    seconds_left: float
    """Estimated seconds until the study is finished."""
    finished: int = 0
    """Number of runs at their last generation."""
    going: Mapping[str, int] = field(default_factory=dict)
    """Generations of the runs that are in progress, by name."""
    unit: str = "runs"
    """Plural noun for the parts that are counted: ``runs``, ``readings``."""


def breed(
    jobs: Sequence[Job],
    folder: Path,
    workers: int | None = None,
    progress: Callable[[RunsProgress], bool] | None = None,
    executor: str | None = None,
    address: str | None = None,
) -> dict[str, Run]:
    """Run all *jobs* in *folder* to their last generation, and return the runs by name.

    There are as many runs at a time as *workers*, each in a process of its own; fewer runs than
    workers share these. No run depends on another or on the number of workers, so neither do the
    results.

    Args:
        jobs: Runs of the study.
        folder: Folder of the runs' directories, which have the jobs' names.
        workers: Number of processes; one per core if None.
        progress: Function that is called after each generation; False stops all runs.
        executor: ``ray`` for a Ray cluster, with one core per run; see
            `evolve_arena.runs.many.remote`.
        address: Address of that cluster, as in
            :func:`evolve_arena.arena.executors.make_executor`.

    Raises:
        BadValueError: A run in *folder* has another recipe, or the executor can't run whole runs.
        RunsStoppedError: *progress* returned False.
        RunsFailedError: A run failed; all others are finished first, unless runs go one by one.
    """
    check_runs_executor(executor, workers, address)
    with explain_storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    runs = {job.name: _open(job, folder / job.name) for job in jobs}
    tracker = ProgressTracker(jobs, {name: _reached(run) for name, run in runs.items()}, progress)
    team = workers or default_workers()
    if executor == "serial":
        team = workers = 1
    while todo := {name: runs[name] for name in tracker.unfinished()}:
        # Processes that are not forked lack the user's functions, which runs refer to.
        apart = find_start_method() == "fork" or not opened_files()
        if executor == "ray":
            lost = _breed_on_cluster(todo, workers, tracker, address)
        elif min(team, len(todo)) > 1 and apart:
            lost = breed_side_by_side(todo, team, tracker)
        else:
            lost = _breed_in_turn(todo, workers, tracker)
        if not tracker.going:
            raise RunsStoppedError(f"stopped in {folder}; the same command goes on")
        for job in jobs:
            if job.name in lost:
                runs[job.name] = _open_again(job, runs[job.name], lost[job.name])
                tracker.restart(job.name)
    return runs


def check_runs_executor(executor: str | None, workers: int | None, address: str | None) -> None:
    """Make sure that this executor exists and can run whole runs.

    See `evolve_arena.arena.executors.check_executor`.

    Args:
        executor: Name of the executor; ``multiprocess`` if None.
        workers: Number of processes; one per core if None.
        address: Address of the cluster for the executor ``ray``; None for any other one.

    Raises:
        BadValueError: It can't run whole runs, or a number is out of range.
        ArenaError: There is no such executor, or it is not installed.
    """
    if check_executor(executor, workers, address) == "spawn":
        raise BadValueError("whole runs need the executor multiprocess, serial or ray")


def _breed_on_cluster(
    runs: Mapping[str, Run], workers: int | None, tracker: ProgressTracker, address: str | None
) -> dict[str, str]:
    from evolve_arena.arena.executors.cluster_connection import connect
    from evolve_arena.runs.many.remote import breed_elsewhere

    if address is None:
        workers = min(workers or default_workers(), len(runs))
        compile_kernels(runs.values())
    with connect(address, workers) as ray:
        return breed_elsewhere(runs, workers, tracker, ray)


def watch_parts(
    names: Sequence[str],
    unit: str,
    folder: Path | None,
    progress: Callable[[RunsProgress], bool] | None,
) -> Iterator[str]:
    """Yield *names* one by one, and report progress after each.

    Args:
        names: Names of the parts, of about equal duration.
        unit: Plural noun for the parts, such as "readings".
        folder: Folder of the study, for messages.
        progress: Function that is called after each part; False stops.

    Raises:
        RunsStoppedError: *progress* returned False.
    """
    start = time.perf_counter()
    for done, name in enumerate(names, start=1):
        yield name
        seconds = time.perf_counter() - start
        left = seconds / done * (len(names) - done)
        now = RunsProgress(name, done, len(names), 1, 1, seconds, left, finished=done, unit=unit)
        if progress is not None and not progress(now):
            raise RunsStoppedError(f"stopped in {folder}; the same command goes on")


def _breed_in_turn(
    runs: Mapping[str, Run], workers: int | None, tracker: ProgressTracker
) -> dict[str, str]:
    """Run one run after the other, each with all *workers*; return diverged runs with reasons."""
    lost = {}
    for name, run in runs.items():

        def watch(now: Progress, name: str = name) -> bool:
            return tracker.report(name, now.generation)

        tracker.begin(name)
        try:
            run.advance(workers=workers, callbacks=watch)
        except DivergedError as error:
            lost[name] = str(error)
        tracker.end(name)
        if not tracker.going:
            break
    return lost


def _open(job: Job, path: Path) -> Run:
    """Return the run of *job*: an existing one at *path*, or a new one.

    Raises:
        BadValueError: The run at *path* has other settings.
    """
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
    """Replace a run that diverged by the next attempt of its job, and return that.

    Raises:
        RunsFailedError: There are no more attempts.
    """
    for number in range(1, job.attempts):
        if run.recipe.breeds_like(job.attempt(number - 1)):
            return prepare(job.attempt(number), run=run.path, force=True)
    raise RunsFailedError(f"{job.name}: {reason}")


def _reached(run: Run) -> int:
    """Return the newest checkpoint's generation; one less at the end if its check is missing."""
    newest, last = max(run.directory.generations(), default=0), run.recipe.run.generations
    return last - 1 if newest == last and not run.is_complete() else newest


def breed_side_by_side(
    runs: Mapping[str, Run], workers: int, tracker: ProgressTracker
) -> dict[str, str]:
    """Bring *runs* to their last generation, as many at a time as there are *workers*.

    A run that fails does not stop the others. If the tracker is stopped, all of them write a
    checkpoint and stop.

    Args:
        runs: Unfinished runs by name.
        workers: Number of processes, for all runs together.
        tracker: Tracker that receives each generation, and may stop the runs.

    Returns:
        The reasons of runs that ended with a DivergedError, by name.

    Raises:
        RunsFailedError: Runs failed otherwise; the others are finished.
    """
    compile_kernels(runs.values())
    waiting = deque(runs)
    team = min(workers, len(runs))
    children: dict[Connection, _Child] = {}
    ended: list[_Child] = []
    try:
        while (waiting and tracker.going) or children:
            # Start children while there is room.
            while waiting and tracker.going and len(children) < team:
                name = waiting.popleft()
                child = _Child(name, runs[name], workers // team, list(children))
                children[child.pipe] = child
                tracker.begin(name)
            # Receive a message from each child that has sent one; None is its end.
            for pipe in wait(list(children)):
                child = children[pipe]
                generation = child.receive()
                if generation is None:
                    ended.append(children.pop(pipe))
                    tracker.end(child.name)
                    child.join()
                elif not tracker.report(child.name, generation):
                    for other in children.values():
                        other.stop()
    finally:
        for child in children.values():
            child.kill()
    failures = [f"{child.name}: {child.error}" for child in ended if child.error and not child.lost]
    if failures:
        raise RunsFailedError(f"{'; '.join(failures)} (the other runs are kept)")
    return {child.name: child.error for child in ended if child.error}


class _Child:
    """The parent's side of a child process that runs one run."""

    def __init__(self, name: str, run: Run, workers: int, foreign: list[Connection]) -> None:
        method = find_start_method()
        context = multiprocess.get_context(method)
        self.name = name
        self.pipe, far_end = context.Pipe()
        inherited = [self.pipe, *foreign] if method == "fork" else []
        arguments = (far_end, inherited, run, workers)
        self.process = context.Process(target=_breed, args=arguments)
        self.process.start()
        far_end.close()
        self.error: str | None = "it ended without a word"
        """Reason of its failure; None if it succeeded."""
        self.lost = False
        """True if the run's method diverged."""

    def receive(self) -> int | None:
        """Return the generation of the run; None at the end of the process."""
        try:
            message = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            return None
        if isinstance(message, int):
            return message
        self.error, self.lost = message
        return None

    def stop(self) -> None:
        """Ask the run to stop after its current generation."""
        with suppress(BrokenPipeError, ConnectionResetError):  # `receive` will find out
            self.pipe.send("stop")

    def join(self) -> None:
        """Wait for the process, which is about to end."""
        self.pipe.close()
        self.process.join()
        code = self.process.exitcode
        self.process.close()
        if code is not None and code < 0:
            self.error, self.lost = f"its process was killed by {signal.Signals(-code).name}", False

    def kill(self) -> None:
        """Kill the process; its run can be resumed from the last checkpoint."""
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self.process.close()


def _breed(pipe: Connection, foreign: Iterable[Connection], run: Run, workers: int) -> None:
    """Run *run* in the child process; its last message is the error, if any, and its kind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent
    for other in foreign:
        other.close()  # held open here, they would not end for others when the parent dies

    @during_checks
    def watch(now: Progress) -> bool:
        try:
            pipe.send(now.generation)
            return not pipe.poll()
        except (BrokenPipeError, ConnectionResetError):
            return False

    answer = advance_quietly(lambda: run, workers, watch)
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.send(answer)


def advance_quietly(
    find: Callable[[], Run], workers: int, watch: Callable[[Progress], bool]
) -> tuple[str | None, bool]:
    """Advance the run that *find* returns; return the error, if any, and True if it diverged.

    Unexpected errors are printed with a traceback.

    Args:
        find: Function that returns the run, and may raise errors of its own.
        workers: Number of processes that play; with one, matches are played in this process.
        watch: Callback of the run.
    """
    try:
        if workers > 1:
            find().advance(workers=workers, callbacks=watch)
        else:
            find().advance(executor="serial", callbacks=watch)
    except ArenaError as problem:
        return str(problem), isinstance(problem, DivergedError)
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        return f"{type(problem).__name__}: {problem}", False
    return None, False


class ProgressTracker:
    """Tracker of the runs of a study, which reports their progress.

    Args:
        jobs: All runs.
        reached: Generation of each run, by name.
        progress: Function that is called after each generation; False stops the study.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        reached: Mapping[str, int],
        progress: Callable[[RunsProgress], bool] | None,
    ) -> None:
        self._jobs = {job.name: job for job in jobs}
        self._numbers = {job.name: number for number, job in enumerate(jobs, start=1)}
        self._reached = dict(reached)
        self._progress = progress
        self._at_work: list[str] = []
        self.going = True
        """True until *progress* has returned False."""
        self._start = time.perf_counter()
        self._done = 0.0

    def unfinished(self) -> list[str]:
        """Return the runs that are not at their last generation, in the order of the jobs."""
        return [name for name in self._jobs if self._reached[name] < self._end(name)]

    def begin(self, name: str) -> None:
        """Note that a run is in progress."""
        self._at_work.append(name)

    def end(self, name: str) -> None:
        """Note that a run is no longer in progress."""
        self._at_work.remove(name)

    def restart(self, name: str, generation: int = 0) -> None:
        """Note that a run begins again, at 0 or at an earlier *generation*."""
        self._reached[name] = generation

    def report(self, name: str, generation: int) -> bool:
        """Note that a run is at *generation*, and return False if the study is to stop.

        A generation is reported once.
        """
        if generation == self._reached[name]:
            return self.going
        self._done += (generation - self._reached[name]) * self._jobs[name].weight
        self._reached[name] = generation
        if self._progress is not None and not self._progress(self._describe(name)):
            self.going = False
        return self.going

    def _describe(self, name: str) -> RunsProgress:
        unfinished = self.unfinished()
        left = sum(
            (self._end(other) - self._reached[other]) * self._jobs[other].weight
            for other in unfinished
        )
        seconds = time.perf_counter() - self._start
        return RunsProgress(
            run=name,
            number=self._numbers[name],
            runs=len(self._jobs),
            generation=self._reached[name],
            generations=self._end(name),
            seconds=seconds,
            seconds_left=seconds * left / max(self._done, 1e-9),
            finished=len(self._jobs) - len(unfinished),
            going={other: self._reached[other] for other in self._at_work if other in unfinished},
        )

    def _end(self, name: str) -> int:
        return self._jobs[name].recipe.run.generations


class RunsScreen(Interruptible):
    """Display of a study's progress, which stops it cleanly on Ctrl-C; a context manager."""

    until = "these generations"

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        super().__exit__(kind, *error)
        if kind is not None and not self.quiet and sys.stderr.isatty():
            print(file=sys.stderr)  # the line that changes has no end yet

    def show(self, progress: RunsProgress) -> bool:
        """Display *progress*, and return False if the study is to stop."""
        if not self.quiet:
            show_progress(progress)
        return not self.interrupted


def show_progress(progress: RunsProgress) -> bool:
    """Print *progress* to stderr: a line that changes on a terminal, else a line per run.

    It always returns True, which continues the study.
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


def _describe(progress: RunsProgress) -> str:
    going = ", ".join(f"{name} at {generation}" for name, generation in progress.going.items())
    return (
        f"{progress.finished} of {progress.runs} {progress.unit} finished"
        f", {format_seconds(progress.seconds_left)} left: {going or progress.run}"
    )
