"""Draws a network whose links are coloured by how long they were busy: a torus by its planes, or
switches in their levels."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from onehop import _core
from onehop._core import UsageError
from onehop.netsim import switch_levels, switch_map

# Beyond this many nodes along an axis of a panel, links are too short to tell apart.
_MOST_DRAWN = 12
_MOST_PANELS = 64
# The colours go from an idle link to one that never rests.
_COLOURS = "viridis_r"
_BESIDE = 0.09


def check(machine: _core.MachineDescription) -> None:
    """Raises UsageError if the first network of the machine has more links than can be told
    apart, or connects all pairs of nodes."""
    if machine.fabrics[0].shape.extents:
        return
    if machine.fabrics[0].shape.kind == _core.TopologyKind.all_to_all:
        raise UsageError(
            f"--map: {machine.name} has a link between all nodes, and no place for one"
        )
    found = len(switch_levels.lay_out(machine, machine.links()).links)
    if found > switch_map.MOST_LINKS:
        raise UsageError(
            f"--map draws up to {switch_map.MOST_LINKS} links; {machine.name} has {found}: give "
            "fewer --nodes, or a smaller network"
        )


def draw(
    path: Path,
    title: str,
    machine: _core.MachineDescription,
    links: Mapping[str, np.ndarray],
    duration_ps: int,
) -> None:
    """Draws the first network of the machine with the load of its links, as png, pdf or svg."""
    if machine.fabrics[0].shape.extents:
        write(path, title, busy_shares(machine, links, duration_ps))
        return
    from matplotlib.colors import Normalize

    from onehop.figures import new_figure

    network = switch_levels.lay_out(machine, links)
    shares = links["busy_ps"][network.links] / max(duration_ps, 1)
    norm = Normalize(0, max(float(shares.max(initial=0)), 1e-9))
    levels = int(network.level.max())
    size = (9, 2 + 1.3 * levels) if network.is_layered else (7, 7)
    figure, panel = new_figure(figsize=size)
    panel.set_axis_off()
    switch_map.draw(panel, network, shares, _COLOURS, norm)
    _finish(figure, panel, norm, title, path)


def busy_shares(
    machine: _core.MachineDescription, links: Mapping[str, np.ndarray], duration_ps: int
) -> np.ndarray:
    """Returns the share of the time that a link of the first network was busy; indices are axis,
    direction (0 forward, 1 back), then coordinates with the last axis first, in the order of numpy;
    nan where there is no cable."""
    extents = list(machine.fabrics[0].shape.extents)
    mine = links["fabric"] == 0
    shares = np.zeros((len(extents), 2, machine.nodes))
    ports = links["port"][mine]
    shares[ports // 2, ports % 2, links["origin"][mine]] = links["busy_ps"][mine]
    shares = shares.reshape(len(extents), 2, *reversed(extents)) / max(duration_ps, 1)
    if machine.fabrics[0].shape.kind == _core.TopologyKind.mesh:
        for axis in range(len(extents)):
            along = len(extents) - 1 - axis
            np.moveaxis(shares[axis, 0], along, 0)[-1] = np.nan
            np.moveaxis(shares[axis, 1], along, 0)[0] = np.nan
    if machine.fabrics[0].shape.kind == _core.TopologyKind.coupled_rings:
        # There is one cable between two partners; both call their end of it the forward port.
        shares[1, 1, 1] = shares[1, 0, 1]
        shares[1, 0, 1] = shares[1, 1, 0] = np.nan
    return shares


def write(path: Path, title: str, shares: np.ndarray) -> None:
    """Draws a panel for every plane of the first two axes. Links along these two are
    drawn between the nodes, those that close a ring stick out on both sides; the disc of a node
    shows the busiest of its other links. On large planes only the busiest link of every node is
    shown."""
    from matplotlib.colors import Normalize

    from onehop.figures import new_figure

    planes = _planes(shares)
    columns = min(len(planes), max(1, round(math.sqrt(1.6 * len(planes)))))
    rows = math.ceil(len(planes) / columns)
    height, width = shares.shape[-2] if shares.ndim > 3 else 1, shares.shape[-1]
    inch = min(0.5, 12 / max(columns * (width + 1), rows * (height + 1)))
    figure, axes = new_figure(
        rows,
        columns,
        squeeze=False,
        figsize=(max(4.5, inch * columns * (width + 1) + 1), inch * rows * (height + 1.6) + 1.2),
    )
    top = max(float(np.nanmax(shares)), 1e-9)
    norm = Normalize(0, top)
    for panel, place in zip(axes.flat, [*planes, *[None] * (rows * columns)], strict=False):
        panel.set_axis_off()
        if place is not None:
            _draw_plane(panel, shares, place, norm)
    if shares.shape[0] > 2:
        title += f"\ncircles: the busiest link along {' and '.join('zt'[: shares.shape[0] - 2])}"
    _finish(figure, axes, norm, title, path)


def _finish(figure: object, axes: object, norm: object, title: str, path: Path) -> None:
    """Adds the scale and the title, and writes the file."""
    from matplotlib.cm import ScalarMappable

    from onehop.figures import save

    scale = ScalarMappable(norm, _COLOURS)
    bar = figure.colorbar(scale, ax=axes, shrink=0.8, aspect=30)
    bar.set_label("share of the time that a link is busy", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    figure.suptitle(title, fontsize=9)
    save(figure, path, text_stays_text=True)


def _planes(shares: np.ndarray) -> list[tuple[int, ...]]:
    """Returns coordinates of the axes beyond the second, last axis first."""
    found = list(np.ndindex(*shares.shape[2:-2]))
    if len(found) > _MOST_PANELS:
        found = found[:: math.ceil(len(found) / _MOST_PANELS)]
    return found


def _draw_plane(panel: object, shares: np.ndarray, place: tuple[int, ...], norm: object) -> None:
    axes = shares.shape[0]
    plane = shares[(slice(None), slice(None), *place)]
    if axes == 1:
        plane = plane[:, :, np.newaxis, :]
    height, width = plane.shape[-2:]
    if place:
        # The axes are z and t, in this order.
        names = [f"{name} {at}" for name, at in zip("zt", reversed(place), strict=False)]
        panel.set_title(", ".join(names), fontsize=7)
    if max(height, width) > _MOST_DRAWN:
        busiest = np.nanmax(plane, axis=(0, 1))
        panel.imshow(busiest, origin="lower", cmap=_COLOURS, norm=norm, interpolation="nearest")
        return
    _draw_links(panel, plane, norm)
    others = np.fmax.reduce(plane[2:], axis=(0, 1)) if axes > 2 else None
    y, x = np.mgrid[0:height, 0:width]
    colours = {"c": others.ravel(), "cmap": _COLOURS, "norm": norm} if axes > 2 else {"c": "white"}
    panel.scatter(
        x.ravel(), y.ravel(), s=55, edgecolors="#555555", linewidths=0.6, zorder=3, **colours
    )
    panel.set_aspect("equal")
    panel.set_xlim(-0.7, width - 0.3)
    panel.set_ylim(-0.7, height - 0.3)


def _draw_links(panel: object, plane: np.ndarray, norm: object) -> None:
    """Draws links; both directions of a cable lie side by side: forward to the right of its way."""
    from matplotlib.collections import LineCollection

    height, width = plane.shape[-2:]
    lines, busy = [], []
    for axis in range(min(2, plane.shape[0])):
        extent = (width, height)[axis]
        if extent == 1:
            continue
        step = np.array((1.0, 0.0) if axis == 0 else (0.0, 1.0))
        aside = np.array((step[1], -step[0])) * _BESIDE
        for direction, sign in ((0, 1), (1, -1)):
            for y, x in np.ndindex(height, width):
                if np.isnan(plane[axis, direction, y, x]):
                    continue
                here = np.array((x, y), dtype=float) + sign * aside
                lines += _pieces(here, sign * step, (x, y)[axis], extent, sign)
                busy += [plane[axis, direction, y, x]] * (len(lines) - len(busy))
    panel.add_collection(
        LineCollection(lines, array=np.array(busy), cmap=_COLOURS, norm=norm, linewidths=2.2)
    )


def _pieces(
    here: np.ndarray, step: np.ndarray, at: int, extent: int, sign: int
) -> list[Sequence[np.ndarray]]:
    """Returns a link as a line, or as two stumps where it closes its ring."""
    closes = at == (extent - 1 if sign > 0 else 0)
    if not closes:
        return [(here + 0.2 * step, here + 0.8 * step)]
    there = here - (extent - 1) * step
    return [(here + 0.2 * step, here + 0.55 * step), (there - 0.55 * step, there - 0.2 * step)]
