"""Programs of MPI in Fortran find in onehop's MPI what they find in another one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from onehop import elf, mpi_abi, mpi_fortran

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
TABLES = HERE.parents[1] / "src" / "mpi_fortran"
VIRTUAL = ("--transport", "virtual:infiniband-qdr")
SOURCES = {"calls": "calls.f90", "former": "former.f", "modern": "modern.f90", "named": "named.f90"}

pytestmark = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler")


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mpi_fortran")

    def build(name):
        program = folder / name
        if not program.exists():
            words = [BIN / "onehop-mpifort", "-g", "-O1", "-w", "-J", folder]
            subprocess.run([*words, HERE / SOURCES[name], "-o", program], check=True, timeout=120)
        return program

    return build


def by_mpich(program, ranks, *words):
    started = [BIN / "mpiexec", "-n", str(ranks), program, *words]
    library = {**os.environ, "LD_LIBRARY_PATH": str(BIN.parent / "lib")}
    return subprocess.run(
        started, env=library, text=True, capture_output=True, check=True, timeout=120
    ).stdout


# What rank 0 of three finds. The functions of Fortran are onehop's with MPICH, too, so that its
# answers do not say whether an index or a text is turned into Fortran's.
EXPECTED = {
    "calls": """
waitall of 0: 201 202 203 204 2 2 2 2 1 2 3 4 4
places of 0: 3 7 1 3 201
none of 0: -32766 -32766 1
sendrecv of 0: 225 250 0 2 5
iprobe of 0: 0
sums in place of 0: 3 6 3
operation of its own of 0: 27 3 3 6 9
freed of 0: 1 1
types of Fortran of 0: 3 -3 0 2 1
allgatherv of 0: 1 11 12 21 22 23
struct of 0: 3 3 4 4 0 24 20
contents of 0: 110 3 2 2 2 2 1 0 16 540 537
row of 0: 0 0 0
bottom of 0: 10
grid of 0: 3 1 1 0 0 0 2 1 1
graph of 0: 1 1 0 2
compared of 0: 202 1
attribute of 0: -39 5 -79 1 1
attribute as it is of 0: 3 1
info of 0: 8 1 1 1
no info of 0: 1 0
name of 0: 11 1
error of 0: 1
window of 0: 0 52 1 8 1
file of 0: -1 1 24 1
handler of 0: 1 1
""",
    "former": """
struct 16 0 16 25 1 45
attribute -8 4 T
 T
handler 1
profiled 1 0
""",
    "modern": """
message of 0: 5 2 1 1 1
line of 0: 6 6 1
collectives of 0: 6 0 2 0 1 -1 0 -2 0
split of 0: 1 1 1 0
window of 0: 6 3
""",
    "named": """
sizes of 0: 8 8 4 4
own request of 0: 7 8 7 9 1
types of each of 0: 303 1
types in place of 0: 1
types of neighbours of 0: 22 11 1 2 1
hints of 0: 5 5 0 1 1 1 0
hints of the job of 0: 0
no handle of 0: 1 1
""",
}


@pytest.mark.parametrize("name", SOURCES)
def test_what_differs_from_c_is_turned_into_fortran_s(onehop, programs, tmp_path, name):
    ended = onehop("run", "-n", 3, "--mpi", "--", programs(name), tmp_path / "file")
    assert (ended.status, ended.err) == (0, "")
    lines = [line for line in ended.out.splitlines() if not re.search(" of [12]:", line)]
    assert lines == EXPECTED[name].strip("\n").splitlines()


@pytest.mark.parametrize("options", [(), VIRTUAL], ids=["real", "virtual"])
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("name", SOURCES)
def test_a_program_finds_what_it_finds_with_mpich(onehop, programs, tmp_path, name, ranks, options):
    program = programs(name)
    ended = onehop("run", "-n", ranks, "--mpi", *options, "--", program, tmp_path / "file")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == by_mpich(program, ranks, tmp_path / "file")


# Functions that are there so that programs link: the library of MPI says that it has them not.
REFUSED = {
    f"MPI_{name}"
    for name in (
        *("Close_port", "Comm_accept", "Comm_connect", "Comm_join", "Lookup_name", "Open_port"),
        *("Publish_name", "Unpublish_name"),
    )
}


def test_each_function_of_the_tables_is_there():
    there = {s.name for s in elf.dynamic_symbols(mpi_abi.fortran_library()) if s.defined}
    lines = [
        line
        for table in ("functions.txt", "written.txt")
        for line in (TABLES / table).read_text().splitlines()
    ]
    assert len(lines) > 390
    names = {re.split("[= ]", line)[0] for line in lines}
    assert {f"mpi_{name.lower()}_" for name in names} <= there
    # What the functions call is there as well.
    called = {re.split("[= ]", line.partition("=")[2] or line)[0] for line in lines}
    assert {f"MPI_{name}" for name in called} - set(mpi_abi.written()) == REFUSED


def test_info_knows_the_functions_of_fortran(onehop, programs):
    ended = onehop("info", "--mpi", programs("former"))
    assert "mpi_type_struct_" in ended.out
    assert (ended.status, ended.out.splitlines()[-1]) == (0, "missing: none")


def test_info_tells_functions_of_fortran_that_the_library_of_mpi_has_not(onehop, tmp_path):
    source = tmp_path / "port.f90"
    source.write_text(
        "program port\n  use mpi\n  character(len=MPI_MAX_PORT_NAME) :: name\n  integer :: ierr\n"
        "  call MPI_Open_port(MPI_INFO_NULL, name, ierr)\nend program\n"
    )
    program = tmp_path / "port"
    subprocess.run([BIN / "onehop-mpifort", source, "-o", program], check=True, timeout=60)
    ended = onehop("info", "--mpi", program)
    assert (ended.status, ended.out.splitlines()[-1]) == (1, "missing: mpi_open_port_")


def test_attributes_go_between_fortran_and_c(onehop, tmp_path):
    program, of_c = tmp_path / "attributes", tmp_path / "attributes.o"
    subprocess.run(
        [BIN / "mpicc_abi", "-c", HERE / "attributes.c", "-o", of_c], check=True, timeout=60
    )
    words = [BIN / "onehop-mpifort", "-J", tmp_path, HERE / "attributes.f90", of_c, "-o", program]
    subprocess.run(words, check=True, timeout=60)
    ended = onehop("run", "-n", 1, "--mpi", "--", program)
    assert (ended.status, ended.out.split()) == (0, ["5555", "T"])


def test_a_wrong_call_is_told_as_in_c(onehop, programs, tmp_path):
    source = tmp_path / "wrong.f90"
    source.write_text(
        "program wrong\n  use mpi\n  implicit none\n  integer :: ierr\n  call MPI_Init(ierr)\n"
        "  call MPI_Send(1, 1, MPI_INTEGER, 9, 0, MPI_COMM_WORLD, ierr)\nend program\n"
    )
    program = tmp_path / "wrong"
    subprocess.run([BIN / "onehop-mpifort", source, "-o", program], check=True, timeout=60)
    ended = onehop("run", "-n", 2, "--mpi", "--", program)
    assert ended.status != 0 and "MPI_Send" in ended.err and "9" in ended.err


def show(*words, **environment):
    return subprocess.run(
        [BIN / "onehop-mpifort", *words],
        env={**os.environ, **environment},
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_the_wrapper_links_where_a_program_is_made_and_only_there():
    assert "libonehop_mpifort.so" in show("-show", "x.f90").stdout
    assert "libonehop_mpifort.so" not in show("-show", "-c", "x.f90").stdout
    version = show("--version")
    assert (version.returncode, "Fortran" in version.stdout) == (0, True)


def test_a_compiler_that_is_not_there_is_told_in_one_line(tmp_path):
    missing = show("x.f90", ONEHOP_FC="no-such-compiler")
    assert missing.returncode == 2 and missing.stderr.count("\n") == 1
    assert "cannot call the compiler no-such-compiler" in missing.stderr
    closed = show("x.f90", XDG_CACHE_HOME="/proc")
    assert closed.returncode == 2 and "XDG_CACHE_HOME" in closed.stderr
    assert mpi_fortran.compiling(["-c", "x.f90"])[0] == "gfortran"
