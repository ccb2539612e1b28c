"""The table of abilities keeps its promises, for games of each kind."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from evolve_arena.cli.abilities import PLACES, list_abilities, make_untaught
from evolve_arena.core.registry import game_names, open_game, study_learners
from evolve_arena.core.stream import new_stream
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import start
from evolve_arena.runs.export import export_player
from evolve_arena.runs.recipes.methods import METHODS, methods_of
from tests.contracts.test_games import SMALL, compare_games, walk
from tests.forked import evolve
from tests.tracks import STONES

OWN = Path(__file__).parents[2] / "benchmarks" / "games" / "dots_and_boxes.py"
"""A stranger's file: turns that go on, and points."""
SEARCHED = ("tic-tac-toe", "pig")
"""Those that are searched here. All games in one file are compiled from the same sources."""


@cache
def abilities(game: str) -> dict[str, dict[str, str]]:
    """Return the reasons why not, by kind and name; empty if it can be done."""
    found: dict[str, dict[str, str]] = {}
    for kind, name, reason in list_abilities(game):
        found.setdefault(kind, {})[name] = reason
    return found


every_game = pytest.mark.parametrize("game", [*game_names(), str(OWN)])


@every_game
def test_only_rules_forbid_something_in_games_of_one_file(game: str) -> None:
    found = abilities(game)
    told = {reason for names in found.values() for reason in names.values()}
    assert not [reason for reason in told if "so far" in reason]
    searches = [*found["look ahead by"].values(), *found["meet"].values()]
    assert all(reason.endswith("for games of two") for reason in searches if reason)
    assert not any(searches) or open_game(game).game().seats > 2
    assert not any(found["play at"].values())


LARGE = "of memory, more than"
"""A default network may be too large for a method, which breeds smaller ones."""


@every_game
def test_methods_that_may_breed_are_those_that_recipes_take(game: str) -> None:
    reasons = abilities(game)["breed by"]
    able = {name for name, reason in reasons.items() if not reason or LARGE in reason}
    known = methods_of(open_game(game).name)
    assert able == {
        name for name in known if name in METHODS or name in study_learners(open_game(game).name)
    }


@every_game
def test_what_can_be_exported_is(game: str) -> None:
    spec = open_game(game)
    players = make_untaught(spec), make_untaught(spec, "neat")
    for target, reason in abilities(game)["export to"].items():
        if not reason:
            content = export_player(players[target == "neat-python"], target)
            assert len(content) > 1000 or target == "neat-python"
            if isinstance(content, str) and content.startswith('"""'):
                compile(content, target, "exec")


@pytest.mark.parametrize("game", SEARCHED)
def test_who_may_look_ahead_or_be_met_moves(game: str) -> None:
    untaught = make_untaught(open_game(game))
    found = [
        replace(untaught.decoder, **{name: 1}).player(untaught.genome, name)
        for name in abilities(game)["look ahead by"]
    ]
    found += [make_player(name, untaught.game) for name in abilities(game)["meet"]]
    assert len(found) == 2 + len(abilities(game)["meet"]) >= 5
    position, moves, _ = next(walk(untaught.game, 1))
    for player in found:
        assert player.choose(position, new_stream(1)) in moves
        player.close()


@every_game
def test_who_shows_the_start_shows_whole_games(game: str) -> None:
    made = open_game(game).make()
    assert set(abilities(game)["play at"]) == set(PLACES)
    for place, reason in abilities(game)["play at"].items():
        for position, _, _ in walk(made, 3) if not reason else ():
            if made.legal_moves(position):
                PLACES[place](made, position)


def test_a_reason_is_told_in_a_few_words() -> None:
    assert abilities("pig")["breed by"]["evolutionary-programming"] == (
        "its matches are of two, and more can play"
    )
    assert abilities("hex")["export to"]["botzone"] == "Botzone does not have it by these rules"
    assert abilities("ticket-to-ride")["meet"]["minimax"].endswith("for games of two")
    for names in (names for game in game_names() for names in abilities(game).values()):
        assert all("\n" not in reason and len(reason) < 200 for reason in names.values())


def test_hidden_cards_forbid_alpha_beta_alone() -> None:
    leduc = abilities(str(OWN.with_name("leduc.py")))
    reason = "something is hidden, and a search would see it"
    assert {"look ahead by": {"depth": reason}, "meet": {"minimax": reason}} == {
        kind: {name: why for name, why in names.items() if why}
        for kind, names in leduc.items()
        if kind in ("look ahead by", "meet")
    }
    assert not any(leduc["breed by"].values())


def test_three_seats_forbid_alpha_beta_and_what_is_for_pairs() -> None:
    stones = abilities(str(STONES))
    told = {name: why for kind in ("breed by", "meet") for name, why in stones[kind].items() if why}
    pairs = "its matches are of two, and more can play"
    assert told == {
        "evolutionary-programming": pairs,
        "evolution-strategy": pairs,
        "cma-es": pairs,
        "population-based-training": pairs,
        "minimax": "seats is 3: such searches are for games of two",
    }


@pytest.mark.parametrize("method", ["td-tuples", "imitation"])  # and td, q-learning in pig
def test_learners_teach_three_seats(method: str, tmp_path: Path) -> None:
    changes = [f"method.name={method}", *SMALL[method], "run.generations=1"]
    changes += ["check.games=2", "check.opponents=['random']"]
    options = {"executor": "serial", "allow_process": True}
    run = start(str(STONES), run=tmp_path / "run", changes=changes, **options)
    assert run.population_sha256 != run.digest(run.state(0))
    compare_games(run.champion.game.name, run.champion)


def test_the_command_shows_them(tmp_path: Path) -> None:
    shown = evolve("list", "games", folder=tmp_path).stdout
    assert re.search(r"hex +2 +Hex: x joins the upper edge", shown)
    assert re.search(r"pig +2 to 5 +yes +Pig: roll a die", shown)
    told = json.loads(evolve("game", "info", str(OWN), "--json", folder=tmp_path).stdout)
    assert {"kind": "meet", "name": "mcts", "reason": ""} in told["abilities"]
    wrong = evolve("game", "info", "kala", folder=tmp_path)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "did you mean 'kalah'" in wrong.stderr
