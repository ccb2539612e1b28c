"""`evolve sweep`: what is tried, what of it mattered, and the same table whatever happens to it."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve_arena as ea
from evolve_arena.arena.intervals import mean_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.runs.many.sweep import Sweep, SweepRow, read_sweep
from evolve_arena.runs.store import files
from tests import forked

VALUES = ["--set", "variation.step_size=0.1,1.0", "--set", "method.tournament_size=2,4"]


@pytest.fixture
def recipe(small_recipe: Callable[..., ea.Recipe], tmp_path: Path) -> str:
    file = tmp_path / "small.toml"
    file.write_text(small_recipe("run.generations=3").to_toml())
    return str(file)


def test_the_command_tells_of_all_runs_and_of_what_mattered(recipe: str, tmp_path: Path) -> None:
    words = ["sweep", recipe, *VALUES, "--seeds", "2", "--games", "50", "--workers", "2"]
    whole = forked.evolve(*words, folder=tmp_path)
    assert whole.returncode == 0
    assert "8 runs in" in whole.stderr
    assert "24 generations in all" in whole.stderr
    assert re.search(r"8 of 8 runs, 0 s left", whole.stderr)
    assert (tmp_path / "sweeps/small/sweep.png").read_bytes().startswith(b"\x89PNG")
    assert "Effects: the best value of each setting against its worst" in whole.stdout
    assert forked.evolve(*words, folder=tmp_path).stdout == whole.stdout
    told = forked.evolve(*words, "--json", folder=tmp_path)
    content = json.loads(told.stdout)
    assert told.stderr == ""
    assert len(content["runs"]) == 8
    keys = {each["key"] for each in content["influences"]}
    assert keys == {"variation.step_size", "method.tournament_size"}


def test_what_a_killed_sweep_began_to_write_is_gone_afterwards(
    small_recipe: Callable[..., ea.Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.toml").write_text(small_recipe().to_toml())
    words = ["sweep", "small.toml", "--set", "run.generations=1,2", "--seeds", "1", "--games", "10"]
    folder, replace = tmp_path / "sweeps/small", files._replace
    for name in ("measured.json", "runs.csv", "sweep.png"):

        def die(new: str, path: str, at: int | None, name: str = name) -> None:
            if Path(path).name == name:
                os.kill(os.getpid(), signal.SIGKILL)
            replace(new, path, at)

        monkeypatch.setattr(files, "_replace", die)
        assert forked.evolve(*words, folder=tmp_path).returncode == -signal.SIGKILL
        assert [*folder.rglob(f".{name}.*")]
    monkeypatch.undo()
    assert forked.evolve(*words, folder=tmp_path).returncode == 0
    assert {file.name for file in folder.rglob(".*")} == {".lock"}


def test_commas_divide_values_unless_they_stand_in_one() -> None:
    tried, common = read_sweep(
        [
            "network.hidden=[8], [16, 16],[]",
            "check.opponents=[\"a,b\"],['c']",
            'method.crossover={name = "uniform", share = 0.5},blend',
            'title="one, two"',
            "method.individuals = 20",
        ]
    )
    assert tried == {
        "network.hidden": [[8], [16, 16], []],
        "check.opponents": [["a,b"], ["c"]],
        "method.crossover": [{"name": "uniform", "share": 0.5}, "blend"],
    }
    assert common == {"title": "one, two", "method.individuals": 20}
    text = "\U0001f600" * 300_000  # letter by letter it took half a minute
    begun = time.monotonic()
    assert read_sweep([f"title={text},'{text},'"]) == ({"title": [text, f"{text},"]}, {})
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["method.mutation_strenth=0.1,0.2"], "did you mean 'mutation_strength'"),
        (["method.pop_size=1,2"], "did you mean|known: "),
        (["network.activation=tanh,relux"], "unknown activation 'relux': did you mean 'relu'"),
        (["variation.step_size=0.1,high"], "'high': it must be a number"),
        (["method.tournament_size=3,,4"], "a value is missing beside a comma"),
        (["method.tournament_size=3,3"], "has the value '3' twice"),
        (["method.tournament_size=3"], "nothing is varied: .*method.tournament_size=ONE,OTHER"),
        (["check.games=4,6", "--set", "check.games=8"], "check.games is given twice"),
        (["run.seed=1,2"], "run.seed can't be swept: --seeds sets the seeds"),
        (["check.games=4,6", "--against", "tset-bot"], "did you mean 'test-bot'"),
        (["check.games=4,6", "--set", "check.opponents=[]"], "name one with --against"),
    ],
)
def test_what_is_wrong_is_told_in_a_line_before_anything_is_bred(
    words: list[str], said: str, tmp_path: Path
) -> None:
    done = forked.evolve("sweep", "connect-four", "--set", *words, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(said, done.stderr)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "sweeps").exists()


def make_sweep(scores: Callable[[int, int, int], float], sizes: list[int]) -> Sweep:
    rows = [
        SweepRow("", {"a.size": size, "b.flag": flag}, seed, scores(size, flag, seed), 0.0, 1.0, 9)
        for size in sizes
        for flag in (0, 1)
        for seed in (1, 2)
    ]
    return Sweep(Path("nowhere"), ["a.size", "b.flag"], "random", rows, by_points=False)


def test_twins_tell_how_much_a_key_mattered() -> None:
    # Seeds differ far more than settings do; between twins that makes no difference.
    found = make_sweep(
        lambda size, flag, seed: 0.1 * seed + 0.05 * size + 0.01 * flag * seed, [1, 2, 3]
    )
    size, flag = found.influences
    assert (size.key, size.best, size.worst, size.pairs) == ("a.size", 3, 1, 4)
    assert size.difference == pytest.approx(0.1)
    assert (size.low, size.high) == pytest.approx((0.1, 0.1))
    assert (flag.key, flag.best, flag.worst, flag.pairs) == ("b.flag", 1, 0, 6)
    assert flag.difference == pytest.approx(0.015)
    assert (flag.low, flag.high) == pytest.approx(mean_interval([0.01, 0.02] * 3))
    assert found.influence_table()[1][0] == ("a.size", "3", "1", "0.100", "0.100 to 0.100")
    rows = [SweepRow("", {"a.b": value}, 1, value / 10, 0.0, 1.0, 9) for value in (1, 2)]
    found = Sweep(Path("nowhere"), ["a.b"], "random", rows, by_points=False)
    assert math.isnan(found.influences[0].low)
    assert found.influence_table()[1] == [("a.b", "2", "1", "0.100", "-")]
    assert found.to_dict()["influences"][0]["low"] is None

    def score(size: int, flag: int, seed: int) -> float:
        return 0.5 + 0.02 * size * seed

    two, three = make_sweep(score, [1, 3]).influences[0], make_sweep(score, [1, 2, 3]).influences[0]
    assert two.difference == three.difference
    assert three.high - three.low > 1.3 * (two.high - two.low)


def test_nobody_is_asked_twice_about_the_same_program(
    small_recipe: Callable[..., ea.Recipe], tmp_path: Path, recipe: str
) -> None:
    file = tmp_path / "small.toml"
    text = small_recipe().to_toml()
    file.write_text(re.sub(r"opponents = \[[^\]]*\]", "opponents = ['process:\"no bot\"']", text))
    asked: list[str] = []

    def refuse_second(command: str) -> bool:
        asked.append(command)
        return len(asked) == 1

    values = {"method.tournament_size": [2, 3]}
    with pytest.raises(ea.ArenaError, match="no program 'no' to start"):
        ea.sweep(str(file), values, folder=tmp_path / "x", allow_process=refuse_second)
    assert len(asked) == 1
    with pytest.raises(BadValueError, match="the seed has the value '7' twice"):
        ea.sweep(recipe, {"method.tournament_size": [2]}, seeds=[7, 7], folder=tmp_path / "x")


HOSTILE = ('"score": 1e999', '"score": NaN', f'"score": 1{"0" * 400}', '"low": 1.0', '"low": []')


def test_what_makes_no_sense_is_measured_anew(recipe: str, tmp_path: Path) -> None:
    tried = {"variation.step_size": [0.1]}
    settings = {"changes": ["run.generations=1"], "seeds": 1, "games": 10}

    def score() -> SweepRow:
        (row,) = ea.sweep(recipe, tried, folder=tmp_path / "s", workers=1, **settings).rows
        return row

    whole = score()
    (file,) = (tmp_path / "s").glob("*/measured.json")
    known = file.read_text()
    key = {text: text.partition(":")[0] for text in HOSTILE}
    texts = [re.sub(rf"{key[text]}: [^,}}]+", text, known) for text in HOSTILE]
    for text in (*texts, "[" * 100_000, known[:-1], ""):
        assert text != known
        file.write_text(text)
        assert score() == whole, text[:200]
        assert file.read_text() == known
