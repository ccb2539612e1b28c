"""A referee for Connect 4 as CodinGame has published it; it shares no code with the game."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WIDTH, HEIGHT, STEAL = 9, 7, -2


class Bot:
    """A file that is run as a program and plays one seat, 0 or 1."""

    def __init__(self, file: Path, seat: int) -> None:
        self.seat = seat
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.tell(f"{seat} {1 - seat}")

    def tell(self, *lines: object) -> None:
        """Writes lines to it."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def ask(self, turn: int, rows: list[str], legal: list[int], last: int) -> int:
        """Its answer, which must be one of the legal ones."""
        assert self.process.stdout is not None
        self.tell(turn, *rows, len(legal), *legal, last)
        word = self.process.stdout.readline().split(maxsplit=1)[0]
        move = STEAL if word == "STEAL" else int(word)
        assert move in legal, f"{word} is none of {legal}"
        return move

    def close(self) -> None:
        """Ends its input; it has to end by itself then."""
        self.process.communicate(timeout=30)
        assert self.process.returncode == 0


def play(bots: tuple[Bot | list[int], Bot | list[int]]) -> tuple[list[int], int | None]:
    """A game of two bots, or of one and moves that are given: the moves, and who won.

    Given moves that are not legal are replaced by the first legal one.
    """
    columns: list[list[int]] = [[] for _ in range(WIDTH)]
    moves: list[int] = []
    while True:
        seat = len(moves) % 2
        legal = [column for column in range(WIDTH) if len(columns[column]) < HEIGHT]
        if not legal:
            return moves, None
        if len(moves) == 1:
            legal.append(STEAL)
        rows = [
            "".join(str(c[row]) if row < len(c) else "." for c in columns)
            for row in reversed(range(HEIGHT))
        ]
        player = bots[seat]
        if isinstance(player, Bot):
            assert player.seat == seat
            move = player.ask(len(moves), rows, legal, moves[-1] if moves else -1)
        else:
            wanted = player.pop(0) if player else legal[0]
            move = wanted if wanted in legal else legal[0]
        if move == STEAL:
            columns[moves[0]] = [1]
        else:
            columns[move].append(seat)
        moves.append(move)
        if move != STEAL and wins(columns, move):
            return moves, seat


def wins(columns: list[list[int]], column: int) -> bool:
    """Whether the highest disc of a column is in a line of four."""
    row = len(columns[column]) - 1
    owner = columns[column][row]

    def owned(x: int, y: int) -> bool:
        return 0 <= x < WIDTH and 0 <= y < len(columns[x]) and columns[x][y] == owner

    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for start in range(-3, 1):
            places = range(start, start + 4)
            if all(owned(column + k * right, row + k * up) for k in places):
                return True
    return False
