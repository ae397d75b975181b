"""Streams carry items of any size from producers to consumers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop.argument import Made, checked_context, checked_int, checked_number
from onehop.device_arrays import host_array


class StreamItem(Made):
    """One item from `producer`; `bytes` is a read-only view, valid until `release`.

    >>> events = onehop.Stream(job, producers=[0], consumers=[0])
    >>> events.send(np.array([0.5, 0.25])); events.flush()
    >>> item = events.next()
    >>> item.producer, item.bytes.view(np.float64)
    (0, array([0.5 , 0.25]))
    >>> events.release(item); events.close()
    """

    def __init__(self, core: _core.StreamItem) -> None:
        self._core = core

    @property
    def bytes(self) -> NDArray[np.uint8]:
        return self._core.bytes

    @property
    def producer(self) -> int:
        return self._core.producer

    def __repr__(self) -> str:
        return f"<StreamItem of {self.bytes.size} bytes from rank {self.producer}>"


class StreamPlace(Made):
    """Room for an item: write it to `bytes`, a view of the memory, and then `publish` it.

    >>> events = onehop.Stream(job, producers=[0], consumers=[0])
    >>> place = events.reserve(16)
    >>> place.bytes.view(np.float64)[:] = 0.5, 0.25         # written where it is sent from
    >>> events.publish(place); events.close()
    >>> [item.bytes.size for item in events]
    [16]
    """

    def __init__(self, core: _core.StreamPlace) -> None:
        self._core = core

    @property
    def bytes(self) -> NDArray[np.uint8]:
        return self._core.bytes

    @property
    def consumer(self) -> int:
        return self._core.consumer


class Stream(Made):
    """A queue with room for a bounded number of bytes from every producer to every consumer.

    Collective: every rank of the context makes it, with the same producers, consumers and sizes.
    Items of one producer to one consumer arrive whole, once and in order. `largest_item` and
    `block_bytes` are in bytes; `blocks` is the number of blocks for which a consumer has room, for
    each producer. A published item leaves at once if its consumer has released everything that was
    sent before; other items travel together, when a block is full or has been released; `flush`
    sends them even if the block is not full. Ranks stay in the job until every consumer has seen
    the end. Raises UsageError for impossible ranks and sizes, ResourceError if memory is short.

    >>> with onehop.Stream(job, producers=[0], consumers=[0]) as events:
    ...     events.send(np.array([0.5, 0.25]))              # or reserve, fill, publish
    ...     events.close()
    ...     for item in events:                             # released when the loop goes on
    ...         print(item.bytes.view(np.float64))
    [0.5  0.25]
    """

    def __init__(
        self,
        context: _core.Context,
        producers: Sequence[int],
        consumers: Sequence[int],
        largest_item: int = 1024,
        block_bytes: int = 0,
        blocks: int = 4,
    ) -> None:
        checked_context(context, "a stream")
        numbers = (
            checked_number(largest_item, "the largest item of a stream"),
            checked_number(block_bytes, "the block size of a stream"),
            checked_number(blocks, "the blocks of a stream"),
        )
        if min(numbers) < 0:
            raise _core.UsageError(f"a stream with sizes {numbers}: give no negative number")
        ends = (
            _checked_ranks(producers, "the producers of a stream"),
            _checked_ranks(consumers, "the consumers of a stream"),
        )
        self._core = _core.Stream(context, *ends, *numbers)
        self.context = context

    def reserve(self, size_bytes: int, consumer: int | None = None) -> StreamPlace:
        """Waits for room for an item of at most `size_bytes` bytes at `consumer`, or at any
        consumer, and returns it.

        Raises UsageError at a rank that does not produce, for more than `largest_item`, after
        `close` and while another item is reserved; TimeoutError and PeerError as PutChain.wait.
        """
        return StreamPlace(self._core.reserve(*_checked_place(size_bytes, consumer)))

    def try_reserve(self, size_bytes: int, consumer: int | None = None) -> StreamPlace | None:
        """Returns room as `reserve` does, without waiting: None if there is no room."""
        found = self._core.try_reserve(*_checked_place(size_bytes, consumer))
        return None if found is None else StreamPlace(found)

    def publish(self, place: StreamPlace, size_bytes: int | None = None) -> None:
        """Publishes the item in `place`, or its first bytes. Raises UsageError for a place that is
        not reserved."""
        size = place.bytes.size if size_bytes is None else size_bytes
        self._core.publish(place._core, checked_number(size, "the size of an item"))

    def send(self, array: np.ndarray | bytes, consumer: int | None = None) -> None:
        """Copies the bytes of a contiguous array, or `bytes`, as one item; waits for room."""
        data = np.frombuffer(array, np.uint8) if isinstance(array, bytes) else host_array(array)
        if not data.flags.c_contiguous:
            raise _core.UsageError("send takes contiguous memory: give numpy.ascontiguousarray(..)")
        self._core.send(data, _checked_place(data.size, consumer)[1])

    def flush(self) -> None:
        """Sends published items that are still held back."""
        self._core.flush()

    def close(self) -> None:
        """Says that this rank sends no more items; waits until all have left and the consumers
        know."""
        self._core.close()

    def try_close(self) -> bool:
        """Closes without waiting; returns True once everything is sent. Call it again until
        then."""
        return self._core.try_close()

    def next(self) -> StreamItem | None:
        """Waits for the next item of any producer and returns it; None once all have closed and
        everything is taken."""
        found = self._core.next()
        return None if found is None else StreamItem(found)

    def try_next(self) -> StreamItem | None:
        """Returns the next item without waiting, or None if there is none; `ended` says whether
        more may come."""
        found = self._core.try_next()
        return None if found is None else StreamItem(found)

    @property
    def ended(self) -> bool:
        """Whether next or try_next has found that no more items will come."""
        return self._core.ended

    def release(self, item: StreamItem) -> None:
        """Gives the item's memory back; its bytes may change from here on."""
        self._core.release(item._core)

    def __iter__(self) -> Iterator[StreamItem]:
        """Yields every item until the end. Each is released when the loop goes on to the next."""
        while (item := self.next()) is not None:
            try:
                yield item
            finally:
                self.release(item)

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        """Ends with a barrier, so that no rank leaves before every consumer has seen the end."""
        if kind is None:
            _core.barrier(self.context)


def _checked_ranks(given: Sequence[int], what: str) -> list[int]:
    try:
        ranks = list(given)
    except TypeError:
        raise _core.UsageError(
            f"{what} are of type {type(given).__name__}: give a list of ranks"
        ) from None
    return [checked_int(rank, f"one of {what}") for rank in ranks]


def _checked_place(size_bytes: int, consumer: int | None) -> tuple[int, int]:
    size = checked_number(size_bytes, "the size of an item")
    if size < 0:
        raise _core.UsageError(f"an item of {size} bytes: give no negative number")
    if consumer is None:
        return size, _core.Stream.any
    rank = checked_number(consumer, "the consumer of an item")
    if rank < 0:
        raise _core.UsageError(f"consumer {rank} of an item: give a rank that consumes")
    return size, rank
