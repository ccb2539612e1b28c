"""The section ``[method.tables]``, and what it replaces of the section ``[method]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import MOST_SEATS, AnyGame, Config
from evolve_arena.core.registry import find_game
from evolve_arena.evolve.matches import MatchSettings, OpeningsConfig, estimate_matches
from evolve_arena.genomes.limits import BYTES_PER_MATCH

Size = Annotated[int, Field(ge=2, le=MOST_SEATS)]

FOR_PAIRS = {
    "colours": "method.tables.rotate",
    "draw_points": "method.tables.fitness",
    "games": "method.tables.decks",
    "openings": "method.tables.decks",
    "fixed_opponents": "method.tables.company",
}
"""Keys of ``[method]`` that are about games for two, and where tables say the like."""
ONCE_USUAL = {"colours": "one", "draw_points": 0.0, "openings": OpeningsConfig()}
"""What stands there in recipes of old runs that say nothing of it."""


class TablesConfig(Config):
    """The section ``[method.tables]``, of games for more than two players."""

    seats: tuple[Size, ...] = ()
    """How many sit at a table; with several sizes all decks are played at tables of each. None:
    as many as the game's players."""
    decks: int = Field(default=10, ge=1, le=100_000)
    """How many decks are played in a generation, by everybody the same."""
    rotate: bool = True
    """Whether each deck is played once for each seat of a table, so that everybody sits
    everywhere; otherwise once, and from one deck to the next everybody moves on a seat."""
    fitness: Literal["points", "margin", "rank"] = "points"
    """What counts: the final points, by how much these exceed the mean of the others', or the
    share of the others who come behind (equals count a half)."""
    company: tuple[str, ...] = ()
    """Specifications of players from outside, who take the seats of company in turn."""
    company_seats: int = Field(default=0, ge=0, le=MOST_SEATS)
    """How many seats of each table they take; at least one is left for an individual."""
    trial_decks: int = Field(default=20, ge=1, le=100_000)
    """Decks that everybody plays, alone among company, for who is the champion."""
    finalists: int = Field(default=8, ge=1, le=10_000)
    """How many of the best of them play on."""
    final_decks: int = Field(default=100, ge=1, le=100_000)
    """Decks that these play."""

    @model_validator(mode="after")
    def _seat_company(self) -> TablesConfig:
        if self.company_seats and not self.company:
            raise ValueError(
                f"company_seats is {self.company_seats}, but company names nobody to sit there"
            )
        if self.company and not self.company_seats:
            raise ValueError(f"company is {list(self.company)}, but company_seats is 0")
        if len(set(self.seats)) < len(self.seats):
            raise ValueError(f"seats is {list(self.seats)}, which names a size twice")
        return self


class TableMatchSettings(MatchSettings):
    """The keys of ``[method]`` of methods whose individuals meet in pairs or at tables."""

    tables: TablesConfig | None = None
    """In games for more than two."""


def find_tables(
    config: TableMatchSettings,
    game: AnyGame,
    individuals: int,
    more_for_pairs: Mapping[str, str] | None = None,
) -> TablesConfig | None:
    """The section ``[method.tables]`` for a *game* of several; None for one of two.

    Args:
        config: The section ``[method]``.
        game: What is played.
        individuals: How many there are.
        more_for_pairs: More keys than :data:`FOR_PAIRS` that make no sense at tables.

    Raises:
        BadValueError: The section is for other games, or a key makes no sense at tables.
    """
    if not find_game(game.name).has_chance:
        if config.tables is not None:
            raise BadValueError(f"method.tables: {game.name} is a game for two: leave it out")
        return None
    tables = config.tables or TablesConfig()
    for key, instead in {**FOR_PAIRS, **(more_for_pairs or {})}.items():
        default = type(config).model_fields[key].default
        if getattr(config, key) not in (default, ONCE_USUAL.get(key, default)):
            raise BadValueError(
                f"method.{key} is for games of two, not for {game.name}: write {instead}"
            )
    _check_hall(config, tables)
    for size in tables.seats or (game.seats,):
        own = size - min(size - 1, tables.company_seats)
        if own > individuals:
            raise BadValueError(
                f"method.tables: {own} individuals sit at a table, but there are {individuals}"
            )
    return tables


def estimate_match_bytes(
    config: TableMatchSettings, game: AnyGame, individuals: int, pairs: int
) -> int:
    """How many bytes a generation's matches take, or the champion's.

    Args:
        config: The section ``[method]``.
        game: What is played.
        individuals: How many there are.
        pairs: How many of them meet, in games of two.
    """
    if not find_game(game.name).has_chance:
        hall = individuals * config.hall_of_fame.opponents
        return estimate_matches(config, pairs + hall, individuals)
    tables = config.tables or TablesConfig()
    sizes = tables.seats or (game.seats,)
    decks = max(
        individuals * max(tables.decks, tables.trial_decks),
        min(individuals, tables.finalists) * tables.final_decks,
    )
    seats = sum(sizes) if tables.rotate else len(sizes)
    return find_game(game.name).most_seats * BYTES_PER_MATCH * decks * seats


def _check_hall(config: TableMatchSettings, tables: TablesConfig) -> None:
    hall = config.hall_of_fame
    if hall.opponents and not tables.company_seats:
        raise BadValueError(
            f"method.hall_of_fame.opponents is {hall.opponents}, but at tables its members join"
            " the company: write method.tables.company and method.tables.company_seats"
        )
