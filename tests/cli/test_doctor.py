"""``evolve doctor``: its findings, and its warnings."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve_arena.cli.doctor import LEAST_DISK, _read_quota, examine, find_problems, measure_speed
from evolve_arena.runs.recipes.recipe import Recipe
from tests import forked


def test_it_tells_everything_as_text_and_as_json(tmp_path: Path) -> None:
    done = forked.evolve("doctor", "--quick", "--json", folder=tmp_path)
    content = json.loads(done.stdout)
    parts = {"versions", "extras", "machine", "cache", "runs", "terminal", "problems"}
    assert set(content) == parts
    runs = {"folder": str(tmp_path / "evolved"), "count": 0, "is_writable": True}
    assert runs.items() <= content["runs"].items()
    text = forked.evolve("doctor", "--quick", folder=tmp_path).stdout
    assert all(str(number) in text for number in content["versions"].values())
    assert content["cache"]["folder"] in text


@pytest.mark.parametrize("kept", [True, False])
def test_compiled_code_is_kept_where_it_outlives_the_process(tmp_path: Path, kept: bool) -> None:
    (tmp_path / "file").write_text("no folder can be made under a file")
    (tmp_path / "temporary").mkdir(mode=0o700)
    if not kept:
        (tmp_path / f"temporary/evolve-arena-{os.getuid()}").write_text("nor instead of one")
    folders = {"EVOLVE_ARENA_CACHE": f"{tmp_path}/file", "TMPDIR": f"{tmp_path}/temporary"}
    words = [sys.executable, "-m", "evolve_arena.cli.main", "doctor", "--quick", "--json"]
    done = subprocess.run(words, env=os.environ | folders, capture_output=True, check=True)
    content = json.loads(done.stdout)
    assert content["cache"]["is_kept"] is kept
    assert Path(content["cache"]["folder"]).is_dir() is kept
    assert ("compiled code is not kept" in " ".join(content["problems"])) is not kept


CHANGES: list[tuple[str, str, float, str]] = [
    ("cache", "is_kept", False, "EVOLVE_ARENA_CACHE"),
    ("cache", "free_bytes", LEAST_DISK - 1, "little disk space for compiled code"),
    ("runs", "is_writable", False, "--run"),
    ("runs", "free_bytes", 0, "little disk space for runs"),
    ("machine", "usable_cores", 0.5, "may use 0.5 of"),
    ("machine", "free_memory_bytes", 1, "--workers 1"),
]


@pytest.mark.parametrize(("section", "key", "value", "said"), CHANGES)
def test_each_problem_is_named_with_its_remedy(
    section: str, key: str, value: float, said: str
) -> None:
    content = copy.deepcopy(examine(quick=True))
    content["machine"]["cores"] = content["machine"]["usable_cores"] = 2
    content["machine"]["free_memory_bytes"] = 2**40
    for place in ("cache", "runs"):
        content[place] |= {"free_bytes": 2**40, "is_kept": True, "is_writable": True}
    assert find_problems(content) == []
    content[section][key] = value
    (problem,) = find_problems(content)
    assert said in problem


def test_the_speed_is_that_of_the_recipe(small_recipe: Callable[..., Recipe]) -> None:
    recipe = small_recipe("run.generations=40")
    found = measure_speed(recipe, seconds=0.1)
    for name in ("one_process", "all_workers"):
        assert found[name]["games_per_second"] > found[name]["generations_per_second"] > 0
    long = measure_speed(recipe.change({"run.generations": 40_000}), seconds=0.1)
    assert long["run_seconds"] > 20 * found["run_seconds"] > 0


def test_a_container_may_limit_cores(tmp_path: Path) -> None:
    file = tmp_path / "cpu.max"
    for text, cores in (("150000 100000\n", 1.5), ("max 100000\n", None), ("", None)):
        file.write_text(text)
        assert _read_quota(file) == cores
    assert _read_quota(tmp_path / "nothing") is None
