"""Describes what a fit determines, and what it cannot determine, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from onehop.counted import counted
from onehop.perfmodel import segments
from onehop.perfmodel.fit import Fit

if TYPE_CHECKING:
    from onehop.perfmodel.stages import Stage


def verdict(fit: Fit) -> str:
    """Returns sentences."""
    return " ".join([_choice(fit), *_doubts(fit), *_stage_lines(fit), *_residual_lines(fit)])


def is_decided(fit: Fit) -> bool:
    """Returns whether neither another model nor an undetermined parameter is left."""
    return fit.rival is None and not any(stage.undetermined for stage in fit.stages)


def _choice(fit: Fit) -> str:
    others = [score for score in fit.scores if score != _own_name(fit)]
    error = f"predicts sizes left out of the fit within {100 * fit.score:.1f}% (root mean square)"
    if not others:
        return f"{_own_name(fit)}: {error}."
    best = min(others, key=fit.scores.__getitem__)
    return (
        f"{_own_name(fit)}: {error}; {best}, the next best, within {100 * fit.scores[best]:.1f}%."
    )


def _own_name(fit: Fit) -> str:
    if fit.stages:
        return counted(len(fit.stages), "stage")
    return segments.title(fit.model, len(fit.lines))


def _doubts(fit: Fit) -> list[str]:
    lines = []
    if fit.rival is not None:
        lines.append(
            f"The data cannot decide between this and {fit.rival}: the difference is within "
            "chance. More sizes near the bend, or repeated ones, would tell."
        )
    data = fit.observations
    if len(data) < 8:
        lines.append(
            f"{len(data)} points are few: the intervals allow for that, the choice of a model does"
            " not."
        )
    channels = np.unique(data.channels)
    if fit.lines and len(channels) > 1:
        lines.append(f"{fit.model} has no term for channels; bytes of all channels are added up.")
    if fit.model == "loggp":
        lines.append("Of L and o only L + 2o is determined by times of lone messages.")
    if fit.model == "plogp" and fit.latency_us is None:
        lines.append("L and g(0) are not told apart; add a record of put or bandwidth.")
    if fit.stages and len(channels) == 1:
        lines.append(
            f"Only one number of channels, V = {channels[0]:g}, was measured: lambda and tau are "
            f"not determined separately, only lambda + {channels[0]:g} tau. Measure several "
            "--channels."
        )
    return lines


def _stage_lines(fit: Fit) -> list[str]:
    return [line for number, stage in enumerate(fit.stages, 1) for line in _of_stage(number, stage)]


def _of_stage(number: int, stage: Stage) -> list[str]:
    lines = []
    if stage.combined is not None:
        found = stage.combined
        lines.append(
            f"Stage {number}: lambda + {found.channels:g} tau is {found.value_us:.3f} us "
            f"[{found.interval.low:.3f}, {found.interval.high:.3f}]; each alone is only bounded, "
            "and the value given is the middle of what is possible."
        )
    elif stage.undetermined:
        names = ", ".join(name.partition("_")[0] for name in stage.undetermined)
        lines.append(
            f"Stage {number} rules {stage.cells} of the cells only: {names} are bounded, not "
            "determined; the values given are the middle of what is possible."
        )
    beta = stage.intervals["beta_MBps"]
    if np.isinf(beta.high) and "beta_MBps" not in stage.undetermined:
        lines.append(f"Stage {number}: beta is known only to exceed {beta.low:.0f} MB/s.")
    return lines


def _residual_lines(fit: Fit) -> list[str]:
    """Residuals that keep their sign along the sizes are the model's, not chance."""
    left = np.sign(fit.residuals[np.abs(fit.residuals) > 1e-9])
    above, below = int((left > 0).sum()), int((left < 0).sum())
    if above + below < 12:
        return []
    runs = 1 + int((np.diff(left) != 0).sum())
    expected = 1 + 2 * above * below / (above + below)
    spread = np.sqrt(max((expected - 1) * (expected - 2) / (above + below - 1), 1e-9))
    if stats.norm.cdf((runs - expected) / spread) < 0.01:
        return [
            "Residuals keep their sign over many sizes: the curve has structure that this model "
            "lacks, and the intervals are too narrow where it does."
        ]
    return []
