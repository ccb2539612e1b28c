"""Translation of a game's rules to C: the functions that are needed, and their constants.

Types are inferred as by Numba: each operation gets the signature that Numba chooses for it.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numba
import numpy as np
from numba.core.registry import cpu_target

from evolve_arena.core.types import Number
from evolve_arena.runs.export.c import fill_lines, write_number_c
from evolve_arena.runs.export.javascript import TranslationError

TYPING = cpu_target.typing_context
types: Any = numba.types
typeof: Any = numba.typeof  # untyped, like the attributes of types
Type: TypeAlias = Any
"""Numba's type of a value, or an :class:`Array`."""
Signature: TypeAlias = Any
"""Numba's signature of an operation: types of arguments and result."""
Constant: TypeAlias = "Number | tuple[Constant, ...]"
"""A number, or a tuple of constants."""
OPERATORS: dict[type[ast.AST], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "and_": "&", "or_": "|", "xor": "^"}
SIGNS |= {"lshift": "<<", "rshift": ">>"}
SIGNED = {"add": "add", "sub": "sub", "mul": "mul", "floordiv": "floordiv", "mod": "mod"}
SIGNED |= {"pow": "power_of", "lshift": "shift_left", "rshift": "shift_right"}
"""Functions for these operations on signed numbers; see the template ``board.c``."""
EXTREMES = {"min": "least", "max": "most"}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
NUMBERS = frozenset(
    [
        "uint64",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint32",
        "uint16",
        "uint8",
        "intp",
        "float64",
        "bool_",
    ]
)
FLOATING = ("exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "fabs")
BITS = ("count_bits", "lowest_bit")


@dataclass(frozen=True)
class Array:
    """Type of an array, whose shape is known, since rules create no arrays."""

    dtype: Type
    shape: tuple[int, ...]
    constant: bool = False


@dataclass
class Value:
    """An expression in C."""

    text: str
    type: Type
    constant: Number = None
    """Its value, if it is a number that is known at translation."""
    parts: list[Value] | None = None
    """Expressions of its items, if it is a tuple that the source writes out."""


Types: TypeAlias = dict[str, Type]
"""Type of each variable at a point in a function; None if it depends on the control flow."""


def family(kind: Type) -> str:
    """Return a letter for a kind of type: array, tuple, unsigned, float or (signed) integer."""
    if isinstance(kind, Array):
        return "a"
    if isinstance(kind, types.BaseTuple):
        return "t"
    if kind == types.uint64:
        return "u"
    return "f" if isinstance(kind, types.Float) else "i"


class Rules:
    """Translation of a game's file: the functions, types and constants that are needed.

    Args:
        text: Content of the file.
        file: Name of the file, for messages.
        space: Values of the file's global names after it was run.
    """

    def __init__(self, text: str, file: str, space: Mapping[str, object]) -> None:
        TYPING.refresh()  # without this it has no operators until something is compiled
        self.file, self.space = file, space
        self.functions: dict[str, ast.FunctionDef] = {}
        self.imports: dict[str, str] = {}
        for node in ast.parse(text, file).body:
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
            elif isinstance(node, ast.Import):
                self.imports |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self.structs: dict[Type, str] = {}
        self.constants: dict[str, tuple[Value, str]] = {}
        self.made: dict[tuple[Type, ...], tuple[str, Type]] = {}
        self.waiting: dict[tuple[Type, ...], _Function] = {}
        self.texts: list[str] = []

    def fail(self, node: ast.AST | None, construct: str) -> TranslationError:
        """Return the error for a *construct* that can't be translated."""
        line = getattr(node, "lineno", 0)
        return TranslationError(f"{self.file}, line {line}: {construct} can't be written as C")

    def write(self) -> str:
        """Return the whole translation, in an order in which all is defined before it is used."""
        structs = "".join(self._define(kind, name) for kind, name in self.structs.items())
        constants = "".join(text for _, text in self.constants.values())
        return "\n".join([f"{structs}{constants}", *self.texts, ""])

    def name_type(self, kind: Type) -> str:
        """Return the C type of a variable whose type in Numba is *kind*."""
        if isinstance(kind, Array):
            return f"{'const ' if kind.constant else ''}{_name_item(kind.dtype)} *"
        if isinstance(kind, types.BaseTuple):
            for item in kind:
                self.name_type(item)
            return f"struct {self.structs.setdefault(kind, f'tuple{len(self.structs)}')}"
        if kind == types.none:
            return "void"
        return {"u": "uint64_t", "f": "double", "i": "int64_t"}[family(kind)]

    def _define(self, kind: Type, name: str) -> str:
        if isinstance(kind, types.UniTuple):
            fields = f"{self.name_type(kind.dtype)} m[{len(kind)}];"
        else:
            fields = " ".join(f"{self.name_type(k)} m{place};" for place, k in enumerate(kind))
        return f"struct {name} {{ {fields} }};\n"

    def read_constant(self, name: str, node: ast.AST) -> Value:
        """Return the constant *name* of the file, and define it in C."""
        if name not in self.constants:
            if name not in self.space:
                raise self.fail(node, f"the name {name}")
            value, place = self.space[name], f"game_{name}"
            if isinstance(value, bool | int | float | np.number | np.bool_):
                return self.make_number(value, node)
            if isinstance(value, np.ndarray) and value.size and value.dtype.kind in "iub":
                kind: Type = Array(getattr(types, str(value.dtype)), value.shape, constant=True)
                items = fill_lines(map(write_number_c, value.ravel().tolist()))
                head = f"static const {_name_item(kind.dtype)} {place}[]"
                text = f"{head} = {{\n{items}}};\n"
            elif isinstance(value, tuple) and value:
                kind = self.find_type(value, name, node)
                text = f"static const {self.name_type(kind)} {place} = {self._fill(value, kind)};\n"
            else:
                raise self.fail(node, f"the constant {name}, of type {type(value).__name__},")
            self.constants[name] = Value(place, kind), text
        return self.constants[name][0]

    def find_type(self, value: Constant, name: str, node: ast.AST) -> Type:
        """Return Numba's type of a tuple of numbers, or of such tuples.

        Args:
            value: Tuple of numbers, or of such tuples.
            name: Its name in the game's file, for messages.
            node: Place in the game's source; an error names its line.

        Raises:
            TranslationError: The tuple is empty, or has an item of another type.
        """
        try:
            kind = typeof(value)
        except ValueError:
            kind = None
        self._check(kind, name, node)
        return kind

    def _check(self, kind: Type, name: str, node: ast.AST) -> None:
        if isinstance(kind, types.BaseTuple) and len(kind):
            for item in kind:
                self._check(item, name, node)
        elif not isinstance(kind, types.Integer | types.Boolean | types.Float):
            raise self.fail(node, f"the constant {name}")

    def _fill(self, value: Constant, kind: Type) -> str:
        if not isinstance(kind, types.BaseTuple):
            return write_number_c(value)
        assert isinstance(value, tuple)
        items = ", ".join(self._fill(item, k) for item, k in zip(value, kind, strict=True))
        return f"{{{{{items}}}}}" if isinstance(kind, types.UniTuple) else f"{{{items}}}"

    def make_number(self, value: Number, node: ast.AST) -> Value:
        """Return a number that is known at translation as a C expression."""
        kind = typeof(value)
        if isinstance(kind, types.Float):
            return Value(write_number_c(float(value)), types.float64, float(value))
        if not isinstance(kind, types.Integer | types.Boolean):
            raise self.fail(node, f"the number {value!r}")
        text = write_number_c(value)
        if kind == types.uint64:
            text = f"UINT64_C({int(value)})"
        return Value(f"({text})" if text.startswith("-") else text, kind, int(value))

    def call(
        self, name: str, given: Sequence[Type], node: ast.AST | None = None
    ) -> tuple[str, Type]:
        """Translate the function *name* for *given* types; return its name in C and result type.

        A function is translated once for each combination of types.

        Args:
            name: Name of a function in the game's file.
            given: Types of its arguments, one for each parameter.
            node: The call in the game's source; an error names its line. None if the call comes
                from elsewhere.

        Raises:
            TranslationError: The function uses something that can't be written as C.
        """
        key = name, *given
        if key in self.waiting:  # it calls itself
            return self.waiting[key].place, self.waiting[key].guess(node)
        if key not in self.made:
            number = sum(other == name for other, *_ in [*self.made, *self.waiting])
            place = f"game_{name}_{number + 1}" if number else f"game_{name}"
            function = self.waiting[key] = _Function(self, self.functions[name], place)
            self.texts.append(function.write(list(given)))
            del self.waiting[key]
            self.made[key] = place, function.result
        return self.made[key]


def _name_item(dtype: Type) -> str:
    return {types.boolean: "uint8_t", types.float64: "double"}.get(dtype, f"{dtype}_t")


class _Function:
    """Translation of a function for given types of parameters.

    Args:
        rules: Rules that it belongs to.
        node: Definition of the function.
        place: Name in C.
    """

    def __init__(self, rules: Rules, node: ast.FunctionDef, place: str) -> None:
        self.rules, self.node, self.place = rules, node, place
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or node.decorator_list:
            raise rules.fail(node, f"the function {node.name}")
        self.parameters = [argument.arg for argument in arguments.args]
        self.result: Type = None
        self.given: list[Type] = []

    def guess(self, node: ast.AST | None) -> Type:
        """Return the result type for a recursive call, from the returns translated so far."""
        returns = (inner for inner in ast.walk(self.node) if isinstance(inner, ast.Return))
        if self.result is None and not self.given and any(inner.value for inner in returns):
            raise self.fail(node, f"the function {self.node.name}, which calls itself at first,")
        return self.result or (self.given or [types.none])[0]

    def write(self, given: list[Type]) -> str:
        """Translate the function for parameters of *given* types."""
        rules, node, place = self.rules, self.node, self.place
        own = dict(zip(self.parameters, given, strict=True))
        # The second time, the type of the result is known
        for _ in range(2):
            self.given = []
            self.lines: list[str] = []
            self.declared: dict[str, str] = {}
            self.read: set[str] = set()
            self.count = 0
            self.loops: list[tuple[list[Types], list[Types]]] = []
            self.types: Types | None = dict(own)
            self.write_body(node.body)
            if self.types is not None:
                self.given.append(types.none)
            self.result = self.given[0]
            for kind in self.given[1:]:
                self.result = self.unify(self.result, kind, node)

        # Head, declarations of variables that are used, and body
        names = {name: self.variable(name, kind) for name, kind in own.items()}
        head = ", ".join(
            f"{rules.name_type(kind)} {names[name]}".replace("* ", "*")
            for name, kind in own.items()
        )
        # Parameters that are not read would be warned about
        unread = [name for name in [*names.values(), *self.declared] if name not in self.read]
        body = "\n".join(f"    {line}" for line in self.lines)
        used = set(re.findall(r"\w+", body))
        text = f"static {rules.name_type(self.result)} {place}({head or 'void'}) {{\n"
        for name, kind in self.declared.items():
            if name in used and name not in names.values():
                empty = "{0}" if kind.startswith("struct") else "0"
                text += f"    {kind} {name} = {empty};\n".replace("* ", "*")
        for name in unread:
            if name in used or name in names.values():
                text += f"    (void){name};\n"
        return f"{text}{body}\n}}\n"

    def fail(self, node: ast.AST | None, construct: str) -> TranslationError:
        return self.rules.fail(node, construct)

    # Types

    def unify(self, first: Type, second: Type, node: ast.AST) -> Type:
        """Return the type to which Numba unifies two types.

        Args:
            first: One possible type of the value.
            second: The other possible type.
            node: Place in the game's source; an error names its line.

        Raises:
            TranslationError: The types have no type in common.
        """
        if first == second:
            return first
        found = None
        if not isinstance(first, Array) and not isinstance(second, Array):
            found = TYPING.unify_types(first, second)
        if found is None or isinstance(found, types.Optional):
            raise self.fail(node, f"a value that is {first} or {second}")
        return found

    def resolve(
        self, function: Callable[..., object], given: Sequence[Type], node: ast.AST
    ) -> Signature:
        """Return the signature that Numba chooses for a *function* of values of such types.

        Args:
            function: Python function of an operation, such as ``operator.add`` or ``abs``.
            given: Types of its arguments.
            node: Expression or statement of the game's source that errors quote.

        Raises:
            TranslationError: Numba has no signature for these types, or one of them is an array.
        """
        found = None
        if not any(isinstance(kind, Array) for kind in given):
            try:
                found = TYPING.resolve_function_type(function, tuple(given), {})
            except Exception as error:  # Numba's own errors are of many types
                raise self.fail(node, f"{ast.unparse(node)} ({type(error).__name__})") from None
        if found is None:
            raise self.fail(node, f"{ast.unparse(node)!r:.60}")
        return found

    def convert(self, value: Value, kind: Type, node: ast.AST) -> Value:  # noqa: PLR0911 - a table, in effect
        """Convert a *value* to another type, as Numba does.

        Args:
            value: Value to convert.
            kind: Type to convert it to; a tuple's parts are converted one by one.
            node: Place in the game's source; an error names its line.

        Raises:
            TranslationError: Only one of the types is a tuple, tuples differ in length, an array
                would change its type, or *kind* is a float of fewer than 64 bits.
        """
        if value.type == kind:
            return value
        if isinstance(kind, types.BaseTuple) and isinstance(value.type, types.BaseTuple):
            parts = zip(self.split(value, len(kind), node), kind, strict=True)
            return self.join([self.convert(part, to, node) for part, to in parts])
        if isinstance(value.type, Array | types.BaseTuple) or isinstance(
            kind, Array | types.BaseTuple
        ):
            raise self.fail(node, f"{value.type} as {kind}")
        if kind == types.boolean:
            return Value(f"({value.text} != 0)", kind)
        if isinstance(kind, types.Float):
            if kind != types.float64:
                raise self.fail(node, f"a number of type {kind}")
            return Value(f"(double){value.text}", kind, value.constant)
        if kind == types.uint64:
            if value.constant is not None and value.constant >= 0 and family(value.type) != "f":
                return Value(f"UINT64_C({value.constant})", kind, value.constant)
            if family(value.type) == "f":
                return Value(f"truncated_word({value.text})", kind)
            return Value(f"(uint64_t){value.text}", kind)
        if family(value.type) == "f":
            value = Value(f"truncated({value.text})", types.int64)
        widens = family(value.type) == "i" and TYPING.unify_types(value.type, kind) == kind
        if widens:
            return Value(value.text, kind, value.constant)
        cast = "(int64_t)" if kind == types.int64 else f"(int64_t)({_name_item(kind)})"
        return Value(f"{cast}{value.text}", kind)

    def merge(self, *each: Types | None) -> Types | None:
        """Merge the types of variables where several branches of the control flow join."""
        reached = [given for given in each if given is not None]
        if not reached:
            return None
        merged = dict(reached[0])
        for given in reached[1:]:
            for name, kind in given.items():
                before = merged.setdefault(name, kind)
                if before == kind:
                    continue
                merged[name] = None
                if before and kind and family(before) == family(kind) == "i":
                    merged[name] = TYPING.unify_types(before, kind)
        return merged

    # Variables

    def variable(self, name: str, kind: Type) -> str:
        """Return the name in C of a variable; it has one name for each kind of type."""
        if isinstance(kind, types.BaseTuple):
            return f"{name}_{self.rules.name_type(kind).removeprefix('struct ')}"
        return f"{name}_{family(kind)}"

    def store(self, name: str, value: Value, node: ast.AST) -> None:
        """Assign to a variable.

        Args:
            name: Name of the variable in the game's source.
            value: Value to assign; from here on the variable has its type.
            node: Place in the game's source; an error names its line.

        Raises:
            TranslationError: The value is None.
        """
        kind = value.type
        if kind == types.none:
            raise self.fail(node, "None")
        place = self.variable(name, kind)
        self.declared[place] = self.rules.name_type(kind)
        self.emit(f"{place} = {self.whole(value).text};")
        assert self.types is not None
        self.types[name] = kind

    def emit(self, line: str) -> None:
        self.lines.append("    " * len(self.indent) + line)

    @property
    def indent(self) -> range:
        """Range whose length is the current depth of nested blocks."""
        return range(self.depth)

    depth = 0

    def keep(self, value: Value) -> Value:
        """Assign *value* to a new variable, unless it is a known number; return the variable."""
        if value.constant is not None:
            return value
        self.count += 1
        name = f"kept{self.count}"
        self.emit(f"{self.rules.name_type(value.type)} {name} = {self.whole(value).text};")
        return Value(name, value.type)

    def join(self, parts: list[Value]) -> Value:
        """Return the tuple of these *parts*."""
        kind = types.Tuple(tuple(part.type for part in parts))
        return Value("", kind, parts=parts)

    def whole(self, value: Value) -> Value:
        """Return *value* as one expression."""
        if value.parts is None:
            return value
        items = ", ".join(self.whole(part).text for part in value.parts)
        braces = ("{{", "}}") if isinstance(value.type, types.UniTuple) else ("{", "}")
        name = self.rules.name_type(value.type)
        return Value(f"({name}){braces[0]}{items}{braces[1]}", value.type)

    def split(self, value: Value, count: int, node: ast.AST) -> list[Value]:
        """Return the parts of a tuple, or the items of an array.

        Args:
            value: Tuple or array to split.
            count: Number of parts that it must have.
            node: Place in the game's source; an error names its line.

        Raises:
            TranslationError: It has another number of parts, or none.
        """
        if value.parts is not None and len(value.parts) == count:
            return value.parts
        kind = value.type
        length = kind.shape[0] if isinstance(kind, Array) else 0
        if isinstance(kind, types.BaseTuple):
            length = len(kind)
        if length != count:
            raise self.fail(node, f"{count} names for {length or 'no'} values")
        if not value.text.isidentifier():
            value = self.keep(value)
        return [self.pick(value, place) for place in range(count)]

    def pick(self, value: Value, place: int) -> Value:
        """Return the item with the index *place* of a tuple or an array."""
        if value.parts is not None:
            return value.parts[place]
        if isinstance(value.type, Array):
            return self.pick_from_array(value, str(place))
        uniform = isinstance(value.type, types.UniTuple)
        text = f"{value.text}.m[{place}]" if uniform else f"{value.text}.m{place}"
        return Value(text, value.type[place])

    def pick_from_array(self, value: Value, place: str) -> Value:
        """Return the item of an array at the index *place*, a C expression: a number, or a row."""
        kind = value.type
        if len(kind.shape) == 1:
            return Value(f"{value.text}[{place}]", kind.dtype)
        step = int(np.prod(kind.shape[1:]))
        inner = Array(kind.dtype, kind.shape[1:], kind.constant)
        return Value(f"({value.text} + {step} * ({place}))", inner)

    # Statements

    def write_body(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self.types is None:
                return
            method: Callable[[ast.stmt], None] | None = getattr(
                self, f"_{type(node).__name__.lower()}_statement", None
            )
            if method is None:
                raise self.fail(node, f"the statement {type(node).__name__.lower()}")
            method(node)

    def write_block(self, head: str, body: Sequence[ast.stmt]) -> None:
        self.emit(f"{head} {{")
        self.depth += 1
        self.write_body(body)
        self.depth -= 1
        self.emit("}")

    def _pass_statement(self, node: ast.Pass) -> None:
        pass

    def _expr_statement(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.emit(f"(void){self.whole(self.value(node.value)).text};")

    def _return_statement(self, node: ast.Return) -> None:
        if node.value is None or ast.unparse(node.value) == "None":
            self.given.append(types.none)
            self.emit("return;")
            self.types = None
            return
        value = self.value(node.value)
        self.given.append(value.type)
        if self.result is not None:
            value = self.convert(value, self.result, node)
        self.emit(f"return {self.whole(value).text};")
        self.types = None

    def _break_statement(self, node: ast.Break) -> None:
        assert self.types is not None
        self.loops[-1][0].append(self.types)
        self.emit("break;")
        self.types = None

    def _continue_statement(self, node: ast.Continue) -> None:
        assert self.types is not None
        self.loops[-1][1].append(self.types)
        self.emit("continue;")
        self.types = None

    def _if_statement(self, node: ast.If) -> None:
        test, before = self.test(node.test), dict(self.types or {})
        self.write_block(f"if ({test})", node.body)
        after, self.types = self.types, before
        if node.orelse:
            self.lines[-1] += " else {"
            self.depth += 1
            self.write_body(node.orelse)
            self.depth -= 1
            self.emit("}")
        self.types = self.merge(after, self.types)

    def _while_statement(self, node: ast.While) -> None:
        if node.orelse:
            raise self.fail(node, "while with else")
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def write() -> None:
            at = len(self.lines)
            test = self.test(node.test)
            if len(self.lines) > at:
                raise self.fail(node, f"while {ast.unparse(node.test)!r:.60}")
            self.write_block(f"while ({test})", node.body)

        self.write_loop(write, endless=endless)

    def write_loop(self, write: Callable[[], None], *, endless: bool = False) -> None:
        """Write a loop, again until the types of variables at its start cover those at its end."""
        # Types can only widen, so this comes to an end
        at, head, kept = len(self.lines), self.types, self.count
        while True:
            self.types, self.count = dict(head or {}), kept
            self.loops.append(([], []))
            write()
            breaks, continues = self.loops.pop()
            again = self.merge(head, self.types, *continues)
            if again == head or self.merge(again, head) == head:
                break
            head = again
            del self.lines[at:]
        self.types = self.merge(*([] if endless else [head]), *breaks)

    def _for_statement(self, node: ast.For) -> None:
        if node.orelse:
            raise self.fail(node, "for with else")
        given, counts = node.iter, False
        called = (
            given.func.id
            if isinstance(given, ast.Call) and isinstance(given.func, ast.Name)
            else ""
        )
        if called in {"range", "enumerate"} and isinstance(given, ast.Call):
            if called == "range":
                self._write_range(node, [self.value(part) for part in given.args])
                return
            counts, given = True, given.args[0]
        items = self.value(given)
        if not isinstance(items.type, Array | types.UniTuple):
            raise self.fail(node, f"a loop over {ast.unparse(given)!r:.60}")
        uniform = isinstance(items.type, types.UniTuple)
        length = int(getattr(items.type, "count", 0) or items.type.shape[0])
        if not items.text.isidentifier():
            items = self.keep(items)

        def write() -> None:
            self.count += 1
            place = f"at{self.count}"
            self.emit(f"for (int64_t {place} = 0; {place} < {length}; {place}++) {{")
            self.depth += 1
            if uniform:
                item = Value(f"{items.text}.m[{place}]", items.type.dtype)
            else:
                item = self.pick_from_array(items, place)
            if counts:
                item = self.join([Value(place, types.int64), item])
            self.assign(node.target, item)
            self.write_body(node.body)
            self.depth -= 1
            self.emit("}")

        self.write_loop(write)

    def _write_range(self, node: ast.For, given: list[Value]) -> None:
        families = {family(part.type) for part in given}
        if families not in ({"i"}, {"u"}) or not 1 <= len(given) <= 3:
            raise self.fail(node, "a range of such numbers")
        kind = types.uint64 if families == {"u"} else types.int64
        # The end is computed once, as in Python
        first, last = given[:2] if len(given) > 1 else (Value("0", kind, 0), given[0])
        step = given[2] if len(given) > 2 else Value("1", kind, 1)
        if not step.constant:
            raise self.fail(node, "a range with such a step")

        def write() -> None:
            self.count += 1
            place, end, name = f"at{self.count}", f"end{self.count}", self.rules.name_type(kind)
            sign = "<" if step.constant > 0 else ">"
            onward = f"{place} += {step.text}"
            if abs(step.constant) > 1:  # it might overflow 64 bits
                before = self.operate(ast.Sub(), Value(end, kind), step, node).text
                onward = f"{place} = {place} {sign} {before} ? {place} + {step.text} : {end}"
            self.emit(
                f"for ({name} {place} = {first.text}, {end} = {last.text}; {place} {sign} {end};"
                f" {onward}) {{"
            )
            self.depth += 1
            self.assign(node.target, Value(place, kind))
            self.write_body(node.body)
            self.depth -= 1
            self.emit("}")

        self.write_loop(write)

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _assign_statement(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        if len(node.targets) > 1:
            value = self.keep(value)
        for target in node.targets:
            self.assign(target, value)

    def assign(self, target: ast.expr, value: Value) -> None:
        """Assign *value* to a variable, the parts of a tuple, or an item of an array."""
        if isinstance(target, ast.Name):
            self.store(target.id, value, target)
        elif isinstance(target, ast.Tuple):
            parts = self.split(value, len(target.elts), target)
            if value.parts is not None:  # all are computed before any is assigned
                parts = [self.keep(part) for part in parts]
            for inner, part in zip(target.elts, parts, strict=True):
                self.assign(inner, part)
        elif isinstance(target, ast.Subscript):
            place = self.value(target)
            holder = self.value(target.value).type
            if not isinstance(holder, Array) or holder.constant or isinstance(place.type, Array):
                raise self.fail(target, f"an assignment to {ast.unparse(target)}")
            if family(value.type) != "i" or holder.dtype == types.boolean:
                value = self.convert(value, holder.dtype, target)
            self.emit(f"{place.text} = ({_name_item(holder.dtype)}){value.text};")
        else:
            raise self.fail(target, f"an assignment to {ast.unparse(target)}")

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        left = self.value(node.target)
        self.assign(node.target, self.operate(node.op, left, self.value(node.value), node))

    # Expressions

    def value(self, node: ast.expr) -> Value:
        """Translate an expression."""
        method: Callable[[ast.expr], Value] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if method is None:
            raise self.fail(node, f"the expression {ast.unparse(node)!r:.60}")
        return method(node)

    def test(self, node: ast.expr) -> str:
        """Translate an expression that is used as a condition."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return sign.join(
                f"({text})" if " && " in text or " || " in text or "?" in text else text
                for text in map(self.test, node.values)
            )
        value = self.value(node)
        if isinstance(value.type, Array | types.BaseTuple):
            raise self.fail(node, f"{ast.unparse(node)!r:.60} as true or false")
        text = value.text
        if value.type == types.boolean:
            return text[1:-1] if _is_enclosed(text) else text
        return f"{text} != 0"

    def _constant(self, node: ast.Constant) -> Value:
        if not isinstance(node.value, bool | int | float):
            raise self.fail(node, repr(node.value))
        return self.rules.make_number(node.value, node)

    def _name(self, node: ast.Name) -> Value:
        if self.types is not None and node.id in self.types:
            kind = self.types[node.id]
            if kind is None:
                raise self.fail(node, f"{node.id}, a number with a sign or without,")
            place = self.variable(node.id, kind)
            self.read.add(place)
            return Value(place, kind)
        return self.rules.read_constant(node.id, node)

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.join([self.value(part) for part in node.elts])

    def _binop(self, node: ast.BinOp) -> Value:
        return self.operate(node.op, self.value(node.left), self.value(node.right), node)

    def operate(self, sign: ast.AST, left: Value, right: Value, node: ast.AST) -> Value:
        """Apply an operator to two values.

        Args:
            sign: Binary operator in the source's tree, such as ``ast.Add()``.
            left: Operand on the left.
            right: Operand on the right.
            node: Expression or statement of the game's source that errors quote.

        Raises:
            TranslationError: The operator can't be written as C for values of these types.
        """
        function = OPERATORS.get(type(sign))
        if function is None:
            raise self.fail(node, f"the operator {type(sign).__name__}")
        signature = self.resolve(function, (left.type, right.type), node)
        kind, name = signature.return_type, function.__name__
        a, b = (
            self.convert(v, k, node) for v, k in zip((left, right), signature.args, strict=True)
        )

        # Shifts: C leaves those by 64 or more undefined
        if name in {"lshift", "rshift"}:
            count = self.convert(b, types.uint64, node).text
            a = self.convert(a, kind, node)
            if kind == types.uint64:
                masked = count if b.constant is not None and b.constant < 64 else f"({count} & 63)"
                return Value(f"({a.text} {SIGNS[name]} {masked})", kind)
            return Value(f"{SIGNED[name]}({a.text}, {count})", kind)

        # Arithmetic: with functions where C differs from Python or overflow is undefined
        if family(a.type) != family(b.type) or name == "truediv":
            a, b = self.convert(a, kind, node), self.convert(b, kind, node)
        which = family(a.type)
        if which == "f" and name == "pow":
            return Value(f"pow({a.text}, {b.text})", kind)
        if which == "i" and name in SIGNED:
            return Value(f"{SIGNED[name]}({a.text}, {b.text})", kind)
        if which == "u" and name in {"floordiv", "mod"}:
            return Value(f"{name}_word({a.text}, {b.text})", kind)
        if name not in SIGNS:
            raise self.fail(node, f"{ast.unparse(node)!r:.60}")
        return Value(f"({a.text} {SIGNS[name]} {b.text})", kind)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(f"!({self.test(node.operand)})", types.boolean)
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        negative = isinstance(node.op, ast.USub)
        if negative and value.constant is not None and family(value.type) != "u":
            return self.rules.make_number(-value.constant, node)
        function = operator.neg if negative else operator.invert
        signature = self.resolve(function, (value.type,), node)
        value = self.convert(value, signature.args[0], node)
        text = f"(~{value.text})"
        if negative:
            text = {"i": "sub(0, {})", "u": "(0 - {})", "f": "(-{})"}[family(value.type)].format(
                value.text
            )
        return self.convert(Value(text, value.type), signature.return_type, node)

    def _boolop(self, node: ast.BoolOp) -> Value:
        values = [self.value(part) for part in node.values]
        if all(value.type == types.boolean for value in values):
            return Value(f"({self.test(node)})", types.boolean)
        *others, last = values
        for value, part in zip(reversed(others), reversed(node.values[:-1]), strict=True):
            if any(isinstance(inner, ast.Call) for inner in ast.walk(part)):
                raise self.fail(part, f"a call in the value of {ast.unparse(node)!r:.60}")
            kind = self.unify(value.type, last.type, node)
            own, other = self.convert(value, kind, node), self.convert(last, kind, node)
            pair = (other, own) if isinstance(node.op, ast.And) else (own, other)
            last = Value(f"({self.test(part)} ? {pair[0].text} : {pair[1].text})", kind)
        return last

    def _ifexp(self, node: ast.IfExp) -> Value:
        test, first, second = self.test(node.test), self.value(node.body), self.value(node.orelse)
        kind = self.unify(first.type, second.type, node)
        texts = [self.whole(self.convert(value, kind, node)).text for value in (first, second)]
        return Value(f"({test} ? {texts[0]} : {texts[1]})", kind)

    def _compare(self, node: ast.Compare) -> Value:
        texts, left = [], self.value(node.left)
        for place, (sign, given) in enumerate(zip(node.ops, node.comparators, strict=True)):
            calls = any(isinstance(inner, ast.Call) for inner in ast.walk(given))
            if calls and place + 1 < len(node.ops):
                raise self.fail(given, f"a call within {ast.unparse(node)!r:.60}")
            right = self.value(given)
            texts.append(self.compare(sign, left, right, node))
            left = right
        return Value(f"({' && '.join(texts)})", types.boolean)

    def compare(self, sign: ast.AST, left: Value, right: Value, node: ast.AST) -> str:
        """Compare two values.

        Args:
            sign: Comparison in the source's tree, such as ``ast.Lt()``; ``ast.In()`` and
                ``ast.NotIn()`` need a tuple that is written out on the right.
            left: Operand on the left.
            right: Operand on the right.
            node: Expression or statement of the game's source that errors quote.

        Raises:
            TranslationError: The comparison can't be written as C for values of these types.
        """
        if isinstance(sign, ast.In | ast.NotIn) and right.parts is not None:
            texts = [self.compare(ast.Eq(), left, part, node) for part in right.parts]
            found = f"({' || '.join(texts)})"
            return found if isinstance(sign, ast.In) else f"!{found}"
        mark = COMPARISONS.get(type(sign))
        kinds = family(left.type), family(right.type)
        if mark is None or not set(kinds) <= set("iuf"):
            raise self.fail(node, f"the comparison {ast.unparse(node)!r:.60}")
        if "f" in kinds:
            left = self.convert(left, types.float64, node)
            right = self.convert(right, types.float64, node)
        elif kinds == ("i", "u"):
            if mark in {"==", "!="} and left.constant is not None and left.constant >= 0:
                left = self.convert(left, types.uint64, node)
            else:
                return f"compare({left.text}, {right.text}) {mark} 0"
        elif kinds == ("u", "i"):
            return self.compare_flipped(mark, left, right, node)
        return f"{left.text} {mark} {right.text}"

    def compare_flipped(self, mark: str, left: Value, right: Value, node: ast.AST) -> str:
        """Compare an unsigned number with a signed one.

        Args:
            mark: Comparison in C, such as ``<``.
            left: Unsigned number on the left.
            right: Signed number on the right.
            node: Place in the game's source; an error names its line.
        """
        if mark in {"==", "!="} and right.constant is not None and right.constant >= 0:
            return f"{left.text} {mark} {self.convert(right, types.uint64, node).text}"
        return f"compare({right.text}, {left.text}) {MIRRORED.get(mark, mark)} 0"

    def _subscript(self, node: ast.Subscript) -> Value:
        holder = self.value(node.value)
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for given in places:
            if isinstance(given, ast.Slice):
                raise self.fail(node, f"the slice {ast.unparse(node)}")
            holder = self.take(holder, self.value(given), node)
        return holder

    def take(self, holder: Value, place: Value, node: ast.AST) -> Value:
        """Return the item at the index *place* of a tuple or an array.

        Args:
            holder: Tuple or array to take the item from.
            place: Integer index of the item; negative ones count from the end.
            node: Expression or statement of the game's source that errors quote.

        Raises:
            TranslationError: *holder* is neither tuple nor array, *place* is no integer or beyond
                the end, or it is unknown until the program runs and the tuple's items differ in
                type.
        """
        kind = holder.type
        if not isinstance(kind, Array | types.BaseTuple) or family(place.type) not in "iu":
            raise self.fail(node, f"{ast.unparse(node)!r:.60}")
        length = kind.shape[0] if isinstance(kind, Array) else len(kind)
        if place.constant is not None:
            if not -length <= place.constant < length:
                raise self.fail(node, f"{ast.unparse(node)!r:.60}, beyond the end,")
            return self.pick(holder, place.constant % length)
        # Negative places count from the end, and all are checked
        text = place.text
        if family(place.type) == "i":
            text = f"(uint64_t)wrap({text}, {length})"
        text = f"checked({text}, {length})"
        if isinstance(kind, Array):
            return self.pick_from_array(holder, text)
        if not isinstance(kind, types.UniTuple):
            raise self.fail(node, f"{ast.unparse(node)!r:.60}, of numbers of different types,")
        return Value(f"{self.whole(holder).text}.m[{text}]", kind.dtype)

    def _call(self, node: ast.Call) -> Value:  # noqa: PLR0911 - a table, in effect
        name = self._find_name(node.func)
        if name in self.rules.functions:
            return self._call_own(node, name)
        if node.keywords:
            raise self.fail(node, f"a keyword in {ast.unparse(node)!r:.60}")
        given = [self.value(argument) for argument in node.args]
        module, _, last = name.rpartition(".")
        if last in BITS and module.endswith(".bits") and len(given) == 1:
            return Value(f"{last}({self.convert(given[0], types.uint64, node).text})", types.int64)
        if module == "numpy" and last in NUMBERS and len(given) == 1:
            return self.convert(given[0], getattr(types, last), node)
        if module == "math" and last in FLOATING and len(given) == 1:
            return Value(
                f"{last}({self.convert(given[0], types.float64, node).text})", types.float64
            )
        if name in {"min", "max"} and len(given) > 1:
            return self._find_extreme(node, name, given)
        if len(given) == 1:
            found = self._call_builtin(node, name, given[0])
            if found is not None:
                return found
        if name == "divmod" and len(given) == 2:
            return self.join(
                [self.operate(sign(), given[0], given[1], node) for sign in (ast.FloorDiv, ast.Mod)]
            )
        raise self.fail(node, f"{ast.unparse(node)!r:.60}")

    def _call_builtin(self, node: ast.Call, name: str, value: Value) -> Value | None:  # noqa: PLR0911 - a table, in effect
        kind = value.type
        if name == "len" and isinstance(kind, Array | types.BaseTuple):
            length = kind.shape[0] if isinstance(kind, Array) else len(kind)
            return self.rules.make_number(length, node)
        if isinstance(kind, Array | types.BaseTuple):
            return None
        if name == "bool":
            return self.convert(value, types.boolean, node)
        if name == "float":
            return self.convert(value, types.float64, node)
        if name == "int":
            return value if kind == types.uint64 else self.convert(value, types.int64, node)
        if name in {"abs", "numpy.abs", "numpy.sign"}:
            function = np.sign if name == "numpy.sign" else abs
            result = self.resolve(function, (kind,), node).return_type
            text = {"sign": {"i": "sign({})", "u": "(uint64_t)({} != 0)"}}.get(
                function.__name__, {"i": "absolute({})", "u": "{}", "f": "fabs({})"}
            ).get(family(kind))
            return Value(text.format(value.text), result) if text else None
        return None

    def _find_extreme(self, node: ast.Call, name: str, given: list[Value]) -> Value:
        best = given[0]
        for value in given[1:]:
            kind = self.unify(best.type, value.type, node)
            own, other = (self.convert(each, kind, node).text for each in (best, value))
            call = EXTREMES[name] + {"i": "", "u": "_word", "f": "_number"}[family(kind)]
            best = Value(f"{call}({own}, {other})", kind)
        return best

    def _find_name(self, node: ast.expr) -> str:
        """Return the name of a called function, with its module if it is imported."""
        if isinstance(node, ast.Name) and node.id not in (self.types or {}):
            if node.id in self.rules.functions:
                return node.id
            return self.rules.imports.get(node.id, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return f"{self.rules.imports.get(node.value.id, '?')}.{node.attr}"
        return "?"

    def _call_own(self, node: ast.Call, name: str) -> Value:
        function = self.rules.functions[name]
        parameters = [argument.arg for argument in function.args.args]
        # Arguments by position, by keyword, then defaults
        named: dict[str, ast.expr] = dict(zip(parameters, node.args, strict=False))
        named |= {str(keyword.arg): keyword.value for keyword in node.keywords}
        defaults = function.args.defaults
        for place, default in zip(
            parameters[len(parameters) - len(defaults) :], defaults, strict=True
        ):
            named.setdefault(place, default)
        if set(named) != set(parameters) or len(node.args) > len(parameters):
            raise self.fail(node, f"the call {ast.unparse(node)!r:.60}")
        given = [self.value(named[parameter]) for parameter in parameters]
        place, kind = self.rules.call(name, [value.type for value in given], node)
        return Value(f"{place}({', '.join(self.whole(value).text for value in given)})", kind)


def _is_enclosed(text: str) -> bool:
    """Test if one pair of parentheses encloses the whole *text*."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place + 1 < len(text):
            return False
    return text.startswith("(")
