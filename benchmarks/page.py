"""Cost of a watching page to a run, and response times of the server."""

from __future__ import annotations

import http.client
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from statistics import median
from urllib.parse import urlencode, urlsplit

from scipy.stats import quantile_test

import evolve_arena as ea
from benchmarks.line import Line, SkippedError
from benchmarks.whole_runs import EVOLVE
from tests.browser import CHROMIUM, SWITCHES, sync_playwright

__all__ = ["measure"]

WINDOW, PAUSE = 4.0, 1.0
"""Seconds of a window in which generations are counted, and of the pause before it."""
COMPARED, GAMES = 6, 100
"""Runs that are compared, and games of each pair when they are rated."""
PAIRS = 24
"""Number of pairs of windows, one with watchers and one without."""
WATCHERS = 3
RUNS, GENERATIONS = 200, 1000
REQUESTS = 20
"""Number of requests of each of three kinds."""
BEGUN = 20
"""Generations of the watched run before anybody watches."""
CHANGES: tuple[str, ...] = ()
"""Changes of the recipe of the watched run."""
MODEST = (
    "method.individuals=6",
    "method.tournament_size=2",
    "check.games=10",
    "check.opponents=['random']",
)
SMALL = {
    "WINDOW": 1.0,
    "PAUSE": 0.1,
    "COMPARED": 2,
    "GAMES": 2,
    "PAIRS": 1,
    "RUNS": 3,
    "GENERATIONS": 20,
    "REQUESTS": 1,
    "BEGUN": 2,
    "CHANGES": ("method.individuals=20", "check.games=20"),
}


def measure() -> Iterator[Line]:
    """Yield all lines about the page."""
    with tempfile.TemporaryDirectory(prefix="evolve-benchmark-") as name:
        folder = Path(name)
        yield from _many(folder / "many")
        yield _watched(folder / "watched")
        yield _compared(folder / "compared")


class _Server:
    """Process of ``evolve serve`` for a folder, which ends with a ``with`` block."""

    def __init__(self, folder: Path) -> None:
        begun = time.perf_counter()
        words = [*EVOLVE, "serve", str(folder), "--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        printed = urlsplit(self.process.stdout.readline().split(" is shown at ")[1].split()[0])
        token = printed.query.removeprefix("token=")
        self.printed = printed.geturl()
        self.host, self.shown = printed.netloc, {"Cookie": f"evolve-arena-{printed.port}={token}"}
        self.ask("/")
        self.seconds = time.perf_counter() - begun

    def ask(self, path: str, **query: str) -> float:
        """Request a *path* and return the seconds until its answer is read."""
        begun = time.perf_counter()
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("GET", f"{path}?{urlencode(query)}", headers=self.shown)
        response = connection.getresponse()
        response.read()
        connection.close()
        assert response.status == 200
        return time.perf_counter() - begun

    @contextmanager
    def watched(self, runs: Sequence[str]) -> Iterator[None]:
        """Read the events of each of the *runs* during a ``with`` block."""
        connections = []
        for run in runs:
            connection = http.client.HTTPConnection(self.host, timeout=60)
            address = f"/api/events?{urlencode({'run': run})}"
            connection.request("GET", address, headers=self.shown)
            connections.append((connection, connection.getresponse()))
        threads = [threading.Thread(target=_read, args=(response,)) for _, response in connections]
        for thread in threads:
            thread.start()
        yield
        for connection, _ in connections:  # ends a read that waits
            connection.sock.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
        for connection, response in connections:
            response.close()
            connection.close()

    def __enter__(self) -> _Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        with self.process:  # waits, and closes what it prints to
            pass


def _many(folder: Path) -> Iterator[Line]:
    """Measure the slowest answers about two hundred runs of a thousand generations."""
    first = folder / "run-000"
    changes = [*MODEST, f"run.generations={GENERATIONS}"]
    ea.start("tic-tac-toe-evolved", run=first, changes=changes, executor="serial")
    for number in range(1, RUNS):
        shutil.copytree(first, folder / f"run-{number:03}")
    for _ in range(2):  # the first may find nothing in the system's cache
        with _Server(folder) as server:
            seconds = server.seconds
    yield Line(
        "evolve serve answers", seconds, "s", "0.7 s", 0.7 / seconds, "0.7 s", seconds <= 0.7
    )
    with _Server(folder) as server:
        begun = server.ask("/api/runs")
        server.ask("/api/describe", run="run-000")
        slowest = max(
            server.ask(path, **query)
            for number in range(REQUESTS)
            for path, query in (
                ("/api/runs", {}),
                ("/api/record", {"run": f"run-{number % RUNS:03}"}),
                ("/api/describe", {"run": f"run-{number % RUNS:03}"}),
            )
        )
    yield Line(f"first list of {RUNS} runs", begun, "s")
    yield Line(
        f"slowest of {3 * REQUESTS} requests, {RUNS} runs of {GENERATIONS} generations",
        slowest,
        "s",
        "0.2 s",
        0.2 / slowest,
        "0.2 s",
        slowest <= 0.2,
    )


@contextmanager
def _training(run: Path) -> Iterator[None]:
    """Train a run in a process of its own during a ``with`` block."""
    words = [*EVOLVE, "start", "connect-four", "--run", str(run), "--quiet"]
    for change in ("run.generations=1000000", *CHANGES):
        words += ["--set", change]
    training = subprocess.Popen(words)
    try:
        while not (run / "history.db").exists() or _count(run) < BEGUN:
            time.sleep(0.2)
        yield
    finally:
        training.terminate()
        training.wait(60)


def _watched(folder: Path) -> Line:
    """Compare generations in a window with three watching pages and without, alternating."""
    run = folder / "watched"
    with _training(run), _Server(folder) as server:
        server.ask("/api/record", run="watched")
        ratios = [_compare(server, run) for _ in range(PAIRS)]
    ratio, interval = median(ratios), quantile_test(ratios).confidence_interval(0.95)
    name = (
        f"a run with {WATCHERS} watchers, {PAIRS} pairs of {WINDOW:.0f} s,"
        f" 95 % of medians {interval.low:.3f} to {interval.high:.3f}"
    )
    return Line(name, ratio, "of its speed", "unwatched", ratio, "at least 0.98", ratio >= 0.98)


def _compared(folder: Path) -> Line:
    """Measure the longest request of a browser that compares and rates six runs while one trains.

    The wait for a connection counts as well: it has six of them to a host.
    """
    if not CHROMIUM or sync_playwright is None:
        raise SkippedError("Chromium or playwright is not installed")
    names = [f"run-{number}" for number in range(COMPARED)]
    changes = [*MODEST, f"run.generations={GENERATIONS}", f"check.every={GENERATIONS // 2}"]
    ea.start("connect-four", run=folder / names[0], changes=changes, executor="serial")
    for name in names[1:]:
        shutil.copytree(folder / names[0], folder / name)
    with _training(folder / "training"), _Server(folder) as server, sync_playwright() as starter:
        browser = starter.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(server.printed)
        page.evaluate("performance.setResourceTimingBufferSize(10000)")
        page.get_by_label("compare training").wait_for()
        page.goto(f"http://{server.host}/#/compare/{','.join(names)}")
        page.get_by_label("games of each pair").fill(str(GAMES))
        page.get_by_role("button", name="Play a round robin").click()
        page.get_by_text("score, 95 % interval").wait_for()
        spent = page.evaluate(
            "performance.getEntriesByType('resource').filter(({ name }) =>"
            " !name.includes('/api/events')).map(({ duration }) => duration / 1000)"
        )
        browser.close()
    longest = max(spent)
    name = f"longest of {len(spent)} requests: {COMPARED} runs compared and rated, another trains"
    return Line(name, longest, "s", "2 s", 2 / longest, "2 s", longest <= 2)


def _compare(server: _Server, run: Path) -> float:
    speeds = []
    for watchers in (["watched", "watched", ""][:WATCHERS], []):
        with server.watched(watchers):
            time.sleep(PAUSE)
            before, begun = _count(run), time.perf_counter()
            time.sleep(WINDOW)
            speeds.append((_count(run) - before) / (time.perf_counter() - begun))
    return speeds[0] / speeds[1]


def _read(response: http.client.HTTPResponse) -> None:
    with suppress(http.client.HTTPException, OSError):  # shut down while it reads
        while response.read1(65_536):
            pass


def _count(run: Path) -> int:
    """Count the generations in a run's history."""
    with closing(sqlite3.connect(f"file:{run / 'history.db'}?mode=ro", uri=True)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM generations").fetchone()[0])
        except sqlite3.OperationalError:  # only just being made
            return 0
