"""A player's choices in positions with known answers, read from CSV files, for any game.

A row gives a position by ``moves`` or ``board``, as `Game.parse_position` reads them, and either

- exact scores: ``s0``, ``s1``, ... by the number of a move, positive if the player to move wins,
  0 for a draw; empty where that move is illegal; or
- ``answer``, the one move that solves it, with the groups that the position belongs to, if any:
  ``theme`` and ``line`` name one each, and ``group NAME`` holds any mark if it is of that group.

``ply`` is the number of moves before it, where ``moves`` does not tell. ``option NAME`` is an
option of the game, the same in each row; without any, the positions are for the usual options.
``proof`` is ``exact``, or ``depth N`` if scores are values of a search.

A game may have such files of its own; see `GameSpec.positions`. They measure players: nothing
trains on them, and no champion is chosen by them.
"""

from __future__ import annotations

import csv
import io
import re
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
OPTION = "option "
"""Prefix of the names of columns that hold an option of the game."""
EXACT = "exact"
"""Proof of scores that are exact."""
MAX_BYTES, MAX_ROWS, MAX_COLUMNS = 1 << 24, 100_000, 1024
"""Maximum bytes, positions and columns of a file."""
BANDS = 8
"""Maximum length of a table by plies, less one."""
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
    ply: int | None = None
    """Number of moves before the position, if known."""


class PositionFile(NamedTuple):
    """The positions of a file, of one kind."""

    problems: Sequence[Problem]
    columns: Sequence[str]
    """Names of the file's columns."""
    proof: str = EXACT
    """Where scores come from: ``exact``, or ``depth N``."""

    @property
    def has_answers(self) -> bool:
        """True if each position has one correct answer instead of a score for each move."""
        return "answer" in self.columns


def read_positions(game: AnyGame, path: Path) -> PositionFile:
    """Return the positions of the file at *path* for *game*.

    Raises:
        PositionFileError: The file is missing or malformed, for other options of the game, or a
            position is not one of the game.
    """
    rows = _read_rows(path)
    if other := dict(_read_options(path, rows[0]).items() - game.options.items()):
        told = ", ".join(f"{name} {value}" for name, value in sorted(other.items()))
        raise PositionFileError(f"{path}: its positions are for {told}")
    columns = list(rows[0])
    if not any(name == "answer" or re.fullmatch(r"s\d+", name) for name in columns):
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
    return PositionFile(problems, columns, rows[0].get("proof") or EXACT)


def read_options(path: Path) -> dict[str, int]:
    """Return the options of the game that the positions of the file at *path* are for.

    Raises:
        PositionFileError: The file is malformed.
    """
    return _read_options(path, _read_rows(path)[0])


def _read_options(path: Path, row: Mapping[str, str]) -> dict[str, int]:
    told = {name.removeprefix(OPTION): row[name] for name in row if name.startswith(OPTION)}
    try:
        return {name: int(text) for name, text in told.items()}
    except ValueError as error:
        raise PositionFileError(f"{path}, line 2: {error}") from None


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
    marks = {key: key.removeprefix(GROUP) for key in marked}
    ply = row.get("ply", "").strip()
    known = None if row.get("board") else getattr(position, "plies", None)
    return Problem(position, scores, groups | marks, int(ply) if ply else known)


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
        For scores ``count``, ``proof``, ``value_preserving`` (a won position stays won, a drawn one
        drawn), ``distance_optimal`` (one of the best moves), each with ``_wilson_95``, and
        ``by_ply``, the same for ranges of plies, ``first`` to ``last``. In games of chance, and if
        scores are not exact, there is no ``value_preserving``; if all scores are 1, 0 or -1, no
        ``distance_optimal``.

        For answers ``count`` and
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
    if not file.has_answers:
        is_exact = file.proof == EXACT and not find_game(game.name).has_chance
        named = {"value_preserving": shares[:, 0]} if is_exact else {}
        # If scores are results only, a move that keeps the value is a best one.
        if not is_exact or any(abs(s) > 1 for each in file.problems for s in each.scores.values()):
            named["distance_optimal"] = shares[:, 1]
        bands = _group_by_ply([problem.ply for problem in file.problems])
        return {
            **_measure_all(named),
            "proof": file.proof,
            "by_ply": [
                {"first": first, "last": last}
                | _measure_all({name: column[places] for name, column in named.items()})
                for (first, last), places in bands.items()
            ],
        }
    best = _measure(shares[:, 1])
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
    position, scores = problem.position, problem.scores
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


def _measure(shares: Sequence[float] | NDArray[np.float64]) -> JsonObject:
    """Return the mean of the positions' shares and its interval."""
    count, share = len(shares), float(sum(shares)) / len(shares)
    return {
        "count": count,
        "share": share,
        "wilson_95": list(wilson_interval(share * count, count)),
    }


def _measure_all(named: Mapping[str, NDArray[np.float64]]) -> JsonObject:
    """Return the number of positions, and the mean and the interval of each of several shares."""
    told: JsonObject = {"count": len(next(iter(named.values())))}
    for name, shares in named.items():
        measured = _measure(shares)
        told |= {name: measured["share"], f"{name}_wilson_95": measured["wilson_95"]}
    return told


def _group_by_ply(plies: Sequence[int | None]) -> dict[tuple[int, int], list[int]]:
    """Return the numbers of positions by ranges of their *plies*, of one length; none if unknown.

    >>> _group_by_ply([3, 4, 11, 12, 30])
    {(0, 4): [0, 1], (10, 14): [2, 3], (30, 34): [4]}
    """
    known = {place: ply for place, ply in enumerate(plies) if ply is not None}
    if not known:
        return {}
    least, most = min(known.values()), max(known.values())
    widths = (*(1, 2, 5, 10, 20, 50, 100), most + 1)
    width = next(width for width in widths if (most - least) / width < BANDS)
    found: dict[tuple[int, int], list[int]] = {}
    for place, ply in sorted(known.items(), key=lambda pair: pair[1]):
        first = ply // width * width
        found.setdefault((first, first + width - 1), []).append(place)
    return found


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


def count_solved(
    player: Player, game: AnyGame, files: Mapping[str, PositionFile]
) -> dict[str, tuple[float, int]]:
    """Return how many positions of some files a player solves, and of how many.

    Args:
        player: Player to be tested.
        game: Game of the positions.
        files: Positions by name.

    Returns:
        By name of a file, and by ``NAME: GROUP`` for each group of positions with one answer. Where
        scores are known, a position is solved by a move that keeps its value; where these are not
        exact, by one of the best.
    """
    found = dict[str, tuple[float, int]]()
    for name, file in files.items():
        told = solve_positions(player, game, file)
        if file.has_answers:
            found[name] = (told["solved"]["overall"] * told["count"], told["count"])
            for group, measured in told["solved"]["by_group"].items():
                count = measured["count"]
                found[f"{name}: {group}"] = (measured["share"] * count, count)
        else:
            share = told.get("value_preserving", told.get("distance_optimal"))
            found[name] = (share * told["count"], told["count"])
    return found


def find_own_positions(game: AnyGame) -> dict[str, Path]:
    """Return the game's own files of positions that are for its options, by name.

    A copy of a game's file inside a run directory has no such files beside it.

    Raises:
        PositionFileError: A file is malformed.
    """
    found = dict[str, Path]()
    for path in find_game(game.name).positions:
        if path.is_file() and find_options(game, path) == game.options:
            found[name_own(path)] = path
    return found


def find_options(game: AnyGame, path: Path) -> dict[str, int]:
    """Return all options that *game* must have for the positions of its own file at *path*."""
    usual: dict[str, int] = find_game(game.name).make().options
    return usual | read_options(path)


def name_own(path: Path) -> str:
    """Return the name of a game's own file of positions: ``concept states``."""
    return path.stem.replace("_", " ")
