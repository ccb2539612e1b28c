"""Where the log goes: standard error, a file, and ``evolve.log`` in a run's directory."""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.core.logs import LOG
from evolve_arena.runs.store.directory import LOG_NAME

LARGEST = 256 * 1024
"""Bytes of a log file; the one before it is kept too, with ``.1`` at its end."""
LONGEST = 1000
"""Characters of a line."""


def set_up(*, verbose: bool = False, file: Path | None = None) -> None:
    """Tells all that goes on, until this process ends.

    Args:
        verbose: Whether on standard error.
        file: Where else.

    Raises:
        BadValueError: The *file* can't be written.
    """
    if file is not None:
        handler = _LogFile(file)
        try:
            handler.stream = handler._open()
        except OSError as error:
            raise BadValueError(f"--log {file}: {error.strerror}") from None
        _add(handler)
    if verbose:
        _add(_StandardError())
    LOG.setLevel(logging.DEBUG)


@contextmanager
def log_run(folder: Path) -> Iterator[None]:
    """Writes the steps of the run in *folder* to its ``evolve.log``, as far as that can be written.

    The caller's own handlers get no more than before.
    """
    handler = _LogFile(folder / LOG_NAME)
    handler.setLevel(logging.INFO)
    level, propagate, usual = LOG.level, LOG.propagate, LOG.getEffectiveLevel()
    _add(handler)
    passes_on = _PassOn(usual)
    if usual > logging.INFO:
        LOG.setLevel(logging.INFO)
        if propagate:
            LOG.propagate = False
            LOG.addHandler(passes_on)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.removeHandler(passes_on)
        handler.close()
        LOG.propagate = propagate
        LOG.setLevel(level)


class _Line(logging.Formatter):
    """One line for each record, whatever texts are in it."""

    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record), LONGEST)


def _add(handler: logging.Handler) -> None:
    handler.setFormatter(_Line("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)


class _StandardError(logging.StreamHandler[TextIO]):
    """Standard error as it is at the moment: a live view puts another stream there."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, stream: TextIO) -> None:
        raise AttributeError("it is standard error")


class _LogFile(RotatingFileHandler):
    """A file of bounded size that never disturbs what is logged: if it can't be written, it isn't.

    It is only written if it is an ordinary file with one name: a run's folder may come from
    elsewhere, and hold a link to another file of the user's.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=LARGEST, backupCount=1, encoding="utf-8", delay=True)
        self._owner = os.getpid()

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a line; not from workers, who have closed the file."""
        if os.getpid() == self._owner:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's name)
        """Does nothing: a full disk, say, is told by what else is written."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
            flags |= getattr(os, name, 0)
        descriptor = os.open(self.baseFilename, flags, 0o666)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.close(descriptor)
            raise OSError(0, "it is no ordinary file")
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")


class _PassOn(logging.Handler):
    """Hands on to the handlers of the caller what they would have got."""

    def emit(self, record: logging.LogRecord) -> None:
        root = logging.getLogger()
        if root.handlers:  # else Python's last resort would print it
            root.callHandlers(record)
