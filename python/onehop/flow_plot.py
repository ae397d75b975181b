"""Draws a gradient flow over the flow time: t^2 E of clover and plaquette, and the topological
charge below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from onehop.figures import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_flow(
    above: Axes, below: Axes, points: Sequence[Mapping[str, float]], t0: float | None
) -> None:
    """Draws points with the keys of a FlowPoint, and where t^2 E is 0.3."""
    times = [p["time"] for p in points]
    for key, style, colour in zip(("clover", "plaquette"), ("o-", "s--"), COLOURS, strict=False):
        values = [p["time"] ** 2 * p[f"energy_{key}"] for p in points]
        above.plot(times, values, style, markersize=3, linewidth=1, color=colour, label=key)
    if t0 is not None:
        above.axhline(0.3, color="grey", linewidth=0.8)
        above.axvline(t0, color="grey", linewidth=0.8)
        words = {"textcoords": "offset points", "xytext": (6, -14)}
        above.annotate(f"$t_0$ = {t0:.4f}", (t0, 0.3), **words)
    above.set_ylabel(r"$t^2 \langle E \rangle$")
    above.legend(frameon=False)
    below.plot(times, [p["topological_charge"] for p in points], "o-", markersize=3)
    below.set_ylabel(r"$Q$")
    below.set_xlabel(r"flow time $t/a^2$")
    for axes in (above, below):
        axes.grid(alpha=0.25)
