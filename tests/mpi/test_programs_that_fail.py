"""Programs of MPI that go wrong end with one line that says who did what, in real and in virtual
time."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path(sys.executable).with_name("mpicc_abi").exists(),
    reason="no mpicc_abi beside this Python: pip install 'mpich>=5'",
)
both_times = pytest.mark.parametrize(
    "options", [(), ("--transport", "virtual:infiniband-qdr")], ids=["real", "virtual"]
)
WORLD = "MPI_COMM_WORLD"


@pytest.fixture
def run(onehop, programs):
    """Runs a program of this folder on some ranks."""

    def run(name, ranks, *words, options=(), **environment):
        return onehop(
            *("run", "-n", ranks, "--mpi", *options, "--", programs(name), *words), **environment
        )

    return run


def the_line(ended):
    """Returns the line that ends a job, which is the only one."""
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("onehop: ") and ended.err.count("\n") == 1
    return ended.err.removeprefix("onehop: ").rstrip("\n")


def waits_in(line):
    """Returns what each rank waits for, by the line of a deadlock in either time."""
    words = re.sub(r" of \d+ waited 3600 s of virtual time in ", " waits in ", line)
    return dict(re.findall(r"rank (\d+) waits in (.*?)(?=; rank \d+ waits|; find out|$)", words))


def nothing(rank, tag, comm=WORLD):
    return f"rank {rank} has sent no message {tag} in {comm}"


# What ranks 0 to 2 wait for.
DEADLOCKS = {
    "receives": [f"MPI_Recv: {nothing(rank, 'with tag 3')}" for rank in (1, 2, 0)],
    "requests": [f"MPI_Waitall: {nothing(rank, 'with tag 8')}" for rank in (1, 2, 0)],
    "sends": [
        f"MPI_Ssend: rank {rank} has no receive for a message with tag 4 in {WORLD}"
        for rank in (1, 2, 0)
    ],
    "long sends": [
        f"MPI_Send: rank {rank} has no receive for a message with tag 4 in {WORLD}"
        for rank in (1, 2, 0)
    ],
    "finalize": [
        f"MPI_Finalize: {nothing(2, 'of MPI_Finalize')}",
        *2 * [f"MPI_Recv: {nothing(0, 'with tag 2')}"],
    ],
    "collective": [
        f"MPI_Allreduce: {nothing(1, 'of MPI_Allreduce (MPI_SUM)')}",
        *2 * [f"MPI_Recv: {nothing(0, 'with tag 2')}"],
    ],
    "later collective": [
        f"MPI_Wait: {nothing(2, 'of MPI_Ibarrier')}",
        *2 * [f"MPI_Barrier: {nothing(0, 'of MPI_Barrier')}"],
    ],
    "communicator": [
        f"MPI_Probe: {nothing(rank, 'with any tag', 'turned')}"
        for rank in ("0 (rank 2 of the job)", "0 (rank 2 of the job)", "1")
    ],
    "window": [
        f"MPI_Barrier: {nothing(1, 'of MPI_Barrier')}",
        "MPI_Win_lock: rank 1 of a window has not granted a lock",
        f"MPI_Barrier: {nothing(1, 'of MPI_Barrier')}",
    ],
}


@both_times
@pytest.mark.parametrize("how", DEADLOCKS)
def test_a_deadlock_says_who_waits_for_what(run, how, options):
    line = the_line(run("deadlocks", 3, how, options=options))
    assert waits_in(line) == {str(rank): what for rank, what in enumerate(DEADLOCKS[how])}


@pytest.mark.alone
@both_times
@pytest.mark.parametrize(
    ("name", "how"), [("deadlocks", "receives"), ("deadlocks", "window"), ("mismatches", "long")]
)
def test_ranks_that_cannot_go_on_are_told_so_within_two_seconds(
    start, programs, name, how, options
):
    """The time that a launcher takes to start ranks does not count."""
    job = start("run", "-n", 3, "--mpi", *options, "--", programs(name), how, "begun")
    assert job.process.stdout.readline() == "begun\n"
    begun = time.monotonic()
    the_line(job.end())
    assert time.monotonic() - begun < 2


def test_a_rank_alone_can_wait_for_ever_as_well(run):
    assert waits_in(the_line(run("deadlocks", 1, "receives"))) == {
        "0": f"MPI_Recv: {nothing(0, 'with tag 3')}"
    }


def test_a_long_list_of_ranks_is_cut(run):
    line = the_line(run("deadlocks", 11, "receives"))
    assert len(waits_in(line)) == 8
    assert line.endswith("; and 3 more ranks wait")


def test_all_threads_of_all_ranks_can_wait(run):
    assert set(waits_in(the_line(run("deadlocks", 3, "threads")))) == {"0", "1", "2"}


@pytest.mark.parametrize("how", ["sleeps", "computes", "looks", "reads"])
def test_a_rank_that_does_something_else_is_no_deadlock(run, how):
    ended = run("deadlocks", 3, how)
    assert (ended.status, ended.err) == (0, "")
    assert sorted(ended.out.splitlines()) == ["0 0 3", "1 0 3", "2 0 3"]


def test_a_thread_that_is_outside_of_mpi_is_no_deadlock(run):
    ended = run("deadlocks", 3, "thread sends")
    assert (ended.status, ended.err) == (0, "")
    assert sorted(ended.out.splitlines()) == ["0 7 0", "1 0 0", "2 0 0"]


@pytest.mark.parametrize(
    ("how", "values"), [("hands on", (30, 28, 29)), ("takes turns", (3, 3, 6))]
)
def test_messages_that_are_slow_are_no_deadlock(run, how, values):
    ended = run("deadlocks", 3, how)
    assert (ended.status, ended.err) == (0, "")
    assert sorted(ended.out.splitlines()) == [f"{r} {values[r]} 3" for r in range(3)]


def different(mine, theirs, ranks):
    return (
        f"ranks of {WORLD} call different collectives: rank {ranks[0]} calls {mine}, "
        f"and rank {ranks[1]} calls {theirs}"
    )


def bytes_of(which, sent, expected):
    """The last rank sends, or takes what another one has sent; either may be told."""
    one = rf"rank 2 sends {sent} bytes and rank [01] expects {expected}"
    other = rf"rank [01] sends {expected} bytes and rank 2 expects {sent}"
    return rf"in {re.escape(which)} on {WORLD} ({one}|{other})"


def calls(one, other):
    """Ranks 0 and 1 call one, and rank 2 the other one; either may be told of first."""
    told = [
        different(re.escape(one), re.escape(other), ("[01]", "2")),
        different(re.escape(other), re.escape(one), ("2", "[01]")),
    ]
    return f"({told[0]}|{told[1]})"


MISMATCHES = {
    "functions": calls("MPI_Allreduce (MPI_SUM)", "MPI_Barrier"),
    "roots": calls("MPI_Bcast (root 0)", "MPI_Bcast (root 2)"),
    "reduce roots": calls("MPI_Reduce (MPI_SUM, root 0)", "MPI_Reduce (MPI_SUM, root 2)"),
    "operations": calls("MPI_Allreduce (MPI_SUM)", "MPI_Allreduce (MPI_MAX)"),
    "fewer": bytes_of("MPI_Bcast (root 2)", 4, 8),
    "more": bytes_of("MPI_Bcast (root 2)", 8, 4),
    "types": bytes_of("MPI_Allreduce (MPI_SUM)", 8, 4),
    "blocks": bytes_of("MPI_Gather (root 0)", 12, 8),
    "long": bytes_of("MPI_Allreduce (MPI_SUM)", 4 << 20, 2 << 20),
    "later": calls("MPI_Ibcast (root 2)", "MPI_Ibarrier"),
    "communicators": calls("MPI_Comm_dup", "MPI_Comm_split"),
    "once more": "|".join(
        [
            calls("MPI_Bcast (root 0)", "MPI_Barrier"),
            rf"ranks of {WORLD} call different collectives: rank 2 and rank 1 call MPI_Barrier, "
            "rank 1 after 1 more collective than rank 2",
        ]
    ),
}


@both_times
@pytest.mark.parametrize("how", MISMATCHES)
def test_ranks_that_call_different_collectives_are_told_both(run, how, options):
    line = the_line(run("mismatches", 3, how, options=options))
    assert re.fullmatch(rf"rank [012]: MPI_\w+: ({MISMATCHES[how]})", line), line


@both_times
def test_collectives_in_another_order_are_told(run, options):
    """Two that have no rank's message in common are a deadlock."""
    waits = waits_in(the_line(run("mismatches", 2, "order", options=options)))
    assert waits == {
        "0": f"MPI_Reduce: {nothing(1, 'of MPI_Reduce (MPI_SUM, root 0)')}",
        "1": f"MPI_Bcast: {nothing(0, 'of MPI_Bcast (root 0)')}",
    }


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("functions", "allreduce: not the same"),
        ("fewer", "bcast: not the same"),
        ("more", "bcast: truncated"),
    ],
)
def test_different_collectives_have_an_error_class(run, how, error):
    ended = run("mismatches", 2, how, "returns")
    assert error in ended.out


@pytest.mark.alone
@both_times
def test_a_killed_rank_ends_all_with_one_line(start, programs, options):
    job = start("run", "-n", 3, "--mpi", *options, "--", programs("failures"), "killed")
    ended = job.end()
    assert the_line(ended) == "rank 1 was killed by signal 9 (SIGKILL)"
    assert ended.seconds < 2


def test_a_message_that_is_too_long_is_told_in_one_line(run):
    assert the_line(run("failures", 2, "truncated")) == (
        "rank 1: MPI_Recv: a message of 4 bytes from rank 0 with tag 7 does not fit a receive of "
        "2 bytes"
    )


@both_times
def test_a_message_that_nobody_received_is_told_at_the_end(run, options):
    ended = run("failures", 2, "unmatched", options=options)
    assert ended.status == 0
    assert ended.err == (
        "onehop: rank 0: MPI_Finalize: no receive took a message of 3 bytes from rank 1 with tag "
        "5\n"
    )


def test_abort_ends_all_with_its_code(run):
    ended = run("failures", 3, "abort")
    assert ended.status == 9
    assert ended.err.splitlines() == [
        "onehop: rank 1: MPI_Abort was called with code 9",
        "onehop: rank 1 ended with exit status 9",
    ]


def test_a_rank_that_does_not_exist_ends_the_job(run):
    line = the_line(run("failures", 1, "rank"))
    assert line == "rank 0: MPI_Send: rank 1 is none of the communicator's 1 rank"


@both_times
@pytest.mark.parametrize(
    ("how", "function"),
    [("window of nothing", "MPI_Win_create"), ("nothing attached", "MPI_Win_attach")],
)
def test_memory_of_a_window_that_is_null_is_told(run, how, function, options):
    """Unless it has no bytes."""
    line = the_line(run("failures", 2, how, options=options))
    assert line == f"rank 1: {function}: the memory of 4 bytes is NULL"
