"""How a droplet of `onehop app lattice-boltzmann` that is out of shape oscillates, and how far a
run is from it."""

import math

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_surface import flat, inside
from onehop.cli.app.lattice_boltzmann_vortices import viscosity

# The droplet's radius is longer by this times P_2(cos theta), or cos 2 theta of a cylinder, at
# first.
DEFORMATION = 0.05
_MOST_FREQUENCY_ERROR = 0.05
_USUAL_PERIODS = 2.25
# A run of one period or more with this number of samples tells a frequency.
_FEWEST_SAMPLES = 12


def lamb_frequency(options: Options, radius: float) -> float:
    """Returns by how many radians the second mode of fluids without viscosity turns in a step: of a
    sphere that of Lamb, n (n - 1) (n + 1) (n + 2) sigma / (((n + 1) rho_i + n rho_o) R^3) squared,
    of a cylinder that of Rayleigh, n (n^2 - 1) sigma / ((rho_i + rho_o) R^3)."""
    around = 1 / options.density_ratio
    factor = 6 / (1 + around) if flat(options) else 24 / (3 + 2 * around)
    return math.sqrt(factor * options.surface_tension / radius**3)


def lamb_damping(options: Options, radius: float) -> float:
    """Returns the rate at which the second mode of a droplet with nothing around it is damped,
    where its viscosity is small: (n - 1) (2 n + 1) nu / R^2, or 2 n (n - 1) nu / R^2 of a
    cylinder."""
    return (4 if flat(options) else 5) * viscosity(options.tau) / radius**2


def usual_steps(options: Options) -> int:
    """Returns the time of somewhat more than two periods."""
    return math.ceil(_USUAL_PERIODS * 2 * math.pi / lamb_frequency(options, options.radius))


def shape(options: Options, fields: np.ndarray) -> dict[str, float]:
    """Returns, of the fields (6, z, y, x), the droplet's radius by its volume, and its deformation:
    what its quadrupole makes of the second mode, in radii."""
    filled = inside(options, fields[4])
    volume = float(filled.sum())
    z, y, x = (np.arange(n) - (n - 1) / 2 for n in filled.shape)
    squares = [z[:, None, None] ** 2, y[:, None] ** 2, x**2]
    if flat(options):
        radius = math.sqrt(volume / math.pi)
        along, across = (squares[mu] for mu, n in enumerate(filled.shape) if n != 1)
        moment = float((filled * (along - across)).sum())
        return {"radius": radius, "deformation": moment / (math.pi * radius**4)}
    radius = (volume * 0.75 / math.pi) ** (1 / 3)
    moment = float((filled * (squares[0] - (squares[1] + squares[2]) / 2)).sum())
    return {"radius": radius, "deformation": 5 * moment / (4 * math.pi * radius**5)}


def _parts(step: np.ndarray, frequency: float, damping: float) -> np.ndarray:
    """Returns what a damped wave around a constant is a sum of, (samples, 3)."""
    decay = np.exp(-damping * step)
    turn = frequency * step
    return np.stack([decay * np.cos(turn), decay * np.sin(turn), np.ones_like(step)], axis=1)


def _amplitudes(step: np.ndarray, found: np.ndarray, at: tuple[float, float]) -> np.ndarray:
    return np.linalg.lstsq(_parts(step, *at), found, rcond=None)[0]


def fitted(step: np.ndarray, found: np.ndarray, near: float) -> tuple[float, float, np.ndarray]:
    """Returns frequency and damping rate of the damped wave around a constant that is nearest to
    what was found, and that wave. The frequency is looked for from half of `near` to one and a half
    times it."""

    def distance(at: tuple[float, float]) -> float:
        parts = _parts(step, *at)
        return float(((parts @ _amplitudes(step, found, at) - found) ** 2).sum())

    at = min(
        (
            (near * frequency, near * damping)
            for frequency in np.linspace(0.5, 1.5, 41)
            for damping in (0.0, 0.05, 0.1, 0.2, 0.4)
        ),
        key=distance,
    )
    size = 0.05 * near
    while size > 1e-9 * near:
        around = [
            (at[0] + a * size, at[1] + b * size)
            for a, b in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
        ]
        nearest = min(around, key=distance)
        if nearest == at:
            size /= 2
        at = nearest
    return float(at[0]), float(at[1]), _parts(step, *at) @ _amplitudes(step, found, at)


def wave_of(options: Options, samples: list[dict]) -> tuple[float, float, np.ndarray] | None:
    """Returns the fit of `fitted` to the deformations of a run; None if the run is too short."""
    step = np.array([sample["step"] for sample in samples], dtype=float)
    near = lamb_frequency(options, samples[0]["radius"])
    if len(step) < _FEWEST_SAMPLES or step[-1] * near < 2 * math.pi:
        return None
    return fitted(step, np.array([sample["deformation"] for sample in samples]), near)


def released(samples: list[dict], frequency: float, damping: float) -> np.ndarray:
    """Returns, at the samples, the wave of this frequency and damping that begins at rest with the
    deformation of the first."""
    step = np.array([sample["step"] for sample in samples], dtype=float)
    first = samples[0]["deformation"]
    return first * np.exp(-damping * step) * np.cos(frequency * step)


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns the frequency, in radians per step, the damping rate and what they are without much
    viscosity and without what is around the droplet."""
    samples = found["samples"]
    radius = samples[0]["radius"]
    expected = lamb_frequency(options, radius)
    wave = wave_of(options, samples)
    return {
        "radius": radius,
        "frequency": None if wave is None else wave[0],
        "expected_frequency": expected,
        "frequency_error": None if wave is None else wave[0] / expected - 1,
        "damping": None if wave is None else wave[1],
        "expected_damping": lamb_damping(options, radius),
    }


def checks(options: Options, result: dict) -> list[tuple[str, float, float]]:
    """Returns the checks of an oscillation, beside those of all fluids."""
    if result.get("frequency_error") is None:
        return []
    error = abs(result["frequency_error"])
    return [("relative error of the frequency", error, _MOST_FREQUENCY_ERROR)]
