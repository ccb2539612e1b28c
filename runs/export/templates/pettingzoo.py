"""Exported bots as policies for loops over PettingZoo's environments.

It must need nothing but Python 3.8 and its standard library.
"""

from __future__ import annotations

from typing import Any

from evolve_arena.runs.export.templates.board_hosts import choose_shown

# --- How PettingZoo asks ------------------------------------------------------------------


def policy(observation: dict[str, Any], *_: object) -> int:
    """Return the action for the first value of env.last(): a dictionary with the planes."""
    cells = [cell for row in observation["observation"] for cell in row]
    action = choose_shown([int(cell[0]) for cell in cells], [int(cell[1]) for cell in cells])
    if not observation["action_mask"][action]:
        raise ValueError(f"this board allows no action {action}")
    return action
