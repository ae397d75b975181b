"""`onehop simulate PLATFORM traffic` and placement are tested for what they find and refuse."""

from __future__ import annotations

import json

import pytest

from onehop.netsim.template import text

_CHANNELS = '{ value = 4, unit = "1", state = "assumed", source = "any routing" }'


def simulated(onehop, *arguments):
    ended = onehop("simulate", *arguments, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.fixture
def network(tmp_path):
    """Writes a platform file with another [topology] and channels for any routing."""

    def write(kind, **changed):
        lines = text("mine", kind).replace("[wire]", f"[wire]\nchannels = {_CHANNELS}\n#", 1)
        for key, value in changed.items():
            lines = lines.replace(f'kind = "{kind}"\n', f'kind = "{kind}"\n{key} = {value}\n', 1)
        path = tmp_path / "mine.toml"
        path.write_text(lines)
        return path

    return write


def test_traffic_is_accepted_until_the_network_is_full(onehop, tmp_path, network):
    path, picture = network("dragonfly"), tmp_path / "load.svg"
    words = (str(path), "traffic", "--pattern", "adversarial", "--window", "300")
    record = simulated(onehop, *words, "--load", "0.05,0.5", "--plot", str(picture))
    low, high = record["points"]
    # Eight nodes of a group share the one cable to the next.
    assert low["accepted"] == pytest.approx(0.05, rel=0.2)
    assert not low["saturated"]
    assert high["saturated"]
    assert record["saturation"] == high["accepted"] == pytest.approx(1 / 8, rel=0.05)
    assert low["p50_us"] <= low["p90_us"] <= low["p999_us"] <= low["longest_us"]
    assert sum(low["histogram"]["counts"]) == low["messages"]
    assert record["link_classes"] == ["nodes", "local", "global"]
    assert 0.99 < max(part[2] for part in high["link_use"]["most"]) <= 1
    assert b"<svg" in picture.read_bytes()


def test_ugal_moves_the_saturation_of_the_worst_case(onehop, network):
    words = ("traffic", "--pattern", "adversarial", "--window", "200", "--load", "0.3")
    minimal = simulated(onehop, str(network("dragonfly")), *words)
    ugal = simulated(onehop, str(network("dragonfly", routing='"ugal"')), *words)
    assert ugal["routing"] == "ugal"
    assert ugal["saturation"] > 2 * minimal["saturation"]


def test_congestion_control_tells_origins_of_long_queues(onehop):
    words = ("roce-clos", "traffic", "--pattern", "uniform", "--window", "500", "--load")
    busy = simulated(onehop, *words, "0.95")
    assert 0 < busy["notifications"] <= busy["packets_marked"]
    idle = simulated(onehop, *words, "0.05")
    assert (idle["notifications"], idle["packets_marked"]) == (0, 0)


def test_loads_side_by_side_are_as_each_alone(onehop):
    words = ("slingshot", "traffic", "--nodes", "64", "--window", "60", "--load")
    together = simulated(onehop, *words, "0.2,0.9,0.5")
    alone = [simulated(onehop, *words, load) for load in ("0.2", "0.9", "0.5")]
    assert together["points"] == [record["points"][0] for record in alone]
    assert together["hottest_links"] == alone[-1]["hottest_links"]


def test_traffic_shows_a_table(onehop, network):
    ended = onehop("simulate", str(network("hyperx")), "traffic", "--load", "0.2", "--window", "50")
    assert (ended.status, ended.err) == (0, "")
    assert "hyperx of 64 nodes, minimal routing, uniform traffic" in ended.out
    assert "accepted" in ended.out


def test_ranks_are_placed_at_random_and_by_a_file(onehop, tmp_path):
    words = ("apenet-v4", "halo", "--nodes", "4", "2", "2", "--hosts")
    linear = simulated(onehop, *words, "linear")
    mixed = simulated(onehop, *words, "random:1")
    again = simulated(onehop, *words, "random:1")
    assert mixed["packet_hops"] > linear["packet_hops"]
    assert again["step_us"] == mixed["step_us"]
    hosts = tmp_path / "hosts"
    hosts.write_text("# in turn\n" + " ".join(map(str, range(1, 17))) + "\n")
    by_file = simulated(onehop, *words, f"file:{hosts}")
    assert by_file["step_us"] == linear["step_us"]
    hosts.write_text("1 2\nthree\n")
    ended = onehop("simulate", *words, f"file:{hosts}")
    assert ended.status == 2
    assert f"{hosts}:2: 'three' is not the number of a host" in ended.err
    hosts.write_text(5000 * "9")
    assert f"{hosts}:1: '999" in onehop("simulate", *words, f"file:{hosts}").err
    hosts.write_text("# none\n")
    assert f"{hosts} has no hosts" in onehop("simulate", *words, f"file:{hosts}").err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["slingshot", "traffic", "--load", "0"], "above 0"),
        (
            ["slingshot", "traffic", "--steps", "2"],
            "--steps is for halo, cg and allreduce, not traffic",
        ),
        (["apenet-v4", "halo", "--pattern", "shift"], "--pattern is for traffic, not halo"),
        (["apenet-v4", "traffic", "--pattern", "shift", "--distance", "16"], "to itself"),
        (["apenet-v4", "halo", "--hosts", "1,2"], "each of 1 to 16 once"),
        (["apenet-v4", "halo", "--hosts", "random:x"], "random:SEED"),
        (["slingshot", "traffic", "--dead-link", "0:0"], "--dead-link 0:0: routes around"),
    ],
)
def test_wrong_use_is_one_line(onehop, words, says):
    ended = onehop("simulate", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert says in ended.err


def test_messages_beyond_the_counter_are_refused(refused):
    words = ("simulate", "apenet-v4", "traffic", "--nodes", "4x2x2", "--message-bytes")
    assert "at most 2147483647 in traffic" in refused(*words, 2**31)


def test_adversarial_traffic_needs_a_first_axis(refused):
    """Every node of a first axis of one is its own target."""
    words = ("simulate", "apenet-v4", "traffic", "--pattern", "adversarial", "--nodes", "1x8x1")
    assert "first axis" in refused(*words)


def test_a_step_beyond_the_clock_is_refused(refused):
    words = ("simulate", "apenet-v4", "halo", "--steps", 2, "--compute", "9e12")
    assert "1000000000" in refused(*words)
