"""Models one message: Hockney, and LogGP or PLogP with the protocol's segments found.

Hockney, Parallel Comput. 20 (1994) 389: T = t0 + N / r_inf. LogGP (Alexandrov et al., J. Parallel
Distrib. Comput. 44 (1997) 71): T = L + 2o + (N-1) G. PLogP (Kielmann et al., IPDPS 2000 workshops,
LNCS 1800, 1176): T = L + g(N), g(N) measured where messages follow each other.

A library changes protocol at certain sizes, and then T jumps: segments are intervals of N with a
line each, found by dynamic programming; their number by what cross-validation gains.
"""

import dataclasses

import numpy as np

from onehop.counted import counted

MOST = 6
_LEAST_SIZES = 3


@dataclasses.dataclass(frozen=True)
class Segment:
    """`fixed_us + N per_byte_us` for sizes from `least_bytes` to `most_bytes`."""

    least_bytes: float
    most_bytes: float
    fixed_us: float
    per_byte_us: float


def fit_line(sizes: np.ndarray, times: np.ndarray) -> tuple[float, float]:
    """Returns (fixed, per byte), neither negative; relative errors, robust."""
    fixed, slope = _weighted_line(sizes, times, 1 / times**2)
    if len(times) >= 6:
        for _ in range(10):
            near = np.maximum(fixed + slope * sizes, 1e-6 * times)
            left = np.log(times / near)
            scale = max(1.4826 * float(np.median(np.abs(left))), 1e-9)
            weights = np.minimum(1, 2 * scale / np.maximum(np.abs(left), 1e-12)) / near**2
            fixed, slope = _weighted_line(sizes, times, weights)
    return fixed, slope


def _weighted_line(
    sizes: np.ndarray, times: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    total = weights.sum()
    x, y = (weights @ sizes) / total, (weights @ times) / total
    across = weights @ (sizes - x) ** 2
    slope = float(weights @ ((sizes - x) * (times - y)) / across) if across > 0 else 0.0
    if slope < 0:
        return float(y), 0.0
    if y - slope * x < 0:
        return 0.0, float((weights @ (sizes * times)) / (weights @ sizes**2))
    return float(y - slope * x), slope


def fit_segments(sizes: np.ndarray, times: np.ndarray, most: int = MOST) -> list[list[Segment]]:
    """Returns for 1, 2, ... segments the best cut, as far as the sizes suffice."""
    levels = np.unique(sizes)
    most = max(1, min(most, len(levels) // _LEAST_SIZES))
    cost = _costs(levels, sizes, times)
    count = len(levels)
    reach = [cost[0]]
    back = [np.zeros(count + 1, dtype=int)]
    for _ in range(1, most):
        table = np.full(count + 1, np.inf)
        origin = np.zeros(count + 1, dtype=int)
        for end in range(1, count + 1):
            candidates = reach[-1][:end] + cost[:end, end]
            origin[end] = int(np.argmin(candidates))
            table[end] = candidates[origin[end]]
        reach.append(table)
        back.append(origin)
    return [
        _trace(levels, back[: k + 1], sizes, times)
        for k in range(most)
        if np.isfinite(reach[k][count])
    ]


def _costs(levels: np.ndarray, sizes: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Returns cost[a, b] of one line through levels a..b-1, no point counting for more than 1."""
    count = len(levels)
    cost = np.full((count + 1, count + 1), np.inf)
    for a in range(count):
        for b in range(a + 1, count + 1):
            if b - a < min(_LEAST_SIZES, count):
                continue
            inside = (sizes >= levels[a]) & (sizes <= levels[b - 1])
            fixed, slope = _weighted_line(sizes[inside], times[inside], 1 / times[inside] ** 2)
            left = np.abs(np.log(times[inside] / np.maximum(fixed + slope * sizes[inside], 1e-12)))
            cost[a, b] = (np.minimum(left, 1.0) ** 2).sum()
    return cost


def _trace(
    levels: np.ndarray, back: list[np.ndarray], sizes: np.ndarray, times: np.ndarray
) -> list[Segment]:
    end, segments = len(levels), []
    for origin in reversed(back):
        begin = int(origin[end])
        least, most = float(levels[begin]), float(levels[end - 1])
        inside = (sizes >= least) & (sizes <= most)
        segments.append(Segment(least, most, *fit_line(sizes[inside], times[inside])))
        end = begin
    return segments[::-1]


def evaluate(segments: list[Segment], sizes: np.ndarray) -> np.ndarray:
    """Returns the time in us; between two segments the line of the nearer one, by the logarithm of
    the size."""
    pairs = zip(segments, segments[1:], strict=False)
    borders = [np.sqrt(max(one.most_bytes, 1) * next_one.least_bytes) for one, next_one in pairs]
    owner = np.searchsorted(borders, sizes, side="right")
    fixed = np.array([s.fixed_us for s in segments])
    slope = np.array([s.per_byte_us for s in segments])
    return fixed[owner] + slope[owner] * sizes


def title(model: str, count: int) -> str:
    """Returns 'loggp, 2 segments'; Hockney has one always."""
    if model == "hockney":
        return model
    return f"{model}, {counted(count, 'segment')}"
