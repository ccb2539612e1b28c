"""The champions of a run: those that are kept, and the one that its file holds."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress

from evolve_arena.arena.crosstable import Rating
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.players.bred import BredPlayer, read_player, read_player_file
from evolve_arena.runs.errors import BusyHistoryError, StorageError
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.check_points import CheckPoints, find_scores
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.files import set_aside
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import rate_champions

PATIENCE = 1.0
"""Seconds between two writes of the champion's file while the run goes on; to bring it to the
disk takes longer than a generation."""

LARGE = 2**20
"""Bytes of a champion of which the history does not keep every one. Weights of networks take
some kilobytes, tables of tuples some megabytes, and a run may have hundreds of checks."""


class Champions:
    """The champions until *generation*, of which the file holds the best from now on.

    Args:
        directory: Of the run.
        recipe: Its recipe, which says how the best one is found.
        history: Where the others lie.
        first: The name of the first opponent from outside, if there is one.
        generation: The last one that counts.
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
        self.best_player: BredPlayer | None = None
        """The best one, if there is any."""
        checked = {row[0] for row in history.champions() if row[0] <= generation}
        self.checked = checked
        """The generations that had a check before."""
        self.matches = history.champion_matches()
        """Those between champions."""
        self._worths = dict.fromkeys(checked & {*history.kept_champions()}, -math.inf)
        checks = [check for check in history.checks() if check.opponent == first]
        self._weigh_again([check for check in checks if check.generation in self._worths])
        self._restore(generation)

    @property
    def best(self) -> int | None:
        """The generation of the best one: of equals the newest."""
        return _find_best(self._worths)

    @property
    def generations(self) -> list[int]:
        """Those whose champions are kept, in order."""
        return sorted(self._worths)

    @property
    def standing(self) -> tuple[int, BredPlayer] | None:
        """The champion that a new one has to beat, and its generation."""
        player = self.best_player
        return (int(player.remarks.get("generation", 0)), player) if player else None

    def find(self, generation: int) -> BredPlayer | None:
        """The champion of *generation*, if it can be had."""
        if generation == self.best:
            return self.best_player
        with suppress(BusyHistoryError, DamagedFileError, NewerFormatError):
            blob = self._history.champion(generation)
            return read_player(blob, f"{self._directory.path.name}@{generation}") if blob else None
        return None

    def add(
        self, generation: int, player: BredPlayer, blob: bytes, first: DuelResult | None, won: bool
    ) -> None:
        """Notes the champion of *generation*; it becomes the best one if it is better.

        Args:
            generation: That of the check.
            player: The champion.
            blob: The same, as files hold it.
            first: What it did against the first opponent from outside.
            won: Whether it beat the best one so far, or there is none.
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
        """Puts a champion into the file before anything is known of it, if there is none."""
        if not self._directory.champion.is_file():
            self._directory.write(self._directory.champion, blob)

    def show(self, *, soon: bool = False) -> None:
        """Writes the best one's file if it holds another one.

        Args:
            soon: Whether that may wait for a moment.
        """
        if soon and time.monotonic() - self._since <= PATIENCE:
            return
        if self._blob is not None:
            self._directory.write(self._directory.champion, self._blob)
            self._blob = None
        self._since = time.monotonic()

    @property
    def rating(self) -> Rating | None:
        """That of the newest champion among all of them."""
        ratings = rate_champions(self.matches)
        return ratings[max(ratings)] if ratings else None

    def _weigh(self, wins: int, games: int, scores: CheckPoints | None) -> float:
        """What a champion is worth by its check against the first opponent, if that counts.

        That is how often it won or, in a game of points, how many more it scored.
        """
        if self._rule == "last":
            return -math.inf
        return wins / games if scores is None else scores.margin

    def _weigh_again(self, checks: Sequence[Check]) -> None:
        """Restores the worths of champions from the history."""
        worths = {c.generation: self._weigh(c.wins, c.games, c.scores) for c in checks if c.games}
        if self._rule == "strongest":
            ends = self._history.check_ends()
            won = {end.generation for end in ends if end.champion == end.generation}
            if not won & self._worths.keys():  # an older version chose the champion by its check
                won = {best} if (best := _find_best(worths)) is not None else set()
            worths = {generation: float(generation) for generation in won}
        self._worths |= {key: worths[key] for key in self._worths.keys() & worths.keys()}

    def _drop(self) -> None:
        """Keeps the newest champion, and what was the best at each checkpoint.

        Whichever of these the run goes on from one day, its champion's file can be restored. The
        first one stays as well if later ones are rated by it.
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
        """Writes the file of the best one that can be read."""
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
        """Of a history that was lost, the champion's file may be all that is left.

        It stays, unless it is of a later *generation* than the run goes on from, or can't be
        read.
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
    """The generation of the largest worth: of equals the newest."""
    ranks = [(worth, generation) for generation, worth in worths.items()]
    return max(ranks)[1] if ranks else None
