"""How two layers of fluids of `onehop app lattice-boltzmann` flow in a channel, and how far
a run is from it."""

import math

import numpy as np

from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_vortices import viscosity
from onehop.counted import by_x

_MOST_PROFILE_ERROR = 0.01
# The steady flow of fluids that change smoothly is summed over 40 points of each cell.
_POINTS = 40
# The flow runs until e^-12 is left of what it lacks at first.
_DECAYS = 12


def _viscosities(options: Options) -> tuple[float, float]:
    """Returns the kinematic viscosities of the heavy and the light fluid."""
    heavy = viscosity(options.tau)
    return heavy, heavy * options.density_ratio / options.viscosity_ratio


def _profile_of(options: Options, z: np.ndarray) -> np.ndarray:
    """Returns the velocity, in units of what drives it, at heights above the lower wall: below the
    middle that of the heavy fluid. Both velocities and stresses are equal at the middle."""
    height = options.lattice[2]
    half, light_density = height / 2, 1 / options.density_ratio
    heavy, light = _viscosities(options)
    differs = half / 2 * (1 / light - 1 / heavy)
    slope_below = ((1 + light_density) * half - light_density * light * differs) / (
        heavy + light_density * light
    )
    slope_above = slope_below + differs
    below = z * (slope_below - z / (2 * heavy))
    above = (height - z) * (slope_above - (height - z) / (2 * light))
    return np.where(z < half, below, above)


def set_tension_and_drive(options: Options) -> None:
    """Sets the surface tension, which a flat surface does not feel, and the acceleration that
    drives the flow, in cells per step^2, by which its largest velocity is that of the options.
    Raises UsageError if no cell is farther than the interface width from the interface."""
    if options.lattice[2] <= 2 * options.interface_width + 1:
        raise UsageError(
            f"two layers with --interface-width {options.interface_width:g} need more than "
            f"{2 * options.interface_width + 1:g} cells in z, and --lattice "
            f"{by_x(options.lattice)} has {options.lattice[2]}; choose more cells"
        )
    options.surface_tension = 1e-4
    z = np.linspace(0, options.lattice[2], 20001)
    options.drive = options.velocity / float(_profile_of(options, z).max())


def steady_profile(options: Options) -> np.ndarray:
    """Returns the velocity along x at each z: a parabola in each fluid."""
    return options.drive * _profile_of(options, np.arange(options.lattice[2]) + 0.5)


def usual_steps(options: Options) -> int:
    """Returns the steps after which the deviation from the steady flow has fallen by e^-12: by the
    slowest mode of two layers whose stress is that between neighbouring cells."""
    cells = options.lattice[2]
    heavy = np.arange(cells) + 0.5 < cells / 2
    density = np.where(heavy, 1.0, 1 / options.density_ratio)
    viscosities = density * np.where(heavy, *_viscosities(options))
    between = 2 / (1 / viscosities[1:] + 1 / viscosities[:-1])
    below = np.concatenate([[2 * viscosities[0]], between])
    above = np.concatenate([between, [2 * viscosities[-1]]])
    weight = np.sqrt(density)
    matrix = np.diag((below + above) / density)
    matrix -= np.diag(between / (weight[1:] * weight[:-1]), 1)
    matrix -= np.diag(between / (weight[1:] * weight[:-1]), -1)
    return math.ceil(_DECAYS / float(np.linalg.eigvalsh(matrix)[0]))


def _smooth_profile(options: Options) -> np.ndarray:
    """Returns the velocity along x at each z of fluids that change over the interface width as the
    order parameter does: the stress, less what it loses to the weight of all below, is one for all,
    and over the viscosity the slope of the velocity."""
    cells = options.lattice[2]
    z = (np.arange(cells * _POINTS) + 0.5) / _POINTS
    share = (1 + np.tanh(2 * (cells / 2 - z) / options.interface_width)) / 2
    light_density = 1 / options.density_ratio
    density = light_density + (1 - light_density) * share
    heavy, light = _viscosities(options)
    fluidity = (share / heavy + (1 - share) / light) / density / _POINTS
    weight = (np.cumsum(density) - density / 2) / _POINTS
    slope = (np.sum(fluidity * weight) / np.sum(fluidity) - weight) * fluidity
    velocity = np.cumsum(slope) - slope / 2
    middle = velocity.reshape(cells, _POINTS)[:, _POINTS // 2 - 1 : _POINTS // 2 + 1]
    return options.drive * middle.mean(axis=1)


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns the profile and its largest differences, over the largest velocity: to the steady
    flow of fluids that change over the interface width, and to two parabolas, farther than that
    width from the middle of the interface."""
    profile, cells = np.array(found["profile"]), options.lattice[2]
    away = np.abs(np.arange(cells) + 0.5 - cells / 2) > options.interface_width
    smooth = np.abs(profile - _smooth_profile(options))
    sharp = np.abs(profile - steady_profile(options))[away]
    return {
        "profile": found["profile"],
        "profile_error": float(smooth.max()) / options.velocity,
        "parabola_error": float(sharp.max()) / options.velocity,
    }


def checks(options: Options, result: dict) -> list[tuple[str, float, float]]:
    """Returns the checks of layers, beside those of all fluids."""
    what = "difference to the steady flow, divided by its largest velocity"
    return [(what, result["profile_error"], _MOST_PROFILE_ERROR)]
