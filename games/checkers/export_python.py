"""Export of checkers players as one Python file: rules, search and evaluation in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.linear import LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.values import INPUT_SCALE, PLANE, TABLE_SIZE
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import NOISE
from evolve_arena.runs.export import (
    GAME,
    LAYERS,
    NetworkSource,
    assemble,
    cut,
    read_template,
    wrap,
    write_base64,
    write_layers,
    write_name,
)
from evolve_arena.runs.export.graphs import describe_nodes
from evolve_arena.runs.export.hosts import HostSource

TEMPLATES = Path(__file__).with_name("templates")
FEATURES = TEMPLATES / "features.py"
PLANES = 4


def describe_linear(player: LinearPlayer) -> NetworkSource:
    """The weights of *player* as source code."""
    decoder = player.decoder
    table = write_base64(player.packed.columns.astype("<i4").tobytes())
    return NetworkSource(
        templates=(FEATURES, TEMPLATES / "linear.py"),
        constants=f'''\
# How many features it counts.
FEATURES = {decoder.features}
# For each of them what its values from 0 to {TABLE_SIZE - 1} add: base64 of int32, in units of
# 2**-20. Larger ones count as {TABLE_SIZE - 1}.
WORTH = """
{table}"""
''',
        description=(f"value: a weighted sum of {decoder.features} features, {decoder.encoding}",),
    )


def describe_network(player: CheckersNetworkPlayer) -> NetworkSource:
    """The network of *player* as source code."""
    decoder = player.decoder
    sizes = decoder.mlp.sizes
    genome = decoder.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    relay = ", of each hidden layer one for the sum of the inputs"
    units = "-".join(str(size) for size in sizes)
    return NetworkSource(
        templates=(TEMPLATES / "network.py", LAYERS),
        constants=f'''\
# Biases, then what a piece on each square, 1 to 32, adds: own men, own kings, the other's men,
# the other's kings; base64 of int32, in units of 1/65536.
FIRST_LAYER = """
{write_base64(first_layer(player).astype("<i4").tobytes())}"""
{write_layers(decoder.head, decoder.mlp, genome)}''',
        description=(
            f"value: a network of {units} units{relay if decoder.piece_difference else ''},"
            f" {decoder.activation}",
        ),
    )


def describe_graph(player: CheckersGraphPlayer) -> NetworkSource:
    """The graph of *player* as source code."""
    constants = f"""\
# How many features it counts, and what the graph's inputs are of their numbers.
FEATURES = {player.decoder.inputs}
INPUT_SCALE = {INPUT_SCALE!r}
"""
    inside = describe_nodes(player, TEMPLATES / "graph.py", constants)
    return replace(inside, templates=(FEATURES, *inside.templates))


def first_layer(player: CheckersNetworkPlayer) -> NDArray[np.int32]:
    """Biases, then the weights of each kind of piece on each square: ``(129, units)``.

    Read from the packed player: as the arena plays it, rounded and limited.
    """
    units = player.decoder.mlp.sizes[1]
    packed = player.packed.columns.reshape(1 + PLANES * PLANE, -1)[:, :units]
    squares = np.arange(32)
    bits = squares + squares // 8
    places = [0, *(1 + PLANE * plane + bit for plane in range(PLANES) for bit in bits)]
    return packed[places]


INSIDES: dict[str, Callable[[Any], NetworkSource]] = {
    LinearPlayer.kind: describe_linear,
    CheckersNetworkPlayer.kind: describe_network,
    CheckersGraphPlayer.kind: describe_graph,
}
"""What describes how it values positions, by the kind of player."""


def check_player(player: BredPlayer) -> None:
    """Raises a BadValueError if the *player* makes random moves now and then."""
    if player.packed.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")


def export_checkers(player: BredPlayer) -> str:
    """The source of one Python file that plays checkers as *player* does.

    Raises:
        BadValueError: The player makes random moves now and then, which the file would not.
    """
    check_player(player)
    inside = INSIDES[player.kind](player)
    files = (TEMPLATES / "bot.py", TEMPLATES / "rules.py", *inside.templates)
    parts = tuple(map(read_template, files))
    outer = cut(parts[0])
    sections = {
        "The player": _write_settings(player) + inside.constants,
        **cut(parts[1]),
        **inside.sections(),
        "How it chooses": outer["How it chooses"],
        GAME: outer[GAME],
        "Actions of OpenSpiel": outer["Actions of OpenSpiel"],
        "How hosts ask": outer["How hosts ask"],
    }
    return assemble(_write_docstring(player, inside), parts, sections)


def write_host(player: BredPlayer, target: str) -> HostSource:
    """The bot, and what reads OpenSpiel's actions for it."""
    game = "" if player.decoder.turned else "checkers"
    sections = cut(read_template(TEMPLATES / "hosts.py"))
    return HostSource(game, export_checkers(player), sections)


def _write_settings(player: BredPlayer) -> str:
    decoder = player.decoder
    return f"""\
# How many plies it looks ahead if it is not told, whether it follows captures farther until none
# is left, and whether light moves first.
DEPTH, QUIET, TURNED = {decoder.depth}, {decoder.quiet}, {bool(decoder.turned)}
"""


def list_facts(player: BredPlayer, inside: NetworkSource) -> list[str]:
    """What the *player* is."""
    decoder = player.decoder
    quiet = ", and follows captures farther until none is left" if decoder.quiet else ""
    return [
        "game: English checkers" + (", light moves first" if decoder.turned else ""),
        *inside.description,
        f"search: alpha-beta, {decoder.depth} plies{quiet}",
    ]


def write_promise(player: BredPlayer, inside: NetworkSource) -> str:
    """Which moves a bot chooses that plays as *player* does."""
    return (
        f"At {player.decoder.depth} plies the moves that it finds best are those that the player"
        " finds best inside Evolve Arena, and from the same seed it chooses the same one among"
        " them. It values a first move after which the game is drawn as 0: by the third"
        " repetition, or by 40 moves of each side without a capture or a man's move."
        f" {inside.remark}"
    )


PROTOCOL = """\
    position W:W21,22,K30:B1,2,9      the board, as in PDN files, light to move; or "start"
    position start moves 11-15 23-19  and what was played since, so that it sees repetitions
    go movetime 500                   answers "move 15x24" within so many milliseconds
    go depth 6                        answers after looking so many plies ahead
    go                                answers after looking as far as it was bred to
    seed 1                            what its random numbers start from; else the clock
    quit                              ends; so does the end of the input"""
"""What bots read."""


def _write_docstring(player: BredPlayer, inside: NetworkSource) -> str:
    name = write_name(player.name)
    terms = (
        "It needs Python 3.8 or later and no other package, reads no other file, and keeps"
        " nothing from one move to the next but the state of its random numbers."
    )
    return f"""The checkers player {name}, bred by Evolve Arena: one file that plays.

How to use it:

- Any host that speaks its text protocol: let the host run "python3" with this file. It reads
  lines from standard input and answers those that begin with "go":

{PROTOCOL}

  What it cannot read it names on standard error.
- Kaggle's open_spiel_checkers: submit this file as it is. Its last function, agent(), is the
  agent; it looks as far as it was bred to, within half the time that there is for a move.
- Your own program: import it, and play a game with it alone; choose(position) is its move.

    from FILE import choose, legal, play, result, start, write_move

    position = start()
    while result(position) is None:
        moves, move = legal(position), choose(position)
        print(write_move(move, moves))
        position = play(position, move)
    print(result(position))

  A position has the pieces of the player to move, those of the other, which of both are kings, each
  as a number with a bit for each square, and who is to move; then those before it. A move is the
  captured pieces, then the squares on which the piece stands in turn. read_position and read_move
  make them of texts such as "W:W21,22,K30:B1,2,9" and "11-15".

{wrap(terms)}

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in list_facts(player, inside))}

{wrap(write_promise(player, inside))}
"""
