"""Fields and times of all ranks, as several applications report them."""

import math
from collections.abc import Sequence

import numpy as np

from onehop import _core, collectives, output


def slowest(context: _core.Context, times: object, names: Sequence[str]) -> dict[str, float]:
    """Returns these times in s of the rank that took longest, those of a virtual machine where
    there is one. Collective."""
    found = np.array([getattr(times, name) for name in names])
    _core.allreduce_max(context, found)
    return dict(zip(names, found.tolist(), strict=True))


def whole(
    context: _core.Context, mine: np.ndarray, lattice: Sequence[int], grid: Sequence[int]
) -> np.ndarray | None:
    """Returns the fields of the whole lattice, (fields, z, y, x), on rank 0, and None elsewhere.
    `mine` has this rank's, (fields, z, y, x) in one row; lattice and grid have two or three
    extents, x first. Collective."""
    everyone = collectives.gather(context, mine)
    if everyone is None:
        return None
    sites, ranks = ([*extents, 1][:3][::-1] for extents in (lattice, grid))
    local = [n // g for n, g in zip(sites, ranks, strict=True)]
    blocks = everyone.reshape(*ranks, -1, *local).transpose(3, 0, 4, 1, 5, 2, 6)
    return blocks.reshape(mine.size // math.prod(local), *sites)


def write(name: str, fields: dict[str, np.ndarray], options: dict) -> None:
    """Writes fields by name to an HDF5 file, whose attributes are the run's options."""
    with output.new_hdf5(name) as file:
        for field, values in fields.items():
            file[field] = values
        for key, value in options.items():
            if isinstance(value, (int, float, str, list)):
                file.attrs[key] = value
