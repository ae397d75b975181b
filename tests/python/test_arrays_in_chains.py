"""Arrays of other libraries are used as windows and as sources of puts."""

from __future__ import annotations

import numpy as np
import pytest
from support.device_arrays import CONSUMING, ByDlpack, ByInterface, FakeDevice

import onehop
from onehop import UsageError, _core


@pytest.fixture
def calls(monkeypatch):
    """Records what reaches the library, which has no device here: windows are the host's
    instead."""
    seen = []

    def register(context, address, size_bytes):
        seen.append(("register", address, size_bytes))
        return _core.Window.allocate(context, size_bytes, 1)

    def push(_, *place):
        seen.append(("push", *place))

    monkeypatch.setattr(_core.Window, "register_address", staticmethod(register))
    monkeypatch.setattr(_core.PutChain, "push_address", push)
    monkeypatch.setattr(_core.PutChain, "set_stream", lambda _, stream: seen.append(stream))
    return seen


@pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
def test_a_window_over_an_array_of_a_device(device, calls, kind):
    producer = kind(device)
    window = onehop.Window.register(onehop.join("self"), producer, stream=CONSUMING)
    assert calls == [("register", producer.memory.ctypes.data, 96)]
    assert (window.shape, window.dtype) == ((3, 4), np.float64)
    device.synchronise(CONSUMING)
    assert producer.is_right


def test_windows_on_a_device_are_contiguous(device, calls):
    with pytest.raises(UsageError, match="not C-contiguous"):
        onehop.Window.register(
            onehop.join("self"), ByDlpack(device, (3, 4), (slice(None), slice(2)))
        )
    assert calls == []


def test_a_put_of_an_array_of_a_device_goes_by_its_pieces(device, calls):
    context = onehop.join("self")
    producer = ByDlpack(device, (3, 4), (slice(None), slice(2)))
    chain = onehop.PutChain(context, onehop.Window(context, 6))
    chain.push(producer, 0, 8)
    assert calls == [("push", producer.memory.ctypes.data, 16, 3, 32, 0, 8, False)]


def test_the_stream_of_a_chain_comes_after_what_its_arrays_wait_for(device, calls):
    context = onehop.join("self")
    source, target = ByDlpack(device), ByInterface(device)
    chain = onehop.PutChain(context, onehop.Window.register(context, target))
    chain.push(source, 0, 0)
    chain.set_stream(CONSUMING)
    assert calls[-1] == CONSUMING
    device.synchronise(CONSUMING)
    assert source.is_right
    assert target.is_right


def test_without_cuda_an_array_of_a_device_is_one_clear_line():
    device = FakeDevice()
    context = onehop.join("self")
    for make, words in (
        (
            lambda: onehop.to_host(ByDlpack(device)),
            "says that it lies in a CUDA device's memory, but: ",
        ),
        (
            lambda: onehop.to_host(ByInterface(device)),
            "says that it lies in a CUDA device's memory, but: ",
        ),
        (
            lambda: onehop.Window.register(context, ByInterface(device)),
            "CUDA device's memory, but: ",
        ),
        (
            lambda: onehop.PutChain(context, onehop.Window(context, 12)).push(
                ByDlpack(device), 0, 0
            ),
            "CUDA device's memory, but: ",
        ),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            make()
        assert "\n" not in str(caught.value)


def test_arrays_of_the_host_come_from_any_library():
    memory, source = np.zeros(4), np.full(4, 3.0)
    context = onehop.join("self")
    window = onehop.Window.register(context, OfTheHost(memory))
    chain = onehop.PutChain(context, window)
    chain.push(OfTheHost(source), 0, 0)
    chain.add_origin(0)
    chain.commit()
    chain.start()
    chain.wait()
    assert np.array_equal(memory, source)
    with pytest.raises(UsageError, match="list was given for an array"):
        onehop.Window.register(context, [1.0])
    with pytest.raises(UsageError, match="OfNoType does not give its memory: Unsupported dtype"):
        onehop.Window.register(context, OfNoType(memory))


class OfTheHost:
    """Another library's array in memory of the host."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)


class OfNoType(OfTheHost):
    """The type is one that NumPy lacks, as the short floats of machine learning are."""

    def __dlpack__(self, **asked):
        raise RuntimeError("Unsupported dtype in DLTensor.")
