"""Titles and names of others are shown as they are, and never obeyed."""

from __future__ import annotations

import ast
import io
import json
import runpy
import sys
import warnings
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import matplotlib
import pytest
from rich.console import Console

from evolve_arena import start
from evolve_arena.arena.duel import duel
from evolve_arena.cli.display import Display
from evolve_arena.cli.main import main
from evolve_arena.cli.output import print_line, print_table
from evolve_arena.cli.play.screen import Screen
from evolve_arena.players.player import Player, make_random
from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.plots.style import render
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.training.loop import Progress

Capture = pytest.CaptureFixture[str]
Maker = Callable[..., Recipe]
Evolve = Callable[..., str]

TITLE = "\x1b[2Jhi[/b]\n$$ \u202e \U0001f600 漢"
SHOWN = r"\x1b[2Jhi[/b] $$ \u202e" + " \U0001f600 漢"
NAME = "_\x1b[2J$\n$[red]\u202e\\"
"""Of a folder: all that a title may have but a slash."""
NAME_SHOWN = r"_\x1b[2J$ $[red]\u202e" + "\\"
BOT = 'while read line; do case "$line" in *action*) echo place_disc 0;; esac; done'


@pytest.fixture(scope="module", name="place")
def _place(tmp_path_factory: pytest.TempPathFactory, small_recipe: Maker) -> Path:
    """Return a folder with a recipe, its run, and a bot, all of which have such names."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / f"{NAME}.sh").write_text(BOT)
    opponents = ["random", f"process:sh '{folder / NAME}.sh'"]
    recipe = small_recipe("check.games=2", "run.generations=1")
    recipe = recipe.change({"title": TITLE, "check.opponents": opponents})
    (folder / f"{NAME}.toml").write_text(recipe.to_toml())
    with chdir(folder):  # where its program may run from then on
        start(recipe, run=folder / NAME, executor="serial")
    return folder


@pytest.fixture(name="evolve")
def _evolve(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Evolve:
    """Return a runner of commands; their output must not make a terminal do anything."""
    monkeypatch.chdir(place)

    def give(*words: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["evolve", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        assert ended.value.code == code, shown.err
        for character in shown.out + shown.err:
            assert character.isprintable() or character == "\n"
        return shown.out + shown.err

    return give


def test_starting_and_asking_about_a_run(evolve: Evolve) -> None:
    words = [f"{NAME}.toml", "--run", f"{NAME}2", "--executor", "serial", "--allow-process"]
    shown = evolve("start", *words)
    assert f"run       {NAME_SHOWN}2" in shown
    assert f"{NAME_SHOWN}.sh" in shown.replace("\n", "")
    shown = evolve("info", NAME)
    assert shown.startswith(f"{NAME_SHOWN}  {SHOWN}\n")
    assert json.loads(evolve("info", NAME, "--json"))["title"] == TITLE
    shown = evolve("resume", NAME)
    assert shown == f"{NAME_SHOWN} is complete at generation 1; --generations N extends it\n"


def test_errors_and_refusals(evolve: Evolve) -> None:
    shown = evolve("start", f"{NAME}.toml", code=2)
    assert shown.count("\n") == 1
    assert "--allow-process" in shown
    assert evolve("info", f"{NAME}3", code=2).startswith(rf"evolve: {NAME_SHOWN}3 does not exist")


def test_games(evolve: Evolve) -> None:
    run, bot = f"run:{NAME}", f"process:sh '{NAME}.sh'"
    for words in (["duel", run, bot, "--games", "2"], ["tournament", run, bot, "--games", "2"]):
        shown = evolve(*words).replace("\n", "")
        assert r"_\x1b[2J$ $[red]\u202e" in shown
    assert json.loads(evolve("duel", run, bot, "--games", "2", "--json"))["players"][0] == NAME
    shown = evolve("play", run, "random", "--seed", "1", "--delay", "0", "--values")
    assert f"Game 1: random is x, {NAME_SHOWN} is o." in shown
    assert f"{NAME_SHOWN}'s values" in shown


PICTURES = [(".png", []), (".pdf", []), (".svg", ["--network"]), (".svg", ["--ancestors"])]


@pytest.mark.parametrize(("ending", "words"), PICTURES)
def test_pictures(evolve: Evolve, place: Path, ending: str, words: list[str]) -> None:
    file = f"{NAME}{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # also of letters that the font lacks
        assert evolve("plot", NAME, *words, "--to", file) == f"{NAME_SHOWN}{ending}\n"
    content = (place / file).read_bytes()
    assert len(content) > 1000
    if ending == ".svg":
        assert "\x1b" not in content.decode()


def test_names_in_pictures_are_no_formulas(place: Path) -> None:
    record = replace(Run.open(place / NAME).history(), name="$x$ $$")
    with matplotlib.rc_context({"text.usetex": True}):  # as a file in this folder may say
        figure = draw_runs([record, replace(record, name="_hidden", title="$\\alpha")])
    svg = render(figure, ".svg").decode()
    (legend,) = figure.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == [rf"$x$ $$: {SHOWN}", r" _hidden: $\alpha"]
    assert not any(text.get_parse_math() for text in legend.get_texts())
    for text in ("$x$ $$:", " _hidden: $\\alpha"):
        assert f"<!-- {text}" in svg


def test_exported_bots_hold_names_as_texts(evolve: Evolve, place: Path) -> None:
    name = '"""\n\\"\\"\\"; import os; os.system("touch PWNED") \\'
    player: Player = Run.open(place / NAME).champion
    player.name = name
    (place / "named.safetensors").write_bytes(player.serialise(recipe=name))
    for words in ([NAME], ["file:named.safetensors"]):
        evolve("export", *words, "--out", "bot.py", "--force")
        source = (place / "bot.py").read_text()
        assert all(character.isprintable() or character == "\n" for character in source)
        module = ast.parse(source)
        imported = {node.names[0].name for node in ast.walk(module) if isinstance(node, ast.Import)}
        named = {node.attr for node in ast.walk(module) if isinstance(node, ast.Attribute)}
        assert "os" not in imported
        assert "system" not in named
        doc = ast.get_docstring(module)
        assert doc is not None
        assert doc.startswith("The connect-four player ")
        assert "bred by Evolve Arena: one file that plays." in " ".join(doc.split())
        assert 0 <= runpy.run_path(str(place / "bot.py"))["choose"]((0, 0, 0)) < 7
    assert not (place / "PWNED").exists()


def test_lines_and_tables(capsys: Capture) -> None:
    print_line(TITLE, heading=NAME)
    print_line(TITLE, error=True)
    shown = capsys.readouterr()
    assert shown.out == f"{NAME_SHOWN}{SHOWN}\n"
    assert shown.err == f"{SHOWN}\n"
    print_table(TITLE, ["[b]name", NAME], [(TITLE, ":smile:"), ("x" * 10_000, "")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == SHOWN
    assert "[b]name" in lines[1]
    assert NAME_SHOWN in lines[1]
    assert SHOWN in lines[3]
    assert ":smile:" in lines[3]
    assert sum(line.count("x") for line in lines[4:]) < 300


def test_the_live_view(small_recipe: Maker) -> None:
    game = small_recipe().make_game()
    players = [make_random(game), make_random(game)]
    for player in players:
        player.name = TITLE
    result = duel(game, *players, games=2)
    out = io.StringIO()
    with Display(TITLE) as display:
        display._console = Console(file=out, force_terminal=True, width=150, highlight=False)
        display.watch(Progress(1, 2, results=[result], checked=1))
    assert "\x1b[2J" not in out.getvalue()
    assert rf"against {SHOWN}" in out.getvalue()


def test_a_screen_paints_our_drawings_alone() -> None:
    out = io.StringIO()
    screen = Screen(io.StringIO("\n"), out)
    screen.say(f"{NAME} plays:\n3")
    screen.ask(TITLE)
    screen.paint("\x1b[31mx\x1b[0m")
    spelled = NAME.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e")
    assert out.getvalue().startswith(f"{spelled} plays:\n3\n")
    assert out.getvalue().count("\x1b") == 2
