"""Ordinary commands on virtual machines."""

import json

import pytest

SOLVE = (
    *("solve", "--lattice", "4x4x4x4", "--start", "hot", "--seed", "5", "--kappa", "0.1"),
    *("--source", "random:7", "--ranks", "4"),
)


def bench(onehop, *words):
    return json.loads(onehop("bench", *words, "--json", "-").out)


def values(record):
    return [sample["value"] for sample in record["samples"]]


def test_latency_is_that_of_the_machine_and_the_same_in_every_run(onehop):
    words = ("latency", "--transport", "virtual:tca-peach2", "--memory", "device")
    first = bench(onehop, *words, "--sizes", "8,8192")
    assert first["transport"] == "virtual:tca-peach2"
    assert [sample["wrong"] for sample in first["samples"]] == [0, 0]
    assert values(first) == values(bench(onehop, *words, "--sizes", "8,8192"))
    # One-way microseconds: Fujita et al. publish 2.0 us flat, then 1.92 us + N / 2.64 GB/s.
    assert values(first) == pytest.approx([2.0, 1.92 + 8192 / 2640], rel=0.1)


@pytest.mark.parametrize(
    ("pattern", "ranks"),
    [
        ("pingping", 2),
        ("put", 2),
        ("bandwidth", 2),
        ("halo", 4),
        ("allgather", 16),
        ("allreduce", 16),
        ("broadcast", 16),
        ("alltoall", 8),
    ],
)
def test_every_pattern_brings_every_byte(onehop, pattern, ranks):
    words = (pattern, "--transport", "virtual:apenet-v4", "--ranks", str(ranks))
    record = bench(onehop, *words, "--sizes", "512")
    assert record["check"]["passed"]
    assert all(value > 0 for value in values(record))


def test_an_option_of_the_platform_changes_the_time(onehop):
    words = ("latency", "--transport", "virtual:apenet-v4", "--sizes", "65536")
    tuned = values(bench(onehop, *words))
    slow = values(bench(onehop, *words, "--platform-set", "nic.rx.translation=nios"))
    assert slow[0] > 1.2 * tuned[0]


def test_solve_gives_the_same_bits_as_on_real_ranks(onehop):
    def answer(*words):
        record = json.loads(onehop(*SOLVE, *words, "--json", "-").out)
        keys = ("plaquette", "iterations", "residual_iterated", "residual_true", "grid")
        return [record[key] for key in keys]

    assert answer("--transport", "virtual:apenet-v4") == answer("--transport", "shm")


def test_times_of_a_solve_are_virtual(onehop, tmp_path):
    def solved(*words):
        record = json.loads(
            onehop(*SOLVE, "--transport", "virtual:apenet-v4", *words, "--json", "-").out
        )
        return record["timing"]

    timeline = tmp_path / "timeline.json"
    first = solved("--trace", str(timeline))
    assert first == solved("--trace", str(timeline))
    events = json.loads(timeline.read_text())["traceEvents"]
    ends = [event["ts"] + event.get("dur", 0) for event in events if "ts" in event]
    assert max(ends) - min(e["ts"] for e in events if "ts" in e) >= 1e6 * first["total_s"]
    # A kernel costs a launch there, and 500 sites are done by then anyway.
    assert solved("--memory", "device")["operator_s"] > first["operator_s"]


def simulated(onehop, *words):
    return json.loads(onehop("simulate", "apenet-v4", "cg", *words, "--json", "-").out)


def test_iterations_without_data_account_for_their_time(onehop):
    words = ("--nodes", "4x4x4", "--lattice", "16x16x16x8")
    record = simulated(onehop, *words)
    parts = record["split_us"]
    assert all(value > 0 for value in parts.values())
    assert sum(parts.values()) == pytest.approx(record["iteration_us"], rel=0.02)
    # Four exchanges with six neighbours, and two sums of log2 64 steps.
    assert record["messages"] == 64 * (4 * 6 + 2 * 6)
    assert simulated(onehop, *words)["iteration_us"] == record["iteration_us"]


def test_a_node_alone_only_works(onehop):
    record = simulated(onehop, "--nodes", "1", "--lattice", "8x8x8x8", "--memory", "device")
    assert record["messages"] == 0
    assert record["iteration_us"] == pytest.approx(record["split_us"]["work"])


def test_blocks_that_are_not_even_are_refused(refused):
    words = ("simulate", "apenet-v4", "cg", "--nodes", "4x4", "--lattice", "12x12x12x12")
    assert "does not divide --lattice 12x12x12x12" in refused(*words)
    assert "--lattice" in refused("simulate", "apenet-v4", "cg")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--transport", "virtual:apenet-v9"), "did you mean apenet-v"),
        (("--transport", "virtual:tca-peach2", "--ranks", "64"), "16"),
        (("--memory", "device"), "--memory is for virtual machines"),
        (("--transport", "virtual:qpace", "--memory", "device"), "from device to device"),
        (("--transport", "virtual:tca-peach2", "--platform-set", "nonsense"), "KEY=VALUE"),
        (("--transport", "virtual:"), "a platform is needed"),
    ],
)
def test_what_no_machine_has_is_one_clear_line(refused, words, says):
    assert says in refused("bench", "latency", "--sizes", "8", *words)
