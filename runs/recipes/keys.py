"""The keys that a recipe has: dotted, as ``--set`` takes them; for suggestions and completion."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evolve_arena.core.errors import ArenaError, quote, spell
from evolve_arena.core.game import GameSpec, section_of_rules
from evolve_arena.core.registry import find_game, usual_game
from evolve_arena.core.sentences import read_helps
from evolve_arena.evolve.method import Method
from evolve_arena.runs.recipes.methods import find_method, methods_of
from evolve_arena.runs.validation import find_model

MOST_SUGGESTED = 3


def list_keys(
    content: Mapping[str, Any], sections: Mapping[str, type[BaseModel]]
) -> dict[str, tuple[str, ...]]:
    """All keys of a recipe of this *content*, with the values that each takes if they are few.

    Args:
        content: What it says; its game and method decide about the sections named after them.
        sections: The sections that are alike in every recipe.

    Raises:
        ArenaError: There is no such game or method.
    """
    spec, kind, models = find_sections(content, sections)
    found: dict[str, tuple[str, ...]] = {"title": ()}
    for section, model in models.items():
        found |= {key: _values_of(f.annotation) for key, f, _ in list_fields(model, f"{section}.")}
    if kind.section is not None:
        found = {key: found[key] for key in found if not key.startswith(f"method.{kind.section}")}
    found["method.name"] = tuple(methods_of(spec.name))
    return found


def find_sections(
    content: Mapping[str, Any], sections: Mapping[str, type[BaseModel]]
) -> tuple[GameSpec, type[Method[Any]], dict[str, type[BaseModel]]]:
    """The game, the method and all sections of a recipe; see :func:`list_keys`."""
    spec = find_game(str(_value_of(content, "game", "name", usual_game())))
    kind = find_method(str(_value_of(content, "method", "name", "tournament")), spec.name)
    network = content.get("network", {})
    rules: Any = spec.game.rules_type
    models: dict[str, Any] = {
        **sections,
        "game": section_of_rules(spec.name, rules),
        "network": kind.network_section(spec, network if isinstance(network, dict) else {}),
        "method": kind.config_type,
    }
    if kind.section is not None:
        models[kind.section] = kind.config_type.model_fields[kind.section].annotation
    return spec, kind, models


def suggest_key(key: str, known: Iterable[str]) -> list[str]:
    """What may be meant by an unknown *key*: the same name in another section, else near names."""
    last, names = key.rpartition(".")[2], _with_parts(known)
    same = [name for name in names if name.rpartition(".")[2] == last]
    if same:
        return same[:MOST_SUGGESTED]
    near = difflib.get_close_matches(key, names, n=MOST_SUGGESTED, cutoff=0.7)
    lasts: dict[str, list[str]] = {}
    for name in names:
        lasts.setdefault(name.rpartition(".")[2], []).append(name)
    for found in difflib.get_close_matches(last, lasts, n=MOST_SUGGESTED, cutoff=0.75):
        near += [name for name in lasts[found] if name not in near]
    return near[:MOST_SUGGESTED]


def explain_key(key: str, known: Iterable[str]) -> str | None:
    """A line about a *key* of ``--set`` that stands in no section, or in a wrong one; else None."""
    names = _with_parts(known)
    if key in names or any(name.startswith(f"{key}.") for name in names):
        return None
    section, _, last = key.rpartition(".")
    beside = [name for name in names if section and name.startswith(f"{section}.")]
    elsewhere = [name for name in names if name.rpartition(".")[2] == last]
    if beside and not elsewhere:
        return None  # the section's own error names its keys
    near = suggest_key(key, names)
    meant = f": did you mean {' or '.join(map(quote, near))}?" if near else ""
    option, meant = spell("--set", "changes:"), meant or "; write section.key=value"
    return f"{option} {key}: {quote(key)} is no key{meant}"


def _with_parts(known: Iterable[str]) -> list[str]:
    """The keys, and what has keys inside a section: ``method.hall_of_fame``."""
    names = list(known)
    inner = [name.rpartition(".")[0] for name in names if name.count(".") > 1]
    return list(dict.fromkeys([*names, *inner]))


def _value_of(content: Mapping[str, Any], section: str, key: str, usual: str) -> Any:
    inner = content.get(section, {})
    if not isinstance(inner, Mapping):
        raise ArenaError(f"{section} is no section")
    return inner.get(key, usual)


def list_fields(
    model: type[BaseModel], prefix: str, *values: type[BaseModel]
) -> Iterator[tuple[str, FieldInfo, str]]:
    """The keys of a section and of those inside, each with its field and what its source says.

    Args:
        model: The section.
        prefix: What stands before its keys.
        values: Sections inside that count as values.
    """
    helps = read_helps(model)
    for name, field in model.model_fields.items():
        inner = find_model(field.annotation)
        if inner is not None and inner not in values and not field.exclude:
            yield from list_fields(inner, f"{prefix}{name}.", *values)
        elif not field.exclude:
            yield f"{prefix}{name}", field, field.description or helps.get(name, "")


def _values_of(annotation: Any) -> tuple[str, ...]:
    values: list[str] = []
    for part in (annotation, *get_args(annotation)):
        if get_origin(part) is Literal:
            values += [str(value) for value in get_args(part)]
        elif part is bool:
            values += ["true", "false"]
    return tuple(dict.fromkeys(values))
