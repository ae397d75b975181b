"""Draws correlators over t, and their effective masses below them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from onehop.extras import require
from onehop.figures import COLOURS, PANELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclasses.dataclass(frozen=True)
class Curve:
    """A correlator with its effective masses, its label for a legend, and the errors of both where
    they are known."""

    correlator: ArrayLike
    masses: ArrayLike
    label: str
    error: ArrayLike | None = None
    masses_error: ArrayLike | None = None


def axes_of_pyplot(user: str, axes: Sequence[Axes] | None) -> Sequence[Axes]:
    """Returns the two axes that a caller has given, or those of a new figure of pyplot. Raises
    UsageError, which names the user, where there is no matplotlib."""
    require(user)
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(2, 1, layout="constrained", **PANELS)[1]


def draw_correlator(
    above: Axes, below: Axes, correlator: Sequence[float], masses: Sequence[float | None]
) -> None:
    """Draws C(t) on a logarithmic scale, and those of the masses that are numbers."""
    above.semilogy(correlator, "o-", markersize=4, linewidth=1, color=COLOURS[0])
    _draw_masses(below, masses, COLOURS[1])
    _finish(above, below)


def draw_correlators(above: Axes, below: Axes, curves: Sequence[Curve]) -> None:
    """Draws |C(t)| of several correlators, where open points are below zero, and their effective
    masses, each in a colour of its own."""
    for place, curve in enumerate(curves):
        colour = COLOURS[place % len(COLOURS)]
        values = np.asarray(curve.correlator, dtype=float)
        above.semilogy(
            np.abs(values), "o-", markersize=4, linewidth=1, color=colour, label=curve.label
        )
        _draw_bars(above, np.abs(values), curve.error, colour)
        negative = np.flatnonzero(values < 0)
        above.semilogy(
            negative, -values[negative], "o", markersize=4, color=colour, markerfacecolor="white"
        )
        _draw_masses(below, curve.masses, colour)
        _draw_bars(below, curve.masses, curve.masses_error, colour)
    above.legend(frameon=False)
    _finish(above, below)


def _draw_masses(below: Axes, masses: ArrayLike, colour: str) -> None:
    found = np.array(masses, dtype=float)
    times = np.flatnonzero(np.isfinite(found))
    if times.size:
        below.plot(times, found[times], "s", markersize=4, color=colour)


def _draw_bars(axes: Axes, values: ArrayLike, errors: ArrayLike | None, colour: str) -> None:
    if errors is None:
        return
    heights, lengths = np.array(values, dtype=float), np.array(errors, dtype=float)
    places = np.flatnonzero(np.isfinite(heights) & np.isfinite(lengths))
    axes.errorbar(places, heights[places], lengths[places], fmt="none", capsize=2, color=colour)


def _finish(above: Axes, below: Axes) -> None:
    heights = [y for line in below.get_lines() for y in line.get_ydata()]
    if heights:
        below.set_ylim(0, 1.1 * max(heights))
    above.set_ylabel(r"$C(t)$")
    below.set_ylabel(r"$m_{\mathrm{eff}}(t)$")
    below.set_xlabel(r"$t$")
    for axes in (above, below):
        axes.grid(alpha=0.25)
