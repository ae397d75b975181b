"""Programs of MPI, compiled once for the standard ABI."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mpi")
    compiler = Path(sys.executable).with_name("mpicc_abi")

    def build(name, *words):
        program = folder / name
        if not program.exists():
            command = [compiler, "-O1", *words, "-o", program, HERE / f"{name}.c"]
            subprocess.run(command, check=True, timeout=60)
        return program

    return build


@pytest.fixture(scope="session")
def by_mpich():
    """Runs a program with the MPI that it was compiled for, and returns its lines.

    MPICH 5.0 hangs now and then where sessions follow each other, and is then asked again.
    """

    def run(program, ranks, *words):
        command = [
            Path(sys.executable).with_name("mpiexec"),
            "-n",
            str(ranks),
            program,
            *map(str, words),
        ]
        for seconds in (10, 10, 10, 10, 60):
            with contextlib.suppress(subprocess.TimeoutExpired):
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=seconds, check=True
                )
                return sorted(done.stdout.splitlines())
        raise AssertionError(f"{program.name} did not end under mpiexec")

    return run


@pytest.fixture
def answers(onehop):
    """Runs a program with onehop's MPI, and returns its lines."""

    def run(program, ranks, *words, options=(), **environment):
        command = ("run", "-n", ranks, "--mpi", *options, "--", program, *words)
        ended = onehop(*command, **environment)
        assert (ended.status, ended.err) == (0, "")
        return sorted(ended.out.splitlines())

    return run
