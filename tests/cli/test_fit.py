"""`onehop fit` is tested from outside."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def points(tmp_path):
    """Makes points of two stages seen on 1, 2, 6 and 8 channels."""
    path = tmp_path / "points.csv"
    lines = ["size_bytes,channels,time_us"]
    for channels in (1, 2, 6, 8):
        for size in (64, 128, 256, 384, 512, 1024, 2048, 4096):
            fast = 0.766 + 0.57 * channels + channels * size / 4084.74
            wire = 2.76 + 0.037 * channels + channels * size / 937.8
            lines.append(f"{size},{channels},{max(fast, wire)}")
    path.write_text("\n".join(lines))
    return path


def test_record_holds_stages_with_intervals(onehop, points):
    ended = onehop("fit", points, "--model", "stages", "--json", "-")
    assert ended.status == 0 and ended.err == ""
    record = json.loads(ended.out)
    assert record["schema"] == "onehop.fit/1" and record["model"] == "stages"
    first, second = record["stages"]
    assert first["tau_us"] == pytest.approx(0.57, 0.01)
    assert second["beta_MBps"] == pytest.approx(937.8, 0.01)
    low, high = second["interval90"]["lambda_us"]
    assert low <= second["lambda_us"] <= high
    assert record["score"] < 0.01 and record["verdict"]


def test_table_and_picture(onehop, points, tmp_path):
    picture = tmp_path / "fit.png"
    ended = onehop("fit", points, "--model", "auto", "--plot", picture)
    assert ended.status == 0 and "lambda (us)" in ended.out
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_records_of_bench_are_read(onehop, tmp_path):
    quick = ("--min-time", "0.01", "--max-time", "0.02", "--block-time", "20", "--warmup", "1")
    record = tmp_path / "latency.json"
    assert onehop("bench", "latency", "--sizes", "8:65536", *quick, "--json", record).status == 0
    ended = onehop("fit", record, "--model", "hockney", "--json", "-")
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["measured"] == "latency on shm"


def bench(pattern: str, time_us) -> dict:
    """Makes a record of these times per message."""
    rate = pattern == "bandwidth"
    samples = [
        {
            "method": "onehop",
            "size_bytes": size,
            "value": size / time_us(size) if rate else time_us(size),
            "unit": "MB/s" if rate else "us",
            "least": None,
            "most": None,
        }
        for size in (2**k for k in range(3, 15))
    ]
    place = {"transport": "shm", "ranks": 2}
    return {"command": "bench", "pattern": pattern, "samples": samples} | place


@pytest.mark.parametrize("pattern", ["put", "bandwidth"])
def test_messages_in_a_row_beside_lone_ones_tell_the_latency(onehop, tmp_path, pattern):
    lone, row = tmp_path / "lone.json", tmp_path / "row.json"
    lone.write_text(json.dumps(bench("latency", lambda size: 3.5 + size / 1000)))
    row.write_text(json.dumps(bench(pattern, lambda size: 0.5 + size / 1000)))
    ended = onehop("fit", lone, row, "--model", "plogp")
    assert (ended.status, ended.err) == (0, "")
    assert "# L 3.000 us" in ended.out and "plogp of latency on shm, 12 points" in ended.out
    alone = onehop("fit", row, "--model", "plogp")
    assert (alone.status, alone.err) == (0, "")
    assert "# L" not in alone.out


def test_refusals(refused, tmp_path, points):
    assert "needs RESULTS" in refused("fit")
    assert "No such file" in refused("fit", tmp_path / "none.csv")
    assert "--stages is for" in refused("fit", points, "--model", "hockney", "--stages", "2")
    assert "would overwrite" in refused("fit", points, "--json", points)
