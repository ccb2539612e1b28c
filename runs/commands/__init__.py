"""The commands, by what they are about."""

from __future__ import annotations

import typer

from evolve_arena.core.registry import find_commands, usual_game
from evolve_arena.runs.commands import evolving, exchanging, joining, making, playing

__all__ = ["app"]

app = typer.Typer(
    name="evolve",
    help="Breed board-game players by neuroevolution.",
    epilog=f"Start with: evolve start {usual_game()}",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (evolving, exchanging, joining, playing, making, *find_commands()):
    group.register(app)


@app.callback(invoke_without_command=True)
def _describe(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"evolve-arena {installed('evolve-arena')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.get_help()  # prints it
        raise typer.Exit(2)
