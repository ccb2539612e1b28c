"""Faults of a run: kill -9, full disks, torn files, two processes at once."""

from __future__ import annotations

import errno
import io
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest

from evolve_arena import Run, load_player, resume, start
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.types import Settings
from evolve_arena.genomes import tensors
from evolve_arena.genomes.tensors import read_tensors, write_tensors
from evolve_arena.runs import plots
from evolve_arena.runs.errors import (
    CheckpointError,
    NotARunError,
    RecipeError,
    RunBusyError,
    StorageError,
)
from evolve_arena.runs.many import parallel_runs as several
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store import files
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.summary import summarise
from evolve_arena.runs.training.loop import Progress

if TYPE_CHECKING:
    from tests.conftest import Outcome

LAST = 11
FORK = multiprocessing.get_context("fork")

Maker = Callable[..., Recipe]
OutcomeOf: TypeAlias = "Callable[[Path], Outcome]"
Look = Callable[[Path], None]
Patch = pytest.MonkeyPatch


def stop_at(generation: int) -> Callable[[Progress], bool]:
    return lambda progress: progress.generation < generation


def hidden_files(path: Path) -> set[str]:
    """Return the temporary files that an interrupted write would leave behind."""
    return {file.name for file in path.rglob(".*")} - {".lock"}


def contents(path: Path) -> dict[Path, bytes]:
    """Return all files but the lock, into which each owner writes its name."""
    files = [file for file in path.rglob("*") if file.is_file() and file.name != ".lock"]
    return {file: file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def finished(
    small_recipe: Maker, tmp_path_factory: pytest.TempPathFactory, outcome_of: OutcomeOf
) -> tuple[Path, Outcome]:
    """Return an undisturbed run with checkpoints 0, 3, 6, 9 and 11, and its outcome."""
    path = tmp_path_factory.mktemp("finished") / "run"
    start(small_recipe(f"run.generations={LAST}"), run=path, executor="serial")
    return path, outcome_of(path)


Make = Callable[..., Run]


@pytest.fixture
def make(small_recipe: Maker, tmp_path: Path) -> Make:
    """Return a starter of runs like that one, but for some changes of the recipe."""

    def begin(path: Path, *changes: str, **options: object) -> Run:
        recipe = small_recipe(f"run.generations={LAST}", *changes)
        return start(recipe, run=path, executor="serial", **options)

    return begin


@pytest.fixture
def assert_whole(finished: tuple[Path, Outcome], outcome_of: OutcomeOf) -> Look:
    """Return a function that asserts that a run has the outcome of the undisturbed one."""

    def look(path: Path) -> None:
        assert outcome_of(path) == finished[1]

    return look


@pytest.fixture
def path(finished: tuple[Path, Outcome], tmp_path: Path) -> Path:
    """Return a copy of that run, to be damaged."""
    return Path(shutil.copytree(finished[0], tmp_path / "run"))


def go_back(path: Path, generation: int, **options: object) -> Run:
    return resume(path, from_generation=generation, force=True, executor="serial", **options)


def rewind(path: Path, generation: int) -> None:
    """Turn it into a run that was stopped at *generation*."""
    last = go_back(path, generation, callbacks=lambda progress: False).generation
    RunDirectory(path).checkpoint(last).unlink()


# What kill -9 leaves (tests/attack kills)


def test_what_killed_processes_left_is_cleared_away(path: Path, assert_whole: Look) -> None:
    rewind(path, 6)
    for name in (".recipe.toml", ".champion.safetensors", "checkpoints/.gen-000009.safetensors"):
        (path / f"{name}.abcd1234").write_bytes(b"half")
    (path / ".notes.markdown").write_text("mine")
    resume(path, executor="serial")
    assert_whole(path)
    assert hidden_files(path) == {".notes.markdown"}


@pytest.mark.parametrize("survivors", [0, 1, 2])
def test_going_back_may_be_cut_short(
    path: Path, assert_whole: Look, monkeypatch: Patch, survivors: int
) -> None:
    """Killed while it forgets what came after generation 3, a run is no mixture of both."""
    unlink = Path.unlink
    left = 3 - survivors  # of the checkpoints 6, 9 and 11

    def stumble(file: Path, missing_ok: bool = False) -> None:
        nonlocal left
        if file.name.startswith("gen-"):
            if not left:
                raise KeyboardInterrupt
            left -= 1
        unlink(file, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", stumble)
    expected = KeyboardInterrupt if survivors else ZeroDivisionError
    with pytest.raises(expected):
        go_back(path, 3, callbacks=lambda progress: 1 // 0 > 0)
    monkeypatch.undo()
    resume(path, executor="serial")
    assert_whole(path)


# Torn files


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [cut, flip])
@pytest.mark.parametrize("damaged", [[11], [11, 9], [11, 9, 6, 3], [6]])
def test_a_run_goes_on_from_the_newest_good_checkpoint(
    path: Path, assert_whole: Look, damage: Look, damaged: list[int]
) -> None:
    directory = RunDirectory(path)
    for generation in damaged:
        damage(directory.checkpoint(generation))
    run = Run.open(path)
    seen: list[int] = []
    run.advance(
        executor="serial", callbacks=lambda progress: seen.append(progress.generation) is None
    )
    newer = [generation for generation in damaged if generation != 6 or len(damaged) > 1]
    assert [warning.partition(" ")[0] for warning in run.warnings] == [
        directory.checkpoint(generation).name for generation in newer
    ]
    good = max({0, 3, 6, 9, 11} - set(damaged))
    assert sorted(set(seen)) == list(range(good + 1, LAST + 1))
    assert_whole(path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (cut, r"no usable checkpoint: gen-000011.*gen-000000"),
        (Path.unlink, "has no checkpoint"),  # it does not begin again
    ],
)
def test_if_no_checkpoint_is_good_nothing_is_touched(path: Path, damage: Look, said: str) -> None:
    for file in (path / "checkpoints").iterdir():
        damage(file)
    before = contents(path)
    with pytest.raises(CheckpointError, match=said):
        resume(path, executor="serial")
    after = contents(path)
    assert {file: after[file] for file in before} == before
    assert Run.open(path).checks() != []


def test_a_run_killed_before_its_first_checkpoint_begins(path: Path, assert_whole: Look) -> None:
    for file in path.rglob("*"):
        if file.is_file() and file.name != "recipe.toml":
            file.unlink()
    resume(path, executor="serial")
    assert_whole(path)


def make_newer(path: Path, generation: int) -> bytes:
    """Rewrite the checkpoint in a future format, and return it."""
    file = RunDirectory(path).checkpoint(generation)
    content = read_tensors("checkpoint", 1, file.read_bytes())
    newer = write_tensors("checkpoint", 2, content.arrays, content.description)
    file.write_bytes(newer)
    return newer


def test_a_checkpoint_of_a_newer_version_is_named_and_left_alone(path: Path) -> None:
    newer = make_newer(path, 11)
    before = contents(path)
    said = r"gen-000011\.safetensors is of a newer version of evolve .*from_generation="
    for generation in (None, 11):
        with pytest.raises(CheckpointError, match=said) as caught:
            resume(path, from_generation=generation, force=True, executor="serial")
        assert "\n" not in str(caught.value)
    with pytest.raises(CheckpointError, match="newer version"):
        resume(path, generations=20, executor="serial")
    after = contents(path)
    assert after == before
    assert newer in after.values()


def test_going_back_keeps_what_a_newer_version_wrote(path: Path, assert_whole: Look) -> None:
    newer = make_newer(path, 11)
    run = go_back(path, 6)
    kept = path / "checkpoints" / "gen-000011.safetensors.newer"
    assert kept.read_bytes() == newer
    assert run.warnings == [
        "gen-000011.safetensors is of a newer version of evolve: it is kept as"
        " gen-000011.safetensors.newer"
    ]
    assert_whole(path)


def test_making_room_spares_what_a_newer_version_wrote(make: Make, tmp_path: Path) -> None:
    changes = ("run.checkpoint_every=1", "run.keep_newest=2", "run.keep_every=100")
    path = make(tmp_path / "run", *changes, callbacks=stop_at(3)).path
    assert RunDirectory(path).generations() == [0, 2, 3]
    make_newer(path, 2)
    resume(path, executor="serial")
    assert RunDirectory(path).generations() == [0, 2, 10, 11]


# Another run in the same place


def test_checkpoints_of_another_run_are_left(
    make: Make, path: Path, tmp_path: Path, assert_whole: Look
) -> None:
    directory = RunDirectory(path)
    for name, seed in (("twin", 1), ("other", 2)):
        stranger = make(tmp_path / name, f"run.generations={LAST + 3}", f"run.seed={seed}")
        assert stranger.recipe.run.id != Run.open(path).recipe.run.id
        foreign = stranger.directory.checkpoint(LAST + 1).read_bytes()
        directory.checkpoint(LAST + 1).write_bytes(foreign)
        run = Run.open(path)
        assert run.generation == LAST
        assert run.warnings == ["gen-000012.safetensors can't be used: it belongs to another run"]
        with pytest.raises(CheckpointError, match="it belongs to another run"):
            run.state(LAST + 1)
        resume(path, executor="serial")
        assert_whole(path)
        aside = [file.read_bytes() for file in directory.checkpoints.glob("*.unusable*")]
        assert aside.count(foreign) == 1


def test_a_run_that_was_moved_leaves_the_next_one_alone(
    make: Make, tmp_path: Path, outcome_of: OutcomeOf, assert_whole: Look
) -> None:
    path, moved = tmp_path / "run", tmp_path / "elsewhere" / "run"
    moved.parent.mkdir()
    outcomes = []

    def watch(progress: Progress) -> bool:
        if progress.generation == 4:
            path.rename(moved)
            make(path, "run.seed=2")
            outcomes.append(outcome_of(path))
        return True

    with pytest.raises(StorageError, match=r"run was moved, deleted or replaced") as caught:
        make(path, callbacks=watch)
    assert "\n" not in str(caught.value)
    assert outcome_of(path) == outcomes[0]
    assert RunDirectory(path).generations() == [0, 3, 6, 9, 11]
    assert Run.open(path).warnings == []
    assert hidden_files(path) == set()
    assert RunDirectory(moved).generations() == [0, 3]
    resume(moved, executor="serial")
    assert_whole(moved)


def test_a_run_that_was_replaced_is_left_alone(
    make: Make, path: Path, outcome_of: OutcomeOf
) -> None:
    run = Run.open(path)
    make(path, "run.seed=2", force=True)
    before = outcome_of(path)
    with pytest.raises(StorageError, match="run is another run now"):
        run.with_generations(20, from_generation=3)
    with pytest.raises(StorageError, match="run is another run now"):
        run.advance(executor="serial")
    assert outcome_of(path) == before


# What comes from elsewhere


def look_at(path: Path) -> None:
    """Do everything that only reads a run, and then draw it."""
    for act in (summarise, plots.plot_runs, Run.champion.fget, Run.state):
        run = Run.open(path)
        act([run] if act is plots.plot_runs else run)  # type: ignore[operator]


@pytest.mark.parametrize(
    "part", ["checkpoints", "plots", "champion.safetensors", "history.db", "recipe.toml"]
)
def test_no_command_follows_a_link_out_of_a_run(
    small_recipe: Maker, path: Path, tmp_path: Path, part: str
) -> None:
    """The other run has the same id, so that its checkpoints would be taken."""
    other = Path(shutil.copytree(path, tmp_path / "other"))
    (path / part).rename(tmp_path / "old")
    (path / part).symlink_to(other / part)
    before = contents(tmp_path)
    job = Job("run", small_recipe(f"run.generations={LAST}"))
    for act in (
        lambda: plots.plot_runs([Run.open(path)]),
        lambda: summarise(Run.open(path)),
        lambda: load_player(f"run:{path}"),
        lambda: resume(path, generations=LAST + 5, executor="serial"),
        lambda: several.breed([job], tmp_path),
    ):
        with pytest.raises(NotARunError, match=f"{part} is a symbolic link"):
            act()  # type: ignore[no-untyped-call]
    assert contents(tmp_path) == before


@pytest.mark.parametrize("size", [3 << 30, 400 << 20])
def test_sizes_are_looked_at_before_memory_is_taken(path: Path, size: int) -> None:
    directory = RunDirectory(path)
    for file in (directory.champion, directory.checkpoint(LAST)):
        with file.open("r+b") as opened:
            opened.truncate(size)  # what is new of it takes no place on the disk
    with directory.checkpoint(9).open("wb") as opened:
        opened.truncate(size)
    run = Run.open(path)
    tracemalloc.start()
    try:
        assert summarise(run)["champion"] is None
        assert run.generation == 6
        for name in (f"run:{path}", f"file:{directory.champion}"):
            with pytest.raises(ArenaError, match=r"larger than|its size is not the one"):
                load_player(name)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert len(run.warnings) == 3, "\n".join(run.warnings)


@pytest.mark.parametrize(
    "name",
    [
        *("recipe.toml", ".lock", "champion.safetensors", "evolve.log", "measured.json"),
        *("history.db", "history.db-wal", "history.db-journal"),
        *("checkpoints/gen-000011.safetensors", "checkpoints/gen-000003.safetensors"),
    ],
)
def test_nobody_waits_for_a_pipe_in_a_run(path: Path, name: str) -> None:
    (path / name).unlink(missing_ok=True)
    os.mkfifo(path / name)

    def give_up(*told: object) -> None:
        raise AssertionError("it waited for ever")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    try:
        with pytest.raises(ArenaError, match="it is a pipe, and no regular file"):
            load_player(f"file:{path / name}")
        for act in (look_at, lambda path: resume(path, generations=LAST + 2, executor="serial")):
            with suppress(ArenaError):
                act(path)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# Histories


@pytest.mark.parametrize("content", [b"", b"garbage" * 9999])
def test_a_history_may_be_lost_at_any_time(
    make: Make, tmp_path: Path, finished: tuple[Path, Outcome], content: bytes
) -> None:
    path = tmp_path / "run"

    def watch(progress: Progress) -> bool:
        if progress.generation in {2, 7}:
            (path / "history.db").write_bytes(content)
        return True

    run = make(path, callbacks=watch)
    assert run.population_sha256 == finished[1].sha256
    # The best of all checks is shown, though the history may no longer know of it.
    assert run.directory.champion.read_bytes() == finished[1].champion


def test_a_damaged_champion_replaces_no_file(path: Path, finished: tuple[Path, Outcome]) -> None:
    with closing(sqlite3.connect(path / "history.db")) as database, database:
        database.execute("UPDATE champions SET player = x'00112233'")
    before = (path / "champion.safetensors").read_bytes()
    run = resume(path, executor="serial")
    assert (path / "champion.safetensors").read_bytes() == before
    assert len(run.warnings) == 5
    assert all("the champion of generation" in warning for warning in run.warnings)


def test_genes_that_are_no_numbers_stop_a_run(make: Make, tmp_path: Path) -> None:
    path, changes = tmp_path / "run", ('variation.crossover={name="cxBlend",alpha=1e38}',)
    told = r"generation 5 population is no "
    with np.errstate(all="ignore"), pytest.raises(CheckpointError, match=told) as caught:
        make(path, *changes, "run.checkpoint_every=5")
    assert "\n" not in str(caught.value)
    assert RunDirectory(path).generations() == [0]


def test_a_lost_history_does_not_cost_the_champion(path: Path) -> None:
    # No check is due at generation 10 or 11 of 20.
    go_back(path, 9, generations=20, callbacks=stop_at(10))
    champion = (path / "champion.safetensors").read_bytes()
    for file in path.glob("history.db*"):
        file.unlink()
    assert resume(path, executor="serial", callbacks=stop_at(11)).generation == 11
    assert (path / "champion.safetensors").read_bytes() == champion


@pytest.mark.parametrize("damage", [cut, flip, lambda file: file.write_bytes(b""), Path.unlink])
def test_a_damaged_champion_comes_back(path: Path, assert_whole: Look, damage: Look) -> None:
    damage(path / "champion.safetensors")
    with pytest.raises(ArenaError, match=r"champion(\.safetensors| yet)"):
        _ = Run.open(path).champion
    resume(path, executor="serial")
    assert_whole(path)


@pytest.mark.parametrize("damage", [cut, lambda file: file.write_bytes(b"\xff\0")])
def test_a_damaged_recipe_is_named(path: Path, damage: Look) -> None:
    (path / "recipe.toml").write_bytes((path / "recipe.toml").read_bytes() + b"\n[broken\n" * 999)
    damage(path / "recipe.toml")
    with pytest.raises(RecipeError, match=r"run/recipe\.toml is no TOML file"):
        resume(path, executor="serial")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("individuals = 12", "individuals = 20", "shape"),
        ("individuals = 12", "individuals = 8", "shape"),
        ("    5,\n", "    6,\n", "shape|hidden"),
        ("seed = 1\n", "seed = 2\n", "belongs to a run with the seed 1, not 2"),
        ('"random"', '"file:gone.safetensors"', r"check\.opponents: .*gone\.safetensors: No such"),
    ],
)
def test_a_recipe_that_does_not_fit_is_an_error(path: Path, old: str, new: str, said: str) -> None:
    text = (path / "recipe.toml").read_text()
    assert old in text
    (path / "recipe.toml").write_text(text.replace(old, new))
    with pytest.raises((CheckpointError, RecipeError), match=said):
        go_back(path, 6)
    assert RunDirectory(path).generations() == [0, 3, 6, 9, 11]


@pytest.mark.parametrize("wrong", [{"executor": "serail"}, {"workers": 0}, {"from_generation": 7}])
def test_a_mistake_costs_nothing(path: Path, assert_whole: Look, wrong: Settings) -> None:
    with pytest.raises(ArenaError):
        resume(path, **{"from_generation": 3, "force": True, "executor": "serial", **wrong})
    assert_whole(path)


# Full disks


def fail_writing(patch: Patch, step: str, name: str) -> None:
    """Make the disk full from this *step* of writing the file called *name*."""
    current = ""

    def fail(*given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Half(io.FileIO):
        """File that takes half of each write."""

        def write(self, content: bytes) -> int:
            super().write(content[: len(content) // 2])
            fail()

    def watch(called: str, function: Callable[..., object]) -> Callable[..., object]:
        def act(*given: object, **options: object) -> object:
            nonlocal current
            creates = called == "open" and given[1] & os.O_EXCL
            current = Path(given[0]).stem[1:] if creates else current
            if current == name and called == step and (creates or called != "open"):
                fail()
            if current == name and (called, step) == ("fdopen", "write"):
                return Half(*given)
            return function(*given, **options)

        return act

    for called in ("open", "fdopen", "fsync", "replace"):
        patch.setattr(files.os, called, watch(called, getattr(os, called)))


STEPS = ["open", "write", "fsync", "replace"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("file", "kept"),
    [
        ("recipe.toml", None),
        ("gen-000000.safetensors", []),
        ("gen-000006.safetensors", [0, 3]),
        ("champion.safetensors", [0]),
    ],
)
def test_a_full_disk_is_named_and_the_last_checkpoint_is_whole(
    make: Make,
    path: Path,
    assert_whole: Look,
    monkeypatch: Patch,
    step: str,
    file: str,
    kept: list[int] | None,
) -> None:
    shutil.rmtree(path)
    fail_writing(monkeypatch, step, file)
    with pytest.raises(StorageError, match=rf"{file} can't be written: No space left on device"):
        make(path)
    monkeypatch.undo()
    assert hidden_files(path) == set()
    assert RunDirectory(path).generations() == (kept or [])
    if kept:
        run = Run.open(path)
        assert run.generation == kept[-1]
        assert run.warnings == []
    if kept is None:
        make(path)
    resume(path, executor="serial")
    assert_whole(path)


def test_a_checkpoint_that_cannot_be_read_is_not_put_aside(path: Path, monkeypatch: Patch) -> None:
    newest = RunDirectory(path).checkpoint(LAST)
    open_really = tensors.open_regular

    def fail(file: Path, *more: object, **options: object) -> object:
        if file.name == newest.name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return open_really(file, *more, **options)

    monkeypatch.setattr(tensors, "open_regular", fail)
    with pytest.raises(StorageError, match=rf"{newest.name} can't be read: Input/output error"):
        resume(path, generations=LAST + 1, executor="serial")
    monkeypatch.undo()
    assert newest.is_file()
    assert Run.open(path).generation == LAST


@pytest.mark.parametrize("step", STEPS)
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: Patch, step: str) -> None:
    file = tmp_path / "file"
    files.write_whole(file, b"old")
    fail_writing(monkeypatch, step, "file")
    with pytest.raises(StorageError, match=r"/file can't be written: No space left on device"):
        files.write_whole(file, b"new" * 100)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_run_goes_on_after_a_full_database(
    make: Make, tmp_path: Path, assert_whole: Look, monkeypatch: Patch
) -> None:
    connect, path = sqlite3.connect, tmp_path / "run"

    def connect_to_a_small_disk(*arguments: object, **options: object) -> sqlite3.Connection:
        database = connect(*arguments, **options)
        database.execute("PRAGMA max_page_count = 8")
        return database

    monkeypatch.setattr(sqlite3, "connect", connect_to_a_small_disk)
    with pytest.raises(StorageError, match=r"history\.db can't be used: .*disk is full"):
        make(path)
    monkeypatch.undo()
    assert RunDirectory(path).generations() != []
    assert Run.open(path).warnings == []
    resume(path, executor="serial")
    assert_whole(path)


def mount(*arguments: str) -> None:
    """Mount a file system, or skip the test where that is not allowed."""
    try:
        done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no command to mount a small disk with")
    if done.returncode:
        pytest.skip(f"no disk of a chosen size may be mounted here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 512 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder))
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_real_disk_may_fill_up(
    small_recipe: Maker, disk: Path, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    recipe = small_recipe("run.generations=60", "run.checkpoint_every=1", "run.keep_every=1")
    whole = start(recipe, run=tmp_path / "whole" / "run", executor="serial")
    path = disk / "run"
    with pytest.raises(StorageError, match=rf"{disk}/.* can't be"):
        start(recipe, run=path, executor="serial")
    found = RunDirectory(path).generations()
    assert found == list(range(len(found)))
    assert 5 < len(found) < 60
    run = Run.open(path)
    assert [run.state(generation).generation for generation in found] == found
    assert hidden_files(path) == set()
    with pytest.raises(StorageError, match=rf"{disk}/.* can't be"):
        resume(path, executor="serial")
    mount("-o", "remount,size=64m", str(disk))
    resume(path, executor="multiprocess", workers=2)
    assert outcome_of(path) == outcome_of(whole.path)


def test_a_run_on_a_read_only_disk_is_read(path: Path, disk: Path, assert_whole: Look) -> None:
    mount("-o", "remount,size=64m", str(disk))
    copy = Path(shutil.copytree(path, disk / "run"))
    mount("-o", "remount,ro", str(disk))
    assert_whole(copy)
    with pytest.raises(StorageError, match=r"run/\.lock can't be written: Read-only file system"):
        resume(copy, executor="serial")
    with pytest.raises(StorageError, match="Read-only file system"):
        resume(copy, generations=20, executor="serial")
    with pytest.raises(StorageError, match="can't be written: Read-only file system"):
        start("connect-four", run=disk / "other", executor="serial")
    assert_whole(copy)


# Two processes


def test_a_second_process_is_sent_away(make: Make, path: Path, assert_whole: Look) -> None:
    here, there = FORK.Pipe()

    def evolve_slowly() -> None:
        def watch(progress: Progress) -> bool:
            if progress.generation == 8:
                there.send("eight")
                there.recv()
            return True

        options = {"executor": "multiprocess", "workers": 2, "callbacks": watch}
        resume(path, from_generation=6, force=True, **options)

    process = FORK.Process(target=evolve_slowly)
    process.start()
    assert here.recv() == "eight"
    busy = rf"run is in use by another process \(process {process.pid}\)"
    for act in (
        partial(resume, path, executor="serial"),
        partial(go_back, path, 0),
        partial(resume, path, generations=20, executor="serial"),
        partial(make, path, force=True),
    ):
        with pytest.raises(RunBusyError, match=busy):
            act()
    looked_at = Run.open(path)
    assert looked_at.generation == 6
    assert {check.generation for check in looked_at.checks()} == {0, 3, 6}
    here.send("go on")
    process.join()
    assert process.exitcode == 0
    assert_whole(path)
    go_back(path, 9)
    assert_whole(path)


def test_many_starts_at_once_make_one_run(make: Make, tmp_path: Path, assert_whole: Look) -> None:
    path, barrier = tmp_path / "run", FORK.Barrier(8)

    def begin() -> None:
        barrier.wait()
        try:
            make(path)
        except ArenaError:
            os._exit(2)

    processes = [FORK.Process(target=begin) for _ in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    codes = [process.exitcode for process in processes]
    assert codes.count(0) >= 1
    assert set(codes) <= {0, 2}
    assert_whole(path)


def test_run_that_is_locked_for_a_moment_counts_as_free(tmp_path: Path) -> None:
    directory, held = RunDirectory(tmp_path), threading.Event()

    def look() -> None:
        with RunDirectory(tmp_path).lock():
            held.set()
            time.sleep(0.1)

    looking = threading.Thread(target=look)
    looking.start()
    assert held.wait(10)
    with directory.lock():
        pass
    looking.join()
