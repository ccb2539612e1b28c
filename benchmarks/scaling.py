"""Scaling of the executor `ray` from 1 to 1,000 nodes, simulated from measurements.

Measured: the time that a message costs the driver process, which hands out work; the duration of a
match; the remaining time of the driver in each generation; the bytes sent and returned. Assumed:
the network (:data:`LATENCY`, :data:`BANDWIDTH`), and nodes of :data:`CORES` cores, each as fast as
one of this machine. The simulation hands out parts by the executor's own code.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.line import Line
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor, make_executor
from evolve_arena.arena.executors.cluster import SHORTEST
from evolve_arena.arena.executors.cluster_connection import connect
from evolve_arena.arena.executors.parts import Job
from evolve_arena.arena.executors.processes import IN_FLIGHT
from evolve_arena.arena.tasks import Task
from evolve_arena.core.types import Array, Settings
from evolve_arena.runs.plots.style import colours, new_figure, save, set_title, style_axes
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.checkpoint import write_state

__all__ = ["measure"]

LATENCY, BANDWIDTH = 0.0005, 1.25e9
"""Seconds one way and bytes a second between machines: 10 Gbit/s in one room."""
COPYING = 2e9
"""Bytes a second into the object store."""
CORES = 8
NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
WORTH = 1.2
"""Least speed-up by twice the nodes; below it more nodes do not pay."""
LOADS: dict[str, tuple[str, Settings]] = {
    "connect-four, 400 individuals": ("connect-four", {"method.individuals": 400}),
    "connect-four, 3,000 individuals": ("connect-four", {"method.individuals": 3000}),
    "checkers, 30 individuals, 4 plies": ("checkers", {"matches.training_depths": []}),
}
ISLANDS, INTERVAL = 400, 10
"""Individuals on each island, one island a core, and generations between migrations."""
PICTURE = Path("benchmarks/results/scaling.png")
MESSAGES = 400
SMALL = {
    "LOADS": {"connect-four, 20 individuals": ("connect-four", {"method.individuals": 20})},
    "ISLANDS": 20,
    "NODES": (1, 2),
    "MESSAGES": 8,
}


@dataclass(frozen=True)
class Load:
    """A generation, as an executor sees it."""

    parts: int
    fewest: int
    unit: float
    """Seconds that a part, a match, takes on one core."""
    serial: float
    """Seconds of a generation outside of matches, in the driver process."""
    sent: int
    """Bytes of inputs that each node receives."""
    back: float
    """Bytes that each part returns."""
    kept: int
    """Bytes of the method's state, as a checkpoint has them."""


class _Recorder(SerialExecutor):
    """Executor that records each task and its seconds."""

    def __init__(self) -> None:
        self.works: list[tuple[Task, float]] = []

    def run(self, work: Task) -> list[Array]:
        """Run the task and record its time."""
        began = time.perf_counter()
        outputs = super().run(work)
        self.works.append((work, time.perf_counter() - began))
        return outputs


def do_nothing(
    options: Settings, inputs: Sequence[Array], outputs: Sequence[Array], part: slice
) -> None:
    """Do nothing, so that only the cost of the message remains."""


def measure_message() -> float:
    """Return the CPU seconds that each part costs the driver process, which hands out work.

    Ray is started before the executor, which therefore does not use shared memory, as in a cluster.
    CPU time of workers and Ray's servers does not count: in a cluster they have other cores.
    """
    work = Task(
        "benchmarks.scaling:do_nothing", (np.zeros(8),), (("u1", (MESSAGES,)),), coarse=True
    )
    with connect(workers=2), make_executor("ray", 2) as executor:
        executor.run(work)
        began = time.process_time()
        executor.run(work)
        return (time.process_time() - began) / MESSAGES


def measure_load(recipe: str, changes: Settings) -> Load:
    """Measure the third generation of a *recipe* with *changes*."""
    method, recorder = load_recipe(recipe, changes).make_method(), _Recorder()
    arena, state = Arena(method.decoder, recorder), method.initial(1)
    for _ in range(3):
        recorder.works.clear()
        began = time.perf_counter()
        state, _ = method.step(state, arena)
        spent = time.perf_counter() - began
    seconds = sum(each for _, each in recorder.works)
    parts = sum(len(work) for work, _ in recorder.works)
    sent = sum(array.nbytes for work, _ in recorder.works for array in work.inputs)
    back = sum(
        np.dtype(kind).itemsize * math.prod(shape)
        for work, _ in recorder.works
        for kind, shape in work.outputs
    )
    fewest = recorder.works[0][0].fewest
    kept = len(write_state(state, method))
    return Load(parts, fewest, seconds / parts, spent - seconds, sent, back / parts, kept)


def simulate(load: Load, nodes: int, message: float) -> float:
    """Return the seconds of a generation on so many *nodes*."""
    workers = nodes * CORES
    begin = load.serial + load.sent / COPYING
    ready = begin + math.ceil(math.log2(nodes + 1)) * load.sent / BANDWIDTH
    job = Job(1, None, None, deque([(0, load.parts)]), load.fewest, total=load.parts)
    job.unit = load.unit
    free, driver = [ready] * workers, begin
    coming: list[tuple[float, int, int]] = []

    def give(worker: int, depth: int) -> None:
        nonlocal driver
        chunk = job.take(1 / workers / (1 + depth), max(SHORTEST, 2 * LATENCY + message))
        if chunk is None:
            return
        driver += message / 2
        size = chunk[1] - chunk[0]
        free[worker] = max(free[worker], driver + LATENCY) + size * load.unit
        heapq.heappush(coming, (free[worker] + LATENCY, worker, size))

    for depth in range(IN_FLIGHT):
        for worker in range(workers):
            give(worker, depth)
    while coming:
        at, worker, size = heapq.heappop(coming)
        driver = max(driver, at) + message / 2 + size * load.back / COPYING
        give(worker, 0)
    return driver


def simulate_islands(load: Load, nodes: int, message: float) -> float:
    """Return the seconds of a generation with an island on each core; only populations are sent."""
    islands = nodes * CORES
    alone = load.serial + load.parts * load.unit
    waiting = islands * (message + 2 * load.kept / BANDWIDTH) + 2 * LATENCY
    return alone + waiting / INTERVAL


def measure() -> Iterator[Line]:
    """Yield lines for each load: games a second on one node, and the benefit of more nodes."""
    message = measure_message()
    yield Line("a part of the executor ray, beside its matches", 1e3 * message, "ms")
    curves: dict[str, list[float]] = {}
    for name, (recipe, changes) in LOADS.items():
        load = measure_load(recipe, changes)
        alone = load.serial + load.parts * load.unit
        curves[name] = [alone / simulate(load, nodes, message) for nodes in NODES]
        yield _line(name, load.parts / alone, curves[name])
        yield _worth(name, load, message)
    load = measure_load("connect-four", {"method.individuals": ISLANDS})
    alone = load.serial + load.parts * load.unit
    name = f"connect-four, islands of {ISLANDS}, one a core"
    curves[name] = [
        nodes * CORES * alone / simulate_islands(load, nodes, message) for nodes in NODES
    ]
    yield _line(name, load.parts / alone, curves[name])
    print(_draw(curves))


def _line(name: str, games: float, speedups: list[float]) -> Line:
    """Return games a second of one core, and the number of nodes beyond which more hardly help."""
    useful = NODES[0]
    for place in range(1, len(NODES)):
        if speedups[place] < WORTH * speedups[place - 1]:
            break
        useful = NODES[place]
    told = ", ".join(
        f"{nodes:,}: {speedup:,.0f}" for nodes, speedup in zip(NODES, speedups, strict=True)
    )
    return Line(
        f"{name}: one core", games, "games/s", f"cores' worth by nodes: {told}; pays to {useful:,}"
    )


def _worth(name: str, load: Load, message: float) -> Line:
    """Return the speed of a node, and the speed below which a second node shortens generations."""
    cost = load.sent / COPYING + load.sent / BANDWIDTH + 2 * LATENCY + 2 * CORES * message
    plays, most = CORES / load.unit, load.parts / (2 * cost)
    return Line(
        f"{name}: games that a node plays",
        plays,
        "games/s",
        f"a second node costs {1e3 * cost:.1f} ms a generation of {load.parts:,} games"
        f" ({load.sent / 1e6:.1f} MB), so it pays below {most:,.0f} games/s",
        plays / most,
    )


def _draw(curves: Mapping[str, list[float]]) -> Path:
    figure = new_figure(8.0, 5.0)
    axes = figure.subplots()
    style_axes(
        axes,
        title="Speed by nodes",
        remark=f"simulated; nodes of {CORES} cores, 10 Gbit/s, {1e3 * LATENCY:g} ms",
        label="times one core",
    )
    axes.plot(NODES, [n * CORES for n in NODES], color="0.6", linestyle=":", label="all cores")
    for (name, speedups), hue in zip(curves.items(), colours(len(curves)), strict=True):
        axes.plot(NODES, speedups, color=hue, marker=".", label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("nodes", fontsize=9)
    axes.legend(fontsize=8.5, frameon=False)
    set_title(figure, "When does a cluster stop to pay?", [])
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    return save(figure, PICTURE)
