"""`onehop app particle-offload` is tested from outside."""

from __future__ import annotations

import json

import pytest

APP = ("app", "particle-offload")
# Chunks large enough that 7 us of a launch hardly matter.
ON_QUONG = ("--transport", "virtual:quong", "--memory", "device", "--chunk", "40000")


def result_of(onehop, *words):
    ended = onehop(*APP, *words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    record = json.loads(ended.out)
    assert (record["schema"], record["app"]) == ("onehop.app/1", "particle-offload")
    assert record["check"]["passed"] and record["result"]["wrong_particles"] == 0
    return record["result"]


@pytest.mark.parametrize(("buffers", "steady"), [(1, 8 + 30 + 8), (2, 8 + 30), (3, 30)])
def test_copies_hide_behind_pushes_as_far_as_there_are_buffers(onehop, buffers, steady):
    """A particle takes 8 ns on its way in, 30 in a push and 8 on its way out."""
    words = ("--platform-set", "variant=offload,gpu.code=jasmine", "--buffers", str(buffers))
    result = result_of(onehop, *ON_QUONG, *words)
    assert result["steady_ns_per_particle"] == pytest.approx(steady, abs=0.3)
    # The first chunk comes, and the last one leaves, while no other is pushed.
    chunks = 6 * 3
    ends = 0 if buffers == 1 else (8 if buffers == 2 else 16) / chunks
    assert result["ns_per_particle"] == pytest.approx(steady + ends, abs=0.4)


def test_three_buffers_of_fast_pushes_take_as_long_as_one_copy(onehop):
    """At the GPU's nominal rate a push takes less than a copy, and so do copies that meet it."""
    result = result_of(onehop, *ON_QUONG, "--platform-set", "variant=offload", "--buffers", "3")
    assert result["steady_ns_per_particle"] == pytest.approx(8, abs=1)


def test_particles_come_back_right_and_the_table_says_so(onehop):
    ended = onehop(*APP, "--chunk", "300", "--chunks", "4", "--buffers", "2", "--steps", "5")
    assert (ended.status, ended.err) == (0, "")
    assert "right: no particles are wrong after 5 steps" in ended.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--chunks", "4"), "--chunks 4 is no multiple of --buffers 3; give one"),
        (("--chunk", "1000000000"), "GiB"),
        (("--transport", "self"), "serves one rank"),
        (("--buffers", "0"), "--buffers"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*APP, *words)
