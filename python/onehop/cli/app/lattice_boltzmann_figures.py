"""What the setups of one fluid of `onehop app lattice-boltzmann` are to show, and how far a run is
from it."""

import math
from collections.abc import Sequence

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_spheres as spheres
from onehop.cli.app.running import below_limits

# A step rounds what differs from a fluid at rest, which is of the size of the velocity, by at most
# a few of these parts of it.
ROUNDING = {"double": 2**-53, "single": 2**-24}
_MOST_VISCOSITY_ERROR = 5e-3
# The steady channel flow may differ by this, divided by its largest velocity, once it is steady.
_MOST_PROFILE_ERROR = {"double": 1e-12, "single": 1e-4}
_MOST_LEFT = 0.5
# A flow that began in equilibrium has the right stress after some relaxation times.
_RELAXATIONS = 10


def viscosity(tau: float) -> float:
    """Returns cells^2 per step."""
    return (tau - 0.5) / 3


def decay_rate(lattice: Sequence[int], tau: float) -> float:
    """Returns by how much of its amplitude a vortex that fills the lattice decays in a step."""
    square = sum((2 * math.pi / extent) ** 2 for extent in lattice[:2])
    return viscosity(tau) * square


def _approach_rate(height: int, tau: float) -> float:
    """Returns by how much of itself what a channel flow lacks decays in a step."""
    return viscosity(tau) * (math.pi / height) ** 2


def usual_steps(options: Options) -> int:
    """Returns the time in which vortices decay to 1/e; or e^-32, which is less than rounding, is
    left of what a channel flow lacks; or e^-8 of what a flow around spheres does."""
    if options.setup == "spheres":
        return spheres.usual_steps(options)
    if options.setup == "taylor-green":
        return max(1, round(1 / decay_rate(options.lattice, options.tau)))
    return math.ceil(32 / _approach_rate(options.lattice[2], options.tau))


def steady_profile(options: Options) -> np.ndarray:
    """Returns the velocity along x at each z at which a channel flow is steady: the parabola by the
    viscosity and the force, which slips at walls by the magic parameter (Ginzburg and d'Humieres,
    Phys. Rev. E 68 (2003) 066614)."""
    height = options.lattice[2]
    magic = options.magic or (options.tau - 0.5) ** 2
    z = np.arange(height) + 0.5 - height / 2
    slip = (16 * magic - 3) / 12
    return 4 * options.velocity / height**2 * (height**2 / 4 - z**2 + slip)


def parabola(options: Options) -> np.ndarray:
    """Returns the profile (z,) of the Navier-Stokes equations between walls half-way."""
    z = (np.arange(options.lattice[2]) + 0.5) / options.lattice[2]
    return 4 * options.velocity * z * (1 - z)


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


def setup_result(options: Options, samples: list[dict], profile: list[float]) -> dict[str, object]:
    """Returns the setup's own part of `result`."""
    if options.setup == "spheres":
        return spheres.setup_result(options, samples)
    if options.setup == "taylor-green":
        expected, found = viscosity(options.tau), measured_viscosity(options, samples)
        error = None if found is None else found / expected - 1
        return {"viscosity": found, "expected_viscosity": expected, "viscosity_error": error}
    found = np.array(profile)
    return {
        "profile": profile,
        "profile_error": float(np.abs(found - steady_profile(options)).max()) / options.velocity,
        "parabola_error": float(np.abs(found - parabola(options)).max()) / options.velocity,
    }


def _left_of_the_way(options: Options) -> float:
    """Returns what of the way from rest to the steady flow is left at most: in units of the largest
    velocity 32 / pi^3 e^(-rate t) and what decays faster."""
    rate = _approach_rate(options.lattice[2], options.tau)
    return 1.1 * 32 / math.pi**3 * math.exp(-0.95 * rate * options.steps)


def check(options: Options, result: dict) -> dict[str, object]:
    """Returns the check: of what failed, or else of the setup's own figure. A channel flow that may
    still be more than half of the way from the steady one is not compared with it, since a fluid
    at rest would pass, nor is the drag of spheres in a flow that is not steady or not slow."""
    drift = 4 * ROUNDING[options.prec] * options.velocity * options.steps
    all_checks = [("change of the mass, divided by it", abs(result["mass_drift"]), drift)]
    if result["momentum_drift"] is not None:
        all_checks.append(
            ("change of the momentum, divided by the mass", result["momentum_drift"], drift)
        )
    if options.setup == "spheres":
        why = spheres.unchecked(options, result)
        if why:
            found = below_limits(all_checks)
            return {**found, "why": f"{found['why']}; {why}"}
        error = math.inf if result["drag_error"] is None else abs(result["drag_error"])
        all_checks.append(("relative error of the drag", error, spheres.MOST_DRAG_ERROR))
    elif options.setup == "poiseuille":
        left = _left_of_the_way(options)
        if left > _MOST_LEFT:
            found = below_limits(all_checks)
            return {**found, "why": f"{found['why']}; the flow is not steady yet"}
        all_checks.append(
            (
                "difference to the steady flow, divided by its largest velocity",
                result["profile_error"],
                _MOST_PROFILE_ERROR[options.prec] + left,
            )
        )
    elif result["viscosity_error"] is not None:
        error = abs(result["viscosity_error"])
        all_checks.append(("relative error of the viscosity", error, _MOST_VISCOSITY_ERROR))
    return below_limits(all_checks)
