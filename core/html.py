"""Tables as HTML, for values that notebooks display."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def make_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as HTML; its texts are escaped.

    Args:
        title: Text above the table, in bold.
        columns: Headings of the columns, from left to right.
        rows: Cells of each row, from left to right; :class:`str` makes them texts.

    >>> make_table("Games", ["won"], [["<3"]])
    '<b>Games</b><table><tr><th>won</th></tr><tr><td>&lt;3</td></tr></table>'
    """
    lines = [f"<tr>{''.join(f'<th>{escape(column)}</th>' for column in columns)}</tr>"]
    for row in rows:
        lines.append(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>")
    return f"<b>{escape(title)}</b><table>{''.join(lines)}</table>"
