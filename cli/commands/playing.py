"""The commands about games: players, duel, tournament, evaluate, perft."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands.completion import complete_game, complete_player
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.registry import FILE, game_names, open_game, usual_game
from evolve_arena.runs.store.directory import PREFIX, is_run

if TYPE_CHECKING:
    from evolve_arena.arena.match import Keep
    from evolve_arena.core.game import AnyGame
    from evolve_arena.players.player import Player

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Games = Annotated[int, typer.Option(min=1, help="Games, colours balanced.")]
Openings = Annotated[
    int, typer.Option(metavar="PLIES", min=0, help="Random plies at the beginning of each game.")
]


def open_named(context: typer.Context, name: str | None) -> str | None:
    """The name of the game that was typed, which may be a file's; the shell opens none."""
    return name if name is None or context.resilient_parsing else open_game(name).name


Game = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        callback=open_named,
        autocompletion=complete_game,
        help="One of {games}, or openspiel:NAME, or a game in one file, MY_GAME.py; if left out,"
        " what the first player was made for (run:, file:), or plays alone, else"
        f" {usual_game()}.",
    ),
]
Seats = Annotated[
    int | None,
    typer.Option("--players", min=2, max=5, help="How many play, in games for more than two."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seeds openings and players.")]
KeepGames = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.jsonl", help="Write the games to a new file; evolve serve replays them."
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to *app*."""
    for command in (players, duel, tournament, evaluate):
        app.command(rich_help_panel="Players")(command)
    app.command(rich_help_panel="Games", context_settings={"ignore_unknown_options": True})(perft)


def players(json: Json = False) -> None:
    """List the players that can be named."""
    from evolve_arena.cli.output import print_json, print_table
    from evolve_arena.runs.players import list_players

    found, every = list_players(), game_names()
    if json:
        kinds = {form: summary for form, (summary, _) in found.items()}
        print_json({"players": kinds, "games": {form: games for form, (_, games) in found.items()}})
    else:
        rows = []
        for form, (summary, games) in found.items():
            others = [game for game in every if game not in games]
            most = f"all but {', '.join(others)}" if others else "all"
            rows.append((form, summary, most if len(others) < len(games) else ", ".join(games)))
        print_table("Players", ["write", "who that is", "plays"], rows, left=3)


def duel(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A player; see evolve players.", autocompletion=complete_player
        ),
    ],
    second: Annotated[str, typer.Argument(metavar="B", autocompletion=complete_player)],
    games: Games = 1000,
    openings: Openings = 0,
    game: Game = None,
    seats: Seats = None,
    seed: Seed = 0,
    keep_games: KeepGames = None,
    json: Json = False,
) -> None:
    """Let two players meet, each moving first in every other game.

    In games for more than two both sit at every other seat.
    """
    from evolve_arena.arena.duel_result import list_caveats
    from evolve_arena.cli.match_tables import print_duel
    from evolve_arena.cli.output import print_caveats, print_json
    from evolve_arena.core.registry import find_game
    from evolve_arena.runs.api import duel as play
    from evolve_arena.runs.players import game_for, with_seats

    rules = with_seats(game_for([first, second], game), seats)
    with _keeping(keep_games) as keep:
        result = play(
            first, second, games=games, opening_plies=openings, seed=seed, game=rules, keep=keep
        )
    content = result.to_dict()
    print_json(content) if json else print_duel(result)
    hint = not openings and not find_game(rules.name).has_chance
    print_caveats(list_caveats(content, hint=hint))


def tournament(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A B C...",
            help="Players. 'run:STUDY/*', in quotes, stands for all runs in a folder.",
            autocompletion=complete_player,
        ),
    ],
    rank: Annotated[
        bool | None,
        typer.Option(
            "--rank/--crosstable",
            help="Rank configurations (runs whose names differ in the last number only) by what"
            " their agents win, or rate all players; --rank if a name stands for several runs.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Whom all meet, and not each other; implies --rank.",
            autocompletion=complete_player,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Games of each pair, colours balanced: 200, with --rank 2, with --against 2000;"
            " in games for more than two how many in all: 1000.",
        ),
    ] = None,
    openings: Openings = 0,
    game: Game = None,
    seats: Seats = None,
    seed: Seed = 0,
    keep_games: KeepGames = None,
    json: Json = False,
) -> None:
    """Let all players meet each other, and rate or rank them.

    It prints a crosstable with ratings, or a ranking of configurations.
    """
    from evolve_arena.cli.match_tables import print_crosstable, print_ranking, print_ratings
    from evolve_arena.cli.output import print_caveats, print_json
    from evolve_arena.core.errors import BadValueError
    from evolve_arena.core.registry import find_game
    from evolve_arena.runs.many.tournaments import crosstable, ranking, ratings
    from evolve_arena.runs.players import game_for, with_seats

    if rank is False and against is not None:
        raise BadValueError("--crosstable is of players who meet each other: not with --against")
    if rank is None:
        rank = against is not None or any(map(is_pattern, names))
    if rank and keep_games:
        raise BadValueError("--keep-games is not for --rank")
    with ExitStack() as stack:
        keep = stack.enter_context(_keeping(keep_games))
        expanded = expand_patterns(names)
        rules = with_seats(game_for(expanded, game), seats)
        if find_game(rules.name).most_seats > 2:
            if rank or openings:
                raise BadValueError(f"{'--rank' if rank else '--openings'} is not for {rules.name}")
            entered = [_enter(stack, name, rules) for name in expanded]
            content = ratings(rules, entered, games=games, seed=seed, keep=keep)
            print_json(content) if json else print_ratings(content)
            return
        entered = [_enter(stack, name, rules) for name in expanded]
        opponent = _enter(stack, against, rules) if against is not None else None
        if rank:
            content = ranking(entered, opponent, games=games, opening_plies=openings, seed=seed)
        else:
            content = crosstable(entered, games=games, opening_plies=openings, seed=seed, keep=keep)
    if json:
        print_json(content)
    elif rank:
        print_ranking(content)
    else:
        print_crosstable(content)
    print_caveats(content["warnings"])


def evaluate(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="See evolve players.", autocompletion=complete_player
        ),
    ],
    games: Games = 1000,
    openings: Annotated[
        int | None,
        typer.Option(
            metavar="PLIES",
            min=0,
            help="Random plies at the beginning of each game; 0 for none. Unless given 4, or fewer"
            " in short games, none in games of chance.",
        ),
    ] = None,
    game: Game = None,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Whom to meet instead of those that the game has for this; repeatable.",
            autocompletion=complete_player,
        ),
    ] = None,
    positions: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.csv", help="Positions with scores or answers; repeatable."),
    ] = None,
    seats: Seats = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a player against fixed opponents, and on positions.

    In games that count points also at tables of its like.
    """
    from evolve_arena.cli.match_tables import print_evaluation
    from evolve_arena.cli.output import print_caveats, print_json
    from evolve_arena.runs.evaluation import evaluate_player
    from evolve_arena.runs.players import game_for, with_seats

    rules = with_seats(game_for([player], game), seats)
    with ExitStack() as stack:
        content = evaluate_player(
            _enter(stack, player, rules),
            rules,
            games=games,
            opening_plies=openings,
            opponents=opponents or None,
            positions=positions or (),
            seats=seats,
            seed=seed,
        )
    print_json(content) if json else print_evaluation(content, rules)
    print_caveats(line for duel in content["opponents"].values() for line in duel["warnings"])


def perft(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="DEPTH",
            help="From 1 to 30; 4 if only a game is named. A game's name or MY_GAME.py is the same"
            " as --game with it.",
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="The game.", autocompletion=complete_game)
    ] = None,
    position: Annotated[str, typer.Option(help="As the game writes one, or moves.")] = "",
    json: Json = False,
) -> None:
    """Count the move sequences of each length up to DEPTH.

    Options of the game are options here as well, such as --size 6.
    """
    from evolve_arena.cli.commands.joining import split_options
    from evolve_arena.cli.output import print_json, print_table

    if game is None and (
        named := [word for word in words if word.endswith(FILE) or word in game_names()]
    ):
        game = named[0]
        words = [word for word in words if word != game]
    spec = open_game(game or usual_game())
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


@contextmanager
def _keeping(path: Path | None) -> Iterator[Keep | None]:
    """What is given each match, if they are to be kept in a file; it is written at the end."""
    from evolve_arena.runs.store.kept_games import KeptGames

    if path is None:
        yield None
        return
    games = KeptGames(path)
    yield games.keep
    games.write()


def _enter(stack: ExitStack, name: str, game: AnyGame) -> Player:
    from evolve_arena.runs.players import find_player

    player = find_player(name, game)
    stack.callback(player.close)
    player.check_ready()
    return player


def expand_patterns(specifications: Sequence[str]) -> list[str]:
    """*specifications* of players, in which a pattern gives way to all runs that it matches.

    ``run:reproduced/q-learning/*`` stands for every run in that folder, ``run:.../stage-1-*`` for
    some of them, and ``run:.../*@100`` for their champions of generation 100. Folders that are
    no runs are passed over. Runs stand in the order of their names, numbers by their size.

    Raises:
        BadValueError: A pattern matches no run.
    """
    expanded: list[str] = []
    for specification in specifications:
        if is_pattern(specification):
            expanded += _expand(specification)
        else:
            expanded.append(specification)
    return expanded


def is_pattern(specification: str) -> bool:
    """Whether it can stand for several runs.

    >>> is_pattern("run:reproduced/q-learning/*"), is_pattern("run:reproduced/q-learning")
    (True, False)
    """
    path = specification.removeprefix(PREFIX)
    return path != specification and has_magic(path) and not os.path.exists(path)


def _expand(specification: str) -> list[str]:
    pattern = specification.removeprefix(PREFIX)
    stem, at, generation = pattern.rpartition("@")
    if at and generation.isascii() and generation.isdecimal():
        pattern, suffix = stem, f"@{generation}"
    else:
        suffix = ""
    paths = [path for path in glob(pattern) if is_run(path)]
    if not paths:
        raise BadValueError(f"player {specification}: no run matches it")
    return [f"{PREFIX}{path}{suffix}" for path in sorted(paths, key=_by_numbers)]


def _by_numbers(path: str) -> list[tuple[str, int]]:
    """Sorts ``run-2`` before ``run-10``."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"([^0-9]*)([0-9]*)", path)]
