"""What transfers cost in the packet simulation, with the functions of the closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop._core import UsageError
from onehop.netsim.closed_form import CONTROL_BYTES
from onehop.netsim.collective_form import entry_ps, staging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop.netsim.platform import Platform


_COLUMNS = ("origin", "target", "bytes", "path", "pieces", "first_of_chain")


class Schedule:
    """Transfers that wait for each other, on one platform; run once.

    `transfer` returns a handle; `delivered_ps` and `source_free_ps` tell after `run` when all its
    messages were there. Rank r stands on node `places[r]`, as the platform has it by default.
    """

    def __init__(self, platform: Platform, nodes: int, places: Sequence[int] | None = None) -> None:
        self._platform = platform
        self._places = platform.fabric.places if places is None else places
        self.pause_ps = 0.0  # of every transfer, before it begins
        self.variant = ""  # of its protocols
        self._nodes = nodes
        self._paths = {name: number for number, name in enumerate(platform.paths)}
        self._columns: dict[str, list[int]] = {k: [] for k in _COLUMNS}
        self._after: list[list[int]] = []
        self._delay: list[int] = []
        self._before: list[int] = []
        self._run: _core.MessageListRun | None = None

    def transfer(
        self,
        origin: int,
        target: int,
        size_bytes: int,
        memory: str = "host",
        *,
        after: Sequence[int] = (),
        delay_ps: float = 0.0,
        to_memory: str = "",
        variant: str = "",
        pieces: int = 1,
        first_of_chain: bool = True,
    ) -> list[int]:
        """Its handshake and its blocks; the handle is the numbers of its last messages. `after` are
        numbers of messages that must be there before it begins, `pieces` the rows of its source.
        Only the first of a chain pays what starts the chain."""
        variant = variant or self.variant
        row = self._platform.protocol_for(size_bytes, memory, to_memory or memory, variant, pieces)
        wait, delay = list(after) or self._before, delay_ps + self.pause_ps
        if row.request:
            wait, delay = (
                [self._message(origin, target, CONTROL_BYTES, row.request, wait, delay)],
                0,
            )
        if row.request and row.grant:
            wait = [self._message(target, origin, CONTROL_BYTES, row.grant, wait, 0)]
        block = row.block or max(size_bytes, 1)
        sizes = [block] * (size_bytes // block) + [size_bytes % block] * bool(size_bytes % block)
        last = [
            self._message(
                origin,
                target,
                s,
                row.path,
                wait,
                delay,
                max(1, pieces * s // max(size_bytes, 1)),
                first_of_chain and number == 0,
            )
            for number, s in enumerate(sizes or [0])
        ]
        if row.notice:
            last = [self._message(origin, target, CONTROL_BYTES, row.notice, last, 0)]
        return last

    def copy(self, rank: int, size_bytes: int, path: str, after: Sequence[int] = ()) -> list[int]:
        """Within the node of a rank, by a path of the platform."""
        return [self._message(rank, rank, size_bytes, path, list(after) or self._before, 0)]

    def _message(
        self,
        origin: int,
        target: int,
        size: int,
        path: str,
        after: list[int],
        delay: float,
        pieces: int = 1,
        first_of_chain: bool = True,
    ) -> int:
        nodes = self._node(origin), self._node(target)
        row = (*nodes, size, self._paths[path], pieces, first_of_chain)
        for key, value in zip(_COLUMNS, row, strict=True):
            self._columns[key].append(int(value))
        self._after.append(after)
        self._delay.append(round(delay))
        return len(self._after) - 1

    def _node(self, rank: int) -> int:
        return self._places[rank] if self._places else rank

    def start(
        self,
        flows: Sequence[tuple[int, int, int]],
        memory: str = "host",
        after: Sequence[Sequence[int]] = (),
        delay_ps: float = 0.0,
    ) -> list[list[int]]:
        """(origin, target, bytes) at once, those of each origin as one chain, which begins after
        the messages `after[origin]`; a handle for each."""
        started: set[int] = set()
        handles = []
        for origin, target, size in flows:
            put = self.transfer(
                origin,
                target,
                size,
                memory,
                after=after[origin] if after else (),
                delay_ps=delay_ps,
                first_of_chain=origin not in started,
            )
            started.add(origin)
            handles.append(put)
        return handles

    def settle(self) -> None:
        """What is added from here on waits for all that was added before, and finds look-up tables
        as that left them."""
        self._before = list(range(len(self._after)))

    def run(self) -> float:
        """Virtual time in ps until everything has been delivered."""
        starts = np.cumsum([0, *(len(wait) for wait in self._after)])
        flat = [number for wait in self._after for number in wait]
        columns = {k: np.array(v, dtype=np.int64) for k, v in self._columns.items()}
        self._run = _core.MessageListRun(
            self._platform.description(self._nodes),
            **columns,
            delay_ps=np.array(self._delay, dtype=np.int64),
            first_after=starts.astype(np.int64),
            after=np.array(flat, dtype=np.int64),
        )
        return float(self._run.run())

    def settled_run_ps(self) -> float:
        """Runs, and returns the time from `settle` until the last is there."""
        self.run()
        delivered = self._run.delivered_ps
        return float(delivered.max() - delivered[self._before].max())

    def delivered_ps(self, handle: Sequence[int]) -> float:
        return float(max(self._run.delivered_ps[k] for k in handle))

    def source_free_ps(self, handle: Sequence[int]) -> float:
        return float(max(self._run.source_free_ps[k] for k in handle))


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
) -> float:
    """All of (origin, target, bytes) at once, those of an origin as one chain, as in the time
    before; until the last is there."""
    schedule = Schedule(platform, nodes, places)
    for repeat in range(2):
        if repeat:
            schedule.settle()
        schedule.start(flows, memory)
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
    table = platform.collectives.get(platform.variant, {})
    total = size_bytes * (ranks if operation in ("allgather", "alltoall") else 1)
    name = str(table.get(operation, ""))
    switch = table.get(f"{operation}_switch")
    if switch is not None and total >= switch.base:
        name = str(table[f"{operation}_large"])
    fan = int(table["fan"].base) if "fan" in table else 2
    way = staging(platform, operation, ranks, size_bytes, memory)
    entry = way.copies_ps + entry_ps(table, operation, way.memory)
    if (operation, name) not in _SCHEDULES:
        raise UsageError(f"platform {platform.name} has no schedule for {operation}")
    schedule = Schedule(platform, ranks, places)
    schedule.variant = way.variant
    schedule.pause_ps = table["step"].base if "step" in table else 0.0
    if operation == "allreduce" and "reduce" in table:
        schedule.pause_ps += size_bytes / table["reduce"].base * 1e12
    _SCHEDULES[operation, name](schedule, ranks, size_bytes, way.memory, fan)
    schedule.settle()
    _SCHEDULES[operation, name](schedule, ranks, size_bytes, way.memory, fan)
    return entry + schedule.settled_run_ps()


def _tree(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    """Every level hands on to fan - 1 children, the farthest first; all that a rank sends is one
    chain."""
    has: dict[int, list[int]] = {0: []}
    started: set[int] = set()
    span = fan ** math.ceil(round(math.log(ranks, fan), 9))
    while span > 1:
        span //= fan
        for rank, wait in list(has.items()):
            for child in range(1, fan):
                target = rank + child * span
                if target < ranks:
                    has[target] = s.transfer(
                        rank, target, size, memory, after=wait, first_of_chain=rank not in started
                    )
                    started.add(rank)


def _binomial(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    _tree(s, ranks, size, memory, 2)


def _scatter_allgather(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    has: dict[int, list[int]] = {0: []}
    span = 2 ** math.ceil(math.log2(ranks))
    while span > 1:
        span //= 2
        for rank, wait in list(has.items()):
            if rank + span < ranks:
                part = size * span // ranks
                has[rank + span] = s.transfer(rank, rank + span, part, memory, after=wait)
    _ring(s, ranks, size // ranks, memory, fan, has)


def _ring(
    s: Schedule,
    ranks: int,
    size: int,
    memory: str,
    fan: int,
    has: dict[int, list[int]] | None = None,
) -> None:
    got = {rank: list((has or {}).get(rank, [])) for rank in range(ranks)}
    for _ in range(ranks - 1):
        sent = {}
        for rank in range(ranks):
            target = (rank + 1) % ranks
            sent[target] = s.transfer(rank, target, size, memory, after=got[rank])
        got = sent


def _exchange_rounds(s: Schedule, ranks: int, sizes: list[int], memory: str) -> None:
    got: dict[int, list[int]] = {rank: [] for rank in range(ranks)}
    for level, size in enumerate(sizes):
        sent = {}
        for rank in range(ranks):
            partner = rank ^ 2**level
            if partner < ranks:
                sent[partner] = s.transfer(rank, partner, size, memory, after=got[rank])
        got = {rank: sent.get(rank, got[rank]) for rank in range(ranks)}


def _doubling(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    levels = math.ceil(math.log2(ranks))
    _exchange_rounds(s, ranks, [size * 2**level for level in range(levels)], memory)


def _same_size(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    _exchange_rounds(s, ranks, [size] * math.ceil(math.log2(ranks)), memory)


def _chain(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    has: list[int] = []
    for rank in range(1, ranks):
        has = s.transfer(rank - 1, rank, size, memory, after=has)


def _rounds(s: Schedule, ranks: int, size: int, memory: str, strides: Sequence[int]) -> None:
    """Everybody sends `stride` ranks on, once it has what came in the round before and has sent."""
    last: list[list[int]] = [[] for _ in range(ranks)]
    for stride in strides:
        sent = [
            s.transfer(rank, (rank + stride) % ranks, size, memory, after=last[rank])
            for rank in range(ranks)
        ]
        last = [[*sent[rank], *sent[(rank - stride) % ranks]] for rank in range(ranks)]


def _pairwise(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    _rounds(s, ranks, size, memory, range(1, ranks))


def _dissemination(s: Schedule, ranks: int, size: int, memory: str, fan: int) -> None:
    _rounds(s, ranks, size, memory, [2**level for level in range(math.ceil(math.log2(ranks)))])


_SCHEDULES = {
    ("broadcast", "binomial"): _binomial,
    ("broadcast", "k-nomial"): _tree,
    ("broadcast", "chain"): _chain,
    ("broadcast", "scatter-allgather"): _scatter_allgather,
    ("allgather", "ring"): _ring,
    ("allgather", "recursive-doubling"): _doubling,
    ("allreduce", "recursive-doubling"): _same_size,
    ("allreduce", "ring"): _ring,
    ("alltoall", "pairwise"): _pairwise,
    ("barrier", "dissemination"): _dissemination,
}


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
