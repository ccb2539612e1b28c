"""A sitting: games one after the other, typed by people, played by programs, or both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve_arena.arena.match import Match
from evolve_arena.arena.openings import random_openings
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.human import HumanPlayer
from evolve_arena.players.player import Player
from evolve_arena.players.speech import speech_of
from evolve_arena.runs.play.conversation import Conversation, LeaveError, NextGameError
from evolve_arena.runs.play.record import Record
from evolve_arena.runs.play.screen import InputEndedError, Screen
from evolve_arena.runs.play.table import Party, Table

__all__ = ["Plan", "Sitting"]


@dataclass(frozen=True)
class Plan:
    """What is played."""

    seed: int
    """Seeds openings and players, as in a duel: two programs play the very games of
    :func:`evolve_arena.arena.duel.duel` if the first of them begins the first game."""
    first: int = 0
    """Which of the two begins the first game, 0 or 1; each begins every other game."""
    moves: tuple[Any, ...] = ()
    """The moves that each game begins with."""
    opening_plies: int = 0
    """How many random ones it begins with, in place of *moves*."""
    games: int | None = None
    """How many games; if None, people are asked after each, and programs play one."""
    delay: float = 0.0
    """Seconds between two moves of programs, if no person plays."""
    values: bool = False
    """Whether programs that can tell before each move what they think of each move."""


class Sitting:
    """People and programs at a terminal.

    Args:
        game: The rules.
        players: The two participants; a :class:`HumanPlayer` stands for a person.
        plan: What is played.
        screen: Where it is shown, and where people type.
        make_advisor: Makes who is asked for hints; the other player's twin, say. It is closed
            in the end. None if there are no hints.
    """

    def __init__(
        self,
        game: AnyGame,
        players: Sequence[Player],
        plan: Plan,
        screen: Screen,
        make_advisor: Callable[[], Player] | None = None,
    ) -> None:
        self.game = game
        self.plan = plan
        self.matches: list[Match] = []
        """The finished games, in order."""
        self.wins = [0, 0]
        """How many of them each participant won."""
        self.party = Party([None if isinstance(p, HumanPlayer) else p for p in players])
        self._speech = speech_of(game)
        self._screen = screen
        self._talk = Conversation(game, self.party, screen, make_advisor)

    def run(self) -> list[Match]:
        """Plays until all games are played, or people leave; gives the finished games.

        Raises:
            ArenaError: A player cannot begin at all, or there are no such openings.
        """
        try:
            self._play_games()
        except LeaveError:
            self._screen.say("Goodbye.")
        except InputEndedError:
            self._screen.say("The input has ended. Goodbye.")
        except KeyboardInterrupt:
            self._screen.say("Stopped. Goodbye.")
        finally:
            self._talk.close()
        if len(self.matches) > 1:
            self._tell_score()
        return self.matches

    def _play_games(self) -> None:
        number, games = 0, self.plan.games
        if games is None and not self.party.people:
            games = 1
        while games is None or number < games:
            table = self._lay(number)
            try:
                self._play(table)
            except NextGameError:
                pass
            except KeyboardInterrupt:
                self._screen.say()  # behind the ^C that the terminal shows
                raise
            finally:
                self._clear(table)
            number += 1

    def _lay(self, number: int) -> Table:
        """The table for game *number*, counted from 0."""
        plan = self.plan
        beginning: Sequence[Any] = plan.moves
        if plan.opening_plies:
            pairs = number // 2 + 1
            openings = random_openings(self.game, plan.opening_plies, pairs, plan.seed)
            beginning = [self.game.move_of(n) for n in openings[-1].tolist() if n >= 0]
        seed = int(derive_seeds(plan.seed, 0, "duel", number + 1)[-1])
        table = Table(self.party, Record(self.game, beginning, seed), (plan.first + number) % 2)
        self._screen.say(f"Game {number + 1}: {table.describe_sides()}.")
        if beginning:
            self._screen.say(f"It begins with {table.record}.")
        return table

    def _clear(self, table: Table) -> None:
        """Counts the game, if it is over, and gives its moves."""
        table.leave()
        self._talk.forget()
        if table.result is not None:
            self.matches.append(table.result)
            if table.winner is not None:
                self.wins[table.winner] += 1
        elif table.record.moves:
            self._screen.say(f"Unfinished. Moves: {table.record}")

    def _play(self, table: Table) -> None:
        """From the first decision until the game is over and nobody takes anything back."""
        drawn = None
        while True:
            position = table.record.position
            over = table.result is not None
            looked_at = over or table.seat is None or not self.party.people
            if position != drawn and looked_at:
                self._talk.draw(table)
                drawn = position
                if self.plan.values and not over:
                    self._talk.tell_values(table)
            if over:
                self._screen.say(f"{table.describe_result()}\nMoves: {table.record}")
                if self.plan.games is not None or not self.party.people:
                    self._screen.say()
                    return
                self._talk.ask_what_next(table)
            elif table.seat is None:
                self._talk.ask_move(table)
            else:
                self._let_program_move(table)

    def _let_program_move(self, table: Table) -> None:
        started = time.monotonic()
        name, mark, position = table.mover, table.mark, table.record.position
        move = table.ask_program()
        if move is None:
            return
        if not self.party.people:
            time.sleep(max(0.0, self.plan.delay - (time.monotonic() - started)))
        self._screen.say(f"{name} ({mark}) plays {self._speech.name(move, position)}.")

    def _tell_score(self) -> None:
        drawn = len(self.matches) - sum(self.wins)
        (one, other), (wins, losses) = self.party.names, self.wins
        self._screen.say(f"Score: {one} {wins}, {other} {losses}, drawn {drawn}.")
