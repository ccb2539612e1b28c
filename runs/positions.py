"""A player's choices in positions with known answers, read from CSV files, for any game.

A row gives a position by ``moves`` or ``board``, as `Game.parse_position` reads them, and either

- exact scores: ``s0``, ``s1``, ... by the number of a move, positive if the player to move wins,
  0 for a draw; empty where that move is illegal; or
- ``answer``, the one move that solves it, with the groups that the position belongs to, if any:
  ``theme`` and ``line`` name one each, and ``group NAME`` holds any mark if it is of that group.

A game may have such a file of its own for its usual options; see `GameSpec.positions`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import ArenaError, PositionError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import ForfeitError, Player

ALIASES = {
    "category": "theme",
    "win_type": "line",
    "board_top_to_bottom_x_to_move": "board",
    "correct_column_0based": "answer",
}
GROUP = "group "
"""Prefix of the names of columns that mark the positions of a group."""
MAX_BYTES, MAX_ROWS, MAX_COLUMNS = 1 << 24, 100_000, 64
"""Maximum bytes, positions and columns of a file."""
TIMES, MAX_ANSWERS = 100, 6000
"""Maximum answers of a player that draws random numbers, in a position and in a whole file."""


class PositionFileError(ArenaError):
    """Raised for an unreadable file of positions; the message names the line and the reason."""


class Problem(NamedTuple):
    """A position, and what is known about its moves."""

    position: object
    scores: Mapping[Hashable, int]
    """Exact score of each legal move, or 1 for the only correct one."""
    groups: Mapping[str, str]
    """Names of the groups that the position is in, by the column that names each."""


class PositionFile(NamedTuple):
    """The positions of a file, of one kind."""

    problems: Sequence[Problem]
    columns: Sequence[str]
    """Names of the file's columns."""

    @property
    def has_answers(self) -> bool:
        """True if each position has one correct answer instead of a score for each move."""
        return "answer" in self.columns


def read_positions(game: AnyGame, path: Path) -> PositionFile:
    """Return the positions of the file at *path* for *game*.

    Raises:
        PositionFileError: The file is missing or malformed, or a position is not one of the game.
    """
    rows = _read_rows(path)
    columns = list(rows[0])
    if not {"answer", "s0"} & set(columns):
        raise PositionFileError(
            f"{path}: its columns are {', '.join(sorted(columns))}; expected moves or board, with"
            " either s0, s1, ... or theme, line, answer"
        )
    problems = []
    for number, row in enumerate(rows):
        try:
            problems.append(_read_problem(game, row))
        except (ArenaError, ValueError) as error:
            raise PositionFileError(f"{path}, line {number + 2}: {error}") from None
    return PositionFile(problems, columns)


def _read_rows(path: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    try:
        reader = csv.DictReader(io.StringIO(read_file(path, MAX_BYTES).decode("utf-8"), newline=""))
        if len(reader.fieldnames or ()) > MAX_COLUMNS:
            raise PositionFileError(f"{path} has more than {MAX_COLUMNS} columns")
        for row in reader:
            if None in row.values():
                raise PositionFileError(
                    f"{path}, line {reader.line_num}: it has fewer cells than the first line"
                )
            rows.append({ALIASES.get(key, key): cell for key, cell in row.items() if key})
            if len(rows) > MAX_ROWS:
                raise PositionFileError(f"{path} holds more than {MAX_ROWS:,} positions")
    except OSError as error:
        raise PositionFileError(f"{path}: {explain_unread(error, path)}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise PositionFileError(f"{path} is no CSV file: {error}") from None
    if not rows:
        raise PositionFileError(f"{path} holds no positions")
    return rows


def _read_problem(game: AnyGame, row: Mapping[str, str]) -> Problem:
    position = game.parse_position(row.get("board") or row.get("moves") or "")
    legal = game.legal_moves(position)
    if not legal:
        raise PositionError("the game is over here")
    if "answer" in row:
        scores = {game.parse_move(row["answer"]): 1}
        if not scores.keys() & set(legal):
            raise PositionError(f"the answer {row['answer'].strip()!r} can't be played here")
    else:
        texts = {move: row.get(f"s{game.number_of(move)}", "").strip() for move in legal}
        missing = [game.format_move(move) for move, text in texts.items() if not text]
        if missing:
            raise PositionError(f"the score of {missing[0]} is missing")
        scores = {move: int(text) for move, text in texts.items()}
    groups = {key: row[key] for key in ("theme", "line") if key in row}
    marked = (key for key in row if key.startswith(GROUP) and row[key].strip())
    return Problem(position, scores, groups | {key: key.removeprefix(GROUP) for key in marked})


def solve_positions(
    player: Player, game: AnyGame, file: PositionFile, *, times: int | None = None, seed: int = 0
) -> JsonObject:
    """Return the shares of the positions of *file* that *player* handles well, ready for JSON.

    A player is asked once in each position. One that draws a random number for its answer (it
    plays random moves, or chooses among equal ones) is asked several times, and its share is the
    expected one. One that forfeits, or whose move is illegal, has not solved the position.

    Args:
        player: Player to be tested.
        game: Game of the positions.
        file: The positions.
        times: Answers to each position of a player that draws random numbers; TIMES if None, fewer
            if there are many positions.
        seed: Seed of these random numbers.

    Returns:
        For exact scores ``count``, ``value_preserving`` (a won position stays won, a drawn one
        drawn) and ``distance_optimal`` (one of the best moves). For answers ``count`` and
        ``solved``: ``overall``, ``by_theme``, ``by_line``, and ``by_group``, the ``count``,
        ``share`` and ``wilson_95`` of each. Intervals are those of one answer to each position:
        asking again tells more about these positions, but not about others like them.
    """
    count = len(file.problems)
    times = times or max(1, min(TIMES, MAX_ANSWERS // count))
    seeds = derive_seeds(seed, 0, "concepts", count * times).reshape(-1, times).tolist()
    shares = np.array(
        [_ask(player, game, *each) for each in zip(file.problems, seeds, strict=True)]
    )
    kept, best = (_measure(list(column)) for column in shares.T)
    if not file.has_answers:
        told = {"value_preserving": kept, "distance_optimal": best}
        return {"count": count} | {
            f"{name}{end}": measured[key]
            for name, measured in told.items()
            for end, key in (("", "share"), ("_wilson_95", "wilson_95"))
        }
    solved: JsonObject = {"overall": best["share"], "wilson_95": best["wilson_95"]}
    for column in ("theme", "line"):
        groups = _measure_groups(file, [column], shares[:, 1])
        solved[f"by_{column}"] = {name: groups[name]["share"] for name in sorted(groups)}
    marks = [column for column in file.columns if column.startswith(GROUP)]
    solved["by_group"] = _measure_groups(file, marks, shares[:, 1])
    return {"count": count, "solved": solved}


def _ask(
    player: Player, game: AnyGame, problem: Problem, seeds: Sequence[int]
) -> tuple[float, float]:
    """Return how often (0 to 1) the player keeps the position's value, and plays a best move."""
    position, scores, _ = problem
    top, seat = max(scores.values()), game.to_move(position)
    kept = best = 0
    for asked, seed in enumerate(seeds, start=1):
        rng = new_stream(seed)
        player.begin(seat)
        try:
            score = scores.get(player.choose(game.view(position, seat), rng))
        except ForfeitError:
            score = None
        finally:
            player.end()
        kept += score is not None and np.sign(score) == np.sign(top)
        best += score == top
        if int(rng[0]) == seed:  # nothing was drawn: it would answer the same again
            return kept / asked, best / asked
    return kept / len(seeds), best / len(seeds)


def _measure(shares: Sequence[float]) -> JsonObject:
    """Return the mean of the positions' shares and its interval."""
    count, share = len(shares), float(sum(shares)) / len(shares)
    return {
        "count": count,
        "share": share,
        "wilson_95": list(wilson_interval(share * count, count)),
    }


def _measure_groups(
    file: PositionFile, columns: Sequence[str], shares: NDArray[np.float64]
) -> JsonObject:
    """Return the measure of each group named by *columns*, in the order of columns and rows."""
    found: dict[str, list[float]] = {}
    for column in columns:
        for problem, share in zip(file.problems, shares, strict=True):
            if column in problem.groups:
                found.setdefault(problem.groups[column], []).append(share)
    return {name: _measure(group) for name, group in found.items()}


def find_own_positions(game: AnyGame) -> Path | None:
    """Return the path of the game's own file of positions; None if there is none for its options.

    A copy of a game's file inside a run directory has no such file beside it.
    """
    own = find_game(game.name).positions
    return own if own and own.is_file() and game.rules == game.rules_type() else None


def name_own(path: Path) -> str:
    """Return the name of a game's own file of positions: ``concept states``."""
    return path.stem.replace("_", " ")
