"""The drag of spheres in `onehop app lattice-boltzmann --setup spheres`, and how far a run is from
that of slow flow."""

import math

import numpy as np

from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_vortices import viscosity
from onehop.counted import by_x

_MOST_DRAG_ERROR = 0.05
# The share of volume that spheres of a simple cubic array fill, and how many times the drag of a
# sphere alone each has in slow flow of the mean velocity (Zick and Homsy, J. Fluid Mech. 115 (1982)
# 13, table 2). The last of them touch.
_FILLED = (0, 0.000125, 0.001, 0.008, 0.027, 0.064, 0.125, 0.216, 0.343, 0.45, 0.5236)
_DRAG = (1, 1.096, 1.212, 1.525, 2.008, 2.810, 4.292, 7.442, 15.4, 28.1, 42.1)
# One over the drag is smooth in the radius: a polynomial of this degree has the table to 2e-4.
_DEGREE = 6
_DECAYS = 8
# Inertia adds to the drag from a Reynolds number of about this on.
_MOST_REYNOLDS = 1.0
_MOST_LEFT = 0.01


def _filled(options: Options) -> float:
    """Returns the share of cells whose centres are in the sphere."""
    square = (np.arange(options.lattice[0]) + 0.5 - options.lattice[0] / 2) ** 2
    away = square[:, None, None] + square[:, None] + square
    return float((away < options.radius**2).mean())


def _radius(options: Options) -> float:
    """Returns that of a sphere with the volume of the cells, since walls are half-way to fluid."""
    return (3 / (4 * math.pi) * _filled(options) * math.prod(options.lattice)) ** (1 / 3)


def expected_drag(options: Options) -> float:
    """Returns K, the drag of a sphere in the array over that of a sphere alone."""
    weights = np.array(_DRAG)
    inverse = np.polyfit(np.cbrt(_FILLED), 1 / weights, _DEGREE, w=weights)
    return float(1 / np.polyval(inverse, np.cbrt(_filled(options))))


def steady_velocity(options: Options) -> float:
    """Returns the mean velocity of slow flow: U / K for a sphere of the radius that was asked for,
    and as much more or less as that of the cells is smaller or larger."""
    return options.velocity * options.radius / _radius(options) / expected_drag(options)


def _approach_rate(options: Options) -> float:
    """Returns the rate per step at which the mean velocity approaches the steady one: by the drag
    on the fluid, or by the diffusion of the flow between spheres where that is slower."""
    fluid = math.prod(options.lattice) * (1 - _filled(options))
    drag = 6 * math.pi * viscosity(options.tau) * _radius(options) * expected_drag(options) / fluid
    return min(drag, viscosity(options.tau) * (2 * math.pi / options.lattice[0]) ** 2)


def check_spheres(options: Options) -> None:
    """Raises UsageError unless spheres are in a cubic array and do not touch."""
    if len(set(options.lattice)) > 1:
        extents = by_x(options.lattice)
        raise UsageError(
            f"--setup spheres is a cubic array, and --lattice {extents} is not a cube; give equal "
            "extents"
        )
    if 2 * options.radius >= options.lattice[0]:
        raise UsageError(
            f"spheres of --radius {options.radius:g} touch in a lattice of {options.lattice[0]} "
            f"cells; give less than {options.lattice[0] / 2:g}"
        )


def usual_steps(options: Options) -> int:
    return math.ceil(_DECAYS / _approach_rate(options))


def reynolds(options: Options, velocity: float) -> float:
    return 2 * _radius(options) * velocity / viscosity(options.tau)


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns drag and permeability by the mean velocity; None if the fluid is at rest."""
    velocity, radius = found["samples"][-1]["amplitude"], _radius(options)
    expected, volume = expected_drag(options), math.prod(options.lattice)
    drag = expected * steady_velocity(options) / velocity if velocity > 0 else None
    permeability = None if drag is None else volume / (6 * math.pi * radius * drag)
    return {
        "drag": drag,
        "expected_drag": expected,
        "drag_error": None if drag is None else drag / expected - 1,
        "permeability": permeability,
        "reynolds": reynolds(options, velocity),
        "filled": _filled(options),
    }


def checks(options: Options, result: dict) -> list[tuple[str, float, float]] | str:
    """Returns the checks of spheres, beside those of all fluids, or why the drag is not compared
    with that of slow and steady flow."""
    if math.exp(-_approach_rate(options) * options.steps) > _MOST_LEFT:
        return "the flow is not steady yet"
    if result["reynolds"] > _MOST_REYNOLDS:
        return f"the Reynolds number {result['reynolds']:.2g} is not that of slow flow"
    error = math.inf if result["drag_error"] is None else abs(result["drag_error"])
    return [("relative error of the drag", error, _MOST_DRAG_ERROR)]
