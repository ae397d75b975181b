"""Finds how well a staged fit determines its parameters: by bootstrap, and by what the points
cannot determine at all."""

import dataclasses

import numpy as np
from scipy import optimize, stats

from onehop.perfmodel import staged

LEVEL = 0.90
DRAWS = 500
# With this many degrees of freedom the residuals themselves are drawn, else normal ones.
_ENOUGH_TO_DRAW_FROM = 25
_SWEEPS = 12


@dataclasses.dataclass(frozen=True)
class Interval:
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Spread:
    """`draws` as (draw, stage, [lambda, tau, 1/beta]) about the unconstrained fit."""

    planes: staged.Planes
    draws: np.ndarray
    inflate: float

    def interval(self, of: np.ndarray, stage: int) -> Interval:
        """Returns the interval of the linear combination `of` (3 coefficients) of a stage's
        parameters, cut off at 0, since all times are positive."""
        center = float(self.planes.parameters[stage] @ of)
        apart = self.draws[:, stage] @ of - center
        low, high = np.quantile(apart, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(
            max(0.0, center + self.inflate * float(low)),
            max(0.0, center + self.inflate * float(high)),
        )


def spread_of(design: np.ndarray, times: np.ndarray, planes: staged.Planes, seed: int) -> Spread:
    """Refits to data made from the fit. With few degrees of freedom the scale itself is known
    badly: the quantiles are then Student's."""
    rng = np.random.default_rng(seed)
    modelled = planes.times(design)
    count, stages = len(times), len(planes.parameters)
    freedom = max(1, planes.freedom)
    if planes.freedom >= _ENOUGH_TO_DRAW_FROM:
        left = staged.residuals(design, times, planes.parameters)
        left = (left - np.median(left)) * np.sqrt(count / freedom)
        noise = rng.choice(left, (DRAWS, count))
    else:
        noise = planes.scale * rng.standard_normal((DRAWS, count))
    owner = planes.ruling(design)
    masks = (np.arange(stages)[:, None] == owner[None]).astype(float)
    draws = staged.alternate(
        design,
        modelled * np.exp(noise),
        np.ones((1, count)),
        np.repeat(masks[None], DRAWS, axis=0),
        np.array([[0.0, 1e-3, 1.0]]),
        freedom,
        sweeps=_SWEEPS,
    )
    inflate = stats.t.ppf((1 + LEVEL) / 2, freedom) / stats.norm.ppf((1 + LEVEL) / 2)
    return Spread(planes, staged.in_order(draws), float(inflate))


def determined(design: np.ndarray, planes: staged.Planes, stage: int) -> np.ndarray:
    """Returns which of lambda, tau and 1/beta the points that a stage rules can tell apart."""
    own = design[planes.ruling(design) == stage]
    if len(own) == 0:
        return np.zeros(3, dtype=bool)
    scaled = own / np.abs(design).max(axis=0)
    _, sizes, right = np.linalg.svd(scaled, full_matrices=True)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    empty = right[rank:]
    return np.abs(empty).max(axis=0, initial=0) < 1e-6


def allowed(
    design: np.ndarray, planes: staged.Planes, stage: int, parameter: int, margin: float
) -> Interval | None:
    """Returns the possible range of a parameter, given positive times and the points that other
    stages rule: the stage must agree with its own points and not lie above the others, within
    the relative `margin`."""
    modelled = planes.times(design)
    own = planes.ruling(design) == stage
    above = design / modelled[:, None]
    conditions = np.vstack([above, -above[own]])
    limits = np.concatenate([np.full(len(design), 1 + margin), np.full(own.sum(), margin - 1)])
    unit = np.abs(design).max(axis=0)
    found = []
    for sign in (1, -1):
        wanted = np.zeros(3)
        wanted[parameter] = sign
        answer = optimize.linprog(wanted, A_ub=conditions / unit, b_ub=limits, bounds=(0, None))
        if answer.status != 0:
            return None
        found.append(float(answer.x[parameter] / unit[parameter]))
    return Interval(*found)
