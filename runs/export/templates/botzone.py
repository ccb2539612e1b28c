"""Exported bots at Botzone; see `board_hosts` for the notation of moves.

It must need nothing but Python 3.8 and its standard library.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from evolve_arena.runs.export.templates.board_hosts import choose_after

# --- How Botzone asks ---------------------------------------------------------------------

# Whether the program waits for the next request instead of being started for each. Set it to True
# if the box for long-running bots is ticked where it is uploaded.
KEEP_RUNNING = False
BEGIN = {"x": -1, "y": -1}


def tell(
    requests: Sequence[dict[str, int]], responses: Sequence[dict[str, int]]
) -> list[dict[str, int]]:
    """Return all moves of the game in order; the first player's first request holds no move."""
    told = []
    for place, request in enumerate(requests):
        if place or request != BEGIN:
            told.append(request)
        told += responses[place : place + 1]
    return [{"x": int(move["x"]), "y": int(move["y"])} for move in told]


def play_on_botzone() -> None:
    """Answer a line with the whole history; then lines with one request each, if it goes on."""
    requests: list[dict[str, int]] = []
    responses: list[dict[str, int]] = []
    for line in sys.stdin:
        if not line.strip():
            continue
        asked = json.loads(line)
        if "requests" in asked:
            requests, responses = list(asked["requests"]), list(asked["responses"])
        else:
            requests.append(asked)
        responses.append(choose_after(tell(requests, responses)))
        print(json.dumps({"response": responses[-1]}), flush=True)
        if not KEEP_RUNNING:
            break
        print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)


if __name__ == "__main__":
    play_on_botzone()
