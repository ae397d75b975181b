"""Arrays of a device are taken over in the order of streams."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from support.device_arrays import CONSUMING, ROCM, ByDlpack, ByInterface, OfOldDlpack

import onehop
from onehop import UsageError, _core
from onehop.device_arrays import (
    LEGACY_STREAM,
    _dtype,
    device_array,
    is_on_device,
    stream_handle,
)


@pytest.mark.parametrize("kind", [ByDlpack, OfOldDlpack, ByInterface])
def test_contents_are_there_in_the_order_of_the_consumers_stream(device, kind):
    producer = kind(device)
    seen = []
    found = device_array(producer, CONSUMING)
    device.enqueue(CONSUMING, lambda: seen.append(producer.is_right))
    assert not producer.is_right  # nobody has waited on the host
    device.synchronise(CONSUMING)
    assert seen == [True]
    assert found.stream == CONSUMING


@pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
def test_memory_is_described_as_it_lies(device, kind):
    producer = kind(device, (3, 4), (slice(None), slice(0, 4, 2)))
    found = device_array(producer)
    assert (found.address, found.shape) == (producer.memory.ctypes.data, (3, 2))
    assert found.strides == (32, 16) == producer.memory.strides
    assert found.dtype == np.float64
    assert not found.is_contiguous
    assert device_array(kind(device)).is_contiguous
    assert not found.read_only


def test_the_producer_is_asked_for_the_stream_that_goes_on(device):
    producer = ByDlpack(device)
    device_array(producer)
    device_array(producer, CONSUMING)
    assert [stream for stream, _ in producer.asked] == [LEGACY_STREAM, CONSUMING]


def test_an_array_that_went_on_elsewhere_is_ordered_again(device):
    producer = ByDlpack(device)
    device_array(device_array(producer, CONSUMING), 9)
    device.synchronise(9)
    assert producer.is_right


def test_no_stream_in_the_interface_is_nothing_to_wait_for(device):
    producer = ByInterface(device)
    producer.stream = None
    device_array(producer, CONSUMING)
    assert device.orders == []


def test_old_interfaces_mean_the_default_stream(device):
    producer = ByInterface(device)
    producer.version = 2
    device_array(producer, CONSUMING)
    assert device.orders == [(CONSUMING, LEGACY_STREAM, producer.memory.ctypes.data)]


def test_streams_of_libraries():
    class Torch:
        cuda_stream = 0

    class Cupy:
        ptr = 140737

    class Protocol:
        def __cuda_stream__(self):
            return 0, 99

    handles = [stream_handle(s) for s in (None, 1, 2, 12345, Torch(), Cupy(), Protocol())]
    assert handles == [1, 1, 2, 12345, 1, 140737, 99]


@pytest.mark.parametrize("stream", [0, -1, "default", True, 1.5])
def test_what_is_no_stream_is_refused(stream):
    with pytest.raises(UsageError, match="1 the legacy default stream"):
        stream_handle(stream)


def test_what_cannot_be_taken_is_refused_in_one_line(device):
    class Rocm(ByDlpack):
        def __dlpack_device__(self):
            return ROCM, 0

    class Masked(ByInterface):
        @property
        def __cuda_array_interface__(self):
            return super().__cuda_array_interface__ | {"mask": self}

    ambiguous = ByInterface(device)
    ambiguous.stream = 0
    for refused, words in (
        (Rocm(device), "kind 10"),
        (np.zeros(3), "memory of the host"),
        (Masked(device), "mask"),
        (ambiguous, "stream 0"),
        ([1, 2], "list has neither"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            device_array(refused)
        assert "\n" not in str(caught.value)


def test_memory_of_the_host_is_known(device):
    assert not is_on_device(np.zeros(3))
    assert not is_on_device([1])
    assert is_on_device(ByDlpack(device))
    assert is_on_device(ByInterface(device))
    assert device.orders == []


@pytest.mark.parametrize("kind", [ByDlpack, OfOldDlpack, ByInterface])
def test_a_copy_on_the_host_is_made_after_what_the_owner_enqueued(device, monkeypatch, kind):
    def copy(to, address, stream):
        device.enqueue(stream, lambda: ctypes.memmove(to.ctypes.data, address, to.nbytes))
        device.synchronise(stream)

    monkeypatch.setattr(_core, "copy_from_device", copy)
    producer = kind(device)
    copied = onehop.to_host(producer, CONSUMING)
    assert copied.dtype == np.float64
    assert np.array_equal(copied, producer.expected)


def test_copies_are_of_contiguous_arrays(device):
    with pytest.raises(UsageError, match="make it contiguous"):
        onehop.to_host(ByDlpack(device, (3, 4), (slice(None), slice(2))))


@pytest.mark.parametrize(
    ("kind", "item_bytes", "name"),
    [
        ("f", 4, "f4"),
        ("c", 16, "c16"),
        ("b", 1, "b1"),
        ("c", 4, "V4"),
        ("f", 1, "V1"),
        ("i", 16, "V16"),
    ],
)
def test_a_type_that_numpy_lacks_is_bytes(kind, item_bytes, name):
    assert _dtype(kind, item_bytes) == np.dtype(name)
