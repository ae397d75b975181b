"""Misuse from Python, where no types stop it: each is one clear line, and the page quotes it."""

from __future__ import annotations

import re
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


MISUSES = {
    "a window of a negative extent": lambda c: onehop.Window(c, -3),
    "a window of a fraction": lambda c: onehop.Window(c, 3.5),
    "a shape whose bytes exceed 2^63": lambda c: onehop.Window(c, (2**32, 2**32)),
    "a window of objects": lambda c: onehop.Window(c, 3, object),
    "a window over a read-only array": lambda c: onehop.Window.register(c, read_only()),
    "a window over every other element": lambda c: onehop.Window.register(c, np.zeros(8)[::2]),
    "a put of a list": lambda c: chain(c).push([1.0, 2.0], 0, 0),
    "a put of nothing": lambda c: chain(c).push(np.zeros(0), 0, 0),
    "a put of unequal pieces": lambda c: chain(c).push(np.zeros((4, 4, 4))[::2, :, ::2], 0, 0),
    "a put to a negative offset": lambda c: chain(c).push(np.zeros(2), 0, -8),
    "a packed put of negative size": lambda c: chain(c).push_packed(-8, 0, 0),
    "a put to a rank that the job does not have": lambda c: chain(c).push(np.zeros(2), 5, 0),
    "a broadcast of a list": lambda c: onehop.broadcast(c, [1, 2]),
    "a broadcast into a read-only array": lambda c: onehop.broadcast(c, read_only()),
    "an alltoall of objects": lambda c: onehop.Alltoall(c, 3, object),
    "a deadline that is no number": lambda c: setattr(c, "deadline_s", float("nan")),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_is_one_clear_line_that_the_page_quotes(misuse):
    with pytest.raises(onehop.UsageError) as told:
        MISUSES[misuse](onehop.join())
    # Chains count.
    line = re.sub(r"put chain \d+", "put chain 1", str(told.value))
    assert f"| {misuse} | {line} |\n" in PAGE.read_text(), line


def test_sources_may_be_of_any_kind_that_can_be_read():
    """Read-only, reversed, repeated, or known to nobody else: a chain keeps what it reads."""
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
