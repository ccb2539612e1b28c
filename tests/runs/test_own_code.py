"""Functions and classes of the user's: in recipes, by the rule of consent, and the same bits."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import evolve_arena as ea
from evolve_arena.core import registry, user_code
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import Settings
from evolve_arena.core.user_code import UserCodeError
from evolve_arena.players.board.game import Board
from evolve_arena.players.specification import NotPermittedError
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import RecipeError

RecipeMaker = Callable[..., ea.Recipe]

CODE = """
# {mark}
from pathlib import Path
from evolve_arena.extend import Player, VectorMethod

Path("STARTED").touch()

class Left(Player):
    def choose(self, position, stream): return self.game.legal_moves(position)[0]
class Crash(Player):
    def choose(self, position, stream): return 1 // 0

class Best(VectorMethod):
    def breed(self, population, fitness, rng):
        return population[fitness.argmax()] + rng.normal(0, 0.1, population.shape)
class Worst(VectorMethod):
    def breed(self, population, fitness, rng): return population[:1]
class Forgetful(VectorMethod):
    def breed(self, population, fitness, rng): population += 1
class Both(VectorMethod):
    def breed(self, population, fitness, rng): return population, fitness

def short(matches): return -matches.plies.mean()
def small(player): return -abs(player.genome).sum()
def both(player, matches, rng):
    return matches.won.mean() - abs(player.genome).mean() + 1e-9 * rng.random()
def nothing(player): return None
def endless(player): return float("inf")
def broken(player):
    return player.no_such_thing

def first_half(fitness, count, rng):
    return rng.integers(max(1, len(fitness) // 2), size=count)
def last(fitness, rng): return len(fitness)
def nobody(fitness, rng): return None
def best_two(fitness, count, rng): return fitness.argmax(), fitness.argmin()

def blend(first, second, rng, share=0.5): return share * first + (1 - share) * second
def swap(population, pairs, rng): return population[pairs[:, 1]]
def pair(first, second, rng): return first, second
def pairs(population, pairs, rng): return population[pairs[:, 0]], population[pairs[:, 1]]

def jolt(genome, rng, strength, probability):
    return genome + (rng.random(len(genome)) < probability) * rng.normal(0, strength, len(genome))
def shrink(population, rng): return population[:, :3]
def in_place(genome, rng): genome += 1
def all_in_place(population, rng): population += 1

def zeros(genes, rng): return [0.0] * genes
def noise(individuals, genes, rng): return rng.normal(0, 0.1, (individuals, genes))
def no_genes(genes, rng): return None
def odd(a, b): return a
"""
SMALL = ["method.individuals=6", "method.tournament_size=2", "run.generations=2", "check.games=4"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep runs in the test's folder, and forget afterwards the code that it registers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_code, "_registered", {})
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture(name="code")
def _code(tmp_path: Path) -> str:
    """Write a file that no test of this process has opened before."""
    (tmp_path / "own.py").write_text(CODE.format(mark=tmp_path))
    return "own.py"


class Foreign(NamedTuple):
    """A recipe from elsewhere that names a file, and where a run keeps that."""

    recipe: str
    file: Path
    kept: str
    change: str
    """Types the same file."""


@pytest.fixture(name="foreign", params=["code", "game"])
def _foreign(request: pytest.FixtureRequest, small_recipe: RecipeMaker, code: str) -> Foreign:
    if request.param == "code":
        text = small_recipe("run.generations=2").to_toml()
        name, text = code, text.replace('name = "uniform"', f'name = "{code}:blend"')
        change = f"variation.crossover={code}:blend"
    else:
        name, change = "my_rows.py", "game.name=my_rows.py"
        source = find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]
        Path(name).write_text(source, encoding="utf-8")
        text = ea.load_recipe(name, SMALL).to_toml().replace("game/", "")
        Path(name).write_text(f"{source}\nopen('STARTED', 'w').close()\n", encoding="utf-8")
        forget()
    Path("foreign.toml").write_text(text)
    return Foreign("foreign.toml", Path(name), f"{request.param}/{name}", change)


def forget() -> None:
    """Forget whatever was opened, as in a new process."""
    registry._registered.clear()


def steal(file: Path, content: bytes) -> None:
    """Write another program into a file; it leaves a trace."""
    file.write_bytes(content + b"\nopen('STOLEN', 'w').close()\n")


def test_a_file_that_a_recipe_names_runs_only_with_the_users_word(foreign: Foreign) -> None:
    with pytest.raises(NotPermittedError, match=rf"{foreign.file}.*allow_process=True"):
        ea.start(foreign.recipe, run="run", executor="serial")
    assert not Path("STARTED").exists()
    run = ea.start(foreign.recipe, run="run", executor="serial", allow_process=True)
    assert Path("STARTED").exists()
    assert foreign.kept in Path("run/recipe.toml").read_text()
    assert Path("run", foreign.kept).read_bytes() == foreign.file.read_bytes()
    foreign.file.write_text("this is no code any more")
    forget()
    assert ea.load("run").population_sha256 == run.population_sha256
    assert ea.resume("run", generations=3, executor="serial").generation == 3
    assert ea.duel("run:run", "random", games=10).games == 10


def test_a_run_from_elsewhere_runs_no_code_unasked(foreign: Foreign) -> None:
    ea.start(foreign.recipe, run="mine", executor="serial", allow_process=True)
    shutil.copytree("mine", "stolen")
    kept = Path("stolen", foreign.kept)
    steal(kept, kept.read_bytes())  # another content: this one has not run here yet
    forget()
    for act in (ea.load, ea.resume, lambda run: ea.duel(f"run:{run}", "random", games=2)):
        with pytest.raises(NotPermittedError, match=rf"{kept}.*allow_process=True"):
            act("stolen")
    assert not registry._registered
    assert not Path("STOLEN").exists()
    ea.resume("stolen", generations=4, executor="serial", allow_process=True)
    forget()
    assert ea.load("stolen").generation == 4  # it is remembered, for this content in this place
    steal(kept, kept.read_bytes())
    forget()
    with pytest.raises(NotPermittedError):
        ea.load("stolen")


def test_what_is_asked_about_is_what_runs_and_is_kept_and_remembered(foreign: Foreign) -> None:
    """Also where another file takes its place while the user is asked."""
    before, asked = foreign.file.read_bytes(), list[str]()

    def swindle(command: str) -> bool:
        asked.append(command)
        steal(changed, before)
        return True

    changed = foreign.file
    prepare(foreign.recipe, run="run", allow_process=swindle)
    digest = hashlib.sha256(before).hexdigest()
    assert [line.partition(" (")[2] for line in asked] == [f"SHA-256 {digest})"]
    kept = Path("run", foreign.kept)
    assert kept.read_bytes() == before
    forget()
    ea.load("run")
    shutil.copytree("run", "other")
    shutil.copy(foreign.file, kept)
    forget()
    with pytest.raises(NotPermittedError):
        ea.load("run")
    changed, asked[:] = Path("other", foreign.kept), []
    before += b"\n# harmless\n"
    changed.write_bytes(before)
    forget()
    run = ea.Run.open("other", swindle)
    run.permit(swindle)
    assert run.recipe.title
    assert len(asked) == 1
    forget()
    with pytest.raises(NotPermittedError):
        ea.load("other")
    assert not Path("STOLEN").exists()


def test_a_file_that_is_typed_is_not_taken_for_one_beside_the_recipe(foreign: Foreign) -> None:
    Path("folder").mkdir()
    Path("folder/foreign.toml").write_text(Path(foreign.recipe).read_text())
    steal(Path("folder", foreign.file), foreign.file.read_bytes())
    run = prepare("folder/foreign.toml", run="run", changes=[foreign.change])
    assert Path("run", foreign.kept).read_bytes() == foreign.file.read_bytes()
    assert not Path("STOLEN").exists()
    assert run.recipe.variation
    assert run.recipe.variation["crossover"]


def test_what_is_typed_is_the_users_word(code: str, small_recipe: RecipeMaker) -> None:
    made = small_recipe().change({"variation.crossover": f"{code}:blend"})
    ea.start(made, run="run", executor="serial", changes={"run.generations": 1})
    assert Path("run/code/own.py").is_file()


@pytest.mark.parametrize(
    "change",
    [
        {"method.fitness": "short"},
        {"method.fitness": "small"},
        {"method.fitness": "both"},
        {"variation.selection": "first_half"},
        {"variation.crossover": {"name": "own.py:blend", "share": 0.25}},
        {"variation.crossover": "swap"},
        {"variation.mutation": "jolt"},
        {"method.initialisation": "zeros"},
        {"method.initialisation": "noise"},
        {"matches.fixed_opponents": {"players": ["own.py:Left", "test-bot"], "games": 3}},
    ],
    ids=str,
)
def test_runs_with_code_are_the_same_for_any_workers_and_resumed(
    change: Settings, code: str, small_recipe: RecipeMaker
) -> None:
    ((key, value),) = change.items()
    value = f"{code}:{value}" if isinstance(value, str) else value
    plain = small_recipe("run.generations=3")
    recipe, hashes = plain.change({key: value}), set()
    ways = [{"executor": "serial"}, {"workers": 2}]
    if key in {"method.fitness", "matches.fixed_opponents"}:  # what other processes do
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
    champion = run.champion_at(4)
    assert abs(champion.genome).sum() == weights.min()


@pytest.mark.parametrize("recipe", ["connect-four-neat", "checkers-features"])
def test_every_kind_of_method_takes_a_fitness(recipe: str, code: str) -> None:
    changes = {"method.fitness": f"{code}:short", "run.generations": 1}
    changes |= {"check.games": 2, "check.opponents": ["random"]}
    changes["neat.pop_size" if "neat" in recipe else "method.individuals"] = 6
    run = ea.start(recipe, run="run", changes=changes, executor="serial")
    assert -500 < run.history()["best"][0] < -2


@pytest.mark.parametrize(
    ("key", "name", "text"),
    [
        ("fitness", "nothing", r"nothing \(own\.py\) gives None, which is no number"),
        ("fitness", "endless", r"endless \(own\.py\) gives inf for individual 0"),
        ("fitness", "broken", r"broken failed: own\.py, line 30: AttributeError"),
        ("fitness", "odd", r"takes \(a, b\): write \(player\), \(matches\)"),
        ("select", "last", r"chooses an individual that is not from 0 to 11"),
        ("select", "odd", r"write \(fitness, rng\) for one at a time, or \(fitness, count, rng\)"),
        ("mutate", "shrink", r"shrink \(own\.py\) makes genomes of shape \(12, 3\), not \(12, "),
        ("mutate", "Shrink", r"unknown name in own\.py 'Shrink': did you mean 'shrink'\?"),
        ("name", "short", r"short \(own\.py\) is no method"),
        ("name", "Worst", r"Worst breeds numbers of shape \(1, "),
        ("name", "Forgetful", r"Forgetful\.breed returns None, not one array"),
        ("name", "Both", r"Both\.breed returns a tuple of 2, not one array"),
        ("mate", "pair", r"pair \(.*\) returns a tuple of 2, not one array of shape \(\d+,\)"),
        ("mate", "pairs", r"returns a tuple of 2, not one array of shape \(\d+, \d+\)"),
        ("mutate", "in_place", r"in_place \(.*\) returns None, not one array of shape \(\d+,\)"),
        ("mutate", "all_in_place", r"returns None, not one array of shape \(12, \d+\)"),
        ("initialisation", "no_genes", r"no_genes \(.*\) returns None, not one array"),
        ("select", "nobody", r"nobody \(.*\) gives None: it must give one number"),
        ("select", "best_two", r"gives \(.*\): it must give the numbers of \d+ individuals"),
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
    options: Settings, code: str, small_recipe: RecipeMaker
) -> None:
    changes = {"matches.fixed_opponents.players": [f"{code}:Crash"]}
    with pytest.raises(UserCodeError, match=r"can't play: Crash crashes: ZeroDivisionError"):
        ea.start(small_recipe(), run="run", changes=changes, **options)


def test_programs_are_no_fixed_opponents(small_recipe: RecipeMaker) -> None:
    with pytest.raises(RecipeError, match=r"fixed_opponents\.players: .* would run a program"):
        small_recipe().change({"matches.fixed_opponents.players": ["process:cat"]})


def test_functions_and_classes_go_by_their_names(small_recipe: RecipeMaker) -> None:
    def own_fitness(matches: ea.extend.Matches) -> float:
        return float(matches.lost.mean())

    class OwnPlayer(ea.extend.Player):
        def choose(self, position: Board, rng: Stream) -> int:
            return self.pick(self.game.legal_moves(position), rng)

    changes = {"method.fitness": own_fitness, "check.opponents": [OwnPlayer], "run.generations": 1}
    run = ea.start(small_recipe(), run="run", changes=changes, executor="serial")
    assert run.recipe.method["fitness"] == "own_fitness"
    assert run.checks()[0].opponent == "OwnPlayer"
    result = ea.duel("OwnPlayer", OwnPlayer, games=10)
    assert result.games == 10
    with pytest.raises(BadValueError, match="'<lambda>' is no name"):
        ea.start(small_recipe(), run="other", changes={"method.fitness": lambda player: 0.0})
    with pytest.raises(RecipeError, match=r"unknown method\.fitness 'not_here'.*MY_FITNESS\.py"):
        small_recipe().change({"method.fitness": "not_here"})


def test_a_registered_method_breeds_any_game(small_recipe: RecipeMaker) -> None:
    @ea.register
    class KeepAll(ea.extend.VectorMethod):
        def breed(
            self,
            population: NDArray[np.float32],
            fitness: NDArray[np.float64],
            rng: np.random.Generator,
        ) -> NDArray[np.float32]:
            return population

    for number, game in enumerate(("connect-four", "tic-tac-toe")):
        method = {"name": "KeepAll", "individuals": 6}
        Path("recipe.toml").write_text(f'[game]\nname = "{game}"\n[method]\nname = "KeepAll"')
        changes = {"method": method, "run.generations": 1, "check.games": 2}
        changes |= {"check.opponents": ["random"]}
        run = ea.start("recipe.toml", run=f"run-{number}", changes=changes, executor="serial")
        first = run.method.initial(run.recipe.run.seed).population
        assert np.array_equal(np.asarray(run.population()), first)
    with pytest.raises(RecipeError, match=r"elites is a key of the method"):
        ea.start("recipe.toml", run="x", changes={"method": {"name": "KeepAll", "elites": 3}})


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
