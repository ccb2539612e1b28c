"""The user's own functions and classes, as recipes and specifications of players name them.

There are two ways to name one: by a name that was given to :func:`register` in this process, or as
``FILE.py:NAME``. Only :func:`open_code` runs a file, and its callers need the user's consent. From
then on its name is ``FILE.py@DIGEST:NAME``, with a digest of its content: so a recipe means the
same code wherever the file is.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeAlias, TypeVar

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote
from evolve_arena.core.files import read_file

Result = TypeVar("Result")
Code: TypeAlias = Any
"""A function or class of the user's, or a placeholder for it."""

REFERENCE = re.compile(
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^:]*\.py)(?:@(?P<digest>[0-9a-f]{12}))?:(?P<name>[^\W\d]\w*)"
)
"""The form of a reference to a function or class in a file."""
LARGEST = 1 << 20
"""Most bytes of a file of code."""


class UserCodeError(ArenaError):
    """Raised if the user's own code fails, or does not fit its purpose."""


class AbsentCode:
    """A placeholder for code that was registered in the process that started a run, but not here.

    Args:
        name: Its registered name.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *items: object, **more: object) -> NoReturn:
        """Fail: the code can be named, but not called.

        Raises:
            UserCodeError: Always.
        """
        raise UserCodeError(f"{self.__name__} was given in Python, and is not here")


@dataclass(frozen=True)
class CodeFile:
    """A file of the user's code that was run."""

    path: Path
    source: bytes
    module: ModuleType


_files: dict[str, CodeFile] = {}
_registered: dict[str, Code] = {}
_absent: dict[str, AbsentCode] = {}
NAME = re.compile(r"[^\W\d][\w-]*")
"""The form of a registered name."""


def register(thing: Code = None, *, name: str | None = None) -> Code:
    """Let recipes and specifications of players name a function or class of this process.

    It is a decorator, too. It takes a player (a subclass of `evolve_arena.extend.Player`), a method
    (one of `evolve_arena.extend.Method`), or a function: a fitness, a selection, a crossover, a
    mutation, an initialisation. A run that uses it can be resumed where the same name is registered
    again; code in a file, named ``FILE.py:NAME``, is found anywhere.

    Args:
        thing: The function or class.
        name: The name to register; its own name if None.

    Returns:
        *thing*.

    Raises:
        BadValueError: The name is no identifier, such as that of a lambda.

    >>> @register
    ... def short_games(matches):
    ...     return -matches.plies.mean()
    >>> find_registered("short_games") is short_games
    True
    """
    if thing is None:
        return lambda each: register(each, name=name)
    called = str(name or getattr(thing, "__name__", ""))
    if not NAME.fullmatch(called):
        raise BadValueError(f"{quote(called)} is no name: write register(..., name='a-name')")
    _registered[called] = thing
    return thing


def registered_names() -> list[str]:
    """Return all names that were given to :func:`register`."""
    return list(_registered)


def find_registered(name: str) -> Code | None:
    """Return the code that is registered under *name*, or a placeholder for it, or None."""
    return _registered.get(name, _absent.get(name))


def note_absent(name: str) -> None:
    """Register a placeholder under *name* until the code itself is registered here."""
    _absent[name] = AbsentCode(name)


def is_reference(text: object) -> bool:
    """Return True if *text* refers to a function or class in a file.

    >>> is_reference("my_ops.py:blend"), is_reference('process:"python bot.py"')
    (True, False)
    """
    return isinstance(text, str) and REFERENCE.fullmatch(text.strip()) is not None


def open_code(path: Path, source: bytes | None = None) -> str:
    """Run the file at *path*, unless a file of the same content was run before.

    Args:
        path: The file. It can import installed packages, but no file beside it.
        source: Its content, if that was read already.

    Returns:
        The digest that references to it contain from now on.

    Raises:
        UserCodeError: The file can't be read, or fails; the text names the line.
    """
    try:
        source = read_file(path, LARGEST) if source is None else source
    except OSError as error:
        raise UserCodeError(f"{path}: {error.strerror}") from None
    digest = hashlib.sha256(source).hexdigest()[:12]
    if digest not in _files:
        # Registered first, as dataclasses and pickles look up their module by name.
        module = ModuleType(f"evolve_arena_user_{digest}")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module
        try:
            exec(compile(source, str(path), "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            del sys.modules[module.__name__]
            raise UserCodeError(describe_failure(error, path)) from error
        _files[digest] = CodeFile(path, source, module)
    return digest


def is_open(source: bytes) -> bool:
    """Return True if a file of this content was run before."""
    return hashlib.sha256(source).hexdigest()[:12] in _files


def opened_files() -> list[tuple[Path, bytes]]:
    """Return the files that were run, with their contents, for another process to run the same."""
    return [(file.path, file.source) for file in _files.values()]


def find_file(reference: str) -> CodeFile | None:
    """Return the file of a *reference* with a digest; None if it has none, or was not run."""
    found = REFERENCE.fullmatch(reference.strip())
    return _files.get(found["digest"] or "") if found else None


def find_code(text: str) -> Code | None:
    """Return the code that *text* names: registered, or in a file that was run; else None.

    Raises:
        UnknownNameError: The file has nothing of that name.
    """
    file = find_file(text)
    if file is None:
        return find_registered(text)
    name = text.rpartition(":")[2]
    own = file.module.__name__
    known = [k for k, v in vars(file.module).items() if getattr(v, "__module__", "") == own]
    if not callable(vars(file.module).get(name)):
        raise UnknownNameError(f"name in {file.path.name}", name, known)
    return vars(file.module)[name]


def parameters_of(function: Callable[..., object]) -> dict[str, object]:
    """Return the defaults of the parameters of the user's *function*, ``...`` where there is none.

    Raises:
        UserCodeError: It can't be called, or its parameters are unknown.
    """
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise UserCodeError(f"{name_of(function)} can't be used: {error}") from None
    empty = inspect.Parameter.empty
    return {name: ... if each.default is empty else each.default for name, each in found.items()}


def name_of(function: object) -> str:
    """Return the name of a function for messages, with its file."""
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(function, "__code__", None)
    return f"{name} ({Path(code.co_filename).name})" if code else str(name)


def call(function: Callable[..., Result], *items: object, **more: object) -> Result:
    """Call the user's *function*.

    Raises:
        UserCodeError: The function fails. The text gives the error, the file and the line.
    """
    try:
        return function(*items, **more)
    except ArenaError:
        raise
    except Exception as error:
        file = getattr(getattr(function, "__code__", None), "co_filename", "")
        text = describe_failure(error, Path(file))
        raise UserCodeError(f"{getattr(function, '__name__', function)} failed: {text}") from error


def describe_failure(error: BaseException, file: Path) -> str:
    """Describe an *error* in the user's *file*: the file's name, the line, and the error."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
    ]
    if isinstance(error, SyntaxError) and error.filename == str(file):
        lines.append(error.lineno)
    where = f", line {lines[-1]}" if lines else ""
    text = error.msg if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
    return f"{file}{where}: {text}"
