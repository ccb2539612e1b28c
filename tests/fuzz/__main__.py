"""Fuzzer of every parser with hostile inputs: ``python -m tests.fuzz --inputs 1000000``.

Each part of a target's inputs is fed in a process of its own, with little memory and little time
for each input, so that whatever one of them does is a finding and not the end. Hypothesis makes
inputs that look like those in order, and the same seed gives the same ones; with --guided
libFuzzer changes bytes, led by the code that they reach. Inputs that do what they must not are
kept, and can be fed again.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import mmap
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType, FunctionType
from typing import TYPE_CHECKING

from numba.core.dispatcher import Dispatcher

from evolve_arena.core.errors import LONGEST, ArenaError
from evolve_arena.runs.api import start
from tests.conftest import compile_for_all_kinds
from tests.fuzz.inputs import generate
from tests.fuzz.targets import TARGETS, Target

if TYPE_CHECKING:
    from hypothesis import strategies as st

SECONDS = 10
"""Seconds that an input may take."""
START = 120
"""Seconds until the first input: libFuzzer rewrites all of our code first."""
MEMORY = 1 << 30
"""Bytes of memory that the process may take."""
PART = 1000
"""Inputs of a process."""
LARGEST = 1 << 22
"""Bytes of an input that is kept."""
PACKAGE = "evolve_arena"
"""Package whose coverage guides libFuzzer."""


_under_way: list[object] = []
"""The target whose inputs are being fed, and what makes them."""


class OverdueError(BaseException):
    """Raised for an input that takes too long. Not an Exception, so that no handler catches it."""


def main() -> int:
    """Fuzz as the command line asks; return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=2000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    parser.add_argument("--only", choices=sorted(TARGETS), action="append")
    parser.add_argument("--guided", action="store_true", help="by coverage; needs atheris")
    parser.add_argument("--keep", type=Path, default=Path(".fuzz"), help="where findings go")
    parser.add_argument("--repeat", type=Path, help="feeds this file to the target --only")
    options = parser.parse_args()
    keep, repeat = options.keep.resolve(), options.repeat and options.repeat.read_bytes()
    targets = [TARGETS[name] for name in options.only or TARGETS if not _list_missing(name)]
    if options.guided:  # what happens in other programs guides nobody
        targets = [target for target in targets if not target.needs]
    compile_for_all_kinds()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        _furnish()
        if repeat is not None:
            outcome = judge(targets[0], repeat)
            print(outcome)
            return int(outcome not in ("accepted", "rejected"))
        print(
            f"{'target':16}{'inputs':>9}{'accepted':>10}{'rejected':>10}{'faults':>8}{'seconds':>9}"
        )
        for name in TARGETS:
            if missing := _list_missing(name):
                print(f"{name:16}left out: no {', '.join(missing)} here")
        found = 0
        left, weights = options.inputs, sum(target.weight for target in targets)
        for target in targets:
            count = left * target.weight // weights
            found += _fuzz(target, count, options, keep)
            left, weights = left - count, weights - target.weight
    return int(found > 0)


def _list_missing(name: str) -> list[str]:
    """Return the programs that a target needs and that are not installed."""
    return [program for program in TARGETS[name].needs if shutil.which(program) is None]


def judge(target: Target, data: bytes) -> str:
    """Feed an input and return ``accepted``, ``rejected``, or the fault, in lines."""
    try:
        target.check(data)
    except ArenaError as error:
        text = str(error)
        if len(text) > LONGEST or not text.isprintable():
            return f"the text of an error: {text[:2000]!r}"
        return "rejected"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        told = traceback.format_exception(error, limit=-6)
        return "".join(f"{line[:1000].rstrip()}\n" for line in told)[-6000:]
    return "accepted"


def _furnish() -> None:
    """Write a small run, also in a served folder, and a link that leads nowhere here."""
    changes = ["run.generations=2", "method.individuals=8", "method.tournament_size=2"]
    changes += ["check.games=2", "check.every=1"]
    start("connect-four", run="served/r", changes=changes, executor="serial")
    Path("r").symlink_to("served/r")
    Path("loop").symlink_to("loop")


def _fuzz(target: Target, count: int, options: argparse.Namespace, keep: Path) -> int:
    """Feed *count* inputs to *target*; print the result and keep the inputs with faults."""
    started = time.monotonic()
    totals: Counter[str] = Counter()
    faults: dict[str, tuple[str, bytes]] = {}
    samples = target.samples()
    for sample in samples:  # without limits: whatever they need is compiled here
        outcome = judge(target, sample)
        assert outcome == "accepted", f"{target.name}: {sample!r:.200}: {outcome}"
    inputs = samples if options.guided else target.inputs(samples)
    part = max(PART, -(-count // options.workers)) if options.guided else PART
    sizes = [min(part, count - first) for first in range(0, count, part)]
    seeds = range(options.seed, options.seed + len(sizes))
    _under_way[:] = target, inputs  # is there in forked processes, and need not be sent
    with ProcessPoolExecutor(options.workers, multiprocessing.get_context("fork")) as pool:
        for tally, found in pool.map(_feed_part, sizes, seeds):
            totals.update(tally)
            for outcome, data in found.items():
                faults.setdefault(_place_of(outcome), (outcome, data))
    fed = sum(totals.values())
    kept = [totals["accepted"], totals["rejected"], totals["faults"]]
    row = "".join(f"{number:{width}}" for number, width in zip(kept, (10, 10, 8), strict=True))
    print(f"{target.name:16}{fed:9}{row}{time.monotonic() - started:9.1f}", flush=True)
    for outcome, data in faults.values():
        keep.mkdir(exist_ok=True)
        file = keep / f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
        file.write_bytes(data)
        print(
            f"\n{outcome}\nagain: python -m tests.fuzz --only {target.name} --repeat {file}\n",
            flush=True,
        )
    return len(faults)


def _feed_part(size: int, seed: int) -> tuple[Counter[str], dict[str, bytes]]:
    faults: dict[str, bytes] = {}
    return feed(*_under_way, size, seed, faults), faults


def _place_of(outcome: str) -> str:
    """Return the place in the code of a fault, which tells faults apart."""
    return outcome.rpartition("\n  File ")[2].partition(", in ")[0]


def feed(
    target: Target,
    inputs: st.SearchStrategy[bytes] | list[bytes],
    count: int,
    seed: int,
    faults: dict[str, bytes],
) -> Counter[str]:
    """Feed *count* inputs in another process; add its faults to *faults*, with their inputs.

    They come from a strategy of hypothesis, or libFuzzer makes them from a list.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with mmap.mmap(-1, LARGEST + 16) as now:
        process = context.Process(target=_work, args=(target, inputs, count, seed, sender, now))
        process.start()
        sender.close()
        tally: Counter[str] = Counter()
        patience = START
        while True:
            if not receiver.poll(patience):
                process.kill()  # it hangs where Python can't end it
            try:
                outcome, data = receiver.recv()
            except EOFError:
                break
            patience = 3 * SECONDS
            if isinstance(outcome, Counter):
                tally.update(outcome)
            else:
                faults[outcome] = data
        process.join()
        if process.exitcode:
            size = int.from_bytes(now[:8], "little")
            told = f"the process ended with {process.exitcode}, or was ended after {patience} s"
            faults.setdefault(told, now[16 : 16 + size])
            tally["faults"] += 1
    return tally


def _work(
    target: Target,
    inputs: st.SearchStrategy[bytes] | list[bytes],
    count: int,
    seed: int,
    sender: Connection,
    now: mmap.mmap,
) -> None:
    """Feed *count* inputs, and report each fault once."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(tempfile.mkdtemp(dir="."))
    for name in ("r", "loop", "served"):
        Path(name).symlink_to(f"../{name}")
    _, most = resource.getrlimit(resource.RLIMIT_DATA)  # programs that it starts may take more
    resource.setrlimit(resource.RLIMIT_DATA, (_data_size() + MEMORY, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _end_it)
    tally: Counter[str] = Counter()
    told: set[str] = set()
    since = 0.0

    def feed_one(data: bytes) -> None:
        nonlocal since
        now[:8] = min(len(data), LARGEST).to_bytes(8, "little")
        now[16 : 16 + min(len(data), LARGEST)] = data[:LARGEST]
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        outcome = judge(target, data)
        signal.setitimer(signal.ITIMER_REAL, 0)
        tally[outcome if outcome in ("accepted", "rejected") else "faults"] += 1
        place = _place_of(outcome)
        if outcome not in ("accepted", "rejected") and place not in told:
            told.add(place)
            sender.send((outcome, data))
        if time.monotonic() - since > 1:  # shows that it does not hang
            since = time.monotonic()
            sender.send((tally.copy(), b""))
            tally.clear()

    def end() -> None:
        sender.send((tally, b""))
        sender.close()

    if isinstance(inputs, list):
        _guide(feed_one, end, inputs, count, seed)
    else:
        generate(feed_one, inputs, count, seed)
        end()


def _guide(
    feed_one: Callable[[bytes], None],
    end: Callable[[], None],
    samples: list[bytes],
    count: int,
    seed: int,
) -> None:
    """Feed the inputs that libFuzzer makes of *samples*; end the process."""
    import atheris

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libFuzzer talks a lot
    objects = gc.get_objects()
    left = {id(item.py_func) for item in objects if isinstance(item, Dispatcher)}  # yet to compile
    for item in objects:
        if not isinstance(item, FunctionType) or id(item) in left:
            continue
        if str(item.__module__).partition(".")[0] == PACKAGE:
            atheris.instrument_func(item)
    corpus = Path(tempfile.mkdtemp(dir="."))
    for number, sample in enumerate(samples):
        (corpus / str(number)).write_bytes(sample)
    fed = 0

    def feed_next(data: bytes) -> None:
        nonlocal fed
        if fed == count:
            end()
            os._exit(0)
        fed += 1
        feed_one(data)

    # No limits of libFuzzer's own. Its seed 0 would be the time.
    limits = ["-timeout=0", "-rss_limit_mb=0", "-runs=-1", f"-max_len={1 << 16}"]
    atheris.Setup(["", f"-seed={seed + 1}", "-verbosity=0", *limits, str(corpus)], feed_next)
    atheris.Fuzz()


def _data_size() -> int:
    """Return the bytes of memory that this process has for itself already."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return 2 * MEMORY
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmData")]
    return 1024 * int(line.split()[1])


def _end_it(number: int, frame: FrameType | None) -> None:
    raise OverdueError


if __name__ == "__main__":
    sys.exit(main())
