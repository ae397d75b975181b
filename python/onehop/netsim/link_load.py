"""Which links a pattern of messages crosses, and how long the busiest of them needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from onehop.netsim.platform_tables import Fabric

# A link: the node that it leaves, its axis, its direction.
Link = "tuple[int, int, int]"


def busiest_link_ps(fabric: Fabric, flows: Iterable[tuple[int, int, int]]) -> float:
    """Time in ps that the busiest link of a torus or of coupled rings is taken by `flows` of
    (origin, target, bytes), all of them under way together; 0 on switched networks, whose links
    belong to one node each."""
    if fabric.kind not in ("torus", "ring", "coupled-rings"):
        return 0.0
    extents = fabric.extents
    load: dict = {}
    for origin, target, size in flows:
        for link, share in route(extents, origin, target):
            load[link] = load.get(link, 0.0) + share * _busy_ps(fabric, link, size)
    return max(load.values(), default=0.0)


def route(extents: Sequence[int], origin: int, target: int) -> Iterator[tuple[Link, float]]:
    """Links in dimension order, each axis the short way round; messages that go half way round
    take both ways in turn, so that each way has half a share."""
    here, there = _place(extents, origin), _place(extents, target)
    for axis, extent in enumerate(extents):
        ahead = (there[axis] - here[axis]) % extent
        ways = [(1, ahead)] if 2 * ahead <= extent else []
        ways += [(-1, extent - ahead)] if 2 * ahead >= extent else []
        for direction, steps in ways:
            along = list(here)
            for _ in range(steps):
                yield (_number(extents, along), axis, direction), 1 / len(ways)
                along[axis] = (along[axis] + direction) % extent
        here[axis] = there[axis]


def _busy_ps(fabric: Fabric, link: Link, size: int) -> float:
    wire = fabric.wire("xyzt"[link[1]])
    packets = max(1, math.ceil(size / wire.packet))
    rate = wire.rate * wire.efficiency
    return (size + packets * wire.framing) / rate * 1e12


def _place(extents: Sequence[int], node: int) -> list[int]:
    place = []
    for extent in extents:
        node, along = divmod(node, extent)
        place.append(along)
    return place


def _number(extents: Sequence[int], place: Sequence[int]) -> int:
    number = 0
    for extent, along in zip(reversed(extents), reversed(place), strict=True):
        number = number * extent + along
    return number
