"""A run directory: what lies where, who may write to it, and its checkpoints."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from evolve_arena.core.errors import spell
from evolve_arena.core.files import describe_special, hold, suggest_path
from evolve_arena.runs.errors import NotARunError, RunBusyError, RunExistsError, StorageError
from evolve_arena.runs.store.files import explain_storage_errors, is_leftover, write_whole

PARTS = (
    "recipe.toml",
    "history.db",
    "checkpoints",
    "champion.safetensors",
    "plots",
    "champion.py",
    "champion.json",
    "game",
    "code",
    "measured.json",
)
DATABASE = tuple(f"history.db{end}" for end in ("", "-wal", "-shm", "-journal"))
"""The history, and what SQLite may write beside it."""
MEASURED = "measured.json"
"""How good a sweep has found a run's champion."""
EXPORTED = {"champion.py", "champion.json"}
"""Files that are written into a run and not read: a link there is replaced itself, if at all."""
LOG_NAME = "evolve.log"
"""A run's own log; see `evolve_arena.runs.store.logs`."""
UNFINISHED = 3600.0
"""Seconds after which a folder that is not renamed yet belongs to nobody any more."""
PATIENCE = 0.5
"""Seconds for which a run may be locked by another process before it counts as in use."""
HOME = "evolved"
"""The folder of runs whose place nobody has chosen."""
PREFIX = "run:"
"""How a run's champion is named among players."""
CHECKPOINT = re.compile(r"gen-([0-9]{1,18})\.safetensors")


def find_run(name: Path | str) -> Path:
    """The directory of the run that *name* means: ``evolved/first``, ``first``, ``run:first``.

    A path comes first, then a run of that name in :data:`HOME`.
    """
    path = Path(str(name) if os.path.lexists(name) else str(name).removeprefix(PREFIX))
    at_home = HOME / path
    if os.path.lexists(path) or ".." in path.parts or not is_run(at_home):
        return path
    return at_home


def is_run(path: Path | str) -> bool:
    """Whether a run lies at *path*."""
    return os.path.isfile(os.path.join(path, "recipe.toml"))


class RunDirectory:
    """The folder of one run.

    Args:
        path: Where it is, or is to be.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.recipe = self.path / "recipe.toml"
        self.history = self.path / "history.db"
        self.champion = self.path / "champion.safetensors"
        self.checkpoints = self.path / "checkpoints"
        self.plots = self.path / "plots"
        self._lock_file = self.path / ".lock"
        self._held: int | None = None

    def create(
        self,
        recipe: bytes = b"",
        *,
        force: bool = False,
        beside: Mapping[str, bytes] | None = None,
    ) -> None:
        """Makes the folder, and the recipe's file in it.

        Args:
            recipe: What is to stand in that file; it is not written if there is nothing.
            force: Whether a run that lies there may be deleted.
            beside: What else is to lie there, by path.

        Raises:
            RunExistsError: Something lies there; with *force*, something that is no run.
            RunBusyError: Another process is writing there.
            StorageError: It can't be made.
        """
        self.check_replaceable(force=force)
        with explain_storage_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        with self.lock(), explain_storage_errors(self.path):
            self.check_replaceable(force=force)  # somebody may have been here first
            self._clear(keep_recipe=bool(recipe))
            self.checkpoints.mkdir(exist_ok=True)
            self.plots.mkdir(exist_ok=True)
            for place, content in (beside or {}).items():
                (self.path / place).parent.mkdir(exist_ok=True)
                self.write(self.path / place, content)
            if recipe:
                self.write(self.recipe, recipe)

    def check_replaceable(self, *, force: bool) -> None:
        """Makes sure that a run may begin here.

        Args:
            force: Whether a run that lies here may be deleted.

        Raises:
            RunExistsError: Something lies here; with *force*, something that is no run.
        """
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise RunExistsError(f"{self.path} exists and is no folder")
        if all(self._is_bare(file) for file in self.path.iterdir()):
            return
        if not self.recipe.is_file():
            other = spell("--run", "run=")
            raise RunExistsError(
                f"{self.path} is not empty and holds no run: choose another {other}"
            )
        if not force:
            raise RunExistsError(
                f"{self.path} exists: resume it"
                f" ({spell(f'evolve resume {self.path}', f'resume({str(self.path)!r})')}), choose"
                f" another {spell('--run', 'run=')}, or replace it with"
                f" {spell('--force', 'force=True')}"
            )

    def take_over(self, other: RunDirectory, *, force: bool = False) -> None:
        """Moves the run of *other* here, on the same disk.

        Args:
            other: Its directory, which is deleted.
            force: Whether a run that lies here may be deleted.

        Raises:
            RunExistsError: As :meth:`create` says.
            RunBusyError: Another process is writing here, or there.
            StorageError: It can't be moved.
        """
        self.create(force=force)
        with other.lock(), self.lock(), explain_storage_errors(self.path):
            for name in ("recipe.toml", *(file.name for file in other.path.iterdir())):
                if name != ".lock" and (other.path / name).exists():
                    target = self.path / name
                    if target.is_dir():
                        target.rmdir()
                    os.replace(other.path / name, target)
        with explain_storage_errors(other.path):
            shutil.rmtree(other.path)

    def create_whole(self, recipe: bytes, beside: Mapping[str, bytes]) -> None:
        """Make the folder with all that is to lie there, or nothing: see :meth:`create`.

        It is made under another name beside its place, and then renamed.

        Raises:
            RunExistsError: Something lies there.
            StorageError: It can't be made.
        """
        self.check_replaceable(force=False)
        with explain_storage_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._clear_unfinished()
        made = RunDirectory(self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}"))
        try:
            made.create(recipe, beside=beside)
            with explain_storage_errors(self.path):
                if self.path.exists():  # with no more in it than a start that was killed leaves
                    self._clear(keep_recipe=False)
                    (self.path / ".lock").unlink(missing_ok=True)
                    self.path.rmdir()
                os.rename(made.path, self.path)
        except BaseException:
            shutil.rmtree(made.path, ignore_errors=True)
            raise

    def _clear_unfinished(self) -> None:
        """Delete what :meth:`create_whole` left beside this folder when it was killed."""
        unfinished = re.compile(rf"\.{re.escape(self.path.name)}\.[0-9a-f]{{8}}")
        for folder in self.path.parent.iterdir():
            status = folder.lstat()
            old = time.time() - status.st_mtime > UNFINISHED
            if unfinished.fullmatch(folder.name) and stat.S_ISDIR(status.st_mode) and old:
                shutil.rmtree(folder, ignore_errors=True)

    def write(self, path: Path, content: bytes) -> None:
        """Writes one of the run's files, whole or not at all, while :meth:`lock` holds the run.

        Raises:
            StorageError: The disk is full or read-only, or another folder stands here now.
        """
        write_whole(path, content, self.check_held)

    def check(self) -> None:
        """Makes sure that a run lies here.

        Raises:
            NotARunError: There is none, or a part of it is a link.
        """
        if not os.path.exists(self.path):  # false for names that no file can have
            near = suggest_path(self.path)
            raise NotARunError(f"{self.path} does not exist{near or self._suggest()}")
        if not self.recipe.is_file():
            raise NotARunError(f"{self.path} is no run: it has no recipe.toml{self._suggest()}")
        self._refuse_links()

    def checkpoint(self, generation: int) -> Path:
        """Where the checkpoint of *generation* lies."""
        return self.checkpoints / f"gen-{generation:06d}.safetensors"

    def generations(self) -> list[int]:
        """The generations of which there are checkpoints, ascending."""
        if not self.checkpoints.is_dir():
            return []
        names = {file.name for file in self.checkpoints.iterdir()}
        numbers = [int(match[1]) for name in names if (match := CHECKPOINT.fullmatch(name))]
        return sorted(number for number in numbers if self.checkpoint(number).name in names)

    def clear_leftovers(self) -> None:
        """Deletes files that killed processes had begun to write."""
        for folder in (self.path, self.checkpoints, self.plots):
            for file in folder.iterdir() if folder.is_dir() else ():
                if is_leftover(file):
                    file.unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the run while one process writes to it; the system frees it if that dies.

        Raises:
            RunBusyError: Another process holds it.
            StorageError: The folder may not be written to.
        """
        descriptor = self._open_lock()
        try:
            self._claim(descriptor)
            self._held, before = descriptor, self._held
            try:
                self._check_lock()
                yield
            finally:
                self._held = before
                with suppress(OSError):  # the page reads there who goes on with the run
                    os.ftruncate(descriptor, 0)
                hold(descriptor, free=True)
        finally:
            os.close(descriptor)

    def check_held(self) -> None:
        """Makes sure that the lock that this process holds is the one in this folder.

        It no longer is if the folder was moved or deleted, and perhaps another run started in
        its place.

        Raises:
            StorageError: It is not, or none is held.
            NotARunError: A part of the run has become a link.
        """
        self._check_lock()
        self._refuse_links()

    def _check_lock(self) -> None:
        try:
            here = self._lock_file.stat(follow_symlinks=False)
        except OSError:
            here = None
        if self._held is None or here is None or not os.path.samestat(os.fstat(self._held), here):
            raise StorageError(
                f"{self.path} was moved, deleted or replaced by another run meanwhile: nothing"
                " more is written there"
            )

    def _refuse_links(self) -> None:
        """Makes sure that nothing of the run leads elsewhere, to what belongs to somebody else."""
        parts = [self.path / name for name in {*PARTS, *DATABASE} - EXPORTED]
        for folder in (self.path / "game", self.path / "code"):
            parts += folder.iterdir() if folder.is_dir() and not folder.is_symlink() else ()
        for part in parts:
            if part.is_symlink():
                raise NotARunError(
                    f"{part} is a symbolic link: what belongs to a run must lie in its directory"
                )

    def _open_lock(self) -> int:
        """Opens the lock's file, which must be an ordinary one: what it holds is overwritten."""
        file = self._lock_file
        with explain_storage_errors(file):
            kind = describe_special(file)
            if kind is None:
                flags = os.O_RDWR | os.O_CREAT
                flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
                descriptor = os.open(file, flags, 0o666)
                status = os.fstat(descriptor)
                if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
                    return descriptor
                os.close(descriptor)
                kind = "another file under a second name"
        raise StorageError(f"{file} can't be used as a lock: it is {kind}; delete it")

    def _claim(self, descriptor: int) -> None:
        try:
            self._hold(descriptor)
        except BlockingIOError:
            os.lseek(descriptor, 0, os.SEEK_SET)
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
            whose = f" (process {holder})" if holder else ""
            raise RunBusyError(f"{self.path} is in use by another process{whose}") from None
        except OSError as error:
            raise StorageError(f"{self.path} can't be locked: {error.strerror}") from None
        with explain_storage_errors(self.path):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, str(os.getpid()).encode())

    @staticmethod
    def _hold(descriptor: int) -> None:
        """Lock an open file, and try again for :data:`PATIENCE` while another process holds it.

        A start in a folder where a run has just begun locks it to see that, and lets go at once.
        """
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return hold(descriptor)
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise
            time.sleep(0.01)

    def _is_bare(self, file: Path) -> bool:
        """Whether *file* is what a start that was killed at its very beginning leaves."""
        if file in (self.checkpoints, self.plots):
            return file.is_dir() and not any(file.iterdir())
        return file.name == ".lock" or is_leftover(file)

    def _clear(self, *, keep_recipe: bool) -> None:
        """Deletes the run that lies here, and nothing else.

        The recipe goes last, or is left to be replaced: as long as it is here, what remains
        after a kill is a run, which can be replaced.
        """
        self.clear_leftovers()
        mine = [file for file in self.path.iterdir() if self._is_mine(file)]
        for file in sorted(mine, key=lambda file: file == self.recipe):
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            elif file != self.recipe or not keep_recipe:
                file.unlink()

    def _is_mine(self, file: Path) -> bool:
        aside = any(file.name.startswith(f"{part}.unusable") for part in PARTS)
        return (
            aside or file.name in PARTS or file.match("history.db*") or file.match(f"{LOG_NAME}*")
        )

    def _suggest(self) -> str:
        """Runs that lie near, for somebody who mistyped."""
        for folder in (self.path.parent, Path(HOME)):
            try:
                near = sorted(file.parent.name for file in folder.glob("*/recipe.toml"))
            except OSError:
                continue
            if near:
                return f"; runs in {folder}: {', '.join(near[:8])}"
        return ""
