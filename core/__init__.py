"""Floor 0, core: the contract of games, errors, randomness, compiling, the registry."""

from __future__ import annotations

from collections.abc import Callable

on_compile: Callable[[str], None] | None = None
"""Is told what is being compiled, once in a process, if that takes longer than a moment."""
