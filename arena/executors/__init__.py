"""Executors of tasks, such as batches of matches; results do not depend on the executor."""

from __future__ import annotations

import os

import multiprocess

from evolve_arena.arena.executors.executor import Executor, Node
from evolve_arena.arena.executors.processes import MAX_WORKERS, ProcessExecutor, WorkerError
from evolve_arena.arena.tasks import Task, find_kernel, new_outputs
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.extras import check_extra
from evolve_arena.core.types import Array

__all__ = [
    "EXECUTORS",
    "Executor",
    "Node",
    "ProcessExecutor",
    "SerialExecutor",
    "WorkerError",
    "check_executor",
    "default_workers",
    "make_executor",
]

EXECUTORS = {
    "serial": "in this process, one match after the other",
    "multiprocess": "in worker processes, one per core unless told otherwise",
    "spawn": "in worker processes that start from nothing, as Windows and macOS need",
    "ray": "in worker processes of a Ray cluster, on this machine or on many",
}
"""Descriptions of executors by name; ``multiprocess`` forks where that is safe."""


def make_executor(
    name: str | None = None, workers: int | None = None, address: str | None = None
) -> Executor:
    """Make the executor called *name*; the best one for this machine if None.

    Args:
        name: One of :data:`EXECUTORS`.
        workers: Number of processes; one per core if None.
        address: The Ray cluster, ``auto`` or ``host:port``; if None, the executor ``ray`` starts
            one on this machine.

    Raises:
        UnknownNameError: There is no such executor.
        BadValueError: *workers* is not from 1 to 256, or another executor than ``ray`` is given an
            address.
        MissingPackageError: Ray is not installed.
    """
    name = check_executor(name, workers, address)
    if name == "serial":
        return SerialExecutor()
    if name == "ray":
        from evolve_arena.arena.executors.cluster import RayExecutor

        return RayExecutor(workers if address else workers or default_workers(), address)
    return ProcessExecutor(workers or default_workers(), "spawn" if name == "spawn" else None)


def check_executor(name: str | None, workers: int | None, address: str | None = None) -> str:
    """Return the name of the executor that :func:`make_executor` would make, without making it.

    Args:
        name: One of :data:`EXECUTORS`; ``multiprocess`` if None.
        workers: Number of processes; one per core if None.
        address: The Ray cluster, ``auto`` or ``host:port``; None for every executor but ``ray``,
            and for a cluster on this machine.

    Raises:
        UnknownNameError: There is no such executor.
        BadValueError: *workers* is not from 1 to 256 (61 on Windows), or another executor than
            ``ray`` is given an address.
        MissingPackageError: Ray is not installed.
        SystemExit: This is a worker that imports its caller's script, which lacks a line
            ``if __name__ == "__main__":``. The caller reports that.
    """
    if getattr(multiprocess.current_process(), "_inheriting", False):
        raise SystemExit(1)
    name = name or "multiprocess"
    if name not in EXECUTORS:
        raise UnknownNameError("executor", name, EXECUTORS)
    if workers is not None and not 1 <= workers <= MAX_WORKERS:
        raise BadValueError(f"workers is {workers}: it must be from 1 to {MAX_WORKERS}")
    if address is not None and name != "ray":
        raise BadValueError(f"an address is for the executor 'ray', and not for {name!r}")
    if name == "ray":
        check_extra("ray", "ray")
    return name


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    usable = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if usable else os.cpu_count() or 1
    return min(max(1, cores), MAX_WORKERS)


class SerialExecutor(Executor):
    """Executor that runs one part after the other in the calling process."""

    def run(self, work: Task) -> list[Array]:
        """Run all parts of the task *work*."""
        start = working_clock()
        outputs = new_outputs(work)
        find_kernel(work.kernel)(work.options, work.inputs, outputs, slice(0, len(work)))
        self.seconds += working_clock() - start
        return outputs
