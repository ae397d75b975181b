"""Baryons are contracted by Wick's theorem in NumPy: explicit epsilons, all permutations, any
flavours."""

from __future__ import annotations

import itertools

import numpy as np
from support.fermions import GAMMA, GAMMA5

C = GAMMA[1] @ GAMMA[3]
EPSILON = {
    (0, 1, 2): 1,
    (1, 2, 0): 1,
    (2, 0, 1): 1,
    (0, 2, 1): -1,
    (2, 1, 0): -1,
    (1, 0, 2): -1,
}
# These are sums of weight eps_abc (q1_a^T gamma q2_b) q3_c, as (weight, flavours).
PROTON = [(1, "udu")]
DELTA_PLUS_PLUS = [(1, "uuu")]
DELTA_PLUS = [(2 / np.sqrt(3), "udu"), (1 / np.sqrt(3), "uud")]


def correlator(operator, sink, source, quarks):
    """Returns <O Obar> (..., sink spin, source spin) of O with `sink` for gamma, Obar with
    `source`.

    `quarks` maps a flavour to its propagator (..., sink spin, sink colour, source spin, colour).
    Obar = O^+ g_t has the quarks in the opposite order, each barred, and g_t gamma^* g_t.
    """
    bar = GAMMA[3] @ source.conj() @ GAMMA[3]
    total = 0
    for (weight, flavours), (weight_bar, flavours_bar) in itertools.product(operator, operator):
        for order in itertools.permutations(range(3)):
            if any(flavours[n] != flavours_bar[order[n]] for n in range(3)):
                continue
            sign = EPSILON[order]
            one = _contraction([quarks[f] for f in flavours], order, sink, bar)
            total = total + sign * weight * weight_bar * one
    return total


def _contraction(propagators, order, sink, bar):
    """Contracts quark n of the sink with quark order[n] of the source; spins are a b c and A B
    C."""
    words = [f"...{'abc'[n]}{'ABC'[order[n]]}" for n in range(3)]
    total = 0
    for colours, sign in EPSILON.items():
        for bars, sign_bar in EPSILON.items():
            parts = [s[..., :, colours[n], :, bars[order[n]]] for n, s in enumerate(propagators)]
            product = np.einsum(f"{','.join(words)},ab,AB->...cC", *parts, sink, bar, optimize=True)
            total = total + sign * sign_bar * product
    return total


def proton(quarks):
    return correlator(PROTON, C @ GAMMA5, C @ GAMMA5, quarks)


def delta(quarks, operator=DELTA_PLUS):
    """Returns the Delta with spin 3/2 at rest: sum_jk (delta_jk - g_j g_k / 3) <D_k Dbar_j>."""
    total = 0
    for j, k in itertools.product(range(3), repeat=2):
        spin = (j == k) * np.eye(4) - GAMMA[j] @ GAMMA[k] / 3
        total = total + spin @ correlator(operator, C @ GAMMA[k], C @ GAMMA[j], quarks)
    return total


def traced(correlators, parity):
    """Returns tr[(1 + parity g_t)/2 C]."""
    return np.einsum("ab,...ba->...", (np.eye(4) + parity * GAMMA[3]) / 2, correlators)
