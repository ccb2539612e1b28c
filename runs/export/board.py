"""Export of any compiled board game's players as one Python file: its rules, and the network."""

from __future__ import annotations

import ast
import base64
import textwrap
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.networks import find_symmetries
from evolve_arena.players.bred import BredPlayer, NeatPlayer, VectorPlayer
from evolve_arena.players.packed import INPUTS_AT, NOISE
from evolve_arena.players.tuples import TuplePlayer
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

TEMPLATES = Path(__file__).with_name("templates")


def export_python(player: BredPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later and nothing else.

    Raises:
        BadValueError: The player makes random moves now and then.
    """
    if player.packed.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    if isinstance(player, TuplePlayer):
        inside = _describe_tuples(player)
    elif isinstance(player, NeatPlayer):
        inside = _describe_graph(player)
    else:
        assert isinstance(player, VectorPlayer)
        inside = _describe_mlp(player)
    game: Any = player.game
    files = (TEMPLATES / "board.py", *inside.templates)
    parts = tuple(map(read_template, files))
    outer = cut(parts[0])
    takes_wins = getattr(player.decoder, "take_wins", True) and player.decoder.head == "value"
    head = f'HEAD = "{player.decoder.head}"\nTAKES_WINS = {takes_wins}\nCELLS = {game.code.CELLS}\n'
    sections = {
        "Whole numbers": outer["Whole numbers"],
        "The game": _write_rules(game),
        "The network": head + inside.constants.replace(f'HEAD = "{player.decoder.head}"\n', ""),
        "How it plays": outer["How it plays"],
        **inside.sections(),
        "How hosts ask": outer["How hosts ask"],
    }
    return assemble(_write_docstring(player, inside), parts, sections)


def _write_rules(game: BoardGame) -> str:
    """The rules as they are compiled for these options, without what compiles them."""
    source = Path(str(game.code.__file__)).read_text("utf-8")
    lines = source.splitlines(keepends=True)
    for place, node in enumerate(ast.parse(source).body):
        dropped = range(0)
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_frame(node, place):
            dropped = range(node.lineno, (node.end_lineno or 0) + 1)
        elif isinstance(node, ast.FunctionDef):
            dropped = range(node.lineno - len(node.decorator_list), node.lineno)
        for number in dropped:
            lines[number - 1] = ""
    return "".join(lines).lstrip("\n").rstrip("\n") + "\n\n\n"


def _is_frame(node: ast.stmt, place: int) -> bool:
    """Whether a statement is the module's docstring or ``__all__``."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"
    return place == 0 and isinstance(node, ast.Expr)


def _describe_mlp(player: VectorPlayer) -> NetworkSource:
    decoder: Any = player.decoder
    code, units = decoder.game.code, decoder.mlp.sizes[1]
    packed = player.packed.columns.reshape(1 + decoder.board.features, -1)[:, :units]
    bits = [64 * plane + cell for plane in range(code.PLANES) for cell in range(code.CELLS)]
    rows = packed[[0, *(1 + bit for bit in bits)]]
    genome = np.asarray(player.genome, dtype=np.float32)
    return NetworkSource(
        templates=(TEMPLATES / "board_mlp.py", LAYERS),
        constants=f'''\
# Biases, then what each bit that is seen adds: base64 of int32, in units of 1/65536.
FIRST_LAYER = """
{write_base64(rows.astype("<i4").tobytes())}"""
{write_layers(decoder.head, decoder.mlp, genome)}''',
        description=(
            f"network: {'-'.join(map(str, decoder.mlp.sizes))} units, {decoder.activation}",
        ),
    )


def _describe_graph(player: NeatPlayer) -> NetworkSource:
    decoder: Any = player.decoder
    code, board = decoder.game.code, decoder.board
    bits = [
        [(int(board.index[64 * plane + cell]), float(board.factor[64 * plane + cell]))
         for cell in range(code.CELLS)]
        for plane in range(code.PLANES)
    ]  # fmt: skip
    constants = (
        "# For each bit of each word that is seen an input, and what it adds to it.\n"
        f"BITS = {textwrap.fill(repr(bits), 96, subsequent_indent='    ')}\n"
    )
    return describe_nodes(player, TEMPLATES / "board_graph.py", constants)


def _describe_tuples(player: TuplePlayer) -> NetworkSource:
    game = player.decoder.game
    views = find_symmetries(game.code.CELLS, game.code.WIDTH, game.symmetry).tolist()
    cells = player.genome.cells[0].tolist()
    numbers = player.packed.columns[int(player.packed.seats[0, INPUTS_AT]) :]
    packed = base64.b85encode(zlib.compress(numbers.astype("<i4").tobytes(), 9)).decode("ascii")
    return NetworkSource(
        templates=(TEMPLATES / "board_tuples.py",),
        constants=f'''\
# Where each cell lies in each view of the board.
VIEWS = {textwrap.fill(repr(views), 96, subsequent_indent="    ")}
TUPLES = {textwrap.fill(repr(cells), 96, subsequent_indent="    ")}
# What each entry of each tuple is worth, in units of 1/65536: base85, of zlib, of int32.
NUMBERS = """
{textwrap.fill(packed, 96)}
"""
''',
        description=(
            f"network: {len(cells)} tuples of {len(cells[0])} cells, in {len(views)} views",
            f"numbers: {len(numbers):,}, of which {np.count_nonzero(numbers):,} are not 0",
        ),
    )


def _write_docstring(player: BredPlayer, inside: NetworkSource) -> str:
    facts = [
        f"game: {player.game.name}, {player.game.describe()}",
        *inside.description,
        f"head: {player.decoder.head}",
    ]
    promise = (
        "In every position it chooses the very move that the player chooses inside Evolve Arena."
        f" {inside.remark}"
    )
    title = f"The {player.game.name} player {write_name(player.name)}, bred by Evolve Arena"
    return f"""{title}: one file that plays.

How to use it:

- Your own program: import it and call choose(state), which returns the number of a move. The
  section "The game" says what a state is, and how moves are numbered.
- As a player of Evolve Arena: process:"python3 FILE". It reads lines "state NUMBERS" and "go",
  and answers "move NUMBER".

It needs Python 3.8 or later and no other package, and keeps nothing from one move to the next.

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(promise.rstrip())}
"""
