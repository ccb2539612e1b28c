"""Generations of a game for several players: everybody plays the same decks, at tables.

A table seats individuals, or individuals and company from outside. With company at all seats but
one, any two individuals play matches that differ in nothing but who plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import EMPTY, Results, Seatings, seat_players
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.fitness import AnyFitness
from evolve_arena.evolve.matches import mean_by_player, value_seats
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.table_settings import TablesConfig
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player


class Tables:
    """The tables of a run's generations.

    Args:
        config: How individuals meet.
        game: What they play.
        noise: How often everybody plays a random move instead of the chosen one.
        own: The recipe's own fitness, if it names one.

    Raises:
        BadValueError: The company names no player, or one that can't be compiled.
    """

    def __init__(
        self, config: TablesConfig, game: AnyGame, noise: float, own: AnyFitness | None = None
    ) -> None:
        self.config = config
        self.own = own
        self.noise = noise
        self.sizes: tuple[int, ...] = config.seats or (game.seats,)
        self.slots = find_game(game.name).most_seats
        key = "method.tables.company"
        self.company = pack_company(config.company, game, key)
        self.judges = self.company or pack_company(find_game(game.name).opponents[:1], game, key)

    def play(
        self, arena: Arena, state: Any, hall: Any = None, purpose: str = "decks"
    ) -> tuple[NDArray[np.float64], dict[str, float]]:
        """Plays a generation.

        Args:
            arena: Where.
            state: The run's state.
            hall: Genomes of the hall of fame that join the company; None for nobody.
            purpose: What the seeds are for; see :mod:`evolve_arena.core.seeding`.

        Returns:
            The fitness of each individual, shape ``(individuals,)``, and figures about the games.
        """
        guests = [] if hall is None or not len(hall) else [arena.decoder.pack(hall)]
        rows = np.arange(len(state.population), dtype=np.int32)
        company = [*self.company, *guests]
        seats, decks = self.config.company_seats, self.config.decks
        seatings, seeds = self._plan(state, rows, company, seats, purpose, decks)
        results = arena.play(state.population, seatings, seeds, others=company, noise=self.noise)
        if self.own:
            fitness = self.own.measure(arena, state, [(results, seatings)])
        else:
            fitness = self._sum(results, seatings, len(rows))
        return fitness, _describe(results, seatings, len(rows))

    def find_champion(self, arena: Arena, state: Any) -> tuple[int, Report]:
        """The row of who does best alone among company: of all, then of the best few.

        All play the same decks, and the best few more of them. Nobody plays random moves.
        """
        before = arena.games
        config = self.config
        rows = np.arange(len(state.population), dtype=np.int32)
        won, decks = 0.0, 0
        for decks, count, purpose in (
            (config.trial_decks, config.finalists, "trial decks"),
            (config.final_decks, 1, "final decks"),
        ):
            seatings, seeds = self._plan(state, rows, self.judges, self.slots, purpose, decks)
            results = arena.play(state.population, seatings, seeds, others=self.judges)
            if self.own:
                fitness = self.own.measure(arena, state, [(results, seatings)], rows)
            else:
                fitness = self._sum(results, seatings, len(state.population))[rows]
            best = np.argsort(-fitness, kind="stable")[:count]
            won = float(fitness[best[0]])
            rows = np.sort(rows[best])
        matches = decks * sum(size if config.rotate else 1 for size in self.sizes)
        statistics = {"points": won, "matches": float(matches)}
        return int(rows[0]), Report(state.generation, arena.games - before, statistics)

    def _plan(
        self,
        state: Any,
        rows: NDArray[np.int32],
        company: Sequence[PackedPlayers],
        company_seats: int,
        purpose: str,
        decks: int,
    ) -> tuple[Seatings, NDArray[np.uint64]]:
        """All matches of the individuals in *rows*, one table size after the other."""
        first = len(state.population)
        guests = range(first, first + sum(len(packed.seats) for packed in company))
        parts = []
        for size in self.sizes:
            words = f"{purpose} of {size}"
            parts.append(
                plan_tables(
                    rows,
                    size,
                    self.slots,
                    derive_seeds(state.seed, state.generation, words, decks),
                    derive_generator(state.seed, state.generation, f"tables of {words}"),
                    company=guests,
                    company_seats=company_seats,
                    rotate=self.config.rotate,
                )
            )
        seatings, seeds = zip(*parts, strict=True)
        return np.concatenate(seatings), np.concatenate(seeds)

    def _sum(self, results: Results, seatings: Seatings, individuals: int) -> NDArray[np.float64]:
        """The mean value of each individual's matches, all table sizes counting the same."""
        values = value_seats(results, seatings, self.config.fitness)
        sizes = (seatings != EMPTY).sum(axis=1)
        everybody = int(seatings.max()) + 1
        means = [
            mean_by_player(values[sizes == size], seatings[sizes == size], everybody)
            for size in self.sizes
        ]
        fitness: NDArray[np.float64] = np.mean(means, axis=0)[:individuals]
        return fitness


def pack_company(texts: Sequence[str], game: AnyGame, key: str) -> list[PackedPlayers]:
    """The players that *texts* specify, packed.

    Raises:
        BadValueError: One names no player, or one that can't be compiled; *key* is where the
            recipe names them.
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


def play_at_tables(
    arena: Arena,
    genomes: Any,
    pairs: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    others: Sequence[PackedPlayers],
) -> NDArray[np.float64]:
    """The share of matches that the first of each pair wins, draws counting a half.

    The two take the seats of a table of the game's players in turn, and each deck is played
    twice, once with each in the first seat. Who has more points at his seats, on average, wins.

    Args:
        arena: Where.
        genomes: A population.
        pairs: Rows of *genomes*, or after them of *others*, shape ``(pairs, 2)``.
        seeds: One for each deck, the same for all pairs.
        others: Packed players beside the population.
    """
    size, slots = arena.decoder.game.seats, find_game(arena.decoder.game.name).most_seats
    turns = np.arange(slots) % 2
    tables = np.where(np.arange(slots) < size, pairs[:, turns], EMPTY)
    swapped = np.where(np.arange(slots) < size, pairs[:, 1 - turns], EMPTY)
    seatings = np.repeat(np.stack([tables, swapped], axis=1), len(seeds), axis=1)
    matches = seatings.reshape(-1, slots).astype(np.int32)
    results = arena.play(genomes, matches, np.tile(seeds, 2 * len(pairs)), others=others)
    values = value_seats(results, matches, "points")
    means = values[:, :size:2].mean(axis=1) - values[:, 1:size:2].mean(axis=1)
    ahead = means.reshape(len(pairs), 2, len(seeds))
    ahead[:, 1] *= -1.0
    share: NDArray[np.float64] = (np.sign(ahead).mean(axis=(1, 2)) + 1.0) / 2.0
    return share


def _describe(results: Results, seatings: Seatings, individuals: int) -> dict[str, float]:
    """How the individuals' games went, on average."""
    own = (seatings != EMPTY) & (seatings < individuals)
    seats = max(1, int(own.sum()))
    offended = (np.arange(own.shape[1]) == results.offenders[:, None]) & own
    by_seat = {name: values for name, values in results.columns.items() if values.ndim == 2}
    by_match = {name: values for name, values in results.columns.items() if values.ndim == 1}
    return {
        **{name: float(values[own].sum() / seats) for name, values in by_seat.items()},
        "forbidden": float(offended.sum() / seats),
        **{name: float(values.mean()) for name, values in by_match.items()},
    }


def plan_tables(
    players: NDArray[np.int32],
    size: int,
    slots: int,
    seeds: NDArray[np.uint64],
    generator: np.random.Generator,
    *,
    company: Sequence[int] = (),
    company_seats: int = 0,
    rotate: bool = True,
) -> tuple[Seatings, NDArray[np.uint64]]:
    """Matches in which all *players* play every deck.

    For each deck the players are dealt to tables at random. If the last table is not full, some
    who have a seat already sit there too, and play this deck twice.

    Args:
        players: Rows of packed players.
        size: Seats of a table.
        slots: Seats of the largest table.
        seeds: One for each deck.
        generator: Deals players to tables.
        company: Rows of the packed players that take the seats of company in turn, beginning
            with the first one in the first deck, the second one in the second, and so on.
        company_seats: How many seats these take, between the others; at most ``size - 1``.
        rotate: Whether tables play each deck once for each seat, everybody moving on a seat.

    Returns:
        Seatings, and the seed of each match.
    """
    own = size - min(size - 1, company_seats if len(company) else 0)
    places = np.arange(own) * size // own
    rest = np.setdiff1d(np.arange(size), places)
    tables = -(-len(players) // own)
    parts, words = [], []
    for deck, seed in enumerate(seeds):
        order = np.resize(generator.permutation(players), tables * own)
        table = np.empty((tables, size), dtype=np.int32)
        table[:, places] = order.reshape(tables, own)
        for number, seat in enumerate(rest):
            table[:, seat] = company[(deck + number) % len(company)]
        shifts = range(size) if rotate else [deck % size]
        parts += [np.roll(table, shift, axis=1) for shift in shifts]
        words.append(np.full(tables * len(shifts), seed))
    return seat_players(np.concatenate(parts), slots), np.concatenate(words)
