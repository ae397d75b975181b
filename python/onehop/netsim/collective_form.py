"""Collectives in closed form: the schedule of the platform file, each step alone on the wires."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.netsim import closed_form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onehop.netsim.platform import Platform


def collective_ps(
    platform: Platform, operation: str, ranks: int, size_bytes: int, memory: str = "host"
) -> float:
    """Time in ps until the last of `ranks` has its result. `size_bytes` is the message of a
    broadcast or allreduce, and one rank's part of an allgather or alltoall."""
    platform.check_nodes(ranks)
    table = platform.collectives.get(platform.variant, {})
    total = size_bytes * (ranks if operation in ("allgather", "alltoall") else 1)
    schedule = str(table.get(operation, ""))
    switch = table.get(f"{operation}_switch")
    if switch is not None and total >= switch.base:
        schedule = str(table[f"{operation}_large"])
    if (operation, schedule) not in _SCHEDULES:
        raise UsageError(f"platform {platform.name} has no schedule for {operation}")

    way = staging(platform, operation, ranks, size_bytes, memory)

    def put(size: float) -> float:
        return _transfer(platform, way, size).total_ps + step

    def gap(size: float) -> float:
        return _transfer(platform, way, size).gap_ps

    step = table["step"].base if "step" in table else 0.0
    reduce = table["reduce"].base if "reduce" in table else math.inf
    entry = way.copies_ps + entry_ps(table, operation, way.memory)
    fan = int(table["fan"].base) if "fan" in table else 2
    found = _SCHEDULES[operation, schedule](ranks, size_bytes, put, gap, fan)
    if operation == "allreduce":
        found += math.log2(max(ranks, 1)) * size_bytes / reduce * 1e12
    return entry + found


@dataclasses.dataclass(frozen=True)
class Staging:
    """Between which memories the messages of a collective go, by which protocols, and what copies
    before and after them cost."""

    memory: str
    variant: str
    copies_ps: float = 0.0


def staging(
    platform: Platform, operation: str, ranks: int, size_bytes: int, memory: str
) -> Staging:
    """Of `size_bytes` as for collective_ps. A collective of device memory that is staged is copied
    to the host once, done there, and copied back."""
    table = platform.collectives.get(platform.variant, {})
    if memory != "device" or table.get("staging") != "always" or operation == "barrier":
        return Staging(memory, platform.variant)
    result = size_bytes * (ranks if operation in ("allgather", "alltoall") else 1)
    brought = result if operation == "alltoall" else size_bytes
    copies = closed_form.copy_ps(platform, str(table["copy_out"]), brought)
    copies += closed_form.copy_ps(platform, str(table["copy_in"]), result)
    return Staging("host", str(table["staging_variant"]), copies)


def _transfer(platform: Platform, way: Staging, size: float) -> closed_form.Transfer:
    return closed_form.transfer(platform, int(size), way.memory, way.memory, variant=way.variant)


def entry_ps(table: Mapping[str, object], operation: str, memory: str) -> float:
    """What a call costs before its first message: a copy within the GPU or out of it, where ranks
    bring data of their own in its memory."""
    has_own_part = operation in ("allgather", "allreduce", "alltoall")
    return table["entry"].base if "entry" in table and has_own_part and memory == "device" else 0.0


_Put = "Callable[[float], float]"


def _levels(ranks: int, fan: int = 2) -> int:
    levels = 0
    while fan**levels < ranks:
        levels += 1
    return levels


def _tree(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    """Every level hands on to fan - 1 children, one after the other, as far as there are ranks."""
    one, next_one = put(size), gap(size)
    free = {0: 0.0}
    latest = 0.0
    span = fan ** _levels(ranks, fan)
    while span > 1:
        span //= fan
        for rank in list(free):
            for target in range(rank + span, min(rank + fan * span, ranks), span):
                free[target] = free[rank] + one
                free[rank] += next_one
                latest = max(latest, free[target])
    return latest


def _binomial(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    return _levels(ranks) * put(size)


def _chain(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    return (ranks - 1) * put(size)


def _scatter_allgather(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    scatter = sum(put(size / 2 ** (level + 1)) for level in range(_levels(ranks)))
    return scatter + _ring(ranks, size // ranks, put, gap, fan)


def _ring(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    return (ranks - 1) * put(size)


def _doubling(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    return sum(put(size * 2**level) for level in range(_levels(ranks)))


def _same_size(ranks: int, size: int, put: _Put, gap: _Put, fan: int) -> float:
    return _levels(ranks) * put(size)


_SCHEDULES = {
    ("broadcast", "binomial"): _binomial,
    ("broadcast", "k-nomial"): _tree,
    ("broadcast", "chain"): _chain,
    ("broadcast", "scatter-allgather"): _scatter_allgather,
    ("allgather", "ring"): _ring,
    ("allgather", "recursive-doubling"): _doubling,
    ("allreduce", "recursive-doubling"): _same_size,
    ("allreduce", "ring"): _ring,
    ("alltoall", "pairwise"): _ring,
    ("barrier", "dissemination"): _same_size,
}
