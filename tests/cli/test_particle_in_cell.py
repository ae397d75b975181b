"""`onehop app particle-in-cell` is tested from outside."""

from __future__ import annotations

import json
import math
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import ONEHOP

import onehop as onehop_package

APP = ("app", "particle-in-cell")
SPUN = (*APP, "--setup", "gyration", "--lattice", "16", "16")
LIGHT = (*APP, "--setup", "vacuum-wave", "--lattice", "8", "8")
HOT = (*APP, "--setup", "thermal", "--lattice", "8", "6", "4", "--velocity", "0.5", "--cell", "0.4")
HOT = (*HOT, "--particles", "4", "--steps", "12", "--samples", "4")


def record_of(onehop, *words):
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def fields_of(onehop, tmp_path, *words):
    """Returns the record, and E, B, density and what there is of each electron by its id."""
    record = record_of(onehop, *words, "--fields", tmp_path / "fields.h5")
    with h5py.File(tmp_path / "fields.h5", "r") as file:
        (step,) = file["data"].values()
        found = {name: np.stack([step["fields"][name][a] for a in "xyz"]) for name in "EB"}
        electrons = step["particles/electrons"]
        for name in ("position", "momentum"):
            found[name] = np.stack([electrons[name][a] for a in "xyz"])
        return record, {**found, "density": step["fields/density"][:], "id": electrons["id"][:]}


@pytest.fixture(scope="module")
def alone(onehop_once, tmp_path_factory):
    return fields_of(onehop_once, tmp_path_factory.mktemp("alone"), *HOT)


def test_particles_that_are_too_slow_to_turn_are_told(refused):
    slow = ("--velocity", "1e-9", "--steps", "20", "-n", "2", "--json", "-")
    assert "velocity 1e-09 turn too little between samples" in refused(*SPUN, *slow)


def test_record_has_the_keys_of_an_application(alone):
    record, fields = alone
    assert (record["schema"], record["app"]) == ("onehop.app/1", "particle-in-cell")
    assert fields["E"].shape == fields["B"].shape == (3, 4, 6, 8)
    result, check = record["result"], record["check"]
    assert result["particles"] == 4 * 8 * 6 * 4 and result["particles_lost"] == 0
    assert result["ns_per_particle_step"] > 0
    assert [sample["step"] for sample in record["samples"]] == [0, 3, 6, 9, 12]
    assert check["passed"] and check["value"] == result["energy_drift"] < check["limit"] == 0.01


def test_energy_and_charge_of_the_fields_are_those_of_the_samples(alone):
    record, fields = alone
    last = record["samples"][-1]
    assert (fields["E"] ** 2).sum() / 2 == pytest.approx(last["electric_energy"], rel=1e-13)
    assert (fields["B"] ** 2).sum() / 2 == pytest.approx(last["magnetic_energy"], rel=1e-13)
    assert fields["density"].mean() == pytest.approx(1, abs=1e-13)
    assert fields["density"].std() > 1e-3


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "2"),
        ("--grid", "2", "2", "1"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("-n", "4", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_fields_and_sums_are_the_same_bits_on_any_wire(onehop, alone, tmp_path, words):
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    record, fields = fields_of(onehop, tmp_path, *HOT, *words)
    expected, expected_fields = alone
    assert record["samples"] == expected["samples"]
    assert all((fields[name] == expected_fields[name]).all() for name in fields)
    assert record["result"]["migrated_per_step"] > 10


def test_openpmd_has_fields_and_electrons_in_si(onehop, alone, tmp_path):
    """The plasma frequency of 1e18 electrons in a cm^3 is 5.6415e13 / s."""
    _, fields = alone
    words = ("--density", "4e18", "--fields", tmp_path / "fields.h5")
    record_of(onehop, *HOT, *words)
    plasma = 2 * 5.641460e13
    metres = 0.4 * 299792458 / plasma
    with h5py.File(tmp_path / "fields.h5", "r") as file:
        step = file["data/12"]
        assert step.attrs["dt"] * step.attrs["timeUnitSI"] * 2.99792458e8 == pytest.approx(
            0.95 / math.sqrt(3) * metres, rel=1e-6
        )
        mesh = step["fields/E"]
        assert mesh.attrs["gridUnitSI"] == pytest.approx(metres, rel=1e-6)
        assert mesh["y"].attrs["position"].tolist() == [0, 0.5, 0]
        assert step["fields/B/y"].attrs["position"].tolist() == [0.5, 0, 0.5]
        # E = m c w_p / e stops an electron of u = 1 in 1 / w_p, and E = 1 in the time of a cell.
        unit = 9.10938e-31 * 299792458 * plasma / 1.602177e-19 / 0.4
        assert mesh["x"].attrs["unitSI"] == pytest.approx(unit, rel=1e-5)
        assert step["fields/B/x"].attrs["unitSI"] == pytest.approx(unit / 299792458, rel=1e-5)
        electrons = step["particles/electrons"]
        assert electrons["id"][:].tolist() == list(range(4 * 8 * 6 * 4))
        weight = electrons["weighting"].attrs["value"]
        assert weight * 4 == pytest.approx(4e24 * metres**3, rel=1e-6)
        assert (electrons["momentum/x"][:] == fields["momentum"][0]).all()
        assert electrons["charge"].attrs["value"] == -1


def test_openpmd_is_what_its_validator_and_viewer_take(onehop, tmp_path):
    validator = pytest.importorskip("openpmd_validator.check_h5")
    viewer = pytest.importorskip("openpmd_viewer")
    for lattice in ("6x5", "4x3x5"):
        words = (*APP, "--setup", "thermal", "--lattice", lattice, "--steps", "2")
        folder = tmp_path / lattice
        folder.mkdir()
        record_of(onehop, *words, "--fields", folder / "fields.h5")
        assert validator.check_file(str(folder / "fields.h5"))[0] == 0
        series = viewer.OpenPMDTimeSeries(str(folder))
        assert series.iterations.tolist() == [2]
        e, info = series.get_field("E", "x", iteration=2)
        assert e.size == math.prod(map(int, lattice.split("x"))) and info.dx > 0
        x, ux = series.get_particle(["x", "ux"], species="electrons", iteration=2)
        assert x.size == ux.size == 8 * e.size and ux.std() == pytest.approx(0.1, rel=0.2)


@pytest.mark.parametrize("lattice", ["12x8", "8x7x6"])
def test_light_has_the_dispersion_of_the_grid(onehop, lattice):
    record = record_of(onehop, *APP, "--setup", "vacuum-wave", "--lattice", lattice, "-n", "2")
    extents = [int(extent) for extent in lattice.split("x")]
    dt = 0.95 / math.sqrt(len(extents))
    square = sum(math.sin(math.pi / extent) ** 2 for extent in extents)
    found = record["result"]["frequency"]
    assert math.sin(found * dt / 2) ** 2 / dt**2 == pytest.approx(square, rel=1e-10)
    assert record["check"]["limit"] == 1e-10


@pytest.mark.parametrize(
    ("setup", "lattice", "samples", "enough"),
    [("plasma-oscillation", "64x2", 5, 20), ("vacuum-wave", "8x8", 7, 12)],
    ids=["plasma", "light"],
)
def test_samples_half_a_period_apart_tell_no_frequency(onehop, setup, lattice, samples, enough):
    words = (*APP, "--setup", setup, "--lattice", lattice, "--samples")
    record = record_of(onehop, *words, samples)
    assert record["result"]["frequency"] is record["result"]["frequency_error"] is None
    assert "frequency" not in record["check"]["what"]
    assert record_of(onehop, *words, enough)["result"]["frequency"] is not None


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (("--samples", "5"), "half turns between samples, which cannot tell one or more from less"),
        (("--samples", "1"), "2 samples of orbits cannot tell how far they turn"),
        (("--steps", "1"), "2 samples of orbits cannot tell how far they turn"),
    ],
    ids=["aliases", "one-sample", "one-step"],
)
def test_orbits_of_too_few_samples_are_refused(refused, samples, message):
    assert message in refused(*SPUN, *samples, "--json", "-")


def test_cold_plasma_oscillates_at_its_frequency(onehop):
    words = ("--setup", "plasma-oscillation", "--lattice", "64", "2", "--particles", "4")
    result = record_of(onehop, *APP, *words)["result"]
    assert result["expected_frequency"] == 0.1
    assert result["frequency"] == pytest.approx(0.1, rel=5e-3)
    # Energies of E and of electrons are of a leapfrog, and their sum changes to and fro by this.
    dt = 0.95 / math.sqrt(2)
    assert result["energy_drift"] < 1.1 * math.sin(0.1 * dt / 2) ** 2


@pytest.mark.parametrize(("wave", "rises"), [(0.1, 1.0148), (0.2, 1.0579)])
def test_a_hot_plasma_oscillates_as_bohm_and_gross_say(onehop, wave, rises):
    """For k times the Debye length of 0.1 and 0.2 w^2 = w_p^2 + 3 k^2 v^2 rises by this."""
    cell = 2 * math.pi / 64 * 0.03 / wave
    words = ("--setup", "langmuir", "--lattice", "64", "2", "--particles", "32")
    record = record_of(onehop, *APP, *words, "--cell", cell)
    result, check = record["result"], record["check"]
    assert math.sqrt(1 + 3 * wave**2) == pytest.approx(rises, rel=1e-3)
    assert result["expected_frequency"] / cell == pytest.approx(rises, rel=6e-3)
    assert abs(result["frequency_error"]) == check["value"] < check["limit"] == 5e-3


def test_two_beams_are_no_heat(onehop):
    """Two electrons in a cell are two beams, which are unstable where a Gaussian is not."""
    words = ("--setup", "langmuir", "--lattice", "64", "2", "--particles", "2")
    ended = onehop(*APP, *words)
    assert ended.status == 1 and "NOT RIGHT: relative error of the frequency" in ended.out


@pytest.mark.parametrize("extent", [32, 64, 128])
def test_light_in_a_plasma_has_the_square_of_both_frequencies(onehop, extent):
    words = ("--setup", "plasma-light", "--lattice", extent, "2", "--particles", "2")
    result = record_of(onehop, *APP, *words)["result"]
    k = 2 * math.pi / extent
    assert result["expected_frequency"] == pytest.approx(math.hypot(0.1, k), rel=2e-3)
    assert result["frequency"] == pytest.approx(math.hypot(0.1, k), rel=5e-3)


def test_a_wave_that_is_too_short_for_the_grid_ends_with_1(onehop):
    """The shape of an electron is as long as half of this wave."""
    words = ("--setup", "plasma-oscillation", "--lattice", "4", "2", "--particles", "4")
    ended = onehop(*APP, *words)
    assert ended.status == 1
    assert "NOT RIGHT: relative error of the frequency" in ended.out


def test_one_electron_in_a_cell_keeps_gauss_law_as_far_as_its_charge_is_counted(onehop):
    words = ("--setup", "thermal", "--lattice", "16x16x16", "--particles", "1", "--steps", "4")
    result = record_of(onehop, *APP, *words)["result"]
    assert 1e-14 < result["gauss_residual"] < 1.4e-13


def test_beams_grow_as_linear_theory_says(onehop):
    words = ("--setup", "two-stream", "--lattice", "48", "2", "--particles", "8")
    record = record_of(onehop, *APP, *words)
    result, check = record["result"], record["check"]
    gamma = math.hypot(1, 0.2)
    plasma = record["options"]["cell"] / gamma**1.5
    assert result["expected_growth_rate"] == pytest.approx(plasma / math.sqrt(8), rel=1e-12)
    assert abs(result["growth_rate_error"]) == check["value"] < check["limit"] == 0.03


@pytest.mark.parametrize("pusher", ["boris", "higuera-cary"])
def test_orbits_have_the_frequency_and_radius_of_the_scheme(onehop, pusher):
    words = ("--setup", "gyration", "--lattice", "32", "32", "--pusher", pusher, "-n", "2")
    result = record_of(onehop, *APP, *words)["result"]
    assert max(result["frequency_error"], result["radius_error"]) < 1e-10
    orbits = result["orbits"]
    assert orbits["frequency"] == pytest.approx(orbits["exact_frequency"], rel=0.05)
    assert orbits["radius"] == pytest.approx(orbits["exact_radius"], rel=0.05)
    assert max(orbits["exact_radius"]) == 4


@pytest.fixture(scope="module")
def wake_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wake")


@pytest.fixture(scope="module")
def wake(onehop_once, wake_folder):
    words = ("--lattice", "256x184", "--frequency", "4", "--cell", "0.0873", "--particles", "2")
    words = ("--setup", "wakefield", *words, "--samples", "5")
    files = ("--plot", wake_folder / "wake.svg", "--fields", wake_folder / "wake.h5")
    return record_of(onehop_once, *APP, *words, *files, "-n", "2")


def test_wake_is_that_of_linear_theory(wake):
    """Light is 1 / sqrt(1 - 1/16) times longer in the plasma, its pulse as much slower and on the
    grid by some 0.5 % more. Of the field that comes to the plasma 2 / (1 + n) go in."""
    result, index = wake["result"], math.sqrt(15 / 16)
    velocity = result["expected_wake_wavelength"] * 0.0873 / (2 * math.pi)
    assert velocity == pytest.approx(index, rel=0.01) and velocity < index
    a = 0.1 * 2 / (1 + index)
    amplitude = math.sqrt(math.pi) / 4 * a**2 * math.sqrt(2) * math.exp(-0.5) / velocity
    assert result["expected_wake_amplitude"] == pytest.approx(amplitude, rel=1e-3)
    assert result["wake_amplitude"] == pytest.approx(amplitude, rel=0.05)
    assert result["wake_wavelength"] == pytest.approx(2 * math.pi / 0.0873 * velocity, rel=0.01)
    assert abs(result["wake_phase"]) < 0.2
    assert wake["check"]["passed"] and wake["check"]["limit"] == 0.01


def test_window_keeps_count_of_particles_and_charge(wake):
    last, result = wake["samples"][-1], wake["result"]
    assert result["window_moved"] > 256 and result["particles_lost"] == 0
    assert last["particles_made"] == 2 * (184 - 20) * result["window_moved"]
    assert last["particles_removed"] > 10000
    assert 0 < result["gauss_residual"] < 1e-10


def test_fields_of_a_window_lie_where_it_has_come_to(wake, wake_folder):
    moved = wake["result"]["window_moved"]
    with h5py.File(wake_folder / "wake.h5", "r") as file:
        (step,) = file["data"].values()
        assert step["fields/E"].attrs["gridGlobalOffset"].tolist() == [0, moved]
        x = step["particles/electrons/position/x"][:]
    assert moved + 9 < x.min() and x.max() < moved + 247 and x.max() - x.min() > 230
    assert (wake_folder / "wake.svg").stat().st_size > 1000


def test_a_virtual_machine_is_charged_for_what_kernels_do(onehop):
    """The charge is for steps of three launches of 7 us and the bytes of particles and cells at 150
    GB/s of the platform's GPU."""
    wire = ("--transport", "virtual:apenet-v4", "--memory", "device")
    spent = record_of(onehop, *HOT, *wire)["timing"]["steps_s"]
    cells = 8 * 6 * 4
    assert spent == pytest.approx(12 * (21e-6 + (224 * 4 + 192) * cells / 150e9), rel=1e-3)


def test_load_imbalance_is_that_of_the_fullest_rank(onehop):
    """A cold plasma lies evenly; one particle is on one rank of two."""
    cold = (*APP, "--setup", "plasma-oscillation", "--lattice", "12x6", "--steps", "2", "-n", "3")
    # Two steps are too few for the frequency that the check is about.
    even = onehop(*cold, "--json", "-")
    assert json.loads(even.out)["result"]["load_imbalance"] == 1
    alone = record_of(onehop, *SPUN, "--particles", "1", "--velocity", "0.1", "-n", "2")["result"]
    assert (alone["migrated_per_step"], alone["load_imbalance"]) == (0, 2)
    assert record_of(onehop, *LIGHT, "--steps", "2")["result"]["load_imbalance"] is None


def test_pushes_are_set_against_the_rate_of_the_cores(onehop):
    spent = record_of(onehop, *HOT, "-n", "2")["timing"]
    pushes = 12 * 4 * 8 * 6 * 4
    rate = 1e-9 * spent["flops_of_push"] * pushes / spent["particles_s"]
    assert spent["particles_gflops"] == pytest.approx(rate)
    assert spent["fma_peak_gflops"] > 1
    share = spent["particles_share_of_fma_peak"]
    assert 0 < share < 1 and share == pytest.approx(rate / spent["fma_peak_gflops"])
    for words in (LIGHT, (*HOT, "--transport", "virtual:apenet-v4")):
        timing = record_of(onehop, *words, "--steps", "2")["timing"]
        assert timing["particles_share_of_fma_peak"] is timing["fma_peak_gflops"] is None


@pytest.mark.parametrize(
    ("setup", "density"), [("thermal", 1), ("gyration", 0)], ids=["room", "no-charge"]
)
def test_as_many_electrons_as_a_cell_may_have_are_right(onehop, tmp_path, setup, density):
    """Test particles have no charge, so that there may be more of them."""
    count = 4096 if setup == "thermal" else 4097
    words = ("--setup", setup, "--lattice", "4x2x2", "--particles", count, "--steps", "3")
    record, fields = fields_of(onehop, tmp_path, *APP, *words)
    assert record["check"]["passed"]
    assert fields["density"].mean() == pytest.approx(density, abs=1e-13)


@pytest.mark.parametrize(
    "setup",
    ["plasma-oscillation", "langmuir", "plasma-light", "two-stream", "gyration", "thermal"],
)
def test_picture_and_table(onehop, tmp_path, setup):
    words = ("--setup", setup, "--lattice", "16", "16", "--steps", "40")
    ended = onehop(*APP, *words, "--plot", tmp_path / "p.svg")
    assert "Gauss's law to" in ended.out and "right: " in ended.out.lower()
    assert (tmp_path / "p.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (APP, "--setup"),
        ((*HOT, "--setup", "wake"), "--setup"),
        ((*HOT, "--lattice", "8"), "--lattice: '8': two numbers x y or three x y z above 0"),
        ((*HOT, "--lattice", "8x1"), "two cells or more"),
        ((*HOT, "--grid", "2x2"), "give as many"),
        ((*HOT, "--grid", "3x1x1"), "does not divide"),
        ((*HOT, "--grid", "8x1x1"), "choose another --grid"),
        ((*HOT, "--order", "3"), "--order"),
        ((*HOT, "--velocity", "1e-300"), "--velocity: 1e-300 is not in the range 1e-09<=x<=100"),
        ((*SPUN, "--velocity", "1e-9"), "takes 7.48e+10 steps; give fewer --steps"),
        ((*APP, "--setup", "two-stream", "--lattice", "8x8", "--cell", "1e-320"), "inf steps"),
        (
            (*APP, "--setup", "wakefield", "--lattice", "512x64", "--waist", "1e11"),
            "steps; give fewer --steps, at most 2147483647",
        ),
        ((*HOT, "--waist", "3"), "--waist is for a laser"),
        ((*APP, "--setup", "wakefield", "--lattice", "200x100"), "the laser pulse with the layers"),
        ((*APP, "--setup", "wakefield", "--lattice", "500x20"), "make it wider"),
        ((*HOT, "--courant", "1"), "--courant"),
        ((*HOT, "--setup", "vacuum-wave"), "--particles is for electrons; --setup vacuum-wave"),
        ((*LIGHT, "--velocity", "5"), "--velocity is for electrons; --setup vacuum-wave"),
        ((*LIGHT, "--order", "2"), "--order is for electrons; --setup vacuum-wave"),
        ((*LIGHT, "--pusher", "boris"), "--pusher is for electrons; --setup vacuum-wave"),
        ((*HOT, "--setup", "two-stream", "--particles", "3"), "must be even"),
        ((*HOT, "--particles", "4097"), "--particles 4097 is more than a cell has room for"),
        ((*HOT, "--lattice", "9000x9000x9000"), "choose a smaller one"),
        ((*HOT, "--memory", "device"), "add --transport virtual:PLATFORM"),
        ((*HOT, "--fields", "a.h5", "--json", "a.h5"), "would overwrite"),
        ((*HOT, "--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)


def test_program_runs_under_the_launcher_with_the_same_energies(onehop, alone):
    program = Path(onehop_package.__file__).parent / "bin" / "particle_in_cell"
    ended = onehop(
        "run", "-n", "2", "--", program, "thermal", "8", "6", "4", "0.4", "0.5", "12", "4"
    )
    assert (ended.status, ended.err) == (0, "")
    rows = [line.split() for line in ended.out.splitlines()]
    expected = alone[0]["samples"][-1]
    names = ("electric_energy", "magnetic_energy", "kinetic_energy")
    assert [float(word) for word in rows[-1][1:4]] == [expected[name] for name in names]
    assert np.all([float(row[4]) < 1e-12 for row in rows])
