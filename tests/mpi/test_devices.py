"""Programs of MPI give it buffers in memory of devices, whose driver has none: any access to them
but by the driver's copies ends a rank."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path(sys.executable).with_name("mpicc_abi").exists(),
    reason="no mpicc_abi beside this Python: pip install 'mpich>=5'",
)


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_buffers_of_devices_bring_what_mpich_does_with_those_of_the_host(
    answers, by_mpich, programs, fake_devices, tmp_path, ranks
):
    program = programs("devices")
    ours = answers(program, ranks, tmp_path / "ours", "on devices", **fake_devices)
    assert ours == by_mpich(program, ranks, tmp_path / "theirs")


def test_long_messages_of_devices_go_in_parts_where_memory_may_not_be_read(
    answers, programs, fake_devices, tmp_path
):
    program = programs("devices")
    environment = {**fake_devices, "LD_PRELOAD": str(programs("no_reading", "-shared", "-fPIC"))}
    parts = answers(program, 3, tmp_path / "parts", "on devices", **environment)
    assert parts == answers(program, 3, tmp_path / "whole")


def test_pinned_memory_that_is_refused_is_not_needed(answers, programs, fake_devices, tmp_path):
    program = programs("devices")
    environment = {**fake_devices, "FAKE_DRIVER_PINS_NOTHING": "1"}
    unpinned = answers(program, 2, tmp_path / "file", "on devices", **environment)
    assert unpinned == answers(program, 2, tmp_path / "other")


@pytest.mark.parametrize(
    ("options", "words", "line"),
    [
        (
            ("--transport", "virtual:infiniband-qdr"),
            ("on devices",),
            "a virtual machine takes none of a real device: give memory of the host",
        ),
        ((), ("a window",), "bytes is a device's, and windows are the host's"),
    ],
)
def test_what_takes_no_memory_of_devices_says_so(
    onehop, programs, fake_devices, tmp_path, options, words, line
):
    command = ("run", "-n", 2, "--mpi", *options, "--", programs("devices"), tmp_path / "file")
    ended = onehop(*command, *words, **fake_devices)
    assert ended.status == 2
    assert line in ended.err and len(ended.err.splitlines()) == 1, ended.err
