"""A study on the screen: how far it is, and its tables."""

from __future__ import annotations

import sys

from runs.output import console, format_seconds, print_table
from runs.studies.breeding import StudyProgress
from runs.studies.report import COLUMNS, cells
from runs.studies.study import StudyResult

__all__ = ["print_study", "show_progress"]

EVERY = 10
"""Generations between two changes of the line."""


def show_progress(progress: StudyProgress) -> bool:
    """Tells of *progress* on standard error: a line that changes, or one line per run.

    Never stops the study.
    """
    ended = progress.generation >= progress.generations
    if sys.stderr.isatty():
        if ended or progress.generation % EVERY == 0:
            text = f"{_describe(progress)}, generation {progress.generation}"
            print(f"\r\x1b[K{text}", end="\n" if ended else "", file=sys.stderr, flush=True)
    elif ended:
        print(_describe(progress), file=sys.stderr)
    return True


def print_study(result: StudyResult) -> None:
    """Prints all tables, and where the report lies."""
    for table in result.tables:
        rows = [cells(row, table.remarks.get((row.row, row.column), "")) for row in table.rows]
        print_table(f"{table.name}: {table.title}", COLUMNS, rows, left=2)
        for note in table.notes:
            console().print(f"- {note}")
        console().print()
    console().print(f"{result.out / 'report.md'}")


def _describe(progress: StudyProgress) -> str:
    return (
        f"run {progress.number} of {progress.runs} ({progress.run})"
        f", {format_seconds(progress.seconds_left)} left"
    )
