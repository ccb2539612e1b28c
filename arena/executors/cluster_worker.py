"""Workers on the nodes of a Ray cluster; nodes import this module, it is never sent."""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import signal
import socket
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import dill
import numba
import numpy as np

from evolve_arena import core
from evolve_arena.arena.executors.parts import find_described
from evolve_arena.arena.executors.processes import IGNORED, Memory, WorkerError, apply_task
from evolve_arena.arena.executors.workspace import Share, open_workspace
from evolve_arena.core.compiled import cache_folder, working_clock
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.registry import GROUP, PackedGames, unpack_games
from evolve_arena.core.types import Array, Settings
from evolve_arena.core.user_code import open_code


def describe_versions() -> dict[str, str]:
    """Return the versions that must be the same on all nodes."""
    installed = {dist.name: dist.version for dist in metadata.distributions(name="evolve-arena")}
    points = metadata.entry_points(group=GROUP)
    return {
        **installed,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "Numba": numba.__version__,
        **{point.dist.name: point.dist.version for point in points if point.dist},
        "the kernels' sources": cache_folder().name.removeprefix("kernels-"),
    }


def describe_place() -> str:
    """Return the machine and the folder of its compiled code, which its workers share."""
    return f"{socket.gethostname()}:{cache_folder()}"


class Worker:
    """A worker that runs parts of tasks, or applies a function to items.

    Args:
        games: The games that :func:`evolve_arena.core.registry.pack_games` returned to the caller.
    """

    _memory: mmap.mmap
    _queue: int

    def __init__(self, games: PackedGames) -> None:
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        core.on_compile = None  # the caller reports it
        unpack_games(games)
        self._number = 0
        self._do: Callable[[slice], object] = lambda part: None
        self._files: list[tuple[str, int, int]] | None = None
        """The memory and the queue that are shared with others."""

    def hello(self) -> tuple[tuple[dict[str, str], str, int], float]:
        """Return the worker's versions, place and process, in the form of :meth:`run`."""
        return (describe_versions(), describe_place(), os.getpid()), 0.0

    def run(
        self, chunk: tuple[int, int], number: int, order: Settings | None = None
    ) -> tuple[object, float]:
        """Run a *chunk* of the task with this *number*, and return the result and its seconds.

        Args:
            chunk: The first part, and the one after the last; no parts if the worker takes chunks
                from a queue.
            number: The number of the task.
            order: The description of the task, for the first chunk of this number.

        Returns:
            The result, or the error that the caller is to raise instead; and the seconds that it
            took.
        """
        if number != self._number and order is None:
            return WorkerError(f"work {number} was not explained to a worker"), 0.0
        try:
            if order is not None:
                self._do = self._understand(order)
                self._number = number
            begin = working_clock()
            answer = self._do(slice(*chunk))
        except ArenaError as error:
            return ArenaError(str(error)), 0.0
        except Exception as error:
            what = one_line(f"{type(error).__name__}: {error}", 160)
            return WorkerError(f"a worker on {socket.gethostname()} failed: {what}"), 0.0
        return answer, working_clock() - begin

    def _understand(self, order: Settings) -> Callable[[slice], object]:
        """Return a function that runs chunks of the task that *order* describes.

        Raises:
            ArenaError: The order names something that is unknown here.
        """
        if "task" in order:
            try:
                for path, source in order["code"]:
                    open_code(Path(path), source)
                task, parent = dill.loads(order["task"]), os.getppid()
            except Exception as error:
                raise WorkerError(
                    f"a worker can't read the function that it is to apply ({error})"
                ) from None
            return lambda part: apply_task(task, parent, part)
        if "layout" in order:
            if self._files != order["files"]:
                self._open(order["files"])
            share = Share(order, self._memory, self._queue)

            def do_chunks(part: slice) -> None:
                while share.do_next():
                    pass

            return do_chunks
        kernel, options = find_described(order), order["options"]
        inputs = [_view(array) for array in order["inputs"]]
        outputs = [np.zeros(shape, dtype=kind) for kind, shape in order["outputs"]]

        def run(part: slice) -> list[Array]:
            kernel(options, inputs, outputs, part)
            return [output[part] for output in outputs]

        return run

    def _open(self, files: list[tuple[str, int, int]]) -> None:
        """Open the memory and the queue that the caller shares.

        Raises:
            WorkerError: The caller has closed them.
        """
        if self._files:
            os.close(self._queue)
            self._files = None
        try:
            self._memory, self._queue = open_workspace(files)
        except OSError as error:
            raise WorkerError(f"a worker does not find what it shares ({error})") from None
        self._files = files


def _view(array: Array) -> Array:
    """Return the same memory, in the object store, as an array that is not read-only.

    Kernels only read their inputs, but Numba would compile them again for read-only arrays.
    """
    if not array.nbytes:
        return array.copy()
    memory: Memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array  # keeps it where it is
    return np.frombuffer(memory, dtype=array.dtype).reshape(array.shape)
