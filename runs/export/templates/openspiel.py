"""Exported bots as a ``pyspiel.Bot``; see `board_hosts` for the notation of moves."""

from __future__ import annotations

import pyspiel

from evolve_arena.runs.export.templates.board_hosts import choose_after

# --- States of OpenSpiel ------------------------------------------------------------------


def choose_at(state: pyspiel.State) -> int:
    """Return the action at a state, found from its history."""
    return int(choose_after(state.history()))


# --- How OpenSpiel asks -------------------------------------------------------------------


class Bot(pyspiel.Bot):  # type: ignore[misc]
    """A player for pyspiel.evaluate_bots and anything else that takes a pyspiel.Bot.

    It needs nothing but the state, which holds all moves of the game.
    """

    def __init__(self) -> None:
        pyspiel.Bot.__init__(self)

    def step(self, state: pyspiel.State) -> int:
        """Return the action to play."""
        return choose_at(state)

    def step_with_policy(self, state: pyspiel.State) -> tuple[list[tuple[int, float]], int]:
        """Return the probability of each action, 1 for the action to play, and that action."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen

    def restart(self) -> None:
        """Begin a game; nothing has to be done."""

    def restart_at(self, state: pyspiel.State) -> None:
        """Begin at a state; nothing has to be done."""

    def inform_action(self, state: pyspiel.State, player_id: int, action: int) -> None:
        """Receive another player's action, which the next state will hold."""
