"""Players that are programs, which a host addresses in one of the dialects of :mod:`.dialects`.

The host writes lines to the bot's standard input; the bot answers each line that asks for a move
with a line. One process plays one game. Any fault of the bot costs it that game and nothing else.
"""

from __future__ import annotations

import os
import shlex
import shutil
import time
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError, IllegalMoveError, quote
from evolve_arena.core.game import AnyGame
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.core.types import Position
from evolve_arena.players.child import Child, quoted
from evolve_arena.players.dialects import Limits, find_dialect
from evolve_arena.players.player import Forfeit, ForfeitError, Player

PASSES = (b"no_moves", b"pass")
FAREWELL = 0.5
"""Seconds that a bot has to end by itself, and as many after SIGTERM."""
BEFORE = 100
"""Characters of standard error, before its last line, shown in a message."""
AFTERMATH = 0.25
"""Seconds to read on after an invalid answer, to find out if it begins a flood of output."""


class ProcessPlayer(Player):
    """A program as a player. Each line that it writes is an answer, except blank ones.

    Contest sites asked again after a time-out or (in 2016) an illegal move; here the first one ends
    the game. The clock is as on these sites: the time of a move is subtracted from the time bank,
    then ``per_move`` is added, up to ``time_bank``.

    Args:
        game: Game to play.
        command: Program and arguments, quoted as in a shell.
        dialect: Name of one of the game's dialects; by default the first.
        name: Name in tables; by default the file that the command names.
        limits: Resources of the bot; by default those of the dialect's site.

    Raises:
        UnknownNameError: The game has no such dialect.
        BadValueError: The command cannot be parsed, or names no program.

    >>> from evolve_arena.core.registry import default_game, make_game
    >>> ProcessPlayer(make_game(default_game()), "python3 bot.py", dialect="plan")
    Traceback (most recent call last):
    evolve_arena.core.errors.UnknownNameError: unknown dialect 'plan': did you mean 'plain'? \
(known: ai-games, plain)
    """

    def __init__(
        self,
        game: AnyGame,
        command: str,
        *,
        dialect: str | None = None,
        name: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.dialect = find_dialect(game, dialect)
        self.game = game
        self.words = _split(command)
        self.name = name or _name_of(self.words)
        self.limits = limits or self.dialect.limits
        self._child: Child | None = None
        self._bank = 0

    def check_ready(self) -> None:
        """Start the process and ask for a first move, any answer to which will do.

        Raises:
            BadValueError: It cannot be started, or ends instead of answering.
        """
        self._start(0)
        try:
            self.choose(self.game.initial(), new_stream(0))
        except ForfeitError as error:
            if error.kind is Forfeit.CRASH:
                raise BadValueError(_describe_failure(self.words, error)) from None
        finally:
            self.close()

    def begin(self, side: int) -> None:
        """Start the process and send it the settings.

        Raises:
            BadValueError: The operating system refuses to start it.
        """
        self._start(side)

    def choose(self, position: Position, rng: Stream) -> Any:
        """Return the bot's answer.

        Raises:
            ForfeitError: The answer is late, malformed, illegal or too long, or the bot has ended.
                Its process is stopped then.
        """
        child = self._child or self._start(self.game.to_move(position))
        try:
            return self._ask(child, position)
        except ForfeitError as error:
            self._child, error.errors = None, child.last_errors
            child.stop(patience=0)
            raise

    def end(self) -> None:
        """Stop the process as contest sites do: by end of input, then SIGTERM, then SIGKILL."""
        child, self._child = self._child, None
        if child is not None:
            child.send(self.dialect.farewell)
            child.stop(patience=FAREWELL)

    def close(self) -> None:
        """Stop the process if one still runs."""
        self.end()

    def _start(self, side: int) -> Child:
        self.end()
        child = Child(self.words, self.name, self.limits.output_bytes, self.limits.output_lines)
        self._child, self._bank = child, self.limits.time_bank
        child.send(self.dialect.greet(self.game, side, self.limits))
        return child

    def _ask(self, child: Child, position: Position) -> Any:
        child.send(self.dialect.show(position))
        started = time.monotonic()
        child.send(self.dialect.ask(self._bank, self.limits))
        line = child.answer(self._bank)
        left = self._bank - int(1000 * (time.monotonic() - started))
        self._bank = min(max(left, 0) + self.limits.per_move, self.limits.time_bank)
        move = self._read(child, position, line)
        if echo := self.dialect.echo(self.game, position, move):
            child.send(echo)
        return move

    def _read(self, child: Child, position: Position, line: bytes) -> Any:
        try:
            move = self.dialect.read(self.game, position, line)
        except IllegalMoveError as error:
            sentence = f"{self.name} makes an illegal move: {error}."
            raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence) from None
        if move is not None:
            return move
        if line in PASSES:
            sentence = f"{self.name} passes, which the rules do not allow."
            raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
        child.listen(AFTERMATH)  # may find that this was the first line of a flood
        sentence = f"{self.name} answers {quoted(line)} instead of {self.dialect.answer}."
        raise ForfeitError(Forfeit.GARBAGE, sentence)


def _describe_failure(words: list[str], error: ForfeitError) -> str:
    """Describe in one line how a program failed to start, with the end of its standard error."""
    command = quoted(shlex.join(words).encode())
    lines = " | ".join(error.errors[:-1])  # the last one is in the sentence
    before = f" (before: …{lines[-BEFORE:]})" if lines else ""
    return f"player process:{command} can't play: {error}{before}"


def _split(command: str) -> list[str]:
    if not hasattr(os, "fork"):
        raise BadValueError("players that are programs need Linux or macOS: Windows has no fork")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadValueError(f"the command {quote(command)} cannot be read: {error}") from None
    if not words or "\0" in command:
        raise BadValueError(f"the command {quote(command)} names no program")
    program = words[0]
    if shutil.which(program) is None:
        if os.path.isfile(program):
            raise BadValueError(
                f"{program} is not executable: make it so (chmod +x), or name the program that"
                f" runs it, such as 'python3 {program}'"
            )
        raise BadValueError(f"there is no program {quote(program)} to start")
    return words


def _name_of(words: list[str]) -> str:
    files = [word for word in words[1:] if os.path.isfile(word)]
    return Path(files[-1] if files else words[0]).name
