"""Who sends what to whom in a collective, by the names that platform files use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop.netsim.message_schedule import Schedule


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


SCHEDULES = {
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
