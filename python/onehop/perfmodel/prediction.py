"""From curves between two ranks to a halo step and a CG iteration, and how far that was off.

A halo step writes, sends and reads every byte of F faces. Ping-ping with its bytes checked in every
step does the same with V messages, so its model is the halo's with V = F:
    T(F, N) = g(F N) + (F - 1) tau
g is fitted to one channel, tau to what more channels of the shortest messages add.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from onehop._core import UsageError
from onehop.perfmodel.fit import Fit, fit
from onehop.perfmodel.observations import Observations, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

GOAL = 0.15
# Sizes, from the shortest, whose channels tell tau: bytes do not count yet.
_SHORT = 3


@dataclasses.dataclass(frozen=True)
class ExchangeModel:
    """Of one transport; `one` is the fit of one channel, `tau_us` what another message adds."""

    one: Fit
    tau_us: float

    def times(self, size_bytes: np.ndarray, faces: np.ndarray) -> np.ndarray:
        """us of a step with that many faces of that many bytes each."""
        size_bytes, faces = np.broadcast_arrays(
            np.asarray(size_bytes, float), np.asarray(faces, float)
        )
        return self.one.times(size_bytes * faces) + (faces - 1) * self.tau_us


@dataclasses.dataclass(frozen=True)
class Checked:
    """`errors` are predicted / measured - 1, of each observation."""

    name: str
    observations: Observations
    predicted_us: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        return self.predicted_us / self.observations.time_us - 1

    @property
    def within_goal(self) -> float:
        return float((np.abs(self.errors) <= GOAL).mean())

    def summary(self) -> str:
        sizes = np.abs(self.errors)
        return (
            f"{self.name}: {100 * self.within_goal:.0f}% of {len(sizes)} predictions lie within "
            f"{100 * GOAL:.0f}% of what was measured; median error {100 * np.median(sizes):.1f}%, "
            f"largest {100 * sizes.max():.0f}%."
        )


def exchange_model(parts: Sequence[Observations]) -> ExchangeModel:
    """From ping-ping with --check inside on one channel and, for tau, on more."""
    data = joined(list(parts)).sorted()
    single = _of_channels(data, 1)
    if len(single) < 5:
        raise UsageError("a prediction needs ping-ping on one channel at 5 sizes or more")
    one = fit(single, "auto")
    return ExchangeModel(one, _tau(data, one))


def _of_channels(data: Observations, channels: float) -> Observations:
    own = data.channels == channels
    return Observations(data.size_bytes[own], data.channels[own], data.time_us[own], data.name)


def _tau(data: Observations, one: Fit) -> float:
    many = data.channels > 1
    short = data.size_bytes <= np.unique(data.size_bytes)[:_SHORT][-1]
    chosen = many & short
    if not chosen.any():
        return 0.0
    volume = data.size_bytes[chosen] * data.channels[chosen]
    more = (data.time_us[chosen] - one.times(volume)) / (data.channels[chosen] - 1)
    return max(0.0, float(np.median(more)))


def check_halo(model: ExchangeModel, halo: Observations) -> Checked:
    return Checked(halo.name, halo, model.times(halo.size_bytes, halo.channels))


@dataclasses.dataclass(frozen=True)
class Iteration:
    """A CG iteration on several ranks, from one rank with the same local lattice."""

    predicted_us: float
    measured_us: float
    alone_us: float
    halo_us: float
    sums_us: float

    @property
    def error(self) -> float:
        return self.predicted_us / self.measured_us - 1
