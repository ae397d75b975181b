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
# A program finds the MPI that it runs over, or else that of the launcher in its first argument.
LIBRARY = """
import ctypes, glob, os, sys
def mpi():
    names = {line.split()[-1] for line in open("/proc/self/maps") if "/libmpi" in line}
    folder = os.path.join(os.path.dirname(os.path.dirname(sys.argv[1])), "lib")
    names = names or set(glob.glob(os.path.join(folder, "libmpi.so.*")))
    return ctypes.CDLL(sorted(names)[0])
"""

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
