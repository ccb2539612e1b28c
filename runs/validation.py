"""Errors of pydantic in one line: the key, the value and what was expected."""

from __future__ import annotations

import difflib
from typing import Annotated, get_args

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import ErrorDetails

from evolve_arena.core.errors import LONGEST, quote

Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""A signed integer of 64 bits, as compiled code takes it."""
MAX_SHOWN, NEAREST = 24, 3
"""Largest number of keys that are all listed, and number of keys shown of a longer list."""

UNKNOWN = "is an unknown setting"
"""Phrase in every message about an unknown key."""
EXPECTED = {
    "greater_than": "it must be above {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be below {lt}",
    "less_than_equal": "it must be at most {le}",
    "int_parsing": "it must be a whole number",
    "int_type": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_parsing": "it must be a number",
    "float_type": "it must be a number",
    "finite_number": "it must be a finite number",
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "string_type": "it must be a text",
    "string_unicode": "it must be a text",
    "string_too_long": "it must have at most {max_length} characters",
    "list_type": "it must be a list",
    "tuple_type": "it must be a list",
    "dict_type": "it must be a section of keys and values",
    "model_type": "it must be a section of keys and values",
    "dataclass_type": "it must be a section of keys and values",
    "literal_error": "it must be {expected}",
}


def explain(error: ValidationError, model: type[BaseModel], prefix: str = "") -> str:
    """Describe the first of the mistakes in *error*, and count the others.

    Args:
        error: Error of pydantic.
        model: Model that was validated.
        prefix: Section that *model* describes, such as ``method.``.
    """
    details = error.errors()
    more = len(details) - 1
    return prefix + _explain_one(details[0], model) + (f" (and {more} more)" if more else "")


def _explain_one(detail: ErrorDetails, model: type[BaseModel]) -> str:
    key = ".".join(str(part)[:LONGEST] for part in detail["loc"])
    kind, value = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        hint = _hint(key.rpartition(".")[2], *_keys_beside(detail["loc"], model))
        return f"{key} {UNKNOWN}{hint}"
    if kind == "missing":
        return f"{key} is missing"
    if kind == "json_invalid":
        return detail["msg"]
    if kind == "value_error":
        text = detail["msg"].removeprefix("Value error, ")
        return f"{key}: {text}" if key else text
    key = key or "it"
    if kind in EXPECTED:
        return f"{key} is {quote(value)}: {EXPECTED[kind].format(**detail.get('ctx', {}))}"
    return f"{key} is {quote(value)}: {detail['msg']}"


def _hint(key: str, known: list[str], inner: list[str]) -> str:
    """Suggest known keys, or those of *inner* sections, for *key*: the nearest, or all of a few."""
    few = len(known) <= MAX_SHOWN
    names = {name.rpartition(".")[2]: name for name in (*inner, *known)}
    close = difflib.get_close_matches(key, names, n=1 if few else NEAREST, cutoff=0.5)
    near = [names[name] for name in close]
    meant = f": did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{meant} (known: {', '.join(known)})" if few or not near else meant


def _keys_beside(
    place: tuple[int | str, ...], model: type[BaseModel]
) -> tuple[list[str], list[str]]:
    """Return the keys of the section in which *place* is, and those of sections beside it."""
    for part in place[:-1]:
        field = model.model_fields.get(str(part))
        hint = field.annotation if field else None
        inner = find_model(hint)
        if inner is None:
            return [], []
        model = inner
    beside = {
        name: section
        for name, field in model.model_fields.items()
        if field.exclude and (section := find_model(field.annotation))
    }
    own = sorted(name for name, field in model.model_fields.items() if not field.exclude)
    return own, [f"{name}.{key}" for name, each in beside.items() for key in each.model_fields]


def find_model(annotation: object) -> type[BaseModel] | None:
    """Return the settings class in an *annotation*, if there is one."""
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return part
    return None
