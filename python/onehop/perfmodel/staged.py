"""Fits `T(N,V) = max_i(lambda_i + V tau_i + V N / beta_i)`: a maximum of planes, by alternation.

Given which stage rules which point, each stage is a weighted linear least squares problem; given
the stages, each point belongs to the largest. Both steps in turns end in a local optimum, so many
starts run at the same time, as one batch of small matrices, and the best is kept. Max-affine
fitting by this alternation is due to Magnani and Boyd, Optim. Eng. 10 (2009) 1.

The loss is Huber's, of the logarithm of measured over modelled time: errors are relative, and one
wild point cannot turn a stage. Parameters are (lambda, tau, 1/beta) in us, us and us/byte.
"""

import dataclasses
import itertools

import numpy as np
from scipy import optimize

# The loss grows linearly beyond this many scales of the residuals. It is 98% efficient on normal
# errors.
HUBER = 2.0
# Below this many degrees of freedom a robust scale is noise itself.
LEAST_FREEDOM_FOR_ROBUST = 6
_SWEEPS = 40
_FIRST_SWEEPS = 12
_RIDGE = 1e-9
_HOLD = 1e7
# Exact times would make the loss that of medians, which stalls at any start.
_LEAST_SCALE = 1e-3
# This is the mean of min(z^2, 2.5^2) for a normal z.
_WITHIN = 0.9775


@dataclasses.dataclass(frozen=True)
class Planes:
    """`parameters` as (stage, [lambda, tau, 1/beta]), the stage that rules short messages first;
    `scale` is the relative standard deviation of the residuals."""

    parameters: np.ndarray
    scale: float
    freedom: int

    def times(self, design: np.ndarray) -> np.ndarray:
        return (design @ self.parameters.T).max(axis=1)

    def ruling(self, design: np.ndarray) -> np.ndarray:
        """Returns the stage of each point."""
        return (design @ self.parameters.T).argmax(axis=1)


def design_matrix(size_bytes: np.ndarray, channels: np.ndarray) -> np.ndarray:
    """Returns rows (1, V, V N)."""
    size, many = np.asarray(size_bytes, float), np.asarray(channels, float)
    return np.column_stack([np.ones_like(size), many, many * size])


def count_free(design: np.ndarray) -> int:
    """Returns the parameters per stage that such points could determine: 3, or fewer for equal V or
    N."""
    scaled = design / np.abs(design).max(axis=0)
    return int(np.linalg.matrix_rank(scaled, tol=1e-9))


def fit_planes(design: np.ndarray, times: np.ndarray, stages: int) -> Planes | None:
    """Returns the best fit with that many stages; None if the points are too few for it."""
    free = stages * count_free(design)
    if len(times) <= free and not (stages == 1 and len(times) == free):
        return None
    freedom = len(times) - free
    starts, ridge = promising_masks(design, times, stages, freedom, 1)
    fitted = alternate(design, times[None], np.ones((1, len(times))), starts, ridge, freedom)
    best = pick(design, times, fitted, freedom)
    return Planes(in_order(best), scale_of(design, times, best, free), freedom)


def in_order(parameters: np.ndarray) -> np.ndarray:
    """Returns stages by rising cost per byte."""
    return np.take_along_axis(
        parameters, np.argsort(parameters[..., 2], axis=-1, kind="stable")[..., None], axis=-2
    )


def residuals(design: np.ndarray, times: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Returns log(measured / modelled)."""
    modelled = np.einsum("...kp,np->...kn", parameters, design).max(axis=-2)
    return np.log(times / np.maximum(modelled, 1e-9 * times))


def scale_of(design: np.ndarray, times: np.ndarray, parameters: np.ndarray, free: int) -> float:
    """Returns Huber's second proposal: what lies beyond 2.5 scales counts as if it lay there."""
    freedom = len(times) - free
    if freedom < 1:
        return 0.0
    square = residuals(design, times, parameters) ** 2
    scale = square.sum() / freedom
    if freedom >= LEAST_FREEDOM_FOR_ROBUST:
        for _ in range(50):
            scale = np.minimum(square, 2.5**2 * scale).sum() / (_WITHIN * freedom)
    return float(np.sqrt(scale))


def huber_loss(left: np.ndarray, scale: float | np.ndarray) -> np.ndarray:
    """Returns the loss in units of scale squared."""
    size = np.abs(left) / scale
    return np.where(size <= HUBER, size**2, HUBER * (2 * size - HUBER))


def losses(design: np.ndarray, times: np.ndarray, fitted: np.ndarray, freedom: int) -> np.ndarray:
    """Returns the losses of several fits, on a scale that is common to all."""
    left = residuals(design, times, fitted)
    if freedom < LEAST_FREEDOM_FOR_ROBUST:
        return (left**2).sum(axis=1)
    scale = 1.4826 * np.median(np.abs(left), axis=1).min() * np.sqrt(len(times) / freedom)
    return huber_loss(left, max(scale, 1e-9)).sum(axis=1)


def pick(design: np.ndarray, times: np.ndarray, fitted: np.ndarray, freedom: int) -> np.ndarray:
    """Returns the fit with the least loss."""
    return fitted[losses(design, times, fitted, freedom).argmin()]


def promising_masks(
    design: np.ndarray, times: np.ndarray, stages: int, freedom: int, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns where the best few fits of all starts put the points, and what broke their ties."""
    masks, ridge = starting_masks(design, stages)
    weights = np.ones((1, len(times)))
    fitted = alternate(design, times[None], weights, masks, ridge, freedom, sweeps=_FIRST_SWEEPS)
    order = losses(design, times, fitted, freedom).argsort(kind="stable")
    owner = np.einsum("bkp,np->bkn", fitted[order], design).argmax(axis=1)
    first = np.sort(np.unique(owner, axis=0, return_index=True)[1])[:most]
    chosen = np.arange(stages)[None, :, None] == owner[first][:, None]
    return chosen.astype(float), ridge[order][first]


def starting_masks(design: np.ndarray, stages: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns which stage has which point at first, as (start, stage, point), cut along each of N,
    V and V N, and what breaks ties, as (start, parameter): undetermined directions go to lambda or
    to tau, never to the bytes."""
    count = len(design)
    if stages == 1:
        return np.ones((1, 1, count)), np.array([[0.0, 1e-3, 1.0]])
    masks = []
    for feature in _features(design):
        levels = np.unique(feature)
        cuts = levels[np.unique(np.linspace(1, len(levels) - 1, 9).astype(int))]
        for chosen in itertools.combinations(cuts, stages - 1):
            owner = np.searchsorted(np.asarray(chosen), feature, side="right")
            masks.append(np.arange(stages)[:, None] == owner[None])
    unique = np.unique(np.array(masks, dtype=float), axis=0)
    unique = unique[:: max(1, len(unique) // 120)]
    ties = np.array([[0.0, 1e-3, 1.0], [1e-3, 0.0, 1.0]])
    if len(np.unique(design[:, 1])) == 1:
        ties = ties[:1]
    return np.repeat(unique, len(ties), axis=0), np.tile(ties, (len(unique), 1))


def _features(design: np.ndarray) -> list[np.ndarray]:
    many, volume = design[:, 1], design[:, 2]
    candidates = [volume / many, many, volume]
    return [c for c in candidates if len(np.unique(c)) > 1] or [np.arange(len(design), dtype=float)]


def alternate(
    design: np.ndarray,
    times: np.ndarray,
    weights: np.ndarray,
    masks: np.ndarray,
    ridge: np.ndarray,
    freedom: int,
    sweeps: int = _SWEEPS,
    held: np.ndarray | None = None,
) -> np.ndarray:
    """Alternates all batches at once: times and weights (batch, point), masks (batch, stage,
    point), ridge (batch, parameter); returns the best of each batch's sweeps, (batch, stage,
    parameter). `held`, of the same shape, keeps parameters where it is not NaN."""
    batch = max(len(times), len(masks))
    times = np.broadcast_to(times, (batch, times.shape[1]))
    masks = np.broadcast_to(masks, (batch, *masks.shape[1:]))
    weights = np.broadcast_to(weights, times.shape)
    unit = np.abs(design).max(axis=0)
    scaled = design / unit
    near, huber = times, weights
    scaled_held = None if held is None else held * unit
    best, best_loss = None, np.full(batch, np.inf)
    for _ in range(sweeps):
        found = _solve(scaled, times, huber, near, masks, ridge, scaled_held)
        planes = np.einsum("bkp,np->bkn", found, scaled)
        owner = planes.argmax(axis=1)
        near = np.maximum(planes.max(axis=1), 1e-6 * times)
        left = np.log(times / near)
        loss, huber = _weigh(left, weights, freedom)
        better = loss < best_loss
        best = found if best is None else np.where(better[:, None, None], found, best)
        best_loss = np.where(better, loss, best_loss)
        fresh = (np.arange(masks.shape[1])[None, :, None] == owner[:, None]).astype(float)
        if np.array_equal(fresh, masks) and not better.any():
            break
        masks = fresh
    return best / unit


def _weigh(left: np.ndarray, weights: np.ndarray, freedom: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns each batch's loss, which knows no scale so that sweeps compare, and the next
    weights."""
    if freedom < LEAST_FREEDOM_FOR_ROBUST:
        return (weights * left**2).sum(axis=1), weights
    size = np.abs(left)
    inside = np.where(weights > 0, size, np.nan)
    scale = np.maximum(1.4826 * np.nanmedian(inside, axis=1), _LEAST_SCALE)[:, None]
    loss = (weights * size).sum(axis=1)
    return loss, weights * np.minimum(1, HUBER * scale / np.maximum(size, 1e-12))


def _solve(
    scaled: np.ndarray,
    times: np.ndarray,
    weights: np.ndarray,
    near: np.ndarray,
    masks: np.ndarray,
    ridge: np.ndarray,
    held: np.ndarray | None,
) -> np.ndarray:
    """Returns each stage's plane through the points it has, relative errors squared; a stage
    without points lies low."""
    relative = weights / near**2
    strength = masks * relative[:, None]
    matrix = np.einsum("bkn,np,nq->bkpq", strength, scaled, scaled, optimize=True)
    right = np.einsum("bkn,bn,np->bkp", strength, times, scaled, optimize=True)
    size = np.trace(matrix, axis1=2, axis2=3) + 1e-300
    tie = _RIDGE * size[..., None] * (ridge[:, None] + 1e-6)
    if held is not None:
        is_held = np.isfinite(held)
        tie = tie + _HOLD * size[..., None] * is_held
        right = right + _HOLD * size[..., None] * np.where(is_held, held, 0)
    matrix = matrix + tie[..., None] * np.eye(3)
    return np.linalg.solve(matrix, right[..., None])[..., 0]


def positive(design: np.ndarray, times: np.ndarray, planes: Planes) -> Planes:
    """Fits once more with no parameter below 0, from where the free fit ended."""
    if (planes.parameters >= 0).all():
        return planes
    unit = np.abs(design).max(axis=0)
    parameters = np.maximum(planes.parameters, 0)
    best, best_loss = parameters, np.inf
    for _ in range(_SWEEPS):
        modelled = (design @ parameters.T).max(axis=1)
        owner = (design @ parameters.T).argmax(axis=1)
        left = residuals(design, times, parameters)
        scale = max(planes.scale, 1e-9)
        loss = float(huber_loss(left, scale).sum())
        if loss < best_loss:
            best, best_loss = parameters, loss
        weights = np.sqrt(np.minimum(1, HUBER * scale / np.maximum(np.abs(left), 1e-12))) / modelled
        parameters = parameters.copy()
        for stage in np.unique(owner):
            own = owner == stage
            strength = weights[own, None]
            found, _ = optimize.nnls(design[own] / unit * strength, times[own] * strength[:, 0])
            parameters[stage] = found / unit
    return Planes(in_order(best), planes.scale, planes.freedom)
