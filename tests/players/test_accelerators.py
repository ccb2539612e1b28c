"""What a game's file says faster than its rules: each mistake is found, and its position named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evolve_arena.core.registry import open_file
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import GameFileError
from tests.forked import evolve

FILE = Path(__file__).parents[2] / "benchmarks" / "games" / "connect_four_accelerated.py"
RIGHT = FILE.read_text("utf-8")
AFTER = r", after \d( \d)*$"
STACKS = "    found = (own << U(1)) & (own << U(2)) & (own << U(3))\n"
LANDS = "complete_lines(state[0]) & (discs + BOTTOM) & INSIDE"
FORCED = "    if forced & (forced - U(1)):\n        return 0\n"
MISTAKES = {
    "both overlook stacks": (
        STACKS,
        "    found = U(0)\n",
        "(wins|safe) lists [0-6none, ]+, but [0-6none, ]+ (would win at once|are safe)",
    ),
    "wins takes cells in the air": (
        LANDS,
        "complete_lines(state[0]) & ~discs & INSIDE",
        r"wins lists [0-6, ]+, but [0-6none, ]+ would win at once",
    ),
    "wins looks for the other's": (
        LANDS,
        LANDS.replace("state[0]", "state[1]"),
        "wins lists [0-6none, ]+, but [0-6none, ]+ would win at once",
    ),
    "wins lists a move twice": (
        "        moves[count] = column\n        count += 1\n        cells",
        "        moves[count] = moves[count + 1] = column\n        count += 2\n        cells",
        r"wins lists (\d), \1: it must list each move once, ascending",
    ),
    "wins counts wrongly": (
        "        cells &= cells - U(1)\n    return count\n\n\ndef complete",
        "        cells &= cells - U(1)\n    return count - 1\n\n\ndef complete",
        "wins gives -1: it must give 0 to 7, at the start$|wins gives -1: it must give 0 to 7",
    ),
    "wins gives a text": (
        "    discs, count = state[0] | state[1], 0\n    cells = complete",
        "    if state[2] == 9:\n        return 'none'\n"
        "    discs, count = state[0] | state[1], 0\n    cells = complete",
        "wins gives 'none': it must give a whole number",
    ),
    "safe overlooks two threats": (FORCED, "", "safe lists [0-6, ]+, but none are safe"),
    "safe overlooks what lies above": (
        " & ~(threats >> U(1))",
        "",
        "safe lists [0-6, ]+, but [0-6none, ]+ are safe",
    ),
    "safe overlooks that it must block": (
        "(forced or free)",
        "free",
        "safe lists [0-6, ]+, but [0-6none, ]+ are safe",
    ),
    "changes takes the other plane": (
        "bit if seat == state[2] & 1 else 64 + bit",
        "64 + bit if seat == state[2] & 1 else bit",
        r"changes lists \[\d+\] for \d at seat 0, but see changes \[\d+\]",
    ),
    "changes forgets who looks": (
        "bit if seat == state[2] & 1 else 64 + bit",
        "bit",
        r"changes lists \[\d+\] for \d at seat 1, but see changes \[\d+\]",
    ),
    "changes takes the next cell": (
        "    bits[0] = bit if",
        "    bit += 1\n    bits[0] = bit if",
        r"changes lists \[\d+\] for \d at seat 0, but see changes \[\d+\]",
    ),
    "changes says that nothing changes": (
        "    return 1\n",
        "    return 0\n",
        r"changes lists \[\] for \d at seat 0, but see changes \[\d+\]",
    ),
    "gain takes the cell below": (
        "    return LINES[lowest_bit((discs + (U(1) << shift)) & (U(63) << shift))]",
        "    return LINES[lowest_bit((discs + (U(1) << shift)) & (U(63) << shift)) - 1]",
        r"gain gives \d+ for \d, but evaluate grows by \d+",
    ),
    "gain is of an evaluation for one": (
        "    return value if seat == state[2] & 1 else -value",
        "    return value + 1",
        r"gain needs evaluations that add up to 0; for the seats they are \[",
    ),
    "key forgets whose discs they are": (
        "    return (state[0] | state[1]) + BOTTOM | state[0]",
        "    return (state[0] | state[1]) + BOTTOM",
        r"key is \d+ in two positions that differ: ",
    ),
    "legal_bits forgets full columns": (
        "    return ~full & U(127)",
        "    return U(127)",
        r"legal_bits gives 127, the moves 0, 1, 2, 3, 4, 5, 6, but legal lists [0-6, ]+",
    ),
    "legal_bits has a move too many": (
        "    return ~full & U(127)",
        "    return ~full & U(255)",
        r"legal_bits gives 255, the moves 0, 1, 2, 3, 4, 5, 6 and 7, but legal lists [0-6, ]+",
    ),
    "order is too large": (
        "def key(",
        "def order(state, move):\n    return 2**40\n\n\ndef key(",
        r"order gives a number that is not below 2\*\*30",
    ),
    "quiet gives a number": (
        "def key(",
        "def quiet(state):\n    return state[2]\n\n\ndef key(",
        "quiet gives neither True nor False",
    ),
}


def write(folder: Path, name: str) -> Path:
    old, new, _ = MISTAKES[name]
    assert RIGHT.count(old) == 1
    file = folder / f"mistake_{list(MISTAKES).index(name)}.py"
    file.write_text(RIGHT.replace(old, new), encoding="utf-8")
    return file


def test_the_right_file_is_taken() -> None:
    assert compare_accelerators(open_file(FILE).make(), games=20, seconds=60.0) > 60


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_and_its_position_named(name: str, tmp_path: Path) -> None:
    file, (*_, sentence) = write(tmp_path, name), MISTAKES[name]
    with pytest.raises(GameFileError, match=sentence) as raised:
        compare_accelerators(open_file(file).make(), games=200, seconds=60.0)
    told = str(raised.value)
    assert re.match(rf"{re.escape(str(file))}, line \d+: ", told)
    assert re.search(rf"{AFTER}|, at the start$|that differ: ", told)


def test_the_check_of_a_file_tells_it(tmp_path: Path) -> None:
    file = write(tmp_path, "safe overlooks two threats")
    done = evolve("check", file.name, folder=tmp_path)
    assert done.returncode == 2
    assert re.search(
        rf"{file.name}, line \d+: safe lists .*, but none are safe{AFTER}", done.stderr.strip()
    )
