"""Export as one Python file: the network and all it takes to play it, in plain Python."""

from __future__ import annotations

import base64
import re
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import INPUTS_AT
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
TUPLES_TEMPLATE = TEMPLATES / "tuples.py"
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
    return f'''\
TAKES_WINS = True
# The cells of each tuple: column, and row from below.
{write_cells(player)}\
# What each entry of each tuple is worth to the player who began, after a move of that player and
# then once more after one of the other: base85, of zlib, of the bytes of whole numbers.
NUMBERS = """
{_pack(numbers)}"""
'''


def write_cells(player: TuplePlayer) -> str:
    """The cells of all tuples of *player*, as lines that define them."""
    rows = player.decoder.rows
    tuples = ""
    for cells in player.genome.cells[0].tolist():
        places = ", ".join(f"({cell // rows},{SPACE}{cell % rows})" for cell in cells)
        line = textwrap.fill(f"[{places}],", WIDTH - 4, break_on_hyphens=False)
        tuples += textwrap.indent(line, " " * 4).replace(SPACE, " ") + "\n"
    return f"TUPLES = [\n{tuples}]\n"


def _pack(numbers: NDArray[np.int32]) -> str:
    text = base64.b85encode(zlib.compress(write_planes(numbers), 9)).decode("ascii")
    lines = (text[at : at + WIDTH] for at in range(0, len(text), WIDTH))
    return "".join(f"{line}\n" for line in lines)


def write_planes(numbers: NDArray[np.int32]) -> bytes:
    """The lowest bytes of all numbers, then the next ones, which are nearly all 0.

    Small numbers of either sign become small ones without: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4.
    """
    folded = (numbers << 1) ^ (numbers >> 31)
    return np.ascontiguousarray(folded.astype("<i4").view(np.uint8).reshape(-1, 4).T).tobytes()


MLP_TEMPLATE = TEMPLATES / "mlp.py"


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
    height = decoder.game.rules.height
    places = [0]
    for kind in range(2):
        for row in reversed(range(decoder.rows)):
            for column in range(decoder.columns):
                places.append(1 + (kind * decoder.columns + column) * height + row)
    if decoder.head == "action":
        places += range(1 + 2 * decoder.columns * height, len(packed))
    return packed[places]


GRAPH_TEMPLATE = TEMPLATES / "graph.py"


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


TEMPLATE, STEAL_TEMPLATE = TEMPLATES / "bot.py", TEMPLATES / "steal.py"
INSIDES: dict[str, Callable[[Any], NetworkSource]] = {
    NetworkPlayer.kind: describe_mlp,
    GraphPlayer.kind: describe_graph,
    TuplePlayer.kind: describe_tuples,
}
"""What describes the network, by the kind of player."""
THOUGHTS = {
    NetworkPlayer.kind: "page_mlp.py",
    GraphPlayer.kind: "page_graph.py",
    TuplePlayer.kind: "page_tuples.py",
}
"""What tells what a network thinks of each move, by the kind of player."""


def export_python(player: BredPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later and nothing else. It can be imported, run as a bot on
    standard input and output, or handed to Kaggle; its docstring tells how.

    Raises:
        BadValueError: The player makes random moves now and then.
    """
    inside = INSIDES[player.kind](player)
    templates = (TEMPLATE, *inside.templates)
    outer = cut(read_template(TEMPLATE))
    sections = {
        "The network": write_board(player) + inside.constants,
        **write_decision(player, inside),
        GAME: _write_game(player, outer[GAME]),
        "How hosts ask": outer["How hosts ask"],
    }
    docstring = _write_docstring(player, inside)
    return assemble(docstring, tuple(map(read_template, templates)), sections)


def write_board(player: BredPlayer) -> str:
    """The lines that define the board, and what they say of STEAL."""
    decoder = player.decoder
    board = f"COLUMNS, ROWS, CONNECT = {decoder.columns}, {decoder.rows}, {decoder.connect}\n"
    if decoder.steal:
        board += f"VALUES_POSITIONS = {decoder.head == 'value'}\n"
    return board


def write_decision(player: BredPlayer, inside: NetworkSource) -> dict[str, str]:
    """All between the network and its host, as sections by title: how a move is chosen."""
    plays = cut(read_template(TEMPLATE))["How it plays"]
    sections = {"How it plays": plays, **inside.sections()}
    if player.decoder.steal:
        sections["How it plays"] = plays.replace("def choose(", "def choose_column(")
        for template in (TEMPLATES / THOUGHTS[player.kind], STEAL_TEMPLATE):
            sections |= cut(read_template(template))
        del sections[GAME]
    return sections


def _write_game(player: BredPlayer, functions: str) -> str:
    """The *functions* with which a program can play, and those with STEAL if that is played."""
    if not player.decoder.steal:
        return functions
    for name in ("legal", "play"):
        functions = re.sub(rf"\b{name}\(", f"{name}_columns(", functions)
    functions = functions.replace("play_columns(", "play_column(")
    return functions + cut(read_template(STEAL_TEMPLATE))[GAME]


def write_host(player: BredPlayer, target: str) -> HostSource:
    """The bot, and what reads the moves or the planes of a host for it."""
    columns, rows, connect, steals = player.game.rules
    if steals:
        raise BadValueError(f"{player.name} plays with STEAL, which {target} does not know")
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

{_PROGRAM if player.decoder.steal else _HOSTS}
- Your own program: import it, and play a game with it alone; choose(board, mark) is its move.

    from FILE import choose, legal, play, result, start

    state = start()
    while result(state) is None:
        assert choose(*state) in legal(state)
        state = play(state, choose(*state))
    print(result(state))

  A state is a pair. The board is a list of its cells, row by row, the top row first: 0 is empty, 1
  a disc of the player who began, 2 one of the other. The mark, 1 or 2, says whose turn it is. A
  move is the number of a column, from 0.

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
        f"board: {decoder.columns} columns, {decoder.rows} rows, {decoder.connect} in a row win"
        + (f"; STEAL is the move {decoder.columns}" if decoder.steal else ""),
        *inside.description,
        f"head: {head}",
    ]
    if not isinstance(player, TuplePlayer):
        facts.append(f"inputs: encoding {decoder.encoding}, viewpoint {decoder.viewpoint}")
    return "\n".join(wrap(f"- {fact}", "  ") for fact in facts)


_HOSTS = """\
- Kaggle's connectx or open_spiel_connect_four: submit this file as it is. Its last function,
  agent(), is the agent.
- The AI Games or Riddles.io, or any host that speaks their text protocols: let the host run
  "python3" with this file. It reads standard input and writes standard output."""
_PROGRAM = """\
- Evolve Arena: name it process:"python3 FILE" wherever a player is asked for."""
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
