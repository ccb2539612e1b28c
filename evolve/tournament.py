"""The method ``tournament``: winners of played tournaments are crossed and mutated.

After Dragan and Izert (2016): in each generation of n individuals, 2n tournaments of t are
played, every two members meeting; the winners of each two consecutive ones have a child. With
``pairing = "round-robin"`` the whole population meets once instead, and a tournament goes to the
member who did best there. So it does in games for more than two, where everybody plays the same
decks (see :mod:`evolve_arena.evolve.tables`). All else (elites, self-adaptive
mutation, a hall of fame as opponents, common openings) is off unless the recipe asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import round_robin, tournaments
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.fitness import meet_others
from evolve_arena.evolve.matches import (
    TournamentResults,
    describe_fitness,
    draw_members,
    meet,
    remember,
    sum_members,
    sum_points,
    sum_tournaments,
)
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.operators import (
    OWN_OPERATORS,
    Operator,
    check_initialisation,
    initialise,
    make_toolbox,
)
from evolve_arena.evolve.table_settings import TableMatchSettings, estimate_match_bytes
from evolve_arena.genomes.variation import adapt_strengths, measure_diversity

FOR_PAIRS = {"pairing": "method.tables.decks"}
"""A key that makes no sense at tables, and where these say the like."""


class TournamentConfig(TableMatchSettings):
    """The section ``[method]`` of a recipe."""

    name: Literal["tournament"] = "tournament"
    individuals: int = Field(default=100, ge=2, le=100_000)
    """How many individuals the population has."""
    tournament_size: int = Field(default=7, ge=2, le=1000)
    """How many individuals meet in one tournament."""
    pairing: Literal["tournaments", "round-robin"] = "tournaments"
    """Who meets whom. ``tournaments``: every two members of each tournament. ``round-robin``: every
    two individuals once, n(n - 1)/2 pairs; a tournament goes to the member with most
    points of these."""
    crossover_probability: float = Field(default=0.35, ge=0.0, le=1.0)
    """p_c: the share of genes that a child has from its second parent."""
    mutation_probability: float = Field(default=0.015, ge=0.0, le=1.0)
    """p_m: with this probability a gene gets a Gaussian number added."""
    mutation_strength: float = Field(default=1.0, gt=0.0, le=1000.0)
    """The standard deviation of that number; at the start, if it adapts itself."""
    self_adaptive: bool = False
    """Whether each individual has a mutation strength of its own, which its children inherit with
    changes; otherwise all have ``mutation_strength``."""
    strength_rate: float = Field(default=0.1, gt=0.0, le=10.0)
    """How fast these strengths change: the standard deviation of the logarithm of the factor; of
    use with ``self_adaptive`` only."""
    strength_floor: float = Field(default=0.01, ge=0.0, le=1000.0)
    """The least strength that an individual can have, 0 being no limit; of use with
    ``self_adaptive`` only."""
    initialisation: str = "uniform"
    """How the first weights are drawn: ``uniform``, ``normal``, ``glorot``, ``he``, ``fan-in`` or
    ``inverse``, perhaps with a width, as in ``uniform:0.5``; see
    `evolve_arena.genomes.mlp.INITIALISATIONS`."""
    elites: int = Field(default=0, ge=0)
    """How many of the fittest live on unchanged; 0: everybody is replaced by children."""
    select: Operator = Operator(name="played-tournament")
    """How parents are chosen: ``played-tournament``, the winner of each tournament that was played;
    or by fitness, with another of `evolve_arena.evolve.operators.SELECTIONS` or of
    ``deap.tools``."""
    mate: Operator = Operator(name="uniform")
    """How two parents make a child: ``uniform``, each gene from the second parent with
    ``crossover_probability``; or a crossover of ``deap.tools``, such as ``cxBlend``."""
    mutate: Operator = Operator(name="gaussian")
    """How children are changed: ``gaussian``, by ``mutation_probability`` and
    ``mutation_strength``; or a mutation of ``deap.tools``."""

    @model_validator(mode="after")
    def _fit_together(self) -> TournamentConfig:
        for key in ("tournament_size", "elites"):
            if getattr(self, key) > self.individuals:
                raise ValueError(
                    f"{key} is {getattr(self, key)}, more than the {self.individuals} individuals"
                )
        if self.self_adaptive and self.mutate.name != OWN_OPERATORS["mutate"]:
            raise ValueError(
                f"self_adaptive is true, but mutate is {self.mutate.name!r}, which knows nothing of"
                f" strengths: use {OWN_OPERATORS['mutate']!r}"
            )
        return self


@dataclass(frozen=True, eq=False)
class TournamentState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """Shape ``(individuals, genes)``."""
    strengths: NDArray[np.float32]
    """The mutation strength of each individual, shape ``(individuals,)``."""
    hall: NDArray[np.float32]
    """The hall of fame, the oldest first, shape ``(members, genes)``."""


class Tournament(Method[TournamentState]):
    """Breeds weight vectors by played tournaments."""

    name = "tournament"
    config_type = TournamentConfig
    genome_kind = "vector"
    state_type = TournamentState
    migrates = True

    def __init__(self, config: TournamentConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.toolbox = make_toolbox(
            select=config.select,
            mate=config.mate,
            mutate=config.mutate,
            defaults={
                "select": {"tournsize": config.tournament_size, "size": config.tournament_size},
                "mate": {"indpb": config.crossover_probability, "alpha": 0.5, "eta": 15.0},
                "mutate": {
                    "indpb": config.mutation_probability,
                    "mu": 0.0,
                    "sigma": config.mutation_strength,
                },
            },
        )
        self.evaluation = Evaluation(config, decoder.game, config.individuals, FOR_PAIRS)
        check_initialisation(decoder, config.initialisation)

    @classmethod
    def estimate_bytes(cls, config: TournamentConfig, decoder: Any) -> int:
        """The population's, and those of the tournaments or the champion's round robin."""
        individuals, size = config.individuals, config.tournament_size
        pairs = max(individuals * size * (size - 1), individuals * (individuals - 1) // 2)
        bred = super().estimate_bytes(config, decoder)
        return bred + estimate_match_bytes(config, decoder.game, individuals, pairs)

    def initial(self, seed: int) -> TournamentState:
        """A random population."""
        config = self.config
        generator = derive_generator(seed, 0, "initialisation")
        return TournamentState(
            seed=seed,
            generation=0,
            population=initialise(
                self.decoder, config.individuals, config.initialisation, generator
            ),
            strengths=np.full(config.individuals, config.mutation_strength, dtype=np.float32),
            hall=np.zeros((0, self.decoder.genes), dtype=np.float32),
        )

    def find_mismatch(self, state: TournamentState) -> str | None:
        """Compares the shapes of the arrays with the configuration."""
        individuals, genes = self.config.individuals, self.decoder.genes
        if state.population.shape != (individuals, genes):
            return f"its population has shape {state.population.shape}, not {individuals, genes}"
        if state.strengths.shape != (individuals,) or state.hall.shape[1:] != (genes,):
            return "its strengths or its hall of fame have another shape"
        if any(array.dtype != np.float32 for array in (state.population, state.hall)):
            return "its genes are no 32-bit numbers"
        return None

    def step(self, state: TournamentState, arena: Arena) -> tuple[TournamentState, Report]:
        """Plays the tournaments of one generation and breeds the next."""
        before = arena.games
        played, figures = self._play(state, arena)
        report = Report(
            generation=state.generation,
            games=arena.games - before,
            statistics=self._measure(state, played) | figures,
            fitness=played.fitness,
        )
        return self._breed(state, played), report

    def take(self, state: TournamentState, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these individuals, shape ``(individuals, genes + 1)``: strengths come last."""
        return np.column_stack([state.population, state.strengths])[rows]

    def settle(
        self, state: TournamentState, rows: NDArray[np.int64], newcomers: NDArray[np.float32]
    ) -> TournamentState:
        """The state with *newcomers*, who bring their mutation strengths if these adapt."""
        settled = super().settle(state, rows, newcomers[:, :-1])
        if not self.config.self_adaptive:
            return settled
        strengths = state.strengths.copy()
        strengths[rows] = newcomers[:, -1]
        return replace(settled, strengths=strengths)

    def find_fitness(self, state: TournamentState, arena: Arena) -> NDArray[np.float64]:
        """As in a generation's matches."""
        return self._play(state, arena)[0].fitness

    def champion(self, state: TournamentState, arena: Arena) -> tuple[NDArray[np.float32], Report]:
        """The winner of a round robin of the whole population, ties being drawn.

        At tables, who does best alone among company; see `Evaluation.find_champion`.
        """
        if self.evaluation.tables or self.evaluation.plays_nothing:
            row, report = self.evaluation.find_champion(arena, state, _pair_all, 1)
            return state.population[row], report
        individuals = len(state.population)
        generator = derive_generator(state.seed, state.generation, "champion")
        order = generator.permutation(individuals).astype(np.int32)
        pairings = order[round_robin(individuals)]
        results, met = meet(self.config, arena, state, pairings, "champion matches")
        points, played = sum_points(results, met, individuals, self.config.draw_points)
        if self.evaluation.own:
            points = self.evaluation.own.measure(arena, state, [(results, met)])
        best = np.flatnonzero(points == points.max())
        chosen = int(generator.choice(best))
        report = Report(
            generation=state.generation,
            games=len(met),
            statistics={"points": float(points[chosen]), "matches": float(played[chosen])},
        )
        return state.population[chosen], report

    def describe(self, state: TournamentState) -> dict[str, Any]:
        """Individuals, and genes of each."""
        individuals, genes = state.population.shape
        return {"individuals": individuals, "genes": genes}

    def _play(
        self, state: TournamentState, arena: Arena
    ) -> tuple[TournamentResults, dict[str, float]]:
        """The tournaments, and figures about the games if these are played at tables."""
        config = self.config
        members = draw_members(
            config.individuals,
            2 * config.individuals,
            config.tournament_size,
            derive_stream(state.seed, state.generation, "members"),
        )
        if self.evaluation.tables or self.evaluation.plays_nothing:
            fitness, figures = self.evaluation.measure(arena, state, _pair_all)
            return TournamentResults(members, fitness[members], fitness), figures
        all_meet = config.pairing == "round-robin"
        pairings = _pair_all(state) if all_meet else tournaments(members)
        results, met = meet(config, arena, state, pairings, "matches")
        if all_meet:
            points, played = sum_points(results, met, config.individuals, config.draw_points)
            won = points[members]
        else:
            won = sum_tournaments(results, met, members, config.draw_points)
            points, played = sum_members(members, won, len(met), config.individuals)
        others = meet_others(config, arena, state, self.evaluation.fixed)
        if self.evaluation.own:
            more = [(each.results, each.pairings) for each in others]
            fitness = self.evaluation.own.measure(arena, state, [(results, met), *more])
            return TournamentResults(members, fitness[members], fitness), {}
        for each in others:
            bonus, games = each.sum_points(config.individuals, config.draw_points)
            won += bonus[members]
            points += bonus
            played += games
        with np.errstate(invalid="ignore"):
            return TournamentResults(members, won, points / played), {}

    def _breed(self, state: TournamentState, played: TournamentResults) -> TournamentState:
        config = self.config
        seed, now = state.seed, state.generation
        chosen = self.toolbox.select(
            played, 2 * config.individuals, derive_stream(seed, now, "selection")
        )
        first, second = chosen[0::2], chosen[1::2]
        children = self.toolbox.mate(
            state.population,
            first,
            second,
            derive_stream(seed, now, "crossover"),
        )
        strengths = state.strengths
        if config.self_adaptive:
            strengths = adapt_strengths(
                strengths[first],
                strengths[second],
                derive_stream(seed, now, "strengths"),
                rate=config.strength_rate,
                floor=config.strength_floor,
            )
        children = self.toolbox.mutate(children, strengths, derive_stream(seed, now, "mutation"))
        ranking = np.argsort(-played.fitness, kind="stable")
        if config.elites:
            best = ranking[: config.elites]
            children[: config.elites] = state.population[best]
            strengths = strengths.copy()
            strengths[: config.elites] = state.strengths[best]
        hall = remember(config.hall_of_fame, state.hall, state.population[ranking[0]], seed, now)
        return TournamentState(seed, now + 1, children, strengths, hall)

    def _measure(self, state: TournamentState, played: TournamentResults) -> dict[str, float]:
        figures = describe_fitness(played.fitness)
        figures["diversity"] = measure_diversity(state.population)
        adaptive = self.config.self_adaptive
        strength = np.median(state.strengths) if adaptive else state.strengths[0]
        figures["mutation_strength"] = float(strength)
        return figures


def _pair_all(state: TournamentState, purpose: str = "") -> Pairings:
    """Every two individuals once; chance decides who moves first, everybody as often as not."""
    individuals = len(state.population)
    order = derive_generator(state.seed, state.generation, "pairing").permutation(individuals)
    pairs = round_robin(individuals)
    odd = (pairs.sum(axis=1) % 2 == 1)[:, None]
    return order[np.where(odd, pairs, pairs[:, ::-1])].astype(np.int32)
