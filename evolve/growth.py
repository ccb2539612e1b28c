"""Growth: a run that breeds small networks first, and then larger ones that contain them.

The loop, for stages with networks of growing size:

1. Evolution: the stage's own method breeds its networks for so many generations.
2. Growth: the champion and the individuals become networks of the next stage's size that play as
   they did, by the decoder's ``embed``; they are that stage's first population. Go to 1.

A small network has few weights, so its evolution climbs quickly and ends early; a large one starts
from there. Source: Chen, Goodfellow and Shlens, "Net2Net: accelerating learning via knowledge
transfer" (2016), for layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass, replace
from typing import Any

import numpy as np

from evolve_arena.arena.arena import Arena
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import Floats, JsonObject
from evolve_arena.evolve.method import AnyMethod, Method, Report
from evolve_arena.evolve.operators import initialise
from evolve_arena.evolve.settings.growth import GrowthConfig


@dataclass(frozen=True, eq=False)
class GrowthState:
    """Everything that the future of a run depends on; a subclass has a field for each stage."""

    seed: int
    generation: int
    population: Floats
    """The individuals as networks of the last stage, shape ``(individuals, genes)``."""


class Growth(Method[Any]):
    """Breeds in stages, each with larger networks.

    Args:
        config: The section ``[growth]``.
        methods: The method of each stage, and of the rest of the run.

    Raises:
        BadValueError: A method breeds no weight vectors, or its networks do not fit into the next.
    """

    config_type = GrowthConfig

    def __init__(self, config: GrowthConfig, methods: Sequence[AnyMethod]) -> None:
        super().__init__(config, methods[-1].decoder)
        self.methods = list(methods)
        self.name = methods[-1].name
        lengths = [stage.generations for stage in config.stages]
        self.starts = np.cumsum([0, *lengths]).tolist()
        """The generation with which each stage begins."""
        for number, method in enumerate(methods):
            if method.genome_kind != "vector" or not hasattr(method.decoder, "embed"):
                raise BadValueError(f"growth: networks of {method.name!r} can't grow")
            if number:
                try:
                    self._embed(number - 1, self._draw(number - 1, 1, 0), 0)
                except BadValueError as error:
                    raise BadValueError(f"growth: from stage {number}: {error}") from None
        self.fields = [f"stage_{number + 1}" for number in range(len(methods))]
        self.state_type = make_dataclass(
            "GrowthState",
            [
                (name, tuple[method.state_type, ...])  # type: ignore[name-defined]
                for name, method in zip(self.fields, methods, strict=True)
            ],
            bases=(GrowthState,),
            frozen=True,
            eq=False,
        )

    @property
    def population_size(self) -> int:
        """Number of individuals of the last stage."""
        return self.methods[-1].population_size

    def check_ready(self) -> None:
        """Make sure that all stages can begin."""
        for method in self.methods:
            method.check_ready()

    def _draw(self, stage: int, count: int, seed: int) -> Floats:
        """Return random individuals of a *stage*, shape ``(count, genes)``."""
        method, rng = self.methods[stage], derive_generator(seed, stage, "growth")
        return initialise(method.decoder, count, method.config.initialisation, rng)

    def _embed(self, stage: int, genomes: Floats, seed: int) -> Floats:
        """Return networks of a *stage* as networks of the next one that play as they do."""
        base = self._draw(stage + 1, len(genomes), seed)
        small, large = (self.methods[number].decoder for number in (stage, stage + 1))
        embedded: Floats = large.embed(genomes, small, base)
        return embedded

    def _embed_fully(self, stage: int, genomes: Floats, seed: int) -> Floats:
        """Return networks of a *stage* as networks of the last one."""
        for number in range(stage, len(self.methods) - 1):
            genomes = self._embed(number, genomes, seed)
        return genomes

    def _find(self, state: Any) -> tuple[int, Any]:
        """Return the number of the present stage, from 0, and the state of its method."""
        found = [getattr(state, name) for name in self.fields]
        stage = next(number for number, states in enumerate(found) if states)
        return stage, found[stage][0]

    def _make_state(self, seed: int, stage: int, inner: Any) -> Any:
        population = self._embed_fully(stage, inner.population, seed)
        others: JsonObject = dict.fromkeys(self.fields, ())
        return self.state_type(
            seed,
            self.starts[stage] + inner.generation,
            population,
            **others | {self.fields[stage]: (inner,)},
        )

    def _find_seed(self, seed: int, stage: int) -> int:
        """Return the seed of a *stage*."""
        return int(derive_seeds(seed, 0, "growth", len(self.methods))[stage] >> np.uint64(1))

    def initial(self, seed: int) -> Any:
        """Return the first stage's initial state."""
        return self._make_state(seed, 0, self.methods[0].initial(self._find_seed(seed, 0)))

    def reseed(self, state: Any, seed: int) -> Any:
        """Return the same *state* with another seed."""
        stage, inner = self._find(state)
        again = self.methods[stage].reseed(inner, self._find_seed(seed, stage))
        return replace(state, seed=seed, **{self.fields[stage]: (again,)})

    def find_mismatch(self, state: Any) -> str | None:
        """Check that the state is of one stage, and of the right one, and compare it."""
        stages = [number for number, name in enumerate(self.fields) if getattr(state, name)]
        if len(stages) != 1 or len(getattr(state, self.fields[stages[0]])) != 1:
            return f"it is in {len(stages)} stages of growth at once"
        stage, inner = self._find(state)
        ends = [*self.starts[1:], np.inf]
        if not self.starts[stage] <= state.generation < ends[stage]:
            return f"it is in stage {stage + 1} of growth at generation {state.generation}"
        if inner.generation != state.generation - self.starts[stage]:
            return f"its stage is at generation {inner.generation}"
        individuals = self.methods[stage].population_size
        if state.population.shape != (individuals, self.decoder.genes):
            return f"its population has the shape {state.population.shape}"
        return self.methods[stage].find_mismatch(inner)

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Play one generation and breed the next; at the end of a stage, the networks grow."""
        stage, inner = self._find(state)
        method = self.methods[stage]

        # Evolution
        after, report = method.step(inner, Arena(method.decoder, arena.executor))
        arena.games_played += report.games
        report = replace(report, generation=state.generation)

        # Growth: the champion is first, then come the individuals.
        if [self.starts[stage] + after.generation] == self.starts[stage + 1 : stage + 2]:
            own = Arena(method.decoder, arena.executor)
            champion, final = method.champion(after, own)
            arena.games_played += final.games
            report = replace(report, games=report.games + final.games)
            grown = self._embed(
                stage, np.concatenate([champion[None], after.population]), state.seed
            )
            stage += 1
            begun = self.methods[stage].initial(self._find_seed(state.seed, stage))
            after = self.methods[stage].enter(begun, grown[: len(begun.population)])
        return self._make_state(state.seed, stage, after), report

    def champion(self, state: Any, arena: Arena) -> tuple[Floats, Report]:
        """Return the champion of the present stage, as a network of the last one."""
        stage, inner = self._find(state)
        method = self.methods[stage]
        own = Arena(method.decoder, arena.executor)
        found, report = method.champion(inner, own)
        arena.games_played += own.games_played
        champion = self._embed_fully(stage, found[None], state.seed)[0]
        return champion, replace(report, generation=state.generation)

    def candidates(self, state: Any) -> Floats:
        """Return the individuals of the present stage as they would play, in the last one."""
        stage, inner = self._find(state)
        return self._embed_fully(stage, self.methods[stage].candidates(inner), state.seed)

    def describe(self, state: Any) -> JsonObject:
        """Return the figures of the present stage, and its number."""
        stage, inner = self._find(state)
        return {"stage": stage + 1} | self.methods[stage].describe(inner)
