"""Child Python processes, which never import files from the working directory.

Python looks for modules in the current folder first if it is started by ``-m`` or ``-c``, and so
are the processes of `multiprocessing`. A file called ``numpy.py`` that lies beside somebody else's
run would be run by them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # without NumPy this takes no time
    from evolve_arena.core.types import JsonObject

PYTHON = (sys.executable, "-P")
"""Beginning of the command that runs a module with Python, without the working directory on its
path."""


def keep_folder_out(util: Any, spawn: Any) -> None:
    """Keep the working directory off the path of processes of `multiprocessing` or `multiprocess`.

    These processes are spawned workers, the server that forks workers, and the resource tracker.
    The empty entry of ``sys.path``, by which notebooks and prompts mean the current folder, is sent
    to them as the last one: so a module of the user's own is found, but hides no other module.

    Args:
        util: The library's module ``util``.
        spawn: The library's module ``spawn``.
    """
    flags, describe = util._args_from_interpreter_flags, spawn.get_preparation_data

    def add_flag() -> list[str]:
        return [*flags(), "-P"]

    def describe_safely(name: str) -> dict[str, object]:
        found: JsonObject = describe(name)
        if "" in sys.path:
            path = found["sys_path"]
            path.append(path.pop(sys.path.index("")))
        return found

    util._args_from_interpreter_flags = add_flag
    spawn.get_preparation_data = describe_safely
