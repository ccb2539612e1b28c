"""The command that a person can join in: play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolve_arena.cli.commands.completion import complete_game, complete_player
from evolve_arena.cli.commands.playing import open_named
from evolve_arena.core.registry import FILE, game_names, open_game


def register(app: typer.Typer) -> None:
    """Adds the command to *app*."""
    # What typer does not know goes with the names, and may be an option of a game.
    app.command(rich_help_panel="Players", context_settings={"ignore_unknown_options": True})(play)


def play(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...",
            help="Your opponent; see evolve players. Two: to watch them. A game's name is the same"
            " as --game with it.",
            autocompletion=complete_player,
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
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Gives hints; your opponent unless given.",
            autocompletion=complete_player,
        ),
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
            callback=open_named,
            autocompletion=complete_game,
            help="What is played, or MY_GAME.py; if left out, what the first player was made for"
            " (run:, file:), else the usual game.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(min=2, max=5, help="How many play, in games for more than two."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seeds openings and players; new unless given.")
    ] = None,
) -> None:
    """Play at the terminal: you against PLAYER, or watch others.

    Without a PLAYER you meet the champion of the newest run in ./evolved, if
    there is one, else a scripted player. Type a move, or a command: undo, hint,
    values, swap, new, resign, quit; help explains them and how moves are typed.

    In games for more than two PLAYER sits at all seats but yours; several
    players sit there by turns, and human among them is you.

    Options of the game are options here as well, such as --columns 9.
    """
    from evolve_arena.cli.play import PlayOptions, Screen

    typed = names or []
    if game is None and (file := next(filter(_is_game, typed), None)):
        typed = [name for name in typed if name != file]
        game = open_game(file).name  # whose options are known from now on
    named, options = split_options(typed, context)
    screen = Screen()
    try:
        PlayOptions(
            names=named,
            game=game,
            options=options,
            seats=players,
            first=first,
            games=games,
            opening_plies=openings,
            moves=moves,
            advisor=hint,
            values=values,
            delay=delay,
            seed=seed,
        ).play(screen)
    except KeyboardInterrupt:  # before the first game
        screen.say("\nStopped. Goodbye.")


def _is_game(word: str) -> bool:
    """Whether a game is called so, or lies there as a file, and no player or run."""
    from evolve_arena.core.files import describe_special
    from evolve_arena.runs.players import name_player

    if word.endswith(FILE):
        return describe_special(Path(word)) is None
    return word in game_names() and name_player(word) == word


def split_options(words: list[str], context: typer.Context) -> tuple[list[str], dict[str, int]]:
    """The names among *words*, and the options of games: ``--columns 9``, ``--turned``.

    Args:
        words: What nobody has understood yet.
        context: The command's, which has options itself.

    Raises:
        UnknownNameError: No game has such an option.
        BadValueError: A value is no whole number.
    """
    from evolve_arena.core.errors import BadValueError, UnknownNameError, quote

    switches = _find_switches() if any(word.startswith("-") for word in words) else {}
    players, options, rest = [], {}, list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            players.append(word)
            continue
        key, equals, value = word.partition("=")
        key = key.replace("_", "-")
        if key not in switches:
            own = [text for each in context.command.params for text in each.opts]
            known = [text for text in [*own, *switches] if text.startswith("--")]
            raise UnknownNameError("option", key, known)
        if not equals:
            value = "1"
            if not switches[key] or (rest and rest[0].isdecimal()):
                if not rest:
                    raise BadValueError(f"{key} needs a whole number")
                value = rest.pop(0)
        if not value.removeprefix("-").isdecimal() or len(value) > 18:
            raise BadValueError(f"{key} is {quote(value)}: it must be a whole number")
        options[key.removeprefix("--").replace("-", "_")] = int(value)
    return players, options


def _find_switches() -> dict[str, bool]:
    """The options of all games, such as ``--columns``, and whether each is just on or off."""
    from evolve_arena.core.game import Option, options_of
    from evolve_arena.core.registry import find_game

    found = {}
    for game in game_names():
        for name, option in options_of(find_game(game).game.rules_type).items():
            found[f"--{name.replace('_', '-')}"] = option == Option()
    return found
