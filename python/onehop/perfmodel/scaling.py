"""Predicts CG iterations on machines described by platform files, in closed form.

A node computes by its roofline, faces travel by the platform's stages and share links where the
process grid has more axes than the torus, sums go over all nodes, in packets on other networks.
Nothing is fitted here.
"""

import dataclasses
import math
from collections.abc import Sequence

from onehop._core import UsageError
from onehop.netsim import Platform, closed_form, packet_form
from onehop.netsim.closed_form import Transfer
from onehop.perfmodel import workload
from onehop.perfmodel.workload import Operator, Share

TORUS = ("torus", "ring", "coupled-rings")
_SUM_BYTES = 8


@dataclasses.dataclass(frozen=True)
class Node:
    """The compute rates of a node: stated flops by a rate, bytes by memory, and a launch per
    kernel; `wait_us` until the host sees that kernels are over whose results are sent or added up;
    `memory` is where faces lie."""

    flops_per_s: float
    bytes_per_s: float
    launch_us: float
    memory: str
    wait_us: float = 0.0

    def time_us(self, flops: float, moved_bytes: float, launches: int = 1) -> float:
        work = max(flops / self.flops_per_s, moved_bytes / self.bytes_per_s)
        return launches * self.launch_us + 1e6 * work


@dataclasses.dataclass(frozen=True)
class Point:
    """One platform on one number of nodes. Times per CG iteration; bandwidths per node, those of
    the bisection of the whole machine; all one way."""

    platform: str
    nodes: int
    grid: tuple[int, ...]
    local: tuple[int, ...]
    iteration_us: float
    compute_us: float
    halo_us: float
    halo_exposed_us: float
    sums_us: float
    required_gbs: float
    available_gbs: float
    bisection_gbs: float
    bisection_used_gbs: float
    bound_by: str
    cost_node_ns_per_site: float
    efficiency: float = 1.0
    simulated_us: float | None = None


def node_of(platform: Platform, gflops: float | None, bandwidth_gbs: float | None) -> Node:
    """Returns what a node computes with: its GPUs, or its host where the file has none.

    `gflops` and `bandwidth_gbs` replace what the file says; raises UsageError if it says nothing
    and neither is given.
    """
    gpu = platform.gpu
    processor, count = (gpu, gpu.count) if gpu.flops else (platform.host, 1)
    flops = gflops * 1e9 if gflops else count * processor.flops
    memory = bandwidth_gbs * 1e9 if bandwidth_gbs else count * processor.memory
    if gflops and not bandwidth_gbs:
        memory = math.inf
    if not flops or not memory:
        raise UsageError(
            f"platform {platform.name} does not say how fast its nodes compute; give --node-gflops"
        )
    memories = {row.origin_memory for row in platform.protocols if row.variant == platform.variant}
    place = "device" if "device" in memories and gpu.flops else "host"
    on_gpu = place == "device"
    launch_us, wait_us = (gpu.launch / 1e6, gpu.wait / 1e6) if on_gpu else (0.0, 0.0)
    return Node(flops, memory, launch_us, place, wait_us)


def predict(
    platform: Platform,
    node: Node,
    lattice: Sequence[int],
    operator: Operator,
    precision: str,
    nodes: int,
    overlap: bool,
    unfolded: bool = False,
) -> Point | None:
    """Returns the point of the best process grid, with `unfolded` among grids with no more axes
    than the torus; None if the lattice cannot be cut so."""
    if platform.fabric.kind == "mesh":
        raise UsageError(
            f"platform {platform.name} is a mesh (topology.kind in {platform.file}), of which there"
            " is no closed form; onehop simulate has its packets"
        )
    platform.check_nodes(nodes)
    is_torus = platform.fabric.kind in TORUS
    on_switch_us = 0.0 if is_torus else switch_sum_us(platform, nodes, node.memory)
    points = [
        _point(
            platform,
            node,
            workload.share_of(lattice, grid, operator, precision),
            nodes,
            overlap,
            torus_sum_us(platform, grid, node.memory) if is_torus else on_switch_us,
        )
        for grid in workload.grids(lattice, nodes, operator.reach)
        if not (unfolded and _is_folded(platform, grid))
    ]
    return min(points, key=lambda point: (point.iteration_us, point.grid), default=None)


def _point(
    platform: Platform, node: Node, share: Share, nodes: int, overlap: bool, sum_us: float
) -> Point:
    halo_us, bound = exchange_us(platform, share, node.memory)
    hop_us = node.time_us(share.hopping_flops, share.hopping_bytes)
    wait_us = node.wait_us if share.faces else 0.0
    if overlap and share.faces:
        inner = node.time_us(
            share.hopping_flops * (1 - share.surface_share),
            share.hopping_bytes * (1 - share.surface_share),
        )
        outer = node.time_us(
            share.hopping_flops * share.surface_share, share.hopping_bytes * share.surface_share
        )
        step_us, compute_us = wait_us + max(inner, halo_us) + outer, wait_us + inner + outer
    else:
        step_us, compute_us = wait_us + hop_us + halo_us, wait_us + hop_us
    vector_us = node.time_us(share.vector_flops, share.vector_bytes, 3)
    sums_us = workload.REDUCTIONS * (wait_us + sum_us)
    iteration = share.hoppings * step_us + vector_us + sums_us
    sent = sum(size for _, size in share.faces)
    available = sent / halo_us / 1e3 if sent else math.inf
    crossing, bisection = _bisection(platform, share, nodes)
    exposed = share.hoppings * (step_us - compute_us)
    parts = {"compute": share.hoppings * compute_us + vector_us, bound: exposed, "sums": sums_us}
    return Point(
        platform.name,
        nodes,
        share.grid,
        share.local,
        iteration,
        parts["compute"],
        share.hoppings * halo_us,
        exposed,
        sums_us,
        # Communication then takes as long as the hopping terms compute.
        sent / hop_us / 1e3,
        available,
        bisection,
        share.hoppings * crossing / iteration / 1e3,
        max(parts, key=parts.get),
        iteration * 1e3 / share.sites,
    )


def _is_folded(platform: Platform, grid: Sequence[int]) -> bool:
    axes = sum(extent > 1 for extent in grid)
    return platform.fabric.kind in TORUS and axes > len(platform.fabric.extents)


def exchange_us(platform: Platform, share: Share, memory: str) -> tuple[float, str]:
    """Returns the time of all faces of one hopping term, started together, and what bounds them:
    each server of a node takes those that leave and those that arrive in turn, and a link those
    that cross it."""
    if not share.faces:
        return 0.0, "nothing"
    hops, load = _on_links(platform, share)
    busy: dict[tuple[str, str], float] = {}
    longest, own = 0.0, {}
    for number, (axis, size) in enumerate(share.faces):
        one = closed_form.transfer(platform, size, memory, memory, hops=hops[axis])
        for (side, unit), time in one.busy_ps.items():
            server = (_place(side), unit)
            busy[server] = busy.get(server, 0.0) + time
        if one.total_ps > longest or number == 0:
            longest, own = one.total_ps, _longest_at_one_end(one)
    wire = ("wire", "wire")
    if wire in busy:
        busy[wire] = own[wire] * load
    ends = {server: longest - own.get(server, 0.0) + time for server, time in busy.items()}
    bound = max(ends, key=ends.get)
    return max(longest, ends[bound]) / 1e6, bound[1]


def _place(side: str) -> str:
    return "wire" if side == "wire" else "node"


def _longest_at_one_end(one: Transfer) -> dict[tuple[str, str], float]:
    """Returns for each server the longer of its times at the origin and at the target, which are
    two nodes."""
    longest: dict[tuple[str, str], float] = {}
    for (side, unit), time in one.busy_ps.items():
        server = (_place(side), unit)
        longest[server] = max(longest.get(server, 0.0), time)
    return longest


def _on_links(platform: Platform, share: Share) -> tuple[dict[int, int], float]:
    """Returns the hops of each split axis, and how many times the largest face the busiest link
    carries."""
    split = [axis for axis in range(4) if share.grid[axis] > 1]
    sizes = dict(share.faces)
    largest = max(sizes.values())
    fabric = platform.fabric
    if fabric.kind not in TORUS:
        load = 2 * sum(sizes.values()) / largest / fabric.topology.rails
        return dict.fromkeys(split, 1), load
    hops, load = dict.fromkeys(split, 1), dict.fromkeys(split, 1.0)
    # A neighbour along the outer axis is as far as the inner one is long.
    folded, hosts = _folding(platform, share.grid)
    for inner, outer in zip(folded, hosts, strict=False):
        hops[outer] = share.grid[inner]
        together = 2 * sizes[inner] + share.grid[inner] * sizes[outer]
        load[outer] = together / sizes[outer]
    busiest = max(load[axis] * sizes[axis] for axis in split if axis not in folded)
    return hops, busiest / largest


def switch_sum_us(platform: Platform, nodes: int, memory: str) -> float:
    """A sum of one number over all nodes of a network that is not a torus, in packets."""
    if nodes == 1:
        return 0.0
    return packet_form.collective_ps(platform, "allreduce", nodes, _SUM_BYTES, memory) / 1e6


def torus_sum_us(platform: Platform, grid: Sequence[int], memory: str) -> float:
    """A sum of one number over all nodes, axis by axis, from neighbour to neighbour or, where
    messages are routed, by doubling distances."""
    if math.prod(grid) == 1:
        return 0.0
    table = platform.collective()
    steps = []
    for extent in grid:
        if table.allreduce == "ring":
            steps += [1] * (extent - 1)
        else:
            steps += [min(2**k, extent - 2**k) for k in range((extent - 1).bit_length())]
    puts = [
        closed_form.transfer(platform, _SUM_BYTES, memory, memory, hops=max(1, hops)).total_ps
        for hops in steps
    ]
    return (table.entry + sum(puts) + table.step * len(steps)) / 1e6


def _bisection(platform: Platform, share: Share, nodes: int) -> tuple[float, float]:
    """Returns the bytes per hopping term that cross the middle of the machine's longest dimension
    one way, and GB/s there, both of all nodes together: no limit where each pair of nodes has a
    link of its own, as in a machine that was fitted."""
    if not share.faces:
        return 0.0, math.inf
    sizes, grid = dict(share.faces), share.grid
    wire = platform.fabric.wire()
    link = wire.rate * wire.efficiency / 1e9
    is_torus = platform.fabric.kind in TORUS
    lengths = _dimensions(platform, grid) if is_torus else {axis: grid[axis] for axis in sizes}
    axis = max(lengths, key=lengths.get)
    crossing = _ways(grid[axis]) * nodes // grid[axis] * sizes[axis]
    if platform.fabric.kind == "all-to-all":
        return crossing, math.inf
    if is_torus:
        return crossing, _ways(lengths[axis]) * nodes // lengths[axis] * link
    return crossing, nodes / 2 * platform.fabric.topology.rails * link


def _ways(extent: int) -> int:
    """Returns how often a cut between two halves crosses a ring."""
    return 2 if extent > 2 else 1


def _dimensions(platform: Platform, grid: Sequence[int]) -> dict[int, int]:
    """Returns the nodes along each dimension of a torus by the outer axis of the process grid that
    lies along it, with those of the axes within."""
    folded, hosts = _folding(platform, grid)
    lengths = {axis: grid[axis] for axis in sorted(hosts)}
    for number, inner in enumerate(folded):
        lengths[hosts[number % len(hosts)]] *= grid[inner]
    return lengths


def _folding(platform: Platform, grid: Sequence[int]) -> tuple[list[int], list[int]]:
    """Returns which axes lie within others, and in which: where axes are more than the torus has,
    the shortest ones lie inside others' dimensions."""
    dimensions = max(1, len(platform.fabric.extents))
    order = sorted((a for a in range(4) if grid[a] > 1), key=lambda axis: grid[axis])
    folded = order[: max(0, len(order) - dimensions)]
    return folded, [axis for axis in reversed(order) if axis not in folded]


def with_efficiency(points: Sequence[Point]) -> list[Point]:
    """Returns points with their efficiency against the smallest number of nodes, which counts as
    1."""
    if not points:
        return []
    first = min(points, key=lambda point: point.nodes)
    base = first.iteration_us * first.nodes
    return [dataclasses.replace(p, efficiency=base / (p.iteration_us * p.nodes)) for p in points]


def stops_at(points: Sequence[Point]) -> int | None:
    """Returns the largest number of nodes that still keeps half of the efficiency; None when all
    do."""
    below = [p.nodes for p in points if p.efficiency < 0.5]
    if not below:
        return None
    kept = [p.nodes for p in points if p.nodes < min(below)]
    return max(kept, default=None)
