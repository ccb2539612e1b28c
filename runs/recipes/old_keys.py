"""Renamed keys of recipes: the keys of older recipes, and the current ones."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel

from evolve_arena.core.game import Config
from evolve_arena.core.types import Json, JsonObject
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.validation import find_model

RENAMED = {
    "method.colours": "matches.colours",
    "method.draw_points": "matches.draw_points",
    "method.fixed_opponents": "matches.fixed_opponents",
    "method.games": "matches.games",
    "method.hall_of_fame": "matches.hall_of_fame",
    "method.loss_points": "matches.loss_points",
    "method.noise": "matches.noise",
    "method.openings": "matches.openings",
    "method.opponents": "matches.opponents",
    "method.pairing": "matches.pairing",
    "method.score": "matches.score",
    "method.training_depths": "matches.training_depths",
    "method.tables.company": "matches.multiplayer.external_opponents",
    "method.tables.company_seats": "matches.multiplayer.external_seats",
    "method.tables.decks": "matches.multiplayer.deals",
    "method.tables.final_decks": "matches.multiplayer.final_deals",
    "method.tables.finalists": "matches.multiplayer.finalists",
    "method.tables.fitness": "matches.multiplayer.fitness",
    "method.tables.rotate": "matches.multiplayer.rotate",
    "method.tables.seats": "matches.multiplayer.seats",
    "method.tables.trial_decks": "matches.multiplayer.preliminary_deals",
    "method.tables": "matches.multiplayer",
    "method.crossover_probability": "variation.crossover_probability",
    "method.elites": "variation.elites",
    "method.mate": "variation.crossover",
    "method.mutate": "variation.mutation",
    "method.mutation_probability": "variation.mutation_probability",
    "method.mutation_strength": "variation.step_size",
    "method.select": "variation.selection",
    "method.selection": "variation.selection",
    "method.self_adaptive": "variation.self_adaptive",
    "method.strength_floor": "variation.min_step_size",
    "method.strength_rate": "variation.step_size_rate",
    "method.averaging": "method.schedule.averaging",
    "method.batch": "method.batch_size",
    "method.judge": "method.final.opponent",
    "method.judge_games": "method.final.games",
    "method.most_games": "method.max_teacher_games",
    "method.schedule_games": "method.schedule.games",
    "method.stagnation.judge": "method.stagnation.criterion",
    "method.step": "method.schedule.learning_rate",
    "method.step_end": "method.schedule.final_learning_rate",
}
"""Current dotted keys, by the old ones; keys in a table precede the table itself. The renamed keys
of a single method are in its settings, see :class:`~evolve_arena.core.game.Config`."""


_NOTHING: Json = object()


class Renaming(NamedTuple):
    """A recipe with current keys."""

    content: JsonObject
    found: dict[str, str]
    """Old keys that it had, each with the current key."""


def rename_keys(
    content: Mapping[str, Json],
    model: type[Config],
    sections: Sequence[str],
    typed: Collection[str] = (),
) -> Renaming:
    """Return the *content* of a recipe with current keys in place of old ones.

    A key counts as old only if the method has no setting of that name.

    Args:
        content: Sections of a recipe, with old or new keys.
        model: The method's settings, which may name old keys of their own.
        sections: Names of its fields that are sections beside ``[method]``.
        typed: Dotted keys that the user typed; they win where both an old and a current key occur.

    Raises:
        RecipeError: Both an old key and its current key occur, and neither was typed.
    """
    changed, found = copy.deepcopy(dict(content)), {}
    own = {f"method.{old}": f"method.{new}" for old, new in model.old_keys.items()}
    renamed = {
        old: new
        for old, new in (RENAMED | own).items()
        if has_key(model, sections, new) and not has_key(model, sections, old)
    }
    # A table that was typed as a whole takes the place of the one in the other spelling.
    for old, new in renamed.items():
        if old in typed:
            _pop(changed, new)
        elif new in typed:
            _pop(changed, old)
    for old, new in renamed.items():
        value = _pop(changed, old)
        if value is not _NOTHING:
            found[old] = new
            _merge(changed, new, value, _is_typed(old, typed), _is_typed(new, typed))
    changed, more = _rename_in_islands(changed, model, sections)
    return Renaming(changed, found | more)


def has_key(model: type[BaseModel], sections: Sequence[str], key: str) -> bool:
    """Test whether a method with these settings and *sections* has a dotted *key*.

    Args:
        model: Settings of the method.
        sections: Names of fields of these that are sections beside ``[method]``.
        key: Dotted key that begins with a section's name, such as ``method.individuals``.
    """
    section, *parts = key.split(".")
    if section != "method":
        if section not in sections:
            return False
        parts = [section, *parts]
    inner: type[BaseModel] | None = model
    for part in parts:
        if inner is None or part not in inner.model_fields:
            return False
        inner = find_model(inner.model_fields[part].annotation)
    return True


def _is_typed(key: str, typed: Collection[str]) -> bool:
    """Test whether *typed* has this *key*, a key inside it, or a table around it."""
    return any(f"{one}.".startswith(f"{key}.") or key.startswith(f"{one}.") for one in typed)


def _pop(content: JsonObject, key: str) -> Json:
    """Remove a dotted *key* from *content* and return its value; ``_NOTHING`` if it is missing."""
    *sections, last = key.split(".")
    for section in sections:
        inner = content.get(section)
        if not isinstance(inner, dict):
            return _NOTHING
        content = inner
    return content.pop(last, _NOTHING)


def _merge(content: JsonObject, key: str, value: Json, is_typed: bool, new_typed: bool) -> None:
    """Store the *value* of an old key under the current *key*; a typed value wins."""
    *sections, last = key.split(".")
    for section in sections:
        inner = content.setdefault(section, {})
        if not isinstance(inner, dict):
            raise RecipeError(f"{key}: {section!r} is a value, not a section")
        content = inner
    if last not in content:
        content[last] = value
    elif isinstance(value, dict) and isinstance(content[last], dict):
        first, second = (content[last], value) if is_typed else (value, content[last])
        content[last] = _join(first, second)
    elif is_typed:
        content[last] = value
    elif not new_typed:
        raise RecipeError(f"{key} stands there twice, once by its older name: leave that out")


def _join(first: JsonObject, second: JsonObject) -> JsonObject:
    """Merge two tables recursively; the values of the *second* win."""
    joined = dict(first)
    for key, value in second.items():
        both = isinstance(value, dict) and isinstance(joined.get(key), dict)
        joined[key] = _join(joined[key], value) if both else value
    return joined


def _rename_in_islands(
    content: JsonObject, model: type[Config], sections: Sequence[str]
) -> tuple[JsonObject, dict[str, str]]:
    """Rename old keys in ``islands.each``, whose tables omit the prefix ``method``."""
    islands = content.get("islands")
    found: dict[str, str] = {}
    each = islands.get("each") if isinstance(islands, Mapping) else None
    if not islands or not isinstance(each, Sequence):
        return content, {}
    tables = []
    for table in each:
        if not isinstance(table, Mapping):
            tables.append(table)
            continue
        beside = {name: table[name] for name in sections if name in table}
        method = {key: value for key, value in table.items() if key not in beside}
        renamed = rename_keys({"method": method, **beside}, model, sections)
        found |= renamed.found
        tables.append(renamed.content.pop("method") | renamed.content)
    return {**content, "islands": {**islands, "each": tables}}, found
