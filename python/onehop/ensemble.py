"""Averages the records of several configurations: means with errors."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from onehop._core import UsageError
from onehop.baryons import log_effective_mass
from onehop.error_analysis import jackknife, samples_of
from onehop.propagator import effective_mass
from onehop.record import finite

# These keys tell the objects of a list of hadrons apart.
_HADRONS = {"mesons": ("structure", "momentum"), "baryons": ("baryon", "parity", "momentum")}


def average_records(records: Sequence[dict], *, bin: int = 1) -> dict:
    """Averages records of `onehop solve`, given in the order of the chain: returns the keys
    plaquette, correlator, effective_mass, mesons and baryons as the records have them, each with
    `value` and `error`, the jackknife's with bins of `bin` records. Effective masses are those of
    the mean correlator.

    Raises UsageError for records of different physics and for fewer than two bins.
    """
    found = {"plaquette": _estimate(samples_of(records, "plaquette"), None, bin)}
    if records[0].get("correlator") is not None:
        rows = samples_of(records, "correlator")
        found["correlator"] = _estimate(rows, None, bin)
        found["effective_mass"] = _estimate(rows, effective_mass, bin)
    masses = {"mesons": effective_mass, "baryons": log_effective_mass}
    for key, names in _HADRONS.items():
        if key not in records[0]:
            continue
        found[key] = []
        for hadron in records[0][key]:
            try:
                which = {name: hadron[name] for name in names}
            except (KeyError, TypeError):
                raise UsageError(f"the first record has damaged {key}; make it again") from None
            rows = samples_of(records, key, **which)
            estimates = {
                "correlator": _estimate(rows, None, bin),
                "effective_mass": _estimate(rows, masses[key], bin),
            }
            couples = {name: hadron[name] for name in ("couples_to",) if name in hadron}
            found[key].append(which | couples | estimates)
    return found


def _estimate(
    rows: NDArray[np.float64], function: Callable[[np.ndarray], np.ndarray] | None, bin: int
) -> dict:
    with np.errstate(invalid="ignore"):
        estimate = jackknife(rows, function, bin=bin)
    both = (estimate.value, estimate.error)
    value, error = (finite(found if found.ndim else float(found)) for found in both)
    return {"value": value, "error": error}
