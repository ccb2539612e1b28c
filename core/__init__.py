"""Floor 0, core: the contract of games, errors, randomness, compiling, the registry."""

from __future__ import annotations

from collections.abc import Callable

on_compile: Callable[[str, float], None] | None = None
"""Is told what is being compiled, if that takes longer than a moment, and about how many seconds it
takes; once for each subject in a process."""

on_stuck: Callable[[str], None] | None = None
"""Is told, from another thread, what in a user's file may never end."""
