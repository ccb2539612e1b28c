"""An executor of persistent worker processes, with everything big in shared memory.

The processes are forked once, after the kernels are compiled. A batch is copied into memory
that all of them see; what goes through the pipes is where it lies and which matches to play.
The caller is a worker too: it would otherwise only wait, and to be woken takes longer than a
hundred matches. Who plays which matches depends on chance, but each match has a seed and a
place of its own, so the results do not.
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

from arena.batch import Batch, Results
from arena.executors.executor import Executor
from arena.kernels import run_kernel, warm_up
from games.bitboard import Rules
from games.errors import ArenaError
from players.lineup import Lineup

__all__ = ["ProcessExecutor", "WorkerError"]

SMALLEST_CHUNK = 256
IN_FLIGHT = 2
"""Chunks that a worker has at a time: while it plays one, the next is waiting."""
PATIENCE = 5.0
"""Seconds that a worker has to end by itself."""
FIRST_ROOM = 32 * 1024 * 1024
"""Bytes of address space; only what is written to takes memory."""

CHUNK = struct.Struct("qq")

Layout = list[tuple[int, str, tuple[int, ...]]]
Chunk = tuple[int, int]


class WorkerError(ArenaError):
    """A worker died twice over the same matches."""


class ProcessExecutor(Executor):
    """Plays batches in *workers* processes: this one, and others forked from it.

    A process that dies is replaced and its matches are played again, once.

    Raises:
        WorkerError: From :meth:`play`, if a worker dies over matches over which one died
            already.
    """

    def __init__(self, workers: int) -> None:
        warm_up()
        self.workers = workers
        self._context = multiprocess.get_context("fork")
        self._memory = mmap.mmap(-1, FIRST_ROOM)
        self._team: list[_Worker] = []
        self._ears: dict[int, _Worker] = {}
        self._poll = select.poll()

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch*."""
        start = time.perf_counter()
        arrays: list[NDArray[Any]] = [*batch.lineup, batch.pairings, batch.seeds, batch.openings]
        count = len(batch)
        layout = _lay_out(arrays, count)
        self._make_room(_end(layout))
        views = _view(self._memory, layout)
        for view, array in zip(views, arrays, strict=False):
            np.copyto(view, array)
        self._hire()
        try:
            self._play_chunks(batch, Results(*views[-3:]), layout)
        except BaseException:
            self._dismiss_all(kill=True)  # they still have chunks of this batch in hand
            raise
        results = Results(*(view.copy() for view in views[-3:]))
        self.seconds += time.perf_counter() - start
        return results

    def close(self) -> None:
        """Ends the workers."""
        self._dismiss_all()

    def processes(self) -> list[int]:
        """The ids of the processes beside this one."""
        return [worker.process.pid for worker in self._team]

    def _play_chunks(self, batch: Batch, results: Results, layout: Layout) -> None:
        chunks = _chunks(len(batch), self.workers)
        died_over: set[Chunk] = set()
        header = json.dumps({"layout": layout, "rules": list(batch.rules)}).encode()
        for worker in self._team:
            worker.assign(chunks, header)
        while chunks or any(worker.chunks for worker in self._team):
            for worker in self._listen(wait=not chunks):
                if worker.hear():
                    worker.assign(chunks)
                else:
                    self._replace(worker, died_over, header)
            if chunks:
                run_kernel(batch, results, slice(*chunks.popleft()))

    def _listen(self, *, wait: bool) -> list[_Worker]:
        """The workers that have something to say; waits for one if asked to."""
        return [self._ears[number] for number, _ in self._poll.poll(None if wait else 0)]

    def _replace(self, worker: _Worker, died_over: set[Chunk], header: bytes) -> None:
        lost = deque(worker.chunks)
        self._dismiss(worker)
        if died_over.intersection(list(lost)[:1]):
            raise WorkerError(
                f"a worker died twice over the same matches ({_describe_end(worker.code)}); "
                "try the executor 'serial'"
            )
        died_over.update(list(lost)[:1])
        self._hire()
        self._team[-1].assign(lost, header)

    def _dismiss_all(self, *, kill: bool = False) -> None:
        for worker in list(self._team):
            self._dismiss(worker, kill=kill)

    def _dismiss(self, worker: _Worker, *, kill: bool = False) -> None:
        self._poll.unregister(worker.pipe.fileno())
        del self._ears[worker.pipe.fileno()]
        self._team.remove(worker)
        worker.bury(kill=kill)

    def _hire(self) -> None:
        while len(self._team) < self.workers - 1:
            worker = _Worker(self._context, self._memory)
            self._team.append(worker)
            self._ears[worker.pipe.fileno()] = worker
            self._poll.register(worker.pipe.fileno(), select.POLLIN)

    def _make_room(self, needed: int) -> None:
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
        self.code: int | None = None
        """The exit code, once it is known."""

    def assign(self, chunks: deque[Chunk], header: bytes = b"") -> None:
        """Sends chunks until enough are in flight, the first with the batch's *header*."""
        while chunks and len(self.chunks) < IN_FLIGHT:
            chunk = chunks.popleft()
            self.chunks.append(chunk)
            try:
                self.pipe.send_bytes(CHUNK.pack(*chunk) + header)
            except (BrokenPipeError, ConnectionResetError):
                return  # it is dead: `hear` will find out, and the chunk counts as lost
            header = b""

    def hear(self) -> bool:
        """Takes note that the first chunk is played; False if the worker is dead."""
        try:
            self.pipe.recv_bytes()
        except (EOFError, ConnectionResetError):
            return False
        self.chunks.popleft()
        return True

    def bury(self, *, kill: bool) -> None:
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
    """The worker's life: plays chunks until the pipe closes or the caller is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _close_inherited(pipe.fileno())
    try:
        while True:
            while not pipe.poll(1.0):
                if os.getppid() != parent:
                    return
            message = pipe.recv_bytes()
            if len(message) > CHUNK.size:
                batch, results = _read_header(memory, message[CHUNK.size :])
            run_kernel(batch, results, slice(*CHUNK.unpack_from(message)))
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


def _read_header(memory: mmap.mmap, header: bytes) -> tuple[Batch, Results]:
    order = json.loads(header)
    views = _view(memory, order["layout"])
    players = len(Lineup._fields)
    lineup, rest = Lineup(*views[:players]), views[players:]
    batch = Batch(Rules(*order["rules"]), lineup, *rest[:3])
    return batch, Results(*rest[3:])


def _lay_out(arrays: list[NDArray[Any]], count: int) -> Layout:
    """Where each array and the three result arrays lie in the shared memory."""
    layout: Layout = []
    results = [("int8", (count,)), ("int16", (count,)), ("uint64", (count,))]
    at = 0
    for kind, shape in [(array.dtype.str, array.shape) for array in arrays] + results:
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


def _chunks(count: int, workers: int) -> deque[Chunk]:
    """Parts of *count* matches, large ones first, so that all workers end together."""
    chunks: deque[Chunk] = deque()
    start = 0
    while start < count:
        size = max(SMALLEST_CHUNK, count // (64 * workers), (count - start) // (2 * workers))
        stop = min(count, start + size)
        chunks.append((start, stop))
        start = stop
    return chunks


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
