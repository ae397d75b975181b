"""`onehop solve` is tested with hadrons, walls and HDF5, from outside."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

LATTICE = ("--lattice", "4x4x2x8", "--start", "hot", "--seed", "5", "--mass", "0.7")


@pytest.fixture
def solve(onehop):
    def run(*words) -> dict:
        ended = onehop("solve", *LATTICE, *words, "--json", "-")
        assert (ended.status, ended.err) == (0, "")
        return json.loads(ended.out)

    return run


def test_mesons_are_the_same_on_every_grid(solve):
    words = ("--mesons", "--momenta", "1", "--source", "point:3,1,1,6")
    one = solve(*words)
    four = solve(*words, "--grid", "2x1x1x2")
    assert len(one["mesons"]) == 16 * 7
    assert one["mesons"] == four["mesons"]
    pion = next(m for m in one["mesons"] if m["structure"] == "g5" and not any(m["momentum"]))
    assert np.allclose(pion["correlator"], one["correlator"], rtol=1e-13, atol=0)
    assert pion["effective_mass"][3] == pytest.approx(one["effective_mass"][3], rel=1e-9)


def test_baryons_are_the_same_on_every_grid(solve):
    words = ("--baryons", "--momenta", "1", "--source", "point:3,1,1,6")
    one = solve(*words)
    four = solve(*words, "--grid", "2x1x1x2")
    assert len(one["baryons"]) == 2 * 2 * 7 and "mesons" not in one
    assert one["baryons"] == four["baryons"]
    proton = one["baryons"][0]
    assert (proton["baryon"], proton["parity"], proton["momentum"]) == ("proton", 1, [0, 0, 0])
    ratio = proton["correlator"][1] / proton["correlator"][2]
    assert proton["effective_mass"][1] == pytest.approx(np.log(ratio), rel=1e-12)
    assert proton["effective_mass"][-1] is None


def test_smeared_ends_are_the_same_on_every_grid(solve, tmp_path):
    point = solve("--source", "point:3,1,1,6", "--out", str(tmp_path / "point.npy"))
    how = ("--source", "point:3,1,1,6", "--smear-links", "ape:0.5x2")
    sink = (*how, "--smear-sink", "wuppertal:0.3x3")
    one = solve(*sink, "--mesons", "--out", str(tmp_path / "sink.npy"))
    four = solve(*sink, "--mesons", "--grid", "2x1x1x2")
    assert one["mesons"] == four["mesons"] and one["correlator"] == four["correlator"]
    pion = one["mesons"][15]["correlator"]
    assert np.allclose(pion, one["correlator"], rtol=1e-13, atol=0)
    assert np.array_equal(np.load(tmp_path / "sink.npy"), np.load(tmp_path / "point.npy"))
    source = solve(*how, "--smear-source", "wuppertal:0.3x3")
    assert len({r["correlator"][3] for r in (point, one, source)}) == 3
    assert one["options"]["smear_sink"] == "wuppertal:0.3x3"


@pytest.mark.parametrize("source", ["wall:3", "noise-wall:3,11"])
@pytest.mark.parametrize("dslash", ["wilson", "staggered"])
def test_walls_are_the_same_on_every_grid(solve, source, dslash):
    words = ("--dslash", dslash, "--source", source)
    one, two = solve(*words), solve(*words, "--grid", "1x2x1x1")
    assert one["correlator"] == two["correlator"]
    columns = [(s["spin"], s["colour"]) for s in one["samples"]]
    assert len(set(columns)) == len(columns)


def test_hdf5_holds_the_record(solve, tmp_path):
    name = tmp_path / "mesons.h5"
    record = solve("--dslash", "staggered", "--mesons", "--momenta", "1", "--hdf5", str(name))
    with h5py.File(name) as file:
        assert file.attrs["command"] == "solve"
        assert np.array_equal(file["correlator"], record["correlator"])
        assert file["mesons/correlator"].shape == (8 * 7, 8)
        assert np.array_equal(file["mesons/momentum"][3], record["mesons"][3]["momentum"])
        assert file["mesons/structure"].asstr()[7] == record["mesons"][7]["structure"]
        assert file["options"].attrs["mass"] == 0.7
    assert [path.name for path in tmp_path.iterdir()] == ["mesons.h5"]


def test_table_names_the_mesons(onehop):
    ended = onehop("solve", *LATTICE, "--mesons", "--baryons")
    assert ended.status == 0
    assert "axial vector 1++" in ended.out and "m_eff(2)" in ended.out
    assert "baryon at rest" in ended.out and "delta" in ended.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--mesons", "--source", "random:1"), "not --source random:1"),
        (("--momenta", "1"), "give --mesons or --baryons too"),
        (("--baryons", "--source", "random:1"), "not of source random:1"),
        (("--baryons", "--dslash", "staggered"), "of wilson or clover quarks, not staggered"),
        (("--baryons", "--mu", "0.1"), "without twisted mass"),
        (("--smear-source", "wuppertal:0.3"), "wuppertal:KAPPAxN is needed"),
        (("--smear-sink", "wuppertal:-1x2"), "wuppertal:KAPPAxN is needed"),
        (("--smear-links", "ape:0.5x2"), "give one of them"),
        (("--smear-links", "hyp", "--smear-sink", "wuppertal:0.3x3"), "links in time too"),
        (("--smear-sink", "wuppertal:0.3x3", "--shifts", "0.1"), "--smear-sink is for one system"),
        (("--baryons", "--shifts", "0.1"), "--baryons are for one propagator"),
        (("--source", "wall:8"), "wall:8 is outside the lattice 4x4x2x8"),
        (("--source", "noise-wall:1"), "none of point:x,y,z,t|wall:t|noise-wall:t,SEED"),
        (("--hdf5", "/nowhere/x.h5"), "cannot write /nowhere/x.h5"),
    ],
)
def test_what_cannot_be_solved_for(onehop, words, says):
    ended = onehop("solve", *LATTICE, *words)
    assert ended.status == 2 and says in ended.err
    assert len(ended.err.splitlines()) == 1
