"""What the setups of two fluids of `onehop app lattice-boltzmann` are to show, and how far a run is
from it."""

import math

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_droplet as droplet
from onehop.cli.app.lattice_boltzmann_figures import ROUNDING
from onehop.cli.app.running import below_limits

# The order parameter of a spinodal mixture is uniform from minus this to this at first.
NOISE = 0.01
# Waves grow as the linear theory says while the root mean square of the order parameter is small,
# and once populations have their shares of them.
_MOST_LINEAR_AMPLITUDE = 0.03
_FIRST_LINEAR_STEP = 20
_MOST_GROWTH_ERROR = 0.02
# Shorter waves, in cells, feel the lattice.
_SHORTEST_WAVE = 20


def bulk(options: Options) -> float:
    """Returns A of the free energy A (phi^2 - 1)^2 + kappa / 2 (grad phi)^2."""
    return 0.75 * options.surface_tension / options.interface_width


def growth_rate(options: Options, square: np.ndarray) -> np.ndarray:
    """Returns by how much of itself a small wave of phi with k^2 = `square` grows in a step:
    M k^2 (4 A - kappa k^2)."""
    gradient = 0.375 * options.surface_tension * options.interface_width
    return options.mobility * square * (4 * bulk(options) - gradient * square)


def _fastest_square(options: Options) -> float:
    """Returns k^2 of the wave that grows fastest."""
    return 4 / options.interface_width**2


def _fastest_growth(options: Options) -> float:
    return float(growth_rate(options, np.array(_fastest_square(options))))


def usual_steps(options: Options) -> int:
    """Returns 12 times in which the fastest wave grows to e, or the time of a droplet."""
    if options.setup == "droplet":
        return droplet.usual_steps(options)
    return math.ceil(12 / _fastest_growth(options))


def waves(options: Options, phi: np.ndarray) -> np.ndarray:
    """Returns, of phi (z, y, x), k^2 and the complex amplitude (2, waves) of each wave up to the
    one that grows fastest."""
    shape = phi.shape
    one = [2 * math.pi * np.fft.fftfreq(n) for n in shape]
    square = one[0][:, None, None] ** 2 + one[1][:, None] ** 2 + one[2] ** 2
    wanted = (square > 0) & (square <= 1.0001 * _fastest_square(options))
    return np.array([square[wanted], np.fft.fftn(phi)[wanted]])


def _growth(options: Options, samples: list[dict], spectra: list[np.ndarray]) -> dict[str, object]:
    """Returns growth rates by wave number, each the mean over the waves that have it, between the
    first sample and the last of linear growth; None where that is shorter than the fastest wave
    takes to grow to e. The error is of waves that are long enough."""
    linear = [
        number
        for number, sample in enumerate(samples)
        if sample["step"] >= _FIRST_LINEAR_STEP and sample["amplitude"] < _MOST_LINEAR_AMPLITUDE
    ]
    found: dict[str, object] = dict.fromkeys(
        ("wave_numbers", "growth_rates", "expected_growth_rates", "growth_rate_error")
    )
    if not linear or not spectra[0].size:
        return found
    steps = samples[linear[-1]]["step"] - samples[linear[0]]["step"]
    fastest = _fastest_growth(options)
    if steps * fastest < 1:
        return found
    square = spectra[0][0].real
    rates = np.log(np.abs(spectra[linear[-1]][1] / spectra[linear[0]][1])) / steps
    kinds, which = np.unique(np.round(square, 12), return_inverse=True)
    mean = np.bincount(which, rates) / np.bincount(which)
    expected = growth_rate(options, kinds)
    found["wave_numbers"] = np.sqrt(kinds).tolist()
    found["growth_rates"], found["expected_growth_rates"] = mean.tolist(), expected.tolist()
    long = kinds <= 1.0001 * (2 * math.pi / _SHORTEST_WAVE) ** 2
    if long.any():
        found["growth_rate_error"] = float(np.abs(mean - expected)[long].max()) / fastest
    return found


def setup_result(
    options: Options, samples: list[dict], spectra: list[np.ndarray], fields: np.ndarray
) -> dict[str, object]:
    """Returns the setup's own part of `result`, of the fields (6, z, y, x) at the end and the waves
    at each sample."""
    order_drift = max((sample["order_change"] for sample in samples), key=abs)
    if options.setup == "spinodal":
        return {"order_drift": order_drift, **_growth(options, samples, spectra)}
    return {"order_drift": order_drift, **droplet.at_rest(options, fields)}


def check(options: Options, result: dict) -> dict[str, object]:
    """Returns the check: of what failed, or else of the setup's own figure."""
    drift = 4 * ROUNDING[options.prec] * options.steps
    all_checks: list[tuple[str, float, float]] = [
        ("change of the mass, divided by it", abs(result["mass_drift"]), drift),
        ("change of the mean order parameter", abs(result["order_drift"]), drift),
    ]
    if result["momentum_drift"] is not None:
        moved = result["momentum_drift"]
        all_checks.append(("change of the momentum, divided by the mass", moved, drift))
    if options.setup == "droplet":
        all_checks += droplet.checks(options, result)
    elif result["growth_rate_error"] is not None:
        what = "error of growth rates, divided by the largest"
        all_checks.append((what, result["growth_rate_error"], _MOST_GROWTH_ERROR))
    return below_limits(all_checks)
