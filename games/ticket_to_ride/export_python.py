"""Export of players of Ticket to Ride as one Python file: what the arena runs, as plain Python."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.move_features import INPUTS
from evolve_arena.games.ticket_to_ride.spec import FLAGS, needs
from evolve_arena.games.ticket_to_ride.templates import bot
from evolve_arena.games.ticket_to_ride.workspace import FEATURES, FORBIDS, make_ticket_workspace
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import NOISE
from evolve_arena.runs.export import NetworkSource, assemble, read_template, wrap, write_name
from evolve_arena.runs.export.bundle import bundle
from evolve_arena.runs.export.numbers import describe_numbers
from evolve_arena.runs.export.templates import kernel, numbers_mlp

CHOOSE = "evolve_arena.games.ticket_to_ride.choose"
DRAW = "evolve_arena.games.ticket_to_ride.cards.draw_state"


def export_python(player: BredPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    Raises:
        BadValueError: The player makes random moves now and then.
    """
    record = player.packed.seats[0].copy()
    if record[NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    forbids, record[FORBIDS] = bool(record[FORBIDS]), 1
    scales = np.ones(INPUTS)
    scales[: record[FEATURES]] = FEATURE_SCALES[: record[FEATURES]]
    inside = describe_numbers(player, scales.tolist())
    occurs = needs(player.packed)
    files = (Path(bot.__file__), Path(kernel.__file__), *inside.templates)
    parts = tuple(map(read_template, files))
    network = {"The network": inside.constants, **inside.sections()}
    names = ("weigh_decisions", "begin_weighing", "weigh_move")
    constants, functions = bundle(
        (bot.choose, bot.start, bot.legal, bot.play, bot.result, bot.view, bot.play_on_stdin),
        instead={f"{CHOOSE}.{name}": bot for name in names} | {DRAW: bot},
        given=[numbers_mlp.__name__],
        beside=[inside.constants, *parts[2:]],
        constants={
            **{flag: flag in occurs for flag in FLAGS},
            "RULES": player.game.rules,
            "PLAYER": SimpleNamespace(seats=[record.tolist()]),
            "ROOM": make_ticket_workspace(player.packed),
        },
    )
    main = '\n\nif __name__ == "__main__":\n    play_on_stdin()\n'
    sections = {
        **network,
        "The map, and where things stand": constants,
        "How it plays": functions + main,
    }
    return assemble(_write_docstring(player, inside, forbids), parts, sections)


def _write_docstring(player: BredPlayer, inside: NetworkSource, forbids: bool) -> str:
    decoder: Any = player.decoder
    facts = [
        f"game: {player.game.name}, {player.game.describe()}; it plays at tables of 2 to 5",
        *inside.description,
        f"head: {decoder.head}",
    ]
    promise = (
        "From what its seat may know it chooses the very move that the player chooses inside"
        " Evolve Arena."
    )
    if decoder.head == "decision":
        promise += (
            " Chance decides only which open card is drawn where none is wanted and the deck is"
            " empty; from the same random numbers it is the same one. They start from 0;"
            " choose(view, [N]) takes those that start from N."
        )
    if not forbids:
        promise += (
            " Where the player wants what the rules forbid, and so forfeits, this one does the"
            " next best."
        )
    title = f"The {player.game.name} player {write_name(player.name)}, bred by Evolve Arena"
    return f"""{title}: one file that plays.

How to use it:

- As a player of Evolve Arena: process:"python3 FILE". It reads lines "view JSON" and "go", and
  answers "move MOVE"; "quit" or the end of the input ends it.
- Your own program: import it and call choose(view), which returns a move such as "draw deck" or
  "claim Dallas-Houston red". A view is what that JSON says: a dictionary with

    seat, phase, round    whose decision it is, from 0; "keep first", "turn", "second card" or
                          "keep"; the round, 0 while the first tickets are kept
    last_seat, passes     whose next turn is the last, or None; how many have passed in a row
    seats                 for each seat its trains, points, cards and tickets, all numbers
    claimed               for each route of which a line is claimed, such as "Dallas-Houston",
                          the seats that have its lines, or None
    open, deck            the colours of the open cards; how many cards the deck has
    discarded, hand       how many cards of each colour are discarded, and are in hand
    ticket_deck           how many tickets are left
    tickets, offered      the own tickets, and those offered, such as "Atlanta-Montreal (9)"

- A whole game: start(players) returns a state, a list of numbers with all that is hidden, and
  start(players, seed) always the same one; view(state) what the seat to move may know of it, as
  above; legal(state) the moves, play(state, move) the state after one, and result(state) None while
  the game goes on, else the points of each seat. So a game is played by

    state = start(4)
    while result(state) is None:
        state = play(state, choose(view(state)))

It needs Python 3.8 or later and no other package, and keeps nothing from one move to the next but
the state of its random numbers, and ways on the map that it need not seek again.

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(" ".join([promise, inside.remark]).rstrip())}
"""
