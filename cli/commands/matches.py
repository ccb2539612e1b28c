"""The commands that let players play: duel, tournament, evaluate."""

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
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import default_game, open_game
from evolve_arena.runs.store.directory import PREFIX, is_run

if TYPE_CHECKING:
    from evolve_arena.arena.match import OnMatch
    from evolve_arena.core.game import AnyGame
    from evolve_arena.players.player import Player

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Games = Annotated[int, typer.Option(min=1, help="Number of games, colours balanced.")]
Openings = Annotated[
    int, typer.Option(metavar="PLIES", min=0, help="Number of random plies that open each game.")
]


def open_named(context: typer.Context, name: str | None) -> str | None:
    """Return the name of the game that was typed; a file is opened, except for completion."""
    return name if name is None or context.resilient_parsing else open_game(name).name


Game = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        callback=open_named,
        autocompletion=complete_game,
        help="Game: one of {games}, openspiel:NAME, or a game in one file, MY_GAME.py (default: the"
        f" game of the first player, else {default_game()}).",
    ),
]
Seats = Annotated[
    int | None,
    typer.Option("--players", min=2, max=5, help="Number of players, in games for more than two."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of openings and players.")]
KeepGames = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.jsonl",
        help="Write the games to a new file, for evolve game log and the page.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    for command in (duel, tournament, evaluate):
        app.command()(command)


def duel(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A", help="Player; see evolve list players.", autocompletion=complete_player
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", help="Its opponent.", autocompletion=complete_player)
    ],
    games: Games = 1000,
    openings: Openings = 0,
    game: Game = None,
    seats: Seats = None,
    seed: Seed = 0,
    keep_games: KeepGames = None,
    json: Json = False,
) -> None:
    """Play a match between two players, who move first in turn.

    In games for more than two players they take alternate seats.
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
            first, second, games=games, opening_plies=openings, seed=seed, game=rules, on_match=keep
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
            help="Players; 'run:STUDY/*', in quotes, means all runs in a folder.",
            autocompletion=complete_player,
        ),
    ],
    rank: Annotated[
        bool | None,
        typer.Option(
            "--rank/--crosstable",
            help="Rank configurations (runs whose names differ only in the last number) by the"
            " share of games that their agents win, or rate all players (default: --rank if a name"
            " means several runs).",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Single opponent of all players, who do not meet each other; implies --rank.",
            autocompletion=complete_player,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of games of each pair, colours balanced (default 200; 2 with --rank, 2000"
            " with --against); in games for more than two, of all games (default 1000).",
        ),
    ] = None,
    openings: Openings = 0,
    game: Game = None,
    seats: Seats = None,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn",
            help="Players learn: each pair plays, learns from each other, and plays again. All are"
            " runs of methods that learn from games.",
        ),
    ] = False,
    lessons: Annotated[
        int,
        typer.Option(
            min=1, max=1_000_000, help="With --learn: games that each player learns from."
        ),
    ] = 1000,
    seed: Seed = 0,
    keep_games: KeepGames = None,
    json: Json = False,
) -> None:
    """Play a round robin between players, and rate or rank them.

    It prints a crosstable with ratings, or a ranking of configurations.
    """
    if learn:
        if rank is not None or against or keep_games or seats or game:
            raise BadValueError(
                "--learn is for runs of a game for two: without --rank, --against, --keep-games,"
                " --players and --game"
            )
        _learn(expand_patterns(names), games, lessons, openings, seed, json=json)
        return
    from evolve_arena.cli.match_tables import print_crosstable, print_ranking, print_ratings
    from evolve_arena.cli.output import print_caveats, print_json
    from evolve_arena.core.registry import find_game
    from evolve_arena.runs.many.tournaments import crosstable, ranking, ratings
    from evolve_arena.runs.players import game_for, with_seats

    if rank is False and against is not None:
        raise BadValueError("--crosstable needs players who meet each other: not with --against")
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
            content = ratings(rules, entered, games=games, seed=seed, on_match=keep)
            print_json(content) if json else print_ratings(content)
            return
        entered = [_enter(stack, name, rules) for name in expanded]
        opponent = _enter(stack, against, rules) if against is not None else None
        if rank:
            content = ranking(entered, opponent, games=games, opening_plies=openings, seed=seed)
        else:
            content = crosstable(
                entered, games=games, opening_plies=openings, seed=seed, on_match=keep
            )
    if json:
        print_json(content)
    elif rank:
        print_ranking(content)
    else:
        print_crosstable(content)
    print_caveats(content["warnings"])


def _learn(
    names: Sequence[str], games: int | None, lessons: int, openings: int, seed: int, *, json: bool
) -> None:
    """Play a tournament of runs whose players learn, and print it."""
    from evolve_arena.cli.match_tables import print_learning
    from evolve_arena.cli.output import print_json
    from evolve_arena.runs.many.tournaments import learning
    from evolve_arena.runs.run import Run

    runs = [Run.open(Path(name.removeprefix("run:"))) for name in names]
    options = {"lessons": lessons, "opening_plies": openings, "seed": seed}
    content = learning(runs, games=games, **options)
    print_json(content) if json else print_learning(content)


def evaluate(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="Player; see evolve list players.",
            autocompletion=complete_player,
        ),
    ],
    games: Games = 1000,
    openings: Annotated[
        int | None,
        typer.Option(
            metavar="PLIES",
            min=0,
            help="Number of random plies that open each game (default 4, or fewer in short games; 0"
            " in games of chance).",
        ),
    ] = None,
    game: Game = None,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Opponent, replacing the game's defaults; repeatable.",
            autocompletion=complete_player,
        ),
    ] = None,
    positions: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.csv", help="Test positions with scores or answers; repeatable."),
    ] = None,
    seats: Seats = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a player against fixed opponents, and on positions.

    In games that count points it also plays against copies of itself.
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


@contextmanager
def _keeping(path: Path | None) -> Iterator[OnMatch | None]:
    """Yield a function that collects matches for a file, which is written at the end, or None."""
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
    """Replace each pattern in *specifications* of players by the runs that it matches.

    ``run:reproduced/q-learning/*`` stands for every run in that folder, ``run:.../stage-1-*`` for
    some of them, and ``run:.../*@100`` for their champions of generation 100. Other folders are
    skipped. Runs are sorted by name, with numbers in numeric order.

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
    """Test whether a specification of players is a pattern that may match several runs.

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
    """Return a sort key by which ``run-2`` precedes ``run-10``."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"([^0-9]*)([0-9]*)", path)]
