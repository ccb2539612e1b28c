"""Games in one file as C: the rules count as compiled ones do, and bots choose the same moves."""

from __future__ import annotations

import itertools
from pathlib import Path

import numba
import numpy as np
import pytest

from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import BadValueError
from evolve_arena.players.packed import NOISE
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import cut, export_player, read_template
from evolve_arena.runs.export.c import assemble_c
from evolve_arena.runs.export.c_rules import Rules, types
from evolve_arena.runs.export.javascript import TranslationError
from tests.c_bots import SANITIZERS, ask, build, feed, with_gcc, with_sanitizers
from tests.evolved import make_evolved

COUNTING = """
import numpy as np
STEPS = (3, -1, 5)
PAIRS = ((1, 2), (3, 4))
TABLE = np.array([[1, -2], [3, 100]], np.int8)
BIG = np.uint64(2**63 + 1)


def whole(a, b):
    total = a + b * 3 - (a - b)
    total ^= (a // b) * 7 + a % b
    total += (a << (b & 7)) + (a >> (b & 63))
    return total + abs(a) + min(a, b) - max(a, b, 5) + np.sign(b) + (~a) + (-b)


def word(a, b):
    x, y = np.uint64(a), np.uint64(b)
    x, y = y, x
    total = x * y + x - y ^ (x & y) | ~x
    total += x // y + x % y + BIG
    total ^= (x << (y & np.uint64(63))) + (y >> (x & np.uint64(63)))
    return np.int64(total) + (x < y) + 2 * (a < y) + 4 * (x >= b) + 8 * (b == x)


def ways(a, b):
    count, found = 0, a if a > b else 0
    for place, step in enumerate(STEPS):
        if step < 0 or place > b:
            continue
        for down, right in PAIRS:
            count += down * step + right * TABLE[place % 2, right % 2] + TABLE[-1][0]
            if count > a > 3:
                break
    while found > 0 and not count == 0:
        found, count = found // 2, count - 1
    for last in range(5, -3, -2):
        count += last * STEPS[(a + last) % 3]
    return count + found + split(a)[1]


def split(a):
    return a % 3, 7 if a in (1, 2) else np.int8(a)


def floating(a, b):
    share = a / b + 0.5
    return int(share * 3) if 0.0 < share < 1000.0 else -1
"""
NUMBERS = [0, 1, 2, 3, 5, 63, 64, 200, 2**31, 2**62 + 3, 2**63 - 1]
NUMBERS += [-number for number in NUMBERS[1:]] + [-(2**63)]


@with_gcc
def test_rules_count_as_compiled_ones_do(tmp_path: Path) -> None:
    space = {"__name__": "counting"}
    exec(COUNTING, space)
    compiled = {
        name: numba.njit(error_model="numpy")(value)
        for name, value in space.items()
        if callable(value)
    }
    names = ("whole", "word", "ways", "floating")
    rules = Rules(COUNTING, "counting.py", space)
    places = [rules.call(name, [types.int64, types.int64])[0] for name in names]
    calls = "".join(f'printf("is %lld\\n", (long long){place}(a, b));\n' for place in places)
    main = 'int main(void) { long long a, b;\nwhile (scanf("%lld %lld", &a, &b) == 2) {\n'
    template = read_template("board.c")
    whole = cut(template)["Whole numbers"]
    source = assemble_c("Test.", [template], {"Whole numbers": whole, "Rules": rules.write()})
    program = build(f"{source}{main}{calls}}}\nreturn 0; }}\n", tmp_path)
    space |= compiled  # they call each other
    pairs = list(itertools.product(NUMBERS, NUMBERS))
    wanted = [int(space[name](a, b)) for a, b in pairs for name in names]
    assert ask(program, [f"{a} {b}" for a, b in pairs]) == wanted
    assert len(set(wanted)) > 300


REFUSED = {
    "a list": ("    cells = [1, 2]", 2),
    "numpy": ("    return np.zeros(3)", 2),
    "either": ("    if a:\n        b = np.uint64(1)\n    return b", 4),
    "unknown": ("    return nothing + a", 2),
    "text": ("    return 'a'", 2),
    "with": ("    with a:\n        pass", 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_named_with_its_line(name: str) -> None:
    body, line = REFUSED[name]
    text = f"def f(a, b):\n{body}\n"
    rules = Rules(text, "my_game.py", {"np": np})
    rules.imports["np"] = "numpy"
    with pytest.raises(TranslationError, match=rf"my_game\.py, line {line}: .* can't be written"):
        rules.call("f", [types.int64, types.int64])


UNREAD = "expected a state, all numbers of it, each as the game keeps it\n"
IMPOSSIBLE = "the rules have no such state\n"
HOSTILE = {
    "tic-tac-toe": {
        "0 0 0 0 0 0 0 0 0 2": IMPOSSIBLE,
        "0 0 0 0 0 0 0 0 4 0": IMPOSSIBLE,
        "0 0 0 0 0 0 0 0 0 128": UNREAD,
        "0 0 0 0 0 0 0 0 0 0 0": UNREAD,
        "0 0 0 0 0 0 0 0 0 +1": UNREAD,
    },
    "connect-four": {f"1 2 {2**64}": UNREAD},
    "othello": {
        f"1 2 12 {-(2**63)}": IMPOSSIBLE,
        f"{2**64} 2 12 0": UNREAD,
        "-1 2 12 0": UNREAD,
        f"1 2 12 {2**63}": UNREAD,
    },
}
"""States that no game has, and the line with which a bot ends."""


@with_sanitizers
@pytest.mark.parametrize("game", HOSTILE)
def test_no_state_makes_a_bot_read_beyond_its_tables(game: str, tmp_path: Path) -> None:
    player = make_evolved(game, "mlp" if game == "tic-tac-toe" else "tuples", seed=1)
    program = build(str(export_player(player, "c")), tmp_path, "-O1", *SANITIZERS)
    for state, sentence in HOSTILE[game].items():
        assert feed(program, [f"state {state}\ngo\n".encode()]) == [(1, "", sentence)], state


@with_gcc
def test_a_bot_plays_matches_as_a_program(tmp_path: Path) -> None:
    player = make_evolved("chomp", "mlp", seed=1)
    program = ProcessPlayer(player.game, str(build(str(export_player(player, "c")), tmp_path)))
    wanted = play_match(player.game, (player, player), opening=(20,)).moves
    assert play_match(player.game, (program, player), opening=(20,)).moves == wanted


def test_who_cannot_be_exported_is_told_so() -> None:
    player = make_evolved("ticket-to-ride", "mlp", hidden=(2,))
    with pytest.raises(TranslationError, match=r"can't be written as C: export it with --to py"):
        export_player(player, "c")
    strays = make_evolved("chomp", "mlp")
    strays.packed.seats[0, NOISE] = 1
    with pytest.raises(BadValueError, match="makes random moves"):
        export_player(strays, "c")
