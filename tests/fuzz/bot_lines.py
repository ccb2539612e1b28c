"""Lines that a hostile host sends to exported bots, in whatever language they are written.

Each strategy makes the whole input of one process, as bytes: mostly in order, but for a few words.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Sequence
from types import CodeType

from hypothesis import strategies as st

from evolve_arena.core.types import JsonObject
from tests.c_bots import Answer
from tests.fuzz.inputs import change_json, change_text, texts

NASTY = [
    *("-1", "-2", "3", "7", "9", "10", "64", "99", "127", "128", "-128", "-129", "255", "256"),
    *("2147483647", "-2147483648", "4294967296", "9223372036854775807", "-9223372036854775808"),
    *("9223372036854775808", "18446744073709551615", "18446744073709551616", "9" * 30),
    *("+1", "-0", "-", "1.5", "1e3", "0x10", "1_0", "nan", "٣", "\0", "x", ""),
]
"""Words that stand for numbers, and some that don't."""
nasty = st.one_of(st.sampled_from(NASTY), st.integers(-9, 99).map(str), texts)
small = st.one_of(st.integers(-9, 20), st.integers(-128, 127)).map(str)
wide = st.one_of(
    st.integers(0, 2**64 - 1), st.sampled_from([0, 1, -1, 2**31, 2**63 - 1, 2**63, -(2**63)])
).map(str)
pieces = st.one_of(nasty, st.sampled_from([" ", "\n", "\r\n", "go", "go\n", ","]))


def _join(blocks: st.SearchStrategy[str], *, most: int = 3) -> st.SearchStrategy[bytes]:
    """Return up to *most* of the *blocks*, one time in four with other pieces anywhere."""
    whole = st.lists(blocks, min_size=1, max_size=most).map("".join)
    plain = whole.map(lambda text: text.encode("utf-8", "surrogatepass"))
    return st.one_of(plain, plain, plain, change_text(whole, pieces))


@st.composite
def _change_words(draw: st.DrawFn, given: Sequence[str]) -> list[str]:
    """Return the words *given*, some of them changed, one more or one less."""
    words = list(given)
    kind = draw(st.sampled_from([small, small, wide, nasty]))
    for _ in range(draw(st.sampled_from([0, 1, 1, 2, 3, 8]))):
        words[draw(st.integers(0, len(words) - 1))] = draw(kind)
    if kind is nasty and draw(st.booleans()):
        words = [*words, draw(nasty)] if draw(st.booleans()) else words[:-1]
    return words


def state_lines(states: Sequence[Sequence[int]], past: int = 0) -> st.SearchStrategy[bytes]:
    """Return lines for bots of games in one file: ``state NUMBERS`` and ``go``.

    Up to *past* lines ``past NUMBERS`` come before.
    """
    bases = st.sampled_from([[str(number) for number in state] for state in states])
    told = st.lists(bases.flatmap(_change_words).map(" ".join), min_size=1, max_size=1 + past)
    block = told.map(
        lambda told: "".join(f"past {text}\n" for text in told[1:]) + f"state {told[0]}\ngo\n"
    )
    return _join(block)


@st.composite
def _four_block(draw: st.DrawFn, columns: int, rows: int) -> str:
    strays = draw(st.integers(0, 2)) == 0
    heights = draw(st.lists(st.integers(0, rows), min_size=columns, max_size=columns))
    discs = draw(st.lists(st.sampled_from("12"), min_size=columns * rows, max_size=columns * rows))
    field = [
        [
            discs[row * columns + column] if rows - row <= height else "0"
            for column, height in enumerate(heights)
        ]
        for row in range(rows)
    ]
    text = ";".join(",".join(line) for line in field)
    if strays:
        text = ",".join(draw(_change_words(text.replace(";", ",").split(","))))
    bot = draw(st.one_of(st.sampled_from("12"), nasty if strays else st.just("1")))
    lines = [
        f"settings field_columns {draw(st.one_of(st.just(str(columns)), nasty))}",
        f"settings your_botid {bot}",
        f"update game field {text}",
        f"action move {draw(st.one_of(st.just('10000'), nasty))}",
    ]
    if strays and draw(st.booleans()):
        lines.pop(draw(st.integers(0, 2)))
    return "".join(f"{line}\n" for line in lines)


def four_lines(columns: int = 7, rows: int = 6) -> st.SearchStrategy[bytes]:
    """Return lines for Connect Four bots: settings, fields and ``action move``."""
    return _join(_four_block(columns, rows))


def botzone_lines(requests: Sequence[JsonObject]) -> st.SearchStrategy[bytes]:
    """Return lines for Botzone's bots: *requests*, objects of JSON, with other values."""
    changed = change_json(st.sampled_from(list(requests)))
    return _join(changed.map(lambda value: f"{json.dumps(value)}\n"), most=1)


def feed_python(source: str | CodeType, inputs: Sequence[bytes]) -> list[Answer]:
    """Return an exported Python file's answers to each of the *inputs*, as of a new process."""
    program = compile(source, "bot.py", "exec") if isinstance(source, str) else source
    answers, stdin = [], sys.stdin
    for data in inputs:
        said, errors, code = io.StringIO(), io.StringIO(), 0
        sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
                exec(program, {"__name__": "__main__"})
        except SystemExit as end:
            code = 1
            print(end.code, file=errors)
        finally:
            sys.stdin = stdin
        answers.append(Answer(code, said.getvalue(), errors.getvalue()))
    return answers
