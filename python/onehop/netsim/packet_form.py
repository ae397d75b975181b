"""Computes the cost of transfers and collectives in the packet simulation, with the same
functions as the closed form."""

from collections.abc import Sequence

from onehop import _core
from onehop.netsim.description import describe
from onehop.netsim.platform import Platform


def transfers(
    platform: Platform,
    ranks: int,
    memory: str = "host",
    *,
    variant: str = "",
    places: Sequence[int] | None = None,
) -> _core.TransferRun:
    """Transfers to be added, on a machine of the platform. Rank r is on node `places[r]`, as the
    platform has it by default."""
    return _core.TransferRun(_machine(platform, ranks, places), memory, variant or platform.variant)


def _machine(
    platform: Platform, ranks: int, places: Sequence[int] | None
) -> _core.MachineDescription:
    machine = describe(platform, ranks)
    if places is not None:
        machine.places = list(places)
    return machine


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
    run = transfers(platform, 2, memory, variant=variant)

    def send(after: list[int]) -> list[int]:
        return [
            run.add(0, 1, size_bytes, after, pieces=pieces, first_of_chain=channel == 0)
            for channel in range(channels)
        ]

    first = send([])
    last = send(first)
    run.run()
    start = run.delivered_ps[first].max()
    return float(run.delivered_ps[last].max() - start), float(
        run.source_free_ps[last].max() - start
    )


def pingpong_ps(
    platform: Platform,
    size_bytes: int,
    memory: str = "host",
    *,
    channels: int = 1,
    pieces: int = 1,
) -> float:
    """Returns half of a round trip in which ranks wait for local completion before they
    continue."""
    delivered, free = transfer_ps(platform, size_bytes, memory, channels=channels, pieces=pieces)
    return max(delivered, free / 2)


def collective_plan(
    platform: Platform, operation: str, ranks: int, rank: int, size_bytes: int, memory: str
) -> _core.CollectivePlan:
    """Returns the steps of `rank`. `size_bytes` is the message of a broadcast or allreduce, and
    one rank's part of an allgather or alltoall. Raises UsageError for collectives that the
    machine does not have."""
    platform.check_nodes(ranks)
    return _core.collective_plan(
        describe(platform, 1), memory, platform.variant, operation, ranks, rank, size_bytes
    )


def collective_ps(
    platform: Platform,
    operation: str,
    ranks: int,
    size_bytes: int,
    memory: str = "host",
    *,
    places: Sequence[int] | None = None,
) -> int:
    """Returns the time until the last rank has its result, in the second of two runs; sizes are
    as for `collective_plan`."""
    machine = _machine(platform, ranks, places)
    return _core.collective_ps(machine, memory, platform.variant, operation, ranks, size_bytes)
