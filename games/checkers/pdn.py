"""Portable Draughts Notation: files of checkers games, read with all their faults, and written.

A file is any number of games, each with headers (``[Event "..."]``), moves and a result. The
grammar is that of PDN 3.0 and of the older files that differ from it; comments, annotations and
variations are passed over.

The words of a PDN file: headers, moves and results; comments and the like are passed over.

Where something has no end, reading goes on with the next line that looks like a header, so that
one torn game does not swallow those behind it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from evolve_arena.core.errors import ArenaError, BadValueError, IllegalMoveError, PositionError
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.position import Move, Position, parse_fen

GAME_TYPE = "21,B,8,8,N1,0"
"""English checkers: dark moves first, 8 by 8 squares, numbered."""
RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "*": "*"}
RESULTS |= {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2"}  # in points, as some files have them
VARIANTS = {
    "20": "international draughts",
    "22": "Italian draughts",
    "23": "American pool checkers",
    "24": "Spanish draughts",
    "25": "Russian draughts",
    "26": "Brazilian draughts",
    "27": "Canadian draughts",
    "28": "Portuguese draughts",
    "29": "Czech draughts",
    "30": "Turkish draughts",
    "31": "Thai draughts",
    "40": "Frisian draughts",
}
MOST_PLIES = 10_000
"""A longer game is an error: those that people played have a few hundred."""
WIDTH = 79
BOARDS = (Checkers(), Checkers(turned=1))


@dataclass(frozen=True)
class PdnGame:
    """A game of a file: every move is legal."""

    moves: tuple[Move, ...]
    """With their whole paths."""
    result: str = "*"
    """``1-0`` (the player who begins a whole game has won), ``0-1``, ``1/2-1/2``, or ``*``."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The headers, in their order."""
    start: Position = field(default_factory=BOARDS[0].initial)
    """Where the game began."""

    def positions(self) -> Iterator[Position]:
        """The start, and the position after each move."""
        game = BOARDS[self.start.turned]
        position = self.start
        yield position
        for move in self.moves:
            position = game.play_on(position, move)
            yield position


class PdnError(ArenaError):
    """What is wrong with a game of a file."""

    def __init__(self, game: int, move: int | None, reason: str) -> None:
        place = f"game {game}" if move is None else f"game {game}, move {move}"
        super().__init__(f"{place}: {reason}")
        self.game = game
        """Its number in the file, from 1."""
        self.move = move
        """The number of the move, as in 12. 11-15 22-18; None for a fault in the headers."""
        self.reason = reason
        """What is wrong, in a sentence."""


def read_pdn(text: str) -> list[PdnGame | PdnError]:
    """The games of a file in their order, or what is wrong with them.

    Each game has one entry. It is an error if the game has an illegal move, a header that can't
    be read, a position that can't be, a comment or variation without its end, another variant's
    GameType, over :data:`MOST_PLIES` plies, or anything else that does not belong there; the games
    after it are read all the same. Headers, results and move numbers may be missing. Draws by
    repetition do not end a game.

    >>> (game,) = read_pdn('[Event "A friendly game"] 1. 11-15 23-19 2. 8-11 *')
    >>> [str(move) for move in game.moves]
    ['11-15', '23-19', '8-11']
    >>> print(read_pdn("1. 11-16 22-18 2. 17-21 *")[0])
    game 1, move 2: 17-21: no piece of dark stands on 17
    """
    entries: list[PdnGame | PdnError] = []
    reader = _Reader(1)
    for token in read_tokens(text):
        if reader.is_finished_by(token):
            entries.append(reader.finish())
            reader = _Reader(len(entries) + 1)
        reader.take(token)
    if reader.begun:
        entries.append(reader.finish())
    return entries


def write_pdn(games: Iterable[PdnGame]) -> str:
    """The text of a file with *games*, which :func:`read_pdn` and other programs read.

    GameType, Result and, for games that begin elsewhere, SetUp and FEN are added to the headers.

    Raises:
        BadValueError: A header's name or text can't be written, or there is no such result.
        IllegalMoveError: A move is illegal.
    """
    return "\n".join(_write_game(game) for game in games)


class _Reader:
    """Takes the tokens of one game."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.begun = False
        self.tags: dict[str, str] = {}
        self.result: str | None = None
        self.error: PdnError | None = None
        self.position: Position | None = None  # set by the first token that is no header
        self.start = BOARDS[0].initial()
        self.moves: list[Move] = []
        self.second = 0  # 1 if the first move is numbered as the second of its pair

    def is_finished_by(self, token: Token) -> bool:
        """Whether *token* belongs to the next game already."""
        if token.kind in ("tag", "bad tag"):
            return self.position is not None or token.text in self.tags
        repeated = RESULTS.get(token.text) in ("*", self.result)
        return self.result is not None and token.kind == "word" and not repeated

    def take(self, token: Token) -> None:
        if token.kind == "number":
            if not self.moves:
                self.second = int("..." in token.text)
            return
        self.begun = True
        if token.kind == "tag":
            self.tags[token.text] = token.value
            return
        if token.kind == "bad tag":
            self._fail(token.value, in_headers=True)
            return
        if self.position is None:
            self.position = self._set_up()
        if token.kind == "fault":
            self._fail(token.value)
        elif token.text in RESULTS:
            self.result = self.result or RESULTS[token.text]
        else:
            self._play(token.text)

    def finish(self) -> PdnGame | PdnError:
        if self.position is None:
            self.position = self._set_up()
        result = self._settle_result()
        return self.error or PdnGame(tuple(self.moves), result, self.tags, self.start)

    def _settle_result(self) -> str:
        """The result by the headers and the end of the moves, which must not differ."""
        header = self.tags.get("Result", "*").strip() or "*"
        promised = RESULTS.get(header, "*")
        result = self.result or "*"
        if header not in RESULTS and header != "?":
            self._fail(
                f"the header Result is {header[:20]!r}: 1-0, 0-1, 1/2-1/2 or * is meant",
                in_headers=True,
            )
        if result == "*":  # many files end all moves so
            return promised
        if promised not in ("*", result):
            self._fail(f"the moves end with {result}, but the header Result is {header}")
        return result

    def _set_up(self) -> Position:
        """The position in which the game begins, by its headers."""
        try:
            self.start = _read_start(self.tags)
        except PositionError as error:
            self._fail(str(error), in_headers=True)
        return self.start

    def _play(self, text: str) -> None:
        if self.error is not None or self.position is None:
            return
        if len(self.moves) == MOST_PLIES:
            self._fail(f"the game has more than {MOST_PLIES:,} plies")
            return
        game = BOARDS[self.start.turned]
        try:
            move = game.resolve(self.position, Move.parse(text))
            self.position = game.play_on(self.position, move)
        except IllegalMoveError as error:
            self._fail(str(error))
        else:
            self.moves.append(move)

    def _fail(self, reason: str, *, in_headers: bool = False) -> None:
        """Notes the first thing that is wrong."""
        if self.error is None:
            move = None if in_headers else 1 + (len(self.moves) + self.second) // 2
            self.error = PdnError(self.number, move, reason)


def _read_start(tags: Mapping[str, str]) -> Position:
    """The position in which a game with these headers begins.

    Raises:
        PositionError: It is another game, or there is no such position.
    """
    kind, *details = [part.strip() for part in tags.get("GameType", "21").split(",")]
    if kind in VARIANTS:
        raise PositionError(f"GameType {kind} is {VARIANTS[kind]}: only 21, English, is read")
    if kind != "21":
        raise PositionError(f"GameType {kind[:20]!r} is unknown: only 21, English, is read")
    if details[3:4] and not details[3].startswith("N"):
        raise PositionError(f"GameType writes squares as {details[3][:20]!r}: only N1 is read")
    turned = details[:1] == ["W"]
    if "FEN" in tags:
        return parse_fen(tags["FEN"], turned=turned)
    if tags.get("SetUp", "0").strip() not in ("0", ""):
        raise PositionError("the header SetUp promises a header FEN, which is missing")
    return BOARDS[turned].initial()


def _write_game(game: PdnGame) -> str:
    if game.result not in ("1-0", "0-1", "1/2-1/2", "*"):
        raise BadValueError(
            f"the result of a game is {game.result!r}: 1-0, 0-1, 1/2-1/2 or * is meant"
        )
    tags = {**game.tags, "Result": game.result, "GameType": GAME_TYPE}
    if game.start.turned:
        tags["GameType"] = GAME_TYPE.replace("B", "W")
    tags.pop("SetUp", None)
    tags.pop("FEN", None)
    if game.start != BOARDS[0].initial():
        tags |= {"SetUp": "1", "FEN": game.start.fen()}
    lines = [_write_tag(name, value) for name, value in tags.items()]
    words = " ".join([*_write_moves(game), game.result])
    return "\n".join([*lines, "", *textwrap.wrap(words, WIDTH, break_on_hyphens=False), ""])


def _write_tag(name: str, value: str) -> str:
    if not (name.isascii() and name.isidentifier()):
        raise BadValueError(f"a header is called {name[:20]!r}: letters, digits and _ are meant")
    if not value.isprintable():
        raise BadValueError(f"the header {name} is {value[:20]!r}: it must be one line of text")
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{quoted}"]'


def _write_moves(game: PdnGame) -> Iterator[str]:
    """The moves, numbered in pairs from wherever the game begins, as most programs do."""
    checkers = BOARDS[game.start.turned]
    for ply, (move, position) in enumerate(zip(game.moves, game.positions(), strict=False)):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        yield checkers.format_move(move, position)


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
    closing = -1  # the first } from here on; to look for it at each { would take a square of time
    while place < len(text):
        character = text[place]
        if character == "%" and text[place - 1 : place] in ("", "\n"):
            place = _find_or_end(text, "\n", place)
        elif match := PASSED.match(text, place):
            place = match.end()
        elif character == "{":
            closing = closing if closing > place else _find_or_end(text, "}", place)
            place, is_closed = _pass_comment(text, place, closing)
            if not is_closed:
                yield Token("fault", "{", "a comment begins with { and has no }")
        elif character == "[":
            if depth:
                yield Token("fault", "(", NO_END)
                depth = 0
            tag, place = _read_tag(text, place)
            yield tag
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
    end = _find_or_end(text, "\n", place)
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


def _pass_comment(text: str, place: int, closing: int) -> tuple[int, bool]:
    """The place behind a comment, and whether it ends: a header that comes before } does not."""
    header = TAG_LINE.search(text, place + 1, closing)
    if header:
        return header.start(), False
    return min(closing + 1, len(text)), closing < len(text)


def _find_or_end(text: str, character: str, place: int) -> int:
    """The next place of a *character*; the end of *text* if there is none."""
    found = text.find(character, place)
    return len(text) if found < 0 else found
