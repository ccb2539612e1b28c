"""Games a second of the executor `ray` with two local workers, against `multiprocess`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
from scipy import stats

from benchmarks.line import Line
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import make_executor
from evolve_arena.runs.recipes.recipe import load_recipe

__all__ = ["measure"]

RECIPES = {
    "connect-four": (["method.individuals=400"], 20),
    "connect-four-td": ([], 1),
}
"""Changes of each recipe, and number of generations in a round."""
ROUNDS = 25
SMALL = {"RECIPES": {"connect-four": (["method.individuals=20"], 1)}, "ROUNDS": 6}
TARGET = 0.9


def measure() -> Iterator[Line]:
    """Yield a line for each recipe; rounds alternate, so that both see the same machine."""
    for recipe, (changes, generations) in RECIPES.items():
        method = load_recipe(recipe, changes).make_method()
        with ExitStack() as stack:
            arenas = [
                Arena(method.decoder, stack.enter_context(make_executor(name, 2)))
                for name in ("multiprocess", "ray")
            ]
            states = [method.initial(1) for _ in arenas]
            rates: list[tuple[float, ...]] = []
            for number in range(ROUNDS + 1):
                rate = [0.0, 0.0]
                for place in (0, 1) if number % 2 else (1, 0):
                    games, begin = arenas[place].games_played, time.perf_counter()
                    for _ in range(generations):
                        states[place], _ = method.step(states[place], arenas[place])
                    spent = time.perf_counter() - begin
                    rate[place] = (arenas[place].games_played - games) / spent
                if number:  # in the first round things are compiled and started
                    rates.append(tuple(rate))
            ratios = [other / one for one, other in rates]
            ratio = float(np.median(ratios))
            low, high = stats.quantile_test(ratios, q=ratio).confidence_interval(0.95)
            told = f"{recipe} {' '.join(changes)}".strip()
            yield Line(
                f"{told}: executor ray, 2 workers",
                float(np.median([other for _, other in rates])),
                "games/s",
                f"multiprocess, 2 workers; median of {ROUNDS} rounds, 95 % [{low:.2f}, {high:.2f}]",
                ratio,
                f"at least {TARGET}",
                ratio >= TARGET,
            )
