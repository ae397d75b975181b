"""How a bubble of `onehop app lattice-boltzmann` rises, and how far a run is from a benchmark."""

import math

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_surface import inside
from onehop.cli.app.lattice_boltzmann_vortices import viscosity

_MOST_VELOCITY_ERROR = 0.05
# The largest rise velocity of test case 1 of Hysing et al., Int. J. Numer. Meth. Fluids 60 (2009)
# 1259, 0.2417, over sqrt(g d) with g = 0.98 and d = 0.5; it comes after 1.29 times sqrt(d / g).
BENCHMARK_VELOCITY = 0.2417 / math.sqrt(0.98 * 0.5)
_BENCHMARK_TIME = 1.4
_BENCHMARK = {"reynolds": 35.0, "eotvos": 10.0, "density_ratio": 10.0, "viscosity_ratio": 10.0}


def set_gravity_and_tension(options: Options) -> None:
    """Sets gravity, in cells per step^2, and surface tension from the numbers of Reynolds and
    Eotvos, both of the diameter."""
    diameter = 2 * options.radius
    options.gravity = (options.reynolds * viscosity(options.tau)) ** 2 / diameter**3
    options.surface_tension = options.gravity * diameter**2 / options.eotvos


def _time(options: Options) -> float:
    """Returns in steps sqrt(d / g), the time in which a bubble rises by about its diameter d."""
    return math.sqrt(2 * options.radius / options.gravity)


def usual_steps(options: Options) -> int:
    """Returns the time in which a bubble rises by more than a diameter."""
    return math.ceil(4.2 * _time(options))


def shape(options: Options, fields: np.ndarray) -> dict[str, float]:
    """Returns, of the fields (6, z, y, x), the bubble's height above the wall and mean velocity
    upwards."""
    light = 1 - inside(options, fields[4])
    z = np.arange(light.shape[0])[:, None, None] + 0.5
    volume = light.sum()
    return {
        "height": float((light * z).sum() / volume),
        "rise_velocity": float((light * fields[3]).sum() / volume),
    }


def _is_benchmark(options: Options) -> bool:
    x, y, z = options.lattice
    box = (x, y, z) == (4 * options.radius, 1, 8 * options.radius)
    same = all(getattr(options, name) == value for name, value in _BENCHMARK.items())
    return box and same and options.steps >= _BENCHMARK_TIME * _time(options)


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns the setup's own part of `result`, of what was found by samples."""
    samples = found["samples"]
    fastest = max(sample["rise_velocity"] for sample in samples)
    scaled = fastest / math.sqrt(2 * options.radius * options.gravity)
    error = scaled / BENCHMARK_VELOCITY - 1 if _is_benchmark(options) else None
    return {
        "rise_velocity": fastest,
        "froude": scaled,
        "rise_velocity_error": error,
        "rise_reynolds": 2 * options.radius * fastest / viscosity(options.tau),
        "height": samples[-1]["height"],
    }


def checks(options: Options, result: dict) -> list[tuple[str, float, float]]:
    """Returns the checks of a bubble, beside those of all fluids."""
    if result["rise_velocity_error"] is None:
        return []
    error = abs(result["rise_velocity_error"])
    return [("relative error of the rise velocity", error, _MOST_VELOCITY_ERROR)]
