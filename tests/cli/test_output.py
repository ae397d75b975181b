"""Checks of output files are tested as every rank of a job makes them, at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import onehop
from onehop import FileError, figures, output
from onehop.output import check_writable, complete_or_absent, complete_together


def test_ranks_may_check_the_same_output_at_once(tmp_path):
    name = str(tmp_path / "record.json")
    with ThreadPoolExecutor(8) as ranks:
        list(ranks.map(check_writable, [name] * 2000))
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_way_is_not_followed(tmp_path, monkeypatch):
    """A link is not followed even where another user could guess the name of the temporary file."""
    monkeypatch.setattr(output.os, "urandom", bytes)
    monkeypatch.setenv("ONEHOP_RANK", "0")
    monkeypatch.setenv("ONEHOP_JOB", "guessed")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    tmp_path.joinpath(".onehop-guessed-00000000.json").symlink_to(victim)
    with (
        pytest.raises(FileError, match="File exists"),
        complete_or_absent(str(tmp_path / "record.json")) as temporary,
    ):
        temporary.write_text("overwritten")
    assert victim.read_text() == "precious"


def test_of_two_jobs_with_one_output_the_last_one_stands(tmp_path):
    name = str(tmp_path / "record.json")
    with complete_or_absent(name) as first, complete_or_absent(name) as second:
        first.write_text("first")
        second.write_text("second")
    assert tmp_path.joinpath("record.json").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def test_what_a_killed_rank_left_is_removed_and_what_others_write_is_not(tmp_path, monkeypatch):
    name = str(tmp_path / "record.json")
    monkeypatch.setenv("ONEHOP_RANK", "0")
    monkeypatch.setenv("ONEHOP_JOB", "other")
    theirs = output._reserve(name)
    monkeypatch.setenv("ONEHOP_JOB", "own")
    output._reserve(name)
    output.remove_partial(name, None, "-")
    assert list(tmp_path.iterdir()) == [theirs]


def test_a_program_that_starts_others_is_not_their_job(tmp_path, monkeypatch):
    """One of them would remove what another has not finished."""
    monkeypatch.delenv("ONEHOP_RANK", raising=False)
    monkeypatch.delenv("ONEHOP_JOB", raising=False)
    unfinished = output._reserve(str(tmp_path / "record.json"))
    assert "ONEHOP_JOB" not in os.environ
    monkeypatch.setenv("ONEHOP_JOB", "inherited")
    output.remove_partial(str(tmp_path / "other.json"))
    assert not unfinished.exists()
    theirs = tmp_path / ".onehop-inherited-00000000.json"
    theirs.touch()
    output.remove_partial(str(tmp_path / "other.json"))
    assert theirs.exists()


KILLED = """
import os, signal, sys
from onehop.output import complete_or_absent
with complete_or_absent(sys.argv[1]) as temporary:
    temporary.write_text("half of it")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_nothing(tmp_path):
    """What it was writing has no name yet, so that nobody need be left to remove it."""
    if output._open_unnamed(tmp_path) is None:
        pytest.skip("this file system has no files without a name")
    record = tmp_path / "record.json"
    record.write_text("older")
    ended = subprocess.run([sys.executable, "-c", KILLED, record])
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == [record]
    assert record.read_text() == "older"


@pytest.mark.parametrize("unnamed", [True, False])
@pytest.mark.parametrize("ending", ["png", "PDF", "svg"])
def test_a_picture_has_the_format_of_its_name(tmp_path, monkeypatch, unnamed, ending):
    """A file system may have no files without a name."""
    if not unnamed:
        monkeypatch.setattr(output, "_open_unnamed", lambda folder: None)
    name = tmp_path / f"picture.{ending}"
    figure, _ = figures.new_figure()
    figures.save(figure, name)
    start = {"png": b"\x89PNG", "PDF": b"%PDF", "svg": b"<?xml"}[ending]
    assert name.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [name]


def test_bytes_are_on_the_disk_before_a_file_has_its_name(tmp_path, monkeypatch):
    """After a power cut a name without bytes would stand where an older file was."""
    order, record = [], tmp_path / "record.json"
    bring, rename = os.fsync, Path.replace

    def noted_bring(descriptor):
        order.append(Path(f"/proc/self/fd/{descriptor}").read_text())
        bring(descriptor)

    def noted_rename(path, target):
        order.append(target)
        return rename(path, target)

    monkeypatch.setattr(output.os, "fsync", noted_bring)
    monkeypatch.setattr(Path, "replace", noted_rename)
    with complete_or_absent(str(record)) as temporary:
        temporary.write_text("whole")
    assert order == ["whole", record]
    with complete_together(onehop.join("self"), str(record)) as temporary:
        temporary.write_text("of all ranks")
    assert order[2:] == ["of all ranks", record]
