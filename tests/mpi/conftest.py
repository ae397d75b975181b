"""Programs of MPI, compiled once for the standard ABI."""

from __future__ import annotations

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
