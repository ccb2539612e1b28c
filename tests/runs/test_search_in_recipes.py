"""Recipes whose players look ahead: the champion alone, or all individuals."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve_arena as ea
from evolve_arena.core.types import Settings
from evolve_arena.players.board.workspace import DEPTH, NODES, ROLLOUTS
from evolve_arena.runs.summary import summarise

SMALL = {
    **{"method.individuals": 4, "method.tournament_size": 2, "network.hidden": [4]},
    **{"run.generations": 2, "check.every": 1, "check.games": 2, "check.opponents": ["random"]},
}


def start(folder: Path, name: str, **changes: object) -> ea.Run:
    named = {key.replace("__", "."): value for key, value in changes.items()}
    game = "tic-tac-toe-evolved"
    return ea.start(game, run=folder / name, changes={**SMALL, **named}, executor="serial")


def test_a_champion_remembers_how_far_it_looks_and_breeding_stays(tmp_path: Path) -> None:
    plain = start(tmp_path, "plain")
    deep = start(tmp_path, "deep", search__depth=2)
    tree = start(tmp_path, "tree", search__rollouts=10)
    assert len({summarise(run)["population_sha256"] for run in (plain, deep, tree)}) == 1
    for run, field, number in ((plain, DEPTH, 0), (deep, DEPTH, 2), (tree, ROLLOUTS, 10)):
        champion = ea.load_player(f"run:{run.path}")
        assert champion.packed.seats[0, field] == number
        file = ea.load_player(f"file:{run.path / 'champion.safetensors'}")
        assert file.packed.seats[0, field] == number
    other = ea.load_player(f"run:{tree.path},depth=3")  # in place of its own search
    assert other.packed.seats[0, [DEPTH, ROLLOUTS, NODES]].tolist() == [3, 0, 0]
    duel = ea.duel(f"run:{deep.path}", f"run:{plain.path}", games=10, seed=1)
    assert duel.games == 10


def test_individuals_look_ahead_if_the_network_says_so(tmp_path: Path) -> None:
    plain = start(tmp_path, "plain")
    deep = start(tmp_path, "deep", network__depth=2)
    hashes = [summarise(run)["population_sha256"] for run in (plain, deep)]
    assert hashes[0] != hashes[1]
    champion = ea.load_player(f"run:{deep.path}")
    assert champion.packed.seats[0, DEPTH] == 2
    again = start(tmp_path, "again", network__depth=2)
    assert summarise(again)["population_sha256"] == hashes[1]
    plain, tree, again = (
        start(tmp_path, name, network__head="policy", network__rollouts=rollouts)
        for name, rollouts in (("policy", 0), ("guided", 5), ("guided-again", 5))
    )
    hashes = [summarise(run)["population_sha256"] for run in (plain, tree, again)]
    assert hashes[0] != hashes[1] == hashes[2]
    late = start(tmp_path, "late", network__head="policy", search__rollouts=5)
    assert summarise(late)["population_sha256"] == hashes[0]
    for run in (tree, late):
        champion = ea.load_player(f"run:{run.path}")
        assert champion.packed.seats[0, [DEPTH, ROLLOUTS]].tolist() == [0, 5]


@pytest.mark.parametrize(
    ("recipe", "changes", "sentence"),
    [
        ("hex", {"search.depth": 13}, "search.depth"),
        ("hex", {"search.depth": 2, "search.rollouts": 5}, "give a depth or rollouts"),
        ("hex", {"search.plies": 2}, "search.plies"),
        ("ticket-to-ride", {"search.depth": 2}, "a network that values moves has no values for"),
        ("hex-evolved", {"network.depth": 2, "network.head": "policy"}, "a policy has no values"),
        ("pig-evolved", {"game.seats": 3, "network.depth": 2}, "are for games of two"),
    ],
)
def test_searches_that_can_not_be_are_refused(
    tmp_path: Path, recipe: str, changes: Settings, sentence: str
) -> None:
    with pytest.raises(ea.ArenaError, match=sentence):
        ea.start(recipe, run=tmp_path / "run", changes=changes)
    assert not (tmp_path / "run").exists()
