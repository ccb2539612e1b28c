"""Several runs at a time: the same runs as one after the other, whatever happens to some."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from evolve_arena import start
from evolve_arena.core.errors import BadValueError
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.runs.many import parallel_runs as several
from evolve_arena.runs.many.parallel_runs import (
    FAR,
    Job,
    RunsFailedError,
    RunsProgress,
    RunsScreen,
    RunsStoppedError,
    breed,
)
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import History
from evolve_arena.runs.training.loop import during_checks

Told = list[RunsProgress]


@pytest.fixture
def jobs(small_recipe: Callable[..., Recipe]) -> list[Job]:
    """Return five runs of different lengths, the longest first."""
    return [
        Job(f"run-{seed}", small_recipe(f"run.seed={seed}", f"run.generations={12 - 2 * seed}"))
        for seed in range(1, 6)
    ]


def listen(told: Told, most: int = 10_000) -> Callable[[RunsProgress], bool]:
    def progress(now: RunsProgress) -> bool:
        told.append(now)
        return len(told) < most

    return progress


def hashes(runs: Iterable[Run]) -> list[tuple[int, str]]:
    return [(run.generation, run.population_sha256) for run in runs]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_side_by_side_is_the_same_as_one_after_the_other(
    method: str, jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(several, "find_start_method", lambda: method)
    in_turn = breed(jobs, tmp_path / "in turn", workers=1)
    told: Told = []
    both = breed(jobs, tmp_path / "both", workers=2, progress=listen(told))
    # With more workers than runs each run has two of them.
    many = breed(jobs[:2], tmp_path / "many", workers=4)
    assert list(both) == [job.name for job in jobs]
    assert hashes(both.values()) == hashes(in_turn.values()) != hashes(list(in_turn.values())[::-1])
    assert hashes(many.values()) == hashes(list(in_turn.values())[:2])
    assert [run.checks() for run in both.values()] == [run.checks() for run in in_turn.values()]
    most = max(len(now.going) for now in told)  # a spawned process may come when others are done
    assert most == 2 if method == "fork" else most <= 2


def test_progress_tells_of_all_runs(jobs: list[Job], tmp_path: Path) -> None:
    told: Told = []
    breed(jobs, tmp_path, workers=3, progress=listen(told))
    assert len(told) == 10 + 8 + 6 + 4 + 2
    for job in jobs:
        mine = [now.generation for now in told if now.run == job.name]
        assert mine == list(range(1, job.recipe.run.generations + 1))
    for now in told:
        assert now.runs == 5
        assert now.number == int(now.run[-1])
        assert len(now.going) <= 3
        assert all(now.going[name] >= 0 for name in now.going)
    assert {now.generations for now in told} == {10, 8, 6, 4, 2}
    assert [now.finished for now in told] == sorted(now.finished for now in told)
    assert (told[-1].finished, told[-1].going, told[-1].seconds_left) == (5, {}, 0.0)
    assert told[0].seconds_left == pytest.approx(29 * told[0].seconds)
    heavy: Told = []
    weighty = [replace(jobs[3], weight=5.0), jobs[4]]
    breed(weighty, tmp_path / "heavy", workers=1, progress=listen(heavy))
    assert heavy[0].seconds_left == pytest.approx((3 * 5 + 2) / 5 * heavy[0].seconds)


@pytest.mark.parametrize("every", [3, 100], ids=["checked before", "its only check"])
def test_a_last_check_that_was_stopped_is_made_up_for(
    every: int, jobs: list[Job], tmp_path: Path
) -> None:
    changes = {"check.every": every, "run.champion": "best-check"}
    job = replace(jobs[3], recipe=jobs[3].recipe.change(changes))
    last = job.recipe.run.generations
    whole = breed([job], tmp_path / "whole", workers=1)[job.name]
    stop = during_checks(lambda now: not now.checking or now.checking.generation < last)
    start(job.recipe, run=tmp_path / "stopped" / job.name, executor="serial", callbacks=stop)
    told: Told = []
    again = breed([job], tmp_path / "stopped", workers=1, progress=listen(told))[job.name]
    assert [now.generation for now in told] == [last]
    assert again.checks() == whole.checks()
    assert again.checks()[-1].generation == last
    assert hashes([again]) == hashes([whole])


def test_a_run_that_fails_is_named_and_the_others_are_finished(
    jobs: list[Job], tmp_path: Path
) -> None:
    with pytest.raises(RunsStoppedError):
        breed(jobs, tmp_path, workers=2, progress=listen([], 1))
    (tmp_path / "run-3" / "history.db").mkdir()
    with pytest.raises(RunsFailedError, match=r"^run-3: .*has no checkpoint.*runs are kept"):
        breed(jobs, tmp_path, workers=2)
    done = [Run.open(tmp_path / f"run-{seed}").is_complete() for seed in (1, 2, 4, 5)]
    assert all(done)
    (tmp_path / "run-3" / "history.db").rmdir()
    told: Told = []
    breed(jobs, tmp_path, workers=2, progress=listen(told))
    assert {now.run for now in told} == {"run-3"}


def test_a_run_whose_process_is_killed_is_named(jobs: list[Job], tmp_path: Path) -> None:
    long = jobs[1].recipe.change({"run.generations": 100})  # so that nobody comes too late
    jobs[1] = replace(jobs[1], recipe=long)
    killed: list[int] = []

    def kill(now: RunsProgress) -> bool:
        if not killed and now.run == "run-2" and now.generation == 3:
            holder = (tmp_path / "run-2" / ".lock").read_text()
            killed.append(int(holder))
            os.kill(int(holder), signal.SIGKILL)
        return True

    with pytest.raises(RunsFailedError, match="run-2: its process was killed by SIGKILL"):
        breed(jobs, tmp_path, workers=2, progress=kill)
    assert Run.open(tmp_path / "run-1").is_complete()
    assert Run.open(tmp_path / "run-5").is_complete()
    runs = breed(jobs, tmp_path, workers=2)
    assert all(run.is_complete() for run in runs.values())


def give_up_seeds_below(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make methods give up runs with such seeds, but for the first of the study."""
    advance = Run.advance

    def refuse(run: Run, **options: object) -> None:
        if 1 < run.recipe.run.seed < limit:
            raise DivergedError("its weights grew beyond all bounds")
        advance(run, **options)

    monkeypatch.setattr(Run, "advance", refuse)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_its_method_gives_up_is_replaced_but_not_for_ever(
    workers: int, jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_seeds_below(2 * FAR, monkeypatch)
    patient = [replace(job, attempts=3) for job in jobs[:3]]
    runs = breed(patient, tmp_path / "replaced", workers=workers)
    seeds = [run.recipe.run.seed for run in runs.values()]
    assert seeds == [1, 2 * FAR + 2, 2 * FAR + 3]
    assert all(run.is_complete() for run in runs.values())
    told: Told = []
    again = breed(patient, tmp_path / "replaced", workers=workers, progress=listen(told))
    assert told == []
    assert hashes(again.values()) == hashes(runs.values())
    with pytest.raises(BadValueError, match="run-2 is a run of other settings"):
        breed(jobs, tmp_path / "replaced", workers=workers)
    give_up_seeds_below(3 * FAR, monkeypatch)
    with pytest.raises(RunsFailedError, match=r"^run-2: its weights grew beyond"):
        breed([replace(job, attempts=2) for job in jobs[:3]], tmp_path, workers=workers)
    assert Run.open(tmp_path / "run-1").is_complete()


def test_nobody_is_left_if_the_watcher_breaks(
    jobs: list[Job], tmp_path: Path, still_alive: Callable[[Iterable[int]], list[int]]
) -> None:
    children: set[int] = set()
    others = {child.pid for child in psutil.Process().children()}  # of earlier tests

    def break_off(now: RunsProgress) -> bool:
        children.update({child.pid for child in psutil.Process().children()} - others)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breed(jobs, tmp_path, workers=2, progress=break_off)
    assert len(children) == 2
    assert still_alive(children) == []


def begin_study(out: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a study in processes of its own; return it and its children, once they work."""
    words = ["reproduce", "four-in-a-row", "--workers", "2", "--out", str(out), "--json"]
    command = [sys.executable, "-m", "evolve_arena.cli.main", *words]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    parent = subprocess.Popen(command, text=True, start_new_session=True, **pipes)
    children: list[int] = []
    for _ in range(2400):
        if (out / "run-2-seed-1" / "history.db").exists():
            children = [child.pid for child in psutil.Process(parent.pid).children()]
        if len(children) == 2:
            break
        time.sleep(0.05)
    assert len(children) == 2
    return parent, children


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_all_runs_stop_with_a_checkpoint_if_their_parent_is_killed_or_ctrl_c_is_pressed(
    number: signal.Signals, tmp_path: Path, still_alive: Callable[[Iterable[int]], list[int]]
) -> None:
    parent, children = begin_study(tmp_path)
    if number == signal.SIGKILL:
        parent.kill()
    else:
        os.killpg(parent.pid, number)  # as a terminal does
    _, said = parent.communicate(timeout=60)
    if number == signal.SIGINT:
        assert "the same command goes on" in said
        assert said.count("stopping after these generations") == 1
        assert "Traceback" not in said
    assert still_alive(children) == []
    with History(tmp_path / "run-1-seed-1" / "history.db") as history:
        played = len(history.generations()["generation"])
    run = Run.open(tmp_path / "run-1-seed-1")
    assert run.generation == played < run.recipe.run.generations


def test_ctrl_c_stops_a_study_after_the_generations_that_go_on() -> None:
    before = signal.getsignal(signal.SIGINT)
    now = RunsProgress("run-1", 1, 2, 3, 4, 1.0, 1.0)
    with RunsScreen(quiet=True) as screen:
        assert screen.show(now)
        os.kill(os.getpid(), signal.SIGINT)
        assert not screen.show(now)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_bad_number_of_workers_is_refused(jobs: list[Job], tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="workers is 0"):
        breed(jobs, tmp_path / "none", workers=0)
    assert not (tmp_path / "none").exists()
