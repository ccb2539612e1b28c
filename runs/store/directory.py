"""Run directories: their files, their lock, and their creation."""

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
"""The history, and files that SQLite may write beside it."""
MEASURED = "measured.json"
"""File with a sweep's measurement of a run's champion."""
EXPORTED = {"champion.py", "champion.json"}
"""Files that are written into a run and never read; a link in their place is replaced itself."""
LOG_NAME = "evolve.log"
"""A run's own log; see `evolve_arena.runs.store.logs`."""
UNFINISHED = 3600.0
"""Age in seconds at which a folder that was not renamed counts as abandoned."""
PATIENCE = 0.5
"""Seconds for which another process may lock a run before it counts as in use."""
HOME = "evolved"
"""Default folder of runs."""
PREFIX = "run:"
"""Prefix of a run's champion in specifications of players."""
CHECKPOINT = re.compile(r"gen-([0-9]{1,18})\.safetensors")


def find_run(name: Path | str) -> Path:
    """Return the directory of a run: ``evolved/first``, ``first`` and ``run:first`` are the same.

    A path comes first, then a run of that name in :data:`HOME`.
    """
    path = Path(str(name) if os.path.lexists(name) else str(name).removeprefix(PREFIX))
    at_home = HOME / path
    if os.path.lexists(path) or ".." in path.parts or not is_run(at_home):
        return path
    return at_home


def is_run(path: Path | str) -> bool:
    """Test whether *path* is a run directory."""
    return os.path.isfile(os.path.join(path, "recipe.toml"))


class RunDirectory:
    """The directory of one run.

    Args:
        path: Its path; it need not exist.
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
        """Create the directory, and the recipe's file in it.

        Args:
            recipe: Content of that file, which is not written if empty.
            force: True to overwrite an existing run.
            beside: Contents of other files, by path.

        Raises:
            RunExistsError: The path exists; with *force*, and is not a run.
            RunBusyError: Another process is writing there.
            StorageError: It can't be created.
        """
        self.check_replaceable(force=force)
        with explain_storage_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        with self.lock(), explain_storage_errors(self.path):
            self.check_replaceable(force=force)  # another process may have been faster
            # The recipe is written last: it makes the directory a run.
            self._clear(keep_recipe=bool(recipe))
            self.checkpoints.mkdir(exist_ok=True)
            self.plots.mkdir(exist_ok=True)
            for place, content in (beside or {}).items():
                (self.path / place).parent.mkdir(exist_ok=True)
                self.write(self.path / place, content)
            if recipe:
                self.write(self.recipe, recipe)

    def check_replaceable(self, *, force: bool) -> None:
        """Make sure that a run may begin here.

        Args:
            force: True to permit that an existing run is overwritten.

        Raises:
            RunExistsError: The path exists; with *force*, and is not a run.
        """
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise RunExistsError(f"{self.path} exists and is not a folder")
        if all(self._is_bare(file) for file in self.path.iterdir()):
            return
        if not self.recipe.is_file():
            other = spell("--run", "run=")
            raise RunExistsError(
                f"{self.path} is not empty and is not a run: choose another {other}"
            )
        if not force:
            raise RunExistsError(
                f"{self.path} exists: resume it"
                f" ({spell(f'evolve resume {self.path}', f'resume({str(self.path)!r})')}), choose"
                f" another {spell('--run', 'run=')}, or replace it with"
                f" {spell('--force', 'force=True')}"
            )

    def take_over(self, other: RunDirectory, *, force: bool = False) -> None:
        """Move the run of *other* here, on the same disk.

        Args:
            other: Directory of that run, which is deleted.
            force: True to overwrite an existing run.

        Raises:
            RunExistsError: As in :meth:`create`.
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
        """Create the directory with all its files, or nothing; see :meth:`create`.

        It is created under another name beside its path, and then renamed.

        Raises:
            RunExistsError: The path exists.
            StorageError: It can't be created.
        """
        self.check_replaceable(force=False)
        with explain_storage_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._clear_unfinished()
        made = RunDirectory(self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}"))
        try:
            made.create(recipe, beside=beside)
            with explain_storage_errors(self.path):
                if self.path.exists():  # nearly empty: left by a start that was killed
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
        """Write one of the run's files, whole or not at all, while :meth:`lock` holds the run.

        Raises:
            StorageError: The disk is full or read-only, or another folder has this path now.
        """
        write_whole(path, content, self.check_held)

    def check(self) -> None:
        """Make sure that this is a run directory.

        Raises:
            NotARunError: It is not, or a part of it is a link.
        """
        if not os.path.exists(self.path):  # false for names that no file can have
            near = suggest_path(self.path)
            raise NotARunError(f"{self.path} does not exist{near or self._suggest()}")
        if not self.recipe.is_file():
            raise NotARunError(f"{self.path} is not a run: it has no recipe.toml{self._suggest()}")
        self._refuse_links()

    def checkpoint(self, generation: int) -> Path:
        """Return the path of the checkpoint of *generation*."""
        return self.checkpoints / f"gen-{generation:06d}.safetensors"

    def generations(self) -> list[int]:
        """Return the generations that have checkpoints, ascending."""
        if not self.checkpoints.is_dir():
            return []
        names = {file.name for file in self.checkpoints.iterdir()}
        numbers = [int(match[1]) for name in names if (match := CHECKPOINT.fullmatch(name))]
        return sorted(number for number in numbers if self.checkpoint(number).name in names)

    def clear_leftovers(self) -> None:
        """Delete files that killed processes had begun to write."""
        for folder in (self.path, self.checkpoints, self.plots):
            for file in folder.iterdir() if folder.is_dir() else ():
                if is_leftover(file):
                    file.unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the run for this process; the system releases the lock if the process dies.

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
                with suppress(OSError):  # the page reads the id of the writing process there
                    os.ftruncate(descriptor, 0)
                hold(descriptor, free=True)
        finally:
            os.close(descriptor)

    def check_held(self) -> None:
        """Make sure that the lock that this process holds is the one in this directory.

        It no longer is if the directory was moved or deleted, and perhaps another run started in
        its place.

        Raises:
            StorageError: It is not, or no lock is held.
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
        """Make sure that no part of the run is a link, which may lead to another's files.

        Raises:
            NotARunError: A part is a link.
        """
        parts = [self.path / name for name in {*PARTS, *DATABASE} - EXPORTED]
        for folder in (self.path / "game", self.path / "code"):
            parts += folder.iterdir() if folder.is_dir() and not folder.is_symlink() else ()
        for part in parts:
            if part.is_symlink():
                raise NotARunError(
                    f"{part} is a symbolic link: what belongs to a run must lie in its directory"
                )

    def _open_lock(self) -> int:
        """Open the lock's file, which must be a regular one, since its content is overwritten."""
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
        """Lock an open file, trying for :data:`PATIENCE` while another process holds it.

        A start in the directory of a new run locks it to look inside, and releases it at once.
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
        """Test whether *file* may be left by a start that was killed at its very beginning."""
        if file in (self.checkpoints, self.plots):
            return file.is_dir() and not any(file.iterdir())
        return file.name == ".lock" or is_leftover(file)

    def _clear(self, *, keep_recipe: bool) -> None:
        """Delete this run, and no other files.

        The recipe goes last, or is left to be replaced: as long as it exists, the remains of a
        killed deletion are a run, which can be replaced.
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
        """Return a hint that lists runs nearby, for a mistyped path."""
        for folder in (self.path.parent, Path(HOME)):
            try:
                near = sorted(file.parent.name for file in folder.glob("*/recipe.toml"))
            except OSError:
                continue
            if near:
                return f"; runs in {folder}: {', '.join(near[:8])}"
        return ""
