"""The picture of two densities of `onehop app lattice-boltzmann`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_bubble as bubble
from onehop.cli.app import lattice_boltzmann_layers as layers
from onehop.cli.app import lattice_boltzmann_oscillation as oscillation
from onehop.cli.app.lattice_boltzmann_mixture_plot import axes_of_plane, labels_of_plane, plane
from onehop.cli.app.lattice_boltzmann_surface import flat
from onehop.cli.app.panels import (
    GREY_LINE,
    beside,
    draw_image,
    draw_legend_on_image,
    draw_measured,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_phases(record: dict, fields: np.ndarray, name: str) -> None:
    """Draws two panels: the speed in a plane of the lattice at the end, with the surface, from the
    fields (6, z, y, x), and beside it how fast the bubble rises, how the droplet oscillates or the
    profile of the layers."""
    with beside(record, name) as (left, right, options):
        _draw_speed(left, options, plane(options, fields))
        draw = {"oscillation": _draw_oscillation, "poiseuille": _draw_layers}
        draw.get(options.setup, _draw_rise)(right, record, options)


def _draw_speed(axes: Axes, options: Options, fields: np.ndarray) -> None:
    velocity, phi = fields[1:4], fields[4]
    across, upwards = axes_of_plane(options)
    settings = {"cmap": "magma", "vmin": 0}
    settings["aspect"] = "auto" if options.setup == "poiseuille" else "equal"
    speed = np.sqrt((velocity**2).sum(axis=0))
    draw_image(axes, speed, "speed in cells per step", labels_of_plane(options), **settings)
    is_plane = min(phi.shape) > 1
    if is_plane and phi.min() < 0 < phi.max():
        axes.contour(phi, levels=[0.0], colors="white", linewidths=1.4)
        axes.plot([], [], color="white", linewidth=1.4, label=r"surface, $\phi = 0$")
    if is_plane and options.setup != "poiseuille":
        y, x = map(np.arange, phi.shape)
        lines = {"color": "#9fb8cc", "linewidth": 0.4, "arrowsize": 0.5, "density": 0.9}
        axes.streamplot(x, y, velocity[across], velocity[upwards], **lines)
        axes.plot([], [], color=lines["color"], linewidth=0.8, label="stream lines")
    if axes.lines:
        draw_legend_on_image(axes, dark=True)


def _draw_rise(axes: Axes, record: dict, options: Options) -> None:
    step = [sample["step"] for sample in record["samples"]]
    scale = math.sqrt(2 * options.radius * options.gravity)
    scaled = np.array([sample["rise_velocity"] for sample in record["samples"]]) / scale
    title = f"Reynolds number {record['result']['rise_reynolds']:.1f}"
    benchmark, error = None, record["result"]["rise_velocity_error"]
    if error is not None:
        largest = (bubble.BENCHMARK_VELOCITY,) * 2
        benchmark = ((0, step[-1]), largest, "largest of the benchmark")
        title += f", {100 * error:+.1f} % from the benchmark"
    labels = ("step", r"rise velocity over $\sqrt{gd}$")
    line = {"linestyle": "-", "linewidth": 0.8}
    draw_measured(axes, (step, scaled), labels, theory=benchmark, title=title, **line)


def _draw_oscillation(axes: Axes, record: dict, options: Options) -> None:
    """Draws the deformation at the samples, with the damped wave that the frequency is of."""
    samples, result = record["samples"], record["result"]
    step = np.array([sample["step"] for sample in samples], dtype=float)
    period = 2 * math.pi / result["expected_frequency"]
    author = "Rayleigh" if flat(options) else "Lamb"
    wave = oscillation.wave_of(options, samples)
    title = ""
    if wave is not None:
        frequency = 100 * result["frequency_error"]
        damping = 100 * (result["damping"] / result["expected_damping"] - 1)
        title = f"frequency {frequency:+.2f} %, damping {damping:+.0f} % from theory"
        found = oscillation.released(samples, result["expected_frequency"], wave[1])
        axes.plot(step / period, found, **GREY_LINE, linestyle="--", label=f"frequency of {author}")
    draw_measured(
        axes,
        (step / period, [sample["deformation"] for sample in samples]),
        (f"time in periods of {author}", "deformation in radii"),
        theory=None if wave is None else (step / period, wave[2], "fitted damped wave"),
        title=title,
    )
    axes.set_ylim(top=1.9 * samples[0]["deformation"])  # room for the legend


def _draw_layers(axes: Axes, record: dict, options: Options) -> None:
    """Draws the velocity along x at each z, and the two parabolas."""
    z = np.arange(options.lattice[2]) + 0.5
    draw_measured(
        axes,
        (record["result"]["profile"], z),
        ("velocity along $x$ in cells per step", "distance from the wall in cells"),
        theory=(layers.steady_profile(options), z, "two parabolas"),
        title=f"largest difference {100 * record['result']['parabola_error']:.2f} % of $U$",
    )
