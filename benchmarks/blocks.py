"""Blocking rate of Connect Four players: ``python -m benchmarks blocks [PLAYER ...]``.

In each position the opponent threatens to win, the player to move cannot win at once, and exactly
one column leaves the opponent without a win. Positions come from random games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.line import Line
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.runs.players import find_player, game_for

__all__ = ["find_blocks", "measure"]

GAME = make_game("connect-four")
POSITIONS = 300
SEED = 1
TARGET = 190
SMALL = {"POSITIONS": 30, "TARGET": 19}


def measure(players: Sequence[str] = ()) -> Iterator[Line]:
    """Yield the blocking rates of random moves, scripted players and the named *players*."""
    blocks = find_blocks(POSITIONS)
    chance = sum(1 / len(GAME.legal_moves(_replay(GAME, moves))) for moves, _ in blocks)
    unit = f"of {POSITIONS} blocked"
    yield Line("chance, expected", chance, unit)
    best = 0
    for name in ("test-bot", "minimax:depth=2", *players):
        found = _count(name, blocks)
        low, high = (POSITIONS * end for end in wilson_interval(found, POSITIONS))
        told = f"95 % interval {low:.0f} to {high:.0f}; chance"
        sees_all = name == "minimax:depth=2"
        yield Line(
            name,
            found,
            unit,
            told,
            found / chance,
            f"all {POSITIONS}" if sees_all else "",
            found == POSITIONS if sees_all else None,
        )
        best = max(best, found if name in players else 0)
    if players:
        against = f"chance: {chance:.0f}"
        target = f"at least {TARGET}"
        yield Line("the best of them", best, unit, against, best / chance, target, best >= TARGET)


def find_blocks(count: int) -> list[tuple[list[int], int]]:
    """Return distinct positions, as the moves that lead there, with the column that blocks."""
    rng = np.random.default_rng(SEED)
    found: dict[Board, tuple[list[int], int]] = {}
    while len(found) < count:
        position, moves = GAME.initial(), list[int]()
        length = int(rng.integers(5, 36))
        while len(moves) < length and GAME.outcome(position) is None:
            moves.append(int(rng.choice(GAME.legal_moves(position))))
            position = GAME.play(position, moves[-1])
        if GAME.outcome(position) is None and (column := find_block(position)) is not None:
            found.setdefault(position, (moves, column))
    return list(found.values())


def find_block(position: Board) -> int | None:
    """Return the only column that stops the opponent's win; None if there is no such situation.

    It is None if the mover can win, the opponent has no threat, or not exactly one column is safe.

    >>> find_block(GAME.parse_position("01010")), find_block(GAME.initial())
    (0, None)
    """
    columns = GAME.legal_moves(position)
    if _wins(position) or not _wins(_pass(position)):
        return None
    safe = [column for column in columns if not _wins(GAME.play(position, column))]
    return safe[0] if len(safe) == 1 else None


def _wins(position: Board) -> bool:
    """Test whether the player to move has a column that wins."""
    if GAME.outcome(position) is not None:
        return False
    after = (GAME.outcome(GAME.play(position, c)) for c in GAME.legal_moves(position))
    return any(outcome is not None and 1.0 in outcome.scores for outcome in after)


def _pass(position: Board) -> Board:
    """Swap the colours of the discs, so that the opponent's threats become wins of the mover."""
    own, other, discs = position.state
    return position._replace(state=(other, own, discs))


def _count(name: str, blocks: Sequence[tuple[list[int], int]]) -> int:
    """Count the positions in which the player called *name* blocks, with one choice in each."""
    game = game_for([name])
    player = find_player(name, game)
    words = derive_seeds(SEED, 0, "blocks", len(blocks))
    found = sum(
        player.choose(_replay(game, moves), new_stream(int(word))) == column
        for (moves, column), word in zip(blocks, words, strict=True)
    )
    player.close()
    return found


def _replay(game: BoardGame, moves: Sequence[int]) -> Board:
    position = game.initial()
    for column in moves:
        position = game.play(position, column)
    return position
