"""Warnings about names and arguments that a later version removes."""

from __future__ import annotations

import warnings


def warn_deprecated(old: str, new: str, *, since: str, removal: str, stacklevel: int = 1) -> None:
    """Emit a DeprecationWarning for the code that calls the caller.

    Args:
        old: Deprecated name or argument, as users write it.
        new: Its replacement, as users write it.
        since: First version in which *old* is deprecated.
        removal: Version that removes *old*.
        stacklevel: Further stack frames between the caller and the code that used *old*, plus one.

    >>> def area(width): return warn_deprecated("area", "size", since="1.1", removal="1.3")
    >>> with warnings.catch_warnings(record=True, action="always") as caught: area(3)
    >>> print(caught[0].message)
    area is deprecated since 1.1 and will be removed in 1.3: use size
    """
    text = f"{old} is deprecated since {since} and will be removed in {removal}: use {new}"
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel + 2)
