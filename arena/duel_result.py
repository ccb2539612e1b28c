"""What came of a duel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.statistics import wilson_interval

__all__ = ["DuelResult"]


@dataclass(frozen=True)
class DuelResult:
    """What came of a duel, from the first player's side."""

    names: tuple[str, str]
    wins: int
    draws: int
    losses: int
    distinct_games: int
    """How many different games were played; far fewer than all means little was learnt."""
    terminations: dict[str, int]
    """How the games ended, and how often."""

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The share of the points, a draw being half a point."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def wilson_95(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`score`."""
        return wilson_interval(self.wins + self.draws / 2, self.games)

    @property
    def win_interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of games won."""
        return wilson_interval(self.wins, self.games)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "players": list(self.names),
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "wilson_95": list(self.wilson_95),
            "distinct_games": self.distinct_games,
            "terminations": self.terminations,
        }
