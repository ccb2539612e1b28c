"""Runs for Ticket to Ride: the same bits however they are stopped, and what users are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evolve_arena import start
from evolve_arena.games.ticket_to_ride.network import DecisionPlayer
from evolve_arena.players.bred import read_player
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe

BREEDING = """
title = "small tables"

[game]
name = "ticket-to-ride"
players = 3

[network]
kind = "decision"
hidden = [4]

[method]
name = "tournament"
individuals = 6
tournament_size = 2
noise = 0.05
hall_of_fame = { size = 3, every = 2, opponents = 1 }

[method.tables]
seats = [2, 3]
decks = 2
company = ["random"]
company_seats = 1
trial_decks = 2
finalists = 2
final_decks = 3

[check]
every = 3
games = 4
opponents = ["random"]

[run]
generations = 6
checkpoint_every = 2
"""
NEAT = """
[method]
name = "neat"
noise = 0.05
hall_of_fame = { size = 3, every = 2, opponents = 1 }

[method.stagnation]
games = 4

[neat]
pop_size = 8
node_add_prob = 0.4
compatibility_threshold = 1.2
max_stagnation = 4
"""
IMITATION = """
title = "a small pupil"

[game]
name = "ticket-to-ride"

[network]
hidden = [6]

[method]
name = "imitation"
players = [2, 3]
games = 8
best = 3
minimum_points = 20
batch = 40

[check]
every = 3
games = 4
opponents = ["random"]

[run]
generations = 6
checkpoint_every = 2
"""
VARIANTS = {
    "self-play": ["method.tables.company=[]", "method.tables.company_seats=0"],
    "company only": ["method.tables.company_seats=5", "network.kind=moves"],
}

Make = Callable[[str, tuple[str, ...]], Recipe]


def _neat() -> str:
    """The small recipe, with another method."""
    head, rest = BREEDING.split("[network]")
    return head + NEAT + rest[rest.index("[method.tables]") - 1 :]


TEXTS = {"tournament": BREEDING, "neat": _neat(), "imitation": IMITATION}


@pytest.fixture(scope="module")
def make_recipe(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a recipe for a method that runs in a moment, with changes like ``run.seed=7``."""
    folder = tmp_path_factory.mktemp("recipes")
    for name, text in TEXTS.items():
        (folder / f"{name}.toml").write_text(text)
    return lambda name, changes=(): load_recipe(str(folder / f"{name}.toml"), changes)


@pytest.mark.parametrize("variant", list(VARIANTS.values()), ids=list(VARIANTS))
def test_other_tables_work_as_well(make_recipe: Make, tmp_path: Path, variant: list[str]) -> None:
    changes = ["run.generations=2", *variant]
    if "company_seats=0" in variant[-1]:
        changes.append("method.hall_of_fame.opponents=0")
    recipe = make_recipe("tournament", tuple(changes))
    run = start(recipe, run=tmp_path / "run", executor="serial")
    assert run.generation == 2
    assert run.champion.name == "run"


def test_what_is_written_down_can_be_read_again(make_recipe: Make, tmp_path: Path) -> None:
    for method in TEXTS:
        recipe = make_recipe(method, ())
        file = tmp_path / f"{method}.toml"
        file.write_text(recipe.to_toml())
        assert load_recipe(str(file)) == recipe


def test_an_imitator_learns_and_is_kept(make_recipe: Make, tmp_path: Path) -> None:
    recipe = make_recipe("imitation", ("run.champion=last",))
    run = start(recipe, run=tmp_path / "run", executor="serial")
    player = read_player(run.directory.champion.read_bytes())
    assert isinstance(player, DecisionPlayer)
    assert not player.decoder.masked
    assert player.decoder.scaling == "raw"
    np.testing.assert_array_equal(player.genome, run.state().population[0])


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("tournament", "method.draw_points=0.25", "write method.tables.fitness"),
        ("tournament", "method.openings.plies=2", "method.openings is for games of two"),
        ("tournament", "method.games=2", "write method.tables.decks"),
        ("tournament", "method.pairing='round-robin'", "method.pairing is for games of two"),
        ("tournament", "method.tables.seats=[6]", "method.tables.seats"),
        ("tournament", "method.tables.seats=[3, 3]", "names a size twice"),
        ("tournament", "method.tables.company=[]", "company_seats is 1, but company names nobody"),
        ("tournament", "method.tables.company=['human']", "human can't play compiled matches"),
        ("tournament", "method.tables.company=['test-bot']", "method.tables.company: "),
        ("tournament", "method.tables.company_seats=0", "company_seats is 0"),
        ("neat", "method.opponents=4", "method.opponents is for games of two"),
        ("neat", "method.pairing='species'", "method.pairing is for games of two"),
        ("neat", "method.finalists=2", "write method.tables.finalists"),
        ("imitation", "method.players=[2, 2]", "name each number of players once"),
        ("imitation", "method.players=[6]", "2 to 5 play"),
        ("imitation", "network.activation='sin'", "sin"),
    ],
)
def test_recipes_without_sense_are_refused(
    make_recipe: Make, method: str, change: str, message: str
) -> None:
    with pytest.raises(RecipeError) as caught:
        make_recipe(method, (change,))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_games_of_two_have_no_tables() -> None:
    for name in ("connect-four", "checkers-neat"):
        with pytest.raises(RecipeError, match=r"method\.tables: .* is a game for two"):
            load_recipe(name, ["method.tables.decks=3"])


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ticket-to-ride", ["method.individuals=5"]),
        ("ticket-to-ride-decisions", ["method.individuals=5"]),
        ("ticket-to-ride-neat", ["neat.pop_size=6", "method.stagnation.games=4"]),
        ("ticket-to-ride-imitation", ["method.games=10", "method.minimum_points=50"]),
    ],
)
def test_the_shipped_recipes_breed(tmp_path: Path, name: str, changes: list[str]) -> None:
    if "imitation" not in name:
        changes = [
            *changes,
            "method.tables.decks=2",
            "method.tables.trial_decks=1",
            "method.tables.final_decks=1",
        ]
    shared = ["run.generations=1", "check.games=2"]
    run = start(load_recipe(name, [*changes, *shared]), run=tmp_path / "run", executor="serial")
    first = [] if "imitation" in name else [0, 0]  # its champion is the last one
    assert [check.generation for check in run.checks()] == [*first, 1, 1]


@pytest.mark.parametrize("judge", ["record", "outside", "rank"])
def test_species_are_judged_at_tables(make_recipe: Make, tmp_path: Path, judge: str) -> None:
    changes = (
        f"method.stagnation.judge={judge}",
        "method.stagnation.opponents=['rule', 'random']",
        "run.generations=3",
    )
    run = start(make_recipe("neat", changes), run=tmp_path / "run", executor="serial")
    marks = run.state().marks
    assert len(marks)
    if judge != "record":
        assert ((marks[np.isfinite(marks)] >= 0.0) & (marks[np.isfinite(marks)] <= 1.0)).all()
