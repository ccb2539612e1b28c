"""Each floor of the house imports only from those below it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ["runs", "evolve", "arena", "players", "genomes", "games"]


@pytest.fixture(autouse=True)
def _stand_in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_contract_names_every_floor() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert sorted(settings["root_packages"]) == sorted(FLOORS)
    assert [contract["layers"] for contract in settings["contracts"]] == [FLOORS]
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert packages - {"benchmarks", "docs", "tests"} == set(FLOORS)


def test_the_contract_is_kept() -> None:
    assert lint_imports("pyproject.toml", no_cache=True, no_logo=True) == 0


def test_a_floor_that_looks_up_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(
        f"[tool.importlinter]\nroot_packages = {FLOORS}\n"
        "[[tool.importlinter.contracts]]\n"
        'name = "upside down"\ntype = "layers"\nlayers = ["games", "arena"]\n'
    )
    assert lint_imports(str(wrong), no_cache=True, no_logo=True) == 1
