"""`onehop run --transport virtual:PLATFORM` runs any program on a virtual machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

MACHINE = ("--transport", "virtual:apenet-v4")
SOLVE = (
    *("solve", "--lattice", "4x4x4x4", "--start", "hot", "--seed", "5", "--kappa", "0.1"),
    *("--source", "random:7", "--ranks", "4"),
)
# Ranks work, put and reduce, and each says when it was through.
PROGRAM = """
import os
import numpy, onehop
context = onehop.join()
right, left = (context.rank + 1) % context.size, (context.rank - 1) % context.size
window = onehop.Window(context, 4096, numpy.uint8)
source = numpy.full(4096, context.rank, numpy.uint8)
chain = onehop.PutChain(context, window)
chain.push(source, right, 0)
arrival = chain.add_origin(left)
chain.commit()
for _ in range(3):
    if context.rank == 1:
        context.work(flops=1e6, bytes=1e6)
    chain.start()
    chain.wait()
assert (chain.arrived(arrival) == left).all()
total = onehop.allreduce(context, numpy.ones(3))
assert (total == context.size).all()
os.write(1, b"%d %d\\n" % (context.rank, context.now_ns))
"""


def python(program, *words):
    return ("--", sys.executable, "-c", program, *words)


def run(onehop, program, *words, ranks=3):
    ended = onehop("run", "-n", ranks, *MACHINE, *words, *python(program))
    assert (ended.status, ended.err) == (0, "")
    return sorted(ended.out.splitlines())


def test_a_program_takes_the_same_time_in_every_run(onehop):
    first = run(onehop, PROGRAM)
    assert [line.split()[0] for line in first] == ["0", "1", "2"]
    assert run(onehop, PROGRAM) == first


def test_ranks_stand_on_the_hosts_that_are_named(onehop):
    def last(hosts):
        lines = run(onehop, PROGRAM, "--hosts", hosts)
        return max(int(line.split()[1]) for line in lines)

    # In a torus of 4 x 2 x 2 host 1 is beside 2 and 5, and 16 is the other end.
    assert last("1,2,5") < last("1,2,16")


def test_declared_computing_takes_time_and_none_takes_none(onehop):
    def last(lines):
        return max(int(line.split()[1]) for line in lines)

    words = ("--platform-set", "host.flops=1,host.memory=1")
    free = last(run(onehop, PROGRAM, *words, "--compute", "none"))
    declared = last(run(onehop, PROGRAM, *words))
    # Megaflops at 1 Gflop/s and megabytes at 1 GB/s take a millisecond each time.
    assert declared - free == pytest.approx(3e6, rel=0.01)


def test_declared_seconds_pass_on_every_machine(onehop):
    program = """
import os, onehop
context = onehop.join()
context.work(seconds=1.5e-3 * context.rank, launches=0)
os.write(1, b"%d\\n" % context.now_ns)
"""
    for memory in ("host", "device"):
        assert run(onehop, program, "--memory", memory) == ["0", "1500000", "3000000"]


def test_measured_computing_takes_what_it_took_here(onehop):
    program = """
import time, onehop
context = onehop.join()
begin = time.thread_time_ns()
while time.thread_time_ns() < begin + 20_000_000:
    pass
onehop.barrier(context)
print(context.now_ns)
"""
    times = run(onehop, program, "--compute", "measured", ranks=2)
    assert all(int(each) > 20_000_000 for each in times)


@pytest.mark.parametrize(
    ("pattern", "ranks"), [("latency", 2), ("halo", 4), ("allreduce", 3), ("alltoall", 4)]
)
def test_processes_are_timed_as_bench_times_its_ranks(onehop, pattern, ranks):
    words = ("bench", pattern, "--ranks", str(ranks), "--sizes", "8,20000", "--json", "-")
    machine = ("--transport", "virtual:infiniband-qdr")
    within = json.loads(onehop(*words, *machine).out)
    without = json.loads(onehop("run", "-n", ranks, *machine, "--", "onehop", *words).out)
    assert without["transport"] == within["transport"]
    assert without["check"]["passed"]
    values = [[s["value"] for s in record["samples"]] for record in (within, without)]
    assert values[0] == values[1]


def test_a_solve_gives_the_same_bits_in_the_same_time(onehop):
    within = json.loads(onehop(*SOLVE, *MACHINE, "--json", "-").out)
    ended = onehop("run", "-n", 4, *MACHINE, "--", "onehop", *SOLVE, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    without = json.loads(ended.out)
    # The options say how the job was started, and the machine belongs to the launcher.
    apart = {"date", "options", "virtual"}
    assert {key for key in within if within[key] != without.get(key)} <= apart
    assert without["timing"] == within["timing"]


def test_a_program_that_never_joins_ends_as_it_likes(onehop):
    ended = onehop("run", "-n", 2, *MACHINE, "--", "sh", "-c", "exit 7")
    assert (ended.status, ended.err.count("\n")) == (7, 1)
    ended = onehop("run", "-n", 2, *MACHINE, "--", "true")
    assert (ended.status, ended.out, ended.err) == (0, "", "")


@pytest.mark.alone
def test_a_rank_that_goes_early_is_named(onehop):
    program = """
import os, onehop
context = onehop.join()
onehop.barrier(context)
if context.rank == 1:
    os._exit(0)
onehop.barrier(context)
"""
    ended = onehop("run", "-n", 3, *MACHINE, *python(program))
    assert ended.status != 0
    assert "rank 1 left the job" in ended.err
    assert ended.seconds < 10


@pytest.mark.alone
def test_a_deadlock_names_all_who_wait(onehop):
    program = """
import numpy, onehop
context = onehop.join()
onehop.barrier(context)
window = onehop.Window(context, 64, numpy.uint8)
chain = onehop.PutChain(context, window)
chain.add_origin((context.rank + 1) % context.size)
chain.push(numpy.zeros(8, numpy.uint8), (context.rank - 1) % context.size, 0)
chain.commit()
if context.rank == 1:
    onehop.barrier(context)
chain.start()
chain.wait()
onehop.barrier(context)
"""
    begin = time.monotonic()
    ended = onehop("run", "-n", 3, *MACHINE, *python(program))
    assert ended.status == 2
    assert time.monotonic() - begin < 10
    last = ended.err.splitlines()[-1]
    assert last.startswith(
        "onehop: virtual machine apenet-v4: nothing is under way and rank 0 of 3"
    )
    waited = "of 3 waited 60 s of virtual time in"
    assert all(f"rank {rank} {waited}" in last for rank in range(3))


@pytest.mark.alone
def test_a_killed_rank_ends_all_at_once(start):
    program = """
import onehop, time
context = onehop.join()
if context.rank == 1:
    time.sleep(99)
onehop.barrier(context)
"""
    job = start("run", "-n", "3", *MACHINE, *python(program))
    victim = next(pid for pid in job.ranks(3) if b"ONEHOP_RANK=1\0" in _environment(pid))
    # Rank 0 waits for rank 1 by then, which never gives up its turn.
    time.sleep(1)
    os.kill(victim, signal.SIGKILL)
    assert job.is_gone_within(2)
    ended = job.end()
    assert ended.status == 2
    assert ended.err.splitlines()[-1] == "onehop: rank 1 was killed by signal 9 (SIGKILL)"


@pytest.mark.alone
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_launcher(start, number):
    program = "import onehop\nc = onehop.join()\nwhile True: onehop.barrier(c)"
    job = start("run", "-n", "3", *MACHINE, *python(program))
    job.ranks(3)
    time.sleep(0.5)
    job.process.send_signal(number)
    assert job.is_gone_within(2)
    ended = job.end()
    if number != signal.SIGKILL:
        line = f"onehop: interrupted by {signal.Signals(number).name}"
        assert (ended.status, ended.err.splitlines()[-1]) == (2, line)


def _environment(pid):
    return Path(f"/proc/{pid}/environ").read_bytes()


def test_verbose_says_what_bounded_the_run(onehop):
    ended = onehop("run", "-n", "3", *MACHINE, "--verbose", *python(PROGRAM))
    assert "us of virtual time; bounded by " in ended.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("-n", "2", "--compute", "none"), "--compute is for virtual machines"),
        (("-n", "2", "--verbose"), "--verbose is for virtual machines"),
        (("-n", "2", "--memory", "host"), "--memory is for virtual machines"),
        (("-n", "2", "--transport", "shm"), "the program chooses its wire"),
        (("-n", "2", "--launcher", "mpi", *MACHINE), "--launcher mpi"),
        (("-n", "2", "--transport", "virtual:apenet"), "unknown platform"),
        (("-n", "2", *MACHINE, "--compute", "guessed"), "measured"),
        (
            ("-n", "2", *MACHINE, "--compute", "recorded", "--record", "x"),
            "beside --record needs --recording FILE too",
        ),
        (("-n", "2", "--record", "x"), "add --mpi or --transport"),
        (("-n", "2", *MACHINE, "--recording", "/dev/null"), "--compute recorded"),
        (("-n", "17", "--transport", "virtual:tca-peach2"), "at most 16 nodes"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, words, part):
    assert part in refused("run", *words, "--", "true")


def test_a_program_that_asks_for_a_wire_is_told(onehop):
    program = "import onehop; onehop.join('shm')"
    ended = onehop("run", "-n", 2, *MACHINE, *python(program))
    assert ended.status != 0
    assert "transport shm on a virtual machine: join with auto" in ended.err


def test_a_machine_has_no_cores_to_bench(onehop):
    words = ("bench", "dslash", "--lattice", "4x4x4x4", "--ranks", "2")
    ended = onehop("run", "-n", 2, *MACHINE, "--", "onehop", *words)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "times this machine's cores" in ended.err


def test_an_error_that_a_program_in_cpp_lets_go_is_one_line(onehop, tmp_path):
    """The line is the error's message, and not what the run-time library says of an exception; so
    it is in real time too."""
    (tmp_path / "program.cpp").write_text(
        """#include <onehop/window.hpp>
int main() {
  const onehop::context job = onehop::join();
  onehop::window::allocate(job, 100, job.rank() == 1 ? 7 : 1);
}
"""
    )
    (tmp_path / "CMakeLists.txt").write_text(
        """cmake_minimum_required(VERSION 3.20)
project(program CXX)
find_package(onehop REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program onehop::transport)
"""
    )
    package = onehop("info", "--cmake-dir").out.strip()
    configure = ["cmake", "-S", tmp_path, "-B", tmp_path, "-G", "Ninja", f"-Donehop_DIR={package}"]
    for words in (configure, ["cmake", "--build", tmp_path]):
        subprocess.run(words, check=True, capture_output=True, timeout=120)
    for words in (MACHINE, ()):
        ended = onehop("run", "-n", 2, *words, "--", tmp_path / "program")
        assert ended.status == 2
        assert ended.err == "onehop: window of 7 banks on rank 1: give 1 or 2\n"
