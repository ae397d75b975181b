"""`onehop app particle-offload` is tested from outside."""

from __future__ import annotations

import json

import pytest

APP = ("app", "particle-offload")
# Chunks large enough that 7 us of a launch hardly matter.
ON_QUONG = ("--transport", "virtual:quong", "--memory", "device", "--chunk", "40000")


def record_of(onehop, *words):
    ended = onehop(*APP, *words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    record = json.loads(ended.out)
    assert (record["schema"], record["app"]) == ("onehop.app/1", "particle-offload")
    assert record["check"]["passed"] and record["result"]["wrong_particles"] == 0
    return record


def result_of(onehop, *words):
    return record_of(onehop, *words)["result"]


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


@pytest.mark.parametrize(("buffers", "pause"), [(1, 16), (2, 8), (3, 0)])
def test_samples_say_when_each_chunk_was_pushed(onehop, buffers, pause):
    """A push takes 30 ns for each of the 40000 particles; with one buffer the worker waits between
    two pushes for a copy each way, with two for one of them."""
    words = ("--platform-set", "variant=offload,gpu.code=jasmine", "--buffers", str(buffers))
    samples = record_of(onehop, *ON_QUONG, *words)["samples"]
    assert [s["chunk"] for s in samples] == [0, 1, 2, 3, 4, 5] * 3
    assert [s["buffer"] for s in samples] == [k % buffers for k in range(18)]
    assert samples[0]["begin_us"] == 0
    for sample in samples:
        assert sample["end_us"] - sample["begin_us"] == pytest.approx(40 * 30, abs=12)
    for one, later in zip(samples[9:], samples[10:], strict=False):
        assert later["begin_us"] - one["end_us"] == pytest.approx(40 * pause, abs=12)


def test_picture_of_pushes(onehop, tmp_path):
    ended = onehop(*APP, "--chunk", "300", "--plot", tmp_path / "p.svg")
    assert ended.status == 0 and (tmp_path / "p.svg").stat().st_size > 1000


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
        (("--chunks", "4"), "--chunks 4 is not a multiple of --buffers 3; give a multiple"),
        (("--chunk", "1000000000"), "GiB"),
        (("--transport", "self"), "serves one rank"),
        (("--buffers", "0"), "--buffers"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*APP, *words)
