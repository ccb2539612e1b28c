"""A person at a table of Ticket to Ride: sees what his seat may see, and types moves."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import ArenaError, BadValueError, IllegalMoveError, one_line
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.ticket_to_ride.drawing import draw_table, list_claimed
from evolve_arena.games.ticket_to_ride.layout import KEEP, PHASE, SECOND_CARD, TO_MOVE
from evolve_arena.games.ticket_to_ride.play_account import Account
from evolve_arena.games.ticket_to_ride.plot_board_game import plot_table
from evolve_arena.games.ticket_to_ride.speech import TicketSpeech
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.player import Player
from evolve_arena.runs.play.conversation import LeaveError, NextGameError
from evolve_arena.runs.play.screen import Screen

__all__ = ["COMMANDS", "TicketPerson"]

COMMANDS = {
    "routes": "the routes that you can claim now, and with which cards",
    "moves": "all moves that you can make now, as they are typed",
    "board": "the table again, and who has claimed what",
    "map": "the map as a picture, written to ticket-to-ride.png",
    "hint": "what the rule player, or that of --hint, would play here",
    "new": "another game; this one does not count",
    "resign": "lose this game",
    "quit": "leave; the end of input (Ctrl-D) and Ctrl-C do too",
    "help": "this list",
}
"""What can be typed beside moves. Beginnings will do as well, of two letters at least."""
SYNONYMS = {"h": "help", "?": "help", "q": "quit", "exit": "quit", "again": "new", "table": "board"}
UNDO = "there is no taking back in a game with hidden cards: you know more than before"
PICTURE = Path("ticket-to-ride.png")

GREETING = """\
Type a move, whole or in part:
  draw deck                a card from the deck; so does deck
  draw red                 an open card; so does red
  tickets                  three more tickets, of which you keep one at least
  claim dallas-houston red a route, paid in red as far as it goes, then with locomotives;
                           the colour may be left out where there is no choice
  keep 1 3                 which of the offered tickets you keep
Or a command, whole or in part:"""


class TicketPerson(Player):
    """Asks a person for every move; commands are obeyed in between.

    Args:
        game: The rules.
        screen: Where the person reads and types.
        account: What happens at the table.
        make_advisor: Makes who is asked for hints.
    """

    name = "you"

    def __init__(
        self, game: Any, screen: Screen, account: Account, make_advisor: Callable[[], Player]
    ) -> None:
        self.game = game
        self._screen = screen
        self._account = account
        self._make_advisor = make_advisor
        self._advisor: Player | None = None
        self._speech = TicketSpeech(game)

    def choose(self, position: Any, stream: Stream) -> int:
        """The move that the person types, a legal one.

        Raises:
            ForfeitError: The person resigns.
            InputEndedError: There is no more input.
            LeaveError: The person wants to leave.
            NextGameError: The person wants another game.
        """
        if position.array[PHASE] != SECOND_CARD:
            self._begin_turn(position)
        while True:
            text = self._screen.ask(self._speech.question(position) + ":")
            if not text:
                continue
            try:
                move = self._read(text, position)
            except ForfeitError:
                raise
            except IllegalMoveError as error:
                self._screen.say(f"Not possible: {error}.")
            except ArenaError as error:
                self._screen.say(f"{str(error)[:1].upper()}{str(error)[1:]}.")
            else:
                if move is not None:
                    return move

    def end(self) -> None:
        """Lets the advisor forget the game."""
        if self._advisor is not None:
            self._advisor.end()

    def close(self) -> None:
        """Lets the advisor go."""
        if self._advisor is not None:
            self._advisor.close()

    def draw(self, position: Any) -> None:
        """Shows the table."""
        seat = int(position.array[TO_MOVE])
        names, colour = self._account.names, self._screen.colour
        table = draw_table(position.rules, position.array, seat, names, colour=colour)
        self._screen.paint(f"\n{table}\n")

    def _begin_turn(self, position: Any) -> None:
        happened = self._account.tell_new(without=int(position.array[TO_MOVE]))
        if happened and position.array[PHASE] != KEEP:
            self._screen.say()
            for line in happened:
                self._screen.say(line)
        self.draw(position)

    def _read(self, text: str, position: Any) -> int | None:
        """The move; None after a command.

        Raises:
            IllegalMoveError: It is neither.
            BadValueError: The command is not possible.
        """
        command = _find_command(text)
        if command is not None:
            self._obey(command, position)
            return None
        try:
            return int(self._speech.read(text, position))
        except IllegalMoveError:
            near = difflib.get_close_matches(text.lower(), COMMANDS, n=1, cutoff=0.75)
            if near:
                raise BadValueError(f"{text!r} is unknown: did you mean {near[0]!r}?") from None
            raise

    def _obey(self, command: str, position: Any) -> None:
        if command == "quit":
            raise LeaveError
        if command == "new":
            raise NextGameError
        if command == "resign":
            raise ForfeitError(Forfeit.RESIGNED, "You resign.")
        if command == "undo":
            raise BadValueError(UNDO)
        if command == "hint":
            self._give_hint(position)
        elif command == "map":
            self._screen.say(f"The map is in {plot_table(position, self._account.names, PICTURE)}.")
        elif command == "help":
            self._screen.say(GREETING)
            for name, meaning in COMMANDS.items():
                self._screen.say(f"  {name:25}{meaning}")
        elif command == "board":
            self.draw(position)
            self._screen.say(list_claimed(position.array, self._account.names))
        elif command == "routes":
            self._screen.paint(self._speech.list_claims(position, colour=self._screen.colour))
        else:
            self._screen.say(self._speech.list_moves(position))

    def _give_hint(self, position: Any) -> None:
        if self._advisor is None:
            self._advisor = self._make_advisor()
        stream = new_stream(0)
        try:
            move = self._advisor.choose(position, stream)
        except ForfeitError as error:
            self._screen.say(f"No hint: {error}")
        else:
            name = one_line(self._advisor.name)
            self._screen.say(f"{name} would play: {self.game.format_move(move)}")


def _find_command(text: str) -> str | None:
    words = " ".join(text.lower().split()).rstrip(".!")
    if words in SYNONYMS:
        return SYNONYMS[words]
    near = [name for name in (*COMMANDS, "undo") if len(words) > 1 and name.startswith(words)]
    return near[0] if len(near) == 1 else None
