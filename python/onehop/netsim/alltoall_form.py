"""Alltoall of GPU memory through the hosts, packet by packet: how a library may stage it.

Times in ps until the last rank has everything, the second time in a row. Messages between pinned
buffers and the copies are what the platform says of staged collectives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop import _core
from onehop.netsim.description import describe
from onehop.netsim.message_schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from onehop.netsim.platform import Platform


def in_turn_ps(
    platform: Platform, ranks: int, size_bytes: int, *, waits_for_received: bool = False
) -> float:
    """A pipeline of copy out, message and copy in per peer, in blocks of the platform's protocol,
    which share nothing with each other: all messages are posted at once, and a rank's next one
    begins when the last has left (scatter-destination). `waits_for_received`: not before what
    came from the peer of the same step has been copied in as well (pairwise exchange)."""
    block = platform.protocol_for(size_bytes, "device", "device").block or size_bytes
    staging = platform.collective()

    def exchange(schedule: Schedule) -> None:
        free: dict[int, list[int]] = {rank: [] for rank in range(ranks)}
        for step in range(1, ranks):
            sent: dict[int, list[int]] = {}
            copied: dict[int, list[int]] = {}
            for rank in range(ranks):
                peer = (rank + step) % ranks
                sent[rank], copied[peer] = _pipeline(
                    schedule, staging, rank, peer, size_bytes, block, free[rank]
                )
            for rank in range(ranks):
                free[rank] = sent[rank] + (copied[rank] if waits_for_received else [])

    return _settled(platform, ranks, exchange)


def _pipeline(
    schedule: Schedule,
    staging: Mapping[str, str],
    rank: int,
    peer: int,
    size_bytes: int,
    block: int,
    after: list[int],
) -> tuple[list[int], list[int]]:
    """Messages between the hosts, and copies into the peer."""
    sent, copied = [], []
    for start in range(0, size_bytes, block):
        size = min(block, size_bytes - start)
        out = schedule.copy(rank, size, staging.copy_out, after)
        there = schedule.transfer(
            rank, peer, size, "host", variant=staging.staging_variant, after=out
        )
        copied += schedule.copy(peer, size, staging.copy_in, there)
        sent += there
    return sent, copied


def at_once_ps(platform: Platform, ranks: int, size_bytes: int) -> float:
    """Messages of the platform's own protocol, all begun together, so that the pipelines of all
    peers overlap."""

    def exchange(schedule: Schedule) -> None:
        for step in range(1, ranks):
            for rank in range(ranks):
                schedule.transfer(rank, (rank + step) % ranks, size_bytes, "device")

    return _settled(platform, ranks, exchange)


def staged_ps(platform: Platform, ranks: int, size_bytes: int, block_bytes: int = 0) -> int:
    """Copies out in blocks that hold the parts for as many peers as fit (0: all in one), messages
    between the hosts as soon as their block is out, and copies in as soon as all that a block
    waits for has come (dynamic staging). Peers rank, rank - 1, ... are sent to, and rank,
    rank + 1, ... received from.

    Source: A. Singh et al., PPAC 2011; MPIR_Alltoall_CUDA_intra_MV2 of MVAPICH2.
    """
    machine = describe(platform, ranks)
    collectives = machine.collectives
    for each in collectives:
        each.staging_block = block_bytes
    machine.collectives = collectives
    return _core.collective_ps(
        machine, "device", platform.variant, "staged-alltoall", ranks, size_bytes
    )


def _settled(platform: Platform, ranks: int, exchange: Callable[[Schedule], None]) -> float:
    schedule = Schedule(platform, ranks)
    exchange(schedule)
    schedule.wait_for_all()
    exchange(schedule)
    return schedule.run_after_wait_ps()
