"""The talk with a person at the table: asks for a move, and does what else is wanted."""

from __future__ import annotations

from collections.abc import Callable

from evolve_arena.core.errors import ArenaError, BadValueError, IllegalMoveError, one_line
from evolve_arena.core.game import AnyGame
from evolve_arena.players.forfeit import ForfeitError
from evolve_arena.players.player import Player
from evolve_arena.runs.play.entries import COMMANDS, Command, read_entry
from evolve_arena.runs.play.phrasebook import phrasebook_of
from evolve_arena.runs.play.screen import Screen
from evolve_arena.runs.play.seat import Seat
from evolve_arena.runs.play.table import Party, Table

__all__ = ["Conversation", "LeaveError", "NextGameError"]


class NextGameError(Exception):
    """The person wants another game."""


class LeaveError(Exception):
    """The person has had enough."""


class Conversation:
    """What is said at a table besides the moves.

    Args:
        game: The rules.
        party: Who plays.
        screen: Where it is said.
        make_advisor: Makes who is asked for hints; None if nobody is.
    """

    def __init__(
        self,
        game: AnyGame,
        party: Party,
        screen: Screen,
        make_advisor: Callable[[], Player] | None,
    ) -> None:
        self.game = game
        self._phrases = phrasebook_of(game)
        self._party = party
        self._screen = screen
        self._make_advisor = make_advisor
        self._advisor: Seat | None = None

    def ask_move(self, table: Table) -> None:
        """Takes one entry of the person who is to move.

        Raises:
            InputEndedError: There is none.
            LeaveError: He wants to leave.
            NextGameError: He wants another game.
        """
        position = table.record.position
        who = "Your move" if self._party.people == 1 else f"Move of {table.mover}"
        text = self._screen.ask(f"{who} ({table.mark}), {self._phrases.ask(position)}, or help:")
        if not text:
            return
        try:
            entry = read_entry(self.game, text, position)
            if isinstance(entry, Command):
                self._obey(table, entry)
            else:
                table.record.play(entry)
        except ArenaError as error:
            self._screen.say(f"Not possible: {error}.")
            if isinstance(error, IllegalMoveError) and (
                advice := self._phrases.speech.advise(error, position)
            ):
                self._screen.say(advice)

    def ask_what_next(self, table: Table) -> None:
        """After a game: returns once moves of it are taken back.

        Raises:
            InputEndedError: Nobody says anything.
            LeaveError: The person wants to leave.
            NextGameError: The person wants another game.
        """
        while table.result is not None:
            text = self._screen.ask("Enter for another game, or undo, or quit:")
            try:
                entry = Command("new")
                if text:
                    entry = read_entry(self.game, text, table.record.position)
                if not isinstance(entry, Command):
                    raise BadValueError("this game is over")
                self._obey(table, entry)
            except ArenaError as error:
                self._screen.say(f"Not possible: {error}.")

    def draw(self, table: Table) -> None:
        """Shows the board."""
        self._screen.show(self.game, table.record.position, table.record.last)

    def tell_values(self, table: Table) -> bool:
        """What a program thinks of each move; whether there is one that can tell.

        It is that of the program to move; for a person the advisor's, or else his opponent's.
        """
        asked = [table.seat]
        if table.seat is None:
            asked = [self._find_advisor(), *self._party.seats]
        players = [seat.player for seat in asked if seat is not None]
        thinkers = [player for player in players if self._phrases.has_opinions(player)]
        for thinker in thinkers[:1]:
            record = table.record
            earlier = record.earlier(record.side)
            self._screen.say(self._phrases.describe_opinions(thinker, record.position, earlier))
        return bool(thinkers)

    def forget(self) -> None:
        """The game is over, for the advisor as well."""
        if self._advisor is not None:
            self._advisor.leave()

    def close(self) -> None:
        """Lets the advisor go."""
        if self._advisor is not None:
            self._advisor.leave()
            self._advisor.player.close()
            self._advisor = None

    def _obey(self, table: Table, command: Command) -> None:
        """Does what a person wants other than a move.

        Raises:
            ArenaError: It is not possible.
        """
        name = command.name
        if name == "quit":
            raise LeaveError
        if name == "new":
            raise NextGameError
        if name == "undo":
            self._take_back(table, command.times)
        elif name == "help":
            self._help()
        elif name == "moves":
            if table.result is None and (legal := self._phrases.list_moves(table.record.position)):
                self._screen.say(legal)
            self._screen.say(f"Moves: {table.record}")
        elif name == "board":
            self.draw(table)
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
                raise BadValueError("two people change sides by changing chairs")
            table.swap()
            self._screen.say(f"Now {table.describe_sides()}.")
        elif name == "values" and not self.tell_values(table):
            raise BadValueError(
                f"there is no {self._phrases.thinker} here to ask: begin with --hint PLAYER"
            )

    def _take_back(self, table: Table, times: int) -> None:
        if not table.take_back(times):
            raise BadValueError("there is no move of yours to take back")
        self._screen.say("Taken back.")

    def _help(self) -> None:
        self._screen.say(f"{self._phrases.greeting} Or say, whole or in part:")
        for name, meaning in {**COMMANDS, **self._phrases.meanings}.items():
            self._screen.say(f"  {name:8}{meaning}")

    def _give_hint(self, table: Table) -> None:
        advisor = self._find_advisor()
        if advisor is None:
            raise BadValueError("there is nobody to ask: begin with --hint PLAYER")
        name = one_line(advisor.player.name)
        try:
            move = advisor.choose(table.record, table.record.stream.copy())
        except ForfeitError as error:
            self._screen.say(f"No hint: {error}")
        else:
            said = self._phrases.speech.name(move, table.record.position)
            self._screen.say(f"{name} would play {said}.")

    def _find_advisor(self) -> Seat | None:
        if self._advisor is None and self._make_advisor is not None:
            self._advisor = Seat(self._make_advisor())
        return self._advisor
