"""Thinking time of bots exported as HTML pages, and speed of integers there."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.line import Line, SkippedError
from evolve_arena.core.types import Settings
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export.page import run_source, write_source
from tests.evolved import make_evolved, random_positions
from tests.pages import NODE, ask_page, make_safe, run_script

COUNTS = {"encoding": "features", "hidden": (), "depth": 4}
SEES = {"encoding": "signed", "hidden": (40, 10), "depth": 4}
BOTS: dict[str, tuple[str, str, Settings, int]] = {
    "Connect Four, 42-10-1 value network": ("connect-four", "mlp", {"head": "value"}, 10_000),
    "Connect Four, 42-10-7 policy network": ("connect-four", "mlp", {"head": "policy"}, 10_000),
    "Connect Four, NEAT graph": ("connect-four", "graph", {"head": "value"}, 10_000),
    "Connect Four, 60 tuples of 8 cells": ("connect-four", "tuples", {}, 10_000),
    "Breakthrough (words), 128-32-1 value network": ("breakthrough", "mlp", {}, 2_000),
    "Gomoku (cells), 450-32-1 value network": ("gomoku", "mlp", {}, 50),
    "checkers, 14 features, 4 plies": ("checkers", "mlp", {**COUNTS, "features": 14}, 300),
    "checkers, 70-40-10-1 value network, 4 plies": ("checkers", "mlp", SEES, 20),
}
WAYS = {
    "small whole numbers": (
        "py.mod(py.add(py.mul(x, 3), MASK), 1000)",
        "1, 7",
        "(x * 3n + MASK) % 1000n",
        "1n, 7n",
    ),
    "sets of 35 bits": (
        "py.or(py.and(py.shl(x, 4), MASK), py.shr(x, 5))",
        "0x1234567 * 64, 0x7FBFDFEFF",
        "((x << 4n) & MASK) | (x >> 5n)",
        "0x1234567n * 64n, 0x7FBFDFEFFn",
    ),
    "words of 64 bits": (
        "py.or(py.and(py.shl(x, 9), MASK), py.shr(x, 7))",
        "py.word(0x12345678, 0x9abcdef0), py.word(0xfefefefe, 0xfefefefe)",
        "((BigInt.asUintN(64, x << 9n)) & MASK) | (x >> 7n)",
        "0x123456789abcdef0n, 0xfefefefefefefefen",
    ),
}
"""By name: a step of three operations and its two numbers, with the integers of the pages, and the
same with BigInts alone."""
STEPS = 3_000_000
SHARE = 1.0
"""Share of the positions of each bot that are measured."""
SMALL = {"STEPS": 1000, "SHARE": 0.001}


def measure() -> Iterator[Line]:
    """Yield all lines about pages."""
    if not NODE:
        raise SkippedError("there is no Node.js here")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, (step, start, big, big_start) in WAYS.items():
            seconds = [
                run_script(_loop(text, first), [[STEPS]], folder)[1]
                for text, first in ((step, start), (big, big_start))
            ]
            speed = STEPS / seconds[0] / 1e6
            yield Line(
                f"pages, {what}",
                3 * speed,
                "million operations/s",
                "BigInts alone",
                seconds[1] / seconds[0],
            )
        for what, (game, network, settings, most) in BOTS.items():
            count = max(1, round(SHARE * most))
            yield _compare(what, make_evolved(game, network, 1, **settings), count, folder)


def _loop(step: str, start: str) -> str:
    """Return a script that repeats *step* on its last result, with new *start* now and then."""
    return f"""
    const ask = (count) => {{
      const [FIRST, MASK] = [{start}];
      let x = FIRST;
      for (let i = 0; i < count; i++) x = i & 1023 ? {step} : FIRST;
      return String(x).length;
    }};"""


def _compare(what: str, player: EvolvedPlayer, count: int, folder: Path) -> Line:
    """Time a move on the page and in the exported Python file; both must choose the same moves."""
    page = run_source(write_source(player))
    positions = random_positions(player.game, count)
    told = [(position.state, position.plies, []) for position in positions]
    given = [[make_safe(state), *rest] for state, *rest in told]
    began, wanted = time.perf_counter(), []
    for position in told:
        chosen = page["ask_bot"](position)
        wanted.append(list(chosen) if isinstance(chosen, tuple) else chosen)
    seconds = time.perf_counter() - began
    found, spent = ask_page(player, given, folder, "return bot.ask_bot(position);")
    same = found == wanted
    name = f"page, {what}, {count:,} positions"
    return Line(name, 1e3 * spent / count, "ms/move", "Python file", seconds / spent, "same", same)
