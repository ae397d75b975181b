"""Wrong files and outputs give one line that says what is wrong and exit status 2, and leave
nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from onehop.lattice_files.correlator import TABLE_START
from onehop.netsim import template

MASS = ("--mass", "0.5")


def flip(path, copy, offset_from_end=100):
    shutil.copy(path, copy)
    with copy.open("r+b") as file:
        file.seek(-offset_from_end, 2)
        byte = file.read(1)[0]
        file.seek(-offset_from_end, 2)
        file.write(bytes([byte ^ 1]))
    return copy


@pytest.mark.parametrize("ranks", [1, 2])
class TestFiles:
    """The line is the same whether one rank reads or several."""

    def test_missing(self, refused, tmp_path, ranks):
        line = refused("solve", tmp_path / "none", *MASS, "--ranks", ranks)
        assert str(tmp_path / "none") in line and "No such file" in line

    def test_folder(self, refused, tmp_path, ranks):
        assert str(tmp_path) in refused("solve", tmp_path, *MASS, "--ranks", ranks)

    def test_something_else(self, refused, tmp_path, ranks):
        path = tmp_path / "letter"
        path.write_text("dear reader " * 1000)
        assert str(path) in refused("solve", path, *MASS, "--ranks", ranks)

    @pytest.mark.parametrize("form", ["nersc", "ildg"])
    def test_truncated(self, refused, configurations, tmp_path, form, ranks):
        path = tmp_path / "short"
        path.write_bytes(configurations[form].read_bytes()[:-5000])
        assert str(path) in refused("solve", path, *MASS, "--ranks", ranks)

    @pytest.mark.parametrize("form", ["nersc", "ildg"])
    def test_flipped_byte(self, refused, configurations, tmp_path, form, ranks):
        path = flip(configurations[form], tmp_path / "flipped", 2000)
        line = refused("solve", path, *MASS, "--ranks", ranks)
        assert str(path) in line and "checksum" in line

    def test_header_that_is_no_text(self, refused, configurations, tmp_path, ranks):
        """A message quotes bytes that are not UTF-8."""
        path = tmp_path / "damaged"
        bytes_ = configurations["nersc"].read_bytes()
        path.write_bytes(bytes_.replace(b"IEEE64BIG", b"IEEE64B\xffG", 1))
        line = refused("solve", path, *MASS, "--ranks", ranks)
        assert str(path) in line and "IEEE64B\\xffG" in line

    def test_flipped_byte_is_seen_by_info_too(self, refused, configurations, tmp_path, ranks):
        path = flip(configurations["nersc"], tmp_path / "flipped", 2000)
        assert "checksum" in refused("info", path)


@pytest.mark.parametrize("option", ["--json", "--plot", "--trace", "--out"])
class TestOutput:
    """A path that cannot be written is refused before the work starts."""

    def test_in_no_folder(self, solve, tmp_path, option):
        path = tmp_path / "no" / "such.png"
        line = solve(*MASS, "--max-iter", "1", option, path)
        assert str(path) in line and "No such file" in line

    def test_below_a_file(self, solve, configurations, option):
        path = configurations["nersc"] / "x.png"
        assert "Not a directory" in solve(*MASS, option, path)

    def test_on_a_pipe(self, solve, tmp_path, option):
        """A file that is not regular is not replaced by a regular one, whoever runs the command."""
        path = tmp_path / "pipe.png"
        os.mkfifo(path)
        assert "not a regular file" in solve(*MASS, option, path)
        assert path.is_fifo()

    def test_on_a_protected_file(self, solve, tmp_path, option):
        path = tmp_path / "kept.png"
        path.write_text("precious")
        path.chmod(0o444)
        assert "write-protected" in solve(*MASS, option, path)
        assert path.read_text() == "precious"

    def test_through_a_link(self, solve, tmp_path, option):
        (tmp_path / "kept").write_text("precious")
        (tmp_path / "kept").chmod(0o444)
        (tmp_path / "link.png").symlink_to(tmp_path / "kept")
        assert "write-protected" in solve(*MASS, option, tmp_path / "link.png")
        assert (tmp_path / "link.png").is_symlink()

    def test_without_a_name(self, solve, option):
        assert "file name" in solve(*MASS, option, "")

    def test_with_a_name_that_no_file_can_have(self, solve, tmp_path, option):
        assert "too long" in solve(*MASS, option, tmp_path / f"{'x' * 252}.png")
        assert list(tmp_path.iterdir()) == []

    def test_as_a_folder_to_be(self, solve, tmp_path, option):
        assert "folder" in solve(*MASS, option, f"{tmp_path}/new.png/")

    def test_on_a_folder(self, solve, tmp_path, option):
        assert "folder" in solve(*MASS, option, tmp_path)


def test_plot_of_unknown_format(solve, tmp_path):
    assert ".png" in solve(*MASS, "--plot", tmp_path / "pion.txt")


@pytest.mark.parametrize(("name", "what"), [("s.h5", "HDF5"), ("s.scidac", "SciDAC")])
def test_a_propagator_has_no_name_of_another_format(solve, tmp_path, name, what):
    line = solve(*MASS, "--out", tmp_path / name)
    assert line.endswith(f"write a .npy file, which onehop convert makes {what} of")
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("option", ["--json", "--plot", "--trace", "--out"])
def test_output_over_the_configuration(refused, configurations, tmp_path, option):
    """The output is refused also by way of a link; the configuration stays as it was."""
    config = tmp_path / "conf.png"
    shutil.copy(configurations["nersc"], config)
    (tmp_path / "link.png").symlink_to(config)
    before = config.read_bytes()
    for name in (config, tmp_path / "link.png", tmp_path / "." / "conf.png"):
        line = refused("solve", config, *MASS, option, name)
        assert line.endswith("would overwrite a file that is read; give another name")
    assert config.read_bytes() == before


def test_two_outputs_in_one_file(solve, tmp_path):
    line = solve(*MASS, "--json", tmp_path / "a.png", "--plot", tmp_path / "a.png")
    assert "would overwrite the file of --json" in line


@pytest.mark.parametrize("option", ["--plot", "--trace", "--out"])
def test_only_records_go_to_standard_output(solve, option):
    assert "standard output" in solve(*MASS, option, "-")


def test_generate_onto_a_pipe(refused, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    words = ("--lattice", "4x4x4x4", "--beta", "6")
    assert "not a regular file" in refused("generate", *words, "-o", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_info_sends_records_and_correlators_to_those_that_read_them(refused, tmp_path):
    for name, text in (("r.json", '{"schema": "onehop.solve/1"}'), ("c.txt", TABLE_START + "\n")):
        (tmp_path / name).write_text(text)
        assert "onehop verify checks correlators" in refused("info", tmp_path / name)


def test_record_of_info_onto_the_configuration(refused, configurations, tmp_path):
    shutil.copy(configurations["nersc"], tmp_path / "g")
    assert "would overwrite" in refused("info", tmp_path / "g", "--json", tmp_path / "g")


def write_openqcd(path, links):
    """Writes a format without checksum: extents, plaquette, eight links at every odd site."""
    with path.open("wb") as file:
        np.array([4, 4, 4, 4], "<i4").tofile(file)
        np.array([3.0], "<f8").tofile(file)
        links.astype("<c16").tofile(file)
    return path


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_link_that_is_no_number(refused, tmp_path, ranks, value):
    """Nothing but the number itself can tell."""
    links = np.tile(np.eye(3, dtype=complex), (128, 8, 1, 1))
    links[100, 3, 1, 2] = value
    line = refused("solve", write_openqcd(tmp_path / "bad", links), *MASS, "--ranks", ranks)
    assert "not a finite number" in line and "direction" in line and "site" in line


def test_the_same_file_with_numbers_is_fine(onehop, tmp_path):
    links = np.tile(np.eye(3, dtype=complex), (128, 8, 1, 1))
    path = write_openqcd(tmp_path / "good", links)
    assert onehop("solve", path, *MASS).status == 0


STEERING = "\x1b[31m\x07\x9b\u202e"
SHOWN = "\\x1b[31m\\x07\\x9b\\u202e"


def record(folder):
    (folder / "file").write_text(json.dumps({"command": STEERING, "samples": []}))
    return "fit", folder / "file"


def recording(folder):
    head = {"schema": STEERING, "run": "a", "rank": 0, "ranks": 1, "mpi": "b"}
    (folder / "file").write_text(json.dumps(head))
    return "simulate", "ndr-h200", "replay", "--recording", folder / "file"


def name_of_a_dataset(folder):
    with h5py.File(folder / "file.h5", "w") as file:
        file.create_dataset(STEERING, data=np.zeros(4, complex))
    return "info", folder / "file.h5"


def platform(folder):
    name = json.dumps(STEERING)
    (folder / "file.toml").write_text(f"{template.text('machine', 'torus')}\n[{name}]\n")
    return "platform", "check", folder / "file.toml"


@pytest.mark.parametrize("make", [record, recording, name_of_a_dataset, platform])
def test_what_a_file_holds_does_not_steer_the_terminal(refused, tmp_path, make):
    assert SHOWN in refused(*make(tmp_path))


def test_a_title_that_would_steer_the_terminal_is_shown_by_its_numbers(onehop, tmp_path):
    text = template.text("machine", "torus").replace('title = "', 'title = "\\u001b[31m', 1)
    (tmp_path / "file.toml").write_text(text)
    ended = onehop("platform", "show", tmp_path / "file.toml")
    assert ended.status == 0 and "\\x1b[31m" in ended.out and "\x1b" not in ended.out


def test_a_message_that_repeats_a_file_is_cut(refused, tmp_path):
    head = {"schema": "long" * 250_000, "run": "a", "rank": 0, "ranks": 1, "mpi": "b"}
    (tmp_path / "file").write_text(json.dumps(head))
    line = refused("simulate", "ndr-h200", "replay", "--recording", tmp_path / "file")
    assert len(line) < 4000 and line.endswith(" ...")


def test_a_cell_of_any_length_is_no_fault_of_the_reader_of_tables(refused, tmp_path):
    (tmp_path / "file.csv").write_text(f"size_bytes,time_us\n8,{'1' * 200_000}\n")
    assert "field larger than field limit" in refused("fit", tmp_path / "file.csv")


@pytest.mark.parametrize("offset", [2**64 - 1, 2**63, 2**40])
def test_a_program_whose_sections_lie_nowhere_is_damaged(refused, tmp_path, offset):
    content = bytearray(Path(sys.executable).read_bytes())
    struct.pack_into("<Q", content, 40, offset)  # where the section headers are
    (tmp_path / "program").write_bytes(content)
    assert "truncated or damaged" in refused("info", "--mpi", tmp_path / "program")


HISTORIES = {
    "no list": "ab",
    "no sweeps": [1, 2],
    "a sweep without its plaquette": [{"sweep": 1}],
    "a sweep that is not a number": [{"sweep": "x", "plaquette": 0.5}],
    "sweeps out of order": [{"sweep": 2, "plaquette": 0.5}, {"sweep": 1, "plaquette": 0.5}],
    "a plaquette that is not a number": [{"sweep": 1, "plaquette": "0.5"}],
    "a number that no float holds": [{"sweep": 1, "plaquette": 0.5, "temporal": 10**400}],
    "a number that is not finite": [{"sweep": 1, "plaquette": 0.5, "temporal": float("nan")}],
}


@pytest.mark.parametrize("samples", HISTORIES.values(), ids=HISTORIES)
def test_a_history_that_is_none_is_not_continued(onehop, refused, tmp_path, samples):
    words = ("generate", "--lattice", "2x2x2x2", "--beta", "6", "-o", tmp_path / "links")
    assert onehop(*words, "--sweeps", "1").status == 0
    file = tmp_path / "links.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"samples": samples}))
    line = refused(*words, "--sweeps", "3", "--continue")
    assert str(file) in line and "is not a record of onehop generate" in line
