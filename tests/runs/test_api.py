"""The Python interface: what the package names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import evolve_arena as ea
from evolve_arena import Run, duel, load, resume, start
from evolve_arena.core import registry
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.game import PlayerKind
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import Settings
from evolve_arena.players import specification
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.player import Player
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import NotARunError, RecipeError
from evolve_arena.runs.recipes.recipe import Recipe, read_recipe

Maker = Callable[..., Recipe]
QUICK = [
    "network.hidden=[4]",
    "method.individuals=6",
    "method.tournament_size=2",
    "variation.elites=0",
    "run.generations=3",
    "check.every=2",
    "check.games=10",
]


class Spy(Player):
    """Player of the first open column that remembers whether it was closed."""

    name = "spy"

    def __init__(self) -> None:
        self.closed = 0

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the first open column."""
        return make_game("connect-four").legal_moves(position)[0]

    def close(self) -> None:
        """Count the calls."""
        self.closed += 1


@pytest.fixture
def spies(monkeypatch: pytest.MonkeyPatch) -> list[Spy]:
    """Return the list of all players that are made from the specification ``spy``."""
    made: list[Spy] = []

    def make(argument: str, game: BoardGame) -> Player:
        made.append(Spy())
        return made[-1]

    monkeypatch.setitem(specification.KINDS, "spy", PlayerKind("spy", "a spy", make))
    return made


def test_the_interface_is_what_the_package_names() -> None:
    named = {name for names in ea.PLACES.values() for name in names}
    assert set(ea.__all__) == named | {"__version__", "extend"}
    assert dir(ea) == ea.__all__
    for name in named:
        assert callable(getattr(ea, name))
    with pytest.raises(AttributeError, match="no attribute 'begin'"):
        _ = ea.begin


def test_extensions_have_a_module_and_their_old_names_warn() -> None:
    named = {name for names in ea.extend.PLACES.values() for name in names}
    assert set(ea.extend.__all__) == named == set(ea.MOVED)
    assert dir(ea.extend) == ea.extend.__all__
    for name in named:
        new = getattr(ea.extend, name)
        assert callable(new)
        text = f"evolve_arena.{name} is deprecated .*: use evolve_arena.extend.{name}$"
        with pytest.warns(DeprecationWarning, match=text) as caught:
            assert getattr(ea, name) is new
        assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="extend.Method") as caught:
        from evolve_arena import Method
    assert Method is ea.extend.Method
    assert caught[0].filename == __file__
    with pytest.raises(AttributeError, match="has no attribute 'Run'"):
        _ = ea.extend.Run


def test_a_run_lies_where_its_recipe_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_recipe: Maker
) -> None:
    monkeypatch.chdir(tmp_path)
    run = start("connect-four", changes=QUICK, executor="serial")
    assert run.path == Path("evolved/connect-four")
    assert (tmp_path / "evolved" / "connect-four" / "recipe.toml").is_file()
    Path("mine.toml").write_text("[run]\ngenerations = 0\n")
    assert start("mine.toml", executor="serial").path == Path("evolved/mine")
    assert start(small_recipe("run.generations=0"), executor="serial").path == Path("evolved/run")


def test_changes_and_the_seed_reach_an_object(tmp_path: Path, small_recipe: Maker) -> None:
    recipe, path = small_recipe(), tmp_path / "run"
    changes = ["run.generations=2", "variation.elites=1"]
    run = start(recipe, run=path, changes=changes, seed=5, executor="serial")
    assert read_recipe(path / "recipe.toml") == run.recipe
    assert run.recipe.run.seed == run.state().seed == 5
    assert (run.generation, (run.recipe.variation or {})["elites"]) == (2, 1)
    assert recipe.run.generations == 8


@pytest.mark.parametrize(
    "wrong",
    [
        {"recipe": "conect-four"},
        *({"changes": [text]} for text in ("run.sede=1", 'check.opponents=["tset-bot"]')),
        {"seed": -1},
        {"executor": "serail"},
        {"workers": 0},
    ],
)
def test_a_mistake_makes_no_directory(tmp_path: Path, wrong: Settings) -> None:
    with pytest.raises(ArenaError):
        start(run=tmp_path / "run", **{"recipe": "connect-four", "executor": "serial", **wrong})
    assert not (tmp_path / "run").exists()


def test_a_prepared_run_has_not_begun(tmp_path: Path) -> None:
    run = prepare("connect-four", run=tmp_path / "run", changes=QUICK)
    assert run.directory.generations() == []
    assert run.recipe == load(tmp_path / "run").recipe
    with pytest.raises(NotARunError, match="the run has not begun"):
        run.checks()
    run.advance(executor="serial")
    assert run.generation == 3


def test_a_recipe_of_a_run_that_was_edited_is_named(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("[run]\nsede = 1\n")
    with pytest.raises(
        RecipeError, match=r"recipe\.toml: .* edited it: run\.sede is an unknown setting"
    ):
        load(tmp_path)


def test_a_run_with_something_that_is_gone_is_of_another_version(tmp_path: Path) -> None:
    run = prepare("checkers-features", run=tmp_path / "run")
    text = run.directory.recipe.read_text(encoding="utf-8")
    told = r"recipe\.toml: another version of Evolve Arena made .*: "
    for before, now, why in (
        ("[game]", "[game]\nturned = false", r"game\.turned is an unknown setting$"),
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
    with pytest.raises(RecipeError, match=r"mine\.toml: game\.turned is an unknown setting"):
        prepare(str(written), run=tmp_path / "other")


def test_looking_at_a_run_changes_no_file(tmp_path: Path, small_recipe: Maker) -> None:
    path = tmp_path / "run"
    start(small_recipe(), run=path, executor="serial")

    def files() -> dict[Path, tuple[bytes, int]]:
        found = [file for file in path.rglob("*") if file.is_file()]
        return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in found}

    before = files()
    run = load(path)
    assert isinstance(run, Run)
    _ = run.generation, run.population_sha256, run.checks(), run.champion, run.champion_at(3)
    after = files()
    assert {file: after[file] for file in before} == before
    more = {file.name for file in after} - {file.name for file in before}
    assert more <= {"history.db-shm", "history.db-wal"}


def test_players_meet_by_specification(tmp_path: Path, small_recipe: Maker) -> None:
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
    ("text", "said"), [("run:", "write run:PATH"), ("random:7", "write random")]
)
def test_a_specification_that_names_nobody_is_an_error(text: str, said: str) -> None:
    with pytest.raises(BadValueError, match=said):
        duel("random", text, games=2)


def test_who_is_made_for_a_duel_is_closed_and_who_is_lent_is_not(spies: list[Spy]) -> None:
    lent = Spy()
    duel("spy", lent, games=2)
    assert [spy.closed for spy in spies] == [1]
    assert lent.closed == 0
    with pytest.raises(BadValueError):
        duel("spy", "random", games=0)
    assert [spy.closed for spy in spies] == [1, 1]


def test_who_was_made_is_closed_if_the_next_one_is_not(spies: list[Spy], tmp_path: Path) -> None:
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
    game = type("Mine", (find_game("connect-four").game,), {"name": "mine"})
    ea.extend.register_game(replace(find_game("connect-four"), game=game))
    ea.extend.register_player("spy", PlayerKind("spy", "a spy", lambda argument, game: Spy()))
    try:
        assert ea.make_game("mine").name == "mine"
        assert ea.duel("spy", "random", games=20, game=ea.make_game("mine")).score > 0.2
        table = ea.tournament(["spy", "random", "test-bot"], games=20, seed=1)
        assert table.names == ("spy", "random", "test-bot")
        assert ea.evaluate("spy", opponents=["random"], games=20)["player"] == "spy"
    finally:
        registry._registered.clear()
        specification.KINDS.pop("spy")


def test_players_are_exported_once_and_only_those_that_evolved(tmp_path: Path) -> None:
    run = ea.start("tic-tac-toe-evolved", run=tmp_path / "run", generations=1, progress=False)
    file = ea.export(run.champion, "python", tmp_path / "bot.py")
    assert "def choose(" in file.read_text("utf-8")
    with pytest.raises(ea.ArenaError, match=r"bot\.py exists: .* replace it with force=True"):
        ea.export(run.champion, "python", file)
    assert ea.export(f"run:{run.path}", "html", file, force=True).read_text().startswith("<!")
    with pytest.raises(ea.ArenaError, match="did you mean 'python'"):
        ea.export(run.champion, "pyton", tmp_path / "other.py")
    with pytest.raises(ea.BadValueError, match="'random' was not evolved"):
        ea.export("random", "python", tmp_path / "other.py")
