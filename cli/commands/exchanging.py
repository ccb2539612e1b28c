"""The commands about champions that come and go: export, import-neat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands.completion import complete_game, complete_run_or_file
from evolve_arena.runs.targets import TARGETS, check_target

if TYPE_CHECKING:
    from evolve_arena.players.bred import BredPlayer

PREFIX = "file:"

Force = Annotated[
    bool,
    typer.Option("--force", help="Replace FILE if it exists; of a link, the link alone."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to *app*."""
    targets = "\n".join(f"- {name}: {target.about}" for name, target in TARGETS.items())
    panel = "Champions as files"
    app.command(rich_help_panel=panel, help=f"{export.__doc__}\n\n{targets}")(export)
    app.command(rich_help_panel=panel)(import_neat)


def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's directory or name, or file:PATH of a player; RUN,depth=3 looks three"
            " plies ahead.",
            autocompletion=complete_run_or_file,
        ),
    ],
    to: Annotated[
        str,
        typer.Option(metavar="TARGET", help="What to write.", autocompletion=lambda: list(TARGETS)),
    ] = "python",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="In the run, if omitted: champion.py, say."),
    ] = None,
    generation: Annotated[
        int | None, typer.Option(metavar="G", help="The champion of the check at generation G.")
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace FILE if it exists, or a file in the run that was edited since it was"
            " exported; of a link, the link alone.",
        ),
    ] = False,
) -> None:
    """Write a champion as a program, a page, or for a host."""
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.export import export_player
    from evolve_arena.runs.store.files import check_free, write_export, write_whole

    suffix = check_target(to).suffix
    player, place = _find_champion(run, generation)
    content = export_player(player, to)
    file = out or place.with_name(place.stem + suffix)
    written = content.encode() if isinstance(content, str) else content
    if out or run.startswith(PREFIX):
        check_free(file, force=force)
        write_whole(file, written)
    else:
        write_export(file, written, force=force)
    print_line(file)


def import_neat(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.json", help="What export_network_json wrote.")
    ],
    head: Annotated[
        str | None,
        typer.Option(metavar="HEAD", help="What the outputs stand for: policy or value."),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="ENCODING", help="What the inputs stand for: planes, signed or numbered."
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="What it plays: a name, or a game in one file, MY_GAME.py.",
            autocompletion=complete_game,
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Another option of the game or its networks: size=6; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="FILE.safetensors beside FILE.json if omitted."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="How the player is called.")
    ] = None,
    force: Force = False,
) -> None:
    """Make a player of a network that neat-python exported.

    It is named file:PATH.

    Inputs are the cells of the board, the top row first:
    - planes: 1 for an own piece on a cell, and again for the other's
    - signed: one number a cell, 1 for an own piece, -1 for the other's
    - numbered: the same with 2 for the other's

    Outputs:
    - policy: one for each move
    - value: 1, how good the position after a move is

    What is not given is inferred from the numbers of inputs and outputs.
    Files from evolve export say themselves what they are for.
    """
    from evolve_arena.cli.output import print_line
    from evolve_arena.core.registry import open_game
    from evolve_arena.runs.export import read_neat_file
    from evolve_arena.runs.recipes.recipe import parse_changes
    from evolve_arena.runs.store.files import check_free, write_whole

    given = {"head": head, "encoding": encoding}
    options = {key: value for key, value in given.items() if value is not None}
    options |= parse_changes(changes or [])
    known = None if game is None else open_game(game).name
    made = read_neat_file(file, name=name, game=known, options=options)
    target = out or file.with_suffix(".safetensors")
    check_free(target, force=force)
    write_whole(target, made.player.serialise(imported_from=file.name))
    if made.assumed:
        print_line(f"assumed {', '.join(made.assumed)}: the file does not say", error=True)
    print_line(made.summary, error=True)
    print_line(target)


def _find_champion(run: str, generation: int | None) -> tuple[BredPlayer, Path]:
    """A player, and where its exported file goes unless another place is given."""
    from evolve_arena.core.errors import BadValueError
    from evolve_arena.players.specification import split_search
    from evolve_arena.runs.export import look_ahead, read_player_file
    from evolve_arena.runs.run import Run

    named, search = split_search(run)
    if not named.startswith(PREFIX):
        opened = Run.open(named)
        player, place = opened.champion_at(generation), opened.path / "champion"
    elif generation is not None:
        raise BadValueError(f"--generation is for runs, and {named} is a single player")
    else:
        place = Path(named.removeprefix(PREFIX))
        player = read_player_file(place)
    return look_ahead(player, search), place
