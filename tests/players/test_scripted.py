"""The players without weights: chance, and the test bot."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream, next_word
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.player import CompiledPlayer, make_random
from evolve_arena.players.specification import make_player

GAME = make_game("connect-four")
BOT = make_player("test-bot", GAME)


def choices(player: CompiledPlayer, position: Board, draws: int = 100) -> set[int]:
    """Every column that *player* chooses, over many draws."""
    assert player.game.outcome(position) is None
    stream = new_stream(1)
    return {player.choose(position, stream) for _ in range(draws)}


def stack_on(column: list[int], length: int) -> int | None:
    """Whose discs the topmost *length* of a column are, if they are of one colour."""
    top = column[-length:]
    return top[0] if len(top) == length and len(set(top)) == 1 else None


def expected_choices(game: BoardGame, position: Board) -> set[int]:
    """What the test bot may do, from its description."""
    columns, rows, connect = game.rules
    mover = game.to_move(position)
    mine, theirs = game.observe(position, mover)
    cells = (mine * (1 + mover) + theirs * (2 - mover))[game.grid[::-1]]
    stacks = [[int(c) - 1 for c in cells[:, column] if c] for column in range(columns)]
    for owner in (mover, 1 - mover):
        for column, stack in enumerate(stacks):
            if len(stack) < rows and stack_on(stack, connect - 1) == owner:
                return {column}
    return {column for column, stack in enumerate(stacks) if len(stack) < rows}


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("", range(7)),
        ("010", range(7)),
        ("33333", range(7)),
        ("01010", [0]),
        ("010102", [0]),
        ("616160", [6]),
        ("0101013", [1]),
        ("6161614", [1]),
        ("0102023", [0]),
    ],
)
def test_the_bot_in_simple_positions(moves: str, expected: list[int]) -> None:
    position = GAME.parse_position(moves)
    assert choices(BOT, position) == set(expected) == expected_choices(GAME, position)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # x to move has a stack of its own in column 5, and one of o in column 0.
        (["o....x.", "o....x.", "o....x."], {5}),
        # Two of its own: the left one.
        ([".x.x...", ".x.x..o", "oxoxooo"], {1}),
        # Two to block: the left one.
        (["..o.o..", "x.o.o..", "xxoxoxx"], {2}),
        # Three on top of others.
        (["...x...", "...x...", "...x...", "..oo..o"], {3}),
        # A full column holds no choice, whatever stands in it.
        (["o......"] * 3 + ["x......"] * 3, set(range(1, 7))),
    ],
)
def test_the_bot_in_drawings(rows: list[str], expected: set[int]) -> None:
    position = GAME.parse_position("." * 7 * (6 - len(rows)) + "".join(rows))
    assert GAME.to_move(position) == 0
    assert choices(BOT, position) == expected == expected_choices(GAME, position)


def test_a_stack_does_not_run_on_into_the_next_column() -> None:
    """Two discs on top of a column and one at the foot of the next are three bits in a row."""
    column = ["x......", "x......", "o......", "o......", "x......", "ox....o"]
    position = GAME.parse_position("".join(column))
    assert GAME.to_move(position) == 0
    assert choices(BOT, position) == set(range(1, 7))


@pytest.mark.parametrize(
    ("columns", "rows", "connect"),
    [(7, 6, 4), (7, 6, 3), (7, 6, 5), (4, 3, 2), (9, 6, 5), (5, 9, 6), (16, 3, 3), (3, 2, 3)],
)
def test_the_bot_follows_its_description_in_random_positions(
    columns: int, rows: int, connect: int
) -> None:
    game = make_game("connect-four", columns=columns, rows=rows, connect=connect)
    bot = make_player("test-bot", game)
    draw = random.Random(columns * 100 + rows * 10 + connect)
    stream = new_stream(2)
    forced = 0
    for _ in range(120):
        position = game.initial()
        while game.outcome(position) is None:
            expected = expected_choices(game, position)
            forced += len(expected) == 1
            for _ in range(3):
                assert bot.choose(position, stream) in expected
            # Stacking more often than at random brings about what the bot looks for.
            legal = game.legal_moves(position)
            move = draw.choice(legal[:2]) if draw.random() < 0.7 else draw.choice(legal)
            position = game.play(position, move)
    assert forced > 20 or rows < connect - 1


@pytest.mark.parametrize("name", ["random", "test-bot"])
@pytest.mark.parametrize("moves", ["", "3", "333333", "000000666666"])
def test_chance_is_fair(name: str, moves: str) -> None:
    """Chi-square over the open columns; five standard deviations are far."""
    player: Any = make_player(name, GAME)
    position = GAME.parse_position(moves)
    open_columns = GAME.legal_moves(position)
    stream = new_stream(3)
    draws = 14_000
    counts = np.bincount([player.choose(position, stream) for _ in range(draws)], minlength=7)
    assert np.flatnonzero(counts).tolist() == open_columns
    expected = draws / len(open_columns)
    chi_square = float(np.sum((counts[open_columns] - expected) ** 2 / expected))
    freedom = len(open_columns) - 1
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("name", ["random", "test-bot"])
def test_the_stream_decides(name: str) -> None:
    """The same stream gives the same moves, another one others; each move draws one number."""

    def play(seed: int) -> tuple[list[int], int]:
        player: Any = make_player(name, GAME)
        empty, stream = GAME.initial(), new_stream(seed)
        return [player.choose(empty, stream) for _ in range(50)], int(stream[0])

    words = new_stream(9)
    for _ in range(50):
        next_word(words)
    moves, state = play(9)
    assert (moves, state) == (play(9)[0], int(words[0]))
    assert len(set(moves)) == 7
    assert play(10)[0] != moves


def test_their_names() -> None:
    assert make_random(GAME).name == "random"
    assert BOT.name == "test-bot"
