"""Each rank's device puts to the next one's.

Sources are written late and arrivals compared at once, both by kernels on the stream of the chain.

ring.py BYTES ROWS EXCHANGES [stream]
"""

import json
import sys

import cupy

import onehop

size, rows, exchanges = map(int, sys.argv[1:4])
job = onehop.join()
words = size // 8
after, before = (job.rank + 1) % job.size, (job.rank - 1) % job.size
stream = cupy.cuda.Stream(non_blocking=True)

# Rows of a source lie apart, as those of a face that is strided.
field = cupy.zeros((rows, words // rows + (3 if rows > 1 else 0)), cupy.int64)
face = field[:, : words // rows]
ghosts = cupy.zeros(words, cupy.int64)
places = cupy.arange(words, dtype=cupy.int64)
late = cupy.zeros(1 << 24, cupy.float32)
wrong = cupy.zeros((), cupy.int64)
cupy.cuda.Device().synchronize()

chain = onehop.PutChain(job, onehop.Window.register(job, ghosts, stream))
chain.set_stream(stream)
chain.push(face, after, 0)
chain.add_origin(before)
if "stream" in sys.argv[4:]:
    chain.wait_on_stream()
chain.commit()


def contents(rank, exchange):
    return places * 1000003 + rank * 1009 + exchange


with stream:
    for exchange in range(exchanges):
        for _ in range(8):
            late += 1
        face[...] = contents(job.rank, exchange).reshape(face.shape)
        chain.start()
        chain.wait()
        wrong += cupy.count_nonzero(ghosts != contents(before, exchange))
chain.synchronise()
stream.synchronize()
found = {
    "wrong": int(wrong),
    "waits_on_stream": chain.waits_on_stream,
    "describe": chain.describe(),
}
sys.stdout.write(json.dumps(found) + "\n")
