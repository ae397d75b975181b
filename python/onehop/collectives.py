"""Collective operations of all ranks on arrays.

Every rank of the context calls each of them, in the same order, with arrays of one shape and dtype
unless stated otherwise. If ranks differ in the number of bytes, or in the type or operation of
values to combine, every rank raises UsageError. Arrays that are only moved are treated as bytes:
another dtype or shape with as many bytes is not noticed, nor is a rank that broadcasts nothing. A
wait for a rank that never calls ends in TimeoutError or PeerError.

Arrays of a CUDA device are accepted once `set_collective_stream` has named their stream: arrays
that a function overwrites are overwritten on the device, arrays that it only reads are copied to
the host, and new arrays that it returns are NumPy's.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from onehop import _core
from onehop.argument import Made, checked_context, checked_number
from onehop.counted import counted
from onehop.device_arrays import ArrayInPlace, memory_in_place, memory_to_read, stream_handle
from onehop.rma import measure

OPERATIONS = ("sum", "min", "max", "and", "or", "xor")
_TYPES = ("int32", "int64", "uint32", "uint64", "float32", "float64")
_OF_BITS = ("and", "or", "xor")


def set_collective_stream(context: _core.Context, stream: object) -> None:
    """Names the CUDA stream that uses the arrays of a device given to collectives.

    It holds for this rank, in the job and its groups. Such an array is read and overwritten after
    the work that the stream holds when the collective is called or started; the result is there for
    any stream once the call returns or was waited for. `stream` is as in `device_array`. Raises
    UsageError for anything else.

    >>> onehop.set_collective_stream(job, None)                 # the default stream
    """
    checked_context(context, "a stream for collectives")
    _core.set_collective_stream(context, stream_handle(stream))


def allreduce(context: _core.Context, array: ArrayLike, operation: str = "sum") -> np.ndarray:
    """Combines every rank's array element by element, in rank order: the same bits on every rank.

    `operation` is "sum", "min", "max" or, of whole numbers, "and", "or", "xor"; sums of whole
    numbers wrap around. The array is of int32, int64, uint32, uint64, float32, float64, complex64
    or complex128 (sums only). Returns a new array; raises UsageError for other types and
    operations.

    >>> psi = np.ones((8, 4, 4, 4, 3), complex)                 # this rank's block of a field
    >>> print(onehop.allreduce(job, np.vdot(psi, psi).real))    # its norm on the whole lattice
    1536.0
    """
    return _combined(_core.allreduce, context, array, operation, "an allreduce")


def allreduce_sum(
    context: _core.Context, values: ArrayLike, order: str = "fixed"
) -> NDArray[np.float64]:
    """Sums over the ranks in rank order, so that every rank gets the same bits.

    With `order` "fast" the transport chooses the order: over MPI it takes fewer messages, and the
    last bits may differ from run to run.

    >>> onehop.allreduce_sum(job, [0.25, 4.0])
    array([0.25, 4.  ])
    """
    if order not in ("fixed", "fast"):
        raise _core.UsageError(f"order '{order}' of a sum: give fixed or fast")
    checked_context(context, "a sum")
    values = memory_to_read(context, values, "a sum")
    total = np.array(values, dtype=np.float64, ndmin=1)
    _core.allreduce_sum(context, total, order == "fast")
    return total


def allreduce_max(context: _core.Context, values: ArrayLike) -> NDArray[np.float64]:
    """Returns the largest of every rank's values, element by element.

    >>> onehop.allreduce_max(job, [1e-9, 3e-11])
    array([1.e-09, 3.e-11])
    """
    checked_context(context, "a maximum")
    values = memory_to_read(context, values, "a maximum")
    largest = np.array(values, dtype=np.float64, ndmin=1)
    _core.allreduce_max(context, largest)
    return largest


def reduce(
    context: _core.Context, array: ArrayLike, operation: str = "sum", root: int = 0
) -> np.ndarray | None:
    """Combines as allreduce does, on rank `root` only; returns None on the others.

    >>> onehop.reduce(job, np.arange(3), "max", root=0)
    array([0, 1, 2])
    """
    root = checked_number(root, "the root of a reduce")
    total = _combined(_core.reduce, context, array, operation, "a reduce", root)
    return total if context.rank == root else None


def scan(context: _core.Context, array: ArrayLike, operation: str = "sum") -> np.ndarray:
    """Returns the arrays of ranks 0 to this one, combined in rank order.

    >>> onehop.scan(job, [512])     # sites of this rank and of those before it
    array([512])
    """
    return _combined(_core.scan, context, array, operation, "a scan")


def exclusive_scan(
    context: _core.Context, array: ArrayLike, operation: str = "sum"
) -> np.ndarray | None:
    """Returns the arrays of the ranks below this one, combined in rank order; None on rank 0.

    >>> before = onehop.exclusive_scan(job, [512])
    >>> print("first site of this rank:", 0 if before is None else before[0])
    first site of this rank: 0
    """
    total = _combined(_core.exclusive_scan, context, array, operation, "an exclusive scan")
    return None if context.rank == 0 else total


def reduce_scatter(context: _core.Context, array: ArrayLike, operation: str = "sum") -> np.ndarray:
    """Combines block r of every rank's array and returns it on rank r. The first axis has one entry
    per rank.

    >>> onehop.reduce_scatter(job, np.ones((job.size, 3)))
    array([1., 1., 1.])
    """
    checked_context(context, "a reduce_scatter")
    values = by_rank(context, array, "a reduce_scatter")
    plain, kind = plain_numbers(values, operation, "a reduce_scatter")
    mine = np.empty(plain[0].shape, plain.dtype)
    _core.reduce_scatter(context, plain, mine, kind, operation)
    return mine.view(values.dtype).reshape(values.shape[1:])


def broadcast(context: _core.Context, array: ArrayInPlace, root: int = 0) -> ArrayInPlace:
    """Overwrites `array` (contiguous, of one shape and dtype on all ranks) with that of `root`, and
    returns it. Collective; raises UsageError when the ranks give different sizes.

    >>> parameters = np.array([6.0, 0.13]) if job.rank == 0 else np.empty(2)
    >>> onehop.broadcast(job, parameters)
    array([6.  , 0.13])
    """
    checked_context(context, "a broadcast")
    root = checked_number(root, "the root of a broadcast")
    memory = memory_in_place(context, array, "a broadcast")
    require_writable(memory, "broadcast overwrites its array")
    _core.broadcast(context, memory, root)
    return array


def allgather(context: _core.Context, array: np.ndarray) -> np.ndarray:
    """Returns all ranks' arrays, of one shape and dtype, as shape (ranks, *array.shape).
    Collective.

    >>> onehop.allgather(job, np.array([job.rank, 512]))
    array([[  0, 512]])
    """
    checked_context(context, "an allgather")
    mine = np.ascontiguousarray(memory_to_read(context, array, "an allgather"))
    everyone = np.empty((context.size, *mine.shape), mine.dtype)
    _core.allgather(context, mine, everyone)
    return everyone


def gather(context: _core.Context, array: ArrayLike, root: int = 0) -> np.ndarray | None:
    """Returns all ranks' arrays on `root`, as shape (ranks, *array.shape); None on the others.

    >>> onehop.gather(job, [0.5, 0.25], root=0)
    array([[0.5 , 0.25]])
    """
    checked_context(context, "a gather")
    root = checked_number(root, "the root of a gather")
    mine = _memory(context, array, "a gather")
    here = context.rank == root
    everyone = np.empty((context.size if here else 0, *mine.shape), mine.dtype)
    _core.gather(context, mine, everyone, root)
    return everyone if here else None


def scatter(
    context: _core.Context, array: ArrayLike | None, like: ArrayInPlace, root: int = 0
) -> ArrayInPlace:
    """Returns, on rank r, entry r of the first axis of `root`'s array.

    `array` has one entry per rank; on the other ranks it is None, or ignored. `like`, which has the
    shape and dtype of one entry, is overwritten on every rank, and returned.

    >>> seeds = np.array([[17, 4]])                         # a row for each rank
    >>> onehop.scatter(job, seeds, like=np.empty(2, int))
    array([17,  4])
    """
    checked_context(context, "a scatter")
    root = checked_number(root, "the root of a scatter")
    memory = memory_in_place(context, like, "a scatter")
    require_writable(memory, "scatter overwrites `like`")
    entries = np.empty(0, memory.dtype)
    if context.rank == root:
        entries = by_rank(context, array, "a scatter")
        if entries.shape[1:] != memory.shape or entries.dtype != memory.dtype:
            raise _core.UsageError(
                f"a scatter of {entries.dtype} {entries.shape} into {memory.dtype} {memory.shape}:"
                " give an entry for every rank"
            )
    _core.scatter(context, entries, memory, root)
    return like


def alltoallv(context: _core.Context, arrays: Sequence[ArrayLike]) -> list[np.ndarray]:
    """Sends array r of this rank to rank r; returns the array from each rank, with one dimension.

    The arrays may have any length, which receivers need not know; all have one dtype on every rank.

    >>> onehop.alltoallv(job, [np.arange(3.0)])             # one list for each rank
    [array([0., 1., 2.])]
    """
    checked_context(context, "an alltoallv")
    blocks, kind = _blocks(context, arrays, "an alltoallv")
    return _typed(_core.alltoallv(context, blocks), kind)


def gatherv(context: _core.Context, array: ArrayLike, root: int = 0) -> list[np.ndarray] | None:
    """Returns the arrays of all ranks, one dimension each, on `root`; None on the others.

    They have any length, which `root` need not know, and one dtype on every rank.

    >>> onehop.gatherv(job, [0.5, 0.25, 0.125])
    [array([0.5  , 0.25 , 0.125])]
    """
    checked_context(context, "a gatherv")
    root = checked_number(root, "the root of a gatherv")
    mine = _memory(context, array, "a gatherv").reshape(-1)
    received = _core.gatherv(context, mine, root)
    return _typed(received, mine.dtype) if context.rank == root else None


def scatterv(
    context: _core.Context,
    arrays: Sequence[ArrayLike] | None,
    root: int = 0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    """Returns, on rank r, array r of `root`'s list, with one dimension.

    `arrays` has one array for each rank, of any length, which the others need not know; on the
    other ranks it is None, or ignored. `dtype` is that of all arrays, and the same on every rank.

    >>> onehop.scatterv(job, [[0.5, 0.25]])
    array([0.5 , 0.25])
    """
    checked_context(context, "a scatterv")
    root = checked_number(root, "the root of a scatterv")
    kind, blocks = np.dtype(dtype), []
    if context.rank == root:
        blocks, given = _blocks(context, () if arrays is None else arrays, "a scatterv")
        if given != kind:
            raise _core.UsageError(
                f"a scatterv of {given} where `dtype` is {kind}: give the same dtype"
            )
    return _typed([_core.scatterv(context, blocks, root)], kind, [root])[0]


def sparse_exchange(
    context: _core.Context,
    destinations: Sequence[int],
    arrays: Sequence[ArrayLike],
    dtype: DTypeLike = np.float64,
) -> list[tuple[int, np.ndarray]]:
    """Sends array i to rank destinations[i]; returns pairs of an origin and an array received from
    it, sorted by origin, and for one origin in the order in which it gave them.

    Any number of arrays may go to any ranks, also several to one; only the sender needs to know.
    They have any length and the same `dtype` on every rank, and arrive with one dimension. Memory
    and messages of a rank grow as the logarithm of the number of ranks, while those of alltoallv
    grow linearly. Raises UsageError if there are not as many destinations as arrays, for a rank
    that the job does not have, and for an array of another dtype.

    >>> onehop.sparse_exchange(job, [0, 0], [[1.0, 2.0], [3.0]])
    [(0, array([1., 2.])), (0, array([3.]))]
    """
    checked_context(context, "a sparse_exchange")
    kind = np.dtype(dtype)
    ranks = [checked_number(rank, "a destination of a sparse_exchange") for rank in destinations]
    blocks = [_memory(context, array, "a sparse_exchange").reshape(-1) for array in arrays]
    for block in blocks:
        if block.dtype != kind:
            raise _core.UsageError(
                f"a sparse_exchange of {block.dtype} where `dtype` is {kind}: give the same dtype"
            )
    received = _core.sparse_exchange(context, ranks, blocks)
    arrived = _typed([block for _, block in received], kind, [origin for origin, _ in received])
    return list(zip((origin for origin, _ in received), arrived, strict=True))


def allgatherv(context: _core.Context, array: ArrayLike) -> list[np.ndarray]:
    """Returns the arrays of all ranks, which have one dimension, any length and one dtype.

    >>> onehop.allgatherv(job, [0.5, 0.25])
    [array([0.5 , 0.25])]
    """
    checked_context(context, "an allgatherv")
    mine = _memory(context, array, "an allgatherv").reshape(-1)
    return _typed(_core.alltoallv(context, [mine] * context.size), mine.dtype)


class Alltoall(Made):
    """An alltoall that is made once and run many times: every rank sends a block to every rank.
    Making and running it are collective.

    `shape` and `dtype` describe one block. `schedule` is "pairwise" (least bytes),
    "dissemination" (fewest messages) or "staged" (through memory that all can reach).

    >>> transpose = onehop.Alltoall(job, shape=2)
    >>> transpose.run(np.array([[1.0, 2.0]]))               # a block for each rank
    array([[1., 2.]])
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
        """Sends block r of `send`, shape (ranks, *shape), to rank r; block r of the result comes
        from rank r. `receive`, if given, is overwritten with the result."""
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


def agree(context: _core.Context, call: str, **values: object) -> None:
    """Raises UsageError on all ranks if one gives other values than rank 0; collective.

    It is for values that must be the same on every rank, because different ones would silently give
    a wrong answer.
    """
    _core.agree(context, f"{call} with", [f"{name} {value}" for name, value in values.items()])


def require_writable(array: np.ndarray, what: str) -> None:
    if not (isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable):
        raise _core.UsageError(
            f"{what} in place: give a NumPy array that is C-contiguous and writable"
        )


def _typed(
    received: list[NDArray[np.uint8]], kind: np.dtype, origins: Sequence[int] | None = None
) -> list[np.ndarray]:
    """Returns the bytes as numbers; `origins` are 0, 1, ... where they are not given."""
    for rank, block in zip(origins or range(len(received)), received, strict=True):
        if block.size % kind.itemsize:
            raise _core.UsageError(
                f"{block.size} bytes from rank {rank} are not a whole number of {kind}: give one"
                " dtype on every rank"
            )
    return [block.view(kind) for block in received]


def _memory(context: _core.Context, array: ArrayLike, what: str) -> np.ndarray:
    values = np.asarray(memory_to_read(context, array, what), order="C")
    if values.dtype.hasobject:
        raise _core.UsageError(f"{what} of {values.dtype}: give an array of plain numbers")
    return values


def _blocks(
    context: _core.Context, arrays: Sequence[ArrayLike], what: str
) -> tuple[list[np.ndarray], np.dtype]:
    """Returns an array for each rank as one dimension, and their dtype."""
    if len(arrays) != context.size:
        raise _core.UsageError(
            f"{what} of {len(arrays)} arrays among {counted(context.size, 'rank')}: give one for"
            " each"
        )
    blocks = [_memory(context, array, what).reshape(-1) for array in arrays]
    kinds = {block.dtype for block in blocks}
    if len(kinds) > 1:
        names = ", ".join(sorted(str(kind) for kind in kinds))
        raise _core.UsageError(f"{what} of {names} together: give arrays of one dtype")
    return blocks, kinds.pop()


def by_rank(context: _core.Context, array: ArrayLike | None, what: str) -> np.ndarray:
    values = _memory(context, array, what)
    if values.ndim == 0 or len(values) != context.size:
        raise _core.UsageError(
            f"{what} of shape {values.shape} among {counted(context.size, 'rank')}: the first "
            "axis has an entry for each"
        )
    return values


def plain_numbers(values: np.ndarray, operation: str, what: str) -> tuple[np.ndarray, str]:
    """Returns the values as numbers that the library combines, and the name of their type."""
    if operation not in OPERATIONS:
        raise _core.UsageError(
            f"operation '{operation}' of {what}: give one of {', '.join(OPERATIONS)}"
        )
    if values.dtype.kind == "c" and operation == "sum":
        # The parts of complex numbers are added like any others.
        values = values.view(values.real.dtype)
    kind = values.dtype.name
    if kind not in _TYPES or not values.dtype.isnative:
        raise _core.UsageError(f"{what} of {values.dtype}: give one of {', '.join(_TYPES)}")
    if operation in _OF_BITS and values.dtype.kind == "f":
        raise _core.UsageError(f"'{operation}' of {kind}: only whole numbers have bits to combine")
    return values, kind


def _combined(
    call: object, context: _core.Context, array: ArrayLike, operation: str, what: str, *root: int
) -> np.ndarray:
    checked_context(context, what)
    array = memory_to_read(context, array, what)
    total = np.array(array, order="C", ndmin=1)
    plain, kind = plain_numbers(total, operation, what)
    call(context, plain, kind, operation, *root)
    return total.reshape(np.shape(array))
