"""The command that a person can join in: play."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command to *app*."""
    app.command()(play)


def play(
    player: Annotated[
        str | None, typer.Argument(metavar="PLAYER", help="Your opponent; see evolve players.")
    ] = None,
    other: Annotated[
        str | None, typer.Argument(metavar="PLAYER", help="To watch it against the first one.")
    ] = None,
    first: Annotated[
        bool | None,
        typer.Option(
            "--first/--second",
            help="Who begins the first game: you, or the first named; by lot unless given.",
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games on end; after each you are asked unless given.")
    ] = None,
    openings: Annotated[
        int,
        typer.Option(metavar="PLIES", min=0, help="Random plies at the beginning of each game."),
    ] = 0,
    moves: Annotated[
        str,
        typer.Option(
            metavar="MOVES", help="Moves that games begin with, such as 3321 or '11-15 23-19'."
        ),
    ] = "",
    hint: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Gives hints; your opponent unless given.")
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Show what programs think before each move.")
    ] = False,
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0.0, max=60.0, help="Between moves, if you only watch."
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="connect-four or checkers; if left out, that of the first player who was made for"
            " one (run:, file:), else connect-four.",
        ),
    ] = None,
    columns: Annotated[
        int | None, typer.Option(min=1, help="Width of the board of Connect Four.")
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Its height.")] = None,
    connect: Annotated[int | None, typer.Option(min=2, help="How many in a row win.")] = None,
    turned: Annotated[
        bool, typer.Option("--turned", help="Checkers where light moves first, turned round.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seeds openings and players; new unless given.")
    ] = None,
) -> None:
    """Play at the terminal: you against PLAYER, or watch two.

    Without a PLAYER you meet the champion of the newest run in ./evolved, if
    there is one, else test-bot, or minimax:depth=4 in checkers. Type the number
    of a column, from 0 as under the board, or in checkers the squares of a
    move, such as 11-15; or a command: undo, hint, values, swap, new, resign,
    quit; help explains them.
    """
    from runs.play import Invitation, Screen

    sizes = {"columns": columns, "rows": rows, "connect": connect, "turned": turned or None}
    invitation = Invitation(
        names=[name for name in (player, other) if name is not None],
        game=game,
        sizes={key: int(value) for key, value in sizes.items() if value is not None},
        first=first,
        games=games,
        opening_plies=openings,
        moves=moves,
        advisor=hint,
        values=values,
        delay=delay,
        seed=seed,
    )
    screen = Screen()
    try:
        invitation.accept(screen)
    except KeyboardInterrupt:  # before the first game
        screen.say("\nStopped. Goodbye.")
