"""A run on its way: step, check, note, checkpoint, until it ends or is told to."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from arena.arena import Arena
from arena.duel import DuelResult, duel
from evolve.method import Method
from games.seeding import derive_seeds
from genomes.tensors import DamagedFileError, NewerFormatError
from players.player import Player
from players.storage import read_player
from runs.checkpoint import save_checkpoint
from runs.directory import RunDirectory
from runs.files import set_aside, write_whole
from runs.history import History
from runs.recipe import Recipe

__all__ = ["LARGE", "Journey", "Progress", "Watch"]


@dataclass
class Progress:
    """What is going on, for whoever watches; changed in place as the run goes on."""

    generation: int = 0
    generations: int = 0
    games: int = 0
    """Matches played since the start or resumption."""
    seconds: float = 0.0
    playing: float = 0.0
    """How many of the seconds were spent playing matches."""
    statistics: dict[str, float] = field(default_factory=dict)
    results: list[DuelResult] = field(default_factory=list)
    """The last check."""
    checked: int | None = None
    """The generation of the last check."""


Watch = Callable[[Progress], bool]
"""Is called after each generation; the run stops, after a checkpoint, if it gives False."""


PATIENCE = 1.0
"""Seconds between two writes of the champion's file while the run goes on; to bring it to the
disk takes longer than a generation."""


LARGE = 2**20
"""Bytes of a champion of which the history does not keep every one. Weights of networks take
some kilobytes, tables of tuples some megabytes, and a run may have hundreds of checks."""


@dataclass
class _Shown:
    """Which champion the file holds, and when that was last looked at."""

    generation: int | None = None
    since: float = -PATIENCE


@dataclass(frozen=True)
class Journey:
    """What one stretch of a run needs at hand; :meth:`go` does the work."""

    directory: RunDirectory
    recipe: Recipe
    method: Method[Any]
    history: History
    arena: Arena
    opponents: list[Player]

    def go(self, state: Any, watch: Watch) -> None:
        """Evolves on from *state* until the recipe's last generation, or *watch* says no."""
        shown = _Shown()
        self._restore_champion(state.generation, shown)
        last = self.recipe.run.generations
        progress = Progress(state.generation, last)
        start = time.perf_counter()
        checked = {generation for generation, _, _ in self.history.champions()}
        saved = state.generation
        going = True
        while True:
            now = state.generation
            due = now > 0 and (now % self.recipe.check.every == 0 or now == last)
            if due and now not in checked:
                progress.results = self._check(state)
                progress.checked = now
                if now >= last:
                    watch(progress)
            ending = now >= last or not going
            if now != saved and (ending or now % self.recipe.run.checkpoint_every == 0):
                self.history.flush()
                save_checkpoint(self.directory, state, self.method)
                saved = now
                self._show_champion(shown)
            elif time.monotonic() - shown.since > PATIENCE:
                self._show_champion(shown)
            if ending:
                self._show_champion(shown)
                return
            before = time.perf_counter()
            state, report = self.method.step(state, self.arena)
            after = time.perf_counter()
            self.history.add_generation(report, after - before)
            progress.generation = state.generation
            progress.games = self.arena.games
            progress.seconds = after - start
            progress.playing = self.arena.executor.seconds
            progress.statistics = report.statistics
            going = watch(progress)

    def _check(self, state: Any) -> list[DuelResult]:
        """Finds the champion and measures it against the recipe's opponents."""
        genome, report = self.method.champion(state, self.arena)
        design = self.method.design
        player = design.player(genome, f"{self.directory.path.name}@{state.generation}")
        seeds = derive_seeds(state.seed, state.generation, "check", len(self.opponents))
        results = [
            duel(
                design.game,
                player,
                opponent,
                games=self.recipe.check.games,
                opening_plies=self.recipe.check.opening_plies,
                seed=int(seed),
                executor=self.arena.executor,
            )
            for opponent, seed in zip(self.opponents, seeds, strict=True)
        ]
        remarks = {"recipe": self.recipe.title, "generation": state.generation}
        blob = player.serialise(**remarks, seed=state.seed)
        self.history.add_check(report, blob, results)
        if len(blob) > LARGE:
            self._drop_champions()
        return results

    def _drop_champions(self) -> None:
        """Keeps the newest champion, and what was the best at each checkpoint.

        Whichever of these the run goes on from one day, its champion's file can be restored.
        """
        ranks = self._rank_champions()
        newest = max(generation for _, generation in ranks)
        keep = {newest}
        for last in [newest, *self.directory.generations()]:
            before = [rank for rank in ranks if rank[1] <= last]
            if before:
                keep.add(max(before)[1])
        self.history.drop_champions(keep, LARGE)

    def _show_champion(self, shown: _Shown) -> None:
        """Writes the champion's file if it is not that of the best check so far."""
        best = self._best_generation()
        blob = None if best in {None, shown.generation} else self.history.champion(best)
        if blob is not None:
            write_whole(self.directory.champion, blob)
            shown.generation = best
        shown.since = time.monotonic()

    def _best_generation(self) -> int | None:
        """The generation whose champion is the run's, as the recipe defines it."""
        ranks = self._rank_champions()
        return max(ranks)[1] if ranks else None

    def _rank_champions(self) -> list[tuple[float, int]]:
        """For each champion that is kept its worth, if that counts, and its generation.

        That is how often it won or, in a game of points, how many more it scored.
        """
        worths = dict.fromkeys(self.history.kept_champions(), -math.inf)
        if self.recipe.run.champion != "last" and self.opponents:
            for check in self.history.checks():
                if check.generation in worths and check.opponent == self.opponents[0].name:
                    worths[check.generation] = (
                        check.scores.margin if check.scores is not None else float(check.wins)
                    )
        return [(worth, generation) for generation, worth in worths.items()]

    def _restore_champion(self, generation: int, shown: _Shown) -> None:
        """Makes the champion's file agree with the history, whatever happened before.

        Of a history that was lost, the file may be all that is left: it stays, unless it is
        of a later *generation* than the run goes on from, or can't be read.
        """
        self._show_champion(shown)
        if shown.generation is None and self.directory.champion.is_file():
            try:
                found = read_player(self.directory.champion.read_bytes()).remarks
            except (DamagedFileError, NewerFormatError):
                set_aside(self.directory.champion)
                return
            if found.get("generation", 0) > generation:
                self.directory.champion.unlink()
