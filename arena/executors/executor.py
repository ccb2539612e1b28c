"""The interface of executors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

from evolve_arena.arena.arena import make_ready
from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.tasks import Task
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.types import Array

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class Node:
    """A machine that works for an executor, and its statistics."""

    name: str
    address: str
    workers: int = 0
    """Number of workers there now."""
    done: int = 0
    """Number of chunks done, each of some matches or learners."""
    lost: int = 0
    """Number of chunks repeated because the worker or the node died."""
    late: int = 0
    """Number of chunks that were also sent to another worker because they took too long."""
    games: int = 0
    """Number of games played there."""
    rate: float = 0.0
    """Games per second, while there was something to play."""


class Executor(ABC):
    """Base of executors. Use it in a ``with`` statement, or call :meth:`close`."""

    workers: int = 1
    """Number of processes that work at a time."""

    seconds: float = 0.0
    """Time spent in :meth:`run` and :meth:`map` so far, without compiling, by wall clock."""

    remarks: tuple[str, ...] = ()
    """Remarks for the user about the execution."""

    @abstractmethod
    def run(self, work: Task) -> list[Array]:
        """Run all parts of *work*, and return its outputs in arrays that are not shared."""

    def play(self, batch: Batch) -> Results:
        """Play all matches of *batch* and return their results, in the same order."""
        make_ready(batch)
        return Results.of(batch.game, self.run(batch.work()))

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Apply *function* to each of *items*, and return the results in order.

        Args:
            function: Python code. It may run in another process: changes of state there are lost,
                and random numbers must derive from its item, as from a seed.
            items: The arguments.

        Raises:
            Exception: The exception of *function* for the first item with one. If it was in another
                process, a note has the traceback.
        """
        start = working_clock()
        try:
            return [function(item) for item in items]
        finally:
            self.seconds += working_clock() - start

    def nodes(self) -> list[Node]:
        """Return the machines that worked so far, with statistics, if there can be several."""
        return []

    def close(self) -> None:  # noqa: B027  (most executors hold nothing)
        """Free the executor's resources; it must not be used afterwards."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
