"""The contract of executors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any

from numpy.typing import NDArray

from evolve_arena.arena.arena import make_ready
from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.work import Work


class Executor(ABC):
    """Does work. Use it in a ``with`` statement, or call :meth:`close`."""

    workers: int = 1
    """How many processes work at once."""

    seconds: float = 0.0
    """Time spent in :meth:`do` so far, but for compiling, as the caller's clock saw it."""

    @abstractmethod
    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work* and gives its outputs, in arrays that nobody else holds."""

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch* and gives their results in the order asked."""
        make_ready(batch)
        return Results.of(batch.game, self.do(batch.work()))

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
