"""A study's result as files: ``rows.csv`` for programs, ``report.md`` for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from evolve_arena.runs.store.files import write_whole
from evolve_arena.studies.study import Row, Settings, StudyResult, Table, format_csv

COLUMNS = ["row", "column", "published", "measured", "95 % interval", "games", "remark"]
"""Columns of a printed table."""
TEXTS = ("row", "column", "remark")
"""Columns that are aligned on the left."""
OPTIONAL = {"published": "-", "remark": ""}
"""Columns that a table lacks if all their cells are these."""


def write_report(result: StudyResult) -> None:
    """Write ``rows.csv``, ``report.md`` and the tables' own files into the study's folder.

    Raises:
        StorageError: A file can't be written; each is complete or unchanged.
    """
    for table in result.tables:
        for name, content in table.files.items():
            write_whole(result.out / name, content)
    columns = [field.name for field in fields(Row) if field.name != "remark"]
    lines = [list(row.to_dict().values()) for row in result.rows]
    write_whole(result.out / "rows.csv", format_csv(columns, lines))
    write_whole(result.out / "report.md", format_report(result).encode())


def format_report(result: StudyResult) -> str:
    """Return the report in Markdown."""
    settings = result.settings
    lines = [
        f"# {result.study.name}: published against measured",
        "",
        f"{result.study.summary} Source: {result.study.source}.",
        "",
        f"Made by `{result.command}`: {_count(settings.seeds, 'seed')} per setting.",
    ]
    if scaled := tell_scale(settings):
        lines[-1] += f" **{scaled}**"
    for table in result.tables:
        lines += ["", *_format_table(table, settings)]
    return "\n".join(lines) + "\n"


def tell_scale(settings: Settings) -> str:
    """Return a sentence about a scale other than 1, and nothing at full length."""
    if settings.scale == 1.0:
        return ""
    return (
        f"All lengths are multiplied by {settings.scale:g}: the measured numbers can't be compared"
        " with those of the full study, or published ones."
    )


def lay_out(table: Table, settings: Settings) -> tuple[list[str], list[list[str]]]:
    """Return the columns of a printed table, those of :data:`COLUMNS` that say something, and rows.

    A verdict of a shortened study says that it is one.
    """
    rows = [_cells(row, settings) for row in table.rows]
    columns = list(zip(*rows, strict=True))
    kept = [
        place
        for place, name in enumerate(COLUMNS)
        if not rows or name not in OPTIONAL or {*columns[place]} != {OPTIONAL[name]}
    ]
    return [COLUMNS[place] for place in kept], [[row[place] for place in kept] for row in rows]


def _cells(row: Row, settings: Settings) -> list[str]:
    remark = row.remark
    if remark and settings.scale != 1.0:
        remark += f" (scale {settings.scale:g})"
    interval = f"{format_number(row.low)} to {format_number(row.high)}"
    published = format_number(row.published)
    measured = format_number(row.measured)
    return [row.row, row.column, published, measured, interval, f"{row.games:,}", remark]


def format_number(value: float | str | None) -> str:
    """Format numbers below 2 with three decimals, others with one; leave strings as they are.

    >>> format_number(0.55498), format_number(97.25), format_number(None)
    ('0.555', '97.2', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:.3f}" if abs(value) < 2 else f"{value:.1f}"


def _format_table(table: Table, settings: Settings) -> list[str]:
    columns, rows = lay_out(table, settings)
    lines = [f"## {table.name}: {table.title}", "", _line(columns)]
    lines.append(_line(["---" if name in TEXTS else "--:" for name in columns]))
    lines += [_line(row) for row in rows]
    for name in sorted(table.files):
        if name.endswith((".png", ".svg")):
            lines += ["", f"![{table.title}]({name})"]
    if table.notes:
        lines += ["", *(f"- {note}" for note in table.notes)]
    for grid in table.grids:
        lines += ["", f"{grid.title}:", "", _line(grid.columns)]
        lines += [_line(["---", *["--:"] * (len(grid.columns) - 1)])]
        lines += [_line(row) for row in grid.rows]
    return lines


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
