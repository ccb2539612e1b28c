"""The section ``[matches]``: how the individuals of a generation play."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evolve_arena.core.game import MAX_SEATS, Config

Size = Annotated[int, Field(ge=2, le=MAX_SEATS)]


class HallOfFame(Config):
    """The section ``[matches.hall_of_fame]`` of a recipe."""

    size: int = Field(default=50, ge=1, le=10_000)
    """Champions that are kept."""
    every: int = Field(default=10, ge=1)
    """Generations between two entries of the fittest individual."""
    opponents: int = Field(default=0, ge=0, le=1000)
    """Members that every individual meets, in both colours; 0: no hall of fame."""
    diverse: bool = False
    """true: the member whose weights are most similar to a newcomer's leaves a full hall, so that
    members stay diverse; false: a random one leaves. For weight vectors."""


class FixedOpponents(Config):
    """The section ``[matches.fixed_opponents]``: players that all individuals meet, too."""

    players: tuple[str, ...] = Field(min_length=1)
    """Specifications of players, such as ``minimax:depth=2``, or for a class in Python
    ``my_bots.py:Cautious``. Programs (``process:``) are refused, as they would be too slow."""
    games: int = Field(default=2, ge=2, le=10_000)
    """Games of each individual against each of them from each opening, colours balanced; an odd
    number is rounded up."""


class OpeningsConfig(Config):
    """The beginnings of matches: random plies, from the same openings for a whole generation."""

    plies: int = Field(default=0, ge=0, le=20)
    """Random plies that a match begins with; 0: all matches begin at the start."""
    count: int = Field(default=1, ge=1, le=1000)
    """Different openings of a generation."""
    per_pair: int | None = Field(default=None, ge=1, le=1000)
    """Openings that a pair plays, drawn from these; if left out, every pair plays all of them."""

    @model_validator(mode="after")
    def _draw_some(self) -> OpeningsConfig:
        if self.per_pair is not None and self.per_pair > self.count:
            raise ValueError(f"per_pair is {self.per_pair}, but count is {self.count}")
        return self

    @property
    def played(self) -> int:
        """Number of openings that a pair plays."""
        return self.per_pair or self.count


class MultiplayerConfig(Config):
    """The section ``[matches.multiplayer]``, of games of chance or for more than two players."""

    seats: tuple[Size, ...] = ()
    """Numbers of players of a match; with several of them all deals are played with each. None:
    as many as the game's players."""
    deals: int = Field(default=10, ge=1, le=100_000)
    """Deals of a generation; all individuals play the same ones."""
    rotate: bool = True
    """true: each deal is played once for each seat, so that every player takes every seat; false:
    once, and the players move on by one seat from one deal to the next."""
    fitness: Literal["points", "margin", "rank"] = "points"
    """Measure of a match: the final points, the points above the mean of the others', or the share
    of the others with a worse place (equal places count a half)."""
    external_opponents: tuple[str, ...] = ()
    """Specifications of players from outside, which take the external seats in turn."""
    external_seats: int = Field(default=0, ge=0, le=MAX_SEATS)
    """Seats of each match that they take; at least one is left for an individual."""
    preliminary_deals: int = Field(default=20, ge=1, le=100_000)
    """Deals that all individuals play, each alone among external opponents, to find finalists."""
    finalists: int = Field(default=8, ge=1, le=10_000)
    """Individuals that play the final deals, whose winner is the champion."""
    final_deals: int = Field(default=100, ge=1, le=100_000)
    """Deals that the finalists play."""

    @model_validator(mode="after")
    def _seat_opponents(self) -> MultiplayerConfig:
        if self.external_seats and not self.external_opponents:
            raise ValueError(
                f"external_seats is {self.external_seats}, but external_opponents names no player"
            )
        if self.external_opponents and not self.external_seats:
            raise ValueError(
                f"external_opponents is {list(self.external_opponents)}, but external_seats is 0"
            )
        if len(set(self.seats)) < len(self.seats):
            raise ValueError(f"seats is {list(self.seats)}, which names a number twice")
        return self


class MatchesConfig(Config):
    """The section ``[matches]`` of methods whose individuals play against each other."""

    colours: Literal["one", "both"] = "both"
    """``both``: every pair meets twice, each moving first once."""
    draw_points: float = Field(default=0.5, ge=0.0, le=1.0)
    """Points for a draw, a win being 1."""
    noise: float = Field(default=0.0, ge=0.0, le=1.0)
    """Share of moves that both players replace by random ones, so that they also learn to play
    positions which they would not have chosen."""
    games: int = Field(default=1, ge=1, le=1000)
    """Games of each pair from each opening and in each colour; more than one helps with noise."""
    openings: OpeningsConfig = OpeningsConfig(plies=2, count=2)
    """The beginnings of matches: by default two random plies, from two openings."""
    hall_of_fame: HallOfFame = HallOfFame()
    """Earlier champions as opponents."""
    fixed_opponents: FixedOpponents | None = None
    """Players from outside that all individuals meet in each generation; none if left out."""


class MultiplayerMatchesConfig(MatchesConfig):
    """The section ``[matches]`` of methods that also play games for more than two."""

    multiplayer: MultiplayerConfig | None = None
    """Matches in games of chance or for more than two players."""


class BreederConfig(Config):
    """The keys of ``[method]`` of all methods whose individuals play against each other."""

    name: str
    """The name of the method."""
    fitness: str | None = None
    """The fitness of an individual, in place of the share of points that it wins: in games that
    count points ``points``, its mean final points, or ``margin``, their mean lead over the others'
    mean; or a function of your own, ``my_fitness.py:FUNCTION``, of a player, of its
    matches, or of both."""
