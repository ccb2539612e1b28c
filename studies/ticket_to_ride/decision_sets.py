"""Decisions to learn: of a rule player's games, of kept games, and of logs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import seat_players
from evolve_arena.arena.match import at_seats, play_matches
from evolve_arena.core.errors import ArenaError, BadValueError, quote
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES, FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import FLOOR, specialise_board
from evolve_arena.players.board.workspace import make_workspace
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.runs.store.kept_games import KeptGame, parse_games


@dataclass(frozen=True, eq=False)
class DataSet:
    """Decisions with their features, ordered by number of players, game and move."""

    features: NDArray[np.float32]
    """Features before scaling, shape ``(rows, 28)``; see
    `evolve_arena.games.ticket_to_ride.features`."""
    kinds: NDArray[np.int64]
    """Kind of the decision, 0 to 3 as in the rules' ``KINDS``, shape ``(rows,)``."""
    games: NDArray[np.int64]
    """Number of the game, from 0, shape ``(rows,)``."""

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, rows: Array) -> DataSet:
        """Return the decisions in these *rows*, given as indices or as a mask."""
        return DataSet(self.features[rows], self.kinds[rows], self.games[rows])

    def find_fault(self) -> str | None:
        """Return the first fault of arrays from a file, or None."""
        count = len(self.kinds)
        if self.features.shape != (count, len(FEATURE_NAMES)) or self.games.shape != (count,):
            return "its rows are incomplete"
        if not ((self.kinds >= 0) & (self.kinds < KINDS)).all():
            return "it has decisions that are none"
        return None

    def hold_out(self, share: float, seed: int) -> tuple[DataSet, DataSet]:
        """Return the decisions of most games, and those of a random *share* of them.

        Whole games are held out, at least one if *share* is above 0: decisions of one game are too
        similar for some of them to be a test of what was learnt from the others.
        """
        games = np.unique(self.games)
        count = int(np.ceil(share * len(games)))
        order = derive_generator(seed, 0, "games held out").permutation(games)
        held_out = np.isin(self.games, order[:count])
        return self.take(~held_out), self.take(held_out)


def build_data_set(
    teacher: CompiledPlayer,
    *,
    players: Sequence[int],
    games: int,
    best: int,
    minimum_points: int,
    rows: Literal["winner", "all"],
    seed: int,
) -> DataSet:
    """Let a teacher play itself, and return the decisions of the best games.

    The same arguments always give the same rows. In Łabno's data 30 games of each number of
    players, from 120 points on, gave 5,700 rows.

    Args:
        teacher: A scripted player, which takes all seats.
        players: Numbers of players; the games of one number follow those of another.
        games: Games played with each number.
        best: Most of these games to keep: those whose best player has most points.
        minimum_points: Fewest points of that player.
        rows: ``winner``: decisions of that player only, the first one of equals; or ``all``.
        seed: Seed of shuffled decks and random moves.

    Raises:
        BadValueError: For some number of players no game has so many points.
    """
    parts: list[DataSet] = []
    for count in players:
        # Play all games for their points only.
        seeds = derive_seeds(seed, 0, f"games of {count} to imitate", games)
        pairings = seat_players(np.zeros((games, count)), MAX_PLAYERS)
        game = cast(BoardGame, at_seats(teacher.game, count))
        results, _ = play_matches(game, [teacher], pairings, seeds)
        points = results.columns["points"]
        chosen = np.sort(choose_games(points, best, minimum_points))
        if not len(chosen):
            raise BadValueError(
                f"of {games} games of {count} players none has {minimum_points} points"
            )
        # Replay the best ones by their seeds, and note the decisions.
        turns = int(results.plies[chosen].sum())
        decisions, seats = list_decisions(game, teacher, seeds[chosen], turns)
        if rows == "winner":
            winners = points[chosen].argmax(axis=1)
            decisions = decisions.take(seats == winners[decisions.games])
        first = parts[-1].games[-1] + 1 if parts else 0
        parts.append(replace(decisions, games=decisions.games + first))
    return DataSet(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.games for part in parts]),
    )


def choose_games(points: Array, best: int, minimum_points: int) -> NDArray[np.int64]:
    """Return the *best* games whose best player has at least *minimum_points*, the best one first.

    Of equal games the earlier one comes first.

    Args:
        points: Points of each seat at the end, shape ``(games, seats)``.
        best: Most games to return.
        minimum_points: Fewest points of the best player of such a game.

    Returns:
        Indices of rows of *points*, shape ``(chosen,)``.
    """
    most = points.max(axis=1)
    order = np.argsort(-most, kind="stable")
    chosen: NDArray[np.int64] = order[most[order] >= minimum_points][:best]
    return chosen


def list_decisions(
    game: BoardGame,
    player: CompiledPlayer,
    seeds: NDArray[np.uint64],
    turns: int,
    played: NDArray[np.int32] | None = None,
) -> tuple[DataSet, NDArray[np.int64]]:
    """Return a scripted *player*'s decisions at the beginning of turns, and the seats.

    It knows the features, also where others have decided.

    Args:
        game: The game with the number of players as its seats.
        player: The player that takes all seats.
        seeds: The seeds of the matches, as the arena would play them, shape ``(games,)``.
        turns: Upper bound of the number of turns.
        played: The moves of the matches, shape ``(games, plies)``, -1 after the last one; if None,
            the player makes them.
    """
    modules = f"{FLOOR}.matches", f"{__package__}.decisions"
    compiled = specialise_board(game.place, game.rules, modules, player.packed)[-1]
    workspace = make_workspace(game.code, player.packed)
    features = np.zeros((turns, len(FEATURE_NAMES)), dtype=np.float32)
    kinds, games, seats = np.zeros((3, turns), dtype=np.int64)
    if played is None:
        played = np.zeros((len(seeds), 0), dtype=np.int32)
    given = player.packed, seeds, played, workspace, features, kinds, games, seats
    count = int(compiled.note_decisions(*given))
    game.refuse_faults(workspace.states, workspace.planes, workspace.values)
    rows = DataSet(features[:count] / FEATURE_SCALES, kinds[:count], games[:count])
    return rows, seats[:count]


KINDS = 4
"""Number of kinds of decisions, as in the rules' ``KINDS``."""
GAMES, LOG = "games:", "log:"
"""Beginnings of the sources of decisions that are files."""
LARGEST = 2**28
"""Maximum bytes of a log of decisions."""
DECISION = "decision"
"""Name of the last column of a log: the kind of the decision."""


def check_source(source: str) -> None:
    """Check the form of a *source*; its file is not opened.

    Raises:
        BadValueError: It is neither kept games nor a log.
    """
    if not source.startswith((GAMES, LOG)):
        raise BadValueError(
            f"method.data.source is {quote(source)}: it must be games:PATH.jsonl or log:PATH.csv"
        )


def read_source(
    source: str,
    teacher: CompiledPlayer,
    players: Sequence[int],
    rows: Literal["winner", "all"],
) -> DataSet:
    """Return the decisions in a file.

    Args:
        source: ``games:PATH.jsonl``, ``games:PATH.jsonl,player=NAME`` or ``log:PATH.csv``.
        teacher: Rule player, which knows the features.
        players: Numbers of players of the games to learn from; of a log all rows are taken.
        rows: ``winner``: decisions of the winner alone, unless a player is named; or ``all``.

    Raises:
        BadValueError: The file can't be read, or has no such decisions.
    """
    kind, _, place = source.partition(":")
    path, _, name = place.partition(",player=")
    try:
        text = read_file(Path(path), LARGEST).decode("utf-8", errors="replace")
        if f"{kind}:" == LOG:
            found = parse_log(text)
        else:
            kept = parse_games(text, teacher.game, f"{path}, line")
            found = list_kept_decisions(kept, teacher, players, name or rows)
    except OSError as error:
        raise BadValueError(f"method.data.source: {explain_unread(error, path)}") from None
    except ArenaError as error:
        raise BadValueError(f"method.data.source: {path}: {error}") from None
    if not len(found):
        raise BadValueError(f"method.data.source: {path} has no decisions to learn")
    return found


def list_kept_decisions(
    kept: Sequence[KeptGame], teacher: CompiledPlayer, players: Sequence[int], whose: str
) -> DataSet:
    """Return decisions in kept games, in the order of the games.

    Args:
        kept: The games.
        teacher: Rule player, which knows the features.
        players: Numbers of players of the games to take.
        whose: ``winner``, ``all``, or the name of a player.

    Raises:
        ArenaError: A game is another, or has an illegal move.
    """
    parts = []
    for number, each in enumerate(kept):
        if each.game != teacher.game.name:
            raise BadValueError(f"game {number + 1} is {each.game}, and not {teacher.game.name}")
        if len(each.players) not in players:
            continue
        game = cast(BoardGame, at_seats(teacher.game, len(each.players)))
        position = game.initial(int(each.seed))
        for move in each.numbers:
            position = game.play(position, game.move_of(int(move)))
        seeds = np.array([int(each.seed) % 2**64], dtype=np.uint64)
        played = np.array([each.numbers], dtype=np.int32)
        found, seats = list_decisions(game, teacher, seeds, len(each.numbers), played)
        if whose == "winner":
            wanted = {each.places.index(1)} if 1 in each.places else set()
        else:
            wanted = {seat for seat, name in enumerate(each.players) if whose in ("all", name)}
        found = found.take(np.isin(seats, list(wanted)))
        parts.append(replace(found, games=found.games + number))
    if not parts:
        return DataSet(np.zeros((0, len(FEATURE_NAMES)), np.float32), *np.zeros((2, 0), np.int64))
    return DataSet(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.games for part in parts]),
    )


def write_log(rows: DataSet) -> str:
    """Return decisions as CSV: a column for each feature, and the kind of the decision."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*FEATURE_NAMES, DECISION])
    for features, kind in zip(rows.features.tolist(), rows.kinds.tolist(), strict=True):
        writer.writerow([*(f"{value:.9g}" for value in features), kind])
    return file.getvalue()


def parse_log(text: str) -> DataSet:
    """Parse decisions that :func:`write_log` wrote, or rows of numbers alone, as Łabno's are.

    A new game begins where the number of the round falls.

    Raises:
        BadValueError: A row has another number of columns, or something else than numbers.
    """
    values = []
    for number, row in enumerate(csv.reader(io.StringIO(text)), start=1):
        if not row or (number == 1 and row[-1].strip() == DECISION):
            continue
        if len(row) != len(FEATURE_NAMES) + 1:
            raise BadValueError(
                f"line {number} has {len(row)} columns, not {len(FEATURE_NAMES)} features and"
                " a decision"
            )
        try:
            values.append([float(cell) for cell in row])
        except ValueError:
            raise BadValueError(f"line {number} has something else than numbers") from None
    table = np.array(values, dtype=np.float64).reshape(-1, len(FEATURE_NAMES) + 1)
    if not np.isfinite(table).all() or not np.isin(table[:, -1], range(KINDS)).all():
        raise BadValueError(f"a decision is none of 0 to {KINDS - 1}, or a number is infinite")
    rounds = table[:, 0]
    games = np.cumsum(np.diff(rounds, prepend=rounds[:1]) < 0, dtype=np.int64)
    return DataSet(table[:, :-1].astype(np.float32), table[:, -1].astype(np.int64), games)
