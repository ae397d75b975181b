"""Two fluids of `onehop app lattice-boltzmann` are tested from outside."""

from __future__ import annotations

import numpy as np
import pytest
from support.fluids import check_picture, check_same_bits, fields_of, record_of

TWO = ("app", "lattice-boltzmann", "--model", "free-energy")
MIXTURE = (*TWO, "--setup", "spinodal", "--lattice", "32", "24", "4", "--mobility", "0.6")
SHORT = (*MIXTURE, "--steps", "40", "--samples", "2")
DROPLET = (*TWO, "--setup", "droplet", "--lattice", "50", "50", "1", "--tau", "1")


@pytest.fixture(scope="module")
def alone(onehop_once, tmp_path_factory):
    return fields_of(onehop_once, tmp_path_factory.mktemp("alone"), *SHORT)


def test_mass_momentum_and_order_parameter_are_kept(alone):
    record, fields = alone
    assert record["check"]["passed"]
    result = record["result"]
    for name in ("mass_drift", "order_drift", "momentum_drift"):
        assert abs(result[name]) < 1e-15
    assert fields["order_parameter"].shape == fields["pressure"].shape == (4, 24, 32)
    root = np.sqrt((fields["order_parameter"] ** 2).mean())
    assert root == pytest.approx(record["samples"][-1]["amplitude"], rel=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        ("--grid", "2", "2", "1"),
        ("--grid", "1", "2", "1", "--overlap", "none"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("--grid", "2", "1", "2", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_fields_and_sums_are_the_same_bits_on_any_wire(onehop, alone, tmp_path, words):
    check_same_bits(onehop, tmp_path, alone, *SHORT, *words)


def test_waves_of_a_mixture_grow_as_the_linear_theory_says(onehop):
    words = ("--lattice", "40", "24", "2", "--steps", "3000")
    result = record_of(onehop, *MIXTURE, *words)["result"]
    long = np.array(result["wave_numbers"]) < 2 * np.pi / 19.9
    assert long.sum() == 4
    difference = np.subtract(result["growth_rates"], result["expected_growth_rates"])[long]
    largest = max(result["expected_growth_rates"])
    assert largest == pytest.approx(8 * 0.6 * (0.75 * 0.01 / 4) / 16, rel=0.05)
    assert np.abs(difference).max() < 0.02 * largest
    assert result["growth_rate_error"] == pytest.approx(
        np.abs(difference).max() / largest, rel=0.03
    )


def test_pressure_in_droplets_is_that_of_laplace(onehop):
    """The slope of the pressure over 1/R, from 0, is the surface tension of cylinders of four
    radii."""
    thin = ("--interface-width", "3", "--mobility", "0.5", "--steps", "2500")
    radii = (12, 14, 16, 18)
    results = [
        record_of(onehop, *DROPLET, *thin, "--radius", str(radius))["result"] for radius in radii
    ]
    for result, radius in zip(results, radii, strict=True):
        assert result["radius"] == pytest.approx(radius, rel=0.01)
        assert result["spurious_velocity"] < 2e-4
    curvature = 1 / np.array([result["radius"] for result in results])
    difference = np.array([result["pressure_difference"] for result in results])
    assert difference @ curvature / (curvature @ curvature) == pytest.approx(0.01, rel=0.03)


@pytest.mark.parametrize(
    "words",
    [
        (*MIXTURE, "--lattice", "1x24x16"),
        (*DROPLET, "--lattice", "1x40x40"),
        (*DROPLET, "--lattice", "1x40x20", "--radius", "12", "--contact-angle", "90"),
    ],
    ids=["spinodal", "droplet", "wall"],
)
def test_a_lattice_that_is_flat_in_x_is_drawn_along_y(onehop, tmp_path, words):
    ended = onehop(*words, "--steps", "5", "--plot", tmp_path / "f.svg")
    assert ended.err == "" and "million cells per second" in ended.out
    drawn = (tmp_path / "f.svg").read_text()
    assert (
        "<!-- $y$ in cells -->" in drawn
        and "<!-- $z$ in cells -->" in drawn
        and "<!-- $x$ in cells -->" not in drawn
    )


def test_a_droplet_that_is_not_stable_is_said_to_be(refused):
    words = ("--surface-tension", "5", "--mobility", "0.001", "--steps", "100", "--json", "-")
    assert "choose a larger --tau or --interface-width" in refused(*DROPLET, *words)


@pytest.mark.parametrize("angle", ["60", "120"])
def test_a_droplet_meets_a_wall_at_the_contact_angle(onehop, angle):
    words = ("--lattice", "56", "1", "28", "--radius", "12", "--mobility", "0.5", "--tau", "1")
    record = record_of(onehop, *DROPLET, *words, "--contact-angle", angle, "--steps", "9000")
    assert record["check"]["passed"]
    assert record["result"]["momentum_drift"] is None
    assert record["result"]["contact_angle"] == pytest.approx(float(angle), abs=3)


def test_a_droplet_that_is_not_at_rest_is_not_right(onehop):
    ended = onehop(*DROPLET, "--steps", "10")
    assert ended.status == 1
    assert "NOT RIGHT: relative error of the surface tension" in ended.out


def test_picture_and_table(onehop, tmp_path):
    shown = check_picture(onehop, tmp_path, *SHORT, "--prec", "single")
    assert "order parameter" in shown and "right: " in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*MIXTURE, "--mobility", "1e-9"), "steps; give fewer --steps"),
        ((*MIXTURE, "--mobility", "1e-320"), "takes inf steps; give fewer --steps"),
        ((*TWO, "--setup", "taylor-green", "--lattice", "8x8x8"), "add --model single"),
        (("app", "lattice-boltzmann", *DROPLET[4:]), "add --model free-energy"),
        ((*DROPLET, "--velocity", "0.1"), "--velocity is for --model single"),
        ((*SHORT, "--radius", "9"), "--radius is for --setup spheres or --setup droplet"),
        ((*DROPLET, "--seed", "9"), "--seed is for --setup spinodal"),
        ((*SHORT, "--contact-angle", "60"), "--contact-angle is for --setup droplet"),
        ((*DROPLET, "--radius", "30"), "choose more cells"),
        ((*DROPLET, "--radius", "9"), "below 4 times --interface-width 4"),
        ((*DROPLET, "--mobility", "1"), "to be stable"),
        ((*DROPLET, "--contact-angle", "60"), "has no room for a droplet"),
        ((*DROPLET, "--interface-width", "1"), "--interface-width"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)
