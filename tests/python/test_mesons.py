"""Sources and mesons are compared with NumPy: explicit gamma matrices, Fourier sums, noise."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import onehop
from onehop.mesons import STAGGERED, WILSON, meson_correlators, momenta_up_to

LATTICE = (4, 2, 6, 8)
GAMMA = np.array(
    [
        [[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]],
        [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
        [[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]],
        [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
    ]
)
GAMMA5 = np.diag([1, 1, -1, -1])


def structure(number):
    """Returns g_x^a g_y^b g_z^c g_t^d."""
    factors = [GAMMA[mu] for mu in range(4) if number >> mu & 1]
    return functools.reduce(np.matmul, factors, np.eye(4))


def spin_and_colour(quark):
    """Returns the propagator as [t z y x][sink spin, sink colour, source spin, source colour]."""
    s = quark.propagator.reshape(4, 3, *reversed(LATTICE), 4, 3)
    return np.moveaxis(s, (0, 1), (-2, -1))


def densities(s, other, number):
    """Returns <O Obar> site by site from Obar = qbar g_t Gamma^+ g_t Q and the other quark's S(0,x)
    = g_5 S(x,0)^+ g_5."""
    gamma = structure(number)
    bar = GAMMA[3] @ gamma.conj().T @ GAMMA[3]
    left = np.einsum("ab,...bicj,cd->...aidj", gamma, s, bar, optimize=True)
    back = np.einsum("ab,...cibj,cd->...ajdi", GAMMA5, other.conj(), GAMMA5, optimize=True)
    return -np.einsum("...aidj,...djai->...", left, back)


def two_point(density, sites, source, n):
    angle = sum(2 * np.pi * n[i] * (sites[i] - source[i]) / LATTICE[i] for i in range(3))
    by_time = (density * np.exp(-1j * angle)).sum(axis=(1, 2, 3))
    return np.roll(by_time, -source[3])


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge(LATTICE, seed=3)


def test_all_gamma_structures_and_momenta(gauge):
    source = (1, 1, 4, 3)
    result = onehop.solve(gauge, mass=0.8, source=source, tol=1e-12)
    momenta = [(0, 0, 0), (1, 0, 0), (0, -1, 2)]
    mesons = meson_correlators(gauge, result, momenta)
    s = spin_and_colour(result)
    t, z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(LATTICE)), indexing="ij")
    for number, (name, _) in enumerate(WILSON):
        density = densities(s, s, number)
        for p in momenta:
            expected = two_point(density, (x, y, z, t), source, p)
            assert np.allclose(mesons.of(name, p), expected, rtol=1e-11, atol=1e-16), (name, p)
    assert np.allclose(mesons.of("g5").real, result.correlator, rtol=1e-13)


def test_quark_and_antiquark_differ(gauge):
    source = (1, 1, 4, 3)
    light, strange = (
        onehop.solve(gauge, mass=mass, source=source, tol=1e-12) for mass in (0.6, 1.1)
    )
    momenta = [(0, 0, 0), (1, 0, -1)]
    kaons = meson_correlators(gauge, light, momenta, antiquark=strange)
    fields = spin_and_colour(light), spin_and_colour(strange)
    t, z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(LATTICE)), indexing="ij")
    for number, (name, _) in enumerate(WILSON):
        density = densities(*fields, number)
        for p in momenta:
            expected = two_point(density, (x, y, z, t), source, p)
            assert np.allclose(kaons.of(name, p), expected, rtol=1e-11, atol=1e-16), (name, p)
    assert np.ptp(kaons.of("g5").imag) > 0


def test_staggered_quark_and_antiquark_differ(gauge):
    light, strange = (onehop.solve(gauge, dslash="staggered", mass=m, tol=1e-12) for m in (0.5, 1))
    kaons = meson_correlators(gauge, light, antiquark=strange)
    density = (light.propagator * strange.propagator.conj()).sum(axis=(0, -1))
    expected = density.sum(axis=(1, 2, 3))
    assert np.allclose(kaons.of("000"), expected, rtol=1e-12, atol=1e-17)


def test_charge_conjugate_mesons_are_complex_conjugates(gauge):
    """K- has the complex conjugate of the correlator of K+ at the opposite momentum."""
    light, strange = (onehop.solve(gauge, mass=mass, tol=1e-12) for mass in (0.6, 1.1))
    plus = meson_correlators(gauge, light, [(0, 1, 2)], antiquark=strange)
    minus = meson_correlators(gauge, strange, [(0, -1, -2)], antiquark=light)
    assert np.allclose(plus.correlators, minus.correlators.conj(), rtol=1e-13, atol=1e-17)


def test_conserved_charge_does_not_depend_on_time():
    """The charge is psibar g_t psi of free quarks, far from the source: a wrong sign or structure
    would fall."""
    lattice = (2, 2, 2, 48)
    gauge = onehop.cold_gauge(lattice)
    result = onehop.solve(gauge, mass=0.3, tol=1e-13)
    charge = meson_correlators(gauge, result).of("gt").real
    assert np.ptp(charge[8:41]) < 1e-3 * abs(charge[24])


def test_staggered_corners_are_signed_sums(gauge):
    source = (0, 1, 2, 5)
    result = onehop.solve(gauge, dslash="staggered", mass=0.5, source=source, tol=1e-12)
    mesons = meson_correlators(gauge, result, [(0, 0, 1)])
    density = (np.abs(result.propagator) ** 2).sum(axis=(0, -1))
    _, z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(LATTICE)), indexing="ij")
    wave = np.exp(-2j * np.pi * (z - source[2]) / LATTICE[2])
    for corner, (name, _) in enumerate(STAGGERED):
        n = [corner >> i & 1 for i in range(3)]
        sign = (-1.0) ** (n[0] * (x - 0) + n[1] * (y - 1) + n[2] * (z - 2))
        expected = np.roll((sign * wave * density).sum(axis=(1, 2, 3)), -5)
        assert np.allclose(mesons.of(name, (0, 0, 1)), expected, rtol=1e-12, atol=1e-17), name


def test_wall_source_is_a_quark_at_rest():
    """On unit links only p = 0 is left, a problem in t alone."""
    lattice, mass, t_source = (2, 4, 2, 8), 0.4, 6
    result = onehop.solve(onehop.cold_gauge(lattice), mass=mass, source=f"wall:{t_source}")
    p = (2 * np.arange(8) + 1) * np.pi / 8
    wilson_mass = mass + 1 - np.cos(p)
    inverse = 1 / (np.sin(p) ** 2 + wilson_mass**2)
    wave = np.exp(1j * np.outer(np.arange(8), p))
    squares = [np.abs(wave @ (f * inverse) / 8) ** 2 for f in (wilson_mass, np.sin(p))]
    expected = 12 * 16 * sum(squares)
    assert np.allclose(result.correlator, expected, rtol=1e-9)


@pytest.mark.parametrize(("dslash", "solves"), [("wilson", 4), ("staggered", 1)])
def test_noise_wall_averages_the_points_of_its_slice(dslash, solves):
    lattice, t_source = (2, 2, 2, 4), 1
    gauge = onehop.hot_gauge(lattice, seed=7)
    options = {"dslash": dslash, "mass": 0.5}
    points = [
        onehop.solve(gauge, source=(x, y, z, t_source), **options).correlator
        for x in range(2)
        for y in range(2)
        for z in range(2)
    ]
    walls = [onehop.solve(gauge, source=f"noise-wall:{t_source},{s}", **options) for s in range(60)]
    assert all(len(wall.reports) == solves for wall in walls)
    noisy = np.array([wall.correlator for wall in walls])
    error = noisy.std(axis=0, ddof=1) / np.sqrt(len(noisy))
    assert (np.abs(noisy.mean(axis=0) - np.mean(points, axis=0)) < 4 * error).all()
    assert (error < 0.1 * noisy.mean(axis=0)).all()


def test_momenta_are_whole_shells():
    assert [len(momenta_up_to(n2)) for n2 in (0, 1, 2, 3, 4)] == [1, 7, 19, 27, 33]
    for wrong in (-1, 1.5, "2"):
        with pytest.raises(onehop.UsageError, match="moment"):
            momenta_up_to(wrong)


def test_what_mesons_cannot_be_made_of(gauge):
    noise = onehop.solve(gauge, mass=1.0, source="noise-wall:0,1")
    with pytest.raises(onehop.UsageError, match="every spin and colour"):
        meson_correlators(gauge, noise)
    forgotten = onehop.solve(gauge, mass=1.0, keep=False)
    with pytest.raises(onehop.UsageError, match="keep=True"):
        meson_correlators(gauge, forgotten)
    quark = onehop.solve(gauge, mass=1.0)
    for other, words in (
        ({"mass": 1.0, "source": (1, 0, 0, 0)}, "from one source"),
        ({"mass": 1.0, "boundary": "periodic"}, "from one source"),
        ({"dslash": "staggered", "mass": 1.0}, "of wilson and staggered"),
    ):
        with pytest.raises(onehop.UsageError, match=words):
            meson_correlators(gauge, quark, antiquark=onehop.solve(gauge, **other))
    (shifted,) = onehop.solve_shifted(gauge, [0.1], onehop.Wilson(mass=1.0))
    with pytest.raises(onehop.UsageError, match="of M, not of"):
        meson_correlators(gauge, shifted)
    with pytest.raises(onehop.UsageError, match="none of point:x,y,z,t"):
        onehop.solve(gauge, mass=1.0, source="wall:x")
    with pytest.raises(onehop.UsageError, match="t 8 is outside lattice"):
        onehop.solve(gauge, mass=1.0, source="wall:8")


def test_hadrons_show_themselves_in_a_line(gauge):
    quark = onehop.solve(gauge, mass=1.0, tol=1e-3)
    times = gauge.lattice[3]
    shown = repr(meson_correlators(gauge, quark, momenta_up_to(1)))
    assert shown.startswith(f"<Mesons of shape (16, 7, {times}), structure, momentum, t: 1, gx,")
    shown = repr(onehop.baryon_correlators(gauge, quark))
    assert (
        shown
        == f"<Baryons of shape (2, 2, 1, {times}), baryon, parity, momentum, t: proton, delta>"
    )
