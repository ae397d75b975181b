"""The picture of two densities of `onehop app lattice-boltzmann`."""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli.app import lattice_boltzmann_phases as phases
from onehop.cli.app.lattice_boltzmann_oscillation_plot import draw_layers, draw_oscillation
from onehop.figures import new_figure, save

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

_BLUE = "#1f5a92"


def plot_phases(record: dict, fields: np.ndarray, path: Path) -> None:
    """Draws two panels: the speed in a plane of the lattice at the end, with the surface, from the
    fields (6, z, y, x), and beside it how fast the bubble rises, how the droplet oscillates or the
    profile of the layers."""
    options = types.SimpleNamespace(**record["options"])
    velocity, phi, (across, upwards) = _plane(options, fields)
    is_plane = min(phi.shape) > 1
    figure, (left, right) = new_figure(1, 2, figsize=(9.6, 4.4))
    speed = np.sqrt((velocity**2).sum(axis=0))
    aspect = "auto" if options.setup == "poiseuille" else "equal"
    drawn = left.imshow(speed, origin="lower", cmap="magma", vmin=0, aspect=aspect)
    figure.colorbar(drawn, ax=left, label="speed, cells per step", shrink=0.85)
    if is_plane and phi.min() < 0 < phi.max():
        left.contour(phi, levels=[0.0], colors="white", linewidths=1.4)
    if is_plane and options.setup != "poiseuille":
        u, w = velocity[across], velocity[upwards]
        x, y = np.arange(phi.shape[1]), np.arange(phi.shape[0])
        left.streamplot(x, y, u, w, color="#9fb8cc", linewidth=0.4, arrowsize=0.5, density=0.9)
    left.set_xlabel(f"${'xyz'[across]}$")
    left.set_ylabel(f"${'xyz'[upwards]}$")
    size = "x".join(map(str, options.lattice))
    left.set_title(f"{options.setup}, {size}, step {options.steps}", fontsize=10)
    if options.setup == "oscillation":
        draw_oscillation(right, record, options)
    elif options.setup == "poiseuille":
        draw_layers(right, record, options)
    else:
        _draw_rise(right, record, options)
    right.grid(alpha=0.25)
    save(figure, path)


def _plane(
    options: types.SimpleNamespace, fields: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Returns velocity (3, rows, columns) and order parameter (rows, columns) of a plane through
    the middle, and along which axes its rows and columns are: x and z, unless one of them is
    flat."""
    if options.lattice[0] == 1:
        return fields[1:4, :, :, 0], fields[4, :, :, 0], (1, 2)
    if options.lattice[2] == 1:
        return fields[1:4, 0], fields[4, 0], (0, 1)
    middle = fields.shape[2] // 2
    return fields[1:4, :, middle], fields[4, :, middle], (0, 2)


def _draw_rise(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    step = [sample["step"] for sample in record["samples"]]
    scale = math.sqrt(2 * options.radius * options.gravity)
    scaled = np.array([sample["rise_velocity"] for sample in record["samples"]]) / scale
    axes.plot(step, scaled, "o-", markersize=3.5, linewidth=0.8, color=_BLUE, label="measured")
    axes.set_ylabel(r"rise velocity over $\sqrt{gd}$")
    error = record["result"]["rise_velocity_error"]
    if error is not None:
        label = "largest of the benchmark"
        axes.axhline(phases.BENCHMARK_VELOCITY, color="grey", linewidth=0.8, label=label)
    title = f"Reynolds number {record['result']['rise_reynolds']:.1f}"
    shown = "" if error is None else f", {100 * error:+.1f} % from the benchmark"
    axes.set_title(title + shown, fontsize=10)
    axes.set_xlabel("step")
    axes.legend(frameon=False)
