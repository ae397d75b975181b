"""Fills the ghosts of fields from the neighbouring ranks."""

from collections.abc import Sequence

import numpy as np

from onehop import _core
from onehop.argument import Made
from onehop.cartesian import whole_numbers
from onehop.device_arrays import (
    DeviceArray,
    SupportsDlpack,
    packed_strides,
    stream_handle,
    writable_memory,
)
from onehop.halo_field import HaloField

Face = tuple[int, int]


class HaloExchange(Made):
    """Exchanges the ghosts of one or several fields, which travel together; making one is
    collective.

    There is one put for each neighbour and exchange. A face is (axis, side): side 0 is below the
    block, 1 above it. `corners` also fills ghosts that lie past the block in more than one axis.
    Ghosts past an end that is not periodic are never touched. From start to wait the fields may be
    read but not written.

    Fields that are not padded are sent from their own memory, and `ghost` returns the arrivals: in
    memory of the exchange, or in `ghosts`, a contiguous array of `ghost_bytes` bytes, of the host
    or of a CUDA device. `stream` is the stream that uses the arrays of a device, as for
    `device_array`; its work at a start is done before the faces are read. `wait_on_stream` does
    what PutChain.wait_on_stream does.

    An exchange belongs to the thread that made it. Raises UsageError if fields are on different
    Cartesians, or only some are padded.

    >>> field = onehop.HaloField(onehop.Cartesian(job, 4), width=1)
    >>> field.interior[:] = 1, 2, 3, 4
    >>> halo = onehop.HaloExchange(field)
    >>> halo.start(); halo.wait()                           # what needs no ghost goes between them
    >>> field.array
    array([4., 1., 2., 3., 4., 1.])
    """

    def __init__(
        self,
        fields: HaloField | Sequence[HaloField],
        corners: bool = False,
        ghosts: np.ndarray | SupportsDlpack | None = None,
        stream: object = None,
        wait_on_stream: bool = False,
    ) -> None:
        self._fields = _together(fields)
        self._kept: tuple[HaloField, ...] = self._fields
        self._ghosts = self._ghost_memory(ghosts, bool(corners), stream)
        address, size_bytes = _extent(self._ghosts)
        self._core = _core.HaloExchange(
            [field._core for field in self._fields],
            bool(corners),
            address,
            size_bytes,
            self._stream(stream),
            bool(wait_on_stream),
        )

    @staticmethod
    def ghost_bytes(fields: HaloField | Sequence[HaloField], corners: bool = False) -> int:
        """Returns the bytes of the `ghosts` of an exchange of these fields."""
        return _core.HaloExchange.ghost_bytes([f._core for f in _together(fields)], bool(corners))

    def start(self, fields: HaloField | Sequence[HaloField] | None = None) -> None:
        """Sends the faces, and returns without waiting for any arrival.

        `fields`, if given, replace the previous ones in this and later starts: as many padded
        fields of the same Cartesian, sides and bytes per site. This is for two fields that in turns
        hold the last and the next step. Raises UsageError between a start and its wait.
        """
        if fields is None:
            self._core.start()
            return
        others = _together(fields)
        self._check_others(others)
        # Whichever of them the exchange has if this fails must not go away.
        self._kept = self._fields + others
        self._core.start([field._core for field in others])
        self._fields = self._kept = others

    def start_partial(self) -> None:
        """Begins an exchange whose faces leave one by one, each when `ready` names it, so that the
        first ones travel while the sites of others are still computed.

        Raises UsageError between a start and its wait, and where an array of a device takes part.
        """
        self._core.start_partial()

    def ready(self, face: Face) -> None:
        """Sends the sites of this side of the block, as they are now, to the neighbour there.

        Name every side of every axis once between start_partial and wait, even if nothing is sent
        there. Raises UsageError without a start_partial, and for a face that is already ready.
        """
        self._core.ready(*self._face(face))

    def wait(self, face: Face | None = None) -> None:
        """Waits until all ghosts, or those of one face without corners, hold what the neighbours
        had at start.

        Waiting for single faces does not replace wait(). Raises UsageError without a start,
        TimeoutError at the deadline of the context, PeerError when another rank failed.
        """
        if face is None:
            self._core.wait()
        else:
            self._core.wait(*self._face(face))

    def test(self, face: Face | None = None) -> bool:
        """Returns true if wait would return at once, and then replaces that wait; never blocks."""
        return self._core.test() if face is None else self._core.test(*self._face(face))

    def exchange(self, fields: HaloField | Sequence[HaloField] | None = None) -> None:
        """Calls start and wait."""
        self.start(fields)
        self.wait()

    def ghost(self, face: Face, field: int = 0) -> np.ndarray | DeviceArray:
        """Returns the ghosts of a face of field number `field`, in place, if the field is not
        padded.

        They have the field's dtype and the block's shape, except that the axis of the face is as
        long as the ghosts are wide: 0 past an end that is not periodic. They are read-only, and
        valid from wait, or the wait for this face, until the next start. Raises UsageError for
        padded fields, and before wait.
        """
        dimension, side = self._face(face)
        steps = [0] * self._fields[0].ranks.ndim
        steps[-1 - dimension] = 1 if side else -1
        return self.ghost_at(steps, field)

    def ghost_at(self, steps: Sequence[int], field: int = 0) -> np.ndarray | DeviceArray:
        """Returns the ghosts at steps of -1, 0 or 1 from the block along each axis; with corners
        an exchange has more of them than the faces."""
        one = self._field(field)
        if one.padded:
            raise _core.UsageError(
                "ghost of a padded field, which has its ghosts around its block: index its array"
            )
        coordinate = one.ranks._coordinate("steps", steps)
        steps = whole_numbers("steps", steps)
        shape = _ghost_shape(one, steps)
        if isinstance(self._ghosts, DeviceArray):
            address = self._core.ghost_address(coordinate, field)
            shape = shape if address else _emptied(shape, steps)
            return self._on_device(address, (*shape, *one.components), one.dtype)
        ghosts = self._core.ghost_at(coordinate, field)
        shape = shape if ghosts.size else _emptied(shape, steps)
        return ghosts.view(one.dtype).reshape(*shape, *one.components)

    def synchronise(self) -> None:
        """Returns once a stream that waits has passed the last wait; see PutChain.synchronise."""
        self._core.synchronise()

    def describe(self) -> str:
        """Describes each put in one line: the channel chosen and why."""
        return self._core.describe()

    def __repr__(self) -> str:
        return f"<HaloExchange of {', '.join(map(repr, self._fields))}>"

    def _ghost_memory(
        self, ghosts: object, corners: bool, stream: object
    ) -> np.ndarray | DeviceArray | None:
        if ghosts is None:
            return None
        if self._fields[0].padded:
            raise _core.UsageError(
                "memory for the ghosts of padded fields, which lie around their blocks; leave"
                " ghosts out, or pad no field"
            )
        memory = writable_memory(ghosts, stream, "ghosts in an array")
        _, size_bytes = _extent(memory)
        wanted = self.ghost_bytes(self._fields, corners)
        if size_bytes != wanted:
            raise _core.UsageError(
                f"memory of {size_bytes} bytes for ghosts that take {wanted}; see"
                " HaloExchange.ghost_bytes"
            )
        return memory

    def _stream(self, stream: object) -> int:
        """Returns the stream of the chain; 0 where nothing lies in a device."""
        on_device = isinstance(self._ghosts, DeviceArray) or any(f.on_device for f in self._fields)
        return stream_handle(stream) if on_device or stream is not None else 0

    def _on_device(self, address: int, shape: tuple[int, ...], dtype: np.dtype) -> DeviceArray:
        strides = packed_strides(shape, dtype.itemsize)
        stream = self._ghosts.stream
        return DeviceArray(address, shape, strides, dtype, True, stream, (self, self._ghosts))

    def _check_others(self, others: tuple[HaloField, ...]) -> None:
        if len(others) != len(self._fields) or not self._fields[0].padded:
            raise _core.UsageError(
                f"start of a halo exchange of {len(self._fields)} fields with {len(others)} others;"
                " only as many padded ones can take their place"
            )
        for n, (now, other) in enumerate(zip(self._fields, others, strict=True)):
            if _layout(other) != _layout(now):
                raise _core.UsageError(
                    f"start of a halo exchange with another field {n} on other ranks, of other"
                    " ghosts or of sites of other bytes; they must be the same"
                )

    def _field(self, number: int) -> HaloField:
        if not (isinstance(number, int) and 0 <= number < len(self._fields)):
            raise _core.UsageError(
                f"ghost of field {number!r} of an exchange of {len(self._fields)}; fields count"
                " from 0"
            )
        return self._fields[number]

    def _face(self, face: Face) -> tuple[int, int]:
        """Returns (dimension, side) as C++ counts them."""
        axes = self._fields[0].ranks.ndim
        given = whole_numbers("face", face)
        if len(given) != 2 or not 0 <= given[0] < axes or given[1] not in (0, 1):
            raise _core.UsageError(
                f"face {face!r}: give (axis, side), axis from 0 to {axes - 1}, side 0 below the"
                " block or 1 above it"
            )
        return axes - 1 - given[0], given[1]


def _together(fields: object) -> tuple[HaloField, ...]:
    """Returns fields that may travel together, or one. Raises UsageError for others."""
    several = fields if isinstance(fields, (list, tuple)) else (fields,)
    for field in several:
        if not isinstance(field, HaloField):
            raise _core.UsageError(
                f"halo exchange of a {type(field).__name__}: give a HaloField, or a list of them"
            )
    if not several:
        raise _core.UsageError("halo exchange of no field; give it one or more")
    first = several[0]
    for field in several:
        if field.ranks != first.ranks:
            raise _core.UsageError(
                f"halo exchange of fields on {first.ranks} and on {field.ranks}; fields that travel"
                " together lie on one Cartesian"
            )
        if field.padded != first.padded:
            raise _core.UsageError(
                "halo exchange of padded fields and of others; give each kind an exchange"
            )
    return tuple(several)


def _layout(field: HaloField) -> tuple[object, ...]:
    site_bytes = field.dtype.itemsize * int(np.prod(field.components, dtype=object))
    return field.ranks, field.sides, field.padded, site_bytes


def _extent(memory: np.ndarray | DeviceArray | None) -> tuple[int, int]:
    """Returns (address, bytes) of memory."""
    if memory is None:
        return 0, 0
    if isinstance(memory, DeviceArray):
        return memory.address, memory.size_bytes
    return memory.ctypes.data, memory.nbytes


def _ghost_shape(field: HaloField, steps: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        n if step == 0 else sides[step > 0]
        for n, step, sides in zip(field.ranks.local, steps, field.sides, strict=True)
    )


def _emptied(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(0 if step else n for n, step in zip(shape, steps, strict=True))
