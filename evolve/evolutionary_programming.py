"""The method ``evolutionary-programming``: every parent has one child, and the better half lives.

After Chellapilla and Fogel (1999): each gene has a mutation strength of its own, which evolves
with it; there is no crossover. In each generation the n parents and their n children play
matches against opponents drawn at random from all of them; a win counts 1, a draw 0, a loss -2,
for both who meet; the n with most points are the next parents. All else (a hall of fame as
opponents, common openings, random moves) is off unless the recipe asks for it. Source: IEEE
Transactions on Neural Networks 10 (1999), pages 1382 to 1391, section III.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings, Results
from evolve_arena.arena.pairings import round_robin
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.evolve.fitness import make_fitness, make_fixed, meet_others
from evolve_arena.evolve.matches import (
    MatchSettings,
    OpeningsConfig,
    check_openings,
    describe_fitness,
    estimate_matches,
    meet,
    remember,
    sum_points,
)
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.operators import Operator, check_initialisation, initialise, make_selection
from evolve_arena.genomes.self_adaptive import mutate_self_adaptive, self_adaptive_rate
from evolve_arena.genomes.variation import measure_diversity


class EvolutionaryProgrammingConfig(MatchSettings):
    """The section ``[method]`` of a recipe."""

    name: Literal["evolutionary-programming"] = "evolutionary-programming"
    individuals: int = Field(default=15, ge=2, le=10_000)
    """Parents; each has one child in a generation."""
    opponents: int = Field(default=5, ge=1, le=10_000)
    """How many opponents each parent and each child draws, and meets moving first; it is drawn by
    about as many."""
    draw_points: float = Field(default=0.0, ge=-100.0, le=1.0)
    """What a draw counts, a win being 1; not less than a loss."""
    loss_points: float = Field(default=-2.0, ge=-100.0, lt=1.0)
    """What a loss counts."""
    score: Literal["sum", "mean"] = "sum"
    """What is compared: the points of all matches together, or of each on average. Who is drawn
    more often has more matches to win, and to lose, points in."""
    mutation_strength: float = Field(default=0.05, gt=0.0, le=1000.0)
    """The standard deviation of what is added to a gene, at the start."""
    strength_rate: float | None = Field(default=None, gt=0.0, le=10.0)
    """The standard deviation of the logarithm of the strengths' changes; if it is left out,
    1 / sqrt(2 * sqrt(genes))."""
    strength_floor: float = Field(default=0.0, ge=0.0, le=1000.0)
    """The least strength that a gene's mutation can have; 0: no limit."""
    initialisation: str = "uniform:0.2"
    """How the first weights are drawn; see `evolve_arena.genomes.mlp.INITIALISATIONS`.
    ``uniform:0.2`` draws them from -0.2 to 0.2."""
    training_depths: tuple[int, ...] = ()
    """How many plies players look ahead in the matches among themselves, in one generation after
    the other; none: as many as they do elsewhere. Shallow searches cost little, and what they
    teach helps deep ones. Even ones end before own moves and odd ones before the opponent's, so
    what is good for the one need not be for the other: two in turn teach both."""
    selection: Operator = Operator(name="best")
    """Which of the parents and children are the next parents: the ``best``, or those whom another
    of `evolve_arena.evolve.operators.SELECTIONS` or of ``deap.tools`` chooses."""
    champion: Literal["best", "mean"] = "best"
    """Who is taken away: the best of the parents, or one with the mean of their genes, in which
    much of what each got by chance cancels out. That makes sense once all have ancestors in
    common, which takes some tens of generations."""

    @model_validator(mode="after")
    def _in_order(self) -> EvolutionaryProgrammingConfig:
        if self.draw_points < self.loss_points:
            raise ValueError(
                f"draw_points is {self.draw_points}: a draw must not count less than a loss"
                f" ({self.loss_points})"
            )
        return self


@dataclass(frozen=True, eq=False)
class EvolutionaryProgrammingState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """The parents, shape ``(individuals, genes)``; but for the first generation, those who had
    most points come first."""
    strengths: NDArray[np.float32]
    """The mutation strength of each of their genes, of the same shape."""
    hall: NDArray[np.float32]
    """The hall of fame, the oldest first, shape ``(members, genes)``."""


class EvolutionaryProgramming(Method[EvolutionaryProgrammingState]):
    """Breeds weight vectors by self-adaptive mutation alone."""

    name = "evolutionary-programming"
    config_type = EvolutionaryProgrammingConfig
    genome_kind = "vector"
    only_pairs = True
    state_type = EvolutionaryProgrammingState
    migrates = True
    config: EvolutionaryProgrammingConfig

    def __init__(self, config: EvolutionaryProgrammingConfig, decoder: Any) -> None:
        usual = type(config).model_fields["openings"].get_default(call_default_factory=True)
        if find_game(decoder.game.name).has_chance and config.openings == usual:
            config = config.model_copy(update={"openings": OpeningsConfig()})
        super().__init__(config, decoder)
        check_openings(decoder.game, config.openings.plies, "method.openings.plies")
        self.fitness = make_fitness(config, decoder.game)
        self.fixed = make_fixed(config, decoder.game)
        check_initialisation(decoder, config.initialisation)
        self._select = make_selection(config.selection, "method.selection")
        self._trained = [_change_depth(decoder, depth) for depth in config.training_depths]

    @classmethod
    def estimate_bytes(cls, config: EvolutionaryProgrammingConfig, decoder: Any) -> int:
        """Parents, children and their strengths, and the matches or the champion's round robin."""
        count = config.individuals
        met = config.opponents + config.hall_of_fame.opponents
        pairs = max(2 * count * met, count * (count - 1) // 2)
        matches = estimate_matches(config, pairs, 2 * count)
        return 2 * super().estimate_bytes(config, decoder) + matches

    def initial(self, seed: int) -> EvolutionaryProgrammingState:
        """Random parents."""
        config = self.config
        generator = derive_generator(seed, 0, "initialisation")
        shape = config.individuals, self.decoder.genes
        return EvolutionaryProgrammingState(
            seed=seed,
            generation=0,
            population=initialise(
                self.decoder, config.individuals, config.initialisation, generator
            ),
            strengths=np.full(shape, config.mutation_strength, dtype=np.float32),
            hall=np.zeros((0, self.decoder.genes), dtype=np.float32),
        )

    def find_mismatch(self, state: EvolutionaryProgrammingState) -> str | None:
        """Compares the shapes of the arrays with the configuration."""
        shape = self.config.individuals, self.decoder.genes
        if state.population.shape != shape:
            return f"its population has shape {state.population.shape}, not {shape}"
        if state.strengths.shape != shape or state.hall.shape[1:] != shape[1:]:
            return "its strengths or its hall of fame have another shape"
        arrays = (state.population, state.strengths, state.hall)
        if any(array.dtype != np.float32 for array in arrays):
            return "its genes are no 32-bit numbers"
        return None

    def step(
        self, state: EvolutionaryProgrammingState, arena: Arena
    ) -> tuple[EvolutionaryProgrammingState, Report]:
        """Breeds the children, lets all play, and keeps the better half."""
        inside = self._enter(state, arena)
        seed, now = state.seed, state.generation
        everybody, strengths = self._breed(state)
        points, played = self._play(replace(state, population=everybody), inside)
        arena.games += inside.games
        mean = points / played
        merit = points if self.config.score == "sum" else mean
        ranking = rank_by_merit(merit, derive_generator(seed, now, "ties"))
        chance = derive_generator(seed, now, "selection")
        chosen = ranking[self._select(merit[ranking], self.config.individuals, chance)]
        after = EvolutionaryProgrammingState(
            seed,
            now + 1,
            everybody[chosen],
            strengths[chosen],
            remember(self.config.hall_of_fame, state.hall, everybody[ranking[0]], seed, now),
        )
        figures = describe_fitness(self._share(mean))
        figures["diversity"] = measure_diversity(state.population)
        figures["mutation_strength"] = float(np.median(state.strengths))
        fitness = mean[: self.config.individuals]
        return after, Report(now, inside.games, figures, fitness=fitness)

    def take(
        self, state: EvolutionaryProgrammingState, rows: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Copies of these parents, shape ``(parents, 2 * genes)``: strengths come last."""
        return np.hstack([state.population, state.strengths])[rows]

    def settle(
        self,
        state: EvolutionaryProgrammingState,
        rows: NDArray[np.int64],
        newcomers: NDArray[np.float32],
    ) -> EvolutionaryProgrammingState:
        """The state with *newcomers*, who bring their mutation strengths."""
        genes, strengths = np.split(newcomers, 2, axis=1)
        settled, own = super().settle(state, rows, genes), state.strengths.copy()
        own[rows] = strengths
        return replace(settled, strengths=own)

    def find_fitness(
        self, state: EvolutionaryProgrammingState, arena: Arena
    ) -> NDArray[np.float64]:
        """Parents stand in the order of their points, so their places will do."""
        return -np.arange(len(state.population), dtype=np.float64)

    def champion(
        self, state: EvolutionaryProgrammingState, arena: Arena
    ) -> tuple[NDArray[np.float32], Report]:
        """The winner of a round robin of the parents in both colours, or their mean.

        The one that came out best of its generation wins ties. The mean plays no match for it.
        """
        individuals = len(state.population)
        if self.config.champion == "mean":
            mean = state.population.mean(axis=0, dtype=np.float64).astype(np.float32)
            return mean, Report(state.generation, 0, {"points": 0.0, "matches": 0.0})
        config = self.config.model_copy(update={"colours": "both"})
        pairings = round_robin(individuals)
        inside = self._enter(state, arena)
        results, met = meet(config, inside, state, pairings, "champion matches")
        arena.games += inside.games
        points, played = self._sum(results, met, individuals)
        if self.fitness:
            points = self.fitness.measure(inside, state, [(results, met)])
        chosen = int(np.argmax(points))
        statistics = {"points": float(points[chosen]), "matches": float(played[chosen])}
        return state.population[chosen], Report(state.generation, len(met), statistics)

    def describe(self, state: EvolutionaryProgrammingState) -> dict[str, Any]:
        """Individuals, and genes of each."""
        individuals, genes = state.population.shape
        return {"individuals": individuals, "genes": genes}

    def _enter(self, state: EvolutionaryProgrammingState, arena: Arena) -> Arena:
        """The arena for this generation's matches."""
        decoders = self._trained or [self.decoder]
        return Arena(decoders[state.generation % len(decoders)], arena.executor)

    def _breed(
        self, state: EvolutionaryProgrammingState
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Parents and children, and the strengths of both."""
        rate = self.config.strength_rate
        children, strengths = mutate_self_adaptive(
            state.population,
            state.strengths,
            derive_stream(state.seed, state.generation, "mutation"),
            rate=self_adaptive_rate(self.decoder.genes) if rate is None else rate,
            floor=self.config.strength_floor,
        )
        everybody = np.concatenate([state.population, children])
        return everybody, np.concatenate([state.strengths, strengths])

    def _play(
        self, state: EvolutionaryProgrammingState, arena: Arena
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each of the state's population wins, and in how many matches."""
        config = self.config
        count = len(state.population)
        generator = derive_generator(state.seed, state.generation, "opponents")
        pairings = draw_opponents(count, config.opponents, generator)
        results, met = meet(config, arena, state, pairings, "matches")
        others = meet_others(config, arena, state, self.fixed, self.decoder)
        if self.fitness:
            own = [(each.results, each.pairings) for each in others]
            fitness = self.fitness.measure(arena, state, [(results, met), *own])
            return fitness, np.ones(count)
        points, played = self._sum(results, met, count)
        for each in others:
            everybody = max(count, int(each.pairings.max(initial=0)) + 1)
            bonus, games = self._sum(each.results, each.pairings, everybody)
            points += bonus[:count]
            played += games[:count]
        return points, played

    def _sum(
        self, results: Results, met: Pairings, players: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each player's points as the recipe counts them, and its matches."""
        config = self.config
        won, played = sum_points(results, met, players, 0.0)
        not_lost, _ = sum_points(results, met, players, 1.0)
        points = won + config.draw_points * (not_lost - won)
        return points + config.loss_points * (played - not_lost), played

    def _share(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points per match, from 0 for who lost all to 1 for who won all."""
        loss = self.config.loss_points
        return (mean - loss) / (1.0 - loss)


def draw_opponents(players: int, opponents: int, generator: np.random.Generator) -> Pairings:
    """Each of *players* moves first against so many random others, shape ``(matches, 2)``.

    Somebody may draw the same one twice, and nobody draws himself.
    """
    first = np.repeat(np.arange(players), opponents)
    drawn = generator.integers(players - 1, size=len(first))
    drawn += drawn >= first
    return np.stack([first, drawn], axis=1).astype(np.int32)


def rank_by_merit(merit: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Rows from the best to the worst; who is as good comes in random order."""
    order = generator.permutation(len(merit))
    ranking: NDArray[np.int64] = order[np.argsort(-merit[order], kind="stable")]
    return ranking


def _change_depth(decoder: Any, depth: int) -> Any:
    """The same *decoder*, but looking so many plies ahead."""
    if not hasattr(decoder, "depth"):
        raise BadValueError(
            "method.training_depths: these players do not look ahead, so leave it out"
        )
    try:
        return replace(decoder, depth=depth)
    except BadValueError as error:
        raise BadValueError(f"method.training_depths: {error}") from None
