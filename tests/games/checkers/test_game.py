"""Checkers for people: outcomes, texts, and agreement with OpenSpiel and pydraughts."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator

import draughts
import numpy as np
import pyspiel
import pytest

from evolve_arena.core.errors import BadValueError, GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.game import Outcome
from evolve_arena.core.registry import make_game
from evolve_arena.games.checkers.game import Checkers, Move, Position

GAME = Checkers()
TURNED = Checkers(turned=1)
DRAW = (1, 1)


def play_all(game: Checkers, position: Position, moves: str) -> Position:
    for text in moves.split():
        position = game.play(position, game.parse_move(text))
    return position


def texts(position: Position, game: Checkers = GAME) -> list[str]:
    return [game.format_move(move) for move in game.legal_moves(position)]


# OpenSpiel's board is ours turned round: there the first player sits below.


def their_square(square: int) -> str:
    row, place = divmod(square - 1, 4)
    column = 2 * place + 1 - row % 2
    return "hgfedcba"[column] + str(row + 1)


THEIR_SQUARES = {their_square(square): square for square in range(1, 33)}


def their_paths(state: pyspiel.State) -> dict[tuple[int, ...], list[int]]:
    """Whole moves, and the actions that they consist of: there each jump is one."""
    paths: dict[tuple[int, ...], list[int]] = {}
    for action in state.legal_actions():
        name = state.action_to_string(action)
        start, end = THEIR_SQUARES[name[:2]], THEIR_SQUARES[name[2:4]]
        if abs(int(name[1]) - int(name[3])) == 2:
            child = state.child(action)
            if not child.is_terminal() and child.current_player() == state.current_player():
                for path, actions in their_paths(child).items():
                    if path[0] == end:
                        paths[start, *path] = [action, *actions]
                continue
        paths[start, end] = [action]
    return paths


def their_cells(state: pyspiel.State) -> list[list[int]]:
    rows = str(state).splitlines()[:8]
    codes = {".": 0, "o": 1, "8": 2, "+": 3, "*": 4}
    return [[codes[mark] for mark in row[:0:-1]] for row in reversed(rows)]


def test_ten_thousand_positions_agree_with_openspiel() -> None:
    """Its games end after 40 plies without a capture; ours are followed until then."""
    theirs = pyspiel.load_game("checkers")
    choices = random.Random(1)
    seen: set[str] = set()
    captures = chains = crowned = lost = 0
    while len(seen) < 10_000:
        position, state = GAME.initial(), theirs.new_initial_state()
        while not state.is_terminal():
            seen.add(position.fen())
            assert GAME.to_move(position) == state.current_player()
            expected = their_paths(state)
            moves = GAME.legal_moves(position)
            if not moves and GAME.outcome(position) == Outcome(
                DRAW, "the same position for the third time"
            ):
                break
            assert [move.path for move in moves] == sorted(expected)
            move = choices.choice(moves)
            captures += move.is_capture
            chains += len(move.path) > 2
            kings = position.kings.bit_count()
            position = GAME.play(position, move)
            crowned += position.kings.bit_count() > kings
            for action in expected[move.path]:
                state.apply_action(action)
            assert position.cells().tolist() == their_cells(state)
        outcome = GAME.outcome(position)
        if state.is_terminal() and max(state.returns()) > 0:
            assert outcome is not None
            assert [2 * score - 1 for score in outcome.scores] == state.returns()
            lost += 1
    assert captures > 2000
    assert chains > 300
    assert crowned > 400
    assert lost > 60


def test_two_thousand_positions_agree_with_pydraughts() -> None:
    """Moves with their paths, how they are written, and the position after one of them."""
    choices = random.Random(2)
    from_games = itertools.islice(_positions_of_games(3), 1_600)
    written_in_full = 0
    for position in itertools.chain(from_games, itertools.islice(_melees(4), 400)):
        board = draughts.Board(variant="english", fen=position.fen())
        theirs = board.legal_moves()
        moves = GAME.legal_moves(position)
        assert [move.path for move in moves] == sorted(tuple(m.steps_move) for m in theirs)
        if not moves:
            continue
        names = {tuple(move.steps_move): move.pdn_move for move in theirs}
        for move in moves:
            name = GAME.format_move(move, position)
            assert name == names[move.path]
            assert GAME.resolve(position, GAME.parse_move(name)) == move
            written_in_full += name.count("x") > 1
        if choices.random() < 0.25:
            move = choices.choice(moves)
            board.push(draughts.Move(board, steps_move=list(move.path)))
            assert GAME.parse_position(board.fen).fen() == GAME.play(position, move).fen()
    assert written_in_full > 8


def _positions_of_games(seed: int) -> Iterator[Position]:
    """Positions from random games, none twice."""
    choices = random.Random(seed)
    seen: set[str] = set()
    while True:
        position = GAME.initial()
        while moves := GAME.legal_moves(position):
            if position.fen() not in seen and choices.random() < 0.5:
                seen.add(position.fen())
                yield position
            position = GAME.play(position, choices.choice(moves))


def _melees(seed: int) -> Iterator[Position]:
    """Positions with kings among many men, where long captures and several ways are common."""
    choices = random.Random(seed)
    while True:
        squares = choices.sample(range(5, 29), 11)
        kings, men = squares[:3], squares[3:]
        white = ",".join(str(square) for square in men)
        black = ",".join(f"K{square}" for square in kings)
        yield GAME.parse_position(f"B:W{white}:B{black}")


def test_draws_agree_with_pydraughts() -> None:
    """Kings alone, moved at random: most games end by one of the two rules."""
    choices = random.Random(5)
    reasons = set()
    for _ in range(6):
        position = GAME.parse_position("B:WK29,K31,K32:BK1,K2,K4")
        board = draughts.Board(variant="english", fen=position.fen())
        while (outcome := GAME.outcome(position)) is None:
            assert not board.is_over()
            move = choices.choice(GAME.legal_moves(position))
            board.push(draughts.Move(board, steps_move=list(move.path)))
            position = GAME.play(position, move)
        assert board.is_over()
        assert (board.winner() == 0) == (outcome.places == DRAW)
        reasons.add(outcome.reason)
    assert "the same position for the third time" in reasons


def test_a_position_for_the_third_time_is_a_draw() -> None:
    position = GAME.parse_position("B:WK32:BK1")
    there_and_back = "1-5 32-28 5-1 28-32"
    position = play_all(GAME, position, f"{there_and_back} {there_and_back[:-6]}")
    assert GAME.outcome(position) is None
    assert texts(position) == ["28-24", "28-32"]
    position = GAME.play(position, Move((28, 32)))
    assert GAME.outcome(position) == Outcome(DRAW, "the same position for the third time")
    assert GAME.legal_moves(position) == []
    with pytest.raises(GameOverError, match="1-5 is played after the end of the game"):
        GAME.play(position, Move((1, 5)))
    assert GAME.play_on(position, Move((1, 5))).side == 1


def test_a_mans_move_or_a_capture_lets_counting_begin_anew() -> None:
    position = GAME.parse_position("B:WK32:BK1,13")
    position = play_all(GAME, position, "1-5 32-28 5-1 28-32 1-5 32-28 5-1")
    assert len(position.past) == 7
    assert GAME.play(position, Move((28, 24))).past[:7] == position.past
    position = play_all(GAME, position, "28-24 13-17")
    assert position.past == ()
    position = play_all(GAME, GAME.parse_position("B:WK19,K32:BK1,K15"), "15x24")
    assert position.past == ()


def test_forty_moves_each_without_progress_are_a_draw() -> None:
    """Kings that avoid each other, in as many games as it takes for one to end so."""
    choices = random.Random(8)
    outcome = None
    for _ in range(400):
        position = GAME.parse_position("B:WK29,K30,K31,K32:BK1,K2,K3,K4")
        while moves := [m for m in GAME.legal_moves(position) if _is_safe(position, m)]:
            assert len(position.past) < 80
            position = GAME.play(position, choices.choice(moves))
        outcome = GAME.outcome(position)
        if len(position.past) == 80:
            break
    assert outcome == Outcome(DRAW, "40 moves each without a capture or a man's move")
    assert GAME.legal_moves(position) == []
    assert GAME.play_on(position, GAME.resolve(position, _any_move(position))).side == 1


def _any_move(position: Position) -> Move:
    fresh = GAME.parse_position(position.fen())
    return GAME.legal_moves(fresh)[0]


def _is_safe(position: Position, move: Move) -> bool:
    """Whether the opponent can't capture after it."""
    after = GAME.play(position, move)
    return not any(reply.is_capture for reply in GAME.legal_moves(after))


def test_who_cannot_move_has_lost() -> None:
    blocked = GAME.parse_position("W:WK29:B22,25")
    assert GAME.legal_moves(blocked) == []
    assert GAME.outcome(blocked) == Outcome((1, 2), "light has no move")
    assert GAME.outcome(GAME.parse_position("B:WK29:B")) == Outcome((2, 1), "dark has no move")


def test_losing_comes_before_a_draw() -> None:
    """Who is shut in after the eightieth quiet ply has lost all the same."""
    caught = GAME.parse_position("W:WK29:B22,25")
    late = dataclasses.replace(caught, past=tuple(range(80)))
    assert GAME.outcome(late) == Outcome((1, 2), "light has no move")
    free = dataclasses.replace(GAME.parse_position("W:WK29:B22"), past=tuple(range(80)))
    assert GAME.outcome(free) == Outcome(DRAW, "40 moves each without a capture or a man's move")


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("B:W18,23:B10,15", ["15x22"]),  # free choice does not mean no capture
        ("B:W14,15,23:B10,K20", ["10x17", "10x19x26"]),  # the shorter capture is as good
        ("B:W26,27:B22", ["22x31"]),  # crowned, and the move ends
        ("B:W26,27:BK22", ["22x31x24"]),  # a king goes on
        ("W:W14:B17,18", ["14-9", "14-10"]),  # men do not capture backwards
        ("B:W6,7,14,15:BK1", ["1x10x3", "1x10x17", "1x10x19"]),
        ("B:W6,7,14,15:B1", ["1x10x17", "1x10x19"]),
        ("B:W7,8,15,16:BK3", ["3x10x19x12x3", "3x12x19x10x3"]),  # round, back to where it began
        ("B:WK17,K18:B1", ["1-5", "1-6"]),
    ],
)
def test_captures(fen: str, moves: list[str]) -> None:
    assert texts(GAME.parse_position(fen)) == moves


def test_a_circle_leaves_the_king_where_it_was() -> None:
    position = GAME.parse_position("B:W7,8,15,16,32:BK3")
    after = GAME.play(position, Move((3, 10, 19, 12, 3)))
    assert after.fen() == "W:W32:BK3"
    assert GAME.play(position, GAME.parse_move("3x3")).fen() == after.fen()


def test_moves_may_leave_squares_out_if_only_one_is_meant() -> None:
    one_way = GAME.parse_position("B:W6,14:B2")
    (move,) = GAME.legal_moves(one_way)
    assert move == Move((2, 9, 18))
    assert GAME.format_move(move) == "2x9x18"
    assert GAME.format_move(move, one_way) == "2x18"
    assert GAME.play(one_way, GAME.parse_move("2x18")) == GAME.play(one_way, move)
    two_ways = GAME.parse_position("B:W6,7,14,15:B2")
    assert texts(two_ways) == ["2x9x18", "2x11x18"]
    for move in GAME.legal_moves(two_ways):
        assert GAME.format_move(move, two_ways) == str(move)
    with pytest.raises(IllegalMoveError, match=r"^2x18: this could be 2x9x18 or 2x11x18$"):
        GAME.play(two_ways, GAME.parse_move("2x18"))


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("B:W21:B1", "2-6", "2-6: no piece of dark stands on 2"),
        ("B:W21:B1", "21-17", "21-17: no piece of dark stands on 21"),
        ("B:W21:B1", "1-9", "1x9: from 1 dark can play 1-5 or 1-6"),
        ("B:W18:B15,1", "1-5", "1-5: dark must capture: 15x22"),
        ("B:W6,14:B1,4", "1x10", "1x10: the jump goes on: 1x10x17"),
        ("B:W21:B5,1,6", "5-1", "5-1: from 5 dark can play 5-9"),
        ("B:W21:B1,5,6,9,10", "1-6", "1-6: the piece on 1 can't move"),
        (
            "B:W6,7,14,15:BK1,K32",
            "1x11",
            "1x11: dark must capture: 1x10x3, 1x10x17 or 1x10x19",
        ),
    ],
)
def test_illegal_moves_are_explained(fen: str, move: str, reason: str) -> None:
    position = GAME.parse_position(fen)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.play(position, GAME.parse_move(move))
    assert str(caught.value) == reason


@pytest.mark.parametrize("text", ["", "11", "11-", "a3-b4", "11 - 15", "11-15-", "111-15", "１-5"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(IllegalMoveError, match="is no move: write 11-15"):
        GAME.parse_move(text)


@pytest.mark.parametrize("text", ["0-5", "29-33", "1x99x10"])
def test_there_are_32_squares(text: str) -> None:
    with pytest.raises(IllegalMoveError, match=r"there is no square \d+: they are numbered"):
        GAME.parse_move(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X:W1:B2", "must begin with B: or W:"),
        (":W1:B2", "must begin with B: or W:"),
        ("W:W21", "does not give the squares of both"),
        ("W:W21:W22", "once each"),
        ("W:W21:R22", "once each"),
        ("W:W21,:B1", "'' is no square"),
        ("W:WQ21:B1", "'Q21' is no square"),
        ("W:W33:B1", "no square 33"),
        ("W:W21-33:B1", "no square 33"),
        ("W:W24-21:B1", "the first square is above the last"),
        ("W:W21,21:B1", "two pieces stand on square 21"),
        ("W:W21:BK21", "two pieces stand on square 21"),
        ("W:W21:B29", "a man of dark on square 29: there it would be a king"),
        ("W:W4:B1", "a man of light on square 4: there it would be a king"),
        ("W:W17-32:B1", "16 pieces of light: a side has at most 12"),
        ("11-15 11-15", "move 2 of '11-15 11-15': 11-15: no piece of light stands on 11"),
        ("11-15 hello", "'hello' is no move"),
        ("b.w", "a drawing needs 32 squares, this has 3"),
        ("b.x", "'x' in a drawing"),
    ],
)
def test_positions_that_cannot_be_are_refused(text: str, reason: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.parse_position(text)
    assert reason in str(caught.value)


def test_positions_are_read_in_every_shape() -> None:
    position = GAME.parse_position("w : Bk1, 2-4 : W 21,22,K30.")
    assert position.fen() == "W:W21,22,K30:BK1,2,3,4"
    assert GAME.parse_position("") == GAME.initial()
    start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
    assert GAME.initial().fen() == start
    assert GAME.parse_position(start) == GAME.initial()
    assert GAME.parse_position("B:W21-32:B1-12") == GAME.initial()
    assert GAME.parse_position("11-15 23-19").fen() == (
        "B:W19,21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15"
    )


def test_drawings_are_read_as_they_are_printed() -> None:
    for game in (GAME, TURNED):
        for fen in ("B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", "W:WK1:BK32", "W:W:B"):
            position = game.parse_position(fen)
            assert game.parse_position(str(position)) == position
            assert game.parse_position(position.drawing()) == position
    drawn = GAME.parse_position("W:WK1,5:BK32").drawing()
    assert drawn == f"W...w{26 * '.'}B light to move"
    assert str(TURNED.parse_position("W:W30,K14:B1,K5")).splitlines() == [
        "  .   .   w   .  29",
        ".   .   .   .    25",
        "  .   .   .   .  21",
        ".   .   .   .    17",
        "  .   .   W   .  13",
        ".   .   .   .     9",
        "  .   .   .   B   5",
        ".   .   .   b     1",
        "light to move",
    ]


def test_observations_are_seen_from_the_seats_own_side() -> None:
    position = GAME.parse_position("B:W30,K14:B1,2,K5")
    for seat in (0, 1):
        planes = GAME.observe(position, seat)
        assert planes.shape == (4, 8, 8)
        assert planes.dtype == np.int8
        assert planes.sum(axis=(1, 2)).tolist() == ([2, 1, 1, 1] if seat == 0 else [1, 1, 2, 1])
    dark, light = GAME.observe(position, 0), GAME.observe(position, 1)
    assert [tuple(place) for place in np.argwhere(light[0])] == [(7, 2)]  # square 30
    assert [tuple(place) for place in np.argwhere(light[1])] == [(3, 2)]  # square 14
    assert [tuple(place) for place in np.argwhere(light[2])] == [(0, 1), (0, 3)]
    assert [tuple(place) for place in np.argwhere(light[3])] == [(1, 0)]  # square 5
    assert (dark == light[[2, 3, 0, 1], ::-1, ::-1]).all()
    start = GAME.initial()
    assert (GAME.observe(start, 0) == GAME.observe(start, 1)).all()


def test_the_turned_game_is_the_same_with_other_numbers() -> None:
    position, mirror = TURNED.initial(), GAME.initial()
    choices = random.Random(7)
    assert position.fen().startswith("W:W21,22")
    assert str(position).startswith("  w   w   w   w  29")
    for _ in range(60):
        assert TURNED.to_move(position) == GAME.to_move(mirror)
        moves = TURNED.legal_moves(position)
        paths = [tuple(33 - square for square in move.path) for move in moves]
        assert sorted(paths) == [move.path for move in GAME.legal_moves(mirror)]
        assert (TURNED.observe(position, 0) == GAME.observe(mirror, 0)).all()
        outcome, other = TURNED.outcome(position), GAME.outcome(mirror)
        assert (outcome and outcome.scores) == (other and other.scores)
        if outcome:
            break
        place = choices.randrange(len(moves))
        position = TURNED.play(position, moves[place])
        mirror = GAME.play(mirror, Move(paths[place]))


def test_states_are_values() -> None:
    position = play_all(GAME, GAME.initial(), "11-15 23-19")
    again = play_all(GAME, GAME.initial(), "11-15 23-19")
    assert position == again
    assert hash(position) == hash(again)
    before = repr(position)
    for move in GAME.legal_moves(position):
        GAME.play(position, move)
    assert repr(position) == before


def test_the_game_is_made_by_name() -> None:
    assert make_game("checkers").initial() == GAME.initial()
    assert make_game("checkers", turned=1).initial() == TURNED.initial()
    with pytest.raises(BadValueError, match="turned is 2: it must be 0 or 1"):
        make_game("checkers", turned=2)
