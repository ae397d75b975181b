"""The blocks of the ranks of a job are put together as one rank would hold the lattice."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

# A program of ranks saves its blocks by this; the lattice axes t, z, y, x come after `before`
# others.
SAVE = """
import sys
import numpy as np
import onehop


def save(gauge, **blocks):
    origin = gauge.geometry.origin
    np.savez(f"{sys.argv[1]}/{gauge.context.rank}.npz", origin=origin, **blocks)
"""


def run_on_ranks(start, folder: Path, ranks: int, program: str) -> list[dict[str, np.ndarray]]:
    """Returns what `save` was given on each rank."""
    place = folder / str(ranks)
    place.mkdir()
    ended = start("run", "-n", ranks, "--", sys.executable, "-c", SAVE + program, place).end()
    assert (ended.status, ended.err) == (0, ""), ended.err
    return [dict(np.load(place / f"{rank}.npz")) for rank in range(ranks)]


def whole(parts: list[dict[str, np.ndarray]], name: str, lattice, before: int = 0) -> np.ndarray:
    """Returns the field of the lattice x, y, z, t of which each rank saved its block."""
    first = parts[0][name]
    shape = (*first.shape[:before], *reversed(lattice), *first.shape[before + 4 :])
    field = np.full(shape, np.nan, first.dtype)
    for part in parts:
        block = part[name]
        extents = block.shape[before : before + 4]
        place = [slice(o, o + n) for o, n in zip(reversed(part["origin"]), extents, strict=True)]
        field[(slice(None),) * before + tuple(place)] = block
    return field
