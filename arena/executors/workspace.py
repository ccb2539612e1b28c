"""Memory with the arrays of some work, which several processes on a machine see."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.executors.parts import find_described
from evolve_arena.arena.work import Work

Layout = list[tuple[int, str, tuple[int, ...]]]
TOKEN = np.dtype("<u4")
"""What the queue of a workspace holds for each chunk."""


def lay_out(work: Work) -> Layout:
    """Where each array that goes in or comes out lies in the shared memory."""
    layout: Layout = []
    at = 0
    for kind, shape in [(array.dtype.str, array.shape) for array in work.inputs] + [*work.outputs]:
        layout.append((at, kind, shape))
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        at += -(-size // 64) * 64
    return layout


def end_of(layout: Layout) -> int:
    """How many bytes that takes."""
    at, kind, shape = layout[-1]
    return at + np.dtype(kind).itemsize * int(np.prod(shape))


def view_in(memory: mmap.mmap, layout: Layout) -> list[NDArray[Any]]:
    """The arrays that lie there."""
    return [
        np.frombuffer(memory, dtype=kind, count=int(np.prod(shape)), offset=at).reshape(shape)
        for at, kind, shape in layout
    ]


class Workspace:
    """Memory that workers on this machine see, too, and a queue of chunks that nobody has begun.

    Both are files without a name, so nothing is left if this process is killed.

    Args:
        size: Bytes.
    """

    def __init__(self, size: int) -> None:
        file = os.memfd_create("evolve-arena")
        os.ftruncate(file, size)
        self.memory = mmap.mmap(file, size)
        self.queue, self._end = os.pipe()
        os.set_blocking(self.queue, False)
        self.files = [
            (f"/proc/{os.getpid()}/fd/{each}", *identify(each)) for each in (file, self.queue)
        ]
        """Where each is found, and how it is told from another one."""
        self._numbers = file, self.queue, self._end

    def fill(self, count: int) -> None:
        """Puts the numbers of *count* chunks into the queue."""
        os.write(self._end, np.arange(count, dtype=TOKEN).tobytes())

    def close(self) -> None:
        """Empties the queue, and leaves the memory to those who still see it."""
        with suppress(BlockingIOError):  # until it is empty
            while os.read(self.queue, 2**16):
                pass
        for number in self._numbers:
            os.close(number)


def open_workspace(files: list[tuple[str, int, int]]) -> tuple[mmap.mmap, int]:
    """The memory and the queue of another process's workspace, from its `Workspace.files`.

    Raises:
        OSError: It is closed.
    """
    numbers = []
    try:
        for (path, *identity), mode in zip(files, (os.O_RDWR, os.O_RDONLY), strict=True):
            numbers.append(os.open(path, mode | os.O_NONBLOCK))
            if identify(numbers[-1]) != tuple(identity):
                raise FileNotFoundError(path)
        return mmap.mmap(numbers[0], 0), os.dup(numbers[1])
    finally:
        for number in numbers:
            os.close(number)


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
        self._kernel, self._options, self._queue = find_described(order), order["options"], queue
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


def identify(file: int) -> tuple[int, int]:
    """What tells an open file from others on this machine."""
    status = os.fstat(file)
    return status.st_dev, status.st_ino
