"""Loader of games of OpenSpiel: ``openspiel:breakthrough``, ``openspiel:hex(board_size=7)``.

A name only selects a game of pyspiel and its parameters, numbers and words: none of it is run as
code.
"""

from __future__ import annotations

import re
from collections import namedtuple
from functools import cache

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote
from evolve_arena.core.game import MAX_SEATS, GameSpec
from evolve_arena.core.registry import SPIEL
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.players.board.networks import make_networks
from evolve_arena.players.openspiel.game import SpielGame
from evolve_arena.players.openspiel.matches import make_kernel, make_observation
from evolve_arena.players.openspiel.text_ui import SpielDialect, SpielText
from evolve_arena.players.openspiel.trial import FAILURES, Pyspiel, try_apart

FORM = re.compile(r"(\w+)(?:\((.*)\))?", re.ASCII)
MAX_PLIES = 2**15 - 1
MAX_INPUTS = 1 << 20
TIMES, LEAST_BOUND = 10, 100
"""Upper bound of a whole number: TIMES its default, or LEAST_BOUND if that is more. pyspiel has no
bounds, and some sizes would fill the memory."""


class NoSpielError(ArenaError):
    """Raised if OpenSpiel is not installed."""


@cache
def load_game(name: str) -> GameSpec:
    """Load the game called *name*.

    Raises:
        NoSpielError: pyspiel is not installed.
        UnknownNameError: There is no such game, or it has no such parameter.
        BadValueError: A parameter is out of range, or the game cannot be played here.
    """
    try:
        import pyspiel
    except ImportError:
        raise NoSpielError(
            f"{quote(name)} needs OpenSpiel, which is not installed: pip install open_spiel"
        ) from None
    # The name, and the kind of game
    found = FORM.fullmatch(name.removeprefix(SPIEL).strip())
    if found is None:
        raise BadValueError(f"game {quote(name)}: write {SPIEL}NAME or {SPIEL}NAME(key=value)")
    types = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if found[1] not in types:
        known = (name for name, kind in types.items() if not _find_fault(kind))
        raise UnknownNameError("game of OpenSpiel", found[1], known)
    kind = types[found[1]]
    if fault := _find_fault(kind):
        raise BadValueError(f"{SPIEL}{kind.short_name} can't be played here: it {fault}")
    # Parameters: other than default ones are tried in a process of its own first.
    given = _read_parameters(kind, found[2] or "")
    inner = ",".join(f"{key}={_write(value)}" for key, value in sorted(given.items()))
    whole = f"{SPIEL}{kind.short_name}" + (f"({inner})" if inner else "")
    if given and (trouble := try_apart(kind.short_name, given)):
        raise BadValueError(f"{whole} can't be played: {trouble}")
    try:
        source = pyspiel.load_game(kind.short_name, given)
        game = _make_class(whole, kind, source)
    except FAILURES as error:
        raise BadValueError(f"{whole} can't be played: {error or type(error).__name__}") from None
    return GameSpec(
        game=game,
        kernel=make_kernel(game),
        networks=make_networks(game),  # type: ignore[arg-type]
        most_seats=source.num_players(),
        has_chance=game.has_chance or source.num_players() > 2,  # for whom there are tables
        columns={"points": ("int32", True)} if game.has_points else {},
        make_text_ui=SpielText,
        dialects={"openspiel": SpielDialect()},
    )


def _find_fault(kind: Pyspiel) -> str:
    """Return why a *kind* of game cannot be played here; empty if it can."""
    has = kind.Information, kind.Dynamics, kind.ChanceMode, kind.RewardModel
    information, dynamics, chance, rewards = has
    reasons = (
        (kind.max_num_players < 2, "is for one player"),
        (kind.information != information.PERFECT_INFORMATION, "hides something from its players"),
        (kind.dynamics != dynamics.SEQUENTIAL, "has players who move at the same time"),
        (kind.chance_mode == chance.SAMPLED_STOCHASTIC, "does not say what chance decides"),
        (kind.reward_model != rewards.TERMINAL, "has rewards before its end"),
        (not kind.default_loadable, "has to be made of a file or of another game"),
        (not kind.provides_observation_tensor, "has no observation tensor"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _read_parameters(kind: Pyspiel, text: str) -> JsonObject:
    """Parse the parameters in *text*; leave out those with their default values."""
    usual: Settings = kind.parameter_specification
    given: JsonObject = {}
    for part in text.split(",") if text.strip() else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise BadValueError(
                f"game {kind.short_name}: {quote(part)} is not of the form key=value"
            )
        if key not in usual:
            raise UnknownNameError(f"parameter of {SPIEL}{kind.short_name}", key, usual)
        if key in given:
            raise BadValueError(f"game {kind.short_name}: {key} is set twice")
        given[key] = _read_value(f"{kind.short_name}: {key}", value, usual[key])
    if "players" in given:
        least, most = max(2, kind.min_num_players), min(MAX_SEATS, kind.max_num_players)
        if not least <= given["players"] <= most:
            raise BadValueError(
                f"game {kind.short_name}: players is {given['players']}: it must be from {least}"
                f" to {most}"
            )
    return {key: value for key, value in given.items() if value != usual[key]}


def _read_value(what: str, text: str, usual: object) -> Json:
    """Parse the value of a parameter, of the type of its default, *usual*."""
    if isinstance(usual, bool):
        if text.lower() not in ("true", "false"):
            raise BadValueError(f"game {what} is {quote(text)}: it must be true or false")
        return text.lower() == "true"
    if isinstance(usual, int):
        least, most = min(1, usual), max(LEAST_BOUND, TIMES * usual)
        if not re.fullmatch("-?[0-9]{1,9}", text, re.ASCII) or not least <= int(text) <= most:
            raise BadValueError(
                f"game {what} is {quote(text)}: it must be a whole number from {least} to {most:,}"
            )
        return int(text)
    if isinstance(usual, float):
        if not re.fullmatch(r"-?[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII):
            raise BadValueError(f"game {what} is {quote(text)}: it must be a number")
        return float(text)
    if not isinstance(usual, str) or not re.fullmatch(r"[\w ;:/+.-]{0,100}", text, re.ASCII):
        raise BadValueError(f"game {what} is {quote(text)}, which can't be set here")
    return text


def _write(value: Json) -> str:
    """Return the *value* of a parameter as it is written in the name of a game."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _make_class(name: str, kind: Pyspiel, source: Pyspiel) -> type[SpielGame]:
    """Return the class of the game.

    Raises:
        BadValueError: The game is too large, or for too many players.
    """
    seats, plies, inputs = (
        source.num_players(),
        source.max_game_length(),
        source.observation_tensor_size(),
    )
    for value, least, most, what in (
        (seats, 2, MAX_SEATS, "players"),
        (plies, 1, MAX_PLIES, "plies in a game"),
        (inputs, 1, MAX_INPUTS, "numbers in its tensor"),
    ):
        if not least <= value <= most:
            raise BadValueError(f"{name} has {value:,} {what}: it must be from {least} to {most:,}")
    make_observation(source)
    has_chance = kind.chance_mode == kind.ChanceMode.EXPLICIT_STOCHASTIC
    members = {
        "name": name,
        "rules_type": namedtuple("Rules", ()),
        "loaded": source,
        "title": kind.long_name,
        "has_chance": has_chance,
        "has_points": has_chance or seats > 2 or source.max_utility() > 1,
        "states": {},
        "__doc__": f"{kind.long_name}, as OpenSpiel plays it.",
    }
    return type(f"Spiel{kind.short_name.title().replace('_', '')}", (SpielGame,), members)
