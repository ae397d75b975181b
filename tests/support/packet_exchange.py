"""Puts of several nodes at once, in the packet simulation."""

from collections.abc import Sequence

from onehop import _core
from onehop.netsim import packet_form
from onehop.netsim.platform import Platform


def exchange_ps(
    platform: Platform,
    flows: Sequence[tuple[int, int, int]],
    nodes: int,
    memory: str = "device",
    *,
    places: Sequence[int] | None = None,
    in_place: bool = True,
) -> float:
    """All of (origin, target, bytes) at once, those of an origin as one chain, a second time, into
    the same memory or (not `in_place`) other memory; until the last is there."""
    run = packet_form.transfers(platform, nodes, memory, places=places)
    first = _start(run, flows, [], 0)
    size = sum(size for _, _, size in flows)
    last = _start(run, flows, first, 0 if in_place else size)
    run.run()
    return float(run.delivered_ps[last].max() - run.delivered_ps[first].max())


def _start(
    run: _core.TransferRun, flows: Sequence[tuple[int, int, int]], after: list[int], address: int
) -> list[int]:
    """At each target they lie one behind the other from `address` on."""
    started: set[int] = set()
    ends: dict[int, int] = {}
    numbers = []
    for origin, target, size in flows:
        begin = ends.get(target, address)
        first = origin not in started
        numbers.append(run.add(origin, target, size, after, first_of_chain=first, address=begin))
        started.add(origin)
        ends[target] = begin + size
    return numbers
