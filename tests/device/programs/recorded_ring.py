"""A CUDA graph with two exchanges of a chain that streams wait for is replayed between exchanges
outside of it."""

import json
import sys

import cupy

import onehop

job = onehop.join()
after, before = (job.rank + 1) % job.size, (job.rank - 1) % job.size
stream = cupy.cuda.Stream(non_blocking=True)
source = cupy.full(4096, job.rank * 1000, cupy.int64)
ghosts = cupy.zeros_like(source)
expected = cupy.full(4096, before * 1000, cupy.int64)
wrong = cupy.zeros(4096, cupy.int64)
step = cupy.ElementwiseKernel("", "int64 source, int64 expected", "source += 1; expected += 1")
check = cupy.ElementwiseKernel("int64 a, int64 b", "int64 wrong", "wrong += a != b")
cupy.cuda.Device().synchronize()

chain = onehop.PutChain(job, onehop.Window.register(job, ghosts, stream))
chain.set_stream(stream)
chain.push(source, after, 0)
chain.add_origin(before)
chain.wait_on_stream()
chain.commit()
found = {"waits_on_stream": chain.waits_on_stream, "describe": chain.describe(), "wrong": 0}


def exchange():
    step(source, expected)
    chain.start()
    chain.wait()
    check(ghosts, expected, wrong)


if chain.waits_on_stream:
    with stream:
        exchange()
        stream.begin_capture()
        exchange()
        exchange()
        recorded = stream.end_capture()
        for _ in range(50):
            recorded.launch(stream)
        exchange()
    stream.synchronize()
    chain.synchronise()
    found["wrong"] = int(wrong.sum())
    found["exchanges"] = int(source[0]) - job.rank * 1000
sys.stdout.write(json.dumps(found) + "\n")
