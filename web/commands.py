"""The command of the page: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LOOPBACK = "127.0.0.1"


def register(app: typer.Typer) -> None:
    """Adds the command to *app*."""
    app.command(rich_help_panel="Runs")(serve)


def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where the runs lie; ./evolved unless given.")
    ] = Path("evolved"),
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="0 for any that is free; unless given 8765, or the next one that is free.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen; the page opens by the address with its token that is printed.",
        ),
    ] = LOOPBACK,
) -> None:
    """Show runs in the browser: watch, play, replay.

    Ctrl-C ends it; runs that were started from the page stop with a checkpoint.
    """
    from evolve_arena.core.extras import check_extra

    for package in ("starlette", "uvicorn"):
        check_extra(package, "page")
    from evolve_arena.web.serving import run_server

    run_server(folder, host, port)
