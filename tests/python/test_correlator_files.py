"""Correlators of records are converted from one format to another, and verified."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.damaged_files import expect_one_line

from onehop import _core
from onehop.lattice_files.conversion import convert
from onehop.lattice_files.correlator import open_correlators
from onehop.lattice_files.formats import CORRELATORS
from onehop.lattice_files.verification import verify


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Writes the parts of a record of onehop solve that hold correlators, as JSON."""
    random = np.random.default_rng(5)
    mesons = [
        {
            "structure": structure,
            "momentum": momentum,
            "correlator": random.normal(size=8).tolist(),
            "imaginary": random.normal(size=8).tolist(),
        }
        for structure in ("g5", "gt g5")
        for momentum in ([0, 0, 0], [0, -1, 1])
    ]
    baryons = [
        {key: mesons[0][key] for key in ("momentum", "correlator", "imaginary")}
        | {"baryon": "proton", "parity": parity}
        for parity in (1, -1)
    ]
    pion = random.normal(size=8).tolist()
    path = tmp_path_factory.mktemp("record") / "solved.json"
    path.write_text(json.dumps({"correlator": pion, "mesons": mesons, "baryons": baryons}))
    return path


@pytest.mark.parametrize("form", ["text", "hdf5", "npy"])
def test_none_loses_a_digit(record, tmp_path, form):
    done = convert(str(record), str(tmp_path / "there"), format=form)
    assert (done.kind, done.shape) == (CORRELATORS, (7, 8))
    for other in ("text", "hdf5", "npy"):
        convert(str(tmp_path / "there"), str(tmp_path / other), format=other)
        found = verify(str(tmp_path / other), str(record))
        assert found.passed and found.comparison.is_identical
        is_named = "npy" not in (form, other)
        assert open_correlators(str(tmp_path / other)).is_named == is_named


def test_a_name_without_a_format_is_told_in_good_words(record, tmp_path):
    with pytest.raises(_core.UsageError, match="not tell a format for correlators: give --format"):
        convert(str(record), str(tmp_path / "pion.csv"))


def test_names_say_structure_and_momentum(record, tmp_path):
    convert(str(record), str(tmp_path / "table.txt"))
    found = open_correlators(str(tmp_path / "table.txt"))
    mesons = ["g5@0,0,0", "g5@0,-1,1", "gt.g5@0,0,0", "gt.g5@0,-1,1"]
    assert found.names == ["pion", *mesons, "proton+@0,0,0", "proton-@0,0,0"]
    last = json.loads(record.read_text())["mesons"][3]
    assert found.values[4, 6] == complex(last["correlator"][6], last["imaginary"][6])


def test_the_deviating_time_is_named(record, tmp_path):
    changed = json.loads(record.read_text())
    changed["mesons"][1]["correlator"][5] += 1e-6
    (tmp_path / "other.json").write_text(json.dumps(changed))
    apart = verify(str(record), str(tmp_path / "other.json")).comparison
    assert not apart.passed and apart.first == "correlator g5@0,-1,1 at t 5"
    assert verify(str(record), str(tmp_path / "other.json"), tolerance=1e-3).passed


def test_damage_is_refused(record, tmp_path):
    convert(str(record), str(tmp_path / "table.txt"))
    lines = (tmp_path / "table.txt").read_text().splitlines()
    for bad in ([*lines[:-1], lines[-1][:40]], [*lines[:3], *lines[4:]], lines[:3]):
        (tmp_path / "bad.txt").write_text("\n".join(bad))
        with pytest.raises(_core.FileError, match="not a whole table"):
            open_correlators(str(tmp_path / "bad.txt"))
    whole = record.read_text()
    too_large = json.dumps({"correlator": [10**400]})
    for bad in (whole[:-100], whole.replace("[", 5000 * "["), too_large):
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(_core.FileError, match="not a record of onehop solve"):
            open_correlators(str(tmp_path / "bad.json"))
    (tmp_path / "bad.json").write_text('{"correlator": null}')
    with pytest.raises(_core.FileError, match="without correlators"):
        open_correlators(str(tmp_path / "bad.json"))
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "bad.h5", "w") as file:
        for name in ("structure", "momentum", "correlator", "imaginary"):
            file[f"mesons/{name}"] = np.zeros((0, 3))
    with pytest.raises(_core.FileError, match="without correlators"):
        open_correlators(str(tmp_path / "bad.h5"))


def test_damaged_correlators_are_told_in_one_line(record, tmp_path_factory, tmp_path):
    others = [tmp_path_factory.mktemp("whole") / f"new.{form}" for form in ("h5", "txt", "npy")]
    for other in others:
        convert(str(record), str(other))
    expect_one_line([record, *others], tmp_path)
