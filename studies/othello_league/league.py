"""The Othello League: files of its players, and both of its protocols.

A player of the league values the position after each of its moves by a tuple network, and plays the
move of the highest value; a weight for each cell is a tuple of one cell. A file has the weights in
the order of the league: the cells of a tuple are digits to the base 3, the first one the most
significant, for white 0, empty 1 and black 2. There are two ways to value a position for white:

- ``board-inversion``: the colours are exchanged first, so that one's own discs are black;
- ``output-negation``: white plays the move of the lowest value.

Protocol ``boards``: two games, with colours exchanged, from each of a thousand positions after
seven plies. Protocol ``noise``: pairs of games from the start, in which the opponent plays 10 % of
its moves at random. A draw is half a win.

Source: Jaśkowski and Szubert, "Coevolutionary CMA-ES for knowledge-free learning of game position
evaluation", IEEE Transactions on Computational Intelligence and AI in Games 8 (2016); the positions
are those of Runarsson and Lucas, "Preference learning for move prediction and evaluation function
approximation in Othello", in the same journal 6 (2014).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, model_validator

from evolve_arena.arena.executors import Executor
from evolve_arena.arena.match import play_matches
from evolve_arena.arena.statistics import normal_interval
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.game import Config
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.workspace import TAKES_WINS
from evolve_arena.players.packed import with_noise
from evolve_arena.players.player import CompiledPlayer, distinct_names
from evolve_arena.players.tuples import TuplePlayer

LARGEST = 16 * 1024 * 1024
"""Most bytes of a file that is read."""
CELLS, OPENING = 64, 7
"""Cells of the board, and plies before the positions of the protocol ``boards``."""
BLACK, WHITE = "X", "O"
NOISE = 0.1
"""Share of random moves of the opponents in the protocol ``noise``."""
BOARDS = "boards.txt"
FOLDER = "othello_league"
"""Folder of the league's files, if none is named."""

Protocol = Literal["boards", "noise"]


class SharedTuples(Config):
    """Tuples that share their weights."""

    cells: tuple[tuple[int, ...], ...] = Field(min_length=1, max_length=64)
    weights: tuple[float, ...]

    @model_validator(mode="after")
    def _fit_together(self) -> SharedTuples:
        length = len(self.cells[0])
        if not 1 <= length <= 8 or any(len(cells) != length for cells in self.cells):
            raise ValueError("all tuples of an entry must have the same number of cells, 1 to 8")
        for cells in self.cells:
            if len(set(cells)) < length or not 0 <= min(cells) <= max(cells) < CELLS:
                raise ValueError(f"{list(cells)} are no {length} different cells from 0 to 63")
        if len(self.weights) != 3**length or not np.isfinite(self.weights).all():
            raise ValueError(f"tuples of {length} cells need {3**length} finite weights")
        return self


class MemberFile(Config):
    """The file of a player."""

    name: str = Field(min_length=1, max_length=100)
    source: str
    evaluation: Literal["board-inversion", "output-negation"]
    weights_of_cells: tuple[float, ...] | None = None
    """A weight for each cell, row by row, times 1 for a black disc and -1 for a white one."""
    tuples: tuple[SharedTuples, ...] | None = None

    @model_validator(mode="after")
    def _fit_together(self) -> MemberFile:
        if (self.weights_of_cells is None) == (self.tuples is None):
            raise ValueError("it must have either tuples or weights_of_cells")
        if self.weights_of_cells and len(self.weights_of_cells) != CELLS:
            raise ValueError(f"weights_of_cells has {len(self.weights_of_cells)} numbers, not 64")
        return self

    @property
    def weights(self) -> int:
        """The number of weights."""
        if self.tuples is None:
            return CELLS
        return sum(len(entry.weights) for entry in self.tuples)

    def list_tuples(self) -> list[tuple[tuple[int, ...], NDArray[np.float64]]]:
        """Return the cells of each tuple, and its weights in the league's order."""
        if self.tuples is None:
            return [
                ((cell,), weight * np.array([-1.0, 0.0, 1.0]))
                for cell, weight in enumerate(self.weights_of_cells or ())
            ]
        return [(cells, np.array(entry.weights)) for entry in self.tuples for cells in entry.cells]


def read_member_file(path: Path | str) -> MemberFile:
    """Read the file of a player.

    Raises:
        BadValueError: It can't be read, or is no such file.
    """
    try:
        return MemberFile.model_validate(json.loads(read_file(Path(path), LARGEST)))
    except OSError as error:
        raise BadValueError(f"{quote(str(path))}: {explain_unread(error, path)}") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise BadValueError(
            f"{quote(str(path))} is no file of a player: {key + ': ' if key else ''}{first['msg']}"
        ) from None
    except (ValueError, RecursionError):
        raise BadValueError(f"{quote(str(path))} is no JSON file") from None


def read_member(path: Path | str, game: BoardGame) -> TuplePlayer:
    """Return the player of a file.

    Args:
        path: The file.
        game: Othello on 8 by 8 cells.

    Raises:
        BadValueError: The file can't be read, or the board has another size.
    """
    content = read_member_file(path)
    if int(game.code.CELLS) != CELLS:
        raise BadValueError("the players of the league play on 8 by 8 cells")
    listed = content.list_tuples()
    length = max(len(cells) for cells, _ in listed)
    # White's weights are separate if a position has one value, which white makes low.
    negated = content.evaluation == "output-negation" and content.tuples is not None
    own_is_black = [_expand(*entry, length, black=1) for entry in listed]
    tables = [table for _, table in own_is_black]
    if negated:
        tables += [-_expand(*entry, length, black=2)[1] for entry in listed]
    numbers = np.concatenate(tables)
    # As large as fixed-point sums allow: only differences between values count.
    limit = 32767 // len(listed)
    numbers *= limit / np.abs(numbers).max(initial=1e-30)
    decoder_type: Any = find_game(game.name).networks["tuples"].decoder_type
    decoder = decoder_type(
        **game.options, tuples=len(listed), length=length, by_seat=negated, symmetric=False
    )
    cells = np.array([cells for cells, _ in own_is_black], dtype=np.int16)
    genome = TuplePopulation(cells[None], numbers.astype(np.float32)[None])
    player: TuplePlayer = decoder.player(genome, content.name)
    player.packed.seats[:, TAKES_WINS] = 0  # it compares values only
    return player


def _expand(
    cells: tuple[int, ...], weights: NDArray[np.float64], length: int, *, black: int
) -> tuple[list[int], NDArray[np.float64]]:
    """Return a tuple of *length* cells with the same values, and its weights in our order.

    In our order the first cell is the lowest digit, and a digit is 0 for an empty cell, 1 for one's
    own disc and 2 for the other's.

    Args:
        cells: The tuple, of at most *length* cells.
        weights: Its weights in the league's order.
        length: Number of cells of the result; those that are added make no difference.
        black: The digit of black discs, 1 or 2.
    """
    digits = np.arange(3**length)[:, None] // 3 ** np.arange(length) % 3
    theirs = np.array([1, 2, 0] if black == 1 else [1, 0, 2])[digits[:, : len(cells)]]
    entries = theirs @ 3 ** np.arange(len(cells))[::-1]
    others = [cell for cell in range(CELLS) if cell not in cells]
    return [*cells, *others[: length - len(cells)]], weights[entries]


def read_openings(path: Path | str, game: BoardGame) -> NDArray[np.int64]:
    """Return moves that lead to each position of a file, shape ``(positions, 7)``.

    Args:
        path: A file with a position in each line: 64 characters, row by row, ``.`` for an empty
            cell, ``X`` for black and ``O`` for white, who moves next.
        game: Othello on 8 by 8 cells.

    Raises:
        BadValueError: The file can't be read, or a position can't be reached in seven plies.
    """
    try:
        lines = read_file(Path(path), LARGEST).decode("ascii").split()
    except OSError as error:
        raise BadValueError(f"{quote(str(path))}: {explain_unread(error, path)}") from None
    except UnicodeDecodeError:
        raise BadValueError(f"{quote(str(path))} is no file of positions") from None
    moves = _find_moves(game, set(lines))
    for number, line in enumerate(lines, start=1):
        if line not in moves:
            raise BadValueError(
                f"{quote(str(path))}, line {number}: no seven plies lead to {quote(line)}"
            )
    return np.array([moves[line] for line in lines], dtype=np.int64).reshape(-1, OPENING)


def _find_moves(game: BoardGame, wanted: set[str]) -> dict[str, tuple[int, ...]]:
    """Return the first moves by which each of the *wanted* positions is reached, as far as any."""
    # Positions are visited once, however many orders of moves lead there.
    level: dict[str, tuple[Board, tuple[int, ...]]]
    level = {_draw(game, game.initial()): (game.initial(), ())}
    for _ in range(OPENING):
        following: dict[str, tuple[Board, tuple[int, ...]]] = {}
        for board, moves in level.values():
            for move in game.legal_moves(board):
                after = game.play(board, move)
                following.setdefault(_draw(game, after), (after, (*moves, move)))
        level = following
    return {text: moves for text, (_, moves) in level.items() if text in wanted}


def _draw(game: BoardGame, board: Board) -> str:
    """Return the cells of a position, row by row, as in the league's files."""
    black, white = game.observe(board, 0)[:, :CELLS].astype(bool)
    return "".join(
        BLACK if own else WHITE if other else "."
        for own, other in zip(black.tolist(), white.tolist(), strict=True)
    )


def _clip(interval: tuple[float, float]) -> tuple[float, float]:
    return max(0.0, interval[0]), min(1.0, interval[1])


@dataclass(frozen=True, eq=False)
class LeagueResult:
    """Points of players, the *members*, against the players of a league, their *opponents*."""

    protocol: Protocol
    members: tuple[str, ...]
    opponents: tuple[str, ...]
    points: NDArray[np.float64]
    """Share of the points of each pair of games with the same beginning, shape ``(members,
    opponents, pairs)``; nan for a member against itself."""

    @property
    def shares(self) -> NDArray[np.float64]:
        """Mean share of each member over its opponents, shape ``(members,)``."""
        means: NDArray[np.float64] = np.nanmean(self.points, axis=(1, 2))
        return means

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Share of each member against each opponent, shape ``(members, opponents)``.

        It is nan for a member against itself.
        """
        return np.asarray(self.points.mean(axis=2))

    @property
    def games(self) -> int:
        """Number of games of each member against each opponent."""
        return 2 * int(self.points.shape[2])

    @property
    def ranking(self) -> list[int]:
        """Indices of the members, the strongest first."""
        return [int(row) for row in np.argsort(-self.shares, kind="stable")]

    def interval(self, member: int) -> tuple[float, float]:
        """Return the 95 % interval of a *member*'s share, over beginnings of games.

        Opponents are not sampled: it is for these ones.
        """
        return _clip(normal_interval(np.nanmean(self.points[member], axis=0)))

    def interval_against(self, member: int, opponent: int) -> tuple[float, float]:
        """Return the 95 % interval of the share of a *member* against one *opponent*."""
        return _clip(normal_interval(self.points[member, opponent]))

    def to_dict(self) -> JsonObject:
        """Return everything as JSON, the strongest member first."""
        means = self.matrix
        return {
            "protocol": self.protocol,
            "games": self.games,
            "members": [
                {
                    "name": self.members[row],
                    "share": float(self.shares[row]),
                    "interval_95": list(self.interval(row)),
                    "against": {
                        name: float(mean)
                        for name, mean in zip(self.opponents, means[row], strict=True)
                        if not np.isnan(mean)
                    },
                }
                for row in self.ranking
            ],
        }


def play_league(
    members: Sequence[CompiledPlayer],
    opponents: Sequence[CompiledPlayer] = (),
    *,
    protocol: Protocol = "boards",
    openings: NDArray[np.int64] | None = None,
    pairs: int = 1000,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LeagueResult:
    """Play *members* against *opponents*, or against each other if there are none.

    Args:
        members: The players that are rated.
        opponents: The players of the league.
        protocol: ``boards``: from positions, without random moves; ``noise``: from the start, with
            opponents that play 10 % of their moves at random.
        openings: Moves to the positions, shape ``(positions, plies)``, for ``boards``.
        pairs: Pairs of games of each two players; for ``boards`` as many of the *openings*, the
            first ones.
        seed: Seed of random moves.
        executor: Executor of the games; serial if None.
        progress: Called after each member with the number of members so far and in total.

    Raises:
        BadValueError: *pairs* is out of range, or there are no players or no *openings*.
    """
    against = tuple(opponents) or tuple(members)
    if not members or (not opponents and len(members) < 2):
        raise BadValueError("there are no players who could meet")
    if protocol == "boards":
        if openings is None or not 1 <= pairs <= len(openings):
            count = 0 if openings is None else len(openings)
            raise BadValueError(f"pairs is {pairs}: there are {count:,} positions")
        openings = np.repeat(openings[:pairs], 2, axis=0)
    elif openings is not None:
        raise BadValueError("openings are for the protocol boards")
    game = members[0].game
    points = np.full((len(members), len(against), pairs), np.nan)
    for row, member in enumerate(members):
        for column, opponent in enumerate(against):
            if not opponents and (column == row or (protocol == "boards" and column < row)):
                continue
            met = opponent
            if protocol == "noise":
                met = CompiledPlayer(game, with_noise(opponent.packed, NOISE), opponent.name)
            pairings = np.tile(np.array([[0, 1], [1, 0]], dtype=np.int32), (pairs, 1))
            seeds = derive_seeds(seed, row, f"league against {column}", 2 * pairs)
            results, _ = play_matches(game, [member, met], pairings, seeds, openings, executor)
            # The share of the first of the two: it moves first in every other game.
            shares = (1 + results.outcomes.reshape(-1, 2) * [1, -1]) / 2
            points[row, column] = shares.mean(axis=1)
            if not opponents and protocol == "boards":
                points[column, row] = 1.0 - points[row, column]
        if progress:
            progress(row + 1, len(members))
    names = distinct_names([player.name for player in members])
    others = distinct_names([player.name for player in opponents]) if opponents else names
    return LeagueResult(protocol, names, others, points)


def read_league(folder: Path | str, game: BoardGame | None = None) -> list[TuplePlayer]:
    """Return the players of all ``.json`` files in a *folder*, by name.

    Raises:
        BadValueError: There are none, or one can't be read.
    """
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise BadValueError(
            f"{quote(str(folder))} has no files of players (.json): the weights of the Othello"
            " League are not part of this project; see docs/studies/othello-league.md"
        )
    board: Any = game or make_game("othello")
    return [read_member(file, board) for file in files]
