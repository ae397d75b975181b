"""--device cuda, as far as it goes without a card: kernels are tested on the host in C++."""

from __future__ import annotations

import json

import pytest

from onehop import _core

SOLVE = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--kappa", "0.12")


@pytest.fixture
def no_card():
    if not _core.inspect_cuda().problem:
        pytest.skip("this machine has a CUDA card")


@pytest.mark.usefixtures("no_card")
@pytest.mark.parametrize("command", [SOLVE, ("bench", "dslash", "--lattice", "4x4x4x4")])
def test_missing_card_is_one_clear_line(onehop, command):
    ended = onehop(*command, "--device", "cuda")
    assert (ended.status, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert _core.inspect_cuda().problem in ended.err
    assert "use --device host" in ended.err


def test_sharing_is_for_cards(onehop):
    ended = onehop(*SOLVE, "--share-device")
    assert ended.status == 2
    assert "--device cuda" in ended.err


def test_info_says_what_there_is_of_cuda(onehop):
    record = json.loads(onehop("info", "--json", "-").out)
    found = _core.inspect_cuda()
    assert record["cuda"]["problem"] == found.problem
    assert len(record["cuda"]["cards"]) == len(found.cards)
    assert "CUDA" in onehop("info").out


def test_rate_of_device_kernels_counts_the_bytes_they_must_move():
    """On the host, whose copies stand for those of a card."""
    cell = _core.OperatorCell()
    cell.dslash, cell.precision = _core.Dslash.wilson, _core.Precision.single
    cell.recon, cell.device = 12, _core.DeviceChoice.layout
    geometry = _core.Geometry(_core.join("self"), [4, 4, 4, 4], [1, 1, 1, 1])
    rate = _core.measure_operator(geometry, cell, _core.BenchSchedule(0.01, 0.1, 0.5, 2e-3, 0, 0))
    links, spinors = 8 * 12 * 4, 2 * 24 * 4
    assert rate.bytes_per_site == links + spinors
    assert rate.error <= rate.error_limit
    assert all(gbs > 0 for gbs in rate.memory_gbs) and len(rate.memory_gbs) == len(rate.gflops)
