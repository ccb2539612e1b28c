"""The command that a person can join in: play."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command to *app*."""
    app.command()(play)


def play(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...",
            help="Your opponent; see evolve players. Two: to watch them.",
        ),
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
            help="connect-four, checkers or ticket-to-ride; if left out, that of the first player"
            " who was made for one (run:, file:), else connect-four.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(min=2, max=5, help="How many sit at the table of Ticket to Ride; usually 4."),
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
    there is one, else test-bot, or minimax:depth=4 in checkers, or rule in
    Ticket to Ride. Type the number of a column, from 0 as under the board, or
    in checkers the squares of a move, such as 11-15, or what you want to do in
    Ticket to Ride, such as claim dallas-houston; or a command: undo, hint,
    values, swap, new, resign, quit; help explains them.

    In Ticket to Ride PLAYER sits at all seats but yours; several players sit
    there by turns, and human among them is you.
    """
    from evolve_arena.core.errors import BadValueError
    from evolve_arena.core.registry import find_game
    from evolve_arena.runs.play import Invitation, Screen, choose_table

    named = names or []
    sizes = {"columns": columns, "rows": rows, "connect": connect, "turned": turned or None}
    asked = {key: int(value) for key, value in sizes.items() if value is not None}
    screen = Screen()
    try:
        table = choose_table(named, game, asked, players)
        if table is not None:
            wrong = {"--openings": openings, "--moves": moves, "--values": values}
            if given := [option for option, value in wrong.items() if value]:
                raise BadValueError(f"{given[0]} is not for {table.name}")
            find_game(table.name).make_invitation(  # type: ignore[misc]
                names=named,
                game=table,
                first=first,
                games=games,
                advisor=hint,
                delay=delay,
                seed=seed,
            ).accept(screen)
            return
        if len(named) > 2:
            raise BadValueError(f"{len(named)} players are named, and two can play")
        Invitation(
            names=named,
            game=game,
            sizes=asked,
            first=first,
            games=games,
            opening_plies=openings,
            moves=moves,
            advisor=hint,
            values=values,
            delay=delay,
            seed=seed,
        ).accept(screen)
    except KeyboardInterrupt:  # before the first game
        screen.say("\nStopped. Goodbye.")
