"""Choice of the champion among several learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game
from evolve_arena.evolve.settings.learning import FinalConfig, ScheduleConfig, TdTuplesConfig
from evolve_arena.evolve.td_tuples import TdTuples


def make(name: str) -> tuple[TdTuples, Arena]:
    decoder = find_game(name).networks["tuples"].decoder_type(tuples=4, length=3)
    config = TdTuplesConfig(
        individuals=3,
        games=2000,
        shards=1,
        schedule=ScheduleConfig(learning_rate=0.05),
        final=FinalConfig(games=200),
    )
    return TdTuples(config, decoder), Arena(decoder, SerialExecutor())


def test_the_champion_is_who_beats_the_other_learners() -> None:
    method, arena = make("tic-tac-toe")
    state = method.initial(1)
    for _ in range(2):
        state, _ = method.step(state, arena)
    for learned in range(3):  # the others know nothing
        averages = np.zeros_like(state.averages)
        averages[learned] = state.averages[learned]
        before = arena.games_played
        champion, report = method.champion(replace(state, averages=averages), arena)
        assert (champion.tables == averages[learned]).all()
        assert report.statistics["matches"] == 200
        assert report.statistics["points"] > 110
        assert arena.games_played - before == 300 == report.games


def test_learners_meet_in_games_of_chance_too() -> None:
    method, arena = make("pig")
    state = method.initial(1)
    tables = np.random.default_rng(1).normal(0.0, 0.1, state.averages.shape)
    state = replace(state, averages=tables.astype(np.float32))
    champion, report = method.champion(state, arena)
    assert report.statistics["matches"] == 200
    assert report.games == 300
    assert 100 <= report.statistics["points"] <= 200
    assert any((champion.tables == table).all() for table in state.averages)
