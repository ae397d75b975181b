"""Transfers that wait for each other, message by message, in the packet simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop.netsim.closed_form import CONTROL_BYTES
from onehop.netsim.description import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop.netsim.platform import Platform


_COLUMNS = ("origin", "target", "bytes", "path", "pieces", "first_of_chain", "address")


class Schedule:
    """Transfers that wait for each other, on one platform; run once.

    `transfer` returns a handle, the numbers of its last messages; `delivered_ps` and
    `source_free_ps` tell after `run` when all of them were there, and their sources free. Others
    may wait for either: for a handle, or for `sources` of it. Rank r stands on node `places[r]`, as
    the platform has it by default.
    """

    def __init__(self, platform: Platform, nodes: int, places: Sequence[int] | None = None) -> None:
        self._platform = platform
        self._places = platform.fabric.places if places is None else places
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
        address: int = 0,
    ) -> list[int]:
        """Its handshake and its blocks, which begin when all of `after` is done; `pieces` are the
        rows of its source, `address` its place at the target, which look-up tables go by. Only the
        first of a chain pays what starts the chain."""
        row = self._platform.protocol_for(size_bytes, memory, to_memory or memory, variant, pieces)
        wait, delay = list(after) or self._before, delay_ps
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
                address + number * block,
            )
            for number, s in enumerate(sizes or [0])
        ]
        if row.notice:
            last = [self._message(origin, target, CONTROL_BYTES, row.notice, last, 0)]
        return last

    @staticmethod
    def sources(handle: Sequence[int]) -> list[int]:
        """What to wait for until the sources of a transfer are free: its origin knows no more."""
        return [~number for number in handle]

    def copy(
        self,
        rank: int,
        size_bytes: int,
        path: str,
        after: Sequence[int] = (),
        delay_ps: float = 0.0,
    ) -> list[int]:
        """Within the node of a rank, by a path of the platform."""
        wait = list(after) or self._before
        return [self._message(rank, rank, size_bytes, path, wait, delay_ps)]

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
        address: int = 0,
    ) -> int:
        nodes = self._node(origin), self._node(target)
        row = (*nodes, size, self._paths[path], pieces, first_of_chain, address)
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
        address: int = 0,
    ) -> list[list[int]]:
        """(origin, target, bytes) at once, those of each origin as one chain, which begins after
        the messages `after[origin]`; a handle for each. At each target they lie one behind the
        other from `address` on."""
        started: set[int] = set()
        place: dict[int, int] = {}
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
                address=place.setdefault(target, address),
            )
            started.add(origin)
            place[target] += size
            handles.append(put)
        return handles

    def wait_for_all(self) -> None:
        """What is added from here on waits for all that was added before, and finds look-up tables
        as that left them."""
        self._before = list(range(len(self._after)))

    def run(self) -> float:
        """Virtual time in ps until everything has been delivered."""
        starts = np.cumsum([0, *(len(wait) for wait in self._after)])
        count = len(self._after)
        flat = [n if n >= 0 else count + ~n for wait in self._after for n in wait]
        columns = {k: np.array(v, dtype=np.int64) for k, v in self._columns.items()}
        self._run = _core.MessageListRun(
            describe(self._platform, self._nodes),
            **columns,
            delay_ps=np.array(self._delay, dtype=np.int64),
            first_after=starts.astype(np.int64),
            after=np.array(flat, dtype=np.int64),
        )
        return float(self._run.run())

    def run_after_wait_ps(self) -> float:
        """Runs, and returns the time from `wait_for_all` until the last is there."""
        self.run()
        delivered = self._run.delivered_ps
        return float(delivered.max() - delivered[self._before].max())

    def delivered_ps(self, handle: Sequence[int]) -> float:
        return self.done_ps(handle)

    def source_free_ps(self, handle: Sequence[int]) -> float:
        return self.done_ps(self.sources(handle))

    def done_ps(self, waits: Sequence[int]) -> float:
        """When the last of what `after` may name was done."""
        delivered, free = self._run.delivered_ps, self._run.source_free_ps
        return float(max(delivered[n] if n >= 0 else free[~n] for n in waits))
