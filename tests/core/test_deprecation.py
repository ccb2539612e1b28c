"""Deprecation warnings: their text, the place that they name, and removal in time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import evolve_arena
from evolve_arena.core.deprecation import warn_deprecated

ROOT = Path(__file__).resolve().parents[2]


def use_old() -> None:
    warn_deprecated("use_old", "use_new", since="1.0", removal="1.2")


def call_old() -> None:
    warn_deprecated("call_old", "call_new", since="1.0", removal="1.2", stacklevel=2)


def test_the_warning_names_both_versions_and_the_line_that_uses_the_old_name() -> None:
    text = "use_old is deprecated since 1.0 and will be removed in 1.2: use use_new"
    with pytest.warns(DeprecationWarning, match=f"^{text}$") as caught:
        use_old()
    line = use_old.__code__.co_firstlineno
    assert caught[0].filename == __file__
    assert caught[0].lineno > line + 1  # in this test, not in use_old


def test_a_stack_level_skips_helpers() -> None:
    def help_with_it() -> None:
        call_old()

    with pytest.warns(DeprecationWarning, match="^call_old is deprecated") as caught:
        help_with_it()
    inside = help_with_it.__code__.co_firstlineno + 1
    assert caught[0].lineno > inside


def test_no_deprecated_name_outlives_its_removal() -> None:
    now = [int(part) for part in evolve_arena.__version__.split(".")]
    found = []
    for folder in ROOT.iterdir():
        if folder.name.startswith(".") or folder.name == "tests" or not folder.is_dir():
            continue
        for file in folder.rglob("*.py"):
            found += re.findall(r'removal="([0-9.]+)"', file.read_text(encoding="utf-8"))
    assert found
    late = [text for text in found if [int(part) for part in text.split(".")] <= now]
    assert late == []
