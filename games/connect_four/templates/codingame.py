"""How CodinGame asks an exported Connect Four bot, and how that unpacks its network; see `bot`.

Whatever is here must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import lzma
import sys

from evolve_arena.games.connect_four.templates.bot import COLUMNS, ROWS
from evolve_arena.games.connect_four.templates.bot import choose as choose_column
from evolve_arena.games.connect_four.templates.steal import choose

PACKED = "\u4e00\u5efb\ub7ff\u365a\u5604\u4e00\u4e00\u4e00"
SIZE = 11
# --- How it is packed ---------------------------------------------------------------------


def read_bytes(text: str) -> bytes:
    """The bytes in a text each of whose characters has 15 bits."""
    data = bytearray()
    for at in range(0, len(text), 8):
        bits = 0
        for sign in text[at : at + 8]:
            code = ord(sign)
            if code >= 0xAC00:
                code -= 0xAC00 - 20992
            elif code >= 0x4E00:
                code -= 0x4E00
            else:
                code -= 0x3400 - 32164
            bits = bits << 15 | code
        data += bits.to_bytes(15, "big")
    return bytes(data)


def read_network() -> tuple[bytes, bytes]:
    """The lines that define the network, and the numbers that do not stand in these."""
    plain = {"id": lzma.FILTER_LZMA1, "lc": 0, "lp": 0, "pb": 0}
    data = lzma.decompress(read_bytes(PACKED)[:SIZE], lzma.FORMAT_RAW, filters=[plain])
    lines, _, numbers = data.partition(b"\0")
    return lines, numbers


CONSTANTS, NUMBERS = read_network()
exec(CONSTANTS)

# --- How CodinGame asks -------------------------------------------------------------------


def play_on_stdin() -> None:
    """Plays by CodinGame's protocol until the input ends."""
    mark = 1 + int(sys.stdin.readline().split()[0])
    while sys.stdin.readline():  # the number of the turn
        rows = [sys.stdin.readline().strip() for _ in range(ROWS)]
        board = [".01".index(cell) for row in rows for cell in row]
        actions = [int(sys.stdin.readline()) for _ in range(int(sys.stdin.readline()))]
        sys.stdin.readline()  # the opponent's last action
        move = choose(board, mark) if -2 in actions else choose_column(board, mark)
        print("STEAL" if move == COLUMNS else move, flush=True)


if __name__ == "__main__":
    play_on_stdin()
