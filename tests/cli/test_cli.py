"""The command line as a user meets it: real processes, real directories."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.cli.main import main
from evolve_arena.core.registry import find_game
from evolve_arena.runs.recipes.recipe import keys_of, read_content
from tests import forked
from tests.special import make_special

SMALL = ["--set", "method.individuals=20", "--set", "check.games=40", "--set", "check.every=2"]
NAMES = ["--set", "run.generations=4", "--quiet"]


def evolve(*words: str, folder: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = forked.evolve(*words, folder=folder)
    assert done.returncode == code, done.stderr + done.stdout
    return done


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the run ``evolved/connect-four`` lies, four generations old."""
    folder = tmp_path_factory.mktemp("place")
    evolve("start", "connect-four", *SMALL, *NAMES, folder=folder)
    return folder


RUN = "evolved/connect-four"


def test_start_leaves_a_whole_run(place: Path) -> None:
    run = place / RUN
    assert {"recipe.toml", "history.db", "champion.safetensors", "checkpoints"} <= {
        file.name for file in run.iterdir()
    }
    info = json.loads(evolve("info", RUN, "--json", folder=place).stdout)
    assert info["generation"] == info["generations"] == 4
    assert len(info["population_sha256"]) == 64
    assert info["last_check"]["generation"] == 4
    assert set(info["last_check"]["opponents"]) == {"random", "test-bot"}
    assert info["last_check"]["opponents"]["random"]["games"] == 40
    text = evolve("info", RUN, folder=place).stdout
    assert info["population_sha256"] in text
    assert "generation 4 of 4" in text


def test_a_run_is_not_overwritten_without_force(place: Path) -> None:
    refused = evolve("start", "connect-four", *SMALL, *NAMES, folder=place, code=2)
    assert "exists" in refused.stderr
    assert "--force" in refused.stderr
    assert refused.stderr.count("\n") == 1
    words = ["--run", "twice", *SMALL, *NAMES]
    evolve("start", "connect-four", *words, folder=place)
    evolve("start", "connect-four", *words, "--force", folder=place)


def test_resume_goes_on_and_says_when_there_is_nothing_to_do(place: Path) -> None:
    words = ["--run", "longer", *SMALL, "--set", "run.generations=2", "--quiet"]
    evolve("start", "connect-four", *words, folder=place)
    done = evolve("resume", "longer", folder=place)
    assert "complete at generation 2" in done.stdout
    evolve("resume", "longer", "--generations", "4", "--workers", "1", "--quiet", folder=place)
    one = json.loads(evolve("info", "longer", "--json", folder=place).stdout)
    other = json.loads(evolve("info", RUN, "--json", folder=place).stdout)
    assert one["population_sha256"] == other["population_sha256"]
    words = ["--from", "0", "--force", "--executor", "serial", "--quiet"]
    evolve("resume", "longer", *words, folder=place)
    again = json.loads(evolve("info", "longer", "--json", folder=place).stdout)
    assert again["population_sha256"] == other["population_sha256"]
    wrong = evolve("resume", "longer", "--from", "3", "--quiet", folder=place, code=2)
    assert "no checkpoint of generation 3" in wrong.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["start", "conect-four"], "did you mean 'connect-four'?"),
        (["start", "connect-four", "--set", "generations=5"], "did you mean 'run.generations'?"),
        (["start", "connect-four", "--set", "elits=1"], "did you mean 'method.elites'?"),
        (["start", "connect-four", "--set", "hall_of_fame=1"], "'method.hall_of_fame'"),
        (["start", "connect-four", "--set", "check.generations=5"], "'run.generations'?"),
        (["start", "connect-four-neat", "--set", "pop_size=5"], "'neat.pop_size'?"),
        (
            ["start", "hex", "--generations", "3", "--set", "run.generations=4"],
            "--generations 3 and --set run.generations=4 say the same",
        ),
        (["strat"], "Did you mean 'start'?"),
        (["duel", "random", "random", "--gmaes", "3"], "--games"),
        (["recipes", "hexx"], "did you mean 'hex'?"),
        (["info", "evolvd/conect-four"], "did you mean evolved/connect-four?"),
        (["duel", "run:evolvd/connect-four", "random"], "did you mean evolved/connect-four?"),
        (
            ["duel", "file:evolved/connect-four/champio.safetensors", "random"],
            "did you mean evolved/connect-four/champion.safetensors?",
        ),
        (["duel", "minmax:depth=2", "random"], "did you mean 'minimax:depth=2'?"),
        (["duel", "random", "tset-bot"], "did you mean 'test-bot'?"),
        (["start", "connect-four", "--executor", "seriel", "--run", "x"], "'serial'"),
        (["start", "connect-four", "--workers", "0", "--run", "x"], "workers is 0"),
        (["resume", "nowhere"], "nowhere does not exist"),
        (["info", "."], "is no run"),
        (["plot", RUN, "--to", "x.gif"], ".gif"),
        (["export", RUN, "--to", "pyton"], "did you mean 'python'?"),
        (["export", RUN, "--generation", "3"], "no champion of generation 3"),
        (["duel", "random", "run:nowhere"], "nowhere does not exist"),
        (["duel", "random", "test-bot", "--openings", "30"], "from 0 to 10"),
        (["duel", "random", "process:no-such-program"], "no-such-program"),
        (["tournament", "random"], "at least two players"),
        (["evaluate", "random", "--positions", "nowhere.csv"], "nowhere.csv"),
        (["perft", "3", "--game", "conect-four"], "did you mean 'connect-four'?"),
        (["perft", "3", "--position", "00000000"], "0 can't be played here"),
        (["perft", "3", "my_game.py"], "my_game.py: No such file"),
        (["perft", "chess"], "'chess' is no number from 1 to 30"),
        (["perft", "31"], "'31' is no number from 1 to 30"),
        (["perft", "3", "hex", "--szie", "4"], "did you mean '--size'?"),
        (["perft", "3", "hex", "--columns", "9"], "unknown option of hex 'columns'"),
        (["reproduce", "four-in-a-rows"], "did you mean 'four-in-a-row'?"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(place: Path, words: list[str], said: str) -> None:
    done = evolve(*words, folder=place, code=2)
    assert said in done.stderr
    assert done.stderr.startswith("evolve: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_json_is_all_that_is_printed(place: Path) -> None:
    for words in (
        ["recipes"],
        ["players"],
        ["info", RUN],
        ["duel", "test-bot", f"run:{RUN}", "--games", "20"],
        ["tournament", "random", "test-bot", f"run:{RUN}@2", "--games", "20"],
        ["evaluate", f"run:{RUN}", "--games", "20"],
        ["perft", "4"],
    ):
        done = evolve(*words, "--json", folder=place)
        assert isinstance(json.loads(done.stdout), dict)
        warned = done.stderr.splitlines()
        assert all("intervals are too narrow" in line for line in warned)


def test_duel_and_evaluate_tell_what_was_promised(place: Path) -> None:
    done = evolve("duel", "test-bot", "random", "--games", "300", "--json", folder=place)
    result = json.loads(done.stdout)
    keys = {"games", "wins", "draws", "losses", "score", "wilson_95", "distinct_games"}
    assert keys <= set(result)
    assert result["games"] == 300 == result["wins"] + result["draws"] + result["losses"]
    assert result["wilson_95"][0] > 0.5
    assert sum(result["terminations"].values()) == 300
    (place / "scores.csv").write_text("moves,s0,s1,s2,s3,s4,s5,s6\n333,-2,-1,0,2,0,-1,-2\n")
    (place / "themes.csv").write_text("theme,line,moves,answer\nattack,column,030303,0\n")
    words = ["--positions", "scores.csv", "--positions", "themes.csv", "--games", "20", "--json"]
    content = json.loads(evolve("evaluate", "test-bot", *words, folder=place).stdout)
    assert {"random", "minimax:depth=4,noise=0.2"} <= set(content["opponents"])
    assert content["positions"]["scores.csv"]["count"] == 1
    assert content["positions"]["themes.csv"]["solved"]["overall"] == 1.0
    assert content["positions"]["themes.csv"]["solved"]["by_theme"] == {"attack": 1.0}
    assert content["positions"]["themes.csv"]["solved"]["by_line"] == {"column": 1.0}


def test_recipes_keys_tells_each_key_of_a_recipe(place: Path) -> None:
    done = evolve("recipes", "hex", "--keys", folder=place)
    lines = done.stdout.splitlines()
    at = lines.index("game.size = 7   (3 to 11)")
    assert lines[at + 1].strip() == "Cells along a side of the board."
    every = next(line for line in lines if line.startswith("check.every = "))
    assert "(whole number from 1" in every
    told = json.loads(evolve("recipes", "hex", "--keys", "--json", folder=place).stdout)["keys"]
    written = keys_of(read_content("hex"))
    assert all(any(each.startswith(key["key"]) for each in written) for key in told)
    sections = ("run.", "check.", "network.", "game.")
    assert {key for key in written if key.startswith(sections)} <= {key["key"] for key in told}
    assert all(key["meaning"] for key in told)
    evolve("new-game", "keyed", folder=place)
    done = evolve("recipes", "keyed.py", "--keys", folder=place)
    assert 'game.name = "keyed"' in done.stdout


def test_perft_counts_in_a_file_with_options(place: Path) -> None:
    evolve("new-game", "rows", folder=place)
    for words in (["3", "--game", "rows.py"], ["rows.py", "3"], ["rows.py"]):
        done = evolve("perft", *words, "--json", folder=place)
        counts = [9, 72, 504, 3024]
        assert json.loads(done.stdout)["perft"] == counts[: 4 if len(words) == 1 else 3]
    source = find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]
    options = "HELD = 0\nOPTIONS = {'HELD': (0, 4)}\nLONGEST = CELLS - HELD"
    source = source.replace("LONGEST = CELLS", options)
    loop = "range({}CELLS):\n        if state[cell] == 0:\n            moves"
    source = source.replace(loop.format(""), loop.format("HELD, "), 1)
    (place / "held.py").write_text(source, encoding="utf-8")
    done = evolve("perft", "2", "held.py", "--held", "4", "--json", folder=place)
    assert json.loads(done.stdout)["perft"] == [5, 20]
    words = ["random", "random", "--games", "1", "--held", "4"]
    assert evolve("play", "held.py", *words, folder=place).stdout


def test_plot_and_export_leave_files(place: Path) -> None:
    done = evolve("plot", RUN, folder=place)
    assert Path(place / done.stdout.strip()).read_bytes().startswith(b"\x89PNG")
    evolve("plot", RUN, "--to", "fitness.svg", folder=place)
    assert "<svg" in (place / "fitness.svg").read_text()
    done = evolve("plot", RUN, "--ancestors", "--games", "4", folder=place)
    assert Path(place / done.stdout.strip()).is_file()
    evolve("export", RUN, "--out", "bot.py", "--generation", "2", folder=place)
    again = evolve("export", RUN, "--out", "bot.py", folder=place, code=2)
    assert "bot.py exists" in again.stderr
    evolve("export", RUN, "--out", "bot.py", "--force", folder=place)
    words = [f"process:{sys.executable} bot.py", "random", "--games", "4", "--json"]
    result = json.loads(evolve("duel", *words, folder=place).stdout)
    assert set(result["terminations"]) <= {"win", "draw"}


def test_a_person_who_leaves_resigns(place: Path) -> None:
    done = evolve("duel", "human", "random", "--games", "2", "--json", folder=place)
    start = done.stdout.index("{")
    assert json.loads(done.stdout[start:])["terminations"] == {"resigned": 2}


def interrupt_start(recipe: str, folder: Path, until: Callable[[], bool], *changes: str) -> Any:
    """Presses Ctrl-C once *until* holds; gives what is known of the run ``r`` afterwards."""
    words = [word for change in changes for word in ("--set", change)]
    command = [sys.executable, "-m", "evolve_arena.cli.main", "start", recipe, "--run", "r", *words]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, **pipes)
    deadline = time.monotonic() + 60
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "evolve resume r" in out
    assert "Traceback" not in err
    return json.loads(evolve("info", "r", "--json", folder=folder).stdout)


def test_ctrl_c_stops_after_a_checkpoint_and_says_how_to_go_on(tmp_path: Path) -> None:
    changes = ("method.individuals=20", "check.games=40", "run.generations=100000")
    checkpoints = tmp_path / "r/checkpoints"
    info = interrupt_start(
        "connect-four", tmp_path, lambda: len([*checkpoints.glob("gen-*")]) >= 2, *changes
    )
    assert info["generation"] == info["generations_played"] > 0
    assert info["checkpoints"][-1] == info["generation"]


def test_ctrl_c_is_heard_in_a_long_check(tmp_path: Path) -> None:
    """This one would take minutes; what it was about to measure is the champion."""
    changes = ("method.individuals=20", "check.games=100", "check.share=1.0")
    champion, slow = tmp_path / "r/champion.safetensors", 'check.opponents=["mcts:rollouts=3000"]'
    info = interrupt_start("hex-evolved", tmp_path, champion.exists, *changes, slow)
    assert (info["generation"], info["last_check"]) == (0, None)
    assert evolve("duel", "run:r", "random", "--games", "2", folder=tmp_path).stdout


@pytest.mark.parametrize("place", ["evolve_arena.cli.main._run", "evolve_arena.runs.api.duel"])
def test_an_interrupt_ends_with_130(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As shells expect it of a program that Ctrl-C ended, wherever it was."""

    def interrupt(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    monkeypatch.setattr(sys, "argv", ["evolve", "duel", "random", "random"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_an_interrupt_in_a_text_that_is_executed_ends_with_130(tmp_path: Path) -> None:
    """Python notes such a one, and would end itself with SIGINT, though it was caught."""
    program = """
import evolve_arena.cli.main
evolve_arena.cli.main._run = lambda: exec("raise KeyboardInterrupt")
evolve_arena.cli.main.main()
"""
    (tmp_path / "program.py").write_text(program)
    words = [sys.executable, "-m", "program"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(words, capture_output=True, check=False, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (130, b"evolve: interrupted\n")


@pytest.mark.parametrize("kind", ["pipe", "device", "link"])
def test_no_command_writes_over_what_is_no_file(place: Path, tmp_path: Path, kind: str) -> None:
    special = tmp_path / "special"
    make_special(special, "device" if kind == "link" else kind)  # like the null device
    for name, *words in (("bot.py", "export", "--force", "--out"), ("plot.png", "plot", "--to")):
        file = tmp_path / name
        file.symlink_to(special) if kind == "link" else file.hardlink_to(special)
        refused = evolve(words[0], RUN, *words[1:], str(file), folder=place, code=2)
        assert "can't be written: it is a" in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert stat.S_ISLNK(file.lstat().st_mode) == (kind == "link")
        assert not stat.S_ISREG(file.stat().st_mode)
    assert not stat.S_ISREG(special.lstat().st_mode)


def test_info_and_plot_of_a_damaged_history_are_one_line(place: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(place / RUN, run)
    (run / "history.db").write_bytes(b"garbage" * 1000)
    for words in (["info", str(run)], ["plot", str(run)]):
        refused = evolve(*words, folder=tmp_path, code=2)
        assert "history.db can't be used" in refused.stderr
        assert refused.stderr.count("\n") == 1
