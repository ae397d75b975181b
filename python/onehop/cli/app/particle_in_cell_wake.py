"""Linear theory of the wake of a laser pulse, and how far a run of `onehop app particle-in-cell
--setup wakefield` is from it.

Lengths are in cells and times in cells over c, so that the plasma frequency is the length of a cell
in c over it."""

import math

import numpy as np

from onehop import _apps
from onehop.cli._shared.option import Options

_USUAL = {"frequency": 6.0, "waist": 4.0, "duration": math.sqrt(2)}
_CELLS_IN_A_WAVE = 20
# So many durations behind the middle of the pulse its light has gone.
_BEHIND = 3.5
# Wavelengths are tried so far around that of theory, and finer around the best of them.
_TRIED, _TRIED_AROUND = 201, (0.15, 0.0015)


def fill_in_pulse(options: Options) -> None:
    """Fills in the laser pulse and the length of a cell, if they were not given."""
    for name, usual in _USUAL.items():
        if getattr(options, name) is None:
            setattr(options, name, usual)
    if options.cell is None:
        options.cell = 2 * math.pi / (_CELLS_IN_A_WAVE * options.frequency)


def pulse(options: Options) -> _apps.LaserPulse:
    """Returns the laser pulse, any one for setups that have none."""
    given = [getattr(options, name) or usual for name, usual in _USUAL.items()]
    return _apps.LaserPulse(options.velocity, *given)


def geometry(options: Options, dt: float) -> _apps.Wakefield:
    """Raises UsageError if the lattice has no room for the pulse."""
    return _apps.make_wakefield(options.lattice, options.cell, pulse(options), dt)


def usual_steps(options: Options, dt: float) -> int:
    """Returns the number of steps after which all plasma in the window is far enough from the
    plasma's end."""
    where = geometry(options, dt)
    inside = options.lattice[0] - 2 * where.layer + options.waist / options.cell
    return math.ceil((where.window_starts + inside) / dt)


def _wave_number(options: Options, dt: float, plasma: float) -> float:
    """Returns that of light along x on the grid: sin^2(w dt/2)/dt^2 = sin^2(k/2) + w_p^2/4."""
    square = (math.sin(options.frequency * options.cell * dt / 2) / dt) ** 2 - plasma**2 / 4
    return 2 * math.asin(math.sqrt(square)) if square > 0 else 0.0


def _group_velocity(options: Options, dt: float, plasma: float) -> float:
    k = _wave_number(options, dt, plasma)
    return dt * math.sin(k) / math.sin(options.frequency * options.cell * dt)


class LinearWake:
    """The wake of a pulse a^2 = a0^2 exp(-t^2 / T^2), polarised linearly, on its axis (Gorbunov and
    Kirsanov, Sov. Phys. JETP 66 (1987) 290; Esarey et al., Rev. Mod. Phys. 81 (2009) 1229): behind
    it E_x is
      (sqrt(pi) / 4) a^2 w_p T exp(-w_p^2 T^2 / 4) / v cos(w_p (t - x / v))
    in units of m c w_p / e, where v is the group velocity of the light, here that on the grid. Of
    light that enters the plasma a is 2 / (1 + n) times that before, for a refractive index n; and
    a^2 at a distance from the focus is that of a Gaussian beam."""

    def __init__(self, options: Options, dt: float) -> None:
        self.options = options
        self.plasma = options.cell
        self.velocity = _group_velocity(options, dt, self.plasma)
        where = geometry(options, dt)
        self.begins, self.layer = where.plasma_begins, where.layer
        vacuum = _group_velocity(options, dt, 0.0)
        self.enters = where.pulse_time + (self.begins - where.antenna_x - 0.5) / vacuum
        k = _wave_number(options, dt, self.plasma)
        self.rayleigh = k * (options.waist / options.cell) ** 2 / 2
        entering = 2 / (1 + k / _wave_number(options, dt, 0.0))
        angle = options.duration
        peak = math.sqrt(math.pi) / 4 * (options.velocity * entering) ** 2 * angle
        self.amplitude = peak * math.exp(-(angle**2) / 4) / self.velocity
        self.wavelength = 2 * math.pi * self.velocity / self.plasma

    def intensity(self, x: np.ndarray) -> np.ndarray:
        """Returns a^2 on the axis over that at the focus."""
        square = 1 + ((x - self.begins) / self.rayleigh) ** 2
        return 1 / (np.sqrt(square) if len(self.options.lattice) == 2 else square)

    def field(self, x: np.ndarray, time: float) -> np.ndarray:
        """Returns E_x / (m c w_p / e) behind the pulse."""
        phase = self.plasma * (time - self.enters - (x - self.begins) / self.velocity)
        return self.amplitude * self.intensity(x) * np.cos(phase)

    def pulse_at(self, time: float) -> float:
        return self.begins + (time - self.enters) * self.velocity

    def behind_pulse(self, time: float) -> float:
        duration = self.options.duration / self.options.cell
        return self.pulse_at(time) - _BEHIND * duration * self.velocity


def on_axis(options: Options, fields: np.ndarray) -> np.ndarray:
    """Returns E_x / (m c w_p / e) along the axis from the fields (7, z, y, x)."""
    z, y = (extent // 2 for extent in fields.shape[1:3])
    return fields[0, z, y] / options.cell


def places(count: int, moved: int) -> np.ndarray:
    """Returns x of these E_x in the window at rest."""
    return np.arange(count) + 0.5 + moved


def result(options: Options, dt: float, moved: int, fields: np.ndarray) -> dict[str, object]:
    """Returns amplitude and wavelength of the wake, by least squares, beside those of the theory;
    where there is less than a wavelength of it in the window they are None."""
    theory = LinearWake(options, dt)
    time = options.steps * dt
    field, x = on_axis(options, fields), places(fields.shape[3], moved)
    # Near its sharp end the plasma also has waves of the surface, which are as deep as wide.
    first = max(theory.begins + options.waist / options.cell, moved + theory.layer + 2)
    wake = (x > first) & (x < theory.behind_pulse(time))
    found: dict[str, object] = {
        "window_moved": moved,
        "expected_wake_amplitude": theory.amplitude,
        "expected_wake_wavelength": theory.wavelength,
    }
    names = ("wake_amplitude", "wake_wavelength", "wake_phase")
    if wake.sum() < theory.wavelength:
        return {**found, **dict.fromkeys((*names, "wake_amplitude_error", "wake_wavelength_error"))}
    amplitude, wavelength, phase = _fitted(theory, x[wake], field[wake], time)
    return {
        **found,
        **dict(zip(names, (amplitude, wavelength, phase), strict=True)),
        "wake_amplitude_error": amplitude / theory.amplitude - 1,
        "wake_wavelength_error": wavelength / theory.wavelength - 1,
    }


def _fitted(
    theory: LinearWake, x: np.ndarray, field: np.ndarray, time: float
) -> tuple[float, float, float]:
    """Returns amplitude at the focus, wavelength and, in the middle of what is fitted, how many
    radians the field is ahead of the theory's."""
    middle = float(x[0] + x[-1]) / 2
    best = (math.inf, theory.wavelength, (0.0, 0.0))
    for around in _TRIED_AROUND:
        centre = best[1]
        for wavelength in centre * np.linspace(1 - around, 1 + around, _TRIED):
            turn = 2 * math.pi * (x - middle) / wavelength
            waves = theory.intensity(x)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
            parts, *_ = np.linalg.lstsq(waves, field, rcond=None)
            far = float(((waves @ parts - field) ** 2).sum())
            if far < best[0]:
                best = (far, float(wavelength), tuple(parts.tolist()))
    _, wavelength, (cosine, sine) = best
    expected = theory.plasma * (time - theory.enters - (middle - theory.begins) / theory.velocity)
    ahead = math.remainder(math.atan2(sine, cosine) - expected, 2 * math.pi)
    return math.hypot(cosine, sine), wavelength, ahead
