"""One population against islands, at equal games: champions of five seeds against outsiders."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import evolve_arena as ea
from benchmarks.line import Line
from evolve_arena.arena.intervals import mean_interval
from evolve_arena.core.types import Settings

SEEDS = (101, 102, 103, 104, 105)
"""Seeds, none of which was used for tuning."""
GENERATIONS, INDIVIDUALS, COUNT = 400, 100, 4
OPPONENTS = ("test-bot", "minimax:depth=4")
GAMES = 1000
WAYS: dict[str, Settings] = {
    "one population": {},
    **{
        f"{COUNT} islands, {name}": {"islands.count": COUNT, **settings}
        for name, settings in {
            "ring": {"islands.topology": "ring"},
            "complete": {"islands.topology": "complete"},
            "random": {"islands.topology": "random"},
            "nobody migrates": {"islands.migrants": 0},
        }.items()
    },
}
SMALL = {"SEEDS": (101, 102), "GENERATIONS": 2, "INDIVIDUALS": 24, "GAMES": 4}


def measure() -> Iterator[Line]:
    """Yield a line for each way and opponent: mean share of points, against one population."""
    alone: dict[str, list[float]] = {}
    for way, changes in WAYS.items():
        found = [_breed(changes, seed) for seed in SEEDS]
        games = fmean(played for played, _ in found)
        for opponent in OPPONENTS:
            scores = [scores[opponent] for _, scores in found]
            alone.setdefault(opponent, scores)
            low, high = mean_interval(scores)
            apart = [own - other for own, other in zip(scores, alone[opponent], strict=True)]
            told = (
                f"95 % interval {low:.3f} to {high:.3f}; {games / 1e6:.2f} million games to train"
            )
            if way != "one population":
                below, above = mean_interval(apart)
                told += f"; {fmean(apart):+.3f} [{below:+.3f}, {above:+.3f}] beside one population"
            yield Line(f"{way}, against {opponent}", fmean(scores), "share of points", told)


def _breed(changes: Settings, seed: int) -> tuple[int, dict[str, float]]:
    """Return the number of games that a run trained on, and the scores of its last champion."""
    with tempfile.TemporaryDirectory() as folder:
        run = ea.start(
            "connect-four",
            run=Path(folder) / "run",
            seed=seed,
            executor="serial",
            changes={
                "run.generations": GENERATIONS,
                "method.individuals": INDIVIDUALS // changes.get("islands.count", 1),
                "run.champion": "last",
                "check.every": GENERATIONS,
                "check.games": 2,
                "check.opponents": ["random"],
                **changes,
            },
        )
        games = int(run.history()["games"].sum())
        scores = {
            opponent: ea.duel(
                run.champion, opponent, games=GAMES, opening_plies=2, seed=1000 + seed
            ).score
            for opponent in OPPONENTS
        }
    return games, scores
