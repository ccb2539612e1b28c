"""Starts one bot and outlives it: whatever ends the host, the bot and all that it started end too.

    python -IS supervisor.py CONTROL FOLDER COMMAND...

CONTROL is the number of a socket to the host. The supervisor says there ``started PID`` or
``refused ERRNO``, and later ``ended STATUS``. The host says ``t`` to ask the bot to end; when the
host closes the socket, or dies, everything is killed. FOLDER is where psutil lies.

This is a process of its own because only an ancestor can adopt orphans: processes that left the
bot's process group, session or parent come back to it (on Linux). Where orphans can't be adopted,
they are found by an environment variable. It is run for each game, so it imports little: with
``typing`` and ``contextlib`` it would start in twice the time.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

MARK = "EVOLVE_ARENA_BOT"
"""The environment variable that all processes of one bot share."""
PULSE = 1.0
"""Seconds between two looks at whether the host still lives, should the socket not tell."""
QUICKLY = 0.05
"""Seconds in which a bot's process group should be gone after it was killed."""
PATIENCE = 5.0
"""Seconds after which processes that can't be killed are given up."""

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LINUX = sys.platform == "linux"


def main(control: int, folder: str, words: list[str]) -> int:
    """Starts the bot and waits until it, or the host, is gone.

    Returns:
        0 if nothing is left of the bot.
    """
    host = os.getppid()
    os.set_inheritable(control, False)
    if LINUX:
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
    told: list[int] = []
    ears = _listen_to_signals(told)
    bot, refusal = _start(words)
    _say(control, f"refused {refusal}" if refusal else f"started {bot}")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # else the bot's pipes would not end with it
        os.dup2(null, descriptor)
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(ears, select.POLLIN)
    while not told and os.getppid() == host:
        ready = [descriptor for descriptor, _ in poll.poll(1000 * PULSE)]
        if ears in ready:
            os.read(ears, 512)
        if not _reap(bot, control) and LINUX:
            return 0
        if control in ready and not _obey(control, bot):
            break
    return 0 if _kill_all(bot, control, folder) else 1


def kill_marked(mark: str) -> bool:
    """Kills all processes of the bot of that *mark*; False if there were none."""
    import psutil

    found = False
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                process.kill()
                found = True
        except (psutil.Error, OSError):
            continue  # it is gone, or another user's
    return found


def _listen_to_signals(told: list[int]) -> int:
    """What becomes readable at a signal; those that ask to end are noted in *told*."""
    ears, mouth = os.pipe()
    os.set_blocking(mouth, False)
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, frame: told.append(number))
    return ears


def _start(words: list[str]) -> tuple[int, int]:
    """The process id of the bot, in a session of its own; and what the system refuses, or 0."""
    here, there = os.pipe()
    supervisor = os.getpid()
    bot = os.fork()
    if bot == 0:
        try:
            os.setsid()
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            if LINUX:
                _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == supervisor:
                os.execvp(words[0], words)
        except OSError as error:
            os.write(there, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(there)
    return bot, int(os.read(here, 16) or 0)


def _reap(bot: int, control: int) -> bool:
    """Takes note of processes that ended; False if none is left."""
    try:
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            if ended[0] == bot:
                _say(control, f"ended {os.waitstatus_to_exitcode(ended[1])}")
    except ChildProcessError:
        return False
    return True


def _obey(control: int, bot: int) -> bool:
    """Does what the host asks for; False if it is gone."""
    try:
        orders = os.read(control, 16)
    except OSError:
        return False
    if orders:
        _signal_group(bot, signal.SIGTERM)
    return bool(orders)


def _kill_all(bot: int, control: int, folder: str) -> bool:
    """Kills the bot and all that it started; whether nothing is left."""
    _signal_group(bot, signal.SIGKILL)
    start = time.monotonic()
    while (gone := time.monotonic() - start) < PATIENCE:
        left = _reap(bot, control)
        if LINUX and not left:
            return True
        if (gone > QUICKLY or not left) and not _kill_found(folder) and not left:
            return True
        time.sleep(0.002)
    return False


def _kill_found(folder: str) -> bool:
    """Kills all descendants, and those that only the mark tells; False if there were none."""
    sys.path.append(folder)
    import psutil

    family = psutil.Process().children(recursive=True)
    for act in ("suspend", "kill"):  # first of all, nobody starts anybody else
        for process in family:
            try:
                getattr(process, act)()
            except (psutil.Error, OSError):
                continue
    return kill_marked(os.environ.get(MARK, "")) or bool(family)


def _signal_group(group: int, number: int) -> None:
    try:  # noqa: SIM105
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass  # nobody is left in it


def _say(control: int, text: str) -> None:
    try:  # noqa: SIM105
        os.write(control, f"{text}\n".encode())
    except OSError:
        pass  # the host is gone


def _prctl(option: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
