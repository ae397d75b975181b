"""Draws fits: the curve through the data, residuals below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.figures import COLOURS, new_figure, write_numbers_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from onehop.perfmodel.fit import Fit

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def style_of(place: int) -> dict[str, str]:
    """Returns colour and marker of the curve in this place: no pair comes twice before all have."""
    turn = place + place // len(COLOURS)
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[turn % len(MARKERS)]}


def draw_fit(fit: Fit, title: str = "") -> Figure:
    """Draws two panels over the message size."""
    figure, (above, below) = new_figure(
        2, 1, sharex=True, figsize=(6.4, 5.4), height_ratios=(3, 1.3)
    )
    _draw_curves(fit, above)
    _draw_residuals(fit, below)
    above.set_title(title or f"{fit.observations.name}: {fit.model}", fontsize=10)
    return figure


def _draw_curves(fit: Fit, axes: Axes) -> None:
    data = fit.observations
    sizes = _between(data.size_bytes)
    for number, many in enumerate(np.unique(data.channels)):
        own, style = data.channels == many, style_of(number)
        points = style | {"markersize": 4, "linestyle": ""}
        axes.plot(data.size_bytes[own], data.time_us[own], **points)
        label = f"V = {many:g}" if len(np.unique(data.channels)) > 1 else fit.model
        axes.plot(
            sizes, fit.times(sizes, many), "-", linewidth=1.3, color=style["color"], label=label
        )
    _draw_stages(fit, axes, sizes)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    write_numbers_at(axes.yaxis)
    axes.set_ylabel("time (us)")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.25)


# A fit has six stages at most.
_DASHES = (":", "--", "-.", (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 4)))


def _draw_stages(fit: Fit, axes: Axes, sizes: np.ndarray) -> None:
    """Draws each stage alone, for the most channels."""
    if len(fit.stages) < 2:
        return
    most = float(fit.observations.channels.max())
    low = 0.5 * float(fit.observations.time_us.min())
    for number, stage in enumerate(fit.stages, 1):
        alone = stage.lambda_us + most * stage.tau_us + most * sizes / stage.beta_MBps
        shown = alone > low
        label = f"stage {number}, V = {most:g}"
        style = {"linestyle": _DASHES[number - 1], "linewidth": 0.9, "color": "#777777"}
        axes.plot(sizes[shown], alone[shown], label=label, **style)


def _draw_residuals(fit: Fit, axes: Axes) -> None:
    data = fit.observations
    for number, many in enumerate(np.unique(data.channels)):
        own = data.channels == many
        points = style_of(number) | {"markersize": 3, "linestyle": ""}
        axes.plot(data.size_bytes[own], 100 * fit.residuals[own], **points)
    axes.axhline(0, color="#777777", linewidth=0.8)
    axes.set_ylabel("residual (%)")
    axes.set_xlabel("message size (byte)")
    axes.grid(alpha=0.25)


def _between(sizes: np.ndarray) -> np.ndarray:
    positive = sizes[sizes > 0]
    return np.geomspace(positive.min(), positive.max(), 200)
