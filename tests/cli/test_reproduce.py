"""`onehop reproduce` gives verdicts, exit statuses and a record."""

from __future__ import annotations

import json

import pytest


def test_figures_within_tolerance_end_with_status_0_and_their_commands_are_told(onehop):
    ended = onehop("reproduce", "P-V1", "P-V3")
    assert (ended.status, ended.err) == (0, "")
    head, *lines, summary = ended.out.splitlines()
    assert head.split()[:3] == ["figure", "use", "published"]
    assert [line.split()[0] for line in lines[:2]] == ["P-V1", "P-V3"]
    assert lines[2].startswith("# P-V1: onehop bench latency --transport virtual:tca-peach2")
    assert summary == "# validation 2 of 2 within tolerance"


def test_a_missed_validation_figure_ends_with_status_1(onehop):
    ended = onehop("reproduce", "I-C2", "I-V18", "--json", "-")
    record = json.loads(ended.out)
    assert ended.status == 1
    assert record["check"]["missed"] == ["I-V18"]
    keys = {"id", "system", "kind", "published", "ours", "unit", "error", "tolerance", "verdict"}
    keys |= {"command", "reads_input_back", "formula"}
    assert all(keys <= set(result) for result in record["results"])
    assert {r["verdict"] for r in record["results"]} == {"ok", "miss"}


def test_a_figure_of_low_weight_alone_fails_nothing(onehop):
    ended = onehop("reproduce", "B-V2")
    assert ended.status == 0


def test_showing_a_figure_runs_its_commands_as_typed(onehop):
    ended = onehop("reproduce", "P-V1", "--show")
    assert (ended.status, ended.err) == (0, "")
    lines = ended.out.splitlines()
    (command,) = [line for line in lines if line.startswith("$ ")]
    direct = onehop(*command.split()[2:])
    assert direct.out in ended.out
    assert lines[-1].endswith(": ok")


def test_the_list_computes_nothing_and_names_every_figure(onehop):
    ended = onehop("reproduce", "--list", "--system", "qpace")
    assert ended.status == 0
    assert "qpace_latency:" in ended.out
    assert sum(line.startswith("  K-") for line in ended.out.splitlines()) == 15


def test_pictures_are_written_where_there_are_curves(onehop, tmp_path):
    ended = onehop("reproduce", "tca_strided_face", "--plot", str(tmp_path / "figures"))
    assert ended.status == 0
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["tca_strided_face.svg"]


def test_wrong_names_give_one_line_with_the_nearest(onehop):
    for words, hint in (
        (("reproduce", "Q-V99"), "unknown figure 'Q-V99'"),
        (("reproduce", "--system", "tca_peach"), "did you mean tca_peach2"),
        (("reproduce", "Q-V1", "--system", "qpace"), "--system qpace has none of Q-V1; give one"),
        (("reproduce", "tca_pingpon"), "did you mean tca_pingpong"),
    ):
        ended = onehop(*words)
        assert (ended.status, ended.out) == (2, "")
        assert hint in ended.err
        assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("--sensitivity", "--calibrate"),
            "--calibrate and --sensitivity are different modes; give one of them",
        ),
        (("--list", "--show"), "--list and --show are different modes; give one of them"),
        (
            ("--history", "P-V1"),
            "--history compares scores of all figures; leave out the names of some",
        ),
        (("--max-time", "5"), "--max-time is for --sensitivity"),
        (("--list", "--json", "-"), "--list makes no record; leave out --json"),
    ],
)
def test_modes_are_not_mixed(onehop, words, line):
    ended = onehop("reproduce", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == f"onehop: {line}\n"


def test_a_study_that_is_cut_short_says_how_much_is_left(onehop):
    ended = onehop("reproduce", "--sensitivity", "P-V8", "--max-time", "0.001")
    assert ended.status == 0
    assert "# stopped by --max-time: " in ended.out
