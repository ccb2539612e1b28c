"""Shared memory with the arrays of a task, for several processes on a machine."""

from __future__ import annotations

import mmap
import os
import time
from contextlib import suppress
from typing import TypeAlias

import numpy as np

from evolve_arena.arena.executors.parts import find_described
from evolve_arena.arena.tasks import Task
from evolve_arena.core.types import Array, Settings

Layout: TypeAlias = list[tuple[int, str, tuple[int, ...]]]
"""The offset, type and shape of each array."""
TOKEN = np.dtype("<u4")
"""Type of the number of a chunk in the queue of a workspace."""


def lay_out(work: Task) -> Layout:
    """Return the places of all inputs and outputs of the task *work* in shared memory."""
    layout: Layout = []
    at = 0
    for kind, shape in [(array.dtype.str, array.shape) for array in work.inputs] + [*work.outputs]:
        layout.append((at, kind, shape))
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        at += -(-size // 64) * 64
    return layout


def end_of(layout: Layout) -> int:
    """Return the number of bytes of a *layout*."""
    at, kind, shape = layout[-1]
    return at + np.dtype(kind).itemsize * int(np.prod(shape))


def view_in(memory: mmap.mmap, layout: Layout) -> list[Array]:
    """Return the arrays of a *layout* as views of *memory*."""
    return [
        np.frombuffer(memory, dtype=kind, count=int(np.prod(shape)), offset=at).reshape(shape)
        for at, kind, shape in layout
    ]


class TaskWorkspace:
    """Memory that is shared with workers on this machine, and a queue of chunks to run.

    Both are files without a name, so nothing remains if this process is killed.

    Args:
        size: Size in bytes.
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
        """Path and identity of the memory's file, and of the queue's."""
        self._numbers = file, self.queue, self._end

    def fill(self, count: int) -> None:
        """Write the numbers of *count* chunks to the queue."""
        os.write(self._end, np.arange(count, dtype=TOKEN).tobytes())

    def close(self) -> None:
        """Empty the queue, and leave the memory to the processes that still share it."""
        with suppress(BlockingIOError):  # until it is empty
            while os.read(self.queue, 2**16):
                pass
        for number in self._numbers:
            os.close(number)


def open_workspace(files: list[tuple[str, int, int]]) -> tuple[mmap.mmap, int]:
    """Open the memory and the queue of another process's workspace, from its `TaskWorkspace.files`.

    Raises:
        OSError: The workspace is closed.
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
    """One process's share of a task in memory that several processes on a machine share.

    Each process takes the next chunk from a queue when it has run one, without communication.

    Args:
        order: The description of the task: its kernel, options and variants, the layout of all
            arrays, and the number of inputs. The first three arrays are the chunks, the process
            that took each, and the times of its beginning and end, in seconds of this machine's
            clock, or 0.
        memory: The memory with the arrays.
        queue: The file with the numbers of chunks to run.
    """

    def __init__(self, order: Settings, memory: mmap.mmap, queue: int) -> None:
        self.chunks, self.owners, self.times, *arrays = view_in(memory, order["layout"])
        self.inputs, self.outputs = arrays[: order["inputs"]], arrays[order["inputs"] :]
        self._kernel, self._options, self._queue = find_described(order), order["options"], queue
        self.run(slice(0, 0))  # compiles what is new

    def run(self, part: slice) -> None:
        """Run a part that no other process runs."""
        self._kernel(self._options, self.inputs, self.outputs, part)

    def do_next(self) -> bool:
        """Run the next chunk of the queue; return False if there is none."""
        try:
            token = os.read(self._queue, TOKEN.itemsize)
        except BlockingIOError:
            return False
        if not token:
            return False  # the caller has closed the workspace
        place = int(np.frombuffer(token, TOKEN)[0])
        self.owners[place], self.times[place, 0] = os.getpid(), time.monotonic()
        self.run(slice(*self.chunks[place].tolist()))
        self.times[place, 1] = time.monotonic()
        return True


def identify(file: int) -> tuple[int, int]:
    """Return the identity of an open file on this machine: its device and inode."""
    status = os.fstat(file)
    return status.st_dev, status.st_ino
