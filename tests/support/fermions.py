"""Dirac operators are written once more in NumPy, by their definitions on whole fields of one
rank."""

from __future__ import annotations

import numpy as np

GAMMA = np.array(
    [
        [[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]],
        [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
        [[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]],
        [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
    ]
)
GAMMA5 = np.diag([1, 1, -1, -1])
_AXIS = (3, 2, 1, 0)  # axes of x, y, z, t in a field (t, z, y, x, ...)


def dagger(matrices):
    return matrices.conj().swapaxes(-1, -2)


def ahead(field, mu, steps=1):
    """Returns the field at x + mu, or behind with -1; periodic."""
    return np.roll(field, -steps, axis=_AXIS[mu])


def with_boundary(links, *, antiperiodic=True):
    """Returns links (mu, t, z, y, x, row, column) with the sign of the boundary in those of the
    last t."""
    links = np.array(links)
    if antiperiodic:
        links[3, -1] *= -1
    return links


def colour(u, psi):
    """Returns u psi at every site, for psi (..., 4, 3) or (..., 3)."""
    return np.einsum("tzyxab,tzyx...b->tzyx...a", u, psi)


def wilson(links, psi, mass, mu=0.0):
    result = (4 + mass) * psi + 1j * mu * np.einsum("ab,...bc->...ac", GAMMA5, psi)
    for d in range(4):
        forward = colour(links[d], ahead(psi, d))
        backward = ahead(colour(dagger(links[d]), psi), d, -1)
        for hop, sign in ((forward, -1), (backward, 1)):
            result -= 0.5 * np.einsum("ab,...bc->...ac", np.eye(4) + sign * GAMMA[d], hop)
    return result


def clover(links, psi, mass, csw, mu=0.0):
    """Returns -(csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu, F = -(i/8)(Q - Q^+); links without boundary
    in the clover, which has an even number of them or none."""
    result = wilson(links, psi, mass, mu)
    for a in range(4):
        for b in range(a + 1, 4):
            q = sum(_leaves(links, a, b))
            strength = -0.125j * (q - dagger(q))
            sigma = 0.5j * (GAMMA[a] @ GAMMA[b] - GAMMA[b] @ GAMMA[a])
            result -= csw / 2 * np.einsum("rs,...sc->...rc", sigma, colour(strength, psi))
    return result


def _leaves(links, a, b):
    """Returns the four plaquettes at x, all anticlockwise in the plane a, b."""
    u, v = links[a], links[b]
    ua, vb = ahead(u, a, -1), ahead(v, b, -1)  # links at x - a, x - b
    yield u @ ahead(v, a) @ dagger(ahead(u, b)) @ dagger(v)
    yield v @ dagger(ahead(ua, b)) @ dagger(ahead(v, a, -1)) @ ua
    yield dagger(ua) @ dagger(ahead(vb, a, -1)) @ ahead(ua, b, -1) @ vb
    yield dagger(vb) @ ahead(u, b, -1) @ ahead(vb, a) @ dagger(u)


def staggered(links, chi, mass):
    t, z, y, x = np.meshgrid(*(np.arange(n) for n in chi.shape[:4]), indexing="ij")
    eta = [np.ones_like(x), (-1) ** x, (-1) ** (x + y), (-1) ** (x + y + z)]
    result = mass * chi
    for d in range(4):
        hop = colour(links[d], ahead(chi, d)) - ahead(colour(dagger(links[d]), chi), d, -1)
        result += 0.5 * eta[d][..., None] * hop
    return result
