"""The log of a run, ``--log`` and ``--verbose``."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve_arena.core.logs import LOG
from evolve_arena.runs.api import resume, start
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.logs import LARGEST, log_run
from tests import forked

MakeRecipe = Callable[..., Recipe]


@pytest.fixture(autouse=True)
def _enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enable the logger: a tool of another test has disabled all of them."""
    monkeypatch.setattr(LOG, "disabled", False)


def steps_in(file: Path) -> list[str]:
    """Return the first word of each message."""
    return [line.split()[3].rstrip(":") for line in file.read_text().splitlines()]


def test_a_run_tells_its_steps_and_an_error(tmp_path: Path, small_recipe: MakeRecipe) -> None:
    start(small_recipe("run.generations=3"), run=tmp_path / "r", executor="serial")
    file = tmp_path / "r/evolve.log"
    assert steps_in(file) == ["start", "check", "check", "checkpoint", "stop"]
    assert "generation 3 of 3" in file.read_text()
    resume(tmp_path / "r", generations=4, executor="serial")
    assert steps_in(file)[5:] == ["resume", "check", "checkpoint", "stop"]
    before = LOG.level, LOG.propagate, list(LOG.handlers)
    start(small_recipe("run.generations=1"), run=tmp_path / "r", force=True, executor="serial")
    assert steps_in(file)[0] == "start", "the old log went with the old run"
    assert (LOG.level, LOG.propagate, list(LOG.handlers)) == before

    def fail(progress: object) -> bool:
        raise ZeroDivisionError("on purpose\nin two lines")

    with pytest.raises(ZeroDivisionError):
        start(small_recipe(), run=tmp_path / "f", executor="serial", callbacks=fail)
    last = (tmp_path / "f/evolve.log").read_text().splitlines()[-1]
    assert last.endswith("ERROR stop: ZeroDivisionError: on purpose in two lines")


@pytest.mark.parametrize("kind", ["link", "second name", "pipe", "folder"])
def test_no_log_is_written_to_what_is_no_file_of_the_run(
    tmp_path: Path, small_recipe: MakeRecipe, kind: str
) -> None:
    run = start(small_recipe("run.generations=1"), run=tmp_path / "r", executor="serial")
    file, other = tmp_path / "r/evolve.log", tmp_path / "other"
    file.unlink()
    other.write_text("mine\n")
    if kind == "link":
        file.symlink_to(other)
    elif kind == "second name":
        file.hardlink_to(other)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    assert resume(run.path, generations=2, executor="serial").generation == 2
    assert other.read_text() == "mine\n"


def test_the_log_is_bounded(tmp_path: Path) -> None:
    with log_run(tmp_path):
        for number in range(3000):
            LOG.info("%d %s", number, "x" * 300)
    assert {file.name for file in tmp_path.iterdir()} == {"evolve.log", "evolve.log.1"}
    assert all(file.stat().st_size <= LARGEST for file in tmp_path.iterdir())
    assert "2999 xxx" in (tmp_path / "evolve.log").read_text()


def test_handlers_of_others_hear_no_more_than_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with log_run(tmp_path):
        LOG.info("a step")
        LOG.warning("a warning")
    assert caplog.messages == ["a warning"]
    with caplog.at_level(logging.INFO), log_run(tmp_path):
        LOG.info("another step")
    assert caplog.messages == ["a warning", "another step"]


def test_verbose_and_a_file(tmp_path: Path) -> None:
    small = ["--set", "method.individuals=10", "--set", "check.games=4", "--generations", "2"]
    words = ["start", "connect-four", *small, "--workers", "2", "--quiet", "--force"]
    quiet = forked.evolve(*words, folder=tmp_path)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    told = forked.evolve(*words, "--verbose", "--log", "all.log", folder=tmp_path)
    assert told.returncode == 0
    assert " DEBUG worker " in told.stderr
    assert " INFO stop: generation 2 of 2" in told.stderr
    assert (tmp_path / "all.log").read_text() == told.stderr
    refused = forked.evolve(*words, "--log", "no/such/folder.log", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == "evolve: --log no/such/folder.log: No such file or directory\n"
