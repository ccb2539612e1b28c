"""Checkers: its rules against two programs and a plain board, its texts, and what it counts."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path

import draughts
import numpy as np
import pyspiel
import pytest

from evolve_arena.core.errors import ArenaError, IllegalMoveError, PositionError
from evolve_arena.core.game import Outcome
from evolve_arena.core.registry import make_game
from evolve_arena.players.board.game import Board, GameFileError
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.text_ui import find_text_ui

GAME = make_game("checkers")
DRAW = (1, 1)
MANY = int(os.environ.get("POSITIONS", "5000"))
Square = tuple[int, int]
Pieces = dict[Square, tuple[int, bool]]
"""The colour of each piece, by row and column, and whether it is a king."""


def list_turns(board: Board) -> list[tuple[int, ...]]:
    """Return all sequences of moves that the player to move can make before the other's turn."""
    turns: list[tuple[int, ...]] = []
    for move in GAME.legal_moves(board):
        after = GAME.play(board, move)
        goes_on = after.state[4] >= 0 and not GAME.is_over(after)
        turns += [(move, *rest) for rest in list_turns(after)] if goes_on else [(move,)]
    return turns


def play_turn(board: Board, turn: tuple[int, ...]) -> Board:
    for move in turn:
        board = GAME.play(board, move)
    return board


def write_fen(board: Board) -> str:
    dark, light, kings, turn, _ = board.state
    sides = []
    for pieces in (light, dark):
        bits = (bit for bit in range(35) if pieces >> bit & 1)
        sides.append(",".join("K" * (kings >> bit & 1) + GAME.name_cell(bit) for bit in bits))
    return f"{'BW'[turn]}:W{sides[0]}:B{sides[1]}"


def path_of(turn: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int, GAME.name_turn(turn)[0].replace("-", "x").split("x")))


def walk(seed: int) -> Iterator[Board]:
    """Yield the positions of random games outside of captures in progress, without end."""
    choices = random.Random(seed)
    while True:
        board = GAME.initial()
        while moves := GAME.legal_moves(board):
            if board.state[4] < 0:
                yield board
            board = GAME.play(board, choices.choice(moves))


def scatter(seed: int) -> Iterator[Board]:
    """Yield up to twelve pieces of each side anywhere, half of them kings, without end."""
    choices = random.Random(seed)
    while True:
        squares, sides = choices.sample(range(1, 33), 32), []
        for letter, last in (("W", range(1, 5)), ("B", range(29, 33))):
            own = [squares.pop() for _ in range(choices.randint(1, 12))]
            kings = ("K" * (square in last or choices.random() < 0.5) for square in own)
            listed = (f"{king}{square}" for king, square in zip(kings, own, strict=True))
            sides.append(f"{letter}{','.join(listed)}")
        yield GAME.parse_position(f"{choices.choice('BW')}:{':'.join(sides)}")


# Rules


def test_perft_of_the_start() -> None:
    """The numbers are Aart Bik's; they count whole captures, which are rare at first."""
    known = [7, 49, 302, 1469, 7361, 36768]
    assert [GAME.perft(GAME.initial(), depth) for depth in range(1, 7)] == known


@pytest.mark.parametrize(
    ("fen", "known"),
    [
        ("B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", [5, 38, 178, 1378]),
        ("W:W9,K11,19,K26,27,30:B15,22,25,K32", [4, 11, 17, 54, 327, 1423]),
    ],
)
def test_whole_moves_are_counted_as_published(fen: str, known: list[int]) -> None:
    def count(board: Board, depth: int) -> int:
        turns = list_turns(board)
        if depth == 1:
            return len(turns)
        return sum(count(play_turn(board, turn), depth - 1) for turn in turns)

    board = GAME.parse_position(fen)
    assert [count(board, depth) for depth in range(1, len(known) + 1)] == known


def test_thousands_of_positions_agree_with_openspiel() -> None:
    """There a jump is a move, too. Its games end after 40 moves without a capture, in a draw."""
    theirs, choices = pyspiel.load_game("checkers"), random.Random(1)
    seen = jumps_on = lost = 0
    while seen < MANY:
        board, state = GAME.initial(), theirs.new_initial_state()
        while not state.is_terminal() and (moves := GAME.legal_moves(board)):
            assert GAME.to_move(board) == state.current_player()
            actions = {GAME.plain["openspiel_move"](board.state, move): move for move in moves}
            assert sorted(actions) == state.legal_actions()
            action = choices.choice(sorted(actions))
            board = GAME.play(board, actions[action])
            state.apply_action(action)
            seen, jumps_on = seen + 1, jumps_on + (board.state[4] >= 0)
        if state.is_terminal() and max(state.returns()) > 0:
            outcome = GAME.outcome(board)
            assert [2 * score - 1 for score in outcome.scores] == state.returns()
            lost += 1
    assert jumps_on > MANY / 50
    assert lost > MANY / 200


def test_thousands_of_positions_agree_with_pydraughts() -> None:
    """Whole moves with their paths, and the position after one of them."""
    choices = random.Random(2)
    some = itertools.islice(walk(3), MANY // 5)
    for board in itertools.chain(some, itertools.islice(scatter(4), MANY // 20)):
        other = draughts.Board(variant="english", fen=write_fen(board))
        turns = {path_of(turn): turn for turn in list_turns(board)}
        assert sorted(turns) == sorted(tuple(move.steps_move) for move in other.legal_moves())
        if turns:
            path = choices.choice(sorted(turns))
            other.push(draughts.Move(other, steps_move=list(path)))
            after = play_turn(board, turns[path])
            assert GAME.parse_position(other.fen).state == after.state


def test_draws_agree_with_pydraughts() -> None:
    """Kings alone, moved at random: most games end by one of the two rules."""
    choices, reasons = random.Random(5), set()
    for _ in range(40):
        board = GAME.parse_position("B:WK29,K32:BK1,K4")
        other = draughts.Board(variant="english", fen=write_fen(board))
        while (outcome := GAME.outcome(board)) is None:
            assert not other.is_over()
            turn = choices.choice(list_turns(board))
            other.push(draughts.Move(other, steps_move=list(path_of(turn))))
            board = play_turn(board, turn)
        assert other.is_over()
        assert (other.winner() == 0) == (outcome.places == DRAW)
        reasons.add(outcome.reason)
    assert "the position occurred three times" in reasons


def test_who_cannot_move_has_lost() -> None:
    assert GAME.outcome(GAME.parse_position("W:WK29:B22,25")).places == (1, 2)
    assert GAME.outcome(GAME.parse_position("B:WK29:B")).places == (2, 1)


def test_forty_moves_each_without_progress_are_a_draw() -> None:
    board = GAME.parse_position("B:WK29:BK1")
    late = board._replace(past=tuple((1 << 20 | n, 1 << 30, 0, 0, -1) for n in range(80)))
    assert GAME.outcome(late) == Outcome(DRAW, "80 moves in a row made no progress")


# Texts


def test_turns_are_read_by_their_ends_unless_several_have_them() -> None:
    board = GAME.parse_position("B:W6,14:B2")
    assert GAME.parse_turn("2x18", board) == GAME.parse_turn(" 2X9x18 ", board)
    assert len(GAME.parse_turn("2-9", board)) == 1
    two_ways = GAME.parse_position("B:W6,7,14,15:B2")
    with pytest.raises(IllegalMoveError, match=r"^2x18: this could be 2x9x18 or 2x11x18$"):
        GAME.parse_turn("2x18", two_ways)
    with pytest.raises(IllegalMoveError, match="is no move"):
        GAME.parse_turn("2x25", two_ways)
    with pytest.raises(IllegalMoveError, match=r"11-15 can't be played here, but 2x9"):
        GAME.play(two_ways, GAME.parse_turn("11-15", two_ways)[0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("W:W21,21:B1", "no piece can stand on square 21, or two do"),
        ("W:W33:B1", "no piece can stand on square 33"),
        ("11-15 11-15", "move 2: 11-15 can't be played here"),
        ("11-15 hello", "move 2: 'hello' is no move"),
    ],
)
def test_positions_that_cannot_be_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ArenaError) as caught:
        GAME.parse_position(text)
    assert reason in str(caught.value)


def test_positions_are_read_in_every_shape() -> None:
    for board in itertools.islice(walk(6), 50):
        assert GAME.parse_position(write_fen(board)).state == board.state
    board = GAME.parse_position("w : Bk1, 2-4 : W 21,22,K30.")
    assert write_fen(board) == "W:W21,22,K30:BK1,2,3,4"
    assert GAME.parse_position("B:W4:B") == GAME.parse_position("B:WK4:B")
    assert GAME.parse_position("") == GAME.initial()


def test_files_of_games_are_read() -> None:
    ui = find_text_ui(GAME)
    text = """
[Event "one"]
[Black "Anne"]
[White "Bob"]
[Result "1-0"]
1. 11-15! 23-18 $2 {well} 2. 8-11 27-23 3. 11-16 18x11 ; the rest is lost
4. 16-20 32-27 1-0

[Event "two"]
1.11-15 22-18 2.15x22 25x18 *
"""
    (title, moves), (_, few) = ui.read_games(text)
    assert (title, len(moves), len(few)) == ("Anne - Bob", 8, 4)
    with pytest.raises(PositionError, match=r"game 2, move 2: 8-12 can't be played"):
        ui.read_games(text.replace("22-18 2.15x22", "8-12"))
    with pytest.raises(PositionError, match="game 1 does not begin as games do"):
        ui.read_games(text.replace("Event", "FEN", 1))
    boards = [GAME.initial()]
    for move in (turn := GAME.parse_game("11-15 22-18 15x22 25x18 8-11 18-14 9x18")[0]):
        boards.append(GAME.play(boards[-1], move))
    assert ui.write_game(turn, boards) == "11-15 22-18 15x22 25x18 8-11 18-14 9x18"


def test_the_board_is_drawn_with_the_last_move() -> None:
    board = GAME.parse_position("11-15 22-18 15x22")
    drawn = find_text_ui(GAME).draw(board, GAME.parse_move("15x22")).splitlines()
    assert drawn[0] == "      1 b       2 b       3 b       4 b"
    assert drawn[5] == "21 w      22[b]     23 w      24 w"
    assert drawn[-2:] == ["dark: 12 b", "light: 11 w"]


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("    return (2 * (square", "    return 3, 4, (2 * (square", "place_cell gives"),
        ("PLANE_VALUES = FEATURE_VALUES = (1.0,", "PLANE_VALUES = ('a',", "PLANE_VALUES is"),
        ('MARKS = ("", ', "MARKS = (1, ", "MARKS is"),
        (
            "    return [mark.join",
            "    return ''.join(path)\n    return [mark.join",
            "name_turn gives",
        ),
    ],
)
def test_what_a_file_says_wrongly_is_told(
    right: str, wrong: str, reason: str, tmp_path: Path
) -> None:
    text = str(GAME.source)
    assert right in text
    (file := tmp_path / "mine.py").write_text(text.replace(right, wrong), "utf-8")
    with pytest.raises(GameFileError, match=rf"mine\.py, line \d+: {reason}"):
        read_a_capture(file)


def read_a_capture(file: Path) -> None:
    game = load_game(file).make()
    assert game.places
    game.parse_turn("2x18", game.parse_position("B:W6,14:B2"))


# What is counted of a position: by hand, and square by square with every definition word by word

CENTRE = {(row, column) for row in range(2, 6) for column in range(2, 6) if (row + column) % 2}


def place(square: int) -> Square:
    return GAME.places[square - 1 + (square - 1) // 8][::-1]  # type: ignore[no-any-return]


def pieces_of(board: Board) -> Pieces:
    return {
        place(int(GAME.name_cell(bit))): (colour, bool(board.state[2] >> bit & 1))
        for bit in range(35)
        for colour in range(2)
        if board.state[colour] >> bit & 1
    }


def is_free(pieces: Pieces, at: Square) -> bool:
    return at not in pieces and 0 <= at[0] < 8 and 0 <= at[1] < 8


def directions(colour: int, king: bool) -> list[Square]:
    return [(row, side) for row in ((1, -1) if king else (1 - 2 * colour,)) for side in (-1, 1)]


def steps(pieces: Pieces, colour: int) -> list[tuple[Square, Square]]:
    found = []
    for (row, column), (owner, king) in pieces.items():
        for up, right in directions(colour, king):
            if owner == colour and is_free(pieces, (row + up, column + right)):
                found.append(((row, column), (row + up, column + right)))
    return found


def captures(pieces: Pieces, colour: int, start: Square) -> list[tuple[Pieces, set[Square]]]:
    """Return the boards after all complete captures of one piece, and the captured squares."""
    found = []
    (row, column), (_, king) = start, pieces[start]
    for up, right in directions(colour, king):
        over, end = (row + up, column + right), (row + 2 * up, column + 2 * right)
        if over in pieces and pieces[over][0] != colour and is_free(pieces, end):
            after = {k: v for k, v in pieces.items() if k not in (start, over)}
            crowned = not king and end[0] in (0, 7)
            after[end] = colour, king or crowned
            further = [] if crowned else captures(after, colour, end)
            found += [(board, {over} | taken) for board, taken in further] or [(after, {over})]
    return found


def all_captures(pieces: Pieces, colour: int) -> list[tuple[Pieces, set[Square]]]:
    starts = [at for at, (owner, _) in pieces.items() if owner == colour]
    return [capture for start in starts for capture in captures(pieces, colour, start)]


def after_step(pieces: Pieces, start: Square, end: Square) -> Pieces:
    colour, king = pieces[start]
    return {k: v for k, v in pieces.items() if k != start} | {
        end: (colour, king or end[0] in (0, 7))
    }


def is_lost(pieces: Pieces, at: Square, colour: int) -> bool:
    found = all_captures(pieces, 1 - colour)
    return any(at in taken and not all_captures(after, colour) for after, taken in found)


def count_slowly(pieces: Pieces, colour: int) -> list[int]:
    own = {at: king for at, (owner, king) in pieces.items() if owner == colour}
    boards = [(end, after_step(pieces, start, end)) for start, end in steps(pieces, colour)]
    reached = {end for end, _ in boards}
    safe = {end for end, after in boards if not is_lost(after, end, colour)}
    men, kings = ({at for at in own if own[at] == king} for king in (False, True))
    return [
        *(len(men), len(kings), len(all_captures(pieces, colour))),
        *(len(men & CENTRE), len(kings & CENTRE), len(CENTRE & (reached | set(own)))),
        len({end for end, after in boards if captures(after, colour, end)}),
        *(len(reached), len(reached - safe), len(safe)),
    ]


def count(board: Board, seat: int = 0, many: int = 20) -> list[int]:
    found: list[int] = GAME.count("features", board, seat, many=many).astype(int).tolist()
    return found


def test_features_are_what_is_counted_square_by_square() -> None:
    seen = np.zeros((20, 32), dtype=np.int64)
    for board in (*itertools.islice(walk(5), 600), *itertools.islice(scatter(5), 600)):
        pieces = pieces_of(board)
        terms = [count_slowly(pieces, colour) for colour in range(2)]
        for seat in range(2):
            own, other = terms[seat], terms[1 - seat]
            paired = [number for pair in zip(own[2:], other[2:], strict=True) for number in pair]
            assert count(board, seat) == [*own[:2], *other[:2], *paired], write_fen(board)
            seen[np.arange(20), np.minimum(count(board, seat), 31)] += 1
    assert ((seen > 10).sum(axis=1) >= 4).all()


def test_fewer_features_are_the_first_ones() -> None:
    board = GAME.parse_position("B:W6,14,15,K32:B1,27")
    assert all(count(board, 0, many) == count(board)[:many] for many in (4, 14))


# Players


def test_what_networks_see_is_turned_round_for_light() -> None:
    board = GAME.parse_position("B:W30,K14:B1,2,K5")
    dark, light = GAME.observe(board, 0), GAME.observe(board, 1)
    assert dark.sum(axis=1).tolist() == [2, 1, 1, 1]
    assert (dark == light[[2, 3, 0, 1]][:, ::-1]).all()
