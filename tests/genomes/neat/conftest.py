"""neat-python as an oracle: its random numbers are seeded, and its sums are plain additions."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import reduce
from operator import add

import neat.aggregations
import neat.math_util
import pytest


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    """Seed Python's global random numbers, which neat-python uses, and restore them afterwards."""
    before = random.getstate()
    random.seed(1)
    yield
    random.setstate(before)


@pytest.fixture(autouse=True)
def _plain_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace ``sum``, which is more exact than plain additions from Python 3.12 on."""
    if sys.version_info >= (3, 12):
        for module in (neat.aggregations, neat.math_util):
            monkeypatch.setattr(
                module, "sum", lambda numbers: reduce(add, numbers, 0.0), raising=False
            )
