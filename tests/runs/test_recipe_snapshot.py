"""Every value of every shipped recipe, and every default, as it stands in a data file.

A value that changes is seen here. If it was meant to change, write the file anew and look at what
changed: ``RENEW_SNAPSHOT=1 pytest tests/runs/test_recipe_snapshot.py``, then ``git diff``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import typer

from evolve_arena.cli.app import app
from evolve_arena.core.registry import shipped_games
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.runs.recipes.methods import methods_of
from evolve_arena.runs.recipes.recipe import load_recipe, recipe_names

FILE = Path(__file__).with_name("recipe_snapshot.json")
Values = JsonObject


def test_no_value_changes_unnoticed(tmp_path: Path) -> None:
    found = json.loads(json.dumps(read_all(tmp_path)))
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    if "RENEW_SNAPSHOT" in os.environ:
        kept = arrange(found, kept)
        FILE.write_text(write(kept), encoding="utf-8")
    was, now = (
        {
            f"{part}: {key}": repr(value)
            for part, values in content.items()
            for key, value in values.items()
        }
        for content in (kept, found)
    )
    changes = [
        f"{key} was {was.get(key, 'missing')}, is {now.get(key, 'missing')}"
        for key in {**was, **now}
        if was.get(key) != now.get(key)
    ]
    assert not changes, (
        "\n".join(changes) + "\nIf this is meant: RENEW_SNAPSHOT=1 pytest"
        " tests/runs/test_recipe_snapshot.py, and look at git diff."
    )


def arrange(found: dict[str, Values], kept: dict[str, Values]) -> dict[str, Values]:
    """Return *found* in the order of *kept*, so that Git shows only the differences."""
    return {
        part: {
            key: found[part][key]
            for key in {**kept.get(part, {}), **found[part]}
            if key in found[part]
        }
        for part in {**kept, **found}
        if part in found
    }


def write(parts: Mapping[str, Values]) -> str:
    """Return JSON with a line for each value."""
    texts = []
    for part, values in parts.items():
        lines = [
            f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in values.items()
        ]
        texts.append(f" {json.dumps(part)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(texts) + "\n}\n"


def read_all(folder: Path) -> dict[str, Values]:
    """Return defaults of each method for each game, changes of each recipe, and options."""
    defaults = {}
    for game in shipped_games():
        for name in methods_of(game):
            path = folder / "plain.toml"
            path.write_text(write_plain(name, game))
            defaults[f"defaults of {name} for {game}"] = resolve(str(path))
    recipes = {}
    for name in recipe_names():
        values = resolve(name)
        usual = defaults[f"defaults of {values['method.name']} for {values['game.name']}"]
        # A key that the defaults have and the recipe lacks is told as None.
        recipes[f"recipe {name}"] = {
            key: values.get(key)
            for key in {**usual, **values}
            if key not in usual or key not in values or values[key] != usual[key]
        }
    return {**defaults, **recipes, **read_options()}


def write_plain(method: str, game: str) -> str:
    """Return a minimal recipe."""
    return f"method.name = '{method}'\ngame.name = '{game}'\n"


def resolve(recipe: str) -> Values:
    return dict(flatten(load_recipe(recipe).model_dump(mode="json")))


def flatten(content: Settings, prefix: str = "") -> Iterator[tuple[str, Json]]:
    """Yield values by dotted key."""
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def read_options() -> dict[str, Values]:
    """Return the default of each option of each command."""
    outer = typer.main.get_command(app)
    commands = {}
    for name, command in outer.commands.items():
        inner = getattr(command, "commands", None)
        commands |= (
            {f"{name} {word}": each for word, each in inner.items()} if inner else {name: command}
        )
    return {
        f"options of evolve {name}": {
            str(option.name): option.default if option.default is None else str(option.default)
            for option in command.params
            if option.name != "help"
        }
        for name, command in sorted(commands.items())
    }
