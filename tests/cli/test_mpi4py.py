"""An mpi4py that was built for the standard ABI runs on onehop's MPI."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from onehop import mpi_abi

SCRIPT = """
import os, sys
from mpi4py import MPI
import numpy

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
assert MPI.Get_library_version().startswith("onehop"), MPI.Get_library_version()

world.send({"from": rank, "list": [1, "two", 3.0]}, (rank + 1) % size, 5)
got = world.recv(source=MPI.ANY_SOURCE, tag=5)
assert got == {"from": (rank - 1) % size, "list": [1, "two", 3.0]}, got
assert world.allreduce({rank}, lambda a, b: a | b) == set(range(size))

mine = numpy.zeros(size, dtype="d")
window = MPI.Win.Create(mine, mine.itemsize, comm=world)
window.Fence()
for other in range(size):
    window.Accumulate(numpy.full(1, rank + 1.0), other, target=rank, op=MPI.SUM)
window.Fence()
assert mine.tolist() == [1.0 + other for other in range(size)], mine
window.Free()

whole = MPI.File.Open(world, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_RDWR)
block = MPI.INT64_T.Create_vector(4, 1, size).Commit()
whole.Set_view(8 * rank, MPI.INT64_T, block)
whole.Write_all(numpy.arange(4) * 10 + rank)
whole.Close()
world.Barrier()
if rank == 0:
    expected = [10 * i + other for i in range(4) for other in range(size)]
    assert numpy.fromfile(sys.argv[1], dtype="i8").tolist() == expected
os.write(1, b"passed\\n")
"""


def _version() -> str:
    """Returns what mpi4py says of its MPI where that is looked for as `onehop run --mpi` does."""
    script = "from mpi4py import MPI; print(MPI.Get_library_version())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, **mpi_abi.environment()},
    )
    return done.stdout


@pytest.mark.parametrize("options", [(), ("--transport", "virtual:infiniband-qdr")])
def test_mpi4py_sends_objects_and_has_windows_and_files(onehop, tmp_path, options):
    if not _version().startswith("onehop"):
        pytest.skip("no mpi4py that was built for the ABI: MPICC=mpicc_abi pip install mpi4py")
    ended = onehop(
        *("run", "-n", "3", "--mpi", *options, "--", sys.executable, "-c", SCRIPT),
        tmp_path / "numbers",
    )
    assert (ended.status, ended.err, ended.out) == (0, "", "passed\n" * 3)
