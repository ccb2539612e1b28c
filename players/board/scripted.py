"""Scripted players: functions of a game's file that choose moves, compiled like its rules."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import PlayerKind
from evolve_arena.core.stream import mix
from evolve_arena.players.board.accelerator_check import locate
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.workspace import RECORD_FIELDS, SCRIPTED
from evolve_arena.players.packed import simple_player, with_noise
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_by_settings, read_number


class ScriptedPlayer(CompiledPlayer):
    """A player that the file of its game defines.

    Args:
        game: What it plays.
        function: The function's name.
        noise: The share of moves that it plays at random, 0 to 1.

    Raises:
        BadValueError: *noise* is out of range.
    """

    def __init__(self, game: Any, function: str, noise: float = 0.0) -> None:
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        packed = simple_player(RECORD_FIELDS, SCRIPTED + list(game.scripts).index(function))
        name = name_kind(function) + (f":noise={noise:.10g}" if noise else "")
        super().__init__(game, with_noise(packed, noise), name)


def name_kind(function: str) -> str:
    """The name of the player that a *function* is, as specifications have it."""
    return function.replace("_", "-")


def make_kinds(game: type[BoardGame], texts: Sequence[str]) -> dict[str, PlayerKind]:
    """The scripted players of a *game* by name; *texts* say what each does."""

    def read(function: str, text: str, game: Any) -> Player:
        make = partial(ScriptedPlayer, game, function)
        return make_by_settings(name_kind(function), text, {"noise": read_number}, make)

    kinds = {}
    for function, told in zip(game.scripts, texts, strict=True):
        form = f"{name_kind(function)}:noise=0.2"
        summary = f"{told or 'a scripted player'}; noise: the share of moves at random"
        kinds[name_kind(function)] = PlayerKind(
            form, summary, partial(read, function), optional=True
        )
    return kinds


def draw_number(stream: Any) -> int:
    """The random number that scripts get in checks; the *stream* stays as it is."""
    with np.errstate(over="ignore"):
        return int(mix(np.uint64(stream[0]))) >> 2


def check_scripts(game: BoardGame, state: Board, moves: list[int], made: list[int]) -> list[int]:
    """Ask each scripted player for its move in a *state*, by the plain file.

    Args:
        game: The game.
        state: A position that is not over.
        moves: The legal ones.
        made: The moves that led to the position.

    Returns:
        The move of each.

    Raises:
        GameFileError: One gives no legal move, changes something, or can't make up its mind.
    """
    known, chosen = game.view(state, game.to_move(state)), []
    number = draw_number([state.plies + 1])
    for name, draws in game.scripts.items():
        answers = []
        for _ in range(2):
            thawed, room = game.thaw(known), _list(game, moves)
            answer = game.ask(name, thawed, room, len(moves), *[number] * draws)
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
    """Compare the scripted players, compiled, with the plain file.

    In random *games* every second move is that of one of them.

    Args:
        game: The game.
        call: Calls a compiled function of its file by name, with a state and more.
        games: The number of games.
        seconds: After so many no further game is begun.

    Returns:
        The number of positions that were compared.

    Raises:
        GameFileError: They differ; the text names the position.
    """
    begun, compared = time.monotonic(), 0
    for seed in range(games if game.scripts else 0):
        if seed and time.monotonic() - begun > seconds:
            break
        choices, state, made = random.Random(seed), game.initial(seed), list[int]()
        while moves := game.legal_moves(state):
            chosen = check_scripts(game, state, moves, made)
            known, drawn = game.view(state, game.to_move(state)), draw_number([state.plies + 1])
            for number, name in enumerate(game.scripts):
                room = _list(game, moves)
                given = number, room, np.int64(len(moves)), np.int64(drawn)
                compiled = int(call(game, "choose_scripted", known, *given))
                if compiled != chosen[number]:
                    where = locate(game, made, state)
                    text = f"compiled, {name} gives {compiled}, not {chosen[number]} as in Python"
                    _fail(game, name, text + where)
            compared += 1
            made.append(choices.choice(chosen if state.plies % 2 else moves))
            state = game.play(state, made[-1])
    return compared


def _list(game: BoardGame, moves: list[int]) -> Any:
    room = np.zeros(game.code.MOVES, dtype=np.int64)
    room[: len(moves)] = moves
    return room


def _fail(game: BoardGame, name: str, sentence: str) -> None:
    raise GameFileError(f"{game.file}{game.find_line(name)}: {sentence}")
