"""The simplest executor: this process does everything."""

from __future__ import annotations

import time
from typing import Any

from numpy.typing import NDArray

from evolve_arena.arena.executors.executor import Executor
from evolve_arena.arena.work import Work, find_kernel, new_outputs


class SerialExecutor(Executor):
    """Does one part after the other in the calling process."""

    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work*."""
        start = time.perf_counter()
        outputs = new_outputs(work)
        find_kernel(work.kernel)(work.options, work.inputs, outputs, slice(0, len(work)))
        self.seconds += time.perf_counter() - start
        return outputs
