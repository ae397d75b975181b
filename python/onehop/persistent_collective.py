"""Collectives that are started and waited for, with other work in between.

Each is made once for given arrays, collectively, and then started many times. The arrays belong to
the caller: they are contiguous, read and written in place, and must not be touched from start to
wait. Arrays of a CUDA device are accepted too, in the order of the stream of
`set_collective_stream`.
"""

from collections.abc import Sequence

import numpy as np

from onehop import _core
from onehop.argument import Made, checked_context, checked_number
from onehop.collectives import by_rank, plain_numbers, require_writable
from onehop.device_arrays import SupportsDlpack, memory_in_place


class PersistentCollective(Made):
    """A collective that is made once for given arrays, and then started and waited for many times.

    persistent_allreduce and the like make one, collectively. Between start and wait other work may
    be done, also with put chains and other collectives, but the arrays must not be touched; they
    must be contiguous, and the collective keeps references to them. It belongs to the thread that
    made it.

    >>> sums = np.array([1.0, 2.0])
    >>> reduction = onehop.persistent_allreduce(job, sums)
    >>> for step in range(3):
    ...     reduction.start()                               # other work goes here
    ...     reduction.wait()
    >>> sums
    array([1., 2.])
    """

    def __init__(self, core: _core.PersistentCollective, *kept: np.ndarray) -> None:
        self._core = core
        self._kept = kept

    def start(self) -> None:
        """Starts it; every rank must start it equally often. Raises UsageError while it is under
        way."""
        self._core.start()

    def wait(self) -> None:
        """Waits until the result is there.

        Raises UsageError without a start, TimeoutError at the deadline of the context, PeerError
        when another rank failed.
        """
        self._core.wait()

    def test(self) -> bool:
        """Returns true if wait would return at once, and then replaces that wait; never blocks."""
        return self._core.test()

    def __repr__(self) -> str:
        arrays = ", ".join(f"{array.dtype} {array.shape}" for array in self._kept)
        return f"<PersistentCollective of {arrays}>"


def persistent_allreduce(
    context: _core.Context, array: np.ndarray | SupportsDlpack, operation: str = "sum"
) -> PersistentCollective:
    """Makes an allreduce of `array`, in place, with the same operations, types and bits.

    >>> sums = np.array([1.0, 2.0])
    >>> made = onehop.persistent_allreduce(job, sums)
    >>> made.start(); made.wait()
    >>> sums
    array([1., 2.])
    """
    return _reducing(_core.persistent_allreduce, context, array, operation, "allreduce")


def persistent_reduce(
    context: _core.Context,
    array: np.ndarray | SupportsDlpack,
    operation: str = "sum",
    root: int = 0,
) -> PersistentCollective:
    """Makes a reduce of `array` to `root`, in place; the arrays of the others are undefined
    afterwards.

    >>> largest = np.array([3, 5])
    >>> made = onehop.persistent_reduce(job, largest, "max", root=0)
    >>> made.start(); made.wait()
    >>> largest
    array([3, 5])
    """
    root = checked_number(root, "the root of a persistent reduce")
    return _reducing(_core.persistent_reduce, context, array, operation, "reduce", root)


def persistent_scan(
    context: _core.Context, array: np.ndarray | SupportsDlpack, operation: str = "sum"
) -> PersistentCollective:
    """Makes a scan of `array`, in place: the arrays of ranks 0 to this one, combined.

    >>> sites = np.array([512])
    >>> made = onehop.persistent_scan(job, sites)
    >>> made.start(); made.wait()
    >>> sites
    array([512])
    """
    return _reducing(_core.persistent_scan, context, array, operation, "scan")


def persistent_exclusive_scan(
    context: _core.Context, array: np.ndarray | SupportsDlpack, operation: str = "sum"
) -> PersistentCollective:
    """Makes a scan of the ranks below this one, in place; rank 0 keeps its array unchanged.

    >>> sites = np.array([512])
    >>> made = onehop.persistent_exclusive_scan(job, sites)
    >>> made.start(); made.wait()
    >>> sites                           # those of rank 0 stay
    array([512])
    """
    return _reducing(_core.persistent_exclusive_scan, context, array, operation, "exclusive scan")


def persistent_gather(
    context: _core.Context,
    mine: np.ndarray | SupportsDlpack,
    all: np.ndarray | SupportsDlpack | None = None,
    root: int = 0,
) -> PersistentCollective:
    """Makes a gather: entry r of `all` at `root`, which has one for each rank, comes from `mine` of
    rank r. `all` does not overlap `mine`; it is None, or ignored, on the others.

    >>> mine, all = np.array([0.5, 0.25]), np.empty((job.size, 2))
    >>> made = onehop.persistent_gather(job, mine, all)
    >>> made.start(); made.wait()
    >>> all
    array([[0.5 , 0.25]])
    """
    what = "a persistent gather"
    checked_context(context, what)
    root = checked_number(root, f"the root of {what}")
    mine = memory_in_place(context, mine, what)
    _require_read(mine, what)
    if context.rank != root or all is None:
        all = np.empty(0, mine.dtype)
    if context.rank == root:
        all = memory_in_place(context, all, what)
        require_writable(all, f"{what} overwrites `all`")
        _require_entries(context, all, mine, what)
    _require_apart(mine, all, what)
    return PersistentCollective(_core.persistent_gather(context, mine, all, root), mine, all)


def persistent_scatter(
    context: _core.Context,
    all: np.ndarray | SupportsDlpack | None,
    mine: np.ndarray | SupportsDlpack,
    root: int = 0,
) -> PersistentCollective:
    """Makes a scatter: entry r of `all` at `root`, which has one for each rank, becomes `mine` of
    rank r. `all` does not overlap `mine`; it is None, or ignored, on the others.

    >>> all, mine = np.array([[0.5, 0.25]]), np.empty(2)
    >>> made = onehop.persistent_scatter(job, all, mine)
    >>> made.start(); made.wait()
    >>> mine
    array([0.5 , 0.25])
    """
    what = "a persistent scatter"
    checked_context(context, what)
    root = checked_number(root, f"the root of {what}")
    mine = memory_in_place(context, mine, what)
    require_writable(mine, f"{what} overwrites `mine`")
    if context.rank != root or all is None:
        all = np.empty(0, mine.dtype)
    if context.rank == root:
        all = memory_in_place(context, all, what)
        _require_entries(context, all, mine, what)
    _require_apart(all, mine, what)
    return PersistentCollective(_core.persistent_scatter(context, all, mine, root), all, mine)


def persistent_broadcast(
    context: _core.Context, array: np.ndarray | SupportsDlpack, root: int = 0
) -> PersistentCollective:
    """Makes a broadcast of `array`, of one shape and dtype on all ranks, from `root`, in place.

    >>> parameters = np.array([6.0, 0.13])
    >>> made = onehop.persistent_broadcast(job, parameters)
    >>> made.start(); made.wait()
    >>> parameters
    array([6.  , 0.13])
    """
    what = "a persistent broadcast"
    checked_context(context, what)
    root = checked_number(root, "the root of a persistent broadcast")
    memory = memory_in_place(context, array, what)
    require_writable(memory, f"{what} overwrites its array")
    return PersistentCollective(_core.persistent_broadcast(context, memory, root), memory)


def persistent_allgather(
    context: _core.Context, array: np.ndarray | SupportsDlpack
) -> PersistentCollective:
    """Makes an allgather in place: the first axis has one entry for each rank, and entry r comes
    from rank r.

    >>> all = np.zeros((job.size, 2))
    >>> all[job.rank] = 0.5, 0.25
    >>> made = onehop.persistent_allgather(job, all)
    >>> made.start(); made.wait()
    >>> all
    array([[0.5 , 0.25]])
    """
    what = "a persistent allgather"
    checked_context(context, what)
    memory = memory_in_place(context, array, what)
    require_writable(memory, f"{what} overwrites its array")
    by_rank(context, memory, what)
    return PersistentCollective(_core.persistent_allgather(context, memory), memory)


def persistent_alltoall(
    context: _core.Context, send: np.ndarray | SupportsDlpack, receive: np.ndarray | SupportsDlpack
) -> PersistentCollective:
    """Makes an alltoall: entry r of `send` goes to rank r, from which entry r of `receive` comes.

    Both are of one shape and dtype, and do not overlap.

    >>> send, receive = np.array([[1.0, 2.0]]), np.empty((job.size, 2))
    >>> made = onehop.persistent_alltoall(job, send, receive)
    >>> made.start(); made.wait()
    >>> receive
    array([[1., 2.]])
    """
    what = "a persistent alltoall"
    checked_context(context, what)
    send, receive = (memory_in_place(context, array, what) for array in (send, receive))
    require_writable(receive, f"{what} overwrites `receive`")
    _require_apart(send, receive, what)
    if send.shape != receive.shape or send.dtype != receive.dtype:
        raise _core.UsageError(
            f"{what} of {send.dtype} {send.shape} into {receive.dtype} {receive.shape}: give two"
            " of one shape and dtype"
        )
    by_rank(context, send, what)
    return PersistentCollective(_core.persistent_alltoall(context, send, receive), send, receive)


def persistent_alltoallv(
    context: _core.Context,
    send: Sequence[np.ndarray | SupportsDlpack],
    receive: Sequence[np.ndarray | SupportsDlpack],
) -> PersistentCollective:
    """Makes an alltoallv: array r of `send` goes to rank r, from which array r of `receive` comes.

    Both have an array for each rank, of any length from 0 on, which is the same there and here;
    otherwise every rank gets a UsageError that names both. They do not overlap.

    >>> sent, came = [np.array([0.5, 0.25])], [np.empty(2)]
    >>> made = onehop.persistent_alltoallv(job, sent, came)
    >>> made.start(); made.wait()
    >>> came
    [array([0.5 , 0.25])]
    """
    what = "a persistent alltoallv"
    checked_context(context, what)
    read, written = _read(context, send, what), _written(context, receive, what)
    for one in read:
        for other in written:
            _require_apart(one, other, what)
    return PersistentCollective(_core.persistent_alltoallv(context, read, written), *read, *written)


def persistent_allgatherv(
    context: _core.Context,
    mine: np.ndarray | SupportsDlpack,
    all: Sequence[np.ndarray | SupportsDlpack],
) -> PersistentCollective:
    """Makes an allgatherv: array r of `all` comes from `mine` of rank r, of any length.

    Array r of `all` has the length of rank r's `mine` and may be it.

    >>> mine, all = np.array([0.5, 0.25]), [np.empty(2)]
    >>> made = onehop.persistent_allgatherv(job, mine, all)
    >>> made.start(); made.wait()
    >>> all
    [array([0.5 , 0.25])]
    """
    what = "a persistent allgatherv"
    checked_context(context, what)
    [own], written = _read(context, [mine], what), _written(context, all, what)
    return PersistentCollective(_core.persistent_allgatherv(context, own, written), own, *written)


def persistent_gatherv(
    context: _core.Context,
    mine: np.ndarray | SupportsDlpack,
    all: Sequence[np.ndarray | SupportsDlpack] | None = None,
    root: int = 0,
) -> PersistentCollective:
    """Makes a gatherv: array r of `all` at `root` comes from `mine` of rank r, of any length.

    `all` is None, or ignored, on the others.

    >>> mine, all = np.array([0.5, 0.25]), [np.empty(2)]
    >>> made = onehop.persistent_gatherv(job, mine, all)
    >>> made.start(); made.wait()
    >>> all
    [array([0.5 , 0.25])]
    """
    what = "a persistent gatherv"
    checked_context(context, what)
    root = checked_number(root, f"the root of {what}")
    [own] = _read(context, [mine], what)
    written = _written(context, _at_root(context, all, root), what)
    return PersistentCollective(
        _core.persistent_gatherv(context, own, written, root), own, *written
    )


def persistent_scatterv(
    context: _core.Context,
    all: Sequence[np.ndarray | SupportsDlpack] | None,
    mine: np.ndarray | SupportsDlpack,
    root: int = 0,
) -> PersistentCollective:
    """Makes a scatterv: array r of `all` at `root`, of any length, becomes `mine` of rank r.

    `all` is None, or ignored, on the others.

    >>> all, mine = [np.array([0.5, 0.25])], np.empty(2)
    >>> made = onehop.persistent_scatterv(job, all, mine)
    >>> made.start(); made.wait()
    >>> mine
    array([0.5 , 0.25])
    """
    what = "a persistent scatterv"
    checked_context(context, what)
    root = checked_number(root, f"the root of {what}")
    read = _read(context, _at_root(context, all, root), what)
    [own] = _written(context, [mine], what)
    return PersistentCollective(_core.persistent_scatterv(context, read, own, root), *read, own)


def persistent_reduce_scatter(
    context: _core.Context,
    array: np.ndarray | SupportsDlpack,
    mine: np.ndarray | SupportsDlpack,
    operation: str = "sum",
) -> PersistentCollective:
    """Makes a reduce_scatter: entry r of every rank's `array`, combined, becomes `mine` of rank r.

    `mine` has the shape of one entry and the dtype of `array`, and does not overlap it.

    >>> all, mine = np.ones((job.size, 3)), np.empty(3)
    >>> made = onehop.persistent_reduce_scatter(job, all, mine)
    >>> made.start(); made.wait()
    >>> mine
    array([1., 1., 1.])
    """
    what = "a persistent reduce_scatter"
    checked_context(context, what)
    array, mine = (memory_in_place(context, one, what) for one in (array, mine))
    require_writable(mine, f"{what} overwrites `mine`")
    _require_apart(array, mine, what)
    _require_entries(context, array, mine, what)
    plain, kind = plain_numbers(array, operation, what)
    return PersistentCollective(
        _core.persistent_reduce_scatter(context, plain, mine, kind, operation), array, mine
    )


def _reducing(
    make: object,
    context: _core.Context,
    array: np.ndarray | SupportsDlpack,
    operation: str,
    name: str,
    *root: int,
) -> PersistentCollective:
    what = f"a persistent {name}"
    checked_context(context, what)
    memory = memory_in_place(context, array, what)
    require_writable(memory, f"{what} overwrites its array")
    plain, kind = plain_numbers(memory, operation, what)
    return PersistentCollective(make(context, plain, kind, operation, *root), memory)


def _at_root(
    context: _core.Context, arrays: Sequence[np.ndarray | SupportsDlpack] | None, root: int
) -> Sequence[np.ndarray | SupportsDlpack]:
    return () if arrays is None or context.rank != root else arrays


def _read(
    context: _core.Context, arrays: Sequence[np.ndarray | SupportsDlpack], what: str
) -> list[np.ndarray]:
    found = [memory_in_place(context, array, what) for array in arrays]
    for one in found:
        _require_read(one, what)
    return found


def _written(
    context: _core.Context, arrays: Sequence[np.ndarray | SupportsDlpack], what: str
) -> list[np.ndarray]:
    found = [memory_in_place(context, array, what) for array in arrays]
    for one in found:
        require_writable(one, f"{what} overwrites its array")
    return found


def _require_entries(
    context: _core.Context, array: np.ndarray, mine: np.ndarray, what: str
) -> None:
    by_rank(context, array, what)
    if array.shape[1:] != mine.shape or array.dtype != mine.dtype:
        raise _core.UsageError(
            f"{what} of {array.dtype} {array.shape} and {mine.dtype} {mine.shape}: `mine` is like"
            " one entry"
        )


def _require_read(array: np.ndarray, what: str) -> None:
    if not (isinstance(array, np.ndarray) and array.flags.c_contiguous):
        raise _core.UsageError(f"{what} reads its array in place: give a C-contiguous NumPy array")


def _require_apart(read: np.ndarray, written: np.ndarray, what: str) -> None:
    _require_read(read, what)
    if np.may_share_memory(read, written):
        raise _core.UsageError(f"{what} of arrays that overlap: give it two apart")
