"""`onehop simulate` is tested for its record, faults, and what is refused."""

from __future__ import annotations

import json

import pytest


def simulated(onehop, *arguments):
    ended = onehop("simulate", *arguments, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def test_halo_counts_its_packets_and_hops(onehop):
    record = simulated(onehop, "apenet-v4", "halo", "--nodes", "8", "8", "8")
    # A node has 6 neighbours one hop away and 2 on the diagonal, three hops along every axis; a
    # face is 6 packets.
    assert record["packet_hops"] == 512 * (6 + 2 * 9) * 6
    assert record["messages"] == 512 * 8
    assert record["bytes"] == 512 * 8 * 24576
    assert record["step_us"] > 0
    assert record["events"] >= record["packet_hops"]
    assert {"cpu_s", "peak_rss_mib"} <= record.keys()
    assert 0 < record["bounded_by"]["share"] <= 1


def test_more_bytes_take_longer_and_schedulers_agree(onehop):
    size = ("--nodes", "4", "4", "4", "--message-bytes")
    short = simulated(onehop, "apenet-v4", "halo", *size, "4096")
    long = simulated(onehop, "apenet-v4", "halo", *size, "40960")
    again = simulated(onehop, "apenet-v4", "halo", *size, "40960", "--scheduler", "heap")
    assert short["step_us"] < long["step_us"]
    assert (again["step_us"], again["events"]) == (long["step_us"], long["events"])


def test_faults_cost_time(onehop):
    common = ("apenet-v4", "halo", "--nodes", "4", "4", "2")
    whole = simulated(onehop, *common)
    slow = simulated(onehop, *common, "--slow-node", "3:2")
    cut = simulated(onehop, *common, "--dead-link", "0:1")
    noisy = simulated(onehop, *common, "--bit-error-rate", "1e-7")
    assert slow["step_us"] > 1.5 * whole["step_us"]
    assert cut["packet_hops"] > whole["packet_hops"]
    assert noisy["retransmissions"] > 0 == whole["retransmissions"]


def test_a_switched_machine_takes_any_grid(onehop):
    record = simulated(onehop, "ndr-h200", "halo", "--nodes", "4x4x4", "--message-bytes", "100000")
    assert record["messages"] == 64 * 8


def test_trace_is_the_same_every_time(onehop, tmp_path):
    for name in ("a.json", "b.json"):
        simulated(
            onehop, "tca-peach2", "halo", "--nodes", "4", "--memory", "device",
            "--trace", str(tmp_path / name), "--bit-error-rate", "1e-8",
        )  # fmt: skip
    trace = (tmp_path / "a.json").read_bytes()
    assert trace == (tmp_path / "b.json").read_bytes()
    assert len(json.loads(trace)["traceEvents"]) > 100


def test_iterations_leave_a_trace_that_is_the_same_every_time(onehop, tmp_path):
    words = ("tca-peach2", "cg", "--nodes", "4x2", "--lattice", "8x8x8x8", "--memory", "device")
    times = [
        simulated(onehop, *words, "--trace", str(tmp_path / name))["iteration_us"]
        for name in ("a.json", "b.json")
    ]
    trace = (tmp_path / "a.json").read_bytes()
    assert trace == (tmp_path / "b.json").read_bytes()
    ends = [e["ts"] + e["dur"] for e in json.loads(trace)["traceEvents"] if e["ph"] == "X"]
    assert 0.5 * times[0] < max(ends) <= times[0] + 1e-6
    assert times == [simulated(onehop, *words)["iteration_us"]] * 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["apenet-v9", "halo"], "did you mean"),
        (["apenet-v4"], "needs a workload"),
        (["apenet-v4", "halo", "--nodes", "100", "100", "100"], "at most 32768"),
        (["apenet-v4", "halo", "--nodes", "0x4"], "one to four numbers"),
        (["apenet-v4", "halo", "--dead-link", "99:1"], "--dead-link 99:1: the nodes are 0 to 15"),
        (["apenet-v4", "halo", "--dead-link", "3:-1"], "negative"),
        (["apenet-v4", "halo", "--slow-node", "0:0"], "--slow-node 0:0: the node"),
        (
            ["apenet-v4", "halo", "--bit-error-rate", "2"],
            "wire.bit_error_rate (--bit-error-rate) 2;",
        ),
        (["apenet-v4", "halo", "--platform-set", "foo=1"], "foo"),
        (["apenet-v4", "halo", "--lattice", "8", "8", "8", "8"], "--lattice is for cg, not halo"),
        (["apenet-v4", "cg", "--compute", "2"], "--compute is for halo, not cg"),
        (
            ["apenet-v4", "halo", "--nodes", "40", "40", "40"],
            "--platform-set topology.nodes_most=64000",
        ),
        (
            ["slingshot", "halo", "--nodes", "2000"],
            "its dragonfly has place for 1024 by p, a and g: change these too",
        ),
        (["apenet-v4", "alltoall"], "patterns of onehop bench run by its --transport virtual:"),
        (
            ["apenet-v4", "halo", "--nodes", "4", "4", "4", "4"],
            "--nodes 4x4x4x4 needs 8 links a node; platform apenet-v4 is a torus of 3 axes with 6",
        ),
        (
            ["tca-peach2", "halo", "--nodes", "4", "2", "2"],
            "--nodes 4x2x2: platform tca-peach2 is two coupled rings",
        ),
        (
            ["apenet-v4", "halo", "--platform-set", "wire.packet=1.5"],
            "is not a whole number of bytes",
        ),
        (["apenet-v4", "halo", "--platform-set", "wire.credits=65"], "wire.credits 65; 1 to 64"),
        (["tca-peach2", "halo", "--nodes", "8", "2", "--dead-link", "3:2"], "no way from node"),
    ],
)
def test_wrong_use_is_one_line(onehop, arguments, says):
    ended = onehop("simulate", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert says in ended.err


def test_a_map_shows_the_way_round_a_dead_link(onehop, tmp_path):
    from onehop import netsim
    from onehop.netsim import cg_workload, faults, load_map

    machine = faults.machine(netsim.load("apenet-v4", {}), (4, 2), dead_link=(0, 0))
    times = cg_workload.run(machine, "direct", (4, 2), (8, 8, 8, 8))
    shares = load_map.busy_shares(machine, times.accounts.links(), times.total_ps)
    # In row 0 of axis x the cable from node 0 to 1 carries nothing in either direction, and the
    # others carry more.
    row, whole = shares[0, :, 0], shares[0, :, 1]
    assert row[0, 0] == row[1, 1] == 0
    assert row[0, 1] > 1.5 * whole[0, 1]
    path = tmp_path / "load.svg"
    simulated(onehop, "tca-peach2", "halo", "--memory", "device", "--map", str(path))
    assert "share of the time" in path.read_text()


def test_a_detour_waits_for_busy_receivers_on_its_way_and_not_for_idle_ones():
    from onehop import netsim
    from onehop.netsim import cg_workload, faults

    def run(look_up_us, **fault):
        platform = netsim.load("apenet-v4", {"stage.gpu-translate.hit": look_up_us})
        machine = faults.machine(platform, (4, 2, 2), **fault)
        times = cg_workload.run(machine, "direct", (4, 2, 2), (32, 16, 16, 32), "device")
        return times.total_ps, int(times.accounts.links()["packets"].sum())

    for look_up_us, least, most in (("1.6", 1.05, 1.3), ("0.124", 1.0, 1.01)):
        whole, cut = run(look_up_us), run(look_up_us, dead_link=(0, 0))
        assert least <= cut[0] / whole[0] < most
        # What crossed the cable either way takes three links instead of one: in an iteration four
        # faces of 24 packets of 4 KiB, and two sums.
        assert cut[1] - whole[1] == 2 * (4 * 24 + 2) * (3 - 1)


def test_a_map_of_switches_says_what_they_are(onehop, tmp_path):
    path = tmp_path / "load.svg"
    simulated(onehop, "infiniband-qdr", "halo", "--nodes", "64", "--map", str(path))
    assert "level 1: 72 switches, each 0 to 18 down, 18 up, taper 1:1" in path.read_text()
    simulated(onehop, "slingshot", "traffic", "--nodes", "64", "--map", str(path))
    assert "7 local, 7 global" in path.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ndr-fat-tree", "halo"), "up to 20000 links"),
        (("pairs.toml", "halo"), "a link between all nodes"),
    ],
)
def test_a_map_that_nobody_could_read_is_refused(onehop, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    onehop("platform", "new", "pairs", "--topology", "all-to-all", "-o", "pairs.toml")
    ended = onehop("simulate", *words, "--map", "load.svg")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert says in ended.err and not (tmp_path / "load.svg").exists()


def test_a_map_has_one_of_three_formats(onehop, tmp_path):
    path = tmp_path / "load.txt"
    ended = onehop("simulate", "tca-peach2", "halo", "--map", str(path))
    assert ended.status == 2
    assert ended.err == f"onehop: --map {path}: the name must end in .png, .pdf or .svg\n"
    assert not list(tmp_path.iterdir())


def test_a_slow_node_computes_slowly(onehop):
    common = ("apenet-v4", "cg", "--nodes", "2", "2", "--lattice", "8", "8", "8", "8")
    whole = simulated(onehop, *common)
    slow = simulated(onehop, *common, "--slow-node", "0:3")
    assert slow["split_us"]["work"] > 1.4 * whole["split_us"]["work"]
