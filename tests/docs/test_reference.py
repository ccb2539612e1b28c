"""The reference: what is generated is whole, and what is written by hand fits the code."""

from __future__ import annotations

import importlib.util
import os
import re
import sqlite3
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest
import typer
import yaml

import evolve_arena as ea
from evolve_arena.cli.app import app
from evolve_arena.cli.recipe_texts import describe_section
from evolve_arena.core.attribute_docs import read_helps
from evolve_arena.core.registry import find_game, shipped_games
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.recipes.sections import CheckConfig, RunConfig
from evolve_arena.runs.store.history import SCHEMA
from evolve_arena.runs.store.kept_games import KeptGame

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """Return ``docs/generate.py``, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_pages_are_as_the_code_has_them() -> None:
    """On any terminal; if it fails: python -m docs.generate (make reference)."""
    command = [sys.executable, "-m", "docs.generate", "--check"]
    env = os.environ | {"COLUMNS": "37"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_stale_page_is_written_anew_and_an_unknown_mark_refused(generate: ModuleType) -> None:
    page = (DOCS / "reference" / "recipes.md").read_text("utf-8")
    stale = page.replace("Generations between checks", "Generations since checks")
    assert stale != page
    assert generate.fill(stale) == page
    with pytest.raises(SystemExit, match="has no 'nothing'"):
        generate.fill("<!-- generated: nothing -->\n<!-- end -->\n")


def test_every_key_of_a_recipe_has_a_sentence(generate: ModuleType) -> None:
    sections = {"check.": CheckConfig, "run.": RunConfig, "neat.": NeatConfig}
    sections["islands."] = IslandsConfig
    sections |= {
        f"{name}: method.": method.config_type
        for method, (name, _) in generate.find_method_sections().items()
    }
    for (kind, _), (section, games, _) in generate.list_networks().items():
        sections[f"{games[0]} {kind}: network."] = section
    told = {
        text.key: text.meaning
        for prefix, section in sections.items()
        for text in describe_section(section, prefix)
    }
    for game in shipped_games():
        rules = find_game(game).game.rules_type
        told |= {f"{game}: game.{key}": read_helps(rules).get(key, "") for key in rules._fields}
    told |= {key: read_helps(Recipe).get(key, "") for key in Recipe.model_fields}
    assert len(told) > 200
    bad = [key for key, sentence in told.items() if len(sentence) < 6 or sentence[-1] not in ".:"]
    assert not bad


def test_each_table_names_what_the_code_has(generate: ModuleType) -> None:
    written = {name: write() for name, write in generate.GENERATED.items()}
    assert "`matches.hall_of_fame.opponents` | whole number from 0 to" in written["method_keys"]
    assert "`network.script` | text" in written["network_keys"]
    assert "| `othello` | `game.size` | 6 or 8 | 8 | Cells along a side" in written["game_keys"]
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        inner = [f"{name} {each}" for each in getattr(command, "commands", ())] or [name]
        for path in inner:
            assert (f"## `evolve {path}`\n" in written["commands"]) is not command.hidden, path
    assert "`--seed NUMBER` |  | Seed of the run, instead of the recipe's." in written["commands"]
    for name in set(ea.__all__) - {"__version__", "extend"}:
        assert f"### `{name}`\n\n```python\n" in written["python"]
    for name in ea.extend.__all__:
        assert f"### `{name}`\n\n```python\n" in written["python_extend"]
    assert "settings your_botid 1\n" in written["dialects"]
    assert "\nseat 0\nstate 65535 " in written["dialects"]
    assert "| 100 | 0.404 to 0.596 |" in written["intervals"]
    assert all(written.values())


def test_the_history_and_kept_games_are_described_key_by_key() -> None:
    page = (DOCS / "reference" / "files.md").read_text("utf-8")
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    tables = {
        name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    database.close()
    described = {
        found[1]: re.findall(r"^\| `(\w+)` \|", found[2], re.M)
        for found in re.finditer(r"^### `(\w+)`\n(.*?)(?=^##)", page, re.M | re.S)
    }
    assert described == tables
    text = (DOCS / "reference" / "files.md").read_text("utf-8")
    page = text.partition("## Kept games")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == [field.name for field in fields(KeptGame)]


@pytest.mark.parametrize(
    ("dialect", "game", "games"), [("ai-games", "connect-four", 20), ("", "ticket-to-ride", 2)]
)
def test_the_bots_of_the_page_play_without_a_forfeit(
    dialect: str, game: str, games: int, tmp_path: Path
) -> None:
    page = (DOCS / "reference" / "programs.md").read_text("utf-8")
    sources = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(sources) == 2
    file = tmp_path / "bot.py"
    file.write_text(sources[game == "ticket-to-ride"], encoding="utf-8")
    options = f"dialect={dialect}," if dialect else ""
    bot = f'process:{options}"{sys.executable} {file}"'
    result = ea.duel(bot, "random", games=games, seed=1, game=find_game(game).make())
    assert result.forfeits == ()
    assert result.finished == games


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors", "version"} <= set(citation)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["version"] == ea.__version__
    assert citation["license"] == project["license"]["text"]
