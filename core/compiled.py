"""Compilation by Numba, with a cache that every change of the sources invalidates.

Numba's own cache looks only at the file that contains a function. A changed callee in another file
would silently be ignored, so the cache folder is named after a digest of every file that contains
compiled code, and of the maps that games read. Compiled code must therefore take its constants only
from such files (a test checks that).
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
from typing import Any, TypeAlias, TypeVar, cast

import llvmlite.binding as llvm
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
from evolve_arena.core.types import Rules, Settings

Function = TypeVar("Function", bound=Callable[..., object])
Numba: TypeAlias = Any
"""A type, a value or a builder of Numba or LLVM, which have no types of their own for mypy."""
Variant: TypeAlias = tuple[dict[str, object], frozenset[str]]
"""A compiled variant of a game: the values of its constants, and the kinds of players that it
supports."""

# A file of the current folder, which may be somebody else's, decides nothing of what is compiled.
numba.core.config._config_fname = ""
numba.core.config.reload_config()  # type: ignore[no-untyped-call]

PACKAGES = ("core", "genomes", "players", "arena", "evolve", "games", "studies")
DECORATORS = rb"\b(compiled|inlined|instruction|constants)\b"
MARKER = re.compile(rb"core\.compiled import [^)\n]*(?:\([^)]*)?" + DECORATORS)
"""Import statement of a file that contains compiled code."""
KEPT_CACHES = 3
"""Number of cache folders, the most recently used ones, that are not deleted."""
IN_USE = 86400.0
"""Seconds since its last use until a cache may be deleted; a running program may need it."""
SELDOM = (50_000, 20, 20)
"""Thresholds of the garbage collector during compilation, which takes 5 % less time with them."""
MOMENT = 1.0
"""Seconds of compiling before the user is told."""
MAX_WAITING = 120.0
"""Most seconds to wait for another process that compiles the same function."""


def compiled(function: Function) -> Function:
    """Compile *function* on first use; later processes read the machine code from the cache.

    The global interpreter lock is released while it runs, division by zero gives infinity as
    in NumPy, and no array can be made inside: results go into arrays that the caller passes.
    Without allocation Numba counts no references, which made the match kernel three times as
    fast.
    """
    return _decorate(function, forceinline=False)


def inlined(function: Function) -> Function:
    """Compile *function* like :func:`compiled`, and inline each call from compiled code.

    For small functions in inner loops: LLVM's own heuristics leave calls that pass whole structures
    of arrays, at four times the cost.
    """
    return _decorate(function, forceinline=True)


def instruction(build: Callable[..., Numba]) -> Callable[..., Any]:
    """Turn a function that *builds* LLVM instructions into a function for compiled code.

    *build* takes Numba's typing context and the types of the arguments, and returns a signature
    and a function that emits code.
    """
    return cast(Callable[..., Any], intrinsic(build))


@cache
def cache_folder() -> Path:
    """Return the cache folder for the machine code of the present sources.

    It is in the user's cache folder, in ``EVOLVE_ARENA_CACHE`` if that is set, or in the temporary
    folder if neither can be written. Numba's index files are pickles, so whoever can write to them
    can run code here: a folder that another user could have made or changed is skipped. The last
    resort is a new folder, which is deleted when this process ends.

    Raises:
        ArenaError: Other users may replace files in the temporary folder, too.
    """
    # The first folder that is private and can be written.
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
    """Return True if the folder of compiled code outlives this process."""
    return cache_folder().parent not in _passing


def compiled_sources() -> list[Path]:
    """Return all files of the project that contain compiled code, this one included, sorted."""
    root = Path(__file__).resolve().parent.parent
    files = [Path(__file__).resolve()]
    for package in PACKAGES:
        for file in (root / package).rglob("*.py"):
            if MARKER.search(file.read_bytes()):
                files.append(file)
    return sorted(set(files))


def specialise(
    modules: Sequence[str],
    constants: Settings,
    instead: Mapping[str, str] | None = None,
) -> list[ModuleType]:
    """Return copies of *modules* that are compiled for other values of their constants.

    Code behind ``if NAME and ...`` is left out where the constant ``NAME`` is False. Numba does not
    cache closures, only functions in files; so the copies are files in the cache folder, named by a
    digest of what they depend on.

    Args:
        modules: Full names; the copies import each other.
        constants: Values by name, for unindented assignments in the modules; a name such as
            ``package.module:NAME`` is replaced in that module alone.
        instead: Modules to import instead of those that these modules import, by name.

    Returns:
        The copies, in the order of *modules*.
    """
    # The digest names the package of the copies, so equal ones are shared between processes.
    texts = [Path(str(find_spec(name).origin)).read_text("utf-8") for name in modules]  # type: ignore[union-attr]
    given = repr((list(modules), sorted(constants.items()), sorted((instead or {}).items())))
    digest = hashlib.sha256("\0".join([given, *texts]).encode()).hexdigest()[:12]
    package = f"{modules[0].rpartition('.')[0].rpartition('.')[2]}_{digest}"
    folder = cache_folder() / package
    found = []
    if package not in sys.modules:
        # A package without a file of its own, whose modules are found in the cache folder.
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
    constants: Settings,
    instead: Mapping[str, str],
) -> None:
    """Write a module's *text* with other constants and imports, atomically."""
    copies = {name: f"{package}.{name.rpartition('.')[2]}" for name in modules}
    places = copies | {name: copies.get(other, other) for name, other in instead.items()}
    for name, place in places.items():
        text = text.replace(f"from {name} import", f"from {place} import")
    text = replace_constants(text, constants)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as new:
        new.write(text)
    os.replace(new.name, file)


def replace_constants(text: str, constants: Settings) -> str:
    """Return a module's *text* with other values in its unindented assignments."""
    for name, value in constants.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value!r}", text, flags=re.MULTILINE)
    return text


class _Part(JITCodeLibrary):
    """Code library of a function that is only compiled as a part of its callers.

    Numba would also optimise each function by itself and generate machine code for it, although its
    callers contain it and are optimised again: that would double the compile time.
    """

    def _optimize_final_module(self) -> None:
        """Do nothing; the code is optimised as a part of its callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, which means that there is nothing to call."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> _Part:
        """This object, of which Numba only calls :meth:`set_env`."""
        return self

    def set_env(self, name: str, env: object) -> None:
        """Do nothing: there is no code yet that has an environment."""


class _Whole(JITCodeLibrary):
    """Code library of a function together with all functions that it calls."""

    def _optimize_final_module(self) -> None:
        """Optimise twice, without unrolling loops the second time.

        Numba's full pass unrolls them, which takes a third of its time for a large kernel, and no
        kernel that was measured became faster by it. No references are counted, so none are pruned.
        """
        codegen: Numba = self._codegen
        passes, builder = codegen._module_pass_manager(slp_vectorize=False, cost="cheap")
        passes.run(self._final_module, builder)
        options = llvm.create_pipeline_tuning_options(speed_level=codegen._opt_level)
        options.loop_vectorization = options.slp_vectorization = True
        options.loop_unrolling = False
        builder = llvm.create_pass_builder(codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


class _WholeCompiler(CompilerBase):
    """Compiler of a function into a library of its own."""

    library: type[JITCodeLibrary] = _Whole

    def define_pipelines(self) -> list[object]:
        codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
        self.state.library = self.library(codegen, name)
        self.state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]  # type: ignore[no-untyped-call]


class _PartCompiler(_WholeCompiler):
    """Compiler of a function into a :class:`_Part`."""

    library = _Part


class _PartFunction(CPUDispatcher):
    """A function that is compiled into a :class:`_Part` for each combination of types."""

    def get_call_template(self, args: Numba, kws: Numba) -> Numba:
        """Ignore the values of literals; Numba would compile a function anew for each constant."""
        plain: Callable[[types.Type], types.Type] = types.unliteral
        return super().get_call_template([plain(kind) for kind in args], kws)

    def compile(self, sig: Numba) -> Numba:
        """Compile for a signature, unless the same function is being compiled for another one.

        Raises:
            TypingError: It is being compiled for other types: it calls itself with these.
        """
        if self.is_compiling:
            name = self.py_func.__name__
            raise TypingError(f"recursion: {name} with other types")
        return super().compile(sig)


class _Function(CPUDispatcher):
    """A function for Python to call, which becomes a part of compiled functions that call it."""

    @cached_property
    def _part(self) -> Numba:
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return _PartFunction(self.py_func, targetoptions=options, pipeline_class=_PartCompiler)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self if self.is_compiling else self._part)

    def compile(self, sig: Numba) -> Numba:
        """Compile for a signature, or load the code that another process is compiling now."""
        cache = cast(Numba, self)._cache
        with _alone(Path(cache.cache_path) / f"{self.py_func.__name__}.lock"):
            return super().compile(sig)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Lock a *file*, after waiting until no other process has locked it.

    Where files can't be locked, and after :data:`MAX_WAITING`, it continues without a lock: at
    worst, two processes compile the same code.
    """
    with ExitStack() as stack:
        end = time.monotonic() + MAX_WAITING
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
    # No reference counts, no lock, no bounds checks; division by zero as in NumPy.
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
    """Return the preferred parent folder; none if the user has no home folder."""
    try:
        chosen = os.environ.get("EVOLVE_ARENA_CACHE") or platformdirs.user_cache_dir("evolve-arena")
    except RuntimeError:
        return []
    return [] if chosen.startswith("~") else [Path(os.path.realpath(chosen))]


_passing: set[Path] = set()
"""Folders that are deleted when this process ends."""


def _make_passing_folder(parent: Path, name: str) -> Path:
    """Make a temporary folder in *parent* that this process shares with its child processes."""
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
    """Listener that calls :data:`evolve_arena.core.on_compile` if compiling takes over a second.

    The time that each subject took is kept in a file beside the folders of machine code. Garbage is
    collected rarely meanwhile, as most objects of the compiler live until its end.
    """

    def __init__(self) -> None:
        self.subjects: dict[str, str] = {}
        """Names of subjects in messages, by package."""
        self.total = 0.0
        """Seconds of compilation by this process so far, without the function in progress."""
        self.since = 0.0
        """Start of the function in progress, if :attr:`depth` is not 0."""
        self.depth = 0
        """Number of functions in progress, as one compiles another."""
        self._spent: dict[str, float] = {}
        self._told: set[str] = set()
        self._subject = ""
        self._function: object = None
        self._thresholds = gc.get_threshold()

    def on_start(self, event: event.Event) -> None:
        """Record the start of a compilation, perhaps within another one; announce a long one."""
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
        """Add the time of a compilation that has ended."""
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
        """Store the times above :data:`MOMENT`, as estimates for later processes."""
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
    """Return seconds as ``time.perf_counter`` counts them, without those spent on compiling."""
    now = time.perf_counter()
    compiling = now - _announcer.since if _announcer.depth else 0.0
    return now - _announcer.total - compiling


def compiling_seconds() -> float:
    """Return the seconds that this process has spent on compiling so far."""
    return _announcer.total


def estimate_seconds(subject: str, function: object = None) -> float:
    """Estimate the seconds to compile a *subject* here: as many as the last time, if there was one.

    Else the estimate is that of a reference machine, by the size of the *function* with all that it
    calls, times the ratio of the times that a loop in Python takes here and there.
    """
    if remembered := _recall().get(subject):
        return remembered
    began = time.perf_counter()
    sum(number * number for number in range(LOOP))
    slower = (time.perf_counter() - began) / LOOP_SECONDS
    return (
        LEAST_SECONDS + DEFAULT_SECONDS * (_measure(function, set()) / DEFAULT_SIZE) ** 2
    ) * slower


def _measure(function: object, seen: set[object]) -> int:
    """Count the bytes of Python code in a compiled *function* and all that it calls, each once."""
    python = getattr(function, "py_func", None)
    if python is None or python in seen:
        return 0
    seen.add(python)
    names = (python.__globals__.get(name) for name in python.__code__.co_names)
    return len(python.__code__.co_code) + sum(_measure(inner, seen) for inner in names)


def compiled_before() -> dict[str, float]:
    """Return the compile time in seconds of each subject that was compiled on this machine."""
    return _recall()


LOOP, LOOP_SECONDS = 100_000, 0.0050
"""Iterations of a loop that is timed, and its seconds on the reference machine."""
LEAST_SECONDS, DEFAULT_SECONDS, DEFAULT_SIZE = 1.0, 6.0, 95_000
"""Compile time on the reference machine: seconds for little code, and seconds more for that many
bytes of bytecode. Measured with the kernels of the games that ship. Twice the code takes four times
as long, as most calls are inlined."""
FLOORS = {"core": "random numbers", "evolve": "the method", "arena": "pairings"}
FLOORS |= {"genomes": "operators on genomes", "players": "players"}
"""Subjects of compilations that belong to no game, by layer."""
TIMES = "compile-times.json"
"""Name of the file with the times of former compilations."""
MAX_REMEMBERED, MAX_BYTES = 200, 100_000


def _recall() -> dict[str, float]:
    """Read the times of former compilations, in seconds by subject; none if the file is invalid."""
    try:
        content = json.loads(read_file(cache_folder().parent / TIMES, MAX_BYTES))
        pairs = [(str(name), float(took)) for name, took in content.items()]
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return {}
    return {name: took for name, took in pairs if 0.0 < took < 3600.0}


def _remember(took: Mapping[str, float]) -> None:
    known = _recall()
    for name, spent in took.items():  # a shorter time may mean that a part was in the cache
        before = known.pop(name, 0.0)
        known[name] = round(max(spent, (spent + before) / 2), 2)
    content = json.dumps(dict([*known.items()][-MAX_REMEMBERED:]), indent=1)
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
_made: dict[
    tuple[str, tuple[tuple[str, object], ...]],
    list[tuple[frozenset[str], dict[str, ModuleType]]],
] = {}
"""Compiled variants by game and constants: the kinds of players that each supports, and its
modules."""


def find_variant(game: GameSpec, rules: Rules, players: object = None) -> Mapping[str, ModuleType]:
    """Return a game's compiled modules for *rules* and packed *players*, by name without packages.

    If this process has several, it is the first one that supports all kinds of these players.

    Args:
        game: The game.
        rules: Its options, as compiled code takes them.
        players: The packed players; if None, any code for these *rules* will do.
    """
    kernel, needed = game.kernel, frozenset[str]()
    if players is not None:
        needed = frozenset(kernel.needs(players))
    given = dict(kernel.constants(rules))
    for known, modules in _made.get((game.name, tuple(given.items())), ()):
        if needed <= known:
            return modules
    return _add_variant(game, given, needed)


def list_variants(game: str | None) -> list[Variant]:
    """List the compiled variants of a *game* in this process."""
    found = ((key, needed) for key, made in _made.items() for needed, _ in made)
    return [(dict(key[1]), needed) for key, needed in found if key[0] == game]


def add_variants(game: GameSpec, variants: Sequence[Variant]) -> None:
    """Add the compiled variants of another process, as :func:`list_variants` returned them."""
    for given, needed in variants:
        known = _made.get((game.name, tuple(given.items())), ())
        if all(needed != other for other, _ in known):
            _add_variant(game, given, needed)


def _add_variant(
    game: GameSpec, given: dict[str, object], needed: frozenset[str]
) -> Mapping[str, ModuleType]:
    kernel = game.kernel
    flags = {flag: flag in needed for flag in kernel.flags}
    kinds = [flag.removeprefix("HAS_").replace("_", " ").lower() for flag in sorted(needed)]
    copies = specialise(kernel.modules, given | flags, kernel.instead)
    subject = f"{game.name} ({', '.join(kinds or ['random players'])})"
    _announcer.subjects[copies[0].__name__.rpartition(".")[0]] = subject
    names = (name.rpartition(".")[2] for name in kernel.modules)
    modules = dict(zip(names, copies, strict=True))
    _made.setdefault((game.name, tuple(given.items())), []).append((needed, modules))
    return modules
