"""Tuple networks as source code: the cells of the tuples, and all numbers, packed."""

from __future__ import annotations

import base64
import textwrap
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.lineup import INPUTS_AT
from evolve_arena.runs.export.inside import Inside

TEMPLATE = Path(__file__).with_name("templates") / "tuples.py"
WIDTH = 96
SPACE = "\xa0"
"""A space at which a line is not to be broken."""


def describe_tuples(player: TuplePlayer) -> Inside:
    """The network of *player* as source code."""
    cells = player.genome.cells[0]
    numbers = _read_numbers(player)
    return Inside(
        templates=(TEMPLATE,),
        constants=_write_network(player, numbers),
        description=(
            f"network: {len(cells)} tuples of {cells.shape[1]} cells, read as they stand and in"
            " the mirror",
            f"numbers: {len(numbers):,}, of which {np.count_nonzero(numbers):,} are not 0",
        ),
    )


def _read_numbers(player: TuplePlayer) -> NDArray[np.int32]:
    """As the arena plays them, rounded and limited: in units of 1/65536."""
    begin = int(player.lineup.seats[0, INPUTS_AT])
    numbers: NDArray[np.int32] = player.lineup.columns[begin:]
    return numbers


def _write_network(player: TuplePlayer, numbers: NDArray[np.int32]) -> str:
    rows = player.design.rows
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
