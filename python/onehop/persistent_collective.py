"""These are collectives that are started and waited for, with other work in between.

Each is made once for arrays, collectively, and then started again and again. The arrays stay the
caller's: they are contiguous, read and written in place, and left alone from start to wait.
"""

from __future__ import annotations

import numpy as np

from onehop import _core
from onehop.argument import Made, checked_context, checked_number
from onehop.collectives import by_rank, plain_numbers, require_writable


class PersistentCollective(Made):
    """A collective that is made once for arrays, and then started and waited for again and again.

    Made by persistent_allreduce and the like, each collective. Between start and wait other work is
    done, also with put chains and other collectives, while the arrays are left alone; they must be
    contiguous, and the collective keeps them. It belongs to the thread that made it.
    """

    def __init__(self, core: _core.PersistentCollective, *kept: np.ndarray) -> None:
        self._core = core
        self._kept = kept

    def start(self) -> None:
        """Starts it; every rank does so equally often. Raises UsageError while it is under way."""
        self._core.start()

    def wait(self) -> None:
        """Waits until the result is there.

        Raises UsageError without a start, TimeoutError at the deadline of the context, PeerError
        when another rank failed.
        """
        self._core.wait()

    def test(self) -> bool:
        """Returns true when wait would return at once, and then replaces it; never blocks."""
        return self._core.test()

    def __repr__(self) -> str:
        arrays = ", ".join(f"{array.dtype} {array.shape}" for array in self._kept)
        return f"<PersistentCollective of {arrays}>"


def persistent_allreduce(
    context: _core.Context, array: np.ndarray, operation: str = "sum"
) -> PersistentCollective:
    """Makes an allreduce of `array`, in place, with the same operations, types and bits."""
    what = "a persistent allreduce"
    checked_context(context, what)
    require_writable(array, f"{what} overwrites its array")
    plain, kind = plain_numbers(array, operation, what)
    return PersistentCollective(_core.persistent_allreduce(context, plain, kind, operation), array)


def persistent_broadcast(
    context: _core.Context, array: np.ndarray, root: int = 0
) -> PersistentCollective:
    """Makes a broadcast of `array`, of one shape and dtype on all ranks, from `root`, in place."""
    what = "a persistent broadcast"
    checked_context(context, what)
    root = checked_number(root, "the root of a persistent broadcast")
    require_writable(array, f"{what} overwrites its array")
    return PersistentCollective(_core.persistent_broadcast(context, array, root), array)


def persistent_allgather(context: _core.Context, array: np.ndarray) -> PersistentCollective:
    """Makes an allgather in place: entry r of the first axis, which has one for each rank, is what
    rank r gives."""
    what = "a persistent allgather"
    checked_context(context, what)
    require_writable(array, f"{what} overwrites its array")
    by_rank(context, array, what)
    return PersistentCollective(_core.persistent_allgather(context, array), array)


def persistent_alltoall(
    context: _core.Context, send: np.ndarray, receive: np.ndarray
) -> PersistentCollective:
    """Makes an alltoall: entry r of `send` goes to rank r, from which entry r of `receive` comes.

    Both are of one shape and dtype, and do not overlap.
    """
    what = "a persistent alltoall"
    checked_context(context, what)
    require_writable(receive, f"{what} overwrites `receive`")
    _require_apart(send, receive, what)
    if send.shape != receive.shape or send.dtype != receive.dtype:
        raise _core.UsageError(
            f"{what} of {send.dtype} {send.shape} into {receive.dtype} {receive.shape}: give two"
            " of one shape and dtype"
        )
    by_rank(context, send, what)
    return PersistentCollective(_core.persistent_alltoall(context, send, receive), send, receive)


def persistent_reduce_scatter(
    context: _core.Context, array: np.ndarray, mine: np.ndarray, operation: str = "sum"
) -> PersistentCollective:
    """Makes a reduce_scatter: entry r of every rank's `array`, combined, becomes `mine` of rank r.

    `mine` has the shape of one entry and the dtype of `array`, and does not overlap it.
    """
    what = "a persistent reduce_scatter"
    checked_context(context, what)
    require_writable(mine, f"{what} overwrites `mine`")
    _require_apart(array, mine, what)
    by_rank(context, array, what)
    if array.shape[1:] != mine.shape or array.dtype != mine.dtype:
        raise _core.UsageError(
            f"{what} of {array.dtype} {array.shape} into {mine.dtype} {mine.shape}: `mine` is like"
            " one entry"
        )
    plain, kind = plain_numbers(array, operation, what)
    return PersistentCollective(
        _core.persistent_reduce_scatter(context, plain, mine, kind, operation), array, mine
    )


def _require_apart(read: np.ndarray, written: np.ndarray, what: str) -> None:
    if not (isinstance(read, np.ndarray) and read.flags.c_contiguous):
        raise _core.UsageError(f"{what} reads its array in place: give a C-contiguous NumPy array")
    if np.may_share_memory(read, written):
        raise _core.UsageError(f"{what} of arrays that overlap: give it two apart")
