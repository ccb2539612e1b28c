"""How OpenSpiel asks exported bots; what comes before says how they read its moves."""

from __future__ import annotations

from typing import Any

import pyspiel

from evolve_arena.runs.export.templates.board_hosts import choose_after

# --- States of OpenSpiel ------------------------------------------------------------------


def choose_at(state: Any) -> int:
    """Returns the action at a state, of which its history tells."""
    return int(choose_after(state.history()))


# --- How OpenSpiel asks -------------------------------------------------------------------


class Bot(pyspiel.Bot):  # type: ignore[misc]
    """A player for pyspiel.evaluate_bots and whatever else takes a pyspiel.Bot.

    It needs no more than the state, in which all moves of the game stand.
    """

    def __init__(self) -> None:
        pyspiel.Bot.__init__(self)

    def step(self, state: Any) -> int:
        """The action to play."""
        return choose_at(state)

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The same, and how likely each action was: it is always the same one."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen

    def restart(self) -> None:
        """Begins a game: there is nothing to do."""

    def restart_at(self, state: Any) -> None:
        """Begins at a state: there is nothing to do."""

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Is told what another played: it will stand in the next state."""
