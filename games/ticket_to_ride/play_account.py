"""What happens at a table of Ticket to Ride, told turn by turn as everybody there sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evolve_arena.games.ticket_to_ride.board import LOCOMOTIVE
from evolve_arena.games.ticket_to_ride.drawing import describe_card
from evolve_arena.games.ticket_to_ride.layout import HAND_AT, ROUND, TO_MOVE, player_at
from evolve_arena.games.ticket_to_ride.wording import tell_move

__all__ = ["Account"]


class Account:
    """The turns of a game, in order.

    Args:
        names: The players, seat by seat.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.position: Any = None
        """What lies on the table now."""
        self.turns: list[tuple[int, int, list[str]]] = []
        """Round, seat and actions of each turn."""
        self._told = 0

    def note(self, position: Any, move: int | None) -> None:
        """Takes note of a *move* and the *position* that it led to; None at the beginning."""
        before, self.position = self.position, position
        if move is None:
            return
        state = before.array
        seat, round_ = int(state[TO_MOVE]), int(state[ROUND])
        if not self.turns or self.turns[-1][:2] != (round_, seat):
            self.turns.append((round_, seat, []))
        self.turns[-1][2].append(tell_move(state, move))

    def tell_new(self, without: int | None = None) -> list[str]:
        """A line for each turn since the last call, but for those of seat *without*."""
        new, self._told = self.turns[self._told :], len(self.turns)
        return [
            f"  {self.names[seat]} {_join(actions)}." for _, seat, actions in new if seat != without
        ]

    @staticmethod
    def tell_cards(before: Any, after: Any, seat: int, *, colour: bool) -> str:
        """The cards that a *seat* has now and had not before; empty if there are none."""
        at = player_at(seat) + HAND_AT
        hands = [position.array[at : at + LOCOMOTIVE + 1] for position in (before, after)]
        new = np.maximum(hands[1] - hands[0], 0)
        cards = [card for card, count in enumerate(new) for _ in range(int(count))]
        return " ".join(describe_card(card, colour=colour) for card in cards)


def _join(actions: Sequence[str]) -> str:
    """The actions of a turn in one sentence.

    >>> _join(["takes red", "takes red"]), _join(["draws tickets", "keeps 1 of 3 tickets"])
    ('takes 2 red', 'draws tickets and keeps 1 of 3 tickets')
    >>> _join(["takes red", "takes blue"])
    'takes red and blue'
    """
    if len(actions) == 2 and actions[0] == actions[1]:
        verb, _, rest = actions[0].partition(" ")
        return f"{verb} 2 cards {rest}" if verb == "draws" else f"{verb} 2 {rest}"
    first, *others = actions
    verb = first.partition(" ")[0]
    return " and ".join([first, *(action.removeprefix(f"{verb} ") for action in others)])
