"""Starts that end by the clock: timed recipes, and races in which the strongest continues."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

import evolve_arena as ea
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.cli.app import app
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import RunBusyError, RunExistsError
from evolve_arena.runs.many.race import Meeting, Race, TimedStart, list_candidates
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.training.loop import Callback, Progress, during_checks
from tests.tracks import HANDS

ROWS = str(find_game("tic-tac-toe").game.file)  # type: ignore[attr-defined]
SMALL = {"check.opponents": ["random"], "check.games": 20, "method.name": "td-tuples"}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def learner(**values: object) -> ea.Recipe:
    """Return a small learner of tic-tac-toe, with other settings of its method."""
    own = {"games": 200, "shards": 1, "step": 0.05, **values}
    named = {f"method.{key}": value for key, value in own.items()}
    return ea.load_recipe(ROWS, {**SMALL, "network.tuples": 8, "network.length": 4, **named})


def timer(seconds: float, *callbacks: Callback, workers: int = 1) -> TimedStart:
    """Return a start whose clock advances by a second at each look."""
    ticks = itertools.count()
    return TimedStart(
        seconds,
        lambda run: nullcontext([]),
        callbacks,
        options={"workers": workers, "executor": "serial", "address": None},
        clock=lambda: float(next(ticks)),
    )


def race(
    recipes: dict[str, ea.Recipe], seconds: float, *callbacks: Callback, force: bool = False
) -> tuple[Race, Callable[[], ea.Run]]:
    made = Race(RunDirectory("rows"), timer(seconds, *callbacks), force=force)
    return made, lambda: made.go(recipes, lambda one, place: prepare(one, run=place, force=True))


def test_the_strongest_goes_on_and_its_recipe_gives_the_same_bits() -> None:
    told: list[str] = []
    made, go = race({"idle": learner(step=0.0), "learns": learner()}, 200)
    made.report = told.append
    run = go()
    assert told == [f"idle {made.dropped[0].score:.3f}, {made.runners[0]}: idle drops out"]
    assert made.runners[0].name == "learns"
    assert made.runners[0].score > made.dropped[0].score
    assert [entry.name for entry in Path().iterdir()] == ["rows"]
    assert ea.load("rows").recipe.run.generations == run.generation > 3
    assert run.champion.remarks["generation"] <= run.generation
    assert run.checks()[-1].generation == run.generation
    assert "dropped out: idle" in Path("rows/evolve.log").read_text(encoding="utf-8")
    again = ea.start(
        learner(), run="again", changes={"run.generations": run.generation}, executor="serial"
    )
    assert again.population_sha256 == run.population_sha256
    ea.resume("rows", generations=run.generation + 1, executor="serial")


def test_all_evolve_equally_long_in_a_lap() -> None:
    made, go = race({"few": learner(games=50), "many": learner(games=400)}, 120)
    go()
    first, second = made.runners[0].seconds, made.dropped[0].seconds
    assert abs(first - second) <= 4 < first


def test_stopped_in_a_lap_the_one_that_began_is_left_and_can_be_resumed() -> None:
    @during_checks
    def stop(progress: Progress) -> bool:
        return progress.checking is not None

    made, go = race({"one": learner(), "two": learner()}, 500, stop)
    run = go()
    assert made.timer.stopped
    assert (run.generation, run.recipe.run.generations) == (1, 30)
    assert run.champion.remarks["generation"] == 1
    assert run.remarks == ["race      one, not compared with two"]
    assert [entry.name for entry in Path().iterdir()] == ["rows"]
    resumed = ea.resume("rows", generations=3, executor="serial")
    whole = ea.start(learner(), run="two", changes={"run.generations": 3}, executor="serial")
    assert resumed.population_sha256 == whole.population_sha256


def interrupt_at(generation: int) -> Callable[[Progress], bool]:
    def callback(progress: Progress) -> bool:
        if progress.generation == generation:
            raise KeyboardInterrupt
        return True

    return callback


def test_an_interrupt_inside_a_generation_leaves_a_whole_run_or_none() -> None:
    _, go = race({"one": learner(), "two": learner()}, 500, interrupt_at(1))
    with pytest.raises(KeyboardInterrupt):
        go()
    assert not list(Path().iterdir())
    often = learner().change({"run.checkpoint_every": 2})
    _, go = race({"one": often, "two": learner()}, 500, interrupt_at(3))
    with pytest.raises(KeyboardInterrupt):
        go()
    assert ea.load("rows").generation == 2
    assert [entry.name for entry in Path().iterdir()] == ["rows"]
    ea.resume("rows", generations=3, executor="serial")


@pytest.mark.parametrize("place", ["compile_kernels", "Meeting.play"])
def test_an_interrupt_elsewhere_leaves_nothing_or_stops_as_a_callback_does(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything evolves, and while candidates meet."""

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"evolve_arena.runs.many.race.{place}", interrupted)
    made, go = race({"one": learner(), "two": learner()}, 60)
    with pytest.raises(KeyboardInterrupt) if place == "compile_kernels" else nullcontext():
        go()
    if place == "compile_kernels":
        assert not list(Path().iterdir())
    else:
        run = ea.load("rows")
        assert made.timer.stopped
        assert run.champion.remarks["generation"] == run.generation > 0


def test_a_run_that_lies_there_is_replaced_only_by_force() -> None:
    ea.start(learner(), run="rows", changes={"run.generations": 0}, executor="serial")
    Path("rows/notes.txt").write_text("mine", encoding="utf-8")
    _, go = race({"one": learner(), "two": learner()}, 10)
    with pytest.raises(RunExistsError):
        go()
    assert not Path("rows.race").exists()
    _, go = race({"one": learner(), "two": learner()}, 10, force=True)
    assert go().generation > 0
    assert Path("rows/notes.txt").read_text(encoding="utf-8") == "mine"


def test_what_a_killed_race_left_is_overwritten_and_two_at_once_are_not() -> None:
    prepare(learner(), run="rows.race/one")
    with RunDirectory("rows.race").lock():
        _, go = race({"one": learner(), "two": learner()}, 10)
        with pytest.raises(RunBusyError):
            go()
        assert Path("rows.race/one").is_dir()
    _, go = race({"one": learner(), "two": learner()}, 10)
    go()
    assert [entry.name for entry in Path().iterdir()] == ["rows"]


def test_one_recipe_is_evolved_until_the_time_is_up() -> None:
    run = ea.start(learner(), run="one", minutes=1e-6, executor="serial")
    assert (run.generation, run.recipe.run.generations) == (1, 1)
    assert ea.load("one").is_complete()
    assert run.champion.remarks["generation"] == 1
    stopped = ea.start(
        learner(), run="two", minutes=10, executor="serial", callbacks=lambda progress: False
    )
    assert (stopped.generation, stopped.recipe.run.generations) == (1, 30)


def test_callbacks_are_told_the_generations_that_the_time_is_enough_for() -> None:
    told: list[tuple[int, int]] = []

    def note(progress: Progress) -> None:
        told.append((progress.generation, progress.generations))

    started = timer(40, note)
    run = prepare(learner(), run="one")
    started.evolve(run, started.end)
    assert [generation for generation, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][1] - len(told) <= 1
    assert all(abs(last - len(told)) <= 0.5 * len(told) for _, last in told[1:])


def test_candidates_are_a_recipe_for_each_method_that_plays_the_game() -> None:
    found = list_candidates(ROWS, {"check.games": 30})
    methods = {name: one.method["name"] for name, one in found.items()}
    assert methods == {name: name for name in ("td-tuples", "td", "tournament", "neat")}
    assert {one.check.games for one in found.values()} == {30}
    network = found["td-tuples"].network
    assert (network["length"], network["counts"]) == (8, True)
    names = ["connect-four", "connect-four-td", "connect-four-neat"]
    assert list(list_candidates("connect-four")) == names
    assert next(iter(list_candidates("hex"))) == "hex"
    source = Path(ROWS).read_text(encoding="utf-8")
    source = source.replace("LONGEST = CELLS", "LONGEST = 600\nPIECES = 8")
    Path("pieces.py").write_text(source, encoding="utf-8")
    found = list_candidates("pieces.py")["td-tuples"]
    assert (found.network["length"], found.method["games"]) == (4, 500)
    assert list_candidates("pieces.py")["td"].method["games"] == 500
    # Numbers beside a board make two stages, also a single bit
    bit = HANDS.replace("PLANES = 4", "PLANES = 3").replace("0, MEN, MEN", "0, 1")
    bit = re.sub(r"    for side in .*\n.*\n", "    planes[2] = np.uint64(state[HAND] > 0)\n", bit)
    for number, text in enumerate((HANDS, bit)):
        Path(f"hands_{number}.py").write_text(text, encoding="utf-8")
        found = list_candidates(f"hands_{number}.py")["td-tuples"]
        assert found.network["stages"] == 2


def test_scores_are_shares_of_points_the_weakest_being_clear() -> None:
    game = ea.make_game("tic-tac-toe")
    names = ("minimax:depth=9", "random", "minimax:depth=9,noise=0.5")
    players = [make_player(name, game) for name in names]
    meeting = Meeting(game, players, SerialExecutor(), 1)
    assert not meeting.is_clear(3)
    meeting.play([(0, 1), (0, 2), (1, 2)], 50)
    assert meeting.games == 150
    assert meeting.is_clear(3)
    perfect, worst, middle = (meeting.score(player) for player in range(3))
    assert perfect > 0.7 > middle > worst
    assert math.isclose(perfect + worst + middle, 1.5)
    assert meeting.opponents(0) == (players[1].name, players[2].name)
    meeting.forget(1)
    assert meeting.opponents(0) == (players[2].name,)


@pytest.mark.parametrize("minutes", [0, -1, math.nan, math.inf, 1e9, "3"])
def test_minutes_that_no_run_can_take(minutes: float | str) -> None:
    with pytest.raises(BadValueError, match=r"minutes is .*: it must be above 0"):
        ea.start("tic-tac-toe", minutes=minutes)
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--minutes", "0"], "minutes is 0.0: it must be above 0 and at most 10,080"),
        (["--minutes", "soon"], "Invalid value for '--minutes'"),
        (["--minutes", "1", "--generations", "3"], "both say when it ends: leave one out"),
        (["--minutes", "1", "--set", "game.sise=4"], "game.sise"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(words: Sequence[str], message: str) -> None:
    result = CliRunner().invoke(app, ["start", "tic-tac-toe", *words])
    assert result.exit_code
    assert message in (str(result.exception) + result.output)
    assert isinstance(result.exception, ArenaError | SystemExit)
    assert not list(Path().iterdir())


def test_the_command_tells_who_raced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "evolve_arena.runs.many.race.list_candidates",
        lambda *given: {"idle": learner(step=0.0), "learns": learner()},
    )
    words = ["start", ROWS, "--minutes", "0.05", "--run", "rows", "--workers", "2"]
    before = psutil.Process().children()  # a server that tests of a page have, perhaps
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "race      learns" in result.output
    assert "dropped out: idle" in result.output
    assert "play      evolve play run:rows" in result.output
    assert ea.load("rows").is_complete()
    assert psutil.Process().children() == before
