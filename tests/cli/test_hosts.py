"""Several ranks are put on a node of a virtual machine by --hosts, the same in every command."""

from __future__ import annotations

import json
import sys

import pytest

from onehop import netsim
from onehop.netsim import closed_form

SOLVE = (
    *("solve", "--lattice", "4x4x4x4", "--start", "hot", "--seed", "5", "--kappa", "0.1"),
    *("--source", "random:7", "--ranks", "4"),
)
PYTHON = (sys.executable, "-c", "import onehop; onehop.barrier(onehop.join())")
COMMANDS = {
    "bench": ("bench", "latency", "--sizes", "8"),
    "run": ("run", "-n", "2"),
    "solve": (*SOLVE[:-1], "2"),
    **{
        words.split()[0]: ("app", *words.split())
        for words in (
            "echo",
            "event-stream",
            "graph-search --scale 5",
            "lattice-boltzmann --setup taylor-green --lattice 4 4 4",
            "particle-in-cell --setup thermal --lattice 8 8",
            "particle-offload",
            "spiking-network --columns 4 4",
            "spin-glass --lattice 4 4 4 --beta 1",
        )
    },
}


def times(onehop, *words):
    record = json.loads(onehop("bench", *words, "--json", "-").out)
    assert record["check"]["passed"]
    return [sample["value"] for sample in record["samples"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_hosts_and_refuses_bad_ones_with_one_line(onehop, command):
    words = (*COMMANDS[command], "--transport", "virtual:tca-peach2", "--hosts", "1,17")
    ended = onehop(*words, *(("--", *PYTHON) if command == "run" else ()))
    line = "onehop: --hosts: platform tca-peach2 has hosts 1 to 16; got 17\n"
    assert (ended.status, ended.out, ended.err) == (2, "", line)


@pytest.mark.parametrize(
    ("platform", "memory"),
    [
        *((name, "host") for name in ("apenet-v4", "apenet-v5", "quong", "infiniband-qdr")),
        *((name, "host") for name in ("pax", "slingshot", "ndr-fat-tree", "ha-pacs-tca")),
        *((name, "device") for name in ("apenet-v4", "quong", "infiniband-qdr", "ha-pacs-tca")),
    ],
)
def test_ranks_of_a_node_take_the_time_that_the_platform_gives_their_node(onehop, platform, memory):
    words = ("latency", "--transport", f"virtual:{platform}", "--memory", memory)
    sizes = (8, 100_000)
    words += ("--sizes", ",".join(map(str, sizes)), "--hosts")
    machine = netsim.load(platform)
    inside = [
        closed_form.transfer(machine, size, memory, memory, on_one_node=True).total_ps / 1e6
        for size in sizes
    ]
    found = times(onehop, *words, "2,2")
    # A clock of nanoseconds is read before and after.
    assert found == pytest.approx(inside, abs=1e-3)
    assert min(found) > 0
    # On hosts of their own they take another way, the one that they take without the option.
    apart = times(onehop, *words, "1,2")
    assert apart == times(onehop, *words[:-1])
    assert all(
        one != pytest.approx(other, rel=0.01) for one, other in zip(found, apart, strict=True)
    )


@pytest.mark.parametrize("memory", ["host", "device"])
@pytest.mark.parametrize(
    ("pattern", "options"),
    [
        *((name, ()) for name in ("allgather", "allreduce", "broadcast", "alltoall")),
        ("halo", ()),
        ("allreduce", ("--platform-set", "collectives=staged")),
    ],
)
def test_every_byte_comes_whoever_shares_a_node(onehop, pattern, options, memory):
    words = (pattern, "--transport", "virtual:infiniband-qdr", "--ranks", "8", "--memory", memory)
    words += (*options, "--sizes", "8,20000", "--hosts")
    two = times(onehop, *words, "linear:2")
    assert two == times(onehop, *words, "1,1,2,2,3,3,4,4")
    assert two != times(onehop, *words, "linear")
    times(onehop, *words, "3,1,3,2,1,3,2,3")


def test_a_solve_has_the_same_bits_wherever_its_ranks_are(onehop):
    words = (*SOLVE, "--transport", "virtual:quong", "--json", "-")
    apart, together = (
        json.loads(onehop(*words, "--hosts", hosts).out) for hosts in ("linear", "linear:2")
    )
    assert apart["timing"] != together["timing"]
    for key in ("iterations", "residual_iterated", "residual_true", "plaquette"):
        assert apart[key] == together[key]


def test_ranks_share_the_rates_of_their_host_and_each_has_a_gpu(onehop):
    program = """
import os, onehop
context = onehop.join()
context.work(flops=1e6, launches=0)
os.write(1, b"%d\\n" % context.now_ns)
"""

    def ran(memory, hosts):
        words = ("--transport", "virtual:quong", "--memory", memory, "--hosts", hosts)
        words += ("--platform-set", "host.flops=1,gpu.flops=0.001")
        ended = onehop("run", "-n", 2, *words, "--", sys.executable, "-c", program)
        assert (ended.status, ended.err) == (0, "")
        return ended.out.split()

    assert ran("host", "1,2") == ["1000000"] * 2
    assert ran("host", "1,1") == ["2000000"] * 2
    assert ran("device", "1,1") == ["1000000"] * 2


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("virtual:quong", "--memory", "device", "--hosts", "4,5,5,5", "--ranks", "4"),
            "--hosts: host 5 stands 3 times, and a node of platform quong has 2 GPUs (gpu.count "
            "in ",
        ),
        (
            ("virtual:quong", "--hosts", "linear:9", "--ranks", "9"),
            "--hosts: host 1 stands 9 times, and a node of platform quong has 8 cores (host.count "
            "in ",
        ),
        (
            ("virtual:qpace", "--hosts", "3,3"),
            "--hosts: host 3 stands 2 times, and a node of platform qpace has 1 core (host.count "
            "in ",
        ),
        (
            ("virtual:tca-peach2", "--memory", "device", "--hosts", "3,3"),
            "machine tca-peach2 says nothing about messages 'direct' from device to device memory "
            "of one node: give each rank a host of its own, or the platform file a protocol with "
            "on_one_node = true",
        ),
    ],
)
def test_where_nothing_is_said_of_a_node_one_line_says_so(onehop, words, line):
    ended = onehop("bench", "allreduce", "--sizes", "8", "--transport", *words)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(f"onehop: {line}")


def test_jobs_of_simulate_have_nodes_of_their_own(onehop):
    words = ("simulate", "apenet-v4", "halo", "--nodes", "4", "4", "--machine", "16", "--hosts")
    ended = onehop(*words, "linear:2")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "--hosts" in ended.err


def test_eight_gpus_of_a_node_are_joined_by_nvlink(onehop):
    words = ("--transport", "virtual:ndr-h200", "--memory", "device", "--sizes", "100000")
    near, peer = (
        times(onehop, "latency", *words, "--platform-set", f"variant={variant}")
        for variant in ("by-node", "peer")
    )
    assert near == peer
    for ranks in ("8", "16"):
        near, far = (
            times(onehop, "allgather", *words, "--ranks", ranks, "--platform-set", variant)[0]
            for variant in ("variant=by-node", "variant=direct")
        )
        assert near < far
