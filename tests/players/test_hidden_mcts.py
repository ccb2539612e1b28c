"""Monte Carlo tree search where something is hidden, and files that guess it wrongly."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import benchmarks
from evolve_arena.arena.duel import duel
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board import self_check
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.hints import find_hints
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.board.trial import try_apart
from evolve_arena.players.specification import make_player
from tests.contracts.test_games import compare_matches
from tests.evolved import random_positions
from tests.players.test_mcts import load_text, store_evolved

FILE = Path(benchmarks.__path__[0]) / "games" / "leduc.py"
LEDUC = FILE.read_text("utf-8")
FLAGS = {"HAS_VALUES", "HAS_OWN_VALUES", "HAS_POLICIES", "HAS_OUTPUTS", "HAS_MCTS"}
FLAGS |= {"HAS_DEEP_VALUES", "HAS_PRIORS"}
TRIO = '''"""Three get one of five cards, and stay in or not; the highest that stays wins 2.

Who stays and does not win loses 1.
"""
import numpy as np

SEATS, MOVES, LONGEST, PLANES, CELLS = 3, 2, 3, 1, 16
CARDS, TURN, STAYS = 0, 3, 4

def start():
    return 0, 0, 0, 0, 0  # three cards, whose turn it is, a bit for each who stays

def to_move(state):
    return state[TURN] % 3

def legal(state, moves):
    moves[0] = 0
    moves[1] = 1
    return 2

def play(state, move):
    one, two, three, turn, stays = state
    return one, two, three, turn + 1, stays | move << turn

def chance(state):
    left = 5 - (state[0] > 0) - (state[1] > 0) - (state[2] > 0)
    return left if left > 2 else 0

def resolve(state, outcome):
    one, two, three, turn, stays = state
    card = 0
    while outcome >= 0:
        card += 1
        outcome -= card != one and card != two and card != three
    if one == 0:
        one = card
    elif two == 0:
        two = card
    else:
        three = card
    return one, two, three, turn, stays

def is_over(state):
    return state[TURN] == 3

def points(state, seat):
    if state[STAYS] >> seat & 1 == 0:
        return 0
    for other in range(3):
        if state[STAYS] >> other & 1 and state[other] > state[seat]:
            return -1
    return 2

def view(state, seat):
    one, two, three, turn, stays = state
    return one * (seat == 0), two * (seat == 1), three * (seat == 2), turn, stays

def guesses(state, seat):
    return chance(state)

def guess(state, seat, number):
    return resolve(state, number)

def see(state, seat, planes):
    planes[0] = np.uint64(1) << np.uint64(state[seat])
'''


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> BoardGame:
    return load_text(tmp_path_factory.mktemp("games"), "leduc", LEDUC, FLAGS)


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> BoardGame:
    return load_text(tmp_path_factory.mktemp("games"), "trio", TRIO, FLAGS)


def place(game: BoardGame, cards: tuple[int, int, int], *moves: str) -> Board:
    """Return a position of Leduc with these *cards*, the open one last, after *moves*."""
    board = Board(game.rules, (*cards, *game.initial().state[3:]))
    for move in moves:
        board = game.follow(board, "play", game.parse_move(move))._replace(plies=board.plies + 1)
    return board


def test_leduc_has_as_many_information_sets_as_it_must_and_the_known_value(
    leduc: BoardGame,
) -> None:
    """There are 936, or 288 by ranks; among random players the first loses 5/64."""
    seen = set()

    def value(state: Board, told: tuple[int, ...]) -> Fraction:
        """Return the mean of the first player's chips, after the moves that are *told*."""
        outcomes = leduc.ask("chance", leduc.to_native(state))
        if outcomes:
            dealt = [leduc.follow(state, "resolve", number) for number in range(outcomes)]
            return sum((value(each, told) for each in dealt), Fraction(0)) / outcomes
        if leduc.adjudicate(state) != 2:
            points = [leduc.ask("points", leduc.to_native(state), seat) for seat in range(2)]
            assert sum(points) == 0
            assert max(points) <= 13
            return Fraction(int(points[0]))
        seat = leduc.to_move(state)
        seen.add((state.state[seat], state.state[2], told))
        moves = leduc.legal_moves(state)
        parts = (value(leduc.follow(state, "play", move), (*told, move)) for move in moves)
        return sum(parts, Fraction(0)) / len(moves)

    start = tuple(leduc.code.START.tolist())
    assert value(Board(leduc.rules, start), ()) == Fraction(-5, 64)
    assert len(seen) == 936
    by_rank = {((own + 1) // 2, (shown + 1) // 2, told) for own, shown, told in seen}
    assert len(by_rank) == 288


def test_it_wins_more_chips_than_random_play(leduc: BoardGame) -> None:
    found = duel(
        leduc, make_player("mcts:rollouts=200", leduc), make_player("random", leduc), games=1000
    )
    assert found.margin_interval is not None
    assert found.margin_interval[0] > 2.5


def test_it_knows_no_more_than_its_seat(leduc: BoardGame, trio: BoardGame) -> None:
    """Hidden information changes no choice, even if the player is shown the true state."""
    player = make_player("mcts:rollouts=40", leduc)
    for board in random_positions(leduc, 80):
        seat = leduc.to_move(board)
        boards = [board, leduc.view(board, seat), *leduc.list_guesses(board, seat)]
        assert len(boards) in (6, 7)  # four or five cards are left
        assert len({player.choose(each, new_stream(1)) for each in boards}) == 1
    other = make_player("mcts:rollouts=40", trio)
    for board in random_positions(trio, 9):
        boards = [board, trio.view(board, trio.to_move(board))]
        assert len({other.choose(each, new_stream(1)) for each in boards}) == 1


@pytest.mark.parametrize(
    ("cards", "moves", "best"),
    [
        ((5, 1, 6), ("call", "call"), {"raise"}),  # a pair of kings can't lose
        ((1, 5, 2), ("call", "call", "call", "raise"), {"raise"}),
        ((1, 5, 6), ("raise", "raise", "call", "call", "raise"), {"fold"}),
        ((3, 1, 6), ("call", "call", "call"), {"call", "raise"}),  # nothing to fold to
    ],
)
def test_it_plays_clear_hands_right(
    leduc: BoardGame, cards: tuple[int, int, int], moves: tuple[str, ...], best: set[str]
) -> None:
    board = place(leduc, cards, *moves)
    player = make_player("mcts:rollouts=3000", leduc)
    assert {leduc.format_move(player.choose(board, new_stream(seed))) for seed in range(5)} <= best


def test_three_seats_play_each_for_itself(trio: BoardGame) -> None:
    """The highest card stays in, and the last to move passes the lowest against two who stay."""
    player = make_player("mcts:rollouts=1000", trio)
    for seat in range(3):
        cards = [1, 2, 3]
        cards[seat] = 5
        board = Board(trio.rules, (*cards, seat, 0), seat)
        assert player.choose(board, new_stream(seat)) == 1
    assert player.choose(Board(trio.rules, (2, 3, 1, 2, 3), 2), new_stream(1)) == 0


def test_compiled_and_in_python_it_chooses_the_same(
    leduc: BoardGame, trio: BoardGame, tmp_path: Path
) -> None:
    value, policy = (store_evolved(tmp_path, "leduc", head)[1] for head in ("value", "policy"))
    names = ["mcts:rollouts=50,noise=0.2", f"{value},rollouts=20", f"{policy},rollouts=20", value]
    for game, specifications in (
        (leduc, names),
        (trio, [names[0], f"{store_evolved(tmp_path, 'trio', 'policy')[1]},rollouts=20", "random"]),
    ):
        compare_matches(game, [make_player(name, game) for name in specifications], 8)


def test_one_rollout_goes_by_the_policy_of_who_searches(leduc: BoardGame, tmp_path: Path) -> None:
    name = store_evolved(tmp_path, "leduc", "policy")[1]
    plain, searching = make_player(name, leduc), make_player(f"{name},rollouts=1", leduc)
    for board in random_positions(leduc, 40):
        assert plain.choose(board, new_stream(1)) == searching.choose(board, new_stream(1))


def test_without_a_guess_it_is_refused_and_alpha_beta_always(
    leduc: BoardGame, tmp_path: Path
) -> None:
    blind = load_text(tmp_path, "blind", LEDUC.replace("def guess(", "def unused("), FLAGS)
    with pytest.raises(BadValueError, match="give the file functions guesses and guess"):
        make_player("mcts:rollouts=100", blind)
    for game, sentence in ((blind, "give the file functions"), (leduc, "")):
        name = store_evolved(tmp_path, game.name, "value")[1]
        with pytest.raises(ArenaError):
            make_player(f"{name},depth=2", game)
        if sentence:
            with pytest.raises(BadValueError, match=sentence):
                make_player(f"{name},rollouts=2", game)


HIDES = "    state[SECOND - seat] = UNKNOWN\n"
COUNTS = "    return count_left(state) if state[SECOND"
DRAWS = "    state[SECOND - seat] = find_left(state, number)\n"
REMEMBERS = """    state[SECOND - seat] = SEEN[0]


def note(state, seat):
    if state[SECOND - seat]:
        SEEN[0] = 1 + state[SECOND - seat] % 6
"""
WRONG = {
    "it remembers what view saw": (
        ("def view(state, seat):\n", "SEEN = [0]\ndef view(state, seat):\n    note(state, seat)\n"),
        (DRAWS, REMEMBERS),
        r"guess gives .* or .* for the same view and numbers",
    ),
    "it lays a card open": (
        (DRAWS, DRAWS + "    state[OPEN] = 6\n"),
        r"seat \d is shown something else in what guess gives",
    ),
    "view hides the raises": (
        (HIDES, "    state[RAISES] = 0\n"),
        ("    planes[2] |= one << np.uint64(10 + state[RAISES])\n", ""),
        r"in what view gives, seat \d has other moves than fold, call",
    ),
    "view of a view is another": (
        (HIDES, "    state[SECOND - seat] -= 1\n"),
        "view of what seat 0 is shown gives something else than that",
    ),
    "too many guesses": (
        (COUNTS, COUNTS.replace("count_left(state)", "99999")),
        "guesses gives 99999: it must give 0 to 65536",
    ),
    "a text": (
        (COUNTS, COUNTS.replace("count_left(state)", "'5'")),
        "guesses gives '5': it must give a whole number",
    ),
    "it never ends": (
        ("[SECOND - seat] == UNKNOWN else 0\n", "[SECOND - seat] < 9 else 0\n"),
        "guesses still gives 4 after 1000 guesses",
    ),
    "guesses guesses": (
        ("def guesses(state, seat):\n", "def guesses(state, seat):\n    state[OPEN] = 1\n"),
        "guesses changes the state",
    ),
    "no guesses": (("def guesses(", "def count_guesses("), "has no function guesses"),
    "no view": (("def view(", "def hide("), "has no function view"),
    "no stake": (("STAKE = 13", "STAKE = 'all'"), "STAKE is 'all': it must be a whole number"),
    "a small stake": (("STAKE = 13", "STAKE = 5"), r"points gives -?\d+: it must give -5 to 5"),
    "it gives a state": (
        (DRAWS, DRAWS + "    return 1\n"),
        "guess gives 1: it must change the array, and give nothing",
    ),
    "it goes out of bounds": ((DRAWS, DRAWS.replace("- seat", "+ 20")), "IndexError"),
    "no cell has its number": ((DRAWS, DRAWS.replace("= ", "= 500 * ")), "OverflowError"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_guesses_are_refused_with_the_position(name: str, tmp_path: Path) -> None:
    *changes, sentence = WRONG[name]
    with pytest.raises(GameFileError, match=sentence) as caught:
        load_plain(tmp_path, *changes)
    told = str(caught.value)
    assert told.startswith(str(tmp_path / "leduc_odd.py"))
    assert ("no function" in told) != (re.search(r"\.py, line \d+: ", told) is not None)
    if re.match("guess|seat|view|in what", sentence):
        assert ", at the start, in (" in told or ", after " in told


def load_plain(folder: Path, *changes: tuple[str, str]) -> BoardGame:
    source = LEDUC
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    (folder / "leduc_odd.py").write_text(source, encoding="utf-8")
    game: BoardGame = load_game(folder / "leduc_odd.py").make()
    return game


def test_guesses_that_are_odd_are_told_of(tmp_path: Path) -> None:
    assert find_hints(load_plain(tmp_path), 8) == []
    for said, *changes in (
        (r"guess never gives \(", (DRAWS, DRAWS.replace("number", "0"))),
        (
            r"guess gives \(.* had it$",
            (DRAWS, "    state[SECOND - seat] = 1 + number\n"),
            (COUNTS, COUNTS.replace("count_left(state)", "6")),
        ),
        ("guess gives one state alone, the true one", (HIDES, "    state[OPEN] += 0\n")),
    ):
        (told,) = find_hints(load_plain(tmp_path, *changes), 8)
        assert re.match(said, told)


ELSE = "np.int8(100) + np.int8(100) > 0"
"""Condition that holds only in compiled code."""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("view", HIDES, HIDES.replace("UNKNOWN", f"1 if {ELSE} else UNKNOWN")),
        ("guesses", COUNTS, COUNTS.replace("return", f"return 3 if {ELSE} else")),
        ("guess", DRAWS, DRAWS.replace("= ", f"= 1 if {ELSE} else ")),
    ],
)
def test_compiled_they_must_be_as_in_python(name: str, old: str, new: str, tmp_path: Path) -> None:
    game = load_plain(tmp_path, (old, new))
    with pytest.raises(GameFileError, match=rf"line \d+: compiled, {name} gives"):
        self_check._compare_looks(game)


def test_a_rare_slip_is_found_by_many_games(tmp_path: Path) -> None:
    rare = "    if state[PAID] == 5 and state[RAISES] == 2 and state[OPEN] == 3 and number == 3:\n"
    load_plain(tmp_path, (DRAWS, f"{rare}        state[400] = 1\n{DRAWS}"))
    with pytest.raises(GameFileError, match="index"):
        try_apart(tmp_path / "leduc_odd.py", 20)


def test_many_positions_of_a_right_file_are_compared(leduc: BoardGame, trio: BoardGame) -> None:
    assert compare_accelerators(leduc, 50, 60.0) > 100
    assert compare_accelerators(trio, 50, 60.0) == 150
