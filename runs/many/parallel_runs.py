"""Several runs at a time: which there are, each in a process of its own, and how far they are.

A child starts after the kernels are compiled. It tells of each generation
through a pipe, and looks there whether it is to stop. If the parent dies, the pipe ends, which
means the same: the run writes a checkpoint and stops.
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
from typing import Any

import multiprocess
from multiprocess.connection import wait

from evolve_arena.arena.executors import check_executor, default_workers
from evolve_arena.arena.executors.processes import START_METHOD
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
"""By how much the seed of a run's next attempt is larger."""
EVERY = 10
"""Generations between two changes of the line that tells how far runs are."""


class RunsStoppedError(ArenaError):
    """A study that was told to stop; the same call goes on with it."""


class RunsFailedError(ArenaError):
    """Runs of a study that ended with an error: which, and why."""


@dataclass(frozen=True)
class Job:
    """A run that a study needs."""

    name: str
    """The name of its directory."""
    recipe: Recipe
    weight: float = 1.0
    """About how long a generation takes, compared with those of other jobs of the study."""
    attempts: int = 1
    """How many attempts there are at a run that its method gives up with a
    :class:`~evolve_arena.evolve.learning.learner.DivergedError`."""

    def attempt(self, number: int) -> Recipe:
        """The recipe of an attempt, from 0: another seed, far from those of other jobs."""
        if number == 0:
            return self.recipe
        return self.recipe.change({"run.seed": self.recipe.run.seed + FAR * number})


@dataclass(frozen=True)
class RunsProgress:
    """How far a study is."""

    run: str
    """The run of which there is news."""
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
    finished: int = 0
    """How many runs are at their last generation."""
    going: Mapping[str, int] = field(default_factory=dict)
    """The runs that go on at this moment, each with its generation."""
    unit: str = "runs"
    """What is counted, where it is something else: parts of a table."""


def breed(
    jobs: Sequence[Job],
    folder: Path,
    workers: int | None = None,
    progress: Callable[[RunsProgress], bool] | None = None,
    executor: str | None = None,
    address: str | None = None,
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
        executor: ``ray`` lets the runs go on in a Ray cluster, each on one core; see
            `evolve_arena.runs.many.remote`.
        address: Where that cluster is; as :func:`evolve_arena.arena.executors.make_executor`
            takes it.

    Raises:
        BadValueError: A run in *folder* has another recipe, or runs can't go on in this executor.
        RunsStoppedError: *progress* gave False.
        RunsFailedError: A run ended with an error; all others were finished first, unless one
            run went on at a time.
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
        # What starts from nothing does not know the user's functions, which runs hold.
        apart = START_METHOD == "fork" or not opened_files()
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
    """Makes sure that whole runs can go on so; see `evolve_arena.arena.executors.check_executor`.

    Raises:
        BadValueError: They can't in this executor, or a number is out of range.
        ArenaError: There is no such executor, or it is not installed.
    """
    if check_executor(executor, workers, address) == "spawn":
        raise BadValueError("whole runs go on in the executor multiprocess, serial or ray")


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
    """Gives *names* one after the other, and tells each time how far they are.

    Args:
        names: What is to be done, each of which takes about as long.
        unit: What they are: "readings", say.
        folder: Where the study lies.
        progress: Is told.

    Raises:
        RunsStoppedError: Who watches wants no more.
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
    """One run after the other, each with all *workers*; gives what was lost, and why."""
    lost = {}
    for name, run in runs.items():

        def watch(now: Progress, name: str = name) -> bool:
            return tracker.tell(name, now.generation)

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
    raise RunsFailedError(f"{job.name}: {reason}")


def _reached(run: Run) -> int:
    """The newest generation of which there is a checkpoint; the one before if a check is left."""
    newest, last = max(run.directory.generations(), default=0), run.recipe.run.generations
    return last - 1 if newest == last and not run.is_complete() else newest


def breed_side_by_side(
    runs: Mapping[str, Run], workers: int, tracker: ProgressTracker
) -> dict[str, str]:
    """Brings *runs* to their last generation, as many at a time as there are *workers*.

    A run that fails does not keep the others from going on. If the ledger's watcher says no, all
    of them write a checkpoint and stop.

    Args:
        runs: Unfinished runs by name.
        workers: How many processes play, in all runs together.
        tracker: Is told of each generation, and says whether to go on.

    Returns:
        The runs that their methods gave up with a DivergedError, and why.

    Raises:
        RunsFailedError: Runs failed otherwise; the others are finished.
    """
    compile_kernels(runs.values())
    waiting = deque(runs)
    team = min(workers, len(runs))
    children: dict[Any, _Child] = {}
    ended: list[_Child] = []
    try:
        while (waiting and tracker.going) or children:
            while waiting and tracker.going and len(children) < team:
                name = waiting.popleft()
                child = _Child(name, runs[name], workers // team, list(children))
                children[child.pipe] = child
                tracker.begin(name)
            for pipe in wait(list(children)):
                child = children[pipe]
                generation = child.receive()
                if generation is None:
                    ended.append(children.pop(pipe))
                    tracker.end(child.name)
                    child.join()
                elif not tracker.tell(child.name, generation):
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
    """The parent's side of a process that breeds one run."""

    def __init__(self, name: str, run: Run, workers: int, foreign: list[Any]) -> None:
        context = multiprocess.get_context(START_METHOD)
        self.name = name
        self.pipe, far_end = context.Pipe()
        inherited = [self.pipe, *foreign] if START_METHOD == "fork" else []
        arguments = (far_end, inherited, run, workers)
        self.process = context.Process(target=_breed, args=arguments)
        self.process.start()
        far_end.close()
        self.error: str | None = "it ended without a word"
        """Why it failed; None if it did not."""
        self.lost = False
        """Whether the run's method gave it up."""

    def receive(self) -> int | None:
        """The generation that the run is at; None if the process has nothing more to say."""
        try:
            message = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            return None
        if isinstance(message, int):
            return message
        self.error, self.lost = message
        return None

    def stop(self) -> None:
        """Asks the run to stop after the generation that it is at."""
        with suppress(BrokenPipeError, ConnectionResetError):  # `hear` will find out
            self.pipe.send("stop")

    def join(self) -> None:
        """Waits for the end of the process, which is about to come."""
        self.pipe.close()
        self.process.join()
        code = self.process.exitcode
        self.process.close()
        if code is not None and code < 0:
            self.error, self.lost = f"its process was killed by {signal.Signals(-code).name}", False

    def kill(self) -> None:
        """Ends the process at once; its run goes on from the last checkpoint another time."""
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self.process.close()


def _breed(pipe: Any, foreign: Iterable[Any], run: Run, workers: int) -> None:
    """The child's life. Its last message is what went wrong, if anything, and how."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever presses Ctrl-C means the parent
    for other in foreign:
        other.close()  # held open here, they would never tell others that the parent is dead

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
    """Lets the run that *find* gives go on; gives what went wrong, and whether it was given up.

    Errors that are nobody's to mend are printed.
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
    """Keeps count of the runs of a study, and tells whoever watches.

    Args:
        jobs: All runs.
        reached: The generation that each is at.
        progress: Is told of each generation; None for nobody.
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
        """Whether the study is to go on: False once the watcher has said no."""
        self._start = time.perf_counter()
        self._done = 0.0

    def unfinished(self) -> list[str]:
        """The runs that are not at their last generation, in the order of the jobs."""
        return [name for name in self._jobs if self._reached[name] < self._end(name)]

    def begin(self, name: str) -> None:
        """Notes that a run goes on from now."""
        self._at_work.append(name)

    def end(self, name: str) -> None:
        """Notes that a run goes on no more."""
        self._at_work.remove(name)

    def restart(self, name: str, generation: int = 0) -> None:
        """Notes that a run begins anew, or once more at an earlier *generation*."""
        self._reached[name] = generation

    def tell(self, name: str, generation: int) -> bool:
        """Notes that a run is at *generation*; whether the study is to go on.

        A generation that was told already is not told again.
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
    """Shows how far a study is, and stops it cleanly on Ctrl-C. Use it in a ``with``."""

    until = "these generations"

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        super().__exit__(kind, *error)
        if kind is not None and not self.quiet and sys.stderr.isatty():
            print(file=sys.stderr)  # the line that changes has no end yet

    def show(self, progress: RunsProgress) -> bool:
        """Shows *progress*; False if the study is to stop."""
        if not self.quiet:
            show_progress(progress)
        return not self.interrupted


def show_progress(progress: RunsProgress) -> bool:
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


def _describe(progress: RunsProgress) -> str:
    going = ", ".join(f"{name} at {generation}" for name, generation in progress.going.items())
    return (
        f"{progress.finished} of {progress.runs} {progress.unit} finished"
        f", {format_seconds(progress.seconds_left)} left: {going or progress.run}"
    )
