"""Programs for QMP run on onehop's library, in real and in virtual time."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

import onehop

HERE = Path(__file__).parent
PACKAGE = Path(onehop.__file__).parent
VIRTUAL = ("--transport", "virtual:infiniband-qdr")


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("qmp")

    def build(name):
        program = folder / name
        if not program.exists():
            lib = PACKAGE / "lib"
            source = HERE / f"{name}.c"
            warn = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function")
            links = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lqmp"]
            # This one calls functions of MPI, too.
            if name == "split":
                links.append(lib / "onehop_mpi" / "libmpi_abi.so.1")
            command = ["cc", *warn, f"-I{PACKAGE / 'include' / 'qmp'}", source, "-o", program]
            subprocess.run([*command, *links], check=True, timeout=60)
        return program

    return build


@pytest.mark.parametrize(
    ("ranks", "options"), [(1, ()), (3, ()), (4, ()), (4, VIRTUAL)], ids=["1", "3", "4", "virtual"]
)
@pytest.mark.parametrize("name", ["halo", "sums", "split", "order"])
def test_programs_find_what_they_expect(onehop, programs, name, ranks, options):
    ended = onehop("run", "-n", ranks, "--mpi", *options, "--", programs(name))
    assert (ended.status, ended.out, ended.err) == (0, "all is well\n", "")


def test_a_message_takes_the_time_of_a_put_on_a_virtual_machine(onehop, programs):
    sizes = ("8", "16384", "16385", "1048576")
    ended = onehop("run", "-n", 2, "--mpi", *VIRTUAL, "--", programs("ping"), *sizes)
    assert (ended.status, ended.err) == (0, "")
    ours = dict(line.split() for line in ended.out.splitlines())
    bench = onehop("bench", "latency", *VIRTUAL, "--sizes", ",".join(sizes), "--json", "-")
    puts = {str(s["size_bytes"]): s["value"] for s in json.loads(bench.out)["samples"]}
    # Both clocks have whole nanoseconds, and 20 messages lie between two looks, in bench 8.
    exact = (1 / 20 + 1 / 8) * 1e-3
    assert {s: float(ours[s]) for s in sizes} == pytest.approx(puts, abs=exact, rel=0)


WRONG = {
    "node": "QMP_declare_send_to: node 2 is none of the communicator's 2 nodes",
    "grid": "QMP_declare_send_relative: no grid is declared: call QMP_declare_logical_topology "
    "before",
    "axis": "QMP_declare_send_relative: axis 2 is none of the grid's 2",
    "direction": "QMP_declare_send_relative: the direction is 0: give 1 or -1",
    "handle": "QMP_start: the message handle is NULL",
    "nodes": "QMP_comm_declare_logical_topology: the grid has 2 nodes and the communicator 1",
    "twice": "QMP_start: the message from node . is under way: call QMP_wait before",
    "pair": "QMP_declare_multiple: a message belongs to another handle already",
    "free": "QMP_free_msghandle: the message from node . is under way: call QMP_wait before",
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_calls_end_the_job_with_one_line(onehop, programs, what):
    ended = onehop("run", "-n", 2, "--mpi", "--", programs("misuse"), what)
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(rf"onehop: rank [01]: {WRONG[what]}\n", ended.err), ended.err


def test_a_call_before_the_beginning_says_so(onehop, programs):
    ended = onehop("run", "-n", 1, "--mpi", "--", programs("misuse"), "early")
    assert (ended.status, ended.out) == (2, "")
    line = "onehop: QMP_get_node_number: called before QMP_init_msg_passing"
    assert ended.err.splitlines()[0] == line


def test_a_message_that_is_too_long_ends_the_job(onehop, programs):
    ended = onehop("run", "-n", 2, "--mpi", "--", programs("misuse"), "long")
    assert (ended.status, ended.out) == (2, "")
    assert "does not fit a receive of 32 bytes" in ended.err
    assert ended.err.count("\n") == 1


def test_a_message_that_is_never_sent_is_told_at_the_deadline(onehop, programs):
    words = ("run", "-n", 2, "--mpi", "--", programs("misuse"), "never")
    ended = onehop(*words, ONEHOP_DEADLINE_S="1")
    assert (ended.status, ended.out) == (2, "")
    assert "has sent no message with tag 0" in ended.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-qmp-geom", "2", "3"), "-qmp-geom has 6 nodes and the job 2: give dimensions whose"),
        (("-qmp-geom", "x"), "-qmp-geom has no numbers: give the dimensions of the grid behind it"),
        (("-qmp-job", "2"), "-qmp-job is not known: of words for QMP there is -qmp-geom alone"),
    ],
)
def test_wrong_words_of_the_program_end_the_job(onehop, programs, words, why):
    ended = onehop("run", "-n", 2, "--mpi", "--", programs("halo"), *words)
    assert ended.status == 2
    assert why in ended.err


@pytest.mark.parametrize("words", [("declared",), ("by_words", "-qmp-geom", "4", "1"), ()])
def test_a_lattice_is_laid_over_the_grid_that_is_known(onehop, programs, words):
    ended = onehop("run", "-n", 4, "--mpi", "--", programs("layout"), *words)
    assert (ended.status, ended.out, ended.err) == (0, "all is well\n", "")


def test_more_sites_than_an_int_counts_end_the_job(onehop, programs):
    ended = onehop("run", "-n", 1, "--mpi", "--", programs("layout"), "large")
    assert ended.status == 2
    assert "a node has more sites than an int can count" in ended.err


def test_the_library_has_every_function_of_the_header():
    from onehop import elf

    header = (PACKAGE / "include" / "qmp" / "qmp.h").read_text()
    declared = set(re.findall(r"\b(QMP_\w+)\(", header)) - {"QMP_bool_t"}
    there = {s.name for s in elf.dynamic_symbols(PACKAGE / "lib" / "libqmp.so") if s.defined}
    assert declared == {name for name in there if name.startswith("QMP_")}
