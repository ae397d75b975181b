"""Messages of a virtual machine loop back in the adapter of a node, and lie in memory of hosts and
devices."""

from __future__ import annotations

import json

import pytest

from onehop import netsim

LATENCY = ("bench", "latency", "--sizes", "8,4096")


def record_of(onehop, *words):
    record = json.loads(onehop(*words, "--json", "-").out)
    assert record["check"]["passed"]
    return record


def values(onehop, *words):
    return [sample["value"] for sample in record_of(onehop, *words)["samples"]]


def test_what_loops_back_is_served_by_one_adapter_and_meets_no_link(onehop):
    """The one microcontroller of APEnet+ then has its part in reading GPU memory and the look-up in
    turn."""
    words = ("bench", "bandwidth", "--transport", "virtual:apenet-v4", "--memory", "device")
    words += ("--sizes", "1048576", "--one-buffer", "--platform-set")
    nios = "nic.rx.translation=nios"
    stages = netsim.load("apenet-v4", {"nic.rx.translation": "nios"}).stages
    packet = 4096
    turn = stages["gpu-requests"].hit + stages["gpu-translate"].hit + stages["gpu-window"].hit
    turn += packet / stages["gpu-write"].rate * 1e12
    (looped,) = values(onehop, *words, nios, "--loop-back")
    assert looped == pytest.approx(packet / turn * 1e6, rel=0.01)
    (slow,) = values(onehop, *words, f"{nios},wire.rate=1", "--loop-back")
    assert slow == looped
    (between,) = values(onehop, *words, nios)
    assert between > 1.03 * looped


@pytest.mark.parametrize("machine", ["apenet-v4", "infiniband-qdr", "qpace"])
def test_what_loops_back_goes_through_the_adapter_but_over_no_cable(onehop, machine):
    words = (*LATENCY, "--transport", f"virtual:{machine}")
    looped, between = values(onehop, *words, "--loop-back"), values(onehop, *words)
    wire = netsim.load(machine).fabric.wire()
    cable = (wire.latency + wire.router) / 1e6
    assert all(far - near > 0.99 * cable for near, far in zip(looped, between, strict=True))
    assert looped[0] > 0.3 * between[0]


def test_shared_memory_of_a_node_is_no_loop_back(onehop):
    words = (*LATENCY, "--transport", "virtual:apenet-v4")
    looped, shared = values(onehop, *words, "--loop-back"), values(onehop, *words, "--hosts", "1,1")
    assert shared[0] < 0.5 * looped[0]


def test_one_gpu_may_be_both_ends_of_what_loops_back(onehop):
    """A node of apenet-v5 has one GPU, so that two ranks of one host have no room there."""
    words = (*LATENCY, "--transport", "virtual:apenet-v5", "--memory", "device")
    assert onehop(*words, "--hosts", "1,1").status == 2
    assert all(values(onehop, *words, "--loop-back"))


@pytest.mark.parametrize(
    "machine",
    [
        ("virtual:apenet-v4",),
        ("virtual:quong", "--platform-set", "variant=infiniband"),
        ("virtual:quong", "--platform-set", "variant=openmpi"),
        ("virtual:infiniband-qdr", "--platform-set", "variant=staged"),
    ],
)
def test_memory_of_one_device_takes_longer_than_of_none_and_less_than_of_two(onehop, machine):
    words = (*LATENCY, "--transport", *machine, "--memory")
    hosts, out, into, devices = (
        values(onehop, *words, memory)
        for memory in ("host", "device-host", "host-device", "device")
    )
    for one in (out, into):
        assert all(h < o < d for h, o, d in zip(hosts, one, devices, strict=True))


def test_an_echo_between_a_host_and_a_device_is_between_those_of_two_of_a_kind(onehop):
    words = ("app", "echo", "--sizes", "64", "--variants", "transfer", "--rounds", "3")
    words += ("--transport", "virtual:apenet-v4", "--memory")
    hosts, out, into, devices = (
        values(onehop, *words, memory)[0]
        for memory in ("host", "device-host", "host-device", "device")
    )
    assert hosts < min(out, into) and max(out, into) < devices


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("latency", "--loop-back", "--hosts", "1,2"), "leave --hosts out"),
        (("allreduce", "--loop-back"), "--loop-back"),
        (("bandwidth", "-n", "1"), "takes no time on virtual:apenet-v4; leave --ranks out"),
    ],
)
def test_what_has_no_meaning_is_refused_with_one_line(refused, words, says):
    assert says in refused("bench", *words, "--transport", "virtual:apenet-v4")


def test_real_wires_do_not_loop_back(refused):
    assert "add --transport virtual:PLATFORM" in refused("bench", "latency", "--loop-back")
