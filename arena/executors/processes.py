"""An executor of persistent worker processes, with everything big in shared memory.

Where processes can be forked safely, they are, once, after the kernels are compiled; elsewhere they
start from nothing, find kernels by name, and read their machine code from the cache. The arrays of
some work are copied into memory that all of them see; what goes through the pipes is where they lie
and which part to do. The caller is a worker too: it would otherwise only wait, and to be woken
takes longer than a hundred matches. Who does which part depends on chance, but each part has its
own seed and place, so the results do not.
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
from typing import Any

import dill
import multiprocess
import numpy as np
from multiprocess import resource_tracker, spawn, util
from multiprocess.connection import wait as wait_for_pipes
from multiprocess.heap import Arena as SharedMemory
from numpy.typing import NDArray

from evolve_arena import core
from evolve_arena.arena.executors.executor import Executor, Item, Result
from evolve_arena.arena.executors.parts import Chunk, describe, find_described, make_chunks
from evolve_arena.arena.executors.workspace import end_of, lay_out, view_in
from evolve_arena.arena.work import Work, find_kernel
from evolve_arena.core.children import keep_folder_out
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import pack_games, unpack_games
from evolve_arena.core.user_code import open_code, opened_files

START_METHOD = "fork" if hasattr(os, "fork") and sys.platform != "darwin" else "spawn"
"""How processes start: macOS has fork, but its own libraries do not survive it."""
MOST_WORKERS = 256 if hasattr(select, "poll") else 61
"""Windows waits for no more pipes at once."""
IN_FLIGHT = 2
"""Chunks that a worker has at a time, unless they are large: while it does one, the next is
waiting."""
PATIENCE = 5.0
"""Seconds that a worker has to end by itself."""
FIRST_SIZE = 32 * 1024 * 1024
"""Bytes of address space; only what is written to takes memory."""
IGNORED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Who sends these to all means the caller, who ends the workers."""

CHUNK = struct.Struct("qq")

keep_folder_out(util, spawn)

Arrays = list[NDArray[Any]]
Task = tuple[Callable[[Any], Any], list[Any]]

STARTING: Chunk = (-1, -1)
"""Stands for what a worker does before it is ready for chunks."""
READY = "ready"


class WorkerError(ArenaError):
    """A worker died twice over the same part, or can't start."""


class ProcessExecutor(Executor):
    """Works in *workers* processes: this one, and others that it starts.

    A process that dies is replaced and what it had in hand is done again, once.

    Args:
        workers: How many processes.
        method: ``fork``, or ``spawn`` for processes that start from nothing, which takes a second
            or two; whichever is safe on this system if None.

    Raises:
        WorkerError: From :meth:`do`, if a worker dies over a part over which one died already, or
            ends while it starts; from :meth:`map`, if one dies.
    """

    def __init__(self, workers: int, method: str | None = None) -> None:
        self.workers = workers
        self._method = method or START_METHOD
        self._known: set[tuple[str, Any]] = set()
        self._make_team(FIRST_SIZE)

    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work*."""
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
        """As `Executor.map`, in *workers* processes beside this one.

        Forked ones see all that this one sees. To those that start from nothing *function* and
        *items* are sent, pickled.

        Raises:
            WorkerError: A worker dies, or what is to be sent can't be.
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
        """Ends the workers."""
        self._team.dismiss_all()

    def processes(self) -> list[int]:
        """The ids of the processes beside this one."""
        return [worker.process.pid for worker in self._team.workers]

    def _make_team(self, size: int) -> None:
        """Memory of *size* bytes, and workers, once they are hired, who see it."""
        forked = self._method == "fork"
        # The library's own class: nameless for others, so that nothing is left if we are killed.
        memory: Any = mmap.mmap(-1, size) if forked else SharedMemory(size)
        self._memory: mmap.mmap = memory if forked else memory.buffer
        self._team = _Team(self.workers - 1, self._method, memory)

    def _prepare(self, work: Work, inputs: Arrays, outputs: Arrays) -> None:
        """Compiles a kernel that is new, so that workers find its machine code in the cache."""
        known = work.kernel, work.options.get("game")
        if known not in self._known:
            find_kernel(work.kernel)(work.options, inputs, outputs, slice(0, 0))
            self._known.add(known)


class _Team:
    """Worker processes, and what each of them has in hand.

    Args:
        size: How many there are to be.
        method: How they start.
        memory: What all of them see.
        task: What they are forked for, if it is no kernel.
    """

    def __init__(self, size: int, method: str, memory: Any, task: Task | None = None) -> None:
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
    ) -> Generator[tuple[Chunk, Any], None, None]:
        """Has *chunks* done, of which each worker has at *most* so many in hand.

        Args:
            chunks: What is to be done; chunks leave it as they are handed out.
            header: What comes before a worker's first chunk.
            most: See above.
            own: Does a chunk in this process; if None it only waits.
            again: Whether the chunks of a worker that dies are done again.

        Yields:
            Each chunk that a worker has done, with what it sent.
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
        except BaseException:  # also where it is not asked on: they still have chunks in hand
            self.dismiss_all(kill=True)
            raise

    def listen(self, *, wait: bool) -> list[_Worker]:
        """The workers that have something to say; waits for one if asked to."""
        if self._poll:
            return [self._ears[number] for number, _ in self._poll.poll(None if wait else 0)]
        ready = wait_for_pipes([worker.pipe for worker in self.workers], None if wait else 0)
        return [worker for worker in self.workers if worker.pipe in ready]

    def dismiss_all(self, *, kill: bool = False) -> None:
        """Ends all workers, at once if they are to be killed."""
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

    def __init__(self, method: str, memory: Any, task: Task | None) -> None:
        self.ready = method == "fork"
        """Whether it has started."""
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
        """What it must be told before the next chunk."""
        self.most = IN_FLIGHT
        """How many chunks it may have at a time."""
        self.code: int | None = None
        """The exit code, once it is known."""

    def assign(self, chunks: deque[Chunk]) -> None:
        """Sends chunks until enough are in flight."""
        while chunks and len(self.chunks) < self.most:
            chunk = chunks.popleft()
            self.chunks.append(chunk)
            try:
                self.pipe.send_bytes(CHUNK.pack(*chunk) + self.header)
            except OSError:
                return  # it is dead: `receive` will find out, and the chunk counts as lost
            self.header = b""

    def receive(self) -> tuple[Chunk, Any] | None:
        """The first chunk, which is done, and what came of it; None if the worker is dead.

        Raises:
            Exception: What the worker says that it can't do.
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


def _kill_all(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().join(kill=True)


def gather(
    given: Generator[tuple[Chunk, Any], None, None],
    chunks: deque[Chunk],
    in_hand: Callable[[], Iterable[Chunk]],
    count: int,
) -> list[Any]:
    """The results for each of *count* items, of what workers gave by :func:`apply_task`.

    Args:
        given: Each chunk that is done, with what came of it; workers are busy as long as it is
            asked.
        chunks: What nobody has in hand yet.
        in_hand: Gives what somebody has in hand.
        count: How many items there are.

    Raises:
        Exception: What was raised for the first of those items for which something was.
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
                break  # the others are ended as they are
    if error:
        raise error
    return results


def pack_task(function: Callable[[Any], Any], items: list[Any], *, script: bool = True) -> bytes:
    """What :func:`apply_task` takes, as bytes.

    Functions of modules go by name, others by what they are made of.

    Args:
        function: See `Executor.map`.
        items: See there.
        script: Whether workers import the script that runs here, so that its functions go by name.

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
    """Keeps signals from processes that start, until these ignore them."""
    if method == "fork" or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # to start it would lift the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, IGNORED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Any, memory: Any, task: Task | None, parent: int, games: Any) -> None:
    """The worker's life: does chunks until the pipe closes or the caller is gone."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    core.on_compile = None  # the caller tells it
    try:
        if games is None:
            _close_inherited(pipe.fileno())
        else:
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_UNBLOCK, IGNORED)
            unpack_games(games)
            pipe.send_bytes(pickle.dumps(READY))
        do: Callable[[slice], bytes] = partial(apply_task, task or (len, []), parent)
        while True:
            while not pipe.poll(1.0):
                if os.getppid() != parent:
                    return
            message = pipe.recv_bytes()
            try:
                if len(message) > CHUNK.size:
                    do = _refuse  # more chunks may follow an order that fails
                    do = _understand(pickle.loads(message[CHUNK.size :]), memory, parent)
                answer = do(slice(*CHUNK.unpack_from(message)))
            except ArenaError as error:
                answer = pickle.dumps(ArenaError(str(error)))
            pipe.send_bytes(answer)
    except (EOFError, ConnectionResetError, BrokenPipeError):
        return


def _refuse(part: slice) -> bytes:
    """Does no *part*: the order that it belongs to was not understood."""
    raise WorkerError("a worker process was to go on with an order that it did not understand")


def _understand(order: dict[str, Any], memory: Any, parent: int) -> Callable[[slice], bytes]:
    """What does chunks as an *order* says.

    Raises:
        ArenaError: Something that it names is not known here.
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
    views = view_in(getattr(memory, "buffer", memory), order["layout"])
    inputs, outputs = views[: order["inputs"]], views[order["inputs"] :]
    kernel = find_described(order)

    def do(part: slice) -> bytes:
        kernel(order["options"], inputs, outputs, part)
        return b""

    return do


def apply_task(task: Task, parent: int, part: slice) -> bytes:
    """The results of a *part* of a task's items, and what was raised instead of one, pickled.

    Raises:
        EOFError: Nobody waits for them any more.
    """
    function, items = task
    results: list[Any] = []
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
    """Closes every file that the fork brought along, except the standard ones and *keep*.

    Held open here, a run's lock would outlive the caller, and another worker's pipe would
    never tell that worker that the caller is dead.
    """
    os.closerange(3, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
