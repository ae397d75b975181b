"""Makes put chains on arrays."""

import math
from collections.abc import Sequence

import numpy as np

from onehop import _core
from onehop.argument import Made, checked, checked_context, checked_number
from onehop.device_arrays import (
    DeviceArray,
    SupportsDlpack,
    device_array,
    host_array,
    is_on_device,
    stream_handle,
)
from onehop.rma import Window

# Bytes of a run, counts and strides of the loops, starts of listed runs.
_Runs = tuple[int, tuple[int, ...], tuple[int, ...], list[int]]


class PutChain(Made):
    """A halo exchange described once and fired with one start.

    push / add_origin ...  ->  commit  ->  { start, wait }*  ->  clear

    It belongs to the thread that committed it: start, wait, test and clear raise UsageError in
    another thread and in a forked child.

    >>> window, face = onehop.Window(job, shape=4), np.arange(4.0)
    >>> chain = onehop.PutChain(job, window)
    >>> slot = chain.push(face, target=0, remote_offset=0)
    >>> arrival = chain.add_origin(0)
    >>> chain.commit()
    >>> chain.start(); chain.wait()
    >>> chain.arrived(arrival)
    array([0., 1., 2., 3.])
    """

    def __init__(self, context: _core.Context, window: Window) -> None:
        checked_context(context, "a put chain")
        checked(window, Window, "the window of a put chain", "a onehop.Window")
        self._core = _core.PutChain(context, window._core)
        self._window = window
        self._stream: int | None = None
        self._sources: list[np.ndarray] = []
        self._on_device = self._windows_own()

    def _windows_own(self) -> list[DeviceArray]:
        return [] if self._window._on_device is None else [self._window._on_device]

    def set_stream(self, stream: object) -> None:
        """Names the stream of a CUDA device that uses the arrays of a device in this chain.

        Work that is enqueued on it at a start happens before the puts read their sources and before
        the window changes; after wait or test, arrivals may be used on any stream. `stream` is as
        for `device_array`. A chain with an array of a device cannot start without a stream. Raises
        UsageError in flight.
        """
        handle = stream_handle(stream)
        self._core.set_stream(handle)
        self._on_device = [device_array(array, handle) for array in self._on_device]
        self._stream = handle

    def take_turns(self) -> None:
        """Promises to read arrivals before writing the next target_view, since both may share
        memory.

        Call it before commit, on all ranks or on none. If two ranks send each other equally many
        puts of the same sizes, each rank then writes where it has just read, which between cores of
        a machine reduces the time for some KiB to between a third and a half. Only `arrived` then
        says where an arrival is; it is valid until a target_view is written. Raises UsageError
        after commit.
        """
        self._core.take_turns()

    def wait_on_stream(self) -> None:
        """Makes the stream wait instead of Python; call it before commit, on all ranks or on none.

        This is for chains whose puts all go between devices of one machine, in separate processes.
        start and wait then enqueue their work on the stream of set_stream and return at once; work
        enqueued on it after a wait finds the arrivals. If that is impossible, as `waits_on_stream`
        and `describe` say after commit, wait waits as usual. Raises UsageError after commit.
        """
        self._core.wait_on_stream()

    @property
    def waits_on_stream(self) -> bool:
        """Whether wait_on_stream was called and commit could follow it. Raises UsageError before
        commit."""
        return self._core.waits_on_stream

    def synchronise(self) -> None:
        """Returns once the stream has passed the last wait, if streams wait.

        Raises TimeoutError or PeerError as wait does, after releasing the stream.
        """
        self._core.synchronise()

    def push(
        self,
        source: np.ndarray | SupportsDlpack,
        target: int,
        remote_offset: int | None = None,
        variable: bool = False,
        *,
        into: np.ndarray | None = None,
        starts: Sequence[int] | np.ndarray | None = None,
    ) -> _core.PutSlot:
        """Declares a put of `source` to `remote_offset` bytes into the window of `target`.

        `source` is read in place at every start: contiguous memory, or pieces of equal length at
        equal distances (a column, a slice), of the host or of a CUDA device; set_stream then says
        on which stream it is written. With `variable`, for contiguous memory, `set_bytes` says
        before a start how much of it travels. Returns the slot of the put.

        The bytes arrive contiguously unless one of these is given; `arrived` is then the window
        from the first written element to the last:

        `into` is a part of this rank's own window, as window.array()[:, 0]: the put arrives in the
        same part of the target's window, with the same strides. It replaces `remote_offset`.

        `starts` are the offsets of runs of equal length, in bytes from `remote_offset`, in the
        order in which the runs are sent.
        """
        on_device = is_on_device(source)
        memory = device_array(source, self._stream) if on_device else host_array(source)
        blocks = blocks_of(memory)
        where = self._remote(target, remote_offset, into, starts, math.prod(blocks[:2]))
        if not on_device:
            slot = self._core.push(memory, *blocks, *where[:2], variable, where[2])
            self._sources.append(memory)
            return slot
        if where[2] is not None:
            raise _core.UsageError(
                "a put in runs from an array of a device, which arrives without gaps: push "
                "another one, or copy to an array of the host"
            )
        slot = self._core.push_address(memory.address, *blocks, *where[:2], variable)
        self._on_device.append(memory)
        return slot

    def push_packed(
        self,
        size_bytes: int,
        target: int,
        remote_offset: int | None = None,
        variable: bool = False,
        *,
        into: np.ndarray | None = None,
        starts: Sequence[int] | np.ndarray | None = None,
    ) -> _core.PutSlot:
        """Declares a put whose bytes are written into target_view(slot) before each start.

        With `variable`, `size_bytes` is the most that it sends, and `set_bytes` says how much.
        `into` and `starts` are as for push.
        """
        if checked_number(size_bytes, "the size of a packed put") < 0:
            raise _core.UsageError(f"push_packed of {size_bytes} bytes: give a number from 1")
        target, offset, runs = self._remote(target, remote_offset, into, starts, size_bytes)
        return self._core.push_packed(size_bytes, target, offset, variable, runs)

    def _remote(
        self,
        target: object,
        remote_offset: object,
        into: np.ndarray | None,
        starts: Sequence[int] | np.ndarray | None,
        size_bytes: int,
    ) -> tuple[int, int, _Runs | None]:
        """Target, offset, and the runs at the target where the bytes lie apart."""
        target = checked_number(target, "the target of a put")
        if into is None:
            offset = _checked_offset(target, remote_offset)
            return target, offset, None if starts is None else _listed(starts, size_bytes)
        if remote_offset is not None or starts is not None:
            raise _core.UsageError(
                "push into a part of the window and to an offset or starts: give one of them"
            )
        return target, self._window.offset_of(into), _in_loops(host_array(into))

    def set_bytes(self, slot: _core.PutSlot, size_bytes: int) -> None:
        """Sets how many bytes of a put of variable size the next starts send: 0 to its maximum.

        `arrived` has the same length at the target. Raises UsageError before commit, in flight, for
        more bytes, and for a put of fixed size.
        """
        if checked_number(size_bytes, "the size of a put") < 0:
            raise _core.UsageError(f"set_bytes to {size_bytes}: give a number from 0")
        self._core.set_bytes(_slot(slot), size_bytes)

    def add_origin(self, rank: int) -> _core.Notification:
        """Expects one put of `rank`; returns the arrival, as wait and arrived take it."""
        return self._core.add_origin(checked_number(rank, "an origin"))

    def commit(self) -> None:
        """Pairs puts and origins, and raises ChainError on every rank if they do not match;
        collective."""
        self._core.commit()

    def start(self) -> None:
        self._core.start()

    def start_partial(self) -> None:
        """Starts an exchange whose puts leave one by one, each when `ready` names it, so that the
        first ones travel while the bytes of others are still computed.

        Never blocks. Raises UsageError as start does, and for a chain with an array of a device.
        """
        self._core.start_partial()

    def ready(self, slot: _core.PutSlot) -> None:
        """Says that the bytes of this put are there, and fires it; never blocks.

        Before that, the bytes and the put's target_view may be written, and set_bytes may be
        called. Puts to one target leave in the order of push. Name every put once before wait.
        Raises UsageError without a start_partial, and for a put that is already ready.
        """
        self._core.ready(_slot(slot))

    def wait(self, arrival: _core.Notification | None = None) -> None:
        """Waits for all puts, or for one arrival."""
        if arrival is None:
            self._core.wait()
        else:
            self._core.wait(_arrival(arrival))

    def wait_any(self, arrivals: Sequence[_core.Notification]) -> int:
        """Returns the index, among these arrivals, of one that is visible, as soon as there is one.

        Leave out arrivals that you have dealt with, or they are returned again. Raises UsageError
        for no arrivals.
        """
        return self._core.wait_any([_arrival(one) for one in arrivals])

    def wait_some(self, arrivals: Sequence[_core.Notification]) -> list[_core.Notification]:
        """Returns all of these arrivals that are visible, in their order, as soon as there are
        any."""
        return self._core.wait_some([_arrival(one) for one in arrivals])

    def test(self, arrival: _core.Notification | None = None) -> bool:
        return self._core.test() if arrival is None else self._core.test(_arrival(arrival))

    def arrived(self, arrival: _core.Notification) -> np.ndarray:
        """Returns what the last exchange brought, in the window's type, without a copy; read only.

        Valid until this rank's next start, or, after take_turns, until a target_view is written.
        Raises UsageError if a put of variable size brought part of an element of the window.
        """
        brought = self._core.arrived(_arrival(arrival))
        if brought.size % self._window.dtype.itemsize:
            raise _core.UsageError(
                f"notification {arrival.index} brought {brought.size} bytes, no whole number of "
                f"{self._window.dtype}: send whole elements, or make the window of bytes"
            )
        return brought.view(self._window.dtype)

    def target_view(self, slot: _core.PutSlot) -> np.ndarray:
        """Returns where to write a packed put for the coming start, in the window's type."""
        return self._core.target_view(_slot(slot)).view(self._window.dtype)

    def direct(self, slot: _core.PutSlot) -> bool:
        """Returns true if target_view is the target's own memory, so that packing is the
        transfer."""
        return self._core.direct(_slot(slot))

    def clear(self) -> None:
        self._core.clear()
        self._sources = []
        self._on_device = self._windows_own()

    def __repr__(self) -> str:
        return f"<PutChain on {self._window!r}>"

    def describe(self) -> str:
        """Describes each put in one line: the channel chosen and why."""
        return self._core.describe()


def _slot(slot: object) -> _core.PutSlot:
    return checked(slot, _core.PutSlot, "a put slot", "what push of this chain returned")


def _arrival(arrival: object) -> _core.Notification:
    source = "what add_origin of this chain returned"
    return checked(arrival, _core.Notification, "a notification", source)


def _checked_offset(target: int, remote_offset: object) -> int:
    if remote_offset is None:
        raise _core.UsageError(
            f"push to rank {target} without a place: give remote_offset, or `into`"
        )
    remote_offset = checked_number(remote_offset, "the offset of a put")
    if remote_offset < 0:
        raise _core.UsageError(
            f"push to offset {remote_offset} of rank {target}: offsets are bytes from 0 on"
        )
    return remote_offset


def _listed(starts: Sequence[int] | np.ndarray, size_bytes: int) -> _Runs:
    listed = [checked_number(start, "the start of a run") for start in starts]
    if not listed or size_bytes % len(listed) or min(listed) < 0:
        raise _core.UsageError(
            f"push of {size_bytes} bytes in {len(listed)} runs: give starts from 0 on, for runs of "
            "equal length"
        )
    return size_bytes // len(listed), (1, 1, 1), (0, 0, 0), listed


def _in_loops(part: np.ndarray) -> _Runs:
    run_bytes, loops = runs_of(part)
    if len(loops) > 3:
        raise _core.UsageError(
            f"push into an array of shape {part.shape} with strides {part.strides}, which has runs "
            f"in {len(loops)} loops: push to parts of it, with three at most"
        )
    counts, strides = zip(*(loops[::-1] + [(1, 0)] * (3 - len(loops))), strict=True)
    return run_bytes, counts, strides, []


def runs_of(array: np.ndarray | DeviceArray) -> tuple[int, list[tuple[int, int]]]:
    """Bytes of the runs without gaps that an array's memory is made of, and the loops over them.

    A loop is how many, and how many bytes from one to the next; the outermost comes first.
    """
    loops: list[tuple[int, int]] = []
    for count, stride in zip(array.shape, array.strides, strict=True):
        if count == 1:
            continue
        if loops and loops[-1][1] == count * stride:
            count *= loops.pop()[0]
        loops.append((count, stride))
    if loops and loops[-1][1] == array.dtype.itemsize:
        return loops.pop()[0] * array.dtype.itemsize, loops
    return array.dtype.itemsize, loops


def blocks_of(array: np.ndarray | DeviceArray) -> tuple[int, int, int]:
    """(bytes of a block, number of blocks, bytes from one to the next) of an array's memory."""
    block_bytes, loops = runs_of(array)
    if len(loops) > 1:
        raise _core.UsageError(
            f"put of an array of shape {array.shape} with strides {array.strides} is not made of "
            "equal pieces at equal distances; make a contiguous copy or push it in parts"
        )
    return (block_bytes, *loops[0]) if loops else (block_bytes, 1, block_bytes)
