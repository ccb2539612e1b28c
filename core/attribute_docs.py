"""Help texts of settings: the string below each of them in its source.

Sources are read on request, so that no import takes longer for them.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Sequence
from functools import lru_cache


def read_docs(body: Sequence[ast.stmt]) -> dict[str, str]:
    r"""Return the strings directly below assignments, by the name that is assigned.

    >>> read_docs(ast.parse("SIZE = 8\n'''Cells along a side.'''\nSTEP = 2").body)
    {'SIZE': 'Cells along a side.'}
    """
    found = {}
    for assignment, text in itertools.pairwise(body):
        if isinstance(assignment, ast.AnnAssign):
            target: ast.expr = assignment.target
        elif isinstance(assignment, ast.Assign):
            target = assignment.targets[0]
        else:
            continue
        if (
            isinstance(target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            found[target.id] = " ".join(str(text.value.value).split())
    return found


@lru_cache(maxsize=256)
def _read_class(kind: type) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError, SyntaxError):  # made by a function, or built in
        return {}
    return read_docs(tree.body[0].body) if isinstance(tree.body[0], ast.ClassDef) else {}


def read_helps(kind: type) -> dict[str, str]:
    """Return the help text of each key of a class, from its source and those of its bases.

    Args:
        kind: A section of a recipe, a dataclass or a named tuple. Where a section was made of
            another class (`evolve_arena.core.game.Config.described_in`), that class's source is
            read; for a named tuple without a source, the docstrings of its fields.
    """
    helps: dict[str, str] = {}
    for each in reversed((getattr(kind, "described_in", None) or kind).__mro__):
        helps |= _read_class(each)
    for name in getattr(kind, "_fields", ()):
        text = str(getattr(kind, name).__doc__)
        if not text.startswith("Alias for field"):
            helps.setdefault(name, text)
    return helps
