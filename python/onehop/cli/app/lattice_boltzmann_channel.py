"""How one fluid of `onehop app lattice-boltzmann` flows in a channel, and how far a run is from
it."""

import math

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_vortices import viscosity

# The steady channel flow may differ by this, divided by its largest velocity, once it is steady.
_MOST_PROFILE_ERROR = {"double": 1e-12, "single": 1e-4}
_MOST_LEFT = 0.5


def _approach_rate(height: int, tau: float) -> float:
    """Returns the rate per step at which a channel flow approaches its steady state."""
    return viscosity(tau) * (math.pi / height) ** 2


def usual_steps(options: Options) -> int:
    """Returns the steps after which the deviation from the steady flow has fallen by e^-32, below
    rounding."""
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


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns the setup's own part of `result`, of what was found by profile."""
    profile = np.array(found["profile"])
    return {
        "profile": found["profile"],
        "profile_error": float(np.abs(profile - steady_profile(options)).max()) / options.velocity,
        "parabola_error": float(np.abs(profile - parabola(options)).max()) / options.velocity,
    }


def _left_of_the_way(options: Options) -> float:
    """Returns a bound on the deviation from the steady flow after a start from rest, in units of
    the largest velocity: 32 / pi^3 e^(-rate t) and what decays faster."""
    rate = _approach_rate(options.lattice[2], options.tau)
    return 1.1 * 32 / math.pi**3 * math.exp(-0.95 * rate * options.steps)


def checks(options: Options, result: dict) -> list[tuple[str, float, float]] | str:
    """Returns the checks of the flow, beside those of all fluids. A flow that may still lack
    more than half of the steady one is not compared with it, since a fluid at rest would pass."""
    left = _left_of_the_way(options)
    if left > _MOST_LEFT:
        return "the flow is not steady yet"
    what = "difference to the steady flow, divided by its largest velocity"
    return [(what, result["profile_error"], _MOST_PROFILE_ERROR[options.prec] + left)]
