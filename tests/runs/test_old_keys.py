"""Recipes with the keys of older versions: each means the same as the recipe of today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from evolve_arena.runs.recipes.recipe import Recipe, load_recipe

OLD: dict[str, Any] = json.loads(Path(__file__).with_name("old_recipes.json").read_text("utf-8"))
"""All recipes that shipped before ``[matches]`` and ``[variation]`` were sections."""


def load_old(name: str, folder: Path, *changes: str) -> Recipe:
    path = folder / "old.toml"
    path.write_text(tomli_w.dumps(OLD[name]), "utf-8")
    return load_recipe(str(path), changes)


def test_no_old_recipe_is_missing() -> None:
    assert len(OLD) == 55


@pytest.mark.parametrize("name", OLD)
def test_an_old_recipe_is_the_one_of_today(name: str, tmp_path: Path) -> None:
    old, new = load_old(name, tmp_path), load_recipe(name)
    assert old.model_dump() == new.model_dump()
    assert old.make_config() == new.make_config()
    assert not new.remarks
    assert len(old.remarks) == bool(old._renamed)
