"""Gamma matrices in the DeGrand-Rossi basis, complex128 (4, 4)."""

import functools

import numpy as np

# The order is g_x, g_y, g_z, g_t.
GAMMA = np.array(
    [
        [[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]],
        [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
        [[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]],
        [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
    ]
)
GAMMA5 = np.diag([1, 1, -1, -1]).astype(complex)


def gamma_structure(number: int) -> np.ndarray:
    """Returns g_x^a g_y^b g_z^c g_t^d for `number` a + 2b + 4c + 8d, as mesons count them; 15 is
    g_5."""
    factors = [GAMMA[mu] for mu in range(4) if number >> mu & 1]
    return functools.reduce(np.matmul, factors, np.eye(4, dtype=complex))
