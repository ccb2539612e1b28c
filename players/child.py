"""A bot's process and the lines exchanged with it, which can never block the host.

Every wait on a pipe has a deadline, and standard error is read along. A supervisor
(:mod:`evolve_arena.players.supervisor`) stands in between: the process dies with everything that it
started, even if the host is killed. For systems with process groups: not for Windows.
"""

from __future__ import annotations

import math
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO

import psutil

from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.players import supervisor
from evolve_arena.players.player import Forfeit, ForfeitError

PULSE = 0.05
"""Seconds between two checks that a silent process still runs."""
LAST_WORDS = 0.25
"""Maximum seconds to read standard error and the exit status of a process that ended."""
START = 60.0
"""Seconds that the supervisor has to start the process."""
END = supervisor.PATIENCE + 1
"""Seconds that the supervisor has to stop the process."""
CHUNK = 65_536
TAIL = 4_096
"""Bytes of standard error to keep."""
TAIL_LINES, TAIL_LETTERS = 8, 160
"""Number of last lines of standard error that are reported, and characters of each."""
QUOTED = 60
"""Characters of a bot's output shown in a message."""

_NUMBERS = count(1)


class Child:
    """A bot's running process, with pipes to it that never block.

    Args:
        words: Program and arguments.
        name: Name in messages.
        most_bytes: Maximum bytes of output for one answer.
        most_lines: Maximum lines of output for one answer.

    Raises:
        BadValueError: The operating system refuses to start it.
    """

    def __init__(self, words: list[str], name: str, most_bytes: int, most_lines: int) -> None:
        mark = f"{os.getpid()}-{next(_NUMBERS)}"
        self._process, self._control, self._news = _start(words, mark)
        self._name = name
        self._most_bytes, self._most_lines = most_bytes, most_lines
        self._in, self._out, self._err = (pipe.fileno() for pipe in _pipes(self._process))
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._readable = {self._out, self._err}
        self._unsent, self._output, self._errors = bytearray(), bytearray(), b""
        self._bytes = self._lines = 0
        self._status: int | None = None
        """Exit status; negative for a signal, None while the process runs."""
        self._supervised = True
        self._kill = weakref.finalize(self, _end, self._process, self._control, mark)

    def send(self, text: str) -> None:
        """Write *text* as far as the pipe accepts it; :meth:`answer` writes the rest."""
        self._unsent += text.encode()
        self._write()

    def answer(self, milliseconds: int) -> bytes:
        """Return the next line that is not blank, stripped.

        Raises:
            ForfeitError: No line arrives in time, or the process has ended or writes too much.
        """
        deadline = time.monotonic() + milliseconds / 1000
        self._bytes, self._lines = len(self._output), self._output.count(b"\n")
        line = self._next_line()
        while line is None:
            left = deadline - time.monotonic()
            busy = self._exchange(left)
            line = self._next_line()
            if line is None and self._has_ended(busy):
                raise ForfeitError(Forfeit.CRASH, self._obituary())
            if line is None and left <= 0:
                sentence = f"{self._name} does not answer within {milliseconds} ms."
                raise ForfeitError(Forfeit.TIMEOUT, sentence)
        return line

    def listen(self, seconds: float) -> None:
        """Read for *seconds*, or until all output is closed.

        Raises:
            ForfeitError: The process writes too much.
        """
        deadline = time.monotonic() + seconds
        while self._readable and (left := deadline - time.monotonic()) > 0:
            self._exchange(left)

    def stop(self, patience: float) -> None:
        """Stop the process and all that it started, and wait until they are gone.

        The process has *patience* seconds to end after its input ends, and as many after SIGTERM;
        then it is killed.
        """
        _pipes(self._process)[0].close()
        if patience and not self._ends_within(patience):
            with suppress(OSError):
                self._control.send(b"t")
            self._ends_within(patience)
        self._kill()

    @property
    def last_errors(self) -> tuple[str, ...]:
        """Last lines of standard error, free of control characters."""
        lines = [line for line in self._errors.splitlines() if line.strip()]
        texts = (line.decode("utf-8", "replace") for line in lines[-TAIL_LINES:])
        return tuple(one_line(text, TAIL_LETTERS) for text in texts)

    def _exchange(self, seconds: float) -> bool:
        """Write and read what is ready, after waiting up to *seconds* or one pulse.

        Returns:
            True if anything happened.
        """
        # Wait for output, messages of the supervisor, or room for input.
        poll = select.poll()
        for descriptor in self._readable:
            poll.register(descriptor, select.POLLIN)
        if self._supervised:
            poll.register(self._control, select.POLLIN)
        if self._unsent:
            poll.register(self._in, select.POLLOUT)
        events = poll.poll(math.ceil(1000 * min(max(seconds, 0), PULSE)))
        # Handle each descriptor that is ready.
        for descriptor, _ in events:
            if descriptor == self._in:
                self._write()
            elif descriptor == self._control.fileno():
                self._receive()
            else:
                self._read(descriptor)
        return bool(events)

    def _write(self) -> None:
        try:
            sent = os.write(self._in, self._unsent)
        except BlockingIOError:
            return
        except BrokenPipeError:  # its input is closed or it has ended; reading will tell
            sent = len(self._unsent)
        del self._unsent[:sent]

    def _read(self, descriptor: int) -> None:
        chunk = os.read(descriptor, CHUNK)
        if not chunk:
            self._readable.discard(descriptor)
        elif descriptor == self._err:
            self._errors = (self._errors + chunk)[-TAIL:]
        else:
            self._output += chunk
            self._bytes += len(chunk)
            self._lines += chunk.count(b"\n")
            if self._bytes > self._most_bytes or self._lines > self._most_lines:
                raise ForfeitError(
                    Forfeit.FLOOD,
                    f"{self._name} floods its output: over {self._most_bytes} bytes or"
                    f" {self._most_lines} lines for one move.",
                )

    def _next_line(self) -> bytes | None:
        while b"\n" in self._output or (self._output and self._out not in self._readable):
            line, _, self._output = self._output.partition(b"\n")
            if stripped := line.strip():
                return bytes(stripped)
        return None

    def _receive(self) -> None:
        """Process the supervisor's messages."""
        try:
            said = self._control.recv(CHUNK)
        except ConnectionResetError:
            said = b""
        self._supervised = bool(said)
        self._news += said
        for line in self._news.splitlines():
            if line.startswith(b"ended "):
                self._status = int(line.split()[1])

    def _has_ended(self, busy: bool) -> bool:
        ended = self._status is not None or not self._supervised
        return self._out not in self._readable or (ended and not busy)

    def _obituary(self) -> str:
        """Describe how the process ended, with the last line of its standard error."""
        self.listen(LAST_WORDS)
        if self._ends_within(LAST_WORDS):
            status = self._status or 0
            happened = f"exits with status {status}"
            if status < 0:
                happened = f"is ended by {_signal_name(-status)}"
        elif self._supervised:
            happened = "closes its output"
        else:
            happened = "ends the process that watches over it"
        lines = [line for line in self._errors.splitlines() if line.strip()]
        last = f"; its last words: {quoted(lines[-1].strip())}" if lines else ""
        return f"{self._name} {happened} instead of answering{last}."

    def _ends_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self._status is None and self._supervised:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._control], [], [], left)[0]:
                break
            self._receive()
        return self._status is not None


def quoted(raw: bytes) -> str:
    r"""Return the start of *raw* in quotation marks, with control characters escaped.

    >>> quoted(bytes([27, 91, 50, 74, 255]) + b"place")
    "'\\x1b[2J�place'"
    """
    text = repr(raw[: 4 * QUOTED].decode("utf-8", "replace"))
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…{text[0]}"


def _start(words: list[str], mark: str) -> tuple[subprocess.Popen[bytes], socket.socket, bytes]:
    """Start the program; return its supervisor, the socket to it, and the messages so far.

    These may be all its messages, as a short program may end before the host reads on.
    """
    ours, theirs = socket.socketpair()
    folder = str(Path(psutil.__file__).parents[1])
    host = [sys.executable, "-IS", supervisor.__file__, str(theirs.fileno()), folder]
    pipe = subprocess.PIPE
    with theirs:
        process = subprocess.Popen(
            [*host, *words],
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            pass_fds=[theirs.fileno()],
            env={**os.environ, supervisor.MARK: mark},
            start_new_session=True,
        )
    ours.settimeout(START)
    try:
        news = ours.recv(64)
    except BaseException:
        _end(process, ours, mark)
        raise
    said = news.split()
    if said[:1] != [b"started"]:
        _end(process, ours, mark)
        reason = os.strerror(int(said[1])) if said else "its supervisor does not start"
        raise BadValueError(f"cannot start {shlex.join(words)}: {reason}")
    return process, ours, news


def _end(process: subprocess.Popen[bytes], control: socket.socket, mark: str) -> None:
    """Make the supervisor kill everything; if it fails, kill the processes found by the mark."""
    control.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END)
    if process.poll() != 0:
        process.kill()
        process.wait()
        deadline = time.monotonic() + supervisor.PATIENCE
        while supervisor.kill_marked(mark) and time.monotonic() < deadline:
            time.sleep(PULSE)
    for pipe in _pipes(process):
        pipe.close()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
