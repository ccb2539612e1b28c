"""Runs in processes of their own, which start after the kernels are compiled.

A child tells of each generation through a pipe, and looks there whether it is to stop. If the
parent dies, the pipe ends, which means the same: the run writes a checkpoint and stops.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import multiprocess
from multiprocess.connection import wait

from evolve_arena.arena.executors.processes import START_METHOD
from evolve_arena.core.errors import ArenaError
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.runs.run import Run, compile_kernels
from evolve_arena.runs.training import Progress
from evolve_arena.studies.report import ProgressTracker


class StudyFailedError(ArenaError):
    """Runs of a study that ended with an error: which, and why."""


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
        StudyFailedError: Runs failed otherwise; the others are finished.
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
        raise StudyFailedError(f"{'; '.join(failures)} (the other runs are kept)")
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

    def watch(now: Progress) -> bool:
        try:
            pipe.send(now.generation)
            return not pipe.poll()
        except (BrokenPipeError, ConnectionResetError):
            return False

    error, lost = None, False
    try:
        if workers > 1:
            run.advance(workers=workers, watch=watch)
        else:
            run.advance(executor="serial", watch=watch)
    except ArenaError as problem:
        error, lost = str(problem), isinstance(problem, DivergedError)
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        error = f"{type(problem).__name__}: {problem}"
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.send((error, lost))
