"""The cache of machine code: whatever could make it stale must change its name."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import platformdirs
import pytest
from numba.core import event

from evolve_arena import core
from evolve_arena.core import compiled
from evolve_arena.core.compiled import (
    KEPT_CACHES,
    PACKAGES,
    _Announcer,
    cache_folder,
    compiled_before,
    compiled_sources,
    compiling_seconds,
    estimate_seconds,
    working_clock,
)
from evolve_arena.core.errors import ArenaError
from evolve_arena.players.board import matches

ROOT = Path(__file__).resolve().parents[2]
DECORATORS = {"compiled", "inlined", "instruction"}


def test_every_file_with_compiled_code_is_found() -> None:
    names = {str(file.relative_to(ROOT)) for file in compiled_sources()}
    assert {"core/compiled.py", "core/bits.py", "core/stream.py"} <= names
    assert {"genomes/simd.py", "genomes/network.py", "genomes/mlp.py"} <= names
    assert {"games/ticket_to_ride/turns.py", "players/packed.py"} <= names
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            if _has_compiled_code(ast.parse(file.read_text(encoding="utf-8"))):
                assert str(file.relative_to(ROOT)) in names


@pytest.mark.parametrize("file", compiled_sources(), ids=lambda file: file.stem)
def test_compiled_code_takes_nothing_from_other_files(file: Path) -> None:
    """A constant or function from a file outside the digest could change unnoticed."""
    assert _find_outside_names(file.read_text(encoding="utf-8")) == set()


def test_that_check_sees_what_it_should() -> None:
    source = """
from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import ArenaError
from evolve_arena.games.ticket_to_ride import turns
from evolve_arena.core.game import Outcome as Result
from evolve_arena.core import registry
from evolve_arena.core.stream import below
FROM_ELSEWHERE = registry.GAMES
def plain() -> Result:
    raise ArenaError
@compiled
def quick(stream: Result) -> ArenaError:
    return below(stream, Result)
def factory():
    bound = ArenaError
    @compiled
    def inner():
        return bound
"""
    assert _find_outside_names(source) == {"registry", "Result", "ArenaError"}


def _has_compiled_code(tree: ast.Module) -> bool:
    return any(_is_compiled(node) for node in ast.walk(tree))


def test_who_waits_for_compiling_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(core, "on_compile", lambda subject, seconds: told.append(subject))
    monkeypatch.setattr("evolve_arena.core.compiled.MOMENT", -1.0)
    monkeypatch.setattr("evolve_arena.core.compiled._announcer._told", set())
    for number in (1, 1.0):
        numba.njit(lambda x: x + 1)(number)
    assert len(told) == 1


def test_compiling_is_estimated_and_not_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[tuple[str, float]] = []
    monkeypatch.setattr(core, "on_compile", lambda *given: told.append(given))
    monkeypatch.setattr("evolve_arena.core.compiled.MOMENT", -1.0)
    usual = compiled._announcer
    monkeypatch.setattr(compiled, "_announcer", announcer := _Announcer())
    monkeypatch.setattr("evolve_arena.core.compiled.cache_folder", lambda: tmp_path / "kernels")
    (tmp_path / "kernels").mkdir()
    event.unregister("numba:compile", usual)
    event.register("numba:compile", announcer)
    try:
        worked, began = working_clock(), time.perf_counter()
        numba.njit(lambda x: x + 1)(1)
        took = time.perf_counter() - began
    finally:
        event.unregister("numba:compile", announcer)
        event.register("numba:compile", usual)
    ((subject, seconds),) = told
    assert seconds > 0
    assert working_clock() - worked < took - 0.5 * compiling_seconds()
    assert compiled_before() == {}
    announcer.note()
    assert compiled_before().keys() == {subject}
    (tmp_path / "compile-times.json").write_text(f'{{"{subject}": 77.0, "other": "x"}}')
    assert compiled_before() == {}, "a file that is damaged is not used"
    (tmp_path / "compile-times.json").write_text(f'{{"{subject}": 77.0, "other": -1}}')
    assert compiled_before() == {subject: 77.0}
    assert estimate_seconds(subject) == 77.0


def test_who_calls_more_takes_longer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("evolve_arena.core.compiled.cache_folder", lambda: tmp_path / "kernels")
    larger = estimate_seconds("never seen", matches.play_matches)
    assert larger > 1.3 * estimate_seconds("never seen")


def _is_compiled(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id in DECORATORS
        for decorator in node.decorator_list
    )


def _find_outside_names(source: str) -> set[str]:
    """Return names from files outside the digest that could end up in compiled code.

    They could if they occur in a compiled function, in a function around one, or in an
    assignment of the module. Annotations do not count.
    """
    tree = ast.parse(source)
    outside = _names_from_outside(tree)
    used: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if any(_is_compiled(inner) for inner in ast.walk(node)):
                for statement in node.body:
                    used |= _names_in(statement)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            used |= _names_in(node.value)
    return used & outside


def _names_from_outside(tree: ast.Module) -> set[str]:
    digested = set(compiled_sources())
    outside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert alias.name.partition(".")[0] != "evolve_arena", "use from ... import ..."
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        package, *parts = node.module.split(".")
        if package != "evolve_arena":
            continue
        for alias in node.names:
            place = ROOT.joinpath(*parts)
            files = {place / f"{alias.name}.py", place.with_suffix(".py"), place / "__init__.py"}
            if not files & digested:
                outside.add(alias.asname or alias.name)
    return outside


def _names_in(tree: ast.AST) -> set[str]:
    """Return all names but those in annotations."""
    parts = [
        part for field, part in ast.iter_fields(tree) if field not in ("annotation", "returns")
    ]
    nodes = [node for part in parts for node in (part if isinstance(part, list) else [part])]
    inner = [_names_in(node) for node in nodes if isinstance(node, ast.AST)]
    return set().union(*inner) | ({tree.id} if isinstance(tree, ast.Name) else set())


def _copy_sources(folder: Path) -> Path:
    without_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "evolve_arena", folder / "evolve_arena", symlinks=True)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=without_caches)
    return folder


def _run(tree: Path, code: str, **environment: str) -> list[str]:
    """Return the words that *code* prints in a process that imports the packages from *tree*."""
    answer = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tree)!r})\n{code}"],
        cwd=tree,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return answer.stdout.split()


def test_the_folder_is_named_after_the_sources(tmp_path: Path) -> None:
    tree = _copy_sources(tmp_path / "tree")
    code = """
from pathlib import Path
from evolve_arena.core.compiled import cache_folder
def show():
    cache_folder.cache_clear()
    print(cache_folder())
show()
show()
for name in ("games/ticket_to_ride/turns.py", "genomes/simd.py", "core/compiled.py"):
    file = Path(name)
    before = file.read_text()
    file.write_text(before + "# changed\\n")
    show()
    file.write_text(before)
show()
Path("arena/new.py").write_text("from evolve_arena.core.compiled import compiled\\n")
show()
Path("arena/new.py").unlink()
Path("core/errors.py").open("a").write("# not compiled\\n")
show()
"""
    first, again, *changed, restored, added, other = _run(
        tree, code, EVOLVE_ARENA_CACHE=str(tmp_path / "cache")
    )
    assert Path(first).parent == tmp_path / "cache"
    assert first == again == restored == other
    assert len({first, added, *changed}) == 5


def test_what_two_processes_need_at_once_is_compiled_once(tmp_path: Path) -> None:
    code = f"""
import os, time
from pathlib import Path
from evolve_arena.core.stream import fill_words, new_stream
import numpy as np
Path({str(tmp_path)!r}, f"{{os.getpid()}}.ready").touch()
while len(list(Path({str(tmp_path)!r}).glob("*.ready"))) < 2:
    time.sleep(0.001)
fill_words(new_stream(1), np.zeros(1, np.uint64))
print(sum(fill_words.stats.cache_hits.values()))
"""
    chosen = {"EVOLVE_ARENA_CACHE": str(tmp_path / "cache")}
    with ThreadPoolExecutor() as pool:
        told = pool.map(lambda _: _run(ROOT, code, **chosen), range(2))
    assert sorted(told) == [["0"], ["1"]]


def test_a_folder_in_the_last_resort_goes_with_the_process(tmp_path: Path) -> None:
    for taken in ("file", f"evolve-arena-{os.getuid()}"):
        (tmp_path / taken).write_text("no folder can be made here")
    code = "from evolve_arena.core.compiled import cache_folder\n"
    code += "print(cache_folder(), cache_folder().is_dir())"
    found = {"EVOLVE_ARENA_CACHE": str(tmp_path / "file/cache"), "TMPDIR": str(tmp_path)}
    folder, exists = _run(ROOT, code, **found)
    assert Path(folder).name == cache_folder().name
    assert Path(folder).parent.parent == tmp_path
    assert Path(folder).parent.name.startswith("evolve-arena-")
    assert exists == "True"
    assert not Path(folder).parent.exists()


FindFolder = Callable[[], Path]


@pytest.fixture(name="choose")
def _choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FindFolder:
    """Return a new choice of folder if the cache can't be written and ``temporary`` is shared."""
    (tmp_path / "file").write_text("no folder can be made under a file")
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o1777)
    monkeypatch.setenv("EVOLVE_ARENA_CACHE", str(tmp_path / "file/cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return cache_folder.__wrapped__


@pytest.fixture(name="shared")
def _shared(tmp_path: Path) -> Path:
    """Return the name in the shared folder that is tried first."""
    return tmp_path / f"temporary/evolve-arena-{os.getuid()}"


def test_folders_are_made_for_the_user_alone(choose: FindFolder, shared: Path) -> None:
    folder = choose()
    assert folder.parent == shared
    assert [file.stat().st_mode & 0o777 for file in (folder, shared)] == [0o700, 0o700]
    assert choose() == folder


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make folders of other users")
@pytest.mark.parametrize("fault", ["another's", "another's inside", "link", "open to all"])
def test_a_folder_that_is_not_private_is_not_used(
    choose: FindFolder, shared: Path, tmp_path: Path, fault: str
) -> None:
    inside = shared / cache_folder().name
    if fault == "link":
        (tmp_path / "own").mkdir(mode=0o700)
        shared.symlink_to(tmp_path / "own")
    inside.mkdir(parents=True)
    (tmp_path / "own" if fault == "link" else shared).chmod(0o700)
    if fault == "open to all":
        inside.chmod(0o777)
    elif fault != "link":
        os.chown(inside if fault == "another's inside" else shared, 12345, 12345)
    folder = choose()
    assert folder.name == inside.name
    assert folder.parent.parent == shared.parent
    assert folder.parent != shared
    assert not any(inside.iterdir())
    assert choose() == folder  # as do processes that this one starts


def test_nor_is_one_that_others_can_replace(
    choose: FindFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = tmp_path / "open"
    (open_to_all / "cache").mkdir(parents=True)
    monkeypatch.setenv("EVOLVE_ARENA_CACHE", str(open_to_all / "cache"))
    assert choose().parent == open_to_all / "cache"
    open_to_all.chmod(0o777)
    assert choose().parent.parent == tmp_path / "temporary"
    monkeypatch.setattr(tempfile, "tempdir", str(open_to_all))
    with pytest.raises(ArenaError, match=f"others may write to {open_to_all}: let EVOLVE_ARENA"):
        choose()


def test_a_user_without_a_home_uses_the_shared_folder(
    choose: FindFolder, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_none(name: str) -> str:
        raise RuntimeError(f"could not determine the home directory for {name}")

    monkeypatch.delenv("EVOLVE_ARENA_CACHE")
    monkeypatch.setattr(platformdirs, "user_cache_dir", find_none)
    assert choose().parent == shared


def test_an_own_cache_that_others_can_read_is_kept(
    choose: FindFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_ARENA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache" / cache_folder().name).mkdir(parents=True)
    kept = tmp_path / "cache" / cache_folder().name / "code"
    kept.write_text("machine code")
    assert choose() == kept.parent
    assert kept.is_file()


@pytest.mark.parametrize(("age", "kept"), [(10**6, KEPT_CACHES - 1), (0, 6)])
def test_old_caches_are_forgotten_unless_programs_may_use_them(
    age: int, kept: int, choose: FindFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_ARENA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache/other").mkdir(parents=True)
    for number in range(6):
        folder = tmp_path / f"cache/kernels-{number}"
        folder.mkdir()
        (folder / "code").write_text("")
        used = time.time() - age - number
        os.utime(folder, (used, used))
    current = choose()
    left = {folder.name for folder in (tmp_path / "cache").iterdir()}
    assert left == {current.name, "other", *(f"kernels-{number}" for number in range(kept))}


def test_a_file_of_the_current_folder_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\ncache_dir: here\n")
    code = "import numba, evolve_arena.core.compiled; print(numba.config.DISABLE_JIT)"
    words = [sys.executable, "-P", "-c", f"{code}; print(numba.config.CACHE_DIR)"]
    answer = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["0"]
