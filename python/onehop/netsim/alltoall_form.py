"""Alltoall of GPU memory through the hosts, packet by packet: how a library may stage it.

Times in ps until the last rank has everything, the second time in a row. Messages between pinned
buffers and the copies are rows of the platform's protocols of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop.netsim.packet_form import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable

    from onehop.netsim.platform import Platform


def in_turn_ps(platform: Platform, ranks: int, size_bytes: int) -> float:
    """Messages of the platform's own protocol, one peer after the other: a rank turns to the next
    when both its messages of a step are there."""

    def exchange(schedule: Schedule) -> None:
        there: dict[int, list[int]] = {rank: [] for rank in range(ranks)}
        for step in range(1, ranks):
            sent = {
                rank: schedule.transfer(
                    rank, (rank + step) % ranks, size_bytes, "device", after=there[rank]
                )
                for rank in range(ranks)
            }
            there = {rank: [*sent[rank], *sent[(rank - step) % ranks]] for rank in range(ranks)}

    return _settled(platform, ranks, exchange)


def at_once_ps(platform: Platform, ranks: int, size_bytes: int) -> float:
    """The same messages, all begun together (scatter-destination)."""

    def exchange(schedule: Schedule) -> None:
        for step in range(1, ranks):
            for rank in range(ranks):
                schedule.transfer(rank, (rank + step) % ranks, size_bytes, "device")

    return _settled(platform, ranks, exchange)


def staged_ps(platform: Platform, ranks: int, size_bytes: int, block_bytes: int = 0) -> float:
    """Copies out in blocks that hold the parts for as many peers as fit (0: all in one), messages
    between the hosts as soon as their block is out, and copies in as soon as all that a block
    waits for has come (dynamic staging). Peers rank, rank - 1, ... are sent to, and rank,
    rank + 1, ... received from.

    Source: A. Singh et al., PPAC 2011; MPIR_Alltoall_CUDA_intra_MV2 of MVAPICH2.
    """
    peers = min(ranks, max(1, block_bytes // size_bytes)) if block_bytes else ranks

    def exchange(schedule: Schedule) -> None:
        came: dict[tuple[int, int], list[int]] = {}
        for rank in range(ranks):
            for block in _blocks([(rank - k) % ranks for k in range(ranks)], peers):
                out = schedule.transfer(
                    rank, rank, size_bytes * len(block), "device", to_memory="host"
                )
                for peer in block:
                    came[rank, peer] = out if peer == rank else schedule.transfer(
                        rank, peer, size_bytes, "host", variant="pinned", after=out
                    )  # fmt: skip
        for rank in range(ranks):
            for block in _blocks([(rank + k) % ranks for k in range(ranks)], peers):
                needed = [number for peer in block for number in came[peer, rank]]
                schedule.transfer(
                    rank, rank, size_bytes * len(block), "host", to_memory="device", after=needed
                )

    return _settled(platform, ranks, exchange)


def _blocks(peers: list[int], length: int) -> list[list[int]]:
    return [peers[start : start + length] for start in range(0, len(peers), length)]


def _settled(platform: Platform, ranks: int, exchange: Callable[[Schedule], None]) -> float:
    schedule = Schedule(platform, ranks)
    exchange(schedule)
    schedule.settle()
    exchange(schedule)
    return schedule.settled_run_ps()
