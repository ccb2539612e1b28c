"""Positions of a game with the exact value of each move, for `evolve_arena.runs.positions`.

Positions come from kept games, or from games in which half of the moves are random, or all of them
in every other game; the other half are those of the game's default opponent. A position that is not
proven within the limit of nodes is left out. So is one in which all moves have the same value, as
no player can go wrong there.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_stream
from evolve_arena.core.stream import Stream, below, next_word
from evolve_arena.core.types import JsonObject
from evolve_arena.players.board.game import OUTCOME, Board, BoardGame
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.solving import NODES, Solver
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.search import WIN
from evolve_arena.players.specification import make_player
from evolve_arena.runs.positions import EXACT, GROUP, MAX_COLUMNS, MAX_ROWS, OPTION
from evolve_arena.runs.store.kept_games import KeptGame

COUNT = 300
"""Default number of positions."""
IN_VAIN = 500
"""Number of games in a row without a new position after which no more are played."""
TRIALS = 20
"""Number of random games whose longest one tells after how many plies positions may be drawn."""
MAX_PLIES = 2000
PURPOSE = "positions"
ATTACK, DEFENCE = "attack", "defence"
"""Groups of positions in which a single move wins, or does not lose."""
PER_GAME = 4
"""Maximum number of positions of a game, where one list of positions proves them all."""
FAILURES = 3
"""Number of positions of so many plies or more that are not proven, after which no more are drawn
with so few."""

Scores: TypeAlias = Mapping[int, int]
"""Score of each legal move."""


class Row(NamedTuple):
    """A position, by the words that lead to it, and the score of each legal move."""

    words: list[str]
    board: Board
    scores: Scores


class Progress(NamedTuple):
    """Progress of a search for positions."""

    found: int
    wanted: int
    seconds: float

    @property
    def left(self) -> float | None:
        """Estimated seconds left; None before the first position."""
        return self.seconds * (self.wanted - self.found) / self.found if self.found else None


class PositionSet(NamedTuple):
    """Positions of a game, and what is known of them."""

    game: BoardGame
    rows: list[Row]
    proof: str
    """``exact``, or ``depth N``."""
    unproven: int
    """Positions left out because they were not proven within the limit of nodes."""
    equal: int
    """Positions left out because all moves have the same value, or several keep it."""
    only: bool = False
    """True if in each position a single move keeps the value."""

    def to_csv(self) -> str:
        """Return the content of a file, as `evolve_arena.runs.positions` reads it.

        Raises:
            BadValueError: The game has too many different moves for the columns of a file.
        """
        if self.only:
            return self._write_answers()
        moves = sorted({move for row in self.rows for move in row.scores})
        options = {f"{OPTION}{name}": value for name, value in self.game.options.items()}
        columns = ["moves", "ply", *(f"s{move}" for move in moves), "proof", *options]
        if len(columns) > MAX_COLUMNS:
            raise BadValueError(
                f"{self.game.name} has {len(moves):,} moves here: a file has room for"
                f" {MAX_COLUMNS} columns"
            )
        blank = "" if can_join(self.game) else " "
        file = io.StringIO(newline="")
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for words, board, scores in self.rows:
            known = {f"s{move}": score for move, score in scores.items()}
            head = {"moves": blank.join(words), "ply": board.plies, "proof": self.proof}
            writer.writerow(head | known | options)
        return file.getvalue()

    def _write_answers(self) -> str:
        """Return the content of a file with one answer for each position, and its theme."""
        options = {f"{OPTION}{name}": value for name, value in self.game.options.items()}
        blank = "" if can_join(self.game) else " "
        file = io.StringIO(newline="")
        columns = ["moves", "ply", f"{GROUP}{ATTACK}", f"{GROUP}{DEFENCE}", "answer", *options]
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for words, board, scores in self.rows:
            answer = max(scores, key=lambda move: scores[move])
            theme = ATTACK if scores[answer] > 0 else DEFENCE
            head = {"moves": blank.join(words), "ply": board.plies, f"{GROUP}{theme}": "x"}
            writer.writerow(head | {"answer": self.game.format_move(answer)} | options)
        return file.getvalue()

    def to_dict(self) -> JsonObject:
        """Return numbers of positions, ready for JSON."""
        plies = [row.board.plies for row in self.rows]
        return {
            "game": self.game.name,
            "options": dict(self.game.options),
            "positions": len(self.rows),
            "proof": self.proof,
            "plies": [min(plies), max(plies)] if plies else None,
            "left_out_not_proven": self.unproven,
            "left_out_all_moves_equal": self.equal,
        }


def find_positions(
    game: AnyGame,
    *,
    count: int | None = COUNT,
    plies: tuple[int, int | None] = (0, None),
    distance: bool = False,
    depth: int | None = None,
    nodes: int = NODES,
    seed: int = 0,
    games: Sequence[KeptGame] | None = None,
    only: bool = False,
    progress: Callable[[Progress], bool] | None = None,
) -> PositionSet:
    """Find positions of *game* with the exact value of each move.

    Args:
        game: Game of two players without hidden information, whose rules are a file.
        count: Number of positions; None for all of the game.
        plies: Fewest and most moves that were made before; at most as many as the game has if None.
        distance: True if scores shall tell how soon the game ends.
        depth: Plies of a search whose values count instead of exact ones; None for exact ones.
        nodes: Limit of nodes in the proof of a position.
        seed: Seed of the games.
        games: Games whose positions are taken, in place of new ones.
        only: True for positions in which a single move keeps the value.
        progress: Function that is called after each game; it returns False to stop.

    Raises:
        BadValueError: The game cannot be solved, or *games* are of another one.
        ArenaError: A move in *games* is illegal.
    """
    solver = Solver(game, distance=distance, nodes=nodes)
    assert isinstance(game, BoardGame)
    if count is None:
        if depth is not None:
            raise BadValueError("all positions of a game are solved: not with a depth")
        if games is not None or only:
            raise BadValueError("all positions of a game: not those of some games, or of some kind")
        return _take_all(solver, game, plies)
    score = solver.score if depth is None else _Searcher(game, depth).score
    found, number, begun = _Collection(game, score, only=only), 0, time.perf_counter()
    if games is not None:
        played = [_replay(game, kept) for kept in games]
        for number, rows in enumerate(played):
            rng = derive_stream(seed, number, PURPOSE)
            span = plies[0], MAX_PLIES if plies[1] is None else plies[1]
            found.add(
                _shuffle_proven(found, rows, span, rng), min(count, len(found.rows) + PER_GAME)
            )
            told = Progress(len(found.rows), count, time.perf_counter() - begun)
            if len(found.rows) >= count or (progress and not progress(told)):
                break
        return found.finish(depth)
    draw = _draw_many if solver.recurs else _draw_one
    longest = max(_play(game, MAX_PLIES, rng)[-1].board.plies for rng in _streams(seed, TRIALS))
    first, last = plies[0], longest - 1 if plies[1] is None else min(plies[1], longest - 1)
    good = make_player(find_game(game.name).opponents[0], game)
    try:
        while len(found.rows) < count and found.vain < IN_VAIN and first <= last:
            number += 1
            rng = derive_stream(seed, number, PURPOSE)
            drawn = draw(found, (first, last), rng, good if number % 2 else None)
            found.add(drawn, min(count, len(found.rows) + PER_GAME))
            if not solver.recurs and len(found.failed) >= FAILURES:
                first = max(first, sorted(found.failed)[-FAILURES] + 1)
            told = Progress(len(found.rows), count, time.perf_counter() - begun)
            if progress and not progress(told):
                break
    finally:
        good.close()
    return found.finish(depth)


class _Collection:
    """The positions that were found so far.

    Args:
        game: The game.
        score: Function that returns the score of each legal move; None if it is not proven.
        only: True for positions in which a single move keeps the value.
    """

    def __init__(
        self, game: BoardGame, score: Callable[[Board], Scores | None], *, only: bool
    ) -> None:
        self.game, self.score, self.only = game, score, only
        self.rows: dict[int, Row] = {}
        self.keys: set[int] = set()
        self.failed: list[int] = []
        """The plies of positions that are not proven."""
        self.equal = 0
        """Number of positions in which all moves are equal."""
        self.vain = 0
        """Number of games since the last new position."""

    def add(self, drawn: Sequence[Row], most: int) -> None:
        """Add new positions of a game, until there are so many."""
        self.vain += 1
        for each in drawn:
            if len(self.rows) >= most:
                break
            key = self.game.find_word(each.board.state)
            if key in self.keys:
                continue
            self.keys.add(key)
            scores = self.score(each.board)
            if scores is None:
                self.failed.append(each.board.plies)
            elif not is_telling(self.game, scores) or (self.only and not has_answer(scores)):
                self.equal += 1
            else:
                self.rows[key], self.vain = each._replace(scores=scores), 0

    def finish(self, depth: int | None) -> PositionSet:
        """Return the positions in the order of their plies; *depth* is that of a search, if any."""
        ordered = sorted(self.rows.values(), key=lambda row: (row.board.plies, row.words))
        proof = EXACT if depth is None else f"depth {depth}"
        return PositionSet(self.game, ordered, proof, len(self.failed), self.equal, self.only)


def _draw_one(
    found: _Collection, plies: tuple[int, int], rng: Stream, good: Player | None
) -> list[Row]:
    """Return the position of a game after a random number of *plies*, if it goes on as long."""
    ply = plies[0] + int(below(rng, plies[1] - plies[0] + 1))
    last = _play(found.game, ply, rng, good)[-1]
    return [last] if last.board.plies == ply and found.game.legal_moves(last.board) else []


def _draw_many(
    found: _Collection, plies: tuple[int, int], rng: Stream, good: Player | None
) -> list[Row]:
    """Return the positions of a whole game that are proven, in random order."""
    return _shuffle_proven(found, _play(found.game, MAX_PLIES, rng, good), plies, rng)


def _shuffle_proven(
    found: _Collection, rows: list[Row], plies: tuple[int, int], rng: Stream
) -> list[Row]:
    """Return the positions of a game after so many *plies* that are proven, in random order."""
    drawn = [
        each
        for each in rows
        if plies[0] <= each.board.plies <= plies[1] and found.game.legal_moves(each.board)
    ]
    proven, failed = _find_proven(found.score, drawn)
    found.failed += failed
    return sorted(proven, key=lambda _: int(next_word(rng)))


def _replay(game: BoardGame, kept: KeptGame) -> list[Row]:
    """Return the positions of a kept game, without scores.

    Raises:
        ArenaError: It is another game, or has an illegal move or events of chance.
    """
    if (kept.game, dict(kept.options)) != (game.name, game.options):
        raise BadValueError(f"a kept game was not played by the rules of {game.describe()}")
    if game.code.HAS_CHANCE:
        raise BadValueError(f"positions of kept games are not for {game.name}, a game of chance")
    words, board = list[str](), game.initial(int(kept.seed))
    found = [Row(words, board, {})]
    for number in map(int, kept.numbers):
        words = [*words, game.format_move(number)]
        board = game.play(board, number)
        found.append(Row(words, board, {}))
    return found


def _find_proven(
    score: Callable[[Board], Scores | None], drawn: list[Row]
) -> tuple[list[Row], list[int]]:
    """Return the positions of a game from the first one that is proven, found by bisection.

    What can be reached from a position can be reached from earlier ones, too. The second value is
    the plies of those that were tried in vain.
    """
    low, high, failed = 0, len(drawn), list[int]()
    while low < high:
        middle = (low + high) // 2
        if score(drawn[middle].board) is None:
            low = middle + 1
            failed.append(drawn[middle].board.plies)
        else:
            high = middle
    return drawn[low:], failed


def _take_all(solver: Solver, game: BoardGame, plies: tuple[int, int | None]) -> PositionSet:
    """Return all positions of a small game."""
    rows, keys, equal = list[Row](), set[int](), 0
    for found in solver.solve_all():
        row = Row(*found)
        key = game.find_word(row.board.state)
        if key in keys:
            continue
        keys.add(key)
        if plies[0] <= row.board.plies <= (plies[1] or game.code.LONGEST):
            if is_telling(game, row.scores):
                rows.append(row)
            else:
                equal += 1
    if len(rows) > MAX_ROWS:
        raise BadValueError(f"{game.name} has {len(rows):,} positions: a file holds {MAX_ROWS:,}")
    return PositionSet(game, rows, EXACT, 0, equal)


class _Searcher:
    """Values by a search to some depth, where exact ones cannot be proven."""

    def __init__(self, game: BoardGame, depth: int) -> None:
        player = make_player(f"minimax:depth={depth}", game)
        assert isinstance(player, CompiledPlayer)
        self.player = player

    def score(self, board: Board) -> Scores:
        """Return the value of each legal move."""
        rated = rate_moves(self.player, board)
        return {move: round(max(-WIN, min(WIN, value))) for move, value in rated.items()}


def is_telling(game: AnyGame, scores: Scores) -> bool:
    """Test whether one move keeps the value of a position and another does not.

    In games of chance, every difference counts.
    """
    values = scores.values()
    if find_game(game.name).has_chance:
        return len(set(values)) > 1
    return len(set(np.sign(list(values)).tolist())) > 1


def has_answer(scores: Scores) -> bool:
    """Test whether a single move keeps the value of a position."""
    signs = np.sign(list(scores.values()))
    return int((signs == signs.max()).sum()) == 1


def can_join(game: BoardGame) -> bool:
    """Test whether moves can be written without blanks."""
    names = map(game.format_move, range(game.code.MOVES))
    return "read_move" not in game.plain and all(len(name) == 1 for name in names)


def _streams(seed: int, count: int) -> Iterator[Stream]:
    """Yield random streams that no position is drawn from."""
    for number in range(count):
        yield derive_stream(seed, number, "lengths of games")


def _play(game: BoardGame, plies: int, rng: Stream, good: Player | None = None) -> list[Row]:
    """Return the positions of a game of so many *plies*, without scores."""
    words, board = _settle(game, [], game.begin(), rng)
    found = [Row(words, board, {})]
    while board.plies < plies and (moves := game.legal_moves(board)):
        if good and below(rng, 2):
            seat = game.to_move(board)
            good.begin(seat)
            move = good.choose(game.view(board, seat), rng)
            good.end()
        else:
            move = moves[int(below(rng, len(moves)))]
        words = [*words, game.format_move(move)]
        words, board = _settle(game, words, game.make_move(board, move), rng)
        found.append(Row(words, board, {}))
    return found


def _settle(
    game: BoardGame, words: list[str], board: Board, rng: Stream
) -> tuple[list[str], Board]:
    """Draw the events of chance that come next."""
    while game.code.HAS_CHANCE and (count := int(game.ask("chance", game.to_native(board)))) > 0:
        outcome = int(below(rng, count))
        words, board = [*words, f"{OUTCOME}{outcome}"], game.follow(board, "resolve", outcome)
    return words, board
