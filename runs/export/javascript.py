"""Translation of Python to JavaScript: functions of bots and games, with all that they use.

Only what some functions need is written: the functions that they call, directly or not, and the
values of constants, which are known since the module was run. The result needs
``runs/page/python.js``, whose object ``py`` implements Python's operators and builtins.
"""

from __future__ import annotations

import ast
import base64
import builtins
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.types import Array


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MOST = 2**53 - 1
"""Largest integer that is written as a plain number; larger ones are BigInts."""
LONG = 8
"""Length from which lists of numbers are written in base64."""
SPARSE = 1000
"""Length from which lists of numbers, most of them zero, are written without the zeros."""
LIBRARY = {
    "math": "e exp inf nan pi floor ceil isnan ldexp log sin cos sqrt tanh",
    "numpy": "uint64 int64 int32 int16 int8 intp uint8 uint16 uint32 bool_ float64"
    " abs sign minimum maximum",
    "bits": "count_bits lowest_bit make_words make_array",
    "operator": "add sub mul itemgetter",
    "array": "array",
    "random": "randrange",
    "struct": "unpack",
    "time": "monotonic time_ns",
}
"""Names that ``py.lib`` provides, by module."""
MODULES = {"evolve_arena.core.bits": "bits"}
"""Names in ``py.lib`` of modules whose names in Python differ."""
BUILTINS = _words(
    "abs all any bin bool dict divmod enumerate float int len list map max min next range repr"
    " reversed round set sorted str sum tuple zip Exception ValueError TypeError OverflowError"
    " ZeroDivisionError KeyError IndexError"
)
METHODS = _words(
    "append bit_count bit_length clear copy count extend get index items join keys ljust lower pop"
    " popitem replace reverse rjust rstrip setdefault sort split strip to_bytes tolist update upper"
    " values"
)
RESERVED = _words(
    "arguments await break case catch class const continue debugger default delete do else enum"
    " eval export extends false finally for function if implements import in instanceof interface"
    " let new null package private protected public py return static super switch this throw true"
    " try typeof undefined var void while with yield"
)
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "shr",
    ast.Invert: "invert",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Eq: "eq",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
BARE: dict[type[ast.AST], str] = {
    **{ast.Pass: "", ast.Assert: ""},
    **{ast.Break: "break;", ast.Continue: "continue;"},
}
"""Statements that are translated to a fixed text."""
FLOATING = {"add", "sub", "mul", "pow"}
"""Operations with a version for floating-point numbers, called ``fadd`` and so on."""
Function: TypeAlias = ast.FunctionDef | ast.Lambda


class TranslationError(ArenaError):
    """Raised for Python that can't be written as JavaScript here."""


@dataclass(frozen=True)
class Source:
    """A module to be translated."""

    text: str
    """Content of the module."""
    file: str
    """Name of its file, for messages."""
    space: Mapping[str, object]
    """Values of its global names after it was run."""
    given: Mapping[str, str] = field(default_factory=dict)
    """JavaScript that replaces some of its names, whose definitions are not translated."""


def translate(source: Source, names: Iterable[str]) -> str:
    """Translate *source* to an expression whose value is an object with the functions *names*.

    Raises:
        TranslationError: They use an unsupported construct; the message names file and line.
    """
    return _Module(source).write(list(names))


def write_value(value: object) -> str:  # noqa: PLR0911
    r"""Write a constant as JavaScript: numbers, texts; lists, tuples, arrays and dicts of these.

    >>> write_value((1, 2.5, None, "a</b>")), write_value(2**60), write_value(np.uint64(2**60))
    ('[1, 2.5, null, "a\\u003c/b>"]', '1152921504606846976n', 'py.word(268435456, 0)')

    Raises:
        TypeError: The value is of another type.
    """
    if value is None or isinstance(value, bool | np.bool_):
        return {None: "null", True: "true", False: "false"}[None if value is None else bool(value)]
    if isinstance(value, np.uint64) or type(value).__name__ == "Word":
        word = int(cast("np.uint64", value))
        return f"py.word({word >> 32}, {word & 0xFFFFFFFF})"
    if isinstance(value, int | np.integer):
        return f"{int(value)}" if abs(int(value)) <= MOST else f"{int(value)}n"
    if isinstance(value, float | np.floating):
        named = {math.inf: "Infinity", -math.inf: "-Infinity"}
        return "NaN" if math.isnan(value) else named.get(float(value), repr(float(value)))
    if isinstance(value, str):
        return json.dumps(value).replace("<", "\\u003c")
    if isinstance(value, dict):
        pairs = (f"[{write_value(key)}, {write_value(item)}]" for key, item in value.items())
        return f"py.dict([{', '.join(pairs)}])"
    if isinstance(value, range):
        return write_value(list(value))
    if isinstance(value, tuple | list | np.ndarray) or type(value).__name__ == "array":
        return _write_list(cast("Iterable[object]", value))
    raise TypeError(f"a value of type {type(value).__name__}")


def _write_list(value: Iterable[object]) -> str:
    items = list(value)
    kinds = {type(item) for item in items}
    is_list = isinstance(value, tuple | list)
    if isinstance(value, np.ndarray) and value.dtype == np.uint64:
        kinds = {np.uint64}
    # Numbers that all fit one type of NumPy's are packed
    if kinds and kinds <= {int, float, *(np.dtype(c).type for c in "bBhHiIlqfd")}:
        whole = all(kind is int or issubclass(kind, np.integer) for kind in kinds)
        codes = "bhi" if whole else "fd"
        for code in codes:
            if is_list and len(items) < LONG:
                break
            if not is_list and isinstance(value, np.ndarray) and value.ndim > 1:
                break
            packed = _pack(items, code)
            if packed is not None:
                return f'py.numbers("{code}", {"true" if is_list else "false"}, {packed})'
    return f"[{', '.join(map(write_value, items))}]"


def _pack(items: list[object], code: str) -> str | None:
    """Write numbers for unpacking, or return None if the type *code* can't hold them all.

    They are written as bytes in base64. If most of them are zero, as in tables of tuple networks,
    only the others are, followed by their places as bits, and by the number of all.
    """
    kind = np.dtype(code).newbyteorder("<")
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            wanted = np.array(items, dtype=np.int64 if kind.kind == "i" else np.float64)
        except OverflowError:
            return None
        stored = wanted.astype(kind)
    if not np.array_equal(stored.astype(wanted.dtype), wanted, equal_nan=kind.kind == "f"):
        return None
    others = stored.view(f"u{kind.itemsize}") != 0  # unlike 0.0, -0.0 is one of them
    if len(items) < SPARSE or 4 * np.count_nonzero(others) > len(items):
        return _write_bytes(stored)
    places = np.packbits(others, bitorder="little")
    return f"{_write_bytes(stored[others])}, {_write_bytes(places)}, {len(items)}"


def _write_bytes(numbers: Array) -> str:
    return f'"{base64.b64encode(numbers.tobytes()).decode("ascii")}"'


class _Module:
    """Translation of a module: the definitions that are needed.

    Args:
        source: Module to be translated.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tree = ast.parse(source.text, source.file)
        self.definitions: dict[str, ast.stmt] = {}
        self.imports: dict[str, str] = {}
        self.modules: dict[str, str] = {}
        self.attributes = {"self"}
        for node in self.tree.body:
            self._note(node)
        self.written: dict[str, str] = {}

    def _note(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.definitions[node.name] = node
            if isinstance(node, ast.ClassDef):
                self.attributes |= _find_attributes(node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = MODULES.get(alias.name, alias.name)
                self.modules[alias.asname or alias.name] = name
        elif isinstance(node, ast.ImportFrom):
            module = MODULES.get(node.module or "", node.module or "")
            for alias in node.names:
                self.imports[alias.asname or alias.name] = f"{module}.{alias.name}"
        else:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    self.definitions[inner.id] = node

    def fail(self, node: ast.AST | None, construct: str) -> TranslationError:
        """Return the error for a *construct* that is not supported."""
        line = getattr(node, "lineno", 0)
        return TranslationError(
            f"{self.source.file}, line {line}: {construct} can't be written as JavaScript"
        )

    def write(self, names: list[str]) -> str:
        """Write the module as an expression: an object with the functions *names*."""
        for name in names:
            self.reach(name, None)
        order = {name: node.lineno for name, node in self.definitions.items()}
        constants = [text for text in self.written.values() if text.startswith("const ")]
        others = sorted(  # in the order of the file
            (name for name, text in self.written.items() if not text.startswith("const ")),
            key=lambda name: order[name],
        )
        texts = list(dict.fromkeys([*constants, *(self.written[name] for name in others)]))
        given = ", ".join(f"{json.dumps(name)}: {rename(name)}" for name in names)
        return "(() => {\n" + "\n".join(texts) + f"\nreturn {{{given}}};\n}})()"

    def reach(self, name: str, node: ast.AST | None) -> None:
        """Write the definition of *name*, and all that it needs."""
        if name in self.written or name in self.source.given:
            return
        definition = self.definitions.get(name)
        if definition is None:
            raise self.fail(node, f"the name {name}")
        self.written[name] = ""  # it may need itself
        if isinstance(definition, ast.FunctionDef):
            self.written[name] = _Scope(self, definition).write_function()
        elif isinstance(definition, ast.ClassDef):
            self.written[name] = self._write_class(definition)
        else:
            self.written[name] = self._write_global(name, definition)

    def _write_global(self, name: str, node: ast.stmt) -> str:
        # Constants have a value already; anything else is computed when the script runs
        value = self.source.space.get(name)
        if value is getattr(int, "bit_count", None):
            return f"const {rename(name)} = py.methods.bit_count;"
        try:
            return f"const {rename(name)} = {write_value(value)};"
        except TypeError as error:
            inner = isinstance(node, ast.Assign | ast.AnnAssign) and node.value
            if not inner or isinstance(value, np.ndarray):
                raise self.fail(node, f"the constant {name}, {error},") from None
        scope = _Scope(self, None)
        assert isinstance(node, ast.Assign | ast.AnnAssign)
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        for other in ast.walk(target):
            if isinstance(other, ast.Name):
                self.written.setdefault(other.id, "")
        form = scope.write_pattern(target)
        text = scope.with_temporaries(f"let {form} = {scope.unpacked(target, inner)};")
        for other in ast.walk(target):
            if isinstance(other, ast.Name):
                self.written[other.id] = text
        return text

    def _write_class(self, node: ast.ClassDef) -> str:
        name = rename(node.name)
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        if bases == ["NamedTuple"]:
            return self._write_named_tuple(node)
        if node.decorator_list or len(bases) != len(node.bases) or len(bases) > 1:
            raise self.fail(node, f"the class {node.name}")
        head = f"class {name}"
        if bases:
            head += f" extends {_Scope(self, None).write_name(bases[0], node)}"
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        texts = [_Scope(self, method).write_method() for method in methods]
        return f"{head} {{\n{''.join(texts)}}}"

    def _write_named_tuple(self, node: ast.ClassDef) -> str:
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        names, scope, parameters, getters = [], _Scope(self, None), [], []
        for place, each in enumerate(fields):
            assert isinstance(each.target, ast.Name)
            name = each.target.id
            names.append(rename(name))
            default = f" = {scope.write(each.value)}" if each.value else ""
            parameters.append(rename(name) + default)
            getters.append(f"  get {name}() {{ return this[{place}]; }}\n")
        name = rename(node.name)
        return (
            f"class {name}$ extends Array {{\n{''.join(getters)}}}\n"
            f"function {name}({', '.join(parameters)}) {{\n"
            f"  return {name}$.of({', '.join(names)});\n}}"
        )


def _find_attributes(node: ast.ClassDef) -> set[str]:
    """Return the attributes of a class: methods, fields, and those that methods assign to."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef):
            found.add(inner.name)
        elif isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
            found.add(inner.target.id)
        elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            found.add(inner.attr)
    return found


def rename(name: str) -> str:
    """Return *name* in a form that JavaScript allows."""
    return f"{name}$" if name in RESERVED else name


class _Scope:
    """Translation of a function, or of a module's top level.

    Args:
        module: Module that it belongs to.
        function: Definition of the function; None for the top level.
        outer: Local names of the enclosing functions.
    """

    def __init__(
        self, module: _Module, function: Function | None, outer: frozenset[str] = frozenset()
    ) -> None:
        self.module, self.function = module, function
        self.temporaries: list[str] = []
        self.floating = False
        self.variables: list[str] = []
        names: set[str] = set()
        if function is not None:
            arguments = function.args
            if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
                raise module.fail(function, "a function with * or ** among its parameters")
            self.parameters = [argument.arg for argument in arguments.args]
            self.variables = [
                name for name in _find_assigned(function) if name not in self.parameters
            ]
            names = {*self.parameters, *self.variables}
            names |= {n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef)}
            self.floating = _counts_floating(function)
        self.local = outer | names

    # Functions

    def write_function(self) -> str:
        """Write a function declaration."""
        function = self.function
        assert isinstance(function, ast.FunctionDef)
        for decorator in function.decorator_list:
            if not ast.unparse(decorator).startswith(("lru_cache", "cache")):
                raise self.module.fail(decorator, f"the decorator {ast.unparse(decorator)}")
        head = f"function {rename(function.name)}({self._write_parameters()})"
        return f"{head} {{\n{self._write_body(function.body)}}}"

    def write_method(self) -> str:
        """Write a method of a class; its first parameter is JavaScript's ``this``."""
        function = self.function
        assert isinstance(function, ast.FunctionDef)
        if function.decorator_list:
            raise self.module.fail(function, f"the decorated method {function.name}")
        name = "constructor" if function.name == "__init__" else rename(function.name)
        own, *_ = self.parameters
        body = self._write_body(function.body)
        return f"{name}({self._write_parameters(1)}) {{\nconst {rename(own)} = this;\n{body}}}\n"

    def write_lambda(self) -> str:
        """Write an arrow function."""
        function = self.function
        assert isinstance(function, ast.Lambda)
        text = self.write(function.body)
        if self.temporaries:
            return (
                f"({self._write_parameters()}) => {{ let {', '.join(self.temporaries)};"
                f" return {text}; }}"
            )
        return f"({self._write_parameters()}) => ({text})"

    def _write_parameters(self, first: int = 0) -> str:
        assert self.function is not None
        arguments = self.function.args
        missing = len(arguments.args) - len(arguments.defaults)
        texts = []
        for place, argument in enumerate(arguments.args):
            text = rename(argument.arg)
            if place >= missing:
                text += f" = {self.write(arguments.defaults[place - missing])}"
            texts.append(text)
        return ", ".join(texts[first:])

    def _write_body(self, body: Sequence[ast.stmt]) -> str:
        text = self.write_statements(body)
        names = [*map(rename, self.variables), *self.temporaries]
        return (f"let {', '.join(names)};\n" if names else "") + text

    def with_temporaries(self, text: str) -> str:
        """Return a top-level statement, after the declarations of its temporary variables."""
        return f"let {', '.join(self.temporaries)};\n{text}" if self.temporaries else text

    def make_temporary(self) -> str:
        """Return the name of a new temporary variable."""
        self.temporaries.append(f"${len(self.temporaries)}")
        return self.temporaries[-1]

    # Statements

    def write_statements(self, body: Sequence[ast.stmt]) -> str:
        """Write statements, each in a line."""
        return "".join(f"{text}\n" for text in map(self.write_statement, body) if text)

    def write_statement(self, node: ast.stmt) -> str:
        """Write a statement."""
        if type(node) in BARE:
            return BARE[type(node)]
        method: Callable[[ast.stmt], str] | None = getattr(
            self, f"_{type(node).__name__.lower()}_statement", None
        )
        if method is None:
            raise self.module.fail(node, f"the statement {type(node).__name__.lower()}")
        return method(node)

    def _expr_statement(self, node: ast.Expr) -> str:
        return "" if isinstance(node.value, ast.Constant) else f"{self.write(node.value)};"

    def _return_statement(self, node: ast.Return) -> str:
        return f"return {self.write(node.value) if node.value else 'null'};"

    def _functiondef_statement(self, node: ast.FunctionDef) -> str:
        return _Scope(self.module, node, self.local).write_function()

    def _annassign_statement(self, node: ast.AnnAssign) -> str:
        return self._assign([node.target], node.value) if node.value else ""

    def _assign_statement(self, node: ast.Assign) -> str:
        return self._assign(node.targets, node.value)

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr) -> str:
        if len(targets) == 1:
            return self.write_assignment(targets[0], self.unpacked(targets[0], value))
        kept = self.make_temporary()
        texts = [f"{kept} = {self.write(value)};"]
        return " ".join([*texts, *(self.write_assignment(target, kept) for target in targets)])

    def unpacked(self, target: ast.expr, value: ast.expr) -> str:
        """Write *value*, unpacked into a list if the *target* is a tuple or list of names."""
        text = self.write(value)
        if not isinstance(target, ast.Tuple | ast.List):
            return text
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            return text
        return self._fit(target, text)

    @staticmethod
    def _fit(target: ast.Tuple | ast.List, text: str) -> str:
        if any(isinstance(item, ast.Starred) for item in target.elts):
            return f"py.builtins.list({text})"
        return f"py.unpack({text}, {len(target.elts)})"

    def write_assignment(self, target: ast.expr, text: str) -> str:
        """Write a statement that assigns *text* to the *target*."""
        if isinstance(target, ast.Subscript):
            if isinstance(target.slice, ast.Slice):
                raise self.module.fail(target, "an assignment to a slice")
            return f"py.put({self.write(target.value)}, {self.write(target.slice)}, {text});"
        if isinstance(target, ast.Tuple | ast.List) and not _is_plain(target):
            kept = self.make_temporary()
            parts = [f"{kept} = {text};"]
            for place, item in enumerate(target.elts):
                parts.append(self.write_assignment(item, f"{kept}[{place}]"))
            return " ".join(parts)
        return f"{self.write_pattern(target)} = {text};"

    def write_pattern(self, target: ast.expr) -> str:
        """Write the left side of an assignment, which has no subscripts."""
        if isinstance(target, ast.Name):
            return rename(target.id)
        if isinstance(target, ast.Starred):
            return f"...{self.write_pattern(target.value)}"
        if isinstance(target, ast.Tuple | ast.List):
            return f"[{', '.join(map(self.write_pattern, target.elts))}]"
        if isinstance(target, ast.Attribute):
            return f"{self.write(target.value)}.{target.attr}"
        raise self.module.fail(target, f"an assignment to {ast.unparse(target)}")

    def _augassign_statement(self, node: ast.AugAssign) -> str:
        name = self._name_operator(node.op, node)
        name = "iadd" if name == "add" and not self.floating else name
        value = self.write(node.value)
        target = node.target
        if isinstance(target, ast.Subscript):
            # Holder and place are evaluated once
            holder, place = self.make_temporary(), self.make_temporary()
            return (
                f"{holder} = {self.write(target.value)}; {place} = {self.write(target.slice)};"
                f" py.put({holder}, {place}, py.{name}(py.at({holder}, {place}), {value}));"
            )
        if self.floating and name == "fadd":
            name = "iadd" if isinstance(node.value, ast.List | ast.ListComp) else name
        return f"{self.write_pattern(target)} = py.{name}({self.write(target)}, {value});"

    def _if_statement(self, node: ast.If) -> str:
        text = f"if ({self.write_test(node.test)}) {{\n{self.write_statements(node.body)}}}"
        if node.orelse:
            text += f" else {{\n{self.write_statements(node.orelse)}}}"
        return text

    def _while_statement(self, node: ast.While) -> str:
        if node.orelse:
            raise self.module.fail(node, "while with else")
        return f"while ({self.write_test(node.test)}) {{\n{self.write_statements(node.body)}}}"

    def _for_statement(self, node: ast.For) -> str:
        if node.orelse:
            raise self.module.fail(node, "for with else")
        body = self.write_statements(node.body)
        counted = self._write_range(node)
        if counted:
            return f"{counted}{body}}}"
        given = self.write(node.iter)
        if isinstance(node.target, ast.Tuple) and all(
            isinstance(item, ast.Name) for item in node.target.elts
        ):  # faster than a pattern
            item = self.make_temporary()
            names = (self.write_pattern(name) for name in node.target.elts)
            parts = " ".join(f"{name} = {item}[{at}];" for at, name in enumerate(names))
            return f"for ({item} of py.iter({given})) {{\n{parts}\n{body}}}"
        return f"for ({self.write_pattern(node.target)} of py.iter({given})) {{\n{body}}}"

    def _write_range(self, node: ast.For) -> str:
        """Write the head of a loop over ``range`` with step 1; return "" for any other loop."""
        given = node.iter
        if not (
            isinstance(given, ast.Call)
            and isinstance(given.func, ast.Name)
            and given.func.id == "range"
            and "range" not in self.local
            and len(given.args) <= 2
            and isinstance(node.target, ast.Name)
        ):
            return ""
        first, last = given.args if len(given.args) == 2 else (ast.Constant(0), given.args[0])
        place, end = self.make_temporary(), self.make_temporary()
        return (
            f"{end} = py.index({self.write(last)});\n"
            f"for ({place} = py.index({self.write(first)}); {place} < {end}; {place}++) {{\n"
            f"{rename(node.target.id)} = {place};\n"
        )

    def _raise_statement(self, node: ast.Raise) -> str:
        if node.exc is None:
            raise self.module.fail(node, "raise without an exception")
        call = node.exc if isinstance(node.exc, ast.Call) else None
        kind = call.func if call else node.exc
        given = ", ".join(map(self.write, call.args)) if call else ""
        return f"throw new {self.write(kind)}({given});"

    def _try_statement(self, node: ast.Try) -> str:
        if node.finalbody or node.orelse:
            raise self.module.fail(node, "try with else or finally")
        text = f"try {{\n{self.write_statements(node.body)}}} catch ($error) {{\n"
        for handler in node.handlers:
            if handler.type is None:
                raise self.module.fail(handler, "except without an exception")
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            tests = " || ".join(f"$error instanceof {self.write(kind)}" for kind in kinds)
            text += f"if ({tests}) {{\n{self.write_statements(handler.body)}}} else "
        return f"{text}throw $error;\n}}"

    # Expressions

    def write(self, node: ast.expr) -> str:
        """Write an expression."""
        method: Callable[[ast.expr], str] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if method is None:
            raise self.module.fail(node, f"the expression {ast.unparse(node)!r:.60}")
        return method(node)

    def write_test(self, node: ast.expr) -> str:
        """Write an expression that is used as a condition."""
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.write_test(node.operand)}"
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.write_test, node.values))})"
        return f"py.truth({self.write(node)})"

    def _constant(self, node: ast.Constant) -> str:
        try:
            return write_value(node.value)
        except TypeError as error:
            raise self.module.fail(node, str(error)) from None

    def _name(self, node: ast.Name) -> str:
        return self.write_name(node.id, node)

    def write_name(self, name: str, node: ast.AST) -> str:
        """Write a name: of a variable, a definition, an import, a module, or a builtin."""
        module = self.module
        if name in self.local:
            return rename(name)
        if name in module.source.given:
            return module.source.given[name]
        if name in module.definitions:
            module.reach(name, node)
            return rename(name)
        if name in module.imports:
            place, _, imported = module.imports[name].rpartition(".")
            return self._write_imported(place, imported, node)
        if name in module.modules:
            return f"py.lib.{module.modules[name]}"
        if name in BUILTINS:
            return f"py.builtins.{name}"
        kind = "the builtin" if hasattr(builtins, name) else "the name"
        raise module.fail(node, f"{kind} {name}")

    def _write_imported(self, module: str, name: str, node: ast.AST) -> str:
        if name not in LIBRARY.get(module, "").split():
            raise self.module.fail(node, f"{module}.{name}")
        if module == "operator" and self.floating and name in FLOATING:
            name = f"f{name}"
        return f"py.lib.{module}.{name}"

    def _find_module(self, node: ast.expr) -> str:
        """Return the name in ``py.lib`` of the module that *node* is; empty if it is no module."""
        if not isinstance(node, ast.Name) or node.id in self.local:
            return ""
        given = self.module.source.given.get(node.id, "")
        if given.startswith("py.lib."):
            return given.removeprefix("py.lib.")
        return self.module.modules.get(node.id, "")

    def _attribute(self, node: ast.Attribute) -> str:
        if module := self._find_module(node.value):
            return self._write_imported(module, node.attr, node)
        text = self.write(node.value)
        if node.attr not in self.module.attributes:
            raise self.module.fail(node, f"the attribute {node.attr}")
        return f"{text}.{node.attr}"

    def _tuple(self, node: ast.Tuple | ast.List) -> str:
        return f"[{', '.join(map(self.write, node.elts))}]"

    _list = _tuple

    def _starred(self, node: ast.Starred) -> str:
        return f"...py.iter({self.write(node.value)})"

    def _set(self, node: ast.Set) -> str:
        return f"py.builtins.set([{', '.join(map(self.write, node.elts))}])"

    def _dict(self, node: ast.Dict) -> str:
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise self.module.fail(node, "a dictionary with **")
            pairs.append(f"[{self.write(key)}, {self.write(value)}]")
        return f"py.dict([{', '.join(pairs)}])"

    def _name_operator(self, operator: ast.AST, node: ast.AST) -> str:
        name = OPERATORS.get(type(operator))
        if name is None:
            raise self.module.fail(node, f"the operator {type(operator).__name__}")
        return f"f{name}" if self.floating and name in FLOATING else name

    def _binop(self, node: ast.BinOp) -> str:
        name = self._name_operator(node.op, node)
        return f"py.{name}({self.write(node.left)}, {self.write(node.right)})"

    def _unaryop(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return self.write_test(node)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return f"-{self.write(node.operand)}"
        return f"py.{OPERATORS[type(node.op)]}({self.write(node.operand)})"

    def _boolop(self, node: ast.BoolOp) -> str:
        # As in Python, the value is that of the last operand evaluated
        *others, last = node.values
        text = self.write(last)
        for value in reversed(others):
            kept = self.make_temporary()
            test = f"py.truth({kept} = {self.write(value)})"
            is_and = isinstance(node.op, ast.And)
            text = f"({test} ? {text} : {kept})" if is_and else f"({test} ? {kept} : {text})"
        return text

    def _ifexp(self, node: ast.IfExp) -> str:
        parts = self.write_test(node.test), self.write(node.body), self.write(node.orelse)
        return "({} ? {} : {})".format(*parts)

    def _compare(self, node: ast.Compare) -> str:
        # Operands in the middle are evaluated once
        tests, left = [], self.write(node.left)
        for place, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            text = self.write(right)
            if place + 1 < len(node.ops) and not isinstance(right, ast.Name | ast.Constant):
                kept = self.make_temporary()
                tests.append(self._write_comparison(operator, left, f"({kept} = {text})"))
                left = kept
            else:
                tests.append(self._write_comparison(operator, left, text))
                left = text
        return tests[0] if len(tests) == 1 else f"({' && '.join(tests)})"

    @staticmethod
    def _write_comparison(operator: ast.cmpop, left: str, right: str) -> str:
        negated = "!" if isinstance(operator, ast.NotEq | ast.NotIn | ast.IsNot) else ""
        if isinstance(operator, ast.Is | ast.IsNot):
            return f"{negated}({left} === {right})"
        if isinstance(operator, ast.In | ast.NotIn):
            return f"{negated}py.contains({right}, {left})"
        name = "eq" if negated else OPERATORS[type(operator)]
        return f"{negated}py.{name}({left}, {right})"

    def _subscript(self, node: ast.Subscript) -> str:
        text, place = self.write(node.value), node.slice
        if isinstance(place, ast.Slice):
            ends = (place.lower, place.upper, place.step)
            return f"py.slice({text}, {', '.join(self.write(e) if e else 'null' for e in ends)})"
        return f"py.at({text}, {self.write(place)})"

    def _call(self, node: ast.Call) -> str:
        function = node.func
        given = [self.write(argument) for argument in node.args]
        if isinstance(function, ast.Attribute) and not self._find_module(function.value):
            if function.attr in METHODS:
                return self._write_method_call(node, function, given)
            if function.attr not in self.module.attributes:
                raise self.module.fail(node, f"the method {function.attr}")

        # Keywords go to their places, or to builtins as an object
        text = self.write(function)
        if isinstance(function, ast.Name) and function.id not in self.local:
            definition = self.module.definitions.get(function.id)
            if isinstance(definition, ast.FunctionDef):
                return f"{text}({', '.join(self._order(node, definition, given))})"
            if not isinstance(definition, ast.ClassDef):
                if text in {"py.builtins.max", "py.builtins.min"}:
                    given = [f"[{', '.join(given)}]"]
                return f"{text}({', '.join([*given, *self._write_options(node)])})"
            if [ast.unparse(base) for base in definition.bases] != ["NamedTuple"]:
                text = f"new {text}"
        if node.keywords:
            raise self.module.fail(node, f"a keyword in the call of {ast.unparse(function)}")
        return f"{text}({', '.join(given)})"

    def _order(self, node: ast.Call, function: ast.FunctionDef, given: list[str]) -> list[str]:
        """Return the arguments of a call in the order of the *function*'s parameters."""
        parameters = [argument.arg for argument in function.args.args]
        named = {keyword.arg: self.write(keyword.value) for keyword in node.keywords}
        if unknown := named.keys() - set(parameters):
            raise self.module.fail(node, f"the keyword {unknown.pop() or '**'}")
        rest = [named.get(name, "undefined") for name in parameters[len(given) :]]
        while rest and rest[-1] == "undefined":
            rest.pop()
        return [*given, *rest]

    def _write_options(self, node: ast.Call) -> list[str]:
        """Write the keyword arguments of a call of a builtin."""
        pairs = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.module.fail(node, "a call with **")
            if keyword.arg != "strict":
                pairs.append(f"{keyword.arg}: {self.write(keyword.value)}")
        return [f"{{ {', '.join(pairs)} }}"] if pairs else []

    def _write_method_call(self, node: ast.Call, function: ast.Attribute, given: list[str]) -> str:
        parts = [*given, *self._write_options(node)]
        owner = self.write(function.value)
        if function.attr in self.module.attributes:  # of an object, too
            return f"py.invoke({', '.join([owner, write_value(function.attr), *parts])})"
        return f"py.methods.{function.attr}({', '.join([owner, *parts])})"

    def _lambda(self, node: ast.Lambda) -> str:
        return f"({_Scope(self.module, node, self.local).write_lambda()})"

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> str:
        return self._write_comprehension(node, node.elt)

    _generatorexp = _listcomp

    def _setcomp(self, node: ast.SetComp) -> str:
        return f"py.builtins.set({self._write_comprehension(node, node.elt)})"

    def _dictcomp(self, node: ast.DictComp) -> str:
        pair = ast.Tuple([node.key, node.value])
        return f"py.dict({self._write_comprehension(node, pair)})"

    def _write_comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp, item: ast.expr
    ) -> str:
        # An arrow function with loops that push items to an array
        inner = _Scope(self.module, None, self.local)
        inner.floating = self.floating
        head, tail = "", ""
        for generator in node.generators:
            source = (self if not head else inner).write(generator.iter)
            names = {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
            inner.local |= names
            target = inner.write_pattern(generator.target)
            head += f"for (const {target} of py.iter({source})) {{ "
            for test in generator.ifs:
                head += f"if (!{inner.write_test(test)}) continue; "
            tail += " }"
        text = inner.write(item)
        kept = f"let {', '.join(inner.temporaries)}; " if inner.temporaries else ""
        return f"(() => {{ const $r = []; {kept}{head}$r.push({text});{tail} return $r; }})()"

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        parts = []
        for value in node.values:
            if isinstance(value, ast.Constant):
                parts.append(write_value(value.value))
                continue
            assert isinstance(value, ast.FormattedValue)
            text = self.write(value.value)
            if value.conversion == ord("r"):
                text = f"py.repr({text})"
            elif value.conversion != -1:
                text = f"py.str({text})"
            form = self.write(value.format_spec) if value.format_spec else ""
            parts.append(f"py.format({text}, {form})" if form else f"py.str({text})")
        return " + ".join(["(''", *parts]) + ")"

    def _namedexpr(self, node: ast.NamedExpr) -> str:
        return f"({rename(node.target.id)} = {self.write(node.value)})"


def _is_plain(target: ast.Tuple | ast.List) -> bool:
    """Test if JavaScript can assign to all parts of the *target* at once."""
    return not any(isinstance(node, ast.Subscript) for node in ast.walk(target))


def _find_assigned(function: Function) -> list[str]:
    """Return the variables of a *function*, without those of functions and comprehensions in it."""
    found: list[str] = []
    waiting: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            waiting += [inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)]
            continue
        waiting += ast.iter_child_nodes(node)
    return list(dict.fromkeys(found))


def _counts_floating(function: Function) -> bool:
    """Test if a *function*'s annotations, or a lambda's constants, are floating-point numbers."""
    if isinstance(function, ast.Lambda):
        return any(
            isinstance(node, ast.Constant) and isinstance(node.value, float)
            for node in ast.walk(function)
        )
    # Python decides by the values; here the annotations must
    notes = [argument.annotation for argument in function.args.args] + [function.returns]
    notes += [node.annotation for node in ast.walk(function) if isinstance(node, ast.AnnAssign)]
    return any(note and re.search(r"\bfloat\b", ast.unparse(note)) for note in notes)
