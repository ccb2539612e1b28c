"""Bots in runs and on the command line: forfeits are told of, and nothing outlives evolve."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.cli.display import Display
from evolve_arena.cli.main import main
from evolve_arena.cli.match_tables import (
    print_crosstable,
    print_duel,
    print_evaluation,
    print_ranking,
)
from evolve_arena.cli.run_tables import print_results, print_summary
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.runs.api import duel, resume, start
from evolve_arena.runs.evaluation import evaluate_player
from evolve_arena.runs.many.tournaments import crosstable, ranking
from evolve_arena.runs.players import find_player
from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import Record
from evolve_arena.runs.summary import summarise
from evolve_arena.runs.training.loop import Progress
from tests.terminal import Typist

Capture = pytest.CaptureFixture[str]

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type

BOT = """
import os, re, sys, time
log = open(sys.argv[0] + ".log", "a+")
log.seek(0)
game = len(log.read().split()) + 1
print(os.getpid(), file=log, flush=True)
field = []
for line in sys.stdin:
    words = line.split()
    if words[:3] == ["update", "game", "field"]:
        field = re.split("[;,]", words[3])
    elif words[:1] == ["action"]:
        {}
        print("place_disc", field.index("0"), flush=True)
"""

MakeBot = Callable[[str], str]
Evolve = Callable[..., tuple[str, str]]
Alive = Callable[[Iterable[int]], list[int]]


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Return a maker of bots that run a statement when asked; it gives their specification."""

    def make(statement: str) -> str:
        file = tmp_path / "bot.py"
        file.write_text(BOT.format(statement))
        return f"process:{shlex.quote(sys.executable)} -IS {shlex.quote(str(file))}"

    return make


def begin(*words: str, folder: Path, **options: object) -> subprocess.Popen[str]:
    """Start the command line in a session of its own, as if it had a terminal for itself."""
    return subprocess.Popen(
        [sys.executable, "-m", "evolve_arena.cli.main", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        **options,
    )


@pytest.fixture
def evolve(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Evolve:
    """Return a runner of commands; it gives standard output and standard error."""

    def call(*words: str, code: int = 0) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["evolve", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == code
        told = capsys.readouterr()
        return told.out, told.err

    return call


def wait_for(file: Path, process: subprocess.Popen[str], count: int = 1) -> list[str]:
    """Return the words in *file*, as soon as there are so many."""
    while not file.exists() or len(file.read_text().split()) < count:
        assert process.poll() is None
        time.sleep(0.02)
    return file.read_text().split()


# Signals


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)]
)
def test_no_bot_outlives_a_duel(
    make_bot: MakeBot, tmp_path: Path, still_alive: Alive, number: int, code: int
) -> None:
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    process = begin("duel", make_bot(f"game == 1 or exec({ignore!r})"), "random", folder=tmp_path)
    pids = [int(word) for word in wait_for(tmp_path / "bot.py.log", process, 2)]
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert still_alive(pids) == []
    name = signal.Signals(number).name
    assert err == ("" if number == signal.SIGKILL else f"evolve: stopped by {name}\n")


ENDLESS = ["start", "connect-four", "--run", "r", "--workers", "2"]
ENDLESS += ["--set", "method.individuals=20", "--set", "check.games=40", "--set", "check.every=2"]
ENDLESS += ["--set", "run.generations=99999"]


def check_stopped(path: Path) -> None:
    """Assert that the newest checkpoint is of the last generation in the history."""
    run = Run.open(path)
    with History(run.directory.history) as history:
        assert run.generation == history.totals()[0] > 0


def test_sigterm_stops_a_run_with_a_checkpoint(tmp_path: Path) -> None:
    """All processes get the signal; SIGHUP is ignored, as with nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = begin(*ENDLESS, folder=tmp_path)
    finally:
        signal.signal(signal.SIGHUP, before)
    wait_for(tmp_path / "r/recipe.toml", process)
    while len([*(tmp_path / "r/checkpoints").glob("gen-*")]) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGHUP)
    os.killpg(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "evolve resume r" in out
    assert err.endswith("\nevolve: stopped by SIGTERM\n")
    assert "Traceback" not in err
    check_stopped(tmp_path / "r")


def test_a_closed_terminal_stops_a_run_with_a_checkpoint(tmp_path: Path) -> None:
    typist = Typist(*ENDLESS, folder=tmp_path)
    child, terminal = typist.process, typist.here
    while len([*(tmp_path / "r/checkpoints").glob("gen-*")]) < 2:
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
        if select.select([terminal], [], [], 0.02)[0]:
            os.read(terminal, 65536)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 128 + signal.SIGHUP
    check_stopped(tmp_path / "r")


AT_THE_WORST_INSTANT = """
import os, sys
from numba.core.codegen import CPUCodeLibrary

def answer(cls, module, ours=CPUCodeLibrary._object_getbuffer_hook.__func__):
    os.kill(os.getpid(), {number})
    return ours(cls, module)

CPUCodeLibrary._object_getbuffer_hook = classmethod(answer)
sys.argv = ["evolve", "game", "perft", "3"]
from evolve_arena.cli.main import main
main()
"""


LOST = """
import os, sys
from evolve_arena.cli import main as cli

class Dying:
    def WHERE(self, *given):
        os.kill(os.getpid(), {number})
        sum(range(1000))

def run(ours=cli._run):
    class Holder:
        dying = Dying()
    del Holder.dying
    return ours()

cli._run = run
sys.argv = ["evolve", "game", "perft", "3"]
cli.main()
"""


SCRIPTS = {
    # LLVM asks Python for the code; an interrupt raised there went unheeded, or was a crash.
    "while machine code is loaded": AT_THE_WORST_INSTANT,
    # What a destructor raises is only written; while a class is made, it is another error.
    "in a destructor": LOST.replace("WHERE", "__del__"),
    "while a class is made": LOST.replace("WHERE", "__set_name__"),
}


@pytest.mark.parametrize("when", SCRIPTS)
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "stopped by SIGTERM\n")],
)
def test_an_interrupt_is_not_lost(when: str, number: int, code: int, said: str) -> None:
    words = [sys.executable, "-c", SCRIPTS[when].format(number=int(number))]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"evolve: {said}")


# Forfeits


def test_a_missing_bot_is_an_error_before_the_first_game(
    small_recipe: Callable[..., Recipe], tmp_path: Path, evolve: Evolve
) -> None:
    bot = f"process:{sys.executable} {tmp_path}/nosuch.py"
    out, err = evolve("duel", "random", bot, code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("evolve: player process:")
    assert "exits with status 2 instead of answering" in err
    assert "can't open file" in err
    with pytest.raises(BadValueError, match="can't play"):
        duel("random", bot)
    recipe = small_recipe().change({"check.opponents": [bot]})
    with pytest.raises(BadValueError, match="can't play"):
        start(recipe, run=tmp_path / "run", executor="serial")
    assert not (tmp_path / "run").exists()


def test_a_crash_in_the_third_game(make_bot: MakeBot, evolve: Evolve) -> None:
    """The rehearsal is the first start, so the third game is the fourth."""
    crash = r"if game == 4: sys.exit('\x1b[31mno\x1b[0m more\nlast [/b] words')"
    bot = make_bot(crash)
    out, err = evolve("duel", "random", bot, "--games", "6", "--json")
    result = json.loads(out)
    assert result["games"] == 6
    assert result["finished_games"] == result["counted_games"] == 5
    assert result["wins"] + result["draws"] + result["losses"] == 5
    assert result["terminations"]["crash"] == 1
    sentence = "bot.py exits with status 1 instead of answering; its last words: 'last [/b] words'."
    (forfeit,) = result["forfeits"]
    assert forfeit == {
        "player": 1,
        "name": "bot.py",
        "kind": "crash",
        "games": 1,
        "first": sentence,
        "stderr": [r"\x1b[31mno\x1b[0m more", "last [/b] words"],
    }
    assert err.splitlines() == [
        "evolve: bot.py forfeited 1 of 6 games (crash 1): forfeits do not count as wins;"
        f" the first: {sentence}",
        r"evolve: bot.py wrote: \x1b[31mno\x1b[0m more",
        "evolve: bot.py wrote: last [/b] words",
    ]


def test_every_table_tells_of_forfeits(make_bot: MakeBot, capsys: Capture) -> None:
    kind = "illegal move"
    bot = make_bot("print('place_disc 9', flush=True)")
    print_duel(duel("test-bot", bot, games=4))
    cell = f"4 ({kind} 4)"
    told = capsys.readouterr().out
    assert cell in told
    assert "0 0 0" in told
    assert "1.000" not in told
    players = [find_player(name) for name in ("test-bot", bot, "random")]
    table = crosstable(players, games=4)
    assert [row["name"] for row in table["players"]][2] == "bot.py"
    assert [row["forfeited_games"] for row in table["players"]] == [0, 0, 8]
    warnings = [line for line in table["warnings"] if "bot.py forfeited 4 of 4 games" in line]
    assert len(warnings) == 2
    print_crosstable(table)
    assert "forfeited" in capsys.readouterr().out
    game = make_game("connect-four")
    content = evaluate_player(players[0], game, games=4, opponents=[bot])
    assert content["opponents"][bot]["won"] is None
    assert content["opponents"][bot]["won_wilson_95"] == [0.0, 1.0]
    print_evaluation(content, game)
    assert cell in capsys.readouterr().out
    ranked = ranking([players[0], players[2]], players[1], games=4)
    assert ranked["configurations"] == []
    assert [agent["share"] for agent in ranked["agents"]] == [None, None]
    assert any(f"bot.py forfeited 4 of 4 games ({kind} 4)" in line for line in ranked["warnings"])
    print_ranking(ranked)
    among = ranking(players, games=4)
    assert {row["name"]: row["mean"] for row in among["configurations"]}["bot.py"] == 0.0
    assert sum("forfeited 8 of 8" in line for line in among["warnings"]) == 1


def test_few_distinct_games_are_warned_of(tmp_path: Path, evolve: Evolve) -> None:
    """Networks play without chance: of a hundred games two differ, one for each first player."""
    names = []
    for seed in (0, 1):
        decoder = NetworkDecoder(head="policy", hidden=(4,))
        genome = decoder.initialise(1, "uniform", np.random.default_rng(seed))[0]
        file = tmp_path / f"network{seed}.safetensors"
        file.write_bytes(decoder.player(genome, f"network{seed}").serialise())
        names.append(f"file:{file}")
    told = (
        "only 2 of 100 games are distinct: the intervals are too narrow; --openings 4"
        " begins each pair of games differently"
    )
    out, err = evolve("tournament", *names, "--games", "100", "--json")
    content = json.loads(out)
    keys = ("distinct_games", "finished_games")
    assert [[row[key] for key in keys] for row in content["players"]] == [[2, 100]] * 2
    assert content["warnings"] == [f"network0 - network1: {told}"]
    assert err == f"evolve: network0 - network1: {told}\n"
    assert evolve("duel", *names, "--games", "100")[1] == f"evolve: {told}\n"
    words = ["evaluate", names[0], "--opponents", names[1], "--games", "100", "--openings", "0"]
    assert evolve(*words)[1] == f"evolve: {names[1]}: {told}\n"
    assert "network0: only 2 of 100" in evolve("tournament", *names, "--rank", "--games", "100")[1]
    assert evolve("duel", *names, "--games", "100", "--openings", "6")[1] == ""


# Runs


@pytest.fixture
def forfeited(
    small_recipe: Callable[..., Recipe], make_bot: MakeBot, tmp_path: Path
) -> tuple[Run, list[DuelResult]]:
    """Return a run whose opponent breaks after the check at generation 3, and the checks."""
    bot = make_bot("if game > 6: sys.exit('out of order')")
    recipe = small_recipe("check.games=4", "run.champion=best-check")
    recipe = recipe.change({"check.opponents": [bot]})
    seen: list[DuelResult] = []

    def watch(progress: Progress) -> bool:
        if progress.checked == 6:
            seen[:] = progress.results
        return True

    return start(recipe, run=tmp_path / "run", executor="serial", callbacks=watch), seen


def test_checks_with_forfeits(forfeited: tuple[Run, list[DuelResult]], capsys: Capture) -> None:
    run, seen = forfeited
    sentence = "bot.py exits with status 1 instead of answering; its last words: 'out of order'."
    gone = (ForfeitCount(1, "crash", 4, sentence, ("out of order",)),)
    first, *later = run.checks()
    assert first.forfeits == ()
    assert first.games == first.counted == 4
    assert later == [Check(g, "bot.py", 0, 0, 0, 0, forfeits=gone) for g in (6, 8)]
    assert first.wins > 0
    assert run.champion.remarks["generation"] == 3  # nobody became champion by forfeits
    assert seen[0].forfeits == gone
    progress = Progress(generation=6, generations=8, results=seen, checked=6)
    assert "bot.py - (4 of 4 forfeited)" in Display("title", quiet=True)._line(progress)
    content = json.loads(json.dumps(summarise(run), allow_nan=False))
    check = content["last_check"]["opponents"]["bot.py"]
    assert (check["games"], check["counted_games"], check["won"]) == (4, 0, None)
    assert check["forfeits"][0]["stderr"] == ["out of order"]
    warning = (
        "check at generation 8: bot.py forfeited 4 of 4 games (crash 4): forfeits do not count as"
        f" wins; the first: {sentence}"
    )
    assert content["warnings"] == [warning, "check at generation 8: bot.py wrote: out of order"]
    print_summary(content)
    assert "4 (crash 4)" in capsys.readouterr().out
    print_results(run)
    assert f"evolve: {warning}\n" in capsys.readouterr().err


def test_checks_with_forfeits_are_marked(forfeited: tuple[Run, list[DuelResult]]) -> None:
    run, _ = forfeited
    record = run.history()

    def crosses(figure: Figure) -> list[list[float]]:
        (panel,) = [axes for axes in figure.axes if "Checks" in axes.get_title(loc="left")]
        return [list(line.get_xdata()) for line in panel.lines if line.get_marker() == "x"]  # type: ignore[call-overload]

    figure = draw_runs([record])
    assert crosses(figure) == [[6, 8]]
    legends = filter(None, (axes.get_legend() for axes in figure.axes))
    texts = [text.get_text() for legend in legends for text in legend.get_texts()]
    assert any("×: games forfeited, at generation 6 4 of 4" in text for text in texts)
    figure.canvas.draw()  # type: ignore[no-untyped-call]
    alone = Record("one", "", record.statistics, [record.checks[1]])
    draw_runs([alone]).canvas.draw()  # type: ignore[no-untyped-call]
    whole = Record("whole", "", record.statistics, record.checks[:1])
    assert crosses(draw_runs([whole])) == []


def test_a_run_needs_its_bot(
    small_recipe: Callable[..., Recipe], make_bot: MakeBot, tmp_path: Path
) -> None:
    recipe = small_recipe("check.games=2").change({"check.opponents": [make_bot("pass")]})
    start(recipe, run=tmp_path / "run", executor="serial", callbacks=lambda progress: False)
    (tmp_path / "bot.py").unlink()
    with pytest.raises(BadValueError, match="can't play"):
        resume(tmp_path / "run", executor="serial")
    assert Run.open(tmp_path / "run").generation == 1
