"""The contract of executors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from numpy.typing import NDArray

from evolve_arena.arena.arena import make_ready
from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.work import Work
from evolve_arena.core.compiled import working_clock

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(ABC):
    """Does work. Use it in a ``with`` statement, or call :meth:`close`."""

    workers: int = 1
    """How many processes work at once."""

    seconds: float = 0.0
    """Time spent in :meth:`do` and :meth:`map` so far, but for compiling, as the caller's clock saw
    it."""

    remarks: tuple[str, ...] = ()
    """What the user should know of how it went."""

    @abstractmethod
    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work* and gives its outputs, in arrays that nobody else holds."""

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch* and gives their results in the order asked."""
        make_ready(batch)
        return Results.of(batch.game, self.do(batch.work()))

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """What *function* gives for each of *items*, in their order.

        Args:
            function: Python code. It may run in another process: what it changes there is lost, and
                what chance decides must follow from its item, as from a seed.
            items: What it is applied to.

        Raises:
            Exception: What *function* raises, for the first item for which it does. If that was in
                another process, a note tells the traceback.
        """
        start = working_clock()
        try:
            return [function(item) for item in items]
        finally:
            self.seconds += working_clock() - start

    def close(self) -> None:  # noqa: B027  (most executors hold nothing)
        """Frees what the executor holds; it must not be used afterwards."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
