"""Jobs of an MPI launcher can go wrong: ranks that fail or die, parts of other builds."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ONEHOP
from support.mpi_jobs import FOUND, LIBRARY, NEEDS_MPI, WIRES, mpirun, own_lines

from onehop import _core

pytestmark = [NEEDS_MPI, pytest.mark.alone, pytest.mark.usefixtures("allow_containers")]


def test_failing_rank_alone_is_heard():
    script = """
import sys
from onehop import _core
from onehop.cli import fail, mpi_launch
context = mpi_launch.joined("auto")
try:
    if context.rank == 1:
        raise _core.FileError("the disk of rank 1 is full")
    _core.barrier(context)
except _core.Error as error:
    sys.exit(fail(error))
"""
    done = mpirun(3, sys.executable, "-c", script)
    assert (done.returncode, own_lines(done.stderr)) == (2, ["onehop: the disk of rank 1 is full"])


@pytest.mark.parametrize("wire", WIRES)
def test_killed_rank_ends_the_job(start, wire):
    """The MPI launcher sees the end of a process, and ends the others."""
    script = f"""
import os, signal, onehop
job = onehop.join("{wire}")
while True:
    onehop.Window(job, 100)
    if job.rank == 1 and os.times().elapsed % 1 < 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
"""
    job = start("-n", "3", sys.executable, "-c", script, program=FOUND[0].launcher)
    ended = job.end()
    assert ended.status != 0
    assert job.is_gone_within(2)


DIE = """
import os, signal, sys, time, onehop
job = onehop.join(sys.argv[1])
names = [line for line in open("/proc/self/maps") if "/dev/shm/mpich_shm" in line]
assert not [line for line in names if "(deleted)" not in line], names
begin = time.monotonic()
try:
    while True:
        onehop.Window(job, 100)
        if job.rank == 1 and time.monotonic() > begin + 0.2:
            os.kill(os.getpid(), signal.SIGKILL)
except onehop.Error as error:
    with open(f"{sys.argv[2]}/{job.rank}", "w") as heard:
        heard.write(f"{type(error).__name__}: {error}")
    sys.exit(2)
"""


# The launcher sees the shell, which stays until the survivors have said what they know.
WATCHED = """
folder=$1; shift
"$@"; status=$?
until [ -e "$folder/0" ] && [ -e "$folder/2" ]; do sleep 0.1; done
exit $status
"""


@pytest.mark.parametrize("wire", WIRES)
def test_killed_rank_is_named_where_the_launcher_looks_away(start, tmp_path, wire):
    """srun looks away unless it is told to look: the ranks see it themselves, and end."""
    rank = (sys.executable, "-c", DIE, wire, tmp_path)
    shell = ("sh", "-c", WATCHED, "sh", tmp_path)
    job = start("-n", "3", *shell, *rank, program=FOUND[0].launcher)
    ended = job.end(timeout=30)
    assert ended.status != 0
    heard = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert set(heard) == {"0", "2"}, (ended.out, ended.err)
    assert all("rank 1 failed: its process" in line for line in heard.values()), heard


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_launcher_that_is_killed_takes_the_job_along(start, tmp_path, number):
    script = f"""
import onehop
job = onehop.join()
open({str(tmp_path)!r} + f"/{{job.rank}}", "w").close()
while True:
    onehop.Window(job, 100)
"""
    job = start("run", "--launcher", "mpi", "-n", "2", "--", sys.executable, "-c", script)
    limit = time.monotonic() + 30
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < limit:
        time.sleep(0.02)
    job.process.send_signal(number)
    assert job.end().status != 0
    assert job.is_gone_within(2)


def test_ranks_of_different_builds_are_refused(tmp_path):
    """One rank runs a copy that differs in what library and modules say of the headers they were
    built from."""
    other = tmp_path / "onehop"
    shutil.copytree(Path(_core.__file__).parent, other)
    for binary in [other / "lib/libonehop_core.so", *other.glob("lib/libonehop_mpi_*.so")]:
        changed = re.sub(
            rb"(\d+\.\d+\.\d+ )[0-9a-f]{4}([0-9a-f]{60})", rb"\1none\2", binary.read_bytes()
        )
        binary.write_bytes(changed)
    script = f"""
import os, sys
if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "1":
    sys.path.insert(0, {str(tmp_path)!r})
from onehop.cli import entry
sys.argv = ["onehop", "solve", "--lattice", "4x4x4x4", "--start", "cold", "--mass", "1"]
entry()
"""
    done = mpirun(2, sys.executable, "-c", script)
    assert done.returncode == 2, done.stderr
    assert any("rank 1 runs onehop" in line for line in own_lines(done.stderr)), done.stderr


def test_module_of_another_build_is_refused(tmp_path):
    """The module differs in one digit of what it says of the headers it was built from."""
    for module in Path(_core.__file__).parent.glob("lib/libonehop_mpi_*.so"):
        changed, count = re.subn(
            rb"(\d+\.\d+\.\d+ )[0-9a-f]{4}([0-9a-f]{60})", rb"\1none\2", module.read_bytes()
        )
        assert count == 1
        (tmp_path / module.name).write_bytes(changed)
    words = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--mass", "1")
    done = subprocess.run(
        [ONEHOP, *words, "--transport", "mpi_p2p"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "ONEHOP_MODULE_PATH": str(tmp_path)},
    )
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    assert "belongs to onehop" in line and "as built elsewhere" in line


def test_a_launcher_of_another_mpi_is_named_before_mpi_is_initialised():
    """The launcher of another MPI tells its processes what can end the initialisation of this
    MPI."""
    other = "Open MPI" if "Open MPI" not in FOUND[0].name else None
    if other is None:
        pytest.skip("launchers of other MPIs than Open MPI cannot be told from those of its family")
    variables = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    stumbling = {"PMI_FD": "77", "PMI_RANK": "0", "PMI_SIZE": "2"}
    done = subprocess.run(
        [ONEHOP, "solve", "--lattice", "4x4x4x4", "--start", "cold", "--kappa", "0.1"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables, **stumbling},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"mpirun of {other} started 2 processes, but onehop runs over" in done.stderr
    assert any(f"start it with {mpi.launcher} -n 2 " in done.stderr for mpi in FOUND)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("after", ["", "start", "window"])
def test_a_job_may_outlive_the_programs_finalising_of_mpi(wire, after):
    script = (
        LIBRARY
        + f"""
import numpy, onehop
context = onehop.join("{wire}")
window = onehop.Window(context, 100)
chain = onehop.PutChain(context, window)
source = numpy.zeros(8)
other = 1 - context.rank
chain.push(source, other, 0)
chain.add_origin(other)
chain.commit()
chain.start()
chain.wait()
assert mpi().MPI_Finalize() == 0
try:
    if "{after}" == "start":
        chain.start()
        chain.wait()
    if "{after}" == "window":
        onehop.Window(context, 100)
    # Between ranks of one machine the others store and need no MPI for it.
    assert not "{after}" or "{wire}" != "mpi_p2p"
except onehop.UsageError as refused:
    assert "finalised MPI" in str(refused), refused
del chain, window, context
os.write(1, b"through\\n")
"""
    )
    done = mpirun(2, sys.executable, "-c", script, FOUND[0].launcher)
    assert (done.returncode, done.stdout) == (0, "through\n" * 2), done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("begun", [False, True], ids=["without MPI", "with MPI"])
def test_joining_on_some_ranks_ends_at_the_deadline(begun):
    script = (
        LIBRARY
        + f"""
import time
if {begun}:
    mpi().MPI_Init(None, None)
if int(os.environ["PMI_RANK"]) == 1:
    time.sleep(5)
    os._exit(0)
from onehop.cli import fail, mpi_launch
from onehop import _core
try:
    mpi_launch.joined("mpi_p2p")
except _core.Error as error:
    sys.exit(fail(error))
"""
    )
    # How soon the launcher then ends the rank that sleeps is its own affair, so it never joins.
    done = mpirun(2, sys.executable, "-c", script, FOUND[0].launcher, ONEHOP_DEADLINE_S="1")
    assert done.returncode != 0
    lines = own_lines(done.stderr)
    assert len(lines) == 1
    assert "rank 0 of 2 waited 1 s" in lines[0] and "every process of the job call join" in lines[0]
