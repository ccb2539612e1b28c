"""An executor with persistent worker processes and arrays in shared memory.

Where forking is safe, processes are forked once, after the kernels are compiled; elsewhere they are
spawned, import kernels by name, and read their machine code from the cache. The arrays of a task
are copied into memory that all of them share; only their places and the parts to do go through
pipes. The caller is a worker, too: it would otherwise only wait, and waking up takes longer than a
hundred matches. The distribution of parts depends on chance, but each part has its own seed and
place, so the results do not.
"""

from __future__ import annotations

import mmap
import os
import pickle
import select
import signal
import struct
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import Any, TypeAlias

import dill
import multiprocess
import numpy as np
from multiprocess import resource_tracker, spawn, util
from multiprocess.connection import Connection
from multiprocess.connection import wait as wait_for_pipes
from multiprocess.heap import Arena as SharedMemory

from evolve_arena import core
from evolve_arena.arena.executors.executor import Executor, Item, Result
from evolve_arena.arena.executors.parts import Chunk, describe, find_described, make_chunks
from evolve_arena.arena.executors.workspace import end_of, lay_out, view_in
from evolve_arena.arena.tasks import Task, find_kernel
from evolve_arena.core.children import keep_folder_out
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import PackedGames, pack_games, unpack_games
from evolve_arena.core.types import Array, JsonObject
from evolve_arena.core.user_code import open_code, opened_files

START_METHOD = "fork" if hasattr(os, "fork") and sys.platform != "darwin" else "spawn"
"""The usual start method: macOS has fork, but its own libraries do not survive it."""
MAX_WORKERS = 256 if hasattr(select, "poll") else 61
"""Most workers; Windows can't wait for more pipes at a time."""
IN_FLIGHT = 2
"""Most chunks that a worker has at a time, unless they are large: the next one waits while it runs
one."""
PATIENCE = 5.0
"""Seconds for a worker to end by itself."""
FIRST_SIZE = 32 * 1024 * 1024
"""Initial bytes of address space; pages take memory when they are written."""
IGNORED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Signals that workers ignore: sent to a whole group, they are meant for the caller, which ends the
workers."""
REPLACED: list[object] = []
"""Signal handlers of the caller, which a worker has replaced."""

CHUNK = struct.Struct("qq")

keep_folder_out(util, spawn)

MapTask: TypeAlias = tuple[Callable[[Any], object], list[Any]]
"""A function, and the items to which it is applied."""
Memory: TypeAlias = Any
"""Shared memory: an `mmap.mmap`, or the library's own for processes that are spawned."""
Answer: TypeAlias = Any
"""The answer of a worker to a chunk: results and an exception, or nothing."""

STARTING: Chunk = (-1, -1)
"""Chunk that stands for the start of a worker."""
READY = "ready"


def find_start_method() -> str:
    """Return the start method that is safe in this process: ``fork`` or ``spawn``.

    Ray has threads of its own, which a forked process does not have; it may wait forever for what
    one of them held.
    """
    ray = sys.modules.get("ray")
    return "spawn" if ray is not None and ray.is_initialized() else START_METHOD


class WorkerError(ArenaError):
    """Raised if workers die over the same part, or can't start."""


class ProcessExecutor(Executor):
    """Executor with *workers* processes: this one, and others that it starts.

    A process that dies is replaced, and its unfinished chunks are repeated, once.

    Args:
        workers: Number of processes.
        method: ``fork``, or ``spawn``, which takes a second or two; the one that is safe in this
            process if None.

    Raises:
        WorkerError: From :meth:`run`, if a second worker dies over the same part, or one ends while
            it starts; from :meth:`map`, if one dies.
    """

    def __init__(self, workers: int, method: str | None = None) -> None:
        self.workers = workers
        self._method = method or find_start_method()
        self._known: set[tuple[str, object]] = set()
        self._make_team(FIRST_SIZE)

    def run(self, work: Task) -> list[Array]:
        """Run all parts of the task *work*."""
        start = working_clock()
        layout = lay_out(work)
        if end_of(layout) > len(self._memory):
            self.close()
            self._make_team(2 * end_of(layout))
        views = view_in(self._memory, layout)
        for view, array in zip(views, work.inputs, strict=False):
            np.copyto(view, array)
        inputs, outputs = views[: len(work.inputs)], views[len(work.inputs) :]
        self._prepare(work, inputs, outputs)
        kernel = find_kernel(work.kernel)
        order = describe(work) | {"layout": layout, "inputs": len(inputs)}
        for _ in self._team.share(
            make_chunks(len(work), self.workers, 0 if work.coarse else work.fewest),
            pickle.dumps(order),
            1 if work.coarse else IN_FLIGHT,
            own=lambda chunk: kernel(work.options, inputs, outputs, slice(*chunk)),
        ):
            pass
        copies = [view.copy() for view in outputs]
        self.seconds += working_clock() - start
        return copies

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Map as in `Executor.map`, in *workers* processes beside this one.

        Forked processes share the state of this one; to spawned ones, *function* and *items* are
        sent, pickled.

        Raises:
            WorkerError: A worker dies, or the function or an item can't be sent.
        """
        items = list(items)
        if min(self.workers, len(items)) < 2:
            return super().map(function, items)
        start = working_clock()
        if self._method == "fork":
            team, header = (
                _Team(min(self.workers, len(items)), "fork", None, (function, items)),
                b"",
            )
        else:
            team, header = (
                self._team,
                pickle.dumps({"task": pack_task(function, items), "code": opened_files()}),
            )
            team.size = self.workers  # the caller only waits
        chunks = make_chunks(len(items), self.workers, 1)
        done = team.share(chunks, header, 1, again=False)

        def in_hand() -> Iterator[Chunk]:
            return (chunk for worker in team.workers for chunk in worker.chunks)

        try:
            return gather(done, chunks, in_hand, len(items))
        finally:
            if team is not self._team:
                team.dismiss_all()
            self.seconds += working_clock() - start

    def close(self) -> None:
        """End the workers."""
        self._team.dismiss_all()

    def processes(self) -> list[int]:
        """Return the ids of the processes beside this one."""
        return [worker.process.pid for worker in self._team.workers]

    def _make_team(self, size: int) -> None:
        """Make shared memory of *size* bytes, and a team that shares it."""
        forked = self._method == "fork"
        # The library's own class: nameless for others, so that nothing remains if we are killed.
        memory: Memory = mmap.mmap(-1, size) if forked else SharedMemory(size)
        self._memory: mmap.mmap = memory if forked else memory.buffer
        self._team = _Team(self.workers - 1, self._method, memory)

    def _prepare(self, work: Task, inputs: list[Array], outputs: list[Array]) -> None:
        """Compile a kernel that is new, so that workers find its machine code in the cache."""
        known = work.kernel, work.options.get("game")
        if known not in self._known:
            find_kernel(work.kernel)(work.options, inputs, outputs, slice(0, 0))
            self._known.add(known)


class _Team:
    """Worker processes and their unfinished chunks.

    Args:
        size: Number of workers.
        method: Start method.
        memory: The memory that all of them share.
        task: The task for which they are forked, if it is no kernel.
    """

    def __init__(self, size: int, method: str, memory: Memory, task: MapTask | None = None) -> None:
        self.size = size
        self.workers: list[_Worker] = []
        self._method, self._given = method, (memory, task)
        self._ears: dict[int, _Worker] = {}
        self._poll = select.poll() if hasattr(select, "poll") else None
        # Python waits for children when it ends, and these ignore its SIGTERM.
        self._end = util.Finalize(self, _kill_all, args=(self.workers,), exitpriority=1)

    def share(
        self,
        chunks: deque[Chunk],
        header: bytes,
        most: int,
        own: Callable[[Chunk], None] | None = None,
        *,
        again: bool = True,
    ) -> Generator[tuple[Chunk, Answer], None, None]:
        """Run *chunks*, with at most *most* of them at each worker at a time.

        Args:
            chunks: The chunks to run; they are removed as they are sent.
            header: The order that precedes a worker's first chunk.
            most: Most chunks of a worker at a time.
            own: Runs a chunk in this process; if None, this process only waits.
            again: Repeat the chunks of a worker that dies.

        Yields:
            Each chunk that a worker has done, with its answer.
        """
        died_over: set[Chunk] = set()
        try:
            self._hire()
            for worker in self.workers:
                worker.header, worker.most = header, most
                if worker.ready:
                    worker.assign(chunks)
            while chunks or any(worker.chunks for worker in self.workers):
                for worker in self.listen(wait=own is None or not chunks):
                    done = worker.receive()
                    if done is None:
                        self._replace(worker, died_over, header, again=again)
                    else:
                        if done[0] != STARTING:
                            yield done
                        worker.assign(chunks)
                if own and chunks:
                    own(chunks.popleft())
        except BaseException:  # or the generator is closed: workers still have chunks
            self.dismiss_all(kill=True)
            raise

    def listen(self, *, wait: bool) -> list[_Worker]:
        """Return the workers that have answered; with *wait*, wait until there is one."""
        if self._poll:
            return [self._ears[number] for number, _ in self._poll.poll(None if wait else 0)]
        ready = wait_for_pipes([worker.pipe for worker in self.workers], None if wait else 0)
        return [worker for worker in self.workers if worker.pipe in ready]

    def dismiss_all(self, *, kill: bool = False) -> None:
        """End all workers; *kill* them to end them at once."""
        for worker in list(self.workers):
            self._dismiss(worker, kill=kill)

    def _replace(
        self, worker: _Worker, died_over: set[Chunk], header: bytes, *, again: bool
    ) -> None:
        lost = deque(worker.chunks)
        self._dismiss(worker)
        end = _describe_end(worker.code)
        LOG.warning("a worker died (%s)", end)
        if not worker.ready and not end.startswith("killed"):
            raise WorkerError(
                f"a worker process ended while it was starting ({end}): what a script does must"
                ' stand behind a line if __name__ == "__main__": so that the script can be'
                " imported; or use the executor 'serial'"
            )
        if not again:
            raise WorkerError(f"a worker died ({end}); try the executor 'serial'")
        over = set(list(lost)[:1]) if worker.ready else {STARTING}
        if died_over & over:
            raise WorkerError(
                f"a worker died twice over the same part ({end}); try the executor 'serial'"
            )
        died_over.update(over)
        self._hire()
        self.workers[-1].header, self.workers[-1].most = header, worker.most
        self.workers[-1].assign(lost)

    def _dismiss(self, worker: _Worker, *, kill: bool = False) -> None:
        if self._poll:
            self._poll.unregister(worker.pipe.fileno())
        del self._ears[worker.pipe.fileno()]
        self.workers.remove(worker)
        worker.join(kill=kill or not worker.ready)

    def _hire(self) -> None:
        while len(self.workers) < self.size:
            worker = _Worker(self._method, *self._given)
            LOG.debug("worker %d begins", worker.process.pid)
            self.workers.append(worker)
            self._ears[worker.pipe.fileno()] = worker
            if self._poll:
                self._poll.register(worker.pipe.fileno(), select.POLLIN)


class _Worker:
    """The caller's side of one worker process."""

    def __init__(self, method: str, memory: Memory, task: MapTask | None) -> None:
        self.ready = method == "fork"
        """True if it has started."""
        context = multiprocess.get_context(method)
        self.pipe, far_end = context.Pipe()
        games = None if self.ready else pack_games()
        arguments = (far_end, memory, task, os.getpid(), games)
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        with _shielded(method):
            self.process.start()
        far_end.close()
        self.chunks: deque[Chunk] = deque()
        self.header = b""
        """The order to send before the next chunk."""
        self.most = IN_FLIGHT
        """Most chunks that it has at a time."""
        self.code: int | None = None
        """The exit code, once it is known."""

    def assign(self, chunks: deque[Chunk]) -> None:
        """Send chunks until enough are in flight."""
        while chunks and len(self.chunks) < self.most:
            chunk = chunks.popleft()
            self.chunks.append(chunk)
            try:
                self.pipe.send_bytes(CHUNK.pack(*chunk) + self.header)
            except OSError:
                return  # it is dead: `receive` will notice, and the chunk counts as lost
            self.header = b""

    def receive(self) -> tuple[Chunk, Answer] | None:
        """Receive the answer to the first chunk, and return both; None if the worker is dead.

        Raises:
            ArenaError: The answer is an error.
        """
        try:
            message = self.pipe.recv_bytes()
        except (EOFError, OSError):
            return None
        answer = pickle.loads(message) if message else None
        if answer == READY:
            self.ready = True
            return STARTING, None
        if isinstance(answer, ArenaError):
            raise answer
        return self.chunks.popleft(), answer

    def join(self, *, kill: bool) -> None:
        """End the worker, which notices that its pipe is closed, and clean up after it."""
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


def _kill_all(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().join(kill=True)


def gather(
    given: Generator[tuple[Chunk, Answer], None, None],
    chunks: deque[Chunk],
    in_hand: Callable[[], Iterable[Chunk]],
    count: int,
) -> list[Any]:
    """Collect the results for *count* items from the answers of :func:`apply_task`.

    Args:
        given: Yields each finished chunk with its answer; workers go on as long as it is iterated.
        chunks: Chunks that have not been sent.
        in_hand: Returns the chunks that workers have.
        count: Number of items.

    Raises:
        Exception: The exception of the first item with one.
    """
    results: list[Any] = [None] * count
    failed, error = count, None
    with closing(given) as done:
        for (start, stop), (values, problem) in done:
            if problem is None:
                results[start:stop] = values
            elif start < failed:
                failed, error = start, problem
                chunks.clear()
            if error and not any(chunk[0] < failed for chunk in in_hand()):
                break  # later items do not matter
    if error:
        raise error
    return results


def pack_task(
    function: Callable[[Item], Result], items: list[Item], *, script: bool = True
) -> bytes:
    """Pickle a task for :func:`apply_task`.

    Functions of modules are sent by name, others by their code.

    Args:
        function: The function, see `Executor.map`.
        items: Its arguments.
        script: True if workers import the script that runs here, so that its functions are sent by
            name.

    Raises:
        WorkerError: Something can't be pickled.
    """
    main = sys.modules["__main__"]
    by_name = getattr(main, "__file__", None) or getattr(main, "__spec__", None)
    try:
        with suppress(pickle.PicklingError, AttributeError, TypeError):
            if script and by_name:  # else a worker finds nothing in its __main__
                return pickle.dumps((function, items))
        packed: bytes = dill.dumps((function, items), recurse=True)
    except Exception as error:  # dill raises what it likes
        raise WorkerError(
            f"{getattr(function, '__name__', function)!s:.60} or its items can't be sent"
            f" to a worker process ({one_line(str(error), 120)}): define them in a module, or use"
            " the executor 'serial'"
        ) from None
    return packed


@contextmanager
def _shielded(method: str) -> Iterator[None]:
    """Block signals for processes that start, until these ignore them."""
    if method == "fork" or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it later would lift the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, IGNORED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    pipe: Connection, memory: Memory, task: MapTask | None, parent: int, games: PackedGames | None
) -> None:
    """Run a worker: process chunks until the pipe closes or the caller has ended."""
    # Handlers of the caller are kept: what belongs to one may need threads that do not exist here,
    # and its destructor would then crash (Ray's for SIGTERM does, on Python 3.13).
    REPLACED.extend(signal.signal(number, signal.SIG_IGN) for number in IGNORED)
    core.on_compile = None  # the caller reports it
    try:
        if games is None:
            _close_inherited(pipe.fileno())
        else:
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_UNBLOCK, IGNORED)
            unpack_games(games)
            pipe.send_bytes(pickle.dumps(READY))
        run: Callable[[slice], bytes] = partial(apply_task, task or (len, []), parent)
        while True:
            while not pipe.poll(1.0):
                if os.getppid() != parent:
                    return
            message = pipe.recv_bytes()
            try:
                if len(message) > CHUNK.size:
                    run = _refuse  # more chunks may follow an order that fails
                    run = _understand(pickle.loads(message[CHUNK.size :]), memory, parent)
                answer = run(slice(*CHUNK.unpack_from(message)))
            except ArenaError as error:
                answer = pickle.dumps(ArenaError(str(error)))
            pipe.send_bytes(answer)
    except (EOFError, ConnectionResetError, BrokenPipeError):
        return


def _refuse(part: slice) -> bytes:
    """Reject a *part* of a task whose description could not be read."""
    raise WorkerError("a worker process was to go on with an order that it did not understand")


def _understand(order: JsonObject, memory: Memory, parent: int) -> Callable[[slice], bytes]:
    """Return a function that runs chunks of the task that *order* describes.

    Raises:
        ArenaError: The order names something that is unknown here.
    """
    if "task" in order:
        try:
            for path, source in order["code"]:
                open_code(path, source)
            return partial(apply_task, dill.loads(order["task"]), parent)
        except Exception as error:
            raise WorkerError(
                f"a worker process can't read the function that it is to apply ({error})"
            ) from None
    views = view_in(memory if isinstance(memory, mmap.mmap) else memory.buffer, order["layout"])
    inputs, outputs = views[: order["inputs"]], views[order["inputs"] :]
    kernel = find_described(order)

    def run(part: slice) -> bytes:
        kernel(order["options"], inputs, outputs, part)
        return b""

    return run


def apply_task(task: MapTask, parent: int, part: slice) -> bytes:
    """Apply a task to a *part* of its items; return the results and an exception, pickled.

    Args:
        task: The function, and the list of all items to which it is applied.
        parent: Process ID of the caller, checked before each item.
        part: Places of the items in that list, with a start and a stop.

    Raises:
        EOFError: The caller has ended.
    """
    function, items = task
    results: list[object] = []
    problem: Exception | None = None
    for place in range(part.start, part.stop):
        if os.getppid() != parent:
            raise EOFError
        try:
            results.append(function(items[place]))
        except Exception as error:
            error.add_note(f"In a worker process, for item {place}:\n{traceback.format_exc()}")
            results, problem = [], error
            break
    try:
        answer = pickle.dumps((results, problem))
        pickle.loads(answer)  # some exceptions can be written but not read
    except Exception as error:
        what = "the result" if problem is None else f"{type(problem).__name__}: {problem}"
        refusal = WorkerError(
            f"{one_line(what, 120)} of {getattr(function, '__name__', function)!s:.60} can't be"
            f" sent from a worker process ({one_line(str(error), 120)})"
        )
        for note in getattr(problem, "__notes__", ()):
            refusal.add_note(note)
        answer = pickle.dumps(([], refusal))
    return answer


def _close_inherited(keep: int) -> None:
    """Close every inherited file except the standard ones and *keep*.

    Held open here, a run's lock would outlive the caller, and another worker's pipe would not
    signal the caller's death to that worker.
    """
    os.closerange(3, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
