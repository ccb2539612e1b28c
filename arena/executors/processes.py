"""An executor of persistent worker processes, with everything big in shared memory.

The processes are forked once, after the kernels are compiled. The arrays of some work are copied
into memory that all of them see; what goes through the pipes is where they lie and which part to
do. The caller is a worker too: it would otherwise only wait, and to be woken takes longer than a
hundred matches. Who does which part depends on chance, but each part has its own seed and place,
so the results do not.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import struct
import time
from collections import deque
from typing import Any

import multiprocess
import numpy as np
from numpy.typing import NDArray

from evolve_arena import core
from evolve_arena.arena.executors.executor import Executor
from evolve_arena.arena.work import Work, find_kernel
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.logs import LOG

IN_FLIGHT = 2
"""Chunks that a worker has at a time, unless they are large: while it does one, the next is
waiting."""
PATIENCE = 5.0
"""Seconds that a worker has to end by itself."""
FIRST_ROOM = 32 * 1024 * 1024
"""Bytes of address space; only what is written to takes memory."""

CHUNK = struct.Struct("qq")

Arrays = list[NDArray[Any]]
Layout = list[tuple[int, str, tuple[int, ...]]]
Chunk = tuple[int, int]


class WorkerError(ArenaError):
    """A worker died twice over the same part."""


class ProcessExecutor(Executor):
    """Works in *workers* processes: this one, and others forked from it.

    A process that dies is replaced and what it had in hand is done again, once.

    Raises:
        WorkerError: From :meth:`do`, if a worker dies over a part over which one died already.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._context = multiprocess.get_context("fork")
        self._memory = mmap.mmap(-1, FIRST_ROOM)
        self._team: list[_Worker] = []
        self._ears: dict[int, _Worker] = {}
        self._poll = select.poll()
        self._known: set[tuple[str, Any]] = set()

    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work*."""
        start = working_clock()
        layout = _lay_out(work)
        self._reserve(_end(layout))
        views = _view(self._memory, layout)
        for view, array in zip(views, work.inputs, strict=False):
            np.copyto(view, array)
        inputs, outputs = views[: len(work.inputs)], views[len(work.inputs) :]
        self._prepare(work, inputs, outputs)
        self._hire()
        try:
            self._do_chunks(work, inputs, outputs, layout)
        except BaseException:
            self._dismiss_all(kill=True)  # they still have chunks of this work in hand
            raise
        copies = [view.copy() for view in outputs]
        self.seconds += working_clock() - start
        return copies

    def close(self) -> None:
        """Ends the workers."""
        self._dismiss_all()

    def processes(self) -> list[int]:
        """The ids of the processes beside this one."""
        return [worker.process.pid for worker in self._team]

    def _prepare(self, work: Work, inputs: Arrays, outputs: Arrays) -> None:
        """Compiles a kernel that is new, so that workers find its machine code in the cache."""
        known = work.kernel, work.options.get("game")
        if known not in self._known:
            find_kernel(work.kernel)(work.options, inputs, outputs, slice(0, 0))
            self._known.add(known)

    def _do_chunks(self, work: Work, inputs: Arrays, outputs: Arrays, layout: Layout) -> None:
        chunks = _chunks(work, self.workers)
        died_over: set[Chunk] = set()
        kernel = find_kernel(work.kernel)
        order = {
            "kernel": work.kernel,
            "options": dict(work.options),
            "layout": layout,
            "inputs": len(inputs),
        }
        header = json.dumps(order).encode()
        for worker in self._team:
            worker.most = 1 if work.coarse else IN_FLIGHT
            worker.assign(chunks, header)
        while chunks or any(worker.chunks for worker in self._team):
            for worker in self._listen(wait=not chunks):
                if worker.receive():
                    worker.assign(chunks)
                else:
                    self._replace(worker, died_over, header)
            if chunks:
                kernel(work.options, inputs, outputs, slice(*chunks.popleft()))

    def _listen(self, *, wait: bool) -> list[_Worker]:
        """The workers that have something to say; waits for one if asked to."""
        return [self._ears[number] for number, _ in self._poll.poll(None if wait else 0)]

    def _replace(self, worker: _Worker, died_over: set[Chunk], header: bytes) -> None:
        lost = deque(worker.chunks)
        self._dismiss(worker)
        LOG.warning("a worker died (%s); another one takes its place", _describe_end(worker.code))
        if died_over.intersection(list(lost)[:1]):
            raise WorkerError(
                f"a worker died twice over the same part ({_describe_end(worker.code)}); "
                "try the executor 'serial'"
            )
        died_over.update(list(lost)[:1])
        self._hire()
        self._team[-1].most = worker.most
        self._team[-1].assign(lost, header)

    def _dismiss_all(self, *, kill: bool = False) -> None:
        for worker in list(self._team):
            self._dismiss(worker, kill=kill)

    def _dismiss(self, worker: _Worker, *, kill: bool = False) -> None:
        self._poll.unregister(worker.pipe.fileno())
        del self._ears[worker.pipe.fileno()]
        self._team.remove(worker)
        worker.join(kill=kill)

    def _hire(self) -> None:
        while len(self._team) < self.workers - 1:
            worker = _Worker(self._context, self._memory)
            LOG.debug("worker %d begins", worker.process.pid)
            self._team.append(worker)
            self._ears[worker.pipe.fileno()] = worker
            self._poll.register(worker.pipe.fileno(), select.POLLIN)

    def _reserve(self, needed: int) -> None:
        if needed > len(self._memory):
            self.close()
            self._memory = mmap.mmap(-1, 2 * needed)


class _Worker:
    """The caller's side of one worker process."""

    def __init__(self, context: Any, memory: mmap.mmap) -> None:
        self.pipe, far_end = context.Pipe()
        arguments = (far_end, memory, os.getpid())
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        far_end.close()
        self.chunks: deque[Chunk] = deque()
        self.most = IN_FLIGHT
        """How many chunks it may have at a time."""
        self.code: int | None = None
        """The exit code, once it is known."""

    def assign(self, chunks: deque[Chunk], header: bytes = b"") -> None:
        """Sends chunks until enough are in flight, the first with the work's *header*."""
        while chunks and len(self.chunks) < self.most:
            chunk = chunks.popleft()
            self.chunks.append(chunk)
            try:
                self.pipe.send_bytes(CHUNK.pack(*chunk) + header)
            except (BrokenPipeError, ConnectionResetError):
                return  # it is dead: `hear` will find out, and the chunk counts as lost
            header = b""

    def receive(self) -> bool:
        """Takes note that the first chunk is done; False if the worker is dead."""
        try:
            self.pipe.recv_bytes()
        except (EOFError, ConnectionResetError):
            return False
        self.chunks.popleft()
        return True

    def join(self, *, kill: bool) -> None:
        """Ends the worker, which notices that its pipe is closed, and cleans up after it."""
        self.pipe.close()
        deadline = time.monotonic() + (0.0 if kill else PATIENCE)
        # Not join(timeout): it waits for a pipe that the worker has closed with all others.
        while self.process.exitcode is None and time.monotonic() < deadline:
            time.sleep(0.001)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.code = self.process.exitcode
        self.process.close()


def _work(pipe: Any, memory: mmap.mmap, parent: int) -> None:
    """The worker's life: does chunks until the pipe closes or the caller is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # who sends it to all means the caller, who ends us
    _close_inherited(pipe.fileno())
    core.on_compile = None  # the caller tells it
    try:
        while True:
            while not pipe.poll(1.0):
                if os.getppid() != parent:
                    return
            message = pipe.recv_bytes()
            if len(message) > CHUNK.size:
                order = json.loads(message[CHUNK.size :])
                views = _view(memory, order["layout"])
                kernel = find_kernel(order["kernel"])
            inputs, outputs = views[: order["inputs"]], views[order["inputs"] :]
            kernel(order["options"], inputs, outputs, slice(*CHUNK.unpack_from(message)))
            pipe.send_bytes(b"")
    except (EOFError, ConnectionResetError, BrokenPipeError):
        return


def _close_inherited(keep: int) -> None:
    """Closes every file that the fork brought along, except the standard ones and *keep*.

    Held open here, a run's lock would outlive the caller, and another worker's pipe would
    never tell that worker that the caller is dead.
    """
    os.closerange(3, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))


def _lay_out(work: Work) -> Layout:
    """Where each array that goes in or comes out lies in the shared memory."""
    layout: Layout = []
    at = 0
    for kind, shape in [(array.dtype.str, array.shape) for array in work.inputs] + [*work.outputs]:
        layout.append((at, kind, shape))
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        at += -(-size // 64) * 64
    return layout


def _end(layout: Layout) -> int:
    at, kind, shape = layout[-1]
    return at + np.dtype(kind).itemsize * int(np.prod(shape))


def _view(memory: mmap.mmap, layout: Layout) -> list[NDArray[Any]]:
    return [
        np.frombuffer(memory, dtype=kind, count=int(np.prod(shape)), offset=at).reshape(shape)
        for at, kind, shape in layout
    ]


def _chunks(work: Work, workers: int) -> deque[Chunk]:
    """Parts of *work*, many at once and more of them first, so that all workers end together."""
    count = len(work)
    if work.coarse:
        return deque((part, part + 1) for part in range(count))
    chunks: deque[Chunk] = deque()
    start = 0
    while start < count:
        size = max(work.fewest, count // (64 * workers), (count - start) // (2 * workers))
        stop = min(count, start + size)
        chunks.append((start, stop))
        start = stop
    return chunks


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
