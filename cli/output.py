"""Printing: lines and tables for people, one JSON object for programs.

Names and titles may come from untrusted files. Lines and tables show their text literally: no
control codes reach the terminal, and no markup is interpreted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from evolve_arena.core.errors import LONGEST, one_line
from evolve_arena.core.logs import LONGEST_LINE, wrap

if TYPE_CHECKING:
    from evolve_arena.core.types import Settings
WIDE = Console(width=10_000)
"""A console for measuring tables."""


def print_line(text: object = "", *, heading: object = "", error: bool = False) -> None:
    """Print *text* as one line, after a *heading* in bold type.

    Args:
        text: The text.
        heading: Text before it.
        error: True for standard error.
    """
    line = as_text(heading, LONGEST_LINE, style="bold") + as_text(text, LONGEST_LINE)
    console = _console(error=error)
    for part in _wrap(line, console.width) if console.is_terminal else [line]:
        console.print(part)


def _wrap(line: Text, width: int) -> list[Text]:
    """Split a *line* between words; paths and commands stay whole."""
    if line.cell_len <= width:
        return [line]
    return [Text(part) for part in wrap(line.plain, width)]


def as_text(content: object, most: int = LONGEST, style: str = "") -> Text:
    """Return *content* as one line of at most *most* characters, which rich prints literally.

    Args:
        content: Object to be shown, as ``str`` writes it.
        most: Maximum number of characters; a longer text is shown without its middle.
        style: Style in rich's notation, such as ``bold``; none if empty.
    """
    return Text(one_line(str(content), most), style=style)


def print_json(content: Settings) -> None:
    """Print *content* as one JSON object."""
    print(json.dumps(content, indent=2, allow_nan=False))


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: int = 1,
    sections: Collection[int] = (),
) -> None:
    """Print a table; the first *left* columns are aligned left, all others right.

    On a terminal that is too narrow for it, a table of texts is wrapped; in another one each row
    becomes a column, or the columns are split over several tables.

    Args:
        title: Text above the table.
        columns: The headers.
        rows: The cells.
        left: Number of columns that are aligned left.
        sections: Numbers of rows before which a line is drawn.
    """
    console, cells = _console(), [[as_text(cell) for cell in row] for row in rows]
    heads = [as_text(column) for column in columns]
    heading = as_text(title, style="bold")
    whole = _make_table(heading, heads, cells, left, sections)
    if _width_of(whole) <= console.width or not cells:
        console.print(whole)
    elif left >= len(columns):
        console.print(
            _make_table(heading, heads, cells, left, sections, wraps=True), width=console.width
        )
    else:
        for table in _lay_out_anew(heading, heads, cells, left, console.width):
            console.print(table, width=console.width)


Cells = list[list[Text]]


def _make_table(
    title: Text,
    heads: Sequence[Text],
    rows: Cells,
    left: int,
    sections: Collection[int] = (),
    *,
    wraps: bool = False,
) -> Table:
    table = Table(title=title, title_justify="left", show_edge=False, box=SIMPLE_HEAD)
    for number, head in enumerate(heads):
        justify: JustifyMethod = "left" if number < left else "right"
        table.add_column(head, justify=justify, overflow="fold", no_wrap=wraps and not number)
    for number, row in enumerate(rows):
        if number in sections:
            table.add_section()
        table.add_row(*row)
    return table


def _width_of(table: Table) -> int:
    """Return the width of a whole table, in columns of a terminal."""
    return Measurement.get(WIDE, WIDE.options, table).maximum


def _lay_out_anew(
    title: Text, heads: Sequence[Text], rows: Cells, left: int, width: int
) -> Iterator[Table]:
    """Yield tables that fit the *width*, in place of one that is too wide."""
    turned = [
        [head, *cells] for head, *cells in zip(heads[1:], *(row[1:] for row in rows), strict=True)
    ]
    beside = _make_table(title, [heads[0], *(row[0] for row in rows)], turned, 1)
    if left and _width_of(beside) <= width:
        yield beside
        return
    kept = max(left, 1)
    begin = kept
    while begin < len(heads):
        end = begin + 1
        while end < len(heads):
            table = _cut(title, heads, rows, (left, kept), begin, end + 1)
            if _width_of(table) > width:
                break
            end += 1
        yield _cut(title, heads, rows, (left, kept), begin, end)
        title, begin = Text("..."), end


def _cut(
    title: Text, heads: Sequence[Text], rows: Cells, first: tuple[int, int], begin: int, end: int
) -> Table:
    """Return the table with only its first columns, and those from *begin* to *end*.

    *first* is two numbers: of columns that are aligned left, and of columns that are kept.
    """
    left, kept = first
    cells = [row[:kept] + row[begin:end] for row in rows]
    return _make_table(title, [*heads[:kept], *heads[begin:end]], cells, left)


def format_interval(share: float | None, interval: tuple[float, float]) -> str:
    """Return a share and its 95 % interval; a dash if there were no games.

    >>> format_interval(0.912, (0.893, 0.928)), format_interval(None, (0.0, 1.0))
    ('0.912 [0.893, 0.928]', '-')
    """
    if share is None or math.isnan(share):
        return "-"
    return f"{share:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


def _console(*, error: bool = False) -> Console:
    """Return a console of standard output or error; 200 columns wide if it is no terminal."""
    plain = Console(highlight=False, soft_wrap=True, stderr=error)
    if plain.is_terminal:
        return plain
    return Console(highlight=False, soft_wrap=True, stderr=error, width=200)


def print_caveats(lines: Iterable[str]) -> None:
    """Print *lines* on standard error, each after the name of the program."""
    for line in lines:
        print_line(f"evolve: {line}", error=True)
