"""A run directory: what lies where, who may write to it, and its checkpoints."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs.errors import NotARunError, RunBusyError, RunExistsError, StorageError
from runs.files import explain_storage_errors, is_leftover

__all__ = ["RunDirectory"]

PARTS = (
    "recipe.toml",
    "history.db",
    "checkpoints",
    "champion.safetensors",
    "plots",
    "champion.py",
    "champion.json",
)
CHECKPOINT = re.compile(r"gen-(\d+)\.safetensors")


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

    def create(self, *, force: bool = False) -> None:
        """Makes the folder.

        Args:
            force: Whether a run that lies there may be deleted.

        Raises:
            RunExistsError: Something lies there; with *force*, something that is no run.
            StorageError: It can't be made.
        """
        if self.path.exists():
            if not self.path.is_dir():
                raise RunExistsError(f"{self.path} exists and is no folder")
            if any(not self._is_bare(file) for file in self.path.iterdir()):
                self._clear(force=force)
        with explain_storage_errors(self.path):
            self.checkpoints.mkdir(parents=True, exist_ok=True)
            self.plots.mkdir(exist_ok=True)

    def check(self) -> None:
        """Makes sure that a run lies here.

        Raises:
            NotARunError: There is none.
        """
        if not os.path.exists(self.path):  # false for names that no file can have
            raise NotARunError(f"{self.path} does not exist{self._suggest()}")
        if not self.recipe.is_file():
            raise NotARunError(f"{self.path} is no run: it has no recipe.toml{self._suggest()}")

    def checkpoint(self, generation: int) -> Path:
        """Where the checkpoint of *generation* lies."""
        return self.checkpoints / f"gen-{generation:06d}.safetensors"

    def generations(self) -> list[int]:
        """The generations of which there are checkpoints, ascending."""
        if not self.checkpoints.is_dir():
            return []
        matches = (CHECKPOINT.fullmatch(file.name) for file in self.checkpoints.iterdir())
        return sorted(int(match[1]) for match in matches if match)

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
        file = self.path / ".lock"
        with explain_storage_errors(file):
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            self._claim(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _claim(self, descriptor: int) -> None:
        try:
            import fcntl
        except ImportError:  # Windows: its own lock, on the first byte
            import msvcrt

            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            except OSError:
                raise RunBusyError(f"{self.path} is in use by another process") from None
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            whose = f" (process {holder})" if holder else ""
            raise RunBusyError(f"{self.path} is in use by another process{whose}") from None
        except OSError as error:
            raise StorageError(f"{self.path} can't be locked: {error.strerror}") from None
        with explain_storage_errors(self.path):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)

    def _is_bare(self, file: Path) -> bool:
        """Whether *file* is what a run that was killed at its very beginning leaves."""
        folders = (self.checkpoints, self.plots)
        return file.name == ".lock" or (file in folders and not any(file.iterdir()))

    def _clear(self, *, force: bool) -> None:
        if not self.recipe.is_file():
            raise RunExistsError(f"{self.path} is not empty and holds no run: choose another --run")
        if not force:
            raise RunExistsError(
                f"{self.path} exists: resume it (evolve resume {self.path}), choose another"
                " --run, or replace it with --force"
            )
        with self.lock(), explain_storage_errors(self.path):
            self.clear_leftovers()
            mine = [f for f in self.path.iterdir() if f.name in PARTS or f.match("history.db*")]
            for file in sorted(mine, key=lambda file: file == self.recipe):  # that one last
                shutil.rmtree(file) if file.is_dir() else file.unlink()

    def _suggest(self) -> str:
        """Runs that lie near, for somebody who mistyped."""
        folder = self.path.parent
        try:
            near = sorted(file.parent.name for file in folder.glob("*/recipe.toml"))
        except OSError:
            return ""
        return f"; runs in {folder}: {', '.join(near[:8])}" if near else ""
