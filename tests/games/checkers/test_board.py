"""The compiled rules of checkers: counted, and against a board of lists without a bit in sight."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.board import (
    BOARD,
    DRAW_PLIES,
    MOST_MOVES,
    capturing_pieces,
    count_moves,
    is_draw,
    list_moves,
    note_position,
    pack_position,
    play_randomly,
    repetition_key,
)
from evolve_arena.games.checkers.game import Checkers, Position
from evolve_arena.games.checkers.position import bit_of, square_of

GAME = Checkers()


class SlowBoard:
    """The rules once more, with pieces in a dictionary from (row, column) to letters."""

    def __init__(self, position: Position) -> None:
        self.side = position.side
        self.pieces = {}
        for (row, column), piece in np.ndenumerate(position.cells()):
            if piece:
                self.pieces[row, column] = " bBwW"[piece]

    def moves(self) -> list[tuple[tuple[int, int], ...]]:
        """Every path that may be taken."""
        own = [place for place, piece in self.pieces.items() if self.is_own(piece)]
        captures = [path for place in own for path in self.captures(place)]
        return captures or [path for place in own for path in self.steps(place)]

    def is_own(self, piece: str) -> bool:
        """Whether the side to move has it."""
        return piece.lower() == "bw"[self.side]

    def directions(self, piece: str) -> Iterator[tuple[int, int]]:
        """Steps in rows and columns."""
        forward = (1, -1)[self.side]
        for down in (1, -1) if piece.isupper() else (forward,):
            yield down, 1
            yield down, -1

    def steps(self, place: tuple[int, int]) -> Iterator[tuple[tuple[int, int], ...]]:
        """Moves without a capture."""
        for down, right in self.directions(self.pieces[place]):
            target = place[0] + down, place[1] + right
            if self.is_free(target):
                yield place, target

    def captures(self, place: tuple[int, int]) -> Iterator[tuple[tuple[int, int], ...]]:
        """Complete captures."""
        piece = self.pieces.pop(place)  # its own square is free while it jumps
        for path in self.jumps(place, piece, set()):
            if len(path) > 1:
                yield path
        self.pieces[place] = piece

    def jumps(
        self, place: tuple[int, int], piece: str, taken: set[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        """Every way to jump on from *place*, which it begins with."""
        found = False
        for down, right in self.directions(piece):
            over = place[0] + down, place[1] + right
            target = place[0] + 2 * down, place[1] + 2 * right
            victim = self.pieces.get(over)
            if victim and not self.is_own(victim) and over not in taken and self.is_free(target):
                found = True
                crowned = piece.islower() and target[0] == (7, 0)[self.side]
                if crowned:
                    yield place, target
                else:
                    for rest in self.jumps(target, piece, taken | {over}):
                        yield (place, *rest)
        if not found:
            yield (place,)

    def is_free(self, place: tuple[int, int]) -> bool:
        """Whether it is on the board and empty."""
        return 0 <= place[0] < 8 and 0 <= place[1] < 8 and place not in self.pieces

    def play(self, path: tuple[tuple[int, int], ...]) -> None:
        """Takes the path."""
        piece = self.pieces.pop(path[0])
        for here, there in itertools.pairwise(path):
            if abs(here[0] - there[0]) == 2:
                del self.pieces[(here[0] + there[0]) // 2, (here[1] + there[1]) // 2]
        self.pieces[path[-1]] = piece.upper() if path[-1][0] == (7, 0)[self.side] else piece
        self.side = 1 - self.side


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any position with up to twelve pieces a side."""
    squares = draw(st.permutations(range(1, 33)))
    dark, light = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    royal = draw(st.integers(0, 2**24 - 1))
    boards, kings = [0, 0], 0
    for number, square in enumerate(squares[: dark + light]):
        colour = int(number >= dark)
        boards[colour] |= bit_of(square)
        if royal >> number & 1 or (square >= 29 if colour == 0 else square <= 4):
            kings |= bit_of(square)
    return Position(boards[0], boards[1], kings, draw(st.integers(0, 1)))


def words(position: Position) -> tuple[np.uint64, np.uint64, np.uint64]:
    sides = (position.dark, position.light)
    own, other = sides if position.side == 0 else sides[::-1]
    return np.uint64(own), np.uint64(other), np.uint64(position.kings)


def as_places(path: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    rows = [(square - 1) // 4 for square in path]
    return tuple(
        (row, 2 * ((square - 1) % 4) + (row + 1) % 2)
        for row, square in zip(rows, path, strict=True)
    )


def test_squares_and_bits_are_each_others_inverse() -> None:
    places = [bit_of(square).bit_length() - 1 for square in range(1, 33)]
    assert [place for place in range(35) if place not in places] == [8, 17, 26]
    assert [square_of(place) for place in places] == list(range(1, 33))
    assert sum(bit_of(square) for square in range(1, 33)) == int(BOARD)


@pytest.mark.parametrize(
    ("depth", "count"),
    list(
        enumerate([1, 7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128])
    ),
)
def test_perft_of_the_start(depth: int, count: int) -> None:
    """The numbers are Aart Bik's."""
    assert GAME.perft(GAME.initial(), depth) == count


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        (
            "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
            [1, 5, 38, 178, 1378, 5836, 40745, 197933],
        ),
        (
            "W:W9,K11,19,K26,27,30:B15,22,25,K32",
            [1, 4, 11, 17, 54, 327, 1423, 9641, 44744],
        ),
    ],
)
def test_perft_with_kings(fen: str, counts: list[int]) -> None:
    position = GAME.parse_position(fen)
    assert [GAME.perft(position, depth) for depth in range(len(counts))] == counts


@given(positions())
@settings(max_examples=1000)
def test_moves_agree_with_a_naive_board(position: Position) -> None:
    slow = SlowBoard(position)
    moves = np.zeros(MOST_MOVES, dtype=np.uint64)
    count = list_moves(moves, 0, *words(position), position.side)
    listed = GAME.legal_moves(position)
    assert sorted(as_places(move.path) for move in listed) == sorted(slow.moves())
    assert count == len(listed) == count_moves(*words(position), position.side, moves, 0)
    for move in listed:
        after = GAME.play(position, move)
        expected = SlowBoard(position)
        expected.play(as_places(move.path))
        assert SlowBoard(after).pieces == expected.pieces
        assert after.side == expected.side == 1 - position.side


@given(positions())
@settings(max_examples=300)
def test_captures_are_compulsory_for_the_pieces_that_can(position: Position) -> None:
    pieces = int(capturing_pieces(*words(position), position.side))
    moves = GAME.legal_moves(position)
    starts = {move.path[0] for move in moves if move.is_capture}
    assert pieces == sum(bit_of(square) for square in starts)
    assert not pieces or all(move.is_capture for move in moves)


@given(positions())
def test_packed_positions_can_be_told_apart(position: Position) -> None:
    own, other, kings = (int(word) for word in words(position))
    first, second = (int(word) for word in pack_position(*words(position), position.side))
    assert first % 2**35 == own
    assert second % 2**35 == other
    assert (first >> 35) + (second % 2**63 >> 35 << 29) == kings
    assert second >> 63 == position.side


@given(positions())
@settings(max_examples=300)
def test_counts_look_the_same_from_the_other_side(position: Position) -> None:
    """Turned round and with the colours exchanged, it is the same game."""

    def turn(pieces: int) -> int:
        return sum(bit_of(33 - square) for square in range(1, 33) if pieces & bit_of(square))

    dark, light, kings = turn(position.light), turn(position.dark), turn(position.kings)
    other = Position(dark, light, kings, 1 - position.side)
    assert GAME.perft(other, 3) == GAME.perft(position, 3)


def test_no_position_has_more_moves_than_there_is_room_for() -> None:
    """Counts complete paths over each set of the nine pieces that one piece may jump over."""
    for home in (1, 2, 5, 6):
        squares, gaps = _jump_board(home)
        assert len(squares) == 8
        assert len(gaps) == 9
        most = 0
        for taken in range(1 << 9):
            left = {gap for number, gap in enumerate(gaps) if taken >> number & 1}
            most = max(most, *(_count_paths(square, squares, left) for square in squares))
        assert most == 16
    assert MOST_MOVES >= 12 * 16


def _jump_board(home: int) -> tuple[set[tuple[int, int]], list[tuple[int, int]]]:
    """The squares that a piece on *home* can reach by jumps, and those between them."""
    squares = set(as_places((home,)))
    for _ in range(8):
        for row, column in list(squares):
            for down, right in itertools.product((2, -2), repeat=2):
                if 0 <= row + down < 8 and 0 <= column + right < 8:
                    squares.add((row + down, column + right))
    gaps = {
        ((one[0] + two[0]) // 2, (one[1] + two[1]) // 2)
        for one, two in itertools.combinations(squares, 2)
        if abs(one[0] - two[0]) == abs(one[1] - two[1]) == 2
    }
    return squares, sorted(gaps)


def _count_paths(
    place: tuple[int, int], squares: set[tuple[int, int]], left: set[tuple[int, int]]
) -> int:
    count = 0
    for down, right in itertools.product((1, -1), repeat=2):
        over = place[0] + down, place[1] + right
        target = over[0] + down, over[1] + right
        if over in left and target in squares:
            count += _count_paths(target, squares, left - {over})
    return count or 1


def test_random_games_are_those_that_the_game_itself_plays() -> None:
    """The same draws from the stream give the same plies, winner and reason in Python."""
    moves = np.zeros(MOST_MOVES, dtype=np.uint64)
    past = np.zeros(DRAW_PLIES + 1, dtype=np.uint64)
    seen: dict[str, int] = {}
    for seed in range(120):
        winner, plies = play_randomly(*words(GAME.initial()), 0, new_stream(seed), moves, past)
        position, played = _play_in_python(seed)
        outcome = GAME.outcome(position)
        assert outcome is not None
        assert plies == played
        assert winner == (2 if outcome.winner is None else outcome.winner)
        seen[outcome.reason.split(" ")[0]] = seen.get(outcome.reason.split(" ")[0], 0) + 1
    assert seen["dark"] > 40
    assert seen["light"] > 40
    assert seen["40"] + seen["the"] >= 3


def _play_in_python(seed: int) -> tuple[Position, int]:
    from evolve_arena.core.stream import below
    from evolve_arena.games.checkers.game import _list

    stream = new_stream(seed)
    position, plies = GAME.initial(), 0
    while GAME.outcome(position) is None:
        moves = list(_list(position))
        position = GAME.play(position, moves[below(stream, len(moves))])
        plies += 1
    return position, plies


def test_random_games_are_won_about_equally_often() -> None:
    moves = np.zeros(MOST_MOVES, dtype=np.uint64)
    past = np.zeros(DRAW_PLIES + 1, dtype=np.uint64)
    stream = new_stream(5)
    games = [play_randomly(*words(GAME.initial()), 0, stream, moves, past) for _ in range(20_000)]
    winners = np.bincount([winner for winner, _ in games], minlength=3) / len(games)
    assert abs(winners[0] - 0.473) < 0.015
    assert abs(winners[1] - 0.485) < 0.015
    assert abs(np.mean([plies for _, plies in games]) - 69.4) < 0.8


def test_repetition_keys_tell_kings_apart() -> None:
    """Over random placements of kings no two that differ share a key."""
    choices = random.Random(4)
    keys: dict[int, tuple[int, int]] = {}
    for _ in range(3000):
        squares = choices.sample(range(1, 33), 6)
        dark = sum(bit_of(square) for square in squares[:3])
        light = sum(bit_of(square) for square in squares[3:])
        own, other, kings = np.uint64(dark), np.uint64(light), np.uint64(dark | light)
        key = int(repetition_key(own, other, kings, 0))
        assert key == sum(1 << square - 1 for square in squares[:3]) + sum(
            1 << square + 31 for square in squares[3:]
        )
        assert key == int(repetition_key(other, own, kings, 1))
        assert keys.setdefault(key, (dark, light)) == (dark, light)


def test_draws_are_seen_by_compiled_code() -> None:
    """Both kings go to and fro: the start stands there again after four plies and after eight."""
    past = np.zeros(DRAW_PLIES + 1, dtype=np.uint64)
    round_trip = ["B:WK32:BK1", "W:WK32:BK5", "B:WK28:BK5", "W:WK28:BK1"]
    for quiet in range(9):
        position = GAME.parse_position(round_trip[quiet % 4])
        note_position(past, quiet, *words(position), position.side)
        assert bool(is_draw(past, quiet)) == (quiet == 8)
    past[:] = np.arange(DRAW_PLIES + 1)
    assert [quiet for quiet in range(DRAW_PLIES + 1) if is_draw(past, quiet)] == [80]
