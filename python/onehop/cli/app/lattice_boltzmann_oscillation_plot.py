"""The panels of a droplet that oscillates, and of layers, of `onehop app lattice-boltzmann`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli.app import lattice_boltzmann_layers as layers
from onehop.cli.app import lattice_boltzmann_oscillation as oscillation

if TYPE_CHECKING:
    import types

    from matplotlib.axes import Axes

_BLUE = "#1f5a92"


def draw_oscillation(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    """Draws the deformation at the samples, with the damped wave that the frequency is of."""
    samples, result = record["samples"], record["result"]
    step = np.array([sample["step"] for sample in samples], dtype=float)
    period = 2 * math.pi / result["expected_frequency"]
    author = "Rayleigh" if 1 in options.lattice else "Lamb"
    axes.plot(
        step / period,
        [sample["deformation"] for sample in samples],
        "o",
        markersize=3.5,
        color=_BLUE,
        label="measured",
    )
    wave = oscillation.wave_of(options, samples)
    if wave is not None:
        axes.plot(step / period, wave[2], color="grey", linewidth=0.8, label="damped wave")
        shown = f"frequency {100 * result['frequency_error']:+.2f} % from that of {author}"
        axes.set_title(shown, fontsize=10)
    axes.set_xlabel(f"time in periods of {author}")
    axes.set_ylabel("deformation, radii")
    axes.legend(frameon=False)


def draw_layers(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    """Draws the velocity along x at each z, and the two parabolas."""
    z = np.arange(options.lattice[2]) + 0.5
    axes.plot(record["result"]["profile"], z, "o", markersize=4, color=_BLUE, label="measured")
    axes.plot(layers.steady_profile(options), z, color="grey", linewidth=0.8, label="two parabolas")
    axes.set_xlabel("velocity along x")
    axes.set_ylabel("distance from the wall")
    error = 100 * record["result"]["parabola_error"]
    axes.set_title(f"largest difference {error:.2f} % of $U$", fontsize=10)
    axes.legend(frameon=False)
