"""The words of a PDN file: headers, moves and results; comments and the like are passed over.

Where something has no end, reading goes on with the next line that looks like a header, so that
one torn game does not swallow those behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

TAG = re.compile(r'\[\s*(\w+)\s*"((?:[^"\\\n]|\\[^\n])*)"\s*\]', re.ASCII)
TAG_LINE = re.compile(r'^[ \t]*\[\s*\w+\s*"', re.ASCII | re.MULTILINE)
NUMBER = re.compile(r"[0-9]+(?:\s*\.+|(?=\s|\Z))", re.ASCII)
RESULT = re.compile(r"(?:1/2-1/2|[0-2]-[0-2]|\*)(?=[\s{};()\[\]]|\Z)", re.ASCII)
MOVE = re.compile(r"([0-9]+(?:\s*[-x:×]\s*[0-9]+)+)[!?]*", re.ASCII | re.IGNORECASE)
STAR = re.compile(r"\*(?=\s+[0-9{;($])", re.ASCII)  # after a move: it is the only good one
PASSED = re.compile(r"\s+|;[^\n]*|\$[0-9]+|\.+|[!?]+", re.ASCII)
NO_END = "a variation begins with ( and has no )"
WORD = re.compile(r"[^\s{};()\[\]]+")


class Token(NamedTuple):
    """A piece of a game."""

    kind: str
    """``tag``, ``bad tag``, ``number``, ``word`` (a move, a result, or neither), or ``fault``."""
    text: str
    """The name of a header, or the word."""
    value: str = ""
    """The text of a header, or what is wrong."""


def read_tokens(text: str) -> Iterator[Token]:
    """The headers, numbers, moves and results of a file, and what is wrong with its brackets."""
    place = 0
    depth = 0  # of variations, in which moves do not count
    text = text.removeprefix("\ufeff")
    while place < len(text):
        character = text[place]
        if character == "%" and text[place - 1 : place] in ("", "\n"):
            place = _end_of_line(text, place)
        elif match := PASSED.match(text, place):
            place = match.end()
        elif character == "{":
            end = _end_of_comment(text, place)
            if end is None:
                yield Token("fault", "{", "a comment begins with { and has no }")
            place = _next_tag_line(text, place) if end is None else end
        elif character == "[":
            if depth:
                yield Token("fault", "(", NO_END)
                depth = 0
            header, place = _read_tag(text, place)
            yield header
        elif character in "()}]":
            depth, fault = _count_bracket(depth, character)
            if fault:
                yield Token("fault", character, fault)
            place += 1
        else:
            word, place = _read_word(text, place)
            if depth == 0:
                yield word
    if depth:
        yield Token("fault", "(", NO_END)


def _read_tag(text: str, place: int) -> tuple[Token, int]:
    match = TAG.match(text, place)
    if match:
        value = re.sub(r"\\(.)", r"\1", match[2])
        return Token("tag", match[1], value), match.end()
    end = _end_of_line(text, place)
    shown = text[place:end].strip()[:40]
    before = text[text.rfind("\n", 0, place) + 1 : place]
    kind = "fault" if before.strip() else "bad tag"
    return Token(kind, "[", f'{shown!r} is no header: [Name "text"] is meant'), end


def _read_word(text: str, place: int) -> tuple[Token, int]:
    """A result, a move, the number of a move, or what else stands there."""
    for pattern in (RESULT, MOVE, NUMBER):
        if match := pattern.match(text, place):
            end = match.end()
            if pattern is NUMBER:
                return Token("number", match[0]), end
            if pattern is RESULT:
                return Token("word", match[0]), end
            star = STAR.match(text, end)
            return Token("word", re.sub(r"\s+", "", match[1])), star.end() if star else end
    match = WORD.match(text, place)
    end = match.end() if match else place + 1
    return Token("word", text[place:end]), end


def _count_bracket(depth: int, character: str) -> tuple[int, str]:
    """The depth after a bracket, and what is wrong with it."""
    if character == "(":
        return depth + 1, ""
    if character == ")" and depth:
        return depth - 1, ""
    kind = {
        ")": "a variation ends with )",
        "}": "a comment ends with }",
        "]": "a header ends with ]",
    }
    return depth, f"{kind[character]} that nothing began"


def _end_of_comment(text: str, place: int) -> int | None:
    """The place behind a comment, or None if it has no end before the next game's headers."""
    end = text.find("}", place)
    return None if end < 0 or TAG_LINE.search(text, place + 1, end) else end + 1


def _next_tag_line(text: str, place: int) -> int:
    match = TAG_LINE.search(text, place + 1)
    return match.start() if match else len(text)


def _end_of_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end
