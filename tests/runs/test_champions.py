"""The champion of a run: chosen by strength, rated, there from the beginning; and its checks."""

from __future__ import annotations

import shutil
import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from evolve_arena import duel, resume, start
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.crosstable import rate_players
from evolve_arena.arena.duel import DuelSeries
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.sequential import find_stronger, list_looks
from evolve_arena.cli.run_tables import print_summary
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Genome
from evolve_arena.evolve.method import Method, Report, State
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.specification import make_player
from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import format_margin
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import ChampionMatch, History, estimate_left
from evolve_arena.runs.store.record import rate_champions
from evolve_arena.runs.summary import summarise
from evolve_arena.runs.training import loop as training
from evolve_arena.runs.training.loop import Progress, during_checks
from evolve_arena.web.reading import Desk
from evolve_arena.web.rows import read_row

Patch = pytest.MonkeyPatch
Small = Callable[..., Recipe]


def stop_at(generation: int) -> Callable[[Progress], bool]:
    return lambda progress: progress.generation < generation


def read(run: Path) -> tuple[list[ChampionMatch], dict[int, int]]:
    """Return the matches between a run's champions, and the champion after each check."""
    with History(run / "history.db") as history:
        ends = {end.generation: end.champion for end in history.check_ends()}
        return history.champion_matches(), ends


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run of a learner that gets stronger, with a check every other generation."""
    changes = ["network.tuples=20", "network.length=4", "method.individuals=1", "method.games=300"]
    changes += ["check.games=400", "check.every=2", "check.opponents=['random']"]
    changes += ["run.generations=20", "run.checkpoint_every=10"]
    recipe = load_recipe("connect-four-td", changes)
    return start(recipe, run=tmp_path_factory.mktemp("bred") / "run", executor="serial")


def test_a_champion_is_replaced_only_by_one_that_beats_it(evolved: Run) -> None:
    matches, best = read(evolved.path)
    met = {(match.generation, match.opponent): match for match in matches}
    assert list(best) == list(range(0, 21, 2))
    assert best[0] == 0
    won = []
    for before, now in zip(list(best), list(best)[1:], strict=False):
        match = met[now, best[before]]  # the new one met the best one so far
        assert best[now] in {now, best[before]}
        if best[now] == now:
            won.append(match.score)
    assert won
    assert all(score > 0.5 for score in won)
    assert evolved.champion.remarks["generation"] == best[20]


def test_the_last_champion_beats_the_untrained_one(evolved: Run) -> None:
    result = duel(evolved.champion, evolved.champion_at(0), games=1000, opening_plies=4, seed=7)
    assert result.score_interval[0] > 0.6


def test_a_weaker_champion_is_refused(evolved: Run, tmp_path: Path, monkeypatch: Patch) -> None:
    """The untrained one comes again and again, after one that learned."""
    recipe = evolved.recipe.change({"run.generations": 5, "check.every": 1})
    method = recipe.make_method()
    untrained, learned = evolved.champion_at(0), evolved.champion
    find = type(method).champion

    def get_weaker(self: Method[State], state: State, arena: Arena) -> tuple[Genome, Report]:
        _, report = find(self, state, arena)
        return (learned if state.generation == 1 else untrained).genome, report

    monkeypatch.setattr(type(method), "champion", get_weaker)
    run = start(recipe, run=tmp_path / "weak", executor="serial")
    _, best = read(run.path)
    assert best == {0: 0, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}
    assert run.champion.arrays["tables"].tobytes() == learned.arrays["tables"].tobytes()


def test_matches_between_champions_are_the_same_again(small_recipe: Small, tmp_path: Path) -> None:
    recipe = small_recipe("check.every=2", "check.games=400")
    runs = [start(recipe, run=tmp_path / "whole", executor="serial").path]
    for stop in (1, 2, 5):
        path = tmp_path / f"stopped-{stop}"
        start(recipe, run=path, executor="serial", callbacks=stop_at(stop))
        runs.append(resume(path, workers=2).path)
    found = [(read(path), (path / "champion.safetensors").read_bytes()) for path in runs]
    # The files tell the run's name, so that the players are compared.
    assert all(each[0] == found[0][0] for each in found)
    genomes = {Run.open(path).champion.genome.tobytes() for path in runs}
    assert len(genomes) == 1


def test_a_history_without_newer_tables_goes_on(small_recipe: Small, tmp_path: Path) -> None:
    """Its champion is the one that its checks chose, and has to be beaten."""
    path = tmp_path / "run"
    run = start(small_recipe("run.champion=best-check"), run=path, executor="serial")
    with closing(sqlite3.connect(path / "history.db")) as database, database:
        for table in ("champion_matches", "check_ends"):
            database.execute(f"DROP TABLE {table}")
    chosen = run.champion.remarks["generation"]
    assert read(path) == ([], {})
    assert run.history().ratings == {}
    changed = run.recipe.change({"run.champion": "strongest"})
    (path / "recipe.toml").write_text(changed.to_toml())
    run = resume(path, generations=12, executor="serial")
    matches, best = read(path)
    assert matches[0].generation == 9
    assert {9, 12} <= set(best)
    assert best[12] in {9, 12, chosen}
    assert chosen in {3, 6, 8}
    assert run.champion.remarks["generation"] == best[12]


def test_recipes_of_older_runs_mean_what_they_meant(small_recipe: Small, tmp_path: Path) -> None:
    path = tmp_path / "run"
    recipe = small_recipe("check.share=0.2")
    text = recipe.to_toml()
    content = tomllib.loads(text)
    assert content["run"]["champion"] == "strongest"
    assert content["check"]["share"] == 0.2
    RunDirectory(path).create(
        text.replace('champion = "strongest"\n', "").replace("share = 0.2\n", "").encode()
    )
    old = Run.open(path).recipe
    assert (old.run.champion, old.check.share) == ("best-check", 1.0)
    RunDirectory(tmp_path / "new").create(text.encode())
    assert Run.open(tmp_path / "new").recipe == recipe


def test_who_stops_before_a_check_has_a_champion(small_recipe: Small, tmp_path: Path) -> None:
    recipe = small_recipe("check.games=300")
    run = start(recipe, run=tmp_path / "run", executor="serial", callbacks=stop_at(2))
    assert run.champion.remarks["generation"] == 0
    assert {(check.generation, check.games) for check in run.checks()} == {(0, 100)}
    initial = run.method.initial(1).population
    assert run.champion.genome.tobytes() in {row.tobytes() for row in initial}


# Which of two is stronger


def result(wins: int, draws: int, losses: int, **more: object) -> DuelResult:
    return DuelResult(("a", "b"), wins, draws, losses, wins + draws + losses, {}, **more)


def test_the_sequential_test_is_wilsons_with_bonferronis_correction() -> None:
    assert list_looks(100) == [100]
    assert list_looks(450) == [100, 200, 400, 450]
    assert list_looks(40) == [40]
    # Wilson's 95 % interval of 60 of 100 is 0.502 to 0.691; of four looks it is 0.475 to 0.713.
    assert find_stronger(result(60, 0, 40), 1) == 0
    assert find_stronger(result(40, 0, 60), 1) == 1
    assert find_stronger(result(60, 0, 40), 4) == -1
    assert find_stronger(result(65, 0, 35), 4) == 0
    # Draws say nothing: of twenty decisive games all were won.
    assert find_stronger(result(20, 380, 0), 3) == 0
    assert find_stronger(result(0, 400, 0), 3) == -1
    forfeits = (ForfeitCount(0, "illegal move", 50, "a"),)
    assert find_stronger(result(20, 0, 0, forfeits=forfeits), 1) == 1


def test_a_series_is_the_duel_in_parts() -> None:
    game = find_game("connect-four").make()
    players = [make_player(name, game) for name in ("test-bot", "random")]
    whole = duel(*players, games=61, opening_plies=2, seed=3)
    series = DuelSeries(game, *players, games=61, opening_plies=2, seed=3)
    assert series.games == 62
    for part in (2, 5, 1):
        series.play(part)
    assert series.played == 10
    early = duel(*players, games=10, opening_plies=2, seed=3)
    assert series.result == early
    while series.played < series.games:
        series.play_some(50 if series.played < 50 else series.games)
    assert series.result == whole


# Ratings


def test_the_first_champion_is_the_anchor(evolved: Run) -> None:
    matches, _ = read(evolved.path)
    ratings = rate_champions(matches)
    assert list(ratings) == list(range(0, 21, 2))
    assert (ratings[0].elo, ratings[0].error) == (0.0, 0.0)
    assert all(0.0 < ratings[generation].error < 200.0 for generation in list(ratings)[1:])
    assert ratings[20].elo - ratings[20].error > 0.0
    assert evolved.history().ratings == ratings


def test_ratings_are_told_everywhere(evolved: Run, capsys: pytest.CaptureFixture[str]) -> None:
    record = evolved.history()
    panel = draw_runs([record]).axes[0]
    assert panel.get_title(loc="left") == "Strength: the run's champions against each other"
    curve = panel.lines[-1].get_xydata().tolist()
    assert curve == [[generation, each.elo] for generation, each in record.ratings.items()]
    told = summarise(evolved)
    assert told["ratings"][0] == {"generation": 0, "elo": 0.0, "elo_error_95": 0.0}
    assert [row["elo"] for row in told["ratings"]] == [each.elo for each in record.ratings.values()]
    print_summary(told)
    newest = record.ratings[20]
    text = " ".join(capsys.readouterr().out.split())
    assert f"{newest.elo:+.0f} ± {newest.error:.0f}" in text
    page = Desk(str(evolved.path.parent)).record("run")
    row = page["ratings"][-1]
    assert (row["generation"], row["elo"]) == (20, newest.elo)
    assert (row["low"], row["high"]) == newest.interval
    frame = record.ratings_to_frame()
    assert frame["generation"].tolist() == list(record.ratings)


def test_the_page_counts_checks_in_the_time_left(evolved: Run, tmp_path: Path) -> None:
    """A check that is due counts, and is told; it takes as long as those before."""
    path = Path(shutil.copytree(evolved.path, tmp_path / "run"))
    tables = "generations", "statistics", "checks", "check_ends", "champions", "champion_matches"
    with closing(sqlite3.connect(path / "history.db")) as database, database:
        database.execute("UPDATE generations SET seconds = 2.0")
        database.execute("UPDATE check_ends SET seconds = 7.0")
        for table in tables:
            database.execute(f"DELETE FROM {table} WHERE generation >= 12")
    row = read_row(path)
    assert (row["generation"], row["checking"]) == (12, True)
    assert row["left"] == 8 * 2.0 + 5 * 7.0  # checks at 12, 14, 16, 18 and 20
    assert (read_row(evolved.path)["left"], read_row(evolved.path)["checking"]) == (0.0, False)


def test_ratings_are_those_of_matches_from_the_anchor_on() -> None:
    # 75 of 100, and a draw more: 400 log10(75.5 / 25.5).
    ratings = rate_champions([ChampionMatch(5, 0, 70, 10, 20)])
    assert ratings[5].elo == pytest.approx(400 * np.log10(75.5 / 25.5))
    steps = rate_champions([ChampionMatch(5, 0, 100, 0, 0), ChampionMatch(9, 5, 100, 0, 0)])
    assert steps[5].elo == pytest.approx(400 * np.log10(100.5 / 0.5))
    assert steps[9].elo == pytest.approx(2 * steps[5].elo)
    assert steps[9].error > steps[5].error
    assert rate_champions([]) == {}
    apart = [ChampionMatch(5, 0, 60, 0, 40), ChampionMatch(15, 10, 60, 0, 40)]
    assert list(rate_champions(apart)) == [0, 5]
    games = np.array([[0.0, 10, 0], [10, 0, 0], [0, 0, 0]])
    assert [np.isfinite(each.error) for each in rate_players(games / 2, games, 0)] == [1, 1, 0]


# What checks cost


def test_checks_keep_to_their_time(small_recipe: Small, tmp_path: Path, monkeypatch: Patch) -> None:
    """The clock runs a second for each look at it, so that no check is short."""
    recipe = small_recipe("check.games=1000", "check.share=0.2", "run.generations=3")
    quick = start(recipe, run=tmp_path / "quick", executor="serial")
    assert {c.games for c in quick.checks() if c.generation} == {1000}
    ticks = iter(range(10**9))
    monkeypatch.setattr(training, "working_clock", lambda: float(next(ticks)))
    slow = start(recipe, run=tmp_path / "slow", executor="serial")
    games = {(check.opponent, check.generation): check.games for check in slow.checks()}
    assert all(40 <= number < 1000 for (_, now), number in games.items() if now)
    assert all(10 <= number <= 100 for (_, now), number in games.items() if not now)
    # Who is champion does not depend on the clock, and what is played is the beginning of the same.
    assert read(slow.path) == read(quick.path)
    seed = int(derive_seeds(1, 3, "check", 2)[1])
    (check,) = (each for each in slow.checks() if (each.opponent, each.generation) == ("random", 3))
    again = duel(slow.champion_at(3), "random", games=check.games, seed=seed)
    assert (again.wins, again.draws, again.losses) == (check.wins, check.draws, check.losses)
    whole = start(recipe.change({"check.share": 1.0}), run=tmp_path / "all", executor="serial")
    assert {check.games for check in whole.checks() if check.generation} == {1000}


def test_what_decides_is_not_cut(small_recipe: Small, tmp_path: Path, monkeypatch: Patch) -> None:
    ticks = iter(range(10**9))
    monkeypatch.setattr(training, "working_clock", lambda: float(next(ticks)))
    changes = "run.champion=best-check", "check.games=1000", "check.share=0.2", "run.generations=3"
    recipe = small_recipe(*changes)
    run = start(recipe, run=tmp_path / "run", executor="serial")
    games = {check.opponent: check.games for check in run.checks()}
    assert games["test-bot"] == 1000
    assert 40 <= games["random"] < 1000


def test_champions_meet_in_a_tenth_of_games(
    evolved: Run, tmp_path: Path, monkeypatch: Patch
) -> None:
    """However few games a check has, and if the run was stopped between two checks."""
    monkeypatch.setattr(training, "find_stronger", lambda *_: -1)
    changes = {"check.games": 20, "check.every": 4, "method.games": 1000, "run.generations": 8}
    recipe = evolved.recipe.change({**changes, "run.checkpoint_every": 1})

    def count(name: str, *stops: int) -> list[int]:
        run = start(recipe, run=tmp_path / name, callbacks=[stop_at(each) for each in stops])
        matches, _ = read(resume(run.path).path if stops else run.path)
        return [match.finished for match in matches if match.opponent == 0]

    assert count("whole") == [400, 400]
    assert count("stopped", 6) == [400, 400]
    monkeypatch.setattr(training, "CHAMPION_GAMES", 150)
    assert count("few") == [150, 150]


def test_a_check_can_be_stopped_in_its_middle(small_recipe: Small, tmp_path: Path) -> None:
    """It leaves no trace, and the run continues as if it had not been stopped."""
    recipe = small_recipe("check.games=200", "run.generations=6")
    whole = start(recipe, run=tmp_path / "whole" / "run", executor="serial")
    heard: list[tuple[int, str, int]] = []

    @during_checks
    def watch(progress: Progress) -> bool:
        if now := progress.checking:
            heard.append((now.generation, now.opponent, now.played))
            assert now.played < now.games <= 200
        return not (now and now.generation == 6 and now.opponent == "random" and now.played > 2)

    run = start(recipe, run=tmp_path / "part" / "run", executor="serial", callbacks=watch)
    assert heard[-1][:2] == (6, "random")
    assert run.generation == 6
    assert not run.is_complete()
    assert {check.generation for check in run.checks()} == {0, 3}
    assert {name for _, name, _ in heard} >= {"the champion of generation 0", "test-bot"}
    resume(run.path, executor="serial")
    assert read(run.path)[0] == read(whole.path)[0]
    assert Run.open(run.path).checks() == whole.checks()
    assert run.champion.genome.tobytes() == whole.champion.genome.tobytes()


def test_a_stop_in_the_first_check_leaves_a_champion(small_recipe: Small, tmp_path: Path) -> None:
    stop = during_checks(lambda progress: progress.checking is None)
    run = start(small_recipe(), run=tmp_path / "run", executor="serial", callbacks=stop)
    assert (run.generation, run.checks()) == (0, [])
    assert isinstance(run.champion, EvolvedPlayer)
    assert run.champion.remarks["generation"] == 0
    assert resume(run.path, executor="serial").is_complete()


def test_unmarked_callbacks_hear_of_no_check(small_recipe: Small, tmp_path: Path) -> None:
    heard: list[Progress] = []
    recipe, path = small_recipe("run.generations=4"), tmp_path / "run"
    start(recipe, run=path, executor="serial", callbacks=lambda now: heard.append(now) is None)
    assert [progress.generation for progress in heard] == [1, 2, 3, 4]
    assert all(progress.checking is None for progress in heard)
    assert None not in [progress.left for progress in heard]
    assert heard[-1].left == 0.0
    assert [progress.best for progress in heard] == [read(path)[1][g] for g in (0, 0, 3, 4)]
    assert heard[0].rating is None
    assert heard[-1].rating is not None


def test_the_time_left_counts_checks_to_come() -> None:
    # Ten generations of two seconds, checks of 5 s at 15 and 20.
    assert estimate_left(10, 20, 5, 2.0, {0: 1.0, 5: 4.0, 10: 6.0}) == 10 * 2.0 + 2 * 5.0
    # At 10 the check is still to come.
    assert estimate_left(10, 20, 5, 2.0, {0: 1.0, 5: 4.0}) == 10 * 2.0 + 3 * 4.0
    # The one at the end is at no multiple.
    assert estimate_left(1, 12, 5, 1.0, {0: 3.0}) == 11.0 + 3 * 3.0
    assert estimate_left(12, 12, 5, 1.0, {5: 3.0, 10: 3.0, 12: 3.0}) == 0.0
    assert estimate_left(2, 4, 10, 1.0, {}) == 2.0


# Points of checks: stored beside wins, and ranked by

TICKETS = """
title = "tickets"
[game]
name = "ticket-to-ride"
seats = 4
[method]
individuals = 6
tournament_size = 2
[matches.multiplayer]
deals = 2
preliminary_deals = 2
finalists = 2
final_deals = 2
[check]
every = 1
games = 6
opponents = ["rule", "random"]
[run]
generations = 2
champion = "best-check"
"""


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "tickets.toml").write_text(TICKETS)
    return start(str(folder / "tickets.toml"), run=folder / "run", executor="serial")


def test_checks_know_points(tickets: Run) -> None:
    checks = tickets.checks()
    found = [(check.generation, check.opponent) for check in checks]
    assert found == [(1, "random"), (1, "rule"), (2, "random"), (2, "rule")]
    for check in checks:
        assert check.games == 6
        scores = check.scores
        assert scores is not None
        assert scores.low < scores.margin < scores.high
        # Each side has two seats.
        assert scores.margin == pytest.approx(scores.points - scores.against, abs=25)
        assert scores.forbidden == 0


def test_the_champion_is_who_scores_most_more(tickets: Run) -> None:
    margins = {
        check.generation: check.scores.margin
        for check in tickets.checks()
        if check.opponent == "rule" and check.scores
    }
    best = max(margins, key=lambda generation: (margins[generation], generation))
    assert tickets.champion.remarks["generation"] == best


def test_fitness_in_points_is_drawn_as_no_share(tickets: Run) -> None:
    assert draw_runs([tickets.history()]).axes[0].get_ylim() != (0.0, 1.0)


def test_margins_outrank_wins(tickets: Run, tmp_path: Path) -> None:
    """Of two champions the one with more points and fewer wins is the better one."""
    path = Path(shutil.copytree(tickets.path, tmp_path / "run"))
    with closing(sqlite3.connect(path / "history.db")) as database, database:
        database.execute("UPDATE check_points SET margin = generation * -10")
        database.execute("UPDATE checks SET wins = generation, losses = 6 - generation, draws = 0")
    resume(path, generations=2, executor="serial")
    assert Run.open(path).champion.remarks["generation"] == 1


def test_margins_are_written_with_signs() -> None:
    assert format_margin(-4.04, (-8.0, 0.04)) == "-4.0 [-8.0, +0.0]"
    assert format_margin(3.0, None) == format_margin(3.0, (float("-inf"), float("inf"))) == "+3.0"
