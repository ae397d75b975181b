"""What transfers cost in the packet simulation, with the functions of the closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop.netsim import collective_form
from onehop.netsim.message_schedule import Schedule
from onehop.netsim.schedule_walk import ScheduleWalk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop import _core
    from onehop.netsim.collective_form import Costs
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
            schedule.settle()
        schedule.start(flows, memory, address=0 if in_place else repeat * size)
    return schedule.settled_run_ps()


def collective_ps(
    platform: Platform,
    operation: str,
    ranks: int,
    size_bytes: int,
    memory: str = "host",
    *,
    places: Sequence[int] | None = None,
) -> float:
    """As collective_form.collective_ps, with all ranks' messages on the wires together, the second
    time in a row."""
    everyone = collective_form.plans(platform, operation, ranks, size_bytes, memory)
    priced = collective_form.costs(platform, everyone[0], memory)
    schedule = Schedule(platform, ranks, places)
    schedule.variant = priced.variant
    for repeat in range(2):
        if repeat:
            schedule.settle()
        together = _Together(platform, schedule, priced, everyone)
        together.play()
    return everyone[0].entry_ps + schedule.settled_run_ps(together.ends())


_REMEMBERED = 16  # messages that a rank has waited for


class _Together(ScheduleWalk[list[int]]):
    """Puts the messages of all ranks' steps into a schedule, each after what its rank must have
    heard and done before."""

    def __init__(
        self,
        platform: Platform,
        schedule: Schedule,
        priced: Costs,
        everyone: Sequence[_core.CollectivePlan],
    ) -> None:
        super().__init__(everyone)
        self._platform, self._schedule, self._costs = platform, schedule, priced
        ranks = len(everyone)
        self._after: list[list[int]] = [[] for _ in range(ranks)]
        self._delay_ps = [0.0] * ranks

    def ends(self) -> list[tuple[list[int], float]]:
        """What each rank has waited for in the end, and how much longer it takes."""
        return [
            (after, delay)
            for after, delay in zip(self._after, self._delay_ps, strict=True)
            if after
        ]

    def _blocks(self, step: _core.ScheduleStep) -> bool:
        return step.blocks and self._costs.has_handshake(self._platform, step.bytes)

    def _send(self, rank: int, step: _core.ScheduleStep) -> list[int]:
        before = self._steps[rank][self._at[rank] - 1] if self._at[rank] else None
        self._delay_ps[rank] += self._costs.step_ps
        sent = self._schedule.transfer(
            rank,
            step.to,
            step.bytes,
            self._costs.memory,
            after=self._after[rank],
            delay_ps=self._delay_ps[rank],
            first_of_chain=before is None or before.to < 0 or before.sender >= 0,
        )
        if self._blocks(step):
            self._after[rank], self._delay_ps[rank] = self._schedule.sources(sent), 0.0
        return sent

    def _hear(self, rank: int, step: _core.ScheduleStep, message: list[int]) -> None:
        # What is older came long ago.
        self._after[rank] = [*self._after[rank][-_REMEMBERED:], *message]
        self._delay_ps[rank] = self._costs.reduce_ps(step)

    def _copy(self, rank: int, step: _core.ScheduleStep) -> None:
        path = self._costs.copy_path(step)
        copied = self._schedule.copy(
            rank, step.bytes, path, self._after[rank], self._delay_ps[rank]
        )
        if step.copies == "out":
            self._after[rank] = copied


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
