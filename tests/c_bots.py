"""Exported bots in C, compiled."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

with_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def build(source: str, folder: Path, *options: str) -> Path:
    """The program that a *source* makes, which must compile without a warning."""
    file, program = folder / "bot.c", folder / "bot"
    file.write_text(source)
    flags = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
    made = subprocess.run(
        ["gcc", *flags, *options, str(file), "-o", str(program), "-lm"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (made.returncode, made.stderr) == (0, "")
    return program


def ask(program: Path, lines: list[str]) -> list[int]:
    """The numbers in its answers to *lines* of text."""
    said = subprocess.run(
        [str(program)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (said.returncode, said.stderr) == (0, "")
    return [int(line.split()[1]) for line in said.stdout.splitlines()]
