"""Jobs of an MPI launcher are tested where onehop was built with an MPI."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import ONEHOP
from support.mpi_jobs import FOUND, NEEDS_MPI, WIRES, mpirun, own_lines

from onehop import _core

pytestmark = [NEEDS_MPI, pytest.mark.usefixtures("allow_containers")]


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
said = "channel streaming" in chain.describe()
os.write(1, (context.channels + " " + str(said) + chr(10)).encode())
"""
    done = mpirun(2, sys.executable, "-c", script, ONEHOP_CHANNELS="streaming")
    assert (done.returncode, done.stdout) == (0, "streaming/streaming True\n" * 2), done.stderr


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


def test_launcher_of_another_mpi_is_told_the_line_to_type():
    """Two processes each find themselves alone, as under the mpirun of another MPI."""
    other = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    words = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--mass", "0.5")
    done = subprocess.run(
        [ONEHOP, *words], capture_output=True, text=True, timeout=60, env={**os.environ, **other}
    )
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    assert "started 2 processes" in line
    assert any(f"start it with {mpi.launcher} -n 2 " in line for mpi in FOUND), line
    assert "--mass 0.5" in line


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
        # srun --mpi=pmi2 sets these.
        (dict(PMI_RANK=1, PMI_SIZE=4, SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=4), (1, 4)),
        # mpirun of MPICH on two machines of an allocation sets these.
        (dict(PMI_RANK=3, PMI_SIZE=4, SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=2), (3, 4)),
        # srun --mpi=pmix sets these, and so does srun without an MPI.
        (dict(SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=2), (1, 2)),
        # A batch script has these.
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


def test_info_names_the_mpi(onehop):
    ended = onehop("info")
    assert "mixed, mpi_p2p, mpi_rma" in ended.out and FOUND[0].name in ended.out
