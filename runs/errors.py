"""What can go wrong with runs; each error's text is one line for the person at the keyboard."""

from __future__ import annotations

from evolve_arena.core.errors import ArenaError


class RecipeError(ArenaError):
    """A recipe that can't be used: which key, which value, what was expected."""


class NotARunError(ArenaError):
    """A path that is no run directory."""


class RunExistsError(ArenaError):
    """A run directory that would be overwritten."""


class RunBusyError(ArenaError):
    """A run directory that another process is writing to."""


class CheckpointError(ArenaError):
    """No usable checkpoint."""


class StorageError(ArenaError):
    """The disk is full, or may not be written to."""


class DamagedHistoryError(StorageError):
    """A history that is no database, or a damaged one."""


class BusyHistoryError(StorageError):
    """A history that another process has locked."""
