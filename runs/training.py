"""A run on its way: step, check, note, checkpoint, until it ends or is told to."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Node
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.logs import LOG
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.method import Method
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.players.bred import BredPlayer, read_player, read_player_file
from evolve_arena.players.player import Player
from evolve_arena.runs.check_points import CheckPoints, find_scores
from evolve_arena.runs.checkpoint import drop_checkpoints, save_checkpoint
from evolve_arena.runs.directory import RunDirectory
from evolve_arena.runs.errors import StorageError
from evolve_arena.runs.files import set_aside
from evolve_arena.runs.history import History
from evolve_arena.runs.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Progress:
    """What a generation brought, for callbacks; one value of its own for each generation."""

    generation: int = 0
    generations: int = 0
    games: int = 0
    """Matches played since the start or resumption."""
    seconds: float = 0.0
    """Since then, without those in which something was compiled."""
    playing: float = 0.0
    """How many of the seconds were spent playing matches."""
    statistics: Mapping[str, float] = field(default_factory=dict)
    results: tuple[DuelResult, ...] = ()
    """The last check; that of this generation, if there was one."""
    checked: int | None = None
    """The generation of the last check."""
    champion: BredPlayer | None = None
    """The champion of that check."""
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


PATIENCE = 1.0
"""Seconds between two writes of the champion's file while the run goes on; to bring it to the
disk takes longer than a generation."""


LARGE = 2**20
"""Bytes of a champion of which the history does not keep every one. Weights of networks take
some kilobytes, tables of tuples some megabytes, and a run may have hundreds of checks."""


def _tell(callbacks: Sequence[Callback], progress: Progress) -> bool:
    """Calls all *callbacks*; whether the run is to go on."""
    answers = [callback(progress) for callback in callbacks]
    return all(answer is not False for answer in answers)


@dataclass
class _Champions:
    """The champions of a run, as far as they are kept, and which one the file holds."""

    checked: set[int]
    """The generations that had a check before."""
    worths: dict[int, float]
    """How good each is that is kept, by its generation; see :meth:`TrainingLoop._weigh`."""
    blob: bytes | None = None
    """The best one, if the file does not hold it yet."""
    since: float = -PATIENCE
    """When the file was last written."""

    @property
    def best(self) -> int | None:
        """The generation of the best one: of equals the newest."""
        ranks = [(worth, generation) for generation, worth in self.worths.items()]
        return max(ranks)[1] if ranks else None


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
        champions = self._restore_champions(saved)
        progress = Progress(saved, last, state=state, path=self.directory.path)
        start = working_clock()
        going = True
        if self._is_due(saved) and saved not in champions.checked:
            progress = self._check(state, champions, progress)
            going = _tell(callbacks, progress)
        while True:
            now = state.generation
            ending = now >= last or not going
            if now != saved and (ending or now % self.recipe.run.checkpoint_every == 0):
                self._save(state)
                saved = now
                self._show_champion(champions)
            elif ending or time.monotonic() - champions.since > PATIENCE:
                self._show_champion(champions)
            if ending:
                return
            before = working_clock()
            state, reports = self.method.proceed(state, self.arena, self._find_next_stop(now))
            seconds = working_clock() - before
            nodes = tuple(self.arena.executor.nodes())
            self.history.add_nodes(begin, nodes)
            for report in reports:
                self.history.add_generation(report, seconds / len(reports))
                now, met = report.generation + 1, state if report is reports[-1] else None
                statistics = MappingProxyType(dict(report.statistics))
                progress = replace(progress, generation=now, statistics=statistics, state=met)
                if met is not None and self._is_due(now):
                    progress = self._check(state, champions, progress)
                progress = replace(
                    progress,
                    games=self.arena.games,
                    seconds=working_clock() - start,
                    playing=self.arena.executor.seconds,
                    nodes=nodes,
                )
                going = _tell(callbacks, progress) and going

    def _find_next_stop(self, generation: int) -> int:
        """The next generation at which there is a check, a checkpoint, or the end."""
        run = self.recipe.run
        steps = (self.recipe.check.every, run.checkpoint_every)
        return min(run.generations, *((generation // step + 1) * step for step in steps))

    def _is_due(self, generation: int) -> bool:
        """Whether there is a check at *generation*."""
        last = self.recipe.run.generations
        return generation > 0 and (generation % self.recipe.check.every == 0 or generation == last)

    def _save(self, state: Any) -> None:
        """Writes a checkpoint, and then makes room."""
        self.history.flush()
        save_checkpoint(self.directory, state, self.method, self.recipe.run)
        drop_checkpoints(self.directory, self.recipe.run)

    def _check(self, state: Any, champions: _Champions, progress: Progress) -> Progress:
        """Finds the champion and measures it against the recipe's opponents."""
        genome, report = self.method.champion(state, self.arena)
        decoder = self.method.decoder
        player = decoder.player(genome, f"{self.directory.path.name}@{state.generation}")
        seeds = derive_seeds(state.seed, state.generation, "check", len(self.opponents))
        results = [
            duel(
                decoder.game,
                player,
                opponent,
                games=self.recipe.check.games,
                opening_plies=self.recipe.check.opening_plies,
                seed=int(seed),
                executor=self.arena.executor,
            )
            for opponent, seed in zip(self.opponents, seeds, strict=True)
        ]
        shares = (f"{result.won or 0:.3f} against {result.names[1]}" for result in results)
        LOG.info("check: generation %d, won %s", state.generation, ", ".join(shares) or "nothing")
        remarks = {"recipe": self.recipe.title, "generation": state.generation}
        blob = player.serialise(**remarks, seed=state.seed)
        self.history.add_check(report, blob, results)
        champions.worths[state.generation] = -math.inf
        if results:  # the first opponent decides
            worth = self._weigh(results[0].wins, find_scores(results[0]))
            champions.worths[state.generation] = worth
        if champions.best == state.generation:
            champions.blob = blob
        if len(blob) > LARGE:
            self._drop_champions(champions)
        return replace(progress, results=tuple(results), checked=state.generation, champion=player)

    def _drop_champions(self, champions: _Champions) -> None:
        """Keeps the newest champion, and what was the best at each checkpoint.

        Whichever of these the run goes on from one day, its champion's file can be restored.
        """
        ranks = [(worth, generation) for generation, worth in champions.worths.items()]
        newest = max(champions.worths)
        keep = {newest}
        for last in [newest, *self.directory.generations()]:
            before = [rank for rank in ranks if rank[1] <= last]
            if before:
                keep.add(max(before)[1])
        self.history.drop_champions(keep, LARGE)
        champions.worths = {generation: champions.worths[generation] for generation in keep}

    def _show_champion(self, champions: _Champions) -> None:
        """Writes the champion's file if it is not that of the best check so far."""
        if champions.blob is not None:
            self.directory.write(self.directory.champion, champions.blob)
            champions.blob = None
        champions.since = time.monotonic()

    def _weigh(self, wins: int, scores: CheckPoints | None) -> float:
        """What a champion is worth by its check against the first opponent, if that counts.

        That is how often it won or, in a game of points, how many more it scored.
        """
        if self.recipe.run.champion == "last":
            return -math.inf
        return float(wins) if scores is None else scores.margin

    def _restore_champions(self, generation: int) -> _Champions:
        """The champions until *generation*, of which the file holds the best afterwards."""
        history = self.history
        checked = {row[0] for row in history.champions() if row[0] <= generation}
        champions = _Champions(
            checked, dict.fromkeys(checked & {*history.kept_champions()}, -math.inf)
        )
        for check in history.checks():
            first = self.opponents and check.opponent == self.opponents[0].name
            if first and check.generation in champions.worths:
                champions.worths[check.generation] = self._weigh(check.wins, check.scores)
        while (best := champions.best) is not None:
            champions.blob = history.champion(best)
            try:
                read_player(champions.blob or b"")
            except (DamagedFileError, NewerFormatError) as error:
                history.warnings.append(
                    f"{history.path}: the champion of generation {best} can't be used: {error}"
                )
                del champions.worths[best]
            else:
                self._show_champion(champions)
                return champions
        champions.blob = None
        self._check_champion(generation)
        return champions

    def _check_champion(self, generation: int) -> None:
        """Of a history that was lost, the champion's file may be all that is left.

        It stays, unless it is of a later *generation* than the run goes on from, or can't be
        read.
        """
        file = self.directory.champion
        if not file.is_file():
            return
        try:
            found = read_player_file(file).remarks
        except OSError as error:
            raise StorageError(f"{file} can't be read: {error.strerror}") from None
        except (DamagedFileError, NewerFormatError):
            set_aside(file)
            return
        if found.get("generation", 0) > generation:
            file.unlink()
