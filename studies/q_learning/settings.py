"""Reads the JSON settings of Młokosiewicz's program as a recipe of ours.

His files are called ``NAME.config``; the keys are those of his listing 5.4. What they say of games
and of saving becomes whole generations, each as long as the time between two savings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config


class Board(Config):
    """The key ``board``."""

    rows: int = Field(ge=1)
    cols: int = Field(ge=1)


class ThesisRewards(Config):
    """The key ``rewards``."""

    win: float
    loss: float
    tie: float
    each_move: float


class Storage(Config):
    """The key ``neural_storage``."""

    hidden_neurons: int = Field(ge=1)


class Settings(Config):
    """A whole file."""

    board: Board
    needed_to_win: int
    games_to_play: int = Field(ge=1)
    saving_rate: int = Field(ge=1)
    learning_rate: float
    discount_factor: float
    estimated_optimal_future_value: Literal["mean", "best_known"]
    boltzmann_temperature: float
    rewards: ThesisRewards
    neural_storage: Storage


def convert_settings(content: Mapping[str, Any], *, faithful: bool = True) -> dict[str, Any]:
    """The *content* of such a file as that of a recipe, section by section.

    Args:
        content: As `json.load` gives it.
        faithful: Whether to learn as his program did, quirks included.

    Raises:
        BadValueError: A key is missing, unknown or of the wrong kind, or the games to play are
            no multiple of the saving rate.

    >>> settings = {
    ...     "board": {"rows": 6, "cols": 7}, "needed_to_win": 4,
    ...     "games_to_play": 5000, "saving_rate": 1000,
    ...     "learning_rate": 0.05, "discount_factor": 1,
    ...     "estimated_optimal_future_value": "best_known", "boltzmann_temperature": 1,
    ...     "rewards": {"win": 2, "loss": -2, "tie": 0, "each_move": -0.01},
    ...     "neural_storage": {"hidden_neurons": 50},
    ... }
    >>> convert_settings(settings)["run"]
    {'generations': 5, 'checkpoint_every': 1}
    """
    try:
        settings = Settings.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BadValueError(f"{key}: {first['msg']}" if key else str(first["msg"])) from None
    generations, rest = divmod(settings.games_to_play, settings.saving_rate)
    if rest or not generations:
        raise BadValueError(
            f"games_to_play is {settings.games_to_play}: it must be a multiple of saving_rate "
            f"({settings.saving_rate})"
        )
    rewards = settings.rewards
    return {
        "game": {
            "columns": settings.board.cols,
            "rows": settings.board.rows,
            "connect": settings.needed_to_win,
        },
        "network": {"hidden": [settings.neural_storage.hidden_neurons]},
        "method": {
            "name": "q-learning",
            "games": settings.saving_rate,
            "learning_rate": settings.learning_rate,
            "discount": settings.discount_factor,
            "future": settings.estimated_optimal_future_value.replace("_", "-"),
            "temperature": settings.boltzmann_temperature,
            "rewards": {
                "win": rewards.win,
                "loss": rewards.loss,
                "draw": rewards.tie,
                "move": rewards.each_move,
            },
            "faithful": faithful,
        },
        "run": {"generations": generations, "checkpoint_every": 1},
    }
