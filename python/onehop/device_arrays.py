"""Takes over arrays of any library in the memory of a CUDA device, in the order of streams.

An array of a device may still be written when it is handed over: the receiver says on which stream
it will use the array, and the giver makes sure that work enqueued there comes after its own. CuPy,
PyTorch, JAX and others hand arrays over by DLPack (`__dlpack_device__` and `__dlpack__(stream=...)`
of the Python array API, https://dmlc.github.io/dlpack/latest/python_spec.html); Numba and others by
`__cuda_array_interface__`, version 3 of which names the stream to wait for
(https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html).
"""

import ctypes
import dataclasses
from typing import Protocol, TypeVar

import numpy as np

from onehop import _core
from onehop.argument import Made

# This handle has a meaning of its own, in CUDA as in both protocols.
LEGACY_STREAM = 1

# These are values of DLDeviceType in dlpack.h.
_CPU, _CUDA, _CUDA_HOST = 1, 2, 3
_ON_HOST = (_CPU, _CUDA_HOST)
_NEWEST_DLPACK = (1, 0)


class SupportsDlpack(Protocol):
    """An array of any library that can hand arrays over by DLPack."""

    def __dlpack__(self, **asked: object) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


ArrayInPlace = TypeVar("ArrayInPlace", bound="np.ndarray | SupportsDlpack | DeviceArray")


@dataclasses.dataclass(frozen=True)
class DeviceArray(Made):
    """An array of a device, by where it lies; it keeps the array alive.

    address   of its first element
    shape     elements
    strides   bytes from one element to the next in each direction
    dtype     of an element
    read_only no one may write there
    stream    what is enqueued on this stream comes after all that its owner has enqueued before

    >>> found = onehop.device_array(cupy.zeros(4))
    >>> found.shape, found.size_bytes
    ((4,), 32)
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    read_only: bool
    stream: int
    owner: object

    @property
    def size_bytes(self) -> int:
        return int(np.prod(self.shape, dtype=object)) * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        """By this, CuPy, Numba, PyTorch and others may take the array over, without a copy."""
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "data": (self.address, self.read_only),
            "strides": self.strides,
            "version": 3,
            "stream": self.stream,
        }

    @property
    def is_contiguous(self) -> bool:
        return self.size_bytes == 0 or _drop_ones(self.shape, self.strides) == _drop_ones(
            self.shape, packed_strides(self.shape, self.dtype.itemsize)
        )


def is_on_device(array: object) -> bool:
    """Returns whether an object says that its memory is on a device; does not wait."""
    if isinstance(array, DeviceArray):
        return True
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] not in _ON_HOST
    return hasattr(array, "__cuda_array_interface__")


def device_array(array: object, stream: object = None) -> DeviceArray:
    """Describes an array of a device, once its contents are in order for `stream`.

    `stream` is the handle of a CUDA stream (1, or None, is the legacy default stream, 2 the default
    stream of the thread) or a library's object that has one. Raises UsageError for memory of
    another kind, and if no CUDA driver knows the memory.

    >>> stream = cupy.cuda.Stream()
    >>> found = onehop.device_array(cupy.zeros((4, 4)), stream)
    """
    follower = stream_handle(stream)
    if isinstance(array, DeviceArray):
        if array.size_bytes > 0:
            _order(follower, array.stream, array.address)
        return dataclasses.replace(array, stream=follower)
    if hasattr(array, "__dlpack_device__"):
        return _checked(_by_dlpack(array, follower))
    if hasattr(array, "__cuda_array_interface__"):
        return _by_interface(array, follower)
    raise _core.UsageError(
        f"a {type(array).__name__} has neither __dlpack__ nor __cuda_array_interface__; give an"
        " array of CuPy, PyTorch, JAX, Numba or NumPy"
    )


def memory_in_place(context: _core.Context, array: object, what: str) -> np.ndarray:
    """Returns an array of NumPy that names the memory which a collective reads or writes in place.

    An array of the host is returned as it is. For one of a device it holds address, shape and type,
    and keeps the array alive; its elements must not be read, since the host cannot reach them.
    """
    if isinstance(array, np.ndarray) or not is_on_device(array):
        return array
    found = device_array(array, _stream_of_collectives(context, what))
    if not found.is_contiguous:
        raise _core.UsageError(
            f"{what} of a non-contiguous array of a device: make it contiguous there"
        )
    memory = (ctypes.c_char * found.size_bytes).from_address(found.address or 1)
    memory.owner = found
    named = np.ndarray(found.shape, found.dtype, memory)
    named.flags.writeable = not found.read_only
    return named


def memory_to_read(context: _core.Context, array: object, what: str) -> object:
    """Returns what a collective only reads: a copy in the host's memory of an array of a device."""
    if isinstance(array, (np.ndarray, np.generic)) or not is_on_device(array):
        return array
    return to_host(array, _stream_of_collectives(context, what))


def _stream_of_collectives(context: _core.Context, what: str) -> int:
    stream = _core.collective_stream(context)
    if stream is None:
        raise _core.UsageError(
            f"{what} of an array of a device: name the stream that uses it with"
            " set_collective_stream first"
        )
    return stream


def to_host(array: object, stream: object = None) -> np.ndarray:
    """Returns a copy in NumPy's memory of a contiguous array of a device, made in the order of
    `stream`.

    Waits for the copy, but for nothing that is enqueued on other streams. For `stream` and errors
    see `device_array`.

    >>> onehop.to_host(cupy.arange(3.0))
    array([0., 1., 2.])
    """
    found = device_array(array, stream)
    if not found.is_contiguous:
        raise _core.UsageError(
            f"an array of shape {found.shape} with strides {found.strides} in a device's memory;"
            " make it contiguous there"
        )
    copy = np.empty(found.shape, found.dtype)
    if copy.nbytes > 0:
        _core.copy_from_device(copy.reshape(-1).view(np.uint8), found.address, found.stream)
    return copy


def host_array(array: object) -> np.ndarray:
    """Returns an array of the host as NumPy's, without a copy. Raises UsageError for any other."""
    if isinstance(array, (np.ndarray, np.generic)):
        return array
    if not hasattr(array, "__dlpack__"):
        raise _core.UsageError(
            f"a {type(array).__name__} was given for an array; give one of NumPy, or of a library"
            " that has __dlpack__"
        )
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError) as error:  # NumPy lacks the type
        raise _core.UsageError(
            f"a {type(array).__name__} does not give its memory: {error}"
        ) from None


def writable_memory(array: object, stream: object, what: str) -> DeviceArray | np.ndarray:
    """Returns an array of the host or of a device, in the order of `stream`, that others may write
    to; raises UsageError for one that is read-only or lies in pieces, which says `what` it is."""
    if is_on_device(array):
        memory = device_array(array, stream)
        is_fit = memory.is_contiguous and not memory.read_only
    else:
        memory = host_array(array)
        is_fit = memory.flags.c_contiguous and memory.flags.writeable
    if not is_fit:
        raise _core.UsageError(
            f"{what} that is read-only or not C-contiguous; give one that is contiguous and"
            " writable, as of numpy.empty"
        )
    return memory


def stream_handle(stream: object) -> int:
    """Returns the handle of a stream, however it is given. Raises UsageError for anything else."""
    if stream is None:
        return LEGACY_STREAM
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        # In __cuda_stream__, 0 is the default stream, which is the legacy one.
        return (protocol() if callable(protocol) else protocol)[1] or LEGACY_STREAM
    for attribute in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        if hasattr(stream, attribute):
            handle = getattr(stream, attribute)
            return int(getattr(handle, "value", handle) or LEGACY_STREAM)
    if isinstance(stream, int) and not isinstance(stream, bool) and stream > 0:
        return stream
    raise _core.UsageError(
        f"stream {stream!r}: give a handle from 1 on (1 the legacy default stream, 2 that of the"
        " thread; 0 could mean either), or a stream of CuPy, PyTorch or Numba"
    )


def _checked(found: DeviceArray) -> DeviceArray:
    if found.size_bytes > 0 and _core.device_of(found.address) is None:
        why = _core.inspect_driver().problem or "no device knows of it"
        raise _core.UsageError(
            f"an array says that it lies in a CUDA device's memory, but: {why}; give an array of"
            " the host"
        )
    return found


def _by_dlpack(array: object, stream: int) -> DeviceArray:
    kind, _ = array.__dlpack_device__()
    if kind != _CUDA:
        what = "the host" if kind in _ON_HOST else f"a device of kind {int(kind)} of DLPack"
        raise _core.UsageError(f"the array lies in memory of {what}, not of a CUDA device")
    try:
        capsule = array.__dlpack__(stream=stream, max_version=_NEWEST_DLPACK)
    except TypeError:
        # Before the array API of 2023 there was no version to request.
        capsule = array.__dlpack__(stream=stream)
    memory = _core.DlpackMemory(capsule)
    return DeviceArray(
        memory.address,
        tuple(memory.shape),
        tuple(stride * memory.item_bytes for stride in memory.strides),
        _dtype(memory.kind, memory.item_bytes),
        memory.read_only,
        stream,
        (array, memory),
    )


_DTYPES = {f"{np.dtype(code).kind}{np.dtype(code).itemsize}" for code in "?bhilqBHILQefdFD"}


def _dtype(kind: str, item_bytes: int) -> np.dtype:
    # A type that NumPy lacks, as a complex number of two halves, is bytes: enough to move it.
    name = f"{kind}{item_bytes}"
    return np.dtype(name if name in _DTYPES else f"V{item_bytes}")


def _by_interface(array: object, stream: int) -> DeviceArray:
    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise _core.UsageError("an array with a mask cannot be moved; give its data")
    address, read_only = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides") or packed_strides(shape, dtype.itemsize)
    # Before version 3 the interface named no stream: the giver used the default stream.
    leader = interface.get("stream") if interface["version"] >= 3 else LEGACY_STREAM
    if leader == 0:
        raise _core.UsageError(
            f"the {type(array).__name__} names stream 0 in __cuda_array_interface__, which could be"
            " either default stream and which version 3 forbids"
        )
    found = DeviceArray(address, shape, tuple(strides), dtype, read_only, stream, array)
    if leader is not None and _checked(found).size_bytes > 0:
        _order(stream, leader, address)
    return _checked(found)


def _order(follower: int, leader: int, address: int) -> None:
    if follower != leader:
        _core.order_streams(follower, leader, address)


def packed_strides(shape: tuple[int, ...], item_bytes: int) -> tuple[int, ...]:
    """Returns the bytes from one element to the next in each direction of a C-contiguous array."""
    strides = []
    for extent in reversed(shape):
        strides.append(item_bytes)
        item_bytes *= extent
    return tuple(reversed(strides))


def _drop_ones(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
