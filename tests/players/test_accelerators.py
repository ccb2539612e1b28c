"""Accelerators of a game's file: each mistake is found, and its position named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evolve_arena.core.registry import find_game, open_file
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import GameFileError
from tests.forked import evolve

RIGHT: str = find_game("connect-four").game.source  # type: ignore[attr-defined]
AFTER = r", after \d( \d)*$"
WINS = "    return write_columns(find_gaps(state[0]) & find_free(state[0] | state[1]), moves)\n"
CHANGED = "bits[0] = cell if seat == state[2] & 1 else 64 + cell\n"
KEY = "return (state[0] | state[1]) + BOTTOM | state[0]\n"
MISTAKES = {
    "both overlook stacks": (
        "    for way in range(len(STEPS)):\n        for gap",
        "    for way in range(1, len(STEPS)):\n        for gap",
        "(wins|safe) lists [0-6none, ]+, but [0-6none, ]+ (would win at once|are safe)",
    ),
    "wins looks for the other's": (
        WINS,
        WINS.replace("gaps(state[0])", "gaps(state[1])"),
        "wins lists [0-6none, ]+, but [0-6none, ]+ would win at once",
    ),
    "wins lists a move twice": (
        WINS,
        f"{WINS.replace('return', 'count =')}    if count == 1:\n        moves[1] = moves[0]\n"
        "    return count * 2 if count == 1 else count\n",
        r"wins lists (\d), \1: it must list each move once, ascending",
    ),
    "wins counts wrongly": (
        WINS,
        WINS.replace("moves)", "moves) - 1"),
        "wins gives -1: it must give 0 to 7, at the start$|wins gives -1: it must give 0 to 7",
    ),
    "safe overlooks two threats": (
        "    if forced & (forced - ONE):\n        return 0\n",
        "",
        "safe lists [0-6, ]+, but none are safe",
    ),
    "safe overlooks that it must block": (
        "(forced or free)",
        "free",
        "safe lists [0-6, ]+, but [0-6none, ]+ are safe",
    ),
    "changes forgets who looks": (
        CHANGED,
        "bits[0] = cell\n",
        r"changes lists \[\d+\] for \d at seat 1, but see changes \[\d+\]",
    ),
    "changes says that nothing changes": (
        f"{CHANGED}    return 1\n",
        f"{CHANGED}    return 0\n",
        r"changes lists \[\] for \d at seat 0, but see changes \[\d+\]",
    ),
    "gain is of an evaluation for one": (
        "    return value if seat == state[2] & 1 else -value",
        "    return value + 1",
        r"gain needs evaluations that add up to 0; for the seats they are \[",
    ),
    "key forgets whose discs they are": (
        KEY,
        "return (state[0] | state[1]) + BOTTOM\n",
        r"key is \d+ in two positions that differ: ",
    ),
    "legal_bits has a move too many": (
        "    return found\n\n\ndef find_cell",
        "    return found | np.uint64(128)\n\n\ndef find_cell",
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
    "moves do not stay": ("ONLY_WINS = True", "MOVES_STAY = ONLY_WINS = True", "MOVES_STAY "),
    "some games end undecided": ("state[2] == LONGEST", "state[2] == 30", "ONLY_WINS "),
}


def write(folder: Path, name: str) -> Path:
    old, new, _ = MISTAKES[name]
    assert RIGHT.count(old) == 1
    file = folder / f"mistake_{list(MISTAKES).index(name)}.py"
    file.write_text(RIGHT.replace(old, new), encoding="utf-8")
    return file


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
