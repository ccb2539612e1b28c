"""An executor of workers in a Ray cluster: on this machine, or on as many as there are.

What is sent to a node is names of kernels, arrays and numbers; the node has this package itself, in
the same version. The arrays go into Ray's object store, from where each node fetches them once.
A part that is lost with its worker, or that is late, is given to somebody else. Who does which part
depends on chance, but each part has its own seed and place, so the results do not.

A Ray of the caller's own is quicker: the caller is a worker, too, and shares memory with the
others. Each of them takes the next chunk from a queue. A worker that is late or dead writes where
nobody reads any more, as that memory is then given up.
"""

from __future__ import annotations

import math
import mmap
import os
import pickle
import re
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.executors import default_workers
from evolve_arena.arena.executors.cluster_worker import (
    TOKEN,
    Share,
    Worker,
    describe_place,
    describe_versions,
    identify,
)
from evolve_arena.arena.executors.executor import Executor, Item, Node, Result
from evolve_arena.arena.executors.processes import (
    IN_FLIGHT,
    WorkerError,
    end_of,
    gather,
    lay_out,
    make_chunks,
    pack_task,
    view_in,
)
from evolve_arena.arena.work import Work, find_kernel, new_outputs
from evolve_arena.core.compiled import list_variants, working_clock
from evolve_arena.core.errors import ArenaError, BadValueError, one_line, quote
from evolve_arena.core.extras import import_extra
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import pack_games
from evolve_arena.core.user_code import opened_files

Chunk = tuple[int, int]
Key = tuple[str, str]

LOOK = 1.0
"""Seconds between two looks at which nodes there are."""
KNOCK = 10.0
"""Seconds until an address answers."""
PATIENCE = 60.0
"""Seconds without any worker until it is an error."""
SHORTEST = 0.005
"""Seconds that a part should take at least: to send it and its results takes a tenth of that."""
LATE, GRACE = 3.0, 0.5
"""A part is late after so many times the seconds that it should take, and so many seconds more."""
DEATHS = 3
"""So many workers die over a part until it is an error."""
MOST_COPIES = 3
"""So many workers do the same part at a time."""
INLINE = 2**20
"""Bytes of results that come back without a detour through the object store of this machine."""
BANDWIDTH, ROUND_TRIP = 2e9, 0.008
"""Bytes a second that go into the object store, and seconds until a worker has read them, answers
and is heard."""
NEARER = 4.0
"""So many times less it takes by memory that is shared."""
OWN = 0.05
"""Seconds that this process works until it looks after the others."""
MOST_CHUNKS = 1000
"""So many fit into a queue, however small the system makes it."""
JUDGE, WASTE = 3.0, 0.1
"""After so many seconds it is told if more than this share of them is lost."""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name)]


@contextmanager
def connect(address: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Ray itself, connected to a cluster until the block ends; one may stand within another.

    If this process is connected already, that connection is used, and stays.

    Args:
        address: ``auto`` or ``host:port``; None starts a Ray on this machine, which ends with the
            block and which only this machine can reach.
        workers: How many cores the Ray that is started here offers; as many as there are if None.

    Raises:
        MissingPackageError: Ray is not installed.
        ArenaError: There is no cluster at *address*.
    """
    ray = _import_ray()
    if ray.is_initialized():
        yield ray
        return
    with ExitStack() as stack:
        options: dict[str, Any] = {"address": address}
        if address is not None:
            _knock(address)
        if address is None:
            folder = tempfile.mkdtemp(prefix="evolve-ray-")  # Ray would leave it behind
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            options = {
                "address": "local",
                "num_cpus": workers,
                "include_dashboard": False,
                "_temp_dir": folder,
                "_system_config": {"max_direct_call_object_size": INLINE, "worker_niceness": 0},
            }
            constants = ray._private.ray_constants  # else everybody in the network can connect
            stack.enter_context(_changed(constants, "ENABLE_RAY_CLUSTER", value=False))
        main = threading.current_thread() is threading.main_thread()
        handlers = {number: signal.getsignal(number) for number in SIGNALS} if main else {}
        stack.callback(ray.shutdown)
        try:
            ray.init(**options, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # Ray raises what it likes
            why = one_line(str(error), 160)
            if address is None:
                raise ArenaError(f"Ray can't be started here: {why}") from None
            raise ArenaError(
                f"Ray does not let this process in at {address}: {why}; if the cluster asks for a"
                " token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH to a file with it"
            ) from None
        finally:
            for number, handler in handlers.items():  # Ray takes them over
                signal.signal(number, handler)
        ray._private.worker._worker_logs_enabled = False  # what is lost is told by us
        yield ray


def _import_ray() -> Any:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of GPUs
    return import_extra("ray", "ray")


def _knock(address: str) -> None:
    """Makes sure that somebody is there: Ray would try for minutes.

    Raises:
        ArenaError: Nobody is.
    """
    found = re.fullmatch(r"\[?([^/\]]+?)\]?:(\d{1,5})", address)
    if found is None and address != "auto":
        expected = "it must be auto or HOST:PORT"
        if address.startswith("ray://"):
            expected += "; this command must run on a machine of the cluster, or be a Ray job"
        raise BadValueError(f"address is {quote(address)}: {expected}")
    if found:
        try:
            socket.create_connection((found[1], int(found[2])), timeout=KNOCK).close()
        except (OSError, OverflowError) as error:
            why = one_line(str(error), 160)
            raise ArenaError(f"Ray does not answer at {address}: {why}") from None


@contextmanager
def _changed(thing: Any, name: str, *, value: object) -> Iterator[None]:
    before = getattr(thing, name, None)
    setattr(thing, name, value)
    try:
        yield
    finally:
        setattr(thing, name, before)


@dataclass(eq=False)
class _Job:
    """Parts that are to be done, by workers who are told once what it is about."""

    number: int
    key: Key | None
    """What workers must have compiled."""
    order: Any
    """What they are told, in the object store."""
    fresh: deque[Chunk]
    """What nobody was given yet."""
    fewest: int | None = None
    """How many parts are given together at least; None if chunks are given as they are."""
    games: int = 0
    """How many games a part plays."""
    own: bool = False
    """Whether this process works, too."""
    total: int = 0
    """How many parts there are."""
    unit: float = 0.0
    """How many seconds one takes, as far as that is known from other jobs; else 0."""
    parts: int = 0
    busy: float = 0.0
    """How many parts are done, and how many seconds workers needed for them."""
    again: deque[Chunk] = field(default_factory=deque)
    """What was lost."""
    copies: Counter[Chunk] = field(default_factory=Counter)
    """How many workers have what is not done yet."""
    deaths: Counter[Chunk] = field(default_factory=Counter)
    """How many died over it."""
    done: Counter[str] = field(default_factory=Counter)
    """How many parts each node did."""

    def is_open(self) -> bool:
        """Whether something is to be done or waited for."""
        return bool(self.fresh or self.again or self.copies)

    def take(self, share: float, seconds: float) -> Chunk | None:
        """What is to be done next, by somebody who does that *share* of everything.

        Args:
            share: From 0 to 1.
            seconds: How long it should take at least.
        """
        if self.again:
            return self.again.popleft()
        if not self.fresh:
            return None
        start, stop = self.fresh.popleft()
        if self.fewest is not None:
            least = float(self.fewest)
            if self.unit:  # slow parts are worth sending a few at a time
                least = min(seconds / self.unit, self.total * share / 4)
            middle = start + math.ceil(max(least, (stop - start) * share / 2))
            if middle < stop:
                self.fresh.appendleft((middle, stop))
                stop = middle
        return start, stop


@dataclass(eq=False)
class _Task:
    """What a worker was sent, and when."""

    hand: _Hand
    sent: float
    job: _Job | None = None
    """None: it is to say what it is."""
    chunk: Chunk = (0, 0)
    """Without parts: it is to get ready."""


@dataclass(eq=False)
class _Hand:
    """The caller's side of one worker."""

    node: str
    actor: Any
    process: int = 0
    place: str = ""
    """Its machine, and the folder of compiled code there; empty until it has said so."""
    tasks: dict[Any, _Task] = field(default_factory=dict)
    """What it has in hand, in the order in which it does it."""
    heard: float = 0.0
    """When it last said something."""
    keys: set[Key | None] = field(default_factory=lambda: {None})
    """What it has compiled."""
    told: int = 0
    """The job that it was told about."""
    lag: float = 0.0
    """Seconds that go by until a part is there, and its results are back."""
    speed: float = 1.0
    """Compared with the other workers."""
    parts: int = 0
    busy: float = 0.0
    """On how many parts of the last job it worked, and how many seconds."""

    def knows(self, job: _Job) -> bool:
        """Whether it can be given parts of a *job*, and has none of an older one in hand."""
        ready = bool(self.place) and job.key in self.keys
        return ready and all(task.job is job for task in self.tasks.values())

    def due(self, job: _Job) -> Iterator[tuple[float, Chunk]]:
        """When each part that it has in hand is late, as far as that can be told."""
        if not job.parts or not all(task.job is job for task in self.tasks.values()):
            return
        unit = self.busy / self.parts if self.parts else job.busy / job.parts
        at = max([self.heard, *(task.sent for task in self.tasks.values())][:2])
        at += GRACE + LATE * self.lag
        for task in self.tasks.values():
            at += LATE * unit * (task.chunk[1] - task.chunk[0])
            yield at, task.chunk


class _Room:
    """Memory that workers on this machine see, too, and a queue of chunks that nobody has begun.

    Both are files without a name, so nothing is left if this process is killed.
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
        with suppress(BlockingIOError):  # until it is empty: who is still there finds no more
            while os.read(self.queue, 2**16):
                pass
        for number in self._numbers:
            os.close(number)


class RayExecutor(Executor):
    """Works in processes that Ray starts, one for each core of the cluster.

    Args:
        workers: How many processes; of a cluster at most so many. One for each core if None.
        address: As :func:`connect` takes it.

    Raises:
        ArenaError: There is no cluster, or one of its nodes has another version of something.
        WorkerError: From :meth:`do` and :meth:`map`, if workers die again and again over the same
            part, or if there are none.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self._alone = address is None and not _import_ray().is_initialized()
        """Whether the cluster is this executor's own, on this machine."""
        self._near = self._alone and hasattr(os, "memfd_create")
        """Whether this process works, too, and shares memory with the workers."""
        if self._alone:
            workers = workers or default_workers()
        self._most = workers
        self._known: dict[str, Node] = {}
        self._refused: dict[str, str] = {}
        self._hands: list[_Hand] = []
        self._flight: dict[Any, _Task] = {}
        self._compiled: set[tuple[str, Key]] = set()
        self._leaders: dict[tuple[str, Key], _Hand] = {}
        """Who compiles what on a machine, for all there."""
        self._units: dict[tuple[Any, ...], float] = {}
        """How many seconds a part takes, for each kind of work."""
        self._job: _Job | None = None
        self._jobs = 0
        self._looked, self._worked = -math.inf, time.monotonic()
        self._greeted = False
        self._without = 0.0
        """Seconds in which there was no worker."""
        self._spent = self._used = self._busy = 0.0
        """Seconds, and those in which workers worked, together and in the last job."""
        self._versions, self._place = describe_versions(), describe_place()
        self._room: _Room | None = None
        self._stale = False
        """Whether a worker that was lost may still be at work there."""
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
        """How many processes work at once."""
        return self._most if self._alone and self._most else len(self._hands)

    def nodes(self) -> list[Node]:
        """The machines that there were, and what each did; those that are gone have no workers."""
        counts = Counter(hand.node for hand in self._hands)
        if self._alone:
            counts = Counter(dict.fromkeys(self._known, self.workers))
        return [replace(node, workers=counts[name]) for name, node in self._known.items()]

    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work*."""
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
        if self.workers > 1 and all(hand.place for hand in self._hands):
            self._judge(work, seconds, seconds if small else self._busy)
        return outputs

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """As `Executor.map`, in the workers, to whom *function* and *items* are sent, pickled.

        Raises:
            WorkerError: What is to be sent can't be.
        """
        items = list(items)
        if len(items) < 2:
            return super().map(function, items)
        start = working_clock()
        if len(self._hands) < self.workers:
            self._hire(next(iter(self._known)))  # as this process only waits
        order = {"task": pack_task(function, items, script=False), "code": opened_files()}
        chunks = make_chunks(len(items), max(1, len(self._hands)), 1)  # all may have been lost
        self._jobs += 1
        job = _Job(self._jobs, None, self._ray.put(order), chunks)
        answers = ((chunk, pickle.loads(answer)) for chunk, answer in self._share(job))
        try:
            return gather(answers, chunks, lambda: job.copies, len(items))
        except BaseException:
            for hand in [hand for hand in self._hands if hand.tasks and hand.place]:
                self._lose(hand, "what it does is of no use any more")
            raise
        finally:
            self.seconds += working_clock() - start

    def close(self) -> None:
        """Ends the workers, and the Ray that was started for them."""
        self._stack.close()

    def _is_small(self, work: Work) -> bool:
        """Whether it would take longer to send it than to do it here."""
        if work.coarse or self._most == 1:
            return self._alone and self._most == 1
        size = sum(array.nbytes for array in work.inputs)
        seconds = self._units.get(_kind(work), math.inf) * len(work)
        sending = (size / BANDWIDTH + ROUND_TRIP) / (NEARER if self._near else 1.0)
        return len(work) <= work.fewest or seconds < 2.0 * sending

    def _judge(self, work: Work, seconds: float, busy: float) -> None:
        """Says once if much time is lost because there is too little to do at a time."""
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

    def _share_memory(self, work: Work, outputs: list[NDArray[Any]]) -> None:
        """Has *work* done in this process and those beside it, which see the same memory."""
        chunks = make_chunks(len(work), self.workers, work.fewest)
        if work.coarse:
            step = math.ceil(len(work) / MOST_CHUNKS)
            ends = range(step, len(work) + step, step)
            chunks = deque((end - step, min(end, len(work))) for end in ends)
        table = np.array(chunks), np.zeros(len(chunks), int), np.zeros((len(chunks), 2))
        layout = lay_out(replace(work, inputs=(*table, *work.inputs)))
        if self._room and (self._stale or end_of(layout) > len(self._room.memory)):
            self._leave()
        room = self._room = self._room or _Room(2 * end_of(layout))
        for view, array in zip(view_in(room.memory, layout), (*table, *work.inputs), strict=False):
            np.copyto(view, array)
        order = _describe(work) | {
            "inputs": len(work.inputs),
            "layout": layout,
            "files": room.files,
        }
        share = Share(order, room.memory, room.queue)
        self._jobs += 1
        self._job = job = _Job(self._jobs, None, order, deque(), games=work.games, own=True)
        began = time.monotonic()
        room.fill(len(chunks))
        try:
            self._take_part(share, job)
        finally:
            self._job = None
            done = share.times[:, 1] > 0.0
            self._stale |= any(task.job is job for task in self._flight.values())
            if self._stale or not done.all():
                self._leave()
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

    def _take_part(self, share: Share, job: _Job) -> None:
        """Works until all is done, as far as somebody is alive and not late."""
        busy, heard = True, -math.inf
        while busy or self._is_awaited(share, job):
            now = time.monotonic()
            if not busy or now - heard > OWN:
                heard = now
                if now - self._looked > LOOK:
                    self._look()
                able = [hand for hand in self._hands if job.number == hand.told or not hand.tasks]
                for hand in able[: self.workers - 1]:
                    if hand.told != job.number:
                        self._send(hand, job, (0, 0))
                for ref in self._wait(0.0 if busy else GRACE / 2):
                    if ref in self._flight:
                        list(self._receive(ref))
            busy = share.do_next()

    def _is_awaited(self, share: Share, job: _Job) -> bool:
        """Whether workers that are not late have still to say that they are done."""
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
        self, work: Work, outputs: list[NDArray[Any]], chunks: list[Chunk], owners: list[int]
    ) -> None:
        """Does again what was lost, in other workers, and what is late, here."""
        node = next(iter(self._known.values()))
        alive = {hand.process for hand in self._hands}
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
        work: Work,
        outputs: list[NDArray[Any]],
        chunks: deque[Chunk],
        fewest: int | None,
        deaths: int = 0,
    ) -> None:
        """Has *chunks* of *work* done by workers on any machine.

        Args:
            work: What the chunks are parts of.
            outputs: Where the results go.
            chunks: See above.
            fewest: How many parts are given together at least; None if chunks are given as they
                are.
            deaths: How many workers died over each chunk already.
        """
        order = _describe(work) | {
            "inputs": [np.ascontiguousarray(array) for array in work.inputs],
            "outputs": work.outputs,
        }
        key = work.kernel, repr((work.options.get("game"), order["variants"]))
        self._jobs += 1
        job = _Job(self._jobs, key, self._ray.put(order), chunks, fewest, work.games)
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

    def _share(self, job: _Job) -> Generator[tuple[Chunk, Any], None, None]:
        """Has everything of a *job* done.

        Yields:
            Each chunk, with what came of it.
        """
        self._job = job
        for hand in self._hands:
            hand.busy, hand.parts = 0.0, 0
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

    def _assign(self, job: _Job) -> None:
        """Gives workers what there is to do."""
        for hand in self._hands:
            if hand.place and job.key not in hand.keys and not hand.tasks:
                self._prepare(hand, job)
        able = [hand for hand in self._hands if hand.knows(job)]
        speeds = sum(hand.speed for hand in able)
        deep = job.fewest is not None or len(job.fresh) > 2 * len(able)
        for depth in range(IN_FLIGHT if deep else 1):
            for hand in able:
                if len(hand.tasks) <= depth:
                    chunk = job.take(hand.speed / speeds / (1 + depth), max(SHORTEST, hand.lag))
                    if chunk is None:
                        return self._repeat_late(job, able)
                    self._send(hand, job, chunk)
        return None

    def _prepare(self, hand: _Hand, job: _Job) -> None:
        """Lets a worker compile, unless another one on its machine does so, or has done so."""
        assert job.key
        here = hand.place, job.key
        if here not in self._compiled and self._leaders.setdefault(here, hand) is not hand:
            return
        self._send(hand, job, (0, 0))

    def _repeat_late(self, job: _Job, able: list[_Hand]) -> None:
        """Gives late parts also to those who have nothing to do."""
        now = time.monotonic()
        idle = [hand for hand in able if not hand.tasks]
        late = [
            (chunk, hand)
            for hand in self._hands
            for due, chunk in hand.due(job)
            if due < now and 0 < job.copies[chunk] < MOST_COPIES
        ]
        for (chunk, owner), hand in zip(late, idle, strict=False):
            self._known[owner.node].late += 1
            LOG.info("parts %d to %d are late on %s", *chunk, self._known[owner.node].name)
            self._send(hand, job, chunk)

    def _find_pause(self, job: _Job, now: float) -> float:
        """How many seconds there is nothing to do but wait."""
        pause = LOOK
        if not job.fresh and not job.again and any(not hand.tasks for hand in self._hands):
            for hand in self._hands:
                for due, chunk in hand.due(job):
                    if job.copies[chunk] < MOST_COPIES:
                        pause = min(pause, max(0.0, due - now) + 0.001)
        return pause

    def _wait(self, seconds: float) -> list[Any]:
        """What workers have said, once one of them says something or the time is over.

        Raises:
            WorkerError: There is no worker, and was none for long.
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
        if not job or not (job.own or any(job.key in hand.keys for hand in self._hands)):
            self._without += now - began
        if any(hand.place for hand in self._hands) or (job and job.own):
            self._worked = now
        elif now - self._worked > PATIENCE:
            raise WorkerError(
                f"no worker for {PATIENCE:.0f} s: the Ray cluster has no free core"
                f" ({len(self._hands)} workers wait for one)"
            )
        return list(heard)

    def _send(self, hand: _Hand, job: _Job, chunk: Chunk) -> None:
        order = None if hand.told == job.number else job.order
        hand.told = job.number
        ref = hand.actor.do.remote(chunk, job.number, order)
        task = _Task(hand, time.monotonic(), job, chunk)
        hand.tasks[ref] = self._flight[ref] = task
        if chunk[1] > chunk[0]:
            job.copies[chunk] += 1

    def _receive(self, ref: Any) -> Iterator[tuple[Chunk, Any]]:
        """Notes what came of a task; gives it if it is the first that did this part.

        Raises:
            ArenaError: A worker says so.
        """
        task = self._flight[ref]
        hand, job, chunk = task.hand, task.job, task.chunk
        try:
            answer, seconds = self._ray.get(ref)
        except self._ray.exceptions.RayError as error:
            return self._lose(hand, _explain(error))
        now = time.monotonic()
        alone = hand.heard <= task.sent
        hand.heard = now
        del self._flight[ref], hand.tasks[ref]
        if chunk[1] > chunk[0] and alone:  # also if it came too late
            lag = max(0.0, now - task.sent - seconds)
            hand.lag = (3 * hand.lag + lag) / 4 if hand.lag else lag
        if job is None:
            self._admit(hand, *answer)
        elif isinstance(answer, ArenaError):
            if job is self._job:
                raise answer
        elif chunk[1] == chunk[0]:
            if job.key:
                hand.keys.add(job.key)
                self._compiled.add((hand.place, job.key))
                self._leaders.pop((hand.place, job.key), None)
        elif job is self._job:
            hand.busy += seconds
            hand.parts += chunk[1] - chunk[0]
            job.busy += seconds
            job.parts += chunk[1] - chunk[0]
            if job.copies.pop(chunk, 0):
                self._known[hand.node].done += 1
                job.done[hand.node] += chunk[1] - chunk[0]
                yield chunk, answer

    def _lose(self, hand: _Hand, why: str) -> None:
        """Goes on without a worker: what it had in hand is done again.

        Raises:
            WorkerError: Too many died over the same part.
        """
        job, node = self._job, self._known[hand.node]
        self._stale = True
        self._hands.remove(hand)
        with suppress(Exception):  # it may be dead
            self._ray.kill(hand.actor)
        for here in [here for here, leader in self._leaders.items() if leader is hand]:
            del self._leaders[here]
        if hand.place:
            LOG.warning("a worker on %s was lost (%s)", node.name, why)
        elif not self._is_gone(hand.node):
            self._refuse(hand.node, f"can't start a worker: {why}")
        tasks = list(hand.tasks.items())
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
        """Whether a node has left the cluster."""
        return all(node["NodeID"] != number for node in self._list_nodes())

    def _list_nodes(self) -> list[dict[str, Any]]:
        """The nodes that have a core to work on."""
        nodes = self._ray.nodes()
        return [node for node in nodes if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def _look(self) -> None:
        """Finds which nodes there are, and hires workers where some are missing."""
        self._looked = time.monotonic()
        rooms: dict[str, int] = {}
        for node in self._list_nodes():
            number, address = node["NodeID"], node["NodeManagerAddress"]
            if number not in self._known:
                name = node.get("NodeName") or address
                name = node["NodeManagerHostname"] if name == address else name
                self._known[number] = Node(name, address)
                LOG.info("node %s (%s) joins", name, address)
            if number not in self._refused:
                rooms[number] = int(node["Resources"]["CPU"])
        for hand in list(self._hands):
            if hand.node in rooms:
                rooms[hand.node] -= 1
            elif hand.node not in self._refused:
                self._lose(hand, "its node is gone")
        missing = sum(rooms.values())
        if self._most is not None:
            missing = min(missing, self._most - len(self._hands) - self._near)
        for _ in range(missing):
            number = max(rooms, key=rooms.__getitem__)
            rooms[number] -= 1
            self._hire(number)

    def _hire(self, number: str) -> None:
        strategies = import_extra("ray.util.scheduling_strategies", "ray")
        where = strategies.NodeAffinitySchedulingStrategy(number, soft=False)
        actor = self._ray.remote(Worker).options(num_cpus=1, scheduling_strategy=where)
        hand = _Hand(number, actor.remote(self._games))
        self._hands.append(hand)
        ref = hand.actor.hello.remote()
        hand.tasks[ref] = self._flight[ref] = _Task(hand, time.monotonic())

    def _greet(self) -> None:
        """Waits until each node that is there now has said what it is.

        Raises:
            ArenaError: One of them has another version of something.
        """
        numbers = {hand.node for hand in self._hands}
        end = time.monotonic() + PATIENCE / 2
        while time.monotonic() < end and not all(
            any(hand.place and hand.node == number for hand in self._hands)
            for number in numbers & {hand.node for hand in self._hands}
        ):
            for ref in self._wait(LOOK):
                for _ in self._receive(ref) if ref in self._flight else ():
                    pass

    def _admit(self, hand: _Hand, versions: dict[str, str], place: str, process: int) -> None:
        """A worker may work if everything is as it is here."""
        for what in {**self._versions, **versions}:
            here, there = self._versions.get(what, "missing"), versions.get(what, "missing")
            if here != there:
                return self._refuse(hand.node, f"has {what} {there}, and here it is {here}")
        hand.place, hand.process = place, process
        return None

    def _refuse(self, number: str, why: str) -> None:
        """Works without a node, which has joined later; else it is an error.

        Raises:
            ArenaError: It was there from the beginning.
        """
        text = f"node {self._known[number].name} ({self._known[number].address}) {why}"
        if not self._greeted:
            raise ArenaError(text)
        if number not in self._refused:
            LOG.warning("%s: it is left out", text)
        self._refused[number] = why
        for hand in [hand for hand in self._hands if hand.node == number]:
            self._lose(hand, why)

    def _leave(self) -> None:
        """Gives up the memory that is shared; the next work is done in another one."""
        if self._room:
            self._room.close()
            self._room = None
        self._stale = False

    def _dismiss_all(self) -> None:
        self._leave()
        for hand in self._hands:
            self._ray.kill(hand.actor)
        self._hands.clear()
        self._flight.clear()

    def _weigh(self, job: _Job, seconds: float) -> None:
        """Notes how fast workers and nodes were in a *job* that took so many *seconds*."""
        worked = [hand for hand in self._hands if hand.parts and not job.own]
        rates = [hand.parts / max(hand.busy, 1e-9) for hand in worked]
        for hand, rate in zip(worked, rates, strict=True):
            hand.speed += (rate / (sum(rates) / len(rates)) - hand.speed) / 2
        for number, parts in job.done.items():
            node = self._known[number]
            node.games += job.games * parts
            rate = job.games * parts / max(seconds, 1e-9)
            node.rate = (node.rate + rate) / 2 if node.rate else rate


def _kind(work: Work) -> tuple[Any, ...]:
    """What has work in common whose parts take about the same time."""
    size = sum(array.nbytes for array in work.inputs)
    return work.kernel, work.options.get("game"), len(work), size


def _describe(work: Work) -> dict[str, Any]:
    """What workers are told of *work*, except where its arrays are."""
    variants = list_variants(work.options.get("game"))
    return {"kernel": work.kernel, "options": dict(work.options), "variants": variants}


def _explain(error: Exception) -> str:
    """Why a worker is lost, in a few words, out of what Ray says."""
    text = str(error).strip()
    if "raised in its creation task" in text:
        return one_line(text.splitlines()[-1], 160)
    if "Worker exit detail:" in text:
        text = text.rpartition("Worker exit detail:")[2].strip()
        if "connection error" in text:
            return "its process ended unexpectedly, as by a signal or for want of memory"
    return one_line(text.splitlines()[0].partition(". ")[0], 160) if text else type(error).__name__
