"""The picture of one fluid of `onehop app lattice-boltzmann`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app.lattice_boltzmann_channel import parabola
from onehop.cli.app.lattice_boltzmann_spheres import steady_velocity
from onehop.cli.app.lattice_boltzmann_vortices import decay_rate
from onehop.cli.app.panels import beside, draw_image, draw_measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_fluid(record: dict, fields: np.ndarray, name: str) -> None:
    """Draws two panels: the velocity in a plane of the lattice at the end, from density and
    velocity (4, z, y, x), and beside it the decay of the vortices, the channel's profile, or the
    mean velocity around spheres."""
    with beside(record, name) as (left, right, options):
        if options.setup == "taylor-green":
            _draw_vortices(left, fields)
            _draw_decay(right, record, options)
            return
        image = fields[1, :, fields.shape[2] // 2]
        aspect = "auto" if options.setup == "poiseuille" else "equal"
        settings = {"cmap": "viridis", "vmin": 0, "vmax": float(np.abs(image).max())}
        labels = ("$x$ in cells", "$z$ in cells")
        what = "velocity along $x$ in cells per step"
        draw_image(left, image, what, labels, aspect=aspect, **settings)
        draw = _draw_approach if options.setup == "spheres" else _draw_profile
        draw(right, record, options)


def _draw_vortices(axes: Axes, fields: np.ndarray) -> None:
    """Draws the vorticity of the plane z = 0, by central differences around the lattice, and
    streamlines."""
    u, v = fields[1, 0], fields[2, 0]
    slope_v = np.roll(v, -1, axis=1) - np.roll(v, 1, axis=1)
    slope_u = np.roll(u, -1, axis=0) - np.roll(u, 1, axis=0)
    image = (slope_v - slope_u) / 2
    if min(u.shape) > 1:
        y, x = map(np.arange, u.shape)
        axes.streamplot(x, y, u, v, color="#333333", linewidth=0.5, density=1.1)
    most = float(np.abs(image).max())
    labels = ("$x$ in cells", "$y$ in cells")
    settings = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
    draw_image(axes, image, "vorticity per step", labels, **settings)


def _draw_decay(axes: Axes, record: dict, options: Options) -> None:
    steps = np.array([sample["step"] for sample in record["samples"]])
    amplitudes = [abs(sample["amplitude"]) for sample in record["samples"]]
    expected = options.velocity * np.exp(-decay_rate(options.lattice, options.tau) * steps)
    error = record["result"]["viscosity_error"]
    draw_measured(
        axes,
        (steps, amplitudes),
        ("step", "amplitude of the velocity in cells per step"),
        theory=(steps, expected, r"$U e^{-\nu k^2 t}$"),
        title="" if error is None else f"viscosity {100 * error:+.3f} % from $(\\tau - 1/2)/3$",
    )
    axes.set_yscale("log")


def _draw_approach(axes: Axes, record: dict, options: Options) -> None:
    steps = [sample["step"] for sample in record["samples"]]
    means = [sample["amplitude"] for sample in record["samples"]]
    steady, error = steady_velocity(options), record["result"]["drag_error"]
    draw_measured(
        axes,
        (steps, means),
        ("step", "mean velocity along $x$ in cells per step"),
        theory=((0, steps[-1]), (steady, steady), "slow flow"),
        title="" if error is None else f"drag {100 * error:+.2f} % from slow flow",
    )


def _draw_profile(axes: Axes, record: dict, options: Options) -> None:
    z = np.arange(options.lattice[2]) + 0.5
    draw_measured(
        axes,
        (record["result"]["profile"], z),
        ("velocity along $x$ in cells per step", "distance from the wall in cells"),
        theory=(parabola(options), z, "Navier-Stokes"),
        title=f"largest difference {record['result']['parabola_error']:.1e} of $U$",
    )
