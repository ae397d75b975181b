"""Means of what one sweep leaves in common with the next."""

from __future__ import annotations

import numpy as np

_BLOCKS = 16


def mean_and_error(values: np.ndarray) -> dict[str, float | None]:
    """Mean of a series of numbers (n,), and its error from the means of 16 blocks of successive
    ones, which hardly know of each other where a block is longer than the autocorrelation; no error
    of fewer than 32 numbers. Those that fill no block are left out of the error."""
    found = {"mean": float(np.mean(values)), "error": None}
    length = len(values) // _BLOCKS
    if length >= 2:
        blocks = np.reshape(values[len(values) - _BLOCKS * length :], (_BLOCKS, length))
        spread = float(np.std(blocks.mean(axis=1), ddof=1))
        found["error"] = spread / _BLOCKS**0.5
    return found
