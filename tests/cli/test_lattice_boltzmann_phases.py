"""Two fluids of different densities of `onehop app lattice-boltzmann` are tested from outside."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest
from support.fluids import check_picture, check_same_bits, fields_of, record_of

from onehop.cli.app import lattice_boltzmann_oscillation as oscillation
from onehop.cli.app.lattice_boltzmann_bubble import set_gravity_and_tension, setup_result

TWO = ("app", "lattice-boltzmann", "--model", "allen-cahn")
BUBBLE = (*TWO, "--setup", "bubble", "--lattice", "40", "1", "80", "--radius", "10")
SHORT = (*BUBBLE, "--steps", "40", "--samples", "2")
DROPLET = (*TWO, "--setup", "oscillation", "--lattice", "84", "1", "84", "--radius", "28")
ROUND = (*TWO, "--setup", "droplet", "--lattice", "48", "1", "48", "--radius", "16")
CAP = (*TWO, "--setup", "droplet", "--lattice", "44", "1", "26", "--radius", "10")
LAYERS = (*TWO, "--setup", "poiseuille", "--lattice", "8", "1", "32", "--tau", "0.8")


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


def test_a_bubble_whose_gas_goes_through_the_surface_is_not_right(onehop):
    ended = onehop(*BUBBLE, "--mobility", "3", "--steps", "1000")
    assert ended.status == 1
    assert "NOT RIGHT: relative error of the rise velocity" in ended.out


@pytest.mark.parametrize("viscosity_ratio", [10, 1])
def test_only_the_benchmarks_fluids_are_compared_with_it(viscosity_ratio):
    numbers = {"reynolds": 35.0, "eotvos": 10.0, "density_ratio": 10.0}
    bubble = types.SimpleNamespace(**numbers, viscosity_ratio=viscosity_ratio, radius=10.0)
    bubble.lattice, bubble.steps, bubble.tau = [40, 1, 80], 10**6, 0.55
    set_gravity_and_tension(bubble)
    result = setup_result(bubble, {"samples": [{"rise_velocity": 0.01, "height": 20.0}]})
    assert (result["rise_velocity_error"] is not None) == (viscosity_ratio == 10)


def test_a_droplet_oscillates_as_fast_as_rayleigh_says(onehop):
    record = record_of(onehop, *DROPLET)
    result = record["result"]
    assert result["expected_frequency"] == pytest.approx(
        math.sqrt(6 * 0.005 / (1.01 * result["radius"] ** 3)), rel=1e-12
    )
    assert result["radius"] == pytest.approx(28, rel=2e-3)
    assert result["frequency"] == pytest.approx(result["expected_frequency"], rel=0.05)
    # The viscosity is 0.02 / 3; in a droplet with nothing around it the damping is 4 nu / R^2.
    assert result["damping"] == pytest.approx(0.08 / 3 / 28**2, rel=0.3)
    assert record["check"]["what"] == "relative error of the frequency"
    deformation = [sample["deformation"] for sample in record["samples"]]
    assert deformation[0] == pytest.approx(0.05, rel=0.02) and min(deformation) < -0.03


def test_a_droplet_a_thousand_times_as_dense_has_the_pressure_of_laplace(onehop):
    record = record_of(onehop, *ROUND)
    assert record["options"]["density_ratio"] == 1000
    result = record["result"]
    assert result["radius"] == pytest.approx(16, rel=0.01)
    assert result["pressure_difference"] == pytest.approx(0.002 / result["radius"], rel=0.03)
    assert record["check"]["what"] == "relative error of the surface tension"


@pytest.mark.parametrize("angle", ["60", "120"])
def test_a_droplet_a_thousand_times_as_dense_meets_a_wall_at_the_contact_angle(onehop, angle):
    record = record_of(onehop, *CAP, "--contact-angle", angle)
    assert record["options"]["density_ratio"] == 1000
    assert record["result"]["contact_angle"] == pytest.approx(float(angle), abs=3)
    assert record["check"]["what"] == "error of the contact angle in degrees"


def test_a_droplet_that_has_not_spread_is_not_right(onehop):
    ended = onehop(*CAP, "--contact-angle", "60", "--steps", "500")
    assert ended.status == 1
    assert "NOT RIGHT: error of the contact angle" in ended.out


def test_the_frequency_is_that_of_the_samples():
    step = np.arange(0, 4000, 70.0)
    found = 0.01 + 0.05 * np.exp(-3e-4 * step) * np.cos(2.3e-3 * step + 0.4)
    frequency, damping, wave = oscillation.fitted(step, found, 2e-3)
    assert (frequency, damping) == pytest.approx((2.3e-3, 3e-4), rel=1e-6)
    assert np.abs(wave - found).max() < 1e-9


def test_a_droplet_whose_interface_feels_the_lattice_is_not_right(onehop):
    ended = onehop(*DROPLET, "--interface-width", "3")
    assert ended.status == 1
    assert "NOT RIGHT: relative error of the frequency" in ended.out


def test_a_run_of_less_than_a_period_tells_no_frequency(onehop):
    record = record_of(onehop, *DROPLET, "--steps", "200")
    assert record["result"]["frequency"] is None
    assert record["check"]["what"] == "change of the mean order parameter"


@pytest.mark.parametrize(("density_ratio", "viscosity_ratio"), [(1, 10), (4, 4), (4, 1)], ids=str)
def test_layers_flow_as_two_parabolas(onehop, density_ratio, viscosity_ratio):
    words = ("--density-ratio", str(density_ratio), "--viscosity-ratio", str(viscosity_ratio))
    record = record_of(onehop, *LAYERS, *words)
    assert (
        record["check"]["what"] == "difference to the steady flow, divided by its largest velocity"
    )
    result = record["result"]
    assert result["parabola_error"] < 0.04
    # The velocity is a + b z + c z^2 below and above, with no slip at 0 and 32, and it and the
    # stress are the same on both sides of 16.
    heavy, light = 0.1, 0.1 / viscosity_ratio
    force = np.array([1, 1 / density_ratio])
    curve = -force / 2 / (heavy, light)
    equations = [[16, -1, -16], [0, 1, 32], [heavy, 0, -light]]
    known = [
        256 * (curve[1] - curve[0]),
        -1024 * curve[1],
        32 * (light * curve[1] - heavy * curve[0]),
    ]
    below, start, above = np.linalg.solve(equations, known)
    z = np.arange(32) + 0.5
    profile = np.where(z < 16, below * z + curve[0] * z**2, start + above * z + curve[1] * z**2)
    found = np.array(result["profile"])
    away = np.abs(z - 16) > 4
    assert found[away] / found.max() == pytest.approx(profile[away] / profile.max(), abs=0.05)


def test_a_channel_has_one_cell_at_each_wall_beyond_the_interface(onehop):
    ended = onehop(*LAYERS, "--lattice", "2x2x10", "--steps", "5")
    assert ended.status == 1 and "from parabolas" in ended.out


def test_layers_that_are_not_steady_are_not_right(onehop):
    ended = onehop(*LAYERS, "--steps", "500")
    assert ended.status == 1
    assert "NOT RIGHT: difference to the steady flow" in ended.out


def test_fields_of_two_viscosities_are_the_same_bits_on_any_grid(onehop, onehop_once, tmp_path):
    words = (*SHORT, "--viscosity-ratio", "2")
    (tmp_path / "one").mkdir()
    expected = fields_of(onehop_once, tmp_path / "one", *words)
    check_same_bits(onehop, tmp_path, expected, *words, "--grid", "2", "1", "2")


def test_what_is_not_stable_is_said_to_be(refused):
    assert "fluids are not stable" in refused(*SHORT, "--density-ratio", "1000", "--eotvos", "0.01")


def test_pictures_and_tables(onehop, tmp_path):
    assert "Reynolds number" in check_picture(onehop, tmp_path, *SHORT, "--prec", "single")
    flat = ("--lattice", "44", "44", "1", "--radius", "16", "--interface-width", "4")
    drawn = check_picture(onehop, tmp_path, *TWO, "--setup", "oscillation", *flat, "--steps", "50")
    assert "density ratio 100, viscosity ratio 100" in drawn
    ended = onehop(*LAYERS, "--steps", "500", "--plot", tmp_path / "layers.svg")
    assert "from parabolas" in ended.out and (tmp_path / "layers.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    "words",
    [
        (*DROPLET[:6], "--lattice", "1x24x24", "--radius", "8", "--interface-width", "2"),
        (*LAYERS, "--lattice", "1x8x32"),
        (*LAYERS, "--lattice", "1x1x32"),
    ],
    ids=["droplet", "layers", "line"],
)
def test_a_lattice_that_is_flat_in_x_is_drawn_along_y(onehop, tmp_path, words):
    ended = onehop(*words, "--steps", "5", "--plot", tmp_path / "f.svg")
    assert ended.err == "" and "million cells per second" in ended.out
    drawn = (tmp_path / "f.svg").read_text()
    assert "<!-- $y$ in cells -->" in drawn and "<!-- $x$ in cells -->" not in drawn


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
        ((*BUBBLE, "--viscosity-ratio", "0"), "--viscosity-ratio"),
        ((*BUBBLE, "--velocity", "0.1"), "is for --model single"),
        ((*DROPLET, "--interface-width", "9"), "below 4 times --interface-width 9"),
        ((*LAYERS, "--lattice", "2x2x9"), "need more than 9 cells in z, and --lattice 2x2x9"),
        ((*LAYERS, "--interface-width", "15.5"), "need more than 32 cells in z"),
        ((*LAYERS, "--radius", "9"), "--radius is for --setup spheres or --setup droplet"),
        ((*BUBBLE, "--lattice", "40", "1", "30"), "needs 38 cells"),
        ((*TWO, "--setup", "spinodal", "--lattice", "8x8x8"), "add --model free-energy"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)
