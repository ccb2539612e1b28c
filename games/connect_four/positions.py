"""How well a player chooses in given positions, read from CSV files of two kinds.

- Exact scores: columns ``moves`` (or ``board``) and ``s0``, ``s1``, ... with the score of each
  column for the player to move, positive if it wins; empty where the column is full.
- Themes: columns ``theme``, ``line``, ``moves`` (or ``board``) and ``answer``, the one column
  that solves the position.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import ArenaError, IllegalMoveError, PositionError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.concepts import CONCEPTS, concept_groups, fits_concepts
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.players.player import Player
from evolve_arena.runs.output import format_interval, print_line, print_table

ALIASES = {
    "category": "theme",
    "win_type": "line",
    "board_top_to_bottom_x_to_move": "board",
    "correct_column_0based": "answer",
}
LARGEST, MOST_ROWS, MOST_COLUMNS = 1 << 24, 100_000, 64
"""Bytes, positions and columns of a file."""


class PositionFileError(ArenaError):
    """A file of positions that can't be read: which line, and why."""


def solve_positions(player: Player, game: ConnectFour, path: Path) -> dict[str, Any]:
    """What share of the positions in *path* the player handles well, ready for JSON.

    Returns:
        For exact scores ``count``, ``value_preserving`` (a won position stays won, a drawn one
        drawn) and ``distance_optimal`` (one of the best columns). For themes ``count`` and
        ``solved``: ``overall``, ``by_theme`` and ``by_line``.

    Raises:
        PositionFileError: The file is missing or wrong.
    """
    rows = _read(path)
    names = set(rows[0])
    if "answer" in names:
        return _solve_themes(player, game, path, rows)
    if "s0" in names:
        return _compare_scores(player, game, path, rows)
    raise PositionFileError(
        f"{path}: its columns are {', '.join(sorted(names))}; expected moves or board, with"
        " either s0, s1, ... or theme, line, answer"
    )


def _compare_scores(
    player: Player, game: ConnectFour, path: Path, rows: list[dict[str, str]]
) -> dict[str, Any]:
    kept = best = 0

    def look(row: dict[str, str], chosen: int) -> None:
        nonlocal kept, best
        texts = (row.get(f"s{column}") or "" for column in range(game.rules.columns))
        scores = {column: int(text) for column, text in enumerate(texts) if text.strip()}
        top = max(scores.values())
        kept += _sign(scores[chosen]) == _sign(top)
        best += scores[chosen] == top

    _ask(player, game, path, rows, look)
    return {
        "count": len(rows),
        "value_preserving": kept / len(rows),
        "value_preserving_wilson_95": list(wilson_interval(kept, len(rows))),
        "distance_optimal": best / len(rows),
        "distance_optimal_wilson_95": list(wilson_interval(best, len(rows))),
    }


def _solve_themes(
    player: Player, game: ConnectFour, path: Path, rows: list[dict[str, str]]
) -> dict[str, Any]:
    outcomes: list[tuple[str, str, bool]] = []

    def look(row: dict[str, str], chosen: int) -> None:
        right = chosen == game.parse_move(row["answer"])
        outcomes.append((row.get("theme", ""), row.get("line", ""), right))

    _ask(player, game, path, rows, look)

    def share(place: int) -> dict[str, float]:
        names = sorted({str(outcome[place]) for outcome in outcomes})
        groups = {name: [o[2] for o in outcomes if o[place] == name] for name in names}
        return {name: sum(group) / len(group) for name, group in groups.items()}

    solved = sum(right for _, _, right in outcomes)
    return {
        "count": len(rows),
        "solved": {
            "overall": solved / len(rows),
            "wilson_95": list(wilson_interval(solved, len(rows))),
            "by_theme": share(0),
            "by_line": share(1),
        },
    }


def _ask(
    player: Player,
    game: ConnectFour,
    path: Path,
    rows: list[dict[str, str]],
    look: Callable[[dict[str, str], int], None],
) -> None:
    """Lets the player choose in every position and hands its choice to *look*."""
    for number, row in enumerate(rows):
        where = f"{path}, line {number + 2}"
        try:
            position = _position(game, row)
            player.begin(game.to_move(position))
            try:
                chosen = player.choose(position, new_stream(number))
            finally:
                player.end()
            look(row, chosen)
        except (PositionError, IllegalMoveError) as error:
            raise PositionFileError(f"{where}: {error}") from None
        except (KeyError, ValueError) as error:
            raise PositionFileError(f"{where}: a score or answer is missing ({error})") from None


def _position(game: ConnectFour, row: dict[str, str]) -> Position:
    position = game.parse_position(row["board"] if row.get("board") else row.get("moves") or "")
    if game.outcome(position):
        raise PositionError("the game is over here")
    return position


def _read(path: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    try:
        reader = csv.DictReader(io.StringIO(read_file(path, LARGEST).decode("utf-8"), newline=""))
        if len(reader.fieldnames or ()) > MOST_COLUMNS:
            raise PositionFileError(f"{path} has more than {MOST_COLUMNS} columns")
        for row in reader:
            if None in row.values():
                raise PositionFileError(
                    f"{path}, line {reader.line_num}: it has fewer cells than the first line"
                )
            rows.append({ALIASES.get(key, key): cell for key, cell in row.items() if key})
            if len(rows) > MOST_ROWS:
                raise PositionFileError(f"{path} holds more than {MOST_ROWS:,} positions")
    except OSError as error:
        raise PositionFileError(f"{path}: {explain_unread(error, path)}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise PositionFileError(f"{path} is no CSV file: {error}") from None
    if not rows:
        raise PositionFileError(f"{path} holds no positions")
    return rows


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


def examine(
    player: Player, game: ConnectFour, positions: Sequence[Path], seed: int
) -> dict[str, Any]:
    """How often *player* solves concept states, on the usual board, and files of *positions*."""
    concepts = concept_groups(player, game, seed=seed) if fits_concepts(game) else {}
    return {
        "concepts": {name: group.to_dict() for name, group in concepts.items()},
        "positions": {str(path): solve_positions(player, game, path) for path in positions},
    }


def print_examination(content: dict[str, Any]) -> None:
    """Prints what :func:`examine` gave."""
    _print_concepts(content["concepts"])
    for path, result in content["positions"].items():
        _print_positions(path, result)


def _print_concepts(content: dict[str, Any]) -> None:
    if not content:
        print_line("concept states: left out, they are for a board of 7 by 6, 4 in a row")
        return
    rows = [
        (
            f"{name} ({CONCEPTS[name][1]})",
            str(group["states"]),
            format_interval(group["share"], tuple(group["wilson_95"])),
        )
        for name, group in content.items()
    ]
    print_table("Concept states: wins at once", ["", "states", "solved, 95 % interval"], rows)


def _print_positions(path: str, result: dict[str, Any]) -> None:
    if "solved" not in result:
        rows = [
            (
                name.replace("_", " "),
                format_interval(result[name], tuple(result[f"{name}_wilson_95"])),
            )
            for name in ("value_preserving", "distance_optimal")
        ]
    else:
        solved = result["solved"]
        rows = [("solved", format_interval(solved["overall"], tuple(solved["wilson_95"])))]
        for group in ("by_theme", "by_line"):
            rows += [(f"  {name}", f"{share:.3f}") for name, share in solved[group].items()]
    print_table(f"{path}: {result['count']} positions", ["", "share"], rows)
