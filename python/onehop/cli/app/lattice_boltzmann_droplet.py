"""The properties of a droplet at rest of `onehop app lattice-boltzmann`, inside the lattice or
on a wall, and how far a run is from them."""

import math

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_surface import droplet_volume, flat
from onehop.cli.app.lattice_boltzmann_vortices import viscosity

_MOST_TENSION_ERROR = 0.03
_MOST_ANGLE_ERROR = 3.0


def usual_steps(options: Options) -> int:
    """Returns the time in which sound and the shape of a droplet have come to rest."""
    times = 4 if options.contact_angle is None else 12
    return math.ceil(times * options.radius**2 / viscosity(options.tau))


def _inside_and_outside(options: Options, field: np.ndarray) -> tuple[float, float]:
    """Returns a field (z, y, x) amid the droplet, or in its lowest cell on a wall, and far from
    it."""
    z, y, x = (n // 2 for n in field.shape)
    if options.contact_angle is not None:
        return float(field[0, y, x]), float(field[-1, 0, 0])
    return float(field[z, y, x]), float(field[0, 0, 0])


def _height(phi: np.ndarray) -> float:
    """Returns how far above the wall phi (z, y, x) changes its sign over the middle."""
    column = phi[:, phi.shape[1] // 2, phi.shape[2] // 2]
    above = int(np.argmax(column <= 0))
    inside, outside = float(column[above - 1]), float(column[above])
    return above - 0.5 + inside / (inside - outside)


def contact_angle(options: Options, phi: np.ndarray) -> tuple[float, float]:
    """Returns the angle in degrees and the radius of the cap that has the volume and the height of
    the droplet on the wall."""
    volume, height = droplet_volume(options, phi), _height(phi)
    if not flat(options):
        radius = volume / (math.pi * height**2) + height / 3
        return math.degrees(math.acos(max(-1.0, 1 - height / radius))), radius
    low, high = 1e-3, math.pi - 1e-3
    for _ in range(60):
        middle = (low + high) / 2
        radius = height / (1 - math.cos(middle))
        area = radius**2 * (middle - math.sin(middle) * math.cos(middle))
        low, high = (low, middle) if area < volume else (middle, high)
    return math.degrees(low), height / (1 - math.cos(low))


def setup_result(options: Options, found: dict) -> dict[str, object]:
    """Returns the setup's own part of `result`, of the fields (6, z, y, x) that were found."""
    velocity, phi, pressure = found["fields"][1:4], found["fields"][4], found["fields"][5]
    inside, outside = _inside_and_outside(options, pressure)
    volume = droplet_volume(options, phi)
    on_wall: dict[str, object] = {}
    if options.contact_angle is not None:
        angle, radius = contact_angle(options, phi)
        error = angle - options.contact_angle
        on_wall = {"contact_angle": angle, "contact_angle_error": error}
    elif flat(options):
        radius = math.sqrt(volume / math.pi)
    else:
        radius = (volume * 0.75 / math.pi) ** (1 / 3)
    tension = (inside - outside) * radius / (1 if flat(options) else 2)
    return {
        "radius": radius,
        "pressure_difference": inside - outside,
        "surface_tension": tension,
        "surface_tension_error": tension / options.surface_tension - 1,
        "spurious_velocity": float(np.sqrt((velocity**2).sum(axis=0)).max()),
        **on_wall,
    }


def checks(options: Options, result: dict) -> list[tuple[str, float, float]]:
    """Returns the checks of a droplet, beside those of all fluids: its angle on a wall, and
    otherwise its pressure."""
    if options.contact_angle is not None:
        error = abs(result["contact_angle_error"])
        return [("error of the contact angle in degrees", error, _MOST_ANGLE_ERROR)]
    error = abs(result["surface_tension_error"])
    return [("relative error of the surface tension", error, _MOST_TENSION_ERROR)]
