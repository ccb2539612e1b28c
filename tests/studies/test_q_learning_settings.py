"""Settings of the thesis's program, read as recipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tomli_w

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.q_learning.q_learning import convert_settings

LISTING = """
{
    "board": {"rows": 5, "cols": 8},
    "needed_to_win": 3,
    "games_to_play": 150000,
    "saving_rate": 5000,
    "learning_rate": 0.01,
    "discount_factor": 0.75,
    "estimated_optimal_future_value": "best_known",
    "boltzmann_temperature": 1.5,
    "rewards": {"win": 5, "loss": -3, "tie": 1, "each_move": -0.5},
    "neural_storage": {"hidden_neurons": 75}
}
"""


def settings(**changes: object) -> JsonObject:
    return {**json.loads(LISTING), **changes}


def test_every_key_finds_its_place(tmp_path: Path) -> None:
    file = tmp_path / "stage.toml"
    file.write_text(tomli_w.dumps(convert_settings(settings())))
    recipe = load_recipe(str(file))
    assert recipe.game == {
        "name": "connect-four",
        "columns": 8,
        "rows": 5,
        "connect": 3,
    }
    assert recipe.network["hidden"] == [75]
    expected = {
        "games": 5000,
        "learning_rate": 0.01,
        "discount": 0.75,
        "future": "best-known",
        "policy": {
            "exploration": "boltzmann",
            "temperature": 1.5,
            "epsilon": 0.1,
            "epsilon_games": 50_000,
        },
        "rewards": {"win": 5.0, "loss": -3.0, "draw": 1.0, "move": -0.5},
        "faithful": True,
        "mirror": True,
        "individuals": 1,
    }
    assert {key: recipe.method[key] for key in expected} == expected
    assert (recipe.run.generations, recipe.run.checkpoint_every) == (30, 1)


def test_the_other_future() -> None:
    changed = settings(estimated_optimal_future_value="mean")
    assert convert_settings(changed)["method"]["future"] == "mean"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"saving_rate": 7000}, r"games_to_play is 150000: .* multiple of saving_rate \(7000\)"),
        ({"saving_rate": 0}, "saving_rate"),
        ({"estimated_optimal_future_value": "max"}, "estimated_optimal_future_value"),
        ({"rewards": {"win": 1}}, r"rewards\.loss"),
        ({"momentum": 0.9}, "momentum"),
    ],
)
def test_wrong_settings_are_refused(changes: Settings, message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        convert_settings(settings(**changes))
