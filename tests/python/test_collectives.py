"""Collectives and streams are called from Python, on one rank and on two or three."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import onehop

COLLECTIVES = """
import numpy as np, onehop
c = onehop.join()
rng = [np.random.default_rng(r) for r in range(c.size)]
for dtype in (np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64, np.complex64,
              np.complex128):
    for shape in ((), (3,), (2, 5), (40, 50)):
        scale = 1.25 if np.dtype(dtype).kind in "fc" else 1
        all = [np.asarray(g.integers(0, 1000, shape) * scale).astype(dtype) for g in rng]
        mine = all[c.rank]
        total = all[0]
        for other in all[1:]:
            total = (total + other).astype(dtype)
        got = onehop.allreduce(c, mine)
        assert got.dtype == dtype and got.shape == shape and np.array_equal(got, total)
        assert np.array_equal(mine, all[c.rank]), "the argument is left alone"
        root = c.size - 1
        at_root = onehop.reduce(c, mine, root=root)
        assert (at_root is None) == (c.rank != root)
        assert c.rank != root or np.array_equal(at_root, total)
        assert np.array_equal(onehop.scan(c, mine), sum(all[1:c.rank + 1], all[0]).astype(dtype))
        below = onehop.exclusive_scan(c, mine)
        if c.rank == 0:
            assert below is None
        else:
            assert np.array_equal(below, sum(all[1:c.rank], all[0]).astype(dtype))
        if np.dtype(dtype).kind != "c":
            assert np.array_equal(onehop.allreduce(c, mine, "max"), np.max(all, axis=0))
            assert np.array_equal(onehop.allreduce(c, mine, "min"), np.min(all, axis=0))
        if np.dtype(dtype).kind in "iu":
            calls = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
            for name, call in calls.items():
                assert np.array_equal(onehop.allreduce(c, mine, name), call.reduce(np.array(all)))
        blocks = np.arange(c.size * 6).reshape(c.size, 2, 3).astype(dtype) + mine.reshape(-1)[0]
        whole = onehop.allreduce(c, blocks)
        assert np.array_equal(onehop.reduce_scatter(c, blocks), whole[c.rank])
        gathered = onehop.gather(c, mine, root)
        assert (gathered is None) == (c.rank != root)
        if c.rank == root:
            assert np.array_equal(gathered, np.array(all))
        back = onehop.scatter(c, gathered, np.empty_like(mine), root)
        assert np.array_equal(back, mine)
lists = [np.arange(5 * c.rank + to, dtype=np.float32) + 100 * c.rank for to in range(c.size)]
for origin, block in enumerate(onehop.alltoallv(c, lists)):
    assert block.dtype == np.float32
    assert np.array_equal(block, np.arange(5 * origin + c.rank) + 100 * origin)
root = c.size - 1
gathered = onehop.gatherv(c, lists[0], root)
assert (gathered is None) == (c.rank != root)
for origin, block in enumerate(gathered or []):
    assert np.array_equal(block, np.arange(5 * origin, dtype=np.float32) + 100 * origin)
back = onehop.scatterv(c, lists if c.rank == root else None, root, np.float32)
assert back.dtype == np.float32
assert np.array_equal(back, np.arange(5 * root + c.rank) + 100 * root)
for origin, block in enumerate(onehop.allgatherv(c, np.full(7 * c.rank, c.rank))):
    assert np.array_equal(block, np.full(7 * origin, origin))
destinations = [(c.rank + 1) % c.size, 0, (c.rank + 1) % c.size]
blocks = [np.full(3 * c.rank + k, 10 * c.rank + k) for k in range(3)]
came = onehop.sparse_exchange(c, destinations, blocks, np.int64)
wanted = [(origin, np.full(3 * origin + k, 10 * origin + k)) for origin in range(c.size)
          for k in range(3) if (0 if k == 1 else (origin + 1) % c.size) == c.rank]
assert [origin for origin, _ in came] == [origin for origin, _ in wanted]
for (_, block), (_, expected) in zip(came, wanted, strict=True):
    assert block.dtype == np.int64 and np.array_equal(block, expected)
assert onehop.sparse_exchange(c, [], []) == []
for count in (7, 3000):
    mine = np.zeros(count, np.complex128)
    largest = np.zeros(count, np.int32)
    data = np.zeros((2, count), np.float32)
    everyone = np.zeros((c.size, count))
    send, receive = np.zeros((2, c.size, count), np.int16)
    whole, block = np.zeros((c.size, count)), np.zeros(count)
    at_root, up_to, below = np.zeros((3, count), np.int64)
    own, shared, got = np.zeros(count), np.zeros((c.size, count)), np.zeros(count)
    entries = np.zeros((c.size, count))
    together = [onehop.persistent_allreduce(c, mine),
                onehop.persistent_allreduce(c, largest, "max"),
                onehop.persistent_broadcast(c, data, c.size - 1),
                onehop.persistent_allgather(c, everyone),
                onehop.persistent_alltoall(c, send, receive),
                onehop.persistent_reduce_scatter(c, whole, block),
                onehop.persistent_reduce(c, at_root, "max", root),
                onehop.persistent_scan(c, up_to),
                onehop.persistent_exclusive_scan(c, below),
                onehop.persistent_gather(c, own, shared if c.rank == root else None, root),
                onehop.persistent_scatter(c, entries if c.rank == root else None, got, root)]
    for step in range(4):
        mine[:] = (1 + 2j) * c.rank + step
        largest[:] = c.rank * np.arange(count) - step
        data[:] = c.rank + step
        everyone[c.rank] = c.rank - step
        send[:] = 100 * c.rank + np.arange(c.size)[:, None] + step
        whole[:] = np.arange(c.size)[:, None] + c.rank + step
        at_root[:] = up_to[:] = below[:] = own[:] = 3 * c.rank + step
        entries[:] = np.arange(c.size)[:, None] * 7 + step
        for one in together:
            one.start()
        onehop.barrier(c)
        for one in together[::-1]:
            if step % 2:
                one.wait()
            else:
                while not one.test():
                    pass
        ranks = np.arange(c.size)
        assert np.array_equal(mine, np.full(count, sum((1 + 2j) * ranks + step)))
        assert np.array_equal(largest, (c.size - 1) * np.arange(count) - step)
        assert np.array_equal(data, np.full((2, count), c.size - 1 + step))
        assert np.array_equal(everyone, np.repeat(ranks[:, None] - step, count, 1))
        assert np.array_equal(receive, np.repeat((100 * ranks + c.rank + step)[:, None], count, 1))
        assert np.array_equal(block, np.full(count, sum(c.rank + ranks + step)))
        assert c.rank != root or np.array_equal(at_root, np.full(count, 3 * root + step))
        assert np.array_equal(up_to, np.full(count, sum(3 * ranks[:c.rank + 1] + step)))
        kept = step if c.rank == 0 else sum(3 * ranks[:c.rank] + step)
        assert np.array_equal(below, np.full(count, kept))
        if c.rank == root:
            assert np.array_equal(shared, np.repeat(3 * ranks[:, None] + step, count, 1))
        assert np.array_equal(got, np.full(count, 7 * c.rank + step))
onehop.barrier(c)
"""

PERSISTENT_LISTS = """
import numpy as np, onehop
c = onehop.join()
root, ranks = c.size - 1, range(c.size)

def list_of(origin, target, step=0):
    return np.arange((3 * origin + 5 * target) % 4, dtype=float) + 100 * origin + 10 * target + step

def room(target):
    return [np.full_like(list_of(r, target), -1.0) for r in ranks]

sent, came = [list_of(c.rank, r) for r in ranks], room(c.rank)
everyone, gathered = room(0), room(0)
own, back = list_of(c.rank, 0), np.empty_like(list_of(c.rank, 0))
scatterv = onehop.persistent_scatterv(c, gathered if c.rank == root else None, back, root)
together = [onehop.persistent_alltoallv(c, sent, came),
            onehop.persistent_allgatherv(c, everyone[c.rank], everyone),
            onehop.persistent_gatherv(c, own, gathered if c.rank == root else None, root)]
for step in range(4):
    for r in ranks:
        sent[r][:] = list_of(c.rank, r, step)
    everyone[c.rank][:] = own[:] = list_of(c.rank, 0, step)
    for one in together:
        one.start()
    for one in together[::-1]:
        one.wait()
    scatterv.start()
    scatterv.wait()
    for r in ranks:
        assert np.array_equal(came[r], list_of(r, c.rank, step))
        assert np.array_equal(everyone[r], list_of(r, 0, step))
        if c.rank == root:
            assert np.array_equal(gathered[r], list_of(r, 0, step))
    assert np.array_equal(back, own)
try:
    onehop.persistent_allgatherv(c, own, [np.empty(9)] * c.size)
except onehop.UsageError as error:
    assert "a persistent allgatherv has room for 72 bytes from rank 0, which sends" in str(error)
else:
    raise AssertionError("no error")
"""

STREAM = """
import numpy as np, onehop
c = onehop.join()
last = c.size - 1
producers = list(range(max(1, last)))
with onehop.Stream(c, producers, [last], largest_item=800, block_bytes=2048) as items:
    def item(rank, n):
        return np.arange(n % 101, dtype=np.float64) + 1000 * rank + n
    def take(got):
        n = seen[got.producer]
        seen[got.producer] += 1
        assert np.array_equal(got.bytes.view(np.float64), item(got.producer, n))
        assert not got.bytes.flags.writeable
    seen = dict.fromkeys(producers, 0)
    if c.size == 1:
        for n in range(300):
            place = items.try_reserve(800)
            while place is None:
                items.flush()
                got = items.next()
                take(got)
                items.release(got)
                place = items.try_reserve(800)
            data = item(0, n)
            place.bytes[:data.nbytes] = data.view(np.uint8)
            items.publish(place, data.nbytes)
        while not items.try_close():
            got = items.next()
            take(got)
            items.release(got)
    elif c.rank != last:
        for n in range(300):
            items.send(item(c.rank, n))
        items.close()
    if c.rank == last:
        for got in items:
            take(got)
        assert items.ended and set(seen.values()) == {300}
"""


def test_on_one_rank():
    exec(COLLECTIVES, {})
    exec(STREAM, {})


@pytest.mark.parametrize(
    "program", [COLLECTIVES, PERSISTENT_LISTS, STREAM], ids=["collectives", "lists", "stream"]
)
@pytest.mark.parametrize("ranks", [2, 3])
def test_on_ranks(onehop, tmp_path, program, ranks):
    script = tmp_path / "program.py"
    script.write_text(program)
    ended = onehop("run", "-n", str(ranks), "--", sys.executable, str(script))
    assert ended.status == 0, ended.err


def test_arrays_that_cannot_be_combined_are_refused():
    context = onehop.join()
    with pytest.raises(onehop.UsageError, match="an allreduce of float16: give one of int32"):
        onehop.allreduce(context, np.zeros(2, np.float16))
    with pytest.raises(onehop.UsageError, match="'xor' of float64: only whole numbers have bits"):
        onehop.allreduce(context, np.zeros(2), "xor")
    with pytest.raises(onehop.UsageError, match="operation 'mean' of a scan: give one of sum, min"):
        onehop.scan(context, np.zeros(2), "mean")
    with pytest.raises(onehop.UsageError, match="the first axis has an entry for each"):
        onehop.reduce_scatter(context, np.zeros((3, 2)))
    with pytest.raises(onehop.UsageError, match="an alltoallv of 2 arrays among 1 rank:"):
        onehop.alltoallv(context, [np.zeros(1), np.zeros(1)])
    with pytest.raises(onehop.UsageError, match="a scatterv of 2 arrays among 1 rank:"):
        onehop.scatterv(context, [np.zeros(1), np.zeros(1)])
    with pytest.raises(onehop.UsageError, match="of int32 where `dtype` is float64"):
        onehop.scatterv(context, [np.zeros(1, np.int32)])
    with pytest.raises(onehop.UsageError, match="the root of a gatherv"):
        onehop.gatherv(context, np.zeros(1), "all")
    with pytest.raises(onehop.UsageError, match="of object: give an array of plain numbers"):
        onehop.gather(context, [None, "x"])
    with pytest.raises(onehop.UsageError, match="the root of a gather"):
        onehop.gather(context, np.zeros(1), root="all")
    with pytest.raises(onehop.UsageError, match="rank 1"):
        onehop.reduce(context, np.zeros(1), root=1)
    with pytest.raises(onehop.UsageError, match="of int32 where `dtype` is float64"):
        onehop.sparse_exchange(context, [0], [np.zeros(1, np.int32)])
    with pytest.raises(onehop.UsageError, match="1 block to 2 destinations"):
        onehop.sparse_exchange(context, [0, 0], [np.zeros(1)])


def test_persistent_collectives_refuse_what_they_cannot_use_in_place():
    context = onehop.join()
    with pytest.raises(onehop.UsageError, match="overwrites its array in place"):
        onehop.persistent_allreduce(context, np.zeros(4)[::2])
    with pytest.raises(onehop.UsageError, match="of float16: give one of int32"):
        onehop.persistent_allreduce(context, np.zeros(4, np.float16))
    with pytest.raises(onehop.UsageError, match="the first axis has an entry for each"):
        onehop.persistent_allgather(context, np.zeros((2, 3)))
    both = np.zeros((1, 3))
    with pytest.raises(onehop.UsageError, match="arrays that overlap: give it two apart"):
        onehop.persistent_alltoall(context, both, both)
    with pytest.raises(onehop.UsageError, match="`mine` is like one entry"):
        onehop.persistent_reduce_scatter(context, both, np.zeros(2))
    with pytest.raises(onehop.UsageError, match="`mine` is like one entry"):
        onehop.persistent_gather(context, np.zeros(2), both)
    with pytest.raises(onehop.UsageError, match="arrays that overlap: give it two apart"):
        onehop.persistent_scatter(context, both, both[0])
    with pytest.raises(onehop.UsageError, match="give a C-contiguous NumPy array"):
        onehop.persistent_gather(context, [1.0, 2.0], both)
    with pytest.raises(onehop.UsageError, match="the first axis has an entry for each"):
        onehop.persistent_scatter(context, None, np.zeros(3))
    with pytest.raises(onehop.UsageError, match="'or' of float64: only whole numbers have bits"):
        onehop.persistent_scan(context, np.zeros(4), "or")
    one = onehop.persistent_allreduce(context, np.zeros(4))
    assert "float64 (4,)" in repr(one)
    with pytest.raises(onehop.UsageError, match="not under way: start it first"):
        one.wait()
    one.start()
    with pytest.raises(onehop.UsageError, match="under way: wait for it first"):
        one.start()
    one.wait()


def test_items_of_a_stream_are_checked():
    context = onehop.join()
    for producers, said in (
        ("a", "is of type str"),
        ([0.5], "is of type float"),
        (0, "are of type"),
    ):
        with pytest.raises(onehop.UsageError, match=f"the producers of a stream {said}"):
            onehop.Stream(context, producers, [0])
    stream = onehop.Stream(context, [0], [0], largest_item=16)
    with pytest.raises(onehop.UsageError, match="the consumer of an item is of type str"):
        stream.send(b"1", "x")
    with pytest.raises(onehop.UsageError, match="reserve of 17 bytes"):
        stream.reserve(17)
    with pytest.raises(onehop.UsageError, match="give no negative number"):
        stream.reserve(-1)
    place = stream.reserve(8)
    with pytest.raises(onehop.UsageError, match="publish of 9 bytes where 8 were reserved"):
        stream.publish(place, 9)
    stream.publish(place, 4)
    item = stream.next()
    assert item.bytes.size == 4 and item.producer == 0
    stream.release(item)
    with pytest.raises(onehop.UsageError, match="not held"):
        stream.release(item)
    assert stream.try_next() is None and not stream.ended
    stream.close()
    assert stream.next() is None and stream.ended
    with pytest.raises(onehop.UsageError, match="never initialised"):
        onehop.Stream.__new__(onehop.Stream).flush()
