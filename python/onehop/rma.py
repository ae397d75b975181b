"""Windows and put chains on arrays."""

from __future__ import annotations

import hashlib
import math
import operator
import weakref
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop.argument import Made, checked_context, checked_number
from onehop.device_array import device_array, host_array, is_on_device

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from onehop.device_array import DeviceArray, SupportsDlpack


_joined: weakref.ref[_core.Context] | None = None  # what join gave last
_kept: _core.Context | None = None


def join(transport: str = "auto") -> _core.Context:
    """Joins the job that `onehop run -n N`, mpirun or srun started, or makes a job of one rank.

    `transport` is "auto", "self", "shm", "mixed", "mpi_p2p" or "mpi_rma".
    """
    global _joined
    context = _core.join(transport)
    _joined = weakref.ref(context)
    return context


def current_context(given: _core.Context | None, what: str) -> _core.Context:
    """The context of `what`: that which is given, or the job's, joined where nobody has yet.

    It is kept, so that whoever names none later is in the same job; a rank joins only once.
    """
    global _kept
    if given is not None:
        _kept = checked_context(given, what)
        return _kept
    joined = None if _joined is None else _joined()
    _kept = joined or _kept or join()
    return _kept


def allreduce_sum(
    context: _core.Context, values: Sequence[float], order: str = "fixed"
) -> NDArray[np.float64]:
    """Sums over the ranks in rank order, so that every rank gets the same bits.

    With `order` "fast" the transport chooses the order: over MPI it takes fewer messages, and the
    last bits may differ from run to run.
    """
    if order not in ("fixed", "fast"):
        raise _core.UsageError(f"order '{order}' of a sum: give fixed or fast")
    checked_context(context, "a sum")
    total = np.array(values, dtype=np.float64, ndmin=1)
    _core.allreduce_sum(context, total, order == "fast")
    return total


def allreduce_max(context: _core.Context, values: Sequence[float]) -> NDArray[np.float64]:
    """The largest of every rank's values, element by element."""
    checked_context(context, "a maximum")
    largest = np.array(values, dtype=np.float64, ndmin=1)
    _core.allreduce_max(context, largest)
    return largest


def broadcast(context: _core.Context, array: np.ndarray, root: int = 0) -> np.ndarray:
    """Overwrites `array` (contiguous, of one shape and dtype on all ranks) with that of `root`, and
    returns it. Collective; raises UsageError when the ranks give different sizes."""
    checked_context(context, "a broadcast")
    root = checked_number(root, "the root of a broadcast")
    if not (isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable):
        raise _core.UsageError(
            "broadcast overwrites its array in place: give a NumPy array that is C-contiguous and"
            " writable"
        )
    _core.broadcast(context, array, root)
    return array


def allgather(context: _core.Context, array: np.ndarray) -> np.ndarray:
    """All ranks' arrays, of one shape and dtype, as shape (ranks, *array.shape). Collective."""
    checked_context(context, "an allgather")
    mine = np.ascontiguousarray(array)
    everyone = np.empty((context.size, *mine.shape), mine.dtype)
    _core.allgather(context, mine, everyone)
    return everyone


_MOST_SHOWN_BYTES, _DIGEST_BYTES = 400, 32


def agree(context: _core.Context, call: str, **values: object) -> None:
    """Collective. Raises UsageError on all ranks where one gives other values than rank 0.

    What every rank has to say alike, and what would otherwise be mixed into one wrong answer.
    """
    # The ranks of a virtual machine have one command's options, and its time is not for checks.
    if context.size == 1 or context.transport.startswith("virtual:"):
        return
    texts = [f"{name} {value}".encode() for name, value in values.items()]
    # The digest tells texts apart that are longer than what travels of them.
    mine = np.array(
        [hashlib.sha256(text).digest() + text[:_MOST_SHOWN_BYTES] for text in texts],
        f"S{_DIGEST_BYTES + _MOST_SHOWN_BYTES}",
    )
    everyone = allgather(context, mine.view(np.uint8)).view(mine.dtype)
    for rank, theirs in enumerate(everyone):
        for first, other in zip(everyone[0], theirs, strict=True):
            if first != other:
                one, two = (row[_DIGEST_BYTES:].decode(errors="replace") for row in (first, other))
                raise _core.UsageError(
                    f"{call} with {one} on rank 0 and {two} on rank {rank}: give the same on all"
                )


def measure(
    what: str, shape: int | Sequence[int], dtype: DTypeLike
) -> tuple[tuple[int, ...], np.dtype, int]:
    """Shape, type and bytes of memory that ranks share, where only plain numbers mean anything."""
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise _core.UsageError(
            f"{what} of {kind}: objects live in one process; give a type of plain numbers"
        )
    try:
        extents = tuple(map(operator.index, (shape,) if np.isscalar(shape) else shape))
    except TypeError:
        extents = (-1,)
    # The integers of NumPy would overflow without a word.
    size_bytes = math.prod(extents) * kind.itemsize
    if any(extent < 0 for extent in extents) or size_bytes >= 2**63:
        raise _core.UsageError(
            f"{what} of shape {shape}: give whole numbers from 0, of a size that memory can have"
        )
    return extents, kind, size_bytes


class Alltoall(Made):
    """Every rank sends a block to every rank, again and again; collective to make and to run.

    `shape` and `dtype` describe one block. `schedule` is "pairwise" (least bytes),
    "dissemination" (fewest messages) or "staged" (through memory that all can reach).
    """

    def __init__(
        self,
        context: _core.Context,
        shape: int | Sequence[int],
        dtype: DTypeLike = np.float64,
        schedule: str = "pairwise",
    ) -> None:
        checked_context(context, "an alltoall")
        block, self.dtype, block_bytes = measure("block of an alltoall", shape, dtype)
        self.shape = (context.size, *block)
        self._core = _core.Alltoall(context, block_bytes, schedule)

    def run(self, send: np.ndarray, receive: np.ndarray | None = None) -> np.ndarray:
        """Block r of `send`, shape (ranks, *shape), goes to rank r; block r of what is returned
        comes from it. `receive` is written in place when given."""
        receive = np.empty(self.shape, self.dtype) if receive is None else receive
        for name, array in (("send", send), ("receive", receive)):
            if array.shape != self.shape or array.dtype != self.dtype:
                raise _core.UsageError(
                    f"{name} is {array.dtype} {array.shape}; this alltoall moves {self.dtype} "
                    f"{self.shape}"
                )
        self._core.run(np.ascontiguousarray(send), receive)
        return receive

    def __repr__(self) -> str:
        return f"<Alltoall {self.dtype} {self.shape}>"


class Window(Made):
    """Memory that a rank exposes to the puts of others; collective to make.

    `shape` and `dtype` describe one bank; a window of two banks needs no acknowledgements.
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
        """A window of one bank over an array that exists, without a copy; collective.

        The array, of NumPy or any library that has __dlpack__ or __cuda_array_interface__, must be
        C-contiguous and writable. One in the memory of a CUDA device is taken over in the order of
        `stream`, as by `device_array`; chains on this window are told by PutChain.set_stream.

        An array of the host changes in wait and test only, where what has come is copied from a
        landing zone of the chain; an allocated window is faster. One of a device may change from
        start on.
        """
        checked_context(context, "a window")
        on_device = is_on_device(array)
        memory = device_array(array, stream) if on_device else host_array(array)
        if on_device:
            is_fit = memory.is_contiguous and not memory.read_only
        else:
            is_fit = memory.flags.c_contiguous and memory.flags.writeable
        if not is_fit:
            raise _core.UsageError(
                "a window over an array that is read-only or not C-contiguous; give one that is"
                " contiguous and writable, as of numpy.empty"
            )
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
        """This rank's own memory of one bank, without a copy."""
        return self._core.local(checked_number(bank, "a bank")).view(self.dtype).reshape(self.shape)

    def bytes(self, rank: int) -> int:
        """Bytes of one bank at `rank`."""
        return self._core.bytes(checked_number(rank, "a rank"))

    def __repr__(self) -> str:
        return f"<Window {self.dtype} {self.shape}, {self.banks} banks>"
