"""Imports of a game's file as plain Python: functions, with all that they call and use.

Compiled functions are written in Python that Numba understands. Without its decorators it runs by
itself, so an exported bot need not repeat the rules in another form. Constants become literals, and
arrays become lists, or `array.array` where their numbers round to 32 bits. Functions without a body
in Python, such as single instructions, are replaced by those of :mod:`.templates.kernel`. NumPy's
numbers are the bot's own under the name ``np``, see :mod:`.templates.board`.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Hashable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array
from evolve_arena.genomes import simd
from evolve_arena.runs.export.templates import kernel

Named: TypeAlias = Any
"""A function, compiled or not, a constant, a module, or a class of named tuples."""
WIDTH = 96
SPACE = "\xa0"
"""Placeholder for spaces at which lines must not be broken."""
INSTEAD = {"evolve_arena.core.bits": kernel, "evolve_arena.genomes.simd": kernel}
"""Modules by name, each with a module whose functions of the same name replace its own."""


def bundle(
    named: Mapping[str, Named], module: str, numbers: ModuleType, beside: Sequence[str] = ()
) -> tuple[str, dict[str, str]]:
    """Return source code of all imports of a *module*, and the name of each import in that code.

    Args:
        named: Functions, compiled or not, constants and classes of named tuples, by name.
        module: Name of the module that imports them, for messages.
        numbers: Template of the file's types of numbers: `board`, or `board_numpy`.
        beside: Sources of the other parts of the file, whose names are not used again.

    Raises:
        BadValueError: A function is not written in Python, or a value is no constant.
    """
    # Gathering one name also gathers all that it needs
    gathered = _Gathered(numbers, beside)
    called = {name: gathered.find(name, value, module) for name, value in named.items()}
    parts = [*sorted(gathered.imports), *gathered.literals.values()]
    return "".join([*parts, *(f"\n\n{text}\n" for text in gathered.texts.values())]), called


def write_value(value: object) -> str:
    """Write a constant as source code: numbers, texts, tuples, lists, dictionaries, arrays.

    Raises:
        TypeError: The value is of another type.
    """
    if isinstance(value, np.ndarray):
        return _write_array(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value - value != 0.0:
        return f'float("{value}")'
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, dict):
        items = (f"{write_value(key)}: {write_value(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list | tuple):
        inside = ", ".join(map(write_value, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    raise TypeError(f"{value!r} can't be written as a constant")


def _write_array(value: Array) -> str:
    same = value.ndim == 1 and value.size > 0 and not value.any()
    zeros = f"[{value.dtype.type(0).item()}] * {value.size}"
    inside = zeros if same else write_value(value.tolist())
    return f'array("f", {inside})' if value.dtype == np.float32 and value.ndim == 1 else inside


def _wrap(line: str) -> str:
    """Break the *line* into lines, but not within a text."""
    kept = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: found[0].replace(" ", SPACE), line)
    indent = "    "
    lines = textwrap.fill(
        kept, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace(SPACE, " ") + "\n"


def _plain(function: Named) -> Named:
    """Return the Python function that was compiled, or anything else unchanged."""
    return getattr(function, "py_func", function)


class _Gathered:
    """Contents of a bundle so far; see :func:`bundle` for the arguments."""

    def __init__(self, numbers: ModuleType, beside: Sequence[str]) -> None:
        self.numbers = numbers
        self.taken = {*dir(builtins), *(name for text in beside for name in _defined(text))}
        self.imports: set[str] = set()
        self.literals: dict[str, str] = {}
        """Lines that define constants, by name."""
        self.texts: dict[str, str] = {}
        self.names: dict[Hashable, str] = {}
        """Names of functions in the bundle, and of constants, by name and literal."""

    def add(self, function: Named) -> str:
        """Add a *function* with all that it needs, and return its name."""
        if function in self.names:
            return self.names[function]
        if not isinstance(function, FunctionType):
            raise BadValueError(
                f"{function.__module__}.{function.__name__} is no plain Python, so that what uses"
                " it can't be exported"
            )

        # Note the name first, since the function may call itself
        name = self._free(function.__name__, function.__module__)
        self.names[function], self.texts[name] = name, ""

        # Remove decorators and annotations, and bundle the names that the body uses
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        tree.name, tree.returns, tree.decorator_list = name, None, []
        _shorten(tree)
        tree = _Rewritten(self, function.__globals__, _own_names(tree)).visit(tree)
        self.texts[name] = ast.unparse(ast.fix_missing_locations(tree))
        return name

    def find(self, name: str, value: Named, module: str) -> str:
        """Add the *value* of *name* in a *module*, and return its name in the bundle.

        Args:
            name: Name of the value in its module.
            value: Function, compiled or not, constant, module or class of exceptions or named
                tuples.
            module: Name of the module, for messages and to rename a second value of the same name.

        Raises:
            BadValueError: The value is of another type, or a function is not plain Python.
        """
        function = _plain(value)
        if inspect.isclass(value) and issubclass(value, Exception):
            return value.__name__ if value.__module__ == "builtins" else "ValueError"
        if callable(function) and hasattr(function, "__module__"):
            other = INSTEAD.get(function.__module__)
            for known in (name, function.__name__) if other else ():
                if known in vars(other):
                    return self.find(known, vars(other)[known], module)
            if _is_pythons(function.__module__):
                words = f"from {function.__module__} import {function.__name__}"
                return self._import(name, words, function.__name__)
            return self._add_tuple(value) if hasattr(value, "_fields") else self.add(function)
        if isinstance(value, ModuleType):
            return self._import(name, f"import {value.__name__}", value.__name__)
        try:
            literal = self._write(value)
        except TypeError:
            raise BadValueError(
                f"{module}: {name} is of type {type(value).__name__}, which can't be exported"
            ) from None
        if (name, literal) not in self.names:
            free = self._free(name, module)
            self.names[name, literal] = free
            self.literals[free] = _wrap(f"{free} = {literal}")
        return self.names[name, literal]

    def _import(self, name: str, words: str, own: str) -> str:
        """Add the import *words*, as *name* unless that is its *own* name; return *name*."""
        if name not in self.taken:
            self.imports.add(f"{words}\n" if name == own else f"{words} as {name}\n")
        return name

    def _write(self, value: Named) -> str:
        """Write a constant as source code; unsigned words and named tuples keep their types."""
        if hasattr(value, "_fields"):
            return f"{self._add_tuple(type(value))}({', '.join(map(self._write, value))})"
        if getattr(value, "dtype", None) != np.uint64:
            return write_value(value)
        if value.ndim == 0:
            return f"np.uint64({int(value)})"
        words = f"list(map(np.uint64, {value.tolist()}))"
        return words if value.ndim == 1 else f"[{', '.join(map(self._write, value))}]"

    def _add_tuple(self, kind: Named) -> str:
        """Add a class of named tuples, and return its name."""
        if kind not in self.names:
            self.names[kind] = name = self._free(kind.__name__, kind.__module__)
            fields = " ".join(kind._fields)
            self.imports.add("from collections import namedtuple\n")
            self.literals[name] = _wrap(f'{name} = namedtuple("{name}", "{fields}")')
        return self.names[kind]

    def _free(self, name: str, module: str) -> str:
        """Return *name*, with the *module*'s name appended if the bundle already has that name."""
        taken = self.taken | self.literals.keys() | self.texts.keys()
        for free in (name, f"{name}_{module.rpartition('.')[2]}"):
            if free not in taken:
                return free
        raise ValueError(f"{module} has another {name} than two modules before")


def _is_pythons(module: str) -> bool:
    """Test if a *module* is part of Python's standard library."""
    return module.partition(".")[0] in sys.stdlib_module_names


def _defined(text: str) -> Iterator[str]:
    """Yield the names that a source defines or imports."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _own_names(tree: ast.FunctionDef) -> set[str]:
    """Return the names of a function's parameters and variables."""
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def _shorten(tree: ast.FunctionDef) -> None:
    """Remove annotations, and all of the docstring but its first line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    text = ast.get_docstring(tree, clean=False)
    if text is not None:
        first = text.strip().split("\n")[0]
        tree.body[0] = ast.Expr(ast.Constant(first))


class _Rewritten(ast.NodeTransformer):
    """Transformer that replaces names by those of the bundle, and array by list operations."""

    def __init__(self, gathered: _Gathered, space: Mapping[str, Named], own: set[str]) -> None:
        self.gathered, self.space, self.own = gathered, space, own

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.own or node.id not in self.space:
            return node
        module = self.space["__name__"]
        return ast.Name(self.gathered.find(node.id, self.space[node.id], module), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Replace an attribute of another module; NumPy is ``np``, whatever a module calls it."""
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        module = None if name in self.own else self.space.get(name)
        if module is np:
            return ast.Attribute(ast.Name("np", ast.Load()), node.attr, node.ctx)
        if isinstance(module, ModuleType) and not _is_pythons(module.__name__):
            found = self.gathered.find(node.attr, getattr(module, node.attr), module.__name__)
            return ast.Name(found, node.ctx)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Make ``a << b`` keep 64 bits, as compiled numbers do: kernels' sets of bits need this."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.LShift) or self.space["__name__"] == kernel.__name__:
            return node
        name = self.gathered.add(kernel.shift_left)
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        assert node.value is not None
        return ast.Assign([self.visit(node.target)], self.visit(node.value))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Turn ``rows[i, j]`` into ``rows[i][j]``, and ``rows.shape[0]`` into ``len(rows)``."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            if ast.unparse(node.slice) != "0":
                raise BadValueError(f"{ast.unparse(node)} can't be exported: shape[0] can be")
            return ast.Call(ast.Name("len", ast.Load()), [node.value.value], [])
        if not isinstance(node.slice, ast.Tuple):
            return node
        place = node.value
        for index in node.slice.elts[:-1]:
            place = ast.Subscript(place, index, ast.Load())
        return ast.Subscript(place, node.slice.elts[-1], node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Turn ``peek(a, i)`` into ``a[i]``, and ``a.view(kind)`` into ``view_as(a, kind)``."""
        has_views = isinstance(node.func, ast.Attribute) and node.func.attr == "view"
        if has_views and hasattr(self.gathered.numbers, "view_as"):
            assert isinstance(node.func, ast.Attribute)
            given = [self.visit(each) for each in (node.func.value, *node.args)]
            return ast.Call(ast.Name("view_as", ast.Load()), given, [])
        if self._is_called(node, "peek"):
            array, index = map(self.visit, node.args)
            return ast.Subscript(array, index, ast.Load())
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """Turn ``poke(values, i, value)`` into ``values[i] = value``."""
        if self._is_called(node.value, "poke"):
            array, index, value = map(self.visit, node.value.args)  # type: ignore[attr-defined]
            return ast.Assign([ast.Subscript(array, index, ast.Store())], value)
        return self.generic_visit(node)  # type: ignore[return-value]

    def _is_called(self, node: ast.expr, name: str) -> bool:
        """Test if *node* calls the function *name* of :mod:`evolve_arena.genomes.simd`."""
        if not isinstance(node, ast.Call):
            return False
        words = ast.unparse(node.func).split(".")
        called = self.space.get(words[0])
        for word in words[1:]:
            called = getattr(called, word, None)
        return called is getattr(simd, name)
