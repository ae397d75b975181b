"""The profile of the loss gives intervals where it is not clear which stage rules a point.

A bootstrap starts from the fit and believes its assignment. When a stage rules few points, chance
can hand it one of its neighbour's, and the fit looks sure of what it does not know. So each
parameter is also moved away, all others fitted anew, as far as the loss allows.
"""

import numpy as np
from scipy import stats

from onehop.perfmodel import staged
from onehop.perfmodel.bootstrap import LEVEL, Interval

_STEPS = np.array([0.4, 0.7, 0.9, 1.1, 1.4, 1.8, 2.5, 4.0, 6.0, 10.0, 18.0, 30.0])
_STARTS = 5
_SWEEPS = 15


def profile_intervals(
    design: np.ndarray, times: np.ndarray, planes: staged.Planes, widths: np.ndarray
) -> list[list[Interval]]:
    """Returns intervals by stage and parameter; `widths` (stage, parameter) says how far the first
    steps go."""
    stages = len(planes.parameters)
    values = _values(planes.parameters, widths)
    held = _held(values, stages)
    masks = _starts(design, times, planes)
    found = staged.alternate(
        design,
        times[None],
        np.ones((1, len(times))),
        np.tile(masks, (len(held), 1, 1)),
        np.array([[0.0, 1e-3, 1.0]]),
        planes.freedom,
        sweeps=_SWEEPS,
        held=np.repeat(held, len(masks), axis=0),
    )
    scale = max(planes.scale, 1e-9)
    left = staged.residuals(design, times, found)
    losses = staged.huber_loss(left, scale).sum(axis=1)
    losses = losses.reshape(stages, 3, values.shape[2], len(masks)).min(axis=3)
    here = staged.huber_loss(staged.residuals(design, times, planes.parameters), scale).sum()
    limit = stats.t.ppf((1 + LEVEL) / 2, max(1, planes.freedom)) ** 2
    excess = losses - min(here, losses.min()) - limit
    return [[_crossing(values[k, p], excess[k, p]) for p in range(3)] for k in range(stages)]


def _values(parameters: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Returns (stage, parameter, step), rising, from 0 on, since all times are positive."""
    apart = np.concatenate([-_STEPS[::-1], [0.0], _STEPS])
    return np.maximum(0.0, parameters[..., None] + widths[..., None] * apart)


def _held(values: np.ndarray, stages: int) -> np.ndarray:
    """Returns (case, stage, parameter), NaN but for the one that is held."""
    steps = values.shape[2]
    held = np.full((stages, 3, steps, stages, 3), np.nan)
    for stage in range(stages):
        for parameter in range(3):
            held[stage, parameter, :, stage, parameter] = values[stage, parameter]
    return held.reshape(-1, stages, 3)


def _starts(design: np.ndarray, times: np.ndarray, planes: staged.Planes) -> np.ndarray:
    stages = len(planes.parameters)
    own = np.arange(stages)[:, None] == planes.ruling(design)[None]
    others, _ = staged.promising_masks(design, times, stages, planes.freedom, _STARTS)
    return np.concatenate([own[None].astype(float), others])


def _crossing(values: np.ndarray, excess: np.ndarray) -> Interval:
    """Returns where the excess leaves zero on either side of the middle."""
    middle = len(values) // 2
    low = _edge(values[: middle + 1][::-1], excess[: middle + 1][::-1])
    return Interval(low, _edge(values[middle:], excess[middle:]))


def _edge(values: np.ndarray, excess: np.ndarray) -> float:
    outside = np.flatnonzero(excess > 0)
    if len(outside) == 0:
        return float(values[-1])
    first = int(outside[0])
    if first == 0:
        return float(values[0])
    a, b = excess[first - 1], excess[first]
    # The loss grows as the square of the distance, so its root is nearly straight.
    share = -a / (b - a) if b > a else 1.0
    return float(values[first - 1] + share * (values[first] - values[first - 1]))
