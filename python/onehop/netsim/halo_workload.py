"""Says who sends what to whom in a halo exchange on a grid of nodes, as faces of a program."""

from collections.abc import Sequence

# A face is a shift along each axis, bytes, and the address at the target.
Face = tuple[tuple[int, int, int, int], int, int]


def _shift(axis: int, by: int) -> tuple[int, int, int, int]:
    return tuple(by if each == axis else 0 for each in range(4))


def faces(grid: Sequence[int], face_bytes: Sequence[int]) -> list[Face]:
    """Returns faces forward along all axes of more than one node, then back, in the order in which
    a face exchange pushes its puts; each direction has a window, far from the others."""
    return [
        (_shift(axis, -1 if side else 1), size, (2 * axis + side) << 40)
        for side in (0, 1)
        for axis, (extent, size) in enumerate(zip(grid, face_bytes, strict=True))
        if extent > 1
    ]


def equal_faces(grid: Sequence[int], size_bytes: int, diagonal: int = 0) -> list[Face]:
    """Returns faces both ways along axis by axis, side by side at the target. On three axes there
    are also faces to the neighbours along a lattice's fourth axis, which are `diagonal` nodes away
    along each; 0 for none."""
    shifts = [_shift(axis, by) for axis, extent in enumerate(grid) if extent > 1 for by in (1, -1)]
    if len(grid) == 3 and any(diagonal % extent for extent in grid):
        shifts += [(diagonal, diagonal, diagonal, 0), (-diagonal, -diagonal, -diagonal, 0)]
    return [(shift, size_bytes, place * size_bytes) for place, shift in enumerate(shifts)]
