"""The user's own functions and classes, as recipes and specifications of players name them.

There are two ways to name one: by a name that was given to :func:`register` in this process, or as
``FILE.py:NAME``. A file is run by :func:`open_code` alone, and whoever calls that has the user's
word. From then on it goes by ``FILE.py@DIGEST:NAME``, where the digest is that of its content: so a
recipe means the same code wherever the file lies.
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
from typing import Any

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote
from evolve_arena.core.files import read_file

REFERENCE = re.compile(
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^:]*\.py)(?:@(?P<digest>[0-9a-f]{12}))?:(?P<name>[^\W\d]\w*)"
)
"""How a function or class in a file is named."""
LARGEST = 1 << 20
"""Bytes of a file."""


class UserCodeError(ArenaError):
    """The user's own code failed, or is not what is expected of it."""


class AbsentCode:
    """A stand-in for code that was registered where a run was started, and is not here.

    Args:
        name: What it was called.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *items: Any, **more: Any) -> Any:
        """Fail: it can be named, but not used.

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
_registered: dict[str, Any] = {}
_absent: dict[str, AbsentCode] = {}
NAME = re.compile(r"[^\W\d][\w-]*")
"""The form of a registered name."""


def register(thing: Any = None, *, name: str | None = None) -> Any:
    """Lets recipes and specifications of players name a function or class of this process.

    It is a decorator, too. What is so named is a player (a subclass of
    `evolve_arena.extend.Player`), a method of breeding (one of `evolve_arena.extend.Method`), or
    a function: a fitness, a selection, a crossover, a mutation, an initialisation. A run that uses
    it can be resumed where the same name is registered again; code that lies in a file, named ``FILE.py:NAME``, is found anywhere.

    Args:
        thing: The function or class.
        name: What it is called; its own name if None.

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
    """What :func:`register` was given, by name."""
    return list(_registered)


def find_registered(name: str) -> Any | None:
    """The code that is registered under *name*, or a stand-in for it, or None."""
    return _registered.get(name, _absent.get(name))


def note_absent(name: str) -> None:
    """Let a stand-in answer to *name* until that is registered here."""
    _absent[name] = AbsentCode(name)


def is_reference(text: object) -> bool:
    """Whether *text* names something in a file.

    >>> is_reference("my_ops.py:blend"), is_reference('process:"python bot.py"')
    (True, False)
    """
    return isinstance(text, str) and REFERENCE.fullmatch(text.strip()) is not None


def open_code(path: Path, source: bytes | None = None) -> str:
    """Runs the file at *path*, unless a file of the same content was run before.

    Args:
        path: The file. It is run alone: it can import installed packages, but no file beside it.
        source: Its content, if that was read already.

    Returns:
        The digest by which it goes from now on.

    Raises:
        UserCodeError: It can't be read, or fails; the text tells the line.
    """
    try:
        source = read_file(path, LARGEST) if source is None else source
    except OSError as error:
        raise UserCodeError(f"{path}: {error.strerror}") from None
    digest = hashlib.sha256(source).hexdigest()[:12]
    if digest not in _files:
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
    """Whether a file of this content was run before."""
    return hashlib.sha256(source).hexdigest()[:12] in _files


def opened_files() -> list[tuple[Path, bytes]]:
    """The files that were run, with what stood in them: another process can run the same."""
    return [(file.path, file.source) for file in _files.values()]


def find_file(reference: str) -> CodeFile | None:
    """The file that a *reference* with a digest means; None if it has none, or was not run."""
    found = REFERENCE.fullmatch(reference.strip())
    return _files.get(found["digest"] or "") if found else None


def find_code(text: str) -> Any | None:
    """What *text* names: something registered, or in a file that was run; None if neither.

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


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of the user's *function*: their defaults by name, ``...`` where none is.

    Raises:
        UserCodeError: It can't be called, or does not tell.
    """
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise UserCodeError(f"{name_of(function)} can't be used: {error}") from None
    empty = inspect.Parameter.empty
    return {name: ... if each.default is empty else each.default for name, each in found.items()}


def name_of(function: Any) -> str:
    """How messages call a function: by its name and its file."""
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(function, "__code__", None)
    return f"{name} ({Path(code.co_filename).name})" if code else str(name)


def call(function: Callable[..., Any], *items: Any, **more: Any) -> Any:
    """What the user's *function* gives.

    Raises:
        UserCodeError: It fails. The text tells the error, the file and the line.
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
    """What happened where in the user's *file*: its name, a line, and the error."""
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
