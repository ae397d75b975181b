"""Collectives on arrays of a device whose driver has none: what lies where, and what it becomes.

The arrays say where they lie by __cuda_array_interface__, and are written and read by the driver's
own copies, on a stream of the program.
"""

import ctypes
import sys

import numpy as np

import onehop
from onehop import _core

job = onehop.join()
memory = []
driver = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()


def call(name, *arguments):
    assert getattr(driver, name)(*arguments) == 0, name


call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxPushCurrent_v2", context)
call("cuStreamCreate", ctypes.byref(stream), 1)
handle = ctypes.c_uint64


class OnDevice:
    def __init__(self, values):
        self.shape, self.dtype = values.shape, values.dtype
        self.memory = _core.DeviceMemory(0, max(values.nbytes, 1))
        self.set(values)

    def set(self, values):
        self.values = np.ascontiguousarray(values, self.dtype)  # stays until the copy is done
        source = ctypes.c_void_p(self.values.ctypes.data)
        size = ctypes.c_size_t(self.values.nbytes)
        call("cuMemcpyHtoDAsync_v2", handle(self.memory.address), source, size, stream)

    def get(self):
        return onehop.to_host(self, stream.value)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.memory.address, False),
            "version": 3,
            "stream": stream.value,
        }


def expect(found, expected):
    np.testing.assert_array_equal(found, expected)


mine = np.arange(1000.0) * (job.rank + 1)
everyone = np.stack([np.arange(1000.0) * (rank + 1) for rank in range(job.size)])
total = sum(everyone)
try:
    onehop.broadcast(job, OnDevice(mine))
except onehop.UsageError as error:
    assert "set_collective_stream" in str(error), error
onehop.set_collective_stream(job, stream.value)

# What is only read may lie there.
expect(onehop.allreduce(job, OnDevice(mine)), total)
expect(onehop.allreduce_sum(job, OnDevice(mine)), total)
expect(onehop.allgather(job, OnDevice(mine)), everyone)
expect(onehop.reduce_scatter(job, OnDevice(everyone)), everyone[job.rank] * job.size)

# What is written in place is written there.
told = OnDevice(mine)
assert onehop.broadcast(job, told, job.size - 1) is told
expect(told.get(), everyone[-1])
entry = OnDevice(mine * 0)
onehop.scatter(job, OnDevice(everyone) if job.rank == 0 else None, like=entry)
expect(entry.get(), mine)

values, all, block = OnDevice(mine), OnDevice(everyone * 0), OnDevice(mine)
made = [
    onehop.persistent_allreduce(job, values),
    onehop.persistent_gather(job, block, all if job.rank == 0 else None),
]
for turn in (1, 2):
    values.set(turn * mine)
    block.set(turn * mine)
    for one in made:
        one.start()
    for one in made:
        one.wait()
    expect(values.get(), turn * total)
    if job.rank == 0:
        expect(all.get(), turn * everyone)
    expect(block.get(), turn * mine)
sys.stdout.write(f"{made[0]!r}\n")
