"""Workers that start from nothing: the same results as from forked ones, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import psutil
import pytest

from evolve_arena.arena.batch import Batch, make_batch
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor, WorkerError
from evolve_arena.core import registry
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, make_game, open_file, register_game
from evolve_arena.players.player import make_random
from tests.arena.test_executors import assert_same

StillAlive = Callable[[Iterable[int]], list[int]]


def make_matches(game: AnyGame, count: int) -> Batch:
    """Make matches of random players."""
    packed = make_random(game).packed
    seats = find_game(game.name).most_seats
    seeds = np.arange(count, dtype=np.uint64)
    return make_batch(game, packed, np.zeros((count, seats), np.int32), seeds)


@pytest.fixture
def team(ready_workers: list[int]) -> Iterator[ProcessExecutor]:
    """Yield an executor of two workers."""
    with ProcessExecutor(2, "spawn") as executor:
        yield executor


def test_a_worker_that_is_not_ready_holds_up_nobody() -> None:
    with ProcessExecutor(2, "spawn") as executor:
        batch = make_matches(make_game("connect-four"), 1000)
        assert_same(executor.play(batch), SerialExecutor().play(batch))
        assert not executor._team.workers[0].ready


def test_a_game_is_played_as_its_file_was_when_it_was_opened(
    team: ProcessExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    source: str = find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]
    file = tmp_path / "rows.py"
    file.write_text(source + "\n# another\n", encoding="utf-8")
    game = open_file(file).make()
    file.write_text("no game any more", encoding="utf-8")
    batch = make_matches(game, 3000)
    assert_same(team.play(batch), SerialExecutor().play(batch))


RENAMED = """
from evolve_arena.core.game import Game
from evolve_arena.core.registry import make_game

class Renamed(Game):
    name = "renamed"
    rules_type = type(make_game("tic-tac-toe")).rules_type
    vars().update({n: getattr(make_game("tic-tac-toe"), n) for n in Game.__abstractmethods__})
"""


def _make_class(folder: Path, monkeypatch: pytest.MonkeyPatch) -> type[AnyGame]:
    """Return a game that is a class without a file of rules: tic-tac-toe under another name."""
    monkeypatch.syspath_prepend(folder)
    (folder / "their_renamed.py").write_text(RENAMED, encoding="utf-8")
    return import_module("their_renamed").Renamed


def test_a_registered_game_is_known_to_workers(
    team: ProcessExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    game = _make_class(tmp_path, monkeypatch)
    given = replace(find_game("tic-tac-toe"), game=game, networks={}, players={}, dialects={})
    given = replace(given, make_text_ui=lambda game: None, make_board=None)
    register_game(given)
    batch = make_matches(game(), 3000)
    assert_same(team.play(batch), SerialExecutor().play(batch))


def test_a_registered_game_that_can_not_be_sent_is_named(
    team: ProcessExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})

    class Stuck(_make_class(tmp_path, monkeypatch)):
        """A game that no worker could import."""

        name = "stuck"
        waiting = (number for number in ())  # no generator can be pickled

    register_game(replace(find_game("tic-tac-toe"), game=Stuck))
    other = make_matches(make_game("connect-four"), 1000)
    assert_same(team.play(other), SerialExecutor().play(other))
    with pytest.raises(
        ArenaError, match=r"game stuck, given by register_game, can't be sent .*'se"
    ):
        team.play(make_matches(Stuck(), 3000))


CALLER = """
import sys
import numpy as np
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import ProcessExecutor
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import make_random

game = make_game("connect-four")
packed = make_random(game).packed


def make(count):
    seeds = np.arange(count, dtype=np.uint64)
    return make_batch(game, packed, np.zeros((count, 2), np.int32), seeds)


def nap(seconds):
    import time
    time.sleep(seconds)
    return seconds


executor = ProcessExecutor(3, METHOD)
executor.play(make(1000))
while not all(worker.ready for worker in executor._team.workers):
    executor.play(make(1000))
print(*executor.processes(), flush=True)
"""


def start_caller(method: str, busy: str) -> subprocess.Popen[bytes]:
    """Start a script that has workers; its first line of output is their ids."""
    script = CALLER.replace("METHOD", repr(method)) + busy
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", script], stdin=pipe, stdout=pipe, stderr=pipe)


BUSY = {
    "playing": "while True: executor.play(make(300_000))",
    "waiting": "sys.stdin.read()",
    "mapping": "executor.map(nap, [0.01] * 100_000)",
}


@pytest.mark.parametrize(
    ("method", "busy"),
    [("fork", "playing"), ("fork", "mapping"), ("spawn", "waiting"), ("spawn", "mapping")],
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_of_a_caller_that_ends(
    number: int, method: str, busy: str, still_alive: StillAlive
) -> None:
    shared = set(os.listdir("/dev/shm"))
    with start_caller(method, BUSY[busy]) as caller:
        assert caller.stdout is not None
        assert caller.stderr is not None
        pids = [int(pid) for pid in caller.stdout.readline().split()]
        time.sleep(0.3)
        pids += [child.pid for child in psutil.Process(caller.pid).children()]
        caller.send_signal(number)
        said = caller.stderr.read().decode()
        assert caller.wait() == -number
        assert still_alive(pids) == []
    assert set(os.listdir("/dev/shm")) <= shared
    assert "resource_tracker" not in said
    assert said.strip().endswith("KeyboardInterrupt") == (number == signal.SIGINT)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_who_forgets_to_close_ends_all_the_same(method: str, still_alive: StillAlive) -> None:
    with start_caller(method, "executor.map(nap, [0.01, 0.02])") as caller:
        out, errors = caller.communicate(timeout=120)
    assert (caller.returncode, errors) == (0, b"")
    assert still_alive(map(int, out.split())) == []


def test_a_stopped_worker_does_not_keep_close_from_returning(still_alive: StillAlive) -> None:
    stop = "import os, signal\nos.kill(executor.processes()[0], signal.SIGSTOP)\nexecutor.close()"
    with start_caller("fork", stop) as caller:
        assert caller.stdout is not None
        pids = [int(pid) for pid in caller.stdout.readline().split()]
        try:
            code = caller.wait(timeout=20)
        except subprocess.TimeoutExpired:
            code = None
            caller.kill()
            os.kill(pids[0], signal.SIGKILL)
    assert code == 0
    assert still_alive(pids) == []


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import evolve_arena as ea\n"
        "ea.start('connect-four', run='one', executor='spawn', workers=3, changes=["
        "'run.generations=100000'])\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "WorkerError: a worker process ended while it was starting" in last
    assert 'if __name__ == "__main__":' in last
    assert done.stderr.count("Traceback") == 1  # nothing from the workers


def test_signals_that_come_while_workers_start_are_for_the_caller() -> None:
    with ProcessExecutor(3, "spawn") as executor:
        batch = make_matches(make_game("connect-four"), 1000)
        executor.play(batch)
        pids = executor.processes()
        for pid in pids:
            os.kill(pid, signal.SIGINT)
            os.kill(pid, signal.SIGTERM)
        while not all(worker.ready for worker in executor._team.workers):
            executor.play(batch)
        assert executor.processes() == pids
        with pytest.raises(WorkerError, match="can't be sent"):
            executor.map(lambda item: item, [threading.Lock(), iter([])])
