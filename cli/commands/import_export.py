"""The commands that export champions and import networks: export, import-neat."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands.completion import complete_game, complete_run_or_file
from evolve_arena.core.logs import format_seconds, print_status
from evolve_arena.runs.targets import TARGETS, check_target

if TYPE_CHECKING:
    from evolve_arena.players.evolved import EvolvedPlayer

PREFIX = "file:"

Force = Annotated[
    bool,
    typer.Option("--force", help="Overwrite FILE; a link is replaced, not its target."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    targets = "\n".join(f"- {name}: {target.about}" for name, target in TARGETS.items())
    app.command(help=f"{export.__doc__}\n\n{targets}")(export)
    app.command()(import_neat)


def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Run directory or name, or file:PATH of a player; RUN,depth=3 searches three plies"
            " deep.",
            autocompletion=complete_run_or_file,
        ),
    ],
    to: Annotated[
        str,
        typer.Option(metavar="TARGET", help="Output format.", autocompletion=lambda: list(TARGETS)),
    ] = "python",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Output file (default: in the run, such as champion.py)."
        ),
    ] = None,
    generation: Annotated[
        int | None,
        typer.Option(metavar="G", help="Export the champion of the check at generation G."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="CHARACTERS",
            help="Maximum length of the file: it is compressed, and weights of tuple networks are"
            " rounded, or most of them dropped and the others fitted.",
            min=1,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Overwrite FILE, or a file in the run that was edited since it was exported; a"
            " link is replaced, not its target.",
        ),
    ] = False,
) -> None:
    """Export a champion as a program, a page, or a bot for a host."""
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.export import shorten
    from evolve_arena.runs.store.files import check_free, write_export, write_whole

    suffix = check_target(to).suffix
    player, place = _find_champion(run, generation)
    file = out or place.with_name(place.stem + suffix)
    is_outside = out is not None or run.startswith(PREFIX)
    if is_outside:
        check_free(file, force=force)
    content, lost = shorten(player, to, limit, _make_report())
    written = content.encode() if isinstance(content, str) else content
    if is_outside:
        write_whole(file, written)
    else:
        write_export(file, written, force=force)
    if lost:
        print_line(f"{lost}: {len(content):,} characters", error=True)
    print_line(file)


def _make_report() -> Callable[[float], None]:
    """Return a function that tells how far the fitting of weights is, and the time left."""
    began = time.perf_counter()

    def report(done: float) -> None:
        passed = time.perf_counter() - began
        left = f", {format_seconds(passed * (1.0 - done) / done)} left" if done else ""
        print_status(f"fitting fewer weights: {done:.0%}{left}")

    return report


def import_neat(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.json", help="Output of export_network_json.")
    ],
    head: Annotated[
        str | None,
        typer.Option(metavar="HEAD", help="Meaning of the outputs: policy or value."),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="ENCODING", help="Meaning of the inputs: planes, signed or numbered."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="Game that it plays: a name, or a game in one file, MY_GAME.py.",
            autocompletion=complete_game,
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Option of the game or its networks, such as size=6; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Output file (default: FILE.safetensors, beside it)."),
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the player.")] = None,
    force: Force = False,
) -> None:
    """Import a network that neat-python exported, as a player.

    The player is named file:PATH.

    Inputs are the cells of the board, the top row first:
    - planes: 1 for an own piece on a cell, then the same for the opponent's
    - signed: one number per cell, 1 for an own piece, -1 for the opponent's
    - numbered: the same with 2 for the opponent's

    Outputs:
    - policy: one per move
    - value: one, the value of the position after a move

    Missing options are inferred from the numbers of inputs and outputs.
    Files from evolve export contain them.
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


def _find_champion(run: str, generation: int | None) -> tuple[EvolvedPlayer, Path]:
    """Return a player, and the default path of its exported file, without its ending."""
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
