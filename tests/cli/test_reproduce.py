"""`onehop reproduce`: verdicts, exit statuses, the record."""

from __future__ import annotations

import json


def test_figures_within_tolerance_end_with_status_0(onehop):
    ended = onehop("reproduce", "P-V1", "tca_broadcast")
    assert (ended.status, ended.err) == (0, "")
    head, *lines, summary = ended.out.splitlines()
    assert head.split()[:3] == ["figure", "use", "published"]
    assert {line.split()[0] for line in lines} == {"P-V1", "P-V8"}
    assert summary == "# validation 2 of 2 within tolerance"


def test_a_missed_validation_figure_ends_with_status_1(onehop, tmp_path):
    ended = onehop("reproduce", "--json", "-")
    record = json.loads(ended.out)
    missed = [r for r in record["results"] if r["verdict"] == "miss" and r["kind"] == "validation"]
    assert ended.status == (1 if missed else 0)
    assert record["check"]["passed"] == (not missed)
    keys = {"id", "system", "kind", "published", "ours", "unit", "error", "tolerance", "verdict"}
    assert all(keys <= set(result) for result in record["results"])
    assert {r["verdict"] for r in record["results"]} <= {"ok", "miss"}


def test_the_list_computes_nothing_and_names_every_figure(onehop):
    ended = onehop("reproduce", "--list", "--system", "qpace")
    assert ended.status == 0
    assert "qpace_latency:" in ended.out
    assert sum(line.startswith("  K-") for line in ended.out.splitlines()) == 10


def test_pictures_are_written_where_there_are_curves(onehop, tmp_path):
    ended = onehop("reproduce", "tca_strided_face", "--plot", str(tmp_path / "figures"))
    assert ended.status == 0
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["tca_strided_face.svg"]


def test_wrong_names_give_one_line_with_the_nearest(onehop):
    for words, hint in (
        (("reproduce", "Q-V11"), "unknown figure 'Q-V11'"),
        (("reproduce", "--system", "tca_peach"), "did you mean tca_peach2"),
        (("reproduce", "tca_pingpon"), "did you mean tca_pingpong"),
    ):
        ended = onehop(*words)
        assert (ended.status, ended.out) == (2, "")
        assert hint in ended.err
        assert len(ended.err.splitlines()) == 1


def test_modes_are_not_mixed(onehop):
    ended = onehop("reproduce", "--sensitivity", "--calibrate")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (
        "onehop: --calibrate and --sensitivity are different modes; give one of them\n"
    )
