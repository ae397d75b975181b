"""Runs of `onehop app lattice-boltzmann` for its tests."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import pytest
from conftest import ONEHOP


def record_of(onehop, *words):
    """Returns the record of a run that ends well."""
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def fields_of(onehop, folder, *words):
    """Returns the record and the fields by name."""
    record = record_of(onehop, *words, "--fields", folder / "fields.h5")
    with h5py.File(folder / "fields.h5", "r") as file:
        return record, {name: file[name][:] for name in file}


def check_same_bits(onehop, folder, expected, *words):
    """A run has the samples and fields of `expected`, bit for bit."""
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    record, fields = fields_of(onehop, folder, *words)
    assert record["samples"] == expected[0]["samples"]
    assert fields.keys() == expected[1].keys()
    for name, values in expected[1].items():
        assert (fields[name] == values).all()


def check_picture(onehop, folder, *words):
    """Returns what a run prints that draws its picture."""
    ended = onehop(*words, "--plot", folder / "f.svg")
    assert ended.status == 0
    assert (folder / "f.svg").stat().st_size > 1000
    return ended.out
