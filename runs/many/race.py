"""Runs that end by the clock: a recipe that is evolved for so long, or a race of several.

A race takes a game. Its candidates, a recipe for each method that plays the game, evolve by turns,
each equally long in every lap. After a lap their best players meet, and the weakest candidate drops
out. Half of the time is for this; the last one left has the rest, and its run is what remains::

    while there are several candidates
        each of them evolves for its share of the lap
        their players meet, until the weakest is clear
        the weakest drops out
    the last one evolves until the time is up

Who wins depends on the clock. The recipe that remains does not: it says how many generations there
were, and gives the same bits again.
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
from evolve_arena.arena.executors.processes import START_METHOD
from evolve_arena.arena.match import play_matches
from evolve_arena.arena.pairings import random_openings, round_robin
from evolve_arena.core.errors import ArenaError, BadValueError, quote, spell
from evolve_arena.core.game import AnyGame
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import FILE, SPIEL, find_game, game_names, recipe_files
from evolve_arena.core.seeding import derive_seeds
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

CANDIDATES: dict[str, dict[str, Any]] = {
    "td-tuples": {
        "network.tuples": 60,
        "network.length": 2,
        "method.individuals": 2,
        "method.shards": 1,
        "method.schedule.learning_rate": 0.002,
    },
    "td": {"method.individuals": 2, "network.hidden": [64]},
    "tournament": {},
    "neat": {},
}
"""Methods that race in a game that is a file, and what they are told beside what is usual; tuples
are made as long as tables may be large."""
LENGTHS, LARGEST = (5, 4, 3, 2), 2**24
"""Cells of a tuple: the first number with which all tables together have no more than so many
numbers."""
PLIES_LEARNED = 300_000
"""Plies in a generation of a learner, if games were as long as they can be, at most."""

ENDLESS = 10**9
"""Generations of a run that the clock ends."""
UNCHECKED = {"check.every": ENDLESS, "run.champion": "last"}
"""What is changed while candidates race, who have no checks."""
MOST_MINUTES = 60 * 24 * 7
CHECKS = 5
"""How many checks the last candidate has on its way, about."""
GAMES, MOST_GAMES = 50, 400
"""Games of each pair until somebody looks whether the weakest is clear, and at most."""
PLIES = 4
"""Random plies with which they begin."""
MEETING = 0.05
"""The share of the whole time that a meeting may take, and that other opponents may."""

Show = Callable[[Run], AbstractContextManager[Sequence[Callback]]]
"""Gives callbacks for a stretch of a run, while that goes on."""


def check_minutes(minutes: float) -> float:
    """So many *minutes* in seconds.

    Raises:
        BadValueError: No run can take so long.
    """
    if not isinstance(minutes, int | float) or not 0 < minutes <= MOST_MINUTES:
        raise BadValueError(
            f"{spell('--minutes', 'minutes')} is {quote(minutes)}: it must be above 0 and at most"
            f" {MOST_MINUTES:,}"
        )
    return 60.0 * minutes


def is_race(recipe: Any, changes: Iterable[str]) -> bool:
    """Whether a start by the clock is a race: *recipe* is a game, and no method is asked for.

    >>> is_race("hex", ["game.size"]), is_race("hex", ["method.name"]), is_race("hex-evolved", [])
    (True, False, False)
    """
    return (
        isinstance(recipe, str)
        and (recipe.endswith(FILE) or recipe.startswith(SPIEL) or recipe in game_names())
        and all(key.startswith(("game.", "check.")) or key == "run.seed" for key in changes)
    )


def list_candidates(
    game: str, changes: Mapping[str, Any] | None = None, allow: Allow = False
) -> dict[str, Recipe]:
    """The recipes that race in a *game*, by name.

    Those that ship with it: for each method the one that is called most like the game. In a game
    that is a file, those of `CANDIDATES`, as far as they play it.

    Args:
        game: The name of a game that ships, a file, or a game of OpenSpiel.
        changes: Values by dotted key that replace others in all recipes.
        allow: As :func:`evolve_arena.runs.api.prepare` takes it.

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
    """For each method the name of one that ships, that of the *game* first."""
    recipes = [describe_recipe(name) for name in recipe_files(studies=False)]
    found: dict[str, str] = {}
    for one in sorted(recipes, key=lambda one: (not one.is_usual, len(one.name), one.name)):
        if one.game == game and (one.is_usual or one.method in METHODS):
            found.setdefault(one.method, one.name)
    return list(found.values())


def _fit_learner(recipe: Recipe) -> Recipe:
    """The *recipe*; if it is one of learners, with tables and generations of a usual size."""
    decoder: Any = recipe.make_decoder()
    if issubclass(recipe.kind, Td):
        games = min(int(recipe.method["games"]), PLIES_LEARNED // decoder.game.code.LONGEST)
        return recipe.change({"method.games": max(1, games)})
    if not isinstance(decoder, TupleDecoder):
        return recipe
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
    """Evolves runs until a time is up, which begins now.

    Args:
        seconds: How long it takes.
        show: Gives callbacks that show how far a run is.
        callbacks: Are told of each generation, too; one that gives False stops everything.
        options: What :meth:`Run.advance` takes: ``workers``, ``executor`` and ``address``.
        clock: Counts seconds.
    """

    def __init__(
        self,
        seconds: float,
        show: Show,
        callbacks: Sequence[Callback] = (),
        *,
        options: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds, self.show, self.callbacks = seconds, show, callbacks
        self.options, self.clock = options, clock
        self.end = clock() + seconds
        self.stopped = False
        """Whether a callback, or Ctrl-C, has stopped it."""
        self.stopped_at_once = False
        """Whether Ctrl-C has done so inside a generation."""

    def make_executor(self) -> AbstractContextManager[Executor]:
        """What plays matches beside those of runs."""
        given = self.options
        return closing(make_executor(given["executor"], given["workers"], given["address"]))

    def evolve(self, run: Run, until: float, **changes: Any) -> None:
        """Evolves by a generation at least, and on to that which ends nearest to *until*.

        The recipe's file stays as it is, whatever the *changes* by dotted key.
        """
        before = self.clock()

        def watch(progress: Progress) -> bool:
            nonlocal before
            now = self.clock()
            before, took = now, now - before
            return not self.stopped and now + took / 2 < until

        self._advance(run, {"run.generations": ENDLESS, **changes}, until, [watch])

    def finish(self, run: Run) -> Run:
        """Lets the run end with the generation that it has reached, and checks its champion."""
        done = run.generation
        self._advance(run, {"run.generations": done}, self.clock(), [])
        last = max(done, run.recipe.run.generations) if self.stopped else done
        ended = run.with_changes({"run.generations": last})
        ended.remarks, ended.warnings = run.remarks, run.warnings
        return ended

    def _advance(
        self, run: Run, changes: Mapping[str, Any], until: float, more: Sequence[Callback]
    ) -> None:
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
        """The *callback*, which is told when the stretch ends, and may stop everything."""
        if not callable(callback):  # a reporter of neat-python
            return callback
        begin, first = self.clock(), max(directory.generations(), default=0)

        @wraps(callback)
        def tell(progress: Progress) -> bool | None:
            now = self.clock()
            pace, left = (
                (progress.generation - first) / max(now - begin, 1e-9),
                max(0.0, until - now),
            )
            last = progress.generation + round(pace * left)
            answer = callback(replace(progress, generations=last, left=left))
            self.stopped |= answer is False
            return answer

        return tell


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
    tell: Callable[[str], None] = LOG.info,
) -> Run:
    """Makes a run and evolves it until the time is up; of a game, the one that wins a race.

    Args:
        timer: Evolves.
        recipe: As for :func:`evolve_arena.runs.api.start`, and so what follows.
        run: Its directory.
        changes: Replaces values of the recipe.
        seed: Replaces its seed.
        neat_config: A configuration of neat-python.
        population: Runs whose individuals are in the first population; not in a race.
        force: Whether a run in that directory may be deleted.
        allow_process: Whether programs may run.
        tell: Is given a sentence when a candidate has dropped out.

    Raises:
        ArenaError: As :func:`evolve_arena.runs.api.start` says.
    """
    values = read_changes(changes) | ({} if seed is None else {"run.seed": seed})
    if "run.generations" in values:
        name = spell("--minutes", "minutes")
        raise BadValueError(f"{name} and run.generations both say when it ends: leave one out")
    more: dict[str, Any] = {"force": force, "allow_process": allow_process}
    if neat_config is None and isinstance(recipe, str) and is_race(recipe, values):
        if population:
            name = spell("--population", "population")
            raise BadValueError(f"{name} is for a recipe: methods that race begin with their own")
        race = Race(RunDirectory(run or find_place(recipe)), timer, force=force, tell=tell)
        more["force"] = True  # what a killed race has left
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
    """How long it has evolved."""
    score: float = math.nan
    """The share of the points in its last meeting."""
    opponents: tuple[str, ...] = ()
    """Whom it met there."""

    def __str__(self) -> str:
        return self.name if math.isnan(self.score) else f"{self.name} {self.score:.3f}"


class Race:
    """A race, as the module describes it.

    Args:
        place: Where the run of the last candidate is to lie.
        timer: Evolves, and knows when the time is up.
        force: Whether a run that lies there may be deleted.
        tell: Is given a sentence when a candidate has dropped out.
    """

    def __init__(
        self,
        place: RunDirectory,
        timer: TimedStart,
        *,
        force: bool = False,
        tell: Callable[[str], None] = LOG.info,
    ) -> None:
        self.place, self.timer, self.force, self.tell = place, timer, force, tell
        self.folder = place.path.with_name(f"{place.path.name}.race")
        """Where the candidates' runs lie meanwhile."""
        self.runners: list[Candidate] = []
        """Who is still in it."""
        self.dropped: list[Candidate] = []

    def go(self, recipes: Mapping[str, Recipe], prepare: Callable[[Recipe, Path], Run]) -> Run:
        """Lets the *recipes* race; gives the run that is left, which has gone on until the end.

        Args:
            recipes: The candidates' recipes, by name.
            prepare: Makes a run of a recipe in a directory.
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
                run = self._settle()  # what was evolved is not lost
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
        """Compiles what all play with, the kernels of each candidate in a process of its own."""
        runs = [runner.run for runner in self.runners]
        parts = [[run] for run in runs] + [runs] * (len(runs) > 1)
        if self.timer.options["executor"] in (None, "multiprocess") and START_METHOD == "fork":
            with self.timer.make_executor() as machine:
                machine.map(_compile, parts)
        for part in parts:
            _compile(part)

    def _run_laps(self) -> None:
        """Lets candidates drop out until one is left, or somebody stops it."""
        timer = self.timer
        half = (timer.clock() + timer.end) / 2
        while len(self.runners) > 1 and not timer.stopped:
            share = (half - timer.clock()) / (len(self.runners) - 1) / len(self.runners)
            for runner in list(self.runners):
                begin = timer.clock()
                try:
                    timer.evolve(runner.run, begin + share, **UNCHECKED)
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
        """Finds the scores of all runners, in matches among themselves and with somebody else."""
        clock, spent = self.timer.clock, MEETING * self.timer.seconds
        first = self.runners[0].run
        game: AnyGame = first.method.decoder.game
        with ExitStack() as stack:
            machine = stack.enter_context(self.timer.make_executor())
            players: list[CompiledPlayer] = []
            for runner in self.runners:
                method, state = runner.run.method, runner.run.state()
                genome, _ = method.champion(state, Arena(method.decoder, machine))
                players.append(method.decoder.player(genome, runner.name))
            count = len(players)
            yardsticks = _find_yardsticks(game)
            matches = Meeting(game, [*players, *yardsticks], machine, first.recipe.run.seed)
            begin, pairs = clock(), round_robin(count).tolist()
            while not matches.is_clear(count) and matches.games < MOST_GAMES * len(pairs):
                matches.play(pairs, GAMES)
                if clock() - begin > spent:
                    break
            for other in range(count, count + len(yardsticks)):
                begin, pairs = clock(), [(player, other) for player in range(count)]
                matches.play(pairs, 2)
                if (clock() - begin) * GAMES > 2 * spent:  # too slow
                    matches.forget(other)
                else:
                    matches.play(pairs, GAMES - 2)
        for place, runner in enumerate(self.runners):
            runner.score = matches.score(place)
            runner.opponents = matches.opponents(place)

    def _drop(self, runner: Candidate) -> None:
        self.tell(f"{', '.join(map(str, self.runners))}: {runner.name} drops out")
        self.runners.remove(runner)
        self.dropped.append(runner)
        shutil.rmtree(runner.run.path, ignore_errors=True)

    def _settle(self) -> Run | None:
        """Moves the best run to its place, if one has begun, and deletes the others."""
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
        """Who was raced and what came of it, in a sentence."""
        best = self.runners[0]
        others = " and ".join(map(str, reversed(self.dropped))) or "nobody"
        if math.isnan(best.score):
            return f"race      {best}, not compared with {others}"
        return f"race      {best} against {', '.join(best.opponents)}; dropped out: {others}"

    def _evolve_last(self, run: Run) -> Run:
        """Lets the last one go on for what is left of the time, with some checks on the way."""
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
        """Deletes what is left of the candidates."""
        for runner in (*self.runners, *self.dropped):
            if runner.run.path.parent == self.folder:
                shutil.rmtree(runner.run.path, ignore_errors=True)
        with suppress(OSError):
            (self.folder / ".lock").unlink(missing_ok=True)
            self.folder.rmdir()


class Meeting:
    """Matches in which several players meet in pairs, colours balanced, from random openings.

    All matches go through one kernel, which is compiled once.

    Args:
        game: The rules.
        players: Who meets.
        executor: Plays the matches.
        seed: Seeds all.
    """

    def __init__(
        self, game: AnyGame, players: Sequence[CompiledPlayer], executor: Executor, seed: int
    ) -> None:
        self.game, self.players, self.executor = game, list(players), executor
        self.spec = find_game(game.name)
        self.plies = min(PLIES, self.spec.kernel.longest_opening(game.rules))
        self.points: dict[tuple[int, int], list[float]] = {}
        """The points of the first player in each game, by pair."""
        self.games = 0
        self.seed = seed

    def play(self, pairs: Iterable[Sequence[int]], games: int) -> None:
        """Lets each of *pairs* meet so often."""
        order = np.arange(self.game.seats) % 2
        half = games // 2
        tables = np.tile([order, 1 - order], (half, 1))
        seatings = seat_players(tables, self.spec.most_seats)
        for first, second in pairs:
            (seed,) = derive_seeds(self.seed, self.games, "race", 1)
            openings = np.repeat(random_openings(self.game, self.plies, half, int(seed)), 2, axis=0)
            seeds = np.repeat(derive_seeds(int(seed), 0, "race", half), 2)
            others = [each for each in range(len(self.players)) if each not in (first, second)]
            seated = [self.players[each] for each in (first, second, *others)]
            played = play_matches(self.game, seated, seatings, seeds, openings, self.executor)
            result = summarise(self.spec, (seated[0].name, seated[1].name), seatings, *played)
            points = [1.0] * result.wins + [0.5] * result.draws + [0.0] * result.losses
            self.points.setdefault((first, second), []).extend(points)
            self.games += len(seatings)

    def forget(self, player: int) -> None:
        """Leaves out all games of a *player*."""
        self.points = {pair: won for pair, won in self.points.items() if player not in pair}

    def score(self, player: int) -> float:
        """The mean of its shares of the points, of each opponent one."""
        means = [np.mean(won) for won in self._points_of(player).values() if won]
        return float(np.mean(means)) if means else 0.5

    def opponents(self, player: int) -> tuple[str, ...]:
        """Whom it has met."""
        return tuple(self.players[other].name for other in self._points_of(player))

    def is_clear(self, count: int) -> bool:
        """Whether of the first *count* players the weakest is clear, by two standard errors."""
        if not self.games:
            return False
        estimates = sorted(self._estimate(player) for player in range(count))
        (worst, error), (other, more) = estimates[:2]
        return bool(other - worst > 2 * math.hypot(error, more))

    def _estimate(self, player: int) -> tuple[float, float]:
        """The score, and its standard error."""
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


def _find_yardsticks(game: AnyGame) -> list[CompiledPlayer]:
    """The opponent whom players of a *game* meet who have none, if it is compiled."""
    player = make_player(find_game(game.name).opponents[0], game)
    return [player] if isinstance(player, CompiledPlayer) else []


def _compile(runs: Sequence[Run]) -> None:
    """Compiles what one run is going to play with, or what several meet with."""
    if len(runs) == 1:
        compile_kernels(runs)
        return
    game = runs[0].method.decoder.game
    states = [(run, run.method.initial(run.recipe.run.seed)) for run in runs]
    packed = [run.method.decoder.pack(state.population) for run, state in states]
    warm_up(game, [*packed, *(player.packed for player in _find_yardsticks(game))])
