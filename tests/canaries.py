"""Files called as all modules are; one that is imported leaves a mark."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterable
from pathlib import Path

NAMES = frozenset(
    {module.name for module in pkgutil.iter_modules()}
    | sys.stdlib_module_names
    | {"evolve_arena", "mpl_toolkits"}  # which lie in no folder as modules do
)
"""Whatever can be imported, and so all that is."""
CANARY = """
import sys
with open({marks!r} + "/" + __name__, "a") as mark:
    mark.write(f"{{sys.orig_argv}}\\n")
"""


def plant(folder: Path, marks: Path, names: Iterable[str] = NAMES) -> None:
    """Write files with these *names* into *folder*; each notes in *marks* that it was run."""
    folder.mkdir(parents=True, exist_ok=True)
    marks.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.py").write_text(CANARY.format(marks=str(marks)))


def read_marks(marks: Path) -> dict[str, str]:
    """Return the text of each mark, by the file that was run."""
    return {mark.name: mark.read_text() for mark in marks.iterdir()}
