"""A session of games at the terminal, one after the other, between people and programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve_arena.arena.match import Match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.arena.table import Party, Table
from evolve_arena.cli.play.prompt import LeaveError, NextGameError, PromptLoop
from evolve_arena.cli.play.screen import InputEndedError, Screen
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player
from evolve_arena.runs.store.kept_games import add_game, write_game


@dataclass(frozen=True)
class Plan:
    """The settings of a session."""

    seed: int
    """Seed of openings, deals and players. In two-player games without chance, two programs play
    the same games as in :func:`evolve_arena.arena.duel.duel` if the first moves first."""
    first: int = 0
    """Seat of the first player in the first game; each game moves all players up a seat."""
    moves: tuple[object, ...] = ()
    """Opening moves of each game."""
    opening_plies: int = 0
    """Number of random plies that open each game, in place of *moves*."""
    games: int | None = None
    """Number of games; if None, people are asked after each, and programs play one."""
    delay: float = 0.0
    """Seconds between two moves of programs, if no person plays."""
    values: bool = False
    """True to show before each move how a program rates the moves."""
    keep_games: Path | None = None
    """File to whose end finished games are written."""


class Session:
    """A session of people and programs at a terminal.

    Args:
        game: The rules.
        players: The players; None is a person.
        plan: The settings.
        screen: The terminal.
        make_advisor: Makes the player that gives hints, such as a copy of the opponent; it is
            closed in the end. None if there are no hints.
    """

    def __init__(
        self,
        game: AnyGame,
        players: Sequence[Player | None],
        plan: Plan,
        screen: Screen,
        make_advisor: Callable[[], Player] | None = None,
    ) -> None:
        self.game = game
        self.plan = plan
        self.matches: list[Match] = []
        """The finished games, in order."""
        self.party = Party(players)
        self.wins = [0] * len(players)
        """Number of games that each player has won."""
        self._screen = screen
        self._prompt = PromptLoop(game, self.party, screen, make_advisor)

    def run(self) -> list[Match]:
        """Play all games, or until people leave; return the finished games.

        Raises:
            ArenaError: A player cannot start, or there are no such openings.
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
            self._prompt.close()
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
        """Set up the table for game *number*, counted from 0."""
        plan, seats = self.plan, self.game.seats
        beginning: Sequence[object] = plan.moves
        if plan.opening_plies:
            pairs = number // 2 + 1
            openings = random_openings(self.game, plan.opening_plies, pairs, plan.seed)
            beginning = [self.game.move_of(n) for n in openings[-1].tolist() if n >= 0]
        purpose = "play" if find_game(self.game.name).has_chance else "duel"
        seed = int(derive_seeds(plan.seed, 0, purpose, number + 1)[-1])
        order = [(seat - plan.first - number) % seats for seat in range(seats)]
        table = Table(self.game, self.party, order, seed, beginning)
        gap = ": " if table.ui.sides else ", "
        self._screen.say(f"Game {number + 1}{gap}{table.describe_seats()}.")
        if beginning:
            self._screen.say(f"It begins with {table}.")
        return table

    def _clear(self, table: Table) -> None:
        """Record the game's result if it is over; otherwise show its moves."""
        table.leave()
        self._prompt.forget()
        if table.result is not None:
            self.matches.append(table.result)
            if self.plan.keep_games and table.changed_sides:
                self._screen.say("This game is not kept: players changed sides in it.")
            elif self.plan.keep_games:
                line = write_game(self.game, table.names, table.seed, table.result)
                add_game(self.plan.keep_games, line)
            if table.winner is not None:
                self.wins[table.winner] += 1
        elif table.moves and table.ui.is_open:
            self._screen.say(f"Unfinished. Moves: {table}")

    def _play(self, table: Table) -> None:
        """Play one game until it is over, and no moves are taken back."""
        shown = _Shown()
        while True:
            over = table.result is not None
            if not over or table.ui.is_open:
                self._show(table, shown, over=over)
            if over:
                text = table.describe_result()
                self._screen.say(f"{text}\nMoves: {table}" if table.ui.is_open else f"\n{text}")
                if self.plan.games is not None or not self.party.people:
                    self._screen.say()
                    return
                self._prompt.ask_what_next(table)
            elif table.program is None:
                self._prompt.ask_move(table)
            else:
                self._let_program_move(table, shown)

    def _show(self, table: Table, shown: _Shown, *, over: bool) -> None:
        """Draw the board if it has changed, for a person to move or for spectators."""
        watched = table.program is None or (not self.party.people and table.ui.is_open)
        position = table.position
        if not (over or watched) or position is shown.position or position == shown.position:
            return
        shown.position = position
        self._prompt.draw(table)
        if self.plan.values and not over:
            self._prompt.tell_values(table)

    def _let_program_move(self, table: Table, shown: _Shown) -> None:
        started = time.monotonic()
        seat, called, position = table.seat, table.mover, table.position
        if table.ask_program():
            shown.turn.append((position, table.last))
        if not shown.turn or (table.result is None and table.seat == seat):
            return  # the turn goes on, or there was none
        if not self.party.people:
            time.sleep(max(0.0, self.plan.delay - (time.monotonic() - started)))
        self._screen.say(f"{called} {table.ui.tell_turn(shown.turn)}.")
        shown.turn.clear()

    def _tell_score(self) -> None:
        drawn = len(self.matches) - sum(self.wins)
        scores = (f"{name} {won}" for name, won in zip(self.party.names, self.wins, strict=True))
        self._screen.say(f"Score: {', '.join(scores)}, drawn {drawn}.")


class _Shown:
    """The last position that was shown, and the moves of the current turn."""

    def __init__(self) -> None:
        self.position: object = None
        self.turn: list[tuple[object, object]] = []
