"""One way to compile: ``numba.njit`` with a cache that notices every change of our sources.

Numba's own cache looks only at the file in which a function stands. A changed callee in
another file would silently be ignored, so the cache folder is named after a digest of every
file that holds compiled code, and of the maps that games read. Compiled code must therefore take
its constants only from such files (a test watches over that).
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import platformdirs
from numba.core import event, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from evolve_arena import core
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.files import hold, make_private_folder, read_file
from evolve_arena.core.game import GameSpec
from evolve_arena.core.logs import LOG

Function = TypeVar("Function", bound=Callable[..., object])

# A file of the current folder, which may be somebody else's, decides nothing of what is compiled.
numba.core.config._config_fname = ""
numba.core.config.reload_config()  # type: ignore[no-untyped-call]

PACKAGES = ("core", "genomes", "players", "arena", "evolve", "games", "studies")
DECORATORS = rb"\b(compiled|inlined|instruction|constants)\b"
MARKER = re.compile(rb"core\.compiled import [^)\n]*(?:\([^)]*)?" + DECORATORS)
"""What a file that holds compiled code imports."""
KEPT_CACHES = 3
IN_USE = 86400.0
"""Seconds since a cache was used within which it is left alone, for a program may still need it."""
SELDOM = (50_000, 20, 20)
"""Thresholds for collecting garbage while something is compiled; that saves a twentieth."""
MOMENT = 1.0
"""Seconds of compiling before the user is told."""
MOST_WAITING = 120.0
"""Seconds until a process that compiles the same is not waited for any more."""


def compiled(function: Function) -> Function:
    """Compiles *function* on first use; later processes read the machine code from the cache.

    The global interpreter lock is released while it runs, division by zero gives infinity as
    in NumPy, and no array can be made inside: results go into arrays that the caller hands
    over. Without allocation Numba counts no references, which made the match kernel three
    times as fast.
    """
    return _decorate(function, forceinline=False)


def inlined(function: Function) -> Function:
    """Like :func:`compiled`, and its code is always put in place of a call from compiled code.

    For the small pieces of which the inner loops consist: LLVM's own judgement leaves calls
    that pass whole structures of arrays, at four times the cost.
    """
    return _decorate(function, forceinline=True)


def instruction(build: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of compiled code out of one that *builds* its LLVM instructions.

    *build* takes Numba's typing context and the types of the arguments, and gives a signature
    and a function that emits code.
    """
    return cast(Callable[..., Any], intrinsic(build))


@cache
def cache_folder() -> Path:
    """The folder that holds the machine code of exactly these sources.

    It lies in the user's cache folder, in ``EVOLVE_ARENA_CACHE`` if that is set, or in the
    temporary folder if neither can be written. Who can write to it decides what runs here, for
    Numba's index files are pickles; so a folder that somebody else could have made or changed is
    passed over. The last resort is a new folder, which is gone when this process ends.

    Raises:
        ArenaError: Anybody may replace what lies in the temporary folder as well.
    """
    name = f"kernels-{_digest()}"
    temporary = Path(os.path.realpath(tempfile.gettempdir()))
    for base in (*_find_bases(), temporary / f"evolve-arena-{_user()}"):
        folder = base / name
        try:
            if base.parent == temporary:
                make_private_folder(base)
            make_private_folder(folder)
            folder.touch()
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        _forget_old_caches(base, keep=folder)
        LOG.debug("compiled code lies in %s", folder)
        return folder
    return _make_passing_folder(temporary, name)


def is_kept() -> bool:
    """Return True if later processes find what is compiled now: this one leaves the folder."""
    return cache_folder().parent not in _passing


def compiled_sources() -> list[Path]:
    """Every file of the project that holds compiled code, this one included, sorted."""
    root = Path(__file__).resolve().parent.parent
    files = [Path(__file__).resolve()]
    for package in PACKAGES:
        for file in (root / package).rglob("*.py"):
            if MARKER.search(file.read_bytes()):
                files.append(file)
    return sorted(set(files))


def specialise(
    modules: Sequence[str],
    constants: Mapping[str, Any],
    instead: Mapping[str, str] | None = None,
) -> list[ModuleType]:
    """Copies of *modules* in which names have other values, so that they are compiled for these.

    What is behind ``if NAME and ...`` is left out where the constant ``NAME`` is False. Numba
    caches no function that is bound to another one or to a value, but it does cache the functions
    of files; so the copies lie in the cache folder, under a name made of all that they depend on.

    Args:
        modules: Their full names; the copies import each other.
        constants: By name, what an assignment at the beginning of a line in one of them becomes;
            a name such as ``package.module:NAME`` is meant in that module alone.
        instead: Other modules that the copies import, by what these modules import.

    Returns:
        The copies, in the order of *modules*.
    """
    texts = [Path(str(find_spec(name).origin)).read_text("utf-8") for name in modules]  # type: ignore[union-attr]
    given = repr((list(modules), sorted(constants.items()), sorted((instead or {}).items())))
    digest = hashlib.sha256("\0".join([given, *texts]).encode()).hexdigest()[:12]
    package = f"{modules[0].rpartition('.')[0].rpartition('.')[2]}_{digest}"
    folder = cache_folder() / package
    found = []
    if package not in sys.modules:
        holder = ModuleType(package)
        holder.__path__ = [str(folder)]
        sys.modules[package] = holder
    for name, text in zip(modules, texts, strict=True):
        short = name.rpartition(".")[2]
        if not (folder / f"{short}.py").exists():
            own = {
                key.rpartition(":")[2]: value
                for key, value in constants.items()
                if key.rpartition(":")[0] in ("", name)
            }
            _write_copy(folder / f"{short}.py", text, package, modules, own, instead or {})
    for name in modules:
        found.append(import_module(f"{package}.{name.rpartition('.')[2]}"))
    return found


def _write_copy(
    file: Path,
    text: str,
    package: str,
    modules: Sequence[str],
    constants: Mapping[str, Any],
    instead: Mapping[str, str],
) -> None:
    """Writes a module's *text* with other constants and imports; whole, or not at all."""
    copies = {name: f"{package}.{name.rpartition('.')[2]}" for name in modules}
    places = copies | {name: copies.get(other, other) for name, other in instead.items()}
    for name, place in places.items():
        text = text.replace(f"from {name} import", f"from {place} import")
    text = replace_constants(text, constants)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as new:
        new.write(text)
    os.replace(new.name, file)


def replace_constants(text: str, constants: Mapping[str, Any]) -> str:
    """A module's *text* with other values for what lines that are not indented assign to."""
    for name, value in constants.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value!r}", text, flags=re.MULTILINE)
    return text


class _Part(JITCodeLibrary):
    """A function's code as a part of its callers' code.

    Numba would optimise each function by itself and make machine code of it, although callers take
    it in and optimise it once more: half of the time that compiling took.
    """

    def _optimize_final_module(self) -> None:
        """Leaves that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, which says that nothing can be called."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> _Part:
        """Itself, as Numba only calls :meth:`set_env` of what it finds here."""
        return self

    def set_env(self, name: str, env: object) -> None:
        """Does nothing: there is no code yet that has an environment."""


class _Whole(JITCodeLibrary):
    """The code of a function with all its parts."""

    def _optimize_final_module(self) -> None:
        """Optimises twice: some loops only become fast the second time."""
        super()._optimize_final_module()  # type: ignore[no-untyped-call]
        super()._optimize_final_module()  # type: ignore[no-untyped-call]


class _WholeCompiler(CompilerBase):
    """Compiles a function into a library of its own."""

    library: type[JITCodeLibrary] = _Whole

    def define_pipelines(self) -> list[Any]:
        codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
        self.state.library = self.library(codegen, name)
        self.state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]  # type: ignore[no-untyped-call]


class _PartCompiler(_WholeCompiler):
    """Compiles a function into a :class:`_Part`."""

    library = _Part


class _PartFunction(CPUDispatcher):
    """A function that is compiled into a :class:`_Part` for each combination of types."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As Numba does it, which would compile a function anew for each constant it is given."""
        plain: Callable[[Any], Any] = types.unliteral
        return super().get_call_template([plain(kind) for kind in args], kws)

    def compile(self, sig: Any) -> Any:
        """As Numba does it; a part calls itself, but no other part of the same function.

        Raises:
            TypingError: It would: the two parts could not be joined.
        """
        if self.is_compiling:
            name = self.py_func.__name__
            raise TypingError(f"recursion: {name} with other types")
        return super().compile(sig)


class _Function(CPUDispatcher):
    """A function for Python; where compiled code calls it, it becomes a part of the caller."""

    @cached_property
    def _part(self) -> Any:
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return _PartFunction(self.py_func, targetoptions=options, pipeline_class=_PartCompiler)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self if self.is_compiling else self._part)

    def compile(self, sig: Any) -> Any:
        """As Numba does it, except while another process does so: what it made is then loaded."""
        cache = cast(Any, self)._cache
        with _alone(Path(cache.cache_path) / f"{self.py_func.__name__}.lock"):
            return super().compile(sig)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Waits until no other process has locked a *file*, and locks it.

    Without a lock, where there can be none and after a while, the worst is that both do the same.
    """
    with ExitStack() as stack:
        end = time.monotonic() + MOST_WAITING
        with suppress(OSError):
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            stack.callback(os.close, descriptor)
            while time.monotonic() < end:
                with suppress(BlockingIOError):
                    hold(descriptor)
                    break
                time.sleep(0.02)
        yield


def _decorate(function: Function, *, forceinline: bool) -> Function:
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
    options = {"_nrt": False, "forceinline": forceinline, "nogil": True, "error_model": "numpy"}
    options |= {"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True}
    made = _Function(function, targetoptions=options, pipeline_class=_WholeCompiler)
    made.enable_caching()
    return cast(Function, made)


def _digest() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for file in (*compiled_sources(), *sorted(root.glob("games/*/data/*.json"))):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _forget_old_caches(base: Path, *, keep: Path) -> None:
    def last_used(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except FileNotFoundError:
            return 0.0

    folders = sorted(base.glob("kernels-*"), key=last_used, reverse=True)
    recent = time.time() - IN_USE
    for folder in folders[KEPT_CACHES:]:
        if folder != keep and last_used(folder) < recent:
            shutil.rmtree(folder, ignore_errors=True)


def _find_bases() -> list[Path]:
    """Where the folder should lie; nowhere if the user has no home folder."""
    try:
        chosen = os.environ.get("EVOLVE_ARENA_CACHE") or platformdirs.user_cache_dir("evolve-arena")
    except RuntimeError:
        return []
    return [] if chosen.startswith("~") else [Path(os.path.realpath(chosen))]


_passing: set[Path] = set()
"""Folders that are gone when this process ends."""


def _make_passing_folder(parent: Path, name: str) -> Path:
    """A new folder in *parent* that this process and those that it starts share."""
    base, maker = Path(tempfile.mkdtemp(prefix="evolve-arena-", dir=parent)), os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # and not a process forked from it
            shutil.rmtree(base, ignore_errors=True)

    atexit.register(remove)
    try:
        make_private_folder(base / name)
    except PermissionError:
        raise ArenaError(
            f"no folder for compiled code is safe, since others may write to {parent}:"
            " let EVOLVE_ARENA_CACHE name a folder that only you can write to"
        ) from None
    os.environ["EVOLVE_ARENA_CACHE"] = str(base)
    _passing.add(base)
    return base / name


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


class _Announcer(event.Listener):
    """Tells :data:`evolve_arena.core.on_compile` what is compiled if that takes over a moment.

    How long each subject took is remembered in a file beside the folders of machine code.
    Garbage is looked for seldom meanwhile, as most of what is made is needed until the end.
    """

    def __init__(self) -> None:
        self.subjects: dict[str, str] = {}
        """By the name of a package: what its compiling is called."""
        self.total = 0.0
        """Seconds spent by this process, without the function that is being compiled now."""
        self.since = 0.0
        """When that one was begun, if :attr:`depth` is not 0."""
        self.depth = 0
        self._spent: dict[str, float] = {}
        self._told: set[str] = set()
        self._subject = ""
        self._function: Any = None
        self._thresholds = gc.get_threshold()

    def on_start(self, event: event.Event) -> None:
        """A function is being compiled, perhaps for another one."""
        now = time.perf_counter()
        if self.depth == 0:
            self.since = now
            self._function = event.data["dispatcher"]
            self._subject = self._find_subject(self._function.__module__)
            self._thresholds = gc.get_threshold()
            gc.set_threshold(*SELDOM)
        self.depth += 1
        subject = self._subject
        spent = self._spent.get(subject, 0.0) + now - self.since
        if core.on_compile and subject not in self._told and spent > MOMENT:
            self._told.add(subject)
            core.on_compile(subject, max(spent, estimate_seconds(subject, self._function)))

    def on_end(self, event: event.Event) -> None:
        """It is done."""
        self.depth -= 1
        if self.depth:
            return
        gc.set_threshold(*self._thresholds)
        took = time.perf_counter() - self.since
        self.total += took
        self._spent[self._subject] = self._spent.get(self._subject, 0.0) + took
        name = event.data["dispatcher"].__name__
        LOG.debug("compiled %s of %s in %.2f s", name, self._subject, took)

    def note(self) -> None:
        """Remembers for the next time what took longer than a moment."""
        took = {name: spent for name, spent in self._spent.items() if spent > MOMENT}
        if took and os.getpid() == _pid:
            _remember(took)

    def _find_subject(self, module: str) -> str:
        package = module.rpartition(".")[0]
        if package in self.subjects:
            return self.subjects[package]
        parts = package.removeprefix("evolve_arena.").split(".")
        if parts[0] == "games" and parts[1:]:
            return parts[1].replace("_", "-")
        return FLOORS.get(parts[0], "a game")


def working_clock() -> float:
    """Seconds, as ``time.perf_counter`` counts them, but for those that compiling took."""
    now = time.perf_counter()
    compiling = now - _announcer.since if _announcer.depth else 0.0
    return now - _announcer.total - compiling


def compiling_seconds() -> float:
    """How long this process has compiled so far."""
    return _announcer.total


def estimate_seconds(subject: str, function: Any = None) -> float:
    """How long it takes to compile a *subject* here: as long as the last time, if there was one.

    Else it is a general figure: that of another machine, by the size of the *function* with all
    that it calls, times how much slower this machine runs a loop in Python now.
    """
    if remembered := _recall().get(subject):
        return remembered
    began = time.perf_counter()
    sum(number * number for number in range(LOOP))
    slower = (time.perf_counter() - began) / LOOP_SECONDS
    return (LEAST_SECONDS + USUAL_SECONDS * (_measure(function, set()) / USUAL_SIZE) ** 2) * slower


def _measure(function: Any, seen: set[Any]) -> int:
    """Bytes of Python's code in a compiled *function* and in all that it calls, each once."""
    python = getattr(function, "py_func", None)
    if python is None or python in seen:
        return 0
    seen.add(python)
    names = (python.__globals__.get(name) for name in python.__code__.co_names)
    return len(python.__code__.co_code) + sum(_measure(inner, seen) for inner in names)


def compiled_before() -> dict[str, float]:
    """How many seconds each subject took that was compiled on this machine, by name."""
    return _recall()


LOOP, LOOP_SECONDS = 100_000, 0.0050
"""A loop, and how long it takes on the machine of the figures below."""
LEAST_SECONDS, USUAL_SECONDS, USUAL_SIZE = 1.0, 6.0, 95_000
"""Measured with the kernels of the games that ship; who calls twice as much takes four times as
long, as most of it is put in place of the calls."""
FLOORS = {"core": "random numbers", "evolve": "the method", "arena": "pairings"}
FLOORS |= {"genomes": "operators on genomes", "players": "players"}
"""What compiling is called that is not of one game."""
TIMES = "compile-times.json"
"""The file that remembers them."""
MOST_REMEMBERED, MOST_BYTES = 200, 100_000


def _recall() -> dict[str, float]:
    """What was remembered, as far as it is of use: anything may stand in a file."""
    try:
        content = json.loads(read_file(cache_folder().parent / TIMES, MOST_BYTES))
        pairs = [(str(name), float(took)) for name, took in content.items()]
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return {}
    return {name: took for name, took in pairs if 0.0 < took < 3600.0}


def _remember(took: Mapping[str, float]) -> None:
    known = _recall()
    for name, spent in took.items():  # of one that took less, a part was in the cache perhaps
        before = known.pop(name, 0.0)
        known[name] = round(max(spent, (spent + before) / 2), 2)
    content = json.dumps(dict([*known.items()][-MOST_REMEMBERED:]), indent=1)
    folder = cache_folder()
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as new:
            new.write(content)
        os.replace(new.name, folder.parent / TIMES)
    except OSError as error:
        LOG.debug("%s can't be written: %s", TIMES, error)


_pid = os.getpid()
_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]
atexit.register(_announcer.note)
_made: dict[Any, list[tuple[frozenset[str], dict[str, ModuleType]]]] = {}


def find_variant(game: GameSpec, rules: Any, players: Any = None) -> Mapping[str, ModuleType]:
    """The compiled files of a *game* for *rules* and some packed *players*, by their last names.

    Of those that this process has already, the first one that knows all their kinds will do; any
    if nobody plays.
    """
    kernel, needed = game.kernel, frozenset[str]()
    if players is not None:
        needed = frozenset(kernel.needs(players))
    given = dict(kernel.constants(rules))
    for known, modules in _made.get((game.name, *given.items()), ()):
        if needed <= known:
            return modules
    return _add_variant(game, given, needed)


def list_variants(game: str | None) -> list[tuple[dict[str, Any], frozenset[str]]]:
    """Which compiled files of a *game* this process has: constants, and kinds of players."""
    found = ((key, needed) for key, made in _made.items() for needed, _ in made)
    return [(dict(key[1:]), needed) for key, needed in found if key[0] == game]


def add_variants(game: GameSpec, variants: list[tuple[dict[str, Any], frozenset[str]]]) -> None:
    """Lets :func:`find_variant` give what it gives in the process that listed *variants*."""
    for given, needed in variants:
        known = _made.get((game.name, *given.items()), ())
        if all(needed != other for other, _ in known):
            _add_variant(game, given, needed)


def _add_variant(
    game: GameSpec, given: dict[str, Any], needed: frozenset[str]
) -> Mapping[str, ModuleType]:
    kernel = game.kernel
    flags = {flag: flag in needed for flag in kernel.flags}
    kinds = [flag.removeprefix("HAS_").replace("_", " ").lower() for flag in sorted(needed)]
    copies = specialise(kernel.modules, given | flags, kernel.instead)
    subject = f"{game.name} ({', '.join(kinds or ['random players'])})"
    _announcer.subjects[copies[0].__name__.rpartition(".")[0]] = subject
    names = (name.rpartition(".")[2] for name in kernel.modules)
    modules = dict(zip(names, copies, strict=True))
    _made.setdefault((game.name, *given.items()), []).append((needed, modules))
    return modules
