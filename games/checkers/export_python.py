"""Export of checkers players as one Python file: rules, search and evaluation in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.checkers.export_values import TEMPLATES, describe_linear, describe_network
from evolve_arena.games.checkers.linear import LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.lineup import NOISE
from evolve_arena.runs.export.assembly import assemble, cut, read_template, wrap, write_name
from evolve_arena.runs.export.inside import Inside

INSIDES: dict[str, Callable[[Any], Inside]] = {
    LinearPlayer.kind: describe_linear,
    CheckersNetworkPlayer.kind: describe_network,
}
"""What describes how it values positions, by the kind of player."""


def export_checkers(player: BredPlayer) -> str:
    """The source of one Python file that plays checkers as *player* does.

    Raises:
        BadValueError: The player makes random moves now and then, which the file would not; or
            there is no way to write players of its kind.
    """
    if player.kind not in INSIDES:
        raise BadValueError(
            f"{player.name} is a NEAT graph for checkers, which can't be exported yet"
        )
    if player.lineup.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    inside = INSIDES[player.kind](player)
    files = (TEMPLATES / "bot.py", TEMPLATES / "rules.py", *inside.templates)
    parts = tuple(map(read_template, files))
    outer = cut(parts[0])
    sections = {
        "The player": _write_settings(player) + inside.constants,
        **cut(parts[1]),
        **inside.sections(),
        "How it chooses": outer["How it chooses"],
        "How hosts ask": outer["How hosts ask"],
    }
    return assemble(_write_docstring(player, inside), parts, sections)


def _write_settings(player: BredPlayer) -> str:
    design = player.design
    return f"""\
# How many plies it looks ahead if it is not told, whether it follows captures farther until none
# is left, and whether light moves first.
DEPTH, QUIET, TURNED = {design.depth}, {design.quiet}, {bool(design.turned)}
"""


def _write_docstring(player: BredPlayer, inside: Inside) -> str:
    design = player.design
    name = write_name(player.name)
    quiet = ", and follows captures farther until none is left" if design.quiet else ""
    facts = [
        "game: English checkers" + (", light moves first" if design.turned else ""),
        *inside.description,
        f"search: alpha-beta, {design.depth} plies{quiet}",
    ]
    terms = (
        "It needs Python 3.8 or later and no other package, reads no other file, and keeps"
        " nothing from one move to the next but the state of its random numbers."
    )
    promise = (
        f"At {design.depth} plies the moves that it finds best are those that the player finds"
        " best inside Evolve Arena, and from the same seed it chooses the same one among them."
        " It values a first move after which the game is drawn as 0: by the third repetition, or"
        " by 40 moves of each side without a capture or a man's move."
    )
    return f"""The checkers player {name}, bred by Evolve Arena: one file that plays.

How to use it:

- Any host that speaks its text protocol: let the host run "python3" with this file. It reads
  lines from standard input and answers those that begin with "go":

    position W:W21,22,K30:B1,2,9      the board, as in PDN files, light to move; or "start"
    position start moves 11-15 23-19  and what was played since, so that it sees repetitions
    go movetime 500                   answers "move 15x24" within so many milliseconds
    go depth 6                        answers after looking so many plies ahead
    go                                answers after looking as far as it was bred to
    seed 1                            what its random numbers start from; else the clock
    quit                              ends; so does the end of the input

  What it cannot read it names on standard error.
- Kaggle's open_spiel_checkers: submit this file as it is. Its last function, agent(), is the
  agent; it looks as far as it was bred to, within half the time that there is for a move.
- Your own program: import it and call choose(read_position("W:W21,22,K30:B1,2,9")).

{wrap(terms)}

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(promise)}
"""
