"""Supervisor process of a bot: it ends the bot and all descendants even if the host dies.

    python -IS supervisor.py CONTROL FOLDER COMMAND...

CONTROL is the number of a socket to the host. The supervisor writes ``started PID`` or
``refused ERRNO`` there, and later ``ended STATUS``. The host writes ``t`` to ask the bot to end;
when the host closes the socket, or dies, everything is killed. FOLDER is the folder of psutil.

This is a process of its own because only an ancestor can adopt orphans: processes that left the
bot's process group, session or parent come back to it (on Linux). Where orphans cannot be adopted,
they are found by an environment variable. It is started for each game, so it imports little:
``typing`` and ``contextlib`` would double the time that it takes to start.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

MARK = "EVOLVE_ARENA_BOT"
"""Environment variable shared by all processes of one bot."""
PULSE = 1.0
"""Seconds between two checks that the host still runs, in case the socket does not tell."""
QUICKLY = 0.05
"""Seconds in which a bot's process group should be gone after a kill."""
PATIENCE = 5.0
"""Seconds after which processes that cannot be killed are given up."""

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LINUX = sys.platform == "linux"


def main(control: int, folder: str, words: list[str]) -> int:
    """Start the bot and wait until it or the host is gone.

    Args:
        control: Descriptor of the socket to the host.
        folder: Folder of psutil.
        words: Command of the bot: the program and its arguments.

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
    # Let go of the bot's pipes, then wait for signals, the host's orders or the end of either.
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # or the bot's pipes would not end with it
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
    """Kill all processes of the bot with that *mark*; return False if there were none."""
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
    """Return a descriptor that is readable after any signal.

    SIGTERM, SIGHUP and SIGINT are also appended to *told*.
    """
    ears, mouth = os.pipe()
    os.set_blocking(mouth, False)
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, frame: told.append(number))
    return ears


def _start(words: list[str]) -> tuple[int, int]:
    """Start the bot in its own session; return its process id, and the errno or 0."""
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
    """Reap processes that have ended; return False if none is left."""
    try:
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            if ended[0] == bot:
                _say(control, f"ended {os.waitstatus_to_exitcode(ended[1])}")
    except ChildProcessError:
        return False
    return True


def _obey(control: int, bot: int) -> bool:
    """Obey the host's request; return False if the host is gone."""
    try:
        orders = os.read(control, 16)
    except OSError:
        return False
    if orders:
        _signal_group(bot, signal.SIGTERM)
    return bool(orders)


def _kill_all(bot: int, control: int, folder: str) -> bool:
    """Kill the bot and all that it started; return True if nothing is left."""
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
    """Kill descendants, and processes with the bot's mark; return False if there were none."""
    sys.path.append(folder)
    import psutil

    family = psutil.Process().children(recursive=True)
    for act in ("suspend", "kill"):  # suspended processes start no others
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
        pass  # the group is empty


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
