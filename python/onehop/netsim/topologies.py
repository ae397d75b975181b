"""Makes of the table [topology] what the packet simulation takes."""

from collections.abc import Sequence

from onehop import _core
from onehop.netsim.topology_tables import GRIDS, GROUPED, Topology


def shape(of: Topology, nodes: int, axes: Sequence[int]) -> _core.Topology:
    """Returns the shape for `nodes` nodes, a torus, mesh or rings of the extents `axes`."""
    found = _shape(of, nodes, axes)
    found.how = getattr(_core.Routing, of.routing)
    return found


def _shape(of: Topology, nodes: int, axes: Sequence[int]) -> _core.Topology:
    kinds = _core.TopologyKind
    if of.kind in GRIDS:
        of_name = {"mesh": kinds.mesh, "coupled-rings": kinds.coupled_rings}
        is_pair = of.kind != "coupled-rings" or len(axes) == 2
        kind = of_name.get(of.kind, kinds.torus) if is_pair else kinds.torus
        return _core.Topology(kind=kind, extents=list(axes))
    if of.kind == "all-to-all":
        return _core.Topology(kind=kinds.all_to_all, nodes=nodes)
    if of.kind in GROUPED:
        return _groups(of)
    if of.kind == "hyperx":
        extents = list(map(int, of.S))
        cables = list(map(int, of.K)) or [1] * len(extents)
        return _core.Topology(
            kind=kinds.hyperx, switch_extents=extents, cables=cables, hosts=int(of.T)
        )
    if of.kind == "graph":
        names, edges, homes = of.graph
        graph = _core.SwitchGraph(switches=len(names), edges=edges, host_switch=homes[:nodes])
        return _core.Topology(kind=kinds.graph, graph=graph)
    return _core.Topology(kind=kinds.fat_tree, levels=_levels(of, nodes), rails=int(of.rails))


def _groups(of: Topology) -> _core.Topology:
    kinds = _core.TopologyKind
    grouped = _core.SwitchGroups(
        leaves=int(of.leaves or of.a),
        spines=int(of.spines),
        global_ports=int(of.h),
        groups=int(of.g),
        order=getattr(_core.GlobalOrder, of.arrangement),
    )
    kind = kinds.dragonfly if of.kind == "dragonfly" else kinds.dragonfly_plus
    return _core.Topology(kind=kind, grouped=grouped, hosts=int(of.p))


def _levels(of: Topology, nodes: int) -> list[_core.TreeLevel]:
    if of.m:
        return [_core.TreeLevel(down=int(m), up=int(w)) for m, w in zip(of.m, of.w, strict=True)]
    radix, down, up = (int(getattr(of, key)) for key in ("radix", "down", "up"))
    if nodes <= (down or radix):
        return [_core.TreeLevel(down=down or radix, up=1)]
    # For full bisection half of a leaf's ports go down, half up.
    half = radix // 2
    return [
        _core.TreeLevel(down=down or half, up=1),
        _core.TreeLevel(down=radix, up=up or half),
    ]
