"""Completion in the shell, asked as shells ask."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evolve_arena.core import registry
from tests import forked

SHELLS = ("bash", "zsh", "fish")


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("COMP_")}
    kept |= {"PYTHONPATH": str(Path(__file__).parents[2]), "EVOLVE_ARENA_CACHE": str(folder / "c")}
    command = [sys.executable, "-m", "evolve_arena.cli.main", *words]
    return subprocess.run(
        command, cwd=folder, env=kept | environment, capture_output=True, text=True, check=False
    )


def complete(folder: Path, *words: str) -> list[str]:
    """Return Bash's completions of the last of the *words*."""
    asked = {"COMP_WORDS": "\n".join(["evolve", *words]), "COMP_CWORD": str(len(words))}
    asked |= {"_EVOLVE_COMPLETE": "complete_bash", "EVOLVE_ARENA_CACHE": str(folder / "c")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in asked.items():
            patch.setenv(name, value)
        patch.setattr(registry, "_registered", {})  # games of other tests in this process
        done = forked.evolve(folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [text for text in done.stdout.splitlines() if text]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("evolved/mine", "evolved/other", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("evolved/mine", "evolved/other"):
        (tmp_path / name / "recipe.toml").write_text("")
    (tmp_path / "my_game.py").write_text("raise SystemExit('this must not be run')")
    return tmp_path


def test_what_stands_where_is_completed(place: Path) -> None:
    assert complete(place, "st") == ["start"]
    assert complete(place, "start", "--gen") == ["--generations"]
    assert complete(place, "start", "connect-four-t") == ["connect-four-td", "connect-four-td-long"]
    assert complete(place, "start", "my") == ["my_game.py"]
    assert complete(place, "info", "") == ["evolved/mine", "evolved/other"]
    assert complete(place, "new") == ["new-game"], "a former spelling, where no other fits"
    assert complete(place, "re") == ["resume", "reproduce"]
    assert complete(place, "game", "v") == ["validate"]
    assert complete(place, "list", "") == ["recipes", "players", "games", "runs"]
    assert complete(place, "game", "perft", "3", "--game", "che") == ["checkers"]
    assert complete(place, "duel", "random", "--game", "my_game.py", "--s") == ["--seed"]
    assert complete(place, "duel", "te") == ["test-bot:", "test-bot:noise=0.2"]
    words = ["duel", "random", "--game", "ticket-to-ride", "ru"]
    assert complete(place, *words) == ["rule:", "rule:noise=0.2", "run:"]
    assert complete(place, "duel", "run", ":", "") == ["evolved/mine", "evolved/other"]


def test_keys_and_values_of_the_recipe_on_the_line(place: Path) -> None:
    set_ = ["start", "connect-four-neat", "--set"]
    assert complete(place, *set_, "neat.pop") == ["neat.pop_size="]
    assert complete(place, "start", "connect-four", "--set", "neat.pop") == []
    assert complete(place, *set_, "run.champion", "=") == ["best-check", "last", "strongest"]
    assert complete(place, *set_, "run.champion", "=", "l") == ["last"]
    varied = complete(place, "sweep", "connect-four", "--set", "run.champion", "=", "last,b")
    assert varied == ["last,best-check"]
    remembered = (place / "c/completions/completions.json").read_text()
    assert "neat.pop_size" in remembered
    (place / "c/completions/completions.json").write_text(remembered.replace("pop_size", "popped"))
    assert complete(place, *set_, "neat.pop") == ["neat.popped="], "it is not found out anew"
    (place / "c/completions/completions.json").write_text("[[")
    assert complete(place, *set_, "neat.pop") == ["neat.pop_size="]


def test_other_shells(place: Path) -> None:
    words = {"_TYPER_COMPLETE_ARGS": "evolve start hex-", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert run(place, _EVOLVE_COMPLETE="complete_fish", **words).stdout == "hex-evolved\n"
    assert '"hex-evolved"' in run(place, _EVOLVE_COMPLETE="complete_zsh", **words).stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_can_be_shown(place: Path, shell: str) -> None:
    quiet = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = run(place, "--show-completion", shell, **quiet)
    assert done.returncode == 0
    assert f"_EVOLVE_COMPLETE=complete_{shell}" in done.stdout


def test_help_loads_nothing_heavy(place: Path) -> None:
    program = """
import sys
from evolve_arena.cli.main import main
try:
    main()
finally:
    heavy = {"numpy", "numba", "rich", "scipy", "matplotlib"} & sys.modules.keys()
    print(sorted(heavy), file=sys.stderr)
"""
    (place / "program.py").write_text(program)
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for words in (["--help"], ["start", "--help"], []):
        command = [sys.executable, "program.py", *words]
        done = subprocess.run(command, cwd=place, env=path, capture_output=True, check=False)
        assert done.stderr == b"[]\n"
