"""`onehop app lattice-boltzmann` is tested from outside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.fluids import check_picture, check_same_bits, fields_of, record_of

import onehop as onehop_package

APP = ("app", "lattice-boltzmann")
VORTICES = (*APP, "--setup", "taylor-green", "--lattice", "20", "16", "8", "--steps", "40")
CHANNEL = (*APP, "--setup", "poiseuille", "--lattice", "2", "4", "8")
SPHERES = (*APP, "--setup", "spheres", "--lattice", "20", "20", "20", "--radius", "5")
NAMES = ["vortices", "channel", "spheres"]


@pytest.fixture(scope="module")
def alone(onehop_once, tmp_path_factory):
    return fields_of(onehop_once, tmp_path_factory.mktemp("alone"), *VORTICES)


def test_record_has_the_keys_of_an_application(alone):
    record, fields = alone
    assert (record["schema"], record["app"]) == ("onehop.app/1", "lattice-boltzmann")
    assert fields["density"].shape == (8, 16, 20)
    assert fields["velocity"].shape == (3, 8, 16, 20)
    result, check = record["result"], record["check"]
    assert result["mlups"] > 0
    assert result["gbs"] == pytest.approx(result["mlups"] * 304e-3)
    assert result["expected_viscosity"] == pytest.approx(0.1)
    assert abs(result["viscosity_error"]) == check["value"] < check["limit"] == 5e-3
    assert check["passed"]
    steps = [sample["step"] for sample in record["samples"]]
    assert steps == list(range(0, 42, 2))


def test_mass_and_momentum_of_the_fields_are_those_of_the_samples(alone):
    record, fields = alone
    last = record["samples"][-1]
    momentum = (fields["density"] * fields["velocity"]).sum(axis=(1, 2, 3))
    assert np.abs(momentum - last["momentum"]).max() < 1e-12
    assert abs(last["mass_change"]) < 1e-14


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "2"),
        ("--grid", "2", "2", "1"),
        ("--grid", "4", "1", "1", "--overlap", "none"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("-n", "2", "--transport", "mpi_rma"),
        ("-n", "4", "--transport", "virtual:apenet-v4"),
        ("--grid", "2", "1", "2", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_fields_and_sums_are_the_same_bits_on_any_wire(onehop, alone, tmp_path, words):
    check_same_bits(onehop, tmp_path, alone, *VORTICES, *words)


@pytest.mark.parametrize("collision", ["bgk", "trt"])
def test_single_precision_keeps_mass_and_viscosity(onehop, collision):
    record = record_of(onehop, *VORTICES, "--prec", "single", "--collision", collision)
    assert record["check"]["passed"]
    assert record["result"]["gbs"] == pytest.approx(record["result"]["mlups"] * 152e-3)
    assert record["result"]["momentum_drift"] < 1e-6


def test_channel_is_the_parabola_only_with_the_magic_parameter(onehop):
    right = record_of(onehop, *CHANNEL)["result"]
    assert max(right["profile_error"], right["parabola_error"]) < 1e-12
    assert np.allclose(right["profile"], right["profile"][::-1], rtol=0, atol=1e-15)
    slips = record_of(onehop, *CHANNEL, "--collision", "bgk", "--tau", "1", "-n", "2")["result"]
    assert slips["profile_error"] < 1e-12
    # By (16 (tau - 1/2)^2 - 3) / 12 times the fourth part of U over (H/2)^2.
    assert slips["parabola_error"] == pytest.approx(4 / 64 / 12, rel=1e-9)


def test_a_channel_that_is_not_steady_yet_is_measured_by_what_it_may_lack(onehop):
    record = record_of(onehop, *CHANNEL, "--steps", "200")
    assert record["check"]["passed"]
    assert 1e-4 < record["check"]["value"] < record["check"]["limit"] < 0.2


def test_a_channel_that_has_hardly_moved_is_not_called_steady(onehop):
    check = record_of(onehop, *CHANNEL, "--steps", "50")["check"]
    assert check["passed"] and check["what"] == "change of the mass, divided by it"
    assert check["why"].endswith("; the flow is not steady yet")


def test_a_wrong_answer_ends_with_1(onehop):
    """Vortices of four cells are too coarse for half a percent."""
    words = ("--lattice", "4", "4", "1", "--tau", "2", "--steps", "60", "--collision", "bgk")
    ended = onehop(*APP, "--setup", "taylor-green", *words)
    assert ended.status == 1
    assert "NOT RIGHT: relative error of the viscosity" in ended.out


@pytest.mark.parametrize("tau", ["0.8", "1.4"])
def test_spheres_have_the_drag_of_slow_flow_whatever_the_viscosity(onehop, tau):
    """5 of 20 cells fill 0.0660: between 2.810 of 0.064 and 4.292 of 0.125 (Zick and Homsy)."""
    record = record_of(onehop, *SPHERES, "--tau", tau)
    result, check = record["result"], record["check"]
    assert 2.81 < result["expected_drag"] < 2.95
    assert abs(result["drag_error"]) == check["value"] < check["limit"] == 0.05
    radius = (3 / (4 * np.pi) * result["filled"] * 20**3) ** (1 / 3)
    assert result["permeability"] == pytest.approx(20**3 / (6 * np.pi * radius * result["drag"]))


def test_drag_falls_to_that_of_a_sphere_alone_in_a_larger_lattice(onehop):
    """Hasimoto (J. Fluid Mech. 5 (1959) 317) has 1 / K = 1 - 1.7601 c^(1/3) + c - 1.5593 c^2."""
    small = record_of(onehop, *SPHERES[:4], "--lattice", "28x28x28", "--radius", "3.5")["result"]
    c = small["filled"]
    hasimoto = 1 / (1 - 1.7601 * c ** (1 / 3) + c - 1.5593 * c**2)
    assert small["expected_drag"] == pytest.approx(hasimoto, rel=1e-3)
    assert small["drag"] == pytest.approx(hasimoto, rel=0.05)


@pytest.mark.parametrize(
    "words", [("-n", "2"), ("--grid", "2x2x1"), ("--prec", "single")], ids=" ".join
)
def test_flow_around_spheres_is_the_same_on_any_grid(onehop, tmp_path, words):
    short = (*SPHERES, "--steps", "50", "--samples", "2")
    if "--prec" in words:
        short, words = (*short, *words), ("-n", "4")
    alone = fields_of(onehop, tmp_path, *short)
    check_same_bits(onehop, tmp_path, alone, *short, *words)
    record, fields = alone
    assert record["check"]["passed"] and "not steady yet" in record["check"]["why"]
    assert (fields["velocity"][:, 10, 10, 10] == 0).all() and fields["density"][10, 10, 10] == 1


def test_flow_that_is_not_slow_is_not_compared_with_slow_flow(onehop):
    record = record_of(onehop, *SPHERES, "--velocity", "0.1", "--tau", "0.6")
    assert record["result"]["reynolds"] > 1 and record["check"]["passed"]
    assert "is not that of slow flow" in record["check"]["why"]


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_what_is_not_stable_is_said_to_be(refused, ranks):
    thin = ("--lattice", "16x16x1", "--tau", "0.5001", "--velocity", "0.3", "--collision", "bgk")
    words = (*APP, "--setup", "taylor-green", *thin, "--steps", "20000", "-n", ranks)
    told = refused(*words, "--json", "-")
    assert "the fluid is not stable: not all numbers are finite after" in told
    assert told.endswith("choose a larger --tau or a smaller --velocity")


def test_a_virtual_machine_is_charged_for_what_kernels_do(onehop):
    """The charge is for steps of n cells of 304 bytes each, on one rank: a launch of 7 us and 304 n
    bytes at 150 GB/s of the platform's GPU."""
    wire = ("--transport", "virtual:apenet-v4", "--memory", "device")
    spent = record_of(onehop, *VORTICES, *wire)["timing"]["steps_s"]
    assert spent == pytest.approx(40 * (7e-6 + 304 * 20 * 16 * 8 / 150e9), rel=1e-3)


@pytest.mark.parametrize("words", [VORTICES, CHANNEL, (*SPHERES, "--steps", "40")], ids=NAMES)
def test_picture_and_table(onehop, tmp_path, words):
    shown = check_picture(onehop, tmp_path, *words)
    assert "million cells per second" in shown and "right: " in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (APP, "--setup"),
        ((*VORTICES, "--setup", "taylor"), "did you mean taylor-green?"),
        ((*VORTICES, "--lattice", "8x8"), "three numbers x y z"),
        ((*VORTICES, "--lattice", "1x16x4"), "vortices need 4 cells or more in x and in y"),
        ((*VORTICES, "--lattice", "16x3x4"), "--lattice 16x3x4 has 3; choose more cells"),
        ((*VORTICES, "--grid", "3x1x1"), "does not divide"),
        ((*VORTICES, "--radius", "3"), "--radius is for --setup spheres or"),
        ((*SPHERES, "--lattice", "20x20x10"), "is not a cube; give equal extents"),
        ((*SPHERES, "--radius", "10"), "touch in a lattice of 20 cells; give less than 10"),
        ((*VORTICES, "--tau", "0.5"), "--tau"),
        ((*VORTICES, "--velocity", "0.4"), "--velocity"),
        ((*CHANNEL, "--tau", "0.5000000000001"), "takes 6.22e+15 steps; give fewer --steps"),
        ((*VORTICES[:4], "--lattice", "64x64x1", "--tau", "0.50000000001"), "takes 1.56e+13 steps"),
        ((*VORTICES, "--collision", "bgk", "--magic", "0.2"), "goes with --collision trt"),
        ((*VORTICES, "--magic", "0"), "--magic"),
        ((*VORTICES, "--lattice", "20000", "20000", "20000"), "choose a smaller one"),
        ((*VORTICES, "--memory", "device"), "add --transport virtual:PLATFORM"),
        ((*VORTICES, "--fields", "a.h5", "--json", "a.h5"), "would overwrite"),
        ((*VORTICES, "--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)


def test_program_runs_under_the_launcher_with_the_same_amplitudes(onehop, alone):
    program = Path(onehop_package.__file__).parent / "bin" / "lattice_boltzmann"
    words = ("taylor-green", "20", "16", "8", "0.8", "40", "trt")
    ended = onehop("run", "-n", "2", "--", program, *words)
    assert (ended.status, ended.err) == (0, "")
    found = [float(line.split()[1]) for line in ended.out.splitlines()]
    assert found == [sample["amplitude"] for sample in alone[0]["samples"][2::2]]
