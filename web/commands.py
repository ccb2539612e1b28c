"""The command of the page: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LOOPBACK = "127.0.0.1"


def register(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command()(serve)


def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Directory of the runs (default ./evolved).")
    ] = Path("evolved"),
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port; 0 for any free one (default 8765, or the next free one).",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on; the page opens at the printed address with its token.",
        ),
    ] = LOOPBACK,
) -> None:
    """Open a page in the browser: watch runs, play, replay games.

    Ctrl-C ends it; runs that were started from the page stop with a checkpoint.
    """
    from evolve_arena.core.extras import check_extra

    for package in ("starlette", "uvicorn"):
        check_extra(package, "page")
    from evolve_arena.web.serving import run_server

    run_server(folder, host, port)
