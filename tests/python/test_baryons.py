"""Baryons are tested by Wick's theorem with explicit epsilons in NumPy and by the free field."""

from __future__ import annotations

import numpy as np
import pytest
from support import baryons as slow
from support.blocks import run_on_ranks

import onehop
from onehop.free_field import free_baryon_correlators

LATTICE = (4, 2, 2, 6)
MOMENTA = [(0, 0, 0), (1, 0, 0), (0, -1, 1)]
SOURCE = (3, 1, 0, 4)


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge(LATTICE, seed=3)


@pytest.fixture(scope="module")
def up(gauge):
    return onehop.solve(gauge, mass=0.5, source=SOURCE, tol=1e-12)


@pytest.fixture(scope="module")
def down(gauge):
    return onehop.solve(gauge, onehop.Clover(mass=0.9, csw=1.2), source=SOURCE, tol=1e-12)


def by_site(result):
    """Returns (t, z, y, x, sink spin, sink colour, source spin, source colour)."""
    s = result.propagator.reshape(4, 3, *result.propagator.shape[1:])
    return np.moveaxis(s, (0, 1), (-2, -1))


def projected(density, n, source=SOURCE, *, antiperiodic=True):
    """Sums over x with the momentum, from the source on; three quarks cross the boundary."""
    _, z, y, x = np.meshgrid(*(np.arange(e) for e in reversed(LATTICE)), indexing="ij")
    angle = sum(
        2 * np.pi * n[i] * (site - source[i]) / LATTICE[i] for i, site in enumerate((x, y, z))
    )
    by_time = (density * np.exp(-1j * angle)).sum(axis=(1, 2, 3))
    if antiperiodic:
        by_time[: source[3]] *= -1
    return np.roll(by_time, -source[3])


def close(found, expected):
    """A component that vanishes, as an imaginary part may, is compared on the scale of its
    correlator."""
    return np.allclose(found, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


def test_proton_and_delta_are_the_explicit_sums(gauge, up, down):
    found = onehop.baryon_correlators(gauge, up, down, MOMENTA)
    assert found.correlators.shape == (2, 2, 3, LATTICE[3])
    quarks = {"u": by_site(up), "d": by_site(down)}
    for name, matrices in (("proton", slow.proton(quarks)), ("delta", slow.delta(quarks))):
        for parity in (1, -1):
            density = slow.traced(matrices, parity)
            for n in MOMENTA:
                expected = projected(density, n)
                assert close(found.of(name, n, parity=parity), expected), (name, parity, n)


def test_delta_of_like_quarks_is_delta_plus_plus(gauge, up):
    found = onehop.baryon_correlators(gauge, up)
    matrices = slow.delta({"u": by_site(up)}, slow.DELTA_PLUS_PLUS)
    expected = projected(slow.traced(matrices, 1), (0, 0, 0))
    assert close(found.of("delta"), expected)


@pytest.mark.parametrize("lattice", [(4, 4, 4, 8), (2, 6, 4, 10)])
def test_free_baryons_are_the_momentum_sums(lattice):
    free = onehop.cold_gauge(lattice)
    quark = onehop.solve(free, mass=0.4, source=(1, 1, 0, 3), tol=1e-13)
    found = onehop.baryon_correlators(free, quark)
    expected = free_baryon_correlators(lattice, 0.4)
    assert close(found.correlators[:, :, 0], expected)
    assert (found.correlators[:, 0, 0, : lattice[3] // 2].real > 0).all()
    backwards = np.roll(found.correlators[:, 1, :, ::-1], 1, axis=-1)[..., 1:]
    assert close(found.correlators[:, 0, :, 1:], -backwards)


def test_free_quarks_at_rest_weigh_three_times_one():
    """A free Wilson quark at rest has E(p = 0) = log(1 + m); other momenta are gone once t is
    large."""
    lattice, mass = (2, 2, 2, 32), 1.0
    free = onehop.cold_gauge(lattice)
    found = onehop.baryon_correlators(free, onehop.solve(free, mass=mass, tol=1e-14))
    for name in ("proton", "delta"):
        masses = onehop.log_effective_mass(found.of(name).real)
        assert np.allclose(masses[8:11], 3 * np.log(1 + mass), rtol=1e-4)
        assert np.isnan(masses[-1])


def test_gauge_transformations_change_nothing(gauge, up):
    matrices = onehop.hot_gauge(LATTICE, seed=8).links[0]
    turned = gauge.copy()
    for mu, axis in enumerate((3, 2, 1, 0)):
        ahead = np.roll(matrices, -1, axis=axis).conj().swapaxes(-1, -2)
        turned.links[mu] = matrices @ gauge.links[mu] @ ahead
    again = onehop.solve(turned, mass=0.5, source=SOURCE, tol=1e-12)
    before = onehop.baryon_correlators(gauge, up, momenta=MOMENTA).correlators
    after = onehop.baryon_correlators(turned, again, momenta=MOMENTA).correlators
    assert np.allclose(after, before, rtol=0, atol=1e-9 * np.abs(before).max())


@pytest.mark.parametrize("boundary", ["antiperiodic", "periodic"])
def test_where_the_boundary_is_changes_nothing(gauge, boundary):
    """Links and source are moved by two slices, so that the quarks cross the boundary elsewhere."""
    moved = gauge.copy()
    moved.links[...] = np.roll(gauge.links, 3, axis=1)
    how = {"mass": 0.5, "boundary": boundary, "tol": 1e-12}
    here, there = (
        onehop.baryon_correlators(g, onehop.solve(g, source=(3, 1, 0, t), **how)).correlators
        for g, t in ((gauge, 1), (moved, 4))
    )
    assert np.allclose(here, there, rtol=0, atol=1e-10 * np.abs(here).max())


CONTRACT = """
gauge = onehop.hot_gauge((4, 4, 4, 4), seed=3)
result = onehop.solve(gauge, mass=0.6, source=(1, 2, 3, 3), tol=1e-9)
found = onehop.baryon_correlators(gauge, result, momenta=[(0, 0, 0), (0, 1, 1)])
save(gauge, found=found.correlators)
"""


def test_the_same_bits_on_every_grid(start, tmp_path):
    parts = [part for n in (1, 2, 4) for part in run_on_ranks(start, tmp_path, n, CONTRACT)]
    assert len(parts) == 7
    assert all(np.array_equal(part["found"], parts[0]["found"]) for part in parts)


def test_what_baryons_cannot_be_made_of(gauge, up):
    def made_of(**how):
        return onehop.solve(gauge, **({"mass": 1.0, "tol": 1e-3} | how))

    refused = {
        "keep=True": made_of(keep=False),
        "not staggered": made_of(dslash="staggered"),
        "without twisted mass": made_of(mu=0.1),
        "not of source noise-wall:0,1": made_of(source="noise-wall:0,1"),
        "of M, not of": onehop.solve_shifted(gauge, [0.1], mass=1.0, tol=1e-3)[0],
    }
    for why, result in refused.items():
        with pytest.raises(onehop.UsageError, match=why):
            onehop.baryon_correlators(gauge, result)
    with pytest.raises(onehop.UsageError, match="one source with one boundary"):
        onehop.baryon_correlators(gauge, up, made_of())
    with pytest.raises(onehop.UsageError, match="three whole numbers"):
        onehop.baryon_correlators(gauge, up, momenta=[(0, 0)])
    found = onehop.baryon_correlators(gauge, up)
    with pytest.raises(onehop.UsageError, match="no correlator 'neutron' of parity 1"):
        found.of("neutron")
