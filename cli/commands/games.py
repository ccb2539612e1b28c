"""The commands about games: new, validate, info, perft, log; and doctor, for any machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands import lists, renames
from evolve_arena.cli.commands.completion import complete_game
from evolve_arena.cli.commands.matches import open_named
from evolve_arena.cli.commands.play import split_options
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.registry import FILE, default_game, game_names, open_game

if TYPE_CHECKING:
    from evolve_arena.cli.app import App

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
LENIENT = {"ignore_unknown_options": True}
"""Options of games pass through the parser."""


def register(app: App) -> None:
    """Add the group ``game`` and the command ``doctor`` to *app*, and former names of commands."""
    group = app.group("game", "Write, validate, and inspect games.")
    group.command("new")(new_game)
    group.command()(validate)
    group.command()(info)
    group.command(context_settings=LENIENT)(perft)
    group.command()(log)
    app.command(hidden=True)(validate)
    app.command()(doctor)
    renames.rename(app, "new-game", "game new", new_game)
    renames.rename(app, "check", "game validate", validate)
    renames.rename(app, "perft", "game perft", perft, context_settings=LENIENT)
    renames.add(app, "games", "list games", games)


def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the game.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a small game in one file, as a start for your own."""
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.game_files import write_skeleton

    file = write_skeleton(name, force=force)
    print_line(str(file))
    print_line(f"validate  evolve game validate {file}")
    print_line(f"breed     evolve start {file}")


def validate(
    game: Annotated[
        Path, typer.Argument(metavar="MY_GAME.py", help="Game in one file; its code is run.")
    ],
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of random games to compare, within a minute; by default 200, within 2"
            " seconds.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Validate a game in one file: test its rules, measure its speed."""
    from evolve_arena.cli.game_report import print_report
    from evolve_arena.cli.output import print_json
    from evolve_arena.runs.game_files import report

    content = report(game, games)
    print_json(content) if json else print_report(content)


def info(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="Name of a game, or a game in one file, whose code is run.",
            autocompletion=complete_game,
        ),
    ],
    json: Json = False,
) -> None:
    """Show what a game supports, and why it does not support the rest.

    Methods, searches, opponents and export targets are tried with the game's default options.
    """
    from evolve_arena.cli.abilities import list_abilities, print_game
    from evolve_arena.cli.output import print_json

    if json:
        print_json({"game": game, "abilities": [each._asdict() for each in list_abilities(game)]})
    else:
        print_game(game)


def games(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", autocompletion=complete_game)
    ] = None,
    json: Json = False,
) -> None:
    """List the games, or show what one supports."""
    if game is None:
        renames.announce("games", "list games")
        lists.games(json)
    else:
        renames.announce("games GAME", "game info GAME")
        info(game, json)


def perft(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="DEPTH",
            help="Plies, from 1 to 30; 4 if only a game is named. A game's name or MY_GAME.py here"
            " is short for --game.",
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(help="Name of the game, or its file.", autocompletion=complete_game),
    ] = None,
    position: Annotated[
        str, typer.Option(help="First position: in the game's notation, or as moves.")
    ] = "",
    json: Json = False,
) -> None:
    """Count the move sequences of each length up to DEPTH plies.

    Options of the game are accepted too, such as --size 6.
    """
    from evolve_arena.cli.output import print_json, print_table

    if game is None and (
        named := [word for word in words if word.endswith(FILE) or word in game_names()]
    ):
        game = named[0]
        words = [word for word in words if word != game]
    spec = open_game(game or default_game())
    depths, options = split_options(words, context)
    if len(depths) > 1 or not all(re.fullmatch("[1-9]|[12][0-9]|30", each) for each in depths):
        raise typer.BadParameter(
            f"{quote(' '.join(depths))} is no number from 1 to 30", param_hint="'DEPTH'"
        )
    depth = int(depths[0]) if depths else 4
    game, rules = spec.name, spec.make(**options)
    if spec.has_chance:
        raise BadValueError(f"perft counts moves in games without chance, and {game} has some")
    start = rules.parse_position(position)
    counts = [rules.perft(start, length) for length in range(1, depth + 1)]
    if json:
        print_json({"game": game, "position": start.drawing(), "perft": counts})
    else:
        rows = [(str(length), f"{count:,}") for length, count in enumerate(counts, start=1)]
        print_table(f"Perft of {game}", ["plies", "sequences"], rows, left=0)


def log(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Games that --keep-games wrote, or in the game's own notation."
        ),
    ],
    number: Annotated[
        int | None,
        typer.Argument(metavar="[NUMBER]", min=1, help="Show this game move by move."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            callback=open_named,
            autocompletion=complete_game,
            help=f"The game, where the file does not name it; default {default_game()}.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the games in a file, or show one of them move by move."""
    from evolve_arena.cli.game_log import describe_logged, print_logged, print_logs, read_log
    from evolve_arena.cli.output import print_json

    found = read_log(file, game)
    if number is not None and number > len(found):
        raise BadValueError(f"{file} has {len(found)} games: there is no game {number}")
    if json:
        chosen = found if number is None else [found[number - 1]]
        print_json({"games": [describe_logged(each) for each in chosen]})
    elif number is None:
        print_logs(found)
    else:
        print_logged(found[number - 1])


def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Skip the benchmark.")] = False,
    json: Json = False,
) -> None:
    """Report installed versions, problems, and the speed of this machine.

    The benchmark takes some ten seconds, without compiling, which is reported apart.
    """
    from evolve_arena.cli.doctor import examine, print_examination
    from evolve_arena.cli.output import print_json

    content = examine(quick=quick)
    print_json(content) if json else print_examination(content)
