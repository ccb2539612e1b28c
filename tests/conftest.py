"""Fixtures of several layers: small recipes, runs that are killed or stopped, tables."""

from __future__ import annotations

import gc
import os
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings
from multiprocess import resource_tracker

from evolve_arena.arena.executors import processes
from evolve_arena.cli.main import main
from evolve_arena.core import compiled, user_code
from evolve_arena.core.game import GameSpec
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Settings
from evolve_arena.runs.api import resume, start
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.training.loop import Progress

calm = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("patient", derandomize=True, **calm)  # a failure is new, and not luck
settings.load_profile("patient")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background, by nohup say
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what tests start, too, must heed it

SELDOM = {"HAS_PRIORS", "HAS_DENSE", "HAS_SCRIPTS"}
"""Kinds of players that few tests have, and whose compiling takes long."""
OFTEN = ("connect-four", "othello", "tic-tac-toe", "checkers")
"""Games of which tests have many kinds of players."""
COMMON_FLAGS = {name: set(find_game(name).kernel.flags) - SELDOM for name in OFTEN}
NETWORKS = {"HAS_VALUES", "HAS_OWN_VALUES", "HAS_DENSE_VALUES", "HAS_DENSE_SIGHT", "HAS_GRAPHS"}
NETWORKS |= {"HAS_LAYERS", "HAS_TUPLES"}
COMMON_FLAGS["othello"] |= {"HAS_DENSE"}
COMMON_FLAGS["pig"] = {*NETWORKS, "HAS_SEARCHES", "HAS_MCTS", "HAS_DEEP_VALUES"}
COMMON_FLAGS["ticket-to-ride"] = {"HAS_SCRIPTS", "HAS_ACTIONS", "HAS_DENSE", "HAS_GRAPHS"}
COMMON_FLAGS["ticket-to-ride"] |= {"HAS_OUTPUTS", "HAS_KIND_PLAYERS", "HAS_FORFEITS"}
COMMON_FLAGS["ticket-to-ride"] |= {"HAS_VALUES", "HAS_OWN_VALUES", "HAS_POLICIES"}
"""Kinds of players for which the kernel of a game is compiled, unless for all."""

LONGEST = ("test_tutorial", "loses_packets", "test_first_hour")
"""Tests of a minute or so, which leave no process behind for those that look for one."""


def compile_for_all_kinds() -> None:
    """Make kernels support all kinds of players from now on.

    Tests have dozens of mixtures; to compile for all at once takes less time.
    """
    compiled._add_variant = _add_usual_variant


def _add_usual_variant(game: GameSpec, given: Settings, needed: frozenset[str]) -> Settings:
    usual = frozenset(COMMON_FLAGS.get(game.name, ()))
    if given != game.kernel.constants(game.make().rules):  # few tests have such a board or table
        usual = usual - {"HAS_ACTIONS"} if "HAS_KIND_PLAYERS" in needed else needed
    return ADD_VARIANT(game, given, usual if needed <= usual else needed)


ADD_VARIANT = compiled._add_variant
compile_for_all_kinds()
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    """Close a test process's pipe in its forked children.

    The closed pipe tells xdist that the process has died, of a time limit say; forks may live on.
    """
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            ends = os.open(os.devnull, os.O_RDWR), plugin.channel.gateway._io.outfile.fileno()
            os.register_at_fork(after_in_child=partial(os.dup2, *ends, inheritable=False))


def pytest_collection_finish() -> None:
    """Freeze garbage collection: thousands of tests stay until the end and need no look."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first, so that no process is left alone with one at the end."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONGEST))


SMALL = """
title = "small"

[network]
head = "value"
encoding = "planes"
hidden = [5]
activation = "tanh"

[method]
individuals = 12
tournament_size = 3

[matches]
colours = "one"
draw_points = 0.0
openings = { plies = 0, count = 1 }

[check]
every = 3
games = 20
share = 1.0

[run]
generations = 8
checkpoint_every = 3
"""


@pytest.fixture
def compiled_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile kernels only for the players that use them, as outside of tests."""
    monkeypatch.setattr("evolve_arena.core.compiled._made", {})
    monkeypatch.setattr("evolve_arena.core.compiled._add_variant", ADD_VARIANT)


@pytest.fixture(scope="session")
def small_recipe(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recipe]:
    """Return a maker of recipes that run in a moment, with changes like ``run.seed=7``."""
    file = tmp_path_factory.mktemp("recipe") / "small.toml"
    file.write_text(SMALL)

    def make(*changes: str) -> Recipe:
        return load_recipe(str(file), changes)

    return make


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep permissions that tests give out of the home of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("RAY_worker_niceness", "0")  # else they hardly come to it beside other tests
        yield


@pytest.fixture(scope="session")
def still_alive() -> Callable[[Iterable[int]], list[int]]:
    """Return a function that waits a minute for processes to end, and returns the others.

    A zombie has ended.
    """

    def runs(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def wait(pids: Iterable[int]) -> list[int]:
        left, end = list(pids), time.monotonic() + 60
        while (left := [pid for pid in left if runs(pid)]) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    return wait


@pytest.fixture(autouse=True)
def _forget_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget after each test the code that it registered."""
    monkeypatch.setattr(user_code, "_registered", dict(user_code._registered))


@pytest.fixture(autouse=True)
def _stop_tracker() -> Iterator[None]:
    """End the process that the library starts beside workers which are not forked."""
    yield
    resource_tracker._resource_tracker._stop()


@pytest.fixture(scope="session")
def find_workers() -> Callable[[], list[psutil.Process]]:
    """Return a finder of this process's children, without the library's resource tracker."""

    def find() -> list[psutil.Process]:
        found = psutil.Process().children(recursive=True)
        return [child for child in found if "resource_tracker" not in " ".join(child.cmdline())]

    return find


@pytest.fixture
def ready_workers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Wait for spawned workers before giving out work, so that each of them gets some.

    The list has the process of each chunk's worker.
    """
    hire, receive, busy = processes._Team._hire, processes._Worker.receive, []

    def hire_and_wait(team: processes._Team) -> None:
        hire(team)
        for worker in team.workers:
            if not worker.ready:
                assert receive(worker) is not None

    def receive_and_note(worker: processes._Worker) -> object:
        done = receive(worker)
        if done:
            busy.append(worker.process.pid)
        return done

    monkeypatch.setattr(processes._Team, "_hire", hire_and_wait)
    monkeypatch.setattr(processes._Worker, "receive", receive_and_note)
    return busy


@pytest.fixture
def evolve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Return a runner of ``evolve`` in this process; it gives standard output and error."""

    def run(*words: str, code: int = 0) -> tuple[str, str]:
        monkeypatch.setattr("sys.argv", ["evolve", *words])
        capsys.readouterr()  # what was printed before is not the command's
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out, said.err

    return run


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run: everything that must not depend on the way it was run."""

    generation: int
    sha256: str
    table: dict[str, list[float]]
    checks: list[Check]
    champions: list[tuple[int, float, float]]
    champion: bytes


@pytest.fixture(scope="session")
def outcome_of() -> Callable[[Path], Outcome]:
    """Return a reader of the outcome of a run in a folder."""

    def look(path: Path) -> Outcome:
        run = Run.open(path)
        with History(run.directory.history) as history:
            table = history.generations()
            champions = history.champions()
            blobs = [history.champion(generation) for generation, _, _ in champions]
        del table["seconds"]
        champion = run.directory.champion.read_bytes()
        assert champion in blobs
        return Outcome(
            run.generation, run.population_sha256, table, run.checks(), champions, champion
        )

    return look


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[[], dict[str, list[dict[str, str]]]]:
    """Return a reader of the tables printed so far: rows by title, and in each a cell by header.

    A cell belongs to the header with which it begins or ends, or to the one without a text.
    """

    def read() -> dict[str, list[dict[str, str]]]:
        lines = capsys.readouterr().out.splitlines()
        tables: dict[str, list[dict[str, str]]] = {}
        for place in [at for at, line in enumerate(lines) if line and set(line) == {"─"}]:
            headers = _find_cells(lines[place - 1])
            rows = tables[lines[place - 2].strip()] = []
            for line in lines[place + 1 :]:
                if not line.startswith(" "):
                    break
                row = dict.fromkeys((text for text, _, _ in headers), "")
                for text, begin, end in _find_cells(line):
                    names = (name for name, *ends in headers if begin == ends[0] or end == ends[1])
                    row[next(names, "")] = text
                rows.append(row)
        return tables

    return read


@pytest.fixture(scope="session")
def stop_anywhere(outcome_of: Callable[[Path], object]) -> Callable[[Recipe, Run, Path], None]:
    """Return a function that stops a run after every generation, then rewinds it.

    It takes the recipe, a run of it that was not stopped, and a new run's folder.
    """

    def stop(recipe: Recipe, whole: Run, path: Path) -> None:
        kept = recipe.change({"run.keep_every": 1})
        start(kept, run=path, executor="serial", callbacks=lambda progress: False)
        for generation in range(2, whole.generation + 1):
            resume(path, executor="serial", callbacks=_stop_at(generation))
            assert Run.open(path).generation == generation
        assert outcome_of(path) == outcome_of(whole.path)
        resume(path, from_generation=4, force=True, executor="multiprocess", workers=2)
        assert outcome_of(path) == outcome_of(whole.path)

    return stop


def _stop_at(generation: int) -> Callable[[Progress], bool]:
    return lambda progress: progress.generation < generation


def _find_cells(line: str) -> list[tuple[str, int, int]]:
    """Return texts that are two or more spaces apart in a line, with their beginnings and ends."""
    return [(found[0], *found.span()) for found in re.finditer(r"\S+(?: \S+)*", line)]
