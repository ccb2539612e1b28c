"""An executor with workers in a Ray cluster, on one machine or many.

Nodes receive names of kernels, arrays and numbers; each has this package itself, in the same
version. The arrays go into Ray's object store, from where each node fetches them once. A part that
is late, or lost with its worker, is sent to another worker. The distribution of parts depends on
chance, but each part has its own seed and place, so the results do not.

A Ray cluster that the caller starts on its own machine is faster: the caller is a worker, too, and
shares memory with the others. Each of them takes the next chunk from a queue. After a worker was
late or died, that memory is abandoned, so that the worker can't write to memory that is still read.
"""

from __future__ import annotations

import math
import os
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from evolve_arena.arena.executors import default_workers
from evolve_arena.arena.executors.cluster_connection import Ray, connect, import_ray
from evolve_arena.arena.executors.cluster_worker import Worker, describe_place, describe_versions
from evolve_arena.arena.executors.executor import Executor, Item, Node, Result
from evolve_arena.arena.executors.parts import Chunk, Job, Key, describe, make_chunks
from evolve_arena.arena.executors.processes import IN_FLIGHT, WorkerError, gather, pack_task
from evolve_arena.arena.executors.workspace import Share, TaskWorkspace, end_of, lay_out, view_in
from evolve_arena.arena.tasks import Task, find_kernel, new_outputs
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.extras import import_extra
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import pack_games
from evolve_arena.core.types import Array, Json, JsonObject
from evolve_arena.core.user_code import opened_files

Answer: TypeAlias = Json
"""The result of a chunk: arrays, pickled results, or nothing."""
LOOK = 1.0
"""Seconds between two updates of the list of nodes."""
PATIENCE = 60.0
"""Seconds without any worker after which an error is raised."""
SHORTEST = 0.005
"""Shortest duration of a chunk in seconds: sending it and its results takes a tenth of that."""
LATE, GRACE = 3.0, 0.5
"""A chunk is late after this factor times its expected seconds, plus these seconds."""
DEATHS = 3
"""Number of workers lost over the same chunk at which an error is raised."""
MAX_COPIES = 3
"""Most workers that run the same chunk at a time."""
BANDWIDTH, ROUND_TRIP = 2e9, 0.008
"""Bandwidth of the object store in bytes per second, and seconds of a round trip to a worker."""
NEARER = 4.0
"""Factor by which shared memory is faster than the object store."""
OWN = 0.05
"""Seconds that this process works between two checks of the other workers."""
MAX_CHUNKS = 1000
"""Most chunks in a queue; their numbers fit into the smallest pipe of any system."""
JUDGE, WASTE = 3.0, 0.1
"""Seconds after which the user gets advice if workers are idle for more than this share."""


@dataclass(eq=False)
class _Task:
    """A chunk that was sent to a worker, and the time of sending."""

    handle: _Handle
    sent: float
    job: Job | None = None
    """None for the request for the worker's versions."""
    chunk: Chunk = (0, 0)
    """The parts to run; none to make the worker compile the kernel."""


@dataclass(eq=False)
class _Handle:
    """The caller's side of one worker."""

    node: str
    actor: Ray
    process: int = 0
    place: str = ""
    """Its machine, and the folder of compiled code there; empty until it has answered."""
    tasks: dict[Ray, _Task] = field(default_factory=dict)
    """Its unfinished tasks, in the order in which it runs them."""
    heard: float = 0.0
    """Time of its last answer."""
    keys: set[Key | None] = field(default_factory=lambda: {None})
    """The kernels that it has compiled."""
    told: int = 0
    """The number of the last job whose description was sent to it."""
    lag: float = 0.0
    """Seconds of sending a chunk and its results."""
    speed: float = 1.0
    """Speed compared with the other workers."""
    parts: int = 0
    busy: float = 0.0
    """Number of parts of the last job that it has run, and its seconds for them."""

    def knows(self, job: Job) -> bool:
        """Return True if it can run parts of *job*, and has none of an older job to finish."""
        ready = bool(self.place) and job.key in self.keys
        return ready and all(task.job is job for task in self.tasks.values())

    def due(self, job: Job) -> Iterator[tuple[float, Chunk]]:
        """Yield the time at which each of its chunks becomes late, if that can be estimated."""
        if not job.parts or not all(task.job is job for task in self.tasks.values()):
            return
        unit = self.busy / self.parts if self.parts else job.busy / job.parts
        at = max([self.heard, *(task.sent for task in self.tasks.values())][:2])
        at += GRACE + LATE * self.lag
        for task in self.tasks.values():
            at += LATE * unit * (task.chunk[1] - task.chunk[0])
            yield at, task.chunk


class RayExecutor(Executor):
    """Executor with processes that Ray starts, one for each core of the cluster.

    Args:
        workers: Number of processes; in a cluster, the largest number. One for each core if None.
        address: The cluster, see :func:`connect`.

    Raises:
        ArenaError: There is no cluster, or one of its nodes has another version of a package.
        WorkerError: From :meth:`run` and :meth:`map`, if several workers die over the same part, or
            if there are none.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self._alone = address is None and not import_ray().is_initialized()
        """True if the cluster is this executor's own, on this machine."""
        self._near = self._alone and hasattr(os, "memfd_create")
        """True if this process runs chunks, too, and shares memory with the workers."""
        if self._alone:
            workers = workers or default_workers()
        self._most = workers
        self._known: dict[str, Node] = {}
        self._refused: dict[str, str] = {}
        self._handles: list[_Handle] = []
        self._flight: dict[Ray, _Task] = {}
        self._compiled: set[tuple[str, Key]] = set()
        self._leaders: dict[tuple[str, Key], _Handle] = {}
        """The worker that compiles a kernel for all on its machine."""
        self._units: dict[tuple[object, ...], float] = {}
        """Seconds per part, for each kind of task."""
        self._job: Job | None = None
        self._jobs = 0
        self._looked, self._worked = -math.inf, time.monotonic()
        self._greeted = False
        self._without = 0.0
        """Total seconds so far without any worker."""
        self._spent = self._used = self._busy = 0.0
        """Total seconds, a worker's mean busy seconds among them, and all busy seconds of the last
        job."""
        self._versions, self._place = describe_versions(), describe_place()
        self._workspace: TaskWorkspace | None = None
        self._stale = False
        """True if a lost worker may still write to the workspace."""
        with ExitStack() as stack:
            self._ray = stack.enter_context(connect(address, workers))
            stack.callback(self._dismiss_all)
            self._games = self._ray.put(dict(pack_games()))
            self._look()
            if not self._alone:
                self._greet()
            self._greeted = True
            self._stack = stack.pop_all()

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Number of processes that work at a time."""
        return self._most if self._alone and self._most else len(self._handles)

    def nodes(self) -> list[Node]:
        """Return all machines so far, with statistics; those that have left have no workers."""
        counts = Counter(handle.node for handle in self._handles)
        if self._alone:
            counts = Counter(dict.fromkeys(self._known, self.workers))
        return [replace(node, workers=counts[name]) for name, node in self._known.items()]

    def run(self, work: Task) -> list[Array]:
        """Run all parts of the task *work*."""
        start, without = working_clock(), self._without
        outputs = new_outputs(work)
        if small := self._is_small(work):
            find_kernel(work.kernel)(work.options, work.inputs, outputs, slice(0, len(work)))
        elif self._near:
            self._share_memory(work, outputs)
        else:
            whole = make_chunks(len(work), 1, 0) if work.coarse else deque([(0, len(work))])
            self._share_out(work, outputs, whole, None if work.coarse else work.fewest)
        seconds = working_clock() - start - (self._without - without)
        self.seconds += seconds
        if self.workers > 1 and all(handle.place for handle in self._handles):
            self._judge(work, seconds, seconds if small else self._busy)
        return outputs

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Map as in `Executor.map`, in the workers, to which function and items are sent pickled.

        Raises:
            WorkerError: The function or an item can't be sent.
        """
        items = list(items)
        if len(items) < 2:
            return super().map(function, items)
        start = working_clock()
        if len(self._handles) < self.workers:
            self._hire(next(iter(self._known)))  # as this process only waits
        order = {"task": pack_task(function, items, script=False), "code": opened_files()}
        chunks = make_chunks(len(items), max(1, len(self._handles)), 1)  # all may have been lost
        self._jobs += 1
        job = Job(self._jobs, None, self._ray.put(order), chunks)
        answers = ((chunk, pickle.loads(answer)) for chunk, answer in self._share(job))
        try:
            return gather(answers, chunks, lambda: job.copies, len(items))
        except BaseException:
            for handle in [handle for handle in self._handles if handle.tasks and handle.place]:
                self._lose(handle, "what it does is of no use any more")
            raise
        finally:
            self.seconds += working_clock() - start

    def close(self) -> None:
        """End the workers, and the Ray cluster that was started for them."""
        self._stack.close()

    def _is_small(self, work: Task) -> bool:
        """Return True if sending the task *work* would take longer than running it here."""
        if work.coarse or self._most == 1:
            return self._alone and self._most == 1
        size = sum(array.nbytes for array in work.inputs)
        seconds = self._units.get(_kind(work), math.inf) * len(work)
        sending = (size / BANDWIDTH + ROUND_TRIP) / (NEARER if self._near else 1.0)
        return len(work) <= work.fewest or seconds < 2.0 * sending

    def _judge(self, work: Task, seconds: float, busy: float) -> None:
        """Store and log advice, once, if workers are often idle."""
        self._spent += seconds
        self._used += busy / self.workers
        lost = 1.0 - self._used / self._spent
        if self.remarks or self._spent < JUDGE or lost < WASTE:
            return
        if work.coarse and len(work) < self.workers:
            advice = f"there are only {len(work)} parts at a time: more learners, or shards, help"
        else:
            times = math.ceil(lost / (1.0 - lost) * (1.0 - WASTE) / WASTE)
            advice = (
                f"{times} times as many games at a time would be worth it, by a larger population"
                " or more games for each; or take fewer workers"
            )
        self.remarks = (
            f"the {self.workers} workers have nothing to do in {lost:.0%} of the time, as parts"
            f" are sent and awaited: {advice}",
        )
        LOG.warning("%s", self.remarks[0])

    def _share_memory(self, work: Task, outputs: list[Array]) -> None:
        """Run the task *work* in this process and others on this machine, in shared memory."""
        chunks = make_chunks(len(work), self.workers, work.fewest)
        if work.coarse:
            step = math.ceil(len(work) / MAX_CHUNKS)
            ends = range(step, len(work) + step, step)
            chunks = deque((end - step, min(end, len(work))) for end in ends)
        # The table of chunks, their owners and times is shared, too.
        table = np.array(chunks), np.zeros(len(chunks), int), np.zeros((len(chunks), 2))
        arrays = [*table, *work.inputs]
        layout = lay_out(replace(work, inputs=tuple(arrays)))
        space = self._workspace
        if space and (self._stale or end_of(layout) > len(space.memory)):
            self._give_up_memory()
        space = self._workspace = self._workspace or TaskWorkspace(2 * end_of(layout))
        for view, array in zip(view_in(space.memory, layout), arrays, strict=False):
            np.copyto(view, array)
        order = describe(work) | {
            "inputs": len(work.inputs),
            "layout": layout,
            "files": space.files,
        }
        # All processes take chunks from the queue.
        share = Share(order, space.memory, space.queue)
        self._jobs += 1
        self._job = job = Job(self._jobs, None, order, deque(), games=work.games, own=True)
        began = time.monotonic()
        space.fill(len(chunks))
        try:
            self._take_part(share, job)
        finally:
            self._job = None
            done = share.times[:, 1] > 0.0
            self._stale |= any(task.job is job for task in self._flight.values())
            if self._stale or not done.all():
                self._give_up_memory()
        # Results and statistics of the finished chunks; the others are repaired.
        took = share.times[:, 1] - share.times[:, 0]
        for output, result in zip(outputs, share.outputs, strict=True):
            output[:] = result
        here = next(iter(self._known))
        self._known[here].done += int(done.sum())
        sizes = np.diff(share.chunks)[:, 0]
        job.done[here] = int(sizes[done].sum())
        self._busy = float(took[done].sum())
        self._units[_kind(work)] = self._busy / max(1, job.done[here])
        self._weigh(job, time.monotonic() - began)
        if not done.all():
            missing = [chunks[place] for place in np.flatnonzero(~done)]
            self._repair(work, outputs, missing, share.owners[~done].tolist())

    def _take_part(self, share: Share, job: Job) -> None:
        """Run chunks until all are done, or the workers that took the others are dead or late."""
        busy, heard = True, -math.inf
        while busy or self._is_awaited(share, job):
            now = time.monotonic()
            if not busy or now - heard > OWN:
                heard = now
                if now - self._looked > LOOK:
                    self._look()
                able = [
                    handle
                    for handle in self._handles
                    if job.number == handle.told or not handle.tasks
                ]
                for handle in able[: self.workers - 1]:
                    if handle.told != job.number:
                        self._send(handle, job, (0, 0))
                for ref in self._wait(0.0 if busy else GRACE / 2):
                    if ref in self._flight:
                        list(self._receive(ref))
            busy = share.do_next()

    def _is_awaited(self, share: Share, job: Job) -> bool:
        """Return True if workers that are not late have unfinished chunks."""
        if not any(task.job is job for task in self._flight.values()):
            return False
        (begun, ended), sizes = share.times.T, np.diff(share.chunks)[:, 0]
        done = ended > 0.0
        if not done.any():
            return True
        unit = (ended - begun)[done].sum() / sizes[done].sum()
        longest = GRACE + LATE * unit * sizes[~done].max(initial=0)
        return bool(time.monotonic() < share.times.max() + longest)

    def _repair(
        self, work: Task, outputs: list[Array], chunks: list[Chunk], owners: list[int]
    ) -> None:
        """Run unfinished *chunks* again: lost ones in other workers, and late ones here."""
        node = next(iter(self._known.values()))
        alive = {handle.process for handle in self._handles}
        lost: deque[Chunk] = deque()
        for chunk, owner in zip(chunks, owners, strict=True):
            if owner in alive:
                node.late += 1
                LOG.info("parts %d to %d are late on %s", *chunk, node.name)
                find_kernel(work.kernel)(work.options, work.inputs, outputs, slice(*chunk))
            else:
                node.lost += 1
                lost.append(chunk)
        if lost:
            self._share_out(work, outputs, lost, None, deaths=1)

    def _share_out(
        self,
        work: Task,
        outputs: list[Array],
        chunks: deque[Chunk],
        fewest: int | None,
        deaths: int = 0,
    ) -> None:
        """Run *chunks* of the task *work* in workers on any machine.

        Args:
            work: The task.
            outputs: Receives the results.
            chunks: The chunks to run.
            fewest: Fewest parts to send together; None if chunks are not divided further.
            deaths: Number of workers that died over each chunk already.
        """
        order = describe(work) | {
            "inputs": [np.ascontiguousarray(array) for array in work.inputs],
            "outputs": work.outputs,
        }
        key = work.kernel, repr((work.options.get("game"), order["variants"]))
        self._jobs += 1
        job = Job(self._jobs, key, self._ray.put(order), chunks, fewest, work.games)
        job.total, job.unit = len(work), self._units.get(_kind(work), 0.0)
        job.deaths.update(dict.fromkeys(chunks, deaths))
        began, without = time.monotonic(), self._without
        with closing(self._share(job)) as done:
            for (start, stop), arrays in done:
                for output, array in zip(outputs, arrays, strict=True):
                    output[start:stop] = array
        self._last = job.order  # to free it just before the next one is made costs less
        if job.parts:
            self._units[_kind(work)] = job.busy / job.parts
        self._busy = job.busy
        self._weigh(job, time.monotonic() - began - (self._without - without))

    def _share(self, job: Job) -> Generator[tuple[Chunk, Answer], None, None]:
        """Run all chunks of a *job* in the workers.

        Yields:
            Each chunk, with its result.
        """
        self._job = job
        for handle in self._handles:
            handle.busy, handle.parts = 0.0, 0
        try:
            while job.is_open():
                now = time.monotonic()
                if now - self._looked > LOOK:
                    self._look()
                self._assign(job)
                for ref in self._wait(self._find_pause(job, now)):
                    if ref in self._flight:
                        yield from self._receive(ref)
        finally:
            self._job = None

    def _assign(self, job: Job) -> None:
        """Send chunks to workers."""
        for handle in self._handles:
            if handle.place and job.key not in handle.keys and not handle.tasks:
                self._prepare(handle, job)
        able = [handle for handle in self._handles if handle.knows(job)]
        speeds = sum(handle.speed for handle in able)
        deep = job.fewest is not None or len(job.fresh) > 2 * len(able)
        for depth in range(IN_FLIGHT if deep else 1):
            for handle in able:
                if len(handle.tasks) <= depth:
                    chunk = job.take(handle.speed / speeds / (1 + depth), max(SHORTEST, handle.lag))
                    if chunk is None:
                        return self._repeat_late(job, able)
                    self._send(handle, job, chunk)
        return None

    def _prepare(self, handle: _Handle, job: Job) -> None:
        """Let a worker compile or load a kernel, unless another on its machine is compiling it."""
        assert job.key
        here = handle.place, job.key
        if here not in self._compiled and self._leaders.setdefault(here, handle) is not handle:
            return
        self._send(handle, job, (0, 0))

    def _repeat_late(self, job: Job, able: list[_Handle]) -> None:
        """Send late chunks to idle workers, too."""
        now = time.monotonic()
        idle = [handle for handle in able if not handle.tasks]
        late = [
            (chunk, handle)
            for handle in self._handles
            for due, chunk in handle.due(job)
            if due < now and 0 < job.copies[chunk] < MAX_COPIES
        ]
        for (chunk, owner), handle in zip(late, idle, strict=False):
            self._known[owner.node].late += 1
            LOG.info("parts %d to %d are late on %s", *chunk, self._known[owner.node].name)
            self._send(handle, job, chunk)

    def _find_pause(self, job: Job, now: float) -> float:
        """Return the seconds to wait for answers until there is something else to do."""
        pause = LOOK
        if not job.fresh and not job.again and any(not handle.tasks for handle in self._handles):
            for handle in self._handles:
                for due, chunk in handle.due(job):
                    if job.copies[chunk] < MAX_COPIES:
                        pause = min(pause, max(0.0, due - now) + 0.001)
        return pause

    def _wait(self, seconds: float) -> list[Ray]:
        """Wait for answers of workers, at most *seconds*, and return the references of their tasks.

        Raises:
            WorkerError: There has been no worker for long.
        """
        began = time.monotonic()
        refs = list(self._flight)
        if refs:
            heard, _ = self._ray.wait(refs, num_returns=1, timeout=seconds)
            if heard and len(refs) > 1:
                heard, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        else:
            time.sleep(seconds)
            heard = []
        now, job = time.monotonic(), self._job
        if not job or not (job.own or any(job.key in handle.keys for handle in self._handles)):
            self._without += now - began
        if any(handle.place for handle in self._handles) or (job and job.own):
            self._worked = now
        elif now - self._worked > PATIENCE:
            raise WorkerError(
                f"no worker for {PATIENCE:.0f} s: the Ray cluster has no free core"
                f" ({len(self._handles)} workers wait for one)"
            )
        return list(heard)

    def _send(self, handle: _Handle, job: Job, chunk: Chunk) -> None:
        order = None if handle.told == job.number else job.order
        handle.told = job.number
        ref = handle.actor.run.remote(chunk, job.number, order)
        task = _Task(handle, time.monotonic(), job, chunk)
        handle.tasks[ref] = self._flight[ref] = task
        if chunk[1] > chunk[0]:
            job.copies[chunk] += 1

    def _receive(self, ref: Ray) -> Iterator[tuple[Chunk, Answer]]:
        """Process the answer of a task; yield it if it is the first one for its chunk.

        Raises:
            ArenaError: The answer is an error.
        """
        task = self._flight[ref]
        handle, job, chunk = task.handle, task.job, task.chunk
        try:
            answer, seconds = self._ray.get(ref)
        except self._ray.exceptions.RayError as error:
            return self._lose(handle, _explain(error))
        now = time.monotonic()
        alone = handle.heard <= task.sent
        handle.heard = now
        del self._flight[ref], handle.tasks[ref]
        if chunk[1] > chunk[0] and alone:  # also if it came too late
            lag = max(0.0, now - task.sent - seconds)
            handle.lag = (3 * handle.lag + lag) / 4 if handle.lag else lag
        if job is None:
            self._admit(handle, *answer)
        elif isinstance(answer, ArenaError):
            if job is self._job:
                raise answer
        elif chunk[1] == chunk[0]:
            if job.key:
                handle.keys.add(job.key)
                self._compiled.add((handle.place, job.key))
                self._leaders.pop((handle.place, job.key), None)
        elif job is self._job:
            handle.busy += seconds
            handle.parts += chunk[1] - chunk[0]
            job.busy += seconds
            job.parts += chunk[1] - chunk[0]
            if job.copies.pop(chunk, 0):
                self._known[handle.node].done += 1
                job.done[handle.node] += chunk[1] - chunk[0]
                yield chunk, answer

    def _lose(self, handle: _Handle, why: str) -> None:
        """Remove a worker; its unfinished chunks are repeated.

        Raises:
            WorkerError: Too many workers died over the same chunk.
        """
        job, node = self._job, self._known[handle.node]
        self._stale = True
        self._handles.remove(handle)
        with suppress(Exception):  # it may be dead
            self._ray.kill(handle.actor)
        for here in [here for here, leader in self._leaders.items() if leader is handle]:
            del self._leaders[here]
        if handle.place:
            LOG.warning("a worker on %s was lost (%s)", node.name, why)
        elif not self._is_gone(handle.node):
            self._refuse(handle.node, f"can't start a worker: {why}")
        tasks = list(handle.tasks.items())
        for place, (ref, task) in enumerate(tasks):
            del self._flight[ref]
            if job is None or task.job is not job or task.chunk not in job.copies:
                continue
            node.lost += 1
            job.copies[task.chunk] -= 1
            if not job.copies[task.chunk]:
                del job.copies[task.chunk]
                job.again.append(task.chunk)
            job.deaths[task.chunk] += place == 0
            if job.deaths[task.chunk] >= DEATHS:
                raise WorkerError(
                    f"{DEATHS} workers died over the same part ({why}); try the executor 'serial'"
                )

    def _is_gone(self, number: str) -> bool:
        """Return True if a node has left the cluster."""
        return all(node["NodeID"] != number for node in self._list_nodes())

    def _list_nodes(self) -> list[JsonObject]:
        """Return the nodes with at least one core."""
        nodes = self._ray.nodes()
        return [node for node in nodes if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def _look(self) -> None:
        """Update the list of nodes, and start missing workers."""
        self._looked = time.monotonic()
        free: dict[str, int] = {}
        for node in self._list_nodes():
            number, address = node["NodeID"], node["NodeManagerAddress"]
            if number not in self._known:
                name = node.get("NodeName") or address
                name = node["NodeManagerHostname"] if name == address else name
                self._known[number] = Node(name, address)
                LOG.info("node %s (%s) joins", name, address)
            if number not in self._refused:
                free[number] = int(node["Resources"]["CPU"])
        for handle in list(self._handles):
            if handle.node in free:
                free[handle.node] -= 1
            elif handle.node not in self._refused:
                self._lose(handle, "its node is gone")
        missing = sum(free.values())
        if self._most is not None:
            missing = min(missing, self._most - len(self._handles) - self._near)
        for _ in range(missing):
            number = max(free, key=free.__getitem__)
            free[number] -= 1
            self._hire(number)

    def _hire(self, number: str) -> None:
        strategies = import_extra("ray.util.scheduling_strategies", "ray")
        where = strategies.NodeAffinitySchedulingStrategy(number, soft=False)
        actor = self._ray.remote(Worker).options(num_cpus=1, scheduling_strategy=where)
        handle = _Handle(number, actor.remote(self._games))
        self._handles.append(handle)
        ref = handle.actor.hello.remote()
        handle.tasks[ref] = self._flight[ref] = _Task(handle, time.monotonic())

    def _greet(self) -> None:
        """Wait until a worker on each present node has reported its versions.

        Raises:
            ArenaError: A node has another version of a package.
        """
        numbers = {handle.node for handle in self._handles}
        end = time.monotonic() + PATIENCE / 2
        while time.monotonic() < end and not all(
            any(handle.place and handle.node == number for handle in self._handles)
            for number in numbers & {handle.node for handle in self._handles}
        ):
            for ref in self._wait(LOOK):
                for _ in self._receive(ref) if ref in self._flight else ():
                    pass

    def _admit(self, handle: _Handle, versions: dict[str, str], place: str, process: int) -> None:
        """Accept a worker if its versions are those of this process."""
        for what in {**self._versions, **versions}:
            here, there = self._versions.get(what, "missing"), versions.get(what, "missing")
            if here != there:
                return self._refuse(handle.node, f"has {what} {there}, and here it is {here}")
        handle.place, handle.process = place, process
        return None

    def _refuse(self, number: str, why: str) -> None:
        """Exclude a node that joined later; fail for one that was there at the start.

        Raises:
            ArenaError: The node was there at the start.
        """
        text = f"node {self._known[number].name} ({self._known[number].address}) {why}"
        if not self._greeted:
            raise ArenaError(text)
        if number not in self._refused:
            LOG.warning("%s: it is left out", text)
        self._refused[number] = why
        for handle in [handle for handle in self._handles if handle.node == number]:
            self._lose(handle, why)

    def _give_up_memory(self) -> None:
        """Close the workspace; the next task gets another one."""
        if self._workspace:
            self._workspace.close()
            self._workspace = None
        self._stale = False

    def _dismiss_all(self) -> None:
        self._give_up_memory()
        for handle in self._handles:
            self._ray.kill(handle.actor)
        self._handles.clear()
        self._flight.clear()

    def _weigh(self, job: Job, seconds: float) -> None:
        """Update the speeds of workers and nodes after a *job*, which took this many *seconds*."""
        worked = [handle for handle in self._handles if handle.parts and not job.own]
        rates = [handle.parts / max(handle.busy, 1e-9) for handle in worked]
        for handle, rate in zip(worked, rates, strict=True):
            handle.speed += (rate / (sum(rates) / len(rates)) - handle.speed) / 2
        for number, parts in job.done.items():
            node = self._known[number]
            node.games += job.games * parts
            rate = job.games * parts / max(seconds, 1e-9)
            node.rate = (node.rate + rate) / 2 if node.rate else rate


def _kind(work: Task) -> tuple[object, ...]:
    """Return a key that is shared by tasks whose parts take about the same time."""
    size = sum(array.nbytes for array in work.inputs)
    return work.kernel, work.options.get("game"), len(work), size


def _explain(error: Exception) -> str:
    """Extract the reason for the loss of a worker from Ray's error, in a few words."""
    text = str(error).strip()
    if "raised in its creation task" in text:
        return one_line(text.splitlines()[-1], 160)
    if "Worker exit detail:" in text:
        text = text.rpartition("Worker exit detail:")[2].strip()
        if "connection error" in text:
            return "its process ended unexpectedly, as by a signal or for want of memory"
    return one_line(text.splitlines()[0].partition(". ")[0], 160) if text else type(error).__name__
