"""Predicts a halo step and a CG iteration from curves between two ranks, and says how far off that
is.

A halo step packs, sends and reads every byte of F faces. Packed ping-ping does the same with V
messages, so its parameters are the halo's with V = F. Two laws:
    by volume:  T(F, N) = g(F N) + (F - c) tau        stores into caches, which see bytes
    by message: T(F, N) = T(c, N) + (F - c) g(N)      a library whose protocol goes by size
with c the fewest messages measured; g are tables, as in PLogP (Kielmann et al., LNCS 1800, 1176).
The law by volume is taken if it predicts nine of ten points with more messages within the goal.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from onehop._core import UsageError
from onehop.perfmodel.observations import Observations, joined, medians
from onehop.perfmodel.workload import BYTES_OF_REAL, OPERATORS, REDUCTIONS, share_of

GOAL = 0.15
# The sizes, from the shortest, whose channels tell tau: bytes do not count yet.
_SHORT = 3
# Two solves must share these options to cost the same per site and iteration.
_SAME = (
    *("dslash", "csw", "mu", "solver", "source", "overlap"),
    *("prec", "recon", "threads", "device"),
)


@dataclasses.dataclass(frozen=True)
class ExchangeModel:
    """The model of one transport: tables over volumes, or over message sizes with `more_us` for
    each message beyond the `fewest`; `law` is "volume" or "message"."""

    law: str
    fewest: float
    bytes_at: np.ndarray
    time_us: np.ndarray
    more_us: np.ndarray

    def times(self, size_bytes: np.ndarray, faces: np.ndarray) -> np.ndarray:
        """Returns the us of a step with that many faces of that many bytes each; beyond the table
        it goes on as between the last two entries."""
        size, many = np.broadcast_arrays(np.asarray(size_bytes, float), np.asarray(faces, float))
        at = size * many if self.law == "volume" else size
        more = np.interp(np.log(at), np.log(self.bytes_at), self.more_us)
        if self.law == "message":
            more = _between(self.bytes_at, np.maximum(self.more_us, 1e-6), at)
        return _between(self.bytes_at, self.time_us, at) + (many - self.fewest) * more


def _between(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Interpolates by straight lines on logarithmic axes."""
    x, y, at = np.log(x), np.log(y), np.log(at)
    found = np.interp(at, x, y)
    slope = (y[-1] - y[-2]) / (x[-1] - x[-2])
    return np.exp(np.where(at > x[-1], y[-1] + slope * (at - x[-1]), found))


@dataclasses.dataclass(frozen=True)
class Checked:
    """The `errors` are predicted / measured - 1, of each observation."""

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
    """Makes the model from steps with the fewest messages and, to know what further ones add, with
    more."""
    data = joined(list(parts)).sorted()
    fewest = float(data.channels.min())
    least = data.channels == fewest
    if len(np.unique(data.size_bytes[least])) < 5:
        raise UsageError("a prediction needs 5 sizes or more on one number of channels")
    by_volume = _by_volume(data, fewest)
    volume = data.size_bytes * data.channels
    inside = ~least & (volume >= by_volume.bytes_at[0]) & (volume <= by_volume.bytes_at[-1])
    by_message = _by_message(data, fewest)
    if by_message is None or not inside.any():
        return by_volume
    foretold = by_volume.times(data.size_bytes[inside], data.channels[inside])
    off = np.abs(np.log(foretold / data.time_us[inside]))
    return by_volume if np.quantile(off, 0.9) < GOAL else by_message


def _by_volume(data: Observations, fewest: float) -> ExchangeModel:
    least = data.channels == fewest
    volume, times = medians(fewest * data.size_bytes[least], data.time_us[least])
    short = data.size_bytes <= np.unique(data.size_bytes)[:_SHORT][-1]
    chosen = ~least & short
    tau = 0.0
    if chosen.any():
        alone = _between(volume, times, data.size_bytes[chosen] * data.channels[chosen])
        more = (data.time_us[chosen] - alone) / (data.channels[chosen] - fewest)
        tau = max(0.0, float(np.median(more)))
    return ExchangeModel("volume", fewest, volume, times, np.full(len(volume), tau))


def _by_message(data: Observations, fewest: float) -> ExchangeModel | None:
    """Makes the model from the sizes that were measured with the fewest and with more messages."""
    least = data.channels == fewest
    sizes, times = medians(data.size_bytes[least], data.time_us[least])
    both = np.isin(sizes, data.size_bytes[~least])
    if both.sum() < 5:
        return None
    sizes, times = sizes[both], times[both]
    more = [
        np.median((data.time_us[own] - time) / (data.channels[own] - fewest))
        for size, time in zip(sizes, times, strict=True)
        for own in [~least & (data.size_bytes == size)]
    ]
    return ExchangeModel("message", fewest, sizes, times, np.maximum(more, 0.0))


def check_halo(model: ExchangeModel, halo: Observations) -> Checked:
    """Predicts every halo step from ping-ping."""
    return Checked(f"{halo.name} from ping-ping", halo, model.times(halo.size_bytes, halo.channels))


def check_more_faces(halo: Observations) -> Checked | None:
    """Predicts the steps with more faces from those with the fewest two numbers of faces; None
    if there are not three."""
    numbers = np.unique(halo.channels)
    if len(numbers) < 3:
        return None
    known = np.isin(halo.channels, numbers[:2])
    base, others = (
        Observations(halo.size_bytes[m], halo.channels[m], halo.time_us[m], halo.name)
        for m in (known, ~known)
    )
    times = exchange_model([base]).times(others.size_bytes, others.channels)
    few = f"{numbers[0]:g} and {numbers[1]:g} faces"
    return Checked(f"{halo.name} from {few}", others, times)


@dataclasses.dataclass(frozen=True)
class Iteration:
    """A CG iteration on several ranks, predicted from one rank with the same local lattice."""

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
    """Predicts an iteration on several ranks from records of `onehop solve` on one and on several
    ranks with the same local lattice; None if these do not belong together. Only the shape of
    `together` enters the prediction.
    """
    options = together["options"]
    same = all(alone["options"].get(k) == options.get(k) for k in _SAME)
    same = same and alone.get("rhs") == together.get("rhs")
    if alone["ranks"] != 1 or together["ranks"] == 1 or not same:
        return None
    operator = OPERATORS.get(options["dslash"])
    # Faces of a solve in mixed precision have no one size.
    if operator is None or options["prec"] not in BYTES_OF_REAL:
        return None
    share = share_of(together["lattice"], together["grid"], operator, options["prec"])
    if list(share.local) != list(alone["lattice"]) or not share.faces:
        return None
    if not (alone["iterations_total"] and together["iterations_total"]):
        return None
    sizes = np.array([size for _, size in share.faces], float)
    halo_us = share.hoppings * float(model.times(sizes.mean(), len(sizes)))
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
    """Returns the time without the check of the true residual, which is not part of an
    iteration."""
    timing = record["timing"]
    return 1e6 * (timing["total_s"] - timing.get("check_s", 0)) / record["iterations_total"]
