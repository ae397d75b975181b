"""Collectives on arrays of CuPy give what they give on NumPy's, in the order of a stream.

Values are written late by kernels of the stream, and results are compared by kernels at once.
"""

import json
import sys

import cupy
import numpy as np

import onehop

job = onehop.join()
stream = cupy.cuda.Stream(non_blocking=True)
onehop.set_collective_stream(job, stream)
late = cupy.zeros(1 << 24, cupy.float32)
wrong = cupy.zeros((), cupy.int64)
cupy.cuda.Device().synchronize()


def given(rank, count, turn):
    """Returns numbers whose sum depends on the order of adding them."""
    draw = np.random.default_rng([rank, count, turn])
    return draw.standard_normal(count) * 10.0 ** draw.integers(-8, 8, count)


for count in (1, 1000, 1 << 18):
    values, told = cupy.zeros(count), cupy.zeros(count)
    all = cupy.zeros((job.size, count))
    made = [onehop.persistent_allreduce(job, values), onehop.persistent_allgather(job, all)]
    for turn in range(5):
        numbers = [given(rank, count, turn) for rank in range(job.size)]
        total = numbers[0].copy()
        for more in numbers[1:]:
            total += more
        mine = cupy.asarray(numbers[job.rank])
        cupy.cuda.Device().synchronize()
        with stream:
            for _ in range(8):
                late += 1
            values[...] = told[...] = all[job.rank] = mine
            for one in made:
                one.start()
            for one in made:
                one.wait()
            wrong += cupy.count_nonzero(values != cupy.asarray(total))
            wrong += cupy.count_nonzero(all != cupy.asarray(np.stack(numbers)))
            onehop.broadcast(job, told, turn % job.size)
            wrong += cupy.count_nonzero(told != cupy.asarray(numbers[turn % job.size]))
            found = onehop.allreduce(job, mine)
            wrong += int(np.count_nonzero(found != total))
stream.synchronize()
sys.stdout.write(json.dumps({"wrong": int(wrong)}) + "\n")
