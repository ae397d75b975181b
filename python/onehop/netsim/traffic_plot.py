"""Draws what traffic met: accepted load, latency, its histogram, and links over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop.figures import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_of(found: dict, platform: str) -> Figure:
    """Draws four panels of the keys that the record of a traffic run has."""
    figure, ((accepted, latency), (histogram, links)) = new_figure(2, 2, figsize=(9, 7))
    title = f"{platform}: {found['network']}, {found['routing']} routing, {found['pattern']}"
    figure.suptitle(title, fontsize=10)
    points = found["points"]
    loads = [p["load"] for p in points]
    accepted.plot(loads, loads, color="grey", linewidth=0.8, label="offered")
    accepted.plot(loads, [p["accepted"] for p in points], "o-", color=COLOURS[0], label="accepted")
    accepted.set(xlabel="offered load", ylabel="load")
    accepted.legend(frameon=False, fontsize=8)
    _draw_latency(latency, [p for p in points if p.get("mean_us")])
    for colour, point in zip(COLOURS, [p for p in points if p.get("histogram")][-5:], strict=False):
        of = point["histogram"]
        label = f"load {point['load']:g}"
        histogram.stairs(of["counts"], of["edges_us"], color=colour, label=label)
    histogram.set(xscale="log", yscale="log", xlabel="latency [us]", ylabel="messages")
    histogram.legend(frameon=False, fontsize=8)
    _draw_links(links, points[-1], found["link_classes"])
    return figure


def _draw_latency(panel: object, points: list[dict]) -> None:
    loads = [p["load"] for p in points]
    kinds = {"mean_us": "mean", "p50_us": "median", "p99_us": "99 %", "p999_us": "99.9 %"}
    for colour, (key, name) in zip(COLOURS, kinds.items(), strict=False):
        panel.semilogy(
            loads, [p[key] for p in points], "o-", markersize=4, color=colour, label=name
        )
    panel.set(xlabel="offered load", ylabel="latency [us]")
    panel.legend(frameon=False, fontsize=8)


def _draw_links(panel: object, point: dict, names: list[str]) -> None:
    use = point["link_use"]
    times = [use["slice_us"] * (k + 0.5) for k in range(len(use["mean"]))]
    for colour, (k, name) in zip(COLOURS, enumerate(names), strict=False):
        panel.plot(times, [part[k] for part in use["mean"]], "-", color=colour, label=name)
        panel.plot(times, [part[k] for part in use["most"]], ":", color=colour)
    panel.set(xlabel="time in the window [us]", ylabel="share of links busy (dotted: busiest)")
    panel.set_title(f"load {point['load']:g}", fontsize=9)
    panel.set_ylim(bottom=0)
    panel.legend(frameon=False, fontsize=8)
