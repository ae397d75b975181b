"""The ghosts of a field in a device's memory are those of the whole lattice, with corners too.

halo.py [stream]
"""

import itertools
import json
import sys

import cupy
import numpy as np

import onehop

job = onehop.join()
extents = (6, 8, 10)
ranks = onehop.Cartesian(job, extents)
whole = np.arange(np.prod(extents) * 3, dtype=np.complex128).reshape(*extents, 3)
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    block = cupy.zeros((*ranks.local, 3), cupy.complex128)
    field = onehop.HaloField.register(ranks, block, padded=False, stream=stream)
    size = onehop.HaloExchange.ghost_bytes(field, corners=True)
    halo = onehop.HaloExchange(
        field,
        corners=True,
        ghosts=cupy.zeros(size, cupy.uint8),
        stream=stream,
        wait_on_stream="stream" in sys.argv,
    )
    wrong = 0
    for turn in (1, 2, 3):
        block[...] = cupy.asarray(turn * whole[ranks.slices])
        halo.exchange()
        for steps in itertools.product((-1, 0, 1), repeat=3):
            if not any(steps):
                continue
            got = cupy.asnumpy(cupy.asarray(halo.ghost_at(steps)), stream=stream)
            places = []
            for extent, mine, step in zip(extents, ranks.slices, steps, strict=True):
                inside = range(mine.start, mine.stop)
                outside = {-1: [mine.start - 1], 0: inside, 1: [mine.stop]}[step]
                places.append([place % extent for place in outside])
            wrong += int(np.count_nonzero(got != turn * whole[np.ix_(*places)]))
    halo.synchronise()
sys.stdout.write(json.dumps({"wrong": wrong, "describe": halo.describe()}) + "\n")
