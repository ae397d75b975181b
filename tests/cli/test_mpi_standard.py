"""The module for the standard ABI runs over an MPI that was not there when it was compiled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.mpi_jobs import WIRES

from onehop import _core, mpi_abi

PACKAGE = Path(_core.__file__).parent
# `pip install mpich` puts its library and its launcher there.
PREFIX = Path(sys.prefix)
MPIEXEC = PREFIX / "bin" / "mpiexec"
NEEDS_LIBRARY = pytest.mark.skipif(
    not (PREFIX / "lib" / "libmpi_abi.so.1").exists(), reason="pip install 'mpich>=5'"
)
SOLVE = ("solve", "--lattice", "4x4x4x4", "--start", "hot", "--seed", "2", "--kappa", "0.12")


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """Copies the package without the modules that were built for one MPI, as a wheel has it."""
    folder = tmp_path_factory.mktemp("alone")
    left_out = ("libonehop_mpi_mpich.so", "libonehop_mpi_openmpi.so", "libonehop_cuda.so", "*.a")
    unneeded = ("include", "bin", "peers", "cmake", "__pycache__", *left_out)
    shutil.copytree(PACKAGE, folder / "onehop", ignore=shutil.ignore_patterns(*unneeded))
    return folder


def run(words, folder, library, **environment) -> subprocess.CompletedProcess:
    variables = {"PYTHONPATH": str(folder), "LD_LIBRARY_PATH": str(library), **environment}
    return subprocess.run(
        [*map(str, words)], capture_output=True, text=True, timeout=60, env=os.environ | variables
    )


def solve_of(folder, library, wire) -> subprocess.CompletedProcess:
    command = (sys.executable, "-m", "onehop", *SOLVE, "--transport", wire, "--json", "-")
    return run((MPIEXEC, "-n", 2, *command), folder, library)


@NEEDS_LIBRARY
def test_every_wire_gives_the_bits_of_shared_memory(alone, onehop):
    ours = json.loads(onehop(*SOLVE, "--ranks", "2", "--json", "-").out)
    for wire in WIRES:
        ended = solve_of(alone, PREFIX / "lib", wire)
        assert ended.returncode == 0, ended.stderr
        theirs = json.loads(ended.stdout)
        assert (theirs["transport"], theirs["correlator"]) == (wire, ours["correlator"])


@NEEDS_LIBRARY
def test_name_and_launcher_are_those_of_the_library_that_is_found(alone):
    ended = run((sys.executable, "-m", "onehop", "info", "--json", "-"), alone, PREFIX / "lib")
    (found,) = json.loads(ended.stdout)["mpi"]
    name, launcher = found["name"], found["launcher"]
    assert name.startswith("MPICH ") and len(name.split()) == 2
    assert Path(launcher) == MPIEXEC.resolve()


@NEEDS_LIBRARY
def test_a_launcher_of_an_mpi_without_the_library_is_refused(alone):
    variables = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    ended = run((sys.executable, "-m", "onehop", *SOLVE), alone, PREFIX / "lib", **variables)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("onehop: mpirun of Open MPI started 2 processes")
    assert "runs over MPICH" in ended.stderr and f"{MPIEXEC.resolve()} -n 2" in ended.stderr


@pytest.mark.parametrize(
    ("library", "line"),
    [
        ("/nowhere", "no MPI of the standard ABI is here: pip install mpich"),
        (mpi_abi.library().parent, "is onehop's own MPI, on which the MPI transports do not run"),
    ],
)
def test_without_a_library_there_is_one_line(alone, library, line):
    ended = run((sys.executable, "-m", "onehop", *SOLVE, "--transport", "mpi_p2p"), alone, library)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert line in ended.stderr
