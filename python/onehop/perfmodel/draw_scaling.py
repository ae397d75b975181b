"""Draws scaling, networks side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop.figures import new_figure, write_numbers_at
from onehop.perfmodel.draw import style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_scaling(series: dict[str, list[dict]], title: str) -> Figure:
    """Draws iteration time, parallel efficiency, and bandwidth needed against given; `series` are
    by platform as the samples of `onehop scale`, with the times that were simulated."""
    figure, axes = new_figure(3, 1, sharex=True, figsize=(6.4, 8.4), height_ratios=(3, 2, 2.4))
    for one in (axes[0], axes[2]):
        one.set_yscale("log")
        write_numbers_at(one.yaxis)
    _lines(axes[0], series, "iteration_us", "-")
    _lines(axes[1], series, "efficiency", "-")
    _lines(axes[2], series, "available_gbs", "-")
    _lines(axes[2], series, "required_gbs", ":")
    axes[0].set_ylabel("CG iteration (us)")
    axes[0].legend(fontsize=8)
    if any(point.get("simulated_us") is not None for points in series.values() for point in points):
        _lines(axes[0], series, "simulated_us", "--")
        title += "\nclosed form: solid; packet by packet: dashed"
    axes[0].set_title(title, fontsize=10)
    half = axes[1].axhline(0.5, color="#777777", linewidth=0.8, label="half")
    axes[1].legend(handles=[half], fontsize=8, loc="lower left")
    axes[1].set_ylim(0, None)
    axes[1].set_ylabel("parallel efficiency")
    axes[2].set_ylabel("GB/s per node")
    axes[2].set_title("given: solid; needed to hide faces: dotted", fontsize=8)
    _by_nodes(axes)
    return figure


def draw_cost(series: dict[str, list[dict]], title: str) -> Figure:
    """Draws node time per site, and the share of the bisection's bandwidth that is used."""
    figure, axes = new_figure(2, 1, sharex=True, figsize=(6.4, 5.6))
    used = {
        name: [p | {"share": _share(p)} for p in points if p["nodes"] > 1]
        for name, points in series.items()
    }
    _lines(axes[0], series, "cost_node_ns_per_site", "-")
    _lines(axes[1], used, "share", "-")
    axes[0].set_yscale("log")
    axes[0].set_ylabel("cost (ns x node / site)")
    axes[0].set_title(title, fontsize=10)
    axes[0].legend(fontsize=8)
    axes[1].set_ylabel("bisection in use (%)")
    axes[1].set_ylim(0, None)
    _by_nodes(axes)
    return figure


def _share(point: dict) -> float | None:
    given, used = point["bisection_gbs"], point["bisection_used_gbs"]
    return 100 * used / given if given and used is not None else None


def _by_nodes(axes: list[Axes]) -> None:
    axes[-1].set_xlabel("nodes")
    axes[-1].set_xscale("log", base=2)
    for one in axes:
        one.grid(alpha=0.25)


def _lines(axes: Axes, series: dict[str, list[dict]], key: str, style: str) -> None:
    # A node alone needs no bandwidth, which has no place on a logarithmic scale.
    is_log = axes.get_yscale() == "log"
    for number, (name, points) in enumerate(series.items()):
        known = [(p["nodes"], p[key]) for p in points if p.get(key) is not None]
        shown = [(nodes, value) for nodes, value in known if value > 0 or not is_log]
        if shown:
            x, y = zip(*shown, strict=True)
            look = style_of(number) | {"markersize": 4, "linewidth": 1.3}
            axes.plot(x, y, style, label=name, **look)
