"""The sections of recipes, and their keys: dotted, as ``--set`` takes them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from evolve_arena.core.attribute_docs import read_helps
from evolve_arena.core.errors import ArenaError, quote, spell
from evolve_arena.core.game import Config, section_of_rules
from evolve_arena.core.registry import default_game, find_game
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.evolve.settings.growth import GrowthConfig
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.players.board.workspace import MAX_DEPTH, MAX_ROLLOUTS
from evolve_arena.runs.recipes.methods import find_method, methods_of
from evolve_arena.runs.recipes.old_keys import RENAMED
from evolve_arena.runs.validation import find_model

MAX_SUGGESTED = 3


class SearchConfig(Config):
    """The section ``[search]``: the search with which the champion plays.

    The champion uses it in checks, in duels, at a terminal and on the page; it is stored with the
    champion. The search of individuals in training matches is in ``[network]``; champions use that
    one in matches against each other.
    """

    depth: int = Field(default=0, ge=0, le=MAX_DEPTH)
    """Plies of alpha-beta search; 0: no search."""
    rollouts: int = Field(default=0, ge=0, le=MAX_ROLLOUTS)
    """Rollouts of Monte Carlo tree search for each move, by its values or policy; 0: no search."""


class CheckConfig(Config):
    """The section ``[check]``: games of the champion against external players."""

    every: int = Field(default=10, ge=1)
    """Generations between checks; there is one at the end of the run as well."""
    games: int = Field(default=1000, ge=2, le=1_000_000)
    """Games against each opponent, colours balanced."""
    opponents: tuple[str, ...] = ("random",)
    """Specifications of players; the first decides which champion is the best one if
    `run.champion` is ``best-check``. If left out, those of the game's
    `GameSpec.opponents`."""
    opening_plies: int = Field(default=0, ge=0, le=20)
    """Random plies that each game begins with, the same ones for both colours; 0: all games
    begin at the start."""
    positions: tuple[str, ...] = ()
    """Sets of positions with known answers that ship with the game, such as ``concept states``, in
    which the champion is tested, too. They decide nothing."""
    share: float = Field(default=0.2, gt=0.0, le=1.0)
    """The largest share of the run's time that checks may take: games against slow opponents become
    fewer, but not below 40 against each. 1: all are played. Games that decide who is champion are
    not limited by time."""


class RunConfig(Config):
    """The section ``[run]``: the length of the run, its seed, champion and checkpoints."""

    generations: int = Field(default=1000, ge=0)
    """Generations after which the run ends; ``evolve resume --generations`` raises it. 0 only
    draws the first population and checks its champion."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """Seed of all randomness of the run: the same recipe and the same seed give the same bits."""
    checkpoint_every: int = Field(default=50, ge=1)
    """Generations between checkpoints; there is one at every stop as well."""
    champion: Literal["strongest", "best-check", "last"] = "strongest"
    """Champion that becomes ``champion.safetensors``. ``strongest``: the champion of each check
    plays against the run's champion so far, from random openings, and takes its place if it wins
    beyond the 95 % interval; the first one is that of generation 0. ``best-check``: that with most
    wins against the first opponent of all checks (in games that count points, that with the
    largest margin). ``last``: the last one."""
    keep_newest: int | None = Field(default=None, ge=1)
    """Number of the newest checkpoints that are kept; 5 in a new run if left out. An old run whose
    recipe lacks it keeps all."""
    keep_every: int | None = Field(default=None, ge=1)
    """Older checkpoints are kept if their generation is a multiple of this number times
    `checkpoint_every`; 1 keeps all. 10 in a new run if left out."""
    id: str | None = Field(default=None, pattern="^[0-9a-f]{32}$")
    """Identifies the run, so that it refuses checkpoints of other runs. It is drawn when the run
    begins, whatever is given here; old runs have none."""
    start_from: str | None = None
    """The checkpoint with which the run begins, as ``RUN@GENERATION``: `evolve branch` writes it.
    A copy of it is the run's first checkpoint, so the run needs the other one only to begin."""
    population: tuple[str, ...] | None = None
    """Runs whose players are in the first population, as ``RUN`` or ``RUN@GENERATION``: of each
    the champion and then the individuals; `evolve start --population` writes it."""
    start_sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the individuals that the run took from other runs when it began. If it is
    given, a run refuses to begin with others."""

    @property
    def begins_elsewhere(self) -> bool:
        """True if its first state comes from other runs, and not from the seed alone."""
        return bool(self.start_from or self.population)

    def keeps(self, generations: Sequence[int]) -> set[int]:
        """Return those of *generations*, in ascending order, whose checkpoints are kept.

        The first and the last are always kept.

        >>> config = RunConfig(checkpoint_every=2, keep_newest=2, keep_every=3)
        >>> sorted(config.keeps(range(0, 20, 2)))
        [0, 6, 12, 16, 18]
        """
        if self.keep_every == 1 or (self.keep_newest is None and self.keep_every is None):
            return set(generations)
        newest = generations[-(self.keep_newest or 1) :]
        every = self.keep_every
        regular = [g for g in generations if every and g % (every * self.checkpoint_every) == 0]
        return {*newest, *regular, *generations[:1]}


SECTIONS: dict[str, type[BaseModel]] = {
    "islands": IslandsConfig,
    "growth": GrowthConfig,
    "search": SearchConfig,
    "check": CheckConfig,
    "run": RunConfig,
}
"""The sections that are the same for all methods and games."""


def list_keys(content: Settings) -> dict[str, tuple[str, ...]]:
    """Return all keys that a recipe of this *content* may have, with their values if these are few.

    The keys of some sections depend on the recipe's game and method.

    Raises:
        ArenaError: There is no such game or method.
    """
    found: dict[str, tuple[str, ...]] = {"title": ()}
    for section, model in find_sections(content).items():
        found |= {key: _values_of(f.annotation) for key, f, _ in list_fields(model, f"{section}.")}
    game = find_game(str(_value_of(content, "game", "name", default_game())))
    found["method.name"] = tuple(methods_of(game.name))
    return found


def find_sections(content: Settings) -> dict[str, type[BaseModel]]:
    """Return the settings classes of a recipe of this *content* by section, in the file's order.

    Raises:
        ArenaError: There is no such game or method.
    """
    spec = find_game(str(_value_of(content, "game", "name", default_game())))
    kind = find_method(str(_value_of(content, "method", "name", "tournament")), spec.name)
    network, rules = content.get("network", {}), cast(Any, spec.game.rules_type)
    models: JsonObject = {
        "game": section_of_rules(spec.name, rules),
        "network": kind.network_section(spec, network if isinstance(network, dict) else {}),
        "method": kind.config_type,
    }
    models |= {name: kind.find_section(name) for name in kind.sections}
    return models | SECTIONS


def suggest_key(key: str, known: Iterable[str]) -> list[str]:
    """Return likely meanings of an unknown *key*: its name in another section, else near names."""
    last, names = key.rpartition(".")[2], _with_parts(known)
    same = [name for name in names if name.rpartition(".")[2] == last]
    if same:
        return same[:MAX_SUGGESTED]
    earlier = {old: new for old, new in RENAMED.items() if new in names}
    found_earlier = difflib.get_close_matches(key, earlier, n=1, cutoff=0.85)
    near = [earlier[old] for old in found_earlier]
    close = difflib.get_close_matches(key, names, n=MAX_SUGGESTED, cutoff=0.7)
    near += [name for name in close if name not in near]
    lasts: dict[str, list[str]] = {}
    for name in names:
        lasts.setdefault(name.rpartition(".")[2], []).append(name)
    for found in difflib.get_close_matches(last, lasts, n=MAX_SUGGESTED, cutoff=0.75):
        near += [name for name in lasts[found] if name not in near]
    return near[:MAX_SUGGESTED]


def explain_key(key: str, known: Iterable[str], typed: bool = True) -> str | None:
    """Return an error message if *key* is in no section, or in a wrong one; else None.

    Args:
        key: Dotted key.
        known: All keys of the recipe.
        typed: True if the user typed it for ``--set``, and no file has it.
    """
    names = _with_parts(known)
    if key in names or any(name.startswith(f"{key}.") for name in names):
        return None
    section, _, last = key.rpartition(".")
    beside = [name for name in names if section and name.startswith(f"{section}.")]
    elsewhere = [name for name in names if name.rpartition(".")[2] == last]
    if beside and not elsewhere:
        lasts = {name.rpartition(".")[2] for name in names}
        lasts |= {old.rpartition(".")[2] for old, new in RENAMED.items() if new in names}
        nearest = difflib.get_close_matches(last, lasts, n=1, cutoff=0.75)
        if not nearest or f"{section}.{nearest[0]}" in beside:
            return None  # the section's own error names its keys
    near = suggest_key(key, names)
    meant = f": did you mean {' or '.join(map(quote, near))}?" if near else ""
    if not typed:
        return f"unknown setting {quote(key)}{meant}"
    option, meant = spell("--set", "changes:"), meant or "; write section.key=value"
    return f"{option} {key}: unknown setting {quote(key)}{meant}"


def _with_parts(known: Iterable[str]) -> list[str]:
    """Return the keys, and the tables inside of sections, such as ``matches.hall_of_fame``."""
    names = list(known)
    inner = [name.rpartition(".")[0] for name in names if name.count(".") > 1]
    return list(dict.fromkeys([*names, *inner]))


def _value_of(content: Settings, section: str, key: str, usual: str) -> Any:
    inner = content.get(section, {})
    if not isinstance(inner, Mapping):
        raise ArenaError(f"{section} is no section")
    return inner.get(key, usual)


def list_fields(
    model: type[BaseModel], prefix: str, *values: type[BaseModel]
) -> Iterator[tuple[str, FieldInfo, str]]:
    """Yield the keys of a section and of its inner sections, with their fields and docstrings.

    Args:
        model: The section.
        prefix: Text before its keys.
        values: Classes of inner sections that count as single values.
    """
    helps = read_helps(model)
    for name, field in model.model_fields.items():
        several = get_origin(field.annotation) is tuple  # tables in a list have no dotted keys
        inner = None if several else find_model(field.annotation)
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
