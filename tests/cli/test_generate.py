"""`onehop generate` and `onehop info` are tested from outside."""

from __future__ import annotations

import json

import pytest

SMALL = ("generate", "--lattice", "4x4x4x8", "--beta", "5.7", "--sweeps", "3", "--seed", "11")


@pytest.mark.parametrize("form", ["nersc", "ildg", "openqcd"])
def test_any_number_of_ranks_gives_the_same_file(onehop, tmp_path, form):
    files = []
    for grid in ("1x1x1x1", "1x1x1x2", "2x1x2x1"):
        files.append(tmp_path / grid)
        ended = onehop(*SMALL, "--grid", grid, "--format", form, "-o", files[-1])
        assert (ended.status, ended.err) == (0, "")
    assert files[0].read_bytes() == files[1].read_bytes() == files[2].read_bytes()


def test_names_may_be_as_long_as_a_file_system_takes_them(onehop, tmp_path):
    longest = tmp_path / ("g" * (255 - len(".json")))
    assert onehop(*SMALL, "--ranks", "2", "-o", longest).status == 0
    written = {longest, tmp_path / f"{longest.name}.json"}
    assert set(tmp_path.iterdir()) == written
    ended = onehop(*SMALL, "-o", f"{longest}g")
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.endswith("File name too long\n")
    assert set(tmp_path.iterdir()) == written


def test_another_seed_gives_another_file(onehop, tmp_path):
    onehop(*SMALL, "-o", tmp_path / "a")
    onehop(*SMALL, "--seed", "12", "-o", tmp_path / "b")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("form", ["nersc", "scidac"])
def test_continued_run_is_the_uninterrupted_one(onehop, tmp_path, form):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    words = (*SMALL, "--format", form)
    onehop(*words, "--sweeps", "5", "-o", whole)
    onehop(*words, "--sweeps", "2", "-o", parts)
    assert onehop(*words, "--sweeps", "5", "--continue", "--ranks", "2", "-o", parts).status == 0
    assert whole.read_bytes() == parts.read_bytes()


def test_record_that_is_ahead_of_its_configuration_is_continued_too(onehop, tmp_path):
    """An interruption between the two leaves them so."""
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    assert onehop(*SMALL, "--sweeps", "3", "-o", broken).status == 0
    third = broken.read_bytes()
    assert onehop(*SMALL, "--sweeps", "5", "--continue", "-o", broken).status == 0
    broken.write_bytes(third)
    assert onehop(*SMALL, "--sweeps", "6", "--continue", "-o", broken).status == 0
    assert onehop(*SMALL, "--sweeps", "6", "-o", whole).status == 0
    assert broken.read_bytes() == whole.read_bytes()


def test_files_of_another_run_are_kept_unless_it_is_said(onehop, tmp_path):
    kept, history = tmp_path / "g", tmp_path / "g.json"
    words = (*SMALL, "-o", kept)
    assert onehop(*words, "--sweeps", "4").status == 0
    before = kept.read_bytes(), history.read_bytes()
    again = onehop(*words)
    assert (again.status, again.out) == (2, "")
    assert again.err == (
        f"onehop: {kept} exists; give another name, --continue to go on from it, or --force to "
        "replace it\n"
    )
    assert (kept.read_bytes(), history.read_bytes()) == before
    assert f"{kept} exists" in onehop(*words, "--sweeps", "4", "--seed", "77").err
    kept.unlink()
    assert f"{history} exists" in onehop(*words).err
    assert onehop(*words, "--force").status == 0
    assert len(json.loads(history.read_text())["samples"]) == 3
    assert "both given" in onehop(*words, "--force", "--continue").err


def test_the_same_links_are_made_again_and_nothing_is_no_run(onehop, tmp_path):
    name = tmp_path / "g"
    name.write_bytes(b"")
    assert onehop(*SMALL, "-o", name).status == 0
    first = name.read_bytes()
    assert onehop(*SMALL, "-o", name).status == 0
    assert name.read_bytes() == first
    assert onehop(*SMALL, "--sweeps", "4", "-o", name).status == 0


def test_record_beside_the_file_tells_how_it_was_made(onehop, tmp_path):
    onehop(*SMALL, "-o", tmp_path / "g")
    record = json.loads((tmp_path / "g.json").read_text())
    assert record["command"] == "generate" and record["options"]["beta"] == 5.7
    assert [s["sweep"] for s in record["samples"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "why"), [("g.npy", "onehop convert makes npy of"), ("g.milc", "MILC has no 64 bits")]
)
def test_a_name_of_a_format_that_is_not_written_is_refused_first(onehop, tmp_path, name, why):
    ended = onehop(*SMALL, "-o", tmp_path / name)
    assert ended.status == 2 and why in ended.err
    assert not list(tmp_path.iterdir())


def test_info_reads_what_generate_wrote(onehop, tmp_path):
    onehop(*SMALL, "-o", tmp_path / "g")
    plaquette = json.loads((tmp_path / "g.json").read_text())["samples"][-1]["plaquette"]
    found = json.loads(onehop("info", tmp_path / "g", "--json", "-").out)["configuration"]
    assert found["format"] == "NERSC" and found["lattice"] == [4, 4, 4, 8]
    assert found["plaquette"] == plaquette
    assert found["has_checksum"] and abs(found["plaquette_header"] - plaquette) < 1e-9


def test_info_says_what_is_here(onehop):
    ended = onehop("info")
    assert (ended.status, ended.err) == (0, "")
    for word in ("transports", "shm", "kernels", "ILDG", "cores"):
        assert word in ended.out


def test_selftest_is_no_rank_of_another_job(refused, tmp_path):
    """It would write its files among those of the user."""
    said = refused("run", "-n", 1, "--", "onehop", "selftest", "--json", "z.json", cwd=tmp_path)
    assert "selftest starts ranks of its own; start it by itself" in said
    assert list(tmp_path.iterdir()) == []


def test_selftest_passes(onehop):
    ended = onehop("selftest", "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    record = json.loads(ended.out)
    assert record["check"]["passed"] and len(record["samples"]) == 19


def test_json_alone_on_stdout(onehop, tmp_path):
    assert json.loads(onehop(*SMALL, "-o", tmp_path / "g", "--json", "-").out)["plaquette"] > 0
