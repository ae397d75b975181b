"""`onehop convert` and `onehop verify` are tested from outside."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from support import foreign_files as foreign

FORMATS = ("ildg", "scidac", "nersc", "openqcd", "h5", "npy")


def names(folder) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_goes_to_each_format_and_is_the_same(onehop, configurations, tmp_path, form):
    new = tmp_path / f"links.{form}"
    ended = onehop("convert", configurations["ildg"], new)
    assert (ended.status, ended.err) == (0, "")
    assert "the same numbers, bit by bit" in ended.out
    checked = onehop("verify", new, "--against", configurations["ildg"], "--json", "-")
    assert checked.status == 0, checked.err
    record = json.loads(checked.out)
    assert record["comparison"]["identical"] and record["check"]["passed"]


def test_the_record_says_what_was_done(onehop, configurations, tmp_path):
    words = ("convert", configurations["nersc"], tmp_path / "single", "--format", "milc")
    record = json.loads(onehop(*words, "--json", "-").out)
    assert record["formats"] == ["NERSC", "MILC"]
    assert record["precision_bits"] == [64, 32]
    assert not record["exact"] and record["check"]["passed"]
    assert all(record["checksums"])


class TestRefusals:
    def test_an_output_that_exists_needs_force(self, refused, onehop, configurations, tmp_path):
        new = tmp_path / "links.scidac"
        new.write_text("precious")
        line = refused("convert", configurations["ildg"], new)
        assert str(new) in line and "--force" in line
        assert new.read_text() == "precious"
        assert onehop("convert", configurations["ildg"], new, "--force").status == 0
        assert onehop("verify", new).status == 0

    @pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
    def test_the_input_is_never_the_output(self, refused, configurations, tmp_path, link):
        source = tmp_path / "links.ildg"
        source.write_bytes(configurations["ildg"].read_bytes())
        alias = tmp_path / "alias.ildg"
        getattr(alias, link)(source)
        for name in (source, alias):
            line = refused("convert", source, name, "--force")
            assert f"OUT {name} would overwrite" in line
        assert source.read_bytes() == configurations["ildg"].read_bytes()

    @pytest.mark.parametrize("form", ["nersc", "ildg"])
    def test_a_damaged_input_leaves_the_output_as_it_was(
        self, refused, configurations, tmp_path, form
    ):
        content = bytearray(configurations[form].read_bytes())
        content[-2000] ^= 1
        bad, new = tmp_path / "bad", tmp_path / "new.scidac"
        bad.write_bytes(content)
        new.write_text("precious")
        assert "checksum" in refused("convert", bad, new, "--force")
        bad.write_bytes(content[:-5000])
        assert str(bad) in refused("convert", bad, new, "--force")
        assert new.read_text() == "precious"
        assert names(tmp_path) == {"bad", "new.scidac"}

    def test_places_that_cannot_be_written(self, refused, configurations, tmp_path):
        for new in (tmp_path, tmp_path / "no" / "such.ildg", configurations["nersc"] / "x.ildg"):
            assert str(new) in refused("convert", configurations["ildg"], new, "--force")

    def test_inputs_that_are_no_file(self, refused, tmp_path):
        """Nothing waits for the writer of a pipe."""
        os.mkfifo(tmp_path / "pipe")
        for name, why in (("pipe", "regular"), ("", "folder"), ("none", "No such file")):
            assert why in refused("convert", tmp_path / name, tmp_path / "new.ildg")
            assert why in refused("verify", tmp_path / name)

    def test_words_that_make_no_sense(self, refused, configurations, tmp_path):
        source = configurations["ildg"]
        assert "IN and OUT" in refused("convert", source)
        assert "did you mean openqcd" in refused("convert", source, "x", "--format", "openqc")
        assert "--format" in refused("convert", source, tmp_path / "links.data")
        assert "no double" in refused("convert", source, tmp_path / "x.milc", "--prec", "double")
        assert "--against" in refused("verify", source, "--tol", "1e-3")


# A shell's limit on the size of a file, in units of 512 bytes, ends a write as a full disk does.
@pytest.mark.parametrize("blocks", [8, 64, 300])
@pytest.mark.parametrize("name", ["new.h5", "new.npy", "new.ildg"])
def test_a_file_that_finds_no_room_is_one_line_and_leaves_nothing(
    start, configurations, tmp_path, name, blocks
):
    words = f"ulimit -f {blocks}; exec onehop convert {configurations['nersc']} {tmp_path / name}"
    ended = start("-c", words, program="sh").end()
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1 and name in ended.err and "File too large" in ended.err
    assert names(tmp_path) == set()


def test_what_is_interrupted_leaves_nothing(start, onehop, tmp_path):
    words = (
        "--lattice",
        "12x12x12x24",
        "--beta",
        "6",
        "--sweeps",
        "0",
        "-o",
        tmp_path / "big.ildg",
    )
    assert onehop("generate", *words).status == 0
    before = names(tmp_path)
    for form in ("nersc", "npy", "h5"):
        command = start("convert", tmp_path / "big.ildg", tmp_path / f"new.{form}", "--verbose")
        # The first slices are written then.
        command.process.stderr.readline()
        command.process.send_signal(signal.SIGINT)
        ended = command.end()
        if ended.status == 0:
            # The command was faster than the signal.
            (tmp_path / f"new.{form}").unlink()
        else:
            assert ended.status == 2
        assert names(tmp_path) == before


class TestVerify:
    def test_a_good_file(self, onehop, configurations):
        ended = onehop("verify", configurations["nersc"])
        assert (ended.status, ended.err) == (0, "")
        for word in ("NERSC checksum", "as the file states", "in SU(3)", "verified"):
            assert word in ended.out

    def test_a_damaged_file_is_a_finding(self, onehop, configurations, tmp_path):
        content = bytearray(configurations["nersc"].read_bytes())
        content[-2000] ^= 1
        (tmp_path / "bad").write_bytes(content)
        ended = onehop("verify", tmp_path / "bad")
        assert ended.status == 1
        assert "WRONG" in ended.out and "FAILED: checksum" in ended.out

    def test_what_cannot_be_read_is_an_error(self, refused, configurations, tmp_path):
        (tmp_path / "short").write_bytes(configurations["nersc"].read_bytes()[:-5000])
        assert "truncated" in refused("verify", tmp_path / "short")
        assert "No such file" in refused("verify", tmp_path / "none")

    def test_other_links_fail_with_the_place(self, onehop, configurations, tmp_path):
        words = ("--lattice", "4x4x4x8", "--beta", "6", "--sweeps", "1", "-o", tmp_path / "other")
        assert onehop("generate", *words).status == 0
        ended = onehop("verify", configurations["nersc"], "--against", tmp_path / "other")
        assert ended.status == 1
        assert "the fields differ" in ended.out and "the link in direction" in ended.out

    def test_a_propagator_that_was_solved_twice(self, onehop, solve, configurations, tmp_path):
        """What solve --out writes is read, and precision is what tells them apart."""
        for name, tol in (("one", "1e-6"), ("two", "1e-10")):
            solve(configurations["nersc"], "--mass", "0.5", "--tol", tol, "--out",
                  tmp_path / f"{name}.npy")  # fmt: skip
        for form in ("scidac", "h5"):
            new = tmp_path / f"one.{form}"
            assert onehop("convert", tmp_path / "one.npy", new).status == 0
            assert onehop("verify", new, "--against", tmp_path / "one.npy").status == 0
            against = ("verify", new, "--against", tmp_path / "two.npy")
            ended = onehop(*against)
            assert ended.status == 1 and "source " in ended.out
            assert onehop(*against, "--tol", "1e-2").status == 0


def test_correlators_of_a_solve(onehop, configurations, tmp_path):
    """Both records that solve writes hold the same."""
    record, hdf5 = tmp_path / "solved.json", tmp_path / "solved.h5"
    words = (
        "--mass",
        "0.5",
        "--tol",
        "1e-6",
        "--mesons",
        "--baryons",
        "--json",
        record,
        "--hdf5",
        hdf5,
    )
    assert onehop("solve", configurations["nersc"], *words).status == 0
    assert onehop("convert", record, tmp_path / "table.txt").status == 0
    for other in (record, hdf5):
        ended = onehop("verify", tmp_path / "table.txt", "--against", other)
        assert ended.status == 0 and "bit by bit" in ended.out


class TestFilesOfMilc:
    @pytest.fixture
    def files(self, tmp_path):
        random = np.random.default_rng(4)
        numbers = random.normal(size=(3, 4, 2, 2, 2, 4, 3, 3)) + 0j
        vectors, source = numbers[..., 0, :, 0], numbers[0, ..., 0, :1, 0]
        contents = {
            "ks": foreign.staggered_file(
                "USQCD_ColorVector_ScalarSource_ThreeSink", [source], vectors, 32, 2
            ),
            "eig": foreign.eigenvector_file(np.array([0.5, 1.25, 2]), vectors, 64),
            "fat": foreign.link_fields_file(np.moveaxis(numbers, 5, 1), 64),
        }
        for name, content in contents.items():
            (tmp_path / f"{name}.scidac").write_bytes(content)
        return {name: tmp_path / f"{name}.scidac" for name in contents}

    def test_info_says_what_they_hold(self, onehop, files):
        for name, words in {
            "ks": ("3 sources of 3 numbers", "ThreeSink", "1, on time slices 2", "32 bit"),
            "eig": ("3 eigenvectors", "0.5, 1.25, 2", "largest stated 1e-09", "2x2x2x4, 32 sites"),
            "fat": ("3 link fields of 4x3x3 numbers",),
        }.items():
            ended = onehop("info", files[name])
            assert (ended.status, ended.err) == (0, "")
            assert all(word in ended.out for word in words), ended.out
        record = json.loads(onehop("info", files["eig"], "--json", "-").out)
        assert record["fields"]["eigenvalues"] == [0.5, 1.25, 2]

    @pytest.mark.parametrize("name", ["ks", "eig", "fat"])
    def test_they_go_to_hdf5_and_back(self, onehop, files, tmp_path, name):
        free = ("--allow-non-unitary",) if name == "fat" else ()
        for source, target in ((files[name], "there.h5"), (tmp_path / "there.h5", "back.scidac")):
            ended = onehop("convert", source, tmp_path / target, *free)
            assert (ended.status, ended.err) == (0, "") and "bit by bit" in ended.out
        ended = onehop("verify", tmp_path / "back.scidac", "--against", files[name], *free)
        assert ended.status == 0 and "the same numbers, bit by bit" in ended.out
        assert "SciDAC checksums" in ended.out

    def test_several_fields_of_links_are_refused_without_a_word(self, refused, files, tmp_path):
        for words in (("convert", files["fat"], tmp_path / "x.h5"), ("verify", files["fat"])):
            assert "--allow-non-unitary" in refused(*words)
        assert "2x2x2x4" not in refused("measure", files["fat"])


def test_formats_are_described_to_programs_too(onehop):
    record = json.loads(onehop("convert", "--describe", "--json", "-").out)
    said = {(one["format"], one["contents"]) for one in record["samples"]}
    assert {("NERSC", "gauge field"), ("HDF5", "propagator")} <= said
    shown = "".join(onehop("convert", "--describe").out.split())
    assert all("".join(one["conventions"].split()) in shown for one in record["samples"])
    ended = onehop("convert", "--describe", "--format", "milc", "--json", "-")
    assert {one["format"] for one in json.loads(ended.out)["samples"]} == {"MILC"}


def test_formats_are_described(onehop):
    every = onehop("convert", "--describe")
    assert (every.status, every.err) == (0, "")
    for word in ("openQCD, gauge field", "HDF5, propagator", "DeGrand-Rossi", "periodic"):
        assert word in every.out
    one = onehop("convert", "--describe", "--format", "milc")
    assert one.out.startswith("MILC, gauge field (.milc)") and "openQCD" not in one.out
