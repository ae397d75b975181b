"""These arrays say that they lie in a device's memory, with streams as slow as possible.

No device is needed: memory is the host's, streams are lists of work that is done when somebody
waits, and arrays are given by a producer that has enqueued its work and not waited for it.
"""

from __future__ import annotations

import ctypes

import numpy as np

from onehop.device_arrays import LEGACY_STREAM

CUDA, ROCM = 2, 10
PRODUCING, CONSUMING = 7, 5


class FakeDevice:
    """A device with streams whose work is done no sooner than somebody waits for them."""

    def __init__(self):
        self.queues = {}
        self.orders = []

    def enqueue(self, stream, work):
        self.queues.setdefault(stream, []).append(work)

    def order(self, follower, leader, address):
        """Orders what is enqueued on `follower` from now on after what `leader` holds now."""
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
    """Makes an unversioned DLPack capsule that says that a NumPy array of doubles is a device's."""
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

    def __init__(self, device, shape=(3, 4), slices=(slice(None),)):
        self.device = device
        self.expected = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)[slices]
        self.memory = np.full(shape, np.nan)[slices]
        self.asked = []
        self._keep = []
        device.enqueue(PRODUCING, lambda: np.copyto(self.memory, self.expected))

    @property
    def is_right(self):
        return np.array_equal(self.memory, self.expected)


class ByDlpack(SlowProducer):
    def __dlpack_device__(self):
        return CUDA, 0

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append((stream, max_version))
        if stream != -1:
            self.device.order(stream or LEGACY_STREAM, PRODUCING, 0)
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
