"""Fits Hockney, LogGP and PLogP with their uncertainty."""

import dataclasses

import numpy as np

from onehop.perfmodel import bootstrap, segments, staged
from onehop.perfmodel.bootstrap import Interval
from onehop.perfmodel.observations import Observations, medians
from onehop.perfmodel.segments import Segment

_SEED = 19940320


@dataclasses.dataclass(frozen=True)
class Line:
    """A segment with its 90% intervals; `beta_MBps` as (low, high)."""

    segment: Segment
    fixed_us: Interval
    beta_MBps: Interval  # noqa: N815

    @property
    def rate_MBps(self) -> float:  # noqa: N802
        return _inverse(self.segment.per_byte_us)


def fit_hockney(volume: np.ndarray, times: np.ndarray) -> tuple[Line, ...]:
    fixed, slope = segments.fit_line(volume, times)
    return (_with_intervals(Segment(volume.min(), volume.max(), fixed, slope), volume, times),)


def fit_pieces(volume: np.ndarray, times: np.ndarray, count: int) -> tuple[Line, ...]:
    """Fits `count` segments of LogGP: fixed is L + 2o, the rate 1/G."""
    return tuple(
        _with_intervals(segment, volume, times)
        for segment in segments.fit_segments(volume, times, count)[-1]
    )


def fit_plogp(
    volume: np.ndarray, times: np.ndarray, streaming: Observations, count: int
) -> tuple[tuple[Line, ...], float]:
    """Fits segments of L + g(N), and L: the median of what a lone message takes more than one in a
    stream of the same size."""
    sizes, of_size = medians(streaming.size_bytes, streaming.time_us / streaming.channels)
    gaps = np.interp(np.log(np.maximum(volume, 1)), np.log(np.maximum(sizes, 1)), of_size)
    latency = max(0.0, float(np.median(times - gaps)))
    return fit_pieces(volume, times, count), latency


def _with_intervals(segment: Segment, volume: np.ndarray, times: np.ndarray) -> Line:
    inside = (volume >= segment.least_bytes) & (volume <= segment.most_bytes)
    design = staged.design_matrix(volume[inside], np.ones(inside.sum()))
    planes = staged.fit_planes(design, times[inside], 1)
    spread = bootstrap.spread_of(design, times[inside], planes, _SEED)
    fixed = spread.interval(np.array([1.0, 1.0, 0.0]), 0)
    slope = spread.interval(np.array([0.0, 0.0, 1.0]), 0)
    fixed = Interval(min(fixed.low, segment.fixed_us), max(fixed.high, segment.fixed_us))
    low, high = min(slope.low, segment.per_byte_us), max(slope.high, segment.per_byte_us)
    return Line(segment, fixed, Interval(_inverse(high), _inverse(low)))


def _inverse(per_byte_us: float) -> float:
    return 1 / per_byte_us if per_byte_us > 1e-15 else np.inf
