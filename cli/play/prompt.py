"""The prompt at the terminal: it reads moves and commands, and carries the commands out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from evolve_arena.arena.table import Party, Program, Table
from evolve_arena.cli.play.screen import Screen
from evolve_arena.core.errors import (
    ArenaError,
    BadValueError,
    IllegalMoveError,
    UnknownNameError,
    one_line,
)
from evolve_arena.core.game import AnyGame
from evolve_arena.core.types import State
from evolve_arena.players.player import ForfeitError, Player
from evolve_arena.players.text_ui import TextUI, find_text_ui

COMMANDS = {
    "undo": "take back your last move (undo 3: the last three)",
    "hint": "show the move of the other player, or of --hint, in this position",
    "values": "show how a program rates each move",
    "swap": "change sides with the other player",
    "board": "draw the board again",
    "moves": "list the legal moves, and the moves so far",
    "new": "start another game; an unfinished one does not count",
    "resign": "lose this game",
    "quit": "leave; so do the end of input (Ctrl-D) and Ctrl-C",
    "help": "show this list",
}
"""Commands, and their descriptions. An unambiguous beginning of a name is enough."""

SYNONYMS = {
    "h": "help",
    "?": "help",
    "q": "quit",
    "back": "undo",
    "takeback": "undo",
    "take back": "undo",
    "value": "values",
    "again": "new",
    "yes": "new",
    "no": "quit",
    "exit": "quit",
    "bye": "quit",
}
COUNTED = re.compile(r"(\D+?)\s*(\d{1,3})")
ONLY_OPEN = {
    "undo": "moves can't be taken back in a game with hidden cards: you know more than before",
    "swap": "seats can't be changed in a game with hidden cards",
    "values": "values are not shown in a game with hidden cards",
}
"""Commands that only games without hidden information have, with the reason for the others."""


class NextGameError(Exception):
    """Raised if a person asks for another game."""


class LeaveError(Exception):
    """Raised if a person asks to leave."""


class Command(NamedTuple):
    """A command, and its number of repetitions."""

    name: str
    times: int = 1


def read_input(ui: TextUI, text: str, position: State) -> Sequence[object] | Command:
    """Parse *text* as a move or a command.

    In games whose moves may be single letters, a single letter is a move if possible; a longer
    beginning of a command, such as ``qu``, never is.

    Args:
        ui: Reads the game's moves.
        text: What was typed.
        position: The position before the move.

    Returns:
        The moves of a turn, mostly one, or a :class:`Command`.

    Raises:
        IllegalMoveError: It looks like a move, and is not legal.
        UnknownNameError: It looks like a command, and is unknown.
        BadValueError: It is a move, and the game is over.
    """
    words = " ".join(text.lower().split()).rstrip(".!")
    try:
        moves: list[object] = ui.read_turn(text, position)
        return moves
    except IllegalMoveError:
        if name := _find_command(words):
            return Command(name)
        if (match := COUNTED.fullmatch(words)) and _find_command(match[1]) == "undo":
            return Command("undo", int(match[2]))
        near = " " not in words and difflib.get_close_matches(words, COMMANDS, n=1, cutoff=0.75)
        if near or (ui.is_open and len(words) > 1 and words.replace(" ", "").isalpha()):
            possible = [name for name in COMMANDS if ui.is_open or name not in ONLY_OPEN]
            raise UnknownNameError("command", words[:20], possible) from None
        raise


class PromptLoop:
    """The prompt for moves and commands.

    Args:
        game: The rules.
        party: The players.
        screen: The terminal.
        make_advisor: Makes the player that gives hints; None if there is none.
    """

    def __init__(
        self,
        game: AnyGame,
        party: Party,
        screen: Screen,
        make_advisor: Callable[[], Player] | None,
    ) -> None:
        self.game = game
        self._ui = find_text_ui(game)
        self._party = party
        self._screen = screen
        self._make_advisor = make_advisor
        self._advisor: Program | None = None

    def ask_move(self, table: Table) -> None:
        """Read and carry out one entry of the person to move.

        Raises:
            InputEndedError: The input has ended.
            LeaveError: The person asks to leave.
            NextGameError: The person asks for another game.
        """
        position = self.game.view(table.position, table.seat)
        who = f"Move of {table.mover}"
        if self._party.people == 1:
            who = f"Your move ({self._ui.sides[table.seat]})" if self._ui.sides else "Your move"
        text = self._screen.ask(f"{who}, {self._ui.question(position)}, or help:")
        if not text:
            return
        try:
            entry = read_input(self._ui, text, position)
            if isinstance(entry, Command):
                self._obey(table, entry)
            else:
                for move in entry:
                    table.play(move)
        except ArenaError as error:
            self._screen.say(f"Not possible: {error}.")
            if isinstance(error, IllegalMoveError) and (advice := self._ui.advise(error, position)):
                self._screen.say(advice)

    def ask_what_next(self, table: Table) -> None:
        """Ask for the next step when a game is over; return once moves are taken back.

        Raises:
            InputEndedError: The input has ended.
            LeaveError: The person asks to leave.
            NextGameError: The person asks for another game.
        """
        choices = "another game, or undo, or quit" if self._ui.is_open else "another game, or quit"
        while table.result is not None:
            text = self._screen.ask(f"Enter for {choices}:")
            try:
                entry = read_input(self._ui, text, table.position) if text else Command("new")
                if not isinstance(entry, Command):
                    raise BadValueError("this game is over")
                self._obey(table, entry)
            except ArenaError as error:
                self._screen.say(f"Not possible: {error}.")

    def draw(self, table: Table) -> None:
        """Draw the board as the player to move sees it, between blank lines."""
        position, colour = table.position, self._screen.colour
        if table.result is None:
            position = self.game.view(position, table.seat)
        drawn = self._ui.draw(position, table.last, colour=colour, names=table.names)
        self._screen.paint(f"\n{drawn}\n")

    def tell_values(self, table: Table) -> bool:
        """Show how a program rates each move; return False if no program can.

        It is the program to move; for a person the advisor, or else the opponent.
        """
        asked = [table.program]
        if table.program is None:
            asked = [self._find_advisor(), *self._party.programs]
        players = [program.player for program in asked if program is not None]
        thinkers = [player for player in players if self._ui.has_values(player)]
        for thinker in thinkers[:1]:
            self._screen.say(self._ui.describe_values(thinker, table.position))
        return bool(thinkers)

    def forget(self) -> None:
        """End the game for the player that gives hints as well."""
        if self._advisor is not None:
            self._advisor.leave()

    def close(self) -> None:
        """Close the player that gives hints."""
        if self._advisor is not None:
            self._advisor.leave()
            self._advisor.player.close()
            self._advisor = None

    def _obey(self, table: Table, command: Command) -> None:
        """Carry out a command of a person.

        Raises:
            ArenaError: It is not possible.
        """
        name = command.name
        if name == "quit":
            raise LeaveError
        if name == "new":
            raise NextGameError
        if name in ONLY_OPEN and not self._ui.is_open:
            raise BadValueError(ONLY_OPEN[name])
        if name == "undo":
            if not table.take_back(command.times):
                raise BadValueError("there is no move of yours to take back")
            self._screen.say("Taken back.")
        elif name == "help":
            self._help()
        elif name == "board":
            self.draw(table)
        elif name == "moves" and (self._ui.is_open or table.result is None):
            if table.result is None:
                self._screen.say(self._ui.list_moves(self.game.view(table.position, table.seat)))
            if self._ui.is_open:
                self._screen.say(f"Moves: {table}")
        elif table.result is not None:
            raise BadValueError("this game is over")
        else:
            self._obey_in_game(table, name)

    def _obey_in_game(self, table: Table, name: str) -> None:
        if name == "hint":
            self._give_hint(table)
        elif name == "resign":
            table.resign()
        elif name == "swap":
            if self._party.people != 1:
                raise BadValueError("swap needs a single person: two people can change chairs")
            table.swap()
            self._screen.say(f"Now {table.describe_seats()}.")
        elif not self.tell_values(table):
            raise BadValueError("no network plays here that could be asked: use --hint PLAYER")

    def _help(self) -> None:
        self._screen.say(f"{self._ui.greeting} Or say, whole or in part:")
        width = max(map(len, COMMANDS)) + 2
        for name, meaning in COMMANDS.items():
            if self._ui.is_open or name not in ONLY_OPEN:
                self._screen.say(f"  {name:{width}}{meaning}")

    def _give_hint(self, table: Table) -> None:
        advisor = self._find_advisor()
        if advisor is None:
            raise BadValueError("no program plays here that could be asked: use --hint PLAYER")
        name = one_line(advisor.player.name)
        try:
            move = advisor.choose(table, table.rng.copy())
        except ForfeitError as error:
            self._screen.say(f"No hint: {error}")
        else:
            self._screen.say(f"{name} would play {self._ui.name(move, table.position)}.")

    def _find_advisor(self) -> Program | None:
        if self._advisor is None and self._make_advisor is not None:
            self._advisor = Program(self._make_advisor())
        return self._advisor


def _find_command(word: str) -> str | None:
    if word in SYNONYMS:
        return SYNONYMS[word]
    near = [name for name in COMMANDS if word and name.startswith(word)]
    return near[0] if len(near) == 1 else None
