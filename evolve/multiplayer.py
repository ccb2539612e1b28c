"""Matches in games of chance or for more than two: all individuals play the same deals.

A match has individuals at its seats, or individuals and external opponents. With external opponents
at all seats but one, the matches of any two individuals differ in nothing but these two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import EMPTY, Pairings, Results, seat_players
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.fitness import AnyFitness
from evolve_arena.evolve.matches import mean_by_player, value_seats
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.settings.matches import (
    MultiplayerConfig,
    MultiplayerMatchesConfig,
    OpeningsConfig,
)
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player

TWO_PLAYER_KEYS = {
    "matches.colours": "matches.multiplayer.rotate",
    "matches.draw_points": "matches.multiplayer.fitness",
    "matches.games": "matches.multiplayer.deals",
    "matches.openings": "matches.multiplayer.deals",
    "matches.fixed_opponents": "matches.multiplayer.external_opponents",
}
"""Recipe keys for two-player games, each with its replacement in multiplayer matches."""
EARLIER_DEFAULTS = {
    "matches.colours": "one",
    "matches.draw_points": 0.0,
    "matches.openings": OpeningsConfig(),
}
"""Former defaults of these keys, which recipes of old runs may contain without effect."""


class MultiplayerMatches:
    """Plays the multiplayer matches of a run's generations.

    Args:
        config: The section ``[matches.multiplayer]``.
        game: The game.
        noise: The share of moves that all players replace by random ones.
        own: The recipe's own fitness, if it names one.

    Raises:
        BadValueError: An external opponent is no player, or one that can't be compiled.
    """

    def __init__(
        self, config: MultiplayerConfig, game: AnyGame, noise: float, own: AnyFitness | None = None
    ) -> None:
        self.config = config
        self.own = own
        self.noise = noise
        self.sizes: tuple[int, ...] = config.seats or (game.seats,)
        self.most_seats = find_game(game.name).most_seats
        key = "matches.multiplayer.external_opponents"
        self.external = pack_external(config.external_opponents, game, key)
        usual = find_game(game.name).opponents[:1]
        self.benchmark = self.external or pack_external(usual, game, key)

    def play(
        self, arena: Arena, state: Any, hall: Any = None, purpose: str = "decks"
    ) -> tuple[NDArray[np.float64], dict[str, float]]:
        """Play the matches of a generation.

        Args:
            arena: The arena for the matches.
            state: The run's state.
            hall: Genomes of the hall of fame that join the external opponents, if any.
            purpose: The purpose of the seeds; see :mod:`evolve_arena.core.seeding`.

        Returns:
            The fitness of each individual, shape ``(individuals,)``, and statistics of the games.
        """
        guests = [] if hall is None or not len(hall) else [arena.decoder.pack(hall)]
        rows = np.arange(len(state.population), dtype=np.int32)
        external = [*self.external, *guests]
        seats, deals = self.config.external_seats, self.config.deals
        pairings, seeds = self._plan(state, rows, external, seats, purpose, deals)
        results = arena.play(state.population, pairings, seeds, others=external, noise=self.noise)
        if self.own:
            fitness = self.own.measure(arena, state, [(results, pairings)])
        else:
            fitness = self._sum(results, pairings, len(rows))
        return fitness, _describe(results, pairings, len(rows))

    def find_champion(self, arena: Arena, state: Any) -> tuple[int, Report]:
        """Return the row of the individual that does best alone among external opponents.

        All play the same preliminary deals, and the finalists more of them, without noise.
        """
        before = arena.games_played
        config = self.config
        rows = np.arange(len(state.population), dtype=np.int32)
        won, deals = 0.0, 0
        for deals, count, purpose in (
            (config.preliminary_deals, config.finalists, "trial decks"),
            (config.final_deals, 1, "final decks"),
        ):
            pairings, seeds = self._plan(
                state, rows, self.benchmark, self.most_seats, purpose, deals
            )
            results = arena.play(state.population, pairings, seeds, others=self.benchmark)
            if self.own:
                fitness = self.own.measure(arena, state, [(results, pairings)], rows)
            else:
                fitness = self._sum(results, pairings, len(state.population))[rows]
            best = np.argsort(-fitness, kind="stable")[:count]
            won = float(fitness[best[0]])
            rows = np.sort(rows[best])
        matches = deals * sum(size if config.rotate else 1 for size in self.sizes)
        statistics = {"points": won, "matches": float(matches)}
        return int(rows[0]), Report(state.generation, arena.games_played - before, statistics)

    def _plan(
        self,
        state: Any,
        rows: NDArray[np.int32],
        external: Sequence[PackedPlayers],
        external_seats: int,
        purpose: str,
        deals: int,
    ) -> tuple[Pairings, NDArray[np.uint64]]:
        """Return all matches of the individuals in *rows*, one number of seats after the other."""
        first = len(state.population)
        guests = range(first, first + sum(len(packed.seats) for packed in external))
        parts = []
        for size in self.sizes:
            words = f"{purpose} of {size}"
            parts.append(
                plan_deals(
                    rows,
                    size,
                    self.most_seats,
                    derive_seeds(state.seed, state.generation, words, deals),
                    derive_generator(state.seed, state.generation, f"tables of {words}"),
                    external=guests,
                    external_seats=external_seats,
                    rotate=self.config.rotate,
                )
            )
        pairings, seeds = zip(*parts, strict=True)
        return np.concatenate(pairings), np.concatenate(seeds)

    def _sum(self, results: Results, pairings: Pairings, individuals: int) -> NDArray[np.float64]:
        """Return the mean value of each individual's matches; each number of seats counts alike."""
        values = value_seats(results, pairings, self.config.fitness)
        sizes = (pairings != EMPTY).sum(axis=1)
        everybody = int(pairings.max()) + 1
        means = [
            mean_by_player(values[sizes == size], pairings[sizes == size], everybody)
            for size in self.sizes
        ]
        fitness: NDArray[np.float64] = np.mean(means, axis=0)[:individuals]
        return fitness


def pack_external(texts: Sequence[str], game: AnyGame, key: str) -> list[PackedPlayers]:
    """Return the players that *texts* specify, packed.

    Args:
        texts: Specifications of players, such as ``minimax:depth=2``.
        game: The game that they play.
        key: Key of the recipe that names them, for messages.

    Raises:
        BadValueError: One names no player, or one that can't be compiled.
    """
    packed_players = []
    for text in texts:
        try:
            player = make_player(text, game)
        except ArenaError as error:
            raise BadValueError(f"{key}: {error}") from None
        if not isinstance(player, CompiledPlayer):
            player.close()
            raise BadValueError(f"{key}: {text} can't play compiled matches")
        packed_players.append(player.packed)
    return packed_players


def play_alternately(
    arena: Arena,
    genomes: Any,
    pairs: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    others: Sequence[PackedPlayers],
) -> NDArray[np.float64]:
    """Return the share of matches that the first of each pair wins, draws counting a half.

    The two take alternate seats of a match, and each deal is played twice, once with each in the
    first seat. The player with more points at its seats, on average, wins.

    Args:
        arena: The arena for the matches.
        genomes: A population.
        pairs: Rows of *genomes*, or after them of *others*, shape ``(pairs, 2)``.
        seeds: Seed of each deal, the same for all pairs, shape ``(deals,)``.
        others: Packed players beside the population.
    """
    size, most_seats = arena.decoder.game.seats, find_game(arena.decoder.game.name).most_seats
    # Each pair takes alternate seats, then the same with seats exchanged, in each deal.
    turns = np.arange(most_seats) % 2
    tables = np.where(np.arange(most_seats) < size, pairs[:, turns], EMPTY)
    swapped = np.where(np.arange(most_seats) < size, pairs[:, 1 - turns], EMPTY)
    pairings = np.repeat(np.stack([tables, swapped], axis=1), len(seeds), axis=1)
    matches = pairings.reshape(-1, most_seats).astype(np.int32)
    results = arena.play(genomes, matches, np.tile(seeds, 2 * len(pairs)), others=others)
    # The points of one at its seats are compared with those of the other at its own.
    values = value_seats(results, matches, "points")
    means = values[:, :size:2].mean(axis=1) - values[:, 1:size:2].mean(axis=1)
    ahead = means.reshape(len(pairs), 2, len(seeds))
    ahead[:, 1] *= -1.0
    share: NDArray[np.float64] = (np.sign(ahead).mean(axis=(1, 2)) + 1.0) / 2.0
    return share


def _describe(results: Results, pairings: Pairings, individuals: int) -> dict[str, float]:
    """Return mean statistics of the individuals' games, by name."""
    own = (pairings != EMPTY) & (pairings < individuals)
    seats = max(1, int(own.sum()))
    offended = (np.arange(own.shape[1]) == results.offenders[:, None]) & own
    by_seat = {name: values for name, values in results.columns.items() if values.ndim == 2}
    by_match = {name: values for name, values in results.columns.items() if values.ndim == 1}
    return {
        **{name: float(values[own].sum() / seats) for name, values in by_seat.items()},
        "forbidden": float(offended.sum() / seats),
        **{name: float(values.mean()) for name, values in by_match.items()},
    }


def plan_deals(
    players: NDArray[np.int32],
    size: int,
    most_seats: int,
    seeds: NDArray[np.uint64],
    rng: np.random.Generator,
    *,
    external: Sequence[int] = (),
    external_seats: int = 0,
    rotate: bool = True,
) -> tuple[Pairings, NDArray[np.uint64]]:
    """Return matches in which all *players* play every deal.

    For each deal the players are assigned to matches at random. If the last match is not full, some
    that have a seat already play there too, and so play this deal twice.

    Args:
        players: Rows of packed players, shape ``(players,)``.
        size: Seats of a match.
        most_seats: Seats of the largest match.
        seeds: Seed of each deal, shape ``(deals,)``.
        rng: Source of random numbers, which assigns players to matches.
        external: Rows of the packed players that take the external seats in turn, beginning with
            the first one in the first deal, the second one in the second, and so on.
        external_seats: Seats that these take, between the others; at most ``size - 1``.
        rotate: True if each deal is played once for each seat, all players moving on by one seat.

    Returns:
        The pairings, shape ``(matches, most_seats)``, and the seed of each match.
    """
    own = size - min(size - 1, external_seats if len(external) else 0)
    # External opponents are spread evenly between the individuals.
    places = np.arange(own) * size // own
    rest = np.setdiff1d(np.arange(size), places)
    tables = -(-len(players) // own)
    parts, words = [], []
    # In each deal all players are drawn to matches; players left over fill up the last one.
    for deal, seed in enumerate(seeds):
        order = np.resize(rng.permutation(players), tables * own)
        table = np.empty((tables, size), dtype=np.int32)
        table[:, places] = order.reshape(tables, own)
        for number, seat in enumerate(rest):
            table[:, seat] = external[(deal + number) % len(external)]
        shifts = range(size) if rotate else [deal % size]
        parts += [np.roll(table, shift, axis=1) for shift in shifts]
        words.append(np.full(tables * len(shifts), seed))
    return seat_players(np.concatenate(parts), most_seats), np.concatenate(words)


def find_multiplayer(
    config: Config,
    matches: MultiplayerMatchesConfig,
    game: AnyGame,
    individuals: int,
    more_for_pairs: Mapping[str, str] | None = None,
) -> MultiplayerConfig | None:
    """Return the section ``[matches.multiplayer]``; None for two-player games without chance.

    Args:
        config: The section ``[method]``.
        matches: The section ``[matches]``.
        game: The game.
        individuals: Size of the population.
        more_for_pairs: Further keys for two-player games only, beside :data:`TWO_PLAYER_KEYS`.

    Raises:
        BadValueError: The section is for other games, or a key does not apply to this game.
    """
    if not find_game(game.name).has_chance:
        if matches.multiplayer is not None:
            raise BadValueError(f"matches.multiplayer: {game.name} is a game for two: leave it out")
        return None
    multiplayer = matches.multiplayer or MultiplayerConfig()
    for key, instead in {**TWO_PLAYER_KEYS, **(more_for_pairs or {})}.items():
        section, _, last = key.partition(".")
        holder = matches if section == "matches" else config
        default = type(holder).model_fields[last].default
        if getattr(holder, last) not in (default, EARLIER_DEFAULTS.get(key, default)):
            raise BadValueError(f"{key} is for games of two, not for {game.name}: write {instead}")
    hall = matches.hall_of_fame
    if hall.opponents and not multiplayer.external_seats:
        raise BadValueError(
            f"matches.hall_of_fame.opponents is {hall.opponents}, but in multiplayer matches its"
            " members join the external opponents: write matches.multiplayer.external_opponents and"
            " matches.multiplayer.external_seats"
        )
    for size in multiplayer.seats or (game.seats,):
        own = size - min(size - 1, multiplayer.external_seats)
        if own > individuals:
            raise BadValueError(
                f"matches.multiplayer: {own} individuals play in a match, but there are"
                f" {individuals}"
            )
    return multiplayer
