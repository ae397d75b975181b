"""The picture of two fluids of `onehop app lattice-boltzmann`."""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli.app import lattice_boltzmann_mixture as mixture
from onehop.figures import new_figure, save

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

_BLUE = "#1f5a92"


def plot_mixture(record: dict, fields: np.ndarray, path: Path) -> None:
    """Draws two panels: the order parameter in a plane of the lattice at the end, from the fields
    (6, z, y, x), and beside it the pressure through the droplet or how fast waves have grown."""
    figure, (left, right) = new_figure(1, 2, figsize=(9.6, 4.4))
    options = types.SimpleNamespace(**record["options"])
    phi, (across, upwards) = _plane(options, fields[4]), _axes(options)
    drawn = left.imshow(phi, origin="lower", cmap="RdBu_r", vmin=-1, vmax=1)
    figure.colorbar(drawn, ax=left, label="order parameter", shrink=0.85)
    left.set_xlabel(f"${'xyz'[across]}$")
    left.set_ylabel(f"${'xyz'[upwards]}$")
    size = "x".join(map(str, options.lattice))
    left.set_title(f"{options.setup}, {size}, step {options.steps}", fontsize=10)
    if options.setup == "spinodal":
        _draw_growth(right, record["result"], options)
    else:
        _draw_shape(left, record["result"], options)
        _draw_pressure(right, record["result"], options, fields)
    right.grid(alpha=0.25)
    save(figure, path)


def _axes(options: types.SimpleNamespace) -> tuple[int, int]:
    """Returns the axes that the picture has across and upwards: x and z, unless one of them is
    flat, or x and y of a mixture that separates."""
    if options.lattice[0] == 1:
        return 1, 2
    return 0, 1 if options.lattice[2] == 1 or options.setup == "spinodal" else 2


def _plane(options: types.SimpleNamespace, field: np.ndarray) -> np.ndarray:
    """Returns the plane (upwards, across) through the middle of a field (z, y, x)."""
    cut = sum(_axes(options)) - 1
    return field.take(field.shape[cut] // 2, axis=cut)


def _draw_shape(axes: Axes, result: dict, options: types.SimpleNamespace) -> None:
    """Draws the circle of the radius that was measured; on a wall the one that meets it at the
    angle that was asked for and has the droplet's volume."""
    radius = result["radius"]
    middle, height = ((options.lattice[axis] - 1) / 2 for axis in _axes(options))
    if options.contact_angle is not None:
        angle = math.radians(options.contact_angle)
        radius *= _radius_ratio(math.radians(result["contact_angle"]), angle, options)
        height = -0.5 - radius * math.cos(angle)
    turn = np.linspace(0, 2 * math.pi, 400)
    x, y = middle + radius * np.cos(turn), height + radius * np.sin(turn)
    y = np.where(y > -0.5, y, np.nan) if options.contact_angle is not None else y
    axes.plot(x, y, color="black", linewidth=0.9, linestyle="--")


def _radius_ratio(found: float, wanted: float, options: types.SimpleNamespace) -> float:
    """Returns by what a cap's radius changes from one angle to another at the same volume."""
    if 1 in options.lattice:
        area = [angle - math.sin(angle) * math.cos(angle) for angle in (found, wanted)]
        return math.sqrt(area[0] / area[1])
    volume = [(1 - math.cos(a)) ** 2 * (2 + math.cos(a)) for a in (found, wanted)]
    return (volume[0] / volume[1]) ** (1 / 3)


def _draw_pressure(
    axes: Axes, result: dict, options: types.SimpleNamespace, fields: np.ndarray
) -> None:
    plane = _plane(options, fields[5])
    on_wall = options.contact_angle is not None
    line = plane[:, plane.shape[1] // 2] if on_wall else plane[plane.shape[0] // 2]
    curvature = (1 if 1 in options.lattice else 2) / result["radius"]
    outside = line[-1] if on_wall else line[0]
    axes.plot(line - outside, "o-", markersize=3, linewidth=0.8, color=_BLUE, label="measured")
    label = r"$\sigma/R$" if 1 in options.lattice else r"$2\sigma/R$"
    axes.axhline(options.surface_tension * curvature, color="grey", linewidth=0.8, label=label)
    across = "xyz"[_axes(options)[0]]
    axes.set_xlabel("$z$ over the middle" if on_wall else f"${across}$ through the middle")
    axes.set_ylabel("pressure above that outside")
    axes.legend(frameon=False)
    title = f"surface tension {100 * result['surface_tension_error']:+.2f} %"
    if on_wall:
        title = f"contact angle {result['contact_angle']:.2f} of {options.contact_angle:g} degrees"
    axes.set_title(title, fontsize=10)


def _draw_growth(axes: Axes, result: dict, options: types.SimpleNamespace) -> None:
    k = np.linspace(0, 2 * math.sqrt(2) / options.interface_width, 200)
    axes.plot(
        k,
        mixture.growth_rate(options, k**2),
        color="grey",
        linewidth=0.8,
        label=r"$M k^2 (4A - \kappa k^2)$",
    )
    if result["growth_rates"] is not None:
        axes.plot(
            result["wave_numbers"],
            result["growth_rates"],
            "o",
            markersize=3.5,
            color=_BLUE,
            label="measured",
        )
    if result["growth_rate_error"] is not None:
        error = 100 * result["growth_rate_error"]
        axes.set_title(f"long waves differ by {error:.2f} % of the largest rate", fontsize=10)
    axes.set_xlabel("wave number $k$")
    axes.set_ylabel("growth rate per step")
    axes.legend(frameon=False)
