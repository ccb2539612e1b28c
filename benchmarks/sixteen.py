"""A player of checkers against Piotrowski's sixteen: ``python -m benchmarks.sixteen PLAYER``.

All look equally far ahead: as far as the one of the sixteen does, or ``--depth``. Colours are
balanced, and each pair of games begins with other random moves.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from evolve_arena.arena.duel import duel
from evolve_arena.arena.executors import ProcessExecutor
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.players import find_player
from evolve_arena.studies.checkers_td.sixteen import make_piotrowski, piotrowski_names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player", metavar="PLAYER", help="run:DIR or file:PATH of checkers")
    parser.add_argument("--games", type=int, default=100, help="against each")
    parser.add_argument("--openings", type=int, default=4, help="random plies")
    parser.add_argument("--depth", type=int, help="of all; by default that of the opponent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    game = make_game("checkers")
    player = find_player(arguments.player, game)
    assert isinstance(player, EvolvedPlayer)
    total = [0, 0, 0]
    names = piotrowski_names()
    with ProcessExecutor(arguments.workers) as executor:
        for name, seed in zip(names, derive_seeds(arguments.seed, 0, "sixteen", 16), strict=True):
            opponent = make_piotrowski(name, game, arguments.depth)
            depth = opponent.decoder.depth
            equal = replace(player.decoder, depth=depth).player(player.genome, "champion")
            result = duel(
                game,
                equal,
                opponent,
                games=arguments.games,
                opening_plies=arguments.openings,
                seed=int(seed),
                executor=executor,
            )
            low, high = result.wilson_95
            print(
                f"{name:24} depth {depth}  {result.wins:4} won {result.draws:4} drawn"
                f" {result.losses:4} lost  score {result.score:.3f} [{low:.3f}, {high:.3f}]"
            )
            total = [
                a + b
                for a, b in zip(total, (result.wins, result.draws, result.losses), strict=True)
            ]
    points, games = total[0] + total[1] / 2, sum(total)
    low, high = wilson_interval(points, games)
    print(
        f"in sum: {total[0]} won, {total[1]} drawn, {total[2]} lost;"
        f" score {points / games:.3f} [{low:.3f}, {high:.3f}]"
    )


if __name__ == "__main__":
    main()
