"""A run: a recipe in a directory, evolved step by step, stopped and resumed at will."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from arena.arena import Arena
from arena.executors import make_executor
from games.errors import BadValueError
from players.network import NetworkPlayer, read_player
from runs.checkpoint import load_checkpoint, save_checkpoint
from runs.directory import RunDirectory
from runs.files import write_whole
from runs.history import Check, History
from runs.journey import Journey, Watch
from runs.recipe import Recipe, read_recipe

__all__ = ["Run"]


class Run:
    """One run. Made by :func:`runs.start`, :func:`runs.resume` or :func:`runs.load`."""

    def __init__(self, directory: RunDirectory, recipe: Recipe) -> None:
        self.directory = directory
        self.recipe = recipe
        self.method = recipe.make_method()
        self.warnings: list[str] = []
        """What was wrong with checkpoints that were passed over."""

    @classmethod
    def open(cls, path: Path | str) -> Run:
        """The run that lies at *path*.

        Raises:
            NotARunError: There is none.
            RecipeError: Its recipe can't be read.
        """
        directory = RunDirectory(path)
        directory.check()
        return cls(directory, read_recipe(directory.recipe))

    @property
    def path(self) -> Path:
        """The run's directory."""
        return self.directory.path

    @property
    def generation(self) -> int:
        """The generation of the newest checkpoint."""
        return int(self.state().generation)

    @property
    def population_sha256(self) -> str:
        """The digest of the population in the newest checkpoint, as hexadecimal digits."""
        return self.digest(self.state())

    def digest(self, state: Any) -> str:
        """The SHA-256 of the population in *state*, as hexadecimal digits."""
        return hashlib.sha256(state.population.tobytes()).hexdigest()

    def is_complete(self) -> bool:
        """Whether the newest checkpoint is that of the recipe's last generation."""
        return self.generation >= self.recipe.run.generations

    @property
    def champion(self) -> NetworkPlayer:
        """The player in ``champion.safetensors``.

        Raises:
            BadValueError: There is none yet.
        """
        return self.champion_at(None)

    def state(self, generation: int | None = None) -> Any:
        """The state in the newest usable checkpoint, or in that of *generation*.

        Raises:
            CheckpointError: There is none.
        """
        state, self.warnings = load_checkpoint(self.directory, self.method, generation)
        return state

    def champion_at(self, generation: int | None) -> NetworkPlayer:
        """The champion of *generation*, or the one in ``champion.safetensors`` if None.

        Raises:
            BadValueError: There was no check at that generation.
        """
        name = self.path.name
        if generation is None:
            if not self.directory.champion.is_file():
                raise BadValueError(f"{self.path} has no champion yet: its first check is to come")
            return read_player(self.directory.champion.read_bytes(), name)
        with History(self.directory.history) as history:
            blob = history.champion(generation)
            if blob is None:
                known = [str(row[0]) for row in history.champions()]
                near = min(known, key=lambda text: abs(int(text) - generation), default="none")
                raise BadValueError(
                    f"{self.path} has no champion of generation {generation} (nearest: {near})"
                )
        return read_player(blob, f"{name}@{generation}")

    def checks(self) -> list[Check]:
        """All checks so far."""
        with History(self.directory.history) as history:
            return history.checks()

    def advance(
        self,
        *,
        workers: int | None = None,
        executor: str | None = None,
        watch: Watch | None = None,
        from_generation: int | None = None,
    ) -> None:
        """Evolves on from a checkpoint, or from the start, until the recipe's last generation.

        Args:
            workers: How many processes play; one per core if None.
            executor: Which executor; see :data:`arena.executors.EXECUTORS`.
            watch: Is told of each generation, and may stop the run.
            from_generation: Which checkpoint to go on from; the newest usable one if None.

        Raises:
            RunBusyError: Another process is writing to the run.
            StorageError: The disk is full or read-only; the last checkpoint is whole.
            CheckpointError: No checkpoint can be used.
            WorkerError: Workers keep dying.
        """
        with ExitStack() as stack:
            stack.enter_context(self.directory.lock())
            begin = self._begin(from_generation)
            history = stack.enter_context(History(self.directory.history, write=True))
            history.forget_after(begin.generation)
            machine = stack.enter_context(make_executor(executor, workers))
            arena = Arena(self.method.design, machine)
            opponents = self.recipe.make_opponents()
            for opponent in opponents:
                stack.callback(opponent.close)
            journey = Journey(self.directory, self.recipe, self.method, history, arena, opponents)
            journey.go(begin, watch or (lambda progress: True))

    def _begin(self, generation: int | None) -> Any:
        if not self.directory.generations() and generation is None:
            state = self.method.initial(self.recipe.run.seed)
            save_checkpoint(self.directory, state, self.method)
            return state
        state = self.state(generation)
        for newer in self.directory.generations():
            if newer > state.generation:
                self.directory.checkpoint(newer).unlink()
        return state

    def with_generations(self, generations: int) -> Run:
        """The run with another last generation, also in its directory."""
        changed = Run(self.directory, self.recipe.change({"run.generations": generations}))
        with self.directory.lock():
            write_whole(self.directory.recipe, changed.recipe.to_toml().encode())
        return changed
