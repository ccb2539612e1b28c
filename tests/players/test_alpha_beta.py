"""Alpha-beta finds what plain minimax finds, with accelerators or without; wrong ones are refused.

An accelerator is a function of a game's file that says faster what its rules say.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import GOES_ON, Board, BoardGame
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.search import WIN
from evolve_arena.players.specification import make_player
from tests.evolved import compile_together, make_evolved, random_positions

BOARDS = [
    {"columns": columns, "rows": rows, "connect": connect}
    for columns, rows, connect in ((9, 6, 5), (16, 3, 3), (6, 4, 2))
]
NETWORKS = ("mlp", "graph", "tuples")


def make_pair(
    name: str, network: str, seed: int, depth: int, **options: int
) -> tuple[EvolvedPlayer, EvolvedPlayer]:
    """Return a player that doesn't look ahead, and one with the same weights that does.

    The kernel is compiled once, for the pairs of all :data:`NETWORKS`.
    """
    made = {
        (kind, plies): make_evolved(name, kind, seed, **options, depth=plies)
        for kind in NETWORKS
        for plies in (0, depth)
    }
    compile_together([*made.values()])
    return made[network, 0], made[network, depth]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(("hex", {"size": size}) for size in (3, 7, 11)),
        *(("gomoku", {"size": size, "row": row}) for size, row in ((5, 3), (9, 5), (15, 5))),
        *(("breakthrough", {"size": size}) for size in (4, 5, 8)),
    ],
)
def test_right_ones_are_not_refused(name: str, options: dict[str, int]) -> None:
    assert compare_accelerators(make_game(name, **options), 20, 60.0) >= 20  # type: ignore[arg-type]


def value_plainly(game: BoardGame, state: Board, side: int, depth: int, known: int = 0) -> float:
    """Return a state's value for the *side* that moved there, from the rules alone.

    The first *known* positions of its past are those of the game, unless a move made progress.
    """
    verdict = game.adjudicate(state)
    if verdict != GOES_ON:
        return math.inf * verdict * (1 - 2 * side) if verdict else 0
    if state.state in state.past[:known] or 0 < game.code.NO_PROGRESS <= len(state.past):
        return 0
    if depth == 0:
        found = "evaluate" in game.plain and game.ask("evaluate", game.to_native(state), side)
        return float(found)
    mover, moves = game.to_move(state), np.zeros(game.code.MOVES, dtype=np.int64)
    count = game.ask("legal", game.to_native(state), moves)
    after = [game.follow(state, "play", int(move)) for move in moves[:count]]
    best = max(
        value_plainly(game, then, mover, depth - 1, known if then.past else 0) for then in after
    )
    return best if mover == side else -best


@pytest.mark.parametrize(
    ("name", "options", "depths"),
    [
        ("connect-four", {}, (1, 2, 3, 4)),
        ("connect-four", {"columns": 4, "rows": 4}, (5,)),
        *(("connect-four", options, (3,)) for options in BOARDS),
        ("tic-tac-toe", {}, (2, 5)),
        ("kalah", {}, (1, 4)),
        ("othello", {}, (3,)),
    ],
)
def test_all_moves_are_valued_as_by_plain_minimax(
    name: str, options: dict[str, int], depths: tuple[int, ...]
) -> None:
    game = make_game(name, **options)
    for depth in depths:
        player = make_player(f"minimax:depth={depth}", game)
        for seed in range(8):
            choices, states = random.Random(seed), [game.initial()]
            while moves := game.legal_moves(states[-1]):
                states.append(game.play(states[-1], choices.choice(moves)))
            # Ends of games need less time, and have wins and losses.
            state = states[-1 - min(len(states) - 1, choices.randrange(1, 9))]
            mover = game.to_move(state)
            plain = {
                move: value_plainly(game, game.follow(state, "play", move), mover, depth - 1)
                for move in game.legal_moves(state)
            }
            assert rate_moves(player, state) == plain


def test_what_was_searched_before_changes_no_move() -> None:
    """The table has bounds, from narrow windows, of the very positions that come next."""
    game = make_game("connect-four")
    player = make_player("minimax:depth=7", game)
    for position in random_positions(game, 12, 2):
        following = [game.play(position, move) for move in game.legal_moves(position)]
        for each in (position, *(then for then in following if not game.is_over(then))):
            fresh = make_player("minimax:depth=7", game)
            assert player.choose(each, new_stream(0)) == fresh.choose(each, new_stream(0))


@pytest.mark.parametrize("network", NETWORKS)
def test_a_ply_of_search_values_moves_as_no_search(network: str) -> None:
    """The position after the last move is valued as it stands, before chance decides."""
    plain, deep = make_pair("pig", network, 2, 1, goal=30)
    for position in random_positions(plain.game, 100):
        values = rate_moves(deep, position)
        for move, value in rate_moves(plain, position).items():
            if math.isinf(value):
                assert values[move] == value
                continue
            size = abs(value)  # the tanh of it, but for terms of exp(2 size) behind the fifth
            terms = 1 + size + size**2 + size**3 * 2 / 3 + size**4 / 3
            expected = math.copysign(1 - 1 / terms, value) * WIN
            assert values[move] == pytest.approx(expected, rel=1e-3, abs=WIN / RESOLUTION)


def value_by_network(
    game: BoardGame, plain: CompiledPlayer, state: Board, side: int, depth: int
) -> float:
    """Return a state's value for the *side* that moved there: a network's after *depth* plies."""
    verdict = game.adjudicate(state)
    if verdict != GOES_ON:
        return math.inf * verdict * (1 - 2 * side) if verdict else 0
    mover, moves = game.to_move(state), game.legal_moves(state)
    if not moves:  # a draw after the most moves
        return 0
    found, rated = [], rate_moves(plain, state) if depth == 1 else {}
    for move in moves:
        after = game.play(state, move)
        if depth == 1 and game.legal_moves(after):
            found.append(rated[move])
        else:
            found.append(value_by_network(game, plain, after, mover, depth - 1))
    best = max(found)
    return best if mover == side else -best


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    ("name", "options", "depth"),
    [
        ("connect-four", {"columns": 4, "rows": 4}, 5),
        ("othello", {"size": 6}, 3),
        ("breakthrough", {"size": 4}, 3),
        ("tic-tac-toe", {}, 5),
    ],
)
def test_the_order_in_which_networks_search_changes_no_value(
    name: str, options: dict[str, int], depth: int, network: str
) -> None:
    plain, deep = make_pair(name, network, 3, depth, **options)
    game = plain.game
    for position in random_positions(game, 30 if depth < 5 else 12, 4):
        moved, values = game.to_move(position), rate_moves(deep, position)
        for move, value in values.items():
            after = game.play(position, move)
            expected = value_by_network(game, plain, after, moved, depth - 1)
            if math.isinf(expected):
                assert abs(value) > WIN / 2 or math.isinf(value)
                assert (value > 0) == (expected > 0)
            else:
                assert value == pytest.approx(expected * RESOLUTION, abs=2.0)
