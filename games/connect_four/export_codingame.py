"""Export as one Python file for Connect 4 on CodinGame, whose size is limited in characters.

The network is compressed and written as characters of the Basic Multilingual Plane, which count as
one each and none of which is changed by normalisation: 15 bits a character.
"""

from __future__ import annotations

import lzma
from dataclasses import replace
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.export_python import (
    INSIDES,
    TEMPLATE,
    TEMPLATES,
    read_numbers,
    write_board,
    write_cells,
    write_decision,
    write_planes,
)
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import (
    NetworkSource,
    NotedText,
    assemble,
    cut,
    read_template,
    wrap,
    write_name,
)

GAME = ConnectFour(columns=9, rows=7, connect=4, steal=1)
MOST_CHARACTERS = 100_000
RECIPE = "connect-four-codingame"
COARSEST = 13
"""Numbers are rounded to multiples of 2**13 / 65536 at most, an eighth."""
RANGES = ((0x4E00, 20_992), (0xAC00, 11_172), (0x3400, 604))
"""Ideographs, Hangul syllables, more ideographs: where characters begin, and how many are taken."""
ALPHABET = np.concatenate([np.arange(start, start + count) for start, count in RANGES])
FILTER = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}


def export_codingame(player: BredPlayer) -> NotedText:
    """The source of one Python file that plays as *player* does, by CodinGame's protocol.

    If the weights do not fit, they are rounded as coarsely as it takes; moves may then differ.

    Raises:
        BadValueError: The player is for another board, or far too large.
    """
    if player.game.rules != GAME.rules:
        raise BadValueError(
            f"{player.name} plays on {player.game.describe()}, but CodinGame's Connect 4 has"
            f" {GAME.describe()}: breed a player for it with the recipe {RECIPE}"
        )
    for coarseness in range(COARSEST + 1):
        code, packed = _write(player, coarseness)
        if len(code) + len(packed) <= MOST_CHARACTERS:
            break
    else:
        raise BadValueError(
            f"{player.name} takes {len(code) + len(packed):,} characters even with rounded"
            f" weights, and CodinGame allows {MOST_CHARACTERS:,}: breed a smaller network"
        )
    text = NotedText(code.replace('PACKED = ""', f'PACKED = "{packed}"'))
    room = MOST_CHARACTERS - len(code)
    text.notes = [f"weights {len(packed):,} of {room:,} characters; {_promise(coarseness)}"]
    return text


def _promise(coarseness: int) -> str:
    if not coarseness:
        return "the moves are those of the arena"
    return f"rounded to multiples of 1/{65536 >> coarseness}: moves may differ from the arena's"


def _write(player: BredPlayer, coarseness: int) -> tuple[str, str]:
    """The file without its packed network, and that."""
    inside, numbers = _describe(player, coarseness)
    data = lzma.compress(
        inside.constants.encode() + b"\0" + numbers, lzma.FORMAT_RAW, filters=[FILTER]
    )
    host = TEMPLATES / "codingame.py"
    asks = cut(read_template(host))
    decision = write_decision(player, inside)
    if numbers:
        old = 'decompress(b85decode("".join(NUMBERS.split())))'
        title = next(title for title, text in decision.items() if old in text)
        decision[title] = decision[title].replace(old, "NUMBERS")
    sections = {
        "The network": f'{write_board(player)}PACKED = ""\nSIZE = {len(data)}\n',
        "How it is packed": asks["How it is packed"],
        **decision,
        "How CodinGame asks": asks["How CodinGame asks"],
    }
    templates = tuple(map(read_template, (TEMPLATE, host, *inside.templates)))
    facts = "".join(f"- {wrap(fact, '  ')}\n" for fact in inside.description)
    docstring = (
        f"The Connect Four player {write_name(player.name)}, bred by Evolve Arena, for CodinGame's"
        f" Connect 4.\n\n{facts}- weights: {_promise(coarseness)}\n"
    )
    return assemble(docstring, templates, sections), write_characters(data)


def _describe(player: BredPlayer, coarseness: int) -> tuple[NetworkSource, bytes]:
    """The network of *player* with rounded weights, and the numbers that follow the constants."""
    if isinstance(player, TuplePlayer):
        # They are only compared: without their last bits all values are smaller alike.
        numbers = (read_numbers(player) + (1 << coarseness >> 1)) >> coarseness
        constants = f"TAKES_WINS = True\n{write_cells(player)}"
        source = replace(INSIDES[player.kind](player), constants=constants)
        return source, write_planes(numbers)
    if isinstance(player, NetworkPlayer) and coarseness:
        unit = np.float32(2.0**coarseness / 65536)
        player = player.decoder.player(np.rint(player.genome / unit) * unit, player.name)
    return INSIDES[player.kind](player), b""


def write_characters(data: bytes) -> str:
    """The *data* as characters of 15 bits each, filled up with zeros to whole groups of eight."""
    filled = data + bytes(-len(data) % 15)
    bits = np.unpackbits(np.frombuffer(filled, dtype=np.uint8)).reshape(-1, 15)
    numbers: Any = bits @ (1 << np.arange(14, -1, -1))
    return "".join(map(chr, ALPHABET[numbers].tolist()))
