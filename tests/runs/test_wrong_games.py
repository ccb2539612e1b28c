"""Files that are no games: what is said of them, with the line that is to be mended."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from evolve_arena import core
from evolve_arena.arena.duel import duel
from evolve_arena.core.registry import find_game, open_file, register_game
from evolve_arena.players.board import self_check, watch
from evolve_arena.players.board.count_check import find_ranges
from evolve_arena.players.board.game import GameFileError
from evolve_arena.players.board.trial import try_apart
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import make_player
from tests.evolved import make_evolved

RIGHT: str = find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]
LEGAL = "            moves[count] = cell\n"
COUNT, PLACE = "    count = 0\n", "    state[move] ="
RESULT, TURN = "def result(state):\n", "def to_move(state):\n"
PLAY = "def play(state, move):\n"
Wrongs = dict[str, tuple[str, str, str]]
"""Faults of files: a text of the right one, its replacement, and the expected message."""


def ahead(text: str, function: str = TURN) -> tuple[str, str]:
    """Put a text ahead of a function."""
    return function, f"{text}\n\n\n{function}"


def begins(text: str, function: str = RESULT) -> tuple[str, str]:
    """Put a line at the beginning of a function."""
    return function, f"{function}    {text}\n"


SEE = "PLANES = {}\n\n\ndef see(state, seat, planes):\n    {} = {}"
PLAIN: Wrongs = {
    "it is no Python": ("def start():", "def start(:", r"line \d+: invalid syntax"),
    "it fails": (LEGAL, f"{LEGAL}            moves[cell] = 1 // (8 - cell)\n", "ZeroDivisionError"),
    "a function is missing": ("def to_move(", "def whose_turn(", "has no function to_move"),
    "points is misspelt": (
        RESULT,
        "def is_over(state):\n    return False\n\n\ndef pionts(state, seat):\n",
        r"has no function result: pionts \(line \d+\): did you mean points\?",
    ),
    "a number is missing": ("LONGEST = ", "LENGTH = ", "does not define LONGEST"),
    "a number is none": ("MOVES = CELLS", "MOVES = 'nine'", r"line \d+: MOVES is 'nine'"),
    "nobody ends it": (*begins("return 2"), "not over after"),
    "the result is none": (*begins("return 5"), "gives 5"),
    "the result is a text": (*begins("return 'won'"), r"line \d+: result gives 'won'"),
    "nothing is given": (*begins("return"), "gives nothing"),
    "a move is out of range": (LEGAL, LEGAL.replace("= cell", "= cell + 5"), "lists move 9"),
    "moves are not ascending": (LEGAL, LEGAL.replace("= cell", "= 8 - cell"), "ascending"),
    "too many moves": (LEGAL, LEGAL.replace("[count]", "[count + 5]"), "IndexError"),
    "a cell holds something else": (
        *("state[move] = 1 +", "state[move] = 3 +"),
        r"line 40: a cell holds 3: .* if it is a neutral piece, set PLANES = 3; if it is a",
    ),
    "the first state has a wrong cell": (
        *("    return np.zeros(CELLS + 1, np.int8)", "    return np.full(CELLS + 1, -1, np.int8)"),
        r"line 23: a cell holds -1: it must be 0 if empty, else 1 to 2 \(SEATS .*PLANES\)$",
    ),
    "two planes have one cell's bit": (
        *ahead(SEE.format(2, "planes[0] = planes[1]", "np.uint64(1)")),
        "show numbers in planes that PLANE_NUMBERS lists, and the turn as such a number, or",
    ),
    "numbers beside a board without see": (
        *ahead("PLANE_NUMBERS = (0, 3)"),
        r"line \d+: PLANE_NUMBERS is \(0, 3\): a list of numbers is for planes that a function see",
    ),
    "numbers beside no board": (
        'SYMMETRY = "all"\n',
        "PLANE_NUMBERS = (0, 3)\n" + SEE.format(2, "planes[1]", "np.uint64(1)") + "\n",
        "a list of numbers is for planes beside a board, with WIDTH and SYMMETRY",
    ),
    "a number for each plane": (
        *ahead("PLANE_NUMBERS = [0, 3, 3]\n" + SEE.format(2, "planes[1]", "np.uint64(1)")),
        r"PLANE_NUMBERS is \[0, 3, 3\]: PLANES is 2: it must list so many numbers",
    ),
    "a number beside a board is too high": (
        *ahead("PLANE_NUMBERS = (0, 10)\n" + SEE.format(2, "planes[1]", "np.uint64(1)")),
        "each must be a whole number from 0 to CELLS, 9",
    ),
    "a number comes before the board": (
        *ahead("PLANE_NUMBERS = (3, 0)\n" + SEE.format(2, "planes[0]", "np.uint64(1)")),
        "zeros, for planes of cells, come first",
    ),
    "pieces float": (
        *('SYMMETRY = "all"', 'STACKS, SYMMETRY = True, "mirror"'),
        "STACKS is set, but a piece lies above an empty cell",
    ),
    "stacks have pieces of two kinds": (
        *('SYMMETRY = "all"', 'SYMMETRY = "all"\nPIECES = 2\nSTACKS = True'),
        r"line \d+: STACKS is for boards with SYMMETRY, of pieces of one kind",
    ),
    "cells lack neighbours": (
        *('SYMMETRY = "all"', 'SYMMETRY = "all"\nNEIGHBOURS = [[1], [0]]'),
        r"line \d+: NEIGHBOURS must have, for each of 9 cells, a list of those next to it",
    ),
    "neighbours are no lists": (
        *('SYMMETRY = "all"', 'SYMMETRY = "all"\nNEIGHBOURS = range(9)'),
        r"line \d+: NEIGHBOURS must have, for each of 9 cells, a list of those next to it",
    ),
    "a cell is no neighbour of its neighbour": (
        *('SYMMETRY = "all"', 'SYMMETRY = "all"\nNEIGHBOURS = [[1]] + 8 * [[]]'),
        r"line \d+: NEIGHBOURS lists 1 next to cell 0, but not 0 next to cell 1",
    ),
    "cells are not connected": (
        *('SYMMETRY = "all"', 'SYMMETRY = "all"\nNEIGHBOURS = [[1], [0]] + 7 * [[]]'),
        r"line \d+: no walk along NEIGHBOURS leads from cell 0 to cell 2",
    ),
    "neighbours of no board": (
        *('SYMMETRY = "all"', 'SYMMETRY = "all"\nSTACKS = True\nNEIGHBOURS = 9 * [[]]'),
        r"line \d+: NEIGHBOURS is for boards with SYMMETRY and without STACKS",
    ),
    "the state is a list": (*begins("return [0] * 10", "def start():\n"), "a state is a"),
    "it depends on something else": (
        PLAY,
        f"N = [0]\n\n\n{PLAY}    N[0] += 1\n    state[8] = N[0] % 2\n",
        r"line \d+: play gives another state",
    ),
    "asking changes the state": (*begins("state[0] = 1"), r"line \d+: result changes the state"),
}
COMPILED: Wrongs = {
    "an array is made": (
        *begins("np.zeros(9, np.int8)", "def legal(state, moves):\n"),
        r"line \d+ \(np\.zeros.*this makes an array",
    ),
    "a dictionary is read": (
        *(TURN, f"SIDES_OF = {{0: 0, 1: 1}}\n\n\n{TURN}    SIDES_OF[0]\n"),
        r"line \d+ .*write a tuple",
    ),
    "there are floats": (
        *begins("(9 / 3) & 1 if state[0] > 9 else 0", TURN),
        r"line \d+ .*divide with //",
    ),
    "compiled, it is something else": (
        *begins("if np.int8(100) + np.int8(100) < 0:\n        return 0", TURN),
        r"line \d+: compiled, to_move gives",
    ),
    "compiled, networks see something else": (
        *ahead(SEE.format(1, "planes[0]", "np.int8(100) + np.int8(100) < 0")),
        r"line \d+: compiled, see gives \[0\], not \[1\]",
    ),
    "compiled, it is worth something else": (
        *ahead("def evaluate(state, seat):\n    return np.int8(100) + np.int8(100)"),
        r"line \d+: compiled, evaluate gives 200, not",
    ),
}

COUNTING = """FEATURES = ("the middle", "corners")


def features(state, seat, out):
    out[0] = state[4] == 1 + seat
    for cell in range(0, CELLS, 2):
        out[1] += (state[cell] == 1 + seat) / 4


MOVE_FEATURES = 1


def describe_move(state, move, seat, out):
    out[0] = move / CELLS


"""
FIRST, MOVED = "    out[0] = state[4]", "    out[0] = move / CELLS\n"
INFINITE = "    out[0] = np.float64(1.0) / (state[4] // 9)"
WRONG_COUNTS: Wrongs = {
    "nobody says how many": ("FEATURES = (", "NUMBERS = (", r"line \d+: features needs FEATURES"),
    "nothing counts them": (
        *("def features(", "def numbers("),
        r"line 7: FEATURES needs a function features: how many",
    ),
    "none are counted": ('("the middle", "corners")', "0", r"line 7: FEATURES is 0"),
    "two are called alike": ('"corners"', '"the middle"', r"line 7: FEATURES must name each"),
    "of moves a text": ("MOVE_FEATURES = 1", "MOVE_FEATURES = 'x'", r"MOVE_FEATURES is 'x'"),
    "it writes beyond the end": (
        *("    out[1] +=", "    out[2] +="),
        r"line 13: IndexError: index 2 is out of bounds for axis 0 with size 2",
    ),
    "it writes what is infinite": (
        *(f"{FIRST} == 1 + seat", INFINITE),
        r"line 10: features writes inf into out\[0\]: numbers must be finite",
    ),
    "it writes what has no room": ("move / CELLS", "1e39", r"describe_move writes 1e\+39 into"),
    "it gives numbers": (
        *(MOVED, f"{MOVED}    return [1]\n"),
        r"line 19: describe_move gives \[1\]: it must write into out, and give nothing",
    ),
    "it changes the state": (
        *(FIRST, f"    state[0] = 1\n{FIRST}"),
        r"line 10: features changes the state",
    ),
    "it depends on something else": (
        *(f"{FIRST} ==", "    CALLS[0] += 1\n    out[0] = CALLS[0] + state[4] =="),
        r"line 10: features writes other numbers the second time",
    ),
    "it tells a secret": (
        *ahead("def view(state, seat):\n    state[4] = 0", "MOVE_FEATURES = 1"),
        r"line 10: features tells something that view hides from that seat",
    ),
}

ELSE = "np.int8(100) + np.int8(100) > 0"
"""Condition that holds only in compiled code, so that plain games find nothing."""
SLY_COUNTS = {
    "out[1] = np.log(-1.0)": "in a game, features writes no finite number into out[1]",
    "out[3] = 1.0": "in a game, a function writes beyond the end of its array",
}
OUT_OF_RANGE: Wrongs = {
    "far too many moves": (
        *(COUNT, f"{COUNT}    if {ELSE}:\n        return 1_000_000\n"),
        r"line \d+: in a game, legal gives 1000000: it must give 1 to 9",
    ),
    "fewer than none": (COUNT, f"{COUNT}    if {ELSE}:\n        return -5\n", "legal gives -5"),
    "a move far away": (
        *(LEGAL, f"{LEGAL}            if {ELSE}:\n                moves[count] += 10**9\n"),
        "legal lists move 100000000[0-8]: they are 0 to 8",
    ),
    "a seat far away": (
        *("    return state[TURN]\n", f"    return 10**9 if {ELSE} else state[TURN]\n"),
        r"line \d+: in a game, to_move gives 1000000000: it must give 0 to 1",
    ),
    "a number behind the state": (
        *(PLACE, f"    if {ELSE}:\n        state[CELLS + 2] = 1\n{PLACE}"),
        "a function writes beyond the end of its array",
    ),
}
RARE = "state[0] == state[3] == state[5] == 2 and state[1] == state[2] == state[8] == 1"
"""Hardly ever in twenty random games, but often in thousands."""
TRIED: Wrongs = {
    "it writes out of bounds": (
        *(PLACE, f"    if {RARE}:\n        state[500] = 1\n{PLACE}"),
        r"line \d+: IndexError: index 500 is out of bounds",
    ),
    "it never ends": (
        *(COUNT, f"{COUNT}    while {RARE}:\n        count = 0\n"),
        r"line \d+: legal has been at work for 1 seconds, and may never end",
    ),
    "it ends the process": (COUNT, f"{COUNT}    import os; os.abort()\n", "crash"),
}
NUMBERS = itertools.count()


def write(folder: Path, old: str, new: str) -> Path:
    """Write the right file with a text replaced, under a unique name."""
    assert old in RIGHT
    file = folder / f"wrong_{next(NUMBERS)}.py"
    file.write_text(RIGHT.replace(old, new), encoding="utf-8")
    return file


@contextmanager
def refused(sentence: str, file: Path) -> Iterator[list[str]]:
    """Assert that the block is refused: the error begins with the file and has a *sentence*."""
    told: list[str] = []
    with pytest.raises(GameFileError, match=sentence) as caught:
        yield told
    told.append(str(caught.value))
    assert told[0].startswith(str(file))
    assert "\n" not in told[0]


@pytest.mark.parametrize("name", PLAIN)
def test_wrong_rules_are_refused_when_they_are_loaded(name: str, tmp_path: Path) -> None:
    *change, sentence = PLAIN[name]
    file = write(tmp_path, *change)
    with refused(sentence, file) as told:
        open_file(file)
    if name == "it fails":
        (line,) = re.findall(r"line (\d+)", *told)
        assert "8 - cell" in file.read_text(encoding="utf-8").splitlines()[int(line) - 1]


@pytest.mark.parametrize("name", WRONG_COUNTS)
def test_files_that_count_wrongly_are_refused(name: str, tmp_path: Path) -> None:
    old, new, sentence = WRONG_COUNTS[name]
    assert old in COUNTING
    text = "CALLS = [0]\n" + COUNTING.replace(old, new) + "def start("
    file = write(tmp_path, "def start(", text)
    at = file.read_text("utf-8").splitlines().index("CALLS = [0]")
    with refused("MOVE_FEATURES|line", file) as told:
        open_file(file)
    # Lines are counted from CALLS on, which stands in line 6.
    said = re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) - at + 5}", *told)
    assert re.search(sentence, said), said


def test_files_that_count_rightly_are_accepted(tmp_path: Path) -> None:
    file = write(tmp_path, "def start(", COUNTING + "def start(")
    game = open_file(file).make()
    position = game.play(game.play(game.initial(), 4), 0)
    assert game.count("features", position, 0).tolist() == [1.0, 0.25]
    assert game.count("features", position, 1).tolist() == [0.0, 0.25]
    assert game.count("describe_move", position, 3, 0).tolist() == [np.float32(3 / 9)]
    assert game.name_features("FEATURES") == ["the middle", "corners"]
    assert game.name_features("MOVE_FEATURES") == ["move feature 1"]
    ranges, hints = find_ranges(game, 5)
    assert ranges["features"]["the middle"] == [0.0, 1.0]
    assert hints == []


def play(file: Path, sentence: str, player: str = "random") -> None:
    """Assert that the file is accepted, but fails in matches."""
    game = open_file(file).make()
    with refused(sentence, file):
        duel(game, make_player(player, game), make_random(game), games=2)


@pytest.mark.parametrize("name", COMPILED)
def test_what_compiles_wrong_is_refused_before_the_first_match(name: str, tmp_path: Path) -> None:
    *change, sentence = COMPILED[name]
    play(write(tmp_path, *change), sentence)


def test_a_function_that_calls_itself_with_other_types_is_refused(tmp_path: Path) -> None:
    text = find_game("hex").game.source  # type: ignore[attr-defined]
    file = tmp_path / "unsigned.py"
    file.write_text(
        text.replace("for cell in range(CELLS)])", "for cell in range(CELLS)], np.uint8)")
    )
    play(file, r"line \d+ \(join\(state, cell, edges\)\): a function must call itself with")


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_no_number_that_rules_give_is_an_index_out_of_range(name: str, tmp_path: Path) -> None:
    *change, sentence = OUT_OF_RANGE[name]
    play(write(tmp_path, *change), sentence)


@pytest.mark.parametrize("wrong", SLY_COUNTS)
@pytest.mark.parametrize("kind", ["mlp", "graph"])
def test_networks_survive_what_is_counted_wrongly(
    wrong: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_check, "check_compiled", lambda *given: None)
    first = "def features(state, seat, out):\n"
    text = COUNTING.replace(first, f"{first}    if {ELSE}:\n        {wrong}\n")
    spec = open_file(write(tmp_path, "def start(", f"{text}def start("))
    register_game(spec)
    player = make_evolved(spec.name, kind, encoding="features")
    with pytest.raises(GameFileError, match=re.escape(SLY_COUNTS[wrong])):
        duel(player.game, player, make_random(player.game), games=2)


@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("mcts:rollouts=99", "a move far away"),
        ("minimax:depth=3", "far too many moves"),
        ("mcts:rollouts=99", "a seat far away"),
    ],
)
def test_searches_survive_what_the_first_check_does_not_meet(
    player: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *change, sentence = OUT_OF_RANGE[name]
    monkeypatch.setattr(self_check, "check_compiled", lambda *given: None)
    play(write(tmp_path, *change), sentence, player)


@pytest.mark.parametrize("name", TRIED)
def test_a_trial_finds_what_is_rare(name: str, tmp_path: Path) -> None:
    *change, sentence = TRIED[name]
    with pytest.raises(GameFileError, match=sentence):
        try_apart(write(tmp_path, *change), 20, patience=1.0)


def test_who_waits_is_told_which_function_may_never_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, told = tmp_path / "told", []

    def report(sentence: str) -> None:
        told.append(sentence)
        mark.touch()

    monkeypatch.setattr(core, "on_stuck", report)
    monkeypatch.setattr(watch, "SECONDS", 0.5)
    loop = f"    while not os.path.exists({str(mark)!r}):\n        count = 0\n"
    file = write(tmp_path, COUNT, f"{COUNT}{loop}")
    source = file.read_text(encoding="utf-8")
    file.write_text(source.replace("import numpy", "import os\n\nimport numpy"), encoding="utf-8")
    open_file(file)
    sentence = r"line \d+: legal has been at work for 0\.5 seconds, and may never end"
    assert re.fullmatch(rf".*{file.name}, {sentence}", *told)


LOOKS = """
import gc, sys, time
from pathlib import Path
from evolve_arena.players.board.watch import Watch

class Garbage:
    left = 0

    def __init__(self):
        self.itself = self
        Garbage.left += 1

    def __del__(self):
        time.sleep(0)  # lets the other thread go on
        Garbage.left -= 1

def fall(plies):
    if plies:
        fall(plies - 1)

sys.setswitchinterval(1e-6)
end = time.monotonic() + 8
with Watch(Path("game.py"), print, 1e-5):
    while time.monotonic() < end:
        gc.set_threshold(0)
        while Garbage.left < 20:
            Garbage()
        gc.set_threshold(1)  # the next who allocates, be it the watchdog, collects it
        for _ in range(50):
            fall(60)
"""


def test_a_watchdog_looks_at_no_call_that_is_gone() -> None:
    """If garbage is collected while it looks, Python 3.11 reads freed memory in most trials."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKS], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_right_file_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "right_one.py"
    file.write_text(RIGHT, encoding="utf-8")
    game = open_file(file).make()
    assert game.name == "right-one"
    assert duel(game, make_random(game), make_random(game), games=20).games == 20
    source = RIGHT.partition("def result")[0].replace("LONGEST = CELLS", "LONGEST = 5")
    source += "def is_over(state):\n    return False\n\n\n"
    source += "def points(state, seat):\n    return state[seat] == 1 + seat\n"
    file = tmp_path / "pointed.py"
    file.write_text(source, encoding="utf-8")
    plain = self_check.check_plain(open_file(file).make(), 20)
    assert plain.unfinished == plain.games
    few = write(tmp_path, "LONGEST = CELLS", "LONGEST = 6")
    game = open_file(few).make()
    plain = self_check.check_plain(game, 40)
    assert plain.games / 2 < plain.unfinished < plain.games
    none = write(tmp_path, "LONGEST = CELLS", "LONGEST = 4")
    with pytest.raises(GameFileError, match=r"20 of 20 random games were not over after 4 moves"):
        open_file(none)
