"""Each layer imports only from those below it, and no game from another.

No layer below the games names one of them.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from evolve_arena.core.logs import LOG

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ["studies", "games", "web | cli", "runs", "evolve", "arena", "players", "genomes", "core"]
FOLDERS = [folder for floor in FLOORS for folder in floor.split(" | ")]
BELOW_GAMES = FOLDERS[2:]


@pytest.fixture(autouse=True)
def _stand_in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(LOG, "disabled", LOG.disabled)  # import-linter turns off all loggers


def test_the_contracts_name_every_floor_and_all_games() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert settings["root_packages"] == ["evolve_arena"]
    layers, games = ({**each, "name": ""} for each in settings["contracts"])
    whole = {"name": "", "containers": ["evolve_arena"]}
    assert layers == {**whole, "type": "layers", "layers": FLOORS}
    assert games == {"name": "", "type": "independence", "modules": ["evolve_arena.games.*"]}
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert packages - {"benchmarks", "docs", "tests", "evolve_arena"} == set(FOLDERS)
    links = {link.name for link in (ROOT / "evolve_arena").iterdir() if link.is_symlink()}
    assert links == packages - {"benchmarks", "evolve_arena"}
    assert lint_imports("pyproject.toml", no_cache=True, no_logo=True) == 0


@pytest.mark.parametrize(
    "contract",
    [
        'type = "layers"\ncontainers = ["evolve_arena"]\nlayers = ["core", "arena"]\n',
        # All games need the errors.
        'type = "independence"\nmodules = ["evolve_arena.games.*", "evolve_arena.core.errors"]\n',
    ],
)
def test_a_contract_that_is_broken_is_found(contract: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    head = '[tool.importlinter]\nroot_packages = ["evolve_arena"]\n'
    wrong.write_text(f'{head}[[tool.importlinter.contracts]]\nname = "wrong"\n{contract}')
    assert lint_imports(str(wrong), no_cache=True, no_logo=True) == 1


def find_games(text: str) -> list[tuple[int, str]]:
    """Return names of games in *text*, in any spelling, each with the number of its line."""
    games = [folder.parent.name for folder in ROOT.glob("games/*/__init__.py")]
    names = "|".join(game.replace("_", r"[-_\s]*") for game in games)
    found = re.finditer(names, text, re.IGNORECASE)
    return [(1 + text.count("\n", 0, match.start()), match[0]) for match in found]


@pytest.mark.parametrize("floor", BELOW_GAMES)
def test_below_the_games_none_is_named(floor: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in sorted((ROOT / floor).rglob("*"))
        if file.suffix in {".py", ".js", ".html", ".css"}
        for line, name in find_games(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_names_of_games_are_found() -> None:
    text = "Ticket to Ride, ticket-to-ride, ConnectFour\nin Connect\n  Four, Checkers; a check"
    assert [line for line, _ in find_games(text)] == [1, 1, 1, 2, 3]


OWN_IMPORTS = {
    "__init__.py": {"players.board.loader"},
    "sites.py": {"players.dialects", "players.board.game", "runs.export.templates.board"},
}
"""Modules that files of games may need beside `core`, `genomes` and their own package, by file.
Sections of the file of contest sites go into exported bots, whose template it imports."""
BASES = {"NamedTuple", "Dialect"}
FORBIDDEN_FLOORS = set(FOLDERS) - {"core", "genomes", "games"}


def find_foreign(file: Path) -> list[str]:
    """Return imports and base classes in a game's code that are not for games."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}"]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ClassDef):
            found += [f"class {node.name}" for base in node.bases if ast.unparse(base) not in BASES]
        for name in names:
            package, _, place = name.partition(".")
            if package == "evolve_arena" and place.partition(".")[0] in FORBIDDEN_FLOORS:
                found += [] if place in OWN_IMPORTS.get(file.name, ()) else [name]
    return [f"{file.name}: {each}" for each in found]


def test_games_are_rules_and_nothing_else() -> None:
    """Players, decoders, searches, exports and dialogues are there for all of them."""
    files = sorted((ROOT / "games").rglob("*.py"))
    assert len(files) > 30
    assert [each for file in files for each in find_foreign(file)] == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("from evolve_arena.runs.export import board", "rules.py: evolve_arena.runs.export"),
        ("import evolve_arena.players.evolved", "rules.py: evolve_arena.players.evolved"),
        ("from evolve_arena.players.board.loader import x", "evolve_arena.players.board.loader"),
        ("class Mine(Player): pass", "rules.py: class Mine"),
    ],
)
def test_what_is_not_for_games_is_found(line: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text(f"def play():\n    {line}\n")
    assert any(told in each for each in find_foreign(file))
    file.write_text("from evolve_arena.core.stream import mix\nclass Room(NamedTuple): pass\n")
    assert find_foreign(file) == []
