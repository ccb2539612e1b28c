"""The method ``tournament``: the winners of played tournaments are crossed and mutated.

The loop, for n individuals and tournaments of t:

1. Evaluation: 2n tournaments are drawn at random; every two members of each play each other.
2. Selection: the winner of each tournament becomes a parent.
3. Crossover: the winners of each two consecutive tournaments have a child, which takes each gene
   from the second parent with probability p_c, else from the first.
4. Mutation: each gene of a child gets, with probability p_m, a number from N(0, σ²) added.
5. Elitism: the fittest individuals take the places of as many children.
6. The children are the next population; go to 1.

Source: Dragan and Izert (2016). With ``matches.pairing = "round-robin"`` every two individuals
meet once instead, and a tournament is won by the member with most points; in games for more than
two all play the same deals (see :mod:`evolve_arena.evolve.multiplayer`). Elites, self-adaptive
mutation, a hall of fame as opponents and common openings are off unless the recipe asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.seeding import derive_stream
from evolve_arena.core.types import Floats
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.matches import TournamentResults, describe_fitness, remember
from evolve_arena.evolve.memory import estimate_matches
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.operators import check_initialisation, make_toolbox
from evolve_arena.evolve.settings.tournament import TournamentConfig
from evolve_arena.evolve.state_checks import Shape
from evolve_arena.evolve.tournament_matches import TournamentMatches
from evolve_arena.evolve.vectors import SelfAdaptiveBreeder, VectorBreeder
from evolve_arena.genomes.variation import adapt_step_sizes, measure_diversity
from evolve_arena.players.evolved import Decoder


@dataclass(frozen=True, eq=False)
class TournamentState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: Floats
    """The individuals, shape ``(individuals, genes)``."""
    step_sizes: Floats = field(metadata={"stored": "strengths"})
    """The step size of each individual's mutation, shape ``(individuals,)``."""
    hall: Floats
    """The hall of fame, the oldest first, shape ``(members, genes)``."""


class Tournament(SelfAdaptiveBreeder[TournamentState]):
    """Breeds weight vectors by played tournaments."""

    name = "tournament"
    config_type = TournamentConfig
    sections = ("matches", "variation")
    instead: ClassVar[Mapping[str, str]] = {"method.step_size": "variation.step_size"}
    state_type = TournamentState
    shapes: ClassVar[Mapping[str, Shape]] = {
        **VectorBreeder.shapes,
        "step_sizes": ("individuals",),
    }
    config: TournamentConfig

    def __init__(self, config: TournamentConfig, decoder: Decoder) -> None:
        super().__init__(config, decoder)
        self.toolbox = make_toolbox(config.variation, config.tournament_size)
        pairs_only = {"matches.pairing": "matches.multiplayer.deals"}
        self.evaluation = Evaluation(
            config, config.matches, decoder.game, config.individuals, pairs_only
        )
        self.matches = TournamentMatches(config, self.evaluation)
        check_initialisation(decoder, config.initialisation)

    @classmethod
    def estimate_bytes(cls, config: TournamentConfig, decoder: Decoder) -> int:
        """Estimate the bytes of the population and of a generation's or the champion's matches."""
        individuals, size = config.individuals, config.tournament_size
        pairs = max(individuals * size * (size - 1), individuals * (individuals - 1) // 2)
        matches = estimate_matches(config.matches, decoder.game, individuals, pairs)
        return super().estimate_bytes(config, decoder) + matches

    def initial(self, seed: int) -> TournamentState:
        """Return a random population."""
        sizes = np.full(self.config.individuals, self.config.variation.step_size, dtype=np.float32)
        return TournamentState(seed, 0, self.draw_population(seed), sizes, self.no_hall())

    def step(self, state: TournamentState, arena: Arena) -> tuple[TournamentState, Report]:
        """Play the tournaments of one generation and breed the next."""
        settings, seed, now = self.config.variation, state.seed, state.generation
        games = arena.games_played

        # Evaluation
        played, figures = self.matches.play(arena, state)
        ranking = np.argsort(-played.fitness, kind="stable")

        # Selection
        parents = 2 * self.config.individuals
        chosen = self.toolbox.select(played, parents, derive_stream(seed, now, "selection"))
        first, second = chosen[0::2], chosen[1::2]

        # Crossover
        crossing = derive_stream(seed, now, "crossover")
        children = self.toolbox.mate(state.population, first, second, crossing)

        # Mutation
        step_sizes = self._adapt_step_sizes(state, first, second)
        mutating = derive_stream(seed, now, "mutation")
        children = self.toolbox.mutate(children, step_sizes, mutating)

        # Elitism
        elites = ranking[: settings.elites]
        children[: len(elites)] = state.population[elites]
        step_sizes[: len(elites)] = state.step_sizes[elites]

        fittest = state.population[ranking[0]]
        hall = remember(self.config.matches.hall_of_fame, state.hall, fittest, seed, now)
        report = Report(
            generation=now,
            games=arena.games_played - games,
            statistics=self._measure(state, played) | figures,
            fitness=played.fitness,
        )
        return TournamentState(seed, now + 1, children, step_sizes, hall), report

    def _adapt_step_sizes(
        self, state: TournamentState, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> Floats:
        """Return the step size of each child, varied from its parents' if self-adaptive."""
        settings = self.config.variation
        if not settings.self_adaptive:
            return state.step_sizes.copy()
        return adapt_step_sizes(
            state.step_sizes[first],
            state.step_sizes[second],
            derive_stream(state.seed, state.generation, "strengths"),
            rate=settings.step_size_rate,
            floor=settings.min_step_size,
        )

    def _measure(self, state: TournamentState, played: TournamentResults) -> dict[str, float]:
        """Return the statistics of a generation by name."""
        adaptive = self.config.variation.self_adaptive
        step_size = np.median(state.step_sizes) if adaptive else state.step_sizes[0]
        return describe_fitness(played.fitness) | {
            "diversity": measure_diversity(state.population),
            "mutation_strength": float(step_size),
        }

    @property
    def inherits_step_sizes(self) -> bool:
        """True if each individual has its own step size, False if the recipe sets it."""
        return self.config.variation.self_adaptive

    def find_fitness(self, state: TournamentState, arena: Arena) -> NDArray[np.float64]:
        """Play a generation's matches, and return the fitness, shape ``(individuals,)``."""
        return self.matches.play(arena, state)[0].fitness

    def champion(self, state: TournamentState, arena: Arena) -> tuple[Floats, Report]:
        """Return the winner of a round robin of the whole population, ties broken at random."""
        row, report = self.matches.find_champion(arena, state)
        return state.population[row], report
