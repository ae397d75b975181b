"""kill_jobs.py TIMES [--seed S] [--ending NAME ...] [--window SECONDS] -- COMMAND ...

Starts the job COMMAND, TIMES times, and ends it at a random time by one of the endings, drawn from
those that are named or from all:

    rank-killed, rank-terminated   SIGKILL or SIGTERM to a rank
    rank-stopped                   SIGSTOP to a rank, then SIGINT to the launcher, as Ctrl-C does,
                                   twice where that is an MPI's
    interrupted, terminated        SIGINT or SIGTERM to the launcher
    killed                         SIGKILL to the launcher

COMMAND must not end by itself, as `onehop run -n 3 -- kill_stress rank`, `onehop solve` of a large
lattice, or `mpiexec -n 3 kill_stress rank`. All of the job must be gone within 2.5 s, the
launcher's status must not be 0, its one line must say what has ended it and name the rank
(launchers of MPI say that themselves), and neither /dev/shm nor the folder that the job was started
in may have more files than before. What an MPI leaves in /dev/shm when it is ended within MPI_Init
is not counted, nor that MPICH's mpiexec ends with 0 where it fails itself (docs/known_pains.md).
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

LIMIT_S = 2.5
ENDINGS = {
    "rank-killed": "onehop: rank {rank} was killed by signal 9 (SIGKILL)\n",
    "rank-terminated": "onehop: rank {rank} was killed by signal 15 (SIGTERM)\n",
    "rank-stopped": "onehop: interrupted by SIGINT\n",
    "interrupted": "onehop: interrupted by SIGINT\n",
    "terminated": "onehop: interrupted by SIGTERM\n",
    "killed": "",
}


def children(pid: int) -> list[int]:
    try:
        return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return []


def below(pid: int) -> list[int]:
    """Returns all processes that this one has started, and those that they have."""
    own = children(pid)
    return own + [further for child in own for further in below(child)]


def ranks_of(launcher: int) -> dict[int, int]:
    """Returns the process of each rank: the outermost one that knows that it is this rank, since
    what a rank has started itself may be gone by the next line."""
    found = {}
    for pid in [launcher, *below(launcher)]:
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for word in words:
            name, _, value = word.partition(b"=")
            if name in (b"ONEHOP_RANK", b"PMI_RANK", b"OMPI_COMM_WORLD_RANK"):
                found.setdefault(int(value), pid)
    return found


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def files_left() -> set[Path]:
    return {*Path("/dev/shm").glob("onehop*"), *Path.cwd().iterdir()}


class Job:
    def __init__(self, command: list[str]) -> None:
        self.launcher = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that runs this in the background may have it ignore Ctrl-C; a launcher that
            # inherits that waits for its stopped rank for ever.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._of_mpi = Path(command[0]).name.startswith("mpi")
        while not ranks_of(self.launcher.pid) and self.launcher.poll() is None:
            time.sleep(0.001)

    def end(self, ending: str, draw: random.Random, window_s: float) -> list[str]:
        """Ends it; returns what went wrong."""
        time.sleep(draw.uniform(0, window_s))
        rank = None
        while rank is None:
            ranks = ranks_of(self.launcher.pid)
            if not ranks:
                return [f"it ended by itself: {self.launcher.communicate()[1]}"]
            chosen = draw.choice(sorted(ranks))
            everyone = [self.launcher.pid, *below(self.launcher.pid)]
            begin = time.monotonic()
            # A rank that has just gone is told with the job that ended by itself.
            with contextlib.suppress(ProcessLookupError):
                self._send(ending, ranks[chosen])
                rank = chosen
        while any(map(lives, everyone)) and time.monotonic() < begin + 20:
            self.launcher.poll()
            time.sleep(0.001)
        self.seconds = time.monotonic() - begin
        for pid in filter(lives, everyone):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        told = self.launcher.communicate()[1]
        return self._what_is_wrong(ENDINGS[ending].format(rank=rank), told)

    def _send(self, ending: str, rank: int) -> None:
        if ending.startswith("rank-"):
            number = {"killed": signal.SIGKILL, "terminated": signal.SIGTERM}.get(ending[5:])
            os.kill(rank, number or signal.SIGSTOP)
            if number:
                return
        number = {"killed": signal.SIGKILL, "terminated": signal.SIGTERM}.get(ending, signal.SIGINT)
        self.launcher.send_signal(number)
        if ending == "rank-stopped" and self._of_mpi:
            time.sleep(0.1)
            self.launcher.send_signal(number)

    def _what_is_wrong(self, expected: str, told: str) -> list[str]:
        wrong = []
        if self.seconds > LIMIT_S:
            wrong.append(f"gone after {self.seconds:.2f} s")
        own = "".join(f"{line}\n" for line in told.splitlines() if line.startswith("onehop: "))
        if own != expected and not self._of_mpi:
            wrong.append(f"expected {expected!r}, told {told!r}")
        if self.launcher.returncode == 0 and not (self._of_mpi and "assert (!closed)" in told):
            wrong.append("exit status 0")
        return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ending", choices=list(ENDINGS), action="append")
    parser.add_argument(
        "--window", type=float, default=0.3, help="seconds after the first rank was seen"
    )
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    before, bad, slowest = files_left(), 0, 0.0
    done: collections.Counter[str] = collections.Counter()
    for number in range(options.times):
        ending = draw.choice(options.ending or list(ENDINGS))
        job = Job(options.command)
        wrong = job.end(ending, draw, options.window)
        slowest = max(slowest, getattr(job, "seconds", 0.0))
        if files_left() - before:
            wrong.append(f"left: {', '.join(map(str, files_left() - before))}")
            before = files_left()
        done[ending] += 1
        if wrong:
            bad += 1
            print(f"job {number}, {ending}: {'; '.join(wrong)}", file=sys.stderr)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(done.items()))
    print(f"{options.times} jobs, {bad} wrong, slowest end {slowest:.2f} s: {counts}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
