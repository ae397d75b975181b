"""Checks of output files, as every rank of a job makes them at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from onehop.output import check_writable


def test_ranks_may_check_the_same_output_at_once(tmp_path):
    name = str(tmp_path / "record.json")
    with ThreadPoolExecutor(8) as ranks:
        list(ranks.map(check_writable, [name] * 2000))
    assert list(tmp_path.iterdir()) == []
