"""Counts the flops and bytes of a CG iteration of lattice QCD on every node."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence


@dataclasses.dataclass(frozen=True)
class Operator:
    """An operator's hopping term on one site: stated `flops`, real numbers read and written when
    every field goes through memory once, and real numbers sent for a site of a face, of all its
    `reach` layers. An iteration takes `hoppings` of them."""

    name: str
    flops: float
    reals: float
    face_reals: float
    vector_reals: float
    hoppings: int
    reach: int = 1


# The even-odd operator S takes hoppings on half of the sites each: for S^+ S, and for S where that
# is hermitian, as for staggered quarks.
_NORMAL, _HERMITIAN = 4, 2
# Links are read once per site and direction, both parities' vectors once.
OPERATORS = {
    "wilson": Operator("wilson", 1320, 8 * 18 + 24 + 24, 12, 24, _NORMAL),
    "clover": Operator("clover", 1320 + 504, 8 * 18 + 24 + 24 + 72, 12, 24, _NORMAL),
    "staggered": Operator("staggered", 570, 8 * 18 + 6 + 6, 6, 6, _HERMITIAN),
    "asqtad": Operator("asqtad", 1146, 16 * 18 + 6 + 6, 3 * 6, 6, _HERMITIAN, 3),
    "hisq": Operator("hisq", 1146, 16 * 18 + 6 + 6, 3 * 6, 6, _HERMITIAN, 3),
}
# This counts x, r and p of conjugate gradients: read and written by three updates and two norms.
_VECTOR_PASSES = 10
_VECTOR_FLOPS_PER_REAL = 5
REDUCTIONS = 2
BYTES_OF_REAL = {"double": 8, "single": 4, "half": 2}


@dataclasses.dataclass(frozen=True)
class Share:
    """One node's part of an iteration; times are the machine's business. `faces` are bytes sent to
    each neighbour in one hopping term, two per split axis, as (axis, bytes)."""

    local: tuple[int, ...]
    grid: tuple[int, ...]
    sites: int
    hopping_flops: float
    hopping_bytes: float
    surface_share: float
    vector_flops: float
    vector_bytes: float
    faces: tuple[tuple[int, int], ...]
    hoppings: int

    @property
    def flops(self) -> float:
        return self.hoppings * self.hopping_flops + self.vector_flops


def share_of(
    lattice: Sequence[int], grid: Sequence[int], operator: Operator, precision: str
) -> Share:
    local = tuple(n // g for n, g in zip(lattice, grid, strict=True))
    sites = math.prod(local)
    real = BYTES_OF_REAL[precision]
    split = [axis for axis in range(4) if grid[axis] > 1]
    inner = math.prod(
        max(0, n - 2 * operator.reach) if axis in split else n for axis, n in enumerate(local)
    )
    half = sites / 2
    return Share(
        local,
        tuple(grid),
        sites,
        half * operator.flops,
        half * operator.reals * real,
        1 - inner / sites,
        half * operator.vector_reals * _VECTOR_FLOPS_PER_REAL * 2,
        half * operator.vector_reals * real * _VECTOR_PASSES,
        tuple(
            (axis, int(half / local[axis] * operator.face_reals * real))
            for axis in split
            for _ in range(2)
        ),
        operator.hoppings,
    )


def grids(
    lattice: Sequence[int], nodes: int, reach: int = 1, most: int = 60
) -> list[tuple[int, ...]]:
    """Returns process grids of `nodes` that leave even extents, of `reach` at least where they cut,
    those with the smallest faces first and the fewest split axes among equals; at most `most` for
    each number of axes."""
    thinnest = 2 * -(-reach // 2)
    found = [
        grid
        for grid in _factor(lattice, nodes)
        if all(g == 1 or n // g >= thinnest for n, g in zip(lattice, grid, strict=True))
    ]
    found.sort(key=lambda grid: (_surface(lattice, grid), sum(g > 1 for g in grid), grid))
    kept = []
    for _, group in itertools.groupby(sorted(found, key=_axes), key=_axes):
        kept += list(group)[:most]
    return kept


def _axes(grid: Sequence[int]) -> int:
    return sum(g > 1 for g in grid)


def _surface(lattice: Sequence[int], grid: Sequence[int]) -> float:
    return sum(g / n for n, g in zip(lattice, grid, strict=True) if g > 1)


def _factor(lattice: Sequence[int], nodes: int) -> Iterator[tuple[int, ...]]:
    if not lattice:
        if nodes == 1:
            yield ()
        return
    first, *rest = lattice
    for extent in range(1, min(nodes, first // 2) + 1):
        if nodes % extent == 0 and first % (2 * extent) == 0:
            yield from ((extent, *others) for others in _factor(rest, nodes // extent))
