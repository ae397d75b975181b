"""Put chains on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop import _core
from onehop.argument import Made, checked, checked_context, checked_number
from onehop.device_array import device_array, host_array, is_on_device, stream_handle
from onehop.rma import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from onehop.device_array import DeviceArray, SupportsDlpack


class PutChain(Made):
    """A halo exchange described once and fired with one start.

    push / add_origin ...  ->  commit  ->  { start, wait }*  ->  clear

    It belongs to the thread that committed it: start, wait, test and clear raise UsageError in
    another one and in a forked child.
    """

    def __init__(self, context: _core.Context, window: Window) -> None:
        checked_context(context, "a put chain")
        checked(window, Window, "the window of a put chain", "a onehop.Window")
        self._core = _core.PutChain(context, window._core)
        self._window = window
        self._stream: int | None = None
        self._on_device = self._windows_own()

    def _windows_own(self) -> list[DeviceArray]:
        return [] if self._window._on_device is None else [self._window._on_device]

    def set_stream(self, stream: object) -> None:
        """Names the stream of a CUDA device that uses the arrays of a device in this chain.

        What it holds at a start happens before the puts read their sources and before the window
        changes; after wait or test what arrived may be used on any stream. `stream` is as for
        `device_array`. A chain with an array of a device cannot start without. Raises UsageError in
        flight.
        """
        handle = stream_handle(stream)
        self._core.set_stream(handle)
        self._on_device = [device_array(array, handle) for array in self._on_device]
        self._stream = handle

    def wait_on_stream(self) -> None:
        """Before commit, on all ranks or on none: the stream waits, and Python goes on.

        For chains whose puts all go between devices of one machine, in processes of their own.
        start and wait then enqueue their work on the stream of set_stream and return at once; what
        is enqueued on it after a wait finds what arrived. Where that cannot be, as
        `waits_on_stream` and `describe` say after commit, wait waits as ever. Raises UsageError
        after commit.
        """
        self._core.wait_on_stream()

    @property
    def waits_on_stream(self) -> bool:
        """wait_on_stream was asked for and is what happens. Raises UsageError before commit."""
        return self._core.waits_on_stream

    def synchronise(self) -> None:
        """Returns once the stream has passed the last wait, where streams wait.

        Raises TimeoutError or PeerError as wait does, and has then let the stream go on.
        """
        self._core.synchronise()

    def push(
        self,
        source: np.ndarray | SupportsDlpack,
        target: int,
        remote_offset: int,
        variable: bool = False,
    ) -> _core.PutSlot:
        """Declares a put of `source` to `remote_offset` bytes into the window of `target`.

        `source` is read at every start, in place: contiguous memory, or pieces of equal length at
        equal distances (a column, a slice), of the host or of a CUDA device, for which set_stream
        says on which stream it is written. With `variable`, which is for contiguous memory of the
        host, `set_bytes` says before a start how much of it travels. Returns the name of the put.
        """
        on_device = is_on_device(source)
        memory = device_array(source, self._stream) if on_device else host_array(source)
        blocks = blocks_of(memory)
        target, remote_offset = _checked_place(target, remote_offset)
        if not on_device:
            return self._core.push(memory, *blocks, target, remote_offset, variable)
        if variable:
            raise _core.UsageError(
                "a put of variable size from an array of a device, which sends all of it: push a "
                "fixed one, or copy to an array of the host"
            )
        slot = self._core.push_address(memory.address, *blocks, target, remote_offset)
        self._on_device.append(memory)
        return slot

    def push_packed(
        self, size_bytes: int, target: int, remote_offset: int, variable: bool = False
    ) -> _core.PutSlot:
        """Declares a put whose bytes are written into target_view(slot) before each start.

        With `variable`, `size_bytes` is the most that it sends, and `set_bytes` says how much.
        """
        if checked_number(size_bytes, "the size of a packed put") < 0:
            raise _core.UsageError(f"push_packed of {size_bytes} bytes: give a number from 1")
        target, remote_offset = _checked_place(target, remote_offset)
        return self._core.push_packed(size_bytes, target, remote_offset, variable)

    def set_bytes(self, slot: _core.PutSlot, size_bytes: int) -> None:
        """What the coming starts send of a put of variable size: 0 to the most that it may.

        `arrived` is then as long at the target. Raises UsageError before commit, in flight, for
        more, and for a put of fixed size.
        """
        if checked_number(size_bytes, "the size of a put") < 0:
            raise _core.UsageError(f"set_bytes to {size_bytes}: give a number from 0")
        self._core.set_bytes(_slot(slot), size_bytes)

    def add_origin(self, rank: int) -> _core.Notification:
        """Expects one put of `rank`; returns the name of the arrival."""
        return self._core.add_origin(checked_number(rank, "an origin"))

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
            self._core.wait(_arrival(arrival))

    def wait_any(self, arrivals: Sequence[_core.Notification]) -> int:
        """Returns as soon as one of these is visible: its place among them.

        Leave out what you have dealt with, or it is told again. Raises UsageError for none.
        """
        return self._core.wait_any([_arrival(one) for one in arrivals])

    def wait_some(self, arrivals: Sequence[_core.Notification]) -> list[_core.Notification]:
        """Returns as soon as any of these are visible: all that are, in their order."""
        return self._core.wait_some([_arrival(one) for one in arrivals])

    def test(self, arrival: _core.Notification | None = None) -> bool:
        return self._core.test() if arrival is None else self._core.test(_arrival(arrival))

    def arrived(self, arrival: _core.Notification) -> np.ndarray:
        """What the last exchange brought, in the window's type, without a copy; read only.

        Valid until this rank's next start. Raises UsageError where a put of variable size brought
        no whole number of the window's elements.
        """
        brought = self._core.arrived(_arrival(arrival))
        if brought.size % self._window.dtype.itemsize:
            raise _core.UsageError(
                f"notification {arrival.index} brought {brought.size} bytes, no whole number of "
                f"{self._window.dtype}: send whole elements, or make the window of bytes"
            )
        return brought.view(self._window.dtype)

    def target_view(self, slot: _core.PutSlot) -> np.ndarray:
        """Where to write a packed put for the coming start, in the window's type."""
        return self._core.target_view(_slot(slot)).view(self._window.dtype)

    def direct(self, slot: _core.PutSlot) -> bool:
        """True when target_view is the target's memory, so that packing is the transfer."""
        return self._core.direct(_slot(slot))

    def clear(self) -> None:
        self._core.clear()
        self._on_device = self._windows_own()

    def __repr__(self) -> str:
        return f"<PutChain on {self._window!r}>"

    def describe(self) -> str:
        """One line per put: channel chosen and why."""
        return self._core.describe()


def _slot(slot: object) -> _core.PutSlot:
    return checked(slot, _core.PutSlot, "a put slot", "what push of this chain returned")


def _arrival(arrival: object) -> _core.Notification:
    source = "what add_origin of this chain returned"
    return checked(arrival, _core.Notification, "a notification", source)


def _checked_place(target: object, remote_offset: object) -> tuple[int, int]:
    target = checked_number(target, "the target of a put")
    remote_offset = checked_number(remote_offset, "the offset of a put")
    if remote_offset < 0:
        raise _core.UsageError(
            f"push to offset {remote_offset} of rank {target}: offsets are bytes from 0 on"
        )
    return target, remote_offset


def blocks_of(array: np.ndarray | DeviceArray) -> tuple[int, int, int]:
    """(bytes of a block, number of blocks, bytes from one to the next) of an array's memory."""
    dims = [(n, s) for n, s in zip(array.shape, array.strides, strict=True) if n != 1]
    block_bytes = array.dtype.itemsize
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
