"""`onehop simulate PLATFORM cg`: iterations of conjugate gradient without data.

What is left of an iteration of `onehop solve` (Wilson, even-odd, normal equations, double): four
hopping terms, each with its faces, that also leave the norms of what they make, two sums, and two
vector kernels.

The sums differ: here the machine adds 8 and 16 bytes up by its own schedule, as codes do that
scale; `onehop solve` gathers exact accumulators of 544 bytes per rank and number, whose sum has the
same last bit on every grid.
"""

from __future__ import annotations

import math
import resource
import time
from typing import TYPE_CHECKING

from onehop import _core
from onehop._core import UsageError
from onehop.cli.record import new_record, write_record

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.netsim import Platform

_REAL = 8
# Per site of one parity: links, eight neighbours and the result; a face has half spinors.
_HOP_FLOPS, _HOP_REALS = 1320, 8 * 18 + 9 * 24
_SPINOR_REALS, _HALF_SPINOR_REALS = 24, 12
_PACK_REALS = _SPINOR_REALS + _HALF_SPINOR_REALS


def run(options: types.SimpleNamespace, platform: Platform, machine: object) -> int:
    if options.lattice is None:
        raise UsageError("the workload cg needs --lattice X Y Z T")
    block = _block(options.lattice, options.nodes)
    started, cpu = time.monotonic(), time.process_time()
    times = _core.run_program(
        machine,
        options.memory,
        platform.variant,
        options.nodes,
        _face_bytes(block, options.nodes),
        _iteration(
            block, options.nodes, machine.gpu if options.memory == "device" else machine.host
        ),
        options.steps,
    )
    record = new_record("simulate", options)
    record |= {
        "block": block,
        "iteration_us": _us(times.total_ps, options),
        "split_us": {
            "work": _us(times.work_ps, options),
            "halo_wait": _us(times.halo_wait_ps, options),
            "sums": _us(times.sum_ps, options),
        },
        "messages": times.messages,
        "packet_hops": times.packet_hops,
        "events": times.events,
        "cpu_s": time.process_time() - cpu,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "check": {"passed": True, "what": "bytes, packets and credits conserved"},
        "timing": {"total_s": time.monotonic() - started},
    }
    if options.json != "-":
        _show(record)
    if options.json:
        write_record(record, options.json)
    return 0


def _us(picoseconds: float, options: types.SimpleNamespace) -> float:
    return picoseconds / options.steps * 1e-6


def _block(lattice: Sequence[int], nodes: Sequence[int]) -> list[int]:
    """Sites of a node; the axes that the machine lacks are not divided."""
    if len(nodes) > 4:
        raise UsageError("a lattice has four axes; give --nodes at most four")
    grid = [*nodes, *[1] * (4 - len(nodes))]
    if any(
        extent % (2 * n) and n > 1 or extent % n for extent, n in zip(lattice, grid, strict=True)
    ):
        by, of = ("x".join(map(str, numbers)) for numbers in (nodes, lattice))
        raise UsageError(f"--nodes {by} does not divide --lattice {of} into even blocks")
    return [extent // n for extent, n in zip(lattice, grid, strict=True)]


def _face_bytes(block: Sequence[int], nodes: Sequence[int]) -> list[int]:
    """Of one parity, by axis of the machine."""
    sites = [math.prod(block) // block[axis] // 2 for axis in range(len(nodes))]
    return [count * _HALF_SPINOR_REALS * _REAL for count in sites]


def _iteration(
    block: Sequence[int], nodes: Sequence[int], processor: object
) -> list[tuple[str, float]]:
    """The steps of `onehop solve` with overlap: faces travel while the interior is computed."""
    sites = math.prod(block) // 2
    faces = sum(2 * math.prod(block) // block[a] // 2 for a, n in enumerate(nodes) if n > 1)
    inner = math.prod(e - 2 if a < len(nodes) and nodes[a] > 1 else e for a, e in enumerate(block))
    interior = max(inner, 0) // 2

    def work(count: float, flops: float, reals: float) -> tuple[str, float]:
        rates = (processor.flops_per_second, processor.bytes_per_second)
        needs = (flops * count, reals * _REAL * count)
        longest = max(n / r * 1e12 if r > 0 else 0.0 for n, r in zip(needs, rates, strict=True))
        return ("work", processor.launch + longest)

    hop = [
        work(faces, 12, _PACK_REALS),
        ("send", 0.0),
        work(interior, _HOP_FLOPS, _HOP_REALS),
        ("await", 0.0),
        work(sites - interior, _HOP_FLOPS, _HOP_REALS),
    ]
    # Solution and residual in one; then the direction.
    step = work(sites, 6 * _SPINOR_REALS, 6 * _SPINOR_REALS)
    direction = work(sites, 2 * _SPINOR_REALS, 3 * _SPINOR_REALS)
    schur = [*hop, *hop]
    return [*schur, ("sum", 8.0), step, *schur, ("sum", 16.0), direction]


def _show(record: dict) -> None:
    print(f"{'a node has':24}{'x'.join(map(str, record['block']))} sites")
    print(f"{'iteration':24}{record['iteration_us']:12.2f} us")
    for name, value in record["split_us"].items():
        print(f"  {name.replace('_', ' '):22}{value:12.2f} us")
    print(f"{'packet-hops':24}{record['packet_hops']:12}")
    print(f"{'computer':24}{record['cpu_s']:12.2f} s, {record['peak_rss_mib']:.0f} MiB")
