"""The command about logs: what players saw and decided, as a table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Adds the command to *app*."""
    app.command(rich_help_panel="Games")(log)


def log(
    names: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER...", help="Who plays; several sit at the table by turns."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="A .csv, or a .parquet (needs pyarrow).")
    ],
    players: Annotated[
        str,
        typer.Option(metavar="N or N-M", help="How many sit at a table, from 2 to 5, in turn."),
    ] = "4",
    games: Annotated[int, typer.Option(min=1, help="Games of each number of players.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seeds decks and players.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
) -> None:
    """Write the decisions of games of Ticket to Ride as a table.

    A row for each turn: what the player saw, as 28 features, what it decided
    (class: 0 pass, 1 draw cards, 2 draw tickets, 3 claim a route), and how
    many points it had in the end.
    """
    from evolve_arena.cli.output import print_line
    from evolve_arena.games.ticket_to_ride.decision_log import write_log
    from evolve_arena.runs.store.files import check_free

    check_free(out, force=force)
    played, rows = write_log(names, _read_counts(players), games, out, seed=seed)
    typer.echo(f"{played:,} games, {rows:,} decisions", err=True)
    print_line(out)


def _read_counts(text: str) -> list[int]:
    """Numbers of players, from "4" or "2-5"."""
    from evolve_arena.core.errors import BadValueError, quote

    found = re.fullmatch("([2-5])(?:-([2-5]))?", text)
    counts = list(range(int(found[1]), int(found[2] or found[1]) + 1)) if found else []
    if counts:
        return counts
    raise BadValueError(f"players is {quote(text)}: write a number from 2 to 5, or two such as 2-5")
