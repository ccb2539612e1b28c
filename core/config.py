"""Sections of recipes: settings that are checked when they are read, and never change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model


class Config(BaseModel):
    """Base of all sections: unknown keys are errors, and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@cache
def section_of_rules(name: str, rules: Any) -> type[Config]:
    """The section ``[game]`` of the game called *name*, whose options are the fields of *rules*."""
    chosen: dict[str, Any] = {"name": (Literal[name], name)}
    chosen |= {key: (int, value) for key, value in rules._field_defaults.items()}
    return create_model("GameConfig", __base__=Config, **chosen)


@cache
def section_of_design(design: Any, left_out: Collection[str], kind: str) -> type[Config]:
    """The section ``[network]`` of a *design*: its fields, but for some.

    Args:
        design: A dataclass, all fields of which have defaults.
        left_out: Fields that are said elsewhere, such as the options of the game.
        kind: The name of the design, if there are others too; the first key then.
    """
    hints = get_type_hints(design)
    chosen: dict[str, Any] = {"kind": (Literal[kind], kind)} if kind else {}
    for field in fields(design):
        if field.name not in left_out:
            assert field.default is not MISSING, f"{design.__name__}.{field.name} has no default"
            chosen[field.name] = (hints[field.name], field.default)
    return create_model("NetworkConfig", __base__=Config, **chosen)
