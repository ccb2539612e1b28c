"""The matches of a generation: points, tournaments, openings, the hall of fame.

The hall of fame has earlier champions as opponents, since a population that only meets itself
forgets how to beat earlier players. The fitness with which a champion entered means nothing in
another generation, so members are not ranked: a new one takes the place of a random old one, and
the hall keeps players of all ages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from deap import tools
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import EMPTY, Openings, Pairings, Results
from evolve_arena.arena.pairings import (
    both_colours,
    check_plies,
    gauntlet,
    over_openings,
    random_openings,
)
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.stream import Stream, below
from evolve_arena.core.types import Array, Number, Records
from evolve_arena.evolve.method import State
from evolve_arena.evolve.settings.matches import HallOfFame, MatchesConfig
from evolve_arena.players.evolved import Decoder
from evolve_arena.players.packed import PackedPlayers

OFFENCE_POINTS = -100.0
"""The payoff of a match, as points or as a margin, for a player that makes a forbidden move in it:
less than that of any game that is played to its end."""


class Generation(State, Protocol):
    """A state with a hall of fame."""

    @property
    def hall(self) -> Any:
        """The hall of fame, the oldest first, of the same kind as the population."""
        ...


@dataclass(frozen=True, eq=False)
class TournamentResults:
    """The tournaments of one generation."""

    members: NDArray[np.int32]
    """Rows of the individuals that took part, shape ``(tournaments, size)``."""
    points: NDArray[np.float64]
    """Points of each in its tournament, shape ``(tournaments, size)``."""
    fitness: NDArray[np.float64]
    """Each individual's share of the points in all its matches, shape ``(individuals,)``."""

    def winners(self, rng: Stream) -> NDArray[np.int64]:
        """Return the winner of each tournament, shape ``(tournaments,)``; chance breaks ties."""
        winners = np.empty(len(self.members), dtype=np.int64)
        _find_winners(self.members, self.points, rng, winners)
        return winners


def draw_members(individuals: int, tournaments: int, size: int, rng: Stream) -> NDArray[np.int32]:
    """Draw random tournaments, shape ``(tournaments, size)``, each of different individuals.

    Args:
        individuals: Size of the population.
        tournaments: Number of tournaments.
        size: Members of a tournament; at most *individuals*.
        rng: Source of random numbers.
    """
    members = np.zeros((tournaments, size), dtype=np.int32)
    _draw(np.arange(individuals, dtype=np.int32), rng, members)
    return members


def sum_points(
    results: Results, pairings: Pairings, players: int, draw_points: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of each player and its matches, both of shape ``(players,)``.

    Args:
        results: Results of matches of two.
        pairings: Rows of the players of each match, shape ``(matches, 2)``; the first moved first.
        players: Number of players: more than any row.
        draw_points: Points for a draw, a win being 1 and a loss 0.
    """
    points, played = np.zeros(players), np.zeros(players)
    _sum_points(results.outcomes, pairings, draw_points, points, played)
    return points, played


def share_points(
    outcomes: NDArray[np.integer[Any]], pairings: Pairings, draw_points: float
) -> NDArray[np.float64]:
    """Return the points of each player by competitive fitness sharing, shape ``(players,)``.

    The points that a player wins from an opponent are divided by all points that this opponent
    loses. They are scaled so that their mean is the mean of points won. Source: Rosin and Belew,
    "New methods for competitive coevolution", Evolutionary Computation 5 (1997).

    Args:
        outcomes: Results of matches of two, shape ``(matches,)``: 1 if the first player won.
        pairings: Rows of the players of each match, shape ``(matches, 2)``; the first moved first.
        draw_points: Points for a draw, a win being 1 and a loss 0.
    """
    drawn = draw_points * (outcomes == 0)
    won = np.stack([(outcomes == 1) + drawn, (outcomes == -1) + drawn], axis=1).ravel()
    winners, losers = pairings.ravel(), pairings[:, ::-1].ravel()
    lost = np.bincount(losers, weights=won)
    shares = won / np.maximum(lost, 1e-9)[losers]
    points = np.bincount(winners, weights=shares)
    return np.asarray(points * (won.mean() / max(float(points.mean()), 1e-9)))


def measure_signal(fitness: NDArray[np.float64], played: NDArray[np.float64]) -> float:
    """Return the signal-to-noise ratio of selection.

    It is the variance of the individuals' fitness beyond that of chance, as a multiple of the
    latter, which is that of so many independent games. Below 1 selection is mostly chance.

    Args:
        fitness: Share of the points of each individual, shape ``(individuals,)``; NaN for one that
            did not play.
        played: Number of games of each, of the same shape.
    """
    known = played > 0
    shares, games = fitness[known], played[known]
    chance = float((shares * (1.0 - shares) / games).mean()) if len(shares) else 0.0
    return max(0.0, float(shares.var()) / chance - 1.0) if chance > 0.0 else 0.0


def sum_tournaments(
    results: Results, pairings: Pairings, members: NDArray[np.int32], draw_points: float
) -> NDArray[np.float64]:
    """Return the points of each member in its tournament, shape ``(tournaments, size)``.

    The matches of each tournament stand together, in the order of the rows of *members*, and
    those of each pair as well, in the order of :func:`evolve_arena.arena.pairings.round_robin`.

    Args:
        results: Results of the matches of all tournaments.
        pairings: Rows of the players of each match, shape ``(matches, 2)``; the first moved first.
        members: Rows of the members of each tournament, shape ``(tournaments, size)``.
        draw_points: Points for a draw, a win being 1 and a loss 0.
    """
    points = np.zeros(members.shape)
    _sum_tournaments(results.outcomes, pairings, members, draw_points, points)
    return points


def sum_members(
    members: NDArray[np.int32], won: NDArray[np.float64], matches: int, players: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the same as :func:`sum_points`, from the points of :func:`sum_tournaments`.

    Args:
        members: Rows of the members of each tournament, shape ``(tournaments, size)``.
        won: Points of each member in its tournament, of the same shape.
        matches: Number of matches of all tournaments together.
        players: Size of the population.
    """
    each = 2.0 * matches / members.size
    points = np.bincount(members.ravel(), weights=won.ravel(), minlength=players)
    played = each * np.bincount(members.ravel(), minlength=players)
    return points.astype(np.float64), played.astype(np.float64)


@compiled
def _sum_points(
    outcomes: Array, pairings: Array, draw_points: float, points: Array, played: Array
) -> None:
    for match in range(outcomes.shape[0]):
        for seat in range(2):
            player = pairings[match, seat]
            points[player] += _points_of(outcomes[match], seat, draw_points)
            played[player] += 1.0


@compiled
def _sum_tournaments(
    outcomes: Array, pairings: Array, members: Array, draw_points: float, points: Array
) -> None:
    tournaments, size = members.shape
    repeats = outcomes.shape[0] // (tournaments * (size * (size - 1) // 2))
    match = 0
    for row in range(tournaments):
        for one in range(size):
            for other in range(one + 1, size):
                for _ in range(repeats):
                    seat = 0 if pairings[match, 0] == members[row, one] else 1
                    points[row, one] += _points_of(outcomes[match], seat, draw_points)
                    points[row, other] += _points_of(outcomes[match], 1 - seat, draw_points)
                    match += 1


@compiled
def _find_winners(members: Array, points: Array, rng: Stream, winners: Array) -> None:
    for row in range(members.shape[0]):
        best = points[row, 0]
        equals = 1
        winners[row] = members[row, 0]
        for place in range(1, members.shape[1]):
            if points[row, place] > best:
                best = points[row, place]
                equals = 1
                winners[row] = members[row, place]
            elif points[row, place] == best:
                equals += 1
                if below(rng, equals) == 0:
                    winners[row] = members[row, place]


@inlined
def _points_of(outcome: int, seat: int, draw_points: float) -> Number:
    """Return the points without branches: a wrong guess of an outcome costs 20 cycles."""
    return np.float64(outcome == 1 - 2 * seat) + draw_points * np.float64(outcome == 0)


@compiled
def _draw(deck: Array, rng: Stream, members: Array) -> None:
    """Shuffle the front of *deck* (Fisher and Yates) once for each row."""
    for row in range(members.shape[0]):
        for place in range(members.shape[1]):
            other = place + below(rng, deck.shape[0] - place)
            deck[place], deck[other] = deck[other], deck[place]
            members[row, place] = deck[place]


def keep_members(
    config: HallOfFame, members: int, seed: int, generation: int
) -> NDArray[np.int64] | None:
    """Return the rows of the hall that stay if this *generation*'s fittest enters, else None.

    Args:
        config: The section ``[matches.hall_of_fame]``.
        members: Number of its members.
        seed: The run's seed.
        generation: The number of this generation.
    """
    if not config.opponents or generation % config.every:
        return None
    stay = np.arange(members)
    if members >= config.size:
        leaves = derive_generator(seed, generation, "leaves the hall").integers(members)
        stay = np.delete(stay, leaves)
    return stay


def remember(
    config: HallOfFame,
    hall: NDArray[np.float32],
    fittest: NDArray[np.float32],
    seed: int,
    generation: int,
) -> NDArray[np.float32]:
    """Return the hall after this *generation*, with its *fittest* if one is to enter.

    Args:
        config: The section ``[matches.hall_of_fame]``.
        hall: Genomes of the hall before, the oldest first, shape ``(members, genes)``.
        fittest: The fittest individual's genome, shape ``(genes,)``.
        seed: The run's seed.
        generation: Number of the generation that was played, from 0.

    Returns:
        The same hall, or one that ends with the fittest, for which a random member left if it was
        full.
    """
    stay = keep_members(config, len(hall), seed, generation)
    if stay is None:
        return hall
    if config.diverse and len(stay) < len(hall):
        stay = np.delete(np.arange(len(hall)), find_similar(hall, fittest))
    return np.concatenate([hall[stay], fittest[None, :]])


def find_similar(hall: NDArray[np.float32], newcomer: NDArray[np.float32]) -> int:
    """Return the row of the member with the smallest angle between its weights and a newcomer's.

    Args:
        hall: Genomes of the members, shape ``(members, genes)``.
        newcomer: Genome of the newcomer, shape ``(genes,)``.
    """
    members = hall.astype(np.float64)
    # Not a product of a matrix: its last bits depend on the processor.
    lengths = np.sqrt((members**2).sum(axis=1))
    return int(np.argmax((members * newcomer).sum(axis=1) / np.maximum(lengths, 1e-12)))


@dataclass(frozen=True, eq=False)
class PlayedMatches:
    """Matches of a generation in games for two."""

    results: Results
    pairings: Pairings
    """The players of each, shape ``(matches, 2)``; the first rows are the population."""

    def sum_points(
        self, players: int, draw_points: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return points and matches of the first *players*, both of shape ``(players,)``."""
        count = max(players, int(self.pairings.max(initial=0)) + 1)
        points, played = sum_points(self.results, self.pairings, count, draw_points)
        return points[:players], played[:players]


def value_seats(results: Results, pairings: Pairings, kind: str) -> NDArray[np.float64]:
    """Return the value of each match at each seat, shape ``(matches, seats)``; 0 at empty seats.

    Args:
        results: Results of matches.
        pairings: Row of the player at each seat, shape ``(matches, seats)``; :data:`EMPTY` at empty
            seats.
        kind: ``points``, ``margin`` or ``rank``; see `MultiplayerConfig.fitness`. For a player that
            makes a forbidden move, the value is :data:`OFFENCE_POINTS`, or 0 for ``rank``; for the
            others it follows from the standing at that moment.
    """
    taken = pairings != EMPTY
    others = taken.sum(axis=1, keepdims=True) - 1
    points = np.where(taken, results.columns["points"], 0).astype(np.float64)
    worst = OFFENCE_POINTS
    if kind == "rank":
        values = _count_behind(results.places, taken) / others
        worst = 0.0
    elif kind == "margin":
        values = points - (points.sum(axis=1, keepdims=True) - points) / others
    else:
        values = points
    offended = np.arange(taken.shape[1]) == results.offenders[:, None]
    return np.where(taken, np.where(offended, worst, values), 0.0)


def mean_by_player(
    values: NDArray[np.float64], pairings: Pairings, players: int
) -> NDArray[np.float64]:
    """Return the mean of each player's *values*, shape ``(players,)``; NaN without a match.

    Args:
        values: Value of each match at each seat, shape ``(matches, seats)``.
        pairings: Row of the player at each seat, of the same shape; :data:`EMPTY` at empty seats.
        players: Number of players: more than any row.
    """
    taken = pairings != EMPTY
    rows = pairings[taken]
    total = np.bincount(rows, weights=values[taken], minlength=players)
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = total / np.bincount(rows, minlength=players)
    return means


def _count_behind(places: NDArray[np.int8], taken: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the number of seats behind each seat, equals counting a half."""
    behind = np.zeros(places.shape)
    seats = places.shape[1]
    for seat in range(seats):
        for other in range(seats):
            if seat != other:
                ahead = (places[:, other] > places[:, seat]) + 0.5 * (
                    places[:, other] == places[:, seat]
                )
                behind[:, seat] += ahead * taken[:, other]
    return behind


def check_openings(game: AnyGame, plies: int, key: str) -> None:
    """Make sure that openings of so many *plies* can be drawn.

    Args:
        game: The game.
        plies: Length of an opening; 0 for none.
        key: Key of the recipe that asks for them, for messages.

    Raises:
        BadValueError: No openings of this length can be drawn.
    """
    try:
        check_plies(game, plies)
    except BadValueError as error:
        raise BadValueError(f"{key}: {error}") from None


def meet(
    config: MatchesConfig,
    arena: Arena,
    state: State,
    pairings: Pairings,
    purpose: str,
    others: Sequence[PackedPlayers] = (),
) -> tuple[Results, Pairings]:
    """Play *pairings* from openings, in both colours and with noise as the recipe sets.

    Args:
        config: The section ``[matches]``.
        arena: Arena that plays them.
        state: The run's state; the first rows of the packed players are its population.
        pairings: Rows of the players of each pair, shape ``(pairs, 2)``.
        purpose: Purpose of the matches' seeds; see :mod:`evolve_arena.core.seeding`.
        others: Packed players beside the population. Then the pairings have both colours already.

    Returns:
        The results, and the pairing of each match, shape ``(matches, 2)``.
    """
    if config.colours == "both" and not others:
        pairings = both_colours(pairings)
    pairings, openings, seeds = plan_matches(config, arena.decoder.game, state, pairings, purpose)
    results = arena.play(state.population, pairings, seeds, openings, others, noise=config.noise)
    return results, pairings


def plan_matches(
    config: MatchesConfig, game: AnyGame, state: State, pairings: Pairings, purpose: str
) -> tuple[Pairings, Openings | None, NDArray[np.uint64]]:
    """Return all matches of some *pairings*: repeated, from each opening, and the seed of each.

    Args:
        config: The section ``[matches]``: how many games and openings there are.
        game: The game.
        state: State of the run, from whose seed and generation all chance comes.
        pairings: Rows of the players of each pair, shape ``(pairs, 2)``.
        purpose: Purpose of the matches' seeds; see :mod:`evolve_arena.core.seeding`.

    Returns:
        The pairing, opening and seed of each match; the openings are None if there are none.
    """
    openings = None
    if config.games > 1:
        pairings = np.repeat(pairings, config.games, axis=0)
    if config.openings.plies:
        openings = random_openings(
            game,
            config.openings.plies,
            config.openings.count,
            state.seed,
            generation=state.generation,
        )
        if config.openings.per_pair:
            both = 2 if config.colours == "both" else 1
            groups = -(-len(pairings) // (both * config.games))
            rng = derive_generator(state.seed, state.generation, f"openings of {purpose}")
            drawn = rng.integers(len(openings), size=(groups, config.openings.per_pair))
            # Both colours of a pair, and its further games, play the same openings.
            rows = np.repeat(drawn, both * config.games, axis=0)[: len(pairings)]
            pairings = np.repeat(pairings, config.openings.per_pair, axis=0)
            openings = openings[rows.ravel()]
        else:
            pairings, openings = over_openings(pairings, openings)
    return pairings, openings, derive_seeds(state.seed, state.generation, purpose, len(pairings))


def choose_from_hall(config: MatchesConfig, state: Generation) -> NDArray[np.int64]:
    """Return the rows of the members of the hall of fame that all meet in this generation."""
    rng = derive_generator(state.seed, state.generation, "hall of fame")
    count = min(config.hall_of_fame.opponents, len(state.hall))
    chosen: NDArray[np.int64] = rng.permutation(len(state.hall))[:count]
    return chosen


def meet_hall(
    config: MatchesConfig,
    arena: Arena,
    state: State,
    chosen: Records,
    decoder: Decoder | None = None,
) -> PlayedMatches:
    """Play matches of all against *chosen* members of the hall of fame, in both colours.

    Args:
        config: The section ``[matches]``.
        arena: Arena that plays them.
        state: The run's state.
        chosen: Genomes, as the decoder packs them.
        decoder: Maker of players from these genomes; the arena's if None.
    """
    others = ((decoder or arena.decoder).pack(chosen),)
    pairings = pair_with_others(len(state.population), len(chosen))
    results, met = meet(config, arena, state, pairings, "hall matches", others)
    return PlayedMatches(results, met)


def pair_with_others(individuals: int, others: int) -> Pairings:
    """Pair every individual with each of *others*, whose rows come after, in both colours."""
    rows = np.arange(individuals + others, dtype=np.int32)
    return both_colours(gauntlet(rows[:individuals], rows[individuals:]))


def describe_fitness(fitness: NDArray[np.float64]) -> dict[str, float]:
    """Return best, worst and quartiles of the *fitness*, without NaN, by DEAP's statistics."""
    ordered = np.sort(fitness)
    known = ordered[: len(ordered) - np.count_nonzero(np.isnan(ordered))]
    figures: dict[str, float] = _STATISTICS.compile([known])
    return figures


_QUANTILES = {
    "best": 1.0,
    "upper_quartile": 0.75,
    "median": 0.5,
    "lower_quartile": 0.25,
    "worst": 0.0,
}


def _quantile(rows: Sequence[NDArray[np.float64]], share: float) -> float:
    """Return the quantile at this *share* of the only one of *rows*, which is sorted."""
    (ordered,) = rows
    return float(ordered[round(share * (len(ordered) - 1))])


_STATISTICS = tools.Statistics()
for _name, _share in _QUANTILES.items():
    _STATISTICS.register(_name, _quantile, share=_share)
