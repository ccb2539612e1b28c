"""The champions of a run: those in its history, and the best one in its file."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress

from evolve_arena.arena.crosstable import Rating
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.players.evolved import EvolvedPlayer, read_player, read_player_file
from evolve_arena.runs.errors import BusyHistoryError, StorageError
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.check_points import CheckPoints, find_scores
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.files import set_aside
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import rate_champions

PATIENCE = 1.0
"""Seconds between two writes of the champion's file during a run, since flushing it takes
longer than a generation."""

LARGE = 2**20
"""Size in bytes of champions above which the history does not keep all of them. Weights of networks
take some kilobytes, tables of tuples some megabytes, and a run may have hundreds of checks."""


class Champions:
    """The champions up to *generation*; the best one is kept in the run's file from now on.

    Args:
        directory: Run directory.
        recipe: Recipe, whose ``run.champion`` defines which champion is the best.
        history: History, which stores all champions.
        first: Name of the first external opponent, if there is one.
        generation: Last generation that counts.
    """

    def __init__(
        self,
        directory: RunDirectory,
        recipe: Recipe,
        history: History,
        first: str | None,
        generation: int,
    ) -> None:
        self._directory, self._history = directory, history
        self._rule = recipe.run.champion
        self._blob: bytes | None = None
        self._since = -PATIENCE
        self.best_player: EvolvedPlayer | None = None
        """The best champion, if there is one."""
        checked = {row[0] for row in history.champions() if row[0] <= generation}
        self.checked = checked
        """Generations with a check so far."""
        self.matches = history.champion_matches()
        """Matches between champions."""
        self._worths = dict.fromkeys(checked & {*history.kept_champions()}, -math.inf)
        checks = [check for check in history.checks() if check.opponent == first]
        self._weigh_again([check for check in checks if check.generation in self._worths])
        self._restore(generation)

    @property
    def best(self) -> int | None:
        """The generation of the best champion, the newest of equals; None if there is none."""
        return _find_best(self._worths)

    @property
    def generations(self) -> list[int]:
        """The generations whose champions are kept, ascending."""
        return sorted(self._worths)

    @property
    def standing(self) -> tuple[int, EvolvedPlayer] | None:
        """The generation of the champion that a new one has to beat, and that champion."""
        player = self.best_player
        return (int(player.remarks.get("generation", 0)), player) if player else None

    def find(self, generation: int) -> EvolvedPlayer | None:
        """Return the champion of *generation*; None if it is missing, damaged or locked."""
        if generation == self.best:
            return self.best_player
        with suppress(BusyHistoryError, DamagedFileError, NewerFormatError):
            blob = self._history.champion(generation)
            return read_player(blob, f"{self._directory.path.name}@{generation}") if blob else None
        return None

    def add(
        self,
        generation: int,
        player: EvolvedPlayer,
        blob: bytes,
        first: DuelResult | None,
        won: bool,
    ) -> None:
        """Add the champion of *generation*, which becomes the best one if it is better.

        Args:
            generation: Generation of the check.
            player: The champion.
            blob: The champion, serialised.
            first: Result against the first external opponent, if there is one.
            won: True if it beat the best one so far, or if there is none.
        """
        worth = -math.inf
        if self._rule == "strongest":
            worth = float(generation) if won else worth
        elif first:
            worth = self._weigh(first.wins, first.games, find_scores(first))
        self._worths[generation] = worth
        if self.best == generation:
            self._blob, self.best_player = blob, player
        if len(blob) > LARGE:
            self._drop()

    def begin(self, blob: bytes) -> None:
        """Write a champion to the file before its games, if there is no file yet."""
        if not self._directory.champion.is_file():
            self._directory.write(self._directory.champion, blob)

    def show(self, *, soon: bool = False) -> None:
        """Write the file of the best champion if the best one has changed.

        Args:
            soon: True to write nothing if the last write was less than :data:`PATIENCE` ago.
        """
        if soon and time.monotonic() - self._since <= PATIENCE:
            return
        if self._blob is not None:
            self._directory.write(self._directory.champion, self._blob)
            self._blob = None
        self._since = time.monotonic()

    @property
    def rating(self) -> Rating | None:
        """The Elo rating of the newest champion among all champions; None without matches."""
        ratings = rate_champions(self.matches)
        return ratings[max(ratings)] if ratings else None

    def _weigh(self, wins: int, games: int, scores: CheckPoints | None) -> float:
        """Return the value that ranks a champion, from its check against the first opponent.

        It is the share of games won or, in games that count points, the margin; it is minus
        infinity if the newest champion is always the best.
        """
        if self._rule == "last":
            return -math.inf
        return wins / games if scores is None else scores.margin

    def _weigh_again(self, checks: Sequence[Check]) -> None:
        """Restore the values that rank champions from the history."""
        worths = {c.generation: self._weigh(c.wins, c.games, c.scores) for c in checks if c.games}
        if self._rule == "strongest":
            ends = self._history.check_ends()
            won = {end.generation for end in ends if end.champion == end.generation}
            if not won & self._worths.keys():  # an older version chose the champion by its check
                won = {best} if (best := _find_best(worths)) is not None else set()
            worths = {generation: float(generation) for generation in won}
        self._worths |= {key: worths[key] for key in self._worths.keys() & worths.keys()}

    def _drop(self) -> None:
        """Keep only the newest champion, and the best one at each checkpoint.

        Thus the champion's file can be restored when the run is resumed from any checkpoint. The
        first champion stays as well if later ones are rated by it.
        """
        newest = max(self._worths)
        keep = {newest, min(self._worths)} if self._rule == "strongest" else {newest}
        for last in [newest, *self._directory.generations()]:
            before = {key: worth for key, worth in self._worths.items() if key <= last}
            if (best := _find_best(before)) is not None:
                keep.add(best)
        self._history.drop_champions(keep, LARGE)
        self._worths = {generation: self._worths[generation] for generation in keep}

    def _restore(self, generation: int) -> None:
        """Write the file of the best champion that can be read."""
        history = self._history
        while (best := self.best) is not None:
            self._blob = history.champion(best)
            try:
                self.best_player = read_player(self._blob or b"")
            except (DamagedFileError, NewerFormatError) as error:
                history.warnings.append(
                    f"{history.path}: the champion of generation {best} can't be used: {error}"
                )
                del self._worths[best]
            else:
                self.show()
                return
        self._blob = None
        self._check_file(generation)

    def _check_file(self, generation: int) -> None:
        """Keep the champion's file, which may be all that is left of a lost history.

        It is deleted if it is of a later *generation* than the run continues from, and renamed if
        it is damaged.

        Raises:
            StorageError: It can't be read from the disk.
        """
        file = self._directory.champion
        if not file.is_file():
            return
        try:
            found = read_player_file(file)
        except OSError as error:
            raise StorageError(f"{file} can't be read: {error.strerror}") from None
        except (DamagedFileError, NewerFormatError):
            set_aside(file)
            return
        if found.remarks.get("generation", 0) > generation:
            file.unlink()
        else:
            self.best_player = found


def _find_best(worths: dict[int, float]) -> int | None:
    """Return the generation of the largest value, the newest of equals; None if there is none."""
    ranks = [(worth, generation) for generation, worth in worths.items()]
    return max(ranks)[1] if ranks else None
