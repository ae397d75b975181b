"""Computes what each kind of stage costs a message, and the steps of a path."""

import dataclasses
import math

from onehop.netsim.platform import Platform
from onehop.netsim.platform_tables import Fabric, TransferPath
from onehop.netsim.stage_tables import Stage

# Packets that a node holds at least between its memory and the network, each way, and at most with
# those that its engine has asked for.
HELD, MOST_HELD = 8, 64


@dataclasses.dataclass(frozen=True)
class Step:
    """One stage of a transfer: `delay_ps` until the next may begin (store and forward) or its head
    passes (per packet), `busy_ps` that its server is taken."""

    name: str
    side: str
    unit: str
    is_per_message: bool
    delay_ps: float
    busy_ps: float
    about: str = ""
    is_look_up: bool = False


def steps_of(
    platform: Platform,
    path: TransferPath,
    size: int,
    pieces: int,
    hops: int,
    first_of_chain: bool = True,
) -> list[Step]:
    fabric = platform.fabrics[path.fabric]
    packet = min(int(fabric.wire().packet), size) or 1
    shape = (size, pieces, packet, first_of_chain)
    steps = [_step(platform.stages[name], "origin", *shape) for name in path.origin]
    # A message within a node passes no wire.
    if hops:
        steps.append(_wire(fabric, size, packet, hops, platform.rails(path, size)))
    steps += [_step(platform.stages[name], "target", *shape) for name in path.target]
    return steps


def _wire(fabric: Fabric, size: int, packet: int, hops: int, rails: int) -> Step:
    wire = fabric.wire()
    rate = wire.rate * wire.efficiency
    packets = max(1, math.ceil(size / packet))
    busy = (size + packets * wire.framing) / rails / rate * 1e12
    # Neighbours on a switch have two links and it between them; a torus node is a router.
    links, routers = (2, 1) if fabric.topology.has_switches else (hops, hops + 1)
    delay = links * wire.latency + routers * wire.router
    return Step("wire", "wire", "wire", False, delay, busy)


def _step(
    stage: Stage, side: str, size: int, pieces: int, packet: int, first_of_chain: bool
) -> Step:
    delay, busy = _COSTS[stage.kind](stage, size, pieces, packet, first_of_chain)
    is_look_up = stage.kind == "translation"
    return Step(
        stage.name, side, stage.unit, stage.is_per_message, delay, busy, stage.about, is_look_up
    )


def _software(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    busy = s.cost + pieces * s.per_piece + _at_rate(size, s.rate)
    busy += s.per_chain if first else 0.0
    return busy, busy


def _copy(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    rows = pieces * s.per_piece if pieces > 1 else 0.0
    busy = s.setup + rows + _at_rate(size, s.rate)
    return busy, busy


def _gpu(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    busy = s.launch + _at_rate(size, s.rate)
    return busy, busy


def _event(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    return s.write + s.poll, 0.0


def _dma(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    head, moved = dma_latency_ps(s), _at_rate(packet, dma_rate(s))
    channels = s.channels
    gap = dma_gap_ps(s, packet)
    packets = size / packet if size else 1
    busy = packets * max(moved, (moved + gap) / channels) + (pieces - 1) * s.per_piece
    window = s.window
    if window and size > window:
        busy += (math.ceil(size / window) - 1) * head
    return head, busy


def dma_rate(stage: Stage) -> float:
    """Returns the bytes/s of an engine: its own rate, or what its request interval lets through."""
    interval = stage.interval
    paced = stage.request / interval * 1e12 if interval else math.inf
    return min(stage.rate, paced)


def dma_latency_ps(stage: Stage) -> float:
    """Returns the time from the start of an engine to its first data."""
    return stage.lead + stage.head


def packets_ahead(stage: Stage, packet: int) -> int:
    """Returns how many packets a stage asks for before the first of them comes: an engine as many
    as its rate brings in that time, unless its window is smaller; any other none."""
    if stage.kind != "dma":
        return 0
    in_flight = dma_latency_ps(stage) * dma_rate(stage) * 1e-12
    return math.ceil(min(in_flight, stage.window or math.inf) / packet)


def dma_gap_ps(stage: Stage, packet: int) -> float:
    """Returns the dead time of an engine after each packet."""
    request = stage.request
    return stage.gap * (packet / request if request else 1)


def _translation(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    packets = max(1, math.ceil(size / packet))
    reach = s.entries * s.page
    look_up = s.hit
    if reach and size > reach:
        # Pages used in turn push each other out before they are used again.
        misses = min(1.0, packet / s.page)
        look_up += misses * (s.miss - s.hit)
    return s.hit, packets * look_up + _at_rate(size, s.rate)


def _port(s: Stage, size: int, pieces: int, packet: int, first: bool) -> tuple[float, float]:
    payload = s.payload or packet
    rate = s.rate * s.lanes
    parts = math.ceil(size / payload) if s.overhead else 0
    return s.latency, _at_rate(size + parts * s.overhead, rate)


_COSTS = {
    "software": _software,
    "copy": _copy,
    "gpu": _gpu,
    "event": _event,
    "dma": _dma,
    "translation": _translation,
    "port": _port,
}


def _at_rate(size: float, rate: float) -> float:
    return size / rate * 1e12 if rate else 0.0
