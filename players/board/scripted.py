"""Scripted players: functions of a game's file that choose moves, compiled like its rules."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import PlayerKind
from evolve_arena.core.stream import Stream, mix
from evolve_arena.players.board.accelerator_check import locate
from evolve_arena.players.board.count_check import list_room
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.workspace import RECORD_FIELDS, SCRIPTED, SETTING, make_notes
from evolve_arena.players.packed import simple_player, with_noise
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_by_settings, read_number


class ScriptedPlayer(CompiledPlayer):
    """A player that the file of its game defines.

    Args:
        game: Game to play.
        function: Name of the function.
        noise: Probability of a random move, 0 to 1.
        told: Text of the setting, which the file's ``read_setting`` parses; empty for none.

    Raises:
        BadValueError: *noise* is out of range, or the file rejects the setting.
    """

    def __init__(self, game: BoardGame, function: str, noise: float = 0.0, told: str = "") -> None:
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        packed = simple_player(RECORD_FIELDS, SCRIPTED + list(game.scripts).index(function))
        packed.seats[0, SETTING] = setting = game.read_setting(told)
        parts = [game.name_setting(setting) if takes_setting(game, function) else ""]
        parts.append(f"noise={noise:.10g}" if noise else "")
        name = ":".join([name_kind(function), ",".join(filter(None, parts))]).rstrip(":")
        super().__init__(game, with_noise(packed, noise), name)


def takes_setting(game: BoardGame, function: str) -> bool:
    """Test whether a scripted player has a setting."""
    return "setting" in game.asks[function]


def name_kind(function: str) -> str:
    """Return the name, in specifications, of the scripted player *function*."""
    return function.replace("_", "-")


def make_kinds(game: type[BoardGame], texts: Sequence[str]) -> dict[str, PlayerKind]:
    """Return the scripted players of a *game* by name, with *texts* as their descriptions."""

    def read(function: str, text: str, game: BoardGame) -> Player:
        make = partial(ScriptedPlayer, game, function)
        if takes_setting(game, function):
            parts = [part.strip() for part in text.split(",")]
            make = partial(make, told=",".join(part for part in parts if not is_noise(part)))
            text = ",".join(filter(is_noise, parts))
        return make_by_settings(name_kind(function), text, {"noise": read_number}, make)

    kinds = {}
    for function, told in zip(game.scripts, texts, strict=True):
        form = f"{name_kind(function)}:noise=0.2"
        summary = f"{told or 'a scripted player'}; noise: the share of moves at random"
        kinds[name_kind(function)] = PlayerKind(
            form, summary, partial(read, function), optional=True
        )
    return kinds


def is_noise(part: str) -> bool:
    """Test whether a *part* of a specification sets the noise."""
    return part.partition("=")[0].strip() == "noise"


def draw_number(rng: Stream | list[int]) -> int:
    """Return the random number that scripts get in checks; do not advance the *rng*."""
    with np.errstate(over="ignore"):
        return int(mix(np.uint64(rng[0]))) >> 2


def needs_list(game: BoardGame, name: str) -> bool:
    """Test whether the scripted player called *name* takes a list of moves."""
    return bool(game.code.LISTING >> list(game.scripts).index(name) & 1)


def list_asked(game: BoardGame, state: Board) -> Iterator[tuple[str, int]]:
    """Yield scripted players, each with -1 (any move) and with every kind legal in *state*."""
    kinds = int(game.ask("kinds", game.to_native(state))) if game.code.HAS_KINDS else 0
    for name in game.scripts:
        yield name, -1
        if "kind" in game.asks[name]:
            yield from ((name, kind) for kind in range(game.code.KIND_COUNT) if kinds >> kind & 1)


def check_scripts(game: BoardGame, state: Board, moves: list[int], made: list[int]) -> list[int]:
    """Call each scripted player in a *state*, by the plain file.

    Args:
        game: Game.
        state: Position that is not over.
        moves: Legal moves.
        made: Moves that led to the position.

    Returns:
        Move of each player, and for each kind of moves that it may choose.

    Raises:
        GameFileError: A player returns an illegal move, changes the state, or is inconsistent.
    """
    known, chosen = game.view(state, game.to_move(state)), []
    number = draw_number([state.plies + 1])
    for name, kind in list_asked(game, state):
        answers = []
        for _ in range(2):
            thawed, room = game.to_native(known), list_room(game, moves)
            listed = (room, len(moves)) if needs_list(game, name) else ()
            answer = game.ask(name, thawed, *listed, *game.tell(name, number, kind=kind))
            where = locate(game, made, state)
            if game.code.IS_ARRAY and tuple(thawed.tolist()) != known.state:
                _fail(game, name, f"{name} changes the state, which only play may do{where}")
            if not isinstance(answer, int | np.integer) or int(answer) not in moves:
                legal = ", ".join(map(str, moves))
                text = f"{name} gives {answer!r:.60}, which is no legal move ({legal:.60}){where}"
                _fail(game, name, text)
            answers.append(int(answer))
        if answers[0] != answers[1]:
            text = f"{name} gives {answers[0]} or {answers[1]} for the same position{where}"
            _fail(game, name, text)
        chosen.append(answers[0])
    return chosen


def compare_scripts(game: BoardGame, call: Callable[..., Any], games: int, seconds: float) -> int:
    """Compare compiled scripted players with the plain file.

    In random *games* every second move is that of a scripted player.

    Args:
        game: Game.
        call: Calls a compiled function of its file by name, with a state and further arguments.
        games: Number of games.
        seconds: Time after which no further game begins.

    Returns:
        Number of positions compared.

    Raises:
        GameFileError: They differ; the message names the position.
    """
    begun, compared, notes = time.monotonic(), 0, make_notes(game.code)
    for seed in range(games if game.scripts else 0):
        if seed and time.monotonic() - begun > seconds:
            break
        choices, state, made = random.Random(seed), game.initial(seed), list[int]()
        while moves := game.legal_moves(state):
            chosen = check_scripts(game, state, moves, made)
            known, drawn = game.view(state, game.to_move(state)), draw_number([state.plies + 1])
            for place, (name, kind) in enumerate(list_asked(game, state)):
                room, notes[0] = list_room(game, moves), 0
                given = list(game.scripts).index(name), room, np.int64(len(moves)), np.int64(drawn)
                more = notes, np.int64(0), np.int64(kind)
                compiled = int(call(game, "choose_scripted", known, *given, *more))
                if compiled != chosen[place]:
                    where = locate(game, made, state)
                    text = f"compiled, {name} gives {compiled}, not {chosen[place]} as in Python"
                    _fail(game, name, text + where)
            compared += 1
            made.append(choices.choice(chosen if state.plies % 2 else moves))
            state = game.play(state, made[-1])
    return compared


def _fail(game: BoardGame, name: str, sentence: str) -> None:
    raise GameFileError(f"{game.file}{game.find_line(name)}: {sentence}")
