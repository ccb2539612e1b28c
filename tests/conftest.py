"""What tests of several floors share: small recipes, and a look at processes that must end."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hypothesis import settings

from runs.history import Check, History
from runs.recipe import Recipe, load_recipe
from runs.run import Run

settings.register_profile("patient", deadline=None, derandomize=True)  # a failure is new, not luck
settings.load_profile("patient")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background, by nohup say
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what tests start, too, must heed it

SMALL = """
title = "small"

[network]
head = "value"
encoding = "two-planes"
hidden = [5]
activation = "tanh"

[method]
individuals = 12
tournament_size = 3

[check]
every = 3
games = 20

[run]
generations = 8
checkpoint_every = 3
"""


@pytest.fixture(scope="session")
def small_recipe(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recipe]:
    """Makes a recipe that runs in a moment, with changes like ``run.seed=7``."""
    file = tmp_path_factory.mktemp("recipe") / "small.toml"
    file.write_text(SMALL)

    def make(*changes: str) -> Recipe:
        return load_recipe(str(file), changes)

    return make


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever users allow in tests is not noted in the home of who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def still_alive() -> Callable[[Iterable[int]], list[int]]:
    """Waits until all of the processes have ended, and gives those that do not within seconds.

    One that only waits to be reaped has ended.
    """

    def runs(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def wait(pids: Iterable[int]) -> list[int]:
        left = list(pids)
        for _ in range(100):
            left = [pid for pid in left if runs(pid)]
            if not left:
                break
            time.sleep(0.05)
        return left

    return wait


@dataclass(frozen=True)
class Outcome:
    """Everything about a run that must not depend on how it was run."""

    generation: int
    sha256: str
    table: dict[str, list[float]]
    checks: list[Check]
    champions: list[tuple[int, float, float]]
    champion: bytes


@pytest.fixture(scope="session")
def outcome_of() -> Callable[[Path], Outcome]:
    """Looks at the run in a folder."""

    def look(path: Path) -> Outcome:
        run = Run.open(path)
        with History(run.directory.history) as history:
            table = history.generations()
            champions = history.champions()
            blobs = [history.champion(generation) for generation, _, _ in champions]
        del table["seconds"]
        champion = run.directory.champion.read_bytes()
        assert champion in blobs
        return Outcome(
            run.generation, run.population_sha256, table, run.checks(), champions, champion
        )

    return look
