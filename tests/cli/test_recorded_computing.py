"""`onehop run --compute recorded` and `counted:RATE` of programs that join by onehop itself."""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from onehop import recordings

MACHINE = ("--transport", "virtual:apenet-v4")
RANKS = 2
BURNED_NS = 2_000_000
# Rank 1 computes for two milliseconds of its thread's time before each start, and the others wait.
PYTHON = """
import os, sys, time
import numpy, onehop
context = onehop.join()
right, left = (context.rank + 1) % context.size, (context.rank - 1) % context.size
window = onehop.Window(context, 4096, numpy.uint8)
chain = onehop.PutChain(context, window)
chain.push(numpy.full(4096, context.rank, numpy.uint8), right, 0)
arrival = chain.add_origin(left)
chain.commit()
for _ in range(3):
    end = time.thread_time_ns() + 2_000_000
    while context.rank == 1 and time.thread_time_ns() < end:
        pass
    context.work(flops=1e9, bytes=1e9)
    chain.start()
    chain.wait(arrival)
    chain.wait()
    onehop.barrier(context)
os.write(1, b"%d %d\\n" % (context.rank, context.now_ns))
"""
CPP = """#include <time.h>
#include <cstdio>
#include <onehop/collectives.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/window.hpp>
static long thread_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}
int main() {
  const onehop::context job = onehop::join();
  // A group has chains of its own, with the same numbers as those of the whole.
  const onehop::context all = *job.split(0);
  const int right = (all.rank() + 1) % all.size();
  const int left = (all.rank() + all.size() - 1) % all.size();
  const onehop::window memory = onehop::window::allocate(all, 4096);
  std::vector<std::byte> source(4096);
  onehop::put_chain chain(all, memory);
  chain.push({.source = onehop::local_view::contiguous(source), .target = right});
  chain.add_origin(left);
  chain.commit();
  for (int n = 0; n < 3; ++n) {
    const long end = thread_time() + 2000000L;
    while (job.rank() == 1 && thread_time() < end) {
    }
    job.work({.flops = 1e9, .bytes = 1e9});
    chain.start();
    while (!chain.test()) {
    }
    onehop::barrier(job);
  }
  std::printf("%d %ld\\n", job.rank(), static_cast<long>(job.now().time_since_epoch().count()));
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(program CXX)
find_package(onehop REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program onehop::transport)
"""


def _python(_onehop, _folder):
    return (sys.executable, "-c", PYTHON)


def _cpp(onehop, folder):
    (folder / "program.cpp").write_text(CPP)
    (folder / "CMakeLists.txt").write_text(CMAKE)
    package = onehop("info", "--cmake-dir").out.strip()
    configure = ["cmake", "-S", folder, "-B", folder, "-G", "Ninja", f"-Donehop_DIR={package}"]
    for words in (configure, ["cmake", "--build", folder]):
        subprocess.run(words, check=True, capture_output=True, timeout=300)
    return (folder / "program",)


def times(onehop, program, *words):
    """Returns the nanoseconds at which each rank was through."""
    ended = onehop("run", "-n", RANKS, *MACHINE, *words, "--", *program)
    assert (ended.status, ended.err) == (0, "")
    return dict(map(int, line.split()) for line in ended.out.splitlines())


def rewritten(name, into, change):
    """Writes the recording with the nanoseconds that change(rank, nanoseconds) returns."""
    rank, lines = 0, []
    for text in Path(name).read_text().splitlines():
        line = json.loads(text)
        if isinstance(line, dict):
            rank = line.get("rank", rank)
        elif line[0] == "call":
            line[2] = change(rank, line[2])
        lines.append(json.dumps(line))
    into.write_text("\n".join([*lines, ""]))
    return into


def computed_by(one):
    """Returns the nanoseconds of a rank, with the median between two call sites."""
    places = list(itertools.pairwise([None, *(event[1] for event in one.events)]))
    pairs = list(zip(places, (event[2] for event in one.events), strict=True))
    return sum(
        round(statistics.median(time for other, time in pairs if other == place))
        for place, _ in pairs
    )


# Eight jobs one after the other take their time where others have the cores.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", [_python, _cpp])
def test_recorded_computing_takes_the_same_time_in_every_run(onehop, tmp_path, language):
    program = language(onehop, tmp_path)
    name = tmp_path / "recording"
    times(onehop, program, "--record", name)
    found = recordings.read(str(name))
    assert [one.rank for one in found] == list(range(RANKS))
    assert all(one.mpi == "" and one.events for one in found)
    # The kernel's clock of a thread goes on while the program looks at it.
    assert computed_by(found[1]) >= 3 * BURNED_NS

    def recorded(recording):
        return times(onehop, program, "--compute", "recorded", "--recording", recording)

    assert recorded(name) == recorded(name)
    # All wait for the rank that computes for long, and the work that it declares is not charged
    # beside.
    alone = rewritten(
        name,
        tmp_path / "alone",
        lambda rank, time: time if rank == 1 and time >= BURNED_NS else 0,
    )
    twice = rewritten(alone, tmp_path / "twice", lambda _, time: 2 * time)
    before, after = recorded(alone), recorded(twice)
    first, second = (computed_by(recordings.read(str(each))[1]) for each in (alone, twice))
    assert {rank: after[rank] - before[rank] for rank in range(RANKS)} == dict.fromkeys(
        range(RANKS), second - first
    )
    # Without any the declared work takes nothing either.
    nothing = rewritten(name, tmp_path / "nothing", lambda *_: 0)
    assert recorded(nothing) == times(onehop, program, "--compute", "none")


def test_a_program_that_computes_at_other_places_is_told(onehop, tmp_path):
    name = tmp_path / "recording"
    times(onehop, _python(onehop, tmp_path), "--record", name)
    other = (sys.executable, "-c", "import onehop\nonehop.barrier(onehop.join())")
    words = ("--compute", "recorded", "--recording", name, "--", *other)
    ended = onehop("run", "-n", RANKS, *MACHINE, *words)
    assert ended.status == 0
    lines = ended.err.splitlines()
    assert len(lines) == RANKS
    assert all(
        "no time passes before 1 call where the recording has another" in line for line in lines
    )


@pytest.fixture
def recording(tmp_path):
    """Returns the name of a recording of one rank."""

    def write(mpi, event, damage=""):
        head = {"schema": "onehop.recording/1", "run": "a", "rank": 0, "ranks": 1, "mpi": mpi}
        lines = [head, ["site", 0, "program+0x1"], event, {"lines": 2, "missed": {}}]
        name = tmp_path / "recording"
        name.write_text("".join(json.dumps(line) + "\n" for line in lines).replace(damage, ""))
        return name

    return write


CALL = ["call", 0, 1000]


@pytest.mark.parametrize(
    ("mpi", "event", "damage", "words", "part"),
    [
        ("MPICH", ["barrier", 0, 5, 0], "", (), "was made by an MPI program; add --mpi"),
        ("", CALL, "", ("--mpi",), "was made by a program without MPI; leave out --mpi"),
        ("", CALL, "", ("-n", "2"), "is of 1 rank, and -n is 2"),
        ("", CALL, '"missed": {}}', (), "line 4: the line is damaged or cut; record"),
        ("", ["call", 0], "", (), "line 3: no event of a recording is"),
        ("", CALL, '"schema"', (), "line 1: a recording of a program does not begin so"),
        ("", ["call", 0, -1], "", (), "line 3: a program cannot have computed for -1 ns; record"),
        ("", ["call", 0, 10**400], "", (), "line 3: a program cannot have computed for 1000"),
        ("", ["site", 1, "\ud800"], "", (), 'no event of a recording is ["site", 1, "\\ud800"]'),
        ("", ["site", 1, "a\tb"], "", (), 'no event of a recording is ["site", 1, "a\\tb"]'),
    ],
)
def test_other_and_damaged_recordings_are_refused(
    refused, recording, mpi, event, damage, words, part
):
    name = recording(mpi, event, damage)
    options = ("--compute", "recorded", "--recording", name)
    assert part in refused("run", "-n", "1", *MACHINE, *options, *words, "--", "true")


def test_a_program_without_mpi_is_not_replayed(refused, recording):
    said = refused("simulate", "qpace", "replay", "--recording", recording("", CALL))
    assert "is a recording of a program without MPI, which cannot be replayed" in said


def test_a_program_that_is_killed_leaves_no_recording(onehop, tmp_path):
    name = tmp_path / "recording"
    program = "import os, onehop\nonehop.barrier(onehop.join())\nos._exit(3)"
    words = ("--record", name, "--", sys.executable, "-c", program)
    assert onehop("run", "-n", 2, *MACHINE, *words).status == 3
    assert not name.exists()


def test_a_program_that_joins_no_job_is_not_recorded(refused, tmp_path):
    name = tmp_path / "recording"
    said = refused("run", "-n", 1, *MACHINE, "--record", name, "--", sys.executable, "-c", "")
    assert "without calling MPI_Init or joining a job" in said
    assert not name.exists()


def test_instructions_are_counted_or_refused_in_one_line(onehop):
    """Whether a machine has such counters is not the program's matter."""
    program = """
import onehop
context = onehop.join()
sum(range(100_000))
onehop.barrier(context)
print(context.now_ns)
"""
    words = ("--compute", "counted:1e9", "--", sys.executable, "-c", program)
    ended = onehop("run", "-n", 2, *MACHINE, *words)
    if ended.status == 0:
        assert all(int(each) > 0 for each in ended.out.split())
    else:
        lines = ended.err.splitlines()
        assert (ended.status, ended.out, len(lines)) == (2, "", 1)
        assert "instructions cannot be counted on this machine: " in lines[0]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--compute", "counted"), "give none, declared, measured, recorded or counted:RATE"),
        (("--compute", "counted:fast"), "a number is needed"),
        (("--compute", "counted:0"), "the rate is instructions a second, from 1000 to 1e+15"),
        (("--record", "/dev/null/x"), "cannot write /dev/null/x"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, words, part):
    assert part in refused("run", "-n", "1", *MACHINE, *words, "--", "true")


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Returns the words of a program in a file; its recordings are kept in a folder of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "program.py"
    file.write_text(PYTHON)
    return file, (sys.executable, str(file))


def recorded_alone(onehop, words, ranks=RANKS):
    """Returns what --compute recorded alone prints and says."""
    ended = onehop("run", "-n", ranks, *MACHINE, "--compute", "recorded", "--", *words)
    assert ended.status == 0
    return sorted(ended.out.splitlines()), ended.err


@pytest.mark.timeout(600)
def test_the_first_run_records_and_later_runs_repeat_it(onehop, script, tmp_path):
    file, words = script
    _, said = recorded_alone(onehop, words)
    (kept,) = (tmp_path / "cache" / "onehop" / "recordings").iterdir()
    assert said.count("\n") == 1
    assert f"recorded in {kept}" in said
    first, said = recorded_alone(onehop, words)
    assert said == ""
    assert recorded_alone(onehop, words) == (first, "")
    # The median of what was measured passes, whatever this run takes.
    alone = rewritten(kept, tmp_path / "none", lambda *_: 0)
    kept.write_text(alone.read_text())
    assert recorded_alone(onehop, words)[0] != first


@pytest.mark.timeout(600)
def test_other_code_ranks_and_arguments_are_recorded_anew(onehop, script, tmp_path):
    file, words = script
    recorded_alone(onehop, words)
    for other, ranks in ((words, RANKS + 1), ((*words, "again"), RANKS)):
        assert "recorded in" in recorded_alone(onehop, other, ranks)[1]
    kept = sorted((tmp_path / "cache" / "onehop" / "recordings").iterdir())
    file.write_text(PYTHON + "\n")
    assert "recorded in" in recorded_alone(onehop, words)[1]
    # A recording that is named is not replayed against other code either.
    named = ("--compute", "recorded", "--recording", kept[0], "--", *words)
    ended = onehop("run", "-n", len(recordings.read(str(kept[0]))), *MACHINE, *named)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "is of another program than" in ended.err


def test_a_first_run_that_fails_leaves_nothing(onehop, script, tmp_path):
    file, words = script
    file.write_text("import os, onehop\nonehop.barrier(onehop.join())\nos._exit(3)")
    assert onehop("run", "-n", 2, *MACHINE, "--compute", "recorded", "--", *words).status == 3
    assert not list((tmp_path / "cache" / "onehop" / "recordings").iterdir())
