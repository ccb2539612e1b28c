"""The command that makes positions whose values are known: positions."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands.play import split_options
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.logs import Interruptible, format_seconds, print_status
from evolve_arena.core.registry import open_game

if TYPE_CHECKING:
    from rich.status import Status

    from evolve_arena.core.types import JsonObject
    from evolve_arena.runs.solved_positions import Progress

MOMENT, PAUSE = 0.2, 10.0
"""Seconds between status updates on a terminal, and between status lines elsewhere."""


def register(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command(context_settings={"ignore_unknown_options": True})(positions)


class Display(Interruptible):
    """Status of a search for positions on standard error, which Ctrl-C ends cleanly."""

    until = "this position"

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self._status: Status | None = None
        self._shown = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        super().__exit__(kind, *error)
        if self._status:
            self._status.stop()

    def watch(self, progress: Progress) -> bool:
        """Show *progress*; return False if the search is to stop."""
        now = time.perf_counter()
        if not self.quiet and now - self._shown >= (MOMENT if sys.stderr.isatty() else PAUSE):
            self._shown = now
            left = "" if progress.left is None else f", {format_seconds(progress.left)} left"
            text = f"{progress.found} of {progress.wanted} positions{left}"
            self._show(text) if sys.stderr.isatty() else print_status(text)
        return not self.interrupted

    def _show(self, text: str) -> None:
        from rich.console import Console

        if self._status is None:
            self._status = Console(stderr=True, highlight=False).status(text)
            self._status.start()
        self._status.update(text)


def positions(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME", help="Name of a game, or a game in one file, whose code is run."
        ),
    ],
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Output file (default GAME.csv)."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of positions.")] = 300,
    every: Annotated[
        bool, typer.Option("--all", help="Take all positions of a small game.")
    ] = False,
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="FIRST-LAST",
            help="Moves made before a position, such as 8-20 (default: any number).",
        ),
    ] = None,
    distance: Annotated[
        bool,
        typer.Option(
            "--distance", help="Also prove how soon each move wins or loses, which takes longer."
        ),
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=12,
            help="Take the values of a search to N plies, which are not exact, where proofs take"
            " too long.",
        ),
    ] = None,
    nodes: Annotated[
        int,
        typer.Option(
            min=1000,
            max=10**12,
            help="Limit of nodes in the proof of a position, beyond which it is left out.",
        ),
    ] = 3_000_000,
    games: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Take the positions of games that --keep-games wrote, not of random ones.",
        ),
    ] = None,
    only: Annotated[
        bool,
        typer.Option(
            "--only",
            help="Take positions in which a single move wins (attack) or does not lose (defence).",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Make positions whose exact values are known, for evolve evaluate.

    Positions of random games are solved to the end. Those not proven within the limit, and those
    in which all moves are equal, are left out. Options of the game are accepted too, such as
    --size 5.
    """
    from evolve_arena.cli.game_log import read_log
    from evolve_arena.cli.output import print_json
    from evolve_arena.runs.solved_positions import find_positions
    from evolve_arena.runs.store.files import check_free, write_whole

    named = [word for word in words if not word.startswith("-")][:1]
    spec = open_game(named[0] if named else words[0])
    names, options = split_options(words, context)
    if len(names) != 1:
        raise BadValueError(f"name one game: not {quote(' '.join(names))}")
    game, span = spec.make(**options), _read_plies(plies)
    changed = [f"_{name}_{value}" for name, value in options.items()]
    file = out or Path("".join([spec.name.replace("-", "_"), *changed, ".csv"]))
    if not file.parent.is_dir():
        raise BadValueError(f"{file}: there is no folder {file.parent}")
    check_free(file, force=force)
    kept = None if games is None else read_log(games, spec.name)
    with Display(quiet=json) as display:
        found = find_positions(
            game,
            count=None if every else count,
            plies=span,
            distance=distance,
            depth=depth,
            nodes=nodes,
            seed=seed,
            games=kept,
            only=only,
            progress=display.watch,
        )
    content = found.to_dict() | {"file": str(file)}
    undecided = f"all moves are equal{', or several keep the value' * only}"
    if not found.rows:
        raise BadValueError(
            f"no position was found: {found.unproven} were not proven within {nodes:,} nodes, in"
            f" {found.equal} {undecided}"
        )
    write_whole(file, found.to_csv().encode())
    if json:
        print_json(content)
    else:
        _print(content, undecided, wanted=None if every else count)


def _read_plies(text: str | None) -> tuple[int, int | None]:
    """Return the fewest and the most plies that *text* names, such as ``8-20``, ``8-`` or ``8``."""
    if text is None:
        return 0, None
    ends = re.fullmatch(r"(\d{1,5})(?:(-)(\d{0,5}))?", text.strip())
    if not ends or (ends[3] and int(ends[3]) < int(ends[1])):
        raise BadValueError(f"--plies is {quote(text)}: it must look like 8-20")
    first = int(ends[1])
    return first, int(ends[3]) if ends[3] else None if ends[2] else first


def _print(content: JsonObject, undecided: str, *, wanted: int | None) -> None:
    from evolve_arena.cli.output import print_line

    told = content["positions"]
    some = f"{told}" if wanted in (None, told) else f"{told} of {wanted}"
    first, last = content["plies"]
    proof = content["proof"] if content["proof"] == "exact" else f"not exact: {content['proof']}"
    print_line(f"{content['file']}: {some} positions after {first} to {last} plies, {proof}")
    for key, why in (
        ("left_out_not_proven", "not proven within the limit of nodes"),
        ("left_out_all_moves_equal", undecided),
    ):
        if content[key]:
            print_line(f"left out: {content[key]}, {why}")
