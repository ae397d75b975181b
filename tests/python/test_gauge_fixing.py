"""Landau and Coulomb gauge are tested: theta by NumPy, what may change and what may not."""

from __future__ import annotations

import numpy as np
import pytest
from support.blocks import run_on_ranks, whole
from support.fermions import ahead, dagger

import onehop

LATTICE = (4, 4, 4, 6)
every_condition = pytest.mark.parametrize("condition", ["landau", "coulomb"])


@pytest.fixture
def gauge():
    links = onehop.hot_gauge(LATTICE, seed=3)
    for sweep in range(5):
        links.heatbath(beta=6.0, seed=1, sweep=sweep)
    return links


def directions(condition):
    return range(4 if condition == "landau" else 3)


def theta(links, condition):
    difference = 0
    for mu in directions(condition):
        difference = difference + ahead(links[mu], mu, -1) - links[mu]
    difference = difference - dagger(difference)
    trace = np.einsum("...aa->...", difference)[..., None, None]
    difference = difference - trace * np.eye(3) / 3
    return (np.abs(difference) ** 2).sum() / (3 * difference[..., 0, 0].size)


def functional(links, condition):
    chosen = links[list(directions(condition))]
    return np.einsum("...aa->...", chosen).real.mean() / 3


def invariants(gauge):
    proton = onehop.solve(gauge, mass=0.8, source=(1, 2, 0, 3), tol=1e-12)
    loops = onehop._core.polyakov_loops(gauge.field)
    return np.array(
        [
            gauge.plaquettes.spatial,
            gauge.plaquettes.temporal,
            *np.array(loops).view(float),
            *np.log(proton.correlator),
        ]
    )


@every_condition
def test_theta_and_functional_are_those_of_the_links(gauge, condition):
    rough = theta(gauge.links, condition), functional(gauge.links, condition)
    report = gauge.fix(condition, tolerance=1e-14)
    assert report.converged and report.theta <= 1e-14
    assert (report.theta_before, report.functional_before) == pytest.approx(rough, rel=1e-12)
    # Computed from the links, theta has their rounding errors.
    assert theta(gauge.links, condition) == pytest.approx(report.theta, rel=1e-3, abs=1e-27)
    assert functional(gauge.links, condition) == pytest.approx(report.functional, rel=1e-13)
    assert report.functional > report.functional_before + 0.3


@every_condition
def test_is_a_gauge_transformation(gauge, condition):
    before = invariants(gauge)
    gauge.fix(condition)
    assert onehop._core.check_links(gauge.field) < 1e-13
    assert np.allclose(invariants(gauge), before, rtol=1e-9, atol=1e-11)


def test_theta_falls_and_the_functional_rises(gauge):
    start = gauge.copy()
    reports = []
    for sweeps in (10, 20, 40, 80, 160):
        again = start.copy()
        reports.append(again.fix("landau", tolerance=1e-30, max_sweeps=sweeps))
        assert reports[-1].sweeps == sweeps and not reports[-1].converged
        assert theta(again.links, "landau") == pytest.approx(reports[-1].theta, rel=1e-6)
    thetas = [report.theta for report in reports]
    values = [reports[0].functional_before, *(report.functional for report in reports)]
    assert thetas[0] < reports[0].theta_before and thetas == sorted(thetas, reverse=True)
    assert all(b > a - 1e-14 for a, b in zip(values, values[1:], strict=False))


def test_overrelaxation_takes_fewer_sweeps(gauge):
    sweeps = {w: gauge.copy().fix("landau", overrelaxation=w).sweeps for w in (1.0, 1.7)}
    assert 1.2 * sweeps[1.7] < sweeps[1.0]


@every_condition
def test_a_fixed_field_stays(gauge, condition):
    gauge.fix(condition)
    links = gauge.links.copy()
    again = gauge.fix(condition)
    assert again.converged and again.sweeps == 0
    assert np.allclose(gauge.links, links, rtol=0, atol=1e-14)


def test_a_transformed_vacuum_becomes_unit_links():
    """Every transformation of the vacuum leads to this one maximum, up to a global transformation
    and to Gribov copies, of which this one has none."""
    vacuum = onehop.cold_gauge((4, 4, 4, 4))
    matrices = onehop.hot_gauge((4, 4, 4, 4), seed=8).links[0]
    for mu in range(4):
        vacuum.links[mu] = matrices @ dagger(ahead(matrices, mu))
    report = vacuum.fix("landau", tolerance=1e-24)
    assert report.converged
    assert report.functional == pytest.approx(1, abs=1e-12)
    assert np.allclose(vacuum.links, np.eye(3), atol=1e-9)


def test_one_sweep_without_overrelaxation_finds_a_maximum():
    """The vacuum has one even site turned in the first subgroup that a sweep looks at."""
    vacuum = onehop.cold_gauge((4, 4, 4, 4))
    matrices = np.broadcast_to(np.eye(3, dtype=complex), (4, 4, 4, 4, 3, 3)).copy()
    c, s = np.cos(1.1), np.sin(1.1)
    matrices[1, 0, 3, 2, :2, :2] = [[c + 0.6j * s, 0.8 * s], [-0.8 * s, c - 0.6j * s]]
    for mu in range(4):
        vacuum.links[mu] = matrices @ dagger(ahead(matrices, mu))
    report = vacuum.fix("landau", overrelaxation=1, max_sweeps=1, tolerance=1e-28)
    assert report.theta_before > 0.1 and report.converged


def test_coulomb_gauge_leaves_time_slices_to_themselves(gauge):
    """Links of one slice decide how that slice is fixed."""
    other = gauge.copy()
    other.links[3] = onehop.hot_gauge(LATTICE, seed=9).links[3]
    for field in (gauge, other):
        field.fix("coulomb", tolerance=1e-20, max_sweeps=50)
    assert np.array_equal(gauge.links[:3], other.links[:3])


FIX = """
reports = {}
for condition in ("landau", "coulomb"):
    gauge = onehop.hot_gauge((4, 4, 4, 8), seed=3)
    report = gauge.fix(condition, max_sweeps=60)
    reports[condition] = gauge.links
    reports[condition + "_report"] = [report.theta, report.functional, report.sweeps]
save(gauge, **reports)
"""


def test_the_same_bits_on_every_grid(start, tmp_path):
    one, *others = (run_on_ranks(start, tmp_path, ranks, FIX) for ranks in (1, 2, 4))
    for parts in others:
        for name in ("landau", "coulomb"):
            fixed = whole(parts, name, (4, 4, 4, 8), before=1)
            assert np.array_equal(fixed, one[0][name]), name
            report = f"{name}_report"
            assert all(np.array_equal(part[report], one[0][report]) for part in parts)


def test_what_cannot_be_fixed(gauge):
    for why, how in {
        "give landau or coulomb": {"condition": "axial"},
        "overrelaxation 2;": {"overrelaxation": 2},
        "theta of 0;": {"tolerance": 0},
        "theta of nan;": {"tolerance": float("nan")},
        "in 0 sweeps": {"max_sweeps": 0},
        "whole number": {"max_sweeps": 1.5},
    }.items():
        with pytest.raises(onehop.UsageError, match=why):
            gauge.fix(**({"condition": "landau"} | how))
    odd = onehop.cold_gauge((4, 4, 4, 5))
    with pytest.raises(onehop.UsageError, match="extent 5 is odd"):
        odd.fix("landau")
    assert odd.fix("coulomb").converged
    gauge.links[0, 0, 0, 0, 0] = np.nan
    with pytest.raises(onehop.NumericError):
        gauge.fix("landau")
