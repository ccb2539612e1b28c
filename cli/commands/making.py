"""The commands about games, games, new-game and check; and doctor, for any machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolve_arena.cli.commands.completion import complete_game

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def register(app: typer.Typer) -> None:
    """Adds the commands to *app*."""
    app.command(rich_help_panel="Games")(games)
    app.command("new-game", rich_help_panel="Games")(new_game)
    app.command(rich_help_panel="Games")(check)
    app.command(rich_help_panel="This machine")(doctor)


def games(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="One of them, or a game in one file, which is run.",
            autocompletion=complete_game,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the games, or all that can be done with one.

    Its methods, searches, opponents and export targets are tried with its usual options; where
    one can't be had, a sentence says why.
    """
    from evolve_arena.cli.abilities import describe_games, list_abilities, print_game, print_games
    from evolve_arena.cli.output import print_json

    if game is None:
        print_json({"games": describe_games()}) if json else print_games()
    elif json:
        print_json({"game": game, "abilities": [each._asdict() for each in list_abilities(game)]})
    else:
        print_game(game)


def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the game is called.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a small game in one file, to be changed into yours."""
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.game_files import write_skeleton

    file = write_skeleton(name, force=force)
    print_line(str(file))
    print_line(f"check it  evolve check {file}")
    print_line(f"breed     evolve start {file}")


def check(
    game: Annotated[
        Path, typer.Argument(metavar="MY_GAME.py", help="A game in one file, which is run.")
    ],
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Random games to compare, within a minute; by default 200, within 2 seconds.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a game in one file: its rules, and how fast it is."""
    from evolve_arena.cli.game_report import print_report
    from evolve_arena.cli.output import print_json
    from evolve_arena.runs.game_files import report

    content = report(game, games)
    print_json(content) if json else print_report(content)


def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Without the benchmark.")] = False,
    json: Json = False,
) -> None:
    """Look what is installed, what is wrong, and how fast it is.

    The benchmark takes some ten seconds, without compiling, which it tells.
    """
    from evolve_arena.cli.doctor import examine, print_examination
    from evolve_arena.cli.output import print_json

    content = examine(quick=quick)
    print_json(content) if json else print_examination(content)
