"""Fitness beyond matches inside the population: fixed opponents, payoffs, user functions.

Fixed opponents are players from outside that all individuals meet in each generation. Those that
exist as arrays play compiled matches; Python classes are called for each move.

Where games count points, their payoff may take the place of wins. A user's fitness function
has one or both of the parameters ``player`` and ``matches``; its value for an individual replaces
the points that this individual won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import EMPTY, Pairings, Results, join_results, new_results
from evolve_arena.arena.match import play_matches
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.user_code import (
    AbsentCode,
    UserCodeError,
    call,
    find_code,
    name_of,
    parameters_of,
    registered_names,
)
from evolve_arena.evolve.matches import (
    PlayedMatches,
    choose_from_hall,
    mean_by_player,
    meet_hall,
    pair_with_others,
    plan_matches,
    value_seats,
)
from evolve_arena.evolve.settings.matches import MatchesConfig
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.players.evolved import Decoder
from evolve_arena.players.packed import combine_players, with_noise
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_player

TAKEN = ("player", "matches", "rng")
"""Parameters that a fitness function may have."""
PAYOFFS = ("points", "margin")
"""The payoffs of a game that counts points."""


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of one individual in a generation, as arrays with one value for each match."""

    seats: NDArray[np.int8]
    """The individual's seat, 0 if it moved first."""
    places: NDArray[np.int8]
    """The individual's final place, 1 being the best; players who tie share the better place."""
    rivals: NDArray[np.int8]
    """The best place of its opponents."""
    plies: NDArray[np.int16]
    """The length of each match."""
    forfeited: NDArray[np.bool_]
    """True if the individual ended the match by a forbidden move."""
    columns: Mapping[str, NDArray[Any]]
    """Counts of the game, such as ``points``, at this individual's seat."""

    def __len__(self) -> int:
        return len(self.seats)

    @property
    def won(self) -> NDArray[np.bool_]:
        """True for each match that the individual won, placed better than all others."""
        return self.places < self.rivals

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """True for each match in which the individual shared the place of its best opponent."""
        return np.equal(self.places, self.rivals)

    @property
    def lost(self) -> NDArray[np.bool_]:
        """True for each match in which an opponent was placed better."""
        return self.places > self.rivals

    @property
    def points(self) -> NDArray[Any]:
        """Points that the individual scored in each match, in games that count points.

        Raises:
            KeyError: The game counts none.
        """
        return self.columns["points"]


class OwnFitness:
    """A user's fitness function.

    Args:
        text: Name of the function in the recipe, such as ``my_fitness.py:FUNCTION``.

    Raises:
        UnknownNameError: There is no function of that name.
        UserCodeError: It takes neither ``player`` nor ``matches``, or needs other parameters than
            :data:`TAKEN`.
    """

    def __init__(self, text: str) -> None:
        function = find_code(text)
        if function is None:
            known = [*PAYOFFS, *registered_names(), "MY_FITNESS.py:FUNCTION"]
            raise UnknownNameError("method.fitness", text, known)
        self.function = function
        self.name = name_of(function)
        self.taken, self.needs_matches = [], False
        if isinstance(function, AbsentCode):
            return
        taken = parameters_of(function)
        needed = [name for name, default in taken.items() if default is ...]
        self.taken = [name for name in TAKEN if name in taken]
        if not {"player", "matches"} & set(taken) or not set(needed) <= set(TAKEN):
            raise UserCodeError(
                f"method.fitness: {self.name} takes ({', '.join(taken)}): write (player), (matches)"
                " or (player, matches), and rng if it needs chance"
            )
        self.needs_matches = "matches" in taken

    def measure(
        self,
        arena: Arena,
        state: Any,
        played: Sequence[tuple[Results, Pairings]] = (),
        rows: NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Return the fitness of each individual, shape ``(individuals,)``, or of those in *rows*.

        Args:
            arena: Arena whose executor calls the function, and whose decoder makes the players.
            state: The run's state.
            played: Results and pairings of a generation's matches, in which the population has the
                first rows.
            rows: Rows of the individuals to measure; all if None.

        Raises:
            UserCodeError: The function fails, or gives no finite number.
        """
        decoder, population = arena.decoder, state.population
        count, seed, now = len(population), state.seed, state.generation
        matches = split_matches(played, count) if self.needs_matches else []

        def measure_one(row: int) -> float:
            given: dict[str, Any] = {}
            if "player" in self.taken:
                given["player"] = decoder.player(take_one(population, row), f"individual {row}")
            if self.needs_matches:
                given["matches"] = matches[row]
            if "rng" in self.taken:
                purpose = f"fitness {row}"
                given["rng"] = derive_generator(seed, now, purpose)
            value = call(self.function, **given)
            try:
                return float(value)
            except (TypeError, ValueError):
                raise UserCodeError(
                    f"{self.name} gives {value!r:.60}, which is no number"
                ) from None

        asked = np.arange(count) if rows is None else rows
        fitness = np.array(arena.executor.map(measure_one, asked.tolist()), dtype=np.float64)
        if not np.isfinite(fitness).all():
            bad = int(np.flatnonzero(~np.isfinite(fitness))[0])
            raise UserCodeError(f"{self.name} gives {fitness[bad]} for individual {asked[bad]}")
        return fitness


class Payoff:
    """The mean payoff of matches, as fitness.

    Args:
        kind: ``points``, or ``margin``: the lead over the mean of the others' points.
        game: The game.

    Raises:
        BadValueError: The game counts no points.
    """

    needs_matches = True

    def __init__(self, kind: str, game: AnyGame) -> None:
        if "points" not in find_game(game.name).columns:
            raise BadValueError(
                f"method.fitness is {kind!r}, but {game.name} counts no points: leave it out"
            )
        self.kind = kind

    def measure(
        self,
        arena: Arena,
        state: Any,
        played: Sequence[tuple[Results, Pairings]] = (),
        rows: NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Return each individual's mean payoff, shape ``(individuals,)``, or those of *rows*.

        Args:
            arena: Not used, as all matches are played already.
            state: State of the run, whose population is measured.
            played: Results and pairings of a generation's matches, in which the population has the
                first rows.
            rows: Rows of the individuals to measure; all if None.
        """
        values = [value_seats(*each, self.kind) for each in played]
        pairings = np.concatenate([pairing for _, pairing in played])
        everybody = max(len(state.population), int(pairings.max(initial=0)) + 1)
        fitness = mean_by_player(np.concatenate(values), pairings, everybody)
        return fitness[: len(state.population)] if rows is None else fitness[rows]


AnyFitness: TypeAlias = OwnFitness | Payoff


def make_fitness(name: str | None, game: AnyGame) -> AnyFitness | None:
    """Return the fitness function or payoff that a recipe names; None if fitness is points won.

    Raises:
        ArenaError: There is no fitness of that name, or not in this *game*.
    """
    if not name:
        return None
    if name in PAYOFFS and name not in registered_names():
        return Payoff(name, game)
    return OwnFitness(name)


def make_fixed(config: MatchesConfig, game: AnyGame) -> list[Player]:
    """Return the fixed opponents of a recipe.

    Raises:
        BadValueError: One names no player, or a program.
    """
    made = []
    for text in config.fixed_opponents.players if config.fixed_opponents else ():
        try:
            made.append(make_player(text, game))
        except ArenaError as error:
            raise BadValueError(f"matches.fixed_opponents.players: {error}") from error
    return made


def meet_others(
    config: MatchesConfig,
    arena: Arena,
    state: Any,
    fixed: Sequence[Player],
    decoder: Decoder | None = None,
) -> list[PlayedMatches]:
    """Play a generation's matches against the hall of fame, and those against *fixed* opponents.

    Args:
        config: The section ``[matches]``.
        arena: Arena for the matches; its decoder makes players of the population.
        state: State of the run, with its population and its hall of fame.
        fixed: The players of :func:`make_fixed`; those that are compiled play compiled matches,
            others are called for each move.
        decoder: Maker of players of the hall of fame; the arena's if None.

    Returns:
        Up to three groups of matches: against the hall of fame, against compiled and against other
        fixed opponents.

    Raises:
        UserCodeError: A fixed opponent in Python can't play.
    """
    found = []
    if config.hall_of_fame.opponents and len(state.hall):
        rows = choose_from_hall(config, state)
        chosen = (
            state.hall.take(rows) if isinstance(state.hall, NeatPopulation) else state.hall[rows]
        )
        found.append(meet_hall(config, arena, state, chosen, decoder))
    compiled = [player for player in fixed if isinstance(player, CompiledPlayer)]
    plain = [player for player in fixed if not isinstance(player, CompiledPlayer)]
    for players in (compiled, plain):
        if players:
            found.append(_meet_fixed(config, arena, state, players))
    return found


def _meet_fixed(
    config: MatchesConfig, arena: Arena, state: Any, players: Sequence[Player]
) -> PlayedMatches:
    """Play the matches of all against *players*, which are all compiled, or all in Python."""
    fixed = config.fixed_opponents
    assert fixed is not None
    game, individuals = arena.decoder.game, len(state.population)
    compiled = [player.packed for player in players if isinstance(player, CompiledPlayer)]
    pairings, openings, seeds = plan_matches(
        config.model_copy(update={"games": -(-fixed.games // 2)}),
        game,
        state,
        pair_with_others(individuals, len(players)),
        "compiled opponents" if compiled else "opponents in Python",
    )
    if compiled:
        results = arena.play(
            state.population, pairings, seeds, openings, [combine_players(compiled)], config.noise
        )
        return PlayedMatches(results, pairings)
    rows = np.sort(pairings, axis=1)[:, 0]
    decoder, population, noise = arena.decoder, state.population, config.noise

    def play_one(row: int) -> list[NDArray[Any]]:
        mine = np.flatnonzero(rows == row)
        player = decoder.player(take_one(population, row), f"individual {row}")
        packed = with_noise(player.packed, noise)
        seated = [CompiledPlayer(game, packed, player.name), *players]
        tables = np.where(pairings[mine] == row, 0, pairings[mine] - individuals + 1)
        begun = None if openings is None else openings[mine]
        results, forfeits = play_matches(game, seated, tables.astype(np.int32), seeds[mine], begun)
        for forfeit in forfeits:
            if forfeit.player:
                raise UserCodeError(f"a fixed opponent can't play: {forfeit.sentence}")
        return results.arrays

    played = new_results(game, len(pairings))
    for row, arrays in enumerate(arena.executor.map(play_one, range(individuals))):
        for array, values in zip(played.arrays, arrays, strict=True):
            array[rows == row] = values
    arena.games_played += len(pairings)
    return PlayedMatches(played, pairings)


def take_one(population: Any, row: int) -> Any:
    """Return the genome in a *row* of a population, in the form that its decoder takes."""
    return population.take([row]) if isinstance(population, NeatPopulation) else population[row]


def split_matches(played: Sequence[tuple[Results, Pairings]], individuals: int) -> list[Matches]:
    """Return the matches of each of the first *individuals* rows, in the order of *played*."""
    results = join_results([each for each, _ in played])
    pairings = np.concatenate([pairing for _, pairing in played])
    taken = pairings != EMPTY
    places = np.where(taken, results.places, np.iinfo(np.int8).max)
    ordered = np.sort(places, axis=1)
    match, seat = np.nonzero(taken & (pairings < individuals))
    order = np.argsort(pairings[match, seat], kind="stable")
    match, seat = match[order], seat[order]
    ends = np.cumsum(np.bincount(pairings[match, seat], minlength=individuals))
    found = []
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        rows, seats = match[first:last], seat[first:last]
        own = places[rows, seats]
        best, second = ordered[rows, 0], ordered[rows, 1]
        found.append(
            Matches(
                seats=seats.astype(np.int8),
                places=own,
                rivals=np.where(own == best, second, best),
                plies=results.plies[rows],
                forfeited=results.offenders[rows] == seats,
                columns={
                    name: values[rows, seats] if values.ndim == 2 else values[rows]
                    for name, values in results.columns.items()
                },
            )
        )
    return found
