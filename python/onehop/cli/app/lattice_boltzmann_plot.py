"""The picture of `onehop app lattice-boltzmann`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.cli.app import lattice_boltzmann_figures as figures
from onehop.cli.app.lattice_boltzmann_spheres import steady_velocity
from onehop.figures import new_figure, save

if TYPE_CHECKING:
    import types
    from pathlib import Path

    from matplotlib.axes import Axes


def plot_fluid(record: dict, fields: np.ndarray, path: Path) -> None:
    """Draws two panels: the velocity in a plane of the lattice at the end, from density and
    velocity (4, z, y, x), and beside it the decay of the vortices, the channel's profile, or the
    mean velocity around spheres."""
    import types

    figure, (left, right) = new_figure(1, 2, figsize=(9.6, 4.4))
    options = types.SimpleNamespace(**record["options"])
    if options.setup == "taylor-green":
        image, label = _vorticity(fields), "vorticity"
        _draw_streams(left, fields[1, 0], fields[2, 0])
        left.set_ylabel("$y$")
        _draw_decay(right, record, options)
    else:
        image, label = fields[1, :, fields.shape[2] // 2], "velocity along x"
        left.set_ylabel("$z$")
        if options.setup == "spheres":
            _draw_approach(right, record, options)
        else:
            _draw_profile(right, record, options)
    largest = float(np.abs(image).max())
    least = -largest if options.setup == "taylor-green" else 0.0
    drawn = left.imshow(
        image,
        origin="lower",
        cmap="RdBu_r" if options.setup == "taylor-green" else "viridis",
        vmin=least,
        vmax=largest,
        aspect="auto" if options.setup == "poiseuille" else "equal",
    )
    figure.colorbar(drawn, ax=left, label=label, shrink=0.85)
    left.set_xlabel("$x$")
    size = "x".join(map(str, options.lattice))
    left.set_title(f"{options.setup}, {size}, step {options.steps}", fontsize=10)
    right.grid(alpha=0.25)
    save(figure, path)


def _vorticity(fields: np.ndarray) -> np.ndarray:
    """Returns that of the plane z = 0, by central differences around the lattice."""
    u, v = fields[1, 0], fields[2, 0]
    slope_v = np.roll(v, -1, axis=1) - np.roll(v, 1, axis=1)
    slope_u = np.roll(u, -1, axis=0) - np.roll(u, 1, axis=0)
    return (slope_v - slope_u) / 2


def _draw_streams(axes: Axes, u: np.ndarray, v: np.ndarray) -> None:
    height, width = u.shape
    if min(height, width) > 1:
        axes.streamplot(
            np.arange(width), np.arange(height), u, v, color="#333333", linewidth=0.5, density=1.1
        )


def _draw_decay(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    steps = np.array([sample["step"] for sample in record["samples"]])
    axes.semilogy(
        steps,
        [abs(sample["amplitude"]) for sample in record["samples"]],
        "o",
        markersize=4,
        color="#1f5a92",
        label="measured",
    )
    expected = options.velocity * np.exp(-figures.decay_rate(options.lattice, options.tau) * steps)
    axes.semilogy(steps, expected, color="grey", linewidth=0.8, label=r"$U e^{-\nu k^2 t}$")
    axes.set_xlabel("step")
    axes.set_ylabel("amplitude of the velocity")
    axes.legend(frameon=False)
    error = record["result"]["viscosity_error"]
    if error is not None:
        axes.set_title(f"viscosity {100 * error:+.3f} % from $(\\tau - 1/2)/3$", fontsize=10)


def _draw_approach(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    result = record["result"]
    steps = [sample["step"] for sample in record["samples"]]
    means = [sample["amplitude"] for sample in record["samples"]]
    axes.plot(steps, means, "o", markersize=4, color="#1f5a92", label="measured")
    steady = steady_velocity(options)
    axes.axhline(steady, color="grey", linewidth=0.8, label="slow flow")
    axes.set_xlabel("step")
    axes.set_ylabel("mean velocity along x")
    axes.legend(frameon=False)
    if result["drag_error"] is not None:
        axes.set_title(f"drag {100 * result['drag_error']:+.2f} % from slow flow", fontsize=10)


def _draw_profile(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    z = np.arange(options.lattice[2]) + 0.5
    profile = record["result"]["profile"]
    axes.plot(profile, z, "o", markersize=4, color="#1f5a92", label="measured")
    axes.plot(figures.parabola(options), z, color="grey", linewidth=0.8, label="Navier-Stokes")
    axes.set_xlabel("velocity along x")
    axes.set_ylabel("distance from the wall")
    axes.legend(frameon=False)
    error = record["result"]["parabola_error"]
    axes.set_title(f"largest difference {error:.1e} of $U$", fontsize=10)
