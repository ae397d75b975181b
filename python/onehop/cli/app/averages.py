"""Means of series whose successive values are correlated, such as sweeps."""

from collections.abc import Callable

import numpy as np

_BLOCKS = 16


def mean_and_error(values: np.ndarray) -> dict[str, float | None]:
    """Returns the mean of a series of numbers (n,), and its error from the means of 16 blocks of
    successive ones, which are nearly independent where a block is longer than the autocorrelation;
    no error for fewer than 32 numbers. Numbers that fill no block are left out of the error."""
    found = {"mean": float(np.mean(values)), "error": None}
    length = len(values) // _BLOCKS
    if length >= 2:
        blocks = np.reshape(values[len(values) - _BLOCKS * length :], (_BLOCKS, length))
        spread = float(np.std(blocks.mean(axis=1), ddof=1))
        found["error"] = spread / _BLOCKS**0.5
    return found


def function_and_error(
    series: np.ndarray, function: Callable[[np.ndarray], float]
) -> dict[str, float | None]:
    """Returns a function of the means of a series of vectors (n, m), called with one vector (m,),
    and its jackknife error by leaving out one of 16 blocks at a time; no error for fewer than 32
    vectors."""
    found = {"mean": function(series.mean(axis=0)), "error": None}
    length = len(series) // _BLOCKS
    if length >= 2:
        kept = series[len(series) - _BLOCKS * length :]
        blocks = kept.reshape(_BLOCKS, length, -1).mean(axis=1)
        rest = (blocks.sum(axis=0) - blocks) / (_BLOCKS - 1)
        values = np.array([function(means) for means in rest])
        spread = float(np.sum((values - values.mean()) ** 2))
        found["error"] = (spread * (_BLOCKS - 1) / _BLOCKS) ** 0.5
    return found
