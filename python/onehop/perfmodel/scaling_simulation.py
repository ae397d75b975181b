"""Simulates the iteration of the closed form once more, packet by packet in virtual time."""

import math
from collections.abc import Sequence

from onehop import _core
from onehop.netsim import Platform, halo_workload
from onehop.netsim.description import describe
from onehop.netsim.side_by_side import Watch
from onehop.perfmodel import workload
from onehop.perfmodel.scaling import TORUS, Node, Point
from onehop.perfmodel.workload import Operator, Share

_SUM_BYTES = 8.0


def simulated_us(
    platform: Platform,
    node: Node,
    point: Point,
    operator: Operator,
    precision: str,
    overlap: bool,
    watch: Watch | None = None,
) -> float:
    """Returns the time on the same process grid, on which every node computes for as long as in the
    closed form. `watch` is called now and then, and may raise to end the run."""
    lattice = [n * g for n, g in zip(point.local, point.grid, strict=True)]
    share = workload.share_of(lattice, point.grid, operator, precision)
    split = [axis for axis in range(4) if point.grid[axis] > 1]
    grid = [point.grid[axis] for axis in split] or [1]
    faces = [dict(share.faces)[axis] for axis in split] or [0]
    machine = describe(platform, point.nodes, _extents(platform, point.nodes, grid))
    steps = _steps(node, share, overlap)
    ways = halo_workload.faces(grid, faces)
    run = _core.ProgramRun(machine, node.memory, platform.variant, grid, ways, steps)
    return run.run(watch).total_ps / 1e6


def _extents(platform: Platform, nodes: int, grid: Sequence[int]) -> Sequence[int] | None:
    """Returns the extents: a torus is built as the process grid; on rings, of which fewer nodes
    than there are make one, and on trees the ranks stand where the machine puts them."""
    fabric = platform.fabric
    if fabric.kind == "torus":
        return grid
    is_part = fabric.kind in TORUS and nodes < math.prod(fabric.extents)
    return [nodes] if is_part else None


def _steps(node: Node, share: Share, overlap: bool) -> Sequence[tuple[str, float]]:
    def work(share_of_all: float) -> tuple[str, float]:
        parts = (share.hopping_flops * share_of_all, share.hopping_bytes * share_of_all)
        return ("work", 1e6 * node.time_us(*parts))

    wait = ("work", 1e6 * node.wait_us)
    if not share.faces:
        hop = [work(1.0)]
    elif overlap:
        surface = share.surface_share
        hop = [wait, ("send", 0.0), work(1 - surface), ("await", 0.0), work(surface)]
    else:
        hop = [wait, ("send", 0.0), ("await", 0.0), work(1.0)]
    vector = ("work", 1e6 * node.time_us(share.vector_flops, share.vector_bytes, 3))
    sums = [wait, ("sum", _SUM_BYTES)] * (workload.REDUCTIONS if share.faces else 0)
    return [*(hop * share.hoppings), vector, *sums]
