"""Each floor of the house imports only from those below it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ["studies", "games", "runs", "evolve", "arena", "players", "genomes", "core"]


@pytest.fixture(autouse=True)
def _stand_in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_contract_names_every_floor() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert settings["root_packages"] == ["evolve_arena"]
    assert [contract["layers"] for contract in settings["contracts"]] == [FLOORS]
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert packages - {"benchmarks", "docs", "tests", "evolve_arena"} == set(FLOORS)
    assert {
        link.name for link in (ROOT / "evolve_arena").iterdir() if link.is_symlink()
    } == packages - {"benchmarks", "evolve_arena"}


def test_the_contract_is_kept() -> None:
    assert lint_imports("pyproject.toml", no_cache=True, no_logo=True) == 0


def test_a_floor_that_looks_up_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(
        '[tool.importlinter]\nroot_packages = ["evolve_arena"]\n'
        "[[tool.importlinter.contracts]]\n"
        'name = "upside down"\ntype = "layers"\ncontainers = ["evolve_arena"]\n'
        'layers = ["core", "arena"]\n'
    )
    assert lint_imports(str(wrong), no_cache=True, no_logo=True) == 1
