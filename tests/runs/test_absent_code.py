"""Runs whose code was given in Python, in a process without it: they can all but go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core import user_code
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import Array, Settings
from evolve_arena.core.user_code import UserCodeError
from evolve_arena.players.board.game import Board
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import Recipe
from tests import forked

Rows = Array
TINY = {"run.generations": 2, "run.checkpoint_every": 1, "check.every": 1, "check.games": 10}


def quick_wins(matches: ea.extend.Matches) -> float:
    return float(matches.won.mean() - 0.01 * matches.plies.mean())


def blend(first: Rows, second: Rows, rng: np.random.Generator, share: float) -> Rows:
    return share * first + (1 - share) * second


def anybody(fitness: Rows, count: int, rng: np.random.Generator) -> Array:
    return rng.integers(len(fitness), size=count)


def jolt(genome: Rows, rng: np.random.Generator) -> Rows:
    return genome + rng.normal(0.0, 0.1, len(genome))


def zeros(genes: int, rng: np.random.Generator) -> Rows:
    return np.zeros(genes)


class Lowest(ea.extend.Player):
    """Player of the first move."""

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the first move."""
        return self.game.legal_moves(position)[0]


class Climber(ea.extend.VectorMethod):
    """Hill climber."""

    def breed(self, population: Rows, fitness: Rows, rng: np.random.Generator) -> Rows:
        """Return mutants of the best."""
        return population[fitness.argmax()] + rng.normal(0.0, 0.1, population.shape)


ISLANDS = {"islands": {"count": 2, "interval": 1, "migrants": 1}}
GIVEN: dict[str, tuple[Settings, set[str]]] = {
    "parts": (
        {
            "method.fitness": quick_wins,
            "variation.crossover": {"name": blend, "share": 0.3},
            "variation.selection": anybody,
            "variation.mutation": jolt,
            "method.initialisation": zeros,
            "matches.fixed_opponents": {"players": [Lowest], "games": 2},
        },
        {"quick_wins", "blend", "anybody", "jolt", "zeros", "Lowest"},
    ),
    "opponent": ({"check.opponents": [Lowest, "random"]}, {"Lowest"}),
    "method": ({"method": {"name": Climber, "individuals": 8}}, {"Climber"}),
    "islands": ({"method": {"name": Climber, "individuals": 8}, **ISLANDS}, {"Climber"}),
}
"""Sections of recipes, and the names of code in them."""


@pytest.mark.parametrize("what", GIVEN)
def test_only_going_on_needs_the_code(
    what: str, small_recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, names = GIVEN[what]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_code, "_absent", {})
    run = ea.start(small_recipe(), run="own", changes={**TINY, **given}, executor="serial")
    code = dict(user_code._registered)
    monkeypatch.setattr(user_code, "_registered", {})  # as in a new process

    def evolve(*words: str, code: int = 0) -> str:
        done = forked.evolve(*words, folder=tmp_path)
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout + done.stderr

    assert run.population_sha256 in evolve("info", "own")
    evolve("plot", "own")
    evolve("export", "own", "--to", "python", "--out", "bot.py")
    assert " own " in evolve("duel", "run:own", "random", "--games", "10")
    loaded = ea.load("own")
    assert loaded.population_sha256 == run.population_sha256
    assert loaded.champion.arrays["genome"].tolist() == run.champion.arrays["genome"].tolist()
    assert len(loaded.population()) == len(run.population())
    assert np.array_equal(loaded.history()["median"], run.history()["median"])
    shapes = [each.population().player(0).genome.shape for each in (loaded, run)]
    assert shapes[0] == shapes[1]
    for words in (["resume", "own", "--generations", "3"], ["branch", "own@1"]):
        said = evolve(*words, code=2)
        assert said.count("\n") == 1
        assert "own continues only with" in said
        assert any(
            f"{name}, which was given in Python: register it there" in said for name in names
        )
    assert ea.load("own").recipe.run.generations == 2
    user_code._registered.update(code)
    loaded.with_generations(3).advance(executor="serial")
    assert ea.load("own").generation == 3


def test_a_new_run_has_no_use_for_what_stands_in(
    small_recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_code, "_absent", {})
    ea.start(
        small_recipe(),
        run="own",
        changes={**TINY, "variation.crossover": {"name": blend, "share": 1}},
    )
    monkeypatch.setattr(user_code, "_registered", {})
    with pytest.raises(RecipeError, match="unknown operator for 'mate' 'blend'"):
        small_recipe().change({"variation.crossover": "blend"})
    ea.load("own")
    with pytest.raises(UserCodeError, match="continues only with blend, which was given in Python"):
        ea.start(small_recipe().change({"variation.crossover": "blend"}), run="new")
    assert not Path("new").exists()
    recipe = Path("own/recipe.toml")
    recipe.write_text(recipe.read_text().replace("uniform", "unicorn!"))
    with pytest.raises(RecipeError, match="unicorn!"):
        ea.load("own")
