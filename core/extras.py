"""Optional dependencies: packages that only some features need, each in an extra."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from evolve_arena.core.errors import ArenaError


class MissingPackageError(ArenaError):
    """Raised for a package that is not installed; the text says how to install it."""


def import_extra(module: str, extra: str) -> Any:
    """Return the *module* of a package that the *extra* installs.

    Raises:
        MissingPackageError: The package is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        package = module.partition(".")[0]
        raise MissingPackageError(
            f"this needs {package}: pip install 'evolve-arena[{extra}]'"
        ) from None


def check_extra(module: str, extra: str) -> None:
    """Make sure that :func:`import_extra` would find the *module*, without importing it.

    Raises:
        MissingPackageError: The package is not installed.
    """
    try:
        found = find_spec(module)
    except ValueError:  # it is kept from being imported
        found = None
    if found is None:
        import_extra(module, extra)
