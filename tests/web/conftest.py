"""A folder with two small runs, and a server that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import evolve_arena as ea
from tests.served import SMALL, Client, end, serve


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two small runs, one of them in a study's folder."""
    folder = tmp_path_factory.mktemp("served") / "evolved"
    for name, seed in (("first", 1), ("study/second-1", 2)):
        ea.start("tic-tac-toe", run=folder / name, changes=SMALL, seed=seed, executor="serial")
    return folder


@pytest.fixture(scope="session")
def server(runs: Path) -> Iterator[Client]:
    client = serve(runs)
    yield client
    end(client)
