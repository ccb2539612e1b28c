"""Endgames of checkers: against a solver on a plain board, in the search, and in games."""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter, deque
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import evolve_arena as ea
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.solving import Solver, find_endgames
from evolve_arena.players.specification import make_player
from tests.games.test_checkers import GAME, all_captures, place, steps

PIECES = int(os.environ.get("PIECES", "2"))
"""Number of pieces up to which all positions are solved on a plain board; 3 takes minutes."""
MANY = int(os.environ.get("POSITIONS", "1000"))
SQUARES = [place(number) for number in range(1, 33)]
Plain = tuple[tuple[tuple[tuple[int, int], tuple[int, bool]], ...], int]
"""Squares with their pieces, ascending, and the player to move."""


def list_plain(pieces: int) -> Iterator[Plain]:
    """Yield every position of so many pieces in which both sides have one."""
    kinds = list(itertools.product((0, 1), (False, True)))
    for squares in itertools.combinations(sorted(SQUARES), pieces):
        for chosen in itertools.product(kinds, repeat=pieces):
            men = zip(squares, chosen, strict=True)
            if any(not king and row == 7 - 7 * colour for (row, _), (colour, king) in men):
                continue
            if len({colour for colour, _ in chosen}) == 2:
                for mover in (0, 1):
                    yield tuple(zip(squares, chosen, strict=True)), mover


def follow(position: Plain) -> Iterator[Plain]:
    """Yield the positions after all turns."""
    board, mover = dict(position[0]), position[1]
    after = [pieces for pieces, _ in all_captures(board, mover)]
    if not after:
        for start, end in steps(board, mover):
            pieces = {square: piece for square, piece in board.items() if square != start}
            pieces[end] = mover, board[start][1] or end[0] in (0, 7)
            after.append(pieces)
    for pieces in after:
        yield tuple(sorted(pieces.items())), 1 - mover


def solve_plain(pieces: int) -> dict[Plain, int]:
    """Return the values of all positions of up to so many pieces, as the game's tables tell them.

    Positions without moves are lost; then those before them are known, in the order of turns.
    """
    before: dict[Plain, list[Plain]] = {}
    left: dict[Plain, int] = {}
    values: dict[Plain, int] = {}
    for count in range(2, pieces + 1):
        for position in list_plain(count):
            turns = list(follow(position))
            left[position] = len(turns)
            for after in turns:
                before.setdefault(after, []).append(position)
    queue = deque(position for position in {*left, *before} if not left.get(position))
    values = dict.fromkeys(queue, -1)
    while queue:
        known = queue.popleft()
        for position in before.get(known, ()):
            left[position] -= 1
            if position in values or (values[known] > 0 and left[position]):
                continue
            values[position] = -values[known] + (1 if values[known] < 0 else -1)
            queue.append(position)
    return {position: values.get(position, 0) for position in left}


def number_of(position: Plain) -> int:
    words = [0, 0, 0]
    for square, (colour, king) in position[0]:
        number = SQUARES.index(square)
        bit = 1 << number + number // 8
        words[colour] |= bit
        words[2] |= bit * king
    state = *map(np.uint64, words), position[1], -1
    return int(GAME.plain["endgame"](state))


def test_all_positions_of_few_pieces_equal_a_solver_on_a_plain_board() -> None:
    table, solved = find_endgames(GAME, PIECES), solve_plain(PIECES)
    numbers = {position: number_of(position) for position in solved}
    assert len({*numbers.values()}) == len(solved)
    for position, value in solved.items():
        if next(follow(position), None):  # those that are lost now are never asked for
            assert table[numbers[position]] == value, (position, value)
    free = np.delete(np.arange(len(table)), [*numbers.values()])
    assert not table[free].any()


def test_numbers_and_positions_belong_together() -> None:
    table, choices = find_endgames(GAME, 4), random.Random(1)
    found = 0
    for number in choices.choices(range(len(table)), k=MANY):
        state = GAME.plain["endgame_state"](number)
        if state[0]:
            assert GAME.plain["endgame"](state) == number
            found += 1
    assert found > MANY / 2
    assert GAME.plain["endgame"](GAME.plain["start"]()) == -1


def test_values_of_four_pieces_agree_with_their_moves() -> None:
    """By the rules of the plain board, which thus prove them, turn by turn."""
    table, choices = find_endgames(GAME, 4), random.Random(2)
    known = Counter[int]()
    for _ in range(MANY):
        squares = sorted(choices.sample(SQUARES, 4))
        colours = choices.sample(choices.choice([(0, 1, 1, 1), (0, 0, 1, 1), (0, 0, 0, 1)]), 4)
        kings = [
            choices.random() < 0.5 or row == 7 - 7 * colour
            for (row, _), colour in zip(squares, colours, strict=True)
        ]
        men = tuple(zip(squares, zip(colours, kings, strict=True), strict=True))
        position = men, choices.randrange(2)
        values = [value_of(after, table) for after in follow(position)]
        if values:
            lost = [value for value in values if value < 0]
            value = 1 - max(lost) if lost else 0 if 0 in values else -1 - max(values)
            assert table[number_of(position)] == value, position
            known[int(np.sign(value))] += 1
    assert min(known[sign] for sign in (-1, 0, 1)) > MANY / 20


def value_of(position: Plain, table: NDArray[np.int16]) -> int:
    """Return the value of a position, also of one without moves, which is lost."""
    return int(table[number_of(position)]) if next(follow(position), None) else -1


@pytest.mark.parametrize("text", ["B:WK29,K32:BK1,K4", "W:WK5,21:BK12,10"])
def test_four_pieces_equal_a_search_of_all_positions(text: str) -> None:
    """Those that moves lead to from one, listed forwards and known by their hash."""
    table, solver = find_endgames(GAME, 4), Solver(GAME, distance=True)
    graph = solver.list_positions(GAME.parse_position(text))
    assert graph is not None
    choices, compared = random.Random(3), 0
    rows = graph.rows.reshape(-1, 5)
    for at in choices.sample(range(graph.size), min(graph.size, 4 * MANY)):
        board = Board(GAME.rules, tuple(rows[at].tolist()))
        number = int(GAME.plain["endgame"](GAME.to_native(board)))
        if graph.movers[at] >= 0 and number >= 0:
            sign = np.sign(graph.values[at]) * (1 - 2 * int(graph.movers[at]))
            assert sign == np.sign(table[number]), board.state
            compared += 1
    assert compared > MANY


def test_players_say_what_endgames_there_are() -> None:
    with pytest.raises(BadValueError, match=r"endgames is 5: it must be from 2 to 4"):
        make_player("minimax:depth=2,endgames=5", GAME)
    with pytest.raises(BadValueError, match=r"endgames is 3: it must be 0: othello has none"):
        make_player("minimax:depth=2,endgames=3", make_game("othello"))


def test_a_search_that_knows_endgames_beats_itself() -> None:
    players = "minimax:depth=3,endgames=4", "minimax:depth=3"
    result = ea.duel(*players, games=100, game=GAME, seed=1, opening_plies=6)
    assert result.names == players
    assert result.wins - result.losses > 10


def test_a_won_endgame_is_won_in_as_few_turns_as_its_value_says() -> None:
    """Three kings against one, which take dozens of plies of best play by both."""
    table, choices, won = find_endgames(GAME, 4), random.Random(4), 0
    player = make_player("minimax:depth=1,endgames=4", GAME)
    stream = new_stream(1)
    while won < 5:
        squares = sorted(choices.sample(range(1, 33), 4))
        board = GAME.parse_position("B:WK{}:BK{},K{},K{}".format(*squares))
        left = int(table[int(GAME.plain["endgame"](GAME.to_native(board)))]) - 1
        if not 20 < left < 79:
            continue
        won += 1
        while GAME.outcome(board) is None:
            before = board.state[3]
            while GAME.outcome(board) is None and board.state[3] == before:
                board = GAME.play(board, player.choose(board, stream))
            left -= 1
        assert GAME.outcome(board).places == (1, 2)
        assert left == 0
