"""Measure speeds and some strengths: ``python -m benchmarks [PART ...] [--small]``.

Without a PART all parts run, even if one fails. The results are printed as a table and written as
CSV, followed by targets that were missed, parts that were skipped and parts that failed. The exit
code is 1 only if a part failed. ``python -m benchmarks blocks PLAYER ...`` also measures these
players.

A part is a module with a function ``measure``. With ``--small`` its constants have the values of
its ``SMALL``, so that the same code ends in seconds; its figures are meaningless then.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.line import Line, SkippedError
from benchmarks.machine import describe_machine

COLUMNS = ["what", "value", "unit", "ratio", "against", "target", "met"]
RESULTS = Path("benchmarks/results")
PARTS = {
    "matches": "matches",
    "runs": "whole_runs",
    "cluster": "cluster",
    "generations": "neat_generations",
    "species": "neat_speciation",
    "search": "search",
    "mcts": "mcts",
    "checkers": "checkers",
    "td": "td",
    "td-linear": "td_linear",
    "q-learning": "q_learning",
    "tuples": "tuples",
    "ticket-to-ride": "ticket_to_ride",
    "one-file": "one_file",
    "exported-pages": "exported_pages",
    "exports": "exports",
    "islands": "islands",
    "scaling": "scaling",
    "page": "page",
    "blocks": "blocks",
}
"""The module of each part, imported when it runs: some need packages that may be missing."""


def main(words: list[str] | None = None) -> int:
    """Run the named parts, or all of them, and return the exit code."""
    parser = argparse.ArgumentParser("benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--small", action="store_true", help="seconds, for tests: no figures")
    arguments = parser.parse_intermixed_args(words)
    names, players = arguments.parts or list(PARTS), []
    if names[0] == "blocks":
        names, players = names[:1], names[1:]
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"unknown part {unknown[0]!r} (known: {', '.join(PARTS)})")
    machine = describe_machine()
    for key, value in machine.items():
        print(f"{key:12} {value}")
    lines: list[Line] = []
    skipped, failed = {}, {}
    for name in names:
        try:
            for line in _measure(name, players, arguments.small):
                lines.append(line)
                print("  ".join(cell for cell in line.cells() if cell), flush=True)
        except SkippedError as reason:
            skipped[name] = str(reason)
        except (Exception, SystemExit) as error:  # the other parts run nevertheless
            traceback.print_exc()
            failed[name] = f"{type(error).__name__}: {error}"
    table = Table(*COLUMNS, show_edge=False)
    for line in lines:
        table.add_row(*line.cells())
    Console(width=170).print(table)
    print(_write(machine, lines))
    judged = [line for line in lines if line.met is not None]
    missed = [line for line in judged if not line.met]
    print(f"targets missed: {len(missed)} of {len(judged)}")
    for line in missed:
        print("  " + "  ".join(cell for cell in line.cells() if cell))
    for title, told in (("skipped", skipped), ("failed", failed)):
        if told:
            print(f"{title}: {len(told)} of {len(names)} parts")
        for name, reason in told.items():
            print(f"  {name}: {reason}")
    return 1 if failed else 0


def _measure(name: str, players: list[str], small: bool) -> Iterator[Line]:
    try:
        module = import_module(f"benchmarks.{PARTS[name]}")
        with _make_small() if small else _as_it_is():
            yield from module.measure(*([players] if players else []))
    except ModuleNotFoundError as error:
        own = str(error.name).partition(".")[0] in {"benchmarks", "evolve_arena", "tests"}
        if own:
            raise
        raise SkippedError(
            f"the package {error.name} is missing (pip install -e '.[test]')"
        ) from None


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _make_small() -> Iterator[None]:
    """Set constants of all loaded benchmarks to the values of ``SMALL`` within a ``with`` block."""
    changed = []
    for name, module in list(sys.modules.items()):
        if name.startswith("benchmarks."):
            for constant, value in getattr(module, "SMALL", {}).items():
                changed.append((module, constant, getattr(module, constant)))
                setattr(module, constant, value)
    try:
        yield
    finally:
        for module, constant, value in changed:
            setattr(module, constant, value)


def _write(machine: dict[str, str], lines: list[Line]) -> Path:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / time.strftime("%Y-%m-%d-%H%M%S.csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, *machine])
        for line in lines:
            writer.writerow([*line.cells(), *machine.values()])
    return path


if __name__ == "__main__":
    sys.exit(main())
