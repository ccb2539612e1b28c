"""A study on the screen: how far it is, and its tables."""

from __future__ import annotations

import shutil
import signal
import sys
from types import FrameType
from typing import Any

from evolve_arena.runs.output import format_seconds, print_line, print_table
from evolve_arena.studies.report import COLUMNS, cells
from evolve_arena.studies.study import StudyProgress, StudyResult

EVERY = 10
"""Generations between two changes of the line."""


class StudyScreen:
    """Shows how far a study is, and stops it cleanly on Ctrl-C. Use it in a ``with``.

    Args:
        quiet: Whether to show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.interrupted = False
        """Whether Ctrl-C was pressed."""
        self._previous: Any = None

    def __enter__(self) -> StudyScreen:
        self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        signal.signal(signal.SIGINT, self._previous)
        if kind is not None and not self.quiet and sys.stderr.isatty():
            print(file=sys.stderr)  # the line that changes has no end yet

    def show(self, progress: StudyProgress) -> bool:
        """Shows *progress*; False if the study is to stop."""
        if not self.quiet:
            show_progress(progress)
        return not self.interrupted

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        print("\nstopping after these generations (again: at once) ...", file=sys.stderr)


def show_progress(progress: StudyProgress) -> bool:
    """Tells of *progress* on standard error: a line that changes, or one line per run.

    Never stops the study.
    """
    ended = progress.generation >= progress.generations
    if sys.stderr.isatty():
        if ended or progress.generation % EVERY == 0:
            width = shutil.get_terminal_size().columns - 1
            end = "\n" if progress.finished == progress.runs else ""
            print(f"\r\x1b[K{_describe(progress)[:width]}", end=end, file=sys.stderr, flush=True)
    elif ended:
        print(
            f"{progress.run} finished, {progress.finished} of {progress.runs} {progress.unit}"
            f", {format_seconds(progress.seconds_left)} left",
            file=sys.stderr,
        )
    return True


def print_study(result: StudyResult) -> None:
    """Prints all tables, and where the report lies."""
    for table in result.tables:
        rows = [cells(row, table.remarks.get((row.row, row.column), "")) for row in table.rows]
        print_table(f"{table.name}: {table.title}", COLUMNS, rows, left=2)
        for note in table.notes:
            print_line(f"- {note}")
        print_line()
    print_line(result.out / "report.md")


def _describe(progress: StudyProgress) -> str:
    going = ", ".join(f"{name} at {generation}" for name, generation in progress.going.items())
    return (
        f"{progress.finished} of {progress.runs} {progress.unit} finished"
        f", {format_seconds(progress.seconds_left)} left: {going or progress.run}"
    )
