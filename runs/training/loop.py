"""A run on its way: step, check, note, checkpoint, until it ends or is told to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

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
from evolve_arena.evolve.method import Method
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.player import Player
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.checkpoint import drop_checkpoints, save_checkpoint
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import ChampionMatch, CheckEnd, History, estimate_left
from evolve_arena.runs.training.champions import Champions


@dataclass(frozen=True)
class Checking:
    """How far a check is."""

    generation: int
    opponent: str
    """Against whom the champion plays."""
    played: int
    games: int
    """How many games were played against that one, and of how many at most."""


@dataclass(frozen=True, eq=False)
class Progress:
    """What a generation brought, for callbacks; one value of its own for each generation."""

    generation: int = 0
    generations: int = 0
    games: int = 0
    """Matches in which players were bred, since the start or resumption."""
    seconds: float = 0.0
    """Spent on them, without checks and without what was compiled."""
    playing: float = 0.0
    """How many of the seconds were spent playing matches."""
    left: float | None = None
    """Seconds until the run ends, checks included, as far as it is known."""
    statistics: Mapping[str, float] = field(default_factory=dict)
    results: tuple[DuelResult, ...] = ()
    """The last check; that of this generation, if there was one."""
    checked: int | None = None
    """The generation of the last check."""
    champion: BredPlayer | None = None
    """The champion of that check."""
    best: int | None = None
    """The generation of the run's champion after it."""
    rating: Rating | None = None
    """How strong the champion of that check is among the run's own, that of generation 0 having 0;
    only if `run.champion` is ``strongest``."""
    checking: Checking | None = None
    """The check that goes on; only callbacks marked by :func:`during_checks` hear of that."""
    state: Any = None
    """The method's state after the generation, with its ``population``; it must not be changed.
    None after generations that islands went through on their own."""
    path: Path = Path()
    """The run's directory."""
    nodes: Sequence[Node] = ()
    """What each machine did since the start or resumption, if the executor has several."""


Callback = Callable[[Progress], bool | None]
"""Is called once for each generation, after its check if it has one; the run stops, after a
checkpoint, if it gives False. A reporter of neat-python, an object that can't be called, is one,
too, in runs that neat-python breeds; it stops nothing."""


def list_callbacks(callbacks: Callback | Iterable[Callback]) -> list[Callback]:
    """One callback, or several, as a list."""
    if callable(callbacks) or not isinstance(callbacks, Iterable):
        return [callbacks]
    return list(callbacks)


C = TypeVar("C", bound=Callable[..., Any])

CHAMPION_GAMES = 10_000
"""Games of a new champion against one before it, at most: so many show who wins 0.52 of them."""
FIRST_GAMES = 100
"""Games of the untrained champion against each opponent from outside, at most."""
FEWEST_GAMES, FIRST_FEWEST_GAMES = 40, 10
"""Games against each opponent, of a check and of that of the untrained champion, that are played
even if they take longer than they may."""
FREE_SECONDS = 2.0
"""Seconds that any check may take."""
MOST_PLIES = 4
"""Random plies before champions meet, who play the same game again and again otherwise."""


def during_checks(callback: C) -> C:
    """Marks a callback that is also called while a check goes on, every moment.

    `Progress.checking` is set then. A check is given up if it says no, and the run stops.
    """
    callback.during_checks = True  # type: ignore[attr-defined]
    return callback


def _tell(callbacks: Sequence[Callback], progress: Progress) -> bool:
    """Calls all *callbacks*; whether the run is to go on."""
    answers = [callback(progress) for callback in callbacks]
    return all(answer is not False for answer in answers)


class _StoppedError(Exception):
    """Raised inside a check that a callback stops."""


@dataclass
class _Pace:
    """How much of a run was spent, and on what."""

    games: int = 0
    """Games in which players were bred, since the start or resumption."""
    seconds: float = 0.0
    """Seconds that breeding took since then."""
    playing: float = 0.0
    """Of them, those spent playing."""
    generations: int = 0
    """Generations since then."""
    before: float = 0.0
    """Seconds that breeding took until then."""
    since_check: int = 0
    """Games in which players were bred since the last check."""
    checks: dict[int, float] = field(default_factory=dict)
    """Seconds that each check took, by generation."""

    def estimate_left(self, now: int, last: int, every: int) -> float | None:
        """Seconds until the run ends that is at generation *now*; see :func:`estimate_left`."""
        if not self.generations:
            return None
        return estimate_left(now, last, every, self.seconds / self.generations, self.checks)


@dataclass(frozen=True)
class TrainingLoop:
    """What one stretch of a run needs at hand; :meth:`go` does the work."""

    directory: RunDirectory
    recipe: Recipe
    method: Method[Any]
    history: History
    arena: Arena
    opponents: list[Player]

    def go(self, state: Any, callbacks: Sequence[Callback]) -> None:
        """Evolves on from *state* until the recipe's last generation, or a callback says no."""
        begin = saved = state.generation
        last = self.recipe.run.generations
        first = self.opponents[0].name if self.opponents else None
        champions = Champions(self.directory, self.recipe, self.history, first, saved)
        pace = self._find_pace(champions)
        progress = Progress(saved, last, state=state, path=self.directory.path)
        progress = replace(progress, best=champions.best, rating=champions.rating)
        going = True
        if self._is_due(saved) and saved not in champions.checked:
            progress, going = self._check(state, champions, pace, progress, callbacks)
            if saved:
                going = _tell(callbacks, progress) and going
        while True:
            now = state.generation
            ending = now >= last or not going
            if now != saved and (ending or now % self.recipe.run.checkpoint_every == 0):
                self._save(state)
                saved = now
                champions.show()
            else:
                champions.show(soon=not ending)
            if ending:
                return
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
                going = _tell(callbacks, progress) and going

    def _find_pace(self, champions: Champions) -> _Pace:
        """What the run was spent on until now."""
        newest = max(champions.checked, default=0)
        checks = {end.generation: end.seconds for end in self.history.check_ends()}
        seconds, games = self.history.totals()[2], self.history.totals(newest)[1]
        return _Pace(before=seconds, since_check=games, checks=checks)

    def _describe(self, progress: Progress, pace: _Pace) -> Progress:
        """The same *progress* with what the run was spent on."""
        every = self.recipe.check.every
        return replace(
            progress,
            games=pace.games,
            seconds=pace.seconds,
            playing=pace.playing,
            left=pace.estimate_left(progress.generation, progress.generations, every),
        )

    def _find_next_stop(self, generation: int) -> int:
        """The next generation at which there is a check, a checkpoint, or the end."""
        run = self.recipe.run
        steps = (self.recipe.check.every, run.checkpoint_every)
        return min(run.generations, *((generation // step + 1) * step for step in steps))

    def _is_due(self, generation: int) -> bool:
        """Whether there is a check at *generation*; the untrained are the ladder's first rung."""
        if generation == 0:
            return self.recipe.run.champion == "strongest"
        every, last = self.recipe.check.every, self.recipe.run.generations
        return generation % every == 0 or generation == last

    def _save(self, state: Any) -> None:
        """Writes a checkpoint, and then makes room."""
        self.history.flush()
        save_checkpoint(self.directory, state, self.method, self.recipe.run)
        drop_checkpoints(self.directory, self.recipe.run)

    def _check(
        self,
        state: Any,
        champions: Champions,
        pace: _Pace,
        progress: Progress,
        callbacks: Sequence[Callback],
    ) -> tuple[Progress, bool]:
        """Finds the champion and measures it; False if a callback stopped that: it is dropped."""
        self.history.write_waiting()
        begun, now = working_clock(), state.generation
        genome, report = self.method.champion(state, self.arena)
        decoder = self.recipe.make_playing(self.method.decoder)
        player = decoder.player(genome, f"{self.directory.path.name}@{now}")
        player.remarks = {"recipe": self.recipe.title, "generation": now}
        blob = player.serialise(**player.remarks, seed=state.seed)
        champions.begin(blob)
        watchers = [each for each in callbacks if getattr(each, "during_checks", False)]

        def watch(opponent: str, played: int, games: int) -> None:
            checking = Checking(now, opponent, played, games)
            if not _tell(watchers, replace(progress, checking=checking)):
                raise _StoppedError

        check = _Check(self, player, state.seed, now, watch)
        try:
            matches, won = check.meet_champions(champions, self._limit_games(pace))
            results = check.meet_outside(begun + self._limit_seconds(pace))
        except _StoppedError:
            return progress, False
        champions.add(now, player, blob, results[0] if results else None, won)
        best = champions.best
        assert best is not None
        seconds = working_clock() - begun
        pace.checks[now], pace.since_check = seconds, 0
        champions.matches += matches
        self.history.add_check(report, blob, results, matches, CheckEnd(now, best, seconds))
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
        """How many games a new champion plays against one before it, at most.

        Who is champion must not depend on a clock; but these games take as long as those in which
        players are bred, of which there is a number.
        """
        check = self.recipe.check
        spent = int(pace.since_check * check.share / 2)
        return max(FIRST_LOOK, min(CHAMPION_GAMES, spent) if check.share < 1.0 else check.games)

    def _limit_seconds(self, pace: _Pace) -> float:
        """How long a check may take before it is cut short."""
        share = self.recipe.check.share
        if share >= 1.0:
            return math.inf
        allowed = (pace.before + pace.seconds) * share / (1.0 - share)
        return max(FREE_SECONDS, allowed - sum(pace.checks.values()))


@dataclass(frozen=True)
class _Check:
    """The games of a check."""

    loop: TrainingLoop
    player: BredPlayer
    """The new champion."""
    seed: int
    """The run's."""
    generation: int
    watch: Callable[[str, int, int], None]
    """Is told against whom it plays, how many games were played, and of how many."""

    def meet_champions(self, champions: Champions, most: int) -> tuple[list[ChampionMatch], bool]:
        """The games against earlier champions, and whether it takes the place of the best one.

        Args:
            champions: All of them.
            most: How many games to play against the best one, unless it is clear before.
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
        # One far back, or the first, ties ratings together: along a chain errors would add up.
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
        """The games against players from outside: as many as fit until *end*, of all the first.

        What decides who is champion is played whole.
        """
        check, rule = self.loop.recipe.check, self.loop.recipe.run.champion
        games, fewest = check.games, FEWEST_GAMES
        if self.generation == 0:
            games, fewest = min(games, FIRST_GAMES), FIRST_FEWEST_GAMES
        opponents = self.loop.opponents
        seeds = derive_seeds(self.seed, self.generation, "check", len(opponents))
        results = []
        for place, (opponent, seed) in enumerate(zip(opponents, seeds, strict=True)):
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

    def _begin(self, opponent: BredPlayer, games: int, purpose: str) -> DuelSeries:
        """Games against another champion, from random openings, both as they were bred.

        A search that they play with elsewhere would take longer than what breeds them.
        """
        check = self.loop.recipe.check
        plies = min(MOST_PLIES, longest_opening(self.loop.method.decoder.game) // 2)
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
        """Goes on with a *series* until so many games were played."""
        until = min(until + until % 2, series.games)
        while series.played < until:
            self.watch(name, series.played, series.games)
            series.play_some(until)

    def _note(self, opponent: int, result: DuelResult) -> ChampionMatch:
        return ChampionMatch(self.generation, opponent, result.wins, result.draws, result.losses)
