"""The switches of a network in levels, by their distance from the nodes, and how many cables join
them."""

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop.text_table import aligned

_HEADS = ("level", "switches", "cables down", "cables up", "beside", "taper")
_CLASSES = {
    _core.TopologyKind.dragonfly: {1: "local", 2: "global"},
    _core.TopologyKind.dragonfly_plus: {1: "local", 2: "global"},
    _core.TopologyKind.hyperx: {axis + 1: f"along axis {axis + 1}" for axis in range(8)},
}


@dataclasses.dataclass(frozen=True)
class SwitchLevels:
    """The first network of a machine: which routers its links join, nodes being numbered first.

    nodes    number of nodes
    links    indices, in the table of links, of those that join two routers
    origin   router of each of these links
    target   router that it leads to
    axis     level of a tree, or class of a network of switches
    level    of each router: 0 for a node, 1 for its switch
    kind     of the network
    """

    nodes: int
    links: NDArray[np.int64]
    origin: NDArray[np.int64]
    target: NDArray[np.int64]
    axis: NDArray[np.int64]
    level: NDArray[np.int64]
    kind: _core.TopologyKind

    @property
    def is_layered(self) -> bool:
        """Whether each cable joins neighbouring levels."""
        return bool((np.abs(self.level[self.origin] - self.level[self.target]) == 1).all())

    def table(self) -> str:
        """Returns a line for each level: its switches, the cables of each down, up and beside it,
        and the taper, the most cables down of a switch over the most up."""
        rows = [self._row(level) for level in range(1, int(self.level.max(initial=0)) + 1)]
        return aligned(rows, _HEADS, indent=2)

    def words(self, level: int) -> str:
        """Returns the same line in words, for a picture."""
        _, switches, down, up, beside, taper = self._row(level)
        parts = [f"{switches} switches, each {down} down"]
        parts += [f"{up} up"] if up != "0" else []
        parts += [beside] if beside else []
        parts += [f"taper {taper}"] if taper else []
        return f"level {level}: {', '.join(parts)}"

    def _row(self, level: int) -> tuple[str, ...]:
        switches = np.flatnonzero(self.level == level)
        here = self.level[self.origin] == level
        step = self.level[self.target] - level
        down, up = (self._counts(switches, here & (step == way)) for way in (-1, 1))
        same = here & (step == 0)
        beside = [
            f"{_range(*self._counts(switches, same & (self.axis == axis)))} {name}".strip()
            for axis, name in _CLASSES.get(self.kind, {1: ""}).items()
            if (same & (self.axis == axis)).any()
        ]
        return (
            str(level),
            str(len(switches)),
            _range(*down),
            _range(*up),
            ", ".join(beside),
            f"{down[1] / up[1]:.3g}:1" if up[1] else "",
        )

    def _counts(self, switches: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[int, int]:
        """Returns the least and the most of these links that one of the switches has."""
        counts = np.bincount(self.origin[chosen], minlength=len(self.level))[switches]
        return int(counts.min()), int(counts.max())


def _range(least: int, most: int) -> str:
    return str(most) if least == most else f"{least} to {most}"


def has_switches(machine: _core.MachineDescription) -> bool:
    shape = machine.fabrics[0].shape
    return not shape.extents and shape.kind != _core.TopologyKind.all_to_all


def lay_out(machine: _core.MachineDescription, links: Mapping[str, np.ndarray]) -> SwitchLevels:
    """Returns the first network of a machine, `links` being those of the machine or of accounts."""
    nodes, shape = machine.nodes, machine.fabrics[0].shape
    mine = np.flatnonzero(links["fabric"] == 0)
    origin, target, axis = (links[key][mine] for key in ("origin", "target", "axis"))
    routers = 1 + max(int(origin.max(initial=0)), int(target.max(initial=0)))
    level = np.ones(routers, np.int64)
    if shape.kind == _core.TopologyKind.fat_tree:
        level = _tree_levels(routers, origin, axis)
    elif shape.kind == _core.TopologyKind.dragonfly_plus:
        group = shape.grouped.leaves + shape.grouped.spines
        level = 1 + (np.arange(-nodes, routers - nodes) % group >= shape.grouped.leaves)
    elif shape.kind == _core.TopologyKind.graph:
        level = _distances(nodes, routers, origin, target)
    level[:nodes] = 0
    # A place for a node that the machine has not leads from its switch back to a switch.
    joins = (origin != target) & ((axis != 0) | (np.minimum(origin, target) < nodes))
    return SwitchLevels(
        nodes, mine[joins], origin[joins], target[joins], axis[joins], level, shape.kind
    )


def _tree_levels(
    routers: int, origin: NDArray[np.int64], axis: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns the level of each switch of a tree, whose links are of the level below them."""
    least, most = np.full(routers, np.iinfo(np.int64).max), np.zeros(routers, np.int64)
    np.minimum.at(least, origin, axis)
    np.maximum.at(most, origin, axis)
    # Switches of the highest level have links down alone.
    return np.where(least == most, most + 1, most)


def _distances(
    nodes: int, routers: int, origin: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns how many cables each router is away from the nearest node."""
    level = np.full(routers, -1)
    level[:nodes], reached = 0, 0
    while True:
        found = target[(level[origin] == reached) & (level[target] < 0)]
        if not len(found):
            return level
        reached += 1
        level[found] = reached
