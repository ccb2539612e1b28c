"""The executor `ray`: the same results as from the others, whatever dies, leaves or joins."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
import ray
from ray.cluster_utils import Cluster

import evolve_arena as ea
from evolve_arena.arena.executors import (
    Executor,
    ProcessExecutor,
    SerialExecutor,
    WorkerError,
    cluster,
    make_executor,
)
from evolve_arena.arena.executors.cluster import RayExecutor
from evolve_arena.arena.executors.processes import find_start_method
from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.types import Array, Settings
from evolve_arena.runs import run as running
from evolve_arena.runs.summary import summarise
from tests.arena.test_executors import assert_same, make_matches
from tests.canaries import plant, read_marks
from tests.clusters import two_nodes_of
from tests.network import Host, two_hosts

FAR_WORKERS = [int(number) for number in os.environ.get("FAR_WORKERS", "2").split(",")]
"""Numbers of workers behind a slow network; ``FAR_WORKERS=1,2,4`` takes 4 minutes."""
RECIPE = "connect-four"
CHANGES = [
    *("network.hidden=[8]", "method.individuals=60"),
    *("run.generations=8", "run.checkpoint_every=2"),
    *("check.every=4", "check.games=600", "check.opponents=['random']"),
]
Team = Callable[..., RayExecutor]
Teams = dict[int | None, RayExecutor]


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Cluster]:
    """Yield two nodes of two cores on this machine; this process is connected to them."""
    with two_nodes_of(2, "second") as made:
        yield made


@pytest.fixture(autouse=True)
def _send_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work of tests is small: it would be done here."""
    monkeypatch.setattr(cluster, "ROUND_TRIP", 0.0)
    monkeypatch.setattr(cluster, "BANDWIDTH", float("inf"))
    monkeypatch.setattr(cluster, "LOOK", 0.1)


@pytest.fixture(scope="module")
def teams(two_nodes: Cluster) -> Iterator[Teams]:
    """Yield the executors that work on both nodes, by number of workers; one exists at a time."""
    there: Teams = {}
    yield there
    dismiss(there)


def dismiss(teams: Teams) -> None:
    for executor in teams.values():
        executor.close()
    teams.clear()


@pytest.fixture
def team(two_nodes: Cluster, teams: Teams) -> Team:
    """Return a maker of executors, which keeps that of the test before if it has as many workers.

    Starting a worker takes three seconds of computing.
    """

    def give(workers: int | None = None, *, new: bool = False) -> RayExecutor:
        if new or workers not in teams:
            dismiss(teams)
            teams[workers] = RayExecutor(workers, two_nodes.address)
        return teams[workers]

    return give


def find_pids() -> list[int]:
    """Return the processes of workers on all nodes; these are children of this process."""
    found = psutil.Process().children(recursive=True)
    return [child.pid for child in found if child.name().startswith("ray::Worker")]


def square(
    options: Settings, inputs: Sequence[Array], outputs: Sequence[Array], part: slice
) -> None:
    """Compute squares of numbers, and note the process that computed each."""
    for place in range(part.start, part.stop):
        time.sleep(options["seconds"])
        if os.getpid() != options["caller"]:
            while not Path(options.get("gate", "/")).exists():
                time.sleep(0.01)
            if place in options.get("deadly", ()):
                os.kill(os.getpid(), signal.SIGKILL)
            for fate in ("dies", "sleeps"):
                with suppress(KeyError, FileExistsError):
                    Path(options[fate]).touch(exist_ok=False)  # the first worker alone
                    if fate == "dies":
                        os.kill(os.getpid(), signal.SIGKILL)
                    time.sleep(60)
        if place in options.get("wrong", ()):
            raise ArenaError(f"part {place} is wrong")
        if place in options.get("broken", ()):
            raise ZeroDivisionError(f"part {place} is broken")
        outputs[0][place] = inputs[0][place] ** 2
        outputs[1][place] = os.getpid()


def make_squares(count: int, seconds: float = 0.0, **options: object) -> Task:
    return Task(
        kernel=f"{__name__}:square",
        inputs=(np.arange(float(count)),),
        outputs=(("float64", (count,)), ("int64", (count,))),
        options={"seconds": seconds, "caller": os.getpid(), **options},
        coarse=True,
    )


def assert_squares(executor: RayExecutor, work: Task) -> list[int]:
    squares, who = executor.run(work)
    assert squares.tolist() == [float(number**2) for number in range(len(work))]
    return who.tolist()


def wait_for(executor: RayExecutor, workers: int) -> None:
    """Wait until so many workers have worked: some start later."""
    who: set[int] = set()
    deadline = time.monotonic() + 120
    while len(who) < workers:
        assert time.monotonic() < deadline
        who |= set(assert_squares(executor, make_squares(20, 0.02)))


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


def restore(nodes: Cluster) -> None:
    """Wait until there are two nodes again, and no more."""
    for node in list(nodes.worker_nodes)[1:]:
        nodes.remove_node(node)
    if not nodes.worker_nodes:
        nodes.add_node(num_cpus=2, node_name="second")
    deadline = time.monotonic() + 60
    while sum(node["Alive"] for node in ray.nodes()) != 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)


EVENTS: dict[str, Callable[[Cluster], None]] = {
    "nothing": lambda nodes: None,
    "worker": kill_a_worker,
    "joins": add_a_node,
    "node": kill_a_node,
}


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("127.0.0.1:1", r"Ray does not answer at 127\.0\.0\.1:1: .*refused"),
        ("ray://127.0.0.1:1", r"it must be auto or HOST:PORT; this command must run on a machine"),
        ("somewhere", r"address is 'somewhere': it must be auto or HOST:PORT"),
    ],
)
def test_an_address_where_nobody_is_is_told(
    address: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)  # another test may have connected
    with pytest.raises(ArenaError, match=text), cluster.connect(address):
        pass


def test_a_driver_that_is_killed_is_resumed(
    two_nodes: Cluster, teams: Teams, tmp_path: Path, serial_hash: str
) -> None:
    dismiss(teams)  # it would wait for their cores
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
         address={two_nodes.address!r}, workers=2, callbacks=die)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert ea.Run.open(path).directory.generations()[-1] == 4
    run = ea.resume(path, executor="ray", address=two_nodes.address, workers=2)
    assert summarise(run)["population_sha256"] == serial_hash


@pytest.mark.parametrize(
    ("event", "workers"), [("nothing", 1), ("worker", 2), ("joins", 4), ("node", 4)]
)
def test_whatever_fails_the_population_is_the_same(
    two_nodes: Cluster,
    team: Team,
    tmp_path: Path,
    serial_hash: str,
    event: str,
    workers: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executor = team(workers)
    monkeypatch.setattr(running, "make_executor", lambda *words: nullcontext(executor))
    before = executor.nodes()
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
    told = summarise(run)
    assert told["population_sha256"] == serial_hash
    assert sent == list(range(1, 9))
    done = sum(node["done"] for node in told["nodes"]) - sum(node.done for node in before)
    assert done >= 8  # it was not all done here
    assert sum(node["games"] for node in told["nodes"]) > sum(node.games for node in before)
    restore(two_nodes)


def test_work_is_shared_by_all_workers(team: Team) -> None:
    executor = team(new=True)
    assert executor.workers == 4
    who: set[int] = set()
    rounds = 0
    deadline = time.monotonic() + 60
    while len(who) < 4:  # some start later
        assert time.monotonic() < deadline
        who |= set(assert_squares(executor, make_squares(60, 0.02)))
        rounds += 1
    assert who == set(find_pids())
    told = executor.nodes()
    assert [node.workers for node in told if node.workers] == [2, 2]
    assert sum(node.done for node in told) == 60 * rounds == sum(node.games for node in told)
    assert all(node.games > 0 and node.rate > 0.0 for node in told if node.workers)
    assert executor.seconds > 0.0


def count_lost(executor: Executor) -> int:
    return sum(node.lost for node in executor.nodes())


def test_a_node_that_dies_at_work_is_not_missed(
    two_nodes: Cluster, team: Team, tmp_path: Path
) -> None:
    executor = team()
    wait_for(executor, 4)

    def kill() -> None:
        """Kill a node and wait until that is noticed."""
        kill_a_node(two_nodes)
        deadline = time.monotonic() + 30
        while not count_lost(executor) and time.monotonic() < deadline:
            time.sleep(0.01)
        (tmp_path / "gate").touch()

    threading.Timer(0.3, kill).start()
    assert_squares(executor, make_squares(40, 0.01, gate=str(tmp_path / "gate")))
    assert count_lost(executor) >= 1
    restore(two_nodes)
    deadline = time.monotonic() + 60
    while [node.workers for node in executor.nodes()].count(2) < 2 or executor.nodes()[-1].done < 1:
        assert time.monotonic() < deadline
        assert_squares(executor, make_squares(20, 0.02))


def test_functions_are_applied(team: Team) -> None:
    executor = team(2)
    weights = np.random.default_rng(1).normal(size=(50, 5))

    def judge(row: int) -> tuple[int, float]:
        return os.getpid(), float(np.tanh(weights[row]).sum())

    told = executor.map(judge, range(50))
    assert [value for _, value in told] == [judge(row)[1] for row in range(50)]
    assert {pid for pid, _ in told} <= set(find_pids())


def test_errors_of_kernels_are_told(team: Team) -> None:
    executor = team(2)
    with pytest.raises(ArenaError, match=r"^part 3 is wrong$"):
        executor.run(make_squares(10, wrong=[3]))
    with pytest.raises(WorkerError, match="ZeroDivisionError: part 3 is broken"):
        executor.run(make_squares(10, broken=[3]))
    assert_squares(executor, make_squares(10))


def test_what_is_small_is_done_here(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ROUND_TRIP", 0.01)
    executor = team(2)
    batch = make_matches(2000)
    expected = SerialExecutor().play(batch)
    for _ in range(4):  # how long it takes is only known afterwards
        assert_same(executor.play(batch), expected)
    done = sum(node.done for node in executor.nodes())
    assert done >= 1
    assert_same(executor.play(batch), expected)
    assert sum(node.done for node in executor.nodes()) == done


def test_a_worker_that_dies_at_work_is_replaced(team: Team, tmp_path: Path) -> None:
    executor = team(2)
    wait_for(executor, 2)
    before = set(find_pids())
    assert_squares(executor, make_squares(60, 0.01, dies=str(tmp_path / "dies")))
    assert count_lost(executor) >= 1
    wait_for(executor, 2)
    assert len(set(find_pids()) - before) == 1


def test_parts_over_which_workers_die_again_and_again_are_an_error(team: Team) -> None:
    executor = team(2)
    with pytest.raises(WorkerError, match=r"3 workers died over the same part .*unexpectedly"):
        executor.run(make_squares(10, deadly=[7]))
    assert_squares(executor, make_squares(10))  # it is as good as new


def test_too_little_work_is_told_once(team: Team) -> None:
    executor = team(2, new=True)
    deadline = time.monotonic() + 60
    while not executor.remarks:
        assert time.monotonic() < deadline
        executor.run(make_squares(1, 0.2))
    assert len(executor.remarks) == 1
    assert "there are only 1 parts at a time" in executor.remarks[0]


def test_a_part_that_is_late_is_given_to_somebody_else(team: Team, tmp_path: Path) -> None:
    executor = team(2)
    begin = time.monotonic()
    assert_squares(executor, make_squares(20, 0.01, sleeps=str(tmp_path / "sleeps")))
    assert time.monotonic() - begin < 50.0  # and not a minute
    assert sum(node.late for node in executor.nodes()) >= 1
    assert_squares(executor, make_squares(20))  # the other one is still at it


@pytest.mark.parametrize("what", ["evolve-arena", "the kernels' sources"])
def test_nodes_of_other_versions_are_refused(
    two_nodes: Cluster, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    own = cluster.describe_versions()
    monkeypatch.setattr(cluster, "describe_versions", lambda: own | {what: "0.0.other"})
    with pytest.raises(ArenaError, match=rf"^node .* has {what} .+, and here it is 0\.0\.other$"):
        RayExecutor(2, two_nodes.address)


def test_errors_of_functions_are_raised(team: Team) -> None:
    def judge(row: int) -> int:
        if row == -1:
            raise KeyError("row -1")
        return row

    executor = team(1)
    with pytest.raises(KeyError, match="row -1"):
        executor.map(judge, [*range(30), -1, *range(5)])
    assert executor.map(abs, [-1, 1, -2]) == [1, 1, 2]  # the only worker was lost


def work_near(folder: Path) -> None:
    """Use a Ray of its own in a process that is not connected to another."""
    cluster.ROUND_TRIP, cluster.BANDWIDTH = 0.0, float("inf")
    with make_executor("ray", 2) as executor:
        assert isinstance(executor, RayExecutor)
        wait_for(executor, 2)
        assert os.getpid() in assert_squares(executor, make_squares(30, 0.02))
        assert set(executor.map(lambda item: os.getpid(), range(50))) - {os.getpid()}
        (node,) = executor.nodes()
        assert node.workers == executor.workers == 2
        here = [psutil.Process(), *psutil.Process().children(recursive=True)]
        heard = [each for process in here for each in process.net_connections()]
        ips = {each.laddr.ip for each in heard if each.status == "LISTEN"}
        assert ips
        assert all(ip.endswith("127.0.0.1") for ip in ips), ips

        batch = make_matches(5000)  # more than there was room for
        assert_same(executor.play(batch), SerialExecutor().play(batch))

        while not (folder / "dies").exists():  # a worker comes to it sooner or later
            assert_squares(executor, make_squares(40, 0.02, dies=str(folder / "dies")))
        assert count_lost(executor) == 1
        wait_for(executor, 2)
        with pytest.raises(ArenaError, match=r"^part 3 is wrong$"):
            executor.run(make_squares(10, 0.02, wrong=[3]))
        wait_for(executor, 2)
        deadly = (executor.run(make_squares(20, 0.05, deadly=range(20))) for _ in range(100))
        with pytest.raises(WorkerError, match="3 workers died over the same part"):
            list(deadly)
        wait_for(executor, 2)
        before = sum(node.late for node in executor.nodes())
        begin = time.monotonic()
        while not (folder / "sleeps").exists():
            assert_squares(executor, make_squares(20, 0.02, sleeps=str(folder / "sleeps")))
        assert sum(node.late for node in executor.nodes()) > before
        assert_squares(executor, make_squares(20))  # the other one is still at it
        assert time.monotonic() - begin < 50.0  # and not a minute
    assert not [each for each in psutil.Process().children(recursive=True) if each.is_running()]


def test_this_process_works_too_where_ray_is_its_own(tmp_path: Path) -> None:
    code = f"import pathlib, {__name__} as test; test.work_near(pathlib.Path({str(tmp_path)!r}))"
    there = os.environ | {"PYTHONPATH": str(Path.cwd())}  # which workers look for modules in, too
    subprocess.run([sys.executable, "-c", code], timeout=180, check=True, env=there)


def test_where_no_memory_is_shared_workers_do_it_alone(tmp_path: Path, serial_hash: str) -> None:
    code = f"""
import os
del os.memfd_create
import evolve_arena as ea
from evolve_arena.runs.summary import summarise
run = ea.start({RECIPE!r}, run={str(tmp_path / "run")!r}, changes={CHANGES!r}, executor="ray",
               workers=2)
assert summarise(run)["population_sha256"] == {serial_hash!r}
"""
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)


def test_a_ray_of_its_own_runs_no_file_and_goes_with_its_caller(
    tmp_path: Path, still_alive: Callable[[Iterable[int]], list[int]]
) -> None:
    """Other users may read neither its folder nor its token; nothing is left of it after a kill."""
    plant(tmp_path / "here", tmp_path / "marks")
    code = """
from evolve_arena.arena.executors import make_executor
with make_executor("ray", 2) as executor:
    executor.map(abs, range(50))
    print("ready", flush=True)
    input()
"""
    temporary = Path(tempfile.mkdtemp(prefix="ea-"))  # names of sockets are short
    caller = psutil.Popen(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path / "here",
        env=os.environ | {"TMPDIR": str(temporary), "HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with caller:
        assert caller.stdout.readline() == b"ready\n"
        begun = [child.pid for child in caller.children(recursive=True)]
        assert [path.stat().st_mode & 0o777 for path in temporary.iterdir()] == [0o700]
        assert (tmp_path / ".ray" / "auth_token").stat().st_mode & 0o777 == 0o600
        caller.kill()
    assert read_marks(tmp_path / "marks") == {}
    assert len(begun) > 5
    assert still_alive(begun) == []
    temporary.rmdir()  # as it is empty


def test_without_ray_it_is_told_how_to_install_it(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["ray"] = None
from evolve_arena.cli.main import main
sys.argv = ["evolve", "start", "connect-four", "--run", sys.argv[1], "--executor", "ray"]
main()
"""
    run = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", code, run], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "evolve: this needs ray: pip install 'evolve-arena[ray]'\n"
    assert not run.exists()


def test_ray_is_only_imported_when_it_is_asked_for() -> None:
    code = (
        "import sys, evolve_arena.runs.api, evolve_arena.cli.main; assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.fixture
def far_hosts() -> Iterator[tuple[Host, Host]]:
    """Yield two hosts, 200 ms from each other; of twenty packets one is lost."""
    with ExitStack() as stack:
        try:
            hosts = stack.enter_context(two_hosts(0.2, 0.05))
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespaces here: {error}")
        yield hosts


def test_a_slow_network_that_loses_packets_changes_nothing(
    far_hosts: tuple[Host, Host], tmp_path: Path, serial_hash: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver is on one host, and all workers are on the other one."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    head, other = far_hosts
    begin = [Path(sys.executable).with_name("ray"), "start", "--block"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    folder = tempfile.mkdtemp(prefix="ea-")  # names of sockets are short
    wait = f"""
import socket, time
while True:
    try:
        socket.create_connection(("{head.ip}", 6379))
        break
    except OSError:
        time.sleep(0.2)
"""
    alone = [
        f"--node-ip-address={head.ip}",
        "--num-cpus=0",
        "--port=6379",
        "--include-dashboard=false",
    ]
    head.start([*begin, "--head", *alone, f"--temp-dir={folder}"], **quiet)
    assert head.start([sys.executable, "-c", wait]).wait(timeout=60) == 0
    code = f"""
import time
from evolve_arena.arena.executors import cluster
cluster.ROUND_TRIP, cluster.BANDWIDTH = 0.0, float("inf")
import evolve_arena as ea
from evolve_arena.runs.summary import summarise
def tell(progress):
    told[:] = progress.nodes
told = []
with cluster.connect("{head.ip}:6379") as ray:
    while ray.cluster_resources().get("CPU", 0) < 4:
        time.sleep(0.2)
    for workers in {FAR_WORKERS}:
        run = ea.start({RECIPE!r}, run={str(tmp_path)!r} + f"/{{workers}}", changes={CHANGES!r},
                       executor="ray", address="{head.ip}:6379", workers=workers, callbacks=tell)
        far = sum(node.done for node in told if node.address == "{other.ip}")
        print(summarise(run)["population_sha256"], far)
"""
    other.start(
        [*begin, "--num-cpus=4", f"--node-ip-address={other.ip}", f"--address={head.ip}:6379"],
        **quiet,
    )
    driver = head.start([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    told = driver.communicate(timeout=120 + 180 * len(FAR_WORKERS))[0]
    ends = [line.split() for line in told.splitlines()]
    assert [digest for digest, _ in ends] == [serial_hash] * len(FAR_WORKERS)
    assert all(int(far) > 0 for _, far in ends), ends
    head.kill_all()
    shutil.rmtree(folder, ignore_errors=True)


def test_nothing_is_forked_from_a_process_that_is_connected(two_nodes: Cluster) -> None:
    """A forked process lacks the threads of Ray, and may wait for them forever."""
    assert ray.is_initialized()
    assert find_start_method() == "spawn"
    with ProcessExecutor(2) as executor:
        assert executor.map(abs, [-1, 2, -3]) == [1, 2, 3]
