"""--device cuda is tested as far as it goes without a device: kernels are tested on the host in
C++."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from onehop import _core

SOLVE = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--kappa", "0.12")


@pytest.fixture
def no_device():
    if not _core.inspect_cuda().problem:
        pytest.skip("this machine has a CUDA device")


@pytest.mark.usefixtures("no_device")
@pytest.mark.parametrize("command", [SOLVE, ("bench", "dslash", "--lattice", "4x4x4x4")])
def test_missing_device_is_one_clear_line(onehop, command):
    ended = onehop(*command, "--device", "cuda")
    assert (ended.status, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert _core.inspect_cuda().problem in ended.err
    assert "use --device host" in ended.err


def test_sharing_is_for_devices(onehop):
    ended = onehop(*SOLVE, "--share-device")
    assert ended.status == 2
    assert "--device cuda" in ended.err


def test_info_says_what_there_is_of_cuda(onehop):
    record = json.loads(onehop("info", "--json", "-").out)
    found = _core.inspect_cuda()
    assert record["cuda"]["problem"] == found.problem
    assert len(record["cuda"]["devices"]) == len(found.devices)
    assert "CUDA" in onehop("info").out


@pytest.mark.usefixtures("no_device")
@pytest.mark.parametrize("command", [("bench", "latency"), ("info", "--chains")])
def test_memory_of_a_missing_device_is_one_clear_line(onehop, command):
    ended = onehop(*command, "--memory", "device")
    assert (ended.status, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert "no CUDA driver on this machine" in ended.err


@pytest.mark.parametrize("memory", ["device", "device-host", "host-device"])
@pytest.mark.parametrize("pattern", ["latency", "put", "bandwidth", "halo"])
def test_bytes_between_devices_and_hosts_arrive(onehop, fake_devices, pattern, memory):
    words = ("--sizes", "8,5000", "--min-time", "0.01", "--max-time", "0.05", "--warmup", "2")
    faces = ("--faces", "2") if pattern == "halo" else ()
    ended = onehop(
        "bench", pattern, "--memory", memory, *words, *faces, "--json", "-", **fake_devices
    )
    assert ended.status == 0, ended.err
    samples = json.loads(ended.out)["samples"]
    assert [sample["size_bytes"] for sample in samples] == [8, 5000]
    assert all(sample["wrong"] == 0 and sample["value"] > 0 for sample in samples)


@pytest.mark.parametrize("memory", ["device", "device-host", "host-device"])
def test_rows_of_a_message_arrive_end_to_end(onehop, fake_devices, memory):
    words = ("--sizes", "4096", "--rows", "64", "--max-time", "0.05", "--min-time", "0.01")
    ended = onehop("bench", "put", "--memory", memory, *words, "--json", "-", **fake_devices)
    assert ended.status == 0, ended.err
    assert [sample["wrong"] for sample in json.loads(ended.out)["samples"]] == [0]


def test_ranks_share_a_device_only_when_told(onehop, fake_devices):
    words = ("bench", "put", "--memory", "device", "--sizes", "8", "--ranks", "4")
    refused = onehop(*words, **fake_devices)
    assert refused.status == 2
    assert "--share-device" in refused.err
    quick = ("--max-time", "0.05", "--min-time", "0.01")
    assert onehop(*words, *quick, "--share-device", **fake_devices).status == 0


def test_chains_of_devices_say_how_they_travel(onehop, fake_devices):
    words = ("info", "--chains", "--memory", "device")
    assert "cuda_ipc" in onehop(*words, **fake_devices).out
    staged = onehop(*words, ONEHOP_DEVICE_CHANNEL="staged", **fake_devices).out
    assert "no cuda_ipc: ONEHOP_DEVICE_CHANNEL is staged" in staged


def test_chains_of_devices_say_who_notifies_and_who_gathers(onehop, fake_devices):
    words = ("info", "--chains", "--memory", "device", "--lattice", "4x4x4x4")
    faces = ("--grid", "2x1x1x1", "--in-place")
    shown = onehop(*words, *faces, **fake_devices)
    assert shown.status == 0, shown.err
    # x is cut: each site is a row of its own.
    assert "64 rows of 192 bytes by the copy engine" in shown.out
    assert "notified from stream to stream" in shown.out
    no_words = onehop(*words, *faces, FAKE_DRIVER_NO_WORDS="1", **fake_devices).out
    assert "the host waits, not the stream: rank 0: its device has no stream memory op" in no_words
    refused = onehop("info", "--chains", "--in-place")
    assert (refused.status, len(refused.err.splitlines())) == (2, 1)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_collectives_take_arrays_of_devices(onehop, fake_devices, count):
    program = Path(__file__).parents[1] / "fake_device" / "collectives.py"
    ended = onehop("run", "-n", count, "--", sys.executable, program, **fake_devices)
    assert ended.status == 0, ended.err
    assert ended.out.splitlines() == ["<PersistentCollective of float64 (1000,)>"] * count


def findings(ended):
    assert ended.status == 0, ended.err
    columns = (re.split(r"\s{2,}", line, maxsplit=2) for line in ended.out.splitlines())
    return {what: (state, words) for state, what, words in columns}


def test_doctor_says_what_devices_can_do(onehop, fake_devices):
    found = findings(onehop("doctor", **fake_devices))
    assert found["CUDA driver"] == ("ok", "for CUDA up to 13.0")
    assert found["device 1"] == ("ok", "Fake 1, compute capability 9.0, 1.0 GiB, 0000:02:00.0")
    assert found["device 0 peers"] == ("ok", "reaches the memory of devices 1")
    state, words = found["device 0 stream words"]
    assert (state, "streams write and wait for words" in words) == ("ok", True)
    without = findings(onehop("doctor", FAKE_DRIVER_NO_WORDS="1", **fake_devices))
    state, words = without["device 1 stream words"]
    assert (state, "the host waits" in words) == ("note", True)


@pytest.mark.usefixtures("no_device")
def test_doctor_has_one_clear_line_for_a_machine_without_driver(onehop):
    ended = onehop("doctor", "--json", "-")
    record = json.loads(ended.out)
    lines = [s for s in record["samples"] if s["what"] == "CUDA driver"]
    assert [(line["state"], "\n" in line["words"]) for line in lines] == [("note", False)]
    assert "no CUDA driver on this machine" in lines[0]["words"]
    assert record["check"]["passed"] and not any("device" in s["what"] for s in record["samples"])
