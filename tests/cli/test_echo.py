"""`onehop app echo` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ONEHOP

import onehop as onehop_package

APP = ("app", "echo")
VIRTUAL = ("--transport", "virtual:apenet-v4", "--memory", "device", "--rounds", "3")


def record_of(onehop, *words):
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def times_of(record):
    return {(s["variant"], s["size_bytes"]): s["value"] for s in record["samples"]}


@pytest.mark.parametrize("wire", ["auto", "mpi_p2p", "mpi_rma"])
def test_words_come_back_right_on_any_wire(onehop, wire):
    if "mpi" in wire and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    words = ("--sizes", "8,3000", "--rounds", "20", "--transport", wire, "--answer-bytes", "16")
    record = record_of(onehop, *APP, *words)
    assert (record["schema"], record["app"]) == ("onehop.app/1", "echo")
    assert [s["answer_bytes"] for s in record["samples"]] == [8, 3000, 8, 3000, 16, 16]
    for sample in record["samples"]:
        quartiles = list(sample["round_us"].values())
        assert quartiles == sorted(quartiles) and sample["value"] == quartiles[2] > 0
        assert sample["wrong_words"] == 0
    growth = record["result"]["growth_us"]
    times = times_of(record)
    for variant in ("transfer", "copy", "kernel"):
        assert growth[variant] == times[variant, 3000] - times[variant, 8]
    assert record["check"]["passed"] and record["check"]["value"] == 0


def test_a_round_in_virtual_time_is_two_messages_of_the_benchmark(onehop):
    """`onehop bench latency` times the same puts, and half of a round is one of them."""
    words = ("--sizes", "32,2048", "--variants", "transfer")
    rounds = times_of(record_of(onehop, *APP, *words, *VIRTUAL))
    bench = ("bench", "latency", "--sizes", "32,2048", *VIRTUAL[:4])
    messages = {s["size_bytes"]: s["value"] for s in record_of(onehop, *bench)["samples"]}
    for size in (32, 2048):
        assert rounds["transfer", size] == pytest.approx(2 * messages[size], rel=0.01)


def test_variants_add_what_the_machine_takes_for_them(onehop):
    """The GPU of apenet-v4 reads and writes 150 GB/s, and launches a kernel in 7 us."""
    size = 1 << 20
    words = ("--sizes", size, "--answer-bytes", size)
    times = times_of(record_of(onehop, *APP, *words, *VIRTUAL))
    transfer, copy, kernel = (times[v, size] for v in ("transfer", "copy", "kernel"))
    assert copy - transfer == pytest.approx(2 * size / 150e3, rel=1e-3)
    assert kernel - copy == pytest.approx(7 + 2 * size / 150e3, rel=1e-3)


def test_a_size_that_is_given_twice_is_measured_once(onehop):
    words = ("--sizes", "64,32,64", "--rounds", "5", "--variants", "copy")
    samples = record_of(onehop, *APP, *words)["samples"]
    assert [sample["size_bytes"] for sample in samples] == [64, 32]


def test_picture_and_table(onehop, tmp_path):
    ended = onehop(*APP, "--sizes", "32,64", "--rounds", "10", "--plot", tmp_path / "e.svg")
    assert ended.status == 0
    assert "transfer" in ended.out and "right: no words of 60 rounds are wrong" in ended.out
    assert (tmp_path / "e.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sizes", "12"), "multiples of 8"),
        (("--variants", "transfr"), "did you mean transfer?"),
        (("--answer-bytes", "12"), "not a multiple of 8"),
        (("--variants", "copy", "--answer-bytes", "16"), "for variant kernel"),
        (("--rounds", "0"), "--rounds"),
        (("--transport", "self"), "serves one rank"),
        (("--memory", "device"), "add --transport virtual:PLATFORM"),
        (("--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*APP, *words)


def test_program_runs_under_the_launcher(onehop):
    program = Path(onehop_package.__file__).parent / "bin" / "echo"
    ended = onehop("run", "-n", "2", "--", program, "32", "20", "kernel", "8")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith("32 bytes 8 back: median ")
