"""Draws a correlator over t, and its effective mass below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

PANELS = {"sharex": True, "figsize": (6.4, 5.6), "height_ratios": (3, 2)}


def draw_correlator(
    above: Axes, below: Axes, correlator: Sequence[float], masses: Sequence[float | None]
) -> None:
    """Draws C(t) on a logarithmic scale, and those of the masses that are numbers."""
    above.semilogy(correlator, "o-", markersize=4, linewidth=1, color="#1f5a92")
    above.set_ylabel(r"$C(t)$")
    found = np.array(masses, dtype=float)
    times = np.flatnonzero(np.isfinite(found))
    if times.size:
        below.plot(times, found[times], "s", markersize=4, color="#a8441f")
        below.set_ylim(0, 1.1 * found[times].max())
    below.set_ylabel(r"$m_{\mathrm{eff}}(t)$")
    below.set_xlabel(r"$t$")
    for axes in (above, below):
        axes.grid(alpha=0.25)
