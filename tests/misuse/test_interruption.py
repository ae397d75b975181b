"""However a job ends, all of it ends, with one line and status 2."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ONEHOP, ROOT

from onehop.cli.app import APPS

pytestmark = pytest.mark.alone

LONG = ("--lattice", "16x16x16x16", "--start", "cold", "--mass", "0.001", "--tol", "1e-300")
ENDLESS = ("solve", *LONG, "--max-iter", "100000000")
LIMIT_S = 2.0


def says(number):
    return f"onehop: interrupted by {signal.Signals(number).name}\n"


def let_it_solve(job):
    """Waits until the ranks have joined and are at work."""
    pids = job.ranks(4)
    for pid in pids:
        wait_for_cpu_time(pid)
    return pids


def wait_for_cpu_time(pid, seconds=0.7):
    ticks = os.sysconf("SC_CLK_TCK")
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / ticks > seconds:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} did not start to work")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_job(start, number):
    job = start(*ENDLESS, "--ranks", "4")
    let_it_solve(job)
    job.process.send_signal(number)
    assert job.is_gone_within(LIMIT_S)
    ended = job.end()
    assert (ended.status, ended.err) == (2, says(number))


def test_interrupt_of_the_whole_terminal(start):
    """Ctrl-C goes to every process of the group; ranks leave it to the launcher."""
    job = start(*ENDLESS, "--ranks", "4")
    for pid in [*let_it_solve(job), job.process.pid]:
        os.kill(pid, signal.SIGINT)
    assert job.is_gone_within(LIMIT_S)
    ended = job.end()
    assert (ended.status, ended.err) == (2, says(signal.SIGINT))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_single_rank(start, number):
    job = start(*ENDLESS)
    wait_for_cpu_time(job.process.pid, 1.0)
    job.process.send_signal(number)
    assert job.is_gone_within(LIMIT_S)
    ended = job.end()
    assert (ended.status, ended.err) == (2, says(number))


def test_killed_rank_is_named(start):
    job = start(*ENDLESS, "--ranks", "4")
    pids = let_it_solve(job)
    victim = next(pid for pid in pids if b"ONEHOP_RANK=2" in environment(pid))
    os.kill(victim, signal.SIGKILL)
    assert job.is_gone_within(LIMIT_S)
    ended = job.end()
    assert (ended.status, ended.err) == (2, "onehop: rank 2 was killed by signal 9 (SIGKILL)\n")


# Runs of applications on two ranks that end neither by themselves nor in the time of a test.
ENDLESS_APPS = {
    "echo": ("--sizes", "64", "--rounds", "100000000"),
    "event-stream": ("--events-per-s", "100000", "--seconds", "1000"),
    "graph-search": ("--scale", "14", "--roots", "10000", "-n", "2"),
    "lattice-boltzmann": (
        *("--setup", "taylor-green", "--lattice", "16x16x16"),
        *("--steps", "100000000", "-n", "2"),
    ),
    "particle-in-cell": (
        *("--setup", "thermal", "--lattice", "8x8x8"),
        *("--steps", "100000000", "-n", "2"),
    ),
    "particle-offload": ("--chunk", "1000", "--steps", "1000000"),
    "spiking-network": ("--columns", "2x1", "--ms", "100000000", "-n", "2"),
    "spin-glass": ("--lattice", "16x16x16", "--beta", "1", "--sweeps", "100000000", "-n", "2"),
}


@pytest.mark.parametrize("name", APPS)
def test_killed_rank_of_an_application_is_named(start, tmp_path, name):
    job = start("app", name, *ENDLESS_APPS[name], "--json", tmp_path / "a.json")
    pids = job.ranks(2)
    for pid in pids:
        wait_for_cpu_time(pid)
    victim = next(pid for pid in pids if b"ONEHOP_RANK=1" in environment(pid))
    os.kill(victim, signal.SIGKILL)
    assert job.is_gone_within(LIMIT_S)
    ended = job.end()
    assert (ended.status, ended.err) == (2, "onehop: rank 1 was killed by signal 9 (SIGKILL)\n")
    assert list(tmp_path.iterdir()) == []


def environment(pid):
    return Path(f"/proc/{pid}/environ").read_bytes()


def test_stopped_rank_can_still_be_ended(start):
    job = start(*ENDLESS, "--ranks", "4")
    os.kill(let_it_solve(job)[0], signal.SIGSTOP)
    job.process.send_signal(signal.SIGINT)
    assert job.is_gone_within(LIMIT_S)
    assert job.end().status == 2


def test_killed_launcher_takes_its_ranks_along(start):
    job = start(*ENDLESS, "--ranks", "4")
    let_it_solve(job)
    job.process.kill()
    assert job.is_gone_within(LIMIT_S)


def test_one_rank_ignores_an_interrupt_and_is_named_when_it_is_terminated(start):
    job = start("run", "-n", "3", "--", "sleep", "60")
    pids = job.ranks(3)
    os.kill(pids[1], signal.SIGINT)
    time.sleep(0.3)
    assert job.process.poll() is None and len(job.ranks(3)) == 3
    os.kill(pids[1], signal.SIGTERM)
    ended = job.end()
    assert ended.status == 2 and "rank 1" in ended.err and "SIGTERM" in ended.err


def test_killed_launcher_takes_foreign_programs_along(start):
    job = start("run", "-n", "3", "--", "sleep", "60")
    job.ranks(3)
    job.process.kill()
    assert job.is_gone_within(LIMIT_S)


RANK = """
import onehop
context = onehop.join()
while True:
    onehop.Window(context, 1000)
"""


@pytest.mark.parametrize("ending", ["rank-killed", "rank-stopped", "killed"])
def test_job_ended_at_random_times(ending, tmp_path):
    """These are a few of the kills that tests/stress/kill_jobs.py makes at length."""
    words = [ROOT / "tests" / "stress" / "kill_jobs.py", "3", "--ending", ending]
    job = [ONEHOP, "run", "-n", "2", "--", sys.executable, "-c", RANK]
    done = subprocess.run(
        [sys.executable, *words, "--", *job], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_rank_is_killed_and_not_what_it_has_started(tmp_path):
    """Processes that a rank starts carry its number too, and are gone when a signal comes."""
    words = [ROOT / "tests" / "stress" / "kill_jobs.py", "5", "--ending", "rank-killed"]
    job = [ONEHOP, "run", "-n", "2", "--", "sh", "-c", "while :; do env true; done"]
    done = subprocess.run(
        [sys.executable, *words, "--", *job], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_interrupted_job_leaves_no_partial_files(start, tmp_path):
    job = start(
        *ENDLESS, "--ranks", "4", "--out", tmp_path / "s.npy", "--json", tmp_path / "r.json"
    )
    let_it_solve(job)
    job.process.send_signal(signal.SIGINT)
    assert job.end().status == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("ranks", "name"), [(1, "g"), (2, "g"), (2, "g" * 240)])
def test_ended_generate_leaves_no_staged_file(start, tmp_path, ranks, name):
    """No file is left, however often it is writing when it ends."""
    words = ("--lattice", "8x8x8x8", "--beta", "6", "--sweeps", "1000000", "--overrelaxation", "0")
    job = start("generate", *words, "--checkpoint", "1", "--ranks", ranks, "-o", tmp_path / name)
    while not list(tmp_path.glob("g*.part-*")):
        time.sleep(0.001)
        assert job.process.poll() is None
    victims = [pid for pid in job.processes() if pid != job.process.pid]
    if victims:
        os.kill(victims[0], signal.SIGKILL)
    else:
        job.process.send_signal(signal.SIGTERM)
    assert job.end().status == 2
    assert {p.name for p in tmp_path.iterdir()} <= {name, f"{name}.json"}


@pytest.mark.parametrize(("number", "ranks"), [(signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_interrupted_generate_can_be_continued(start, onehop, tmp_path, number, ranks):
    words = ("generate", "--lattice", "4x4x4x8", "--beta", "6", "--ranks", str(ranks))
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    job = start(*words, "--sweeps", "1000000", "--checkpoint", "3", "-o", broken)
    wait_for_cpu_time(job.ranks(2)[0] if ranks == 2 else job.process.pid, 1.2)
    job.process.send_signal(number)
    ended = job.end()
    assert (ended.status, ended.err) == (2, says(number))
    done = len(json.loads((tmp_path / "broken.json").read_text())["samples"])
    sweeps = ("--sweeps", str(done + 2))
    assert onehop(*words, *sweeps, "--continue", "-o", broken).status == 0
    assert onehop(*words, *sweeps, "-o", whole).status == 0
    assert broken.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(("number", "ranks"), [(signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_interrupted_ensemble_goes_on(start, onehop, configurations, tmp_path, number, ranks):
    """Whole records are kept and not made again; there is no other file."""
    chain = [tmp_path / f"{k:02}.nersc" for k in range(24)]
    for name in chain:
        shutil.copy(configurations["nersc"], name)
    folder = tmp_path / "records"
    words = ("ensemble", *chain, "--to", folder, "--mass", "0.5", "--ranks", ranks)
    job = start(*words)
    limit = time.monotonic() + 60
    while not list(folder.glob("[0-9]*.json")):
        assert job.process.poll() is None and time.monotonic() < limit
        time.sleep(0.01)
    job.process.send_signal(number)
    ended = job.end()
    kept = {path: path.read_text() for path in folder.iterdir()}
    assert kept and {path.name for path in kept} <= {f"{name.name}.json" for name in chain}
    assert all(json.loads(text)["check"]["passed"] for text in kept.values())
    # The command may have been faster than the signal.
    assert (ended.status, ended.err) == (2, says(number)) or len(kept) == len(chain)
    again = onehop(*words, "--json", "-")
    assert again.status == 0, again.err
    resumed = [sample["resumed"] for sample in json.loads(again.out)["samples"]]
    assert resumed == [folder / f"{name.name}.json" in kept for name in chain]
    assert all(path.read_text() == text for path, text in kept.items())


def test_closed_output_ends_quietly(start, configurations):
    job = start("solve", configurations["nersc"], "--mass", "0.5", "--ranks", "2")
    job.process.stdout.close()
    with job.process.stderr as stderr:
        assert stderr.read() == ""
    job.process.wait(timeout=10)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(start, closed):
    solve = "onehop solve --lattice 4x4x4x4 --start cold --mass 1 --ranks 2"
    assert start("-c", f"{solve} {closed}", program="sh").end().status == 0


def test_full_output_is_one_line(start):
    ended = start("-c", "onehop info > /dev/full", program="sh").end()
    assert ended.status == 2
    assert ended.err == "onehop: input or output: No space left on device\n"


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/dev/shm"]
    return subprocess.run(probe, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="no permission to mount a small /dev/shm")
@pytest.mark.parametrize("size", ["4k", "256k", "1m"])
def test_shared_memory_too_small(start, size):
    script = f'mount -t tmpfs -o size={size} none /dev/shm && exec "$@"'
    prefix = ("unshare", "-rm", "sh", "-c", script, "sh")
    words = ("solve", "--lattice", "8x8x8x8", "--start", "hot", "--mass", "0.5", "--ranks", "2")
    ended = start(*words, prefix=prefix).end()
    assert ended.status == 2, (ended.out, ended.err)
    assert len(ended.err.splitlines()) == 1, ended.err
    assert "bytes" in ended.err and "/dev/shm" in ended.err and "free" in ended.err, ended.err
