"""A player against a perfect solver: ``python -m benchmarks.perfect_play PLAYER [--games 200]``.

The player begins each game, so it could win them all; the solver plays a best move, any of them
with the same probability, and delays a loss as long as it can. The solver is BitBully (AGPL),
an outside judge which the package itself does not use; ``pip install -e '.[test]'`` installs it.
"""

from __future__ import annotations

import argparse
import random

from bitbully import BitBully, Board

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.players.player import Player
from evolve_arena.runs.players import find_player


class Perfect:
    """Perfect player that remembers solved positions."""

    def __init__(self, seed: int) -> None:
        self.solver = BitBully()
        self.chance = random.Random(seed)
        self.known: dict[tuple[int, ...], list[int]] = {}

    def choose(self, moves: list[int], key: tuple[int, ...]) -> int:
        """Return one of the best columns after *moves*; *key* identifies the position."""
        if key not in self.known:
            scores = self.solver.score_all_moves(Board(moves))
            best = max(scores.values())
            self.known[key] = [column for column, score in scores.items() if score == best]
        return self.chance.choice(self.known[key])


def play(player: Player, games: int, seed: int) -> tuple[int, int]:
    """Return the number of games that the *player* wins, and the number of draws."""
    game = make_game("connect-four")
    perfect = Perfect(seed)
    wins = draws = 0
    for word in derive_seeds(seed, 0, "perfect play", games):
        rng = new_stream(int(word))
        position = game.initial()
        moves: list[int] = []
        while (outcome := game.outcome(position)) is None:
            if position.plies % 2:
                column = perfect.choose(moves, position.state)
            else:
                column = player.choose(position, rng)
            moves.append(column)
            position = game.play(position, column)
        wins += outcome.scores[0] == 1.0
        draws += outcome.scores[0] == 0.5
    return wins, draws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="run:DIR, file:PATH, ...")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for text in arguments.players:
        player = find_player(text, make_game("connect-four"))
        wins, draws = play(player, arguments.games, arguments.seed)
        low, high = wilson_interval(wins, arguments.games)
        share = f"{wins / arguments.games:.3f} [{low:.3f}, {high:.3f}]"
        print(f"{text}: {wins} won, {draws} drawn of {arguments.games}; won {share}")
        player.close()


if __name__ == "__main__":
    main()
