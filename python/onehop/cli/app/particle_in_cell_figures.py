"""The expected results of the setups of `onehop app particle-in-cell`, and how far a run is from
them.

Lengths are in cells and times in cells over c, so that the plasma frequency is the length of a cell
in c over it."""

import math

import numpy as np

from onehop._core import NumericError, UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app import particle_in_cell_wake as wakes
from onehop.cli.app.running import below_limits
from onehop.cli.app.step_count import fill_in_steps

_USUAL_VELOCITY = {
    "plasma-oscillation": 1e-3,
    "langmuir": 0.03,
    "plasma-light": 1e-3,
    "two-stream": 0.2,
    "gyration": 2.0,
    "thermal": 0.1,
    "wakefield": 0.1,
}
_USUAL = {"particles": 8, "order": 2, "pusher": "boris"}
_PERIODS = 4
# A hot plasma has this k times the Debye length unless --cell says otherwise, where the damping of
# Landau is less than 1e-4 of the frequency, and this number of electrons in a cell.
_WAVE_TIMES_DEBYE, _HOT_PARTICLES = 0.2, 64
_GROWING_TIMES = 48  # 1 / w_p is the unit; the beams have curled up then
_FASTEST = math.sqrt(3 / 8)  # k v over the plasma frequency of the wave that grows fastest
_DISTURBANCE = 1e-6
# Growth is measured while the field is this many times that of the disturbance, and up to this part
# of what turns the beams around.
_GROWTH_WINDOW = (30, 0.03)
_MOST_ENERGY_DRIFT = 0.01
_MOST_ERROR = {
    "vacuum-wave": 1e-10,
    "plasma-oscillation": 5e-3,
    "langmuir": 5e-3,
    "plasma-light": 5e-3,
    "two-stream": 0.03,
    "gyration": 1e-10,
}
_MOST_WAKE_ERROR = {"wake_amplitude_error": 0.05, "wake_wavelength_error": 0.01}
# A step rounds currents to 2^-47 of an electron's charge, and fields to their last bit. The first
# is a larger share of the mean density where electrons are few: those at a point add up at random,
# and their sum over the density goes as one over the root of their number.
_ROUNDING, _FEW = 1e-14, 8


def time_step(options: Options) -> float:
    return options.courant / math.sqrt(len(options.lattice))


def magnetic_field(options: Options) -> float:
    """Returns that of gyration, in which the largest radius is an eighth of the lattice."""
    return 8 * options.velocity / min(options.lattice[:2])


def fill_in_defaults(options: Options) -> None:
    """Fills in velocity, cell, particles, order, pusher and steps where they were not given."""
    setup = options.setup
    if options.velocity is None:
        options.velocity = _USUAL_VELOCITY.get(setup, 0.0)
    if setup == "wakefield":
        wakes.fill_in_pulse(options)
    if options.cell is None:
        options.cell = {
            "two-stream": _fastest_cell(options),
            "langmuir": _wave_number(options) * options.velocity / _WAVE_TIMES_DEBYE,
            "thermal": options.velocity,
        }.get(setup, 0.1)
    if options.particles is None and setup == "langmuir":
        options.particles = _HOT_PARTICLES
    for name, usual in _USUAL.items():
        if getattr(options, name) is None:
            setattr(options, name, usual)
    fill_in_steps(options, _usual_steps)


def _usual_steps(options: Options) -> int:
    if options.setup == "thermal":
        return 1000
    if options.setup == "wakefield":
        return wakes.usual_steps(options, time_step(options))
    return math.ceil(_usual_time(options) / time_step(options))


def _usual_time(options: Options) -> float:
    if options.setup in _FREQUENCY:
        return _PERIODS * 2 * math.pi / _FREQUENCY[options.setup](options)
    if options.setup == "two-stream":
        return _GROWING_TIMES / options.cell
    gamma = math.sqrt(1 + 1.25 * options.velocity**2)
    return _PERIODS * 2 * math.pi * gamma / magnetic_field(options)


def _fastest_cell(options: Options) -> float:
    """Returns the cell with which one wave of the lattice is the one that grows fastest."""
    gamma = math.hypot(1, options.velocity)
    beam = options.velocity / gamma
    return 2 * math.pi / options.lattice[0] * beam * gamma**1.5 / _FASTEST


def vacuum_frequency(options: Options) -> float:
    """Returns that of a wave in all dimensions on Yee's grid: sin^2(w dt/2)/dt^2 is the sum of
    sin^2(k/2) (Taflove and Hagness, Computational Electrodynamics, 2005, ch. 4)."""
    dt = time_step(options)
    square = sum(math.sin(math.pi / extent) ** 2 for extent in options.lattice)
    return 2 / dt * math.asin(dt * math.sqrt(square))


def _wave_number(options: Options) -> float:
    return 2 * math.pi / options.lattice[0]


def langmuir_frequency(options: Options) -> float:
    """Returns that of a wave along x in a hot plasma: w^2 = w_p^2 (1 + 3 a + 15 a^2 + ...) with the
    moments of a Gaussian, of which the first two terms are those of Bohm and Gross (Phys. Rev. 75
    (1949) 1851), and a = (k v / w)^2."""
    heat = (_wave_number(options) * options.velocity) ** 2
    square = options.cell**2
    for _ in range(50):
        a = heat / square
        square = options.cell**2 * (1 + a * (3 + a * (15 + a * 105)))
    return math.sqrt(square)


def plasma_light_frequency(options: Options) -> float:
    """Returns that of light along x in a cold plasma on the grid, for long waves
    w^2 = w_p^2 + k^2."""
    dt = time_step(options)
    square = math.sin(_wave_number(options) / 2) ** 2 + options.cell**2 / 4
    return 2 / dt * math.asin(dt * math.sqrt(square))


_FREQUENCY = {
    "vacuum-wave": vacuum_frequency,
    "plasma-oscillation": lambda options: options.cell,
    "langmuir": langmuir_frequency,
    "plasma-light": plasma_light_frequency,
}


def growth_rate(options: Options) -> float:
    """Returns that of one wave between two cold beams of half the density each,
    1 = w^2/2 (1/(W - kv)^2 + 1/(W + kv)^2) with w^2 lower by gamma^3 for motion along a beam; 0
    where it does not grow."""
    gamma = math.hypot(1, options.velocity)
    plasma = options.cell * gamma**-1.5
    along = 2 * math.pi / options.lattice[0] * options.velocity / gamma / plasma
    square = along**2 + 0.5 - 0.5 * math.sqrt(1 + 8 * along**2)
    return plasma * math.sqrt(max(0.0, -square))


def sample_interval(options: Options) -> int:
    return math.ceil(options.steps / options.samples)


def _even(options: Options, samples: list[dict]) -> list[dict]:
    return [s for s in samples if s["step"] % sample_interval(options) == 0]


def measured_frequency(options: Options, samples: list[dict], expected: float) -> float | None:
    """Returns that of a harmonic series a: a(n+1) + a(n-1) = 2 cos(w t) a(n), by least squares;
    None for fewer than three samples and where it is too fast for them: they cannot tell half a
    period or more between two of them from less."""
    if expected * sample_interval(options) * time_step(options) >= math.pi:
        return None
    a = np.array([sample["amplitude"] for sample in _even(options, samples)])
    weight = float(np.sum(a[1:-1] ** 2))
    if weight == 0:
        return None
    cosine = float(np.sum(a[1:-1] * (a[2:] + a[:-2]))) / (2 * weight)
    if abs(cosine) > 1:
        return None
    return math.acos(cosine) / (sample_interval(options) * time_step(options))


def growing(options: Options, samples: list[dict]) -> list[dict]:
    """Returns the samples of linear growth."""
    scale = options.cell * options.velocity
    least, most = _GROWTH_WINDOW[0] * _DISTURBANCE * scale, _GROWTH_WINDOW[1] * scale
    end = next((k for k, s in enumerate(samples) if abs(s["amplitude"]) > most), len(samples))
    return [s for s in samples[:end] if abs(s["amplitude"]) > least]


def measured_growth(options: Options, samples: list[dict]) -> float | None:
    linear = growing(options, samples)
    if len(linear) < 3:
        return None
    times = np.array([s["step"] for s in linear]) * time_step(options)
    return float(np.polyfit(times, np.log([abs(s["amplitude"]) for s in linear]), 1)[0])


def orbits(options: Options, track: np.ndarray) -> dict[str, list[float]]:
    """Returns, for each particle of a track (samples, particles, 7), frequency and radius by the
    chords between samples, the same of the scheme and of an orbit without steps. Raises UsageError
    if there are too few samples for that."""
    dt, interval = time_step(options), sample_interval(options)
    u = np.hypot(track[0, :, 3], track[0, :, 4])
    gamma = np.sqrt(1 + (track[0, :, 3:6] ** 2).sum(axis=1))
    field = magnetic_field(options)
    tangent = field * dt / 2
    step = 2 * np.arctan(tangent / _turning_gamma(options, gamma, u, track[0, :, 5], tangent))
    if len(track) < 3:
        raise UsageError(
            f"{len(track)} samples of orbits cannot tell how far they turn; three are needed: "
            "give more --samples or --steps"
        )
    if interval * step.max() >= math.pi:
        raise UsageError(
            f"orbits turn by {interval * step.max() / math.pi:.3g} half turns between samples, "
            "which cannot tell one or more from less; give more --samples"
        )
    size = np.array(options.lattice[:2])
    chords = np.diff(track[:, :, :2], axis=0)
    chords -= size * np.round(chords / size)
    along = chords[:, :, 0] + 1j * chords[:, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.abs(np.angle(along[1:] / along[:-1])).mean(axis=0)
    if not (turn > 0).all():
        raise NumericError(
            f"particles of velocity {options.velocity:g} turn too little between samples for "
            "double precision; give a larger --velocity or more --steps"
        )
    return {
        "momentum": u.tolist(),
        "frequency": (turn / (interval * dt)).tolist(),
        "scheme_frequency": (step / dt).tolist(),
        "exact_frequency": (field / gamma).tolist(),
        "radius": (np.abs(along).mean(axis=0) / (2 * np.sin(turn / 2))).tolist(),
        "scheme_radius": (u / gamma * dt / (2 * np.sin(step / 2))).tolist(),
        "exact_radius": (u / field).tolist(),
    }


def _turning_gamma(
    options: Options, gamma: np.ndarray, u: np.ndarray, u_along: np.ndarray, tangent: float
) -> np.ndarray:
    """Returns the gamma with which the pusher turns momenta (Higuera and Cary, Phys. Plasmas 24
    (2017) 052104, equation 20)."""
    if options.pusher == "boris":
        return gamma
    less = gamma**2 - tangent**2
    return np.sqrt((less + np.sqrt(less**2 + 4 * tangent**2 * (1 + u_along**2))) / 2)


def _relative(found: float | None, expected: float) -> float | None:
    return None if found is None or expected == 0 else found / expected - 1


def _farthest(found: list[float], expected: list[float]) -> float:
    return float(np.abs(np.array(found) / np.array(expected) - 1).max())


def setup_result(
    options: Options, samples: list[dict], track: np.ndarray | None
) -> dict[str, object]:
    """Returns the setup's own part of `result`."""
    if options.setup in ("thermal", "wakefield"):
        return {}
    if options.setup == "gyration":
        found = orbits(options, track)
        return {
            "orbits": found,
            "frequency_error": _farthest(found["frequency"], found["scheme_frequency"]),
            "radius_error": _farthest(found["radius"], found["scheme_radius"]),
        }
    if options.setup == "two-stream":
        found, expected = measured_growth(options, samples), growth_rate(options)
        name = "growth_rate"
    else:
        expected = _FREQUENCY[options.setup](options)
        found = measured_frequency(options, samples, expected)
        name = "frequency"
    error = _relative(found, expected)
    return {name: found, f"expected_{name}": expected, f"{name}_error": error}


def check(options: Options, result: dict) -> dict[str, object]:
    """Returns the check: of what failed, or else of the setup's own figure."""
    rounding = _ROUNDING * (options.steps + 1)
    coarse = 1.0 if options.setup == "gyration" else math.sqrt(max(1, _FEW / options.particles))
    wake = options.setup == "wakefield"
    # A laser's field, a0 times its frequency, may be larger than the density and is rounded too.
    field = max(1.0, options.velocity * options.frequency / options.cell) if wake else 1.0
    checks = [
        ("particles lost", abs(result["particles_lost"]), 0.5),
        ("Gauss's law, over the mean density", result["gauss_residual"], rounding * coarse * field),
        ("divergence of B", result["magnetic_residual"], rounding),
    ]
    if options.setup not in ("vacuum-wave", "gyration", "wakefield"):
        drift = result["energy_drift"]
        checks.append(("relative change of the energy", drift, _MOST_ENERGY_DRIFT))
    for name, what in (
        ("growth_rate_error", "relative error of the growth rate"),
        ("radius_error", "relative error of the radius"),
        ("frequency_error", "relative error of the frequency"),
    ):
        if result.get(name) is not None:
            checks.append((what, abs(result[name]), _MOST_ERROR[options.setup]))
    for name, limit in _MOST_WAKE_ERROR.items():
        if result.get(name) is not None:
            what = f"relative error of the wake's {name.split('_')[1]}"
            checks.append((what, abs(result[name]), limit))
    return below_limits(checks)
