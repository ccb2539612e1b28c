"""Hostile words, names and files on the command line: one line of at most 300 letters each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import load_recipe

LONG, DIGITS = "n" * 300, "9" * 5000
EVALUATE = ["evaluate", "random", "--games", "2", "--positions"]
FILES = {
    "deep.toml": "a = " + "[" * 100_000 + "]" * 100_000,
    "nested.toml": "a = " + "[" * 50 + "]" * 50,
    "dotted.toml": ".".join("a" * 100_000) + " = 1",
    "parts.toml": ".".join("a" * 50) + " = 1",
    "huge.toml": 'title = "' + "x" * 2_000_000 + '"',
    "digits.toml": f"run.seed = {DIGITS}",
    "hexadecimal.toml": f"game.columns = 0x{'f' * 9000}",
    "list.toml": 'game.name = ["x"]',
    "section.toml": "method.name = { a = 1 }",
    "key.toml": "x" * 100_000 + " = 1",
    "escape.toml": '"\\u001b[31m" = 1',
    "deep.json": "[" * 100_000 + "]" * 100_000,
    "digits.json": '{"board": {"rows": %s}}' % DIGITS,  # noqa: UP031
    "wide.csv": ",".join(f"s{number}" for number in range(10_000)) + "\n",
    "long.csv": "moves,answer\n" + "3" * 100_000 + ",1\n",
    "digits.csv": f"moves,s0\n3,{DIGITS}\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of an attacker."""
    folder = tmp_path_factory.mktemp("place")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "loop").symlink_to("loop")
    (folder / "folder.toml").mkdir()
    with (folder / "sparse.toml").open("wb") as file:
        file.truncate(1 << 40)
    return folder


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["start", "deep.toml"], "deep.toml is no TOML file: "),
        (["start", "nested.toml"], "lies too deep"),
        (["start", "dotted.toml"], "more than 200 dots in line 1"),
        (["start", "parts.toml"], "lies too deep"),
        (["start", "huge.toml"], "huge.toml: it is larger than 262,144 bytes"),
        (["start", "sparse.toml"], "larger than 262,144 bytes"),
        (["start", "digits.toml"], "digits.toml is no TOML file: "),
        (["start", "hexadecimal.toml"], "game.columns is an int too long to be written: whole"),
        (["start", "list.toml"], "unknown game"),
        (["start", "section.toml"], "unknown method"),
        (["start", "key.toml"], "is an unknown setting"),
        (["start", "escape.toml"], "\\x1b[31m is an unknown setting"),
        (["start", "deep.json"], "deep.json is no JSON file"),
        (["start", "digits.json"], "digits.json is no JSON file"),
        (["start", "folder.toml"], "folder.toml: it is a folder, and no regular file"),
        (["start", "loop"], "unknown recipe 'loop'"),
        (["start", f"{LONG}.toml"], "File name too long"),
        (["start", "a\0b.toml"], "no file has such a name"),
        (["start", "a\udc80b.toml"], "a\\udc80b.toml: No such file"),
        (["start", "\x1b[31m"], "unknown recipe '\\x1b[31m'"),
        (["start", "connect-four", "--set", f"run.seed={DIGITS}"], "run.seed is '999"),
        (["start", "connect-four", "--set", "run.seed=" + "[" * 5000], "run.seed is '[[["),
        (["start", "connect-four", "--set", ".".join("a" * 5000) + "=1"], "lies too deep"),
        (["start", "connect-four", "--set", f"run.generations={10**30}"], "64 bits at most"),
        (["start", "connect-four", "--set", "title=\udc80"], "it has bytes that are no letters"),
        (["duel", "random", "test-bot", "--games", "9" * 30], "from 1 to 10,000,000"),
        (["reproduce", "q-learning", "--seeds", "9" * 30], "from 1 to 1,000"),
        (["duel", "run:x@٣", "random"], "a generation number must follow"),
        (["duel", f"file:{LONG}", "random"], "File name too long"),
        (["duel", "file:a\0b", "random"], "no file has such a name"),
        (["duel", "file:sparse.toml", "random"], "larger than 553,648,128 bytes"),
        (["duel", f"minimax:depth={DIGITS}", "random"], "depth is '999"),
        (["tournament", "run:" + "*" * 300, "random"], "no run matches it"),
        (["import-neat", "sparse.toml"], "larger than 16,777,216 bytes"),
        (["import-neat", "deep.json"], "deep.json is no network"),
        ([*EVALUATE, "wide.csv"], "more than 1024 columns"),
        ([*EVALUATE, "long.csv"], "long.csv, line 2"),
        ([*EVALUATE, "digits.csv"], "digits.csv, line 2"),
        ([*EVALUATE, "sparse.toml"], "16,777,216 bytes"),
        (["info", LONG], "does not exist"),
        (["info", "a\0b"], "embedded null"),
        (
            ["game", "perft", "1", "--position", "3" * 5000],
            "3 can't be played here, but 0, 1 or 2 can",
        ),
        (["game", "perft", "1", "--position", "\x1b[31m"], "is no move, such as"),
        (["game", "perft", DIGITS], "'DEPTH'"),
        (["game", "perft"], "Missing argument 'DEPTH'. (evolve game perft -h explains)"),
    ],
)
def test_an_attack_gets_one_line(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    evolve: Callable[..., tuple[str, str]],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(place)
    _, told = evolve(*words, code=2)
    assert told.startswith("evolve: ")
    assert told.endswith("\n")
    assert len(told) <= 301
    assert told[:-1].isprintable()
    assert said in told


def test_the_api_says_the_same() -> None:
    for changes in ({"game.columns": 10**5000}, {"network.hidden": [[[[[[[[[[]]]]]]]]]]}):
        with pytest.raises(RecipeError) as refused:
            load_recipe("connect-four").change(changes)
        assert len(str(refused.value)) < 300


def evolve_apart(
    folder: Path, *words: str, shell: str = "", **environment: str
) -> tuple[int, str, str]:
    """Return the exit code and all output of a process; *shell* follows its words."""
    command = ["sh", "-c", f'"$0" -m evolve_arena.cli.main "$@" {shell}', sys.executable, *words]
    options = {"env": {**os.environ, **environment}, "stdin": subprocess.DEVNULL}
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_letters_that_the_terminal_lacks_are_written_out(tmp_path: Path) -> None:
    code, out, err = evolve_apart(tmp_path, "list", "players", PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert "he rule player of \\u0141abno (2018)" in out


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(tmp_path: Path, closed: str) -> None:
    code, out, err = evolve_apart(tmp_path, "--version", shell=closed)
    assert (code, err) == (0, "")
    assert out == ("" if closed in (">&-", "<&- >&- 2>&-") else "evolve-arena 0.1.0\n")
    assert evolve_apart(tmp_path, "game", "perft", shell=closed)[:2] == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    code, _, err = evolve_apart(tmp_path, "--version", shell=">/dev/full")
    assert (code, err) == (2, "evolve: the system says: No space left on device\n")


def test_ctrl_c_while_modules_are_loaded_is_one_line(tmp_path: Path) -> None:
    """The library of the command line is loaded first; here it is one that presses Ctrl-C."""
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    assert evolve_apart(tmp_path, "list", "recipes", PYTHONPATH=path) == (
        130,
        "",
        "evolve: interrupted\n",
    )
