"""The command line in a copy of this process: apart from it, but with all modules loaded."""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from evolve_arena import games, runs, studies
from evolve_arena.runs import cli

__all__ = ["evolve", "start_evolve"]

FORK = multiprocessing.get_context("fork")
for package in (runs, games, studies):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".templates" not in module.name:  # what exported bots are made of
            import_module(module.name)


def start_evolve(words: list[str], out: IO[bytes], err: IO[bytes], **options: Any) -> Any:
    """Runs ``evolve`` with these *words*; a process, whose output goes to two files.

    Args:
        words: What follows the command's name.
        out: The standard output.
        err: The standard error.
        options: ``folder``, where it runs, and ``typed``, a file with its standard input.
    """
    process = FORK.Process(target=_run, args=(words, out, err), kwargs=options)
    process.start()
    return process


def evolve(*words: str, folder: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Runs ``evolve`` to its end in *folder*, where all of *typed* waits to be read."""
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as entered,
    ):
        entered.write(typed.encode())
        entered.seek(0)
        process = start_evolve(list(words), out, err, folder=folder, typed=entered)
        process.join(120)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"evolve {' '.join(words)}")
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(words, process.exitcode, *texts)


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
