"""Chooses the ranks of a command and the grid that they cut its lattice into."""

from __future__ import annotations

import math
from collections.abc import Sequence

from onehop import _core, launch
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.counted import by_x, counted


def choose_grid(
    options: Options, lattice: Sequence[int], thinnest: int = 1, *, even: bool = True
) -> None:
    """Fills in `options.ranks` and `options.grid`, before anything starts.

    `lattice` has up to four extents, which must be even unless `even` is False. Raises UsageError
    for ranks and a grid that contradict each other, and for a grid that does not divide the lattice
    or cuts it into blocks of fewer than `thinnest` sites.
    """
    if even:
        _check_even(lattice)
    choose_ranks(options, math.prod(options.grid) if options.grid else 1)
    if options.grid is None:
        extents = [*lattice, *[1] * (4 - len(lattice))]
        chosen = _core.choose_grid(extents, options.ranks, thinnest)
        options.grid = list(chosen)[: len(lattice)]
    by = by_x(options.grid)
    if math.prod(options.grid) != options.ranks:
        raise UsageError(
            f"grid {by} has {counted(math.prod(options.grid), 'rank')}, but --ranks is "
            f"{options.ranks}; give one of the two"
        )
    if any(n % g for n, g in zip(lattice, options.grid, strict=True)):
        size = by_x(lattice)
        raise UsageError(f"grid {by} does not divide lattice {size}; choose another --grid")
    thin = [d for d, g in enumerate(options.grid) if g > 1 and lattice[d] // g < thinnest]
    if thin:
        raise UsageError(
            f"grid {by} leaves blocks of {lattice[thin[0]] // options.grid[thin[0]]} in "
            f"{'xyzt'[thin[0]]}, and the operator hops {thinnest} sites; choose another --grid"
        )


def choose_ranks(options: Options, usual: int = 1) -> None:
    """Fills in `options.ranks`: the size of the job that this process belongs to, else the
    number that the user gave, else `usual`. Raises UsageError if the user gave another number
    than the job has."""
    place = launch.rank_and_size()
    asked = options.ranks
    if place is not None:
        options.ranks = place[1]
    elif asked is None:
        options.ranks = usual
    if asked not in (None, options.ranks):
        raise UsageError(
            f"--ranks {asked}, but this job was started with {counted(options.ranks, 'rank')}"
        )


def _check_even(lattice: Sequence[int]) -> None:
    odd = ["xyzt"[d] for d, extent in enumerate(lattice) if extent % 2]
    if odd:
        raise UsageError(
            f"lattice {by_x(lattice)} has an odd {odd[0]} extent, so even and odd "
            "sites do not alternate around it; every extent must be even"
        )
