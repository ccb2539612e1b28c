"""Layer 0, core: the contract of games, errors, randomness, compiling, the registry."""

from __future__ import annotations

from collections.abc import Callable

on_compile: Callable[[str, float], None] | None = None
"""Callback for a compilation of more than a second: takes its subject, such as a game's name, and
an estimate in seconds; called once for each subject in a process."""

on_stuck: Callable[[str], None] | None = None
"""Callback for code in a user's file that may never end; called from another thread."""
