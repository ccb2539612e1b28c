"""Recipes with the keys of older versions: each means the same as the recipe of today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

import evolve_arena as ea
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core import user_code
from evolve_arena.core.registry import load
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.methods import METHODS, methods_of
from evolve_arena.runs.recipes.old_keys import RENAMED, has_key
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, parse_changes, read_recipe

OLD: dict[str, Any] = json.loads(Path(__file__).with_name("old_recipes.json").read_text("utf-8"))
"""All recipes that shipped before ``[matches]`` and ``[variation]`` were sections."""


def load_old(name: str, folder: Path, *changes: str) -> Recipe:
    path = folder / "old.toml"
    path.write_text(tomli_w.dumps(OLD[name]), "utf-8")
    return load_recipe(str(path), changes)


def test_no_old_recipe_is_missing() -> None:
    assert len(OLD) == 55


ANEW = {
    "connect-four-td",
    "connect-four-td-long",
    "gomoku",
    "hex",
    "kalah",
    "othello",
    "othello-evolved",
    "pig",
    *(name for name in OLD if name.startswith("checkers-") and name[9:11].isdecimal()),
}
"""Recipes that ship with another method, network or settings today; the old ones still resolve."""


@pytest.mark.parametrize("name", sorted(ANEW))
def test_an_old_recipe_that_ships_otherwise_today_still_resolves(name: str, tmp_path: Path) -> None:
    old = load_old(name, tmp_path)
    assert old.method["name"] == OLD[name]["method"]["name"]
    assert old.model_dump() != load_recipe(name).model_dump()
    assert len(old.make_method().initial(1).population) == old.method["individuals"]


@pytest.mark.parametrize("name", sorted(OLD.keys() - ANEW))
def test_an_old_recipe_is_the_one_of_today(name: str, tmp_path: Path) -> None:
    old, new = load_old(name, tmp_path), load_recipe(name)
    assert old.model_dump() == new.model_dump()
    assert old.make_config() == new.make_config()
    assert not new.remarks
    assert len(old.remarks) == bool(old._renamed)


@pytest.mark.parametrize("old", RENAMED)
def test_each_old_key_has_a_place_today(old: str) -> None:
    new = RENAMED[old]
    kinds = methods_of("connect-four") | methods_of("hex") | methods_of("pig")
    having = [kind for kind in kinds.values() if has_key(kind.config_type, kind.sections, new)]
    assert having
    assert not any(has_key(kind.config_type, kind.sections, old) for kind in having)


def test_old_keys_are_typed_over_new_ones_and_new_ones_over_old(tmp_path: Path) -> None:
    old = ["method.noise=0.3", "method.hall_of_fame.opponents=0", "method.mutation_strength=0.5"]
    new = ["matches.noise=0.3", "matches.hall_of_fame.opponents=0", "variation.step_size=0.5"]
    wanted = load_recipe("connect-four", new)
    for made in (
        load_recipe("connect-four", old),
        load_old("connect-four", tmp_path, *old),
        load_old("connect-four", tmp_path, *new),
        load_recipe("connect-four").change(parse_changes(old)),
    ):
        assert made.model_dump() == wanted.model_dump()
    (told,) = load_recipe("connect-four", old[:1]).remarks
    assert told == "keys have new names: matches.noise (was method.noise)"


def test_a_table_that_is_typed_takes_the_place_of_the_other_one(tmp_path: Path) -> None:
    typed = "method.hall_of_fame={opponents=2}"
    for made in (load_recipe("connect-four", [typed]), load_old("connect-four", tmp_path, typed)):
        assert made.matches is not None
        assert made.matches["hall_of_fame"] == {
            **{"size": 50, "every": 10, "opponents": 2},
            "diverse": False,
        }
    made = load_recipe("ticket-to-ride-neat", ["method.tables={decks=3}"])
    assert made.matches is not None
    assert made.matches["multiplayer"]["deals"] == 3
    assert made.matches["multiplayer"]["external_seats"] == 0


def test_islands_of_old_recipes_differ_as_they_did(tmp_path: Path) -> None:
    content = OLD["connect-four"] | {
        "islands": {"count": 3, "each": [{"mutation_strength": 0.5}, {"noise": 0.0}]}
    }
    path = tmp_path / "islands.toml"
    path.write_text(tomli_w.dumps(content), "utf-8")
    recipe = load_recipe(str(path))
    configs: list[Any] = [recipe.make_config(number) for number in range(3)]
    assert [each.variation.step_size for each in configs] == [0.5, 0.1, 0.1]
    assert [each.matches.noise for each in configs] == [0.2, 0.0, 0.2]
    assert read_recipe_text(recipe, tmp_path) == recipe


def read_recipe_text(recipe: Recipe, folder: Path) -> Recipe:
    """Return the *recipe* from the file of a run."""
    path = folder / "recipe.toml"
    path.write_text(recipe.to_toml(), "utf-8")
    read = read_recipe(path)
    read._renamed = recipe._renamed
    return read


def test_nothing_is_said_of_the_old_keys_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(tomli_w.dumps(OLD["connect-four"]), "utf-8")
    recipe = read_recipe(path)
    assert recipe.remarks == []
    assert recipe.matches is not None
    assert recipe.matches["noise"] == 0.2


@pytest.mark.parametrize(
    ("method", "changes", "message"),
    [
        ("tournament", ["method.noise=2"], r"matches\.noise is 2: it must be at most 1"),
        ("tournament", ["method.nois=0.1"], r"did you mean 'matches\.noise'"),
        ("tournament", ["method.step_size=0.1"], r"write variation\.step_size"),
        ("tournament", ["matches.elites=1"], r"did you mean 'variation\.elites'"),
        ("tournament", ["variation.tournament_size=3"], r"did you mean 'method\.tournament_size'"),
        ("td", ["method.noise=0.1"], r"method\.noise is a key of the method 'tournament'"),
        ("td", ["matches.noise=0.1"], r"matches\.noise is a key of the method 'tournament'"),
    ],
)
def test_a_mistake_names_the_key_of_today(method: str, changes: list[str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        load_recipe("hex", [f"method.name={method}", *changes])


def test_a_key_in_the_wrong_section_of_a_file_is_named_with_the_right_one(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("[variation]\nnoise = 0.1\n", "utf-8")
    with pytest.raises(RecipeError, match=r"'variation\.noise': did you mean 'matches\.noise'"):
        load_recipe(str(path))
    path.write_text("[method]\nnoise = 0.1\n\n[matches]\nnoise = 0.1\n", "utf-8")
    with pytest.raises(RecipeError, match=r"matches\.noise stands there twice"):
        load_recipe(str(path))


class WideConfig(ea.extend.VectorMethodConfig):
    """Settings of a user's method, as they were written before there were sections."""

    noise: float = 0.25
    width: float = 0.1


class Wide(ea.extend.VectorMethod):
    """A user's method with flat settings."""

    config_type = WideConfig

    def breed(self, population: Any, fitness: Any, rng: np.random.Generator) -> Any:
        """Return mutated copies."""
        return population + rng.normal(0.0, self.config.width, population.shape)


def test_a_users_method_with_flat_settings_works_as_it_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(user_code, "_registered", {})
    ea.register(Wide)
    method = {"name": "Wide", "individuals": 6, "opponents": 4, "width": 0.2, "noise": 0.5}
    recipe = load_recipe("tic-tac-toe-evolved", {"method": method})
    made: Any = recipe.make_method()
    config = made.config
    assert (config.noise, config.width, config.opponents) == (0.5, 0.2, 4)
    assert (config.matches.noise, config.matches.opponents) == (0.5, 4)
    assert recipe.method["noise"] == 0.5
    state = made.initial(1)
    after, report = made.step(state, Arena(made.decoder, SerialExecutor()))
    assert after.population.shape == state.population.shape
    assert report.games > 0


@pytest.mark.parametrize("name", METHODS)
def test_a_section_of_a_method_is_read_at_one_glance(name: str) -> None:
    kind: Any = load(METHODS[name])
    keys = [key for key, field in kind.config_type.model_fields.items() if not field.exclude]
    assert len(keys) <= 12


def test_a_wrong_key_is_named_if_another_method_is_chosen_too() -> None:
    with pytest.raises(RecipeError, match=r"network\.hiden is an unknown setting: did you mean"):
        load_recipe("othello-evolved", ["method.name=td", "network.hiden=[3]"])
