"""NumPy sees the library's own memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import onehop

LATTICE = (4, 2, 6, 8)


@pytest.fixture
def gauge():
    return onehop.hot_gauge(LATTICE, seed=3)


def plaquette_of(links):
    """Computes Re tr P / 3 by NumPy alone; direction mu is axis 3-mu of the sites."""
    total = []
    for mu in range(4):
        for nu in range(mu):
            forward_mu = np.roll(links[nu], -1, axis=3 - mu)
            forward_nu = np.roll(links[mu], -1, axis=3 - nu)
            around = links[mu] @ forward_mu @ (links[nu] @ forward_nu).conj().swapaxes(-1, -2)
            total.append(np.trace(around, axis1=-2, axis2=-1).real.mean() / 3)
    return np.mean(total)


def test_links_are_a_view(gauge):
    assert gauge.links.shape == (4, 8, 6, 2, 4, 3, 3)
    assert gauge.links.dtype == np.complex128
    assert np.shares_memory(gauge.links, gauge.field.padded_links)


def test_writing_links_changes_the_field(gauge):
    gauge.links[:] = np.eye(3)
    assert gauge.plaquette == 1.0


def test_links_that_are_assigned_are_copied_whatever_numbers_they_are():
    """So that `gauge.links *= phase`, which assigns, works as on any array."""
    gauge, other = onehop.hot_gauge(LATTICE, seed=3), onehop.cold_gauge(LATTICE)
    links = gauge.links.astype(np.complex64)
    other.links = links
    assert np.array_equal(other.links, links) and not np.shares_memory(other.links, links)
    assert other.plaquette == pytest.approx(gauge.plaquette, rel=1e-6)
    gauge.links *= 1j
    assert np.allclose(gauge.links, 1j * other.links, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_links_of_another_order_are_refused(axis):
    gauge = onehop.hot_gauge(LATTICE, seed=3)
    with pytest.raises(onehop.UsageError, match="direction, t, z, y, x of this rank's block"):
        gauge.links = np.moveaxis(gauge.links, axis, 4)


def test_links_outlive_their_gauge(gauge):
    links = onehop.hot_gauge(LATTICE, seed=3).links
    gc.collect()
    assert np.array_equal(links, gauge.links)


def test_plaquette_on_the_shared_links(gauge):
    assert gauge.plaquette == pytest.approx(plaquette_of(gauge.links), rel=1e-12)


def test_propagator_solves_the_dirac_equation(gauge):
    """The staggered operator is written once more in NumPy on the library's links."""
    result = onehop.solve(gauge, dslash="staggered", mass=0.4, tol=1e-12, boundary="periodic")
    chi, links = result.propagator[1], gauge.links
    t, z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(LATTICE)), indexing="ij")
    eta = [(-1.0) ** p for p in (0 * x, x, x + y, x + y + z)]
    image = 0.4 * chi
    for mu in range(4):
        axis = 3 - mu
        forward = np.einsum("...ij,...j", links[mu], np.roll(chi, -1, axis))
        back = np.roll(np.einsum("...ji,...j", links[mu].conj(), chi), 1, axis)
        image = image + 0.5 * eta[mu][..., None] * (forward - back)
    source = np.zeros_like(chi)
    source[0, 0, 0, 0, 1] = 1
    assert np.abs(image - source).max() < 1e-11


def test_correlator_is_the_sum_over_the_propagator(gauge):
    result = onehop.solve(gauge, mass=0.6)
    assert result.propagator.shape == (12, 8, 6, 2, 4, 4, 3)
    assert result.propagator.flags.c_contiguous
    by_time = (np.abs(result.propagator) ** 2).sum(axis=(0, 2, 3, 4, 5, 6))
    assert np.allclose(by_time, result.correlator, rtol=1e-13, atol=0)


def test_source_may_be_a_site(gauge):
    site = (1, 0, 3, 2)
    by_tuple = onehop.solve(gauge, mass=1.0, source=site)
    by_text = onehop.solve(gauge, mass=1.0, source="point:1,0,3,2")
    assert np.array_equal(by_tuple.correlator, by_text.correlator)


def test_progress_sees_the_residual_fall(gauge):
    seen = []
    onehop.solve(gauge, mass=1.0, rhs=1, progress=lambda *now: seen.append(now))
    assert {source for source, _, _ in seen} == set(range(12))
    first = [residual for source, _, residual in seen if source == 0]
    assert first[-1] < 1e-9 < first[0]


def test_exception_in_progress_ends_the_solve(gauge):
    def stop(*_):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        onehop.solve(gauge, mass=1.0, progress=stop)


def test_results_show_themselves_in_one_line(gauge):
    result = onehop.solve(gauge, mass=1.0)
    for shown in (repr(gauge), repr(result), repr(result.reports[0])):
        assert shown.startswith("<") and "\n" not in shown
    assert "4x2x6x8" in repr(gauge) and "converged" in repr(result)


def test_errors_are_one_family(gauge, tmp_path):
    with pytest.raises(onehop.FileError, match="no_such"):
        onehop.read_gauge(tmp_path / "no_such")
    with pytest.raises(onehop.UsageError, match="one of them"):
        onehop.solve(gauge, mass=1.0, kappa=0.1)
    for name in ("UsageError", "FileError", "PeerError", "TimeoutError", "NumericError"):
        assert issubclass(getattr(onehop, name), onehop.Error)
    assert issubclass(onehop.ChecksumError, onehop.FileError)
    assert issubclass(onehop.ChainError, onehop.UsageError)


def test_file_comes_back_bit_for_bit(gauge, tmp_path):
    for form in ("nersc", "ildg"):
        gauge.write(tmp_path / form, form)
        assert np.array_equal(onehop.read_gauge(tmp_path / form).links, gauge.links)


def test_file_without_checksum_warns(data):
    with pytest.warns(UserWarning, match="checksum"):
        onehop.read_gauge(data / "ildg_no_checksum_4x4x4x8.ildg")


def test_links_that_are_no_numbers_end_a_solve(gauge):
    broken = onehop.hot_gauge((4, 4, 4, 4), 1)
    broken.links[0, 0, 0, 0, 0] = np.nan
    with pytest.raises(onehop.NumericError, match="nan"):
        onehop.solve(broken, mass=0.5)


def test_solve_that_keeps_nothing_has_the_same_correlator(gauge):
    kept = onehop.solve(gauge, mass=0.5)
    free = onehop.solve(gauge, mass=0.5, keep=False)
    assert free.propagator is None
    assert np.array_equal(free.correlator, kept.correlator)


def test_point_of_three_coordinates(gauge):
    with pytest.raises(onehop.UsageError, match="four coordinates"):
        onehop.solve(gauge, mass=0.5, source=(0, 0, 0))
