"""Finds stages with their uncertainty, and which of their parameters the data determine at all."""

import dataclasses

import numpy as np

from onehop.perfmodel import bootstrap, staged
from onehop.perfmodel.bootstrap import Interval
from onehop.perfmodel.observations import Observations
from onehop.perfmodel.profile import profile_intervals

_SEED = 20110118
_UNITS = np.eye(3)


@dataclasses.dataclass(frozen=True)
class Combination:
    """The sum lambda + V tau for the one number of channels that a stage was seen on."""

    channels: float
    value_us: float
    interval: Interval


@dataclasses.dataclass(frozen=True)
class Stage:
    """`beta_MBps` is infinite where a stage does not grow with the bytes. Intervals hold 90%.
    `undetermined` names parameters that no noise-free data of these cells could give: their value
    is the middle of what the other points allow, their interval all of it. `points` counts the
    observations that the stage rules, `cells` those that differ."""

    lambda_us: float
    tau_us: float
    beta_MBps: float  # noqa: N815
    intervals: dict[str, Interval]
    undetermined: tuple[str, ...]
    combined: Combination | None
    points: int
    cells: int

    @property
    def parameters(self) -> np.ndarray:
        return np.array([self.lambda_us, self.tau_us, 1 / self.beta_MBps])


NAMES = ("lambda_us", "tau_us", "beta_MBps")


def times_of(stages: tuple[Stage, ...], size_bytes: np.ndarray, channels: np.ndarray) -> np.ndarray:
    """Returns the time in us, in the shape of the arguments."""
    size, many = np.asarray(size_bytes, float), np.asarray(channels, float)
    each = [s.lambda_us + many * s.tau_us + many * size / s.beta_MBps for s in stages]
    return np.max(each, axis=0)


def fit_stages(data: Observations, count: int) -> tuple[Stage, ...]:
    """Fits `count` stages; the one that rules short messages comes first."""
    design = staged.design_matrix(data.size_bytes, data.channels)
    free = staged.fit_planes(design, data.time_us, count)
    spread = bootstrap.spread_of(design, data.time_us, free, _SEED)
    ranges = [[spread.interval(unit, k) for unit in _UNITS] for k in range(count)]
    if count > 1:
        widths = np.array([[max(r.high - r.low, 1e-12) / 2 for r in own] for own in ranges])
        profile = profile_intervals(design, data.time_us, free, widths)
        ranges = [
            [_hull(*pair) for pair in zip(*pairs, strict=True)]
            for pairs in zip(ranges, profile, strict=True)
        ]
    bounded = staged.positive(design, data.time_us, free)
    return tuple(_stage(design, bounded, spread, k, ranges[k]) for k in range(count))


def _stage(
    design: np.ndarray,
    bounded: staged.Planes,
    spread: bootstrap.Spread,
    number: int,
    ranges: list[Interval],
) -> Stage:
    own = bounded.ruling(design) == number
    known = bootstrap.determined(design, bounded, number)
    values = bounded.parameters[number].copy()
    ranges = [_holding(found, value) for found, value in zip(ranges, values, strict=True)]
    for parameter in np.flatnonzero(~known):
        middle = bootstrap.allowed(design, bounded, number, parameter, 1e-6)
        wide = bootstrap.allowed(design, bounded, number, parameter, _margin(spread))
        if middle is not None and wide is not None:
            values[parameter] = (middle.low + middle.high) / 2
            ranges[parameter] = wide
    inverse = Interval(_inverse(ranges[2].high), _inverse(ranges[2].low))
    many = np.unique(design[own, 1])
    combined = None
    if len(many) == 1 and not known[:2].any():
        of = np.array([1.0, many[0], 0.0])
        value = float(bounded.parameters[number] @ of)
        if known[2]:
            combined = Combination(
                float(many[0]), value, _holding(spread.interval(of, number), value)
            )
    return Stage(
        float(values[0]),
        float(values[1]),
        _inverse(values[2]),
        dict(zip(NAMES, (*ranges[:2], inverse), strict=True)),
        tuple(name for name, is_known in zip(NAMES, known, strict=True) if not is_known),
        combined,
        int(own.sum()),
        len(np.unique(design[own], axis=0)),
    )


def _margin(spread: bootstrap.Spread) -> float:
    """Returns half the width of a 90% interval of one point, relative."""
    return max(1e-6, 1.645 * spread.inflate * spread.planes.scale)


def _hull(one: Interval, other: Interval) -> Interval:
    return Interval(min(one.low, other.low), max(one.high, other.high))


def _holding(found: Interval, value: float) -> Interval:
    """Extends the interval to hold the value where a bound of 0 moved it."""
    return Interval(min(found.low, value), max(found.high, value))


def _inverse(per_byte_us: float) -> float:
    return 1 / per_byte_us if per_byte_us > 1e-15 else np.inf
