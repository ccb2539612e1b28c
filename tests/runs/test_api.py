"""The Python interface: what the package names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evolve_arena as ea
from evolve_arena import Run, duel, load, resume, start
from evolve_arena.core import registry
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.game import AnyGame, PlayerKind
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import Stream
from evolve_arena.players import specification
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.player import Player
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import NotARunError, RecipeError, RunExistsError
from evolve_arena.runs.recipes.recipe import Recipe, read_recipe

RecipeMaker = Callable[..., Recipe]
QUICK = [
    "network.hidden=[4]",
    "method.individuals=6",
    "method.tournament_size=2",
    "method.elites=0",
    "run.generations=3",
    "check.every=2",
    "check.games=10",
]


class Spy(Player):
    """Moves into the first open column and remembers whether it was closed."""

    name = "spy"

    def __init__(self) -> None:
        self.closed = 0

    def choose(self, position: Board, stream: Stream) -> int:
        """The first open column."""
        return make_game("connect-four").legal_moves(position)[0]

    def close(self) -> None:
        """Counts."""
        self.closed += 1


@pytest.fixture
def spies(monkeypatch: pytest.MonkeyPatch) -> list[Spy]:
    """All players that were made from the specification ``spy``."""
    made: list[Spy] = []

    def make(argument: str, game: BoardGame) -> Player:
        made.append(Spy())
        return made[-1]

    monkeypatch.setitem(specification.KINDS, "spy", PlayerKind("spy", "a spy", make))
    return made


def test_the_interface_is_what_the_package_names() -> None:
    assert set(ea.__all__) == {name for names in ea.PLACES.values() for name in names}
    assert dir(ea) == ea.__all__
    for name in ea.__all__:
        assert callable(getattr(ea, name))
    with pytest.raises(AttributeError, match="no attribute 'begin'"):
        _ = ea.begin  # type: ignore[attr-defined]


def test_a_run_lies_where_its_recipe_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_recipe: RecipeMaker
) -> None:
    monkeypatch.chdir(tmp_path)
    run = start("connect-four", changes=QUICK, executor="serial")
    assert run.path == Path("evolved/connect-four")
    assert (tmp_path / "evolved" / "connect-four" / "recipe.toml").is_file()
    Path("mine.toml").write_text("[run]\ngenerations = 0\n")
    assert start("mine.toml", executor="serial").path == Path("evolved/mine")
    assert start(small_recipe("run.generations=0"), executor="serial").path == Path("evolved/run")


def test_changes_and_the_seed_are_in_the_runs_recipe(tmp_path: Path) -> None:
    run = start("connect-four", run=tmp_path / "run", changes=QUICK, seed=5, executor="serial")
    recipe = read_recipe(tmp_path / "run" / "recipe.toml")
    assert recipe == run.recipe
    assert recipe.run.seed == run.state().seed == 5
    assert recipe.network["hidden"] == [4]
    assert run.generation == 3


def test_changes_and_the_seed_reach_a_recipe_that_is_an_object(
    tmp_path: Path, small_recipe: RecipeMaker
) -> None:
    recipe = small_recipe()
    run = start(
        recipe,
        run=tmp_path / "run",
        changes=["run.generations=2", "method.elites=1"],
        seed=5,
        executor="serial",
    )
    assert run.state().seed == 5
    assert run.generation == 2
    assert run.recipe.method["elites"] == 1
    assert recipe.run.generations == 8


def test_a_run_is_not_replaced_unless_forced(tmp_path: Path, small_recipe: RecipeMaker) -> None:
    path = tmp_path / "run"
    first = start(small_recipe(), run=path, executor="serial")
    digest = first.population_sha256
    with pytest.raises(RunExistsError, match="exists: resume it"):
        start(small_recipe(), run=path, seed=2, executor="serial")
    assert load(path).population_sha256 == digest
    second = start(small_recipe(), run=path, seed=2, executor="serial", force=True)
    assert second.population_sha256 != digest
    assert load(path).recipe.run.seed == 2
    assert sorted({check.generation for check in second.checks()}) == [0, 3, 6, 8]


@pytest.mark.parametrize(
    "wrong",
    [
        {"recipe": "conect-four"},
        {"changes": ["run.sede=1"]},
        {"changes": ['check.opponents=["tset-bot"]']},
        {"seed": -1},
        {"executor": "serail"},
        {"workers": 0},
    ],
)
def test_a_mistake_makes_no_directory(tmp_path: Path, wrong: dict[str, object]) -> None:
    arguments = {"recipe": "connect-four", "executor": "serial", **wrong}
    with pytest.raises(ArenaError):
        start(run=tmp_path / "run", **arguments)  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


def test_a_prepared_run_has_not_begun(tmp_path: Path) -> None:
    run = prepare("connect-four", run=tmp_path / "run", changes=QUICK)
    assert run.directory.generations() == []
    assert run.recipe == load(tmp_path / "run").recipe
    with pytest.raises(NotARunError, match="the run has not begun"):
        run.checks()
    run.advance(executor="serial")
    assert run.generation == 3


def test_what_is_no_run_cannot_be_loaded_or_resumed(tmp_path: Path) -> None:
    for act in (load, resume):
        with pytest.raises(NotARunError, match="nowhere does not exist"):
            act(tmp_path / "nowhere")
        with pytest.raises(NotARunError, match=r"no recipe\.toml"):
            act(tmp_path)
    (tmp_path / "recipe.toml").write_text("[run]\nsede = 1\n")
    with pytest.raises(RecipeError, match=r"recipe\.toml: .* edited it: run\.sede is no key"):
        load(tmp_path)


def test_a_run_with_something_that_is_gone_is_told_to_be_of_another_version(
    tmp_path: Path,
) -> None:
    run = prepare("checkers-features", run=tmp_path / "run")
    text = run.directory.recipe.read_text(encoding="utf-8")
    told = r"recipe\.toml: another version of Evolve Arena made .*: "
    for before, now, why in (
        ("[game]", "[game]\nturned = false", r"game\.turned is no key$"),
        ('encoding = "features"', 'encoding = "two-planes"', "unknown encoding"),
    ):
        run.directory.recipe.write_text(text.replace(before, now))
        for act in (load, resume):
            with pytest.raises(RecipeError, match=told + why):
                act(run.path)
    older = text.replace("[method]", "[method]\nschedule_games = 1000000")
    run.directory.recipe.write_text(older)  # what it said changed nothing
    assert load(run.path).recipe == run.recipe
    run.directory.recipe.write_text(text.replace('"checkers"', '"chess"'))
    with pytest.raises(RecipeError, match=r"recipe\.toml: unknown game 'chess'"):
        load(run.path)
    written = tmp_path / "mine.toml"  # but who writes a recipe is told of the key alone
    written.write_text("[game]\nname = 'checkers'\nturned = false\n")
    with pytest.raises(RecipeError, match=r"mine\.toml: game\.turned is no key"):
        prepare(str(written), run=tmp_path / "other")


def test_looking_at_a_run_changes_no_file(tmp_path: Path, small_recipe: RecipeMaker) -> None:
    path = tmp_path / "run"
    start(small_recipe(), run=path, executor="serial")

    def files() -> dict[Path, tuple[bytes, int]]:
        return {
            file: (file.read_bytes(), file.stat().st_mtime_ns)
            for file in path.rglob("*")
            if file.is_file()
        }

    before = files()
    run = load(path)
    assert isinstance(run, Run)
    _ = run.generation, run.population_sha256, run.checks(), run.champion, run.champion_at(3)
    after = files()
    assert {file: after[file] for file in before} == before
    assert {file.name for file in after} - {file.name for file in before} <= {
        "history.db-shm",
        "history.db-wal",
    }


def test_warnings_stay_until_they_are_read(tmp_path: Path, small_recipe: RecipeMaker) -> None:
    path = tmp_path / "run"
    first = start(small_recipe(), run=path, executor="serial")
    first.directory.checkpoint(8).write_bytes(b"torn")
    run = resume(path, executor="serial")
    assert run.generation == 8
    assert len(run.population_sha256) == 64
    assert ["gen-000008.safetensors" in warning for warning in run.warnings] == [True]


def test_players_meet_by_specification(tmp_path: Path, small_recipe: RecipeMaker) -> None:
    path = tmp_path / "mine"
    run = start(small_recipe(), run=path, executor="serial")
    result = duel(f"run:{path}", "test-bot", games=100, seed=3)
    assert result.names == ("mine", "test-bot")
    assert result.games == 100
    again = duel(run.champion, "test-bot", games=100, seed=3)
    assert (again.wins, again.draws, again.losses) == (result.wins, result.draws, result.losses)
    earlier = duel(f"run:{path}@3", "random", games=10)
    assert earlier.names == ("mine@3", "random")
    file = duel(f"file:{path / 'champion.safetensors'}", "test-bot", games=100, seed=3)
    assert (file.wins, file.draws, file.losses) == (result.wins, result.draws, result.losses)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("tset-bot", UnknownNameError, r"'tset-bot': did you mean 'test-bot'"),
        ("run:nowhere", NotARunError, "nowhere does not exist"),
        ("run:nowhere@x", BadValueError, "after @ stands a generation's number"),
        ("run:", BadValueError, "write run:PATH"),
        ("random:7", BadValueError, "write random"),
        ("file:nowhere", ArenaError, "file:nowhere: No such file"),
    ],
)
def test_a_specification_that_names_nobody_is_an_error(
    text: str, error: type[ArenaError], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        duel("random", text, games=2)


def test_who_is_made_for_a_duel_is_closed_and_who_is_lent_is_not(spies: list[Spy]) -> None:
    lent = Spy()
    duel("spy", lent, games=2)
    assert [spy.closed for spy in spies] == [1]
    assert lent.closed == 0
    with pytest.raises(BadValueError):
        duel("spy", "random", games=0)
    assert [spy.closed for spy in spies] == [1, 1]


def test_who_was_made_is_closed_if_the_next_one_cannot_be_made(
    spies: list[Spy], tmp_path: Path
) -> None:
    with pytest.raises(UnknownNameError):
        duel("spy", "tset-bot", games=2)
    assert [spy.closed for spy in spies] == [1]
    changes = [*QUICK, 'check.opponents=["spy", "tset-bot"]']
    with pytest.raises(RecipeError):
        start("connect-four", run=tmp_path / "run", changes=changes)
    assert [spy.closed for spy in spies] == [1, 1]


def test_a_runs_opponents_are_closed_however_it_ends(spies: list[Spy], tmp_path: Path) -> None:
    changes = [*QUICK, 'check.opponents=["spy"]']
    run = start("connect-four", run=tmp_path / "run", changes=changes, executor="serial")
    assert {check.opponent for check in run.checks()} == {"spy"}
    assert [spy.closed for spy in spies] == [1] * len(spies)

    def stumble(progress: object) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        resume(run.path, generations=9, executor="serial", callbacks=stumble)
    assert [spy.closed for spy in spies] == [1] * len(spies)
    assert resume(run.path, executor="serial").generation == 9


def test_a_game_and_a_player_of_ones_own_are_met_by_name() -> None:
    mine = replace(
        find_game("connect-four"),
        game=type("Mine", (find_game("connect-four").game,), {"name": "mine"}),
    )
    ea.register_game(mine)
    ea.register_player("first", PlayerKind("first", "the first move", _make_first))
    try:
        assert ea.make_game("mine").name == "mine"
        assert ea.duel("first", "random", games=20, game=ea.make_game("mine")).score > 0.2
        table = ea.tournament(["first", "random", "test-bot"], games=20, seed=1)
        assert table.names == ("first", "random", "test-bot")
        assert ea.evaluate("first", opponents=["random"], games=20)["player"] == "first"
    finally:
        registry._registered.clear()
        specification.KINDS.pop("first")


def _make_first(argument: str, game: AnyGame) -> Player:
    class First(Player):
        name = "first"

        def choose(self, position: Any, stream: Stream) -> Any:
            return game.legal_moves(position)[0]

    return First()
