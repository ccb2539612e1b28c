"""Values that requests have: their names, types and bounds, each declared once.

This loads pydantic, which takes longer than all else that the server loads; so it is imported when
the first request comes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from evolve_arena.core.errors import quote
from evolve_arena.runs.validation import Number, explain
from evolve_arena.web.workers import WorkerError

DIGITS = re.compile("-?[0-9]{1,20}")


def _read_digits(value: Any) -> Any:
    """The number that a text of digits is: JavaScript's numbers lose those of more than 53 bits."""
    return int(value) if isinstance(value, str) and DIGITS.fullmatch(value) else value


Name = Annotated[str, Field(max_length=1000)]
Seed = Annotated[int, BeforeValidator(_read_digits), Field(ge=-(2**63), lt=2**64)]


class Values(BaseModel):
    """Base of all: no value is converted, and unknown ones are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Nothing(Values):
    """No values."""


class OneRun(Values):
    """A run, by the way to it from the folder that is served."""

    run: Name


class OneRecipe(Values):
    """A recipe that ships, or ``run:`` and a run; the usual one if it has no name."""

    recipe: Name = ""


class OneGame(Values):
    """A game that ships."""

    game: Name


class Start(Values):
    """A run to be started."""

    run: Name
    recipe: Name
    changes: list[str] = []
    """Lines such as ``run.generations=5``."""


class Resume(Values):
    """A run to go on, to so many generations in all; as far as its recipe says if None."""

    run: Name
    generations: Annotated[Number, Field(ge=1)] | None = None


class Draw(Values):
    """A picture of a run."""

    run: Name
    what: Name


class Rate(Values):
    """Champions that meet, and players from outside."""

    runs: list[Name]
    others: list[Name] = []
    games: Number = 100


class Replay(Values):
    """Games that were kept: in a file that is listed, or in a text."""

    game: Name
    file: Name = ""
    text: str = ""


class Play(Values):
    """A game to begin, or to look at; see `evolve_arena.web.playing.Desk`."""

    game: Name | None = None
    options: dict[Name, Number] = {}
    players: list[Name] = []
    numbers: list[Number] = []
    names: list[Name] = []
    seed: Seed | None = None


class Act(Values):
    """Base of what may be asked of a game: each is a method of its desk, with its values."""

    act: str = "look"


class Look(Act):
    """The game after some moves; as it stands if None."""

    ply: Number | None = None


class Move(Act):
    """A move of a person."""

    move: Name


class Undo(Act):
    """So many turns of a person to go back."""

    times: Number = 1


class Hint(Act):
    """The player who is asked; the one who plays if None."""

    player: Name | None = None


class Think(Hint):
    """The player who is asked about the game after some moves."""

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
    "leave": Act,
}
"""What a page may ask of a game."""


def read_body(content: bytes) -> Any:
    """The *content* of a request, which is JSON as its standard has it.

    Raises:
        WorkerError: It is none: Infinity and NaN are no numbers of JSON, and a key that occurs
            twice leaves open what is meant.
    """
    try:
        return json.loads(
            content or b"{}", parse_constant=_refuse_number, object_pairs_hook=_read_object
        )
    except RecursionError:
        raise WorkerError("the request is nested too deeply") from None
    except ValueError as error:
        raise WorkerError(f"the request is no JSON: {error}") from None


def read_values(given: Any, kind: type[Values]) -> dict[str, Any]:
    """The values of a request of some *kind*, with those that were left out.

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


def _refuse_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{quote(twice)} occurs twice")
    return found
