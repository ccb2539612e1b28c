"""Export as one Python file: the network and all it takes to play it, in plain Python."""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import INPUTS_AT
from evolve_arena.runs.export import (
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

TUPLES_TEMPLATE = Path(__file__).with_name("templates") / "tuples.py"
WIDTH = 96
SPACE = "\xa0"
"""A space at which a line is not to be broken."""


def describe_tuples(player: TuplePlayer) -> NetworkSource:
    """The network of *player* as source code."""
    cells = player.genome.cells[0]
    numbers = read_numbers(player)
    return NetworkSource(
        templates=(TUPLES_TEMPLATE,),
        constants=_write_tuples(player, numbers),
        description=(
            f"network: {len(cells)} tuples of {cells.shape[1]} cells, read as they stand and in"
            " the mirror",
            f"numbers: {len(numbers):,}, of which {np.count_nonzero(numbers):,} are not 0",
        ),
    )


def read_numbers(player: TuplePlayer) -> NDArray[np.int32]:
    """All numbers as the arena plays them, rounded and limited: in units of 1/65536."""
    begin = int(player.packed.seats[0, INPUTS_AT])
    numbers: NDArray[np.int32] = player.packed.columns[begin:]
    return numbers


def _write_tuples(player: TuplePlayer, numbers: NDArray[np.int32]) -> str:
    rows = player.decoder.rows
    tuples = ""
    for cells in player.genome.cells[0].tolist():
        places = ", ".join(f"({cell // rows},{SPACE}{cell % rows})" for cell in cells)
        line = textwrap.fill(f"[{places}],", WIDTH - 4, break_on_hyphens=False)
        tuples += textwrap.indent(line, " " * 4).replace(SPACE, " ") + "\n"
    return f'''\
TAKES_WINS = True
# The cells of each tuple: column, and row from below.
TUPLES = [
{tuples}]
# What each entry of each tuple is worth to the player who began, after a move of that player and
# then once more after one of the other: base85, of zlib, of the bytes of whole numbers.
NUMBERS = """
{_pack(numbers)}"""
'''


def _pack(numbers: NDArray[np.int32]) -> str:
    """The lowest bytes of all numbers, then the next ones, which are nearly all 0.

    Small numbers of either sign become small ones without: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4.
    """
    folded = (numbers << 1) ^ (numbers >> 31)
    planes = np.ascontiguousarray(folded.astype("<i4").view(np.uint8).reshape(-1, 4).T)
    text = base64.b85encode(zlib.compress(planes.tobytes(), 9)).decode("ascii")
    lines = (text[at : at + WIDTH] for at in range(0, len(text), WIDTH))
    return "".join(f"{line}\n" for line in lines)


MLP_TEMPLATE = Path(__file__).with_name("templates") / "mlp.py"


def describe_mlp(player: NetworkPlayer) -> NetworkSource:
    """The network of *player* as source code."""
    decoder = player.decoder
    units = "-".join(str(size) for size in decoder.mlp.sizes)
    return NetworkSource(
        templates=(MLP_TEMPLATE, LAYERS),
        constants=_write_network(player),
        description=(f"network: {units} units, {decoder.activation}",),
    )


def _write_network(player: NetworkPlayer) -> str:
    decoder = player.decoder
    genome = decoder.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    moves = ", then what each move adds" if decoder.head == "action" else ""
    return f'''\
TAKES_WINS = {decoder.head == "value" and decoder.take_wins}
VIEWPOINT = "{decoder.viewpoint}"
CELLS = {decoder.columns * decoder.rows}
# Biases, then what each kind of disc on each cell adds{moves}: base64 of int32, in units
# of 1/65536.
FIRST_LAYER = """
{write_base64(first_layer(player).astype("<i4").tobytes())}"""
{write_layers(decoder.head, decoder.mlp, genome)}'''


def first_layer(player: NetworkPlayer) -> NDArray[np.int32]:
    """Biases, then the weights of every disc, shape ``(1 + 2 * cells, units)``.

    Read from the packed player: as the arena plays it, rounded and limited. Discs stand
    kind by kind, cell by cell, the top row first. With an action head the weights of every
    move follow, ``columns`` more rows.
    """
    decoder = player.decoder
    units = decoder.mlp.sizes[1]
    packed = player.packed.columns.reshape(1 + decoder.board.features, -1)[:, :units]
    height = decoder.rows + 1
    places = [0]
    for kind in range(2):
        for row in reversed(range(decoder.rows)):
            for column in range(decoder.columns):
                places.append(1 + (kind * decoder.columns + column) * height + row)
    if decoder.head == "action":
        places += range(1 + 2 * decoder.columns * height, len(packed))
    return packed[places]


GRAPH_TEMPLATE = Path(__file__).with_name("templates") / "graph.py"


def describe_graph(player: GraphPlayer) -> NetworkSource:
    """The network of *player* as source code."""
    decoder = player.decoder
    constants = f"""\
HEAD = "{decoder.head}"
TAKES_WINS = {decoder.head == "value"}
VIEWPOINT = "{decoder.viewpoint}"
# For each kind of disc the input of the first cell, and the number that it gets.
DISCS = {find_discs(player)!r}
"""
    return describe_nodes(player, GRAPH_TEMPLATE, constants)


def find_discs(player: GraphPlayer) -> list[tuple[int, float]]:
    """For each kind of disc the input of the first cell, and the number that it gets."""
    decoder = player.decoder
    encoding = decoder.board
    second = encoding.features // 2
    return [
        (0, float(encoding.factor[0])),
        (encoding.inputs - decoder.columns * decoder.rows, float(encoding.factor[second])),
    ]


TEMPLATE = Path(__file__).with_name("templates") / "bot.py"
INSIDES: dict[str, Callable[[Any], NetworkSource]] = {
    NetworkPlayer.kind: describe_mlp,
    GraphPlayer.kind: describe_graph,
    TuplePlayer.kind: describe_tuples,
}
"""What describes the network, by the kind of player."""


def export_python(player: BredPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later and nothing else. It can be imported, run as a bot on
    standard input and output, or handed to Kaggle; its docstring tells how.

    Raises:
        BadValueError: The player makes random moves now and then.
    """
    decoder = player.decoder
    inside = INSIDES[player.kind](player)
    bot, networks = read_template(TEMPLATE), tuple(map(read_template, inside.templates))
    board = f"COLUMNS, ROWS, CONNECT = {decoder.columns}, {decoder.rows}, {decoder.connect}\n"
    outer = cut(bot)
    sections = {
        "The network": board + inside.constants,
        "How it plays": outer["How it plays"],
        **inside.sections(),
        "How hosts ask": outer["How hosts ask"],
    }
    return assemble(_write_docstring(player, inside), (bot, *networks), sections)


def write_host(player: BredPlayer, target: str) -> HostSource:
    """The bot, and what reads the moves or the planes of a host for it."""
    columns, rows, connect = player.game.rules
    if target == "openspiel":
        game = f"connect_four(rows={rows},columns={columns},x_in_row={connect})"
    else:
        game = "connect_four_v3" if (columns, rows, connect) == (7, 6, 4) else ""
    sections = cut(read_template(TEMPLATE.with_name("hosts.py")))
    return HostSource(game, export_python(player), sections)


def _write_docstring(player: BredPlayer, inside: NetworkSource) -> str:
    name = write_name(player.name)
    kept = "remembers its own moves of a game" if inside.remembers else "keeps nothing"
    terms = (
        "It needs Python 3.8 or later and no other package, reads no other file, and"
        f" {kept} from one move to the next.{_RECURRENT if inside.remembers else ''}"
    )
    where = "game" if inside.remembers else "position"
    promise = (
        f"In every {where} it chooses the very move that the player chooses inside Evolve Arena."
        f" {inside.remark}"
    )
    return f"""The Connect Four player {name}, bred by Evolve Arena: one file that plays.

How to use it:

- Kaggle's connectx or open_spiel_connect_four: submit this file as it is. Its last function,
  agent(), is the agent.
- The AI Games or Riddles.io, or any host that speaks their text protocols: let the host run
  "python3" with this file. It reads standard input and writes standard output.
- Your own program: import it and call choose(board, mark), which returns a column.

{wrap(terms)}

What it is:

{describe_player(player, inside)}

{wrap(promise.rstrip())}
"""


def describe_player(player: BredPlayer, inside: NetworkSource) -> str:
    """What *player* is, in lines that begin with hyphens."""
    decoder = player.decoder
    head = _HEADS[decoder.head]
    if isinstance(player, NetworkPlayer) and not player.decoder.take_wins:
        head = _GREEDY
    facts = [
        f"board: {decoder.columns} columns, {decoder.rows} rows, {decoder.connect} in a row win",
        *inside.description,
        f"head: {head}",
    ]
    if not isinstance(player, TuplePlayer):
        facts.append(f"inputs: encoding {decoder.encoding}, viewpoint {decoder.viewpoint}")
    return "\n".join(wrap(f"- {fact}", "  ") for fact in facts)


_HEADS = {
    "policy": "policy (one output per column; the strongest open one is played)",
    "value": "value (scores each position that a move can reach; a win at once is taken)",
    "action": "action (scores each move, whose column is the last input)",
}
_GREEDY = "value (scores each position that a move can reach, won ones like all others)"
_RECURRENT = (
    " A game goes on if all discs still lie where they lay when it last chose for the same mark,"
    " and each player has put one more; any other board begins a new game, of which it remembers"
    " nothing."
)
