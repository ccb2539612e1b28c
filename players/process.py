"""A bot that is a program, spoken to as the contest sites of 2016 and 2017 did.

The host writes lines to the bot's standard input; the bot answers each ``action move
MILLISECONDS`` with a line ``place_disc COLUMN``. One process plays one game. Whatever it does
wrong costs it that game and nothing else.
"""

from __future__ import annotations

import re
import shlex
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from games.connect_four import ConnectFour, Position
from games.errors import BadValueError, IllegalMoveError, UnknownNameError
from games.stream import Stream
from players.child import Child, quoted
from players.forfeit import Forfeit, ForfeitError
from players.player import Player

__all__ = ["DIALECTS", "Dialect", "Limits", "ProcessPlayer"]

ANSWER = re.compile(rb"place_disc[ \t]+([+-]?[0-9]{1,9})(?:[ \t].*)?")
PASSES = (b"no_moves", b"pass")
FAREWELL = 0.5
"""Seconds that a bot gets to end by itself, and again once it is asked to."""
AFTERMATH = 0.25
"""Seconds, at most, in which a bot that wrote garbage may prove to be flooding."""


@dataclass(frozen=True)
class Limits:
    """What a bot may use: time in milliseconds, output in bytes and lines.

    Raises:
        BadValueError: One of them is not above 0 (``per_move`` may be 0).
    """

    time_bank: int
    """For the first move, and the most that can be saved up."""
    per_move: int
    """What each move adds to the time bank."""
    output_bytes: int = 65_536
    """For one move."""
    output_lines: int = 1_000
    """For one move."""

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            lowest = 0 if key == "per_move" else 1
            if value < lowest:
                raise BadValueError(f"{key} is {value}: it must be {lowest} or more")


@dataclass(frozen=True)
class Dialect:
    """How a site's host says things."""

    limits: Limits
    """What a bot may use there."""
    settings: str
    """The lines before the game, with gaps to fill."""
    cells: str
    """The marks of an empty cell and of the two players; the latter are also their ids."""
    row_end: str
    """What stands between two rows of a field."""
    plies_per_round: int
    echoes: bool
    """Whether a bot is shown the field after its own move."""

    def field(self, position: Position) -> str:
        """The line that shows *position*, top row first."""
        rows = (",".join(self.cells[cell] for cell in row) for row in position.cells())
        return f"update game field {self.row_end.join(rows)}\n"


DIALECTS = {
    "ai-games": Dialect(
        limits=Limits(time_bank=10_000, per_move=500),
        settings=(
            "settings timebank {time_bank}\n"
            "settings time_per_move {per_move}\n"
            "settings player_names player1,player2\n"
            "settings your_bot player{id}\n"
            "settings your_botid {id}\n"
            "settings field_columns {columns}\n"
            "settings field_rows {rows}\n"
        ),
        cells="012",
        row_end=";",
        plies_per_round=1,
        echoes=True,
    ),
    "riddles": Dialect(
        limits=Limits(time_bank=5_000, per_move=200),
        settings=(
            "settings player_names player0,player1\n"
            "settings your_bot player{id}\n"
            "settings timebank {time_bank}\n"
            "settings time_per_move {per_move}\n"
            "settings your_botid {id}\n"
            "settings field_width {columns}\n"
            "settings field_height {rows}\n"
        ),
        cells=".01",
        row_end=",",
        plies_per_round=2,
        echoes=False,
    ),
}
"""The AI Games (2016) and Riddles.io (2017), as recorded from their hosts."""


class ProcessPlayer(Player):
    """A program as a player. Each line that it writes is an answer; blank ones do not count.

    The sites asked again after a time-out or (in 2016) an illegal move; here the first one
    ends the game. The clock is theirs: what a move takes is taken from the time bank, then
    ``per_move`` is added, up to ``time_bank``.

    Args:
        game: What it plays.
        command: How to start it: a program and its arguments, quoted as in a shell.
        dialect: ``ai-games`` or ``riddles``.
        name: How tables call it; by default the file that the command names.
        limits: What it may use; by default what the dialect's site allowed.

    Raises:
        UnknownNameError: There is no such dialect.
        BadValueError: The command cannot be read, or names no program.

    >>> ProcessPlayer(ConnectFour(), "python3 bot.py", dialect="riddle")
    Traceback (most recent call last):
    games.errors.UnknownNameError: unknown dialect 'riddle': did you mean 'riddles'? \
(known: ai-games, riddles)
    """

    def __init__(
        self,
        game: ConnectFour,
        command: str,
        *,
        dialect: str = "ai-games",
        name: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        if dialect not in DIALECTS:
            raise UnknownNameError("dialect", dialect, DIALECTS)
        self.game = game
        self.words = _split(command)
        self.name = name or _name_of(self.words)
        self.dialect = DIALECTS[dialect]
        self.limits = limits or self.dialect.limits
        self._child: Child | None = None
        self._bank = 0

    def begin(self, side: int) -> None:
        """Starts the process and sends it the settings.

        Raises:
            BadValueError: The system refuses to start it.
        """
        self._start(side)

    def choose(self, position: Position, stream: Stream) -> int:
        """The column that the bot answers.

        Raises:
            ForfeitError: It answers nothing in time, or nonsense, or an illegal move, or too
                much, or has ended. It is ended by then.
        """
        child = self._child or self._start(position.ply % 2)
        try:
            return self._ask(child, position)
        except ForfeitError:
            self._child = None
            child.stop(patience=0)
            raise

    def end(self) -> None:
        """Ends the process as the sites do: end of input, then SIGTERM; at last SIGKILL."""
        child, self._child = self._child, None
        if child is not None:
            child.stop(patience=FAREWELL)

    def close(self) -> None:
        """Ends the process, should one still run."""
        self.end()

    def _start(self, side: int) -> Child:
        self.end()
        child = Child(self.words, self.name, self.limits.output_bytes, self.limits.output_lines)
        self._child, self._bank = child, self.limits.time_bank
        columns, rows, _ = self.game.rules
        seat = {"columns": columns, "rows": rows, "id": self.dialect.cells[1 + side]}
        child.send(self.dialect.settings.format(**seat, **vars(self.limits)))
        return child

    def _ask(self, child: Child, position: Position) -> int:
        turn = position.ply // self.dialect.plies_per_round + 1
        child.send(f"update game round {turn}\n{self.dialect.field(position)}")
        started = time.monotonic()
        child.send(f"action move {self._bank}\n")
        line = child.answer(self._bank)
        left = self._bank - int(1000 * (time.monotonic() - started))
        self._bank = min(max(left, 0) + self.limits.per_move, self.limits.time_bank)
        move = self._parse(child, line)
        try:
            after = self.game.play(position, move)
        except IllegalMoveError as error:
            sentence = f"{self.name} makes an illegal move: {error}."
            raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence) from None
        if self.dialect.echoes:
            child.send(self.dialect.field(after))
        return move

    def _parse(self, child: Child, line: bytes) -> int:
        if match := ANSWER.fullmatch(line):
            return int(match[1])
        if line in PASSES:
            sentence = f"{self.name} passes, which the rules do not allow."
            raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
        child.listen(AFTERMATH)  # may find that this was the first line of a flood
        sentence = f"{self.name} answers {quoted(line)} instead of 'place_disc' and a column."
        raise ForfeitError(Forfeit.GARBAGE, sentence)


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadValueError(f"the command {command!r} cannot be read: {error}") from None
    if not words or "\0" in command:
        raise BadValueError(f"the command {command!r} names no program")
    program = words[0]
    if shutil.which(program) is None:
        if Path(program).is_file():
            raise BadValueError(
                f"{program} is not executable: make it so (chmod +x), or name the program that"
                f" runs it, such as 'python3 {program}'"
            )
        raise BadValueError(f"there is no program {program!r} to start")
    return words


def _name_of(words: list[str]) -> str:
    files = [word for word in words[1:] if Path(word).is_file()]
    return Path(files[-1] if files else words[0]).name
