"""Child processes end, and do not outlive the process that started them."""

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
# These flags look at a child's end without taking its process number from it.
_PEEK = os.WEXITED | os.WNOHANG | os.WNOWAIT


class Interrupted(KeyboardInterrupt):
    """A signal asks this process to end; the message names it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal_name(number)}")


def interrupt(number: int, *_: object) -> NoReturn:
    """Handles a signal as Python handles Ctrl-C, but keeps its name."""
    raise Interrupted(number)


def has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, _PEEK) is not None


def exit_status(pid: int) -> int:
    """Returns the exit status of a child that has ended, or the signal that killed it."""
    return os.waitid(os.P_PID, pid, _PEEK).si_status


def killed_for_memory(counters: str = "/proc/vmstat") -> int:
    """Returns how many processes the kernel has ended for lack of memory since it started, on
    the whole machine or in a control group; 0 if it does not say."""
    with contextlib.suppress(OSError, ValueError), Path(counters).open(encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), 0)
    return 0


def signal_group(leader: int, number: int) -> None:
    """Sends a signal to all of a process group that are still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def tie_to_launcher(launcher: int) -> Callable[[], None]:
    """Runs in the child before its program: own group, no SIGINT, death with the launcher."""
    end_with_launcher = end_with(launcher, signal.SIGKILL)

    def tie() -> None:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end_with_launcher()

    return tie


def end_with(parent: int, number: int) -> Callable[[], None]:
    """Runs in the child before its program: it gets this signal when its parent dies."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        # The parent may have died before prctl; then no signal comes any more.
        if os.getppid() != parent:
            os._exit(2)

    return tie


def drain(descriptor: int) -> bytes:
    """Returns all that is in a pipe now; never blocks on one that is set so."""
    data = b""
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(descriptor, 65536):
            data += chunk
    return data


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
