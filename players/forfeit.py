"""How a player can lose other than by the rules."""

from __future__ import annotations

from enum import StrEnum

from evolve_arena.core.errors import ArenaError


class Forfeit(StrEnum):
    """Why a game was forfeited."""

    ILLEGAL_MOVE = "illegal move"
    TIMEOUT = "time-out"
    CRASH = "crash"
    GARBAGE = "garbage"
    FLOOD = "flood"
    RESIGNED = "resigned"


class ForfeitError(ArenaError):
    """Raised by a player that cannot or may not go on: it loses this game.

    Args:
        kind: Why.
        sentence: What happened, as a whole sentence.

    Attributes:
        errors: The last lines that a program wrote to its standard error, harmless to print.
    """

    def __init__(self, kind: Forfeit, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.errors: tuple[str, ...] = ()
