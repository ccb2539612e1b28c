"""The training loop: step the method, check the champion, record, save a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.crosstable import Rating
from evolve_arena.arena.duel import DuelSeries
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Node
from evolve_arena.arena.pairings import longest_opening
from evolve_arena.arena.sequential import FIRST_LOOK, find_stronger, list_looks
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.logs import LOG
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.method import Method, State
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.player import Player
from evolve_arena.runs.positions import PositionFile, count_solved, read_positions
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.checkpoint import drop_checkpoints, save_checkpoint
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import (
    ChampionMatch,
    CheckEnd,
    History,
    SolvedPositions,
    estimate_left,
)
from evolve_arena.runs.training.champions import Champions


@dataclass(frozen=True)
class Checking:
    """Progress of a check."""

    generation: int
    opponent: str
    """Name of the opponent that the champion is playing."""
    played: int
    """Number of games played against this opponent."""
    games: int
    """Largest number of games against this opponent."""


@dataclass(frozen=True, eq=False)
class Progress:
    """Progress of a run, as callbacks receive it: an immutable value per generation."""

    generation: int = 0
    """Number of generations completed."""
    generations: int = 0
    """Last generation of the run."""
    games: int = 0
    """Training matches since the start or resumption."""
    seconds: float = 0.0
    """Seconds spent on generations since then, without checks and compilation."""
    playing: float = 0.0
    """Part of :attr:`seconds` that was spent playing matches."""
    left: float | None = None
    """Estimated seconds until the run ends, checks included; None if unknown."""
    statistics: Mapping[str, float] = field(default_factory=dict)
    """Statistics of the generation, by name."""
    results: tuple[DuelResult, ...] = ()
    """Results of the last check, by opponent."""
    checked: int | None = None
    """Generation of the last check."""
    champion: EvolvedPlayer | None = None
    """Champion of that check."""
    best: int | None = None
    """Generation of the run's champion after that check."""
    rating: Rating | None = None
    """Elo rating of that check's champion among the run's champions, of which that of generation 0
    has 0; only if `run.champion` is ``strongest``."""
    checking: Checking | None = None
    """The check that is in progress; only for callbacks marked by :func:`during_checks`."""
    state: State | None = None
    """State of the method after the generation, with its ``population``; not to be changed. None
    after generations that islands completed on their own."""
    path: Path = Path()
    """Run directory."""
    nodes: Sequence[Node] = ()
    """Work of each machine since the start or resumption, if the executor has several."""


Callback = Callable[[Progress], bool | None]
"""Function that is called after each generation, and after its check if it has one. If it returns
False, the run stops after a checkpoint. In runs of neat-python, its reporters are accepted too;
they are not callable, and stop nothing."""


def list_callbacks(callbacks: Callback | Iterable[Callback]) -> list[Callback]:
    """Return one callback, or several, as a list."""
    if callable(callbacks) or not isinstance(callbacks, Iterable):
        return [callbacks]
    return list(callbacks)


C = TypeVar("C", bound=Callable[..., object])

CHAMPION_GAMES = 10_000
"""Maximum games of a new champion against an earlier one; enough to detect a share of 0.52."""
FIRST_GAMES = 100
"""Maximum games of the untrained champion against each external opponent."""
FEWEST_GAMES, FIRST_FEWEST_GAMES = 40, 10
"""Fewest games against each opponent in a check, and in that of the untrained champion, even if
they exceed its time."""
FREE_SECONDS = 2.0
"""Seconds that every check may take."""
MAX_PLIES = 4
"""Maximum random plies before games of champions, which would all be the same otherwise."""


def during_checks(callback: C) -> C:
    """Mark a callback that is also called during checks, many times per second.

    `Progress.checking` is set then. If the callback returns False, the check is abandoned and the
    run stops.
    """
    callback.during_checks = True  # type: ignore[attr-defined]
    return callback


def _report(callbacks: Sequence[Callback], progress: Progress) -> bool:
    """Call all *callbacks*, and return False if one of them stops the run."""
    answers = [callback(progress) for callback in callbacks]
    return all(answer is not False for answer in answers)


class _StoppedError(Exception):
    """Raised inside a check that a callback stops."""


@dataclass
class _Pace:
    """Games and seconds spent on a run."""

    games: int = 0
    """Training games since the start or resumption."""
    seconds: float = 0.0
    """Seconds of training since then."""
    playing: float = 0.0
    """Part of :attr:`seconds` that was spent playing."""
    generations: int = 0
    """Generations since then."""
    before: float = 0.0
    """Seconds of training before the resumption."""
    since_check: int = 0
    """Training games since the last check."""
    checks: dict[int, float] = field(default_factory=dict)
    """Seconds of each check, by generation."""

    def estimate_left(self, now: int, last: int, every: int) -> float | None:
        """Estimate the seconds until the end at generation *now*; see :func:`estimate_left`.

        Args:
            now: Current generation.
            last: Last generation of the run.
            every: Generations between checks.
        """
        if not self.generations:
            return None
        return estimate_left(now, last, every, self.seconds / self.generations, self.checks)


@dataclass(frozen=True)
class TrainingLoop:
    """The loop of a run, from a start or resumption to its end.

    :meth:`go` runs it::

        repeat
            at a check: find the champion, play its games, record its results
            call the callbacks
            at a checkpoint, or at the end: save the state
            at the end: return
            step the method until the next check or checkpoint
    """

    directory: RunDirectory
    recipe: Recipe
    method: Method[State]
    history: History
    arena: Arena
    opponents: list[Player]

    @cached_property
    def positions(self) -> dict[str, PositionFile]:
        """The positions of checks, by name."""
        game = self.method.decoder.game
        files = self.recipe.find_positions(game)
        return {name: read_positions(game, path) for name, path in files.items()}

    def go(self, state: State, callbacks: Sequence[Callback]) -> None:
        """Evolve from *state* until the recipe's last generation, or until a callback stops it."""
        begin = saved = state.generation
        last = self.recipe.run.generations
        first = self.opponents[0].name if self.opponents else None
        champions = Champions(self.directory, self.recipe, self.history, first, saved)
        pace = self._find_pace(champions)
        progress = Progress(saved, last, state=state, path=self.directory.path)
        progress = replace(progress, best=champions.best, rating=champions.rating)
        going = True
        # A check at the beginning: of the untrained, or one that was cut short.
        if self._is_due(saved) and saved not in champions.checked:
            progress, going = self._check(state, champions, pace, progress, callbacks)
            if saved:
                going = _report(callbacks, progress) and going
        while True:
            now = state.generation
            ending = now >= last or not going
            # Checkpoint, then the champion's file.
            if now != saved and (ending or now % self.recipe.run.checkpoint_every == 0):
                self._save(state)
                saved = now
                champions.show()
            else:
                champions.show(soon=not ending)
            if ending:
                return
            # Generations up to the next check or checkpoint; several where islands run alone.
            before = working_clock(), self.arena.executor.seconds
            state, reports = self.method.proceed(state, self.arena, self._find_next_stop(now))
            seconds = working_clock() - before[0]
            pace.seconds += seconds
            pace.playing += self.arena.executor.seconds - before[1]
            pace.generations += len(reports)
            games = sum(report.games for report in reports)
            pace.games += games
            pace.since_check += games
            nodes = tuple(self.arena.executor.nodes())
            self.history.add_nodes(begin, nodes)
            # Record and report each of them; only the last one has a state, and can be checked.
            for report in reports:
                self.history.add_generation(report, seconds / len(reports))
                now, met = report.generation + 1, state if report is reports[-1] else None
                statistics = MappingProxyType(dict(report.statistics))
                progress = self._describe(
                    replace(
                        progress, generation=now, statistics=statistics, state=met, nodes=nodes
                    ),
                    pace,
                )
                if met is not None and self._is_due(now):
                    progress, finished = self._check(state, champions, pace, progress, callbacks)
                    going = finished and going
                going = _report(callbacks, progress) and going

    def _find_pace(self, champions: Champions) -> _Pace:
        """Return the games and seconds spent on the run until now."""
        newest = max(champions.checked, default=0)
        checks = {end.generation: end.seconds for end in self.history.check_ends()}
        seconds, games = self.history.totals()[2], self.history.totals(newest)[1]
        return _Pace(before=seconds, since_check=games, checks=checks)

    def _describe(self, progress: Progress, pace: _Pace) -> Progress:
        """Return *progress* with the games and seconds spent on the run."""
        every = self.recipe.check.every
        return replace(
            progress,
            games=pace.games,
            seconds=pace.seconds,
            playing=pace.playing,
            left=pace.estimate_left(progress.generation, progress.generations, every),
        )

    def _find_next_stop(self, generation: int) -> int:
        """Return the next generation with a check, a checkpoint, or the end."""
        run = self.recipe.run
        steps = (self.recipe.check.every, run.checkpoint_every)
        return min(run.generations, *((generation // step + 1) * step for step in steps))

    def _is_due(self, generation: int) -> bool:
        """Test whether there is a check at *generation*; at 0 only if champions are rated."""
        if generation == 0:
            return self.recipe.run.champion == "strongest"
        every, last = self.recipe.check.every, self.recipe.run.generations
        return generation % every == 0 or generation == last

    def _save(self, state: State) -> None:
        """Write a checkpoint, and then delete those that are no longer kept."""
        self.history.flush()
        save_checkpoint(self.directory, state, self.method, self.recipe.run)
        drop_checkpoints(self.directory, self.recipe.run)

    def _check(
        self,
        state: State,
        champions: Champions,
        pace: _Pace,
        progress: Progress,
        callbacks: Sequence[Callback],
    ) -> tuple[Progress, bool]:
        """Find the champion and measure it.

        Returns:
            The progress with the results, and True; or *progress* and False if a callback stopped
            the check, of which nothing is recorded then.
        """
        # Champion: written to its file if there is none yet.
        self.history.write_waiting()
        begun, now = working_clock(), state.generation
        genome, report = self.method.champion(state, self.arena)
        decoder = self.recipe.make_playing(self.method.decoder)
        player = decoder.player(genome, f"{self.directory.path.name}@{now}")
        player.remarks = {"recipe": self.recipe.title, "generation": now}
        blob = player.serialise(**player.remarks, seed=state.seed)
        champions.begin(blob)
        # Games: against earlier champions, then against external opponents.
        watchers = [each for each in callbacks if getattr(each, "during_checks", False)]

        def watch(opponent: str, played: int, games: int) -> None:
            checking = Checking(now, opponent, played, games)
            if not _report(watchers, replace(progress, checking=checking)):
                raise _StoppedError

        check = _Check(self, player, state.seed, now, watch)
        try:
            matches, won = check.meet_champions(champions, self._limit_games(pace))
            results = check.meet_outside(begun + self._limit_seconds(pace))
            solved = check.solve()
        except _StoppedError:
            return progress, False
        # Results: which champion is the best now, the history, the log.
        champions.add(now, player, blob, results[0] if results else None, won)
        best = champions.best
        assert best is not None
        seconds = working_clock() - begun
        pace.checks[now], pace.since_check = seconds, 0
        champions.matches += matches
        end = CheckEnd(now, best, seconds)
        self.history.add_check(report, blob, results, matches, end, solved)
        shares = (f"{result.won or 0:.3f} against {result.names[1]}" for result in results)
        LOG.info(
            "check: generation %d, won %s; the champion is that of generation %d",
            now,
            ", ".join(shares) or "nothing",
            best,
        )
        progress = replace(
            progress,
            results=tuple(results),
            checked=now,
            champion=player,
            best=best,
            rating=champions.rating,
        )
        return self._describe(progress, pace), True

    def _limit_games(self, pace: _Pace) -> int:
        """Return the most games of a new champion against an earlier one.

        The choice of the champion must not depend on a clock, so the limit is a share of the number
        of training games, which take about as long.
        """
        check = self.recipe.check
        spent = int(pace.since_check * check.share / 2)
        return max(FIRST_LOOK, min(CHAMPION_GAMES, spent) if check.share < 1.0 else check.games)

    def _limit_seconds(self, pace: _Pace) -> float:
        """Return the seconds after which a check is cut short."""
        share = self.recipe.check.share
        if share >= 1.0:
            return math.inf
        allowed = (pace.before + pace.seconds) * share / (1.0 - share)
        return max(FREE_SECONDS, allowed - sum(pace.checks.values()))


@dataclass(frozen=True)
class _Check:
    """The games of a check."""

    loop: TrainingLoop
    player: EvolvedPlayer
    """The new champion."""
    seed: int
    """Seed of the run."""
    generation: int
    watch: Callable[[str, int, int], None]
    """Function that is called with the opponent, the games played and their largest number."""

    def meet_champions(self, champions: Champions, most: int) -> tuple[list[ChampionMatch], bool]:
        """Play against earlier champions, and return the results and True if it beats the best.

        Args:
            champions: Earlier champions.
            most: Most games against the best one; a sequential test may end them earlier.
        """
        if self.loop.recipe.run.champion != "strongest":
            return [], False
        matches, won = [], True
        standing = champions.standing
        if standing and standing[0] < self.generation:
            looks = list_looks(most)
            series = self._begin(standing[1], most, "champion")
            for look in looks:
                self._play(series, look, f"the champion of generation {standing[0]}")
                stronger = find_stronger(series.result, len(looks))
                if stronger >= 0:
                    break
            won = stronger == 0
            matches.append(self._note(standing[0], series.result))
        # Matches with an early champion connect the ratings: along a chain errors would add up.
        earlier = [each for each in champions.generations if each < self.generation]
        middle = len(earlier) // 2 if len(earlier) % 2 else 0
        far = earlier[middle] if earlier else None
        if far is not None and far not in {match.opponent for match in matches}:
            opponent = champions.find(far)
            if opponent:
                series = self._begin(opponent, FIRST_LOOK, "earlier champion")
                self._play(series, FIRST_LOOK, f"the champion of generation {far}")
                matches.append(self._note(far, series.result))
        return matches, won

    def meet_outside(self, end: float) -> list[DuelResult]:
        """Play against the external opponents, as many games as fit until the time *end*.

        Games that decide which champion is the best are not cut short.
        """
        check, rule = self.loop.recipe.check, self.loop.recipe.run.champion
        games, fewest = check.games, FEWEST_GAMES
        if self.generation == 0:
            games, fewest = min(games, FIRST_GAMES), FIRST_FEWEST_GAMES
        opponents = self.loop.opponents
        seeds = derive_seeds(self.seed, self.generation, "check", len(opponents))
        results = []
        for place, (opponent, seed) in enumerate(zip(opponents, seeds, strict=True)):
            # Each opponent gets an equal share of the time that is left.
            now = working_clock()
            until = now + (end - now) / (len(opponents) - place)
            if place == 0 and rule == "best-check":
                until = math.inf
            series = self._series(self.player, opponent, games, check.opening_plies, int(seed))
            while series.played < series.games:
                if working_clock() > until and series.played >= fewest:
                    break
                self.watch(opponent.name, series.played, series.games)
                series.play_some(series.games)
            results.append(series.result)
        return results

    def solve(self) -> list[SolvedPositions]:
        """Test the champion in the positions that the recipe names."""
        game = self.loop.method.decoder.game
        solved = count_solved(self.player, game, self.loop.positions)
        return [SolvedPositions(self.generation, name, *found) for name, found in solved.items()]

    def _begin(self, opponent: EvolvedPlayer, games: int, purpose: str) -> DuelSeries:
        """Begin games against another champion, from random openings, without search.

        The search of ``[search]`` is left out, as these games would take longer than the training.
        """
        check = self.loop.recipe.check
        plies = min(MAX_PLIES, longest_opening(self.loop.method.decoder.game) // 2)
        seed = derive_seeds(self.seed, self.generation, purpose, 1)[0]
        one, two = self.player, opponent
        if self.loop.recipe.search is not None:
            decoder = self.loop.method.decoder
            one, two = (decoder.player(each.genome, each.name) for each in (one, two))
        return self._series(one, two, games, max(plies, check.opening_plies), int(seed))

    def _series(self, one: Player, two: Player, games: int, plies: int, seed: int) -> DuelSeries:
        return DuelSeries(
            self.loop.method.decoder.game,
            one,
            two,
            games=games,
            opening_plies=plies,
            seed=seed,
            executor=self.loop.arena.executor,
        )

    def _play(self, series: DuelSeries, until: int, name: str) -> None:
        """Continue a *series* up to a number of games."""
        until = min(until + until % 2, series.games)
        while series.played < until:
            self.watch(name, series.played, series.games)
            series.play_some(until)

    def _note(self, opponent: int, result: DuelResult) -> ChampionMatch:
        return ChampionMatch(self.generation, opponent, result.wins, result.draws, result.losses)
