"""Export as one file of C: the network and all it takes to play it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.export_python import (
    describe_player,
    find_discs,
    first_layer,
    read_numbers,
)
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import NetworkSource, cut, read_template, write_name
from evolve_arena.runs.export.c import (
    LAYERS_C,
    TUPLES_C,
    arrange_c,
    assemble_c,
    describe_nodes_c,
    write_array_c,
    write_layers_c,
    write_sparse_c,
)

TEMPLATES = Path(__file__).with_name("templates")


def export_c(player: BredPlayer) -> str:
    """The source of one file of C99 that plays as *player* does, move for move.

    Raises:
        BadValueError: The player knows STEAL, for which the file has no words.
    """
    decoder = player.decoder
    if decoder.steal:
        raise BadValueError(f"{player.name} plays with STEAL: export it with --to python")
    inside = INSIDES[player.kind](player)
    bot = read_template(TEMPLATES / "bot.c")
    outer = cut(bot)
    board = f"""\
#define COLUMNS {decoder.columns}
#define ROWS {decoder.rows}
#define CONNECT {decoder.connect}
#define TAKES_WINS {int(decoder.head == "value" and getattr(decoder, "take_wins", True))}
"""
    sections = {
        "The board": board,
        **arrange_c(inside),
        "How it plays": outer["How it plays"],
        "How hosts ask": outer["How hosts ask"],
    }
    templates = [bot, *map(read_template, inside.templates)]
    return assemble_c(_write_comment(player, inside), templates, sections)


def _describe_mlp(player: NetworkPlayer) -> NetworkSource:
    decoder = player.decoder
    return NetworkSource(
        templates=(TEMPLATES / "mlp.c", LAYERS_C),
        constants=f"""\
#define SEES_MOVER {int(decoder.viewpoint == "mover")}
#define SCORES_MOVES {int(decoder.head == "action")}
// Biases, then what each kind of disc on each cell adds, then, if moves are scored, what each move
// adds: in units of 1/65536.
{write_array_c("FIRST_LAYER", "int32_t", first_layer(player).ravel().tolist())}\
{write_layers_c(decoder.head, decoder.mlp, decoder.expand(player.genome[None])[0])}""",
        description=(
            f"network: {'-'.join(map(str, decoder.mlp.sizes))} units, {decoder.activation}",
        ),
    )


def _describe_graph(player: GraphPlayer) -> NetworkSource:
    decoder = player.decoder
    inputs, numbers = zip(*find_discs(player), strict=True)
    constants = f"""\
#define IS_POLICY {int(decoder.head == "policy")}
#define SEES_MOVER {int(decoder.viewpoint == "mover")}
// For each kind of disc the input of the first cell, and the number that it gets.
{write_array_c("FIRST_INPUTS", "int", inputs)}{write_array_c("DISC_NUMBERS", "double", numbers)}"""
    return describe_nodes_c(player, TEMPLATES / "graph.c", constants)


def _describe_tuples(player: TuplePlayer) -> NetworkSource:
    cells, numbers = player.genome.cells[0], read_numbers(player)
    rows = "".join(f"    {{{', '.join(map(str, row))}}},\n" for row in cells.tolist())
    return NetworkSource(
        templates=(TEMPLATES / "tuples.c", TUPLES_C),
        constants=f"""\
// The cells of each tuple: column by column, from below.
#define TUPLE_COUNT {len(cells)}
#define TUPLE_LENGTH {cells.shape[1]}
static const int TUPLES[TUPLE_COUNT][TUPLE_LENGTH] = {{
{rows}}};
{write_sparse_c(numbers)}""",
        description=(
            f"network: {len(cells)} tuples of {cells.shape[1]} cells, read as they stand and in"
            " the mirror",
        ),
    )


INSIDES: dict[str, Callable[[Any], NetworkSource]] = {
    NetworkPlayer.kind: _describe_mlp,
    GraphPlayer.kind: _describe_graph,
    TuplePlayer.kind: _describe_tuples,
}
"""What describes the network, by the kind of player."""


def _write_comment(player: BredPlayer, inside: NetworkSource) -> str:
    return f"""The Connect Four player {write_name(player.name)}, bred by Evolve Arena, in C.

Compile it, with any compiler of C99, without -ffast-math:

    gcc -O2 -o bot FILE -lm

The program speaks the text protocols of The AI Games and of Riddles.io: it reads standard input and
writes standard output. In Evolve Arena it is the player process:./bot. In your own program call
choose(board, mark), after unpack_network().

What it is:

{describe_player(player, inside)}

It chooses the very moves that the player chooses inside Evolve Arena. {inside.remark}
"""
