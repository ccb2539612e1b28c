"""The commands, by what they are about."""

from __future__ import annotations

import typer

from evolve_arena.core.registry import find_commands, usual_game
from evolve_arena.runs.commands import evolving, exchanging, joining, making, playing
from evolve_arena.runs.commands.app import App, Group

__all__ = ["app"]

app = App(
    name="evolve",
    cls=Group,
    help="Breed board-game players by neuroevolution.",
    epilog=f"Begin with: evolve start {usual_game()}. Help on a command: evolve COMMAND -h",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
for group in (evolving, playing, joining, exchanging, making, *find_commands()):
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
        typer.echo(context.get_help())
        raise typer.Exit(2)
