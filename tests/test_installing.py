"""An installation from a clone without symbolic links has all layers, and breeds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_layers import FOLDERS, ROOT

BUILT = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
WHERE = "import evolve_arena.core, evolve_arena as ea; print(ea.__file__, ea.core.__file__)"
SMALL = ["run.generations=3", "method.individuals=20", "check.games=20"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a copy as Git writes it with ``core.symlinks=false``: links are files with targets."""
    folder = tmp_path / "clone"
    for layer in FOLDERS:
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / layer, folder / layer, ignore=unwanted)
    for name in BUILT:
        shutil.copy(ROOT / name, folder)
    (folder / "evolve_arena").mkdir()
    for entry in (ROOT / "evolve_arena").iterdir():
        copy = folder / "evolve_arena" / entry.name
        if entry.is_symlink():
            copy.write_text(os.readlink(entry))
        elif entry.is_file():
            shutil.copy(entry, copy)
    return folder


def run(*words: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def install(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--no-compile", "--target")
    return run("-m", "pip", "install", "--quiet", *options, target, source)


def test_what_is_installed_from_a_clone_without_links_breeds(clone: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    done = install(clone, target)
    assert done.returncode == 0, done.stderr
    package = target / "evolve_arena"
    assert {entry.name for entry in package.iterdir() if entry.is_dir()} == set(FOLDERS)
    here = {"env": {**os.environ, "PYTHONPATH": str(target)}, "cwd": tmp_path}
    files = [package / "__init__.py", package / "core/__init__.py"]
    assert run("-c", WHERE, **here).stdout.split() == [str(file) for file in files]
    changes = [word for change in SMALL for word in ("--set", change)]
    done = run("-m", "evolve_arena.cli.main", "start", "tic-tac-toe-evolved", *changes, **here)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "evolved/tic-tac-toe-evolved/champion.safetensors").is_file()
    shutil.rmtree(clone / "players")
    done = install(clone, tmp_path / "installed")
    assert done.returncode != 0
    assert "cannot be built: players/ should lie beside setup.py" in done.stderr


def test_a_source_distribution_keeps_the_layout(clone: Path, tmp_path: Path) -> None:
    (clone / "tests").mkdir()
    (clone / "tests/test_stray.py").touch()
    done = run("setup.py", "--quiet", "sdist", "--dist-dir", tmp_path, cwd=clone)
    assert done.returncode == 0, done.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    names = {entry.name for entry in source.iterdir()}
    names -= {"PKG-INFO", "setup.cfg", "evolve_arena.egg-info"}
    assert names == {*BUILT, *FOLDERS, "evolve_arena"}
    linked = {entry.name for entry in (source / "evolve_arena").iterdir()}
    assert linked == {"__init__.py", "extend.py", "py.typed"}
    assert list_files(source) == list_files(clone)


def list_files(folder: Path) -> set[Path]:
    """Return the files in the layers."""
    return {file.relative_to(folder) for layer in FOLDERS for file in (folder / layer).rglob("*.*")}
