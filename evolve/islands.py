"""Islands: populations that evolve side by side, and now and then send individuals to each other.

What an island does depends on its own seed and on who arrives; who arrives in a generation, and
from where, follows from the seed and that generation alone. So the islands can be bred in any
order, on any machine, and the bits are the same.

An island chooses its emigrants by the fitness of the generation before, and newcomers take their
places before a generation plays: fitness among individuals that met each other says nothing of
others, so they have to play where they arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, make_dataclass, replace
from statistics import fmean
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.pairings import longest_opening, random_openings, round_robin
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.matches import sum_points
from evolve_arena.evolve.method import Method, Report
from evolve_arena.genomes.neat.numbering import MOST_ISLANDS
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.tuples import TuplePopulation, join_tuples

FINAL_GAMES = 200
"""How many games any two champions of islands play, in games for two."""
EXTREMES: dict[str, Any] = {"best": max, "worst": min, "species": sum}
"""How figures of islands become one; all others are averaged, but for those of the best one."""


class IslandsConfig(Config):
    """The section ``[islands]`` of a recipe."""

    count: int = Field(default=4, ge=2, le=MOST_ISLANDS)
    """How many populations there are, each as large as ``[method]`` or ``[neat]`` says."""
    topology: Literal["ring", "complete", "random"] = "ring"
    """Who sends to whom. ``ring``: each island to the next one. ``complete``: each to all others.
    ``random``: along a ring whose order is drawn anew for each migration."""
    interval: int = Field(default=10, ge=1, le=1_000_000)
    """Generations between two migrations."""
    migrants: int = Field(default=2, ge=0, le=10_000)
    """Of how many, the fittest, an island sends copies to each island that it sends to; 0: none."""
    replace: Literal["random", "worst"] = "random"
    """Whose places newcomers take. ``random``: anybody's. ``worst``: those of the least fit, for
    which an island plays one more generation's matches before each arrival."""
    each: tuple[dict[str, Any], ...] = ()
    """What islands have other than ``[method]`` says: a table for each, from the first on; islands
    without one are as ``[method]`` says."""

    @model_validator(mode="after")
    def _fit_together(self) -> IslandsConfig:
        if len(self.each) > self.count:
            raise ValueError(f"each has {len(self.each)} tables for {self.count} islands")
        return self

    @property
    def arriving(self) -> int:
        """How many newcomers an island gets at a migration."""
        return self.migrants * (self.count - 1 if self.topology == "complete" else 1)

    def find_senders(self, seed: int, migration: int) -> list[list[int]]:
        """From which islands newcomers come at a *migration*, numbered from 1, for each island."""
        islands = range(self.count)
        if self.topology == "complete":
            return [[other for other in islands if other != island] for island in islands]
        order = np.arange(self.count)
        if self.topology == "random":
            order = derive_generator(seed, migration, "migration").permutation(self.count)
        before = dict(zip(order.tolist(), np.roll(order, 1).tolist(), strict=True))
        return [[before[island]] for island in islands]


@dataclass(frozen=True)
class Voyage:
    """A stretch that an island goes without asking the others; it can be sent to a worker."""

    method: Method[Any]
    state: Any
    until: int
    """The generation at which it ends."""
    config: IslandsConfig
    arriving: Any
    """The newcomers before it begins; None if nobody comes."""


@dataclass(frozen=True)
class Arrival:
    """What became of a voyage."""

    state: Any
    reports: list[Report]
    leaving: Any = None
    """The emigrants, if it ended at a migration."""
    games: int = 0


def sail(voyage: Voyage, arena: Arena | None = None) -> Arrival:
    """Breeds an island as far as its *voyage* goes; in an arena of its own if there is none."""
    method, state, config = voyage.method, voyage.state, voyage.config
    arena = arena or Arena(method.decoder, SerialExecutor())
    before, reports, leaving = arena.games, [], None
    if voyage.arriving is not None:
        rows = _choose_places(method, state, config, arena)
        state = method.settle(state, rows, voyage.arriving)
    while state.generation < voyage.until:
        parents, (state, report) = state, method.step(state, arena)
        reports.append(replace(report, fitness=None))
        if config.migrants and state.generation % config.interval == 0:
            fitness: Any = report.fitness
            known = np.nan_to_num(fitness, nan=-np.inf)
            best = np.argsort(-known, kind="stable")[: config.migrants]
            leaving = method.take(parents, best)
    return Arrival(state, reports, leaving, arena.games - before)


def _choose_places(
    method: Method[Any], state: Any, config: IslandsConfig, arena: Arena
) -> NDArray[np.int64]:
    if config.replace == "worst":
        known = np.nan_to_num(method.find_fitness(state, arena), nan=-np.inf)
        return np.argsort(known, kind="stable")[: config.arriving]
    rng = derive_generator(state.seed, state.generation, "newcomers")
    return rng.choice(len(state.population), config.arriving, replace=False)


def join(groups: Sequence[Any]) -> Any:
    """Individuals of several islands, one after the other."""
    if isinstance(groups[0], NeatPopulation):
        return concatenate(groups)
    if isinstance(groups[0], TuplePopulation):
        return join_tuples(groups)
    return np.concatenate(groups)


def pick(individuals: Any, rows: NDArray[np.int64]) -> Any:
    """Copies of some *individuals*, in the order of *rows*."""
    return individuals[rows] if isinstance(individuals, np.ndarray) else individuals.take(rows)


class Islands(Method[Any]):
    """Several populations, each bred by a method of its own.

    Args:
        config: The section ``[islands]``.
        methods: The method of each island.

    Raises:
        BadValueError: They can't send individuals to each other, or too many.
    """

    config_type = IslandsConfig

    def __init__(self, config: IslandsConfig, methods: Sequence[Method[Any]]) -> None:
        super().__init__(config, methods[0].decoder)
        first = methods[0]
        if not first.migrates:
            raise BadValueError(
                f"islands: individuals of {first.name!r} can't migrate: leave the section out"
            )
        self.methods = list(methods)
        self.name = first.name
        for number, method in enumerate(methods):
            method.island = number
        kind: Any = tuple[first.state_type, ...]  # type: ignore[name-defined]
        sent: Any = tuple[first.individuals_type, ...]  # type: ignore[name-defined]
        self.state_type = make_dataclass(
            "IslandsState",
            [("seed", int), ("generation", int), ("islands", kind), ("waiting", sent)],
            bases=(_IslandsState,),
            frozen=True,
            eq=False,
        )
        for method in methods:
            size = method.population_size
            if config.arriving > size:
                raise BadValueError(
                    f"islands.migrants is {config.migrants}: {config.arriving} would arrive on an"
                    f" island of {size} individuals"
                )

    def check_ready(self) -> None:
        """Makes sure that all islands can begin."""
        for method in self.methods:
            method.check_ready()

    def initial(self, seed: int) -> Any:
        """A population on each island, each from a seed of its own."""
        seeds = self._derive_seeds(seed)
        begun = [method.initial(each) for method, each in zip(self.methods, seeds, strict=True)]
        return self.state_type(seed, 0, tuple(begun), ())

    def reseed(self, state: Any, seed: int) -> Any:
        """The same *state* with other seeds, on each island one of its own."""
        parts = zip(self.methods, state.islands, self._derive_seeds(seed), strict=True)
        return replace(state, seed=seed, islands=tuple(m.reseed(*part) for m, *part in parts))

    def enter(self, state: Any, individuals: Any) -> Any:
        """The initial *state* with *individuals* of other runs, dealt out to the islands."""
        count, numbers = self.config.count, np.arange(len(individuals))
        islands = [
            method.enter(island, pick(individuals, numbers[place::count]))
            for place, (method, island) in enumerate(zip(self.methods, state.islands, strict=True))
        ]
        return replace(state, islands=tuple(islands))

    def _derive_seeds(self, seed: int) -> list[int]:
        seeds = derive_seeds(seed, 0, "islands", self.config.count) >> np.uint64(1)
        return [int(each) for each in seeds]

    def find_mismatch(self, state: Any) -> str | None:
        """Compares each island with its settings, and who waits with the migrations so far."""
        config, count = self.config, self.config.count
        waiting = count if config.migrants and state.generation >= config.interval else 0
        faults = (m.find_mismatch(s) for m, s in zip(self.methods, state.islands, strict=False))
        found = next(filter(None, faults), None)
        if len(state.islands) != count:
            found = f"it has {len(state.islands)} islands, not {count}"
        elif any(island.generation != state.generation for island in state.islands):
            found = "its islands are at other generations"
        elif [len(group) for group in state.waiting] != [config.migrants] * waiting:
            found = f"{len(state.waiting)} groups of emigrants wait"
        return found

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """One generation on each island."""
        after, reports = self.proceed(state, arena, state.generation + 1)
        return after, reports[0]

    def proceed(self, state: Any, arena: Arena, until: int) -> tuple[Any, list[Report]]:
        """Goes on as far as no island has to wait for others, but not beyond *until*."""
        config, interval = self.config, self.config.interval
        until = min(until, (state.generation // interval + 1) * interval)
        voyages = [
            Voyage(method, island, until, config, newcomers)
            for method, island, newcomers in zip(
                self.methods, state.islands, self._find_newcomers(state), strict=True
            )
        ]
        if 1 < arena.executor.workers <= config.count:
            ends = arena.executor.map(sail, voyages)
            arena.games += sum(end.games for end in ends)
        else:  # the matches of each island are enough work for all workers, or for the only one
            ends = [sail(voyage, arena) for voyage in voyages]
        left = tuple(end.leaving for end in ends)
        waiting = state.waiting if left[0] is None else left
        after = self.state_type(state.seed, until, tuple(end.state for end in ends), waiting)
        reports = [self._merge(each) for each in zip(*(end.reports for end in ends), strict=True)]
        return after, reports

    def champion(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """The winner among the champions of all islands, who meet."""
        before = arena.games
        found = [
            method.champion(island, arena)[0]
            for method, island in zip(self.methods, state.islands, strict=True)
        ]
        rows = [each if isinstance(each, NeatPopulation) else each[None] for each in found]
        final = replace(state.islands[0], seed=state.seed, population=join(rows))
        if find_game(self.decoder.game.name).most_seats == 2 and not self._has_own_fitness:
            row, report = self._meet(final, arena)
            return found[row], replace(report, games=arena.games - before)
        champion, report = self.methods[0].find_best(final, arena)
        return champion, replace(report, games=arena.games - before)

    @property
    def _has_own_fitness(self) -> bool:
        return getattr(self.methods[0].config, "fitness", None) is not None

    def _meet(self, state: Any, arena: Arena) -> tuple[int, Report]:
        """The winner among few individuals of games that begin in many ways, in both colours."""
        game, pairs = self.decoder.game, round_robin(self.config.count)
        each, plies = FINAL_GAMES // 2, min(4, longest_opening(self.decoder.game))
        seeds = derive_seeds(state.seed, state.generation, "final of islands", each + 1)
        openings = random_openings(game, plies, each, int(seeds[-1]))
        seatings = np.concatenate([np.repeat(pairs, each, 0), np.repeat(pairs[:, ::-1], each, 0)])
        times = 2 * len(pairs)
        results = arena.play(
            state.population, seatings, np.tile(seeds[:-1], times), np.tile(openings, (times, 1))
        )
        points, played = sum_points(results, seatings, self.config.count, 0.5)
        best = int(np.argmax(points))
        figures = {"points": float(points[best]), "matches": float(played[best])}
        return best, Report(state.generation, len(seatings), figures)

    def describe(self, state: Any) -> dict[str, Any]:
        """How many islands there are, and their individuals together; sizes are averages."""
        told = [m.describe(island) for m, island in zip(self.methods, state.islands, strict=True)]
        merged = {key: sum(each[key] for each in told) for key in told[0]}
        for key in merged.keys() & {"genes", "hidden_nodes", "connections"}:
            merged[key] = type(told[0][key])(merged[key] / len(told))
        return {"islands": len(told), **merged}

    def _find_newcomers(self, state: Any) -> list[Any]:
        """Who arrives on each island now, when all have sent; None where nobody does."""
        migration, between = divmod(state.generation, self.config.interval)
        if between or not state.waiting:
            return [None] * self.config.count
        senders = self.config.find_senders(state.seed, migration)
        return [join([state.waiting[sender] for sender in each]) for each in senders]

    def _merge(self, reports: Sequence[Report]) -> Report:
        """What a generation was on all islands together, and some figures of each."""
        figures = {}
        for name in reports[0].statistics:
            join_up: Callable[[list[float]], float] = EXTREMES.get(name, fmean)
            figures[name] = float(join_up([report.statistics[name] for report in reports]))
        fittest = max(reports, key=lambda report: report.statistics["best"])
        figures |= {k: v for k, v in fittest.statistics.items() if k.endswith("_of_best")}
        species = {
            key * len(reports) + number: size
            for number, report in enumerate(reports)
            for key, size in report.species.items()
        }
        for number, report in enumerate(reports, start=1):
            for name in ("best", "median", "diversity"):
                figures[f"{name} of island {number}"] = report.statistics[name]
        games = sum(report.games for report in reports)
        return Report(reports[0].generation, games, figures, species)


@dataclass(frozen=True, eq=False)
class _IslandsState:
    """What is said of all islands together."""

    @property
    def population(self) -> Any:
        """The individuals of all islands, one island after the other."""
        state: Any = self
        return join([island.population for island in state.islands])
