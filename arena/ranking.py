"""Rankings of configurations by the results of several agents each.

A configuration is a group of agents that were evolved with the same settings from different seeds,
as one agent says little about the settings. It is ranked by the mean share of games that its agents
won, with the best and the worst of them beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.pairings import round_robin
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player, distinct_names

NUMBER = re.compile(r"(?:[-_]| #)\d+(?=@\d+$|$)")
"""Pattern of an agent's number within its configuration; a generation may follow."""


@dataclass(frozen=True)
class Ranked:
    """A configuration in a ranking."""

    name: str
    mean: float
    """The mean of its agents' shares of games won."""
    best: float
    """The share of its best agent."""
    worst: float
    """The share of its worst agent."""
    agents: int
    """Number of its agents."""
    rank: int
    """1 for the largest mean; configurations of the same mean share a rank, and the following ranks
    are skipped."""


@dataclass(frozen=True)
class Tally:
    """The wins of an agent."""

    won: int
    games: int
    """Number of games, except those that opponents forfeited."""
    results: tuple[DuelResult, ...] = field(default=(), compare=False, repr=False)
    """Its duels, from its side."""

    @property
    def share(self) -> float:
        """The share of its games that it won, without draws; NaN without games."""
        return self.won / self.games if self.games else float("nan")


def rank_configurations(
    shares: Mapping[str, float], configuration: Callable[[str], str]
) -> list[Ranked]:
    """Rank the configurations of agents, the best first; among equals, the first one named.

    Args:
        shares: The share of games that each agent won, by its name.
        configuration: Returns the name of an agent's configuration, such as
            :func:`name_configuration`.

    >>> shares = {"mean-1": 0.5, "best-1": 0.8, "mean-2": 0.7, "best-2": 0.6}
    >>> [(row.rank, row.name, row.best) for row in rank_configurations(shares, name_configuration)]
    [(1, 'best', 0.8), (2, 'mean', 0.7)]
    """
    # Means are rounded, so that equal results share a rank in spite of the order of additions.
    groups: dict[str, list[float]] = {}
    for agent, share in shares.items():
        groups.setdefault(configuration(agent), []).append(share)
    means = {name: round(fmean(group), 12) for name, group in groups.items()}
    order = sorted(groups, key=lambda name: -means[name])
    return [
        Ranked(
            name,
            means[name],
            max(groups[name]),
            min(groups[name]),
            len(groups[name]),
            1 + sum(mean > means[name] for mean in means.values()),
        )
        for name in order
    ]


def name_configuration(agent: str) -> str:
    """Return an agent's name without its own number.

    >>> name_configuration("stage-1-mean-5k-3"), name_configuration("plain-2@100")
    ('stage-1-mean-5k', 'plain@100')
    """
    return NUMBER.sub("", agent, count=1)


def meet_others(
    game: AnyGame,
    agents: Sequence[Player],
    configuration: Callable[[str], str] = name_configuration,
    *,
    games: int = 2,
    opening_plies: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Tally]:
    """Play every agent against all agents of other configurations; return their tallies by name.

    Args:
        game: The rules.
        agents: The players. Equal names are numbered.
        configuration: Returns the name of an agent's configuration.
        games: Games of each pair of agents, colours balanced; 2 is one for each side.
        opening_plies: Random plies at the beginning of each game.
        seed: Seed of openings and players.
        executor: Executor of matches of compiled players; serial if None.
        progress: Called after each pair with the number of pairs so far and in total.

    Raises:
        BadValueError: There are fewer than two configurations.
    """
    names = distinct_names([agent.name for agent in agents])
    groups = [configuration(name) for name in names]
    if len(set(groups)) < 2:
        raise BadValueError(
            "configurations meet each other, so there must be at least two;"
            f" here there is {groups[0] if groups else 'none'!r}"
        )
    pairs = [
        pair for pair in round_robin(len(agents)).tolist() if groups[pair[0]] != groups[pair[1]]
    ]
    results: list[list[DuelResult]] = [[] for _ in agents]
    seeds = derive_seeds(seed, 0, "ranking", len(pairs))
    for number, (first, second) in enumerate(pairs):
        result = duel(
            game,
            agents[first],
            agents[second],
            games=games,
            opening_plies=opening_plies,
            seed=int(seeds[number]),
            executor=executor,
        )
        results[first].append(result)
        results[second].append(result.reversed())
        if progress:
            progress(number + 1, len(pairs))
    return {name: _tally(met) for name, met in zip(names, results, strict=True)}


def meet_opponent(
    game: AnyGame,
    agents: Sequence[Player],
    opponent: Player,
    *,
    games: int = 2000,
    opening_plies: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Tally]:
    """Play every agent against one *opponent*; return their tallies by name.

    Args:
        game: The rules.
        agents: The players. Equal names are numbered.
        opponent: The player whom all of them meet.
        games: Games of each agent, colours balanced.
        opening_plies: Random plies at the beginning of each game.
        seed: Seed of openings and players.
        executor: Executor of matches of compiled players; serial if None.
        progress: Called after each agent with the number of agents so far and in total.
    """
    names = distinct_names([agent.name for agent in agents])
    seeds = derive_seeds(seed, 0, "ranking", len(agents))
    tallies = {}
    for number, (name, agent) in enumerate(zip(names, agents, strict=True)):
        result = duel(
            game,
            agent,
            opponent,
            games=games,
            opening_plies=opening_plies,
            seed=int(seeds[number]),
            executor=executor,
        )
        tallies[name] = _tally([result])
        if progress:
            progress(number + 1, len(agents))
    return tallies


def _tally(results: Sequence[DuelResult]) -> Tally:
    return Tally(
        sum(result.wins for result in results),
        sum(result.counted for result in results),
        tuple(results),
    )
