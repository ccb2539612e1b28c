"""The study checkers-td: what was published, how games are played and kept, and all of it small."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import betabinom

from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array
from evolve_arena.runs.many.parallel_runs import RunsProgress, RunsStoppedError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.studies.checkers_td import fit as checkers_td_fit
from evolve_arena.studies.checkers_td import plan as checkers_td_plan
from evolve_arena.studies.checkers_td import readings as checkers_td_readings
from evolve_arena.studies.checkers_td import study as checkers_td_study
from evolve_arena.studies.checkers_td import tournaments as checkers_td_tournaments
from evolve_arena.studies.checkers_td.claims import CLAIMS, judge_claims
from evolve_arena.studies.checkers_td.fit import (
    SCATTER,
    STEEPNESS,
    correlate,
    kendall,
    kendall_interval,
    measure_fit,
    place_values,
    spearman,
    spearman_interval,
)
from evolve_arena.studies.checkers_td.games import Meeting, Series, fingerprint, play_series
from evolve_arena.studies.checkers_td.plan import Reading
from evolve_arena.studies.checkers_td.published import (
    PLAYERS,
    ROUNDS,
    Score,
    join_rounds,
    meet,
    read_published,
    sum_up,
)
from evolve_arena.studies.checkers_td.readings import (
    Result,
    Variant,
    list_variants,
    play_variants,
    tell_readings,
)
from evolve_arena.studies.checkers_td.study import compare_tournaments
from evolve_arena.studies.checkers_td.td_linear import (
    Participants,
    TdLinearConfig,
    make_learning_settings,
    make_meetings,
    make_participants,
    read_weights,
)
from evolve_arena.studies.checkers_td.tournaments import LEARNING, WITHOUT_LEARNING, meet_and_learn
from evolve_arena.studies.reproduction import find_study, reproduce_study
from evolve_arena.studies.study import Material, Settings, StudyResult
from tests.studied import nest, remarks_of

STUDY = find_study("checkers-td")


# What was published


def test_published_crosstables_add_up() -> None:
    first, second = (read_published(name) for name in ("5.8", "5.9"))
    assert (len(first), len(second)) == (15 * 14 - 1, 15 * 15)
    assert (12, 10) not in first  # an "x" in the text
    assert {row for row, _ in second} == set(PLAYERS) - {15}
    assert {len(rounds) for rounds in first.values()} == {1}
    assert {len(rounds) for rounds in second.values()} == {2}
    odd = {
        (name, place)
        for name, table in (("5.8", first), ("5.9", second))
        for place, rounds in table.items()
        for score in rounds
        if score.games != 10
    }
    assert odd == {("5.9", (3, 2))}
    assert second[3, 2][1] == Score(9, 3, 0)  # as printed: twelve games of ten
    assert sum(join_rounds(first).values(), Score()) == Score(1079, 989, 22)
    assert sum(join_rounds(second).values(), Score()) == Score(2466, 1908, 128)


def test_published_cells_are_those_of_the_text() -> None:
    first, second = (read_published(name) for name in ("5.8", "5.9"))
    assert [first[9, column][0].wins for column in (1, 4, 5, 6, 7, 15)] == [10, 8, 9, 0, 9, 0]
    assert first[9, 15] == (Score(0, 0, 10),)
    # The fragment of table 5.9 that section 5.3 prints: RafalBack and the three with other γ.
    fragment = {
        (1, 3): "9-1 10-0", (1, 4): "2-8 0-10", (1, 5): "5-5 4-6",
        (3, 1): "7-3 8-2", (3, 4): "6-4 2-8", (3, 5): "6-4 9-1",
        (4, 1): "4-6 10-0", (4, 3): "10-0 10-0", (4, 5): "2-8 6-4",
        (5, 1): "7-3 8-2", (5, 3): "6-4 7-3", (5, 4): "2-8 2-8",
    }  # fmt: skip
    for place, text in fragment.items():
        assert " ".join(f"{s.wins}-{s.losses}" for s in second[place]) == text
    assert ROUNDS == ((13, 11), (7, 17), (8, 17), (6, 19))


def test_totals_count_rows_and_columns() -> None:
    cells = {(1, 2): Score(3, 1, 0), (2, 1): Score(0, 2, 2), (1, 3): Score(1, 0, 0)}
    assert sum_up(cells) == {1: Score(6, 1, 2), 2: Score(1, 5, 2), 3: Score(0, 1, 0)}
    assert meet(cells, (1,), (2,)) == Score(5, 1, 2)
    assert meet(cells, (2, 3), (1, 2, 3)) == Score(1, 6, 2)
    assert meet(cells, (3,), (2,)) == Score()
    assert Score(5, 1, 2).share == 0.75


def test_published_totals_and_ranks() -> None:
    first, second = (sum_up(join_rounds(read_published(name))) for name in ("5.8", "5.9"))
    # Row 15 of table 5.8 added up by hand gives 130-10, column 15 gives 5-123 and 12 drawn games.
    assert first[15] == Score(253, 15, 12)
    assert first[9].games == 28 * 10
    ranks = dict(zip(first, place_values([s.share for s in first.values()]), strict=True))
    assert [ranks[number] for number in (15, 6, 9, 11, 10)] == [1, 2, 3, 4, 15]
    ranks = dict(zip(second, place_values([s.share for s in second.values()]), strict=True))
    assert [ranks[number] for number in (16, 15, 6, 9)] == [1, 2, 3, 4]
    assert ranks[10] == ranks[13] == 15
    assert second[15].games == 15 * 20


# Rank correlations


def test_rank_correlations_by_hand() -> None:
    values, others = [1.0, 2.0, 2.0, 3.0], [1.0, 3.0, 2.0, 2.0]
    # Deviations 1.5 0 0 -1.5 and 1.5 -1.5 0 0: 2.25 of 4.5.
    assert spearman(values, others) == pytest.approx(0.5)
    # Of six pairs one is tied here, another one there, three agree and one does not.
    assert kendall(values, others) == pytest.approx(2 / 5)


def test_rank_correlations_at_their_ends() -> None:
    up, down = [1.0, 2.0, 3.0, 4.0, 7.0], [9.0, 5.0, 4.0, 2.0, 1.0]
    assert spearman(up, up) == kendall(up, up) == pytest.approx(1.0)
    assert spearman(up, down) == kendall(up, down) == pytest.approx(-1.0)
    assert correlate(up, down) > -0.95
    flat = [0.5] * 5
    assert spearman(up, flat) == kendall(flat, up) == 0.0
    assert spearman_interval(1.0, 15) == (1.0, 1.0)
    assert kendall_interval(0.5, 4) == (-1.0, 1.0)


# The plan


def find_rate(recipe: Recipe) -> float:
    rate: float = recipe.method["schedule"]["learning_rate"]
    return rate


def test_sixteen_players_with_every_seed() -> None:
    jobs = STUDY.plan(Settings(STUDY.seeds))
    assert len(jobs) == 16 * STUDY.seeds
    assert len({job.recipe.run.seed for job in jobs}) == len(jobs)
    for job in jobs:
        shipped = load_recipe(job.name.rpartition("-")[0])
        recipe = job.recipe
        assert recipe.run.generations * recipe.method["games"] == checkers_td_plan.CHOSEN_GAMES
        assert recipe.network == shipped.network
        assert recipe.method == {**shipped.method, "individuals": 1}
    assert {job.name for job in jobs[: 2 * STUDY.seeds]} == {
        f"checkers-{name}-{seed}"
        for name in ("15-rafalmmored", "16-rafalmored")
        for seed in range(1, STUDY.seeds + 1)
    }
    (shorter,) = [job.recipe for job in STUDY.plan(Settings(1, 0.25)) if "-06-" in job.name]
    assert shorter.run.generations * shorter.method["games"] == checkers_td_plan.CHOSEN_GAMES // 4


def test_each_table_asks_for_its_own_players() -> None:
    jobs = STUDY.plan(Settings(2))
    counts = {table.name: sum(map(table.needs, jobs)) for table in STUDY.tables}
    assert counts == {"readings": 0, "5.2": 0, "5.8": 30, "5.9": 32, "conclusions": 32}


def test_everybody_meets_everybody_twice() -> None:
    first, second = WITHOUT_LEARNING.pairings, LEARNING.pairings
    assert set(first) == set(read_published("5.8")) | {(12, 10)}
    assert set(second) == set(read_published("5.9"))
    assert (len(first), len(second)) == (len(set(first)), len(set(second)))
    assert {15}.issubset(first[0])
    assert not {15}.intersection(first[-1])
    assert set(second[0]) == {15, 16}


# How a meeting goes


def enter(depth: int = 2, **changes: object) -> Participants:
    """Return three players: two learn as RafalBack, one has more features."""
    given = {"updates__faithful": True, "trace": "none", "schedule__learning_rate": 0.01, **changes}
    config = TdLinearConfig(**nest(given))
    network = find_game("checkers").networks["mlp"].decoder_type
    looks = {"encoding": "features", "hidden": (), "depth": depth}
    decoders = [network(features=features, **looks) for features in (4, 4, 14)]
    rng = np.random.default_rng(0)
    genomes = [decoder.initialise(1, "known", rng)[0] for decoder in decoders]
    return make_participants(
        decoders, [make_learning_settings(config, decoder) for decoder in decoders], genomes
    )


def teach(participants: Participants, weights: dict[int, Array]) -> Participants:
    """Return the same players, some with other weights."""
    changed = participants.weights.copy()
    for player, row in weights.items():
        changed[player] = row
    return replace(participants, weights=changed)


def test_a_meeting_with_learning_step_by_step() -> None:
    """Round, games against oneself, round; with the weights of each handed on to the next.

    Only against themselves do players move at random now and then.
    """
    participants, executor = enter(schedule__exploration=0.3), SerialExecutor()
    pairings = np.array([(0, 2), (1, 0), (2, 1)], dtype=np.int32)
    (meeting,) = meet_and_learn(participants, pairings, 7, 3, 5, [2], executor)

    purpose = "tournament-with-learning"
    seeds = [derive_seeds(7, part, purpose, count) for part, count in enumerate((3, 6, 3))]

    def play(players: Participants, pair: tuple[int, int], seed: int, games: int) -> list[Array]:
        rule = checkers_td_plan.CHOSEN.draws
        seeds = np.array([seed])
        work = make_meetings(players, [pair], seeds, games=games, learn=True, draws=rule)
        return executor.run(work)

    outputs = play(participants.without_exploration(), (2, 1), seeds[0][2], 3)
    rounds = [outputs[1][0].tolist()]
    after = read_weights(outputs)[0]
    assert not np.array_equal(after[0], participants.weights[2])
    now = teach(participants, {2: after[0], 1: after[1]})
    alone = [
        read_weights(play(now, (player, player), seed, 5))[0, 0]
        for player, seed in ((2, seeds[1][4]), (1, seeds[1][5]))
    ]
    assert not np.array_equal(alone[0], after[0])
    now = teach(now, {2: alone[0], 1: alone[1]})
    rounds.append(play(now.without_exploration(), (2, 1), seeds[2][2], 3)[1][0].tolist())
    assert [[s.wins, s.draws, s.losses] for s in meeting.rounds] == rounds
    assert [score.games for score in meeting.rounds] == [3, 3]


def test_rounds_between_training_step_by_step() -> None:
    """Rounds without learning; between them each trains with weights of its own."""
    participants, executor = enter(schedule__exploration=0.3), SerialExecutor()
    everybody = participants.pick(np.array([0, 1, 2, 1], dtype=np.int32))
    (meeting,) = checkers_td_tournaments.play_pairs(everybody, 3, 4, 6, [1], executor)

    pairs, calm = checkers_td_tournaments.PAIRS, everybody.without_exploration()
    rule = {"draws": checkers_td_plan.CHOSEN.draws}
    scores = []
    for number in range(4):
        if number:
            seeds = derive_seeds(3, number, "training", 4)[2:]
            work = make_meetings(everybody, [(2, 2), (3, 3)], seeds, games=6, learn=True, **rule)
            learned = read_weights(executor.run(work))[:, 0]
            assert not np.array_equal(learned, everybody.weights[2:])
            everybody = teach(everybody, {2: learned[0], 3: learned[1]})
            calm = everybody.without_exploration()
        seed = derive_seeds(3, number, "rounds", pairs)[1:2]
        options = {"games": 4, "learn": False, "alternate": True, **rule}
        work = make_meetings(calm, [(2, 3)], seed, **options)
        scores.append(executor.run(work)[1][0].tolist())
    assert [[s.wins, s.draws, s.losses] for s in meeting.rounds] == scores
    assert len({tuple(score) for score in scores}) > 1


def test_meetings_do_not_depend_on_how_many_are_played_at_once() -> None:
    participants, executor = enter(), SerialExecutor()
    pairings = np.array([(0, 2), (1, 0), (2, 1), (2, 0)], dtype=np.int32)
    together = meet_and_learn(participants, pairings, 1, 4, 2, range(4), executor)
    apart = [meet_and_learn(participants, pairings, 1, 4, 2, [n], executor)[0] for n in range(4)]
    assert together == apart
    assert len(set(together)) > 1


def test_whose_weights_are_lost_keeps_those_before() -> None:
    participants = enter()
    weights = participants.weights + 1.0
    weights[1] = np.nan
    after, lost = participants.keep_learned(weights)
    assert lost.tolist() == [False, True, False]
    assert np.array_equal(after.weights[1], participants.weights[1])
    assert np.array_equal(after.weights[2], weights[2])
    twice = after.pick(np.array([2, 1, 2], dtype=np.int32))
    assert np.array_equal(twice.weights[0], twice.weights[2])
    assert np.array_equal(twice.seats[1], participants.seats[1])


def test_nobody_plays_at_random_against_others() -> None:
    participants = enter(schedule__exploration=1.0)
    calm = participants.without_exploration()
    changed = np.argwhere(participants.learning != calm.learning)
    assert len(changed) == 3
    assert len(set(changed[:, 1].tolist())) == 1
    assert participants.learning[0, changed[0, 1]] == 1.0


# Readings


def test_a_reading_changes_what_the_text_leaves_open_and_nothing_else() -> None:
    more, deep = (load_recipe(checkers_td_plan.recipe_name(number)) for number in (6, 16))
    assert checkers_td_plan.CHOSEN.apply(more) == more
    assert find_rate(Reading().apply(more)) == pytest.approx(find_rate(more) / 10)
    reading = Reading(3, 10.0, "pieces", "before")
    assert reading.name == "depth 3, rates x 10, draws: pieces, states before"
    changed = reading.apply(more)
    assert changed == more.change(
        {
            "network.depth": 3,
            "method.schedule.learning_rate": 0.003,
            "method.draws": "pieces",
            "method.updates.states": "before",
        }
    )
    method = changed.make_method()
    assert method.make_task(method.initial(1)).options["draws"] == 2
    assert reading.apply(deep).network["depth"] == 7  # as the text says


def test_readings_are_of_every_depth_and_length_and_rule_of_draws() -> None:
    variants = list_variants()
    assert len({variant.reading for variant in variants}) == len(variants)
    assert {variant.reading.depth for variant in variants} == {1, 2, 3, 4, 5}
    assert {variant.reading.draws for variant in variants} == {"standard", "forty-moves", "pieces"}
    plain = [variant for variant in variants if variant.reading == Reading(variant.reading.depth)]
    assert [variant.lengths for variant in plain] == [(500, 2000)] * 5
    assert Variant(Reading()).steps == [100] * 5 + [0] + [100] * 15 + [0]
    assert Variant(Reading(), (500,)).steps == [100] * 5 + [0]
    assert [Variant(Reading(), most_seeds=2).seeds(Settings(count)) for count in (1, 5)] == [1, 2]


def play(folder: Path | None, *variants: Variant, **options: object) -> list[Result]:
    return play_variants(Material(Settings(1, 0.01), {}, 1, folder, **options), variants)


def test_readings_go_on_where_they_were_stopped(tmp_path: Path) -> None:
    """With what players know in a file, or without it; and the tournament follows the training."""
    variant = Variant(Reading(1, 3.0), (500, 800))
    whole = play(None, variant)
    assert [result.length for result in whole] == [500, 800]
    assert whole[0].tables != whole[1].tables
    assert {score.games for result in whole for score in result.tables[0].values()} == {1}
    told: list[RunsProgress] = []

    def stop(now: RunsProgress) -> bool:
        told.append(now)
        return now.generation not in (3, 7)

    for _ in range(2):
        with pytest.raises(RunsStoppedError, match="the same command goes on"):
            play(tmp_path, variant, progress=stop)
    (tmp_path / "games" / f"{told[-1].run}.safetensors").write_bytes(b"torn")
    assert play(tmp_path, variant, progress=keep(told)) == whole
    assert [now.generation for now in told] == list(range(1, 11))
    assert (told[0].run, told[0].generations) == ("reading-depth-1-rates-x-3-seed-1", 10)
    assert play(tmp_path, variant, progress=lambda now: False) == whole  # nothing is left


def test_draws_and_depth_reach_the_games_of_a_reading() -> None:
    variants = [Variant(Reading(2, draws=rule), (500,)) for rule in ("standard", "pieces")]
    standard, pieces = play(None, *variants)
    drawn = [
        sum(score.draws for table in result.tables for score in table.values())
        for result in (standard, pieces)
    ]
    assert drawn[0] > 2 * drawn[1]
    assert standard.tables != play(None, Variant(Reading(1), (500,)))[0].tables


@pytest.fixture
def few_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkers_td_fit, "EXCHANGES", 20)


def test_what_is_published_foretells_itself(few_exchanges: None) -> None:
    cells = join_rounds(read_published("5.8"))
    fit = measure_fit(cells, [cells])
    assert (fit.spearman, fit.inside, fit.cells) == (pytest.approx(1.0), 209, 209)
    assert fit.low < fit.gain < fit.high
    assert fit.gain > 1.0 > 10 * fit.chance
    assert fit.inside_chance < 150
    turned = {place: score.reversed() for place, score in cells.items()}
    fit = measure_fit(cells, [turned, turned])
    assert (fit.spearman, fit.gain) == (pytest.approx(-1.0), 0.0)
    equals = {place: Score(1, 1, 8) for place in cells}
    assert measure_fit(cells, [equals]).gain == 0.0


def test_gain_and_cells_inside_are_those_of_scipy(few_exchanges: None) -> None:
    """Of three players, with the likeliest beta-binomial distribution found by hand."""
    published = {(1, 2): Score(9, 1, 0), (2, 3): Score(6, 4, 0), (3, 1): Score(2, 7, 1)}
    ours = {(1, 2): Score(15, 5, 0), (2, 3): Score(9, 9, 2), (3, 1): Score(1, 19, 0)}
    shares = np.array([15.5, 10.5, 1.5]) / 21
    wins = np.array([9.0, 6.0, 2.5])

    def find_best(steepness: Iterable[float]) -> float:
        best = -math.inf
        for steep in steepness:
            drawn = 1 / (1 + (1 / shares - 1) ** steep)
            for scatter in SCATTER:
                own, others = scatter * drawn, scatter * (1 - drawn)
                # Half points by the mean of the same formula, of which scipy takes whole ones.
                beta = [
                    math.lgamma(x + a) + math.lgamma(10 - x + b) - math.lgamma(10 + a + b)
                    - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b)
                    for x, a, b in zip(wins, own, others, strict=True)
                ]  # fmt: skip
                whole = betabinom.logpmf(9, 10, own[0], others[0]) - math.log(10)
                assert beta[0] == pytest.approx(whole)
                best = max(best, float(np.mean(beta)))
        return best

    fit = measure_fit(published, [ours])
    assert fit.gain == pytest.approx(find_best(STEEPNESS) - find_best([0.0]), abs=1e-9)
    low, high = betabinom.interval(0.95, 10, 21 * shares, 21 * (1 - shares))
    assert fit.inside == np.count_nonzero((low <= wins) & (wins <= high)) == 3
    beyond = {**published, (3, 1): Score(8, 2, 0)}
    assert measure_fit(beyond, [ours]).inside == 2


def test_the_reading_that_fits_best_is_named(few_exchanges: None) -> None:
    second = {place: score for place, score in join_rounds(read_published("5.9")).items()
              if {*place} <= {*range(1, 15)}}  # fmt: skip
    turned = {place: score.reversed() for place, score in second.items()}
    table = tell_readings(
        [Result(Reading(1), 500, [turned], 4), Result(Reading(3, 10.0), 2000, [second, second], 0)]
    )
    rows = {(row.row, row.column): row for row in table.rows}
    assert rows["depth 3, rates x 10, 2000 games", "gain, 5.8"].remark.endswith("; fits best")
    assert not rows["depth 1, 500 games", "gain, 5.8"].remark.endswith("best")
    assert rows["depth 1, 500 games", "gain, 5.8"].measured == 0.0
    assert rows["depth 3, rates x 10, 2000 games", "Spearman, 5.9"].measured == pytest.approx(1.0)
    assert rows["depth 1, 500 games", "gain, 5.8"].games == sum(s.games for s in turned.values())
    fits, claims = table.grids
    assert fits.rows[0][0:3] == ["depth 1, 500 games", "1", "0.000"]
    assert fits.rows[0][-1] == "4"
    drawn = sum(score.draws for score in second.values()) / sum(s.games for s in second.values())
    assert fits.rows[1][-2] == f"{drawn:.3f}"
    # RafalMore against RafalMMore: 20-0 in table 5.8, 25.5 of 40 in table 5.9.
    column = claims.columns.index("RafalMore - RafalMMore")
    assert [line[column] for line in claims.rows][::2] == ["1.00", "0.64 confirmed"]
    assert "gains 0.311 on table 5.8" in " ".join(table.notes)


# How results are kept


def count_up(name: str, count: int, played: list[int], identity: str = "a") -> Series:
    """Return a sitting whose meetings end in their own number, and which notes what it plays."""

    def play(numbers: Sequence[int], executor: Executor) -> list[Meeting]:
        played.extend(numbers)
        return [Meeting((Score(number, 1, 0),), number % 2) for number in numbers]

    return Series(name, tuple(1.0 + number for number in range(count)), identity, play)


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    played: list[int] = []
    told: list[RunsProgress] = []

    def stop_at_once(now: RunsProgress) -> bool:
        told.append(now)
        return False

    material = Material(Settings(), {}, 1, tmp_path, stop_at_once)
    with pytest.raises(RunsStoppedError, match="the same command goes on"):
        play_series(material, [count_up("one", 40, played), count_up("two", 5, played)])
    assert played == list(range(30))
    (now,) = told
    assert (now.run, now.generation, now.generations, now.finished) == ("one", 30, 40, 0)
    # 465 of 820 + 15 units are done; the rest takes as long for each.
    assert now.seconds_left == pytest.approx(now.seconds * (835 - 465) / 465)

    material = Material(Settings(), {}, 1, tmp_path)
    all_series = [count_up("one", 40, played), count_up("two", 5, played)]
    one, two = play_series(material, all_series)
    assert played == [*range(40), *range(5)]
    assert [meeting.rounds[0].wins for meeting in one] == list(range(40))
    assert one[33] == Meeting((Score(33, 1, 0),), 1)
    assert len(two) == 5
    assert play_series(material, all_series) == [one, two]
    assert len(played) == 45


def test_results_of_others_and_torn_files_are_not_taken(tmp_path: Path) -> None:
    played: list[int] = []
    material = Material(Settings(), {}, 1, tmp_path)
    play_series(material, [count_up("one", 3, played)])
    play_series(material, [count_up("one", 3, played, identity="b")])
    assert played == [0, 1, 2] * 2
    file = tmp_path / "games" / "one.json"
    for content in (file.read_bytes()[:-9], b'{"identity": "b", "meetings": 3}', b"\xff", b"[]"):
        file.write_bytes(content)
        (meetings,) = play_series(material, [count_up("one", 3, played, identity="b")])
        assert len(meetings) == 3
    assert played == [0, 1, 2] * 6
    assert fingerprint("ab", "c") != fingerprint("a", "bc")


# Tables and conclusions


def as_meetings(name: str) -> dict[tuple[int, int], Meeting]:
    return {place: Meeting(rounds) for place, rounds in read_published(name).items()}


def test_the_publication_agrees_with_itself() -> None:
    for tournament in (WITHOUT_LEARNING, LEARNING):
        table = compare_tournaments(tournament, [as_meetings(tournament.name)] * 2)
        for row in table.rows:
            if row.column in ("Spearman", "Kendall"):
                assert row.measured == pytest.approx(1.0)
            else:
                assert row.measured == pytest.approx(row.published, abs=1e-4)
        assert remarks_of(table)["6 RafalMore", "points"].endswith("; agrees")
        assert set(table.files) == {f"{tournament.name}.csv"}
        published, measured = table.grids
        assert published.rows == measured.rows
    assert published.rows[14][0] == "15 RafalMMoreD"
    assert not any(published.rows[14][1:])
    assert published.rows[0][3] == "19-1"
    assert "agree with one another by 0.89 (Spearman) and 0.77 (Kendall)" in table.notes[3]


def test_tables_tell_where_results_differ() -> None:
    turned = {
        place: Meeting((score.reversed(),)) for place, (score,) in read_published("5.8").items()
    }
    table = compare_tournaments(WITHOUT_LEARNING, [turned, turned, turned])
    rows = {(row.row, row.column): row for row in table.rows}
    assert rows["mean of seeds", "Spearman"].measured < -0.9
    assert rows["all players", "first mover"].measured == pytest.approx(1000 / 2090)
    for player, remark in (
        ("15 RafalMMoreD", "rank 15, published 1; lower here"),
        ("10 RafalBin", "rank 1, published 15; higher here"),
    ):
        assert rows[player, "points"].remark.startswith(remark)
    assert rows["10 RafalBin", "points"].games == 3 * 270


def test_conclusions_by_the_published_games_alone() -> None:
    published = {name: [read_published(name)] for name in ("5.8", "5.9")}
    table = judge_claims(published)
    assert len(table.rows) == sum(len(claim.tables) for claim in CLAIMS) + 1
    for row in table.rows:
        assert row.measured == pytest.approx(row.published, abs=1e-4)
    verdicts = {row.column: row.remark for row in table.rows}
    # 10-10 and 21-19: nothing is told by so few games. 32-8 and 8-12 of the γ 0.8 and 0.9 do.
    assert verdicts["RafalBack - RafalForw, 5.8"] == "open"
    assert verdicts["RafalGamma08 - RafalGamma09, 5.9"] == "confirmed"
    assert verdicts["RafalMore - RafalMMore, 5.8"] == "confirmed"  # 20-0
    assert verdicts["RafalBurge - RafalMore, 5.8"] == "confirmed"  # 0-20: loses, as claimed
    assert verdicts["RafalMore - RafalBack, 5.8"] == "confirmed"  # 9-1 and 10-0
    assert verdicts["RafalMore - all others, 5.8"] == "confirmed; beats 13 of 13"
    assert verdicts["RafalMoreD - all others, 5.9"] == "confirmed; beats 15 of 15"
    assert verdicts["RafalMMoreD - all others, 5.8"] == "confirmed; beats 13 of 14"
    assert verdicts["change between rounds, 5.9"] == "open"  # of one seed nothing is known


def test_a_claim_is_refuted_by_the_other_side() -> None:
    turned = {
        name: [
            {
                place: tuple(score.reversed() for score in rounds)
                for place, rounds in read_published(name).items()
            }
        ]
        for name in ("5.8", "5.9")
    }
    table = judge_claims(turned)
    verdicts = {row.column: row.remark for row in table.rows}
    assert verdicts["RafalMore - RafalMMore, 5.8"] == "refuted"
    assert verdicts["RafalBurge - RafalMore, 5.8"] == "refuted"
    assert verdicts["RafalMoreD - all others, 5.9"] == "refuted; beats 0 of 15"


# All of it, once


@pytest.fixture(scope="module")
def shallow() -> Iterator[None]:
    """Make all players look one ply ahead, and leave two pairs in section 5.2."""

    def load(name: str, changes: Settings | Sequence[str] = ()) -> Recipe:
        return load_recipe(name, changes).change({"network.depth": 1})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkers_td_plan, "load_recipe", load)
        patch.setattr(checkers_td_tournaments, "load_recipe", load)
        patch.setattr(checkers_td_tournaments, "PAIRS", 2)
        patch.setattr(checkers_td_fit, "EXCHANGES", 20)
        patch.setattr(checkers_td_readings, "list_variants", lambda: [Variant(Reading(1), (500,))])
        yield


def reproduce(out: Path, **options: object) -> StudyResult:
    return reproduce_study("checkers-td", out=out, **{"scale": 0.01, "workers": 1, **options})


@pytest.fixture(scope="module")
def tiny(shallow: None, tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return reproduce(tmp_path_factory.mktemp("study") / "tiny", seeds=2, workers=2)


def test_all_tables_are_there(tiny: StudyResult) -> None:
    counts = {table.name: len(table.rows) for table in tiny.tables}
    # Players, who moves first, and two coefficients for two seeds and their mean.
    claims = sum(len(claim.tables) for claim in CLAIMS) + 1
    assert counts.pop("readings") == 4
    assert counts == {"5.2": 5, "5.8": 15 + 1 + 6, "5.9": 16 + 1 + 6, "conclusions": claims}
    for row in tiny.rows:
        assert row.low - 1e-9 <= row.measured <= row.high + 1e-9
        assert row.games > 0
    rows = {(row.table, row.row, row.column): row for row in tiny.rows}
    assert rows["5.2", "round 2", "RafalBack"].published == 0.7  # 17-7 and one draw of 25
    assert rows["5.2", "round 2", "RafalBack"].games == 2 * 2 * 2
    assert rows["5.8", "1 RafalBack", "points"].games == 2 * 28
    assert rows["5.9", "15 RafalMMoreD", "points"].games == 2 * 2 * 15
    json.dumps(tiny.to_dict(), allow_nan=False)


def test_weights_that_ran_away_are_told(tiny: StudyResult, monkeypatch: pytest.MonkeyPatch) -> None:
    material = Material(Settings(1), {p.name: Run.open(p) for p in tiny.out.glob("*-1")}, 1)
    assert checkers_td_study._tell_of_runaways(material, WITHOUT_LEARNING) == []
    monkeypatch.setattr(checkers_td_study, "LARGEST", 0.02)
    (note,) = checkers_td_study._tell_of_runaways(material, WITHOUT_LEARNING)
    largest = {
        name: float(abs(run.state().population).max()) for name, run in material.runs.items()
    }
    told = set(note.rpartition(": ")[2].removesuffix(".").split(", "))
    assert told == {name for name, value in largest.items() if value > 0.02 and "-16-" not in name}
    assert 0 < len(told) < 15


def test_the_report_has_pictures_and_both_crosstables(tiny: StudyResult) -> None:
    report = (tiny.out / "report.md").read_text("utf-8")
    for name in ("5.8", "5.9"):
        assert f"]({name}.png)" in report
        assert (tiny.out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        lines = list(csv.DictReader(io.StringIO((tiny.out / f"{name}.csv").read_text("utf-8"))))
        assert {line["seed"] for line in lines} == {"published", "1", "2"}
    assert len(lines) == 3 * 225 * 2
    assert "| moves first | 1 | 2 |" in report
    assert "| 9 RafalBurge | 19-0 |" in report


def test_workers_and_stops_change_nothing(tiny: StudyResult, shallow: None, tmp_path: Path) -> None:
    shutil.copytree(tiny.out, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "games" / "5.9-seed-1.json"
    whole = file.read_bytes()
    file.unlink()
    told: list[RunsProgress] = []

    def stop(now: RunsProgress) -> bool:
        told.append(now)
        return now.generation < 60

    with pytest.raises(RunsStoppedError, match="the same command goes on"):
        reproduce(tmp_path, seeds=1, only="5.9", progress=stop)
    assert [(now.run, now.generation) for now in told] == [
        ("5.9-seed-1", 30),
        ("5.9-seed-1", 60),
    ]
    assert file.read_bytes() != whole
    told = []
    reproduce(tmp_path, seeds=1, only="5.9", progress=keep(told))
    assert [now.generation for now in told] == [90, 120, 150, 180, 210, 225]
    assert told[-1].seconds_left == 0.0
    assert file.read_bytes() == whole


def keep(told: list[RunsProgress]) -> Callable[[RunsProgress], bool]:
    def progress(now: RunsProgress) -> bool:
        told.append(now)
        return True

    return progress


def test_finished_games_are_not_played_again(tiny: StudyResult, shallow: None) -> None:
    told: list[RunsProgress] = []
    again = reproduce(tiny.out, seeds=2, only="conclusions", progress=keep(told))
    assert not told
    assert again.rows == tiny.tables[-1].rows
