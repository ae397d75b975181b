"""Starts jobs of the MPI launcher that onehop was built with."""

from __future__ import annotations

import os
import subprocess

import pytest

from onehop import _core

FOUND = [mpi for mpi in _core.mpi_installations() if mpi.launcher and not mpi.problem]
NEEDS_MPI = pytest.mark.skipif(
    not FOUND, reason="onehop was built without an MPI: pip install mpich, then make install"
)
WIRES = ("mixed", "mpi_p2p", "mpi_rma")


def mpirun(ranks, *words, **environment):
    return subprocess.run(
        [FOUND[0].launcher, "-n", str(ranks), *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def own_lines(text):
    return [line for line in text.splitlines() if line.startswith("onehop: ")]
