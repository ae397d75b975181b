"""How vortices of `onehop app lattice-boltzmann --setup taylor-green` decay, and how far a run is
from it."""

import math
from collections.abc import Sequence

from onehop.cli._shared.option import Options

_MOST_VISCOSITY_ERROR = 5e-3
# A flow that began in equilibrium has the right stress after some relaxation times.
_RELAXATIONS = 10


def viscosity(tau: float) -> float:
    """Returns cells^2 per step."""
    return (tau - 0.5) / 3


def decay_rate(lattice: Sequence[int], tau: float) -> float:
    """Returns the decay rate per step of the amplitude of a vortex that fills the lattice."""
    square = sum((2 * math.pi / extent) ** 2 for extent in lattice[:2])
    return viscosity(tau) * square


def usual_steps(options: Options) -> int:
    """Returns the time in which vortices decay to 1/e."""
    return max(1, round(1 / decay_rate(options.lattice, options.tau)))


def measured_viscosity(options: Options, samples: list[dict]) -> float | None:
    """Returns the viscosity by which the vortices have decayed between two samples; None for a run
    that is too short to tell."""
    least = _RELAXATIONS * options.tau
    later = [sample for sample in samples if sample["step"] >= least]
    if not later or later[-1]["step"] - later[0]["step"] < least:
        return None
    first, last = later[0], later[-1]
    if not 0 < last["amplitude"] < first["amplitude"]:
        return 0.0
    decayed = math.log(first["amplitude"] / last["amplitude"])
    square = decay_rate(options.lattice, options.tau) / viscosity(options.tau)
    return decayed / (last["step"] - first["step"]) / square


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns the setup's own part of `result`, of what was found by samples."""
    expected, measured = viscosity(options.tau), measured_viscosity(options, found["samples"])
    error = None if measured is None else measured / expected - 1
    return {"viscosity": measured, "expected_viscosity": expected, "viscosity_error": error}


def checks(options: Options, result: dict) -> list[tuple[str, float, float]]:
    """Returns the checks of vortices, beside those of all fluids."""
    if result["viscosity_error"] is None:
        return []
    error = abs(result["viscosity_error"])
    return [("relative error of the viscosity", error, _MOST_VISCOSITY_ERROR)]
