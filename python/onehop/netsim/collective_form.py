"""Collectives in closed form: the steps of every rank, each alone on the wires.

What the steps are says `_core.collective_plan`, by the algorithms of the platform file: the same
that ranks on a virtual machine take and that `packet_form` puts on the wires together.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from onehop import _core
from onehop.netsim import closed_form
from onehop.netsim.description import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop.netsim.platform import Platform

# Every rank does what the others do, by distances instead of names.
_ALIKE = ("ring", "dissemination", "pairwise")
_ALIKE_IN_DOUBLES = ("recursive-doubling", "reduce-scatter")


def plan(
    platform: Platform, operation: str, ranks: int, rank: int, size_bytes: int, memory: str
) -> _core.CollectivePlan:
    """What `rank` does. `size_bytes` is the message of a broadcast or allreduce, and one rank's
    part of an allgather or alltoall. Raises UsageError for what the machine has not."""
    platform.check_nodes(ranks)
    variant = platform.variant
    return _core.collective_plan(
        describe(platform, 1), memory, variant, operation, ranks, rank, size_bytes
    )


def plans(
    platform: Platform, operation: str, ranks: int, size_bytes: int, memory: str
) -> list[_core.CollectivePlan]:
    """Of all ranks."""
    platform.check_nodes(ranks)
    machine, variant = describe(platform, 1), platform.variant
    return [
        _core.collective_plan(machine, memory, variant, operation, ranks, rank, size_bytes)
        for rank in range(ranks)
    ]


@dataclasses.dataclass(frozen=True)
class Costs:
    """What the steps of a plan cost beside their messages, and between which memories these go, by
    which protocols."""

    memory: str
    variant: str
    step_ps: float
    reduce_rate: float
    copies: dict[str, str]
    short_copies: dict[str, str]
    short_most: float

    def reduce_ps(self, step: _core.ScheduleStep) -> float:
        if not step.combines or not self.reduce_rate:
            return 0.0
        return step.heard / self.reduce_rate * 1e12

    def has_handshake(self, platform: Platform, size: int) -> bool:
        """Then a source is free when it has been read, and else at once, as a copy was made."""
        row = platform.protocol_for(size, self.memory, self.memory, self.variant)
        return bool(row.grant)

    def copy_path(self, step: _core.ScheduleStep) -> str:
        short = step.bytes <= self.short_most
        return (self.short_copies if short else self.copies)[step.copies]


def costs(platform: Platform, planned: _core.CollectivePlan, memory: str) -> Costs:
    table = platform.collective()
    return Costs(
        "host" if planned.by_hosts else memory,
        table.staging_variant if planned.by_hosts else platform.variant,
        table.step,
        table.reduce,
        {"out": _name(platform, planned.copy_out), "in": _name(platform, planned.copy_in)},
        {"out": table.short_out, "in": table.short_in},
        -1.0 if table.short_most is None else table.short_most,
    )


def _name(platform: Platform, path: int) -> str:
    return list(platform.paths)[path] if path >= 0 else ""


def collective_ps(
    platform: Platform, operation: str, ranks: int, size_bytes: int, memory: str = "host"
) -> float:
    """Time in ps until the last of `ranks` has its result; of sizes as for `plan`."""
    first = plan(platform, operation, ranks, 0, size_bytes, memory)
    way = first.how.split(" ")[0]
    is_even = ranks & (ranks - 1) == 0
    alike = way in _ALIKE or (way in _ALIKE_IN_DOUBLES and is_even)
    if operation == "broadcast" or not alike:
        everyone = plans(platform, operation, ranks, size_bytes, memory)
    else:
        everyone = [first]
    return first.entry_ps + _Idle(platform, costs(platform, first, memory), everyone).time_ps()


class _Idle:
    """Ranks that go through the steps of a schedule, each waiting for what it is to hear, and send
    to each other over wires that nobody else uses; of messages they know when they are there. A
    rank alone stands for all, which do the same: it hears what it sends."""

    def __init__(
        self, platform: Platform, priced: Costs, everyone: Sequence[_core.CollectivePlan]
    ) -> None:
        self._platform, self._costs = platform, priced
        self._known: dict[tuple[int, bool], tuple[float, float, float, int, float]] = {}
        ranks = len(everyone)
        self._steps = [each.steps for each in everyone]
        self._mail: dict[tuple[int, int], list[float]] = {}
        self._at = [0] * ranks  # the step under way
        self._is_sent = [False] * ranks  # its message
        self._now = [0.0] * ranks
        self._free = [0.0] * ranks  # again to send
        self._rails: list[list[float]] = [[] for _ in range(ranks)]  # until when each is taken
        self._copied = [0.0] * ranks  # the last copy that goes on beside the steps

    def time_ps(self) -> float:
        """Until the last has its result."""
        self._play()
        return max(*self._now, *self._copied)

    def _play(self) -> None:
        waiting = list(range(len(self._steps)))
        while waiting:
            before = [*self._at, *self._is_sent]
            for rank in waiting:
                while self._at[rank] < len(self._steps[rank]) and self._step(rank):
                    self._is_sent[rank] = False
                    self._at[rank] += 1
            waiting = [rank for rank in waiting if self._at[rank] < len(self._steps[rank])]
            if waiting and before == [*self._at, *self._is_sent]:
                raise RuntimeError(f"in the schedule ranks {waiting} wait for what nobody sends")

    def _step(self, rank: int) -> bool:
        """False while nobody has sent what it is to hear."""
        step = self._steps[rank][self._at[rank]]
        if step.copies:
            self._copy(rank, step)
            return True
        if step.to >= 0 and not self._is_sent[rank]:
            sent = self._send(rank, step)
            self._mail.setdefault((rank, step.to), []).append(sent)
            self._is_sent[rank] = True
        if step.sender < 0:
            return True
        is_alone = len(self._steps) == 1
        box = self._mail.get((rank, step.to) if is_alone else (step.sender, rank))
        if not box:
            return False
        self._hear(rank, step, box.pop(0))
        return True

    def _send(self, rank: int, step: _core.ScheduleStep) -> float:
        """Messages take turns at what the origin has once, and each goes over the rail that is
        free first."""
        total, gap, wire, rails, local = self._transfer(step.bytes, step.awaits_source)
        self._now[rank] += self._costs.step_ps
        begin = max(self._now[rank], self._free[rank])
        self._free[rank] = begin + gap
        taken = self._rails[rank] = self._rails[rank] or [0.0] * rails
        first = min(range(len(taken)), key=taken.__getitem__)
        begin = max(begin, taken[first])
        taken[first] = begin + wire
        if step.blocks or step.awaits_source:
            self._now[rank] = begin + local
        return begin + total

    def _hear(self, rank: int, step: _core.ScheduleStep, message: float) -> None:
        self._now[rank] = max(self._now[rank], message) + self._costs.reduce_ps(step)

    def _copy(self, rank: int, step: _core.ScheduleStep) -> None:
        path = self._costs.copy_path(step)
        time = closed_form.copy_ps(self._platform, path, step.bytes)
        if step.copies == "out":
            self._now[rank] += time
        else:
            self._copied[rank] = max(self._now[rank], self._copied[rank]) + time

    def _transfer(self, size: int, is_awaited: bool) -> tuple[float, float, float, int, float]:
        """From the call until it is there, how long it takes the busiest server of the origin and
        the wire, the rails of which it takes one, and from the call until its source is free."""
        if (size, is_awaited) not in self._known:
            memory, variant = self._costs.memory, self._costs.variant
            put = closed_form.transfer(self._platform, size, memory, memory, variant=variant)
            own = [t for (side, _), t in put.busy_ps.items() if side == "origin"]
            wire = put.busy_ps.get(("wire", "wire"), 0.0)
            row = self._platform.protocol_for(size, memory, memory, variant)
            path = self._platform.paths[row.path]
            is_striped = self._platform.rails(path, min(size, row.block or size)) > 1
            rails = self._platform.fabrics[path.fabric].topology.rails
            gap = max(own, default=0.0)
            has_free = is_awaited or self._costs.has_handshake(self._platform, size)
            free = put.local_ps if has_free else 0.0
            ways = 1 if is_striped else int(rails)
            self._known[size, is_awaited] = (put.total_ps, gap, wire, ways, free)
        return self._known[size, is_awaited]
