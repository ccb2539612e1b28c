"""A folder with two small runs, and a server that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import evolve_arena as ea
from tests.canaries import plant, read_marks
from tests.served import SMALL, Client, end, serve


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with two small runs, one of them in a study's folder."""
    folder = tmp_path_factory.mktemp("served") / "evolved"
    for name, seed in (("first", 1), ("study/second-1", 2)):
        ea.start(
            "tic-tac-toe-evolved", run=folder / name, changes=SMALL, seed=seed, executor="serial"
        )
    return folder


@pytest.fixture(scope="session")
def marks(runs: Path) -> Path:
    """Plant files beside the runs and the server that leave marks if they are run."""
    marks = runs.parent / "marks"
    for folder in (runs, runs.parent):
        plant(folder, marks)
    return marks


@pytest.fixture(scope="session")
def _server(runs: Path, marks: Path) -> Iterator[Client]:
    client = serve(runs, cwd=runs.parent)
    yield client
    end(client)


@pytest.fixture
def server(_server: Client, marks: Path) -> Iterator[Client]:
    """Yield the server of *runs*: no request of a test may run a file that is stored there."""
    yield _server
    assert read_marks(marks) == {}
