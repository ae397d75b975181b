"""Machines with faults: bit errors, a dead cable, a slow node."""

import math
from collections.abc import Sequence

from onehop import _core
from onehop._core import UsageError
from onehop.argument import checked_number
from onehop.netsim.description import describe
from onehop.netsim.platform import Platform


def machine(
    platform: Platform,
    nodes: Sequence[int],
    *,
    bit_error_rate: float | None = None,
    dead_link: tuple[int, int] | None = None,
    slow_node: tuple[int, float] | None = None,
    seed: int = 1,
) -> _core.MachineDescription:
    """Returns `platform` with `nodes` along its axes. `bit_error_rate` is that of every link,
    instead of the platform's; `dead_link` is a node and its port whose cable is cut; `slow_node`
    is a node and the factor by which all its stages take longer. Raises UsageError for faults
    that are impossible."""
    found = describe(platform, math.prod(nodes), nodes)
    found.seed = seed
    if bit_error_rate is not None:
        fabrics = found.fabrics
        for fabric in fabrics:
            links = fabric.links
            for link in links:
                link.bit_error_rate = bit_error_rate
            fabric.links = links
        found.fabrics = fabrics
    if dead_link is not None:
        node, port = _pair(dead_link, "dead_link", "a node and a port, as (0, 1)")
        found.dead_links = [_core.DeadLink(node=node, port=checked_number(port, "a port"))]
    if slow_node is not None:
        node, factor = _pair(slow_node, "slow_node", "a node and a factor, as (0, 1.5)")
        found.slow_nodes = [_core.SlowNode(node=node, factor=float(factor))]
    found.check()
    return found


def _pair(given: tuple[int, float], what: str, needed: str) -> tuple[int, float]:
    try:
        node, second = given
        good = min(node, second) >= 0
    except (TypeError, ValueError):
        good = False
    if not good:
        raise UsageError(f"{what} {given!r}: give {needed}, none of them negative")
    return checked_number(node, "a node"), second
