"""The command ``play``: games of people and programs at the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolve_arena.cli.commands.completion import complete_game, complete_player
from evolve_arena.cli.commands.matches import open_named
from evolve_arena.core.registry import FILE, default_game, game_names, open_game


def register(app: typer.Typer) -> None:
    """Add the command to *app*."""
    # An unknown option stays among the names: it may be an option of a game.
    app.command(context_settings={"ignore_unknown_options": True})(play)


def play(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...",
            help="Your opponent, or two players to watch; see evolve list players. A game's name is"
            " short for --game.",
            autocompletion=complete_player,
        ),
    ] = None,
    first: Annotated[
        bool | None,
        typer.Option(
            "--first/--second",
            help="You, or else the first player named, move first or second in the first game"
            " (default: by lot).",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Number of games in a row (default: ask after each game)."),
    ] = None,
    openings: Annotated[
        int,
        typer.Option(metavar="PLIES", min=0, help="Number of random plies that open each game."),
    ] = 0,
    moves: Annotated[
        str,
        typer.Option(
            metavar="MOVES", help="Opening moves of each game, such as 3321 or '11-15 23-19'."
        ),
    ] = "",
    hint: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Player that gives hints (default: your opponent).",
            autocompletion=complete_player,
        ),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Show before each move how a program rates the moves.")
    ] = False,
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0.0, max=60.0, help="Pause between moves when you only watch."
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            callback=open_named,
            autocompletion=complete_game,
            help="Name of the game, or MY_GAME.py (default: the game of the first player, else"
            f" {default_game()}).",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(min=2, max=5, help="Number of players, in games for more than two."),
    ] = None,
    keep_games: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            help="Write each finished game to the end of this file, for evolve game log, the page,"
            " and imitation.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of openings and players (default: a new one).")
    ] = None,
) -> None:
    """Play at the terminal against a player, or watch players.

    The default opponent is the champion of the newest run in ./evolved, or a
    scripted player. Type a move, or a command: undo, hint, values, swap, new,
    resign, quit; help explains them and the notation of moves.

    In games for more than two players PLAYER takes all seats but yours; several
    players take these seats in turn. The name human stands for you.

    Options of the game are accepted too, such as --columns 9.
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
            keep_games=keep_games,
        ).play(screen)
    except KeyboardInterrupt:  # before the first game
        screen.say("\nStopped. Goodbye.")


def _is_game(word: str) -> bool:
    """Test whether a word is the name or the file of a game, and not that of a player or run."""
    from evolve_arena.core.files import describe_special
    from evolve_arena.runs.players import name_player

    if word.endswith(FILE):
        return describe_special(Path(word)) is None
    return word in game_names() and name_player(word) == word


def split_options(words: list[str], context: typer.Context) -> tuple[list[str], dict[str, int]]:
    """Split *words* into names and the options of games: ``--columns 9``, ``--turned``.

    Args:
        words: Words of the command line that are no options of the command.
        context: The command's context.

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
    """Return the options of all games, such as ``--columns``; True for those that are switches."""
    from evolve_arena.core.game import Option, options_of
    from evolve_arena.core.registry import find_game

    found = {}
    for game in game_names():
        for name, option in options_of(find_game(game).game.rules_type).items():
            found[f"--{name.replace('_', '-')}"] = option == Option()
    return found
