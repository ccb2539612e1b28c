"""Champions against one opponent, and their median: ``python -m benchmarks.medians RUN ...``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median

import evolve_arena as ea
from evolve_arena.arena.pairings import longest_opening
from evolve_arena.runs.players import game_for


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directories of runs")
    parser.add_argument("--opponent", default="mcts:rollouts=1000")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--openings", type=int, default=4, help="random plies, as far as they fit")
    parser.add_argument("--seed", type=int, default=77)
    arguments = parser.parse_args(words)
    scores = []
    for run in arguments.runs:
        game = game_for([f"run:{run}"])
        result = ea.duel(
            f"run:{run}",
            arguments.opponent,
            games=arguments.games,
            opening_plies=min(arguments.openings, longest_opening(game)),
            seed=arguments.seed,
            game=game,
        )
        low, high = result.wilson_95
        told = f"| `{run}` | {result.wins} | {result.draws} | {result.losses}"
        print(f"{told} | {result.score:.3f} [{low:.3f}, {high:.3f}] |", flush=True)
        scores.append(result.score)
    told = f"{median(scores):.3f} ({min(scores):.3f} to {max(scores):.3f})"
    print(f"median of {len(scores)} against {arguments.opponent}: {told}", flush=True)


if __name__ == "__main__":
    main()
