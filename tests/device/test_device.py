"""These tests need a CUDA device, and are skipped on machines without one.

Kernels that are not onehop's are CuPy's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onehop import UsageError, _core

PROGRAMS = Path(__file__).parent / "programs"
LATTICE = ("--lattice", "8x8x8x8")
QUICK = ("--min-time", "0.01", "--max-time", "0.05", "--warmup", "2")


def _has_device() -> bool:
    try:
        return _core.count_devices() > 0 and not _core.inspect_cuda().problem
    except UsageError:
        return False


pytestmark = pytest.mark.skipif(not _has_device(), reason="this machine has no CUDA device")


@pytest.fixture
def ranks(onehop):
    """Runs a program of this folder on some ranks, which share the device; returns what each rank
    found."""
    pytest.importorskip("cupy")

    def run(count, name, *words, **environment):
        program = (sys.executable, PROGRAMS / name, *words)
        ended = onehop("run", "-n", count, "--", *program, **environment)
        assert ended.status == 0, ended.err
        found = [json.loads(line) for line in ended.out.splitlines()]
        assert len(found) == count
        return found

    return run


@pytest.mark.parametrize("channel", ["cuda_ipc", "staged"])
@pytest.mark.parametrize("rows", [1, 64])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_puts_take_what_the_stream_wrote_before_and_no_later_than_it_reads(
    ranks, count, rows, channel
):
    environment = {"ONEHOP_DEVICE_CHANNEL": "staged"} if channel == "staged" else {}
    for size in (1024, 1 << 20):
        for found in ranks(count, "ring.py", size, rows, 20, **environment):
            assert found["wrong"] == 0, found
            own = count == 1 and channel == "cuda_ipc"
            assert ("belongs to the same process" if own else channel) in found["describe"]


def test_ranks_without_a_context_of_their_own_reach_each_others_memory(onehop):
    shown = onehop("info", "--chains", "--memory", "device")
    assert shown.status == 0, shown.err
    assert "cuda_ipc" in shown.out and "no cuda_ipc" not in shown.out


@pytest.mark.parametrize("rows", [1, 64])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_streams_wait_and_the_host_does_not(ranks, count, rows):
    for found in ranks(count, "ring.py", 65536, rows, 50, "stream"):
        assert found["waits_on_stream"], found["describe"]
        assert found["wrong"] == 0, found


@pytest.mark.parametrize("count", [1, 2])
def test_exchanges_are_replayed_from_a_graph(ranks, count):
    for found in ranks(count, "recorded_ring.py"):
        assert found["waits_on_stream"], found["describe"]
        assert (found["wrong"], found["exchanges"]) == (0, 102)


@pytest.mark.parametrize("words", [(), ("stream",)])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ghosts_of_a_field_on_a_device_are_the_lattices(ranks, count, words):
    for found in ranks(count, "halo.py", *words):
        assert found["wrong"] == 0, found


@pytest.mark.parametrize("count", [1, 2, 3])
def test_collectives_give_the_bits_of_the_host(ranks, count):
    for found in ranks(count, "collectives.py"):
        assert found["wrong"] == 0, found


@pytest.mark.parametrize("library", ["cupy", "torch", "jax"])
def test_arrays_of_libraries_come_to_the_host_in_the_order_of_their_streams(library):
    import onehop

    module = pytest.importorskip(library)
    if library == "cupy":
        array = module.arange(1 << 20, dtype="float32") * 2
    elif library == "torch":
        array = module.arange(1 << 20, dtype=module.float32, device="cuda") * 2
    else:
        array = module.numpy.arange(1 << 20, dtype="float32") * 2
    np.testing.assert_array_equal(onehop.to_host(array), 2 * np.arange(1 << 20, dtype=np.float32))


@pytest.mark.parametrize("memory", ["device", "device-host", "host-device"])
@pytest.mark.parametrize("pattern", ["latency", "put", "bandwidth", "halo"])
def test_bytes_between_devices_and_hosts_arrive(onehop, pattern, memory):
    words = ("--sizes", "8,5000,1048576", "--share-device", *QUICK)
    faces = ("--faces", "2") if pattern == "halo" else ()
    ended = onehop("bench", pattern, "--memory", memory, *words, *faces, "--json", "-")
    assert ended.status == 0, ended.err
    samples = json.loads(ended.out)["samples"]
    assert all(sample["wrong"] == 0 and sample["value"] > 0 for sample in samples)


def test_rows_of_a_message_are_gathered_by_kernel_and_by_engine(onehop):
    words = ("bench", "put", "--memory", "device", "--share-device", "--sizes", "65536", *QUICK)
    for how in ("kernel", "rows"):
        for rows in (16, 4096):
            ended = onehop(*words, "--rows", rows, "--json", "-", ONEHOP_DEVICE_PACK=how)
            assert ended.status == 0, ended.err
            assert [s["wrong"] for s in json.loads(ended.out)["samples"]] == [0]


@pytest.mark.parametrize("dslash", ["wilson", "clover", "staggered", "asqtad", "hisq"])
@pytest.mark.parametrize("prec", ["double", "single", "half"])
def test_operators_are_the_reference_operators(onehop, dslash, prec):
    for recon in (18,) if dslash in ("asqtad", "hisq") else (18, 12, 8):
        for rhs in (1, 3):
            words = ("--dslash", dslash, "--prec", prec, "--recon", recon, "--rhs", rhs, *QUICK)
            ended = onehop("bench", "dslash", "--device", "cuda", *LATTICE, *words)
            assert ended.status == 0, ended.err


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("solver", ["cg", "bicgstab"])
@pytest.mark.parametrize("prec", ["double", "mixed"])
def test_solutions_are_those_of_the_host(onehop, count, solver, prec):
    words = ("solve", *LATTICE, "--start", "hot", "--kappa", "0.11", "--json", "-")
    how = ("--solver", solver, "--prec", prec, "--ranks", count)
    ended = onehop(*words, *how, "--device", "cuda", "--share-device")
    assert ended.status == 0, ended.err
    found, expected = json.loads(ended.out), json.loads(onehop(*words, *how).out)
    np.testing.assert_allclose(found["correlator"], expected["correlator"], rtol=1e-8)


def test_a_solve_gives_the_same_bits_again(onehop):
    words = ("solve", *LATTICE, "--start", "hot", "--kappa", "0.11", "--json", "-")
    runs = [json.loads(onehop(*words, "--device", "cuda").out) for _ in range(2)]
    assert runs[0]["correlator"] == runs[1]["correlator"]


def test_tuned_blocks_go_to_a_new_file_and_change_no_bit(onehop, tmp_path):
    named = {"ONEHOP_TUNING": str(tmp_path / "tuning.json")}
    solve = ("solve", *LATTICE, "--start", "hot", "--kappa", "0.11", "--device", "cuda")
    usual = json.loads(onehop(*solve, "--json", "-").out)
    ended = onehop("tune", "--device", "cuda", *LATTICE, **named)
    assert ended.status == 0, ended.err
    tuned = json.loads(onehop(*solve, "--json", "-", **named).out)
    assert tuned["correlator"] == usual["correlator"]


@pytest.mark.parametrize("count", [2, 3])
def test_programs_of_mpi_may_give_it_memory_of_devices(onehop, tmp_path, count):
    compiler = Path(sys.executable).with_name("mpicc_abi")
    if not compiler.exists():
        pytest.skip("no mpicc_abi beside this Python: pip install 'mpich>=5'")
    program = tmp_path / "devices"
    source = Path(__file__).parents[1] / "mpi" / "devices.c"
    subprocess.run([compiler, "-O1", "-o", program, source], check=True, timeout=60)
    words = ("run", "-n", count, "--mpi", "--", program)
    ended = onehop(*words, tmp_path / "file", "on devices")
    assert ended.status == 0, ended.err
    on_host = onehop(*words, tmp_path / "other")
    assert sorted(ended.out.splitlines()) == sorted(on_host.out.splitlines())
