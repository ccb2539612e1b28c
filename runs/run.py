"""A run: one execution of a recipe, in a directory of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from evolve_arena.arena.arena import Arena, warm_up
from evolve_arena.arena.executors import check_executor, make_executor
from evolve_arena.arena.tasks import find_kernel, new_outputs
from evolve_arena.core.errors import BadValueError, spell
from evolve_arena.core.game import AnyGame
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import load
from evolve_arena.core.types import Settings
from evolve_arena.core.user_code import UserCodeError
from evolve_arena.evolve.learning.learner import Learner
from evolve_arena.evolve.method import State
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.players.evolved import EvolvedPlayer, read_player, read_player_file
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.runs import consent
from evolve_arena.runs.errors import CheckpointError, NotARunError, StorageError
from evolve_arena.runs.population import Population
from evolve_arena.runs.recipes.recipe import Recipe, read_recipe, run_id
from evolve_arena.runs.store.checkpoint import (
    digest_population,
    load_checkpoint,
    read_checkpoint,
    save_checkpoint,
    write_state,
)
from evolve_arena.runs.store.directory import RunDirectory, find_run
from evolve_arena.runs.store.files import set_aside
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.logs import log_run
from evolve_arena.runs.store.record import Record, read_file
from evolve_arena.runs.training.loop import Callback, TrainingLoop, list_callbacks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = "evolve_arena.runs.plots:draw"
"""Import path of the function that draws runs; it needs matplotlib, and imports this module."""


class Run:
    """One execution of a recipe, in a directory of its own.

    `evolve_arena.start`, `evolve_arena.branch`, `evolve_arena.resume` and `evolve_arena.load`
    return runs.
    """

    def __init__(self, directory: RunDirectory, recipe: Recipe) -> None:
        self.directory = directory
        self.recipe = recipe
        self.method = recipe.make_method()
        self._is_whole = not recipe.find_absent()
        self.remarks: list[str] = []
        """Remarks on its start: settings of a neat-python file, or of another method than the
        chosen one, that had no effect; or the winner of the race that the run comes from."""
        self.warnings: list[str] = []
        """Warnings, such as faults of checkpoints that were skipped."""

    @classmethod
    def open(cls, path: Path | str, allow_process: consent.Allow = False) -> Run:
        """Open the run at *path*.

        Args:
            path: Its directory, or its name; see `evolve_arena.runs.store.directory.find_run`.
            allow_process: Permission for its game, if that is a Python file, or a function that
                asks for it; a run that was started here needs none.

        Raises:
            NotARunError: There is no run at *path*.
            RecipeError: Its recipe can't be read.
            NotPermittedError: Its game is a Python file that has no permission.
        """
        directory = RunDirectory(find_run(path))
        directory.check()
        permit = consent.permit_files(allow_process, directory.path)
        return cls(directory, read_recipe(directory.recipe, permit))

    @property
    def path(self) -> Path:
        """The run's directory."""
        return self.directory.path

    @property
    def generation(self) -> int:
        """The generation of the newest checkpoint.

        Raises:
            CheckpointError: There is no usable checkpoint.
        """
        return int(self.state().generation)

    @property
    def population_sha256(self) -> str:
        """The SHA-256 of the population in the newest checkpoint, as hexadecimal digits.

        Raises:
            CheckpointError: There is no usable checkpoint.
        """
        return self.digest(self.state())

    def digest(self, state: State) -> str:
        """Return the SHA-256 of the population in *state*, as hexadecimal digits."""
        return digest_population(state.population)

    def is_complete(self) -> bool:
        """Test whether the last generation is played, and its check is finished."""
        begun, last = self.directory.generations(), self.recipe.run.generations
        if not begun or self.generation < last:
            return False
        try:
            with History(self.directory.history) as history:
                checked = {row[0] for row in history.champions()}
        except (NotARunError, StorageError):  # to resume the run would write a new history
            return True
        return last in checked

    @property
    def champion(self) -> EvolvedPlayer:
        """The player in ``champion.safetensors``.

        Raises:
            BadValueError: There is no champion yet.
            StorageError: The file can't be read.
            DamagedFileError: The file is damaged.
        """
        return self.champion_at(None)

    def state(self, generation: int | None = None) -> State:
        """Return the state in the newest usable checkpoint, or in that of *generation*.

        Raises:
            CheckpointError: There is no such checkpoint.
            StorageError: It can't be read from the disk.
        """
        state, problems = load_checkpoint(self.directory, self.method, generation, self.recipe.run)
        self.warnings += [problem for problem in problems if problem not in self.warnings]
        return state

    def champion_at(self, generation: int | None) -> EvolvedPlayer:
        """Return the champion of *generation*, or the one in ``champion.safetensors`` if None.

        Raises:
            BadValueError: There was no check at that generation, or its champion is not kept.
            StorageError: The champion's file or the history can't be read.
            DamagedFileError: The champion's file is damaged.
        """
        name = self.path.name
        if generation is None:
            if not self.directory.champion.is_file():
                raise BadValueError(f"{self.path} has no champion yet: its first check is to come")
            return self._read_champion(name)
        with History(self.directory.history) as history:
            blob = history.champion(generation) if abs(generation) < 2**63 else None
            if blob is None:
                raise BadValueError(self._explain_missing(history, generation))
        return read_player(blob, f"{name}@{generation}")

    def _explain_missing(self, history: History, generation: int) -> str:
        kept = [str(row) for row in history.kept_champions()]
        near = min(kept, key=lambda text: abs(int(text) - generation), default="none")
        if generation in {row[0] for row in history.champions()}:
            return (
                f"{self.path} no longer has the champion of generation {generation}: of those"
                f" that take more than a megabyte it keeps only the newest and the best at each"
                f" checkpoint ({', '.join(kept)})"
            )
        return f"{self.path} has no champion of generation {generation} (nearest: {near})"

    def _read_champion(self, name: str) -> EvolvedPlayer:
        file = self.directory.champion
        try:
            return read_player_file(file, name)
        except OSError as error:
            raise StorageError(f"{file} can't be read: {error.strerror}") from None
        except (DamagedFileError, NewerFormatError) as error:
            raise type(error)(
                f"{file} can't be used: {error} ({spell('evolve resume', 'resume')} restores it"
                " from the history)"
            ) from None

    def history(self) -> Record:
        """Return the run so far, as arrays: ``run.history()["median"]``.

        Raises:
            StorageError: The history is damaged.
        """
        record = read_file(self.directory.history, self.path.resolve().name, self.recipe.title)
        return replace(record, islands=self.recipe.islands, seed=self.recipe.run.seed)

    def population(self, generation: int | None = None) -> Population:
        """Return the individuals in the newest checkpoint, or in that of *generation*.

        Raises:
            CheckpointError: There is no such checkpoint.
        """
        return Population(self.method.decoder, self.state(generation))

    def plot(
        self,
        what: str = "fitness",
        *,
        generation: int | None = None,
        position: str | None = None,
        seed: int = 0,
    ) -> Figure:
        """Draw the run as a matplotlib Figure, which notebooks display.

        Args:
            what: ``fitness`` (with checks and diversity), ``network`` (of the champion) or
                ``ancestors`` (each champion against earlier ones; plays matches).
            generation: For ``network``: generation of the check whose champion is drawn.
            position: For ``network``: position whose activations are drawn, as the game writes
                one, or as moves; ``""`` is the start, ``"self-play"`` the middle of a game of the
                champion against itself.
            seed: Seed of that game.

        Raises:
            UnknownNameError: There is no such picture.
            BadValueError: There is no such champion, it has no network, or the network does not
                decide in that position.
            PositionError: *position* does not describe a position.
        """
        figure: Figure = load(PICTURES)(self, what, generation, position, seed)
        return figure

    def __repr__(self) -> str:
        done = max(self.directory.generations(), default=0)
        last = self.recipe.run.generations
        return f"<Run {str(self.path)!r}: {self.method.name}, generation {done} of {last}>"

    def _repr_html_(self) -> str:
        table = self.history()._repr_html_()
        return f"<code>{escape(repr(self))}</code><br>{escape(self.recipe.title)}<br>{table}"

    def checks(self) -> list[Check]:
        """Return all checks so far.

        Raises:
            NotARunError: The run has no history yet.
            StorageError: The history can't be read.
        """
        with History(self.directory.history) as history:
            return history.checks()

    def advance(
        self,
        *,
        workers: int | None = None,
        executor: str | None = None,
        address: str | None = None,
        callbacks: Callback | Iterable[Callback] = (),
        from_generation: int | None = None,
        force: bool = False,
        allow_process: bool = False,
    ) -> None:
        """Evolve from a checkpoint, or from the start, until the recipe's last generation.

        Args:
            workers: Number of processes that play matches; one per core if None.
            executor: Name of one of :data:`evolve_arena.arena.executors.EXECUTORS`.
            address: Address of a cluster, as in
                :func:`evolve_arena.arena.executors.make_executor`.
            callbacks: Functions that are called after each generation, and may stop the run; in
                runs of neat-python also its reporters.
            from_generation: Generation of the checkpoint to continue from; the newest usable one
                if None.
            force: True to delete later checkpoints.
            allow_process: Permission for programs, as in :meth:`permit`.

        Raises:
            NotPermittedError: The recipe names a program as an opponent without permission.
            UserCodeError: The recipe needs a function or class that is not registered here.
            BadValueError: Checkpoints would be deleted without *force*, the checkpoint is beyond
                the last generation, or an argument is wrong.
            RunBusyError: Another process is writing to the run.
            StorageError: The disk is full or read-only; the last checkpoint is whole.
            CheckpointError: No checkpoint can be used, or the population is no longer finite.
            WorkerError: Workers keep dying.
        """
        check_executor(executor, workers, address)
        self.check_code()
        self.permit(allow_process)
        self.method.check_ready()
        told = list_callbacks(callbacks)
        self.method.report_to([each for each in told if not callable(each)])
        with ExitStack() as stack:
            # Checks: the directory is locked, but nothing in it is changed yet.
            stack.enter_context(self.directory.lock())
            self._check_place()
            self.check_going_back(from_generation, force=force)
            self.warnings = []
            opponents = self.recipe.make_opponents()
            for opponent in opponents:
                stack.callback(opponent.close)
                opponent.check_ready()
            begin, problems = self._find_begin(from_generation)
            self.warnings += problems
            # Setup: log, executor and history, closed in reverse order.
            stack.enter_context(log_run(self.path))
            stack.enter_context(_log_end(self))
            machine = stack.enter_context(make_executor(executor, workers, address))
            stack.callback(lambda: self.warnings.extend(machine.remarks))
            guard = self.directory.check_held
            history = History(self.directory.history, write=True, guard=guard)
            stack.callback(lambda: self.warnings.extend(history.warnings))
            stack.enter_context(history)
            self._go_back_to(begin, history)
            arena = Arena(self.method.decoder, machine)
            loop = TrainingLoop(self.directory, self.recipe, self.method, history, arena, opponents)
            LOG.info(
                "%s: %s, generation %d of %d, seed %d, executor %s with %d workers",
                "resume" if begin.generation else "start",
                self.recipe.title,
                begin.generation,
                self.recipe.run.generations,
                self.recipe.run.seed,
                type(machine).__name__,
                machine.workers,
            )
            loop.go(begin, [each for each in told if callable(each)])

    def create(self, state: State | None = None, *, force: bool = False) -> None:
        """Create the directory, with a checkpoint of *state* if it is given.

        Args:
            state: First state of the run; the method makes it from the seed if None.
            force: True to overwrite an existing run.

        Raises:
            RunExistsError: The path exists.
            StorageError: The directory can't be created.
        """
        directory, recipe = self.directory, self.recipe
        text, beside = recipe.to_toml().encode(), recipe.files()
        if state is not None:
            file = directory.checkpoint(state.generation).relative_to(self.path)
            beside[file.as_posix()] = write_state(state, self.method, recipe.run)
        if state is not None and not force:
            directory.create_whole(text, beside)
        else:
            directory.create(text, force=force, beside=beside)

    def check_code(self) -> None:
        """Make sure that the functions and classes that the run needs are registered.

        Raises:
            UserCodeError: One was registered when the run started, and is not registered here.
        """
        if absent := self.recipe.find_absent():
            raise UserCodeError(
                f"{self.path} continues only with {', '.join(absent)}, which was given in Python:"
                f" register it there (evolve_arena.register({absent[0]})), and resume in Python"
            )
        if not self._is_whole:  # what was absent has come since
            self.method, self._is_whole = self.recipe.make_method(), True

    def check_going_back(self, generation: int | None, *, force: consent.Allow) -> None:
        """Make sure that no checkpoint is deleted without permission.

        Args:
            generation: Generation that the run goes back to; None if it does not go back.
            force: Permission to delete later checkpoints, or a function that asks for it.

        Raises:
            BadValueError: There are later checkpoints, and no permission.
        """
        there = self.directory.generations()
        later = [each for each in there if generation in there and each > (generation or 0)]
        told = f"{self.path} has checkpoints after generation {generation}, up to"
        if not later or force is True or (callable(force) and force(f"{told} {later[-1]}.")):
            return
        keep = spell(f"evolve branch {self.path}@{generation}", f"branch(..., {generation})")
        raise BadValueError(
            f"{told} {later[-1]}: {keep} continues without deleting them,"
            f" {spell('--force', 'force=True')} deletes them"
        )

    def permit(self, allow_process: consent.Allow) -> None:
        """Obtain permission for the programs that the recipe names as opponents.

        Args:
            allow_process: Permission, or a function that asks for it. It is remembered for the
                same program in the same run.

        Raises:
            NotPermittedError: There is no permission.
        """
        if self.recipe.foreign_programs or self.recipe.files():
            self.recipe = consent.obtain(self.recipe, allow_process, self.path)
            consent.remember(self.recipe, self.path)

    def _find_begin(self, generation: int | None) -> tuple[State, list[str]]:
        """Return the state to continue from, and a line about each newer, unusable checkpoint.

        Existing files are not changed.
        """
        directory = self.directory
        traces = (directory.history, directory.champion)
        begun = self.recipe.run.begins_elsewhere or any(trace.exists() for trace in traces)
        if not directory.generations() and not begun:
            if generation not in (None, 0):
                raise CheckpointError(f"{self.path} has no checkpoint of generation {generation}")
            state = self.method.initial(self.recipe.run.seed)
            save_checkpoint(directory, state, self.method, self.recipe.run)
            return state, []
        state, problems = load_checkpoint(directory, self.method, generation, self.recipe.run)
        last = self.recipe.run.generations
        if state.generation > last:
            raise BadValueError(
                f"{self.path} is at generation {state.generation}, beyond the last one, {last}:"
                f" {spell('--from', 'from_generation=')} goes back to an earlier checkpoint"
            )
        return state, problems

    def _check_place(self) -> None:
        """Make sure that the directory is still that of this run.

        Raises:
            NotARunError: The directory no longer holds a run.
            StorageError: Another run was started there.
        """
        self.directory.check()
        if run_id(self.directory.recipe) != self.recipe.run.id:
            raise StorageError(
                f"{self.path} is another run now, which was started there in the meantime"
            )

    def _go_back_to(self, state: State, history: History) -> None:
        """Delete everything after *state*; unreadable checkpoints are renamed."""
        self.directory.clear_leftovers()
        for newer in self.directory.generations():
            if newer > state.generation:
                self._forget_checkpoint(newer)
        history.forget_after(state.generation)

    def _forget_checkpoint(self, generation: int) -> None:
        """Delete a checkpoint of this run; any other file in its place is renamed."""
        file = self.directory.checkpoint(generation)
        try:
            read_checkpoint(self.directory, self.method, generation, self.recipe.run)
        except NewerFormatError:
            aside = set_aside(file, "newer")
            self.warnings.append(
                f"{file.name} is of a newer version of evolve: it is kept as {aside.name}"
            )
        except DamagedFileError:
            set_aside(file)
        else:
            file.unlink()

    def with_generations(self, generations: int, from_generation: int | None = None) -> Run:
        """Return the same run with another last generation, also written to its directory.

        Raises:
            BadValueError: The run, or *from_generation* if it continues from there, is
                beyond that generation already.
        """
        return self.with_changes({"run.generations": generations}, from_generation)

    def with_changes(self, changes: Settings, from_generation: int | None = None) -> Run:
        """Return the same run with other values in its recipe, also written to its directory.

        Args:
            changes: Values by dotted key that do not change the populations.
            from_generation: Generation that the run continues from; the newest one if None.

        Raises:
            RecipeError: A key is unknown, or a value is out of range.
            BadValueError: The run is beyond its new last generation already.
            RunBusyError: Another process is writing to the run.
        """
        changed = Run(self.directory, self.recipe.change(changes))
        now = self.generation if from_generation is None else from_generation
        last = changed.recipe.run.generations
        if "run.generations" in changes and last < now:
            raise BadValueError(
                f"{self.path} is at generation {now}: it can't end at {last};"
                f" {spell('--from', 'from_generation=')} goes back to an earlier checkpoint"
            )
        with self.directory.lock():
            self._check_place()
            self.directory.write(self.directory.recipe, changed.recipe.to_toml().encode())
        return changed


@contextmanager
def _log_end(run: Run) -> Iterator[None]:
    """Log the end of a stretch of the *run*, and its warnings."""
    try:
        yield
    except BaseException as error:
        LOG.error("stop: %s: %s", type(error).__name__, error)
        raise
    else:
        done = max(run.directory.generations(), default=0)
        LOG.info("stop: generation %d of %d", done, run.recipe.run.generations)
    finally:
        for warning in run.warnings:
            LOG.warning("%s", warning)


def compile_kernels(runs: Iterable[Run]) -> None:
    """Compile the kernels of *runs*, so that processes forked later need not."""
    packed: dict[tuple[str, object], list[PackedPlayers]] = {}
    games: dict[tuple[str, object], AnyGame] = {}
    # Kernels depend on the game's rules and on the kinds of players: collect these by rules.
    for run in runs:
        decoder, state = run.method.decoder, run.method.initial(run.recipe.run.seed)
        rules = decoder.game.name, decoder.game.rules
        games[rules] = decoder.game
        packed.setdefault(rules, []).append(decoder.pack(state.population))
        for opponent in run.recipe.make_opponents():
            if isinstance(opponent, CompiledPlayer):
                packed[rules].append(opponent.packed)
            opponent.close()
        if isinstance(run.method, Learner):
            work = run.method.make_task(state)
            find_kernel(work.kernel)(work.options, work.inputs, new_outputs(work), slice(0, 0))
    for rules, game in games.items():
        warm_up(game, packed[rules])
