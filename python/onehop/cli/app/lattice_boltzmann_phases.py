"""What the setups of two densities of `onehop app lattice-boltzmann` are to show, and how far a run
is from it."""

import math

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_droplet as droplet
from onehop.cli.app import lattice_boltzmann_layers as layers
from onehop.cli.app import lattice_boltzmann_oscillation as oscillation
from onehop.cli.app.lattice_boltzmann_figures import ROUNDING, viscosity
from onehop.cli.app.lattice_boltzmann_surface import inside
from onehop.cli.app.running import below_limits

_MOST_VELOCITY_ERROR = 0.05
# The largest rise velocity of test case 1 of Hysing et al., Int. J. Numer. Meth. Fluids 60 (2009)
# 1259, 0.2417, over sqrt(g d) with g = 0.98 and d = 0.5; it comes after 1.29 times sqrt(d / g).
BENCHMARK_VELOCITY = 0.2417 / math.sqrt(0.98 * 0.5)
_BENCHMARK_TIME = 1.4
_BENCHMARK = {"reynolds": 35.0, "eotvos": 10.0, "density_ratio": 10.0, "viscosity_ratio": 10.0}


def settle_bubble(options: Options) -> None:
    """Sets gravity, in cells per step^2, and surface tension from the numbers of Reynolds and
    Eotvos, both of the diameter."""
    diameter = 2 * options.radius
    options.gravity = (options.reynolds * viscosity(options.tau)) ** 2 / diameter**3
    options.surface_tension = options.gravity * diameter**2 / options.eotvos


def _time(options: Options) -> float:
    """Returns in steps sqrt(d / g), the time in which a bubble rises by about its diameter d."""
    return math.sqrt(2 * options.radius / options.gravity)


def light_tau(options: Options) -> float | None:
    """Returns the relaxation time of the light fluid; None where it is that of the heavy one."""
    if options.viscosity_ratio == options.density_ratio:
        return None
    kinematic_ratio = options.density_ratio / options.viscosity_ratio
    return 0.5 + (options.tau - 0.5) * kinematic_ratio


def usual_steps(options: Options) -> int:
    """Returns the time in which a bubble rises by more than a diameter, or another setup's."""
    if options.setup == "droplet":
        return droplet.usual_steps(options)
    if options.setup == "oscillation":
        return oscillation.usual_steps(options)
    if options.setup == "poiseuille":
        return layers.usual_steps(options)
    return math.ceil(4.2 * _time(options))


def shape(options: Options, fields: np.ndarray) -> dict[str, float]:
    """Returns, of the fields (6, z, y, x), the shape of a droplet that oscillates, or a bubble's
    height above the wall and mean velocity upwards."""
    if options.setup == "oscillation":
        return oscillation.shape(options, fields)
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


def _bubble(options: Options, samples: list[dict]) -> dict[str, object]:
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


def setup_result(
    options: Options, samples: list[dict], profile: list[float], fields: np.ndarray
) -> dict[str, object]:
    """Returns the setup's own part of `result`, of the samples, the profile of layers and the
    fields (6, z, y, x) at the end."""
    if options.setup == "oscillation":
        own = oscillation.motion(options, samples)
    elif options.setup == "poiseuille":
        own = layers.flow(options, profile)
    elif options.setup == "droplet":
        own = droplet.at_rest(options, fields)
    else:
        own = _bubble(options, samples)
    return {
        "order_drift": max((sample["order_change"] for sample in samples), key=abs),
        "order_beyond": float(np.abs(fields[4]).max()) - 1,
        **own,
    }


def check(options: Options, result: dict) -> dict[str, object]:
    """Returns the check: of what failed, or else of the rise velocity."""
    drift = 4 * ROUNDING[options.prec] * options.steps
    all_checks: list[tuple[str, float, float]] = [
        ("change of the mass, divided by it", abs(result["mass_drift"]), drift),
        ("change of the mean order parameter", abs(result["order_drift"]), drift),
    ]
    if options.setup == "oscillation":
        all_checks += oscillation.checks(result)
    elif options.setup == "poiseuille":
        all_checks += layers.checks(result)
    elif options.setup == "droplet":
        all_checks += droplet.checks(options, result)
    elif result["rise_velocity_error"] is not None:
        error = abs(result["rise_velocity_error"])
        all_checks.append(("relative error of the rise velocity", error, _MOST_VELOCITY_ERROR))
    return below_limits(all_checks)
