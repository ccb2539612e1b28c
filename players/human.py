"""A person at the terminal, who reads the board and types moves."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import Position
from evolve_arena.players.player import Forfeit, ForfeitError, Player
from evolve_arena.players.text_ui import find_text_ui

FAREWELLS = ("q", "quit", "exit", "resign")
MOST = 1000
"""Maximum number of positions to visit when the opponent's moves are inferred."""


class HumanPlayer(Player):
    """A person, asked for every move; illegal entries are explained and asked for again.

    Args:
        game: Game to play.
        name: Name in tables.
        reads: Source of entries; by default standard input.
        writes: Destination of the board; by default standard output. It is coloured on a
            terminal, unless ``NO_COLOR`` is set in the environment.
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        name: str = "human",
        reads: TextIO | None = None,
        writes: TextIO | None = None,
    ) -> None:
        self.game = game
        self.name = name
        self._ui = find_text_ui(game)
        self._reads = reads
        self._writes = writes
        self._seen: Position | None = None
        self._rest: list[Any] = []

    def begin(self, side: int) -> None:
        """Print which pieces are the person's."""
        self._seen, self._rest = None, []
        self._say(self._ui.greet(side))

    def choose(self, position: Position, rng: Stream) -> Any:
        """Return the legal move that the person enters.

        Raises:
            ForfeitError: The person resigns, or the input has ended.
        """
        if self._rest and self._seen == position:
            move = self._rest.pop(0)
            self._seen = self.game.play(position, move)
            return move
        self._show(position)
        while True:
            text = self._read_entry(position)
            try:
                move, *self._rest = self._ui.read_turn(text, position)
                if self._ui.is_open:
                    self._seen = self.game.play(position, move)
            except IllegalMoveError as error:
                if text:
                    advice = self._ui.advise(error, position)
                    self._say(f"Not possible: {error}. {advice}".rstrip())
            else:
                return move

    def _show(self, position: Position) -> None:
        turn = self._find_turn(position)
        last = turn[-1][1] if turn else None
        if turn:
            self._say(f"The opponent {self._ui.tell_turn(turn)}.")
        rng = self._writes or sys.stdout
        colour = rng.isatty() and not os.environ.get("NO_COLOR")
        self._say(f"\n{self._ui.draw(position, last, colour=colour)}")

    def _find_turn(self, position: Position) -> list[tuple[Position, Any]]:
        """Infer the opponent's last turn, for `TextUI.tell_turn`; empty if unknown."""
        waiting: list[tuple[Position, list[tuple[Position, Any]]]] = [(self._seen, [])]
        for before, turn in waiting if self._seen is not None else ():
            for move in self.game.legal_moves(before):
                after, made = self.game.play(before, move), [*turn, (before, move)]
                if after == position:
                    return made
                if self.game.to_move(after) == self.game.to_move(before) and len(waiting) < MOST:
                    waiting.append((after, made))
        return []

    def _read_entry(self, position: Position) -> str:
        """Return the next entry, stripped."""
        self._say(f"Your move, {self._ui.question(position)}, or q to quit: ", end="")
        try:
            line = (self._reads or sys.stdin).readline()
        except UnicodeDecodeError:
            line = "\N{REPLACEMENT CHARACTER}\n"
        if not line:
            self._say("")
            raise ForfeitError(Forfeit.RESIGNED, f"{self.name} resigns: the input has ended.")
        text = line.strip()
        if text.lower() in FAREWELLS:
            raise ForfeitError(Forfeit.RESIGNED, f"{self.name} resigns.")
        return text

    def _say(self, text: str, end: str = "\n") -> None:
        print(text, end=end, file=self._writes or sys.stdout, flush=True)
