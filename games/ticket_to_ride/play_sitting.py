"""Games of Ticket to Ride at a terminal: a person among programs, or programs alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve_arena.arena.match import Match, play_match
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.ticket_to_ride.layout import OVER, PHASE, ROUND, TO_MOVE
from evolve_arena.games.ticket_to_ride.play_account import Account
from evolve_arena.games.ticket_to_ride.play_person import TicketPerson
from evolve_arena.games.ticket_to_ride.play_result import describe_result
from evolve_arena.games.ticket_to_ride.speech import TicketSpeech
from evolve_arena.players.player import Player
from evolve_arena.runs.play.conversation import LeaveError, NextGameError
from evolve_arena.runs.play.screen import InputEndedError, Screen

__all__ = ["TicketPlan", "TicketSitting"]


@dataclass(frozen=True)
class TicketPlan:
    """What is played."""

    seed: int
    """Seeds decks and players."""
    first: int = 0
    """At which seat the first participant sits in the first game; one further in every other."""
    games: int | None = None
    """How many games; if None, a person is asked after each, and programs play one."""
    delay: float = 0.0
    """Seconds between two turns, if no person plays."""


class TicketSitting:
    """Participants at a table.

    Args:
        game: The rules, with as many seats as there are participants.
        players: The participants; None is the person.
        names: What they are called.
        plan: What is played.
        screen: Where it is shown, and where the person types.
        make_advisor: Makes who is asked for hints.
    """

    def __init__(
        self,
        game: Any,
        players: Sequence[Player | None],
        names: Sequence[str],
        plan: TicketPlan,
        screen: Screen,
        make_advisor: Callable[[], Player],
    ) -> None:
        self.game = game
        self.plan = plan
        self.matches: list[Match] = []
        """The finished games, in order."""
        self._players = players
        self._names = names
        self._screen = screen
        self._make_advisor = make_advisor
        self._speech = TicketSpeech(game)
        self._watched = None not in players
        self._round = 0

    def run(self) -> list[Match]:
        """Plays until all games are played, or the person leaves; gives the finished games."""
        try:
            self._play_games()
        except LeaveError:
            self._screen.say("Goodbye.")
        except InputEndedError:
            self._screen.say("The input has ended. Goodbye.")
        except KeyboardInterrupt:
            self._screen.say("\nStopped. Goodbye.")
        return self.matches

    def _play_games(self) -> None:
        games = 1 if self.plan.games is None and self._watched else self.plan.games
        number = 0
        while games is None or number < games:
            try:
                self._play(number)
            except NextGameError:
                pass
            else:
                if games is None:
                    self._ask_what_next()
            number += 1

    def _play(self, number: int) -> None:
        """Game *number*, counted from 0."""
        seats = [
            (seat - self.plan.first - number) % self.game.seats for seat in range(self.game.seats)
        ]
        names = [self._names[who] for who in seats]
        account, self._round = Account(names), 0
        person = TicketPerson(self.game, self._screen, account, self._make_advisor)
        seated = [self._players[who] or person for who in seats]
        self._screen.say(f"Game {number + 1}, in order of moving: {', '.join(names)}.")
        seed = int(derive_seeds(self.plan.seed, 0, "play", number + 1)[-1])
        own = None if self._watched else seated.index(person)
        try:
            match = play_match(
                self.game,
                seated,
                seed=seed,
                watch=lambda position, move: self._show(account, position, move, own),
            )
        finally:
            person.close()
        self.matches.append(match)
        for line in account.tell_new(without=own):
            self._screen.say(line)
        self._screen.say(f"\n{describe_result(account.position, match, names)}")

    def _show(self, account: Account, position: Any, move: int | None, own: int | None) -> None:
        """Follows the game: tells a person what he drew, and an onlooker each turn."""
        before = account.position
        account.note(position, move)
        if before is None:
            return
        mover = int(before.array[TO_MOVE])
        if own is None:
            if before.array[ROUND] > self._round:
                self._round = int(before.array[ROUND])
                self._screen.say(f"Round {self._round}")
            if position.array[TO_MOVE] != mover or position.array[PHASE] == OVER:
                for line in account.tell_new():
                    self._screen.say(line)
                time.sleep(self.plan.delay)
        elif mover == own:
            drawn = account.tell_cards(before, position, own, colour=self._screen.colour)
            if drawn:
                self._screen.paint(f"You have drawn {drawn}.")

    def _ask_what_next(self) -> None:
        """After a game: returns if there is to be another one.

        Raises:
            InputEndedError: Nobody says anything.
            LeaveError: The person wants to leave.
        """
        while True:
            text = self._screen.ask("Enter for another game, or quit:").lower()
            if text in {"", "new", "again", "yes", "y"}:
                return
            if text and ("quit".startswith(text) or text in {"no", "exit", "bye"}):
                raise LeaveError
