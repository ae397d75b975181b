"""How two fluids of `onehop app lattice-boltzmann --setup spinodal` separate, and how far a run is
from it."""

import math

import numpy as np

from onehop.cli._shared.option import Options

# The order parameter of a spinodal mixture is uniform from minus this to this at first.
NOISE = 0.01
# Waves grow as the linear theory says while the root mean square of the order parameter is small,
# and once populations have their shares of them.
_MOST_LINEAR_AMPLITUDE = 0.03
_FIRST_LINEAR_STEP = 20
_MOST_GROWTH_ERROR = 0.02
# Shorter waves, in cells, feel the lattice.
SHORTEST_WAVE = 20


def bulk(options: Options) -> float:
    """Returns A of the free energy A (phi^2 - 1)^2 + kappa / 2 (grad phi)^2."""
    return 0.75 * options.surface_tension / options.interface_width


def growth_rate(options: Options, square: np.ndarray) -> np.ndarray:
    """Returns the growth rate per step of a small wave of phi with k^2 = `square`:
    M k^2 (4 A - kappa k^2)."""
    gradient = 0.375 * options.surface_tension * options.interface_width
    return options.mobility * square * (4 * bulk(options) - gradient * square)


def are_long(wave_numbers: np.ndarray) -> np.ndarray:
    """Returns which waves are so long that they do not feel the lattice."""
    return wave_numbers <= 1.00005 * 2 * math.pi / SHORTEST_WAVE


def _fastest_square(options: Options) -> float:
    """Returns k^2 of the wave that grows fastest."""
    return 4 / options.interface_width**2


def _fastest_growth(options: Options) -> float:
    return float(growth_rate(options, np.array(_fastest_square(options))))


def usual_steps(options: Options) -> int:
    """Returns 12 times in which the fastest wave grows to e."""
    return math.ceil(12 / _fastest_growth(options))


def waves(options: Options, phi: np.ndarray) -> np.ndarray:
    """Returns, of phi (z, y, x), k^2 and the complex amplitude (2, waves) of each wave up to the
    one that grows fastest."""
    shape = phi.shape
    one = [2 * math.pi * np.fft.fftfreq(n) for n in shape]
    square = one[0][:, None, None] ** 2 + one[1][:, None] ** 2 + one[2] ** 2
    wanted = (square > 0) & (square <= 1.0001 * _fastest_square(options))
    return np.array([square[wanted], np.fft.fftn(phi)[wanted]])


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns growth rates by wave number, each the mean over the waves that have it, between the
    first sample and the last of linear growth; None if that is shorter than the fastest wave
    takes to grow to e. The error is of waves that are long enough."""
    samples, spectra = found["samples"], found["spectra"]
    linear = [
        number
        for number, sample in enumerate(samples)
        if sample["step"] >= _FIRST_LINEAR_STEP and sample["amplitude"] < _MOST_LINEAR_AMPLITUDE
    ]
    growth: dict[str, object] = dict.fromkeys(
        ("wave_numbers", "growth_rates", "expected_growth_rates", "growth_rate_error")
    )
    if not linear or not spectra[0].size:
        return growth
    steps = samples[linear[-1]]["step"] - samples[linear[0]]["step"]
    fastest = _fastest_growth(options)
    if steps * fastest < 1:
        return growth
    square = spectra[0][0].real
    rates = np.log(np.abs(spectra[linear[-1]][1] / spectra[linear[0]][1])) / steps
    kinds, which = np.unique(np.round(square, 12), return_inverse=True)
    mean = np.bincount(which, rates) / np.bincount(which)
    expected = growth_rate(options, kinds)
    growth["wave_numbers"] = np.sqrt(kinds).tolist()
    growth["growth_rates"], growth["expected_growth_rates"] = mean.tolist(), expected.tolist()
    long = are_long(np.sqrt(kinds))
    if long.any():
        growth["growth_rate_error"] = float(np.abs(mean - expected)[long].max()) / fastest
    return growth


def checks(options: Options, result: dict) -> list[tuple[str, float, float]]:
    """Returns the checks of waves, beside those of all fluids."""
    if result["growth_rate_error"] is None:
        return []
    what = "error of growth rates, divided by the largest"
    return [(what, result["growth_rate_error"], _MOST_GROWTH_ERROR)]
