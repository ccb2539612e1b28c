"""Files in an opened folder are never run, even if named like modules."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.canaries import NAMES, plant, read_marks
from tests.served import SMALL

ROOT = Path(__file__).resolve().parent.parent
CHANGES = [word for change in SMALL for word in ("--set", change)]
VARIED = ["--set", "variation.step_size=0.1,0.2"]
DUEL = ["--games", "4", "--seed", "1"]
COMMANDS = [
    ["start", "tic-tac-toe-evolved", "--run", "one", "--executor", "serial", *CHANGES],
    ["start", "tic-tac-toe-evolved", "--run", "two", "--executor", "multiprocess", *CHANGES],
    ["start", "tic-tac-toe-evolved", "--run", "three", "--executor", "spawn", *CHANGES],
    ["resume", "one", "--generations", "6"],
    ["info", "one"],
    ["plot", "one"],
    ["evaluate", "run:one", "--opponents", "random", *DUEL],
    ["duel", "run:one", "random", *DUEL],
    ["tournament", "run:one", "run:two", "random", *DUEL],
    ["export", "one", "--to", "python"],
    ["export", "one", "--to", "html"],
    ["play", "random", "--game", "tic-tac-toe", "--games", "1"],
    ["sweep", "tic-tac-toe-evolved", "--seeds", "1", "--games", "10", *CHANGES, *VARIED],
    ["recipes"],
    ["players"],
    ["doctor", "--quick"],
    ["new-game", "mine"],
    ["check", str(ROOT / "games" / "tic_tac_toe.py")],
]
TERMINAL = """
import json, runpy, sys

if __name__ == "__main__":
    failed, script = [], sys.argv[1]
    for words in json.loads(sys.argv[2]):
        try:
            sys.argv = ["evolve", *words]
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            if end.code:
                failed.append(words)
    specs = [getattr(module, "__spec__", None) for module in sys.modules.values()]
    print(json.dumps([failed, [spec.name for spec in specs if spec]]), file=sys.stderr)
"""
"""Runs the installed command with many lines of words, one after the other."""


def test_no_command_runs_what_lies_in_the_current_folder(tmp_path: Path) -> None:
    folder, marks = tmp_path / "folder", tmp_path / "marks"
    plant(folder, marks)
    (tmp_path / "terminal.py").write_text(TERMINAL)
    evolve = str(Path(sys.executable).with_name("evolve"))
    words = [sys.executable, tmp_path / "terminal.py", evolve, json.dumps(COMMANDS)]
    done = subprocess.run(
        words, cwd=folder, input="quit\n", capture_output=True, text=True, check=False
    )
    assert read_marks(marks) == {}
    assert done.returncode == 0, done.stderr[-2000:]
    failed, modules = json.loads(done.stderr.splitlines()[-1])
    assert failed == [], done.stderr.rpartition("\n[")[0]
    own = re.compile("game_|__main__")  # which no folder is asked for
    assert {name.partition(".")[0] for name in modules if not own.match(name)} <= NAMES


CELLS = [
    """
import sys
from pathlib import Path
import evolve_arena as ea
from evolve_arena.arena.executors import make_executor
import beside
from tests.canaries import plant

ea.start("tic-tac-toe-evolved", run="one", changes=CHANGES, executor="serial")
""",
    """
plant(Path(), Path("marks"), {name.partition(".")[0] for name in sys.modules} - {"beside"})
with make_executor("spawn", 2) as executor:
    doubled = executor.map(beside.double, [1, 2])
assert doubled == [2, 4]
""",
]


def test_no_process_of_a_notebook_runs_what_lies_beside_it(tmp_path: Path) -> None:
    """Imports of the notebook itself are its own affair: Jupyter lets it look there."""
    (tmp_path / "beside.py").write_text("def double(number):\n    return 2 * number\n")
    cells = [text.replace("CHANGES", repr(list(SMALL))) for text in CELLS]
    cells[0] = cells[0].replace("import sys\n", f"import sys\nsys.path.append({str(ROOT)!r})\n")
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    assert read_marks(tmp_path / "marks") == {}
