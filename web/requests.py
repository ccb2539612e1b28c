"""The values of requests: their names, types and bounds, each declared once.

This loads pydantic, which takes longer than all other modules of the server; so it is imported
with the first request.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from evolve_arena.core.errors import quote
from evolve_arena.runs.validation import Number, explain
from evolve_arena.web.workers import WorkerError

if TYPE_CHECKING:
    from evolve_arena.core.types import Json, JsonObject

DIGITS = re.compile("-?[0-9]{1,20}")


def _read_digits(value: object) -> object:
    """Convert a text of digits to a number: JavaScript's numbers have only 53 bits."""
    return int(value) if isinstance(value, str) and DIGITS.fullmatch(value) else value


Name = Annotated[str, Field(max_length=1000)]
Seed = Annotated[int, BeforeValidator(_read_digits), Field(ge=-(2**63), lt=2**64)]


class Values(BaseModel):
    """Base of all requests: values are not converted, and unknown ones are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Nothing(Values):
    """No values."""


class OneRun(Values):
    """A run, by its path relative to the served folder."""

    run: Name


class OneRecipe(Values):
    """A shipped recipe, or ``run:`` and a run; the default recipe if empty."""

    recipe: Name = ""


class OneGame(Values):
    """A shipped game."""

    game: Name


class Start(Values):
    """A run to start."""

    run: Name
    recipe: Name
    changes: list[str] = []
    """Lines such as ``run.generations=5``."""


class Resume(Values):
    """A run to resume, up to a last generation; that of its recipe if None."""

    run: Name
    generations: Annotated[Number, Field(ge=1)] | None = None


class Draw(Values):
    """A picture of a run."""

    run: Name
    what: Name


class Rate(Values):
    """Champions of runs, and external players, for a round robin."""

    runs: list[Name]
    others: list[Name] = []
    games: Number = 100


class Replay(Values):
    """Kept games: in a listed file, or in a text."""

    game: Name
    file: Name = ""
    text: str = ""


class Play(Values):
    """A game to begin, or to replay; see `evolve_arena.web.playing.Desk`."""

    game: Name | None = None
    options: dict[Name, Number] = {}
    players: list[Name] = []
    numbers: list[Number] = []
    names: list[Name] = []
    seed: Seed | None = None


class Act(Values):
    """Base of requests to a game: each calls the `Desk` method of its name with its values."""

    act: str = "look"


class Look(Act):
    """A request for the game after *ply* moves; its present state if None."""

    ply: Number | None = None


class Move(Act):
    """A move of a person."""

    move: Name


class Undo(Act):
    """A request to take back a number of turns of a person."""

    times: Number = 1


class Hint(Act):
    """A request for a hint: the player to ask, or one of the game's if None."""

    player: Name | None = None


class Think(Hint):
    """A request for a player's values or activations after some moves."""

    ply: Number | None = None


ACTS: dict[str, type[Act]] = {
    "look": Look,
    "play": Move,
    "step": Act,
    "undo": Undo,
    "resign": Act,
    "swap": Act,
    "hint": Hint,
    "values": Think,
    "inside": Think,
    "text": Act,
    "keep": Act,
    "leave": Act,
}
"""Requests to a game, by name."""


def read_body(content: bytes) -> Json:
    """Parse the *content* of a request as strict JSON.

    Raises:
        WorkerError: It is no JSON: Infinity and NaN are no numbers there, and a key that occurs
            twice is ambiguous.
    """
    try:
        return json.loads(
            content or b"{}", parse_constant=_refuse_number, object_pairs_hook=_read_object
        )
    except RecursionError:
        raise WorkerError("the request is nested too deeply") from None
    except ValueError as error:
        raise WorkerError(f"the request is no JSON: {error}") from None


def read_values(given: Json, kind: type[Values]) -> JsonObject:
    """Return the values of a request of some *kind*, with defaults for missing ones.

    Raises:
        WorkerError: A value is missing, unknown, of another type, or out of bounds.
    """
    if not isinstance(given, dict):
        raise WorkerError(f"the request is {quote(given)}: it must be an object with keys")
    if kind is Act:
        act = given.get("act", "look")
        if not isinstance(act, str) or act not in ACTS:
            raise WorkerError(f"act is {quote(act)}: it must be one of {', '.join(ACTS)}")
        kind = ACTS[act]
    try:
        return kind.model_validate(given).model_dump()
    except ValidationError as error:
        raise WorkerError(explain(error, kind)) from None


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _read_object(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{quote(twice)} occurs twice")
    return found
