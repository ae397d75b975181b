"""From curves between two ranks to a halo step and a CG iteration, and how far that was off.

A halo step writes, sends and reads every byte of F faces. Ping-ping with its bytes checked in every
step does the same with V messages, so its parameters are the halo's with V = F:
    T(F, N) = g(F N) + (F - 1) tau
g is a table, as in PLogP (Kielmann et al., LNCS 1800, 1176): caches of several levels bend it more
often than a model with few parameters can. tau is what a further message of the shortest adds.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from onehop._core import UsageError
from onehop.perfmodel.observations import Observations, joined
from onehop.perfmodel.workload import HOPPINGS, OPERATORS, REDUCTIONS, share_of

if TYPE_CHECKING:
    from collections.abc import Sequence

GOAL = 0.15
# Sizes, from the shortest, whose channels tell tau: bytes do not count yet.
_SHORT = 3
# Options that two solves must share to cost the same per site and iteration.
_SAME = ("dslash", "solver", "source", "overlap")


@dataclasses.dataclass(frozen=True)
class ExchangeModel:
    """Of one transport: `gap_us` at `volume_bytes`, rising, and `tau_us`."""

    volume_bytes: np.ndarray
    gap_us: np.ndarray
    tau_us: float

    def times(self, size_bytes: np.ndarray, faces: np.ndarray) -> np.ndarray:
        """us of a step with that many faces of that many bytes each; beyond the table it goes on as
        between the last two entries."""
        size_bytes, faces = np.broadcast_arrays(
            np.asarray(size_bytes, float), np.asarray(faces, float)
        )
        return _between(self.volume_bytes, self.gap_us, size_bytes * faces) + self.tau_us * (
            faces - 1
        )


def _between(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Straight lines on logarithmic axes."""
    x, y, at = np.log(x), np.log(y), np.log(at)
    found = np.interp(at, x, y)
    slope = (y[-1] - y[-2]) / (x[-1] - x[-2])
    return np.exp(np.where(at > x[-1], y[-1] + slope * (at - x[-1]), found))


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
    single = data.channels == 1
    if len(np.unique(data.size_bytes[single])) < 5:
        raise UsageError("a prediction needs ping-ping on one channel at 5 sizes or more")
    table = _table(data.size_bytes[single], data.time_us[single])
    return ExchangeModel(*table, _tau(data, *table))


def _table(volume: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Medians by volume."""
    levels = np.unique(volume)
    return levels, np.array([np.median(times[volume == level]) for level in levels])


def _tau(data: Observations, volume: np.ndarray, times: np.ndarray) -> float:
    short = data.size_bytes <= np.unique(data.size_bytes)[:_SHORT][-1]
    chosen = (data.channels > 1) & short
    if not chosen.any():
        return 0.0
    alone = _between(volume, times, data.size_bytes[chosen] * data.channels[chosen])
    more = (data.time_us[chosen] - alone) / (data.channels[chosen] - 1)
    return max(0.0, float(np.median(more)))


def check_halo(model: ExchangeModel, halo: Observations) -> Checked:
    """From ping-ping to every halo step."""
    return Checked(f"{halo.name} from ping-ping", halo, model.times(halo.size_bytes, halo.channels))


def check_more_faces(halo: Observations) -> Checked | None:
    """From the step with the fewest faces to those with more, as if only bytes counted; volumes
    that the former did not reach are left out. None where there is nothing to foretell."""
    fewest = halo.channels.min()
    known = halo.channels == fewest
    volume = halo.size_bytes * halo.channels
    inside = (volume >= volume[known].min()) & (volume <= volume[known].max()) & ~known
    if len(np.unique(volume[known])) < 5 or not inside.any():
        return None
    model = ExchangeModel(*_table(volume[known], halo.time_us[known]), 0.0)
    others = Observations(
        halo.size_bytes[inside], halo.channels[inside], halo.time_us[inside], halo.name
    )
    times = model.times(others.size_bytes, others.channels)
    return Checked(f"{halo.name} from {fewest:g} faces", others, times)


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


def predict_iteration(
    model: ExchangeModel, alone: dict, together: dict, sum_us: float
) -> Iteration | None:
    """From records of `onehop solve` on one and on several ranks with the same local lattice; None
    where they do not belong together. Nothing of `together` but its shape goes into the prediction.
    """
    lattice, grid = together["lattice"], together["grid"]
    share = share_of(lattice, grid, OPERATORS[together["options"]["dslash"]], "double")
    same = all(alone["options"].get(k) == together["options"].get(k) for k in _SAME)
    if alone["ranks"] != 1 or together["ranks"] == 1 or not same:
        return None
    if list(share.local) != list(alone["lattice"]) or not share.faces:
        return None
    sizes = np.array([size for _, size in share.faces], float)
    halo_us = HOPPINGS * float(model.times(sizes.mean(), len(sizes)))
    sums_us = REDUCTIONS * sum_us
    alone_us = _iteration_us(alone)
    return Iteration(
        alone_us + halo_us + sums_us,
        _iteration_us(together),
        alone_us,
        halo_us,
        sums_us,
    )


def _iteration_us(record: dict) -> float:
    """Without the check of the true residual, which is not part of an iteration."""
    timing = record["timing"]
    return 1e6 * (timing["total_s"] - timing["check_s"]) / record["iterations_total"]
