"""The section ``[network]`` of methods that breed players of Ticket to Ride."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from evolve_arena.evolve.method import Config
from evolve_arena.games.ticket_to_ride.design import TICKET_KINDS
from evolve_arena.players.design import list_options

__all__ = ["TicketGraphConfig", "TicketImitationConfig", "TicketNetworkConfig"]


class TicketGraphConfig(Config):
    """How NEAT's graphs decide; see `evolve_arena.games.ticket_to_ride.graph`."""

    head: str = "decision"
    """``decision``: an output for each kind of move, which the rule player then chooses;
    ``action``: one for what a move is worth."""
    features: int = 26
    """How many features of a state the former see: 26 or 28."""
    variant: str = "text"
    """How the rule player reads Łabno's description whose plans are counted among the features, and
    who carries decisions out."""
    masked: bool = True
    """Whether decisions that can't be carried out are never taken; otherwise they are forbidden
    moves."""


class TicketImitationConfig(Config):
    """What network learns; see `evolve_arena.games.ticket_to_ride.network`."""

    features: int = 26
    hidden: tuple[int, ...] = (180, 160)
    activation: str = "relu"
    scaling: str = "raw"
    """``raw``: features as they are counted; ``unit``: divided to lie in about 0 to 1."""
    masked: bool = False
    """As in Łabno's program, where each game with a forbidden move was given up."""
    variant: str = "text"
    """How the rule player reads Łabno's description, who is imitated and carries decisions out."""


class TicketNetworkConfig(Config):
    """What the genes stand for; see `evolve_arena.games.ticket_to_ride.design`.

    Keys of the chosen kind that are left out have the defaults of its design; those of other
    kinds stay away.
    """

    kind: str = "moves"
    """``moves``: a network that says what each move is worth; ``decision``: one that decides what
    kind of move to make, which the rule player then chooses."""
    variant: str = "text"
    """How the rule player reads Łabno's description whose plans are among the inputs."""
    hidden: tuple[int, ...] | None = None
    activation: str | None = None
    features: int | None = None
    scaling: str | None = None
    masked: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, content: Any) -> Any:
        kind = content.get("kind", "moves")
        if not isinstance(kind, str) or kind not in TICKET_KINDS:  # the design says so
            return content
        known = {
            name: value
            for name, value in list_options(TICKET_KINDS, kind).items()
            if name in cls.model_fields
        }
        return {**known, **content}
