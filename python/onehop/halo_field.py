"""A rank's block of a field with the ghosts around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from onehop import _core
from onehop.argument import Made
from onehop.cartesian import Cartesian, whole_numbers
from onehop.counted import counted
from onehop.device_arrays import DeviceArray, SupportsDlpack, device_array, host_array, is_on_device
from onehop.rma import measure


class HaloField(Made):
    """An element, or an array of elements, for each site of a block and of its ghosts.

    `dtype` is any type of plain numbers, also complex or structured; `components` is the shape of
    one site's numbers, as (4, 3) for a spinor. There are `width` sites of ghosts below and above
    the block on every axis, or as `sides` says, a pair (below, above) for each axis. With `padded`
    False the field is the dense block alone, and its ghosts are read where they arrive
    (HaloExchange.ghost).

    array     all of its memory, zeroed at first, ghosts included where there are any: C-contiguous,
              of shape (below + local + above of each axis, *components)
    interior  the block, a view of shape (*ranks.local, *components)
    ranks     the Cartesian; its axes are the first of both
    sides     (below, above) of each axis, in sites

    Raises UsageError for widths below 0 or above that of the thinnest block that ghosts come from,
    and for types with objects.

    >>> field = onehop.HaloField(onehop.Cartesian(job, (4, 6)), width=1)
    >>> field.array.shape, field.interior.shape
    ((6, 8), (4, 6))
    """

    def __init__(
        self,
        ranks: Cartesian,
        dtype: DTypeLike = np.float64,
        width: int = 1,
        sides: Sequence[tuple[int, int]] | None = None,
        components: int | Sequence[int] = (),
        padded: bool = True,
    ) -> None:
        self._describe(ranks, width, sides, padded)
        if dtype is None:
            raise _core.UsageError("field of dtype None: give one, as numpy.float64")
        site, kind, site_bytes = measure("site of a field", components, dtype)
        if site_bytes == 0:
            raise _core.UsageError(
                f"site of {kind} of components {components}: it must have at least one byte"
            )
        shape, kind, _ = measure("field", (*self._sites(), *site), dtype)
        self._take(np.zeros(shape, kind))

    @classmethod
    def register(
        cls,
        ranks: Cartesian,
        array: np.ndarray | SupportsDlpack,
        width: int = 1,
        sides: Sequence[tuple[int, int]] | None = None,
        padded: bool = True,
        stream: object = None,
    ) -> HaloField:
        """Makes a field over an array that exists, without a copy; its `array` is that array.

        The array must be C-contiguous and writable, have the shape of `HaloField.array`, and come
        from NumPy or any library with __dlpack__ or __cuda_array_interface__. An array in the
        memory of a CUDA device is taken over in the order of `stream`, as by `device_array`, and
        cannot be padded. Raises UsageError for any other array.
        """
        field = cls.__new__(cls)
        field._describe(ranks, width, sides, padded)
        on_device = is_on_device(array)
        memory = device_array(array, stream) if on_device else host_array(array)
        sites = field._sites()
        if tuple(memory.shape[: ranks.ndim]) != sites:
            raise _core.UsageError(
                f"field over an array of shape {tuple(memory.shape)}; its first axes must be"
                f" {sites}"
            )
        if on_device and padded:
            raise _core.UsageError(
                "padded field over an array of a device, which the host cannot pack; give the block"
                " alone and padded=False"
            )
        if not _is_fit(memory, on_device):
            raise _core.UsageError(
                "field over an array that is read-only, not C-contiguous or of objects; give one of"
                " plain numbers that is contiguous and writable, as of numpy.zeros"
            )
        field._take(memory, None if memory is array else array)
        return field

    def _describe(
        self,
        ranks: Cartesian,
        width: int,
        sides: Sequence[tuple[int, int]] | None,
        padded: bool,
    ) -> None:
        if not isinstance(ranks, Cartesian):
            raise _core.UsageError(f"field on a {type(ranks).__name__}: give a Cartesian")
        self.ranks = ranks
        self.sides = _sides(ranks, width, sides)
        self.padded = bool(padded)

    def _sites(self) -> tuple[int, ...]:
        if not self.padded:
            return self.ranks.local
        return tuple(
            below + n + above
            for n, (below, above) in zip(self.ranks.local, self.sides, strict=True)
        )

    def _take(self, memory: np.ndarray | DeviceArray, given: object = None) -> None:
        self._memory = memory
        self._array = memory if given is None else given
        self.dtype = memory.dtype
        self.components = tuple(memory.shape[self.ranks.ndim :])
        on_device = not isinstance(memory, np.ndarray)
        address = memory.address if on_device else memory.ctypes.data
        size_bytes = memory.size_bytes if on_device else memory.nbytes
        self._core = _core.HaloMemory(
            self.ranks._core,
            self.sides[::-1],
            self.padded,
            size_bytes // int(np.prod(self._sites(), dtype=object)),
            address,
            size_bytes,
        )

    @property
    def on_device(self) -> bool:
        """Whether the field's memory is a device's."""
        return not isinstance(self._memory, np.ndarray)

    @property
    def array(self) -> np.ndarray:
        return self._array

    @property
    def interior(self) -> np.ndarray:
        if not self.padded:
            return self._array
        return self._array[
            tuple(
                slice(below, below + n)
                for n, (below, _) in zip(self.ranks.local, self.sides, strict=True)
            )
        ]

    def __repr__(self) -> str:
        kind = "" if self.padded else ", not padded"
        return (
            f"<HaloField {self.dtype} {self.components} on {self.ranks.local} sites, ghosts "
            f"{self.sides}{kind}>"
        )


def _is_fit(memory: np.ndarray | DeviceArray, on_device: bool) -> bool:
    if memory.dtype.hasobject or 0 in memory.shape:
        return False
    if on_device:
        return memory.is_contiguous and not memory.read_only
    return memory.flags.c_contiguous and memory.flags.writeable


def _sides(ranks: Cartesian, width: int, sides: object) -> tuple[tuple[int, int], ...]:
    if sides is None:
        widths = whole_numbers("width", width)
        if len(widths) != 1:
            raise _core.UsageError(f"width {width!r}: give one whole number, or sides")
        pairs = ((widths[0], widths[0]),) * ranks.ndim
    else:
        try:
            pairs = tuple(whole_numbers("sides", pair) for pair in sides)
        except TypeError:
            pairs = ()
        if len(pairs) != ranks.ndim or any(len(pair) != 2 for pair in pairs):
            raise _core.UsageError(
                f"sides {sides!r} for {ranks.ndim} axes; give a pair (below, above) for each"
            )
    for axis, pair in enumerate(pairs):
        _check_widths(ranks, axis, pair)
    return pairs


def _check_widths(ranks: Cartesian, axis: int, pair: tuple[int, ...]) -> None:
    extent, n = ranks.extents[axis], ranks.grid[axis]
    gets_ghosts = n > 1 or ranks.periodic[axis]
    for width in pair:
        if not 0 <= width < 2**31:
            raise _core.UsageError(f"ghosts of width {width} in axis {axis}; give 0 sites or more")
        if gets_ghosts and width > extent // n:
            raise _core.UsageError(
                f"ghosts of width {width} in axis {axis}, whose thinnest block has {extent // n}"
                f" sites ({extent} over {counted(n, 'rank')}); they may be as wide as it: use "
                "narrower ones, or fewer ranks in this axis"
            )
