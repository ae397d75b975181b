"""kill_jobs.py TIMES [--ranks N] [--seed S] [--victim rank|launcher|interrupt] -- PROGRAM ...

Starts PROGRAM under `onehop run`, TIMES times, and ends something of the job at a random time: a
rank by SIGKILL, the launcher by SIGKILL, or the launcher by SIGINT as Ctrl-C does. PROGRAM must not
end by itself; `kill_stress rank` is one. All of the job must be gone within 2 s, the launcher's
status must not be 0, its one line must name the killed rank, and /dev/shm must be as it was.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

ONEHOP = str(Path(sys.executable).with_name("onehop"))
LIMIT_S = 2.0
# A rank is killed up to this long after the first was seen: before, while and after it joins.
WINDOW_S = 0.3


def children(pid: int) -> list[int]:
    """Returns the children in the order of their numbers, which is that of the ranks."""
    try:
        return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return []


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def left_in_shm() -> set[str]:
    return {path.name for path in Path("/dev/shm").glob("onehop*")}


class Job:
    def __init__(self, program: list[str], ranks: int) -> None:
        self.launcher = subprocess.Popen(
            [ONEHOP, "run", "-n", str(ranks), "--", *program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not children(self.launcher.pid) and self.launcher.poll() is None:
            time.sleep(0.001)

    def end(self, victim: str, draw: random.Random) -> list[str]:
        """Ends it; returns what went wrong."""
        time.sleep(draw.uniform(0, WINDOW_S))
        ranks = children(self.launcher.pid)
        if not ranks:
            return [f"the ranks did not live: {self.launcher.communicate()[1]}"]
        killed = draw.randrange(len(ranks))
        begin = time.monotonic()
        if victim == "rank":
            os.kill(ranks[killed], signal.SIGKILL)
        else:
            self.launcher.send_signal(signal.SIGKILL if victim == "launcher" else signal.SIGINT)
        told = self.launcher.communicate(timeout=60)[1]
        while any(map(lives, ranks)) and time.monotonic() < begin + 60:
            time.sleep(0.001)
        self.seconds = time.monotonic() - begin
        wrong = []
        if self.seconds > LIMIT_S:
            wrong.append(f"gone after {self.seconds:.2f} s")
        expected = {
            "rank": f"onehop: rank {killed} was killed by signal 9 (SIGKILL)\n",
            "interrupt": "onehop: interrupted\n",
            "launcher": "",
        }[victim]
        own = "".join(f"{line}\n" for line in told.splitlines() if line.startswith("onehop: "))
        if own != expected:
            wrong.append(f"rank {killed} was killed, told {told!r}")
        if self.launcher.returncode == 0:
            wrong.append("exit status 0")
        return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", type=int)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--victim", choices=["rank", "launcher", "interrupt"], default="rank")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    before, bad, slowest = left_in_shm(), 0, 0.0
    for number in range(options.times):
        job = Job(options.program, options.ranks)
        wrong = job.end(options.victim, draw)
        slowest = max(slowest, getattr(job, "seconds", 0.0))
        if left_in_shm() - before:
            wrong.append(f"left in /dev/shm: {left_in_shm() - before}")
        if wrong:
            bad += 1
            print(f"job {number}: {'; '.join(wrong)}", file=sys.stderr)
    print(
        f"{options.times} times {options.victim} of {options.ranks} ranks, {bad} wrong, "
        f"slowest end {slowest:.2f} s"
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
