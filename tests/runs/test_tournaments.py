"""Tournaments at the command line: whole studies by a pattern, crosstables and rankings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve_arena import start
from evolve_arena.arena.duel import duel
from evolve_arena.cli.commands.matches import expand_patterns, is_pattern
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.runs.many.tournaments import learning
from evolve_arena.runs.run import Run

QUICK = [
    *("network.hidden=[4]", "method.individuals=6", "method.tournament_size=2"),
    *("variation.elites=0", "run.generations=2", "check.every=1", "check.games=10"),
]
Evolve = Callable[..., str]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the runs a-1, a-2, a-10 and b-1, another folder and a file."""
    folder = tmp_path_factory.mktemp("study")
    for seed, name in enumerate(("a-1", "a-2", "a-10", "b-1")):
        start("connect-four", run=folder / name, changes=QUICK, seed=seed, executor="serial")
    (folder / "charts").mkdir()
    (folder / "report.md").write_text("no run")
    return folder


@pytest.fixture
def tournament(
    study: Path, monkeypatch: pytest.MonkeyPatch, evolve: Callable[..., tuple[str, str]]
) -> Evolve:
    """Return a runner of the command in the folder of the study; it gives the output."""
    monkeypatch.chdir(study)
    return lambda *words: evolve("tournament", *words)[0]


def agents(content: JsonObject) -> list[str]:
    return [agent["name"] for agent in content["agents"]]


def test_a_pattern_stands_for_runs_in_the_order_of_their_numbers(
    study: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(study)
    everything = ["run:a-1", "run:a-2", "run:a-10", "run:b-1"]
    assert expand_patterns(["run:*"]) == everything
    assert expand_patterns(["random", "run:b-*", "run:a-1"]) == ["random", "run:b-1", "run:a-1"]
    assert expand_patterns(["run:a-?@2"]) == ["run:a-1@2", "run:a-2@2"]
    assert expand_patterns([f"run:{study}/a-[12]"]) == [f"run:{study}/a-1", f"run:{study}/a-2"]
    for pattern in (f"run:{study}/c-*", f"run:{study}/chart*", "run:nowhere/*@5"):
        with pytest.raises(BadValueError) as caught:
            expand_patterns([pattern])
        assert str(caught.value) == f"player {pattern}: no run matches it"
    (tmp_path / "odd[1]").mkdir()
    for name in ("random", "file:*.safetensors", 'process:"bot *"', f"run:{tmp_path}/odd[1]"):
        assert not is_pattern(name)
        assert expand_patterns([name]) == [name]


def test_a_study_is_ranked_by_configurations(tournament: Evolve) -> None:
    content = json.loads(tournament("run:*", "--json"))
    assert content["against"] is None
    assert content["games_per_pair"] == 2
    assert agents(content) == ["a-1", "a-2", "a-10", "b-1"]
    assert [agent["games"] for agent in content["agents"]] == [2, 2, 2, 6]
    assert {row["name"]: row["agents"] for row in content["configurations"]} == {"a": 3, "b": 1}
    shares = [agent["share"] for agent in content["agents"]]
    (a,) = (row for row in content["configurations"] if row["name"] == "a")
    assert a["mean"] == pytest.approx(sum(shares[:3]) / 3)
    assert (a["best"], a["worst"]) == (max(shares[:3]), min(shares[:3]))
    printed = tournament("run:*")
    assert "against agents of other configurations, 2 games each" in printed
    assert f"{a['mean']:.4f}" in printed


def test_all_can_meet_one_opponent(tournament: Evolve) -> None:
    words = ["run:a-*", "--against", "random", "--games", "50", "--json"]
    content = json.loads(tournament(*words))
    assert content["against"] == "random"
    assert agents(content) == ["a-1", "a-2", "a-10"]
    assert {agent["games"] for agent in content["agents"]} == {50}
    assert [row["name"] for row in content["configurations"]] == ["a"]
    assert tournament(*words) == tournament(*words)
    assert tournament(*words) != tournament(*words, "--seed", "1")


def test_named_players_are_rated_unless_a_ranking_is_asked_for(tournament: Evolve) -> None:
    names = ["run:a-1", "run:b-1", "random"]
    rated = json.loads(tournament(*names, "--games", "4", "--json"))
    assert len(rated["players"]) == 3
    ranked = json.loads(tournament(*names, "--rank", "--games", "4", "--json"))
    assert {row["name"] for row in ranked["configurations"]} == {"a", "b", "random"}
    assert {agent["games"] for agent in ranked["agents"]} == {8}
    study = json.loads(tournament("run:*", "--crosstable", "--games", "2", "--json"))
    assert {player["name"] for player in study["players"]} == {"a-1", "a-2", "a-10", "b-1"}
    assert "Elo" in tournament(*names, "--games", "2")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run:c-*"], "player run:c-*: no run matches it"),
        (["run:a-*"], "there must be at least two; here there is 'a'"),
        (["run:*", "--crosstable", "--against", "random"], "not with --against"),
        (["run:*", "--against", "randon"], "did you mean 'random'?"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    evolve: Callable[..., tuple[str, str]],
    study: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(study)
    told = evolve("tournament", *words, code=2)[1]
    assert told.startswith("evolve: ")
    assert said in told
    assert told.count("\n") == 1


@pytest.fixture(scope="module")
def learners(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("learners")
    changes = ["run.generations=1", "method.games=100", "check.games=4"]
    return [
        start(
            "tic-tac-toe", run=folder / f"t-{seed}", changes=changes, seed=seed, executor="serial"
        )
        for seed in (1, 2, 3)
    ]


def test_players_learn_from_each_other_between_two_rounds(learners: list[Run]) -> None:
    before = [run.population_sha256 for run in learners]
    told = learning(learners, games=20, lessons=50, seed=3, workers=1)
    assert learning(learners, games=20, lessons=50, seed=3, workers=1) == told
    assert [run.population_sha256 for run in learners] == before, "runs do not change"
    met = [tuple(pair["players"]) for pair in told["pairs"]]
    assert met == [("t-1", "t-2"), ("t-1", "t-3"), ("t-2", "t-3")]
    for key in ("before", "after"):
        total = sum(player[key] for player in told["players"])
        assert total == pytest.approx(1.5), "every game has a point"
    (first,) = [pair for pair in told["pairs"] if pair["players"] == ["t-1", "t-2"]]
    seed = int(derive_seeds(3, 0, "learning tournament", 9)[0])
    game = learners[0].method.decoder.game
    again = duel(game, learners[0].champion, learners[1].champion, games=20, seed=seed)
    assert (first["before"], first["games"]) == (again.score, 20)


def test_in_a_tournament_with_learning_all_must_learn(
    learners: list[Run], study: Path, tournament: Evolve
) -> None:
    with pytest.raises(BadValueError, match="'tournament' can't learn from games against others"):
        learning([learners[0], Run.open(study / "a-1")])
    with pytest.raises(BadValueError, match="a tournament needs two players"):
        learning(learners[:1])
    names = [f"run:{run.path}" for run in learners[:2]]
    printed = tournament(*names, "--learn", "--games", "4", "--lessons", "10")
    assert "Score of the first player, 4 games, before and after 10 games of learning" in printed


def test_linear_players_learn_as_in_the_publication(tmp_path: Path) -> None:
    """Games that count teach, too: table 5.9 of the study of checkers."""
    changes = ["run.generations=1", "method.games=4", "check.games=2", "network.depth=1"]
    changes.append("check.opponents=['random']")
    runs = [
        start(name, run=tmp_path / name[-4:], changes=changes, executor="serial")
        for name in ("checkers-01-rafalback", "checkers-02-rafalforw")
    ]
    told = learning(runs, games=6, lessons=3, seed=1, workers=1)
    (pair,) = told["pairs"]
    assert pair["games"] == 6
    own, other = (player for player in sorted(told["players"], key=lambda each: each["name"]))
    assert own["before"] + other["before"] == pytest.approx(1.0)
