"""A player against OpenSpiel's MCTS: ``python -m benchmarks.spiel_mcts PLAYER [--games 200]``.

Two games begin with the same random moves, and each plays first in one of them. OpenSpiel's rules
decide, and ours where they end a game earlier, as by a repetition in checkers. It needs OpenSpiel:
``pip install -e '.[openspiel]'``.
"""

from __future__ import annotations

import argparse
import random

import pyspiel

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.spiel_check import find_action
from evolve_arena.players.player import Player
from evolve_arena.runs.players import find_player


def play(player: Player, game: BoardGame, own: int, rollouts: int, plies: int, seed: int) -> float:
    """Return the points of the *player* at seat *own* in one game: 1, 0.5 or 0."""
    theirs = pyspiel.load_game(str(game.plain["OPENSPIEL"]))
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(theirs, evaluator, 2.0, rollouts, 1000, True, seed, False)
    state, position = theirs.new_initial_state(), game.initial()
    rng, opening = new_stream(seed), random.Random(seed // 2)
    while not state.is_terminal():
        if (outcome := game.outcome(position)) is not None:
            return float(outcome.scores[own])
        moves = {find_action(game, position, move): move for move in game.legal_moves(position)}
        if position.plies < plies:
            action = opening.choice(sorted(moves))
        elif game.to_move(position) == own:
            move = player.choose(position, rng)
            action = next(action for action, known in moves.items() if known == move)
        else:
            action = bot.step(state)
        position = game.play(position, moves[action])
        state.apply_action(action)
    return (float(state.returns()[own]) + 1.0) / 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player", metavar="PLAYER", help="run:DIR,time=100ms or another one")
    parser.add_argument("--game", default="checkers", help="one that OpenSpiel has")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rollouts", type=int, default=1000, help="of each of MCTS's moves")
    parser.add_argument("--openings", type=int, default=4, help="random plies")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = make_game(arguments.game)
    if "OPENSPIEL" not in game.plain or game.code.HAS_CHANCE:
        parser.error(f"{game.name}: OpenSpiel does not have it, or chance decides something")
    player, points = find_player(arguments.player, game), 0.0
    for number in range(arguments.games):
        seed = 2 * arguments.games * arguments.seed + number
        settings = arguments.rollouts, arguments.openings, seed
        points += play(player, game, number % 2, *settings)
    low, high = wilson_interval(points, arguments.games)
    print(
        f"{arguments.player}: {points / arguments.games:.3f} [{low:.3f}, {high:.3f}] of"
        f" {arguments.games} games against OpenSpiel's MCTS with {arguments.rollouts} rollouts"
    )


if __name__ == "__main__":
    main()
