"""Compilation of a game's rules and fixed opponents together with a module that teaches."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evolve_arena.core.registry import find_game, game_of
from evolve_arena.core.types import Array, Floats, Record, Settings
from evolve_arena.evolve.learning.tuple_learning import TDSettings
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.packed import PackedPlayers

if TYPE_CHECKING:  # copies of it are compiled
    from evolve_arena.evolve.learning.opponents import Opponents

OPPONENTS = "evolve_arena.evolve.learning.opponents"
RETURNS = "evolve_arena.evolve.learning.returns"
"""Modules of which copies are compiled for each game's rules."""


def find_game_of(options: Settings) -> Any:
    """Return the game, with its rules, that a task's *options* name."""
    return game_of(find_game(options["game"]).game.make_rules(*options["rules"]))


class Lesson(NamedTuple):
    """The rules of a game and the module that teaches by them, compiled, and the opponents."""

    game: BoardGame
    code: ModuleType
    """The rules, compiled."""
    lessons: ModuleType
    """The module that teaches, compiled for the rules."""
    opponents: Opponents
    """Fixed opponents, as in `opponents.seat_opponents`; None without any."""

    def share(self, workspace: Record) -> Record:
        """Return a learner's *workspace*, sharing the arrays of states and wins with opponents."""
        if not self.opponents:
            return workspace
        room = self.opponents[2]
        return workspace._replace(states=room.states, wins=room.wins)

    def refuse_faults(self, states: Array, *seen: Array) -> None:
        """Check for faults that the rules noted while learner and opponents used them.

        Raises:
            GameFileError: The rules gave an invalid value, such as a move out of range.
        """
        self.game.refuse_faults(states, *seen)
        if self.opponents:
            self.game.refuse_faults(states, self.opponents[2].planes, self.opponents[2].values)


def make_lesson(game: BoardGame, against: Sequence[Array], *modules: str, **flags: bool) -> Lesson:
    """Compile the modules that teach in a *game*.

    Args:
        game: Game with its options.
        against: Fixed opponents, as `pack_opponents` returns them.
        modules: Modules to compile: the one that teaches last, after those that it needs.
        flags: Values of constants of these modules, by name.
    """
    packed = PackedPlayers(*against[1:]) if against else None
    needed = OPPONENTS, *modules
    code, *_, lessons = specialise_board(game.place, game.rules, needed, packed, flags)
    opponents = None
    if packed:
        room = find_game(game.name).kernel.make_workspace(game.rules, packed)
        opponents = packed, against[0], room
    return Lesson(game, code, lessons, opponents)


def read_options(options: Settings) -> tuple[BoardGame, list[TDSettings], list[Floats]]:
    """Return the game, each learner's settings, and its learning rate of each layer.

    Args:
        options: Options of a task.
    """
    settings = [TDSettings(*row) for row in options["learning"]]
    sizes = np.array(options["sizes"][:-1])
    rates = [(one.step / sizes).astype(np.float32) for one in settings]
    return find_game_of(options), settings, rates
