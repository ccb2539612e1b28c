"""Python processes that this one starts: none imports a file of its working directory.

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
"""The beginning of a command by which Python runs a module of ours."""


def keep_folder_out(util: Any, spawn: Any) -> None:
    """Keep the working directory off the path of processes of `multiprocessing` or `multiprocess`.

    Those are workers that start from nothing, a server that forks them, and a tracker of what they
    share. An entry of the path that means the current folder, as notebooks and prompts have it, is
    sent to them as the last one: so a module of the user's own is found, and stands for no other.

    Args:
        util: The library's module of this name.
        spawn: Likewise.
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
