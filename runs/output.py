"""What the commands print: tables for people, one JSON object for programs.

Names and titles come from files of anybody. Lines and tables show their text as it is: nothing in
it is obeyed by the terminal, or read as markup.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from evolve_arena.arena.duel_result import describe_repeats
from evolve_arena.core.errors import LONGEST, one_line

LONGEST_LINE = 4096
"""As long as a path can be."""


def print_line(text: object = "", *, heading: object = "", error: bool = False) -> None:
    """Prints *text* as one line, after a *heading* in bold type.

    Args:
        text: What is printed.
        heading: What stands before it.
        error: Whether it goes to standard error.
    """
    line = as_text(heading, LONGEST_LINE, style="bold") + as_text(text, LONGEST_LINE)
    _console(error=error).print(line)


def as_text(content: object, most: int = LONGEST, style: str = "") -> Text:
    """*content* in one line of at most *most* characters, as rich prints what it does not read."""
    return Text(one_line(str(content), most), style=style)


def print_json(content: Mapping[str, Any]) -> None:
    """Prints *content* as one JSON object."""
    print(json.dumps(content, indent=2, allow_nan=False))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1
) -> None:
    """Prints a table; the first *left* columns are set to the left, all others to the right."""
    heading = as_text(title, style="bold")
    table = Table(title=heading, title_justify="left", show_edge=False, box=SIMPLE_HEAD)
    for number, column in enumerate(columns):
        justify: JustifyMethod = "left" if number < left else "right"
        table.add_column(as_text(column), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(as_text, row))
    _console().print(table)


def format_interval(share: float | None, interval: tuple[float, float]) -> str:
    """A share and its 95 % interval; a dash if it is of no games.

    >>> format_interval(0.912, (0.893, 0.928)), format_interval(None, (0.0, 1.0))
    ('0.912 [0.893, 0.928]', '-')
    """
    if share is None or math.isnan(share):
        return "-"
    return f"{share:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


def format_seconds(seconds: float) -> str:
    """A duration, to the second.

    >>> format_seconds(7), format_seconds(75), format_seconds(7384)
    ('7 s', '1 min 15 s', '2 h 3 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _console(*, error: bool = False) -> Console:
    """Standard output or error; wide enough for any table if it is no terminal."""
    plain = Console(highlight=False, soft_wrap=True, stderr=error)
    if plain.is_terminal:
        return plain
    return Console(highlight=False, soft_wrap=True, stderr=error, width=200)


HINT = "; --openings 4 begins each pair of games differently"


def forfeit_cells(forfeits: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """Two cells of a table: how often the first player forfeited, and the second.

    >>> row = {"player": 1, "kind": "crash", "games": 3}
    >>> forfeit_cells([row, {**row, "kind": "time-out", "games": 1}])
    ('0', '4 (crash 3, time-out 1)')
    """
    cells = []
    for player in (0, 1):
        rows = [row for row in forfeits if row["player"] == player]
        kinds = ", ".join(f"{row['kind']} {row['games']}" for row in rows)
        cells.append(f"{sum(row['games'] for row in rows)} ({kinds})" if rows else "0")
    return cells[0], cells[1]


def list_caveats(content: dict[str, Any], *, where: str = "", hint: bool = True) -> list[str]:
    """What must be said about a duel, or several of one player.

    Args:
        content: The duel, as `evolve_arena.arena.duel_result.DuelResult.to_dict` gives it.
        where: The text before each line, such as the name of the opponent.
        hint: Whether to name the option that makes games differ.
    """
    lines = []
    for player in (0, 1):
        rows = [row for row in content["forfeits"] if row["player"] == player]
        if not rows:
            continue
        cell = forfeit_cells(rows)[player].partition(" ")
        lines.append(
            f"{where}{rows[0]['name']} forfeited {cell[0]} of {content['games']} games {cell[2]}:"
            f" nobody won these, they say nothing of strength; the first: {rows[0]['first']}"
        )
        lines += [f"{where}{rows[0]['name']} wrote: {line}" for line in rows[0]["stderr"]]
    told = describe_repeats(content["distinct_games"], content["finished_games"])
    return [*lines, f"{where}{told}{HINT if hint else ''}"] if told else lines


def print_caveats(lines: Iterable[str]) -> None:
    """Prints *lines* on standard error."""
    for line in lines:
        print_line(f"evolve: {line}", error=True)
