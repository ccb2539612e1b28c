"""Errors of runs; the text of each is one line for the user."""

from __future__ import annotations

from evolve_arena.core.errors import ArenaError


class RecipeError(ArenaError):
    """Raised for a recipe that can't be used; names the key, the value and what was expected."""


class NotARunError(ArenaError):
    """Raised for a path that is not a run directory."""


class RunExistsError(ArenaError):
    """Raised if a run directory would be overwritten."""


class RunBusyError(ArenaError):
    """Raised if another process is writing to the run directory."""


class CheckpointError(ArenaError):
    """Raised if there is no usable checkpoint."""


class StorageError(ArenaError):
    """Raised if the disk is full, read-only or fails."""


class DamagedHistoryError(StorageError):
    """Raised for a history that is not a database, or is damaged."""


class BusyHistoryError(StorageError):
    """Raised if another process has locked the history."""
