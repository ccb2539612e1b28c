"""Draughts in its variants: published counts of positions, another program, texts."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import draughts
import pytest

from evolve_arena.core.errors import ArenaError, IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.players.board.game import Board

MANY = int(os.environ.get("POSITIONS", "1000"))
VARIANTS = {
    "international": {},
    "polish": {"size": 8},
    "russian": {"size": 8, "most": 0, "crown": 1},
    "pool": {"size": 8, "most": 0},
}
THEIRS = {"international": "standard", "polish": "brazilian", "russian": "russian"}
"""Names of the variants in pydraughts, which has them under other names."""
PUBLISHED = {
    "international": [9, 81, 658, 4265],
    "polish": [7, 49, 302, 1469, 7473],
    "russian": [7, 49, 302, 1469, 7482],
    "pool": [7, 49, 302, 1469, 7482],
}
"""Numbers of lines of so many turns, by Rein Halbersma (FMJD's forum, "Perft for all recognized
draughts variants")."""


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def game(variant: str) -> AnyGame:
    return make_game("draughts", **VARIANTS[variant])


def list_turns(game: AnyGame, board: Board) -> dict[tuple[int, ...], Board]:
    """Return the position after each sequence of moves that the player to move can make."""
    turns: dict[tuple[int, ...], Board] = {}
    for move in game.legal_moves(board):
        after = game.play(board, move)
        if after.state[4] >= 0:
            turns |= {(move, *rest): end for rest, end in list_turns(game, after).items()}
        else:
            turns[move,] = after
    return turns


def merge(turns: dict[tuple[int, ...], Board]) -> dict[object, Board]:
    """Return a position for each capture; paths over the same pieces to the same end are one."""
    return {(turn[0] // 4, end.state): end for turn, end in turns.items()}


def write_fen(game: AnyGame, board: Board) -> str:
    white, black, kings, turn, _, _ = board.state
    sides = []
    for pieces in (white, black):
        bits = [bit for bit in range(game.plain["CELLS"]) if pieces >> bit & 1]
        sides.append(",".join("K" * (kings >> bit & 1) + game.name_cell(bit) for bit in bits))
    return f"{'WB'[turn]}:W{sides[0]}:B{sides[1]}"


def path_of(game: AnyGame, turn: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(game.name_turn(turn)[0].replace("-", "x").split("x"))


def read_path(game: AnyGame, squares: list[int]) -> tuple[str, ...]:
    """Return the names of squares that pydraughts counts, on the smaller board from a1 on."""
    if game.options["size"] == 10:
        return tuple(map(str, squares))
    rows, columns = zip(*(divmod(square - 1, 4) for square in squares), strict=True)
    places = zip(rows, columns, strict=True)
    return tuple(f"{'abcdefgh'[2 * column + row % 2]}{row + 1}" for row, column in places)


def walk(game: AnyGame, seed: int) -> Iterator[Board]:
    """Yield positions of random games, between turns."""
    choices = random.Random(seed)
    while True:
        board = game.initial()
        while not game.is_over(board):
            yield board
            board = choices.choice(list(list_turns(game, board).values()))


def scatter(game: AnyGame, seed: int) -> Iterator[Board]:
    """Yield positions of a few pieces anywhere, many of them kings."""
    choices, cells = random.Random(seed), range(game.plain["CELLS"])
    squares = [game.name_cell(bit) for bit in cells if game.name_cell(bit) != "0"]
    while True:
        chosen = choices.sample(squares, choices.randint(3, 14))
        split, sides = choices.randint(1, len(chosen) - 1), []
        for letter, some in (("W", chosen[:split]), ("B", chosen[split:])):
            listed = ["K" * choices.randint(0, 1) + square for square in some]
            sides.append(f"{letter}{','.join(listed)}")
        yield game.parse_position(f"{choices.choice('WB')}:{':'.join(sides)}")


def test_lines_from_the_start_are_as_many_as_published(game: AnyGame, variant: str) -> None:
    boards = [game.initial()]
    for known in PUBLISHED[variant]:
        boards = [end for board in boards for end in merge(list_turns(game, board)).values()]
        assert len(boards) == known


@pytest.mark.parametrize("variant", THEIRS)
def test_thousands_of_positions_agree_with_pydraughts(game: AnyGame, variant: str) -> None:
    """Whole captures with their paths, and the position after one of them."""
    choices, jumped = random.Random(2), 0
    sources = walk(game, 3), scatter(game, 4)
    for number in range(MANY):
        board = next(sources[number % 2])
        other = draughts.Board(variant=THEIRS[variant], fen=write_fen(game, board))
        turns = {path_of(game, turn): (turn, end) for turn, end in list_turns(game, board).items()}
        theirs = {read_path(game, move.steps_move): move for move in other.legal_moves()}
        assert sorted(turns) == sorted(theirs)
        if turns:
            path = choices.choice(sorted(turns))
            jumped += len(path) > 2
            other.push(theirs[path])
            assert game.parse_position(other.fen).state == turns[path][1].state
    assert jumped > MANY / 20


def test_who_cannot_move_has_lost(game: AnyGame) -> None:
    alone = {8: ("W:W:Bb8", "B:Wb8:B"), 10: ("W:W:B1", "B:W10:B")}[game.options["size"]]
    assert game.outcome(game.parse_position(alone[0])).places == (2, 1)
    assert game.outcome(game.parse_position(alone[1])).places == (1, 2)
    shut_in = {8: "W:Wa1:Bb2,c3", 10: "W:W46:B41,37"}
    board = game.parse_position(shut_in[game.options["size"]])
    assert game.outcome(board).places == (2, 1)


def test_kings_alone_are_a_draw_after_a_while(game: AnyGame) -> None:
    text = {8: "W:WKb8:BKh8", 10: "W:WK1:BK5"}[game.options["size"]]
    board, moves = game.parse_position(text), 0
    choices = random.Random(1)
    while (outcome := game.outcome(board)) is None:
        board = game.play(board, choices.choice(game.legal_moves(board)))
        moves += 1
    assert outcome.places in ((1, 1), (1, 2), (2, 1))
    assert moves <= (50 if game.options["size"] == 10 else 30)


def test_a_man_that_passes_the_last_row_is_crowned_by_the_rules_of_the_variant(
    game: AnyGame, variant: str
) -> None:
    """It jumps to the last row, and could jump on as a man."""
    text = {8: "W:Wf6:Be7,c7", 10: "W:W13:B7,8"}[game.options["size"]]
    board = game.parse_position(text)
    turns = list_turns(game, board)
    assert {len(turn) for turn in turns} == {2}
    assert {bool(end.state[2]) for end in turns.values()} == {variant == "russian"}
    assert len(turns) == (2 if variant == "russian" else 1), "a king lands near or far"


def test_of_several_captures_the_longest_is_compulsory(game: AnyGame, variant: str) -> None:
    text = {8: "W:Wc3,e3:Bd4,f4,f6", 10: "W:W32,33:B28,29,19"}[game.options["size"]]
    lengths = {len(turn) for turn in list_turns(game, game.parse_position(text))}
    assert lengths == ({2} if game.options["most"] else {1, 2})


def test_turns_are_read_by_their_ends(game: AnyGame) -> None:
    text = {8: "W:Wc3:Bd4,f6", 10: "W:W32:B28,19"}[game.options["size"]]
    board = game.parse_position(text)
    (turn,) = list_turns(game, board)
    path = path_of(game, turn)
    assert game.parse_turn(f"{path[0]}x{path[-1]}", board) == list(turn)
    assert game.parse_turn("x".join(map(str, path)), board) == list(turn)
    with pytest.raises(IllegalMoveError, match="is no move"):
        game.parse_turn("1x77", board)


@pytest.mark.parametrize("text", ["W:W21,21:B1", "W:W77:B1"])
def test_positions_that_cannot_be_are_refused(game: AnyGame, text: str) -> None:
    with pytest.raises(ArenaError, match="no piece can stand on square"):
        game.parse_position(text)
