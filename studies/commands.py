"""The commands ``reproduce`` and ``league``: published results and players beside ours."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from evolve_arena.cli.commands.completion import complete_player
from evolve_arena.cli.commands.runs import Address, RunsExecutor
from evolve_arena.core.errors import BadValueError


def register(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    for command in (reproduce, league, decisions):
        app.command(rich_help_panel="Studies")(command)


def reproduce(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="Such as four-in-a-row.")],
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Runs of each setting (default: as in the study).")
    ] = None,
    scale: Annotated[
        float, typer.Option(min=0.0001, max=100.0, help="Share of the full length.")
    ] = 1.0,
    only: Annotated[str | None, typer.Option(metavar="TABLE", help="One table alone.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder (default reproduced/STUDY).")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Runs at a time.")] = None,
    executor: RunsExecutor = None,
    address: Address = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Repeat a published study, and print its tables beside ours.

    A study that was stopped, by Ctrl-C for instance, resumes where it was; finished runs are not
    repeated. The studies, and their tables:

    - four-in-a-row: curves, diversity, moving-first, diversity-first, opponents
    - mlp-vs-neat: curves, champions, duels
    - td-lambda: 4.1, figure-4.1, A.1, A.2, A.3, A.4, figure-4.6, as-written, policies,
      against-minimax, A.5, 5.1, 5.2
    - q-learning, q-learning-own: 6.1 to 6.13, winners, equal-sets, corrected, exploration,
      representations, minimax
    - checkers-td: readings, 5.2, 5.8, 5.9, conclusions
    - ticket-to-ride: 3.1, readings, 4.3, 5.1, 5.2, 6.1, 4.3-adagrad, 6.1-adagrad, mixed
    - othello-league: boards, noise
    - connect-four-methods: games, seconds
    """
    from evolve_arena.cli.output import print_json
    from evolve_arena.runs.many.parallel_runs import RunsScreen
    from evolve_arena.studies.reproduction import print_study, reproduce_study

    with RunsScreen(quiet=json) as screen:
        result = reproduce_study(
            study,
            out=out or Path("reproduced") / study,
            seeds=seeds,
            scale=scale,
            only=only,
            workers=workers,
            executor=executor,
            address=address,
            progress=screen.show,
        )
    if json:
        print_json(result.to_dict())
    else:
        print_study(result)


class LeagueProtocol(StrEnum):
    """The protocols of the Othello League."""

    BOARDS = "boards"
    NOISE = "noise"


def league(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER...]",
            help="Players of Othello to rate against the league (default: the league alone).",
            autocompletion=complete_player,
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the league's files.")
    ] = Path("othello_league"),
    protocol: Annotated[
        LeagueProtocol,
        typer.Option(
            help="boards: from a thousand positions; noise: from the start, against opponents that"
            " play 10 % of their moves at random."
        ),
    ] = LeagueProtocol.BOARDS,
    pairs: Annotated[
        int, typer.Option(min=2, max=100_000, help="Pairs of games with each opponent.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random moves.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that play.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Rate players of Othello against the published players of the Othello League."""
    from evolve_arena.arena.executors import make_executor
    from evolve_arena.cli.output import print_json
    from evolve_arena.core.registry import make_game
    from evolve_arena.players.player import CompiledPlayer
    from evolve_arena.players.specification import make_player
    from evolve_arena.studies.othello_league.league import (
        BOARDS,
        play_league,
        read_league,
        read_openings,
    )
    from evolve_arena.studies.othello_league.study import print_league

    game: Any = make_game("othello")
    others = read_league(folder, game)
    entered = []
    for name in players or ():
        player = make_player(name, game)
        if not isinstance(player, CompiledPlayer):
            raise BadValueError(f"{name} is not compiled, so it can't play thousands of games")
        entered.append(player)
    openings = read_openings(folder / BOARDS, game) if protocol == "boards" else None
    with make_executor(None, workers) as executor:
        result = play_league(
            entered or others,
            others if entered else (),
            protocol=protocol.value,
            openings=openings,
            pairs=pairs,
            seed=seed,
            executor=executor,
        )
    print_json(result.to_dict()) if json else print_league(result)


def decisions(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="Kept games of Ticket to Ride.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE.csv", help="Log of decisions that is written.")
    ] = Path("decisions.csv"),
    player: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Log this player alone, by its name in the games."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Log all players, not the winners alone.")
    ] = False,
    script: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            help="Rule player whose features are logged: network.script of the recipe that learns.",
        ),
    ] = "rule:text,long=6",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the log.")] = False,
) -> None:
    """Log the decisions in games of Ticket to Ride, for a network to imitate.

    A row of the log is a turn: the 28 features of Łabno's program, and what the player decided (0:
    to pass, 1: to draw cards, 2: tickets, 3: to claim a route). To learn from it: evolve start
    ticket-to-ride-imitation --set 'method.data.source="log:FILE.csv"'.
    """
    from evolve_arena.cli.output import print_line
    from evolve_arena.core.registry import make_game
    from evolve_arena.players.player import CompiledPlayer
    from evolve_arena.players.specification import make_player
    from evolve_arena.runs.store.files import check_free, write_whole
    from evolve_arena.studies.ticket_to_ride.decision_sets import read_source, write_log
    from evolve_arena.studies.ticket_to_ride.measures import COUNTS

    if player and every:
        raise BadValueError("--player and --all: choose one")
    check_free(out, force=force)
    teacher = make_player(script, make_game("ticket-to-ride"))
    if not isinstance(teacher, CompiledPlayer):
        raise BadValueError(f"--script is {script}: it must be rule, or rule:code for example")
    source = f"games:{file}" + (f",player={player}" if player else "")
    rows = read_source(source, teacher, COUNTS, "all" if every else "winner")
    write_whole(out, write_log(rows).encode())
    print_line(f"{len(rows):,} decisions of {len(set(rows.games.tolist())):,} games: {out}")
