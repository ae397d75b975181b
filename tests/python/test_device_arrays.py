"""Arrays of a card are taken over in the order of streams.

No card is needed: memory is the host's, streams are lists of work that is done when somebody waits,
and arrays are given by a producer that has enqueued its work and not waited for it.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import onehop
from onehop import UsageError, _core
from onehop.device_array import LEGACY_STREAM, device_array, is_on_card, stream_handle

CUDA, CPU, ROCM = 2, 1, 10
PRODUCING, CONSUMING = 7, 5


class FakeCard:
    """Streams whose work is done no sooner than somebody waits for them."""

    def __init__(self):
        self.queues = {}
        self.orders = []

    def enqueue(self, stream, work):
        self.queues.setdefault(stream, []).append(work)

    def order(self, follower, leader, address):
        """What is enqueued on `follower` from now on waits for what `leader` holds now."""
        self.orders.append((follower, leader, address))
        held = len(self.queues.setdefault(leader, []))
        self.enqueue(follower, lambda: self._do(leader, held))

    def synchronise(self, stream):
        self._do(stream, len(self.queues.setdefault(stream, [])))

    def _do(self, stream, count):
        for place in range(count):
            work, self.queues[stream][place] = self.queues[stream][place], lambda: None
            work()


class DlTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class DlManagedTensor(ctypes.Structure):
    _fields_ = (("tensor", DlTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


def capsule_of(memory, keep):
    """An unversioned DLPack capsule that says that a NumPy array of doubles is a card's."""
    longs = ctypes.c_int64 * memory.ndim
    shape, strides = longs(*memory.shape), longs(*(s // memory.itemsize for s in memory.strides))
    managed = DlManagedTensor()
    managed.tensor = DlTensor(memory.ctypes.data, CUDA, 0, memory.ndim, 2, 64, 1, shape, strides, 0)
    keep.extend((memory, shape, strides, managed))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    return new(ctypes.addressof(managed), b"dltensor", None)


class SlowProducer:
    """Its memory becomes right when its stream's work is done, and is something else before."""

    def __init__(self, card, shape=(3, 4), slices=(slice(None),)):
        self.card = card
        self.expected = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)[slices]
        self.memory = np.full(shape, np.nan)[slices]
        self.asked = []
        self._keep = []
        card.enqueue(PRODUCING, lambda: np.copyto(self.memory, self.expected))

    @property
    def is_right(self):
        return np.array_equal(self.memory, self.expected)


class ByDlpack(SlowProducer):
    def __dlpack_device__(self):
        return CUDA, 0

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append((stream, max_version))
        if stream != -1:
            self.card.order(stream or LEGACY_STREAM, PRODUCING, 0)
        return capsule_of(self.memory, self._keep)


class OfOldDlpack(ByDlpack):
    def __dlpack__(self, stream=None):
        return super().__dlpack__(stream=stream)


class ByInterface(SlowProducer):
    stream, version = PRODUCING, 3

    @property
    def __cuda_array_interface__(self):
        described = {
            "shape": self.memory.shape,
            "typestr": "<f8",
            "data": (self.memory.ctypes.data, False),
            "strides": None if self.memory.flags.c_contiguous else self.memory.strides,
            "version": self.version,
        }
        return described | ({"stream": self.stream} if self.version >= 3 else {})


@pytest.fixture
def card(monkeypatch):
    fake = FakeCard()
    monkeypatch.setattr(_core, "order_streams", fake.order)
    monkeypatch.setattr(_core, "card_of", lambda address: 0)
    return fake


@pytest.mark.parametrize("kind", [ByDlpack, OfOldDlpack, ByInterface])
def test_contents_are_there_in_the_order_of_the_consumers_stream(card, kind):
    producer = kind(card)
    seen = []
    found = device_array(producer, CONSUMING)
    card.enqueue(CONSUMING, lambda: seen.append(producer.is_right))
    assert not producer.is_right  # nobody has waited on the host
    card.synchronise(CONSUMING)
    assert seen == [True]
    assert found.stream == CONSUMING


@pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
def test_memory_is_described_as_it_lies(card, kind):
    producer = kind(card, (3, 4), (slice(None), slice(0, 4, 2)))
    found = device_array(producer)
    assert (found.address, found.shape) == (producer.memory.ctypes.data, (3, 2))
    assert found.strides == (32, 16) == producer.memory.strides
    assert found.dtype == np.float64
    assert not found.is_contiguous
    assert device_array(kind(card)).is_contiguous
    assert not found.read_only


def test_the_producer_is_asked_for_the_stream_that_goes_on(card):
    producer = ByDlpack(card)
    device_array(producer)
    device_array(producer, CONSUMING)
    assert [stream for stream, _ in producer.asked] == [LEGACY_STREAM, CONSUMING]


def test_an_array_that_went_on_elsewhere_is_ordered_again(card):
    producer = ByDlpack(card)
    device_array(device_array(producer, CONSUMING), 9)
    card.synchronise(9)
    assert producer.is_right


def test_no_stream_in_the_interface_is_nothing_to_wait_for(card):
    producer = ByInterface(card)
    producer.stream = None
    device_array(producer, CONSUMING)
    assert card.orders == []


def test_old_interfaces_mean_the_default_stream(card):
    producer = ByInterface(card)
    producer.version = 2
    device_array(producer, CONSUMING)
    assert card.orders == [(CONSUMING, LEGACY_STREAM, producer.memory.ctypes.data)]


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


def test_what_cannot_be_taken_is_refused_in_one_line(card):
    class Rocm(ByDlpack):
        def __dlpack_device__(self):
            return ROCM, 0

    class Masked(ByInterface):
        @property
        def __cuda_array_interface__(self):
            return super().__cuda_array_interface__ | {"mask": self}

    ambiguous = ByInterface(card)
    ambiguous.stream = 0
    for refused, words in (
        (Rocm(card), "kind 10"),
        (np.zeros(3), "memory of the host"),
        (Masked(card), "mask"),
        (ambiguous, "stream 0"),
        ([1, 2], "list has neither"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            device_array(refused)
        assert "\n" not in str(caught.value)


def test_memory_of_the_host_is_known(card):
    assert not is_on_card(np.zeros(3))
    assert not is_on_card([1])
    assert is_on_card(ByDlpack(card))
    assert is_on_card(ByInterface(card))
    assert card.orders == []


@pytest.mark.parametrize("kind", [ByDlpack, OfOldDlpack, ByInterface])
def test_a_copy_on_the_host_is_made_after_what_the_owner_enqueued(card, monkeypatch, kind):
    def copy(to, address, stream):
        card.enqueue(stream, lambda: ctypes.memmove(to.ctypes.data, address, to.nbytes))
        card.synchronise(stream)

    monkeypatch.setattr(_core, "copy_from_card", copy)
    producer = kind(card)
    copied = onehop.to_host(producer, CONSUMING)
    assert copied.dtype == np.float64
    assert np.array_equal(copied, producer.expected)


def test_copies_are_of_contiguous_arrays(card):
    with pytest.raises(UsageError, match="make it contiguous"):
        onehop.to_host(ByDlpack(card, (3, 4), (slice(None), slice(2))))


@pytest.fixture
def calls(monkeypatch):
    """What reaches the library, which has no card here: windows are the host's instead."""
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
def test_a_window_over_an_array_of_a_card(card, calls, kind):
    producer = kind(card)
    window = onehop.Window.register(onehop.join("self"), producer, stream=CONSUMING)
    assert calls == [("register", producer.memory.ctypes.data, 96)]
    assert (window.shape, window.dtype) == ((3, 4), np.float64)
    card.synchronise(CONSUMING)
    assert producer.is_right


def test_windows_on_a_card_are_contiguous(card, calls):
    with pytest.raises(UsageError, match="not C-contiguous"):
        onehop.Window.register(onehop.join("self"), ByDlpack(card, (3, 4), (slice(None), slice(2))))
    assert calls == []


def test_a_put_of_an_array_of_a_card_goes_by_its_pieces(card, calls):
    context = onehop.join("self")
    producer = ByDlpack(card, (3, 4), (slice(None), slice(2)))
    chain = onehop.PutChain(context, onehop.Window(context, 6))
    chain.push(producer, 0, 8)
    assert calls == [("push", producer.memory.ctypes.data, 16, 3, 32, 0, 8)]


def test_the_stream_of_a_chain_comes_after_what_its_arrays_wait_for(card, calls):
    context = onehop.join("self")
    source, target = ByDlpack(card), ByInterface(card)
    chain = onehop.PutChain(context, onehop.Window.register(context, target))
    chain.push(source, 0, 0)
    chain.set_stream(CONSUMING)
    assert calls[-1] == CONSUMING
    card.synchronise(CONSUMING)
    assert source.is_right
    assert target.is_right


def test_without_cuda_an_array_of_a_card_is_one_clear_line():
    card = FakeCard()
    context = onehop.join("self")
    for make, words in (
        (
            lambda: onehop.to_host(ByDlpack(card)),
            "says that it lies in a CUDA card's memory, but: ",
        ),
        (
            lambda: onehop.to_host(ByInterface(card)),
            "says that it lies in a CUDA card's memory, but: ",
        ),
        (lambda: onehop.Window.register(context, ByInterface(card)), "CUDA card's memory, but: "),
        (
            lambda: onehop.PutChain(context, onehop.Window(context, 12)).push(ByDlpack(card), 0, 0),
            "CUDA card's memory, but: ",
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


class OfTheHost:
    """Another library's array in memory of the host."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)
