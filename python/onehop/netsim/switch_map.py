"""Draws a network of switches: levels as rows, or switches on a circle where cables join those of
one level, each link coloured by how long it was busy, grey where it was idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onehop.netsim.switch_levels import SwitchLevels

# More links than this are a grey area, and take long to draw.
MOST_LINKS = 20000
# The two directions of a cable lie side by side, this far apart on a circle of radius 1.
_BESIDE = 0.006
_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}


def draw(
    panel: object, network: SwitchLevels, shares: NDArray[np.float64], colours: str, norm: object
) -> None:
    """Draws the network on axes; `shares` has the share of the time of each of its links."""
    from matplotlib.collections import LineCollection

    places = _rows(network) if network.is_layered else _circle(network)
    start, end = places[network.origin], places[network.target]
    along = end - start
    length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    aside = np.column_stack((along[:, 1], -along[:, 0])) / length * _BESIDE
    lines = np.stack((start + aside, end + aside), axis=1)
    # The busiest links are drawn last, over the others, and idle ones in grey below all.
    idle, order = lines[shares == 0], np.argsort(shares, kind="stable")[(shares == 0).sum() :]
    width = float(np.clip(60 / np.sqrt(max(len(order), 1)), 0.4, 2.2))
    panel.add_collection(LineCollection(idle, colors="#e0e0e0", linewidths=0.3))
    panel.add_collection(
        LineCollection(lines[order], array=shares[order], cmap=colours, norm=norm, linewidths=width)
    )
    for level in range(int(network.level.max()) + 1):
        _draw_routers(panel, places[network.level == level], level)
    if network.is_layered:
        for level in range(1, int(network.level.max()) + 1):
            y = places[network.level == level][0, 1]
            panel.text(-1, y + 0.06, network.words(level), fontsize=7, va="bottom", bbox=_PAPER)
        panel.text(-1, places[0, 1] - 0.05, f"{network.nodes} nodes", fontsize=7, va="top")
    else:
        lines_of_text = [network.words(k) for k in range(1, int(network.level.max()) + 1)]
        panel.set_title("\n".join([*lines_of_text, f"{network.nodes} nodes"]), fontsize=7)
        panel.set_aspect("equal")
    panel.autoscale_view()


def _draw_routers(panel: object, places: NDArray[np.float64], level: int) -> None:
    size = float(np.clip(900 / max(len(places), 1), 3, 45 if level else 14))
    face = "white" if level else "#555555"
    panel.scatter(
        *places.T, s=size, c=face, edgecolors="#555555", linewidths=0.6, zorder=3,
        marker="s" if level else "o",
    )  # fmt: skip


def _rows(network: SwitchLevels) -> NDArray[np.float64]:
    """Returns a place for each router, a row for each level in the order of their numbers; nodes
    with one cable are below their switch."""
    places = np.zeros((len(network.level), 2))
    for level in range(int(network.level.max()) + 1):
        here = np.flatnonzero(network.level == level)
        places[here, 0] = (2 * np.arange(len(here)) + 1) / len(here) - 1
        places[here, 1] = 0.8 * level
    node, home, aside = _seats(network)
    if len(node) == network.nodes:
        places[node, 0] = places[home, 0] + aside * 2 / (network.level == 1).sum()
    return places


def _circle(network: SwitchLevels) -> NDArray[np.float64]:
    """Returns a place for each router: switches on a circle in the order of their numbers, which
    keeps groups together, and nodes outside of theirs."""
    nodes, switches = network.nodes, len(network.level) - network.nodes
    angle, radius = np.zeros(nodes + switches), np.ones(nodes + switches)
    angle[nodes:] = 2 * np.pi * np.arange(switches) / switches
    node, home, aside = _seats(network)
    angle[node] = angle[home] + aside * 2 * np.pi / switches
    radius[node] = 1.12
    return radius[:, None] * np.column_stack((np.sin(angle), np.cos(angle)))


def _seats(network: SwitchLevels) -> tuple[NDArray[np.int64], ...]:
    """Returns nodes, the switch of each, and its place among the nodes there, from -0.4 to 0.4; a
    node comes once for each of its cables."""
    leads_up = network.origin < network.nodes
    order = np.argsort(network.target[leads_up], kind="stable")
    node, home = network.origin[leads_up][order], network.target[leads_up][order]
    count = np.bincount(home)
    number = np.arange(len(home)) - (np.cumsum(count) - count)[home]
    return node, home, 0.8 * ((number + 0.5) / count[home] - 0.5)
