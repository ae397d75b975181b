"""The picture of two fluids of `onehop app lattice-boltzmann`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_spinodal as spinodal
from onehop.cli.app.lattice_boltzmann_surface import flat
from onehop.cli.app.panels import (
    BLUE,
    GREY_LINE,
    beside,
    draw_image,
    draw_legend_on_image,
    draw_measured,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_of_plane(options: Options) -> tuple[int, int]:
    """Returns the axes that the picture has across and upwards: x and z, unless one of them is
    flat, or x and y of a mixture that separates."""
    if options.lattice[0] == 1:
        return 1, 2
    return 0, 1 if options.lattice[2] == 1 or options.setup == "spinodal" else 2


def labels_of_plane(options: Options) -> tuple[str, str]:
    across, upwards = axes_of_plane(options)
    return f"${'xyz'[across]}$ in cells", f"${'xyz'[upwards]}$ in cells"


def plane(options: Options, fields: np.ndarray) -> np.ndarray:
    """Returns the plane (..., upwards, across) through the middle of fields (..., z, y, x)."""
    cut = sum(axes_of_plane(options)) - 4
    return fields.take(fields.shape[cut] // 2, axis=cut)


def plot_mixture(record: dict, fields: np.ndarray, name: str) -> None:
    """Draws two panels: the order parameter in a plane of the lattice at the end, from the fields
    (6, z, y, x), and beside it the pressure through the droplet or how fast waves have grown."""
    with beside(record, name) as (left, right, options):
        image = plane(options, fields[4])
        settings = {"cmap": "RdBu_r", "vmin": -1.05, "vmax": 1.05}
        draw_image(left, image, r"order parameter $\phi$", labels_of_plane(options), **settings)
        if options.setup == "spinodal":
            _draw_growth(right, record["result"], options)
        else:
            _draw_shape(left, record["result"], options)
            _draw_pressure(right, record["result"], options, fields)


def _draw_shape(axes: Axes, result: dict, options: Options) -> None:
    """Draws the circle of the radius that was measured; on a wall the one that meets it at the
    angle that was asked for and has the droplet's volume."""
    radius = result["radius"]
    middle, height = ((options.lattice[axis] - 1) / 2 for axis in axes_of_plane(options))
    if options.contact_angle is not None:
        angle = math.radians(options.contact_angle)
        radius *= _radius_ratio(math.radians(result["contact_angle"]), angle, options)
        height = -0.5 - radius * math.cos(angle)
    turn = np.linspace(0, 2 * math.pi, 400)
    x, y = middle + radius * np.cos(turn), height + radius * np.sin(turn)
    y = np.where(y > -0.5, y, np.nan) if options.contact_angle is not None else y
    label = "circle of that volume"
    if options.contact_angle is not None:
        label = f"at {options.contact_angle:g} degrees"
    axes.plot(x, y, color="black", linewidth=0.9, linestyle="--", label=label)
    draw_legend_on_image(axes)


def _radius_ratio(found: float, wanted: float, options: Options) -> float:
    """Returns by what a cap's radius changes from one angle to another at the same volume."""
    if flat(options):
        area = [angle - math.sin(angle) * math.cos(angle) for angle in (found, wanted)]
        return math.sqrt(area[0] / area[1])
    volume = [(1 - math.cos(a)) ** 2 * (2 + math.cos(a)) for a in (found, wanted)]
    return (volume[0] / volume[1]) ** (1 / 3)


def _draw_pressure(axes: Axes, result: dict, options: Options, fields: np.ndarray) -> None:
    image = plane(options, fields[5])
    on_wall = options.contact_angle is not None
    line = image[:, image.shape[1] // 2] if on_wall else image[image.shape[0] // 2]
    difference = options.surface_tension * (1 if flat(options) else 2) / result["radius"]
    across = "xyz"[axes_of_plane(options)[0]]
    title = f"surface tension {100 * result['surface_tension_error']:+.2f} % from Laplace's"
    if on_wall:
        title = f"contact angle {result['contact_angle']:.2f} of {options.contact_angle:g} degrees"
    draw_measured(
        axes,
        (np.arange(len(line)), line - (line[-1] if on_wall else line[0])),
        (
            "$z$ over the middle, in cells"
            if on_wall
            else f"${across}$ through the middle, in cells",
            "pressure above that outside, cells and steps",
        ),
        theory=(
            (0, len(line) - 1),
            (difference, difference),
            r"$\sigma/R$" if flat(options) else r"$2\sigma/R$",
        ),
        title=title,
        **{"linestyle": "-", "linewidth": 0.8, "markersize": 3},
    )


def _draw_growth(axes: Axes, result: dict, options: Options) -> None:
    """Waves that feel the lattice, which are not checked, are drawn hollow."""
    k = np.linspace(0, 2 * math.sqrt(2) / options.interface_width, 200)
    waves, rates = (np.array(result[key] or ()) for key in ("wave_numbers", "growth_rates"))
    long = spinodal.are_long(waves)
    error = result["growth_rate_error"]
    shown = "" if error is None else f"long waves differ by {100 * error:.2f} % of the largest rate"
    short = {"marker": "o", "linestyle": "", "markersize": 4, "color": BLUE, "markerfacecolor": "w"}
    axes.plot(waves[~long], rates[~long], **short, label="measured, shorter waves")
    shortest = spinodal.SHORTEST_WAVE
    label = f"waves of {shortest} cells"
    axes.axvline(2 * math.pi / shortest, **GREY_LINE, linestyle="--", label=label)
    draw_measured(
        axes,
        (waves[long], rates[long]),
        ("wave number $k$ in radians per cell", "growth rate per step"),
        theory=(k, spinodal.growth_rate(options, k**2), r"$M k^2 (4A - \kappa k^2)$"),
        title=shown,
    )
    axes.legend(frameon=False, fontsize=8, loc="upper left")
