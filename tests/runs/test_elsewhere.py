"""Runs on the nodes of a Ray cluster: the same runs as here, whatever dies, and all files come."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

import evolve_arena as ea
from evolve_arena.core import registry
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.runs.errors import StorageError
from evolve_arena.runs.many import remote as elsewhere
from evolve_arena.runs.many.parallel_runs import (
    Job,
    RunsFailedError,
    RunsProgress,
    RunsStoppedError,
    breed,
)
from evolve_arena.runs.many.remote import Mirror
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.directory import RunDirectory
from tests import forked

pytest.importorskip("ray", reason="the cluster is one of Ray")
from ray.cluster_utils import Cluster

from tests.clusters import two_nodes_of


@pytest.fixture(scope="module")
def temporary() -> Iterator[Path]:
    """Yield the temporary folder of the nodes."""
    folder = Path(tempfile.mkdtemp(prefix="nodes-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", tempfile.gettempdir())
        patch.setenv("TMPDIR", str(folder))
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def nodes(temporary: Path) -> Iterator[Cluster]:
    """Yield two nodes of one core on this machine; this process is connected to them."""
    with two_nodes_of(1) as made:
        yield made


SLOW = """
import time

def slowly(fitness, count, rng):
    time.sleep(0.04)
    return rng.choice(fitness.argsort()[-4:], count)
"""
"""A selection, once in each generation: runs take so long that something can happen meanwhile."""


@pytest.fixture(scope="module")
def jobs(
    small_recipe: Callable[..., Recipe], tmp_path_factory: pytest.TempPathFactory
) -> list[Job]:
    """Return four runs of different lengths, the longest first."""
    code = tmp_path_factory.mktemp("code") / "slow.py"
    code.write_text(SLOW)
    # Checks that a busy machine cuts short would not be the same twice.
    made = small_recipe().change({"variation.selection": f"{code}:slowly", "check.share": 1.0})
    return [
        Job(f"run-{n}", made.change({"run.seed": n, "run.generations": 65 - 5 * n}))
        for n in range(1, 5)
    ]


@pytest.fixture(scope="module")
def hashes(jobs: list[Job], tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """Return the outcomes of the runs on this machine."""
    return look_at(breed(jobs, tmp_path_factory.mktemp("here"), workers=4))


def look_at(runs: dict[str, Run]) -> list[object]:
    """Return the populations, checks, checkpoints and champions of the runs."""
    return [
        (
            run.population_sha256,
            run.checks(),
            run.directory.generations(),
            run.directory.champion.read_bytes(),
        )
        for run in runs.values()
    ]


def find_breeders() -> list[int]:
    found = psutil.Process().children(recursive=True)
    return [child.pid for child in found if child.name().startswith("ray::Breeder")]


def test_runs_are_the_same_whatever_dies(
    nodes: Cluster,
    jobs: list[Job],
    hashes: list[object],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[RunsProgress] = []
    killed: list[str] = []

    def watch(now: RunsProgress) -> bool:
        told.append(now)
        if not killed and sum(each >= 6 for each in now.going.values()) == 2:  # one on each node
            nodes.remove_node(nodes.list_all_nodes()[-1], allow_graceful=False)
            killed.append("a node")
        if len(killed) == 1 and max(now.going.values(), default=0) >= 35:
            for breeder in find_breeders():
                os.kill(breeder, signal.SIGKILL)
            killed.append("processes")
        return True

    runs = breed(jobs, tmp_path / "there", None, watch, "ray", nodes.address)
    nodes.add_node(num_cpus=1)
    assert len(killed) == 2
    assert not any((tmp_path / "there").glob("*/history.db-*"))
    assert look_at(runs) == hashes
    assert max(len(now.going) for now in told) == 2
    assert told[-1].finished == 4
    lost = [text for text in caplog.messages if "was lost with its node" in text]
    assert len(lost) >= 2
    logs = "".join((run.path / "evolve.log").read_text() for run in runs.values())
    assert len(re.findall(r"resume: .* generation [1-9]", logs)) >= 2, "they began from nothing"
    assert logs.count("start: ") == 4
    assert "checkpoint: gen-000003" in (tmp_path / "there/run-1/evolve.log").read_text()


def test_a_study_that_is_stopped_goes_on_here_or_there(
    nodes: Cluster, jobs: list[Job], hashes: list[object], tmp_path: Path
) -> None:
    there = tmp_path / "there"
    for most, executor in ((10, "ray"), (20, "multiprocess")):
        address = nodes.address if executor == "ray" else None
        with pytest.raises(RunsStoppedError, match="the same command goes on"):
            breed(jobs, there, 2, lambda now: now.generation < most, executor, address)  # noqa: B023
        reached = [Run.open(there / f"run-{seed}").generation for seed in (1, 2)]
        assert most <= max(reached) < 40
    assert not (there / "run-4/history.db").exists()
    for file in (there / "run-1/checkpoints").iterdir():
        file.rename(file.with_suffix(".hidden"))
    with pytest.raises(RunsFailedError, match=r"^run-1: run-1 has no .*the other runs are kept"):
        breed(jobs, there, 2, None, "ray", nodes.address)
    assert all(Run.open(there / f"run-{seed}").is_complete() for seed in (2, 3, 4))
    for file in (there / "run-1/checkpoints").iterdir():
        file.rename(file.with_suffix(".safetensors"))
    assert look_at(breed(jobs, there, None, None, "ray", nodes.address)) == hashes


def test_a_node_of_another_version_is_an_error(
    nodes: Cluster, jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {**elsewhere.describe_versions(), "the kernels' sources": "one"}
    monkeypatch.setattr(elsewhere, "describe_versions", lambda: versions)
    with pytest.raises(ArenaError, match=r"^node \S+ has the kernels' sources \S+, and .* one$"):
        breed(jobs, tmp_path, 1, None, "ray", nodes.address)


def test_games_in_one_file_and_code_go_along(
    nodes: Cluster, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})  # other tests shall not find its game
    before = set(temporary.glob("evolve-run-*"))  # of nodes that were killed
    assert forked.evolve("new-game", "my-game", folder=tmp_path).returncode == 0
    values = {"method.tournament_size": [2, 3]}
    common = {"method.individuals": 10, "run.generations": 4, "check.games": 4}
    common |= {"check.opponents": ["random"]}
    options = {"seeds": 1, "games": 20, "against": "random", "workers": 1}
    options |= {"changes": common, "allow_process": True}
    there = {"executor": "ray", "address": nodes.address}
    file, found = str(tmp_path / "my_game.py"), []
    for name, more in (("here", {}), ("there", there)):
        found.append(ea.sweep(file, values, folder=tmp_path / name, **options, **more))
    assert found[0].table() == found[1].table()
    one, other = ((tmp_path / name / "runs.csv").read_text() for name in ("here", "there"))
    assert one == other
    assert set(temporary.glob("evolve-run-*")) == before


@pytest.mark.parametrize("name", ["history.db", "champion.safetensors", "notes"])
def test_nothing_is_taken_that_is_larger_than_a_run_has(tmp_path: Path, name: str) -> None:
    directory = RunDirectory(tmp_path / "run")
    directory.create(b"title = 'run'")
    with (directory.path / name).open("wb") as opened:
        opened.truncate(3 << 30)
    with pytest.raises(StorageError, match=f"{name} can't be read: it is larger than"):
        Mirror(directory).take()


def test_only_what_belongs_to_a_run_is_taken_and_put(
    nodes: Cluster, jobs: list[Job], tmp_path: Path
) -> None:
    for place in ("../outside", "/tmp/outside", "recipe.toml", ".lock", "a/b", "checkpoints/x.py"):
        assert not elsewhere.PLACE.fullmatch(place)
    run = breed(jobs[3:], tmp_path, 1)["run-4"]
    (run.path / "plots/curve.png").write_bytes(b"x")
    (run.path / "measured.json").write_bytes(b"x")
    here, there = Mirror(run.directory), Mirror(RunDirectory(tmp_path / "copy"))
    files = here.take()
    assert here.take() == {}
    assert "recipe.toml" in files
    assert not {"plots/curve.png", "measured.json", ".lock"} & files.keys()
    there.put(files)
    copy = Run.open(tmp_path / "copy")
    assert look_at({"": copy}) == look_at({"": run})
    assert there.take() == {}
    first, *rest = copy.directory.generations()
    copy.directory.checkpoint(first).unlink()
    with closing(sqlite3.connect(copy.directory.history)) as history:
        history.execute("UPDATE generations SET games = 7")
        history.commit()  # to the log beside the database, as long as this is open
        new = there.take()
    gone = f"checkpoints/{run.directory.checkpoint(first).name}"
    assert list(new) == ["history.db", gone]
    here.put(new)
    assert run.directory.generations() == rest
    assert set(run.history()["games"]) == {7}


def test_runs_go_on_in_executors_for_runs(jobs: list[Job], tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="multiprocess, serial or ray"):
        breed(jobs, tmp_path, executor="spawn")
    with pytest.raises(ArenaError, match="unknown executor 'rai': did you mean 'ray'"):
        breed(jobs, tmp_path, executor="rai")
    assert not any(tmp_path.iterdir())


def test_a_sweep_whose_driver_is_killed_gives_the_same_table(
    nodes: Cluster, small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """In Python that starts from nothing, as Ray does not bear to be forked."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "small.toml").write_text(small_recipe("run.generations=40").to_toml())
    words = [
        "small.toml",
        "--set",
        "variation.selection=slow.py:slowly",
        "--set",
        "matches.noise=0.0,0.1",
    ]
    there = [sys.executable, "-m", "evolve_arena.cli.main", "sweep", *words]
    there += ["--games", "10", "--seeds", "1", "--json", "--folder", "there", "--workers", "1"]
    there += ["--executor", "ray", "--address", nodes.address]
    first = subprocess.Popen(there, cwd=tmp_path)
    end = time.monotonic() + 120
    while not [*tmp_path.glob("there/*/checkpoints/gen-000009.safetensors")]:
        assert first.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    first.kill()
    first.wait()
    run = Run.open(next(tmp_path.glob("there/*/checkpoints/gen-000009*")).parents[1])
    assert 9 <= run.generation < 40
    done = subprocess.run(there, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    values = {"matches.noise": [0.0, 0.1]}
    common = {"variation.selection": f"{tmp_path / 'slow.py'}:slowly"}
    options = {"seeds": 1, "games": 10, "workers": 1, "changes": common}
    here = ea.sweep(str(tmp_path / "small.toml"), values, folder=tmp_path / "here", **options)
    assert json.loads(done.stdout)["runs"] == here.to_dict()["runs"]
