"""Finds how well a model predicts sizes it has not seen, by deterministic cross-validation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from onehop.counted import counted
from onehop.perfmodel import staged

_MOST_FOLDS = 10
_MOST_STAGES = 4
_STARTS = 8
_SWEEPS = 20
# Models with relative errors this small count as exact.
_TRIFLE = 1e-4


@dataclasses.dataclass(frozen=True)
class Score:
    """`errors`: |log(measured / predicted)| of each point when its cell was left out, at most 1."""

    name: str
    errors: np.ndarray

    @property
    def mean(self) -> float:
        """Returns the root of the mean square."""
        return float(np.sqrt((self.errors**2).mean()))

    def gain_over(self, other: Score) -> tuple[float, float]:
        """Returns how much smaller the squares of these errors are on average, and the standard
        error."""
        gain = other.errors**2 - self.errors**2
        if len(gain) < 2:
            return float(gain.mean()), np.inf
        return float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))


def folds(size_bytes: np.ndarray, channels: np.ndarray) -> np.ndarray:
    """Returns a number for each point; points of one (size, channels) share it, neighbours do
    not."""
    cells = np.unique(np.column_stack([channels, size_bytes]), axis=0, return_inverse=True)[1]
    cells = cells.reshape(-1)
    return cells % min(_MOST_FOLDS, int(cells.max()) + 1)


def score_stages(design: np.ndarray, times: np.ndarray, stages: int, parts: np.ndarray) -> Score:
    """Scores all folds at the same time, each from the best few fits of all the points."""
    free = stages * staged.count_free(design)
    masks, ridge = staged.promising_masks(design, times, stages, len(times) - free, _STARTS)
    names = np.unique(parts)
    kept = (parts[None] != names[:, None]).astype(float)
    fitted = staged.alternate(
        design,
        times[None],
        np.repeat(kept, len(masks), axis=0),
        np.tile(masks, (len(names), 1, 1)),
        np.tile(ridge, (len(names), 1)),
        freedom=int(kept.sum(axis=1).min()) - free,
        sweeps=_SWEEPS,
    ).reshape(len(names), len(masks), stages, 3)
    errors = np.empty(len(times))
    for number, part in enumerate(names):
        inside = parts != part
        freedom = int(inside.sum()) - free
        best = staged.pick(design[inside], times[inside], fitted[number], freedom)
        errors[~inside] = np.abs(staged.residuals(design[~inside], times[~inside], best))
    return Score(counted(stages, "stage"), np.minimum(errors, 1.0))


def score_stage_counts(
    design: np.ndarray, times: np.ndarray, parts: np.ndarray, most: int = _MOST_STAGES
) -> list[Score]:
    """Scores 1, 2, ... stages, as many as the points could carry and until one more does not
    help."""
    free = staged.count_free(design)
    cells = len(np.unique(design, axis=0))
    scores: list[Score] = []
    for count in range(1, most + 1):
        if count > 1 and count * free >= cells:
            break
        scores.append(score_stages(design, times, count, parts))
        if len(scores) > 2 and scores[-1].mean > 0.98 * scores[-2].mean:
            break
    return scores


def score_by(
    names: list[str],
    foretell: Callable[[np.ndarray, np.ndarray], list[np.ndarray]],
    times: np.ndarray,
    parts: np.ndarray,
) -> list[Score]:
    """Scores by `foretell(inside, outside)`, which gives for each of the models named the times of
    the points `outside` from those `inside`. Where it gives fewer, since the points do not suffice
    for the richer models, its last one stands for these."""
    errors = np.ones((len(names), len(times)))
    for part in np.unique(parts):
        outside = parts == part
        if (~outside).sum() < 2:
            continue
        foretold = foretell(~outside, outside)
        for number in range(len(names)):
            near = np.maximum(foretold[min(number, len(foretold) - 1)], 1e-12)
            errors[number, outside] = np.abs(np.log(times[outside] / near))
    return [Score(n, np.minimum(e, 1.0)) for n, e in zip(names, errors, strict=True)]


def choose(scores: list[Score]) -> tuple[Score, Score | None]:
    """Returns the simplest model that no richer one beats by more than a standard error, and the
    best of the others that chance does not tell from it, if any. `scores` are from simple to
    rich."""
    chosen = scores[0]
    for rival in scores[1:]:
        gain, error = rival.gain_over(chosen)
        if gain > error and rival.mean < min(0.98 * chosen.mean, chosen.mean - _TRIFLE):
            chosen = rival
    if chosen.mean < _TRIFLE:
        return chosen, None
    doubtful = []
    for rival in scores:
        gain, error = chosen.gain_over(rival)
        if rival is not chosen and abs(gain) < error and rival.mean < 1.05 * chosen.mean:
            doubtful.append(rival)
    return chosen, min(doubtful, key=lambda score: score.mean, default=None)
