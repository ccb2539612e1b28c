"""Exported bots in C, compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

with_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def find_sanitizers() -> tuple[str, ...]:
    """Return the compiler's options for sanitizers; empty if they are not installed."""
    options = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    if shutil.which("gcc") is None:
        return ()
    command = ["gcc", *options, "-x", "c", "-", "-o", "/dev/null"]
    done = subprocess.run(
        command, input=b"int main(void) { return 0; }", stderr=subprocess.DEVNULL, check=False
    )
    return options if done.returncode == 0 else ()


SANITIZERS = find_sanitizers()
with_sanitizers = pytest.mark.skipif(not SANITIZERS, reason="the compiler has no sanitizers")
HOST = r"""
#define main bot_main
#include "bot.c"
#undef main
#include <sys/wait.h>
#include <unistd.h>

// Feeds each input, behind its length, to a bot in a process of its own; tells how that ended, then
// what it wrote on standard output and on standard error, each behind its length.
static void pass_on(FILE *file) {
    uint32_t length = (uint32_t)ftell(file);
    rewind(file);
    fwrite(&length, 4, 1, stdout);
    for (int letter; length && (letter = getc(file)) != EOF; length--)
        putchar(letter);
    fclose(file);
}

int main(void) {
    static char input[1 << 20];
    uint32_t length;
    int host = dup(0), status;
    while (read(host, &length, 4) == 4) {
        FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
        for (uint32_t at = 0; at < length;)
            at += (uint32_t)read(host, input + at, length - at);
        fwrite(input, 1, length, files[0]);
        rewind(files[0]);
        pid_t child = fork();
        if (child == 0) {
            for (int place = 0; place < 3; place++)
                dup2(fileno(files[place]), place);
            alarm(60);
            exit(bot_main());
        }
        waitpid(child, &status, 0);
        fwrite(&status, 4, 1, stdout);
        fclose(files[0]);
        for (int place = 1; place < 3; place++) {
            fseek(files[place], 0, SEEK_END);
            pass_on(files[place]);
        }
        fflush(stdout);
    }
    return 0;
}
"""


class Answer(NamedTuple):
    """The end of a process that was fed one input, and its output."""

    code: int
    """Its exit code, or the signal that ended it, less than 0."""
    said: str
    errors: str


def build_sanitized(source: str, folder: Path) -> Path:
    """Compile a bot with the host in `HOST`, with AddressSanitizer and UBSan."""
    (folder / "bot.c").write_text(source)
    host, program = folder / "host.c", folder / "host"
    host.write_text(f"#define _POSIX_C_SOURCE 200809L\n{HOST}")
    command = ["gcc", "-std=c99", "-O1", *SANITIZERS, str(host), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return program


def feed(program: Path, inputs: Sequence[bytes]) -> list[Answer]:
    """Return the answers of a bot to each of the *inputs*."""
    options = {"env": {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, "timeout": 60}
    answers = []
    for data in inputs:
        done = subprocess.run(
            [str(program)], input=data, capture_output=True, check=False, **options
        )
        said, errors = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
        answers.append(Answer(done.returncode, said, errors))
    return answers


def build(source: str, folder: Path, *options: str) -> Path:
    """Compile a *source*, which must not cause a warning, and return the program."""
    file, program = folder / "bot.c", folder / "bot"
    file.write_text(source)
    flags = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
    command = ["gcc", *flags, *options, str(file), "-o", str(program), "-lm"]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (made.returncode, made.stderr) == (0, "")
    return program


def ask(program: Path, lines: list[str]) -> list[int]:
    """Return the numbers in its answers to *lines* of text."""
    text = "".join(f"{line}\n" for line in lines)
    said = subprocess.run(
        [str(program)], input=text, capture_output=True, text=True, check=False, timeout=120
    )
    assert (said.returncode, said.stderr) == (0, "")
    return [int(line.split()[1]) for line in said.stdout.splitlines()]
