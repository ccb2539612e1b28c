"""Timed runs: a recipe that evolves for some minutes, or a race of several recipes.

A race takes a game. Its candidates, a recipe for each method that plays the game, evolve in turn,
each equally long in every lap. After a lap their best players play matches, and the weakest
candidate drops out. This takes half of the time; the winner has the rest, and its run is kept::

    while there are several candidates
        each of them evolves for its share of the lap
        their players play matches, until it is clear which is the weakest
        the weakest drops out
    the last one evolves until the time is up

The winner depends on the clock. Its recipe does not: it records the number of generations, and
reproduces the same bits.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.arena.arena import Arena, warm_up
from evolve_arena.arena.batch import seat_players
from evolve_arena.arena.duel import summarise
from evolve_arena.arena.executors import Executor, make_executor
from evolve_arena.arena.executors.processes import find_start_method
from evolve_arena.arena.match import play_matches
from evolve_arena.arena.pairings import random_openings, round_robin
from evolve_arena.core.errors import ArenaError, BadValueError, quote, spell
from evolve_arena.core.game import AnyGame
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import FILE, SPIEL, find_game, game_names, recipe_files
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.evolve.td import Td
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player
from evolve_arena.players.tuples import TupleDecoder
from evolve_arena.runs.api import Changes, find_place, prepare, read_changes
from evolve_arena.runs.consent import Allow, permit_files, remember
from evolve_arena.runs.recipes.methods import METHODS
from evolve_arena.runs.recipes.recipe import Recipe, describe_recipe, load_recipe
from evolve_arena.runs.run import Run, compile_kernels
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.logs import log_run
from evolve_arena.runs.training.loop import Callback, Progress

CANDIDATES: dict[str, JsonObject] = {
    "td-tuples": {
        "network.tuples": 60,
        "network.length": 2,
        "network.counts": True,
        "method.individuals": 2,
        "method.shards": 1,
        "method.schedule.learning_rate": 0.002,
    },
    "td": {"method.individuals": 2, "network.hidden": [64]},
    "tournament": {},
    "neat": {},
}
"""Methods that race in a game in one file, with changes of their default settings. Tuples are made
as long as :data:`LARGEST` permits."""
LENGTHS, LARGEST = (8, 6, 5, 4, 3, 2), 2**24
"""Lengths of tuples in order of preference, and the maximum entries of all tables together."""
PLIES_LEARNED = 300_000
"""Maximum plies in a generation of a learner, if its games have the greatest length."""

ENDLESS = 10**9
"""Number of generations of a run that the clock ends."""
UNCHECKED = {"check.every": ENDLESS, "run.champion": "last"}
"""Changes of recipes during the race, which has no checks."""
MAX_MINUTES = 60 * 24 * 7
CHECKS = 5
"""Approximate number of checks of the winner after the race."""
GAMES, MAX_GAMES = 50, 400
"""Games of each pair between two tests of whether one is clearly the weakest, and at most."""
PLIES = 4
"""Maximum random plies at the beginning of a game."""
MEETING = 0.05
"""Share of the total time for matches among candidates after a lap; as much for other opponents."""

Show = Callable[[Run], AbstractContextManager[Sequence[Callback]]]
"""Context manager of callbacks that display a stretch of a run."""


def check_minutes(minutes: float) -> float:
    """Return *minutes* in seconds.

    Raises:
        BadValueError: They are out of range.
    """
    if not isinstance(minutes, int | float) or not 0 < minutes <= MAX_MINUTES:
        raise BadValueError(
            f"{spell('--minutes', 'minutes')} is {quote(minutes)}: it must be above 0 and at most"
            f" {MAX_MINUTES:,}"
        )
    return 60.0 * minutes


def is_race(recipe: object, changes: Iterable[str]) -> bool:
    """Test whether a timed start is a race: a game, with changes of options, checks or seed alone.

    >>> is_race("hex", ["game.size"]), is_race("hex", ["method.name"]), is_race("hex-evolved", [])
    (True, False, False)
    """
    return (
        isinstance(recipe, str)
        and (recipe.endswith(FILE) or recipe.startswith(SPIEL) or recipe in game_names())
        and all(key.startswith(("game.", "check.")) or key == "run.seed" for key in changes)
    )


def list_candidates(
    game: str, changes: Settings | None = None, allow: Allow = False
) -> dict[str, Recipe]:
    """Return the recipes that race in a *game*, by name.

    They are the shipped ones: for each method the default recipe, or the one with the shortest
    name. In a game in one file they are those of `CANDIDATES` that play it.

    Args:
        game: Name of a shipped game, path of a file, or a game of OpenSpiel.
        changes: Values by dotted key that replace others in all recipes.
        allow: Permission, as in :func:`evolve_arena.runs.api.prepare`.

    Raises:
        ArenaError: There is no such game, or no method plays it.
    """
    permit, changes = permit_files(allow), changes or {}
    if not game.endswith(FILE) and not game.startswith(SPIEL):
        return {name: load_recipe(name, changes, permit) for name in _list_recipes(game)}
    found, problems = {}, []
    for method, values in CANDIDATES.items():
        try:
            recipe = load_recipe(game, {"method.name": method, **values, **changes}, permit)
            found[method] = _fit_learner(recipe)
        except ArenaError as error:
            problems.append(error)
    if not found:
        raise problems[0]
    return found


def _list_recipes(game: str) -> list[str]:
    """Return the name of a shipped recipe for each method, the default of the *game* first."""
    recipes = [describe_recipe(name) for name in recipe_files(studies=False)]
    found: dict[str, str] = {}
    for one in sorted(recipes, key=lambda one: (not one.is_usual, len(one.name), one.name)):
        if one.game == game and (one.is_usual or one.method in METHODS):
            found.setdefault(one.method, one.name)
    return list(found.values())


def _fit_learner(recipe: Recipe) -> Recipe:
    """Return the *recipe*, with tables and generations of moderate size if its method learns."""
    decoder: Any = recipe.make_decoder()
    # Games per generation, as long games are to take no longer than short ones.
    if issubclass(recipe.kind, Td):
        games = min(int(recipe.method["games"]), PLIES_LEARNED // decoder.game.code.LONGEST)
        return recipe.change({"method.games": max(1, games)})
    if not isinstance(decoder, TupleDecoder):
        return recipe
    if decoder.game.numbers_beside:  # such as men in hand: with none left it is another game
        recipe = recipe.change({"network.stages": 2})
    # The longest tuples with tables that are not too large.
    error: ArenaError | None = None
    for length in LENGTHS:
        try:
            decoder = recipe.change({"network.length": length}).make_decoder()
            numbers = decoder.table(decoder.draw(np.random.default_rng(0))).numbers
        except ArenaError as problem:  # far too large
            error = problem
            continue
        if numbers <= LARGEST:
            games = min(int(recipe.method["games"]), PLIES_LEARNED // decoder.game.code.LONGEST)
            shards = int(recipe.method["shards"])
            games = max(1, games // shards) * shards
            return recipe.change({"network.length": length, "method.games": games})
    raise error or BadValueError(f"tuple networks for {recipe.spec.name} are too large")


class TimedStart:
    """Timer that evolves runs until the time is up; it starts when it is created.

    Args:
        seconds: Duration.
        show: Context manager of callbacks that display a run.
        callbacks: Functions that are called after each generation; False stops everything.
        options: Arguments of :meth:`Run.advance`: ``workers``, ``executor`` and ``address``.
        clock: Function that returns the time in seconds.
    """

    def __init__(
        self,
        seconds: float,
        show: Show,
        callbacks: Sequence[Callback] = (),
        *,
        options: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds, self.show, self.callbacks = seconds, show, callbacks
        self.options, self.clock = options, clock
        self.end = clock() + seconds
        self.stopped = False
        """True if a callback, or Ctrl-C, has stopped it."""
        self.stopped_at_once = False
        """True if Ctrl-C has stopped it inside a generation."""

    def make_executor(self) -> AbstractContextManager[Executor]:
        """Return an executor for matches that are not part of a run."""
        given = self.options
        return closing(make_executor(given["executor"], given["workers"], given["address"]))

    def evolve(self, run: Run, until: float, changes: Settings | None = None) -> None:
        """Evolve by one generation or more, up to the one that ends nearest to *until*.

        Args:
            run: The run.
            until: Time to stop, as :attr:`clock` returns it.
            changes: Values by dotted key for this stretch; the recipe's file stays as it is.
        """
        before = self.clock()

        def watch(progress: Progress) -> bool:
            nonlocal before
            now = self.clock()
            before, took = now, now - before
            return not self.stopped and now + took / 2 < until

        self._advance(run, {"run.generations": ENDLESS, **(changes or {})}, until, [watch])

    def finish(self, run: Run) -> Run:
        """End the run at the generation that it has reached, and check its champion."""
        done = run.generation
        self._advance(run, {"run.generations": done}, self.clock(), [])
        last = max(done, run.recipe.run.generations) if self.stopped else done
        ended = run.with_changes({"run.generations": last})
        ended.remarks, ended.warnings = run.remarks, run.warnings
        return ended

    def _advance(self, run: Run, changes: Settings, until: float, more: Sequence[Callback]) -> None:
        going = Run(run.directory, run.recipe.change(changes))
        with self.show(run) as shown:
            callbacks = [
                self._wrap(each, run.directory, until) for each in (*self.callbacks, *shown)
            ]
            try:
                going.advance(callbacks=[*callbacks, *more], **self.options)
            except KeyboardInterrupt:
                self.stopped_at_once = True
                raise
        run.warnings = going.warnings

    def _wrap(self, callback: Callback, directory: RunDirectory, until: float) -> Callback:
        """Return *callback* with estimates of the stretch's end; False from it stops the timer."""
        if not callable(callback):  # a reporter of neat-python
            return callback
        begin, first = self.clock(), max(directory.generations(), default=0)

        @wraps(callback)
        def report(progress: Progress) -> bool | None:
            now = self.clock()
            pace, left = (
                (progress.generation - first) / max(now - begin, 1e-9),
                max(0.0, until - now),
            )
            last = progress.generation + round(pace * left)
            answer = callback(replace(progress, generations=last, left=left))
            self.stopped |= answer is False
            return answer

        return report


def start_timed(
    timer: TimedStart,
    recipe: str | Recipe | None,
    *,
    run: Path | str | None = None,
    changes: Changes = (),
    seed: int | None = None,
    neat_config: Path | str | None = None,
    population: str | Path | Iterable[str | Path] = (),
    force: bool = False,
    allow_process: Allow = False,
    report: Callable[[str], None] = LOG.info,
) -> Run:
    """Create a run and evolve it until the time is up; for a game, hold a race.

    Args:
        timer: Timer that evolves runs.
        recipe: Recipe or game, as in :func:`evolve_arena.runs.api.start`.
        run: Run directory.
        changes: Values that replace those of the recipe.
        seed: Seed, replacing the recipe's.
        neat_config: Configuration file of neat-python.
        population: Runs whose individuals form the first population; not in a race.
        force: True to overwrite an existing run.
        allow_process: Permission for programs, or a function that asks for it.
        report: Function that is called with a sentence when a candidate drops out.

    Raises:
        ArenaError: As in :func:`evolve_arena.runs.api.start`.
    """
    values = read_changes(changes) | ({} if seed is None else {"run.seed": seed})
    if "run.generations" in values:
        name = spell("--minutes", "minutes")
        raise BadValueError(f"{name} and run.generations both say when it ends: leave one out")
    more: JsonObject = {"force": force, "allow_process": allow_process}
    if neat_config is None and isinstance(recipe, str) and is_race(recipe, values):
        if population:
            name = spell("--population", "population")
            raise BadValueError(f"{name} is for a recipe: methods that race begin with their own")
        race = Race(RunDirectory(run or find_place(recipe)), timer, force=force, report=report)
        more["force"] = True  # a killed race may have left directories of candidates
        candidates = list_candidates(recipe, values, allow_process)
        return race.go(candidates, lambda one, place: prepare(one, run=place, **more))
    more |= {"neat_config": neat_config, "population": population}
    made = prepare(recipe, run=run, changes=values, **more)
    compile_kernels([made])
    timer.evolve(made, timer.end)
    return (
        made
        if timer.stopped and made.generation <= made.recipe.run.generations
        else timer.finish(made)
    )


@dataclass(eq=False)
class Candidate:
    """A run that takes part in a race."""

    name: str
    run: Run
    seconds: float = 0.0
    """Seconds for which it has evolved."""
    score: float = math.nan
    """Share of the points in its last matches."""
    opponents: tuple[str, ...] = ()
    """Names of the opponents in those matches."""

    def __str__(self) -> str:
        return self.name if math.isnan(self.score) else f"{self.name} {self.score:.3f}"


class Race:
    """A race of candidate runs, of which the winner's run is kept.

    Args:
        place: Run directory of the winner.
        timer: Timer that evolves runs.
        force: True to overwrite an existing run.
        report: Function that is called with a sentence when a candidate drops out.
    """

    def __init__(
        self,
        place: RunDirectory,
        timer: TimedStart,
        *,
        force: bool = False,
        report: Callable[[str], None] = LOG.info,
    ) -> None:
        self.place, self.timer, self.force, self.report = place, timer, force, report
        self.folder = place.path.with_name(f"{place.path.name}.race")
        """Folder of the candidates' runs during the race."""
        self.runners: list[Candidate] = []
        """Candidates that are still in the race."""
        self.dropped: list[Candidate] = []
        """Candidates that have dropped out, in order."""

    def go(self, recipes: Mapping[str, Recipe], prepare: Callable[[Recipe, Path], Run]) -> Run:
        """Hold the race, and return the winner's run when the time is up.

        Args:
            recipes: The candidates' recipes, by name.
            prepare: Function that creates a run of a recipe in a directory.
        """
        self.place.check_replaceable(force=self.force)
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.callback(self._clear)
            stack.enter_context(RunDirectory(self.folder).lock())
            for name, recipe in recipes.items():
                self.runners.append(Candidate(name, prepare(recipe, self.folder / name)))
            try:
                self._compile()
                self._run_laps()
            except BaseException as error:
                run = self._settle()  # so that no evolution is lost
                stops = isinstance(error, KeyboardInterrupt) and not self.timer.stopped_at_once
                if run is None or not stops:
                    raise
                self.timer.stopped = True
            else:
                run = self._settle()
        assert run is not None
        if not self.timer.stopped:
            run = self._evolve_last(run)
        return self.timer.finish(run)

    def _compile(self) -> None:
        """Compile all kernels, those of each candidate in a process of its own."""
        runs = [runner.run for runner in self.runners]
        parts = [[run] for run in runs] + [runs] * (len(runs) > 1)
        forks = find_start_method() == "fork"
        if forks and self.timer.options["executor"] in (None, "multiprocess"):
            with self.timer.make_executor() as machine:
                machine.map(_compile, parts)
        for part in parts:
            _compile(part)

    def _run_laps(self) -> None:
        """Evolve, compare and drop candidates until one is left, or the race is stopped."""
        timer = self.timer
        half = (timer.clock() + timer.end) / 2
        while len(self.runners) > 1 and not timer.stopped:
            share = (half - timer.clock()) / (len(self.runners) - 1) / len(self.runners)
            for runner in list(self.runners):
                begin = timer.clock()
                try:
                    timer.evolve(runner.run, begin + share, UNCHECKED)
                except DivergedError:
                    if len(self.runners) == 1:
                        raise
                    self._drop(runner)
                runner.seconds += timer.clock() - begin
                if timer.stopped:
                    return
            if len(self.runners) > 1:
                self._meet()
                self._drop(min(reversed(self.runners), key=lambda runner: runner.score))

    def _meet(self) -> None:
        """Score all candidates by matches with each other and with the game's default opponent."""
        clock, spent = self.timer.clock, MEETING * self.timer.seconds
        first = self.runners[0].run
        game: AnyGame = first.method.decoder.game
        with ExitStack() as stack:
            # The best player of each candidate.
            machine = stack.enter_context(self.timer.make_executor())
            players: list[CompiledPlayer] = []
            for runner in self.runners:
                method, state = runner.run.method, runner.run.state()
                genome, _ = method.champion(state, Arena(method.decoder, machine))
                players.append(method.decoder.player(genome, runner.name))
            count = len(players)
            yardsticks = _find_opponents(game)
            matches = Meeting(game, [*players, *yardsticks], machine, first.recipe.run.seed)
            # Round robins, until the weakest is clear or the time is spent.
            begin, pairs = clock(), round_robin(count).tolist()
            while not matches.is_clear(count) and matches.games < MAX_GAMES * len(pairs):
                matches.play(pairs, GAMES)
                if clock() - begin > spent:
                    break
            # Matches with the game's default opponent, unless two games show that it is too slow.
            for other in range(count, count + len(yardsticks)):
                begin, pairs = clock(), [(player, other) for player in range(count)]
                matches.play(pairs, 2)
                if (clock() - begin) * GAMES > 2 * spent:
                    matches.forget(other)
                else:
                    matches.play(pairs, GAMES - 2)
        for place, runner in enumerate(self.runners):
            runner.score = matches.score(place)
            runner.opponents = matches.opponents(place)

    def _drop(self, runner: Candidate) -> None:
        self.report(f"{', '.join(map(str, self.runners))}: {runner.name} drops out")
        self.runners.remove(runner)
        self.dropped.append(runner)
        shutil.rmtree(runner.run.path, ignore_errors=True)

    def _settle(self) -> Run | None:
        """Move the best run to the race's directory, if one has begun, and delete the others."""
        begun = [each for each in self.runners if any(each.run.directory.generations())]
        if not begun:
            return None
        best = max(begun, key=lambda each: -1.0 if math.isnan(each.score) else each.score)
        for other in [each for each in self.runners if each is not best]:
            self._drop(other)
        self.place.take_over(best.run.directory, force=self.force)
        best.run = Run(self.place, best.run.recipe)
        best.run.remarks = [self.describe()]
        remember(best.run.recipe, best.run.path)
        with log_run(best.run.path):
            LOG.info("%s", self.describe())
        return best.run

    def describe(self) -> str:
        """Return a line with the candidates and the outcome."""
        best = self.runners[0]
        others = " and ".join(map(str, reversed(self.dropped))) or "none"
        if math.isnan(best.score):
            return f"race      {best}, not compared with {others}"
        return f"race      {best} against {', '.join(best.opponents)}; dropped out: {others}"

    def _evolve_last(self, run: Run) -> Run:
        """Evolve the winner for the rest of the time, with some checks."""
        timer, winner = self.timer, self.runners[0]
        left = timer.end - timer.clock()
        if winner.seconds:
            every = max(1, round(run.generation / winner.seconds * left / CHECKS))
            changed = run.with_changes({"check.every": every, "run.checkpoint_every": every})
            run, changed.remarks = changed, run.remarks
        if left > 0:
            timer.evolve(run, timer.end)
        return run

    def _clear(self) -> None:
        """Delete what is left of the candidates' directories."""
        for runner in (*self.runners, *self.dropped):
            if runner.run.path.parent == self.folder:
                shutil.rmtree(runner.run.path, ignore_errors=True)
        with suppress(OSError):
            (self.folder / ".lock").unlink(missing_ok=True)
            self.folder.rmdir()


class Meeting:
    """Matches of several players in pairs, colours balanced, from random openings.

    All matches use one kernel, which is compiled once.

    Args:
        game: Rules.
        players: All players.
        executor: Executor of the matches.
        seed: Seed of openings and matches.
    """

    def __init__(
        self, game: AnyGame, players: Sequence[CompiledPlayer], executor: Executor, seed: int
    ) -> None:
        self.game, self.players, self.executor = game, list(players), executor
        self.spec = find_game(game.name)
        self.plies = min(PLIES, self.spec.kernel.longest_opening(game.rules))
        self.points: dict[tuple[int, int], list[float]] = {}
        """Points of the first player in each game, by pair."""
        self.games = 0
        self.seed = seed

    def play(self, pairs: Iterable[Sequence[int]], games: int) -> None:
        """Play an even number of *games* between the players of each of *pairs*."""
        order = np.arange(self.game.seats) % 2
        half = games // 2
        # Two games from each opening, with seats swapped; players 0 and 1 are the pair.
        tables = np.tile([order, 1 - order], (half, 1))
        pairings = seat_players(tables, self.spec.most_seats)
        for first, second in pairs:
            (seed,) = derive_seeds(self.seed, self.games, "race", 1)
            openings = np.repeat(random_openings(self.game, self.plies, half, int(seed)), 2, axis=0)
            seeds = np.repeat(derive_seeds(int(seed), 0, "race", half), 2)
            # The others are seated nowhere, but belong to the arguments of the same kernel.
            others = [each for each in range(len(self.players)) if each not in (first, second)]
            seated = [self.players[each] for each in (first, second, *others)]
            played = play_matches(self.game, seated, pairings, seeds, openings, self.executor)
            result = summarise(self.spec, (seated[0].name, seated[1].name), pairings, *played)
            points = [1.0] * result.wins + [0.5] * result.draws + [0.0] * result.losses
            self.points.setdefault((first, second), []).extend(points)
            self.games += len(pairings)

    def forget(self, player: int) -> None:
        """Remove all games of a *player*."""
        self.points = {pair: won for pair, won in self.points.items() if player not in pair}

    def score(self, player: int) -> float:
        """Return the mean of a player's shares of the points against each opponent."""
        means = [np.mean(won) for won in self._points_of(player).values() if won]
        return float(np.mean(means)) if means else 0.5

    def opponents(self, player: int) -> tuple[str, ...]:
        """Return the names of a player's opponents."""
        return tuple(self.players[other].name for other in self._points_of(player))

    def is_clear(self, count: int) -> bool:
        """Test whether one of the first *count* players is the weakest by two standard errors."""
        if not self.games:
            return False
        estimates = sorted(self._estimate(player) for player in range(count))
        (worst, error), (other, more) = estimates[:2]
        return bool(other - worst > 2 * math.hypot(error, more))

    def _estimate(self, player: int) -> tuple[float, float]:
        """Return a player's score and its standard error."""
        met = [won for won in self._points_of(player).values() if won]
        variances = [np.var(won) / len(won) for won in met]
        return self.score(player), math.sqrt(sum(variances)) / max(1, len(met))

    def _points_of(self, player: int) -> dict[int, list[float]]:
        found = {}
        for (first, second), points in self.points.items():
            if player == first:
                found[second] = points
            elif player == second:
                found[first] = [1.0 - each for each in points]
        return found


def _find_opponents(game: AnyGame) -> list[CompiledPlayer]:
    """Return the default opponent of a *game* in a list, which is empty if it is not compiled."""
    player = make_player(find_game(game.name).opponents[0], game)
    return [player] if isinstance(player, CompiledPlayer) else []


def _compile(runs: Sequence[Run]) -> None:
    """Compile the kernels of one run, or those of matches among several."""
    if len(runs) == 1:
        compile_kernels(runs)
        return
    game = runs[0].method.decoder.game
    states = [(run, run.method.initial(run.recipe.run.seed)) for run in runs]
    packed = [run.method.decoder.pack(state.population) for run, state in states]
    warm_up(game, [*packed, *(player.packed for player in _find_opponents(game))])
