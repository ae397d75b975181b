"""Two fluids of different densities of `onehop app lattice-boltzmann` are tested from outside."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.fluids import check_picture, check_same_bits, fields_of, record_of

TWO = ("app", "lattice-boltzmann", "--model", "allen-cahn")
BUBBLE = (*TWO, "--setup", "bubble", "--lattice", "40", "1", "80", "--radius", "10")
SHORT = (*BUBBLE, "--steps", "40", "--samples", "2")


@pytest.fixture(scope="module")
def alone(onehop_once, tmp_path_factory):
    return fields_of(onehop_once, tmp_path_factory.mktemp("alone"), *SHORT)


def test_mass_of_both_fluids_is_kept_and_of_the_right_density(alone):
    record, fields = alone
    assert record["check"]["passed"]
    result = record["result"]
    assert abs(result["mass_drift"]) < 1e-14 and abs(result["order_drift"]) < 1e-14
    assert result["momentum_drift"] is None and result["rise_velocity_error"] is None
    assert fields["density"].min() == pytest.approx(0.1, rel=1e-3)
    assert fields["density"].max() == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(
    "words",
    [
        ("--grid", "2", "1", "1"),
        ("--grid", "1", "1", "2", "--overlap", "none"),
        ("--grid", "2", "1", "2", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_fields_and_sums_are_the_same_bits_on_any_wire(onehop, alone, tmp_path, words):
    check_same_bits(onehop, tmp_path, alone, *SHORT, *words)


def test_a_bubble_rises_as_fast_as_in_the_benchmark(onehop):
    record = record_of(onehop, *BUBBLE, "--interface-width", "3", "--steps", "1000")
    fastest = max(sample["rise_velocity"] for sample in record["samples"])
    # The viscosity is 1/60, and sqrt(g d) is 35 times it over the diameter 20.
    scale = 35 / 60 / 20
    assert fastest / scale == pytest.approx(0.2417 / math.sqrt(0.49), rel=0.05)
    assert record["check"]["what"] == "relative error of the rise velocity"
    heights = [sample["height"] for sample in record["samples"]]
    assert heights[0] == pytest.approx(20) and (np.diff(heights) > 0).all()


def test_a_bubble_with_too_thick_an_interface_is_not_right(onehop):
    ended = onehop(*BUBBLE, "--interface-width", "8", "--steps", "1000")
    assert ended.status == 1
    assert "NOT RIGHT: relative error of the rise velocity" in ended.out


def test_what_is_not_stable_is_said_to_be(refused):
    assert "fluids are not stable" in refused(*SHORT, "--density-ratio", "1000", "--eotvos", "0.1")


def test_picture_and_table(onehop, tmp_path):
    assert "Reynolds number" in check_picture(onehop, tmp_path, *SHORT, "--prec", "single")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (
                *TWO[:3],
                "free-energy",
                "--setup",
                "spinodal",
                "--lattice",
                "8x8x8",
                "--reynolds",
                "3",
            ),
            "for --setup bubble",
        ),
        ((*BUBBLE, "--surface-tension", "0.1"), "is for --model free-energy"),
        ((*BUBBLE, "--density-ratio", "0.5"), "--density-ratio"),
        ((*BUBBLE, "--lattice", "40", "1", "30"), "needs 38 cells"),
        ((*TWO, "--setup", "droplet", "--lattice", "8x8x8"), "add --model free-energy"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)
