"""How fast checkers is searched by its file of rules, against the same search in plain Python."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.line import Line
from benchmarks.search import draw_midgame
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.players.board.game import GOES_ON, Board
from evolve_arena.players.board.kernel import enter, enter_past, rate_moves
from evolve_arena.players.search import NODES, WIN
from evolve_arena.players.specification import make_player
from tests.bred import make_bred

__all__ = ["measure"]

GAME: Any = make_game("checkers")
TARGET = 1e6
PLAIN_POSITIONS = 40
POSITIONS, ROUNDS = 200, 7
COUNTS: dict[str, Any] = {"encoding": "features", "hidden": ()}
BRED: dict[str, tuple[int, dict[str, Any]]] = {
    "4 features": (6, {**COUNTS, "features": 4}),
    "14 features": (6, {**COUNTS, "features": 14}),
    "20 features": (6, {**COUNTS, "features": 20}),
    "a network 70-40-10-1": (4, {"encoding": "signed", "hidden": (40, 10), "activation": "tanh"}),
}
"""How far players look whose own values are searched, and what these are."""
SMALL = {"PLAIN_POSITIONS": 1, "POSITIONS": 4, "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """All lines about searching checkers."""
    boards = [
        board._replace(past=())
        for board in draw_midgame(GAME, range(10, 30), 2 * POSITIONS)
        if len(GAME.legal_moves(board)) > 1
    ][:POSITIONS]
    player: Any = make_player("minimax:depth=4", GAME)
    plain = _plain_speed(player, boards[:PLAIN_POSITIONS], 4)
    moves, _ = _speed(player, boards)
    yield Line(
        "checkers, minimax:depth=4, midgame, one core",
        moves,
        "moves/s",
        f"alpha-beta in plain Python, same rules: {plain:,.2f} moves/s",
        moves / plain,
    )
    for depth in (4, 8):
        _, nodes = _speed(make_player(f"minimax:depth={depth}", GAME), boards)
        name, target = f"checkers, minimax:depth={depth}, positions searched", f"{TARGET / 1e6:g}"
        yield Line(name, nodes / 1e6, "million/s", "", None, target, nodes >= TARGET)
    for name, (depth, settings) in BRED.items():
        player = make_bred("checkers", "mlp", 1, depth=depth, **settings)
        moves, nodes = _speed(player, boards[: POSITIONS // 2])
        text = f"positions searched: {nodes / 1e6:.3g} million/s"
        yield Line(f"checkers search with {name}, depth {depth}", moves, "moves/s", text)


def _speed(player: Any, boards: Sequence[Board]) -> tuple[float, float]:
    """Moves found and positions searched a second: the best of some rounds."""
    spec = find_game("checkers")
    decide: Any = find_variant(spec, GAME.rules, player.packed)["choose"].decide
    workspace: Any = spec.kernel.make_workspace(GAME.rules, player.packed)
    best = np.inf
    for _ in range(ROUNDS + 1):  # in the first one it is compiled
        workspace.memory[:] = 0
        seconds = 0.0
        for board in boards:
            state = enter(GAME.code, board, workspace.states)
            enter_past(GAME, board, workspace.states)
            workspace.plies[0] = board.plies
            start = time.perf_counter()
            decide(player.packed, state, workspace)
            seconds += time.perf_counter() - start
        best = min(best, seconds)
    return len(boards) / best, float(workspace.memory[NODES]) / best


def _plain_speed(player: Any, boards: Sequence[Board], depth: int) -> float:
    """Moves a second; the values must be those of the compiled search."""
    start = time.perf_counter()
    with np.errstate(over="ignore"):
        found = [_value_plainly(GAME.thaw(board), depth, -2 * WIN, 2 * WIN) for board in boards]
    seconds = time.perf_counter() - start
    for board, value in zip(boards, found, strict=True):
        sure = value if abs(value) < WIN else np.copysign(np.inf, value)
        assert sure == max(rate_moves(player, board).values())
    return len(boards) / seconds


def _value_plainly(state: Any, depth: int, low: int, high: int, root: Any = None) -> int:
    """What a state is worth to who is to move; a bound if not between *low* and *high*."""
    rules, mover = GAME.plain, state[3]
    verdict = rules["result"](state)
    if verdict != GOES_ON:
        return verdict * (1 - 2 * mover) * (WIN + depth)  # type: ignore[no-any-return]
    if state == root:
        return 0
    if depth == 0:
        return rules["evaluate"](state, mover)  # type: ignore[no-any-return]
    moves, best = np.zeros(GAME.code.MOVES, dtype=np.int64), -2 * WIN
    for move in moves[: rules["legal"](state, moves)].tolist():
        after, floor = rules["play"](state, move), max(low, best)
        if after[3] == mover:  # who jumps on
            value = _value_plainly(after, depth - 1, floor, high, root or state)
        else:
            value = -_value_plainly(after, depth - 1, -high, -floor, root or state)
        best = max(best, value)
        if best >= high:
            break
    return best
