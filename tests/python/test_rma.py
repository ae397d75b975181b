"""Windows and put chains are used from Python."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

import onehop
from onehop.put_chain import blocks_of


def test_window_is_numpy_memory():
    window = onehop.Window(onehop.join(), (3, 4), np.float32)
    array = window.array()
    assert array.shape == (3, 4) and array.dtype == np.float32 and not array.any()
    array[1, 2] = 5
    assert window.array()[1, 2] == 5 and np.shares_memory(array, window.array())
    assert window.bytes(0) == 48 and window.banks == 2


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (np.s_[:], (960, 1, 960)),
        (np.s_[2], (160, 1, 160)),
        (np.s_[:, 1], (40, 6, 160)),
        (np.s_[:, :, 0], (8, 24, 40)),
        (np.s_[:, 1:3], (80, 6, 160)),
        (np.s_[1, 1, 1], (8, 1, 8)),
    ],
)
def test_slices_are_equal_pieces(part, expected):
    assert blocks_of(np.zeros((6, 4, 5))[part]) == expected


def test_slice_of_unequal_pieces_is_refused():
    with pytest.raises(onehop.UsageError, match="contiguous copy"):
        blocks_of(np.zeros((6, 4, 5))[:, 1:3, 1:3])


def test_column_goes_to_oneself():
    context = onehop.join()
    window = onehop.Window(context, 6)
    chain = onehop.PutChain(context, window)
    field = np.arange(24.0).reshape(6, 4)
    chain.push(field[:, 1], 0, 0)
    arrival = chain.add_origin(0)
    chain.commit()
    for factor in (1, 10):
        field *= factor
        chain.start()
        chain.wait(arrival)
        chain.wait()
        assert np.array_equal(chain.arrived(arrival), field[:, 1])
    assert chain.test() and chain.describe()


TURNS = """
import numpy as np, onehop
job = onehop.join()
other = 1 - job.rank
chain = onehop.PutChain(job, onehop.Window(job, 6))
slot, arrival = chain.push_packed(48, other, 0), chain.add_origin(other)
chain.take_turns()
chain.commit()
for step in range(4):
    chain.target_view(slot)[:] = 10 * step + job.rank
    chain.start(); chain.wait()
    assert chain.arrived(arrival).tolist() == [10 * step + other] * 6
    assert np.shares_memory(chain.arrived(arrival), chain.target_view(slot))
print("good")
"""


def test_sources_are_kept_until_a_chain_is_cleared():
    context = onehop.join("self")
    chain = onehop.PutChain(context, onehop.Window(context, 8))
    for value in range(3):
        source = np.full(8, value, "u1")
        kept = weakref.ref(source)
        chain.push(source, 0, 0)
        arrival = chain.add_origin(0)
        del source
        gc.collect()
        chain.commit()
        chain.start()
        chain.wait()
        assert (chain.arrived(arrival).view("u1") == value).all() and kept() is not None
        chain.clear()
        gc.collect()
        assert kept() is None


def test_a_chain_that_takes_turns_packs_where_it_has_read(onehop):
    ended = onehop("run", "-n", "2", "--", sys.executable, "-c", TURNS)
    assert ended.status == 0, ended.err
    assert ended.out.count("good") == 2


def test_puts_of_variable_size_arrive_as_long_as_they_were_sent():
    context = onehop.join()
    window = onehop.Window(context, 20)
    chain = onehop.PutChain(context, window)
    source = np.arange(10.0)
    own = chain.push(source, 0, 0, variable=True)
    packed = chain.push_packed(80, 0, 80, variable=True)
    from_own, from_packed = chain.add_origin(0), chain.add_origin(0)
    chain.commit()
    for count in (3, 0, 10):
        chain.set_bytes(own, 8 * count)
        chain.set_bytes(packed, 8 * (10 - count))
        chain.target_view(packed)[:] = -source
        chain.start()
        awaited = [from_own, from_packed]
        awaited.pop(chain.wait_any(awaited))
        assert [one.index for one in chain.wait_some(awaited)] == [awaited[0].index]
        chain.wait()
        assert np.array_equal(chain.arrived(from_own), source[:count])
        assert np.array_equal(chain.arrived(from_packed), -source[: 10 - count])
    chain.set_bytes(own, 5)
    chain.start()
    chain.wait()
    with pytest.raises(onehop.UsageError, match="brought 5 bytes, no whole number of float64"):
        chain.arrived(from_own)
    with pytest.raises(onehop.UsageError, match="more than the 80"):
        chain.set_bytes(own, 81)
    with pytest.raises(onehop.UsageError, match="give a number from 0"):
        chain.set_bytes(own, -1)


def test_puts_leave_one_by_one_as_they_are_made_ready():
    context = onehop.join()
    chain = onehop.PutChain(context, onehop.Window(context, 20))
    source = np.zeros(10)
    own = chain.push(source, 0, 0)
    packed = chain.push_packed(80, 0, 80, variable=True)
    from_own, from_packed = chain.add_origin(0), chain.add_origin(0)
    chain.commit()
    for step in range(1, 4):
        chain.start_partial()
        source[:] = step
        chain.ready(own)
        chain.wait(from_own)
        assert not chain.test(from_packed) and not chain.test()
        chain.set_bytes(packed, 8 * step)
        chain.target_view(packed)[:step] = -source[:step]
        with pytest.raises(onehop.UsageError, match="put 1 has not been made ready"):
            chain.wait()
        chain.ready(packed)
        chain.wait()
        assert np.array_equal(chain.arrived(from_own), source)
        assert np.array_equal(chain.arrived(from_packed), -source[:step])
    with pytest.raises(onehop.UsageError, match="call start_partial first"):
        chain.ready(own)


def ring_of_one(shape, banks=2):
    context = onehop.join()
    window = onehop.Window(context, shape, banks=banks)
    return window, onehop.PutChain(context, window)


@pytest.mark.parametrize("banks", [1, 2])
@pytest.mark.parametrize(
    "part",
    [
        np.s_[:, 0],
        np.s_[1:3, 2:4],
        np.s_[2],
        np.s_[::2, ::-1],
        np.s_[3:, 3:4],
        np.s_[:],
        np.s_[::-1],
    ],
)
def test_put_into_a_part_of_the_window_changes_that_part(part, banks):
    window, chain = ring_of_one((4, 5), banks)
    whole = np.zeros((4, 5))
    source = np.zeros_like(whole[part])
    chain.push(source, 0, into=window.array()[part])
    arrival = chain.add_origin(0)
    chain.commit()
    for n in range(1, 5):
        source[...] = n + np.arange(source.size).reshape(source.shape)
        chain.start()
        chain.wait()
        whole[part] = source
        assert np.array_equal(window.array((n - 1) % banks), whole)
    assert np.shares_memory(chain.arrived(arrival), window.array((n - 1) % banks))


def test_put_into_a_box_of_four_dimensions():
    window, chain = ring_of_one((3, 4, 5, 6))
    box = np.s_[1:, 1:3, 2:4, 1:4]
    slot = chain.push_packed(8 * 2 * 2 * 2 * 3, 0, into=window.array(1)[box])
    chain.add_origin(0)
    chain.commit()
    chain.target_view(slot)[:] = np.arange(24.0)
    chain.start()
    chain.wait()
    assert np.array_equal(window.array()[box].ravel(), np.arange(24.0))
    assert np.count_nonzero(window.array()) == 23


def test_put_to_listed_places():
    window, chain = ring_of_one(10)
    source = np.arange(1.0, 7.0)
    chain.push(source, 0, 8, starts=np.array([48, 0, 24]))
    arrival = chain.add_origin(0)
    chain.commit()
    chain.start()
    chain.wait()
    assert window.array().tolist() == [0, 3, 4, 0, 5, 6, 0, 1, 2, 0]
    assert chain.arrived(arrival).tolist() == [3, 4, 0, 5, 6, 0, 1, 2]


def test_arrivals_are_read_only():
    context = onehop.join()
    chain = onehop.PutChain(context, onehop.Window(context, 1))
    chain.push(np.ones(1), 0, 0)
    arrival = chain.add_origin(0)
    chain.commit()
    chain.start()
    chain.wait()
    with pytest.raises(ValueError, match="read-only"):
        chain.arrived(arrival)[0] = 2


def test_window_over_an_array_that_exists():
    context = onehop.join()
    field = np.zeros((3, 4))
    window = onehop.Window.register(context, field)
    assert window.banks == 1 and np.shares_memory(window.array(), field)
    chain = onehop.PutChain(context, window)
    chain.push(np.arange(4.0), 0, field[1].nbytes)
    arrival = chain.add_origin(0)
    chain.commit()
    chain.start()
    assert not field.any()
    chain.wait()
    assert field.tolist() == [[0] * 4, [0, 1, 2, 3], [0] * 4]
    assert np.shares_memory(chain.arrived(arrival), field[1])
    for bad in (field[:, 1], np.broadcast_to(1.0, 3)):
        with pytest.raises(onehop.UsageError, match="contiguous and writable"):
            onehop.Window.register(context, bad)


def test_unmatched_put_names_both_sides():
    context = onehop.join()
    chain = onehop.PutChain(context, onehop.Window(context, 1))
    chain.push(np.ones(1), 0, 0)
    with pytest.raises(onehop.ChainError, match="0"):
        chain.commit()


RING = """
import os, numpy as np, onehop
context = onehop.join()
window = onehop.Window(context, 1)
chain = onehop.PutChain(context, window)
slot = chain.push_packed(8, (context.rank + 1) % context.size, 0)
left = chain.add_origin((context.rank - 1) % context.size)
chain.commit()
value = float(context.rank)
for _ in range(context.size):
    chain.target_view(slot)[0] = value
    chain.start()
    chain.wait()
    value = chain.arrived(left)[0]
assert value == context.rank
assert onehop.allreduce_sum(context, [1.0])[0] == context.size
assert onehop.allreduce_sum(context, [2.0], order="fast")[0] == 2 * context.size
assert onehop.allreduce_max(context, [value])[0] == context.size - 1
os.write(1, b"round\\n")
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_packed_value_goes_round_the_ring(onehop, ranks):
    ended = onehop("run", "-n", ranks, "--", sys.executable, "-c", RING)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == "round\n" * ranks


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), 1e300])
def test_deadline_that_is_none(seconds):
    context = onehop.join()
    with pytest.raises(onehop.UsageError, match="deadline"):
        context.deadline_s = seconds
    assert context.deadline_s == 60


def test_names_of_another_chain_are_refused():
    context = onehop.join()
    window = onehop.Window(context, 2)
    one, other = onehop.PutChain(context, window), onehop.PutChain(context, window)
    for chain in (one, other):
        chain.push_packed(8, 0, 0)
    slot, arrival = one.push_packed(8, 0, 8), one.add_origin(0)
    one.add_origin(0)
    other.add_origin(0)
    one.commit()
    other.commit()
    with pytest.raises(onehop.UsageError, match=r"put slot 1 given to .* belongs to put chain"):
        other.target_view(slot)
    with pytest.raises(onehop.UsageError, match="a put slot is of type int"):
        other.target_view(0)
    one.clear()
    with pytest.raises(onehop.UsageError, match="not committed"):
        one.test(arrival)
    assert "0 of put chain" in repr(arrival)


COLLECTIVES = """
import numpy as np, onehop
c = onehop.join()
n, r = c.size, c.rank
assert onehop.broadcast(c, np.full(3, float(r)), root=n - 1).tolist() == [n - 1.0] * 3
everyone = onehop.allgather(c, np.array([[r, 10 * r]], dtype=np.int32))
assert everyone.shape == (n, 1, 2) and everyone[:, 0, 1].tolist() == [10 * k for k in range(n)]
for schedule in ("pairwise", "dissemination", "staged"):
    exchange = onehop.Alltoall(c, (2, 2), np.int64, schedule)
    for step in range(3):
        mine = np.arange(n * 4).reshape(n, 2, 2) + 100 * r + 10000 * step
        came = exchange.run(mine)
        for k in range(n):
            block = np.arange(n * 4).reshape(n, 2, 2)[r] + 100 * k + 10000 * step
            assert (came[k] == block).all(), (schedule, step, k)
"""


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_collectives_move_arrays(onehop, ranks):
    ended = onehop("run", "-n", ranks, "--", sys.executable, "-c", COLLECTIVES)
    assert ended.status == 0, ended.err


def test_alltoall_of_another_shape_is_refused():
    exchange = onehop.Alltoall(onehop.join("self"), 4)
    with pytest.raises(onehop.UsageError, match="this alltoall moves float64"):
        exchange.run(np.zeros((1, 3)))
    with pytest.raises(onehop.UsageError, match="pairwise, dissemination or staged"):
        onehop.Alltoall(onehop.join("self"), 4, schedule="fast")
