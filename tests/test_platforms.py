"""Emulation of Windows: everything can be imported without POSIX modules, and workers run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evolve_arena as ea

ROOT = Path(ea.__file__).parent.parent
SMALL = ["run.generations=4", "method.individuals=20", "check.games=100", "check.every=2"]

SITE = """
import asyncio, multiprocessing, os, platformdirs, psutil, select, signal, subprocess, sys, types
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, lockf  # lock a byte of a file, for a process

def locking(descriptor, mode, length):
    assert os.lseek(descriptor, 0, os.SEEK_CUR) > 20  # nobody can read what is locked
    try:
        lockf(descriptor, mode, length, 0, os.SEEK_CUR)
    except BlockingIOError:
        raise PermissionError(13, "Permission denied") from None

sys.modules["msvcrt"] = types.SimpleNamespace(
    LK_NBLCK=LOCK_EX | LOCK_NB, LK_UNLCK=LOCK_UN, locking=locking
)
for name in ("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp"):
    sys.modules[name] = None
os.supports_dir_fd.clear()
multiprocessing.get_all_start_methods = lambda: ["spawn"]
missing = {
    os: "fork forkpty getuid geteuid getgid killpg mkfifo nice pread pwrite sched_getaffinity"
    " set_blocking setsid sysconf O_DIRECTORY O_NOFOLLOW",
    select: "poll epoll",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL pthread_sigmask setitimer",
}
for module, names in missing.items():
    for name in names.split():
        delattr(module, name)
os.process_cpu_count = os.cpu_count  # of Python 3.13 and newer
"""
"""Python runs it at every start, that of workers too. Libraries that look at what
system this is are loaded before."""

IMPORTS = """
import importlib, pkgutil, sys
import evolve_arena
for module in pkgutil.walk_packages(evolve_arena.__path__, "evolve_arena."):
    if ".templates" not in module.name and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        print(module.name)
"""

RUN = """
import asyncio, json, subprocess, sys
import evolve_arena as ea
from evolve_arena.arena.executors import make_executor, processes
from evolve_arena.core.errors import ArenaError
from evolve_arena.web.workers import READING, Worker

hire, receive, busy = processes._Team._hire, processes._Worker.receive, []

def hire_and_wait(team):
    hire(team)
    for worker in team.workers:
        worker.ready or receive(worker)

def receive_and_note(worker):
    busy.append(worker.process.pid)
    return receive(worker)

def watch(progress):
    global refused
    if progress.generation == 2:
        command = [sys.executable, "-m", "evolve_arena.cli.main", "resume", "one"]
        refused = subprocess.run(command, capture_output=True, text=True)
    return True

async def ask():
    worker = Worker(READING, folder=".")
    try:
        return await worker.call("find_runs")
    finally:
        worker.stop()

if __name__ == "__main__":
    processes._Team._hire, processes._Worker.receive = hire_and_wait, receive_and_note
    changes = json.loads(sys.argv[1])
    run = ea.start("connect-four", run="one", workers=3, changes=changes, callbacks=watch)
    told = [run.population_sha256, len(set(busy)), refused.returncode, refused.stderr]
    with make_executor(None, 2) as executor:
        squares = executor.map(lambda item: item * item, range(10))
    try:
        ea.duel("process:true", "random", games=2)
    except ArenaError as error:
        program = str(error)
    print(json.dumps([*told, squares, program, len(asyncio.run(ask()))]))
"""


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Return the environment of processes that have only modules that Windows has, too."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(SITE, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT)])}


def test_every_module_can_be_imported(bare: dict[str, str]) -> None:
    words = [sys.executable, "-c", IMPORTS]
    done = subprocess.run(words, env=bare, capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    assert len(done.stdout.split()) > 300


def test_a_run_is_bred_by_workers_and_locked(bare: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RUN, encoding="utf-8")
    words = [sys.executable, "script.py", json.dumps(SMALL)]
    done = subprocess.run(
        words, env=bare, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == "", done.stderr
    told, workers, code, refusal, squares, program, runs = json.loads(done.stdout)
    assert workers == 2
    assert code == 2
    assert "one is in use by another process (process " in refusal
    assert squares == [item * item for item in range(10)]
    assert "players that are programs need Linux or macOS" in program
    assert runs == 1
    alone = ea.start("connect-four", run=tmp_path / "alone", changes=SMALL, executor="serial")
    assert told == alone.population_sha256
    assert ea.resume(tmp_path / "one", generations=4).population_sha256 == told
