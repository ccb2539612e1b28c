"""Kernels as plain Python: compiled functions, with all that they call and name, as one text.

What a game compiles is Python that Numba understands. Without its decorators it runs by itself, so
an exported bot need not repeat the rules: it takes the functions with which the arena plays, cut to
what one player needs. Constants become literals, and arrays become lists, or `array.array` where
their numbers round to 32 bits.

Whole numbers are Python's: they do not wrap around. Who counts beyond 64 bits gets a function of
:mod:`.templates.kernel` in place of its own, as the functions do that are no Python at all.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from evolve_arena.genomes import simd
from evolve_arena.runs.export.templates import kernel

WIDTH = 96
SPACE = "\xa0"
"""A space at which a line is not to be broken."""
INSTEAD: dict[str, ModuleType] = dict.fromkeys(
    (
        "numpy",
        "evolve_arena.core.bits",
        "evolve_arena.core.stream",
        "evolve_arena.genomes.simd",
    ),
    kernel,
)
"""What stands in for modules, or for single functions, under the same names."""


def bundle(
    entries: Sequence[Any],
    *,
    instead: Mapping[str, ModuleType] | None = None,
    given: Collection[str] = (),
    beside: Sequence[str] = (),
    constants: Mapping[str, Any] | None = None,
) -> tuple[str, str]:
    """The source of some functions and of all that they need: constants, then functions.

    Args:
        entries: Functions, compiled or not, that are wanted by name; these keep their whole
            docstrings, others the first line.
        instead: What else stands in for modules and functions; see :data:`INSTEAD`.
        given: Modules whose functions the file has already.
        beside: The sources of what else the file has; their names are not used again.
        constants: What names stand for in place of what they stand for here. Branches that
            are closed by a truth value are left out.
    """
    gathered = _Gathered({**INSTEAD, **(instead or {})}, given, beside, constants or {})
    for function in entries:
        gathered.add(_plain(function), whole=True)
    literals = (_wrap(f"{name} = {literal}") for name, literal in gathered.literals.items())
    return "".join(literals), "".join(f"\n\n{text}\n" for text in gathered.texts.values())


def write_value(value: Any) -> str:
    """A constant as source code: numbers, texts, tuples, lists, dictionaries, arrays, records.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(value, np.ndarray):
        return _write_array(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value - value != 0.0:
        return f'float("{value}")'
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if hasattr(value, "_asdict"):
        value = SimpleNamespace(**value._asdict())
    if isinstance(value, SimpleNamespace):
        fields = ", ".join(f"{key}={write_value(item)}" for key, item in vars(value).items())
        return f"SimpleNamespace({fields})"
    if isinstance(value, dict):
        items = (f"{write_value(key)}: {write_value(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list | tuple):
        inside = ", ".join(map(write_value, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    raise TypeError(f"{value!r} can't be written as a constant")


def _write_array(value: Any) -> str:
    same = value.ndim == 1 and value.size > 0 and not value.any()
    zeros = f"[{value.dtype.type(0).item()}] * {value.size}"
    inside = zeros if same else write_value(value.tolist())
    return f'array("f", {inside})' if value.dtype == np.float32 and value.ndim == 1 else inside


def _wrap(line: str) -> str:
    """The *line* in lines that are broken nowhere within a text."""
    kept = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: found[0].replace(" ", SPACE), line)
    indent = "    "
    lines = textwrap.fill(
        kept, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace(SPACE, " ") + "\n"


def _plain(function: Any) -> Any:
    """What was compiled."""
    return getattr(function, "py_func", function)


class _Gathered:
    """What a bundle has so far; see :func:`bundle` for the arguments."""

    def __init__(
        self,
        instead: Mapping[str, ModuleType],
        given: Collection[str],
        beside: Sequence[str],
        constants: Mapping[str, Any],
    ) -> None:
        self.instead, self.given, self.constants = instead, given, constants
        self.taken = {*dir(builtins), *(name for text in beside for name in _defined(text))}
        self.literals: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.names: dict[Any, str] = {}
        """How functions are called in the bundle, and constants, by name and literal."""

    def add(self, function: Any, *, whole: bool = False) -> str:
        """Takes in a *function*, and gives its name; it has its *whole* docstring if told so."""
        if function in self.names:
            return self.names[function]
        name = self._free(function.__name__, function.__module__)
        self.names[function], self.texts[name] = name, ""
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        tree.name, tree.returns, tree.decorator_list = name, None, []
        _shorten(tree, whole=whole)
        space = {**function.__globals__, **self.constants}
        own = _own_names(tree)
        tree = _Folded(space, own).visit(tree)
        tree = _Rewritten(self, space, own).visit(tree)
        self.texts[name] = ast.unparse(ast.fix_missing_locations(tree))
        return name

    def find(self, name: str, value: Any, module: str) -> str:
        """How the bundle calls what *name* stands for in a *module*, which it takes in."""
        function = _plain(value)
        if inspect.isclass(value) and issubclass(value, Exception):
            return value.__name__ if value.__module__ == "builtins" else "ValueError"
        if callable(function) and hasattr(function, "__module__"):
            place = f"{function.__module__}.{function.__name__}"
            other = self.instead.get(place) or self.instead.get(function.__module__)
            if other is not None and other.__name__ != function.__module__:
                return self.find(name, vars(other)[name], module)
            package = function.__module__.partition(".")[0]
            if function.__module__ in self.given or package in sys.stdlib_module_names:
                return name
            return self.add(function)
        if isinstance(value, ModuleType):
            return name
        literal = write_value(value)
        if (name, literal) not in self.names:
            free = self._free(name, module)
            self.names[name, literal], self.literals[free] = free, literal
        return self.names[name, literal]

    def _free(self, name: str, module: str) -> str:
        """The *name*, with that of the *module* behind it if the file has another of it."""
        taken = self.taken | self.literals.keys() | self.texts.keys()
        for free in (name, f"{name}_{module.rpartition('.')[2]}"):
            if free not in taken:
                return free
        raise ValueError(f"{module} has another {name} than two modules before")


def _defined(text: str) -> Iterator[str]:
    """The names that a source defines or imports."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _own_names(tree: ast.FunctionDef) -> set[str]:
    """The names that a function gives to values itself."""
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def _shorten(tree: ast.FunctionDef, *, whole: bool) -> None:
    """Leaves out annotations, and of the docstring all but its first line unless it is *whole*."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    text = ast.get_docstring(tree, clean=False)
    if text is not None and not whole:
        first = text.strip().split("\n")[0]
        tree.body[0] = ast.Expr(ast.Constant(first))


class _Folded(ast.NodeTransformer):
    """Decides what hangs on constants that are truth values, and leaves out what is never done."""

    def __init__(self, space: Mapping[str, Any], own: Collection[str]) -> None:
        self.space, self.own = space, own

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.space.get(node.id)
        if isinstance(value, bool) and node.id not in self.own:
            return ast.Constant(value)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        truth = _truth(node.operand) if isinstance(node.op, ast.Not) else None
        return node if truth is None else ast.Constant(not truth)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decisive = isinstance(node.op, ast.Or)
        if any(_truth(value) is decisive for value in node.values):
            return ast.Constant(decisive)
        node.values = [value for value in node.values if _truth(value) is None]
        if len(node.values) > 1:
            return node
        return node.values[0] if node.values else ast.Constant(not decisive)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else node.body if truth else node.orelse

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        truth = _truth(node.test)
        if truth is not None:
            return node.body if truth else node.orelse
        node.body = _reached(node.body) or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.body = _reached(node.body)
        return node


def _truth(node: ast.expr) -> bool | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def _reached(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements up to the first one that leaves the function."""
    ends = [place for place, node in enumerate(body) if isinstance(node, ast.Return)]
    return body[: ends[0] + 1] if ends else body


class _Rewritten(ast.NodeTransformer):
    """Puts in what a function names, and writes for lists what it writes for arrays."""

    def __init__(self, gathered: _Gathered, space: Mapping[str, Any], own: set[str]) -> None:
        self.gathered, self.space, self.own = gathered, space, own

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.own or node.id not in self.space:
            return node
        module = self.space["__name__"]
        return ast.Name(self.gathered.find(node.id, self.space[node.id], module), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id not in self.own:
            module = self.space.get(node.value.id)
            if isinstance(module, ModuleType) and module.__name__ in self.gathered.instead:
                other = self.gathered.instead[module.__name__]
                value = vars(other)[node.attr]
                return ast.Name(self.gathered.find(node.attr, value, other.__name__), node.ctx)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        assert node.value is not None
        return ast.Assign([self.visit(node.target)], self.visit(node.value))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``rows[i, j]`` becomes ``rows[i][j]``, and ``rows.shape[0]`` becomes ``len(rows)``."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            assert ast.unparse(node.slice) == "0"
            return ast.Call(ast.Name("len", ast.Load()), [node.value.value], [])
        if not isinstance(node.slice, ast.Tuple):
            return node
        place = node.value
        for index in node.slice.elts[:-1]:
            place = ast.Subscript(place, index, ast.Load())
        return ast.Subscript(place, node.slice.elts[-1], node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``peek(values, i)`` becomes ``values[i]``."""
        if self._is_called(node, "peek"):
            array, index = map(self.visit, node.args)
            return ast.Subscript(array, index, ast.Load())
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """``poke(values, i, value)`` becomes ``values[i] = value``."""
        if self._is_called(node.value, "poke"):
            array, index, value = map(self.visit, node.value.args)  # type: ignore[attr-defined]
            return ast.Assign([ast.Subscript(array, index, ast.Store())], value)
        return self.generic_visit(node)  # type: ignore[return-value]

    def _is_called(self, node: ast.expr, name: str) -> bool:
        """Whether *node* calls what :mod:`evolve_arena.genomes.simd` has by that *name*."""
        if not isinstance(node, ast.Call):
            return False
        words = ast.unparse(node.func).split(".")
        called = self.space.get(words[0])
        for word in words[1:]:
            called = getattr(called, word, None)
        return called is getattr(simd, name)
