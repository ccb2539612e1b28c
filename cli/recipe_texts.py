"""Recipes as text: lists of them, and their keys with values, defaults and meanings."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.attribute_docs import read_helps
from evolve_arena.core.game import GameSpec, options_of
from evolve_arena.core.registry import default_game
from evolve_arena.core.types import Json
from evolve_arena.evolve.settings.variation import Operator
from evolve_arena.runs.recipes.recipe import Recipe, RecipeSummary
from evolve_arena.runs.recipes.sections import find_sections, list_fields

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):(?=`)")
"""Roles of reStructuredText in docstrings."""
KINDS = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`"}
BOUNDS = {"ge": "from {}", "gt": "above {}", "le": "to {}", "lt": "below {}"}


def print_usual_recipes(recipes: Sequence[RecipeSummary]) -> None:
    """Print the default recipe of each game, and the names of the others; on one screen."""
    games = group_recipes(recipes)
    rows = [(usual.name, usual.title) for usual, *_ in games.values()]
    print_table("Recipes: evolve start NAME", ["name", "title"], rows, left=2)
    others: dict[tuple[str, ...], list[str]] = {}
    for game, (_, *more) in games.items():
        names = [one.name.removeprefix(game) for one in more if not one.is_published]
        others.setdefault(tuple(names), []).append(game)
    told = [f"{', '.join(found)}: {', '.join(names)}" for names, found in others.items() if names]
    print_line(f"More: {'; '.join(told)}")
    published = sum(recipe.is_published for recipe in recipes)
    print_line(f"All, with {published} of published studies: evolve list recipes --all")
    print_line("Those of one game: evolve list recipes GAME")


def print_recipes(recipes: Sequence[RecipeSummary]) -> None:
    """Print all *recipes* with their titles, by game."""
    rows: list[tuple[str, ...]] = []
    sections = []
    for found in group_recipes(recipes).values():
        sections.append(len(rows))
        rows += [(recipe.name, recipe.title) for recipe in found]
    title, columns = "Recipes: evolve start NAME", ["name", "title"]
    print_table(title, columns, rows, left=2, sections=sections[1:])


def group_recipes(recipes: Iterable[RecipeSummary]) -> dict[str, list[RecipeSummary]]:
    """Return the *recipes* by game: first the default one, then others, then those of studies.

    The default game comes first, then the games with the most recipes.
    """
    games: dict[str, list[RecipeSummary]] = {}
    for recipe in recipes:
        games.setdefault(recipe.game, []).append(recipe)
    for found in games.values():
        found.sort(key=lambda recipe: (recipe.is_published, not recipe.is_usual, recipe.name))

    def rank(game: str) -> tuple[bool, int, str]:
        return game != default_game(), -sum(not one.is_published for one in games[game]), game

    return {game: games[game] for game in sorted(games, key=rank)}


class KeyText(NamedTuple):
    """The description of a key."""

    key: str
    """The key, dotted."""
    values: str
    """Its values, in Markdown."""
    default: str
    """Its default, as a recipe writes it; empty if the key is required."""
    meaning: str
    """Its meaning, a sentence in Markdown."""


def describe_section(model: type[BaseModel], prefix: str) -> Iterator[KeyText]:
    """Yield the keys of a section and of nested sections; an `Operator` counts as one value."""
    for key, field, meaning in list_fields(model, prefix, Operator):
        values = describe_type(field.annotation, field.metadata)
        yield KeyText(key, values, write_default(field), write_sentence(meaning))


def describe_game(spec: GameSpec) -> Iterator[KeyText]:
    """Yield the options of a game."""
    rules = spec.game.rules_type
    helps = read_helps(rules)
    for key, option in options_of(rules).items():
        values = sorted(option.values or range(option.lowest, option.highest + 1))
        several = len(values) > 2 and values[-1] - values[0] == len(values) - 1
        span = f"{values[0]} to {values[-1]}" if several else " or ".join(map(str, values))
        default = str(rules._field_defaults[key])
        yield KeyText(f"game.{key}", span, default, write_sentence(helps.get(key, "")))


def describe_recipe_keys(recipe: Recipe) -> list[tuple[KeyText, str]]:
    """Return each key of a *recipe*, and its value there."""
    content = recipe.model_dump(mode="json")
    sections = find_sections(content)
    texts = [KeyText("game.name", "name of a game, or its file", "", "The game.")]
    texts += describe_game(recipe.spec)
    for section in [name for name in sections if content.get(name) is not None and name != "game"]:
        texts += describe_section(sections[section], f"{section}.")
    found = []
    for text in texts:
        value: Json = content
        for part in text.key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        found.append((text, write_value(value)))
    return found


def print_recipe_keys(recipe: Recipe) -> None:
    """Print the keys of a *recipe*, two lines for each."""
    for text, value in describe_recipe_keys(recipe):
        default = f"; default {text.default}" if text.default not in ("", value) else ""
        told = f" = {value}   ({text.values}{default})".replace("`", "")
        print_line(told, heading=text.key)
        print_line(f"    {text.meaning}")


def describe_type(annotation: object, metadata: Iterable[object] = ()) -> str:
    """Describe a type and its range."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return describe_type(arguments[0], [*arguments[1:], *metadata])
    if origin is Literal:
        return " or ".join(f"`{json.dumps(value)}`" for value in arguments)
    if origin in {Union, types.UnionType}:
        inner = [each for each in arguments if each is not type(None)]
        left_out = ", or left out" if type(None) in arguments else ""
        return " or ".join(describe_type(each, metadata) for each in inner) + left_out
    if origin is tuple:
        return f"list: {describe_type(arguments[0])}"
    words = [next((kind for each, kind in KINDS.items() if each is annotation), "text or table")]
    for limit in metadata:
        for name, text in BOUNDS.items():
            if (bound := getattr(limit, name, None)) is not None:
                whole = isinstance(bound, int) or bound == int(bound)
                shown = f"{int(bound):,}" if whole else f"{bound:g}"
                words.append(text.format(shown))
        if pattern := getattr(limit, "pattern", None):
            words.append(f"like `{pattern}`")
    return " ".join(words)


def write_value(value: Json) -> str:
    """Return a value as a recipe writes it."""
    if value is None:
        return "left out"
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping) and list(value) == ["name"]:
        value = value["name"]
    return json.dumps(value, ensure_ascii=False)


def write_default(field: FieldInfo) -> str:
    """Return the default of a key; empty if the key is required."""
    if field.is_required():
        return ""
    return write_value(field.get_default(call_default_factory=True))


def write_sentence(text: str) -> str:
    """Convert a text of a docstring to Markdown."""
    text = ROLE.sub("", text).replace("``", "`")
    return re.sub(r"`evolve_arena(?:\.\w+)+\.(\w+)`", r"`\1`", text)
