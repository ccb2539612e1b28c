"""The example of docs/guides/deap.md: it is short, and a loop of DEAP breeds by our matches."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import evolve_arena as ea

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "deap.md"
LONGEST = 30
"""Lines of code, without blank ones and imports."""


def test_the_loop_of_deap_breeds_by_our_matches() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    code = [line for line in block.splitlines() if not re.match(r"import |from |$", line)]
    assert len(code) <= LONGEST
    space: dict[str, Any] = {"__name__": "deap_page"}
    before = random.getstate()
    try:
        exec(compile(block, str(PAGE), "exec"), space)
    finally:
        random.setstate(before)
    best = space["logbook"].select("best")
    assert best == sorted(best)  # mu plus lambda, and a fitness that means the same throughout
    assert best[-1] > best[0] + 0.02
    assert space["best"][0].fitness.values == space["evaluate"](space["best"][0])
    champion = space["make_player"](space["best"][0])
    assert ea.duel(champion, "random", games=200, seed=3).score > 0.6
