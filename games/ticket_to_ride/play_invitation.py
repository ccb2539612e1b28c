"""From what the command line says to a sitting at a table of Ticket to Ride."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from evolve_arena.core.compiled import cache_folder
from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.play_sitting import TicketPlan, TicketSitting
from evolve_arena.players.player import Player, distinct_names
from evolve_arena.runs.play.invitation import newest_opponent
from evolve_arena.runs.play.screen import Screen
from evolve_arena.runs.players import fill_seats, find_player

__all__ = ["TicketInvitation"]

PERSON, ADVISOR = "human", "rule"
PAUSE = 0.3
"""Seconds between the turns of programs, if somebody is likely to look on."""


@dataclass(frozen=True)
class TicketInvitation:
    """What somebody asks for who wants to play, or to watch."""

    names: Sequence[str]
    """The players. Without any, the opponent is the newest champion of the game, or the rule
    player. A single one sits at all seats but the person's; of several, ``human`` is the
    person, and without him one watches. Others than the person sit there by turns."""
    game: TicketToRide
    """The rules, with the number of seats."""
    first: bool | None = None
    """Whether the person, or who is named first, begins the first game, or the next one begins.
    If None, lots are drawn."""
    games: int | None = None
    advisor: str | None = None
    """Who gives hints; the rule player if None."""
    delay: float | None = None
    seed: int | None = None
    """A new one each time, if None."""

    def accept(self, screen: Screen) -> TicketSitting:
        """Plays; gives the sitting that is over.

        Raises:
            ArenaError: Something that was asked for is not possible.
        """
        names = self._find_names()
        advisor = self.advisor or ADVISOR
        if advisor == PERSON:
            raise BadValueError("hint is 'human': it must be a program's name")
        seed = int.from_bytes(os.urandom(4)) if self.seed is None else self.seed
        delay = PAUSE if screen.is_terminal else 0.0
        plan = TicketPlan(
            seed=seed,
            first=self._find_first(seed),
            games=self.games,
            delay=delay if self.delay is None else self.delay,
        )
        with ExitStack() as stack:
            players = [_enter(stack, name, self.game) for name in names]
            if not any(cache_folder().rglob("choose.choose_move*.nbi")):
                screen.say("Compiling the players for this machine, once (some seconds) ...")
            called = distinct_names([one_line(p.name) if p else "you" for p in players])
            sitting = TicketSitting(
                self.game, players, called, plan, screen, lambda: find_player(advisor, self.game)
            )
            sitting.run()
        if self.seed is None:
            screen.say(f"The seed was {seed}.")
        return sitting

    def _find_names(self) -> list[str]:
        """The participants in the order in which they sit; a person is the first of them."""
        names = [name.strip() for name in self.names]
        people = names.count(PERSON)
        if people > 1:
            raise BadValueError("one person can sit at a terminal: others would see his cards")
        if people == 0 and len(names) > 1:
            return fill_seats(names, self.game.seats)
        others = [name for name in names if name != PERSON] or [newest_opponent(game=self.game)]
        if len(others) >= self.game.seats:
            raise BadValueError(
                f"{len(others)} opponents are named for a table of {self.game.seats} seats"
            )
        return [PERSON, *fill_seats(others, self.game.seats - 1)]

    def _find_first(self, seed: int) -> int:
        """Where the first participant sits in the first game."""
        if self.first is None:
            return int(derive_seeds(seed, 0, "who begins", 1)[0] % self.game.seats)
        return 0 if self.first else 1


def _enter(stack: ExitStack, name: str, game: Any) -> Player | None:
    """A player; None for the person."""
    if name == PERSON:
        return None
    player = find_player(name, game)
    stack.callback(player.close)
    return player
