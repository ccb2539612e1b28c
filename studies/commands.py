"""The command ``reproduce``: published results and ours, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolve_arena.cli.commands.runs import Address, RunsExecutor


def register(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command(rich_help_panel="Studies")(reproduce)


def reproduce(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="Such as four-in-a-row.")],
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Runs of each setting (default: as in the study).")
    ] = None,
    scale: Annotated[
        float, typer.Option(min=0.0001, max=100.0, help="Share of the full length.")
    ] = 1.0,
    only: Annotated[str | None, typer.Option(metavar="TABLE", help="One table alone.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder (default reproduced/STUDY).")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Runs at a time.")] = None,
    executor: RunsExecutor = None,
    address: Address = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Repeat a published study, and print its tables beside ours.

    A study that was stopped, by Ctrl-C for instance, resumes where it was; finished runs are not
    repeated.
    """
    from evolve_arena.cli.output import print_json
    from evolve_arena.runs.many.parallel_runs import RunsScreen
    from evolve_arena.studies.reproduction import print_study, reproduce_study

    with RunsScreen(quiet=json) as screen:
        result = reproduce_study(
            study,
            out=out or Path("reproduced") / study,
            seeds=seeds,
            scale=scale,
            only=only,
            workers=workers,
            executor=executor,
            address=address,
            progress=screen.show,
        )
    if json:
        print_json(result.to_dict())
    else:
        print_study(result)
