"""The command line in a copy of this process: apart from it, but with all modules loaded."""

from __future__ import annotations

import ast
import multiprocessing
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO

from evolve_arena import games, runs, studies
from evolve_arena.cli import main as cli

__all__ = ["evolve", "run_script", "start_evolve"]

FORK = multiprocessing.get_context("fork")
for package in (runs, games, studies):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".templates" not in module.name:  # what exported bots are made of
            import_module(module.name)


def start_evolve(
    words: list[str], out: IO[bytes], err: IO[bytes], **options: object
) -> BaseProcess:
    """Run ``evolve`` with these *words* in a process whose output goes to two files.

    Args:
        words: The command's arguments.
        out: The standard output.
        err: The standard error.
        options: ``folder``, where it runs, and ``typed``, a file with its standard input.
    """
    process = FORK.Process(target=_run, args=(words, out, err), kwargs=options)
    process.start()
    return process


def evolve(*words: str, folder: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``evolve`` to its end in *folder*, with *typed* as its standard input."""
    with ExitStack() as stack:
        out, err, entered = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        entered.write(typed.encode())
        entered.seek(0)
        process = start_evolve(list(words), out, err, folder=folder, typed=entered)
        process.join(120)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"evolve {' '.join(words)}")
        return subprocess.CompletedProcess(words, process.exitcode, _read(out), _read(err))


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


SHIM = """#!{python} -IS
import os, socket, sys

server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
words = repr(({name!r}, sys.argv[1:], os.getcwd(), dict(os.environ))).encode()
socket.send_fds(server, [len(words).to_bytes(8, "big")], [0, 1, 2])
server.sendall(words)
sys.exit(server.recv(1)[0])
"""
"""A command that lets the process at a socket fork, gives it all it has, and waits for its code."""


def run_script(
    words: list[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end in *folder*; its ``evolve`` and ``python`` copy this process.

    Args:
        words: The script and its arguments.
        folder: Where it runs.
        environment: Variables that it has beside those of this process.
    """
    with (
        tempfile.TemporaryDirectory() as place,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        socket.socket(socket.AF_UNIX) as server,
    ):
        address = f"{place}/socket"
        for name in ("evolve", "python"):
            shim = Path(place, name)
            shim.write_text(SHIM.format(python=sys.executable, address=address, name=name))
            shim.chmod(0o755)
        server.bind(address)
        server.listen()
        server.settimeout(0.05)
        path = f"{place}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, **environment}
        script = subprocess.Popen(words, stdout=out, stderr=err, cwd=folder, env=env)
        while script.poll() is None:
            try:
                asked, _ = server.accept()
            except TimeoutError:
                continue
            with asked:
                asked.setblocking(True)
                asked.sendall(bytes([_answer(asked)]))
        return subprocess.CompletedProcess(words, script.returncode, _read(out), _read(err))


def _answer(asked: socket.socket) -> int:
    """Do what a shim asks for in a copy of this process; gives its exit code."""
    size, files, _, _ = socket.recv_fds(asked, 8, 3)
    told = b""
    while len(told) < int.from_bytes(size, "big"):
        told += asked.recv(1 << 16)
    process = FORK.Process(target=_obey, args=(files, *ast.literal_eval(told.decode())))
    process.start()
    for file in files:
        os.close(file)
    process.join()
    return abs(process.exitcode or 0) % 256


def _obey(
    files: list[int], name: str, words: list[str], folder: str, environment: dict[str, str]
) -> None:
    """Act as ``evolve`` or ``python``."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(files):
        os.dup2(file, number)
    sys.stdin = os.fdopen(0)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv = [name, *words]
    if name == "evolve":
        cli.main()
    elif words[0] == "-m":
        sys.argv = words[1:]
        package = words[1].partition(".")[0]
        for known in [each for each in sys.modules if each.partition(".")[0] == package]:
            del sys.modules[known]  # other tests may have loaded and changed it
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        exec(compile(sys.stdin.read(), "<stdin>", "exec"), {"__name__": "__main__"})


def _run(
    words: list[str],
    out: IO[bytes],
    err: IO[bytes],
    folder: Path | None = None,
    typed: IO[bytes] | None = None,
) -> None:
    if folder:
        os.chdir(folder)
    if typed:
        os.dup2(typed.fileno(), 0)
        sys.stdin = os.fdopen(0)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv = ["evolve", *words]
    cli.main()
