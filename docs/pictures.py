"""Draw pictures of the documentation: real sessions in a terminal, and a real network.

The script needs pyte, a terminal in memory, besides the requirements of the site (``pip install
pyte``), and writes ``docs/images/terminal-*.svg`` and ``network-position.png``; run it in an empty
folder: ``python .../docs/pictures.py``.
"""

from __future__ import annotations

import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Sequence
from fcntl import ioctl
from pathlib import Path

import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

from evolve_arena.runs.run import Run

IMAGES = Path(__file__).resolve().parent / "images"
COLUMNS, ROWS = 96, 40
POSITION = "3342512"
SCENES: dict[str, tuple[list[str], Sequence[tuple[str, str]], str]] = {
    "start": (
        ["start", "connect-four", "--run", "evolved/first", "--generations", "100"],
        (),
        "80 of 100",
    ),
    "play": (
        ["play", "run:evolved/first", "--seed", "1"],
        (("or help:", "3\n"), ("or help:", "hint\n"), ("or help:", "values\n")),
        "6: ",
    ),
}
"""By name: the words after ``evolve``; pairs of a text to wait for and an answer to type; the text
at which to stop."""


def show(words: Sequence[str], typed: Sequence[tuple[str, str]], until: str) -> list[Text]:
    """Return the screen's lines once it shows *until*, or once the command has ended."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)}
        os.execv(sys.executable, [sys.executable, "-m", "evolve_arena.cli.main", *words])
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = pyte.Screen(COLUMNS, ROWS)
    rng = pyte.ByteStream(screen)
    waiting, fresh = list(typed), ""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.3)[0]:
            try:
                read = os.read(terminal, 65536)
            except OSError:  # it has ended
                break
            rng.feed(read)
            fresh += re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", read).decode(errors="replace")
        elif waiting and waiting[0][0] in fresh:
            os.write(terminal, waiting.pop(0)[1].encode())
            fresh = ""
        if not waiting and until in fresh:
            break
    os.close(terminal)
    return [read_line(screen, row) for row in range(ROWS)]


def read_line(screen: pyte.Screen, row: int) -> Text:
    """Return a line of the screen with its colours."""
    line = Text()
    for column in range(screen.columns):
        cell = screen.buffer[row][column]
        colours = [None if name == "default" else name for name in (cell.fg, cell.bg)]
        names = [
            f"#{name}" if name and re.fullmatch("[0-9a-f]{6}", name) else name for name in colours
        ]
        names = [name and name.replace("brown", "yellow") for name in names]
        line.append(cell.data, Style(color=names[0], bgcolor=names[1], bold=cell.bold))
    line.rstrip()
    return line


def main() -> None:
    """Draw all pictures."""
    for name, (words, typed, until) in SCENES.items():
        lines = show(words, typed, until)
        while lines and not lines[-1].plain:
            lines.pop()
        console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115
        console.print(Text("$ evolve " + " ".join(words), style="bold"))
        for line in [*lines, Text()]:
            console.print(line)
        drawn = console.export_svg(title=f"evolve {words[0]}", unique_id=f"terminal-{name}")
        drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.S)  # fonts of another host
        (IMAGES / f"terminal-{name}.svg").write_text(drawn, encoding="utf-8")
    picture = Run.open("evolved/first").plot("network", position=POSITION)
    picture.savefig(IMAGES / "network-position.png", dpi=75, metadata={"Software": None})


if __name__ == "__main__":
    main()
