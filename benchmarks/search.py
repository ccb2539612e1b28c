"""Speed of searching games from their files of rules, against the same search in plain Python."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.line import Line
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.game import Game
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.types import Array, Settings, State
from evolve_arena.players.board.game import GOES_ON, Board, BoardGame
from evolve_arena.players.board.kernel import enter, enter_past, rate_moves
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.search import NODES, WIN
from evolve_arena.players.specification import make_player
from tests.evolved import make_evolved

__all__ = ["measure"]

GAMES = {
    "connect-four": (range(8, 21), ((4, None), (8, None), (12, None)), 20_000.0),
    "checkers": (range(10, 30), ((4, 1e6), (8, 1e6)), None),
}
"""Numbers of random plies before the positions; depths, each with the target of positions searched
a second; and the target of moves a second, four plies deep."""
PLAIN_POSITIONS = 20
POSITIONS, ROUNDS = 200, 7
DEEP = 12
"""From so many plies on, a fifth of the positions is searched."""
COUNTS: Settings = {"encoding": "features", "hidden": ()}
EVOLVED: dict[str, tuple[int, Settings]] = {
    "4 features": (6, {**COUNTS, "features": 4}),
    "14 features": (6, {**COUNTS, "features": 14}),
    "20 features": (6, {**COUNTS, "features": 20}),
    "a network 70-40-10-1": (4, {"encoding": "signed", "hidden": (40, 10), "activation": "tanh"}),
}
"""Search depth of players that use their own values, and the settings of these."""
SMALL = {"PLAIN_POSITIONS": 1, "POSITIONS": 4, "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """Yield all lines about searching."""
    for name, (lengths, depths, target) in GAMES.items():
        game = make_game(name)
        boards = [
            board._replace(past=())
            for board in draw_midgame(game, lengths, 2 * POSITIONS)
            if len(game.legal_moves(board)) > 1
        ][:POSITIONS]
        player = make_player("minimax:depth=4", game)
        plain = _plain_speed(player, boards[:PLAIN_POSITIONS], 4)
        moves, _ = _speed(player, boards)
        yield Line(
            f"{name}, minimax:depth=4, midgame, one core",
            moves,
            "moves/s",
            f"alpha-beta in plain Python, same rules: {plain:,.2f} moves/s",
            moves / plain,
            f"{target:,.0f}" if target else "",
            moves >= target if target else None,
        )
        for depth, fewest in depths:
            few = boards[: len(boards) // (5 if depth >= DEEP else 1) or 1]
            moves, nodes = _speed(make_player(f"minimax:depth={depth}", game), few)
            yield Line(
                f"{name}, minimax:depth={depth}, positions searched",
                nodes / 1e6,
                "million/s",
                f"{moves:,.0f} moves/s",
                None,
                f"{fewest / 1e6:g}" if fewest else "",
                nodes >= fewest if fewest else None,
            )
    for name, (depth, settings) in EVOLVED.items():
        player = make_evolved("checkers", "mlp", 1, depth=depth, **settings)
        moves, nodes = _speed(player, boards[: POSITIONS // 2])
        text = f"positions searched: {nodes / 1e6:.3g} million/s"
        yield Line(f"checkers search with {name}, depth {depth}", moves, "moves/s", text)


def draw_midgame(game: Game[State, int], lengths: range, count: int) -> list[State]:
    """Return positions of a *game* after so many random plies."""
    chance, positions = np.random.default_rng(1), []
    while len(positions) < count:
        position = game.initial()
        for _ in range(int(chance.choice(lengths))):
            if moves := game.legal_moves(position):
                position = game.play(position, int(chance.choice(moves)))
        if game.legal_moves(position):
            positions.append(position)
    return positions


def _speed(player: CompiledPlayer, boards: Sequence[Board]) -> tuple[float, float]:
    """Return the moves found and positions searched a second: the best of some rounds."""
    game = player.game
    spec = find_game(game.name)
    decide = find_variant(spec, game.rules, player.packed)["choose"].decide
    workspace = spec.kernel.make_workspace(game.rules, player.packed)
    best = np.inf
    for _ in range(ROUNDS + 1):  # in the first one it is compiled
        workspace.memory[:] = 0
        seconds = 0.0
        for board in boards:
            state = enter(game.code, board, workspace.states)
            enter_past(game, board, workspace.states)
            workspace.plies[0] = board.plies
            start = time.perf_counter()
            decide(player.packed, state, workspace)
            seconds += time.perf_counter() - start
        best = min(best, seconds)
    return len(boards) / best, float(workspace.memory[NODES]) / best


def _plain_speed(player: CompiledPlayer, boards: Sequence[Board], depth: int) -> float:
    """Return moves per second of the plain search; its values must be the compiled search's."""
    start, game = time.perf_counter(), player.game
    with np.errstate(over="ignore"):
        found = [
            _value_plainly(game, game.to_native(board), depth, -2 * WIN, 2 * WIN)
            for board in boards
        ]
    seconds = time.perf_counter() - start
    for board, value in zip(boards, found, strict=True):
        sure = value if abs(value) < WIN else np.copysign(np.inf, value)
        assert sure == max(rate_moves(player, board).values())
    return len(boards) / seconds


def _value_plainly(
    game: BoardGame, state: Array, depth: int, low: int, high: int, root: Array | None = None
) -> int:
    """Return a state's value for the player to move; a bound if not between *low* and *high*."""
    rules, mover = game.plain, game.plain["to_move"](state)
    verdict = rules["result"](state)
    if verdict != GOES_ON:
        return verdict * (1 - 2 * mover) * (WIN + depth)  # type: ignore[no-any-return]
    if state == root:
        return 0
    if depth == 0:
        return rules["evaluate"](state, mover)  # type: ignore[no-any-return]
    moves, best = np.zeros(game.code.MOVES, dtype=np.int64), -2 * WIN
    for move in moves[: rules["legal"](state, moves)].tolist():
        after, floor, root = rules["play"](state, move), max(low, best), root or state
        if rules["to_move"](after) == mover:  # who jumps on
            value = _value_plainly(game, after, depth - 1, floor, high, root)
        else:
            value = -_value_plainly(game, after, depth - 1, -high, -floor, root)
        best = max(best, value)
        if best >= high:
            break
    return best
