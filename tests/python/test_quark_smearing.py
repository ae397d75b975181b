"""Smeared and sequential sources are tested by NumPy, by gauge covariance, and in free field."""

from __future__ import annotations

import numpy as np
import pytest
from support.blocks import run_on_ranks, whole
from support.fermions import GAMMA, GAMMA5, ahead, colour, dagger

import onehop
from onehop.flow import smear

LATTICE = (4, 2, 6, 4)
SHAPE = (*reversed(LATTICE), 4, 3)
HOW = {"mass": 0.6, "tol": 1e-12}


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge(LATTICE, seed=3)


@pytest.fixture(scope="module")
def smearing(gauge):
    return onehop.QuarkSmearing(gauge, kappa=0.3, steps=4)


def noise(shape=SHAPE, seed=1):
    numbers = np.random.default_rng(seed)
    return numbers.normal(size=shape) + 1j * numbers.normal(size=shape)


def in_numpy(links, psi, kappa, steps):
    for _ in range(steps):
        hops = 0
        for j in range(3):
            hops = hops + colour(links[j], ahead(psi, j))
            hops = hops + ahead(colour(dagger(links[j]), psi), j, -1)
        psi = (psi + kappa * hops) / (1 + 6 * kappa)
    return psi


@pytest.mark.parametrize("shape", [SHAPE, SHAPE[:4] + (3,), (2, 3, *SHAPE)])
def test_is_the_definition_in_numpy(gauge, smearing, shape):
    fields = noise(shape)
    found = smearing.apply(fields)
    sites = len(SHAPE) if shape[-2] == 4 else len(SHAPE) - 1
    flat, expected = fields.reshape(-1, *shape[-sites:]), found.reshape(-1, *shape[-sites:])
    for psi, smeared in zip(flat, expected, strict=True):
        assert np.allclose(smeared, in_numpy(gauge.links, psi, 0.3, 4), rtol=0, atol=1e-14)


def test_links_are_smeared_first_in_space(gauge):
    smooth = gauge.copy()
    smear(smooth, "ape", (0.5,), 2, spatial=True)
    before = gauge.links.copy()
    found = onehop.QuarkSmearing(gauge, kappa=0.3, steps=3, links="ape:0.5x2").apply(noise())
    assert np.allclose(found, in_numpy(smooth.links, noise(), 0.3, 3), rtol=0, atol=1e-14)
    assert np.array_equal(gauge.links, before)


def test_without_weight_or_steps_a_point_stays_one(gauge):
    point = onehop.solve(gauge, source="point:1,0,2,3", **HOW)
    for how in ({"kappa": 0, "steps": 5}, {"kappa": 0.3, "steps": 0}):
        smearing = onehop.QuarkSmearing(gauge, **how)
        same = onehop.solve(gauge, source=smearing.source("point:1,0,2,3"), **HOW)
        assert np.array_equal(same.propagator, point.propagator)
        assert np.array_equal(smearing.sink(point).correlator, point.correlator)


def test_a_small_weight_changes_little(gauge):
    for kappa in (1e-3, 1e-6):
        moved = onehop.QuarkSmearing(gauge, kappa=kappa, steps=5).apply(noise()) - noise()
        size = np.linalg.norm(moved) / np.linalg.norm(noise())
        assert 5 * kappa < size < 5 * 12 * kappa


def test_is_hermitian_and_leaves_time_slices_apart(smearing):
    x, y = noise(), noise(seed=2)
    left, right = np.vdot(y, smearing.apply(x)), np.vdot(smearing.apply(y), x)
    assert left == pytest.approx(right, rel=1e-13)
    x[1] = 0
    found = smearing.apply(x)
    assert np.all(found[1] == 0) and np.all(np.abs(found[2]).sum(axis=(-1, -2)) > 0)


def test_unit_links_make_a_gaussian():
    lattice = (24, 24, 24, 2)
    smearing = onehop.QuarkSmearing(onehop.cold_gauge(lattice), kappa=0.25, steps=20)
    point = np.zeros((*reversed(lattice), 3), complex)
    point[1, 12, 12, 12, 0] = 1
    psi = smearing.apply(point)[1, :, :, :, 0].real
    assert psi.sum() == pytest.approx(1, rel=1e-12)
    x = np.arange(24) - 12
    square = (psi.sum(axis=(0, 1)) * x**2).sum()
    assert square == pytest.approx(smearing.radius**2, rel=1e-6)
    shape = psi[12, 12, 12:18] / psi[12, 12, 12]
    assert np.allclose(shape, np.exp(-(x[12:18] ** 2) / (2 * smearing.radius**2)), atol=0.02)


def transformed(gauge, seed=8):
    """Returns links and a field's colours turned at every site: G U G^+, G."""
    matrices = onehop.hot_gauge(gauge.lattice, seed=seed).links[0]
    turned = gauge.copy()
    for mu in range(4):
        turned.links[mu] = matrices @ gauge.links[mu] @ dagger(ahead(matrices, mu))
    return turned, matrices


@pytest.mark.parametrize("links", [None, "ape:0.5x2", "stout:0.1x3"])
def test_commutes_with_gauge_transformations(gauge, links):
    turned, matrices = transformed(gauge)
    how = {"kappa": 0.3, "steps": 4, "links": links}
    first = colour(matrices, onehop.QuarkSmearing(gauge, **how).apply(noise()))
    last = onehop.QuarkSmearing(turned, **how).apply(colour(matrices, noise()))
    assert np.allclose(first, last, rtol=0, atol=1e-13)


def test_smeared_correlators_are_gauge_invariant_and_symmetric(gauge):
    def hadrons(links):
        smearing = onehop.QuarkSmearing(links, kappa=0.3, steps=4)
        quark = onehop.solve(links, source=smearing.source("point:1,1,2,3"), **HOW)
        both = smearing.sink(quark)
        mesons = onehop.meson_correlators(links, both)
        assert np.allclose(mesons.of("g5").real, both.correlator, rtol=1e-12)
        proton = onehop.baryon_correlators(links, both).of("proton")
        return quark.correlator, both.correlator, proton

    for here, there in zip(hadrons(gauge), hadrons(transformed(gauge)[0]), strict=True):
        assert np.allclose(here, there, rtol=1e-9, atol=1e-12 * np.abs(here).max())


def test_smearing_at_the_sink_is_smearing_at_the_source(gauge, smearing):
    """The test is <H a, S b> = <a, H S b>, both S and H being hermitian."""
    site, other = (1, 1, 2, 3), (2, 0, 4, 1)
    at_source = onehop.solve(gauge, source=smearing.source(site), **HOW).propagator
    at_sink = smearing.sink(onehop.solve(gauge, source=other, **HOW)).propagator

    def block(s, x):
        return s[:, x[3], x[2], x[1], x[0]].reshape(12, 12).T

    g5 = np.repeat(np.diag(GAMMA5), 3)
    there = block(at_source, other)
    back = g5[:, None] * block(at_sink, site).conj().T * g5
    assert np.allclose(there, back, rtol=0, atol=1e-11)


def test_through_the_sink_and_back_is_the_two_point_function(gauge, smearing):
    """tr g5 Sigma(x0; x0) with g5 at the sink is the pion at that time and momentum."""
    site, t, n = (1, 0, 4, 1), 3, (1, 0, -1)
    for sink in (None, smearing):
        quark = onehop.solve(gauge, source=site, **HOW)
        ends = quark if sink is None else sink.sink(quark)
        source = onehop.sequential_source(gauge, quark, t, momentum=n, smearing=sink)
        through = onehop.solve(gauge, source=source, **HOW).propagator
        here = through[:, site[3], site[2], site[1], site[0]].reshape(4, 3, 4, 3)
        looped = np.einsum("acad,cd,a->", here, np.eye(3), np.diag(GAMMA5))
        pion = onehop.meson_correlators(gauge, ends, [n]).of("g5", n)
        assert looped == pytest.approx(pion[t - site[3]], rel=1e-10)


def test_sequential_sources_have_every_structure(gauge):
    quark = onehop.solve(gauge, source=(1, 0, 4, 1), mass=0.6, tol=1e-3)
    fields = onehop.sequential_source(gauge, quark, 2, gamma="gx g5").fields
    expected = np.einsum("ab,...bc->...ac", GAMMA[0] @ GAMMA5, quark.propagator[:, 2])
    assert np.allclose(fields[:, 2], expected, rtol=0, atol=1e-15)
    assert not fields[:, [0, 1, 3]].any()


RANKS = """
gauge = onehop.hot_gauge((4, 4, 4, 8), seed=3)
smearing = onehop.QuarkSmearing(gauge, kappa=0.3, steps=4, links="ape:0.5x2")
quark = onehop.solve(gauge, mass=0.9, source=smearing.source((1, 2, 3, 5)), tol=1e-6)
after = onehop.sequential_source(gauge, quark, 3, momentum=(1, -1, 0), smearing=smearing).fields
save(gauge, quark=quark.propagator, sink=smearing.sink(quark).propagator, after=after)
"""


def test_the_same_bits_on_every_grid(start, tmp_path):
    lattice = (4, 4, 4, 8)
    one, *others = (run_on_ranks(start, tmp_path, ranks, RANKS) for ranks in (1, 2, 4))
    for parts in others:
        for name in ("quark", "sink", "after"):
            assert np.array_equal(whole(parts, name, lattice, before=1), one[0][name]), name


def test_what_cannot_be_smeared(gauge, smearing):
    refused = {
        "kappa -0.1; use a number from 0 up": {"kappa": -0.1, "steps": 1},
        "kappa nan": {"kappa": float("nan"), "steps": 1},
        "-1 steps": {"kappa": 0.1, "steps": -1},
        "one of ape:ALPHA": {"kappa": 0.1, "steps": 1, "links": "heat:1x2"},
        "in time too": {"kappa": 0.1, "steps": 1, "links": "hyp"},
    }
    for why, how in refused.items():
        with pytest.raises(onehop.UsageError, match=why):
            onehop.QuarkSmearing(gauge, **how)
    with pytest.raises(onehop.UsageError, match=r"block is \(4, 6, 2, 4, 4, 3\)"):
        smearing.apply(np.zeros((4, 4, 4, 4, 4, 3)))
    with pytest.raises(onehop.UsageError, match="smear on the links that are solved on"):
        onehop.solve(onehop.cold_gauge((4, 4, 4, 4)), source=smearing.source(), **HOW)
    quark = onehop.solve(gauge, mass=0.6, tol=1e-3)
    for why, how in {
        "none of 1, gx": {"gamma": "g6"},
        "use 0 to 3": {"t": 4},
        "three whole numbers": {"momentum": (1,)},
    }.items():
        with pytest.raises(onehop.UsageError, match=why):
            onehop.sequential_source(gauge, quark, **({"t": 1} | how))
    forgotten = onehop.solve(gauge, mass=0.6, tol=1e-3, keep=False)
    with pytest.raises(onehop.UsageError, match="keep=True"):
        smearing.sink(forgotten)
    with pytest.raises(onehop.UsageError, match="keep=True"):
        onehop.sequential_source(gauge, forgotten, 1)
    staggered = onehop.solve(gauge, dslash="staggered", mass=0.6, tol=1e-3)
    with pytest.raises(onehop.UsageError, match="not staggered"):
        onehop.sequential_source(gauge, staggered, 1)
