"""The selftest's reference is tested: free correlators are computed in another way."""

from __future__ import annotations

import numpy as np
import pytest

import onehop
from onehop.free_field import free_staggered_correlator, free_wilson_correlator


@pytest.mark.parametrize("lattice", [(4, 4, 4, 8), (2, 6, 4, 6)])
def test_free_correlators_are_those_of_unit_links(lattice):
    gauge = onehop.cold_gauge(lattice)
    wilson = onehop.solve(gauge, mass=0.2, tol=1e-13).correlator
    assert np.allclose(wilson, free_wilson_correlator(lattice, 0.2), rtol=1e-10, atol=0)
    staggered = onehop.solve(gauge, dslash="staggered", mass=0.3, tol=1e-13).correlator
    assert np.allclose(staggered, free_staggered_correlator(lattice, 0.3), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("dslash", ["asqtad", "hisq"])
@pytest.mark.parametrize("lattice", [(4, 4, 4, 8), (2, 6, 4, 6)])
def test_free_improved_correlators_are_those_of_the_improved_sine(dslash, lattice):
    gauge = onehop.cold_gauge(lattice)
    found = onehop.solve(gauge, dslash=dslash, mass=0.3, tol=1e-13).correlator
    expected = free_staggered_correlator(lattice, 0.3, improved=True)
    assert np.allclose(found, expected, rtol=1e-10, atol=1e-14)


def test_a_heavy_quark_has_its_naik_term():
    epsilon = onehop.tree_level_naik_epsilon(0.6)
    gauge, lattice = onehop.cold_gauge((4, 4, 4, 8)), (4, 4, 4, 8)
    how = {"dslash": "hisq", "mass": 0.6, "tol": 1e-13}
    found = onehop.solve(gauge, naik_epsilon=epsilon, **how).correlator
    expected = free_staggered_correlator(lattice, 0.6, improved=True, naik_epsilon=epsilon)
    assert np.allclose(found, expected, rtol=1e-10, atol=1e-14)
    assert not np.allclose(onehop.solve(gauge, **how).correlator, expected, rtol=1e-3, atol=0)
