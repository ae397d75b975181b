"""Computes correlators of free quarks in closed form, as momentum sums; `selftest` compares with
them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onehop.gamma import GAMMA, GAMMA5


def free_wilson_correlator(lattice: Sequence[int], mass: float) -> NDArray[np.float64]:
    """Returns sum_x tr S^+ S on unit links, antiperiodic in time.

    S(p) = (M - i gamma.sin p) / (sin^2 p + M^2), M = m + sum_mu (1 - cos p_mu); the trace over spin
    and colour leaves 12 times the squares of the five coefficients.
    """
    p = _momenta(lattice)
    wilson_mass = mass + sum(1 - np.cos(component) for component in p)
    denominator = sum(np.sin(component) ** 2 for component in p) + wilson_mass**2
    coefficients = [wilson_mass / denominator, *(np.sin(c) / denominator for c in p)]
    return 12 * sum(_squares_per_time(lattice, p[3], c) for c in coefficients)


def free_staggered_correlator(
    lattice: Sequence[int], mass: float, *, improved: bool = False, naik_epsilon: float = 0.0
) -> NDArray[np.float64]:
    """Returns sum_x |chi(x)|^2 over 3 colours on unit links, antiperiodic in time.

    M^+ M = m^2 + sum_mu s_mu^2 with s = sin p, and sin p + (1 + naik_epsilon)/6 sin^3 p of fat and
    Naik links, which is 9/8 sin p - 1/24 sin 3p for 0;
    chi = M^+ K with K its inverse, so that the sum over a time slice is m^2 |K|^2 +
    sum_mu |d_mu K|^2: the crossed terms have opposite parities or momenta.
    """
    p = _momenta(lattice)
    third = (1 + naik_epsilon) / 6 if improved else 0.0
    sines = [np.sin(c) + third * np.sin(c) ** 3 for c in p]
    inverse = 1 / (mass**2 + sum(s**2 for s in sines))
    coefficients = [mass * inverse, *(s * inverse for s in sines)]
    return 3 * sum(_squares_per_time(lattice, p[3], c) for c in coefficients)


def free_wilson_propagator(lattice: Sequence[int], mass: float) -> NDArray[np.complex128]:
    """Returns S(x; 0) on unit links, antiperiodic in time, without colour: complex128 (Nt, Nz, Ny,
    Nx, sink spin, source spin) in the DeGrand-Rossi basis, from the momentum sum of
    free_wilson_correlator.
    """
    p = _momenta(lattice)
    wilson_mass = mass + sum(1 - np.cos(component) for component in p)
    denominator = sum(np.sin(component) ** 2 for component in p) + wilson_mass**2
    slashed = sum(np.sin(c)[..., None, None] * g for c, g in zip(p, GAMMA, strict=True))
    at_momenta = wilson_mass[..., None, None] * np.eye(4) - 1j * slashed
    at_sites = np.fft.ifftn(at_momenta / denominator[..., None, None], axes=(0, 1, 2, 3))
    turn = np.exp(1j * np.pi * np.arange(lattice[3]) / lattice[3])
    return (at_sites * turn[:, None, None]).transpose(3, 2, 1, 0, 4, 5)


def free_baryon_correlators(lattice: Sequence[int], mass: float) -> NDArray[np.complex128]:
    """Returns proton and Delta at rest of free degenerate quarks, complex128 (2, 2, Nt) as
    `Baryons` has them: for each tr[(1 + g_t)/2 C] and tr[(1 - g_t)/2 C].

    Without links every way to contract three quarks has the colour factor eps_abc eps_abc = 6, so
    that all have one sign: two ways for uud, six for the uuu that the Delta is like.
    """
    s = free_wilson_propagator(lattice, mass)
    charge = GAMMA[1] @ GAMMA[3]
    c5, ck = charge @ GAMMA5, [charge @ g for g in GAMMA[:3]]
    straight, exchanged = _free_contractions(s, c5, c5)
    proton = straight + exchanged
    delta = np.zeros_like(proton)
    for j in range(3):
        for k in range(3):
            straight, exchanged = _free_contractions(s, ck[k], ck[j])
            spin = (j == k) * np.eye(4) - GAMMA[j] @ GAMMA[k] / 3
            delta += spin @ (2 * straight + 4 * exchanged)
    projectors = [(np.eye(4) + sign * GAMMA[3]) / 2 for sign in (1, -1)]
    return np.array([[np.einsum("ab,tba->t", p, c) for p in projectors] for c in (proton, delta)])


def _free_contractions(
    s: NDArray[np.complex128], sink: NDArray[np.complex128], source: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Contracts (q1^T sink q2) q3 with the adjoint of (q1^T source q2) q3, summed over x, (Nt, 4,
    4): each quark with itself, and with q1 and q3 exchanged."""
    bar = GAMMA[3] @ source.conj() @ GAMMA[3]
    second = np.einsum("ab,...bd,cd->...ac", sink, s, bar, optimize=True)
    straight = np.einsum("...ab,...ab->...", second, s)[..., None, None] * s
    exchanged = np.einsum("...ad,...ab,...cb->...cd", s, second, s, optimize=True)
    return tuple(6 * found.sum(axis=(1, 2, 3)) for found in (straight, exchanged))


def _momenta(lattice: Sequence[int]) -> list[NDArray[np.float64]]:
    axes = [2 * np.pi * np.arange(n) / n for n in lattice]
    axes[3] = axes[3] + np.pi / lattice[3]
    return list(np.meshgrid(*axes, indexing="ij"))


def _squares_per_time(
    lattice: Sequence[int], p_time: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns sum_x |f(x,t)|^2 of f given in momentum space."""
    spatial = lattice[0] * lattice[1] * lattice[2]
    result = np.empty(lattice[3])
    for t in range(lattice[3]):
        at_time = (values * np.exp(1j * p_time * t)).sum(axis=3) / lattice[3]
        result[t] = (np.abs(at_time) ** 2).sum() / spatial
    return result
