"""Runs of the method td-linear: the same bits, whatever befalls them, and the sixteen players."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve_arena import Run, resume, start
from evolve_arena.players.bred import VectorPlayer, read_player
from evolve_arena.runs.errors import CheckpointError, RecipeError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.studies.checkers_td.td_linear import TdLinear

CHANGES = [
    "network.depth=2",
    "method.individuals=2",
    "method.games=20",
    "method.exploration=0.1",
    "method.judge=random",
    "method.judge_games=4",
    "check.every=3",
    "check.games=4",
    "check.opponents=['random']",
    "run.generations=9",
    "run.checkpoint_every=2",
]
LAST = 9

Look = Callable[[Path], Any]


def make_recipe(*changes: str) -> Recipe:
    return load_recipe("checkers-06-rafalmore", [*CHANGES, *changes])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing befell."""
    return start(make_recipe(), run=tmp_path_factory.mktemp("td") / "run", executor="serial")


def test_a_run_does_what_its_recipe_says(whole: Run, outcome_of: Look) -> None:
    outcome = outcome_of(whole.path)
    assert outcome.generation == LAST
    assert outcome.table["games"] == [2 * 20] * LAST
    assert outcome.table["epsilon"] == [0.1] * LAST
    assert {check.generation for check in outcome.checks} == {3, 6, 9}
    player = read_player(outcome.champion)
    assert isinstance(player, VectorPlayer)
    assert (player.decoder.counted, player.decoder.depth) == (14, 2)
    assert (player.genome[:-1] != 0.0).all()
    assert player.genome[-1] == 0.0


def test_a_recipe_that_no_longer_fits_is_an_error(whole: Run, tmp_path: Path) -> None:
    path = tmp_path / "run"
    start(make_recipe(), run=path, executor="serial", callbacks=lambda progress: False)
    text = (path / "recipe.toml").read_text()
    (path / "recipe.toml").write_text(text.replace("individuals = 2", "individuals = 3"))
    with pytest.raises(CheckpointError, match=r"population has shape \(2, 15\), not \(3, 15\)"):
        resume(path, executor="serial")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("network.features=5", "features is 5: the file's function features must then write so"),
        ("network.encoding=one-hot", "features"),
        ("network.depth=13", "from 1 to 12"),
        ("network.depth=0", "and a network.depth"),
        ("network.bins=16", "network.bins to 0 or 32"),
        ("network.hidden=[4]", r"network.hidden to \[\]"),
        ("method.update=never", "'every-move' or 'end-of-game'"),
        ("method.trace_decay=1.1", "method.trace_decay is 1.1: it must be at most 1"),
        ("method.rate=0", "method.rate is 0: it must be above 0"),
        ("method.rule=burge", None),
        ("method.initialisation=zeros", "zeros"),
        ("method.lambda=0.5", "method.lambda is no key"),
    ],
)
def test_what_does_not_fit_is_refused(change: str, said: str | None) -> None:
    if said is None:
        assert load_recipe("checkers-06-rafalmore", [change]).method["rule"] == "burge"
        return
    with pytest.raises(RecipeError, match=said):
        load_recipe("checkers-06-rafalmore", [change])


# The shipped players

ON_LINE = (2, 3, 4, 5)
"""Who learns after every move, by what the text says of each."""
BACK, MOVES, BINARY = 0.0003, 0.0001, 0.03
NAMES = (
    *("RafalBack", "RafalForw", "RafalGamma09", "RafalGamma08", "RafalGamma07", "RafalMore"),
    *("RafalMore08", "RafalMore08ETrepl005", "RafalBurge", "RafalBin", "RafalMMore"),
    *("RafalBinETacc001", "RafalBinETacc01", "RafalBinETacc05", "RafalMMoreD", "RafalMoreD"),
)
"""Table 5.7, with the sixth name as it is spelled elsewhere."""


@pytest.mark.parametrize("number", range(1, 17))
def test_the_sixteen_players_are_those_of_the_text(number: int) -> None:
    name = NAMES[number - 1]
    recipe = load_recipe(f"checkers-{number:02}-{name.lower()}")
    method = recipe.make_method()
    assert isinstance(method, TdLinear)
    config, decoder = method.config, method.decoder
    features = {6: 14, 7: 14, 8: 14, 16: 14, 11: 20, 15: 20}.get(number, 4)
    binary = "Bin" in name
    assert (decoder.counted, decoder.bins) == (features, 32 if binary else 0)
    assert decoder.depth == (7 if name[-1] == "D" else 4)
    discount = {3: 0.9, 4: 0.8, 5: 0.7, 7: 0.8, 8: 0.8}.get(number, 1.0)
    assert (config.discount, config.faithful) == (discount, True)
    assert config.update == ("every-move" if number in ON_LINE else "end-of-game")
    assert config.rule == ("burge" if number == 9 else "td")
    traces = {8: "replacing", 12: "accumulating", 13: "accumulating", 14: "accumulating"}
    assert config.trace == traces.get(number, "none")
    decays = {8: 0.05, 12: 0.01, 13: 0.1, 14: 0.5}
    if number in decays:
        assert config.trace_decay == decays[number]
    slower = {13: 0.01, 14: 0.003}  # long traces make their weights grow beyond all bounds
    rate = BINARY if binary else MOVES if number in ON_LINE else BACK
    assert config.rate == slower.get(number, rate)
    assert (config.exploration, config.initialisation, config.states) == (0.0, "zero", "after")
    assert recipe.run.generations * config.games == (500 if name[-1] == "D" else 2000)
    assert not method.initial(1).population.any()
