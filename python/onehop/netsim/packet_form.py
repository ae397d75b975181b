"""What transfers cost in the packet simulation, with the functions of the closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop import _core
from onehop.netsim.description import describe
from onehop.netsim.message_schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop.netsim.platform import Platform

__all__ = [
    "Schedule",
    "bandwidth",
    "collective_ps",
    "exchange_ps",
    "pingpong_ps",
    "transfer_ps",
]


def transfer_ps(
    platform: Platform,
    size_bytes: int,
    memory: str = "host",
    *,
    channels: int = 1,
    pieces: int = 1,
    variant: str = "",
) -> tuple[float, float]:
    """(delivered, buffer free again) of `channels` messages to a neighbour, in ps, on a machine
    that has sent the same before: look-up tables are warm."""
    schedule = Schedule(platform, 2)

    def send(after: Sequence[int]) -> list[int]:
        return [
            number
            for channel in range(channels)
            for number in schedule.transfer(
                0,
                1,
                size_bytes,
                memory,
                after=after,
                variant=variant,
                pieces=pieces,
                first_of_chain=channel == 0,
            )
        ]

    first = send(())
    last = send(first)
    schedule.run()
    start = schedule.delivered_ps(first)
    return schedule.delivered_ps(last) - start, schedule.source_free_ps(last) - start


def pingpong_ps(
    platform: Platform,
    size_bytes: int,
    memory: str = "host",
    *,
    channels: int = 1,
    pieces: int = 1,
) -> float:
    """Half of a round trip whose ranks wait for their own completion before they go on."""
    delivered, free = transfer_ps(platform, size_bytes, memory, channels=channels, pieces=pieces)
    return max(delivered, free / 2)


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
    schedule = Schedule(platform, nodes, places)
    size = sum(size for _, _, size in flows)
    for repeat in range(2):
        if repeat:
            schedule.wait_for_all()
        schedule.start(flows, memory, address=0 if in_place else repeat * size)
    return schedule.run_after_wait_ps()


def collective_ps(
    platform: Platform,
    operation: str,
    ranks: int,
    size_bytes: int,
    memory: str = "host",
    *,
    places: Sequence[int] | None = None,
) -> int:
    """As collective_form.collective_ps, with all ranks' messages on the wires together, the second
    time in a row."""
    machine = describe(platform, ranks)
    if places is not None:
        machine.places = list(places)
    return _core.collective_ps(machine, memory, platform.variant, operation, ranks, size_bytes)


def bandwidth(
    platform: Platform, size_bytes: int, origin_memory: str, target_memory: str, messages: int = 64
) -> float:
    """Bytes/s of a stream of messages, after a quarter of them."""
    schedule = Schedule(platform, 2)
    sent = [
        schedule.transfer(0, 1, size_bytes, origin_memory, to_memory=target_memory)
        for _ in range(messages)
    ]
    schedule.run()
    first = messages // 4
    time = schedule.delivered_ps(sent[-1]) - schedule.delivered_ps(sent[first])
    return (messages - 1 - first) * size_bytes / time * 1e12
