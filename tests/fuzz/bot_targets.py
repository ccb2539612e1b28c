"""Exported bots, asked by hostile hosts: targets of the fuzzer, in three languages.

A bot in Python runs in the fuzzer's process. Those in C, under sanitizers, and those of pages, in
Node, run in one process for many inputs, which is started anew when it ends.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import CodeType

from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Json
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export import export_player
from evolve_arena.runs.export.page import PAGE, write_bot
from tests.c_bots import Answer, build_sanitized
from tests.evolved import make_evolved, random_positions
from tests.fuzz.bot_lines import botzone_lines, feed_python, four_lines, state_lines
from tests.fuzz.target import Target, change_trees, read

LONGEST_LINE = 400
"""Largest length of a bot's message about its host's nonsense."""


class _Host:
    """A program that is fed inputs one after the other, each behind its length.

    It answers how the input was taken, an exit status, and what was written on standard output and
    on standard error, each behind its length; see `tests.c_bots`.
    """

    def __init__(self, *command: str) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        """The process that started it: one that is forked starts its own."""

    def ask(self, data: bytes) -> Answer:
        """Return the program's answer to an input.

        Raises:
            AssertionError: The program has ended, because of its input.
        """
        try:
            return self._ask(data)
        except BaseException:  # the time is over, say: it may still be at work
            self.end()
            raise

    def end(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, data: bytes) -> Answer:
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=1024"},
                preexec_fn=_free_memory,  # noqa: PLW1509  (nothing else runs in this process)
            )
        assert self._process.stdin is not None
        self._process.stdin.write(struct.pack("=I", len(data)) + data)
        self._process.stdin.flush()
        (status,) = struct.unpack("=i", self._take(4))
        texts = [self._take(struct.unpack("=I", self._take(4))[0]) for _ in range(2)]
        said, errors = (text.decode("utf-8", "replace") for text in texts)
        return Answer(os.waitstatus_to_exitcode(status), said, errors)

    def _take(self, count: int) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        found = self._process.stdout.read(count)
        assert len(found) == count, f"the program ended with {self._process.wait()}"
        return found


def _free_memory() -> None:
    """Lift the limit on memory: sanitizers and Node reserve far more than they use."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _judge_bot(answer: Answer) -> None:
    """Assert that a bot answers, reports each bad input in a line, or ends with one line."""
    lines, end = answer.errors.removesuffix("\n").split("\n"), answer.errors[-2000:]
    assert answer.code in (0, 1), (answer.code, end)
    assert answer.code == 0 or len(lines) == 1, end
    assert "runtime error" not in answer.errors, end
    assert all(len(line) <= LONGEST_LINE for line in lines), end
    if answer.errors:
        raise ArenaError("it says that this is nonsense")


@cache
def _players() -> dict[str, EvolvedPlayer]:
    """Return a bot for each way in which hosts ask."""
    return {
        "othello": make_evolved("othello", "tuples", tuples=20, length=4),
        "tic-tac-toe": make_evolved("tic-tac-toe", "mlp"),
        "pig": make_evolved("pig", "graph", seats=3),
        "connect-four": make_evolved("connect-four", "mlp", columns=5, rows=4),
        "checkers": make_evolved("checkers", "mlp", depth=1),
        "ticket-to-ride": make_evolved("ticket-to-ride", "mlp", head="kinds", encoding="features"),
    }


@cache
def _told(name: str) -> list[str]:
    """Return the hosts' texts for some positions of random games."""
    game = _players()[name].game
    dialects = find_game(name).dialects
    show = dialects["plain"].show
    return [show(position).strip() for position in random_positions(game, 30)]


ONCE = {
    "connect-four": "settings field_columns 5\nsettings your_botid 1\n"
    f"update game field {','.join('0' * 20)}\naction move 100\n",
    "botzone": '{"requests": [{"x": -1, "y": -1}], "responses": []}\n',
}
"""Valid texts of the dialects that do not show a position."""


@cache
def _lines_for(name: str) -> st.SearchStrategy[bytes]:
    if name == "connect-four":
        return four_lines(5, 4)
    if name == "botzone":
        requests = [json.loads(ONCE[name])]
        requests += [
            {"requests": [{"x": 4, "y": 2}, {"x": 5, "y": 4}], "responses": [{"x": 2, "y": 2}]}
        ]
        return botzone_lines(requests)
    words = [told.splitlines()[-1].split(maxsplit=1)[1] for told in _told(name)]
    states = [[int(number) for number in word.split()] for word in words]
    return state_lines(states, past=2 * (name == "checkers"))


def _sample(name: str) -> bytes:
    told = ONCE[name] if name in ONCE else f"{_told(name)[0]}\ngo\n"
    return f"{name}\n{told}".encode()


def _inputs(names: Sequence[str]) -> Callable[[Sequence[bytes]], st.SearchStrategy[bytes]]:
    """Return a maker of strategies: the name of a bot in a line, and its host's text."""

    @st.composite
    def draw_lines(draw: st.DrawFn) -> bytes:
        name = draw(st.sampled_from(names))
        return f"{name}\n".encode() + draw(_lines_for(name))

    return lambda samples: draw_lines()


def _split(data: bytes, known: Sequence[str]) -> tuple[str, bytes]:
    name, _, told = data.partition(b"\n")
    if read(name) not in known:
        raise ArenaError("there is no such bot")
    return read(name), told


# --- Python -------------------------------------------------------------------------------------

IN_PYTHON = (
    *("tic-tac-toe", "othello", "pig", "connect-four", "checkers", "ticket-to-ride", "botzone"),
)


@cache
def _code_of(name: str) -> CodeType:
    """Return the file of a bot, whose search is limited to one move."""
    target = "botzone" if name == "botzone" else "python"
    player = _players()["othello" if name == "botzone" else name]
    source = re.sub(
        r"^(DEEPEST, \w+ =) \d+", r"\1 1", str(export_player(player, target)), flags=re.M
    )
    return compile(source, f"{name}.py", "exec", dont_inherit=True)


def _check_python(data: bytes) -> None:
    """Run a bot's file as a program, with *data* as its input."""
    name, told = _split(data, IN_PYTHON)
    (answer,) = feed_python(_code_of(name), [told])
    _judge_bot(answer)


# --- C ------------------------------------------------------------------------------------------

IN_C = ("othello", "pig", "connect-four", "checkers")


@cache
def _hosts() -> dict[str, _Host]:
    """Return compiled bots in folders of the fuzzer's own; each process starts its own."""
    hosts = {}
    for name in IN_C:
        folder = Path(f"bot-{name}").absolute()
        folder.mkdir()
        source = str(export_player(_players()[name], "c"))
        source = source.replace("#define DEEPEST 60", "#define DEEPEST 1")
        hosts[name] = _Host(str(build_sanitized(source, folder)))
    return hosts


def _c_samples() -> list[bytes]:
    _hosts()
    return [_sample(name) for name in IN_C]


def _check_c(data: bytes) -> None:
    name, told = _split(data, IN_C)
    _judge_bot(_hosts()[name].ask(told))


# --- JavaScript ---------------------------------------------------------------------------------

ON_PAGES = ("othello", "connect-four", "tic-tac-toe")
ASKED = ("ask_seat", "ask_moves", "ask_names", "ask_places", "ask_bot", "ask_values", "ask_pieces")
DRIVER = r"""
const fs = require("fs");
function take(count) {
  const data = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    const read = fs.readSync(0, data, at, count - at, null);
    if (read === 0) process.exit(0);
    at += read;
  }
  return data;
}
const numbers = (key, value) =>
  typeof value === "string" && /^-?[0-9]{1,40}$/.test(value) ? py.builtins.int(value) : value;
const write = (key, value) => (value !== null && typeof value === "object" && "high" in value
  ? String(value) : typeof value === "bigint" ? String(value) : value);
for (;;) {
  const text = take(take(4).readUInt32LE(0)).toString("utf8");
  let said = "", errors = "", code = 0, asked = [];
  try {
    asked = JSON.parse(text, numbers);
  } catch { /* it is no JSON: nobody is asked */ }
  try {
    if (!Array.isArray(asked)) asked = [];
    const [name, question, ...given] = asked;
    if (!Object.hasOwn(bots, name) || !Object.hasOwn(bots[name], question)) throw Error("nobody");
    said = JSON.stringify(bots[name][question](...given), write) ?? "null";
  } catch (error) {
    [code, errors] = [1, `${error instanceof Error ? error.message : "no error"}\n`];
  }
  const parts = [Buffer.from(said), Buffer.from(errors)], head = Buffer.alloc(4);
  head.writeInt32LE(code << 8);
  const lengths = parts.map((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    return length;
  });
  fs.writeSync(1, Buffer.concat([head, lengths[0], parts[0], lengths[1], parts[1]]));
}
"""


@cache
def _node() -> _Host:
    """Return all bots of pages, in one program."""
    file = Path("pages.js").absolute()
    bots = [f"bots[{json.dumps(name)}] = {write_bot(_players()[name])};\n" for name in ON_PAGES]
    runtime = (PAGE / "python.js").read_text(encoding="utf-8")
    file.write_text(f"{runtime}\nconst bots = {{}};\n{''.join(bots)}{DRIVER}", encoding="utf-8")
    return _Host(shutil.which("node") or "node", "--max-old-space-size=512", str(file))


def _page_samples() -> list[bytes]:
    """Return questions about the beginning of a game, and about what follows."""
    found = []

    def ask(*question: object) -> Json:
        found.append(json.dumps(question).encode())
        return json.loads(_node().ask(found[-1]).said)

    for name in ON_PAGES:
        position = ask(name, "begin_page")
        for _ in range(2):
            for question in ASKED:
                ask(name, question, position)
            position = ask(name, "play_on_page", position, ask(name, "ask_bot", position))
    _node().end()
    return found


def _check_page(data: bytes) -> None:
    _judge_bot(_node().ask(data))


BOT_TARGETS = (
    Target(
        "bot-python",
        lambda: [_sample(name) for name in IN_PYTHON],
        _inputs(IN_PYTHON),
        _check_python,
        weight=2,
    ),
    Target("bot-c", _c_samples, _inputs(IN_C), _check_c, weight=5, needs=("gcc",)),
    Target("bot-page", _page_samples, change_trees, _check_page, weight=5, needs=("node",)),
)
