"""The command line as a user meets it: real processes, real directories."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve_arena.cli.main import main
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import JsonObject
from evolve_arena.games import tic_tac_toe
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import load_recipe, read_content
from evolve_arena.runs.recipes.sections import list_keys
from evolve_arena.web import serving
from tests import forked
from tests.special import make_special

SMALL = ["--set", "method.individuals=20", "--set", "check.games=40", "--set", "check.every=2"]
NAMES = ["--set", "run.generations=4", "--quiet"]


def evolve(
    *words: str, folder: Path, code: int = 0, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    done = forked.evolve(*words, folder=folder, typed=typed)
    assert done.returncode == code, done.stderr + done.stdout
    return done


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the run ``evolved/connect-four``, four generations old."""
    folder = tmp_path_factory.mktemp("place")
    evolve("start", "connect-four", *SMALL, *NAMES, folder=folder)
    return folder


RUN = "evolved/connect-four"


def test_a_run_is_not_overwritten_without_force(place: Path) -> None:
    refused = evolve("start", "connect-four", *SMALL, *NAMES, folder=place, code=2)
    assert "exists" in refused.stderr
    assert "--force" in refused.stderr
    assert refused.stderr.count("\n") == 1
    words = ["--run", "twice", *SMALL, *NAMES]
    evolve("start", "connect-four", *words, folder=place)
    evolve("start", "connect-four", *words, "--force", folder=place)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["start", "conect-four"], "did you mean 'connect-four'?"),
        (["start", "connect-four", "--set", "generations=5"], "did you mean 'run.generations'?"),
        (["start", "connect-four", "--set", "elits=1"], "did you mean 'variation.elites'?"),
        (["start", "connect-four", "--set", "hall_of_fame=1"], "'matches.hall_of_fame'"),
        (["start", "connect-four", "--set", "check.generations=5"], "'run.generations'?"),
        (["start", "connect-four-neat", "--set", "pop_size=5"], "'neat.pop_size'?"),
        (
            ["start", "hex", "--generations", "3", "--set", "run.generations=4"],
            "--generations 3 and --set run.generations=4 say the same",
        ),
        (["strat"], "Did you mean 'start'?"),
        (["chekc", "x.py"], "Did you mean 'game validate'?"),
        (["palyers"], "Did you mean 'list players'?"),
        (["new"], "Did you mean 'game new'?"),
        (["page"], "Did you mean 'serve'?"),
        (["my_game.py"], "Did you mean 'start my_game.py' or 'game validate my_game.py'?"),
        (["list", "recipies"], "Did you mean 'recipes'? (evolve list -h explains)"),
        (["game", "start"], "Did you mean 'evolve start'?"),
        (["game", "my_game.py"], "Did you mean 'validate my_game.py'?"),
        (["game", "log", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["game", "log", os.devnull], "is a device, and no regular file"),
        (["game", "new"], "Missing argument 'NAME'"),
        (["duel", "random", "random", "--gmaes", "3"], "--games"),
        (["list", "recipes", "hexx"], "did you mean 'hex'?"),
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
        (["resume", RUN, "--from", "3"], "no checkpoint of generation 3"),
        (["info", "."], "is not a run"),
        (["plot", RUN, "--to", "x.gif"], ".gif"),
        (["export", RUN, "--to", "pyton"], "did you mean 'python'?"),
        (["export", RUN, "--limit", "999"], "the limit is 999"),
        (["export", RUN, "--generation", "3"], "no champion of generation 3"),
        (["duel", "random", "run:nowhere"], "nowhere does not exist"),
        (["duel", "random", "test-bot", "--openings", "30"], "from 0 to 10"),
        (["duel", "random", "process:no-such-program"], "no-such-program"),
        (["tournament", "random"], "at least two players"),
        (["evaluate", "random", "--positions", "nowhere.csv"], "nowhere.csv"),
        (["game", "perft", "3", "--game", "conect-four"], "did you mean 'connect-four'?"),
        (["game", "perft", "3", "--position", "00000000"], "0 can't be played here"),
        (["game", "perft", "3", "my_game.py"], "my_game.py: No such file"),
        (["game", "perft", "chess"], "'chess' is no number from 1 to 30"),
        (["game", "perft", "31"], "'31' is no number from 1 to 30"),
        (["game", "perft", "3", "hex", "--szie", "4"], "did you mean '--size'?"),
        (["game", "perft", "3", "hex", "--columns", "9"], "unknown option of hex 'columns'"),
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
        ["list", "recipes"],
        ["list", "players"],
        ["list", "games"],
        ["list", "runs"],
        ["info", RUN],
        ["duel", "test-bot", f"run:{RUN}", "--games", "20"],
        ["tournament", "random", "test-bot", f"run:{RUN}@2", "--games", "20"],
        ["evaluate", f"run:{RUN}", "--games", "20"],
        ["game", "perft", "4"],
    ):
        done = evolve(*words, "--json", folder=place)
        assert isinstance(json.loads(done.stdout), dict)
        warned = done.stderr.splitlines()
        assert all("intervals are too narrow" in line for line in warned)


def test_recipes_keys_tells_each_key_of_a_recipe(place: Path) -> None:
    done = evolve("list", "recipes", "hex", "--keys", folder=place)
    lines = done.stdout.splitlines()
    at = lines.index("game.size = 7   (3 to 11)")
    assert lines[at + 1].strip() == "Cells along a side of the board."
    every = next(line for line in lines if line.startswith("check.every = "))
    assert "(whole number from 1" in every
    told = json.loads(evolve("list", "recipes", "hex", "--keys", "--json", folder=place).stdout)[
        "keys"
    ]
    written = list_keys(read_content("hex"))
    assert all(any(each.startswith(key["key"]) for each in written) for key in told)
    sections = ("run.", "check.", "network.", "game.")
    assert {key for key in written if key.startswith(sections)} <= {key["key"] for key in told}
    assert all(key["meaning"] for key in told)
    evolve("game", "new", "keyed", folder=place)
    done = evolve("list", "recipes", "keyed.py", "--keys", folder=place)
    assert 'game.name = "keyed"' in done.stdout


def test_perft_counts_in_a_file_with_options(place: Path) -> None:
    evolve("game", "new", "rows", folder=place)
    for words in (["3", "--game", "rows.py"], ["rows.py", "3"], ["rows.py"]):
        done = evolve("game", "perft", *words, "--json", folder=place)
        counts = [9, 72, 504, 3024]
        assert json.loads(done.stdout)["perft"] == counts[: 4 if len(words) == 1 else 3]
    source = find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]
    options = "HELD = 0\nOPTIONS = {'HELD': (0, 4)}\nLONGEST = CELLS - HELD"
    source = source.replace("LONGEST = CELLS", options)
    loop = "range({}CELLS):\n        if state[cell] == 0:\n            moves"
    source = source.replace(loop.format(""), loop.format("HELD, "), 1)
    (place / "held.py").write_text(source, encoding="utf-8")
    done = evolve("game", "perft", "2", "held.py", "--held", "4", "--json", folder=place)
    assert json.loads(done.stdout)["perft"] == [5, 20]
    words = ["random", "random", "--games", "1", "--held", "4"]
    assert evolve("play", "held.py", *words, folder=place).stdout


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (["recipes", "hex"], "recipes", "list recipes"),
        (["players", "--json"], "players", "list players"),
        (["games"], "games", "list games"),
        (["games", "tic-tac-toe"], "games GAME", "game info GAME"),
        (["perft", "3", "hex", "--size", "4"], "perft", "game perft"),
        (["new-game", "formerly", "--force"], "new-game", "game new"),
    ],
)
def test_a_former_spelling_works_and_says_the_present_one(
    place: Path, words: list[str], old: str, new: str
) -> None:
    done = evolve(*words, folder=place)
    assert done.stderr.splitlines()[0] == f"evolve: 'evolve {old}' is now 'evolve {new}'"
    again = evolve(*new.replace(" GAME", "").split(), *words[1:], folder=place)
    assert again.stdout == done.stdout
    assert "is now" not in again.stderr


def test_validate_has_three_spellings(place: Path) -> None:
    evolve("game", "new", "thrice", folder=place)
    for words in (["game", "validate"], ["validate"], ["check"]):
        done = evolve(*words, "thrice.py", "--games", "5", folder=place)
        assert "compiled, 5 random games are the same as plain" in done.stdout
        assert ("evolve: 'evolve check' is now" in done.stderr) is (words == ["check"])


def test_help_of_a_former_spelling_is_that_of_the_command(place: Path) -> None:
    old, new = (evolve(*words, "-h", folder=place) for words in (["check"], ["game", "validate"]))
    assert old.stdout == new.stdout.replace("evolve game validate", "evolve check")
    assert old.stderr == ""


def test_kept_games_are_listed_and_shown(place: Path) -> None:
    words = ["--games", "4", "--seed", "3", "--keep-games", "kept.jsonl"]
    evolve("duel", "random", "test-bot", *words, folder=place)
    lines = evolve("game", "log", "kept.jsonl", folder=place).stdout.splitlines()
    assert [line.split()[0] for line in lines[3:]] == ["1", "2", "3", "4"]
    assert "random - test-bot" in lines[3]
    assert "test-bot:noise=0.2 - random" in lines[4] or "test-bot - random" in lines[4]
    told = json.loads(evolve("game", "log", "kept.jsonl", "2", "--json", folder=place).stdout)
    (game,) = told["games"]
    shown = evolve("game", "log", "kept.jsonl", "2", folder=place).stdout
    rows = [line.split() for line in shown.splitlines() if re.match(r" +\d+ ", line)]
    assert [row[-1] for row in rows][: len(game["moves"])] == game["moves"]
    assert game["result"] in shown
    refused = evolve("game", "log", "kept.jsonl", "5", folder=place, code=2)
    assert "has 4 games: there is no game 5" in refused.stderr
    (place / "other.jsonl").write_text((place / "kept.jsonl").read_text().replace("-four", "-5"))
    refused = evolve("game", "log", "other.jsonl", "1", folder=place, code=2)
    assert "unknown game 'connect-5'" in refused.stderr
    (place / "moves.txt").write_text("3 3 2 4 1")
    text = evolve("game", "log", "moves.txt", "1", folder=place).stdout
    assert re.search(r"5 +x +1|5 +\w+ +1", text)


def interrupt_start(
    recipe: str, folder: Path, until: Callable[[], bool], *changes: str
) -> JsonObject:
    """Press Ctrl-C once *until* holds; return the state of the run ``r`` afterwards."""
    words = [word for change in changes for word in ("--set", change)]
    command = [sys.executable, "-m", "evolve_arena.cli.main", "start", recipe, "--run", "r", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
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


TINY = [
    *("--set", "method.individuals=6", "--set", "method.tournament_size=2"),
    *("--set", "check.games=10", "--generations", "2", "--quiet"),
]


def tell(*words: str, **options: object) -> str:
    """Return all that a command prints."""
    done = evolve(*words, **options)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the run ``evolved/first``."""
    folder = tmp_path_factory.mktemp("home")
    evolve("start", "connect-four", "--run", "evolved/first", *TINY, folder=folder)
    return folder


def test_commands_take_a_run_and_a_champion_by_its_name(home: Path) -> None:
    assert tell("info", "run:evolved/first", folder=home).startswith("evolved/first")
    assert "evolved/first is complete" in tell("resume", "first", folder=home)
    assert "evolved/first/champion.py" in tell("export", "first", "--force", folder=home)
    assert "evolved/first/plots" in tell("plot", "run:first", folder=home)
    assert "evolved/first/plots/network.png" in tell("plot", "first", "--network", folder=home)
    name = "first@2"
    assert "first" in tell("duel", "evolved/first", "random", "--games", "2", folder=home)
    assert "first" in tell("duel", "random", name, "--games", "2", folder=home)
    assert "first" in tell("tournament", name, "random", "--games", "2", folder=home)
    words = ("evaluate", name, "--games", "2", "--opponents", name)
    assert "first" in tell(*words, folder=home)
    text = tell("play", name, "random", "--games", "1", "--delay", "0", folder=home)
    assert "first" in text


def test_the_run_of_another_game_says_what_is_played(tmp_path: Path) -> None:
    tell("start", "tic-tac-toe-evolved", "--run", "evolved/first", *TINY, folder=tmp_path)
    text = tell("duel", "minimax:depth=1,values=first", "first", "--games", "2", folder=tmp_path)
    assert "values=run:first" in text


def test_info_without_a_name_lists_the_runs(home: Path, tmp_path: Path) -> None:
    lines = tell("info", folder=home).splitlines()
    row = next(line for line in lines if "evolved/first" in line)
    assert "connect-four" in row
    assert "2 of 2" in row
    listed = json.loads(tell("info", "--json", folder=home))["runs"]
    assert [(run["run"], run["generation"]) for run in listed] == [("evolved/first", 2)]
    (tmp_path / "evolved/bad").mkdir(parents=True)
    text = tell("info", folder=tmp_path)
    assert text == "there are no runs in evolved; start one: evolve start connect-four\n"
    (tmp_path / "evolved/bad/recipe.toml").write_text("title = ")
    assert "evolved/bad" in tell("info", folder=tmp_path)
    assert json.loads(tell("info", "--json", folder=tmp_path))["runs"][0]["trouble"]


def test_games_that_are_all_the_same_are_warned_of_and_openings_differ(home: Path) -> None:
    words = ["--run", "same", "--seed", "2", *TINY[:-1]]
    words += ["--set", "check.opponents=['run:first']"]
    told = forked.evolve("start", "connect-four", *words, folder=home)
    warning = (
        "check at generation 2: only 2 of 10 games are distinct: the intervals are too narrow;"
        " check.opening_plies = 4 begins each pair of games differently"
    )
    assert f"evolve: {warning}" in told.stderr.splitlines()
    assert f"warning: {warning}" in tell("info", "same", folder=home)
    content = json.loads(tell("info", "same", "--json", folder=home))
    assert content["warnings"].count(warning) == 1
    words += ["--force", "--set", "check.opening_plies=4"]
    told = forked.evolve("start", "connect-four", *words, folder=home)
    assert "distinct:" not in told.stderr
    words = ["evaluate", "first", "--opponents", "run:first", "--games", "20", "--json"]
    usual = json.loads(tell(*words, folder=home))
    assert usual["opening_plies"] == 4
    assert usual["opponents"]["run:first"]["distinct_games"] == 10
    start = json.loads(forked.evolve(*words, "--openings", "0", folder=home).stdout)
    assert start["opening_plies"] == 0
    assert start["opponents"]["run:first"]["distinct_games"] == 1
    assert "begins with 4 random plies" in tell(*words[:-1], folder=home)


def test_a_game_can_be_played_by_its_name(home: Path) -> None:
    def play(*words: str, command: str = "play", code: int = 0) -> str:
        return tell(command, *words, "--seed", "1", folder=home, typed="quit\n", code=code)

    assert play("checkers").startswith("Game 1: minimax:depth=2,noise=0.2 is dark, you are light.")
    assert "minimax:depth=2 (dark)" in play("checkers", "minimax:2")
    (home / "own_game.py").write_text(Path(tic_tac_toe.__file__).read_text())
    assert "quit" in play("own_game.py")
    text = play("checkers", "random", command="duel", code=2)
    assert "checkers is a game and no player: name a player, and --game checkers" in text
    # A run that is called like a game is an opponent.
    shutil.copytree(home / "evolved/first", home / "evolved/connect-four")
    assert play("connect-four").startswith("Game 1: connect-four is x, you are o.")
    shutil.rmtree(home / "evolved/connect-four")


def test_settings_of_another_method_fall_away_unless_they_are_typed(tmp_path: Path) -> None:
    words = ["--set", "neat.pop_size=6", "--set", "check.games=4", "--generations", "1"]
    words += ["--set", "method.name=neat", "--quiet"]
    done = forked.evolve("start", "gomoku", *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "left out" in line]
    assert line.startswith("evolve: left out, since method neat does not have them: network.")
    told = tell("info", "gomoku", folder=tmp_path)
    assert "method neat" in told
    assert "Gomoku, nine by nine: neat" in told
    assert "left out" not in tell("resume", "gomoku", "--generations", "2", folder=tmp_path)
    with pytest.raises(RecipeError, match=r"variation\.elites is a key of the method 'tournament'"):
        load_recipe("connect-four", ["method.name=neat", "variation.elites=1"])
    recipe = load_recipe("connect-four", ["method.name=neat", "neat.pop_size=20"])
    assert recipe.neat is not None
    assert recipe.neat["pop_size"] == 20
    back = recipe.change({"method.name": "tournament"})
    assert back.neat is None
    assert "neat.pop_size" in back.remarks[0]


def test_a_port_that_is_taken_gives_way_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving._bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with serving._listen_near("127.0.0.1", port) as near:
            other = near.getsockname()[1]
            assert port < other < port + serving.NEAR
            with serving._listen_near("127.0.0.1", port) as third:
                assert other < third.getsockname()[1] < port + serving.NEAR
            words = ["serve", str(tmp_path), "--port", str(port)]
            text = tell(*words, folder=tmp_path, code=2)
            free = re.search(r"Address already in use; --port (\d+) is free$", text.strip())
            assert free, text
            assert other < int(free[1]) < port + serving.NEAR
    with serving._listen_near("127.0.0.1", port) as first:
        assert first.getsockname()[1] == port
    with pytest.raises(BadValueError, match=r"can't listen at 203\.0\.113\.7"):
        serving._listen_near("203.0.113.7", port)


@pytest.mark.parametrize("target", ["python", "onnx"])
def test_an_edited_export_is_not_replaced_without_force(target: str, tmp_path: Path) -> None:
    start = ["start", "connect-four", "--run", "one", *TINY]
    tell(*start, folder=tmp_path)
    export = ["export", "one", "--to", target]
    file = tmp_path / tell(*export, folder=tmp_path).splitlines()[-1]
    tell(*start, "--force", "--seed", "3", folder=tmp_path)
    tell(*export, folder=tmp_path)  # of a run that was replaced
    content = file.read_bytes()
    tell(*start, "--force", "--seed", "2", folder=tmp_path)
    file.write_bytes(content)
    tell(*export, folder=tmp_path)
    newer = file.read_bytes()
    assert newer != content
    file.write_bytes(newer + b"\n")
    text = tell(*export, folder=tmp_path, code=2)
    assert f"one/{file.name} was edited since it was exported" in text
    assert text.count("\n") == 1
    assert file.read_bytes() == newer + b"\n"
    tell(*export, "--force", folder=tmp_path)
    assert file.read_bytes() == newer
    tell(*export, folder=tmp_path)
    (tmp_path / "one/.exported.json").unlink()
    tell(*export, folder=tmp_path)  # as it is what would be written
    (tmp_path / "one/.exported.json").write_text("[")
    file.write_bytes(content)
    assert "or another version has exported it" in tell(*export, folder=tmp_path, code=2)
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    tell(*export, folder=tmp_path)
    assert file.read_bytes() == newer
    assert not file.is_symlink()
    assert not (tmp_path / "elsewhere").exists()
