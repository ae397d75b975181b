"""Residuals of eigenvectors are those of the operator that they are vectors of."""

from __future__ import annotations

import numpy as np
import pytest
from support.blocks import run_on_ranks

import onehop
from onehop import UsageError

LATTICE = (2, 2, 4, 4)
SPACE = tuple(reversed(LATTICE))
STAGGERED = onehop.Staggered(mass=0.25)


def hand_made(gauge, *, milc: bool) -> np.ndarray:
    """Returns sum_mu eta_mu(x) [U_mu(x) v(x+mu) - U_mu^+(x-mu) v(x-mu)] as a matrix, without the
    1/2, with eta_t = 1, eta_x = (-1)^t, ... for MILC and eta_x = 1, eta_y = (-1)^x, ... else."""
    unit = np.eye(3 * int(np.prod(SPACE))).reshape(-1, *SPACE, 3)
    t, z, y, x = np.indices(SPACE)
    exponents = (t, t + x, t + x + y, 0 * t) if milc else (0 * t, x, x + y, x + y + z)
    total = np.zeros(unit.shape, complex)
    for mu, exponent in enumerate(exponents):
        links, axis = gauge.links[mu], 3 - mu
        links = links.copy()
        # Quarks are antiperiodic in time.
        if mu == 3:
            links[-1] *= -1
        sign = ((-1.0) ** exponent)[..., None]
        ahead = np.roll(unit, -1, axis=1 + axis)
        back = np.roll(links.conj().swapaxes(-1, -2), 1, axis=axis)
        behind = np.roll(unit, 1, axis=1 + axis)
        # The sign of x - mu is that of x, since eta_mu does not depend on the coordinate mu.
        total += sign * np.einsum("tzyxab,ntzyxb->ntzyxa", links, ahead)
        total -= sign * np.einsum("tzyxab,ntzyxb->ntzyxa", back, behind)
    return total.reshape(len(unit), -1).T


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge(LATTICE, 3, context=onehop.join("self"))


def vectors_of(columns: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(columns.T).reshape(-1, *SPACE, 3)


def made(values, columns):
    return onehop.Eigenvectors(values, vectors_of(columns), np.full(len(values), np.nan))


@pytest.fixture(scope="module")
def milc(gauge):
    """Returns eigenvectors of -D^2 as MILC has D, on even sites alone, as its programs do."""
    matrix = hand_made(gauge, milc=True)
    even = (np.indices(SPACE).sum(axis=0) % 2 == 0).repeat(3)
    block = (-matrix @ matrix)[np.ix_(even, even)]
    values, columns = np.linalg.eigh(block)
    whole = np.zeros((len(matrix), 8), complex)
    whole[even] = columns[:, :8]
    return made(values[:8], whole)


def test_milc_has_twice_the_operator_and_other_phases(gauge, milc):
    dirac = onehop.Dirac(gauge, STAGGERED)
    assert (onehop.eigenvector_residuals(milc, dirac) < 1e-13).all()
    for words in ({"of": "D^+D"}, {"phases": "onehop"}, {"of": "D"}):
        assert onehop.eigenvector_residuals(milc, dirac, **words).max() > 1e-2
    periodic = onehop.Dirac(gauge, STAGGERED, boundary="periodic")
    assert onehop.eigenvector_residuals(milc, periodic).max() > 1e-2


@pytest.mark.parametrize(("of", "power"), [("D", 1), ("D^+D", 2)])
def test_vectors_of_onehops_own_operator(gauge, of, power):
    values, columns = np.linalg.eigh(-0.5j * hand_made(gauge, milc=False))
    found = made(values[:8] ** power, columns[:, :8])
    dirac = onehop.Dirac(gauge, STAGGERED)
    residuals = onehop.eigenvector_residuals(found, dirac, of=of, phases="onehop")
    assert (residuals < 1e-13).all()


def test_a_residual_is_the_distance_relative_to_the_vector(gauge, milc):
    """An eigenvalue that is off by d leaves a residual of d, whatever the size of the vector."""
    dirac = onehop.Dirac(gauge, STAGGERED)
    off = onehop.Eigenvectors(milc.eigenvalues + 1e-3, 50 * milc.vectors, milc.stated_residuals)
    np.testing.assert_allclose(onehop.eigenvector_residuals(off, dirac), 1e-3, rtol=1e-9)


RESIDUALS = """
found = onehop.read_eigenvectors(sys.argv[1] + "/../eig.scidac")
gauge = onehop.hot_gauge((2, 2, 4, 4), 3, context=onehop.join())
dirac = onehop.Dirac(gauge, onehop.Staggered(mass=0.25))
save(gauge, residuals=onehop.eigenvector_residuals(found, dirac, phases="onehop"))
"""


def test_ranks_find_the_residuals_of_one(gauge, milc, start, tmp_path):
    milc.write(tmp_path / "eig.scidac")
    dirac = onehop.Dirac(gauge, STAGGERED)
    alone = onehop.eigenvector_residuals(milc, dirac, phases="onehop")
    for part in run_on_ranks(start, tmp_path, 2, RESIDUALS):
        np.testing.assert_allclose(part["residuals"], alone, rtol=1e-13)


def test_files_keep_what_the_residuals_need(gauge, milc, tmp_path):
    dirac = onehop.Dirac(gauge, STAGGERED)
    milc.write(tmp_path / "eig.scidac")
    again = onehop.read_eigenvectors(tmp_path / "eig.scidac")
    whole, kept = (onehop.eigenvector_residuals(one, dirac) for one in (milc, again))
    np.testing.assert_array_equal(whole, kept)
    milc.write(tmp_path / "single.h5", precision="single")
    rounded = onehop.eigenvector_residuals(onehop.read_eigenvectors(tmp_path / "single.h5"), dirac)
    assert (rounded > 1e-9).all() and (rounded < 1e-5).all()


def test_what_has_no_residual_is_refused(gauge, milc):
    dirac = onehop.Dirac(gauge, STAGGERED)
    small = onehop.Eigenvectors(milc.eigenvalues, milc.vectors[:, :2], milc.stated_residuals)
    zero = onehop.Eigenvectors(milc.eigenvalues, 0 * milc.vectors, milc.stated_residuals)
    for found, operator, words, why in (
        (milc, onehop.Dirac(gauge, onehop.Wilson(mass=0.1)), {}, "staggered operator"),
        (milc, dirac, {"of": "M"}, "of 'M' is none of"),
        (milc, dirac, {"phases": "chroma"}, "phases 'chroma' is none of"),
        (small, dirac, {}, r"on the lattice \(2, 2, 4, 2\)"),
        (zero, dirac, {}, "eigenvector 0 is zero"),
    ):
        with pytest.raises(UsageError, match=why):
            onehop.eigenvector_residuals(found, operator, **words)
