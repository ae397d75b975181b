"""Runs iterations of conjugate gradient as steps of a machine, without data.

An iteration is that of `onehop solve` (Wilson, even-odd, normal equations, double), reduced to four
hopping terms, each with its faces, which also compute the norms of their results, two sums, and two
vector kernels.

The sums differ: here the machine sums 8 and 16 bytes by its own schedule, as scalable codes do;
`onehop solve` gathers exact sums of 32 bytes per rank and number, whose total is the same to the
last bit on every grid.
"""

import math
from collections.abc import Sequence

from onehop import _core
from onehop._core import UsageError
from onehop.counted import by_x
from onehop.netsim import halo_workload
from onehop.netsim.program import Program

_REAL = 8
# These are counted per site of one parity: links, eight neighbours and the result; a face has half
# spinors.
_HOP_FLOPS, _HOP_REALS = 1320, 8 * 18 + 9 * 24
_SPINOR_REALS, _HALF_SPINOR_REALS = 24, 12
_PACK_REALS = _SPINOR_REALS + _HALF_SPINOR_REALS


def run(
    machine: _core.MachineDescription,
    variant: str,
    nodes: Sequence[int],
    lattice: Sequence[int],
    memory: str = "host",
    iterations: int = 1,
) -> _core.ProgramTimes:
    """Runs `lattice` on `nodes` nodes of a machine. Raises UsageError when the lattice cannot be
    divided."""
    return program(machine, variant, nodes, lattice, memory).on(machine, iterations).run()


def program(
    machine: _core.MachineDescription,
    variant: str,
    nodes: Sequence[int],
    lattice: Sequence[int],
    memory: str = "host",
) -> Program:
    """Returns an iteration of `lattice` on `nodes` nodes. Raises UsageError when the lattice cannot
    be divided."""
    block = block_of(lattice, nodes)
    faces = halo_workload.faces(nodes, _face_bytes(block, nodes))
    processor = machine.gpu if memory == "device" else machine.host
    return Program(memory, variant, nodes, faces, _iteration(block, nodes, processor))


def block_of(lattice: Sequence[int], nodes: Sequence[int]) -> list[int]:
    """Returns the sites of a node; the axes that the machine lacks are not divided."""
    if len(nodes) > 4:
        raise UsageError("a lattice has four axes; give --nodes at most four")
    grid = [*nodes, *[1] * (4 - len(nodes))]
    if any(
        extent % (2 * n) and n > 1 or extent % n for extent, n in zip(lattice, grid, strict=True)
    ):
        by, of = (by_x(numbers) for numbers in (nodes, lattice))
        raise UsageError(f"--nodes {by} does not divide --lattice {of} into even blocks")
    return [extent // n for extent, n in zip(lattice, grid, strict=True)]


def _face_bytes(block: Sequence[int], nodes: Sequence[int]) -> list[int]:
    """Returns the bytes of a face of one parity, by axis of the machine."""
    sites = [math.prod(block) // block[axis] // 2 for axis in range(len(nodes))]
    return [count * _HALF_SPINOR_REALS * _REAL for count in sites]


def _iteration(
    block: Sequence[int], nodes: Sequence[int], processor: object
) -> list[tuple[str, float]]:
    """Returns the steps of `onehop solve` with overlap: faces travel while the interior is
    computed."""
    sites = math.prod(block) // 2
    faces = sum(2 * math.prod(block) // block[a] // 2 for a, n in enumerate(nodes) if n > 1)
    inner = math.prod(e - 2 if a < len(nodes) and nodes[a] > 1 else e for a, e in enumerate(block))
    interior = max(inner, 0) // 2

    def work(count: float, flops: float, reals: float) -> tuple[str, float]:
        rates = (processor.flops, processor.memory)
        needs = (flops * count, reals * _REAL * count)
        longest = max(n / r * 1e12 if r > 0 else 0.0 for n, r in zip(needs, rates, strict=True))
        return ("work", processor.launch + longest)

    # What kernels made is sent, or added up, once the host has waited for them.
    wait = [("work", float(processor.wait))] if processor.wait else []
    hop = [
        work(faces, 12, _PACK_REALS),
        *wait,
        ("send", 0.0),
        work(interior, _HOP_FLOPS, _HOP_REALS),
        ("await", 0.0),
        work(sites - interior, _HOP_FLOPS, _HOP_REALS),
    ]
    # The first kernel makes the residual, the second solution and direction in one.
    step = work(sites, 4 * _SPINOR_REALS, 3 * _SPINOR_REALS)
    direction = work(sites, 4 * _SPINOR_REALS, 5 * _SPINOR_REALS)
    schur = [*hop, *hop]
    return [*schur, *wait, ("sum", 8.0), step, *schur, *wait, ("sum", 16.0), direction]
