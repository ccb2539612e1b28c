"""Programs that a recipe of others names: none runs unless the user says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs
import pytest

from evolve_arena import load, resume, start
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import find_game, game_names
from evolve_arena.players.specification import NotPermittedError, make_player, player_kinds
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from tests.forked import evolve
from tests.terminal import Typist

Patch = pytest.MonkeyPatch
Maker = Callable[..., Recipe]

BOT = """touch STARTED; while read line; do
case "$line" in *action*) echo place_disc 0;; esac; done"""
"""A program that leaves a trace, and plays."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: Patch) -> None:
    """Keep the user's permissions in the test's folder, where all programs start."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(name="command")
def _command(tmp_path: Path) -> str:
    (tmp_path / "bot.sh").write_text(BOT)
    return "process:sh bot.sh"


@pytest.fixture(name="foreign")
def _foreign(small_recipe: Maker, command: str, tmp_path: Path) -> str:
    """Write a recipe with a command, as it came from elsewhere."""
    file = tmp_path / "foreign.toml"
    changes = [f"check.opponents=['random', '{command}']", "check.games=2", "run.generations=1"]
    file.write_text(small_recipe(*changes).to_toml())
    return str(file)


def has_started() -> bool:
    """Return True if the program ran since the last call."""
    trace = Path("STARTED")
    started = trace.exists()
    trace.unlink(missing_ok=True)
    return started


def test_nothing_runs_unless_it_is_allowed(foreign: str) -> None:
    with pytest.raises(NotPermittedError) as refused:
        start(foreign, run="mine", executor="serial")
    assert str(refused.value) == (
        "check.opponents runs a program, which needs your word: --allow-process, or"
        " allow_process=True in Python: process:sh bot.sh"
    )
    with pytest.raises(NotPermittedError):
        load_recipe(foreign, ["run.seed=7"]).make_opponents()
    assert not has_started()
    assert not Path("mine").exists()
    run = start(foreign, run="mine", executor="serial", allow_process=True)
    assert has_started()
    assert [check.opponent for check in run.checks()] == ["bot.sh", "random"] * 2


def test_a_command_too_long_for_a_line_says_so(small_recipe: Maker, tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    command = "process:sh " + " " * 300 + "; touch STARTED; cat"
    file.write_text(small_recipe(f"check.opponents=['{command}']").to_toml())
    with pytest.raises(NotPermittedError, match="; read all 331 characters in the recipe"):
        start(str(file), run="mine", executor="serial")
    assert len(evolve("start", str(file), "--run", "mine", folder=Path()).stderr) <= 300
    assert not has_started()


def test_what_was_allowed_is_remembered_for_that_run_and_program(foreign: str) -> None:
    start(foreign, run="mine", executor="serial", allow_process=True)
    resume("mine", generations=2, executor="serial")
    load("mine").advance(executor="serial")
    shutil.copytree("mine", "copy")
    before = Path("mine/recipe.toml").read_text()
    has_started()

    Path("mine/recipe.toml").write_text(before.replace("bot.sh", "bot.sh --more"))
    with pytest.raises(NotPermittedError, match=r"process:sh bot\.sh --more$"):
        resume("mine", generations=3, executor="serial")
    Path("mine/recipe.toml").write_text(before)

    Path("mine/.lock").unlink()
    Path("mine").rename("moved")
    with pytest.raises(NotPermittedError):
        resume("moved", generations=3, executor="serial")
    assert Path("moved/recipe.toml").read_text() == before  # nothing at all was written
    assert not Path("moved/.lock").exists()

    Path("copy").rename("mine")
    with pytest.raises(NotPermittedError):
        load("mine").advance(executor="serial")
    assert not has_started()


def test_in_another_folder_it_is_asked_for_again(foreign: str, monkeypatch: Patch) -> None:
    """The same words start another program there."""
    start(foreign, run="mine", executor="serial", allow_process=True)
    has_started()
    Path("elsewhere").mkdir()
    shutil.copy("bot.sh", "elsewhere")
    monkeypatch.chdir("elsewhere")
    with pytest.raises(NotPermittedError):
        resume("../mine", generations=2, executor="serial")
    assert not has_started()
    monkeypatch.chdir("..")
    resume("mine", generations=2, executor="serial")
    assert has_started()


def test_it_is_noted_where_only_the_user_can_write(foreign: str) -> None:
    start(foreign, run="mine", executor="serial", allow_process=True)
    folder = Path(platformdirs.user_state_dir("evolve-arena")) / "allowed"
    (note,) = folder.iterdir()
    assert [file.stat().st_mode & 0o777 for file in (folder, note)] == [0o700, 0o600]
    assert '"command": "process:sh bot.sh"' in note.read_text()
    assert f'"run": "{Path("mine").resolve()}"' in note.read_text()
    note.chmod(0o666)
    with pytest.raises(NotPermittedError):
        resume("mine", generations=2, executor="serial")


def test_what_a_user_wrote_is_his_word(foreign: str, command: str, small_recipe: Maker) -> None:
    changes = [f"check.opponents=['{command}']", "check.games=2", "run.generations=1"]
    quick = ["network.hidden=[4]", "method.individuals=6", "method.tournament_size=2"]
    start("connect-four", run="typed", changes=[*quick, *changes], executor="serial")
    resume("typed", generations=2, executor="serial")
    made = small_recipe("run.generations=1", "check.games=2")
    made = made.change({"check.opponents": [command]})
    assert made.change({"run.seed": 3}).foreign_programs == []
    start(made, run="made", executor="serial")
    assert has_started()
    for harmless in (load_recipe(foreign), load_recipe(foreign, ["check.games=4"])):
        assert harmless.foreign_programs == [command]
        assert harmless.change({"run.seed": 3}).foreign_programs == [command]
        assert harmless.change({"check.opponents": [command]}).foreign_programs == []


def test_a_user_without_notes_is_asked_each_time(foreign: str, monkeypatch: Patch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(Path(foreign) / "no-folder"))
    start(foreign, run="mine", executor="serial", allow_process=True)
    with pytest.raises(NotPermittedError):
        resume("mine", generations=2, executor="serial")


def test_the_gate_is_shut_unless_somebody_opens_it(command: str, small_recipe: Maker) -> None:
    recipe = small_recipe()
    with pytest.raises(NotPermittedError, match="would run a program"):
        make_player(command, recipe.make_game())
    for game in game_names():
        programs = [name for name, kind in player_kinds(game).items() if kind.runs_code]
        assert programs == (["process"] if find_game(game).dialects else [])


@pytest.mark.parametrize("key", ["stagnation.opponents=['{0}']", "judge='{0}'"])
def test_a_program_is_refused_wherever_else_a_recipe_names_players(command: str, key: str) -> None:
    recipe = "td-lambda" if key.startswith("judge") else "connect-four-neat"
    more = "individuals=2" if key.startswith("judge") else "stagnation.judge='outside'"
    with pytest.raises(ArenaError, match="would run a program"):
        load_recipe(recipe, [f"method.{more}", f"method.{key.format(command)}"])


def test_without_a_terminal_a_command_says_what_to_do(foreign: str) -> None:
    said = evolve("start", foreign, "--run", "mine", folder=Path())
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == (
        "evolve: check.opponents runs a program, which needs your word: --allow-process, or"
        " allow_process=True in Python: process:sh bot.sh\n"
    )
    assert not has_started()
    assert not Path("mine").exists()
    start(foreign, run="mine", executor="serial", allow_process=True)
    Path("mine").rename("moved")
    has_started()
    words = ["resume", "moved", "--generations", "2"]
    assert evolve(*words, folder=Path()).returncode == 2
    assert not has_started()
    assert evolve(*words, "--allow-process", folder=Path()).returncode == 0
    assert has_started()


def test_at_a_terminal_the_user_is_asked(foreign: str) -> None:
    content = Path(foreign).read_text()
    hidden = r"sh bot.sh '\u001b[2J\nharmless\u202e'"
    Path(foreign).write_text(content.replace("sh bot.sh", hidden))
    for answer in ("\n", "\x04"):
        status, shown = at_terminal(["start", foreign, "--run", "mine"], answer)
        assert status == 2
        assert r"process:sh bot.sh '\x1b[2J\nharmless\u202e'" in shown
        assert "\x1b" not in shown
        assert "Let it run? [y/N]" in shown
        assert "evolve: nothing was started, as you did not allow process:sh bot.sh" in shown
        assert not has_started()
        assert not Path("mine").exists()
    assert at_terminal(["start", foreign, "--run", "mine"], "y\n")[0] == 0
    assert has_started()
    resume("mine", generations=2, executor="serial")


ROOT = Path(__file__).resolve().parents[2]


def at_terminal(words: Sequence[str], typed: str) -> tuple[int, str]:
    """Run a command at a terminal where this is typed; return its status and the output."""
    typist = Typist(*words, "--quiet", folder=Path.cwd(), PYTHONPATH=str(ROOT))
    typist.type(typed)
    status = typist.leave()
    return status, typist.seen.replace("\r", "")
