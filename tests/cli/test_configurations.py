"""Configuration files that are not what they should be are tested from outside."""

from __future__ import annotations

import json

import pytest

from onehop import cold_gauge
from onehop import join as join_job

SHORT = ("--kappa", "0.1", "--tol", "1e-3")


@pytest.fixture
def outside(tmp_path):
    """Makes a file with one link that is half as long again."""
    gauge = cold_gauge((4, 4, 4, 4), context=join_job("self"))
    gauge.links[2, 3, 0, 1, 2] *= 1.5
    _ = gauge.plaquette
    gauge.write(tmp_path / "outside.ildg", "ildg")
    return tmp_path / "outside.ildg"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--lattice", "4x4x4x8"), "--lattice is for --chains; give --chains too, or leave"),
        (("--transport", "shm"), "--transport is for --chains"),
        (("--allow-non-unitary",), "--allow-non-unitary is for CONFIG"),
        (("b6.0.nersc", "--chains"), "CONFIG and --chains ask for different things"),
    ],
)
def test_info_ignores_no_option(refused, words, line):
    assert line in refused("info", *words)


@pytest.mark.parametrize("command", [("info",), ("measure",), ("solve", *SHORT)])
def test_links_outside_su3_are_refused_unless_they_are_allowed(onehop, outside, command):
    refused = onehop(command[0], outside, *command[1:])
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.count("\n") == 1
    for word in (str(outside), "direction z", "(2,1,0,3)", "--allow-non-unitary"):
        assert word in refused.err
    record = outside.with_suffix(".json")
    allowed = onehop(command[0], outside, *command[1:], "--allow-non-unitary", "--json", record)
    assert allowed.status == 0, allowed.err
    assert json.loads(record.read_text())["check"]["passed"]


@pytest.mark.parametrize("lost", [8, 16])
def test_bytes_lost_from_a_lime_file_are_noticed(onehop, configurations, tmp_path, lost):
    whole = configurations["ildg"].read_bytes()
    at = whole.index(b"ildg-binary-data") + 1000
    cut = tmp_path / "cut.ildg"
    cut.write_bytes(whole[:at] + whole[at + lost :])
    for command in (("info", cut), ("solve", cut, *SHORT)):
        ended = onehop(*command)
        assert (ended.status, ended.out) == (2, "")
        assert str(cut) in ended.err and "damaged" in ended.err and ended.err.count("\n") == 1


@pytest.mark.parametrize("command", [("info",), ("measure",), ("solve", *SHORT)])
def test_a_header_without_a_plaquette_has_nothing_to_differ_from(
    onehop, configurations, tmp_path, command
):
    lines = configurations["nersc"].read_bytes().split(b"\n")
    bare = tmp_path / "bare.nersc"
    bare.write_bytes(b"\n".join(line for line in lines if not line.startswith(b"PLAQUETTE")))
    record = tmp_path / "record.json"
    ended = onehop(command[0], bare, *command[1:], "--json", record)
    assert ended.status == 0, ended.err

    def refuse(word):
        raise AssertionError(f"{word} in the record")

    found = json.loads(record.read_text(), parse_constant=refuse)
    assert found["check"]["passed"]
    assert found.get("plaquette_header") is None
