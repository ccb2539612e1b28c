"""Measures everything, prints a table and writes it as CSV."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    checkers,
    checkers_search,
    cluster,
    exported_pages,
    exports,
    islands,
    matches,
    neat_generations,
    neat_speciation,
    one_file,
    page,
    q_learning,
    scaling,
    search,
    td,
    td_linear,
    ticket_to_ride,
    tuples,
    whole_runs,
)
from benchmarks.line import Line
from benchmarks.machine import describe_machine

COLUMNS = ["what", "value", "unit", "ratio", "against", "target", "met"]
PARTS = {
    "matches": matches.measure,
    "runs": whole_runs.measure,
    "cluster": cluster.measure,
    "generations": neat_generations.measure,
    "species": neat_speciation.measure,
    "search": search.measure,
    "checkers": checkers.measure,
    "checkers-search": checkers_search.measure,
    "td": td.measure,
    "td-linear": td_linear.measure,
    "q-learning": q_learning.measure,
    "tuples": tuples.measure,
    "ticket-to-ride": ticket_to_ride.measure,
    "one-file": one_file.measure,
    "exported-pages": exported_pages.measure,
    "exports": exports.measure,
    "islands": islands.measure,
    "scaling": scaling.measure,
    "page": page.measure,
}


def main(names: list[str]) -> None:
    """Runs the parts called *names*, or all of them."""
    machine = describe_machine()
    for key, value in machine.items():
        print(f"{key:12} {value}")
    lines: list[Line] = []
    for name in names or list(PARTS):
        if name not in PARTS:
            sys.exit(f"benchmarks: unknown part {name!r} (known: {', '.join(PARTS)})")
        for line in PARTS[name]():
            lines.append(line)
            print("  ".join(cell for cell in line.cells() if cell), flush=True)
    table = Table(*COLUMNS, show_edge=False)
    for line in lines:
        table.add_row(*line.cells())
    Console(width=170).print(table)
    print(_write(machine, lines))


def _write(machine: dict[str, str], lines: list[Line]) -> Path:
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    path = folder / time.strftime("%Y-%m-%d-%H%M%S.csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, *machine])
        for line in lines:
            writer.writerow([*line.cells(), *machine.values()])
    return path


if __name__ == "__main__":
    main(sys.argv[1:])
