"""Starts local ranks, watches them and ends them together.

A rank is a child process with ONEHOP_RANK, ONEHOP_SIZE, ONEHOP_SEGMENT_FD (the inherited shared
memory) and ONEHOP_REPORT_FD (a pipe for the reason of a failure) in its environment. It dies with
the launcher, ignores SIGINT and leads its own process group, so that processes that it starts are
ended with it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import select
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from onehop import _core, output, tuning
from onehop.processes import (
    Interrupted,
    drain,
    exit_status,
    has_ended,
    killed_for_memory,
    signal_group,
    signal_name,
    tie_to_launcher,
)

if TYPE_CHECKING:
    from onehop.virtual import Conductor

# After the first failure the others have this long to notice it, then get SIGTERM, then SIGKILL.
GRACE_S = 0.5
TERM_S = 0.5
# More processes than this for each core would not even start within the deadline of a wait. Ranks
# of a virtual machine take turns, and their deadlines are in its time.
MOST_RANKS_PER_CORE = 32


@dataclasses.dataclass(frozen=True)
class Failure:
    """Why a rank ended badly. `status` is its exit status, negative for a signal."""

    rank: int
    kind: str
    message: str
    status: int = 2


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`statuses` and process numbers of all ranks that were started and the first cause, None when
    none failed; `interrupted` is the signal that ended the job, 0 where none did."""

    statuses: list[int]
    processes: list[int]
    cause: Failure | None = None
    interrupted: int = 0

    def raise_interruption(self) -> None:
        """Raises Interrupted where the user has ended the job."""
        if self.interrupted:
            raise Interrupted(self.interrupted)


def rank_and_size() -> tuple[int, int] | None:
    """Returns what the launcher told this process, None outside a job."""
    if "ONEHOP_RANK" not in os.environ:
        return _core.launched_by_mpi()
    return _told("ONEHOP_RANK"), _told("ONEHOP_SIZE")


def _told(variable: str) -> int:
    value = os.environ.get(variable, "")
    # int() would also take signs, spaces and underscores.
    if not value.isdecimal():
        raise _core.UsageError(
            f"environment variable {variable} has the value {value!r}: start the ranks with "
            "onehop run, or unset it"
        )
    return int(value)


def report_failure(error: BaseException) -> bool:
    """Tells the launcher why this rank fails; returns False when there is no launcher to tell."""
    try:
        descriptor, place = _told("ONEHOP_REPORT_FD"), rank_and_size()
        if place is None:
            return False
        os.write(descriptor, _report(place[0], error))
    except (OSError, _core.UsageError):
        return False
    return True


def _report(rank: int, error: BaseException) -> bytes:
    """Returns a line that a pipe takes whole, so that those of several ranks are not mixed."""
    message = str(error)[:3000]
    while True:
        line = {"rank": rank, "class": type(error).__name__, "message": message}
        encoded = json.dumps(line).encode() + b"\n"
        if len(encoded) <= select.PIPE_BUF:
            return encoded
        message = message[: len(message) * 3 // 4]


def this_command(arguments: Sequence[str]) -> list[str]:
    """Returns the line that runs `onehop ARGUMENTS` with this interpreter, whatever the working
    folder."""
    code = (
        "import sys; sys.path = [p for p in sys.path if p]; from onehop.cli import entry; entry()"
    )
    return [sys.executable, "-c", code, *arguments]


def run_ranks(
    command: Sequence[str],
    size: int,
    *,
    harmless: Sequence[int] = (0,),
    keep_stdin: bool = False,
    silent: bool = False,
    conductor: Conductor | None = None,
    variables: Mapping[str, str] | None = None,
    term_s: float = TERM_S,
) -> Outcome:
    """Runs `command` as `size` ranks until all have ended.

    A rank that ends with a status outside `harmless` has failed, and the others are ended. With
    `keep_stdin` rank 0 reads the launcher's input. With `silent` the standard output of the ranks
    is thrown away. With a `conductor` they are ranks of its virtual machine. Their environment has
    these `variables` beside that of this process. Ranks that are told to end have `term_s` seconds
    to clean up.
    """
    cores = _core.inspect_machine().usable_cores
    if conductor is None and size > MOST_RANKS_PER_CORE * cores:
        raise _core.UsageError(
            f"{size} ranks on {cores} usable cores: give at most {MOST_RANKS_PER_CORE * cores}"
        )
    with _Job(command, size, harmless, keep_stdin, silent, conductor, variables, term_s) as job:
        try:
            return job.watch()
        finally:
            _Job.have_been = True


def has_run_ranks() -> bool:
    """Returns whether this process has started ranks, and is therefore not a rank itself."""
    return _Job.have_been


def _what_to_do(program: str, why: int | None) -> str:
    """Returns what helps where a program could not be started."""
    if "/" not in program and os.path.isfile(program):  # noqa: PTH113
        return f"did you mean ./{program}?"
    if why in (errno.EMFILE, errno.ENFILE):
        return "raise the limit on open files (ulimit -n)"
    if why in (errno.EAGAIN, errno.ENOMEM):
        return "use fewer ranks, or raise the limit on processes or memory (ulimit -a)"
    if why in (errno.EACCES, errno.ENOEXEC):
        return f"name the program that runs it too, as python {program}, or make it executable"
    return "give a program's path"


class _Job:
    have_been = False

    def __init__(
        self,
        command: Sequence[str],
        size: int,
        harmless: Sequence[int],
        keep_stdin: bool,
        silent: bool,
        conductor: Conductor | None,
        variables: Mapping[str, str] | None,
        term_s: float,
    ) -> None:
        self.command = list(command)
        self.size = size
        self.harmless = harmless
        self.keep_stdin = keep_stdin and not sys.stdin.isatty()
        self.silent = silent
        self.conductor = conductor
        self.variables = variables or {}
        self.term_s = term_s
        self.tuned = tuning.environment()
        self.killed_before = killed_for_memory()
        self.ranks: list[subprocess.Popen] = []
        self.seen: set[int] = set()
        self.events: list[Failure] = []
        self.pending = b""
        self.interrupted = 0
        self.ending_since: float | None = None
        self.sent = 0

    def __enter__(self) -> _Job:
        own = self.conductor is None
        self.segment = _core.create_segment(self.size) if own else self.conductor.segment
        self.report_read, self.report_write = os.pipe()
        os.set_blocking(self.report_read, False)
        return self

    def __exit__(self, *_: object) -> None:
        self._signal_all(signal.SIGKILL)
        for rank in self.ranks:
            rank.wait()
        for descriptor in (self.report_read, self.report_write):
            os.close(descriptor)
        if self.conductor is None:
            os.close(self.segment)
        else:
            self.conductor.stop()

    def watch(self) -> Outcome:
        with self._wakeups() as wakeup, selectors.DefaultSelector() as selector:
            self._start_all(wakeup)
            selector.register(wakeup, selectors.EVENT_READ)
            selector.register(self.report_read, selectors.EVENT_READ)
            while self._take_in_ends() < len(self.ranks):
                self._end_if_needed()
                selector.select(self._patience())
                drain(wakeup)
        return Outcome(
            [r.returncode for r in self.ranks],
            [r.pid for r in self.ranks],
            self._cause(),
            self.interrupted,
        )

    def _start_all(self, wakeup: int) -> None:
        """Starts the ranks, and no more of them once the job is to end: to start many takes
        seconds."""
        for rank in range(self.size):
            self.ranks.append(self._start(rank))
            if drain(wakeup):
                self._take_in_ends()
                if self.events or self.interrupted:
                    return
        if self.conductor is not None:
            self.conductor.start()

    def _start(self, rank: int) -> subprocess.Popen:
        environment = {
            **os.environ,
            **self.tuned,
            **self.variables,
            "ONEHOP_RANK": str(rank),
            "ONEHOP_SIZE": str(self.size),
            "ONEHOP_SEGMENT_FD": str(self.segment),
            "ONEHOP_REPORT_FD": str(self.report_write),
            "ONEHOP_JOB": output.job(),
        }
        try:
            return subprocess.Popen(
                self.command,
                env=environment,
                pass_fds=(self.segment, self.report_write),
                preexec_fn=tie_to_launcher(os.getpid()),
                stdin=None if rank == 0 and self.keep_stdin else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if self.silent else None,
            )
        except OSError as error:
            program = self.command[0]
            raise _core.UsageError(
                f"cannot start {program}: {error.strerror}; {_what_to_do(program, error.errno)}"
            ) from None

    @contextlib.contextmanager
    def _wakeups(self) -> Iterator[int]:
        """Gives a descriptor that becomes readable when a child ends or the user wants us to
        stop."""
        read, write = os.pipe()
        os.set_blocking(read, False)
        os.set_blocking(write, False)
        old_descriptor = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        handlers = {signal.SIGCHLD: lambda *_: None}
        # A shell lets background jobs ignore Ctrl-C, and nohup the end of the terminal.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                handlers[number] = self._interrupt
        old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield read
        finally:
            for number, handler in old.items():
                # Python cannot put back the handler of a library that was loaded before it.
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
            signal.set_wakeup_fd(old_descriptor)
            os.close(read)
            os.close(write)

    def _interrupt(self, number: int, *_: object) -> None:
        self.interrupted = number

    def _take_in_ends(self) -> int:
        """Takes in everything that has happened since the last call; returns how many ranks have
        ended."""
        self._read_reports()
        for number, rank in enumerate(self.ranks):
            if number not in self.seen and has_ended(rank.pid):
                self.seen.add(number)
                self._note_end(number, self._reap(rank))
                self._tell_conductor(number)
        return len(self.seen)

    def _tell_conductor(self, rank: int) -> None:
        if self.conductor is not None:
            self.conductor.note_end(rank, in_vain=self._stalled() == rank)

    def _stalled(self) -> int | None:
        """Returns the rank whose failure came first, when that was a wait that reached its deadline
        in virtual time: then the others go on until each has said whom it waits for."""
        first = self.events[0].rank if self.events else None
        waited = first is not None and self.conductor is not None and self.conductor.waited(first)
        return first if waited else None

    def _reap(self, rank: subprocess.Popen) -> int:
        """Ends what a failed rank left in its group while its number cannot be taken by others."""
        if exit_status(rank.pid) != 0:
            signal_group(rank.pid, signal.SIGKILL)
        return rank.wait()

    def _note_end(self, rank: int, status: int) -> None:
        """Notes how a rank ended; ranks that this launcher ended itself are not the cause."""
        self._read_reports()
        if status in self.harmless or self.sent or any(e.rank == rank for e in self.events):
            return
        if status < 0:
            message = f"rank {rank} was killed by signal {-status} ({signal_name(-status)})"
            if -status == signal.SIGKILL and killed_for_memory() > self.killed_before:
                message += (
                    "; the kernel has ended a process because memory ran out: take a smaller "
                    "problem or fewer ranks, or raise the limit of the batch system or the "
                    "container"
                )
            self.events.append(Failure(rank, "signal", message, status))
        else:
            message = f"rank {rank} ended with exit status {status}"
            self.events.append(Failure(rank, "exit", message, status))

    def _read_reports(self) -> None:
        self.pending += drain(self.report_read)
        *lines, self.pending = self.pending.split(b"\n")
        for line in lines:
            # A rank may name a file whose bytes are not text, and a program may write anything.
            try:
                report = json.loads(line.decode("utf-8", "replace"))
                failure = Failure(report["rank"], report["class"], report["message"])
            except (ValueError, TypeError, KeyError):
                continue
            self.events.append(failure)

    def _cause(self) -> Failure | None:
        """Returns the first event that does not follow from another rank's failure."""
        stalled = self._stalled()
        if stalled is not None:
            return Failure(stalled, "TimeoutError", self.conductor.deadlock)
        own = [e for e in self.events if e.kind != "PeerError"]
        return next(iter(own or self.events), None)

    def _end_if_needed(self) -> None:
        if self.ending_since is None and (self.events or self.interrupted):
            self.ending_since = time.monotonic()
            if self.interrupted or self._stalled() is None:
                self._mark_failed()
        if self.ending_since is None:
            return
        waited = time.monotonic() - self.ending_since
        # Ranks that have said whom they wait for would wait for ever.
        said = self._stalled() is not None and self.conductor.has_finished
        grace = 0.0 if self.interrupted or said else GRACE_S
        if self.sent == 0 and waited >= grace:
            self.sent = 1
            self._signal_all(signal.SIGTERM)
        if self.sent == 1 and waited >= grace + self.term_s:
            self.sent = 2
            self._signal_all(signal.SIGKILL)

    def _mark_failed(self) -> None:
        reason = "the job was interrupted" if self.interrupted else self.events[0].message
        rank = self.events[0].rank if self.events else 0
        if self.conductor is not None:
            # Ranks of a virtual machine sleep until it wakes them.
            self.conductor.fail(rank, reason)
            return
        with contextlib.suppress(_core.Error):
            _core.mark_failed(self.segment, rank, reason)

    def _patience(self) -> float | None:
        return None if self.ending_since is None and not self.interrupted else 0.05

    def _signal_all(self, number: int) -> None:
        for rank in self.ranks:
            if rank.returncode is None:
                signal_group(rank.pid, number)
