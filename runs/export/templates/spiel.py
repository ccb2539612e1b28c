"""Exported bots of games whose rules pyspiel has, with OpenSpiel's tensors as inputs.

The first section only makes this file a module that tools can check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.runs.export.templates.spiel_mlp import evaluate_tensor

# --- The network --------------------------------------------------------------------------
HEAD = "value"
TAKES_WINS = True
SEATS = 2
# --- States of OpenSpiel ------------------------------------------------------------------


def choose_at(state: Any) -> int:
    """Return the action at a state."""
    seat, legal = state.current_player(), state.legal_actions()
    if len(legal) == 1:
        return int(legal[0])
    if HEAD == "policy":
        outputs = evaluate_tensor(look(state, seat))
        return int(max(legal, key=lambda action: outputs[action]))  # the first of the best
    after = [state.child(action) for action in legal]
    for action, reached in zip(legal, after):  # noqa: B905  (Python 3.8 has no strict)
        if TAKES_WINS and reached.is_terminal() and has_won(reached.returns(), seat):
            return int(action)
    values = [evaluate_tensor(look(reached, seat))[0] for reached in after]
    return int(legal[values.index(max(values))])


def has_won(returns: Sequence[float], seat: int) -> bool:
    """Test if a seat alone has the highest return."""
    return max(returns) == returns[seat] and list(returns).count(returns[seat]) == 1


def look(state: Any, seat: int) -> list[float]:
    """Return the inputs of a seat: the tensor, and an input for each seat, 1 for its own."""
    return [*state.observation_tensor(seat), *(float(other == seat) for other in range(SEATS))]
