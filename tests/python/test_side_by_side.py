"""Simulations that run side by side give what each gives alone, and end together."""

from __future__ import annotations

import time

import pytest

from onehop import UsageError
from onehop.netsim.side_by_side import side_by_side


def test_results_come_in_the_order_of_the_calls_and_each_is_told_of():
    told = []

    def slow(watch):
        time.sleep(0.1)
        return "first"

    def fast(watch):
        return "second"

    found = side_by_side([slow, fast], lambda done, what: told.append((done, what)))
    assert found == ["first", "second"]
    assert [done for done, _ in told] == [1, 2]
    assert {what for _, what in told} == {"first", "second"}


def test_one_that_fails_ends_the_others():
    def goes_on(watch):
        while True:
            watch(0, 0)
            time.sleep(0.001)

    def fails(watch):
        raise UsageError("no such thing")

    with pytest.raises(UsageError, match="no such thing"):
        side_by_side([fails, *(100 * [goes_on])], lambda done, what: None)
