"""The claims of the docs are measured again by a script, which runs here with one of each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked import run_script

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "benchmarks" / "claims.sh"
BASH = shutil.which("bash") or ""
PARTS = re.findall(r'^PARTS="(.*)"$', SCRIPT.read_text("utf-8"), re.MULTILINE)[0].split()

pytestmark = pytest.mark.skipif(not BASH, reason="the script needs bash, which is not here")


def measure(folder: Path, parts: str) -> subprocess.CompletedProcess[str]:
    """Run some *parts* in copies of this process, which need not be loaded again and again."""
    words = [BASH, str(SCRIPT), str(folder)]
    return run_script(words, folder.parent, {"SMALL": "1", "ONLY": parts})


def measure_apart(folder: Path, parts: str) -> subprocess.CompletedProcess[str]:
    """Run the same with commands as users have them."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env, words = {**os.environ, "PATH": path, "SMALL": "1", "ONLY": parts}, [BASH, SCRIPT, folder]
    where = folder.parent
    return subprocess.run(words, env=env, cwd=where, capture_output=True, text=True, check=False)


SAID = {
    "readme": "$ evolve evaluate run:connect-four-1 --games 4 --seed 77",
    "hour": "not weaker beyond its interval: 1 of 1 seeds",
    "games": "keeps the win in|lost of 4 against exact play|median of 1 against mcts:rollouts=1000",
    "engines": "own-rank: ",
    "neat": "record, seed 1: won ",
    "strengths": "step_size=0.1: root mean square distance",
    "tuples": "run:td-16: ",
    "checkers": "in sum: ",
    "looking": "median of 1 against mcts:rollouts=1000",
    "league": "Othello League, protocol boards|left out: no folder",
}
"""A line of the results, of parts that do not only run `evolve`; of several one is enough."""


@pytest.mark.parametrize("part", PARTS)
def test_a_part_made_small_runs_to_its_end(part: str, tmp_path: Path) -> None:
    done = measure(tmp_path / "claims", part)
    log = (tmp_path / "claims" / f"{part}.log").read_text("utf-8")
    assert done.returncode == 0, done.stderr + log
    assert "Traceback" not in log
    assert any(text in log for text in SAID.get(part, "$ evolve ").split("|")), log


def test_runs_that_are_there_are_kept_and_one_that_is_damaged_is_told_at_the_end(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "claims"
    (folder / "connect-four-1").mkdir(parents=True)
    damaged = measure_apart(folder, "readme")
    assert damaged.returncode == 1
    _, _, told = damaged.stderr.partition("these failed:\n")
    assert told.splitlines() == [
        "failed (2): evolve resume connect-four-1 --quiet",
        "failed: part readme",
    ]
    shutil.rmtree(folder / "connect-four-1")
    for _ in range(2):
        assert measure_apart(folder, "readme").returncode == 0
    log = (folder / "readme.log").read_text("utf-8").splitlines()
    said = [" ".join(line.split()[1:4]) for line in log if line.startswith("$ ")]
    breeds = ["evolve resume connect-four-1", "evolve start connect-four"]
    asked = "evolve evaluate run:connect-four-1"
    assert said == [*breeds, asked, breeds[0], asked]


def test_a_part_that_is_unknown_is_refused(tmp_path: Path) -> None:
    done = measure(tmp_path / "claims", "speed")
    assert done.returncode == 2
    assert done.stderr.startswith("claims.sh: unknown part speed (known: readme hour ")
    assert not (tmp_path / "claims").exists()
