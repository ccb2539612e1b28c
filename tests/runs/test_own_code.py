"""Functions and classes of the user's: in recipes, by the rule of consent, and the same bits."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import evolve_arena as ea
from evolve_arena.core import user_code
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.user_code import UserCodeError
from evolve_arena.players.specification import NotPermittedError
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import Recipe

RecipeMaker = Callable[..., Recipe]
Make = Callable[..., str]

CODE = """
# {mark}
from pathlib import Path
from evolve_arena import Player, VectorMethod

Path("STARTED").touch()

class Left(Player):
    def choose(self, position, stream):
        return self.game.legal_moves(position)[0]

class Crash(Player):
    def choose(self, position, stream):
        return 1 // 0

class Best(VectorMethod):
    def breed(self, population, fitness, rng):
        return population[fitness.argmax()] + rng.normal(0, 0.1, population.shape)

class Worst(VectorMethod):
    def breed(self, population, fitness, rng):
        return population[:1]

def short(matches):
    return -matches.plies.mean()

def small(player):
    return -abs(player.genome).sum()

def both(player, matches, rng):
    return matches.won.mean() - abs(player.genome).mean() + 1e-9 * rng.random()

def nothing(player):
    return None

def endless(player):
    return float("inf")

def broken(player):
    return player.no_such_thing

def first_half(fitness, count, rng):
    return rng.integers(max(1, len(fitness) // 2), size=count)

def last(fitness, rng):
    return len(fitness)

def blend(first, second, rng, share=0.5):
    return share * first + (1 - share) * second

def swap(population, pairs, rng):
    return population[pairs[:, 1]]

def jolt(genome, rng, strength, probability):
    return genome + (rng.random(len(genome)) < probability) * rng.normal(0, strength, len(genome))

def shrink(population, rng):
    return population[:, :3]

def zeros(genes, rng):
    return [0.0] * genes

def noise(individuals, genes, rng):
    return rng.normal(0, 0.1, (individuals, genes))

def odd(a, b):
    return a
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs lie in the test's folder, and what it registers is gone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_code, "_registered", {})


@pytest.fixture(name="code")
def _code(tmp_path: Path) -> str:
    """A file that no test of this process has opened before."""
    (tmp_path / "own.py").write_text(CODE.format(mark=tmp_path))
    return "own.py"


@pytest.fixture(name="foreign")
def _foreign(small_recipe: RecipeMaker, code: str) -> str:
    """A recipe from elsewhere that names code."""
    text = small_recipe("run.generations=2").to_toml()
    Path("foreign.toml").write_text(text.replace('name = "uniform"', f'name = "{code}:blend"'))
    return "foreign.toml"


# --- consent ------------------------------------------------------------------------------------


def test_a_file_that_a_recipe_names_runs_only_with_the_users_word(foreign: str) -> None:
    with pytest.raises(NotPermittedError, match=r"own\.py, .* allow_process=True$"):
        ea.start(foreign, run="run", executor="serial")
    assert not Path("STARTED").exists()
    run = ea.start(foreign, run="run", executor="serial", allow_process=True)
    assert Path("STARTED").exists()
    assert "code/own.py:blend" in Path("run/recipe.toml").read_text()
    assert Path("run/code/own.py").read_bytes() == Path("own.py").read_bytes()
    before = run.population_sha256
    Path("own.py").write_text("this is no code any more")
    assert ea.load("run").population_sha256 == before
    assert ea.resume("run", generations=3, executor="serial").generation == 3


def test_a_run_from_elsewhere_runs_no_code_unasked(foreign: str) -> None:
    ea.start(foreign, run="mine", executor="serial", allow_process=True)
    shutil.copytree("mine", "stolen")
    code = Path("stolen/code/own.py")  # another content: this one has not run here yet
    code.write_text(code.read_text() + "\nPath('STOLEN').touch()\n")
    for act in (ea.load, ea.resume):
        with pytest.raises(NotPermittedError, match=r"stolen.code.own\.py"):
            act("stolen")
    assert not Path("STOLEN").exists()


def test_what_is_asked_about_is_what_runs_and_is_kept_and_remembered(foreign: str) -> None:
    before = Path("own.py").read_bytes()

    def allow(command: str) -> bool:
        Path("own.py").write_bytes(before + b"\nPath('STOLEN').touch()\n")
        return True

    prepare(foreign, run="run", allow_process=allow)
    assert Path("run/code/own.py").read_bytes() == before
    ea.load("run")
    shutil.copy("own.py", "run/code")
    with pytest.raises(NotPermittedError):
        ea.load("run")
    assert not Path("STOLEN").exists()


def test_code_that_is_typed_is_not_taken_for_a_file_beside_the_recipe(foreign: str) -> None:
    Path("folder").mkdir()
    Path("folder/foreign.toml").write_text(Path(foreign).read_text())
    shutil.copy("own.py", "folder")
    with Path("folder/own.py").open("a") as other:
        other.write("\nPath('STOLEN').touch()\n")
    changes = ["method.mate=own.py:blend"]
    run = prepare("folder/foreign.toml", run="run", changes=changes)
    assert Path("run/code/own.py").read_bytes() == Path("own.py").read_bytes()
    assert not Path("STOLEN").exists()
    assert run.recipe.method["mate"]


def test_what_is_typed_is_the_users_word(code: str, small_recipe: RecipeMaker) -> None:
    made = small_recipe().change({"method.mate": f"{code}:blend"})
    ea.start(made, run="run", executor="serial", changes={"run.generations": 1})
    assert Path("run/code/own.py").is_file()


def test_a_reference_that_leads_nowhere_is_an_error(foreign: str) -> None:
    Path("own.py").unlink()
    with pytest.raises(RecipeError, match=r"own\.py:blend': No such file"):
        ea.start(foreign, run="run", allow_process=True)


# --- recipes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"method.fitness": "short"},
        {"method.fitness": "small"},
        {"method.fitness": "both"},
        {"method.select": "first_half"},
        {"method.mate": {"name": "own.py:blend", "share": 0.25}},
        {"method.mate": "swap"},
        {"method.mutate": "jolt"},
        {"method.initialisation": "zeros"},
        {"method.initialisation": "noise"},
        {"method.fixed_opponents": {"players": ["own.py:Left", "test-bot"], "games": 3}},
    ],
    ids=str,
)
def test_runs_with_code_are_the_same_for_any_workers_and_resumed(
    change: dict[str, Any], code: str, small_recipe: RecipeMaker
) -> None:
    ((key, value),) = change.items()
    value = f"{code}:{value}" if isinstance(value, str) else value
    plain = small_recipe("run.generations=3")
    recipe = plain.change({key: value})
    hashes = set()
    ways: list[dict[str, Any]] = [
        {"executor": "serial"},
        {"executor": "multiprocess", "workers": 2},
    ]
    if key in {"method.fitness", "method.fixed_opponents"}:  # what other processes do
        ways.append({"executor": "spawn", "workers": 2})
    for name, options in enumerate(ways):
        hashes.add(ea.start(recipe, run=f"run-{name}", **options).population_sha256)
    ea.start(recipe, run="c", changes={"run.generations": 1}, executor="serial")
    hashes.add(ea.resume("c", generations=3, workers=2).population_sha256)
    assert len(hashes) == 1
    assert ea.start(plain, run="plain", executor="serial").population_sha256 not in hashes


def test_a_fitness_of_players_plays_no_matches_and_finds_the_champion(
    code: str, small_recipe: RecipeMaker
) -> None:
    recipe = small_recipe("run.generations=4").change({"method.fitness": f"{code}:small"})
    run = ea.start(recipe, run="run", executor="serial")
    assert run.history()["games"].sum() == 0
    weights = abs(np.asarray(run.population())).sum(axis=1)
    champion: Any = run.champion_at(4)
    assert abs(champion.genome).sum() == weights.min()


@pytest.mark.parametrize("recipe", ["connect-four-neat", "checkers-features", "pig-evolved"])
def test_every_kind_of_method_takes_a_fitness(recipe: str, code: str) -> None:
    changes: dict[str, Any] = {"method.fitness": f"{code}:short", "run.generations": 1}
    changes |= {"check.games": 2, "check.opponents": ["random"]}
    size = {"connect-four-neat": "neat.pop_size", "checkers-features": "method.individuals"}
    changes[size.get(recipe, "method.individuals")] = 6
    if recipe == "pig-evolved":
        changes |= {"method.tournament_size": 2, "method.elites": 0}
    run = ea.start(recipe, run="run", changes=changes, executor="serial")
    assert -500 < run.history()["best"][0] < -2


@pytest.mark.parametrize(
    ("key", "name", "text"),
    [
        ("fitness", "nothing", r"nothing \(own\.py\) gives None, which is no number"),
        ("fitness", "endless", r"endless \(own\.py\) gives inf for individual 0"),
        ("fitness", "broken", r"broken failed: own\.py, line 40: AttributeError"),
        ("fitness", "odd", r"takes \(a, b\): write \(player\), \(matches\)"),
        ("select", "last", r"chooses an individual that is not from 0 to 11"),
        ("select", "odd", r"write \(fitness, rng\) for one at a time, or \(fitness, count, rng\)"),
        ("mutate", "shrink", r"shrink \(own\.py\) makes genomes of shape \(12, 3\), not \(12, "),
        ("mutate", "Shrink", r"unknown name in own\.py 'Shrink': did you mean 'shrink'\?"),
        ("name", "short", r"short \(own\.py\) is no method"),
        ("name", "Worst", r"Worst breeds numbers of shape \(1, "),
    ],
)
def test_a_mistake_in_code_is_one_line(
    key: str, name: str, text: str, code: str, small_recipe: RecipeMaker
) -> None:
    content = {"method": {"name": f"{code}:{name}"}} if key == "name" else {}
    changes = content or {f"method.{key}": f"{code}:{name}"}
    with pytest.raises(ArenaError, match=text) as caught:
        ea.start(small_recipe(), run="run", changes=changes, executor="serial")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{"executor": "serial"}, {"workers": 2}])
def test_a_fixed_opponent_that_crashes_stops_the_run(
    options: dict[str, Any], code: str, small_recipe: RecipeMaker
) -> None:
    changes = {"method.fixed_opponents.players": [f"{code}:Crash"]}
    with pytest.raises(UserCodeError, match=r"can't play: Crash crashes: ZeroDivisionError"):
        ea.start(small_recipe(), run="run", changes=changes, **options)


def test_programs_are_no_fixed_opponents(small_recipe: RecipeMaker) -> None:
    with pytest.raises(RecipeError, match=r"fixed_opponents\.players: .* would run a program"):
        small_recipe().change({"method.fixed_opponents.players": ["process:cat"]})


# --- names --------------------------------------------------------------------------------------


def test_functions_and_classes_go_by_their_names(small_recipe: RecipeMaker) -> None:
    def own_fitness(matches: ea.Matches) -> float:
        return float(matches.lost.mean())

    class OwnPlayer(ea.Player):
        def choose(self, position: Any, stream: Any) -> Any:
            return self.pick(self.game.legal_moves(position), stream)

    changes = {"method.fitness": own_fitness, "check.opponents": [OwnPlayer], "run.generations": 1}
    run = ea.start(small_recipe(), run="run", changes=changes, executor="serial")
    assert run.recipe.method["fitness"] == "own_fitness"
    assert run.checks()[0].opponent == "OwnPlayer"
    result = ea.duel("OwnPlayer", OwnPlayer, games=10)
    assert result.games == 10
    with pytest.raises(BadValueError, match="'<lambda>' is no name"):
        ea.start(small_recipe(), run="other", changes={"method.fitness": lambda player: 0.0})


def test_what_was_registered_elsewhere_is_unknown_here(small_recipe: RecipeMaker) -> None:
    with pytest.raises(RecipeError, match=r"unknown method\.fitness 'not_here'.*MY_FITNESS\.py"):
        small_recipe().change({"method.fitness": "not_here"})


def test_a_registered_method_breeds_any_game(small_recipe: RecipeMaker) -> None:
    @ea.register
    class KeepAll(ea.VectorMethod):
        def breed(
            self,
            population: NDArray[np.float32],
            fitness: NDArray[np.float64],
            rng: np.random.Generator,
        ) -> Any:
            return population

    for number, game in enumerate(("connect-four", "tic-tac-toe", "pig", "ticket-to-ride")):
        method = {"name": "KeepAll", "individuals": 6}
        Path("recipe.toml").write_text(f'[game]\nname = "{game}"\n[method]\nname = "KeepAll"')
        changes = {"method": method, "run.generations": 1, "check.games": 2}
        changes |= {"check.opponents": ["random"]}
        run = ea.start("recipe.toml", run=f"run-{number}", changes=changes, executor="serial")
        first = run.method.initial(run.recipe.run.seed).population
        assert np.array_equal(np.asarray(run.population()), first)
    with pytest.raises(RecipeError, match=r"elites is a key of the method"):
        ea.start("recipe.toml", run="x", changes={"method": {"name": "KeepAll", "elites": 3}})


# --- players ------------------------------------------------------------------------------------


def test_a_class_in_a_file_plays_a_duel_and_a_crash_is_no_win(code: str) -> None:
    result = ea.duel(f"{code}:Left", f"{code}:Crash", games=10)
    assert (result.wins, result.finished) == (0, 0)
    assert [(forfeit.player, forfeit.kind) for forfeit in result.forfeits] == [(1, "crash")]
    assert "ZeroDivisionError" in result.forfeits[0].sentence


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("own.py:Nobody", r"unknown name in own\.py 'Nobody'"),
        ("own.py:short", r"short \(own\.py\) is no player"),
        ("none.py:Left", r"none\.py: No such file"),
        ("broken.py:Left", r"broken\.py, line 2: NameError"),
        ("syntax.py:Left", r"syntax\.py, line 1: "),
        ("leaves.py:Left", r"leaves\.py, line 1: SystemExit"),
    ],
)
def test_a_wrong_file_of_players_is_one_line(text: str, error: str, code: str) -> None:
    Path("broken.py").write_text("x = 1\nx = y\n")
    Path("syntax.py").write_text("class Left(:\n")
    Path("leaves.py").write_text("raise SystemExit(3)\n")
    with pytest.raises((UserCodeError, UnknownNameError), match=error):
        ea.load_player(text)
