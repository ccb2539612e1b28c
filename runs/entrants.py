"""Who enters a tournament: players by name, and whole studies by a pattern of their runs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from glob import glob, has_magic

from evolve_arena.core.errors import BadValueError

PREFIX = "run:"


def expand_patterns(specifications: Sequence[str]) -> list[str]:
    """*specifications* of players, in which a pattern gives way to all runs that it matches.

    ``run:reproduced/q-learning/*`` stands for every run in that folder, ``run:.../stage-1-*`` for
    some of them, and ``run:.../*@100`` for their champions of generation 100. Folders that are
    no runs are passed over. Runs stand in the order of their names, numbers by their size.

    Raises:
        BadValueError: A pattern matches no run.
    """
    expanded: list[str] = []
    for specification in specifications:
        if is_pattern(specification):
            expanded += _expand(specification)
        else:
            expanded.append(specification)
    return expanded


def is_pattern(specification: str) -> bool:
    """Whether it can stand for several runs.

    >>> is_pattern("run:reproduced/q-learning/*"), is_pattern("run:reproduced/q-learning")
    (True, False)
    """
    path = specification.removeprefix(PREFIX)
    return path != specification and has_magic(path) and not os.path.exists(path)


def _expand(specification: str) -> list[str]:
    pattern = specification.removeprefix(PREFIX)
    stem, at, generation = pattern.rpartition("@")
    if at and generation.isascii() and generation.isdecimal():
        pattern, suffix = stem, f"@{generation}"
    else:
        suffix = ""
    paths = [path for path in glob(pattern) if _is_run(path)]
    if not paths:
        raise BadValueError(f"player {specification}: no run matches it")
    return [f"{PREFIX}{path}{suffix}" for path in sorted(paths, key=_by_numbers)]


def _is_run(path: str) -> bool:
    return os.path.isfile(os.path.join(path, "recipe.toml"))


def _by_numbers(path: str) -> list[tuple[str, int]]:
    """Sorts ``run-2`` before ``run-10``."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"([^0-9]*)([0-9]*)", path)]
