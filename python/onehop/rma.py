"""Windows and put chains on arrays."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop.device_array import host_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from onehop.device_array import SupportsDlpack


def join(transport: str = "auto") -> _core.Context:
    """Joins the job that `onehop run -n N`, mpirun or srun started, or makes a job of one rank.

    `transport` is "auto", "self", "shm", "mixed", "mpi_p2p" or "mpi_rma".
    """
    return _core.join(transport)


def allreduce_sum(
    context: _core.Context, values: Sequence[float], order: str = "fixed"
) -> NDArray[np.float64]:
    """Sums over the ranks in rank order, so that every rank gets the same bits.

    With `order` "fast" the transport chooses the order: over MPI it takes fewer messages, and the
    last bits may differ from run to run.
    """
    if order not in ("fixed", "fast"):
        raise _core.UsageError(f"order '{order}' of a sum: give fixed or fast")
    total = np.array(values, dtype=np.float64, ndmin=1)
    _core.allreduce_sum(context, total, order == "fast")
    return total


def allreduce_max(context: _core.Context, values: Sequence[float]) -> NDArray[np.float64]:
    """The largest of every rank's values, element by element."""
    largest = np.array(values, dtype=np.float64, ndmin=1)
    _core.allreduce_max(context, largest)
    return largest


def broadcast(context: _core.Context, array: np.ndarray, root: int = 0) -> np.ndarray:
    """Overwrites `array` (contiguous, of one shape and dtype on all ranks) with that of `root`, and
    returns it. Collective; raises UsageError when the ranks give different sizes."""
    if not (isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable):
        raise _core.UsageError(
            "broadcast overwrites its array in place: give a NumPy array that is C-contiguous and"
            " writable"
        )
    _core.broadcast(context, array, root)
    return array


def allgather(context: _core.Context, array: np.ndarray) -> np.ndarray:
    """All ranks' arrays, of one shape and dtype, as shape (ranks, *array.shape). Collective."""
    mine = np.ascontiguousarray(array)
    everyone = np.empty((context.size, *mine.shape), mine.dtype)
    _core.allgather(context, mine, everyone)
    return everyone


def _measure(
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


class Alltoall:
    """Every rank sends a block to every rank, again and again; collective to make and to run.

    `shape` and `dtype` describe one block. `schedule` is "pairwise" (least bytes) or
    "dissemination" (fewest messages).
    """

    def __init__(
        self,
        context: _core.Context,
        shape: int | Sequence[int],
        dtype: DTypeLike = np.float64,
        schedule: str = "pairwise",
    ) -> None:
        if schedule not in ("pairwise", "dissemination"):
            raise _core.UsageError(
                f"schedule {schedule!r} is not known; give pairwise or dissemination"
            )
        block, self.dtype, block_bytes = _measure("block of an alltoall", shape, dtype)
        self.shape = (context.size, *block)
        self._core = _core.Alltoall(context, block_bytes, schedule == "dissemination")

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


class Window:
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
        self.shape, self.dtype, size_bytes = _measure("window", shape, dtype)
        self.context = context
        self._core = _core.Window.allocate(context, size_bytes, banks)

    @classmethod
    def register(cls, context: _core.Context, array: np.ndarray | SupportsDlpack) -> Window:
        """A window of one bank over an array that exists, without a copy; collective.

        The array, of NumPy or any library that has __dlpack__, must be C-contiguous, writable and
        in memory of the host. It changes in wait and test only, where what has come is copied from
        a landing zone of the chain; an allocated window is faster.
        """
        array = host_array(array)
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise _core.UsageError(
                "a window over an array that is read-only or not C-contiguous; give one that is"
                " contiguous and writable, as of numpy.empty"
            )
        window = cls.__new__(cls)
        window.shape, window.dtype, window.context = array.shape, array.dtype, context
        window._core = _core.Window.register_existing(context, array)
        return window

    @property
    def banks(self) -> int:
        return self._core.banks

    def array(self, bank: int = 0) -> np.ndarray:
        """This rank's own memory of one bank, without a copy."""
        return self._core.local(bank).view(self.dtype).reshape(self.shape)

    def bytes(self, rank: int) -> int:
        """Bytes of one bank at `rank`."""
        return self._core.bytes(rank)

    def __repr__(self) -> str:
        return f"<Window {self.dtype} {self.shape}, {self.banks} banks>"


class PutChain:
    """A halo exchange described once and fired with one start.

    push / add_origin ...  ->  commit  ->  { start, wait }*  ->  clear

    It belongs to the thread that committed it: start, wait, test and clear raise UsageError in
    another one and in a forked child.
    """

    def __init__(self, context: _core.Context, window: Window) -> None:
        self._core = _core.PutChain(context, window._core)
        self._window = window

    def push(
        self, source: np.ndarray | SupportsDlpack, target: int, remote_offset: int
    ) -> _core.PutSlot:
        """Declares a put of `source` to `remote_offset` bytes into the window of `target`.

        `source` is read at every start, in place: contiguous memory, or pieces of equal length at
        equal distances (a column, a slice), of NumPy or any library that has __dlpack__, in memory
        of the host. Returns the name of the put.
        """
        source = host_array(source)
        block_bytes, blocks, stride_bytes = blocks_of(source)
        _check_place(target, remote_offset)
        return self._core.push(source, block_bytes, blocks, stride_bytes, target, remote_offset)

    def push_packed(self, size_bytes: int, target: int, remote_offset: int) -> _core.PutSlot:
        """Declares a put whose bytes are written into target_view(slot) before each start."""
        if size_bytes < 0:
            raise _core.UsageError(f"push_packed of {size_bytes} bytes: give a number from 1")
        _check_place(target, remote_offset)
        return self._core.push_packed(size_bytes, target, remote_offset)

    def add_origin(self, rank: int) -> _core.Notification:
        """Expects one put of `rank`; returns the name of the arrival."""
        return self._core.add_origin(rank)

    def commit(self) -> None:
        """Collective: pairs puts and origins, and raises ChainError on every rank otherwise."""
        self._core.commit()

    def start(self) -> None:
        self._core.start()

    def wait(self, arrival: _core.Notification | None = None) -> None:
        """All puts, or one arrival."""
        if arrival is None:
            self._core.wait()
        else:
            self._core.wait(arrival)

    def test(self, arrival: _core.Notification | None = None) -> bool:
        return self._core.test() if arrival is None else self._core.test(arrival)

    def arrived(self, arrival: _core.Notification) -> np.ndarray:
        """What the last exchange brought, in the window's type, without a copy; read only.

        Valid until this rank's next start.
        """
        return self._core.arrived(arrival).view(self._window.dtype)

    def target_view(self, slot: _core.PutSlot) -> np.ndarray:
        """Where to write a packed put for the coming start, in the window's type."""
        return self._core.target_view(slot).view(self._window.dtype)

    def direct(self, slot: _core.PutSlot) -> bool:
        """True when target_view is the target's memory, so that packing is the transfer."""
        return self._core.direct(slot)

    def clear(self) -> None:
        self._core.clear()

    def __repr__(self) -> str:
        return f"<PutChain on {self._window!r}>"

    def describe(self) -> str:
        """One line per put: channel chosen and why."""
        return self._core.describe()


def _check_place(target: int, remote_offset: int) -> None:
    if remote_offset < 0:
        raise _core.UsageError(
            f"push to offset {remote_offset} of rank {target}: offsets are bytes from 0 on"
        )


def blocks_of(array: np.ndarray) -> tuple[int, int, int]:
    """(bytes of a block, number of blocks, bytes from one to the next) of an array's memory."""
    dims = [(n, s) for n, s in zip(array.shape, array.strides, strict=True) if n != 1]
    block_bytes = array.itemsize
    while dims and dims[-1][1] == block_bytes:
        block_bytes *= dims.pop()[0]
    if not dims:
        return block_bytes, 1, block_bytes
    blocks, stride = dims.pop()
    while dims and dims[-1][1] == blocks * stride:
        blocks *= dims.pop()[0]
    if dims:
        raise _core.UsageError(
            f"put of an array of shape {array.shape} with strides {array.strides} is not made of "
            "equal pieces at equal distances; make a contiguous copy or push it in parts"
        )
    return block_bytes, blocks, stride
