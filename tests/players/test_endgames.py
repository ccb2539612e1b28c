"""Endgames that a stranger's file numbers: their values, and what is said if they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve_arena.core.registry import open_file
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import BoardGame, GameFileError
from evolve_arena.players.board.searching import MinimaxPlayer
from evolve_arena.players.board.solving import find_endgames
from evolve_arena.players.board.workspace import ENDGAMES
from evolve_arena.players.specification import make_player

NIM = '''"""Take one or two tokens; who takes the last one wins. Who takes one moves again, once."""

MOVES, LONGEST, CELLS, PLANES = 2, 64, 64, 1
ENDGAMES = ((5, 12), (9, 8))


def start():
    return 17, 0, 0


def to_move(state):
    return state[1]


def legal(state, moves):
    moves[0], moves[1] = 0, 1
    return min(2, state[0])


def play(state, move):
    tokens, seat, again = state
    if move == 0 and not again:
        return tokens - 1, seat, 1
    return tokens - 1 - move, 1 - seat, 0


def result(state):
    if state[0] > 0:
        return 2
    last = state[1] if state[2] else 1 - state[1]
    return 1 - 2 * last


def see(state, seat, planes):
    planes[0] = 0


def endgame(state):
    return 2 * state[0] + state[1] if state[0] < 10 and not state[2] else -1


def endgame_state(number):
    return number // 2, number % 2, 0
'''


def make(folder: Path, old: str = "", new: str = "") -> BoardGame:
    assert old in NIM
    file = folder / "nim.py"
    file.write_text(NIM.replace(old, new) if old else NIM, "utf-8")
    return open_file(file).make()  # type: ignore[no-any-return]


def solve(tokens: int, again: bool) -> int:
    """Return 1 plus the turns to a win of the player to move, minus that for a loss."""
    values = []
    for taken in range(1, 1 + min(2, tokens)):
        if taken == tokens:
            values.append(2)
        elif taken == 1 and not again:
            values.append(solve(tokens - 1, True))
        else:
            after = solve(tokens - taken, False)
            values.append(1 - after if after < 0 else -1 - after)
    wins = [value for value in values if value > 0]
    return min(wins) if wins else min(values)


def test_values_are_those_of_a_recursion(tmp_path: Path) -> None:
    table = find_endgames(make(tmp_path), 9)
    for tokens in range(1, 10):
        assert table[2 * tokens] == table[2 * tokens + 1] == solve(tokens, False), tokens


def test_a_search_of_one_ply_plays_them_without_a_mistake(tmp_path: Path) -> None:
    game, stream = make(tmp_path), new_stream(1)
    player = make_player("minimax:depth=1,endgames=9", game)
    for tokens in range(2, 10):
        for again in (False, True):
            board = game.initial()._replace(state=(tokens, 0, int(again)))
            after = game.play(board, player.choose(board, stream))
            if game.outcome(after) is None:
                value = solve(after.state[0], bool(after.state[2]))
                value = value if after.state[1] == 0 else -value
                assert (value > 0) == (solve(tokens, again) > 0)


def test_what_one_search_remembers_is_not_what_another_knows(tmp_path: Path) -> None:
    game, stream = make(tmp_path), new_stream(1)
    board = game.initial()._replace(state=(14, 0, 0))

    def rate(player: MinimaxPlayer) -> list[int]:
        player.choose(board, stream)
        return player.ratings[:2].tolist()  # type: ignore[no-any-return]

    knowing, plain = MinimaxPlayer(game, 6, endgames=9), MinimaxPlayer(game, 6)
    known, guessed = rate(knowing), rate(plain)
    assert known != guessed
    many = knowing.packed.seats[0, ENDGAMES]
    for knows, expected in ((0, guessed), (many, known), (0, guessed)):  # with one memory
        knowing.packed.seats[0, ENDGAMES] = knows
        assert rate(knowing) == expected


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("def endgame_state", "def other", "ENDGAMES, endgame and endgame_state are needed"),
        ("ENDGAMES = ((5, 12), (9, 8))", "ENDGAMES = 5", "ENDGAMES must list pieces and sizes"),
        ("((5, 12), (9, 8))", "((9, 8), (5, 12))", "ENDGAMES must list groups with fewer pieces"),
        ("((5, 12), (9, 8))", "((5, 2**40),)", "with up to 134,217,728 endgames in all"),
    ],
)
def test_a_file_that_says_half_is_refused(old: str, new: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=rf"nim\.py, line \d+: {reason}|{reason}"):
        make(tmp_path, old, new)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "return number // 2, number",
            "return 1 + number // 2, number",
            "but endgame_state of that",
        ),
        ("2 * state[0] + state[1] if", "20 + state[0] if", "must give -1, or a number below 20"),
    ],
)
def test_a_mistake_is_found_in_random_games(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(GameFileError, match=reason):
        compare_accelerators(make(tmp_path, old, new), games=20, seconds=60.0)


def test_moves_that_lead_out_of_the_endgames_are_told(tmp_path: Path) -> None:
    game = make(tmp_path, "if state[0] < 10 and not", "if 1 < state[0] < 10 and not")
    with pytest.raises(GameFileError, match="can't be solved: a move leads out of the endgames"):
        find_endgames(game, 5)
