"""Computes statistical errors over configurations by jackknife or the Gamma method."""

from __future__ import annotations

import dataclasses
import json
import numbers
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onehop._core import FileError, UsageError
from onehop.argument import Made, as_array, checked, checked_int
from onehop.estimate_display import axes_for, draw_estimate, html_table, with_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Derived = Callable[[NDArray[np.float64]], ArrayLike]

# So many numbers of a quantity stand in its one line.
_MOST_SHOWN = 8


@dataclasses.dataclass(frozen=True)
class Jackknife(Made):
    """A quantity with its error; all but the replicas have the shape of the quantity.

    value      function of the mean over all configurations
    error      sqrt((B-1)/B sum_b (f_b - mean f)^2) over the B bins
    replicas   (B, ...) the function of the mean without bin b

    >>> samples = np.random.default_rng(1).normal(1.0, 0.1, size=(100, 8))
    >>> found = onehop.jackknife(samples)
    >>> found.value.shape, found.replicas.shape, found.covariance.shape
    ((8,), (100, 8), (8, 8))
    """

    value: NDArray[np.float64]
    error: NDArray[np.float64]
    replicas: NDArray[np.float64]

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance (K, K) of the K numbers of a quantity, whose diagonal is error^2."""
        apart = (self.replicas - self.replicas.mean(axis=0)).reshape(len(self.replicas), -1)
        return (len(apart) - 1) / len(apart) * apart.T @ apart

    @property
    def bias(self) -> NDArray[np.float64]:
        """(B-1) (mean f_b - value), the bias of order 1/N of a nonlinear function; it is not
        subtracted from the value."""
        return (len(self.replicas) - 1) * (self.replicas.mean(axis=0) - self.value)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws a quantity of one dimension with its errors, as an effective mass over t, on axes
        or a new figure of pyplot, and returns the axes. Numbers that are NaN are left out. Raises
        UsageError for more dimensions, and where there is no matplotlib."""
        return _plot("Jackknife.plot", self, axes)

    def __repr__(self) -> str:
        return _in_one_line(self)

    def _repr_html_(self) -> str:
        return html_table(self.value.shape, {"value": _values(self)})


@dataclasses.dataclass(frozen=True)
class GammaEstimate(Made):
    """A quantity with its error and autocorrelation; all have the shape of the quantity.

    value           function of the mean over all configurations; for several replica without the
                    bias of order 1/N
    error           error of the value
    error_of_error  error of the error
    tau_int         integrated autocorrelation time in configurations: 1/2 where they are
                    independent; NaN where nothing fluctuates
    tau_int_error   error of tau_int
    window          separation up to which autocorrelations were summed

    >>> noise = np.random.default_rng(1).normal(0.594, 0.001, size=1003)
    >>> chain = np.convolve(noise, np.full(4, 0.25), "valid")       # tau_int is 2
    >>> found = onehop.gamma_method(chain)
    >>> print(f"{found.value:.5f} +- {found.error:.5f}, tau_int {found.tau_int:.1f}")
    0.59395 +- 0.00003, tau_int 2.0
    """

    value: NDArray[np.float64]
    error: NDArray[np.float64]
    error_of_error: NDArray[np.float64]
    tau_int: NDArray[np.float64]
    tau_int_error: NDArray[np.float64]
    window: NDArray[np.int64]

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws what `Jackknife.plot` does."""
        return _plot("GammaEstimate.plot", self, axes)

    def __repr__(self) -> str:
        return _in_one_line(self)

    def _repr_html_(self) -> str:
        times = zip(np.ravel(self.tau_int), np.ravel(self.tau_int_error), strict=True)
        columns = {
            "value": _values(self),
            "tau_int": [with_error(tau, error) for tau, error in times],
        }
        return html_table(self.value.shape, columns)


def _plot(user: str, found: Jackknife | GammaEstimate, axes: Axes | None) -> Axes:
    axes = axes_for(user, axes, found.value)
    draw_estimate(axes, found.value, found.error)
    return axes


def _in_one_line(found: Jackknife | GammaEstimate) -> str:
    """Returns <Jackknife 0.5231(47), 0.5312(51), ...>, with the shape of what has several axes."""
    values = _values(found)
    shown = ", ".join(values[:_MOST_SHOWN]) + (", ..." if len(values) > _MOST_SHOWN else "")
    shape = f" of shape {found.value.shape}" if found.value.ndim > 1 else ""
    return f"<{type(found).__name__}{shape} {shown}>"


def _values(found: Jackknife | GammaEstimate) -> list[str]:
    pairs = zip(np.ravel(found.value), np.ravel(found.error), strict=True)
    return [with_error(value, error) for value, error in pairs]


def jackknife(samples: ArrayLike, function: Derived | None = None, *, bin: int = 1) -> Jackknife:
    """Returns a function of means with its error, found by leaving out one bin after the other.

    `samples` are float64 (N, ...), a row for each configuration in the order of the chain;
    `function` takes a mean (...) and gives an array of any shape, by default the mean itself:
    `jackknife(correlators, onehop.effective_mass)`. Correlated rows need bins of `bin` rows that
    are longer than the autocorrelation; if N is not a multiple of `bin`, the first rows are left
    out. Raises UsageError for fewer than two bins.

    >>> t, noise = np.arange(8), np.random.default_rng(1).normal(1.0, 0.01, size=(100, 1))
    >>> correlators = np.cosh(0.5 * (t - 4)) * noise        # a row for each configuration
    >>> mass = onehop.jackknife(correlators, onehop.effective_mass, bin=5)
    >>> np.round(mass.value[1:4], 3)
    array([0.5, 0.5, 0.5])
    """
    rows = _rows(samples)
    checked_int(bin, "bin")
    if bin < 1 or len(rows) // bin < 2:
        raise UsageError(
            f"a jackknife of {len(rows)} configurations in bins of {bin}: two bins are needed"
        )
    count = len(rows) // bin
    means = rows[len(rows) - count * bin :].reshape(count, bin, *rows.shape[1:]).mean(axis=1)
    derive = _identity if function is None else function
    total = means.mean(axis=0)
    replicas = np.array(
        [np.asarray(derive((count * total - one) / (count - 1)), float) for one in means]
    )
    apart = replicas - replicas.mean(axis=0)
    error = np.sqrt((count - 1) / count * (apart**2).sum(axis=0))
    return Jackknife(np.asarray(derive(total), float), error, replicas)


def gamma_method(
    samples: ArrayLike,
    function: Derived | None = None,
    *,
    s: float = 1.5,
    replica: Sequence[int] | None = None,
) -> GammaEstimate:
    """Returns the error of a function of means from the autocorrelation of the chain, which it also
    finds (U. Wolff, Comput. Phys. Commun. 156 (2004) 143, hep-lat/0306017).

    `samples` are float64 (N, ...), a row for each configuration in the order of the chain and at
    equal distances. `replica` are the lengths of several chains with the same parameters, whose
    rows follow one another. `function` is as for `jackknife`. Each number that it returns has its
    own window, which minimises the sum of truncation error and noise if autocorrelations decay with
    `s` times tau_int; usual values of `s` are 1 to 2. Errors are linearised: they hold for
    functions that are smooth within the errors of the means. Raises UsageError for a chain of fewer
    than 4 rows.

    >>> chain = np.random.default_rng(1).normal(0.594, 0.001, size=(400, 2))
    >>> ratio = onehop.gamma_method(chain, lambda mean: mean[0] / mean[1])
    >>> print(f"{ratio.value:.4f} +- {ratio.error:.4f}")
    0.9998 +- 0.0001
    """
    rows = _rows(samples)
    replica = [len(rows)] if replica is None else replica
    checked(replica, (Sequence, np.ndarray), "replica", "the lengths of chains, as [500, 500]")
    lengths = [checked_int(length, "a length of replica") for length in replica]
    checked(s, numbers.Real, "s", "a number")
    if sum(lengths) != len(rows) or min(lengths, default=0) < 4 or not s > 0:
        raise UsageError(
            f"the Gamma method of {len(rows)} configurations, replica {lengths}, s {s}: each "
            "replica needs 4 configurations or more, together they make up the rows, and s must "
            "be above 0"
        )
    chains = np.split(rows, np.cumsum(lengths)[:-1])
    derive = _identity if function is None else function
    mean = rows.mean(axis=0)
    value = np.asarray(derive(mean), float)
    slopes = _gradient(derive, mean, rows.std(axis=0) / np.sqrt(len(rows)), value.shape)
    # These are what each configuration adds to each number, to first order.
    parts = [
        (chain - mean).reshape(len(chain), -1) @ slopes.reshape(-1, value.size) for chain in chains
    ]
    found = [_error([part[:, k] for part in parts], s) for k in range(value.size)]
    columns = [np.array(column).reshape(value.shape) for column in zip(*found, strict=True)]
    if len(chains) > 1:
        of_each = sum(
            len(chain) * np.asarray(derive(chain.mean(axis=0)), float) for chain in chains
        )
        value = value - (of_each / len(rows) - value) / (len(chains) - 1)
    return GammaEstimate(value, *columns)


def _rows(samples: ArrayLike) -> NDArray[np.float64]:
    rows = as_array(samples, "rows of configurations")
    if np.iscomplexobj(rows) or rows.ndim == 0:
        raise UsageError(
            "errors are of real numbers, a row for each configuration; give .real or .imag"
        )
    if rows.dtype.kind not in "biuf" or 0 in rows.shape[1:]:
        raise UsageError(
            f"errors of rows of {rows.dtype} of shape {rows.shape}: give real numbers, a row for "
            "each configuration"
        )
    return np.asarray(rows, float)


def _identity(mean: NDArray[np.float64]) -> NDArray[np.float64]:
    return mean


def _gradient(
    derive: Derived, mean: NDArray[np.float64], step: NDArray[np.float64], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Returns the gradient (*mean.shape, *shape) by differences over the errors of the means."""
    slopes = np.zeros((*mean.shape, *shape))
    for place in np.ndindex(mean.shape):
        if step[place] == 0:
            continue
        up, down = np.array(mean), np.array(mean)
        up[place] += step[place]
        down[place] -= step[place]
        slopes[place] = (np.asarray(derive(up)) - np.asarray(derive(down))) / (2 * step[place])
    return slopes


def _error(parts: list[NDArray[np.float64]], s: float) -> tuple[float, float, float, float, int]:
    """Returns error, error_of_error, tau_int, tau_int_error and window of one number."""
    number = sum(map(len, parts))
    variance = _correlation(parts, 0)
    if not variance > 0:
        unknown = 0.0 if variance == 0 else np.nan
        return unknown, unknown, np.nan, np.nan, 0
    window, correlated = _window(parts, variance, s)
    squared = variance + 2 * correlated
    if squared <= 0:
        # The chain is anticorrelated beyond what so few configurations can tell.
        return np.nan, np.nan, np.nan, np.nan, window
    # The mean was taken from the same data, which takes as much from the correlation at each lag.
    bias = squared / number
    squared += (2 * window + 1) * bias
    error = np.sqrt(squared / number)
    tau = squared / (2 * (variance + bias))
    tau_error = 2 * tau * np.sqrt(max(window + 0.5 - tau, 0) / number)
    return error, error * np.sqrt((window + 0.5) / number), tau, tau_error, window


def _correlation(parts: list[NDArray[np.float64]], lag: int) -> float:
    """Returns the correlation of configurations that lie this far apart in their chain."""
    pairs = sum(len(part) - lag for part in parts)
    return sum(float(part[: len(part) - lag] @ part[lag:]) for part in parts) / pairs


def _window(parts: list[NDArray[np.float64]], variance: float, s: float) -> tuple[int, float]:
    """Returns the first W at which the errors by truncation and by noise together rise again, and
    the sum of correlations up to there."""
    number, total = sum(map(len, parts)), 0.0
    most = min(map(len, parts)) // 2
    for w in range(1, most + 1):
        total += _correlation(parts, w)
        if total <= 0:
            return w, total
        tau = s / np.log1p(variance / total)
        if np.exp(-w / tau) < tau / np.sqrt(w * number):
            return w, total
    return most, total


def samples_of(
    records: Sequence[dict | str | os.PathLike[str]], key: str, **which: object
) -> NDArray[np.float64]:
    """Returns the number or list that each record of `onehop solve` or `measure` has, as rows for
    `jackknife` and `gamma_method`: float64 (N, ...).

    `records` are records or their files, in the order of the chain. Where `key` is a list of
    objects, `which` chooses one and its correlator is taken: samples_of(files, "correlator"),
    samples_of(files, "mesons", structure="g5", momentum=(0, 0, 0)), samples_of(files, "baryons",
    baryon="proton", parity=1, momentum=(0, 0, 0)). Raises FileError for a file that is not a
    record, and UsageError if a record lacks the key or differs from the first in length, in the
    lattice, or in the options that the physics depends on: of the source these are its kind and
    smearing, not its position and seed.

    >>> quarks = [onehop.solve(gauge, kappa=0.12, source=f"point:0,0,0,{t}") for t in (0, 4)]
    >>> records = [onehop.solve_record(gauge, quark) for quark in quarks]
    >>> onehop.samples_of(records, "correlator").shape      # a row for each record
    (2, 8)
    """
    found, first = [], None
    if isinstance(records, (str, os.PathLike, dict)):
        raise UsageError(f"records of {key}: give a list of them, or of their files, not one alone")
    if not len(records):
        raise UsageError(f"{key} of no records: give records of onehop solve, or their files")
    for number, given in enumerate(records):
        name = f"record {number}" if isinstance(given, dict) else str(given)
        record = given if isinstance(given, dict) else _read(given)
        made_with = record.get("options", {})
        if not isinstance(made_with, dict):
            raise FileError(f"{name} is not a record of onehop: its options are not an object")
        options = {option: made_with.get(option) for option in _PHYSICS}
        options["source"] = _kind_of_source(made_with.get("source"))
        options["lattice"] = record.get("lattice")
        first = options if first is None else first
        for option, value in options.items():
            if value != first[option]:
                raise UsageError(
                    f"{name} was made with {option} {value}, the first with {first[option]}: these "
                    "have no common mean"
                )
        found.append(_chosen(record, name, key, which))
    if len({row.shape for row in found}) > 1:
        shapes = ", ".join(sorted({str(row.shape) for row in found}))
        raise UsageError(f"{key} of different shapes {shapes}: they cannot be averaged together")
    return np.array(found)


# Two records of one ensemble have these options alike.
_PHYSICS = (
    *("dslash", "kappa", "mass", "mu", "csw", "u0", "naik_epsilon", "boundary", "shifts", "masses"),
    *("smear_source", "smear_sink", "smear_links", "smear", "spatial", "flow"),
)


def _kind_of_source(source: object) -> str | None:
    """Returns "point", or "point smeared by" a smearing, of a source's text; None if there is
    none."""
    if not isinstance(source, str):
        return None
    place, smeared, how = source.partition(" smeared by ")
    return f"{place.partition(':')[0]}{smeared}{how}"


def _chosen(record: dict, name: str, key: str, which: dict[str, object]) -> NDArray[np.float64]:
    value = record.get(key)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        wanted = {k: list(v) if isinstance(v, tuple) else v for k, v in which.items()}
        value = [row for row in value if isinstance(row, dict)]
        rows = [row for row in value if all(row.get(k) == v for k, v in wanted.items())]
        if len(rows) != 1:
            raise UsageError(
                f"{name} has {len(rows)} of {key} with {which}; say which one by "
                f"{_what_tells_apart(value, which)}"
            )
        value = rows[0].get("correlator")
    try:
        row = np.array(value, float)
    except (OverflowError, TypeError, ValueError):
        row = None
    if row is None or value is None:
        raise UsageError(f"{name} has no numbers {key}")
    return row


def _what_tells_apart(rows: list[dict], which: dict[str, object]) -> str:
    """Returns the keys that tell rows apart, with their values where one was given that none of
    them has."""
    keys = [k for k in rows[0] if k not in ("correlator", "imaginary", "effective_mass")]
    for key in (k for k in which if k in keys):
        known = list(dict.fromkeys(json.dumps(row.get(key)) for row in rows))
        if json.dumps(which[key]) not in known:
            return f"{key}, which is {', '.join(known)}"
    return ", ".join(keys)


def _read(name: str | os.PathLike[str]) -> dict:
    try:
        record = json.loads(Path(name).read_text())
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name} is not a record: {error}") from None
    if not isinstance(record, dict):
        raise FileError(f"{name} is not a record of onehop")
    return record
