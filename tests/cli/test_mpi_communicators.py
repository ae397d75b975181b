"""Programs that have MPI themselves join a communicator of theirs."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from support.mpi_jobs import FOUND, LIBRARY, NEEDS_MPI, WIRES, mpirun

import onehop

pytestmark = [NEEDS_MPI, pytest.mark.usefixtures("allow_containers")]
NEEDS_MPI4PY = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="pip install mpi4py"
)
# Its handles are integers, which the program below passes on as they are.
NEEDS_MPICH = pytest.mark.skipif(
    not any("MPICH" in mpi.name for mpi in FOUND[:1]), reason="onehop was built without an MPICH"
)

RING = """
import numpy, onehop
def ring(job, value):
    window = onehop.Window(job, 1)
    chain = onehop.PutChain(job, window)
    chain.push(numpy.array([value]), (job.rank + 1) % job.size, 0)
    arrival = chain.add_origin((job.rank - 1) % job.size)
    chain.commit()
    chain.start()
    chain.wait()
    return chain.arrived(arrival).view("d")[0], chain
"""

WITH_MPI4PY = """
import os, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
some = world.Split(0 if world.rank else MPI.UNDEFINED, -world.rank)
if world.rank:
    job = onehop.join(comm=some, transport=sys.argv[1])
    some.Free()
    assert (job.rank, job.size) == (world.size - 1 - world.rank, world.size - 1), job
    got, chain = ring(job, float(world.rank))
    assert got == (world.rank + 1 if job.rank else 1), got
    ranks = onehop.allgather(job, numpy.array(world.rank)).ravel().tolist()
    assert ranks == list(range(world.size - 1, 0, -1)), ranks
    pair = job.split(job.rank // 2)
    assert onehop.allreduce_sum(pair, numpy.ones(1))[0] == pair.size
everyone = onehop.join(sys.argv[1], comm=world)
got, _ = ring(everyone, float(world.rank))
assert got == (world.rank - 1) % world.size
os.write(1, b"through\\n")
"""


@NEEDS_MPI4PY
@pytest.mark.parametrize("wire", WIRES)
def test_communicators_of_mpi4py_are_joined_in_their_order(wire):
    done = mpirun(4, sys.executable, "-c", RING + WITH_MPI4PY, wire)
    assert (done.returncode, done.stdout) == (0, "through\n" * 4), done.stderr
    assert done.stderr == ""


@NEEDS_MPI4PY
def test_what_is_no_communicator_to_join_is_refused():
    script = """
import os, onehop
from mpi4py import MPI
def refusal(*given, **named):
    try:
        onehop.join(*given, **named)
    except onehop.UsageError as error:
        return str(error)
assert "join of MPI_COMM_NULL" in refusal(comm=MPI.COMM_NULL)
assert "transport shm on a communicator" in refusal("shm", comm=MPI.COMM_WORLD)
assert "'smoke' is not known" in refusal("smoke", comm=MPI.COMM_WORLD)
assert "give a name such as" in refusal(MPI.COMM_WORLD)
MPI.Finalize()
assert "not initialised, or finalised" in refusal(comm=MPI.COMM_WORLD)
os.write(1, b"through")
"""
    done = mpirun(1, sys.executable, "-c", script)
    assert (done.returncode, done.stdout) == (0, "through"), done.stderr


OF_CTYPES = """
import ctypes, os, sys
library = mpi()
assert library.MPI_Init(None, None) == 0
class Communicator:
    def __init__(self, color, key):
        world, self.handle = 0x44000000, ctypes.c_int()
        assert library.MPI_Comm_split(world, color, key, ctypes.byref(self.handle)) == 0
    def py2f(self):
        return self.handle.value
    def free(self):
        assert library.MPI_Comm_free(ctypes.byref(self.handle)) == 0
rank = int(os.environ["PMI_RANK"])
"""


@NEEDS_MPICH
@pytest.mark.parametrize("wire", WIRES)
def test_a_context_outlives_its_communicator_and_the_programs_mpi(wire):
    script = f"""
half = Communicator(rank % 2, -rank)
job = onehop.join("{wire}", comm=half)
half.free()
got, chain = ring(job, float(rank))
assert got == (rank + 2) % 4, got
assert library.MPI_Finalize() == 0
try:
    onehop.Window(job, 100)
except onehop.UsageError as refused:
    assert "finalised MPI" in str(refused), refused
del chain, job
os.write(1, b"through\\n")
"""
    done = mpirun(4, sys.executable, "-c", LIBRARY + OF_CTYPES + RING + script, FOUND[0].launcher)
    assert (done.returncode, done.stdout, done.stderr) == (0, "through\n" * 4, "")


@NEEDS_MPICH
def test_ranks_that_do_not_join_their_communicator_are_waited_for_until_the_deadline():
    script = """
import onehop
some = Communicator(rank // 2, 0)
if rank == 0:
    try:
        onehop.join(comm=some)
    except onehop.TimeoutError as error:
        os.write(1, str(error).encode())
    os._exit(0)
import time
time.sleep(3)
"""
    words = (sys.executable, "-c", LIBRARY + OF_CTYPES + script, FOUND[0].launcher)
    done = mpirun(3, *words, ONEHOP_DEADLINE_S="1")
    assert "rank 0 of 2 waited 1 s in MPI_Comm_idup" in done.stdout, (done.stdout, done.stderr)
    assert "let every process of the communicator call join" in done.stdout


def test_a_program_that_has_not_initialised_mpi_is_told_to():
    class Communicator:
        def py2f(self):
            return 0

    with pytest.raises(onehop.UsageError, match="MPI is not initialised, or finalised: call it"):
        onehop.join(comm=Communicator())


@pytest.mark.parametrize(
    ("given", "line"), [({"comm": 5}, "whose py2f"), ({"transport": None}, "communicator as comm=")]
)
def test_what_tells_no_number_in_fortran_is_no_communicator(given, line):
    with pytest.raises(onehop.UsageError, match=line):
        onehop.join(**given)
