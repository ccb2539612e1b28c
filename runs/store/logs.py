"""Destinations of the log: stderr, a file, and ``evolve.log`` in a run's directory."""

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
"""Maximum bytes of a log file; the previous one is kept too, as ``.1``."""
LONGEST = 1000
"""Maximum characters of a line."""


def set_up(*, verbose: bool = False, file: Path | None = None) -> None:
    """Log all levels until this process ends.

    Args:
        verbose: True to log to stderr.
        file: File to log to.

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
    """Log the steps of the run in *folder* to its ``evolve.log``, as far as that can be written.

    The caller's own handlers get no more records than before.
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
    """Formatter that writes each record as one line, whatever its text."""

    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record), LONGEST)


def _add(handler: logging.Handler) -> None:
    handler.setFormatter(_Line("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)


class _StandardError(logging.StreamHandler[TextIO]):
    """Handler for the current ``sys.stderr``, which a live display replaces for a while."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, stream: TextIO) -> None:
        raise AttributeError("it is standard error")


class _LogFile(RotatingFileHandler):
    """Log file of bounded size; failures to write it are ignored.

    It is only written if it is a regular file with one name: a run's folder may come from
    elsewhere, and hold a link to another file of the user's.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=LARGEST, backupCount=1, encoding="utf-8", delay=True)
        self._owner = os.getpid()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, but not in workers, which have closed the file."""
        if os.getpid() == self._owner:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's name)
        """Do nothing: other writes report a full disk, for example."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
            flags |= getattr(os, name, 0)
        descriptor = os.open(self.baseFilename, flags, 0o666)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.close(descriptor)
            raise OSError(0, "it is not a regular file")
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")


class _PassOn(logging.Handler):
    """Handler that forwards records to the handlers of the root logger, if it has any."""

    def emit(self, record: logging.LogRecord) -> None:
        root = logging.getLogger()
        if root.handlers:  # else Python's last resort would print it
            root.callHandlers(record)
