"""Jobs of an MPI launcher, where onehop was built with an MPI."""

from __future__ import annotations

import json
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

from onehop import _core

FOUND = [mpi for mpi in _core.mpi_installations() if mpi.launcher and not mpi.problem]
pytestmark = pytest.mark.skipif(
    not FOUND, reason="onehop was built without an MPI: pip install mpich, then make install"
)
WIRES = ("mixed", "mpi_p2p", "mpi_rma")


@pytest.fixture(autouse=True)
def allow_containers(monkeypatch):
    """Open MPI refuses root and more ranks than cores unless told otherwise."""
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    monkeypatch.setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")


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


@pytest.mark.parametrize("wire", WIRES)
def test_solve_gives_the_bits_of_shared_memory(onehop, configurations, wire):
    words = ("solve", configurations["nersc"], "--kappa", "0.12", "--ranks", "2", "--json", "-")
    ours, theirs = (json.loads(onehop(*words, "--transport", w).out) for w in ("shm", wire))
    assert theirs["transport"] == wire
    assert theirs["correlator"] == ours["correlator"]
    assert theirs["samples"][0]["residual_true"] == ours["samples"][0]["residual_true"]


def test_channels_hold_within_the_machine_of_an_mpi_job():
    script = """
import os, onehop
context = onehop.join("mixed")
window = onehop.Window(context, 8)
chain = onehop.PutChain(context, window)
chain.push_packed(8, 1 - context.rank, 0)
chain.add_origin(1 - context.rank)
chain.commit()
os.write(1, (context.channels + " " + str("channel owned" in chain.describe()) + chr(10)).encode())
"""
    done = mpirun(2, sys.executable, "-c", script, ONEHOP_CHANNELS="owned")
    assert (done.returncode, done.stdout) == (0, "owned/owned True\n" * 2), done.stderr


def test_mpirun_starts_the_ranks(configurations):
    done = mpirun(2, ONEHOP, "solve", configurations["nersc"], "--mass", "0.5")
    assert (done.returncode, own_lines(done.stderr)) == (0, [])
    assert done.stdout.count("converged: ") == 1
    assert "2 ranks" in done.stdout or "on grid 1x1x1x2" in done.stdout


def test_run_finds_the_launcher(onehop):
    script = "import os, onehop; c = onehop.join(); os.write(1, b'%d/%d\\n' % (c.rank, c.size))"
    ended = onehop("run", "-n", "2", "--launcher", "mpi", "--", sys.executable, "-c", script)
    assert (ended.status, sorted(ended.out.split())) == (0, ["0/2", "1/2"])


def test_ranks_that_contradict_are_one_line():
    words = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--mass", "0.5", "--ranks", "3")
    done = mpirun(2, ONEHOP, *words)
    line = "onehop: --ranks 3, but this job was started with 2 ranks"
    assert (done.returncode, own_lines(done.stderr)) == (2, [line])


def test_failing_rank_alone_is_heard():
    script = """
import sys
from onehop import _core
from onehop.cli import fail, mpi_launch
context = mpi_launch.join("auto")
try:
    if context.rank == 1:
        raise _core.FileError("the disk of rank 1 is full")
    _core.barrier(context)
except _core.Error as error:
    sys.exit(fail(error))
"""
    done = mpirun(3, sys.executable, "-c", script)
    assert (done.returncode, own_lines(done.stderr)) == (2, ["onehop: the disk of rank 1 is full"])


def test_launcher_of_another_mpi_is_told_the_line_to_type():
    """Two processes that each find themselves alone, as under the mpirun of another MPI."""
    other = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    words = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--mass", "0.5")
    done = subprocess.run(
        [ONEHOP, *words], capture_output=True, text=True, timeout=60, env={**os.environ, **other}
    )
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    assert "started 2 processes" in line
    assert f"start it with {FOUND[0].launcher} -n 2 " in line and "--mass 0.5" in line


def test_srun_without_our_mpi_is_told_what_to_say_to_it():
    other = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}
    words = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--mass", "0.5")
    done = subprocess.run(
        [ONEHOP, *words], capture_output=True, text=True, timeout=60, env={**os.environ, **other}
    )
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    plugin = "pmix" if "Open MPI" in FOUND[0].name else "pmi2"
    assert line.startswith("onehop: srun started 2 processes")
    assert f"start it with srun --mpi={plugin} -n 2 " in line and "--mass 0.5" in line


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        # srun --mpi=pmi2
        (dict(PMI_RANK=1, PMI_SIZE=4, SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=4), (1, 4)),
        # mpirun of MPICH on two machines of an allocation
        (dict(PMI_RANK=3, PMI_SIZE=4, SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=2), (3, 4)),
        # srun --mpi=pmix, and without an MPI
        (dict(SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=2), (1, 2)),
        # a batch script
        (dict(SLURM_PROCID=0, SLURM_NTASKS=2), None),
    ],
)
def test_place_is_what_the_innermost_launcher_says(monkeypatch, variables, place):
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    assert _core.launched_by_mpi() == place


def test_shared_memory_needs_its_own_launcher():
    words = (
        "solve",
        "--lattice",
        "4x4x4x4",
        "--start",
        "cold",
        "--mass",
        "1",
        "--transport",
        "shm",
    )
    done = mpirun(2, ONEHOP, *words)
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    assert "start them with onehop run, or use auto" in line


def test_auto_shares_memory_on_each_machine():
    script = """
import numpy, os, onehop
os.environ["ONEHOP_NODE"] = str(int(os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK"))) // 2)
job = onehop.join()
chain = onehop.PutChain(job, onehop.Window(job, job.size))
slots = [chain.push_packed(8, other, 8 * job.rank) for other in range(job.size)]
arrivals = [chain.add_origin(other) for other in range(job.size)]
chain.commit()
assert job.transport == "mixed"
for other, slot in enumerate(slots):
    assert chain.direct(slot) == (other // 2 == job.rank // 2), chain.describe()
    chain.target_view(slot)[0] = job.rank
chain.start()
chain.wait()
assert [chain.arrived(one)[0] for one in arrivals] == list(range(job.size))
"""
    done = mpirun(4, sys.executable, "-c", script)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wire", WIRES)
def test_killed_rank_ends_the_job(start, wire):
    """It is the MPI launcher that sees the end of a process; it ends the others."""
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
    """As srun does unless it is asked to look: the ranks see it themselves, and end."""
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
    """A copy that differs in what library and modules say of the headers they were built from."""
    other = tmp_path / "onehop"
    shutil.copytree(Path(_core.__file__).parent, other)
    for binary in [*other.glob("_core*.so"), *other.glob("lib/libonehop_mpi_*.so")]:
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


def test_info_names_the_mpi(onehop):
    ended = onehop("info")
    assert "mixed, mpi_p2p, mpi_rma" in ended.out and FOUND[0].name in ended.out


def test_module_of_another_build_is_refused(tmp_path):
    """The same module but for one digit of what it says of the headers it was built from."""
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
