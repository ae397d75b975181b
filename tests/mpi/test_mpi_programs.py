"""Programs compiled once with MPICH's mpicc_abi give the same answers with onehop's MPI as with
MPICH, in real and in virtual time."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from onehop import UsageError, mpi_abi
from onehop.netsim.platform_file import find

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
MPICC = BIN / "mpicc_abi"
REFERENCE = HERE.parents[1] / "docs" / "reference" / "mpi.md"
VIRTUAL = ("--transport", "virtual:infiniband-qdr")

pytestmark = pytest.mark.skipif(
    not MPICC.exists(), reason="no mpicc_abi beside this Python: pip install 'mpich>=5'"
)


@pytest.mark.parametrize(
    "name",
    [
        "aliases",
        "messages",
        "datatypes",
        "collectives",
        "communicators",
        "epochs",
        "intercommunicators",
        "later",
        "neighbours",
        "partitioned",
        "windows",
        "others",
        "orders",
        "parts",
        "rarely",
        "sessions",
    ],
)
@pytest.mark.parametrize("ranks", [3, 4])
def test_answers_are_those_of_mpich(answers, by_mpich, programs, name, ranks):
    program = programs(name)
    assert answers(program, ranks) == by_mpich(program, ranks)


def test_what_mpich_does_not_convert_or_refuse(answers, programs, tmp_path):
    numbers = struct.pack(">2H2i", *b"ab", -3, 4).hex()
    # Quadruple precision of 1 and -2.5 (IEEE 754-2019, table 3.5).
    quadruple = "3fff" + 28 * "0" + "c0004" + 27 * "0"
    conversion, dims, unsupported, group, buffer = 25, 12, 55, 9, 1
    lines = answers(programs("rarely"), 2, tmp_path / "file")
    assert [line.removeprefix("1 ") for line in lines if line.startswith("1 ")] == [
        f"dims {dims}",
        f"foreign {group}",
        f"foreign {group}",
        f"grid {dims}",
        f"in place {buffer}",
        f"packed {numbers}{quadruple}",
        "sequential 0",
        *3 * [f"sequential {unsupported}"],
        "taken back 1, received 0",
        f"too large {conversion}",
        "unpacked ab -3 4 1.0 -2.5",
    ]


def test_logical_numbers_are_found_by_their_size(answers, programs):
    """MPICH 5.0 finds none of this class, which its header has as an extension."""
    lines = answers(programs("datatypes"), 1, "logical")
    found = {int(w[4]): w[6] for w in map(str.split, lines) if w[1:3] == ["class", "191"]}
    there = {size: f"MPI_LOGICAL{size}," for size in (1, 2, 4, 8, 16)}
    assert found == {**there, 32: "none,", 64: "none,"}


@pytest.mark.parametrize("options", [(), VIRTUAL], ids=["real", "virtual"])
def test_a_partition_arrives_before_later_ones_are_ready(answers, programs, options):
    """With MPICH 5.0 none is there before all are."""
    lines = answers(programs("partitioned"), 3, "more", options=options)
    before = {rank: (rank - 1) % 3 for rank in range(3)}
    assert {f"{rank} answered {b}, then {rank} {b}" for rank, b in before.items()} <= set(lines)
    assert {f"{rank} nobody 1 1 5" for rank in range(3)} <= set(lines)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_threads_of_a_rank_are_in_mpi_at_once(answers, by_mpich, programs, ranks):
    program = programs("threads", "-pthread")
    assert answers(program, ranks) == by_mpich(program, ranks)


def test_threads_take_turns_in_virtual_time(answers, by_mpich, programs):
    program = programs("threads", "-pthread")
    assert answers(program, 2, options=VIRTUAL) == [
        f"{rank} level 1, as wanted 0, main 1" for rank in range(2)
    ]
    assert answers(program, 3, "in turns", options=VIRTUAL) == by_mpich(program, 3, "in turns")


def test_clocks_of_the_system_are_those_of_the_machine(answers, programs):
    """A clock that differs from MPI_Wtime has a line of its own."""
    once, again = (answers(programs("clocks"), 2, options=VIRTUAL) for _ in range(2))
    assert len(once) == 1 and once == again


@pytest.mark.parametrize("options", [(), VIRTUAL], ids=["real", "virtual"])
def test_an_epoch_is_for_the_ranks_that_it_names(answers, programs, options):
    """With MPICH 5.0 ranks do not survive some of these; in the end one looks at its own memory."""
    lines = answers(programs("epochs"), 3, "more", options=options)
    told = ["rank that is not locked", "rank that is none"]
    wrong = {f"{rank} get from a {what}: epoch" for rank in range(3) for what in told}
    assert wrong | {f"{rank} free after post: epoch" for rank in range(3)} <= set(lines)


@pytest.mark.parametrize("options", [(), VIRTUAL], ids=["real", "virtual"])
def test_files_are_those_of_mpich(answers, by_mpich, programs, tmp_path, options):
    program = programs("files")
    ours = answers(program, 3, tmp_path / "ours", options=options)
    assert ours == by_mpich(program, 3, tmp_path / "theirs")


@pytest.mark.parametrize("options", [(), VIRTUAL], ids=["real", "virtual"])
def test_random_accesses_leave_in_a_file_what_they_do_with_mpich(
    answers, by_mpich, programs, tmp_path, options
):
    program = programs("random_files")
    ours = answers(program, 3, tmp_path / "ours", 1, 3, "whole", options=options)
    assert ours == by_mpich(program, 3, tmp_path / "theirs", 1, 3, "whole")


def test_random_accesses_that_no_file_can_serve_are_refused(answers, programs, tmp_path):
    assert len(answers(programs("random_files"), 3, tmp_path / "file", 1, 10, "wrong")) == 30


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("what", ["collectives", "messages", "windows"])
def test_random_calls_do_what_they_do_with_mpich(answers, by_mpich, programs, what, seed):
    program = programs(f"random_{what}")
    expected = by_mpich(program, 3, seed, 15)
    assert answers(program, 3, seed, 15) == expected
    assert answers(program, 3, seed, 15, options=VIRTUAL) == expected


@pytest.mark.parametrize("name", ["messages", "windows"])
def test_long_messages_go_in_parts_where_memory_may_not_be_read(answers, onehop, programs, name):
    """In real time, as they always do in virtual time."""
    forbids = programs("no_reading", "-shared", "-fPIC")
    words = ("run", "-n", 3, "--mpi", "--", programs(name))
    ended = onehop(*words, LD_PRELOAD=str(forbids))
    assert (ended.status, ended.err) == (0, "")
    assert sorted(ended.out.splitlines()) == answers(programs(name), 3)


def test_long_reads_of_a_window_need_nothing_of_the_rank_that_has_it(answers, onehop, programs):
    """Where the kernel forbids them they come, with the same bytes, once that rank calls MPI."""
    at_once = answers(programs("asleep"), 3, 30)
    assert "0 read meanwhile 1" in at_once and "1 read back 20" in at_once
    forbids = programs("no_reading", "-shared", "-fPIC")
    words = ("run", "-n", 3, "--mpi", "--", programs("asleep"), 0.2)
    ended = onehop(*words, LD_PRELOAD=str(forbids))
    assert (ended.status, ended.err) == (0, "")
    later = sorted(ended.out.splitlines())
    assert later == [line.replace("meanwhile 1", "meanwhile 0") for line in at_once]


def test_ranks_wait_for_one_that_is_stopped_while_it_changes_memory(answers, programs):
    assert answers(programs("stopped"), 4) == ["0 last 3 4095"]


def test_a_rank_that_waits_does_not_sleep_between_requests_for_its_memory(answers, programs):
    lines = answers(programs("serving", "-rdynamic"), 2)
    assert lines == ["0 more than half of the requests found it asleep: 0", "1 got 7"]


@pytest.mark.parametrize(
    "name",
    [
        "accesses",
        "messages",
        "collectives",
        "epochs",
        "intercommunicators",
        "later",
        "others",
        "partitioned",
        "parts",
        "rarely",
        "sessions",
    ],
)
def test_virtual_time_changes_no_answer(answers, programs, name):
    program = programs(name)
    assert answers(program, 3, options=VIRTUAL) == answers(program, 3)


@pytest.mark.parametrize("machine", ["infiniband-qdr", "apenet-v4", "pax", "qpace"])
def test_a_message_takes_the_time_of_a_put(answers, onehop, programs, machine):
    """Headers travel with the platform's own; whether a message is announced is its matter, too."""
    options = ("--transport", f"virtual:{machine}")
    lines = answers(programs("ping"), 2, 10, options=options)
    ours = {int(line.split()[1]): float(line.split()[3]) for line in lines}
    sizes = ",".join(map(str, ours))
    ended = onehop("bench", "latency", *options, "--sizes", sizes, "--json", "-")
    puts = {s["size_bytes"]: s["value"] for s in json.loads(ended.out)["samples"]}
    # Both clocks have whole nanoseconds, and 20 messages lie between two looks, in bench 8.
    exact = (1 / 20 + 1 / 8) * 1e-3
    if machine == "apenet-v4":
        # Its network cards translate addresses by the page, and bench writes two banks in turns.
        assert ours.pop(65536) <= puts.pop(65536) + exact
    assert ours == pytest.approx(puts, abs=exact, rel=0)


def test_ranks_that_take_turns_may_be_many(answers, programs):
    """More than could run at once on one core; messages between two take no longer for that."""
    core, ping = min(os.sched_getaffinity(0)), programs("ping")
    ended = subprocess.run(
        [sys.executable, "-m", "onehop", "run", "-n", "33", "--mpi", *VIRTUAL, "--", ping],
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    # A message that starts at another picosecond may be rounded otherwise.
    many, two = (
        [float(line.split()[-2]) for line in lines]
        for lines in (sorted(ended.stdout.splitlines()), answers(ping, 2, options=VIRTUAL))
    )
    assert many == pytest.approx(two, rel=1e-5)


def test_virtual_times_repeat(answers, programs):
    assert answers(programs("ping"), 2, options=VIRTUAL) == answers(
        programs("ping"), 2, options=VIRTUAL
    )


def test_a_message_is_announced_where_a_grant_cannot_be_given_before(
    answers, onehop, programs, tmp_path
):
    """A put finds its grant, which a message waits for after a word of its own."""
    machine = tmp_path / "granted.toml"
    credits = find("qpace").read_text()
    machine.write_text(credits.replace('credit = "credit"', 'grant = "credit"'))
    options = ("--transport", f"virtual:{machine}")
    line = answers(programs("ping"), 2, 10, options=options)[-1]
    size, ours = int(line.split()[1]), float(line.split()[3])
    ended = onehop("bench", "latency", *options, "--sizes", f"8,{size}", "--json", "-")
    word, put = (s["value"] for s in json.loads(ended.out)["samples"])
    assert put < ours < put + 2 * word


def test_a_node_of_a_virtual_machine_has_one_rank(answers, programs):
    lines = answers(programs("communicators"), 3, options=VIRTUAL)
    shared = [line.split(": ")[1].split(" members")[0] for line in lines if " shared: " in line]
    assert shared == ["0 of 1"] * 3


def test_a_function_that_is_not_there_says_so_once(onehop, programs):
    ended = onehop("run", "-n", 1, "--mpi", "--", programs("failures"), "unsupported")
    assert (ended.status, ended.out) == (0, "0 returned 1\n")
    assert ended.err == (
        "onehop: rank 0: MPI_Lookup_name is not in onehop's MPI and returns "
        "MPI_ERR_UNSUPPORTED_OPERATION\n"
    )


def test_info_lists_what_a_program_needs_and_what_is_missing(onehop, programs):
    ended = onehop("info", "--mpi", programs("failures"))
    assert ended.status == 1
    assert ended.out.splitlines()[-1] == "missing: MPI_Lookup_name"
    assert "MPI_Recv" in ended.out
    ended = onehop("info", "--mpi", programs("random_messages"))
    assert (ended.status, ended.out.splitlines()[-1]) == (0, "missing: none")


def test_a_program_of_another_abi_is_refused(onehop, tmp_path):
    """It would take its own MPI, where each rank finds itself alone."""
    other = tmp_path / "other"
    words = [BIN / "mpicc", "-O1", "-o", other, HERE / "failures.c"]
    subprocess.run(words, check=True, timeout=60)
    why = "is linked with libmpi.so.12, an MPI of another ABI"
    ended = onehop("run", "-n", 2, "--mpi", "--", other, "abort")
    assert ended.status == 2 and why in ended.err and ended.err.count("\n") == 1
    ended = onehop("info", "--mpi", other)
    assert ended.status == 1 and "compile it with mpicc_abi" in ended.out.splitlines()[-1]


@pytest.mark.parametrize(
    "name", ["libmpich.so.12", "libmpifort.so.12", "libmpi_gnu_91.so.12", "libmpi_mpifh.so.40"]
)
def test_mpis_of_other_names_are_of_another_abi(tmp_path, name):
    """Debian, Cray and programs of Fortran have these; a rank would be alone there too."""
    (tmp_path / "stub.c").write_text("void mpi_init_(int* error) { *error = 0; }\n")
    (tmp_path / "main.c").write_text(
        "void mpi_init_(int*);\nint main(void) { int error; mpi_init_(&error); return error; }\n"
    )
    stub, program = tmp_path / name, tmp_path / "program"
    words = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", tmp_path / "stub.c", "-o", stub]
    subprocess.run(words, check=True, timeout=60)
    words = ["cc", tmp_path / "main.c", stub, f"-Wl,-rpath,{tmp_path}", "-o", program]
    subprocess.run(words, check=True, timeout=60)
    with pytest.raises(UsageError, match=f"is linked with {name}, an MPI of another ABI"):
        mpi_abi.check_started([str(program)], 2, with_mpi=True)
    needed = mpi_abi.needs(program)
    assert (needed.missing, needed.foreign) == (["mpi_init_"], name)


def test_ranks_of_a_program_of_mpi_without_onehop_s_are_warned_of(programs):
    started = [str(programs("failures"))]
    line = mpi_abi.check_started(started, 2, with_mpi=False)
    assert "is linked with libmpi_abi.so.1, in which each rank is alone; run it with --mpi" in line
    assert mpi_abi.check_started(started, 1, with_mpi=False) is None
    assert mpi_abi.check_started(started, 2, with_mpi=True) is None
    assert mpi_abi.check_started([__file__], 2, with_mpi=True) is None


def test_info_refuses_what_is_no_program(refused):
    assert "no compiled program for this machine" in refused("info", "--mpi", __file__)
    assert "No such file" in refused("info", "--mpi", "/nowhere/program")


def test_the_reference_lists_every_function_that_is_there():
    functions = REFERENCE.read_text().partition("## Fortran")[0].partition("## ")[2]
    listed = set(re.findall(r"`(MPI_\w+)`", functions))
    there = {name for name in mpi_abi.written() if name.startswith("MPI_")}
    # With large counts a function has the same name with _c, and is listed once.
    assert listed == {name for name in there if name.removesuffix("_c") not in there - {name}}


def test_a_profiling_library_finds_the_functions_under_their_other_names():
    from onehop import elf

    names = {symbol.name for symbol in elf.dynamic_symbols(mpi_abi.library()) if symbol.defined}
    assert {f"P{name}" for name in names if name.startswith("MPI_")} <= names


def test_ranks_of_another_launcher_are_refused(programs):
    """Each of them would believe that it is alone."""
    command = [BIN / "mpiexec", "-n", "2", "env", *(f"{k}={v}" for k, v in _library().items())]
    done = subprocess.run([*command, programs("ping")], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "start them with onehop run -n 2 --mpi -- PROGRAM" in done.stderr


def _library():
    return {"LD_LIBRARY_PATH": str(mpi_abi.library().parent)}
