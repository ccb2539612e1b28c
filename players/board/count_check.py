"""Tests of a game file's features for networks, ``features`` and ``describe_move``.

There is nothing to compare the numbers with, so the tests look for faults: a function changes the
state, differs from call to call or when compiled, is infinite, or reveals hidden information.
``kinds`` and ``prune`` are tested with them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from evolve_arena.players.board.accelerator_check import MAX_MOVES
from evolve_arena.players.board.game import COUNTS, Board, BoardGame, GameFileError
from evolve_arena.players.board.rules import LARGEST_FEATURE

LARGE = 20.0
"""Absolute value from which a feature is reported: networks learn best from values around 1."""
SEVERAL = 20
"""Minimum number of positions for a hint that a feature is constant."""


def check_counts(game: BoardGame, state: Board, moves: list[int], notes: NDArray[np.int64]) -> None:
    """Test the features, kinds and pruning of a *state* and its *moves*.

    Args:
        game: Game.
        state: Position, which may be over, or before a chance event.
        moves: Legal moves of the player to move; empty to test only what is about the state.
        notes: Array of ``int64`` for the file's notes, shape ``(NOTES + 1,)``. It is reused from
            state to state, and no feature may depend on its contents.

    Raises:
        GameFileError: There is a fault.
    """
    for name, given in _list_questions(game, state, moves):
        told = _count(game, name, state, *given)
        if not np.array_equal(_count(game, name, state, *given), told):
            _fail(game, name, f"{name} writes other numbers the second time for the same state")
        if game.code.NOTES:
            notes[0] = 0
            if not np.array_equal(_count(game, name, state, *given, notes=notes), told):
                _fail(game, name, f"{name} depends on notes[1:], which may be of another state")
        if "view" in game.plain:
            seat = given[-1]
            if not np.array_equal(_count(game, name, game.view(state, seat), *given), told):
                _fail(game, name, f"{name} tells something that view hides from that seat")
    if game.code.HAS_KINDS and moves:
        kinds = game.ask("kinds", game.to_native(state))
        if not 0 < int(kinds) < 2**game.code.KIND_COUNT:
            _fail(
                game, "kinds", f"kinds gives {kinds!r:.60}: it must set the bits of some of KINDS"
            )
    if game.code.HAS_PRUNE and moves:
        kept = _prune(game, state, moves)
        if not kept or len(set(kept)) < len(kept) or not set(kept) <= set(moves):
            _fail(
                game, "prune", f"prune keeps {kept!s:.60}: it must be some of the moves, once each"
            )


def find_difference(
    game: BoardGame,
    state: Board,
    moves: list[int],
    call: Callable[..., Any],
    notes: NDArray[np.int64],
) -> tuple[str, object, object] | None:
    """Compare features in Python with those of compiled functions.

    Args:
        game: Game.
        state: Position.
        moves: Legal moves.
        call: Calls a compiled function by name.
        notes: Array for the notes of compiled functions.

    Returns:
        Function that differs, its numbers in Python, and its numbers compiled; None if all agree.
    """
    for name, given in _list_questions(game, state, moves):
        plain = game.count(name, state, *given)
        theirs = np.zeros(len(plain))
        notes[:1] = 0
        call(game, f"ask_{name}", state, *given, theirs, notes, np.int64(0))
        if not np.allclose(theirs, plain, rtol=1e-6, atol=1e-6):
            return name, plain.tolist(), theirs.tolist()
    if game.code.HAS_KINDS and moves:
        kinds, compiled = game.ask("kinds", game.to_native(state)), call(game, "kinds", state)
        if int(kinds) != int(compiled):
            return "kinds", int(kinds), int(compiled)
    if game.code.HAS_PRUNE and moves:
        room, notes[0] = list_room(game, moves), 0
        asked = np.int64(game.to_move(state)), room, np.int64(len(moves)), notes, np.int64(0)
        compiled = room[: int(call(game, "ask_prune", state, *asked))].tolist()
        if (kept := _prune(game, state, moves)) != compiled:
            return "prune", kept, compiled
    return None


def list_room(game: BoardGame, moves: list[int]) -> NDArray[np.int64]:
    """Return an array of ``int64``, shape ``(MOVES,)``, that begins with *moves*."""
    room = np.zeros(game.code.MOVES, dtype=np.int64)
    room[: len(moves)] = moves
    return room


def _prune(game: BoardGame, state: Board, moves: list[int]) -> list[int]:
    room = list_room(game, moves)
    given = game.to_move(state), room, len(moves), *game.tell("prune")
    return [int(move) for move in room[: int(game.ask("prune", game.to_native(state), *given))]]


def find_ranges(game: BoardGame, games: int) -> tuple[dict[str, dict[str, list[float]]], list[str]]:
    """Return, by function, each feature's extremes in random *games*; and hints about them."""
    found: dict[str, list[NDArray[np.float32]]] = {name: [] for name in COUNTS}
    for seed in range(1, games + 1):
        choices, state = random.Random(seed), game.initial(seed)
        while moves := game.legal_moves(state):
            for name, given in _list_questions(game, state, moves):
                found[name].append(game.count(name, state, *given))
            state = game.play(state, choices.choice(moves))
    ranges, hints = {}, []
    for name, rows in found.items():
        if rows:
            ends = zip(np.min(rows, axis=0).tolist(), np.max(rows, axis=0).tolist(), strict=True)
            told = dict(zip(game.name_features(COUNTS[name]), map(list, ends), strict=True))
            ranges[name] = told
            hints += [f"{name}: {text}" for text in _hint_at(told, len(rows))]
    return ranges, hints


def _hint_at(ranges: dict[str, list[float]], positions: int) -> Iterator[str]:
    for name, (least, most) in ranges.items():
        if least == most and positions >= SEVERAL:
            yield f"{name} was always {most:g} in {positions:,} positions of random games"
        elif max(-least, most) > LARGE:
            yield (
                f"{name} goes from {least:g} to {most:g}: divide it, as networks learn best from"
                " numbers of about 1"
            )


def _list_questions(
    game: BoardGame, state: Board, moves: list[int]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names of functions of features, each with the arguments that follow the state."""
    if game.code.HAS_FEATURES:
        yield from (("features", (seat,)) for seat in range(game.seats))
    if game.code.HAS_DESCRIBE_MOVE and moves:
        seat = game.to_move(state)
        yield from (("describe_move", (move, seat)) for move in moves[:MAX_MOVES])


def _count(
    game: BoardGame, name: str, state: Board, *given: int, notes: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return the numbers that the function *name* writes, and check that they are valid."""
    out = np.zeros(game.code.FEATURE_COUNT if name == "features" else game.code.MOVE_FEATURE_COUNT)
    thawed = game.to_native(state)
    with np.errstate(divide="ignore", invalid="ignore"):
        answer = game.ask(name, thawed, *given, out, *game.tell(name, notes=notes))
    if game.code.IS_ARRAY and tuple(thawed.tolist()) != state.state:
        _fail(game, name, f"{name} changes the state, which only play and resolve may do")
    if answer is not None:
        _fail(game, name, f"{name} gives {answer!r:.60}: it must write into out, and give nothing")
    for place in np.flatnonzero(~(np.abs(out) < LARGEST_FEATURE)):
        text = f"{name} writes {out[place]} into out[{place}]: numbers must be finite"
        _fail(game, name, f"{text}, and below {LARGEST_FEATURE:g}")
    return out


def _fail(game: BoardGame, name: str, sentence: str) -> NoReturn:
    raise GameFileError(f"{game.file}{game.find_line(name)}: {sentence}")
