"""What must be said beside shares of games: who forfeited, and that most games were the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evolve_arena.arena.duel_result import describe_repeats
from evolve_arena.runs.output import print_line

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
