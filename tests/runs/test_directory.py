"""Run directories: overwriting, locks, and messages for mistyped names."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import NotARunError, RunBusyError, RunExistsError, StorageError
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store import files
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.files import check_free, set_aside, write_whole
from tests.special import make_special

Patch = pytest.MonkeyPatch

HOLDER = """
import sys, time
from evolve_arena.runs.store.directory import RunDirectory

with RunDirectory(sys.argv[1]).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


def make_run(path: Path) -> RunDirectory:
    """Make a folder with everything that a run has, and two files of the user's."""
    directory = RunDirectory(path)
    directory.create()
    for name in ("recipe.toml", "history.db", "history.db-wal", "champion.safetensors"):
        (path / name).write_text("old")
    (path / "champion.py").write_text("old")
    (path / "plots" / "fitness.png").write_text("old")
    directory.checkpoint(0).write_text("old")
    (path / "notes.txt").write_text("mine")
    (path / "mine").mkdir()
    return directory


def files_in(path: Path) -> set[str]:
    return {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}


def test_a_file_in_use_is_tried_again(tmp_path: Path, monkeypatch: Patch) -> None:
    """There, a file that is being read can't be replaced, and folders have no descriptors."""
    monkeypatch.setattr(os, "supports_dir_fd", set())
    monkeypatch.setattr(files, "PAUSE", 0.0)
    refusals, replace = [PermissionError(13, "in use")] * 3, os.replace

    def refuse(*places: object, **options: object) -> None:
        if refusals:
            raise refusals.pop()
        replace(*places, **options)

    monkeypatch.setattr(os, "replace", refuse)
    write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    refusals += [PermissionError(13, "in use")] * 1000
    with pytest.raises(StorageError, match="file can't be written: in use"):
        write_whole(tmp_path / "file", b"newer")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert files_in(tmp_path) == {"file"}


def test_a_new_directory_has_its_folders(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "deep" / "down" / "run")
    for _ in range(2):  # a start that was killed at once left the folders, and no recipe
        directory.create()
        assert directory.checkpoints.is_dir()
        assert directory.plots.is_dir()
        assert files_in(directory.path) == {".lock"}


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run")
    before = files_in(directory.path)
    with pytest.raises(RunExistsError, match=r"exists: resume it .* run=, .* force=True"):
        directory.create()
    with directory.lock(), pytest.raises(RunBusyError):
        RunDirectory(directory.path).create(force=True)
    assert files_in(directory.path) == before


def test_force_deletes_the_run_and_nothing_else(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run")
    directory.create(force=True)
    assert files_in(directory.path) - {".lock"} == {"notes.txt"}
    assert (directory.path / "mine").is_dir()
    assert directory.generations() == []


def test_force_does_not_delete_what_is_no_run(tmp_path: Path) -> None:
    file = tmp_path / "thesis.tex"
    file.write_text("years of work")
    for path, told in (
        (tmp_path, "not empty and is not a run"),
        (file, "exists and is not a folder"),
    ):
        with pytest.raises(RunExistsError, match=told):
            RunDirectory(path).create(force=True)
    assert files_in(tmp_path) == {"thesis.tex"}
    assert file.read_text() == "years of work"


@pytest.mark.parametrize("last", ["recipe.toml", "history.db", "champion.safetensors"])
def test_a_deletion_can_be_repeated(tmp_path: Path, monkeypatch: Patch, last: str) -> None:
    directory = make_run(tmp_path / "run")
    unlink, iterdir = Path.unlink, Path.iterdir

    def recipe_first(path: Path) -> Iterator[Path]:  # file systems have any order
        return iter(sorted(iterdir(path), key=lambda file: file.name != "recipe.toml"))

    def fail_at_last(path: Path, missing_ok: bool = False) -> None:
        if path.name == last:
            raise OSError(5, "Input/output error")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "iterdir", recipe_first)
    monkeypatch.setattr(Path, "unlink", fail_at_last)
    with pytest.raises(StorageError, match="Input/output error"):
        directory.create(force=True)
    monkeypatch.undo()
    directory.create(force=True)
    assert files_in(directory.path) - {".lock"} == {"notes.txt"}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"file/run can't be written: Not a directory"):
        RunDirectory(tmp_path / "file" / "run").create()


def test_a_path_that_is_no_run_is_named_with_runs_that_lie_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # which has no "evolved", in which runs are sought too
    for name in ("one", "two"):
        make_run(tmp_path / name)
    (tmp_path / "other").mkdir()
    with pytest.raises(NotARunError, match=r"onne does not exist; did you mean .*one\?$"):
        RunDirectory(tmp_path / "onne").check()
    with pytest.raises(NotARunError, match=r"other is not a run: it has no recipe\.toml; runs in"):
        RunDirectory(tmp_path / "other").check()
    with pytest.raises(NotARunError, match=r"gone/run does not exist$"):
        RunDirectory(tmp_path / "gone" / "run").check()
    RunDirectory(tmp_path / "one").check()


def test_checkpoints_are_found_by_their_names(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    assert directory.generations() == []
    directory.create()
    names = [f"gen-{number}.safetensors" for number in ("000100", "000007", "1234567", "")]
    names += [".gen-000008.safetensors.x1", "gen-000009.safetensors.bak", "notes"]
    for name in names:
        (directory.checkpoints / name).write_text("")
    assert directory.generations() == [7, 100, 1234567]
    assert directory.checkpoint(7).name == "gen-000007.safetensors"
    assert directory.checkpoint(1234567).name == "gen-1234567.safetensors"


def test_two_cannot_hold_a_run_at_once(tmp_path: Path) -> None:
    one, other = RunDirectory(tmp_path), RunDirectory(tmp_path)
    named = rf"in use by another process \(process {os.getpid()}\)"
    for holder, late in ((one, other), (other, one)):
        with holder.lock(), pytest.raises(RunBusyError, match=named), late.lock():
            pass


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_another_process_is_named_and_frees_the_run_at_its_end(tmp_path: Path, end: str) -> None:
    directory = RunDirectory(tmp_path)
    words = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RunBusyError, match=rf"\(process {holder.pid}\)"), directory.lock():
            pass
        if end == "kill":
            holder.kill()
            assert holder.wait() == -signal.SIGKILL
        else:
            holder.stdin.close()
            assert holder.wait() == 0
        with directory.lock():
            assert (tmp_path / ".lock").read_text() == str(os.getpid())


def test_an_error_inside_frees_the_run(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    with pytest.raises(ZeroDivisionError), directory.lock():
        raise ZeroDivisionError
    assert (tmp_path / ".lock").read_text() == ""  # nobody goes on with it
    with directory.lock():
        pass


def test_a_file_is_written_whole_with_ordinary_rights(tmp_path: Path) -> None:
    path = tmp_path / "file"
    mask = os.umask(0o027)
    try:
        for content in (b"one", b"two" * 1000, b"", b"three"):
            write_whole(path, content)
    finally:
        os.umask(mask)
    assert path.read_bytes() == b"three"
    assert path.stat().st_mode & 0o777 == 0o640
    assert files_in(tmp_path) == {"file"}


def test_a_file_whose_folder_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"gone/file can't be written: No such file"):
        write_whole(tmp_path / "gone" / "file", b"")


# What has a file's name and is none


SPECIAL = ["pipe", "device", "folder", "socket"]


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("linked", [False, True])
def test_only_regular_files_are_written_over(
    tmp_path: Path, monkeypatch: Patch, kind: str, linked: bool
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    path = Path("special")
    make_special(path, kind)
    if linked:
        path = Path("link")
        path.symlink_to("special")
    before = path.lstat()
    with pytest.raises(StorageError, match=rf"{path} can't be written: it is a {kind}") as caught:
        write_whole(path, b"content")
    assert "\n" not in str(caught.value)
    with pytest.raises(StorageError, match=rf"it is a {kind}"):
        check_free(path, force=True)
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert len(list(tmp_path.iterdir())) == 1 + linked


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_replaced_and_not_what_it_leads_to(tmp_path: Path, dangling: bool) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    if not dangling:
        file.write_bytes(b"precious")
    with pytest.raises(RunExistsError, match=r"symbolic link: .* \(not the file that it leads to"):
        check_free(link, force=False)
    check_free(link, force=True)
    write_whole(link, b"content")
    assert link.read_bytes() == b"content"
    assert not link.is_symlink()
    assert file.exists() != dangling
    assert dangling or file.read_bytes() == b"precious"


@pytest.mark.parametrize("kind", [*SPECIAL, "symbolic link", "second name"])
def test_a_lock_that_is_no_file_is_refused(tmp_path: Path, monkeypatch: Patch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    lock, file = Path(".lock"), Path("precious")
    file.write_bytes(b"precious")
    if kind == "symbolic link":
        lock.symlink_to(file)
    elif kind == "second name":
        lock.hardlink_to(file)
    else:
        make_special(lock, kind)
    with (
        pytest.raises(StorageError, match=rf"\.lock can't be used as a lock: .*{kind}") as caught,
        RunDirectory(".").lock(),
    ):
        pass
    assert "\n" not in str(caught.value)
    assert file.read_bytes() == b"precious"


@pytest.mark.parametrize(
    "name",
    [
        *("recipe.toml", "history.db", "history.db-journal", "champion.safetensors"),
        *("measured.json", "checkpoints", "plots", "code", "game", "game/rules.py", "code/own.py"),
    ],
)
def test_a_run_has_no_part_that_lies_elsewhere(tmp_path: Path, name: str) -> None:
    directory, elsewhere = make_run(tmp_path / "run"), tmp_path / "elsewhere"
    part = directory.path / name
    part.parent.mkdir(exist_ok=True)
    if part.exists():
        part.rename(elsewhere)
    else:
        elsewhere.write_text("precious")
    part.symlink_to(elsewhere)
    before = files_in(tmp_path)
    with pytest.raises(NotARunError, match=f"{name} is a symbolic link: .* in its directory$"):
        directory.check()
    with pytest.raises(NotARunError, match=f"{name} is a symbolic link"), directory.lock():
        directory.write(directory.checkpoint(7), b"content")
    assert files_in(tmp_path) == before


def test_a_run_may_lie_behind_a_link(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "newest").symlink_to("run")
    directory = RunDirectory(tmp_path / "newest")
    directory.check()
    with directory.lock():
        directory.write(directory.checkpoint(7), b"content")
    assert directory.generations() == [0, 7]


def test_force_removes_links_and_not_what_they_lead_to(tmp_path: Path) -> None:
    directory, elsewhere = make_run(tmp_path / "run"), tmp_path / "elsewhere"
    directory.checkpoints.rename(elsewhere)
    directory.checkpoints.symlink_to(elsewhere)
    directory.create(force=True)
    assert not directory.checkpoints.is_symlink()
    assert files_in(elsewhere) == {"gen-000000.safetensors"}


def test_who_lost_its_folder_writes_nothing_more(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    directory.create()
    with directory.lock():
        directory.write(directory.champion, b"mine")
        directory.path.rename(tmp_path / "moved")
        with pytest.raises(StorageError, match=r"run was moved, deleted or replaced") as caught:
            directory.check_held()
        assert "\n" not in str(caught.value)
        directory.path.mkdir()
        with pytest.raises(StorageError, match=r"run was moved, deleted or replaced"):
            directory.write(directory.champion, b"mine")
        assert files_in(directory.path) == set()
    with pytest.raises(StorageError):  # without the lock nobody writes
        directory.write(directory.champion, b"mine")


def test_a_folder_that_moves_in_the_midst_of_writing_takes_the_file_along(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()

    def move() -> None:
        path.rename(tmp_path / "moved")
        path.mkdir()

    write_whole(path / "file", b"content", move)  # after the last look at where it goes
    assert files_in(path) == set()
    assert (tmp_path / "moved" / "file").read_bytes() == b"content"


def test_what_is_put_aside_takes_no_others_place(tmp_path: Path) -> None:
    names = []
    for content in (b"1", b"2", b"3"):
        (tmp_path / "file").write_bytes(content)
        names.append(set_aside(tmp_path / "file").name)
    assert names == ["file.unusable", "file.unusable-2", "file.unusable-3"]
    assert (tmp_path / "file.unusable").read_bytes() == b"1"


# Starts that are killed


def act_until(step: int, action: Callable[[], object]) -> bool:
    """Act in a process that is killed before its *step*-th change of the disk.

    Returns True if it ended before that.
    """
    pid = os.fork()
    if not pid:
        left = step

        def count(change: Callable[..., object]) -> Callable[..., object]:
            def act(*arguments: object, **options: object) -> object:
                nonlocal left
                if not left:
                    os._exit(9)
                left -= 1
                return change(*arguments, **options)

            return act

        changes = "open", "mkdir", "unlink", "rmdir", "rename", "replace", "fsync", "ftruncate"
        for name in (*changes, "pwrite"):
            setattr(os, name, count(getattr(os, name)))
        try:
            action()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.parametrize("force", [False, True])
def test_a_start_may_be_killed_anywhere(tmp_path: Path, force: bool) -> None:
    for steps in itertools.count():
        path = tmp_path / str(steps) / "run"
        if force:
            make_run(path)
            (path / "recipe.toml").write_bytes(Recipe().to_toml().encode())
        done = act_until(steps, partial(prepare, Recipe(), run=path, force=force))
        begun = (path / "recipe.toml").is_file()
        if begun:
            Run.open(path)  # a whole recipe
            with pytest.raises(RunExistsError, match="force=True"):
                prepare(Recipe(), run=path)
        run = prepare(Recipe(), run=path, force=begun)
        assert Run.open(path).recipe == run.recipe
        mine = {"notes.txt"} if force else set()
        assert files_in(path) == {".lock", "recipe.toml"} | mine
        if done:
            break
    assert steps > 8
