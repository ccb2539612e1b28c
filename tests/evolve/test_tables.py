"""Generations at tables: the same decks for everybody, what they win, and who is the champion.

The players are linear and written by hand: one claims whatever brings points, one asks for tickets
whenever it can, which costs it more points than any game brings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.matches import OFFENCE_POINTS
from evolve_arena.evolve.table_settings import TablesConfig, find_tables
from evolve_arena.evolve.tables import Tables, play_at_tables
from evolve_arena.evolve.tournament import Tournament, TournamentConfig
from evolve_arena.games.ticket_to_ride.rules import MOVE_FEATURES
from evolve_arena.players.packed import NOISE
from tests.evolve.rigged import Recorder

MAKE: Any = find_game("ticket-to-ride").networks["mlp"].decoder_type
DECODER = MAKE(head="action", encoding="features", hidden=())


def written(**weights: float) -> NDArray[np.float32]:
    genome = np.zeros(DECODER.genes, dtype=np.float32)
    for name, weight in weights.items():
        place = MOVE_FEATURES.index(name.replace("__", ": ").replace("_", " "))
        genome[DECODER.inputs - len(MOVE_FEATURES) + place] = weight
    return genome


GREEDY = written(claims=5.0, route__points=3.0)
HOARDER = written(asks_for_tickets=9.0, tickets__points_kept=1.0)


def make_method(*genomes: NDArray[np.float32], **tables: Any) -> tuple[Tournament, Any]:
    content = {
        "individuals": len(genomes),
        "tournament_size": 2,
        "crossover_probability": 0.0,
        "mutation_probability": 0.0,
        "tables": {"decks": 2, "trial_decks": 1, "finalists": 2, "final_decks": 2, **tables},
    }
    method = Tournament(TournamentConfig.model_validate(content), DECODER)
    return method, replace(method.initial(1), population=np.stack(genomes))


def points_of(batch: Batch, results: Results, row: int, size: int | None = None) -> Any:
    """What a player won in all matches, or at tables of a *size*."""
    taken = (batch.seatings >= 0).sum(axis=1, keepdims=True)
    return results.columns["points"][(batch.seatings == row) & ((taken == size) | (not size))]


def test_fitness_is_the_mean_of_the_points_of_all_matches() -> None:
    method, state = make_method(GREEDY, HOARDER, GREEDY, company=["random"], company_seats=3)
    recorder = Recorder()
    assert method.evaluation.tables is not None
    fitness, figures = method.evaluation.tables.play(Arena(DECODER, recorder), state)
    (batch,), (results,) = recorder.batches, recorder.results
    assert len(batch) == 3 * 2 * 4
    for row in range(3):
        assert fitness[row] == pytest.approx(np.mean(points_of(batch, results, row)))
    assert fitness[0] == fitness[2] > fitness[1]
    assert figures["points"] == pytest.approx(fitness.mean())
    assert figures["forbidden"] == 0.0
    # The random player, who takes three of four seats, does not count.
    own = (batch.seatings >= 0) & (batch.seatings < 3)
    for name in ("tickets_done", "tickets_failed", "rounds"):
        assert figures[name] == pytest.approx(results.columns[name][own].mean())
    assert 0.0 < figures["tickets_done"] != figures["tickets_failed"] > 0.0


def test_all_table_sizes_count_the_same() -> None:
    method, state = make_method(GREEDY, HOARDER, seats=[2, 4], company=["random"], company_seats=5)
    recorder = Recorder()
    assert method.evaluation.tables is not None
    fitness, _ = method.evaluation.tables.play(Arena(DECODER, recorder), state)
    (batch,), (results,) = recorder.batches, recorder.results
    taken = (batch.seatings >= 0).sum(axis=1)
    assert np.bincount(taken).tolist() == [0, 0, 2 * 2 * 2, 0, 2 * 2 * 4]
    for row in range(2):
        means = [np.mean(points_of(batch, results, row, size)) for size in (2, 4)]
        assert fitness[row] == pytest.approx(np.mean(means))


def test_members_of_the_hall_join_the_company() -> None:
    content = {
        "individuals": 2,
        "tournament_size": 2,
        "hall_of_fame": {"opponents": 2, "every": 1},
        "tables": {"decks": 6, "company": ["random"], "company_seats": 3},
    }
    method = Tournament(TournamentConfig.model_validate(content), DECODER)
    hall = np.stack([HOARDER, GREEDY, HOARDER])
    state = replace(method.initial(1), hall=hall)
    recorder = Recorder()
    method.step(state, Arena(DECODER, recorder))
    (batch,) = recorder.batches
    # Two individuals, the random player, and two of the three members.
    assert len(batch.packed.seats) == 5
    taken = np.bincount(batch.seatings[batch.seatings >= 0])
    assert taken.tolist() == [24, 24, 48, 48, 48]


def test_noise_is_for_training_and_not_for_the_trial() -> None:
    content: dict[str, Any] = {"individuals": 2, "tournament_size": 2, "noise": 0.25}
    content["tables"] = {"decks": 1, "company": ["random"], "company_seats": 3}
    method = Tournament(TournamentConfig.model_validate(content), DECODER)
    recorder = Recorder()
    arena = Arena(DECODER, recorder)
    method.step(method.initial(1), arena)
    method.champion(method.initial(1), arena)
    noise = [batch.packed.seats[:, NOISE].max() for batch in recorder.batches]
    assert noise == [2**30, 0, 0]


def test_the_champion_is_who_does_best_among_rule_players() -> None:
    method, state = make_method(HOARDER, HOARDER, GREEDY, HOARDER)
    recorder = Recorder()
    champion, report = method.champion(state, Arena(DECODER, recorder))
    np.testing.assert_array_equal(champion, GREEDY)
    (trial, final), results = recorder.batches, recorder.results[1]
    assert len(trial) == 4 * 1 * 4
    assert len(final) == 2 * 2 * 4
    assert report.games == len(trial) + len(final)
    assert report.statistics["matches"] == 2 * 4
    assert report.statistics["points"] == pytest.approx(np.mean(points_of(final, results, 2)))
    assert len(set(trial.seeds) | set(final.seeds)) == 3


def test_forbidden_moves_cost_an_individual_the_match() -> None:
    decoder = MAKE(head="kinds", encoding="features", hidden=(), masked=False)
    genome = np.zeros(decoder.genes, dtype=np.float32)
    genome[-4] = 1.0  # it always wants to pass
    config = TablesConfig(decks=1, company=("random",), company_seats=3)
    tables = Tables(config, decoder.game, 0.0)
    settings = TournamentConfig(individuals=2, tournament_size=2, tables=config)
    state = Tournament(settings, decoder).initial(1)
    state = replace(state, population=np.stack([genome, genome]))
    fitness, figures = tables.play(Arena(decoder, SerialExecutor()), state)
    assert fitness.tolist() == [OFFENCE_POINTS] * 2
    assert figures["forbidden"] == 1.0


def test_who_meets_itself_wins_half_and_who_is_stronger_nearly_all() -> None:
    population = np.stack([GREEDY, HOARDER])
    pairs = np.array([[0, 0], [0, 1], [1, 2]], dtype=np.int32)
    arena = Arena(DECODER, SerialExecutor())
    others = [DECODER.pack(GREEDY[None, :])]
    seeds = derive_seeds(1, 0, "test", 5)
    assert play_at_tables(arena, population, pairs, seeds, others).tolist() == [0.5, 1.0, 0.0]


def test_tables_are_for_games_of_several_and_have_room() -> None:
    config = TournamentConfig(individuals=2, tournament_size=2)
    assert find_tables(config, make_game("connect-four"), 2) is None
    with pytest.raises(BadValueError, match=r"connect-four is a game for two: leave it out"):
        find_tables(replace_tables(config, decks=3), make_game("connect-four"), 2)
    with pytest.raises(BadValueError, match=r"4 individuals sit at a table, but there are 2"):
        find_tables(config, DECODER.game, 2)
    found = find_tables(replace_tables(config, seats=(2,)), DECODER.game, 2)
    assert found is not None
    assert found.seats == (2,)


def replace_tables(config: TournamentConfig, **tables: Any) -> TournamentConfig:
    return config.model_copy(update={"tables": TablesConfig(**tables)})
