"""Computes the cost of a transfer on an idle machine in closed form, from the platform file.

Every server that a message occupies contributes one branch to
    T = max_i(lambda_i + V tau_i + V N / beta_i)
(K. Boyanov, DESY 2011, latency model of QPACE): V messages of N bytes take turns at server i for
tau_i + N / beta_i each, and lambda_i is the time that one message spends elsewhere.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence

from onehop.netsim.platform import Platform
from onehop.netsim.platform_tables import Branch, Protocol
from onehop.netsim.stage_cost import Step, steps_of

CONTROL_BYTES = 8


@dataclasses.dataclass(frozen=True)
class Transfer:
    """A put in closed form; times in ps.

    `total_ps` from the call until the target may read, `local_ps` until the origin may reuse its
    buffer, `busy_ps` what each server was taken for, by (side, unit).
    """

    total_ps: float
    local_ps: float
    steps: tuple[Step, ...]
    busy_ps: Mapping[tuple[str, str], float]
    bound_by: str


def transfer(
    platform: Platform,
    size_bytes: int,
    origin_memory: str = "host",
    target_memory: str = "host",
    *,
    variant: str = "",
    pieces: int = 1,
    channels: int = 1,
    hops: int = 1,
    is_near: bool = True,
    on_one_node: bool = False,
) -> Transfer:
    """Returns the cost of `channels` equal messages of `size_bytes` each, started together, over
    `hops` links; `is_near` between ranks that rows for blocks of ranks join.

    Raises UsageError when the platform has no such path.
    """
    return exchange(
        platform,
        [size_bytes] * channels,
        origin_memory,
        target_memory,
        variant=variant,
        pieces=pieces,
        hops=hops,
        is_near=is_near,
        on_one_node=on_one_node,
    )


def exchange(
    platform: Platform,
    sizes_bytes: Sequence[int],
    origin_memory: str = "host",
    target_memory: str = "host",
    *,
    variant: str = "",
    pieces: int = 1,
    hops: int = 1,
    is_near: bool = True,
    on_one_node: bool = False,
) -> Transfer:
    """Returns the cost of messages of one rank to its neighbours, started together as one chain:
    its servers take them in turn, and the last one's way beyond the slowest server counts."""
    all_busy: dict[tuple[str, str], float] = {}
    longest, largest, own = 0.0, Transfer(0, 0, (), {}, ""), {}
    parts = 0
    for number, size in enumerate(sizes_bytes):
        row = platform.protocol_for(
            size,
            origin_memory,
            target_memory,
            variant,
            pieces,
            is_near=is_near,
            on_one_node=on_one_node,
        )
        one, first = _message(platform, row, size, pieces, 0 if on_one_node else hops, number == 0)
        for server, time in one.busy_ps.items():
            all_busy[server] = all_busy.get(server, 0.0) + time
        parts += math.ceil(size / row.block) if row.block else 1
        if one.total_ps >= longest:
            longest, largest, own = one.total_ps, one, first
            path = platform.paths[row.path]
            is_striped = platform.rails(path, min(size, row.block or size)) > 1
    rails = min(platform.fabrics[path.fabric].topology.rails, parts)
    if _WIRE in all_busy and not is_striped:
        # Messages take turns on the rails; one message stays on one.
        all_busy[_WIRE] /= rails
    branches = {s: largest.total_ps - own.get(s, 0.0) + t for s, t in all_busy.items()}
    slowest = max(all_busy, key=all_busy.get, default=_WIRE)
    total = max(largest.total_ps, *branches.values(), 0.0)
    waits = [t - own.get(s, 0.0) for s, t in all_busy.items() if s[0] != "target"]
    local = largest.local_ps + max(0.0, *waits, 0.0)
    return Transfer(total, local, largest.steps, all_busy, slowest[1])


_WIRE = ("wire", "wire")


def _message(
    platform: Platform, row: Protocol, size: int, pieces: int, hops: int, first: bool
) -> tuple[Transfer, dict[tuple[str, str], float]]:
    """Returns the cost of one message alone: `total_ps` of its first block with its handshake,
    `busy_ps` of all; and how long servers were taken within that total."""
    path = platform.paths[row.path]
    block = min(row.block or size, size)
    whole, rest = divmod(size, block) if block else (1, 0)
    rows = max(1, pieces * block // size) if size else 1
    steps = steps_of(platform, path, block, rows, hops, first)
    once = _once(steps, _busy(steps))
    busy, first_busy = _busy(steps), _busy(steps)
    for server, time in _busy(steps_of(platform, path, block, rows, hops, False)).items():
        busy[server] += time * (whole - 1)
    if rest:
        for server, time in _busy(steps_of(platform, path, rest, 1, hops, False)).items():
            busy[server] += time
    local = path.local + _left_ps(steps)
    if row.request:
        waits = [_control(platform, name, hops) for name in (row.request, row.grant) if name]
        for control, side in zip(waits, ("origin", "target"), strict=False):
            for step in control:
                if step.side == "origin" and step.busy_ps:
                    server = (side, step.unit)
                    busy[server] = busy.get(server, 0.0) + step.busy_ps
                    first_busy[server] = first_busy.get(server, 0.0) + step.busy_ps
        # Without a grant nothing waits for the request's arrival, only for the software of it.
        held = waits if row.grant else [[s for s in waits[0] if s.is_per_message]]
        ahead = sum(_once(part, _busy(part)) for part in held)
        once += ahead
        local += ahead
    if row.notice:
        once += control_ps(platform, row.notice, hops)
    return Transfer(once, local, tuple(steps), busy, ""), first_busy


def control_ps(
    platform: Platform, path: str, hops: int = 1, size_bytes: int = CONTROL_BYTES
) -> float:
    """Returns the time of a message of a handshake, or of another size, alone on its path; of no
    hops it is a copy within a node."""
    steps = steps_of(platform, platform.paths[path], size_bytes, 1, hops)
    return _once(steps, _busy(steps))


def _control(platform: Platform, path: str, hops: int) -> list[Step]:
    return steps_of(platform, platform.paths[path], CONTROL_BYTES, 1, hops)


def pingpong_ps(platform: Platform, size_bytes: int, memory: str = "host", **rest: object) -> float:
    """Returns half of a round trip in which ranks wait for local completion before they
    continue."""
    found = transfer(platform, size_bytes, memory, memory, **rest)
    return max(found.total_ps, found.local_ps / 2)


def bandwidth(
    platform: Platform,
    size_bytes: int,
    origin_memory: str,
    target_memory: str,
    *,
    side: str = "",
    variant: str = "",
) -> float:
    """Returns the bytes/s of a stream of messages; `side` "origin" or "target" looks at that node
    only, as measurements do that stop or start in the network card."""
    found = transfer(platform, size_bytes, origin_memory, target_memory, variant=variant)
    busy = [t for (place, _), t in found.busy_ps.items() if not side or place == side]
    return size_bytes / max(busy) * 1e12


def branch_ps(branch: Branch, size_bytes: float, channels: int) -> float:
    """Returns one branch: lambda + V tau + V N / beta."""
    per_message = branch.tau + size_bytes / branch.beta * 1e12
    return branch.fixed + channels * per_message


def branch_crossover_bytes(platform: Platform, pattern: str, channels: int) -> float:
    """Returns the message size at which the two branches of a pattern take the same time."""
    one, two = platform.branches[pattern].values()
    fixed = branch_ps(one, 0, channels) - branch_ps(two, 0, channels)
    return fixed / (channels * 1e12 * (1 / two.beta - 1 / one.beta))


def lattice_bandwidth(
    extents: Sequence[int],
    split: Sequence[int],
    *,
    gpus: int,
    flops_per_second: float,
    face_bytes: float,
    site_flops: float,
) -> float:
    """Returns the bytes/s in each direction that a node needs so that communication takes as long
    as compute:
        B = g (P b / F) sum over split axes d of 2 / L_d
    `extents` L_d of the node's lattice, `split` its axes that belong to several nodes (0 to 3),
    `gpus` g, `flops_per_second` P of each, `face_bytes` b per site of a face, `site_flops` F.
    (Bottleneck analysis of P. Vicini, ACAT 2013, after R. Babich and S. Gottlieb.)
    """
    surface = sum(2 / extents[axis] for axis in split)
    return gpus * flops_per_second * face_bytes / site_flops * surface


def _busy(steps: Sequence[Step]) -> dict[tuple[str, str], float]:
    busy: dict[tuple[str, str], float] = {}
    for step in steps:
        if step.busy_ps > 0:
            server = (step.side, step.unit)
            busy[server] = busy.get(server, 0.0) + step.busy_ps
    return busy


def _once(steps: Sequence[Step], busy: Mapping[tuple[str, str], float]) -> float:
    """Returns the time of one message: whole-message stages one after the other; of those per
    packet the slowest server's time, behind the heads. A look-up begins with a packet's head, while
    its bytes still come, so that it counts as its server's time only."""
    total = sum(step.delay_ps for step in steps if step.is_per_message)
    own: dict[tuple[str, str], float] = {}
    for step in steps:
        if not step.is_per_message:
            total += 0.0 if step.is_look_up else step.delay_ps
            server = (step.side, step.unit)
            own[server] = own.get(server, 0.0) + step.busy_ps
    return total + max(own.values(), default=0.0)


def _left_ps(steps: Sequence[Step]) -> float:
    """Returns when the last byte has been read at the origin, no faster than the network takes
    them."""
    before = [step for step in steps if step.side == "origin"]
    busy = _busy([s for s in steps if s.side != "target" and not s.is_per_message])
    return sum(step.delay_ps for step in before) + max(busy.values(), default=0.0)
