"""The simplest executor: this process plays everything."""

from __future__ import annotations

import time

from arena.batch import Batch, Results
from arena.executors.executor import Executor
from arena.kernels import run_kernel

__all__ = ["SerialExecutor"]


class SerialExecutor(Executor):
    """Plays one match after the other in the calling process."""

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch*."""
        start = time.perf_counter()
        results = run_kernel(batch)
        self.seconds += time.perf_counter() - start
        return results
