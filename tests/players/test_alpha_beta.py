"""Alpha-beta finds what plain minimax finds, with accelerators or without; wrong ones are refused.

An accelerator is a function of a game's file that says faster what its rules say.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import benchmarks
from evolve_arena.core.registry import find_game, make_game, open_file
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import GOES_ON, Board, BoardGame, GameFileError
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.search import WIN
from evolve_arena.players.specification import make_player
from tests.bred import compile_together, make_bred, random_positions

FILE = Path(benchmarks.__path__[0]) / "games" / "connect_four_accelerated.py"
SOURCE = FILE.read_text("utf-8")
GAMES = 100

WRONG = {
    "wins misses falling lines": (
        "wins",
        "U(6), U(7), U(8)):\n        pair = (own <<",
        "U(6), U(7)):\n        pair = (own <<",
    ),
    "wins misses stacks": ("safe", "(own << U(1)) & (own << U(2)) & (own << U(3))", "U(0)"),
    "wins sees lines over the edge": (
        "wins",
        "(discs + BOTTOM) & INSIDE\n    while",
        "(discs + BOTTOM)\n    while",
    ),
    "wins looks at the opponent": ("wins", "complete_lines(state[0])", "complete_lines(state[1])"),
    "wins begins at column 1": (
        "wins",
        "column = lowest_bit(cells) // 7",
        "column = lowest_bit(cells) // 7 + 1",
    ),
    "safe allows a cell below a threat": ("safe", " & ~(threats >> U(1))", ""),
    "safe does not block": ("safe", "(forced or free)", "free"),
    "safe thinks that one of two is enough": (
        "safe",
        "        return 0\n    cells =",
        "        pass\n    cells =",
    ),
    "changes has the colours wrong": (
        "changes",
        "bit if seat == state[2] & 1 else 64 + bit",
        "bit if seat == 0 else 64 + bit",
    ),
    "changes is a cell too low": ("changes", "bits[0] = bit if", "bits[0] = bit - 1 if"),
    "changes sets nothing": ("changes", "64 + bit\n    return 1", "64 + bit\n    return 0"),
    "gain counts another cell": (
        "gain",
        "return LINES[lowest_bit((discs + (U(1) << shift)",
        "return LINES[lowest_bit((discs + (U(2) << shift)",
    ),
    "gain has the wrong sign": ("gain", "return LINES[lowest_bit(", "return -LINES[lowest_bit("),
    "evaluate does not add up to 0": ("gain", "else -value", "else 1 - value"),
    "key forgets whose discs they are": ("key", "+ BOTTOM | state[0]", "+ BOTTOM"),
    "key forgets a column": (
        "key",
        "return (state[0] | state[1]) + BOTTOM | state[0]",
        "return (state[0] | state[1] << U(7)) & U(2**42 - 1)",
    ),
    "a column stays open": ("MOVES_STAY", "ONLY_WINS = True", "MOVES_STAY = ONLY_WINS = True"),
    "a drawn game ends early": ("ONLY_WINS", "state[2] == 42", "state[2] == 30"),
    "quiet is a number": (
        "quiet",
        "def key(",
        "def quiet(state):\n    return state[2]\n\n\ndef key(",
    ),
    "order is too large": (
        "order",
        "def key(",
        "def order(state, move):\n    return move << 40\n\n\ndef key(",
    ),
}
"""By what is wrong: which function is named, and what stands in place of what."""


def write(folder: Path, old: str, new: str) -> Path:
    assert SOURCE.count(old) >= 1, old
    file = folder / "planted.py"
    file.write_text(SOURCE.replace(old, new, 1), "utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (str(FILE), {}),
        *(("hex", {"size": size}) for size in (3, 7, 11)),
        *(("gomoku", {"size": size, "row": row}) for size, row in ((5, 3), (9, 5), (15, 5))),
        *(("breakthrough", {"size": size}) for size in (4, 5, 8)),
    ],
)
def test_right_ones_are_not_refused(name: str, options: dict[str, int]) -> None:
    assert compare_accelerators(make_game(name, **options), 20, 60.0) >= 20  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_planted_mistake_is_found_and_the_position_is_named(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, old, new = WRONG[wrong]
    monkeypatch.setattr("evolve_arena.runs.one_file.check_at_first", lambda game: None)
    game: Any = open_file(write(tmp_path, old, new)).make()
    with pytest.raises(GameFileError, match=rf"planted\.py, line \d+: {name} ") as refused:
        compare_accelerators(game, GAMES, 60.0)
    assert ", after " in str(refused.value) or ", at the start" in str(refused.value)


def test_a_file_with_a_mistake_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    file = write(tmp_path, "complete_lines(state[0])", "complete_lines(state[1])")
    with pytest.raises(GameFileError, match="wins lists"):
        open_file(file)


def test_games_without_accelerators_have_nothing_to_compare() -> None:
    assert compare_accelerators(find_game("tic-tac-toe").make(), 2, 1.0) == 0  # type: ignore[arg-type]


def value_plainly(game: BoardGame, state: Board, side: int, depth: int) -> float:
    """The value of a state to the *side* that moved there, in words of the rules alone."""
    verdict = game.judge(state)
    if verdict != GOES_ON:
        return math.inf * verdict * (1 - 2 * side) if verdict else 0
    if depth == 0:
        if "evaluate" not in game.plain:
            return 0
        return float(game.ask("evaluate", game.thaw(state), side))
    mover = game.to_move(state)
    after = [game.follow(state, "play", move) for move in game.legal_moves(state)]
    best = max(value_plainly(game, then, mover, depth - 1) for then in after)
    return best if mover == side else -best


@pytest.mark.parametrize(
    ("name", "depths"),
    [(str(FILE), (1, 2, 3, 4)), ("tic-tac-toe", (2, 6)), ("kalah", (1, 4)), ("othello", (3,))],
)
def test_all_moves_are_valued_as_by_plain_minimax(name: str, depths: tuple[int, ...]) -> None:
    game: Any = make_game(name)
    for depth in depths:
        player: Any = make_player(f"minimax:depth={depth}", game)
        for seed in range(8):
            choices, states = random.Random(seed), [game.initial()]
            while moves := game.legal_moves(states[-1]):
                states.append(game.play(states[-1], choices.choice(moves)))
            # Ends of games need less time, and have wins and losses.
            state = states[-1 - min(len(states) - 1, choices.randrange(1, 9))]
            mover = game.to_move(state)
            plain = {
                move: value_plainly(game, game.follow(state, "play", move), mover, depth - 1)
                for move in game.legal_moves(state)
            }
            assert rate_moves(player, state) == plain


@pytest.mark.parametrize("network", ["mlp", "graph", "tuples"])
def test_a_ply_of_search_values_moves_as_no_search(network: str) -> None:
    """What follows the last move is valued as it stands, before chance decides."""
    plain, deep = (make_bred("pig", network, 2, goal=30, **more) for more in ({}, {"depth": 1}))
    compile_together([plain, deep])
    for position in random_positions(plain.game, 100):
        values = rate_moves(deep, position)
        for move, value in rate_moves(plain, position).items():
            if math.isinf(value):
                assert values[move] == value
                continue
            size = abs(value)  # the tanh of it, but for terms of exp(2 size) behind the fifth
            terms = 1 + size + size**2 + size**3 * 2 / 3 + size**4 / 3
            expected = math.copysign(1 - 1 / terms, value) * WIN
            assert values[move] == pytest.approx(expected, rel=1e-3, abs=WIN / RESOLUTION)
