"""A stand-in for a method whose class is missing: its runs can be read, but not resumed."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from pydantic import ConfigDict, ValidationError

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.game import AnyGame, Config, GameSpec
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.core.user_code import AbsentCode
from evolve_arena.evolve.method import AnyMethod, AnyState, Method
from evolve_arena.players.evolved import Decoder, EvolvedPlayer


class AbsentConfig(Config):
    """Settings of a method whose class is missing: any keys and values."""

    model_config = ConfigDict(extra="allow", frozen=True)


class _Vectors(Method[Any]):
    genome_kind = "vector"


class _Graphs(Method[Any]):
    genome_kind = "graph"


class _Tuples(Method[Any]):
    genome_kind = "tuples"


class AbsentMethod(Method[Any]):
    """A stand-in for a method class that was registered when the run started, and is missing."""

    config_type = AbsentConfig
    state_type = AnyState
    genome_kind = ""
    migrates = True

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[EvolvedPlayer]]:
        """Return all kinds of networks of the *game*, since the method's own are unknown."""
        return dict(game.networks)

    @classmethod
    def network_section(cls, game: GameSpec, content: Settings) -> type[Config]:
        """Return the section of the first kind of genome that accepts this *content*."""
        return _find_kind(game, content).network_section(game, content)

    @classmethod
    def make_decoder(cls, game: AnyGame, network: Config, config: Any) -> Decoder:
        """Return the decoder of the first kind of genome that accepts the section *network*.

        Args:
            game: Game that the players play.
            network: Section ``[network]`` of the recipe.
            config: Settings of the method; any will do.
        """
        content = network.model_dump(exclude_none=True)
        return _find_kind(find_game(game.name), content).make_decoder(game, network, config)

    @classmethod
    def estimate_bytes(cls, config: Any, decoder: Any) -> int:
        """Return 0, since no generation can be computed."""
        return 0

    def initial(self, seed: int) -> NoReturn:
        """Raise UserCodeError, since the method's class is missing."""
        self._fail()

    def find_mismatch(self, state: Any) -> None:
        """Return None: any state is accepted."""

    def step(self, state: Any, arena: Any) -> NoReturn:
        """Raise UserCodeError, since the method's class is missing."""
        self._fail()

    def champion(self, state: Any, arena: Any) -> NoReturn:
        """Raise UserCodeError, since the method's class is missing."""
        self._fail()

    def describe(self, state: Any) -> JsonObject:
        """Return the number of individuals, and of genes if all have the same number."""
        told = {"individuals": len(state.population)}
        if isinstance(state.population, np.ndarray):
            told["genes"] = int(state.population.shape[-1])
        return told

    def _fail(self) -> NoReturn:
        AbsentCode(self.name)()
        raise AssertionError


def _find_kind(game: GameSpec, content: Settings) -> type[AnyMethod]:
    for kind in (_Vectors, _Graphs, _Tuples):
        try:
            if kind.networks(game):
                kind.network_section(game, content).model_validate(content)
                return kind
        except (ArenaError, ValidationError):
            continue
    return _Vectors
