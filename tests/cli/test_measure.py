"""`onehop measure` is tested from outside."""

from __future__ import annotations

import json

import pytest

from onehop import cold_gauge, inspect_gauge
from onehop import join as join_job


@pytest.fixture
def rough(configurations):
    return configurations["nersc"]


def record_of(onehop, *arguments):
    ended = onehop("measure", *arguments, "--json", "-")
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def test_flow_smooths_and_is_the_same_on_two_ranks(onehop, rough):
    flow = ("--flow", "0.23", "--step", "0.05", "--every", "2")
    one, two = (record_of(onehop, rough, *flow, "--ranks", n) for n in ("1", "2"))
    assert one["samples"] == two["samples"]
    assert [round(p["time"], 12) for p in one["samples"]] == [0, 0.1, 0.2, 0.23]
    energies = [p["energy_plaquette"] for p in one["samples"]]
    assert energies == sorted(energies, reverse=True)
    assert one["t0"] is None and one["polyakov_loops"] == two["polyakov_loops"]


def test_fixed_links_are_written_and_stay(onehop, rough, tmp_path):
    fixed = tmp_path / "fixed.nersc"
    one = record_of(onehop, rough, "--fix", "coulomb", "-o", fixed)
    two = record_of(onehop, rough, "--fix", "coulomb", "--ranks", "2")
    assert one["gauge_fixing"] == two["gauge_fixing"] and one["gauge_fixing"]["theta"] <= 1e-12
    assert one["plaquette"] == pytest.approx(record_of(onehop, rough)["plaquette"], abs=1e-13)
    again = record_of(onehop, fixed, "--fix", "coulomb", "--theta", "1e-11")
    assert again["gauge_fixing"]["sweeps"] == 0


def test_links_that_do_not_get_to_a_gauge_fail_the_check(onehop, rough):
    ended = onehop("measure", rough, "--fix", "landau", "--theta", "1e-60")
    assert ended.status == 1 and "FAILED" in ended.out and "10000 sweeps" in ended.out


def test_smeared_links_are_written_and_read(onehop, rough, tmp_path):
    smooth = tmp_path / "smooth.ildg"
    written = record_of(onehop, rough, "--smear", "stout:0.1x3", "-o", smooth)
    assert inspect_gauge(smooth).format == "ILDG"
    assert written["plaquette"] > record_of(onehop, rough)["plaquette"]
    assert record_of(onehop, smooth)["rectangle"] == pytest.approx(written["rectangle"], abs=1e-14)


def test_flow_is_drawn(onehop, rough, tmp_path):
    ended = onehop("measure", rough, "--flow", "0.1", "--plot", tmp_path / "flow.png")
    assert ended.status == 0 and "t0" in ended.out
    assert (tmp_path / "flow.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--smear", "hap"), "ape:ALPHA"),
        (("--smear", "ape:2"), "alpha 2"),
        (("--smear", "hypx0"), "at least one time"),
        (("--smear", "hyp", "--spatial"), "--spatial"),
        (("--flow", "-1"), "x>0"),
        (("--plot", "flow.png"), "--flow"),
        (("--theta", "1e-5"), "--fix"),
        (("--step", "0.1"), "--step is for --flow; give --flow too, or leave --step out"),
        (("--every", "2"), "--every is for --flow"),
        (("--format", "ildg"), "--format is for --output"),
    ],
)
def test_bad_input_is_one_line(onehop, rough, arguments, word):
    ended = onehop("measure", rough, *arguments)
    assert ended.status == 2 and word in ended.err and ended.err.count("\n") == 1


def test_links_that_left_the_group_are_no_success(onehop, rough):
    ended = onehop("measure", rough, "--smear", "stout:1e12", "--json", "-")
    assert ended.status == 1
    assert not json.loads(ended.out)["check"]["passed"]


def test_links_that_are_not_unitary_fail_the_check(onehop, tmp_path):
    """Few digits, which a reader lets pass, are not what a file of doubles should have."""
    gauge = cold_gauge((4, 4, 4, 4), context=join_job("self"))
    gauge.links[...] *= 1.00001
    name = tmp_path / "rough.ildg"
    gauge.write(name, "ildg")
    failed = onehop("measure", name, "--json", "-")
    assert failed.status == 1
    check = json.loads(failed.out)["check"]
    assert not check["passed"] and check["limit"] < 1e-9
    assert onehop("measure", name, "--allow-non-unitary").status == 0
