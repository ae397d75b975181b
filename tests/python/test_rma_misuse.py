"""Misuse from Python, where no types stop it, gives one clear line each, and the page quotes it."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import onehop

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "misuse_from_python.md"


def read_only():
    array = np.arange(8.0)
    array.flags.writeable = False
    return array


def chain(context):
    return onehop.PutChain(context, onehop.Window(context, 8))


def into_own(context, shape, source, part):
    window = onehop.Window(context, shape)
    onehop.PutChain(context, window).push(source, 0, into=window.array()[part])


def square(context, **how):
    return onehop.Cartesian(context, (4, 4), **how)


def field(context, **how):
    return onehop.HaloField(square(context), **how)


def halo(context, **how):
    return onehop.HaloExchange(field(context, **how))


def started(context):
    exchange = halo(context)
    exchange.start()
    return exchange


MISUSES = {
    "a window of a negative extent": lambda c: onehop.Window(c, -3),
    "a window of a fraction": lambda c: onehop.Window(c, 3.5),
    "a shape whose bytes exceed 2^63": lambda c: onehop.Window(c, (2**32, 2**32)),
    "a window of objects": lambda c: onehop.Window(c, 3, object),
    "a window over a read-only array": lambda c: onehop.Window.register(c, read_only()),
    "a window over every other element": lambda c: onehop.Window.register(c, np.zeros(8)[::2]),
    "a window without a context": lambda c: onehop.Window(None, 3),
    "a window of half a bank": lambda c: onehop.Window(c, 3, banks=1.5),
    "a window that was never made": lambda c: onehop.Window.__new__(onehop.Window).array(),
    "a chain without a context": lambda c: onehop.PutChain(None, onehop.Window(c, 8)),
    "a chain without a window": lambda c: onehop.PutChain(c, None),
    "a chain that was never made": lambda c: onehop.PutChain.__new__(onehop.PutChain).start(),
    "a put to nowhere": lambda c: chain(c).push(np.zeros(2), None, 0),
    "an origin that is not a number": lambda c: chain(c).add_origin("all"),
    "a slot that is none": lambda c: chain(c).target_view(None),
    "a slot for an arrival": lambda c: (x := chain(c)).wait(x.push_packed(8, 0, 0)),
    "an arrival for a slot": lambda c: (x := chain(c)).set_bytes(x.add_origin(0), 8),
    "a wait for any of some numbers": lambda c: chain(c).wait_any([1, 2]),
    "a sum without a context": lambda c: onehop.allreduce_sum(None, [1.0]),
    "a broadcast without a context": lambda c: onehop.broadcast(None, np.zeros(3)),
    "a broadcast from no root": lambda c: onehop.broadcast(c, np.zeros(3), None),
    "a gauge field of no context": lambda c: onehop.cold_gauge((4, 4, 4, 4), context=3),
    "a put of a list": lambda c: chain(c).push([1.0, 2.0], 0, 0),
    "a put of nothing": lambda c: chain(c).push(np.zeros(0), 0, 0),
    "a put of unequal pieces": lambda c: chain(c).push(np.zeros((4, 4, 4))[::2, :, ::2], 0, 0),
    "a put to a negative offset": lambda c: chain(c).push(np.zeros(2), 0, -8),
    "a put without a place": lambda c: chain(c).push(np.zeros(2), 0),
    "a put into an array that is not part of the window": lambda c: chain(c).push(
        np.zeros(2), 0, into=np.zeros(2)
    ),
    "a put into a part of the window and to an offset": lambda c: chain(c).push(
        np.zeros(2), 0, 8, into=np.zeros(2)
    ),
    "a put into a part of other size": lambda c: into_own(c, 8, np.zeros(3), np.s_[:2]),
    "a put into an array with gaps in four axes": lambda c: into_own(
        c, (4, 4, 4, 4), np.zeros(16), np.s_[::2, ::2, ::2, ::2]
    ),
    "a put with starts of unequal runs": lambda c: chain(c).push(
        np.zeros(2), 0, 0, starts=[0, 8, 16]
    ),
    "a put with a start that is not a number": lambda c: chain(c).push(
        np.zeros(2), 0, 0, starts=["first"]
    ),
    "a packed put of negative size": lambda c: chain(c).push_packed(-8, 0, 0),
    "a put to a rank that the job does not have": lambda c: chain(c).push(np.zeros(2), 5, 0),
    "a broadcast of a list": lambda c: onehop.broadcast(c, [1, 2]),
    "a broadcast into a read-only array": lambda c: onehop.broadcast(c, read_only()),
    "an alltoall of objects": lambda c: onehop.Alltoall(c, 3, object),
    "a deadline that is not a number": lambda c: setattr(c, "deadline_s", float("nan")),
    "a group of a colour that is not a number": lambda c: c.split("red"),
    "the job's number of a rank that is not there": lambda c: c.rank_in_job(3),
    "ranks along an axis that the lattice has not": lambda c: square(c).along(2),
    "ranks along an axis twice": lambda c: square(c).along((1, 1)),
    "a Cartesian without a context": lambda c: onehop.Cartesian(None, 4),
    "a lattice without extents": lambda c: onehop.Cartesian(c, None),
    "a lattice of five dimensions": lambda c: onehop.Cartesian(c, (2, 2, 2, 2, 2)),
    "an extent of 0": lambda c: onehop.Cartesian(c, (4, 0)),
    "a grid of other dimensions": lambda c: square(c, grid=(1,)),
    "a grid of other ranks than the job's": lambda c: square(c, grid=(2, 1)),
    "a grid of more ranks than sites": lambda c: square(c, grid=(1, 5)),
    "ends of three axes of two": lambda c: square(c, periodic=(True, False, True)),
    "a field on no Cartesian": lambda c: onehop.HaloField(None, float),
    "a field of no type": lambda c: field(c, dtype=None),
    "a field of objects": lambda c: field(c, dtype=object),
    "a field of no component": lambda c: field(c, components=0),
    "ghosts wider than a block": lambda c: field(c, width=5),
    "ghosts of a negative width": lambda c: field(c, sides=[(1, 1), (0, -1)]),
    "widths for one axis of two": lambda c: field(c, sides=[(1, 1)]),
    "a field over an array without ghosts": lambda c: onehop.HaloField.register(
        square(c), np.zeros((4, 4))
    ),
    "a field over every other element": lambda c: onehop.HaloField.register(
        square(c), np.zeros((6, 12))[:, ::2]
    ),
    "a halo exchange of None": lambda c: onehop.HaloExchange(None),
    "a halo exchange of an array": lambda c: onehop.HaloExchange([np.zeros((6, 6))]),
    "a halo exchange of no field": lambda c: onehop.HaloExchange([]),
    "a halo exchange of fields on two lattices": lambda c: onehop.HaloExchange(
        [field(c), onehop.HaloField(onehop.Cartesian(c, (4, 5)))]
    ),
    "a halo exchange of padded fields and of others": lambda c: onehop.HaloExchange(
        [field(c), field(c, padded=False)]
    ),
    "memory for the ghosts of padded fields": lambda c: onehop.HaloExchange(
        field(c), ghosts=np.zeros(8)
    ),
    "memory for other ghosts": lambda c: onehop.HaloExchange(
        field(c, padded=False), ghosts=np.zeros(3)
    ),
    "a halo exchange started twice": lambda c: started(c).start(),
    "a wait for a halo exchange without start": lambda c: halo(c).wait(),
    "a wait for a face without start": lambda c: halo(c).wait((0, 1)),
    "a test of a halo exchange without start": lambda c: halo(c).test(),
    "a wait for a face that is not there": lambda c: started(c).wait((2, 0)),
    "a wait for an axis": lambda c: started(c).wait(1),
    "a start with a field of other sites": lambda c: halo(c).start(field(c, dtype=np.int8)),
    "a start with a field of other ghosts": lambda c: halo(c).start(field(c, width=2)),
    "a start with an array": lambda c: halo(c).start(np.zeros((6, 6))),
    "a start with two fields for one": lambda c: halo(c).start([field(c), field(c)]),
    "a start with another field that is not padded": lambda c: halo(c, padded=False).start(
        field(c, padded=False)
    ),
    "the ghosts of a padded field where they arrive": lambda c: halo(c).ghost((0, 0)),
    "ghosts before they are waited for": lambda c: halo(c, padded=False).ghost((0, 0)),
    "the ghosts of a field that the exchange has not": lambda c: halo(c).ghost((0, 0), 1),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_is_one_clear_line_that_the_page_quotes(misuse):
    with pytest.raises(onehop.UsageError) as told:
        MISUSES[misuse](onehop.join())
    # Chains are numbered, so the number is replaced.
    line = re.sub(r"put chain \d+", "put chain 1", str(told.value))
    assert f"| {misuse} | {line} |\n" in PAGE.read_text(), line


def test_sources_may_be_of_any_kind_that_can_be_read():
    """Sources may be read-only, reversed, repeated, or known to nobody else: a chain keeps what it
    reads."""
    context = onehop.join()
    for source in (read_only(), np.arange(8.0)[::-1], np.broadcast_to(3.0, (8,)), np.arange(8.0)):
        expected = source.copy()
        one = chain(context)
        one.push(source, 0, 0)
        arrival = one.add_origin(0)
        one.commit()
        del source
        one.start()
        one.wait()
        assert (one.arrived(arrival) == expected).all()


def test_chain_belongs_to_the_thread_that_committed_it():
    one = chain(onehop.join())
    one.commit()
    told = []

    def start():
        try:
            one.start()
        except onehop.UsageError as refused:
            told.append(str(refused))

    elsewhere = threading.Thread(target=start)
    elsewhere.start()
    elsewhere.join()
    assert len(told) == 1 and "by another thread than committed it" in told[0]
    one.start()
    one.wait()


FORKING = """
import os, sys, onehop
context = onehop.join()
chain = onehop.PutChain(context, onehop.Window(context, 1))
slot = chain.push_packed(8, 1 - context.rank, 0)
arrival = chain.add_origin(1 - context.rank)
chain.commit()
child = os.fork()
if child == 0:
    refused = []
    for call in chain.start, lambda: onehop.barrier(context):
        try:
            call()
        except onehop.UsageError as told:
            refused.append("in a process forked since" in str(told))
    context.abandon("not mine to give up")
    # Ends as programs do, with all that this takes down.
    sys.exit(refused != [True, True])
assert os.waitpid(child, 0)[1] == 0
for exchange in range(3):
    chain.target_view(slot)[0] = exchange
    chain.start()
    chain.wait()
    assert chain.arrived(arrival)[0] == exchange
onehop.barrier(context)
"""


def test_forked_child_neither_uses_nor_disturbs_the_job_of_its_parent(onehop):
    ended = onehop("run", "-n", 2, "--", sys.executable, "-c", FORKING)
    assert (ended.status, ended.err) == (0, "")


@pytest.mark.parametrize(
    "cost", [{"flops": -1.0}, {"bytes": float("nan")}, {"flops": 1e30}, {"launches": -3}]
)
def test_work_that_no_kernel_does_is_refused(cost):
    context = onehop.cold_gauge((2, 2, 2, 2)).context
    context.work(flops=1e9, bytes=1e9, launches=2)
    with pytest.raises(onehop.UsageError, match="work of .* give 0 to 1e.15 of the first two"):
        context.work(**cost)
