"""The job, and memory that its ranks expose to the puts of others."""

from __future__ import annotations

import math
import operator
import weakref
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from onehop import _core
from onehop.argument import Made, checked, checked_context, checked_int, checked_number
from onehop.device_arrays import DeviceArray, SupportsDlpack, writable_memory

_joined: weakref.ref[_core.Context] | None = None  # the context that join gave last
_kept: _core.Context | None = None


class SupportsPy2f(Protocol):
    """A communicator of mpi4py, or any other object that tells its number in Fortran."""

    def py2f(self) -> int: ...


def join(transport: str = "auto", *, comm: SupportsPy2f | None = None) -> _core.Context:
    """Joins the job that `onehop run -n N`, mpirun or srun started, or makes a job of one rank.

    `transport` is "auto", "self", "shm", "mixed", "mpi_p2p" or "mpi_rma".

    A program that uses MPI itself gives a communicator, `join(comm=world.Split(color))`: one of
    mpi4py, or any object whose `py2f()` returns its number in Fortran. The job then consists of the
    communicator's ranks, in their order; other ranks need not call. MPI must be initialised; the
    communicator may be freed, and MPI finalised, while the context is in use. Several such contexts
    may be in use at once: pass the one that is meant to whatever takes a context, since the default
    is the last one joined. `transport` is "mixed" (the choice of "auto"), "mpi_p2p" or "mpi_rma".

    >>> onehop.join()
    <Context rank 0 of 1, transport self>
    """
    global _joined
    checked(transport, str, "the transport", 'a name such as "auto", and a communicator as comm=')
    if comm is None:
        context = _core.join(transport)
    else:
        context = _core.join_communicator(_number_in_fortran(comm), transport)
    _joined = weakref.ref(context)
    return context


def _number_in_fortran(comm: object) -> int:
    if not hasattr(comm, "py2f"):
        raise _core.UsageError(
            f"the communicator is of type {type(comm).__name__}: give one of mpi4py, or an object"
            " whose py2f() returns its number in Fortran"
        )
    return checked_int(comm.py2f(), "what py2f() of the communicator returns")


def current_context(given: _core.Context | None, what: str) -> _core.Context:
    """Returns the context that `what` uses: the given one, or else that of the job, which is joined
    if it was not yet.

    It becomes the default of later calls unless it is a group, so that they use the same job; a
    rank joins only once.
    """
    global _kept
    if given is not None:
        checked_context(given, what)
        if not given.is_group:
            _kept = given
        return given
    joined = None if _joined is None else _joined()
    _kept = joined or _kept or join()
    return _kept


def measure(
    what: str, shape: int | Sequence[int], dtype: DTypeLike
) -> tuple[tuple[int, ...], np.dtype, int]:
    """Returns shape, type and bytes of memory that ranks share; only plain numbers have a
    meaning there."""
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise _core.UsageError(
            f"{what} of {kind}: objects live in one process; give a type of plain numbers"
        )
    try:
        extents = tuple(map(operator.index, (shape,) if np.isscalar(shape) else shape))
    except TypeError:
        extents = (-1,)
    # The integers of NumPy would overflow silently.
    size_bytes = math.prod(extents) * kind.itemsize
    if any(extent < 0 for extent in extents) or size_bytes >= 2**63:
        raise _core.UsageError(
            f"{what} of shape {shape}: give whole numbers from 0, of a size that memory can have"
        )
    return extents, kind, size_bytes


class Window(Made):
    """Memory that a rank exposes to the puts of others; making one is collective.

    `shape` and `dtype` describe one bank; a window of two banks needs no acknowledgements.

    >>> window = onehop.Window(job, shape=(2, 3))
    >>> window.array()                                      # of this rank, zero at first
    array([[0., 0., 0.],
           [0., 0., 0.]])
    >>> window.bytes(rank=0)                                # of one bank
    48
    """

    def __init__(
        self,
        context: _core.Context,
        shape: int | Sequence[int],
        dtype: DTypeLike = np.float64,
        banks: int = 2,
    ) -> None:
        self.shape, self.dtype, size_bytes = measure("window", shape, dtype)
        self.context = checked_context(context, "a window")
        banks = checked_number(banks, "the number of banks")
        self._on_device: DeviceArray | None = None
        self._core = _core.Window.allocate(context, size_bytes, banks)

    @classmethod
    def register(
        cls,
        context: _core.Context,
        array: np.ndarray | SupportsDlpack,
        stream: object = None,
    ) -> Window:
        """Makes a window of one bank over an array that exists, without a copy; collective.

        The array, of NumPy or any library with __dlpack__ or __cuda_array_interface__, must be
        C-contiguous and writable. An array in the memory of a CUDA device is taken over in the
        order of `stream`, as by `device_array`; chains on this window name their stream by
        PutChain.set_stream.

        An array of the host changes only in wait and test, which copy arrivals from a landing zone
        of the chain; an allocated window is faster. An array of a device may change from start on.
        """
        checked_context(context, "a window")
        memory = writable_memory(array, stream, "a window over an array")
        on_device = isinstance(memory, DeviceArray)
        window = cls.__new__(cls)
        window.shape, window.dtype, window.context = memory.shape, memory.dtype, context
        window._on_device = memory if on_device else None
        if on_device:
            window._core = _core.Window.register_address(context, memory.address, memory.size_bytes)
        else:
            window._core = _core.Window.register_existing(context, memory)
        return window

    @property
    def banks(self) -> int:
        return self._core.banks

    def array(self, bank: int = 0) -> np.ndarray:
        """Returns this rank's own memory of one bank, without a copy."""
        return self._core.local(checked_number(bank, "a bank")).view(self.dtype).reshape(self.shape)

    def offset_of(self, part: np.ndarray) -> int:
        """Bytes from the beginning of a bank of this rank's own memory to the first of `part`.

        Raises UsageError for an array that is not part of it.
        """
        for bank in range(self.banks):
            whole = self.array(bank)
            if part.size and np.shares_memory(whole, part):
                return part.ctypes.data - whole.ctypes.data
        raise _core.UsageError(
            f"an array of shape {part.shape} is not part of this rank's window: give a slice of "
            "window.array()"
        )

    def bytes(self, rank: int) -> int:
        """Returns the bytes of one bank at `rank`."""
        return self._core.bytes(checked_number(rank, "a rank"))

    def __repr__(self) -> str:
        return f"<Window {self.dtype} {self.shape}, {self.banks} banks>"
