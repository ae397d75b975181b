"""Wrong use of generate and run gives one line that says what is wrong, and exit status 2."""

from __future__ import annotations

import os


def test_generate_into_no_folder(refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6")
    assert "No such file" in refused("generate", *words, "-o", tmp_path / "no" / "file")


def test_generate_without_beta(refused, tmp_path):
    assert "--beta" in refused("generate", "--lattice", "4x4x4x4", "-o", tmp_path / "file")


def test_continue_without_a_beginning(refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6", "--continue")
    line = refused("generate", *words, "-o", tmp_path / "file")
    assert "cannot continue" in line and line.endswith("leave --continue out to begin a run")


def test_continue_with_another_beta(onehop, refused, tmp_path):
    words = ("generate", "--lattice", "4x4x4x4", "-o", tmp_path / "file", "--sweeps", "1")
    assert onehop(*words, "--beta", "6").status == 0
    line = refused(*words, "--beta", "5.7", "--continue")
    assert "beta 6.0" in line and "5.7" in line
    fewer = refused(*words[:-1], "0", "--beta", "6", "--continue")
    assert "1 sweep done already, --sweeps is 0; give as many --sweeps as" in fewer


def test_names_that_are_no_utf8_are_told_in_one_line(refused):
    name = os.fsdecode(b"conf_\xe9.nersc")
    assert "the name has bytes that are no UTF-8; rename the file" in refused("verify", name)


def test_run_without_a_program(refused):
    assert "program is missing" in refused("run", "-n", "2")


def test_run_without_a_number(refused):
    assert "--ranks" in refused("run", "true")


def test_run_of_no_program(refused):
    assert "cannot start /no/such/program" in refused("run", "-n", "2", "--", "/no/such/program")


def test_a_program_of_this_folder_has_its_path_in_the_hint(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heat").touch()
    assert "did you mean ./heat?" in refused("run", "-n", "2", "--", "heat")
    assert "give a program's path" in refused("run", "-n", "2", "--", "cold")


def test_a_platform_file_of_this_folder_is_in_the_hint(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").touch()
    assert "did you mean mine.toml?" in refused("simulate", "mine", "halo")
