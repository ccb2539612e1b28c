"""What runs on the nodes of a Ray cluster: it is found there by its name, and never sent."""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import signal
import socket
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import dill
import numba
import numpy as np
from numpy.typing import NDArray

from evolve_arena import core
from evolve_arena.arena.executors.processes import IGNORED, WorkerError, apply_task, view_in
from evolve_arena.arena.work import Kernel, find_kernel
from evolve_arena.core.compiled import add_variants, cache_folder, working_clock
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.registry import GROUP, find_game, unpack_games
from evolve_arena.core.user_code import open_code

TOKEN = np.dtype("<u4")
"""What the queue holds for each chunk."""


def describe_versions() -> dict[str, str]:
    """What must be the same wherever parts of the same work are done."""
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
    """The machine, and where its compiled code lies: what is compiled there once is there."""
    return f"{socket.gethostname()}:{cache_folder()}"


class Share:
    """What one process does of work that lies in memory which others on its machine see, too.

    Each takes the next chunk from a queue as soon as it is done with one, so nobody has to ask.

    Args:
        order: What the work is: its kernel, options and variants, the layout of all arrays, and how
            many of them are inputs. The first three arrays are the chunks, who took each, and when
            it was begun and done, in seconds of this machine's clock, or 0.
        memory: Where the arrays are.
        queue: The file that gives the numbers of chunks that nobody has begun.
    """

    def __init__(self, order: Mapping[str, Any], memory: mmap.mmap, queue: int) -> None:
        self.chunks, self.owners, self.times, *arrays = view_in(memory, order["layout"])
        self.inputs, self.outputs = arrays[: order["inputs"]], arrays[order["inputs"] :]
        self._kernel, self._options, self._queue = _find(order), order["options"], queue
        self.do(slice(0, 0))  # compiles what is new

    def do(self, part: slice) -> None:
        """Does a part that nobody else does."""
        self._kernel(self._options, self.inputs, self.outputs, part)

    def do_next(self) -> bool:
        """Does the next chunk; False if there is none."""
        try:
            token = os.read(self._queue, TOKEN.itemsize)
        except BlockingIOError:
            return False
        if not token:
            return False  # the caller does not need it any more
        place = int(np.frombuffer(token, TOKEN)[0])
        self.owners[place], self.times[place, 0] = os.getpid(), time.monotonic()
        self.do(slice(*self.chunks[place].tolist()))
        self.times[place, 1] = time.monotonic()
        return True


class Worker:
    """Does parts of some work, or applies a function, as it is told.

    Args:
        games: What :func:`evolve_arena.core.registry.pack_games` gave the caller.
    """

    _memory: mmap.mmap
    _queue: int

    def __init__(self, games: Mapping[str, tuple[Any, ...]]) -> None:
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        core.on_compile = None  # the caller tells it
        unpack_games(games)
        self._number = 0
        self._do: Callable[[slice], Any] = lambda part: None
        self._files: list[tuple[str, int, int]] | None = None
        """The memory and the queue that it shares with others."""

    def hello(self) -> tuple[tuple[dict[str, str], str, int], float]:
        """Its versions, its place and its process, in the form in which :meth:`do` answers."""
        return (describe_versions(), describe_place(), os.getpid()), 0.0

    def do(
        self, chunk: tuple[int, int], number: int, order: Mapping[str, Any] | None = None
    ) -> tuple[Any, float]:
        """What comes of a *chunk* of the work with this *number*, and how many seconds it took.

        Args:
            chunk: Its first part, and the one after its last; no part if it takes chunks itself.
            number: Which work.
            order: What the work is, the first time that it has this number.

        Returns:
            An error that is to be raised by the caller in place of what comes of it, if there is
            one.
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

    def _understand(self, order: Mapping[str, Any]) -> Callable[[slice], Any]:
        """What does chunks as an *order* says.

        Raises:
            ArenaError: Something that it names is not known here.
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
        kernel, options = _find(order), order["options"]
        inputs = [_view(array) for array in order["inputs"]]
        outputs = [np.zeros(shape, dtype=kind) for kind, shape in order["outputs"]]

        def do(part: slice) -> list[NDArray[Any]]:
            kernel(options, inputs, outputs, part)
            return [output[part] for output in outputs]

        return do

    def _open(self, files: list[tuple[str, int, int]]) -> None:
        """Opens the memory and the queue that the caller shares.

        Raises:
            WorkerError: The caller has given them up.
        """
        if self._files:
            os.close(self._queue)
            self._files = None
        numbers = []
        try:
            for (path, *identity), mode in zip(files, (os.O_RDWR, os.O_RDONLY), strict=True):
                numbers.append(os.open(path, mode | os.O_NONBLOCK))
                if identify(numbers[-1]) != tuple(identity):
                    raise FileNotFoundError(path)
            self._memory, self._queue = mmap.mmap(numbers[0], 0), os.dup(numbers[1])
        except OSError as error:
            raise WorkerError(f"a worker does not find what it shares ({error})") from None
        finally:
            for number in numbers:
                os.close(number)
        self._files = files


def identify(file: int) -> tuple[int, int]:
    """What tells an open file from others on this machine."""
    status = os.fstat(file)
    return status.st_dev, status.st_ino


def _find(order: Mapping[str, Any]) -> Kernel:
    if order["variants"]:
        add_variants(find_game(order["options"]["game"]), order["variants"])
    return find_kernel(order["kernel"])


def _view(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory, in the object store, as an array that is not marked as read-only.

    Kernels only read their inputs, but Numba would compile them once more for such arrays.
    """
    if not array.nbytes:
        return array.copy()
    memory: Any = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array  # keeps it where it is
    return np.frombuffer(memory, dtype=array.dtype).reshape(array.shape)
