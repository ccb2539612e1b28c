"""The executor `ray`: the same results as from the others, whatever dies, leaves or joins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import ray
from ray.cluster_utils import Cluster

import evolve_arena as ea
from evolve_arena.arena.executors import SerialExecutor, WorkerError, cluster, make_executor
from evolve_arena.arena.executors.cluster import RayExecutor, connect
from evolve_arena.arena.work import Work
from evolve_arena.core.errors import ArenaError
from evolve_arena.runs.summary import summarise

HEALTH = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 2,
}
"""A node that is killed is missed at once."""
RECIPE = "connect-four"
CHANGES = [
    "network.hidden=[8]",
    "method.individuals=60",
    "run.generations=8",
    "run.checkpoint_every=2",
    "check.every=4",
    "check.games=600",
    "check.opponents=['random']",
]


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Cluster]:
    """Two nodes of two cores on this machine; this process is connected to them."""
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "include_dashboard": False, "_system_config": HEALTH},
    )
    try:
        made.add_node(num_cpus=2, node_name="second")
        with connect(made.address):
            yield made
    finally:
        ray.shutdown()
        made.shutdown()


@pytest.fixture(autouse=True)
def _send_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work of tests is small: it would be done here."""
    monkeypatch.setattr(cluster, "ROUND_TRIP", 0.0)
    monkeypatch.setattr(cluster, "BANDWIDTH", float("inf"))
    monkeypatch.setattr(cluster, "LOOK", 0.1)


@pytest.fixture
def team(two_nodes: Cluster) -> Iterator[Callable[..., RayExecutor]]:
    """Makes executors that work on both nodes."""
    made: list[RayExecutor] = []

    def make(workers: int | None = None) -> RayExecutor:
        executor = RayExecutor(workers, two_nodes.address)
        made.append(executor)
        return executor

    yield make
    for executor in made:
        executor.close()


def find_pids() -> list[int]:
    """The processes of workers, on all nodes, as these are children of this process."""
    found = psutil.Process().children(recursive=True)
    return [child.pid for child in found if child.name().startswith("ray::Worker")]


def square(options: Mapping[str, Any], inputs: Any, outputs: Any, part: slice) -> None:
    """A kernel: squares of numbers, and in which process they were computed."""
    for place in range(part.start, part.stop):
        time.sleep(options["seconds"])
        if place in options.get("deadly", ()) and os.getpid() != options["caller"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if place in options.get("wrong", ()):
            raise ArenaError(f"part {place} is wrong")
        if place in options.get("broken", ()):
            raise ZeroDivisionError(f"part {place} is broken")
        if place == 0 and options.get("stuck") and not Path(options["stuck"]).exists():
            Path(options["stuck"]).touch()
            time.sleep(60)
        outputs[0][place] = inputs[0][place] ** 2
        outputs[1][place] = os.getpid()


def make_squares(count: int, seconds: float = 0.0, **options: Any) -> Work:
    return Work(
        kernel=f"{__name__}:square",
        inputs=(np.arange(float(count)),),
        outputs=(("float64", (count,)), ("int64", (count,))),
        options={"seconds": seconds, "caller": os.getpid(), **options},
        coarse=True,
    )


def assert_squares(executor: RayExecutor, work: Work) -> list[int]:
    squares, who = executor.do(work)
    assert squares.tolist() == [float(number**2) for number in range(len(work))]
    return who.tolist()


@pytest.fixture(scope="module")
def serial_hash(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = ea.start(
        RECIPE, run=tmp_path_factory.mktemp("serial") / "run", changes=CHANGES, executor="serial"
    )
    return str(summarise(run)["population_sha256"])


def kill_a_worker(nodes: Cluster) -> None:
    os.kill(find_pids()[-1], signal.SIGKILL)


def kill_a_node(nodes: Cluster) -> None:
    nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False)


def add_a_node(nodes: Cluster) -> None:
    nodes.add_node(num_cpus=2, node_name="late")


EVENTS: dict[str, Callable[[Cluster], None]] = {
    "nothing": lambda nodes: None,
    "worker": kill_a_worker,
    "joins": add_a_node,
    "node": kill_a_node,
}


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("event", EVENTS)
def test_whatever_fails_the_population_is_the_same(
    two_nodes: Cluster, tmp_path: Path, serial_hash: str, event: str, workers: int
) -> None:
    sent: list[int] = []

    def happen(progress: ea.Progress) -> None:
        sent.append(progress.generation)
        if progress.generation == 3:
            EVENTS[event](two_nodes)

    run = ea.start(
        RECIPE,
        run=tmp_path / "run",
        changes=CHANGES,
        executor="ray",
        address=two_nodes.address,
        workers=workers,
        callbacks=happen,
    )
    assert summarise(run)["population_sha256"] == serial_hash
    assert sent == list(range(1, 9))
    if event == "node":
        two_nodes.add_node(num_cpus=2, node_name="second")


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_driver_that_is_killed_is_resumed(
    two_nodes: Cluster, tmp_path: Path, serial_hash: str, workers: int
) -> None:
    path = tmp_path / "run"
    code = f"""
import os, signal
from evolve_arena.arena.executors import cluster
cluster.ROUND_TRIP, cluster.BANDWIDTH = 0.0, float("inf")
import evolve_arena as ea
def die(progress):
    if progress.generation == 5:
        os.kill(os.getpid(), signal.SIGKILL)
ea.start({RECIPE!r}, run={str(path)!r}, changes={CHANGES!r}, executor="ray",
         address={two_nodes.address!r}, workers={workers}, callbacks=die)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert ea.Run.open(path).directory.generations()[-1] == 4
    run = ea.resume(path, executor="ray", address=two_nodes.address, workers=workers)
    assert summarise(run)["population_sha256"] == serial_hash
